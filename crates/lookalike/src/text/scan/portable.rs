//! Portable code: loops over 64 bytes. The compiler turns them into SIMD instructions that every processor of the target has.

use super::lanes::{BLOCK, Lanes};

#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Lanes for Portable {
    type Bytes = [u8; BLOCK];
    /// 1 for each byte for which the mask is true, and 0 for the others.
    type Mask = [u8; BLOCK];

    #[inline(always)]
    fn load(self, from: &[u8; BLOCK]) -> Self::Bytes {
        *from
    }

    #[inline(always)]
    fn foreign(self, bytes: Self::Bytes) -> u64 {
        if bytes.is_ascii() {
            0
        } else {
            self.bits(bytes.map(|byte| byte >> 7))
        }
    }

    #[inline(always)]
    fn words(self, bytes: Self::Bytes) -> u64 {
        self.bits(bytes.map(|byte| {
            u8::from((byte | 0x20).wrapping_sub(b'a') < 26) | u8::from(byte.wrapping_sub(b'0') < 10)
        }))
    }

    #[inline(always)]
    fn within(self, bytes: Self::Bytes, low: u8, high: u8) -> Self::Mask {
        bytes.map(|byte| u8::from(byte.wrapping_sub(low) <= high - low))
    }

    #[inline(always)]
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|i| a[i] & b[i])
    }

    #[inline(always)]
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|i| a[i] | b[i])
    }

    /// Converts eight bytes at a time: the multiplication moves each byte's lowest bit to a place of its own in the highest byte.
    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u64 {
        mask.as_chunks::<8>().0.iter().rev().fold(0, |bits, eight| {
            bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56
        })
    }

    /// Writes four places at a time, even if fewer are left, because a branch on how many are left would be hard to predict.
    #[inline(always)]
    fn places(self, mut mask: u64, base: u16, places: &mut [u16; BLOCK]) {
        for four in places.as_chunks_mut::<4>().0 {
            if mask == 0 {
                return;
            }
            for place in four {
                *place = base.wrapping_add(mask.trailing_zeros() as u16);
                mask &= mask.wrapping_sub(1);
            }
        }
    }
}

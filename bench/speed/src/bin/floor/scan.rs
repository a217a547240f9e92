//! Finds where words begin and end in a string, 64 bytes at a time, as bit masks.

/// The number of readable bytes after a text.
pub const PAD: usize = 128;
/// The number of bytes processed at a time.
pub const BYTES: usize = 64;

/// The classes of the bytes of a block: bit i describes byte i.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Masks {
    pub alphanumeric: u64,
    pub backslash: u64,
    pub quote: u64,
    pub foreign: u64,
}

/// Five classes of bytes beyond ASCII. `separator2` contains the bytes that begin a separator of two bytes. `separator3` contains
/// the bytes that begin a separator of three bytes: general punctuation, symbols, full-width forms. `han` contains the bytes that
/// begin a Han character. `e3` contains the byte E3, which begins either a separator or kana; `x80` contains the byte 80, which
/// distinguishes these two cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Foreign {
    pub separator2: u64,
    pub separator3: u64,
    pub e3: u64,
    pub x80: u64,
    pub han: u64,
}

/// The operations of the loop, with an implementation per instruction set.
pub trait Kernel {
    fn masks(&self, block: &[u8; BYTES]) -> Masks;
    fn foreign(&self, block: &[u8; BYTES]) -> Foreign;
    /// Adds `base` to the position of each set bit of a mask, writes the sums to `out`, and returns their number. `out` has room
    /// for 64 sums.
    fn places(&self, mask: u64, base: u32, out: &mut [u32]) -> usize;
    /// Hashes the words from `starts[i]` to `ends[i]` of a text that is followed by [`PAD`] bytes. This method may write up to
    /// seven hashes more than `count`.
    fn hash(&self, text: &[u8], starts: &[u32], ends: &[u32], count: usize, hashes: &mut [u64]);
    /// Computes the fingerprint of each window of five hashes, and puts it into its slot.
    fn windows(&self, hashes: &[u64], count: usize, slots: &mut [u32; 128]);
}

pub const K1: u64 = 0x6a09_e667_f3bc_c909;
pub const K2: u64 = 0xbb67_ae85_84ca_a73b;
/// The rotations of the five hashes of a window.
pub const TURNS: [u32; 5] = [0, 13, 26, 39, 52];

/// The kernel that runs on any machine.
pub struct Portable;

impl Kernel for Portable {
    fn masks(&self, block: &[u8; BYTES]) -> Masks {
        let mask =
            |is: fn(u8) -> bool| (0..BYTES).fold(0, |mask, i| mask | u64::from(is(block[i])) << i);
        Masks {
            alphanumeric: mask(|b| b.is_ascii_alphanumeric()),
            backslash: mask(|b| b == b'\\'),
            quote: mask(|b| b == b'"'),
            foreign: mask(|b| b >= 0x80),
        }
    }

    fn foreign(&self, block: &[u8; BYTES]) -> Foreign {
        let mask =
            |is: fn(u8) -> bool| (0..BYTES).fold(0, |mask, i| mask | u64::from(is(block[i])) << i);
        Foreign {
            separator2: mask(|b| b == 0xc2),
            separator3: mask(|b| b == 0xe2 || b == 0xef),
            e3: mask(|b| b == 0xe3),
            x80: mask(|b| b == 0x80),
            han: mask(|b| (0xe4..=0xe9).contains(&b)),
        }
    }

    fn places(&self, mut mask: u64, base: u32, out: &mut [u32]) -> usize {
        let count = mask.count_ones() as usize;
        for place in &mut out[..count] {
            *place = base + mask.trailing_zeros();
            mask &= mask - 1;
        }
        count
    }

    fn hash(&self, text: &[u8], starts: &[u32], ends: &[u32], count: usize, hashes: &mut [u64]) {
        for i in 0..count {
            let (start, end) = (starts[i] as usize, ends[i] as usize);
            let length = end - start;
            let eight = |at: usize| {
                text[at..]
                    .first_chunk()
                    .map_or(0, |bytes| u64::from_le_bytes(*bytes))
            };
            let mut word = (eight(start) | LOWER) & (u64::MAX >> (64 - 8 * length.min(8)));
            if length > 8 {
                word ^= (eight(end - 8) | LOWER).rotate_left(29);
            }
            hashes[i] = mix(word.wrapping_add(length as u64));
        }
    }

    fn windows(&self, hashes: &[u64], count: usize, slots: &mut [u32; 128]) {
        for i in 0..count {
            let window = (0..5).fold(0, |window, j| window ^ hashes[i + j].rotate_left(TURNS[j]));
            put(mix(window), slots);
        }
    }
}

/// The bits that turn letters into lower case when they are set. In digits, these bits are already set.
pub const LOWER: u64 = 0x2020_2020_2020_2020;

/// Mixes the bits of a number. It uses 32-bit multiplications with a rotation between them, because vector units take three times
/// as long for 64-bit multiplications.
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = x ^ x >> 29;
    let x = (u64::from(x as u32) * (K1 & 0xffff_ffff))
        ^ ((x >> 32) * (K2 & 0xffff_ffff))
        ^ x.rotate_left(32);
    let x = x ^ x >> 31;
    (u64::from(x as u32) * (K2 >> 32)) ^ ((x >> 32) * (K1 >> 32)) ^ x.rotate_left(32)
}

/// Puts a fingerprint into its slot. The upper bits choose the slot, and the slot keeps the smallest value of the middle bits.
#[inline]
pub fn put(fingerprint: u64, slots: &mut [u32; 128]) {
    let slot = &mut slots[(fingerprint >> 57) as usize];
    *slot = (*slot).min((fingerprint >> 16) as u32);
}

//! The AVX2 and AVX-512 implementations of `Lanes`. The generic code that scans a text is compiled again here for each of them,
//! inside functions that enable the instructions.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{
    blocks::{Manner, Spans, Stop, dispatch},
    lanes::{BLOCK, Lanes},
    portable::Portable,
    seek::{self, BLOCKS, Sought},
};
use crate::simd::{Avx2, Avx512};

pub(super) fn scan_avx2(
    proof: Avx2,
    text: &[u8],
    base: usize,
    manner: Manner,
    spans: &mut Spans,
) -> Stop {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run(proof: Avx2, text: &[u8], base: usize, manner: Manner, spans: &mut Spans) -> Stop {
        dispatch(proof, text, base, manner, spans)
    }
    // SAFETY: an `Avx2` value is created only after these instructions were detected.
    unsafe { run(proof, text, base, manner, spans) }
}

pub(super) fn scan_avx512(
    proof: Avx512,
    text: &[u8],
    base: usize,
    manner: Manner,
    spans: &mut Spans,
) -> Stop {
    #[target_feature(
        enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2"
    )]
    fn run(proof: Avx512, text: &[u8], base: usize, manner: Manner, spans: &mut Spans) -> Stop {
        dispatch(proof, text, base, manner, spans)
    }
    // SAFETY: an `Avx512` value is created only after these instructions were detected.
    unsafe { run(proof, text, base, manner, spans) }
}

pub(super) fn seek_avx2(
    proof: Avx2,
    text: &[u8],
    from: usize,
    sought: Sought,
    masks: &mut [u64; BLOCKS],
) -> usize {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run(
        proof: Avx2,
        text: &[u8],
        from: usize,
        sought: Sought,
        masks: &mut [u64; BLOCKS],
    ) -> usize {
        seek::run(proof, text, from, sought, masks)
    }
    // SAFETY: an `Avx2` value is created only after these instructions were detected.
    unsafe { run(proof, text, from, sought, masks) }
}

pub(super) fn seek_avx512(
    proof: Avx512,
    text: &[u8],
    from: usize,
    sought: Sought,
    masks: &mut [u64; BLOCKS],
) -> usize {
    #[target_feature(
        enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2"
    )]
    fn run(
        proof: Avx512,
        text: &[u8],
        from: usize,
        sought: Sought,
        masks: &mut [u64; BLOCKS],
    ) -> usize {
        seek::run(proof, text, from, sought, masks)
    }
    // SAFETY: an `Avx512` value is created only after these instructions were detected.
    unsafe { run(proof, text, from, sought, masks) }
}

impl Lanes for Avx2 {
    type Bytes = [__m256i; 2];
    type Mask = [__m256i; 2];

    #[inline(always)]
    fn load(self, from: &[u8; BLOCK]) -> Self::Bytes {
        let from = from.as_ptr();
        // SAFETY: the `Avx2` value shows that the processor has these instructions; 32 bytes from either offset are within the
        // 64, and the loads need no alignment.
        unsafe {
            [
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.add(32).cast()),
            ]
        }
    }

    #[inline(always)]
    fn foreign(self, bytes: Self::Bytes) -> u64 {
        self.bits(bytes)
    }

    #[inline(always)]
    fn words(self, bytes: Self::Bytes) -> u64 {
        // SAFETY: the `Avx2` value shows that the processor has these instructions.
        let small = unsafe { _mm256_set1_epi8(0x20) };
        let lower = self.or(bytes, [small; 2]);
        self.bits(self.or(
            self.within(lower, b'a', b'z'),
            self.within(bytes, b'0', b'9'),
        ))
    }

    #[inline(always)]
    fn within(self, bytes: Self::Bytes, low: u8, high: u8) -> Self::Mask {
        [
            within_avx2(self, bytes[0], low, high),
            within_avx2(self, bytes[1], low, high),
        ]
    }

    #[inline(always)]
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: the `Avx2` value shows that the processor has these instructions.
        unsafe { [_mm256_and_si256(a[0], b[0]), _mm256_and_si256(a[1], b[1])] }
    }

    #[inline(always)]
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: the `Avx2` value shows that the processor has these instructions.
        unsafe { [_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])] }
    }

    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u64 {
        // SAFETY: the `Avx2` value shows that the processor has these instructions.
        let (low, high) = unsafe {
            (
                _mm256_movemask_epi8(mask[0]) as u32,
                _mm256_movemask_epi8(mask[1]) as u32,
            )
        };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn places(self, mask: u64, base: u16, places: &mut [u16; BLOCK]) {
        Portable.places(mask, base, places);
    }
}

#[inline(always)]
fn within_avx2(_: Avx2, bytes: __m256i, low: u8, high: u8) -> __m256i {
    // SAFETY: the `Avx2` value shows that the processor has these instructions.
    unsafe {
        if low == high {
            return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(low as i8));
        }
        let above = _mm256_sub_epi8(bytes, _mm256_set1_epi8(low as i8));
        _mm256_cmpeq_epi8(
            _mm256_min_epu8(above, _mm256_set1_epi8((high - low) as i8)),
            above,
        )
    }
}

/// The highest bit of each entry says whether the ASCII byte is a letter or digit.
const WORDS: [u8; 128] = {
    let mut words = [0; 128];
    let mut byte = 0u8;
    while byte < 128 {
        words[byte as usize] = if byte.is_ascii_alphanumeric() {
            0x80
        } else {
            0
        };
        byte += 1;
    }
    words
};

const COUNT: [u8; BLOCK] = {
    let mut count = [0; BLOCK];
    let mut i = 0;
    while i < BLOCK {
        count[i] = i as u8;
        i += 1;
    }
    count
};

impl Lanes for Avx512 {
    type Bytes = __m512i;
    type Mask = u64;

    #[inline(always)]
    fn load(self, from: &[u8; BLOCK]) -> Self::Bytes {
        // SAFETY: the `Avx512` value shows that the processor has these instructions; there are 64 bytes, and the load needs no
        // alignment.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn foreign(self, bytes: Self::Bytes) -> u64 {
        // SAFETY: the `Avx512` value shows that the processor has these instructions.
        unsafe { _mm512_movepi8_mask(bytes) }
    }

    #[inline(always)]
    fn words(self, bytes: Self::Bytes) -> u64 {
        let (low, high) = WORDS.split_at(BLOCK);
        // SAFETY: the `Avx512` value shows that the processor has these instructions; either half of the table has 64 bytes. The
        // permutation uses a byte's lower seven bits.
        unsafe {
            let (low, high) = (
                _mm512_loadu_si512(low.as_ptr().cast()),
                _mm512_loadu_si512(high.as_ptr().cast()),
            );
            let words = _mm512_permutex2var_epi8(low, bytes, high);
            _mm512_movepi8_mask(_mm512_andnot_si512(bytes, words))
        }
    }

    #[inline(always)]
    fn within(self, bytes: Self::Bytes, low: u8, high: u8) -> Self::Mask {
        // SAFETY: the `Avx512` value shows that the processor has these instructions.
        unsafe {
            if low == high {
                return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(low as i8));
            }
            let above = _mm512_sub_epi8(bytes, _mm512_set1_epi8(low as i8));
            _mm512_cmple_epu8_mask(above, _mm512_set1_epi8((high - low) as i8))
        }
    }

    #[inline(always)]
    fn and(self, a: u64, b: u64) -> u64 {
        a & b
    }

    #[inline(always)]
    fn or(self, a: u64, b: u64) -> u64 {
        a | b
    }

    #[inline(always)]
    fn bits(self, mask: u64) -> u64 {
        mask
    }

    #[inline(always)]
    fn places(self, mask: u64, base: u16, places: &mut [u16; BLOCK]) {
        // SAFETY: the `Avx512` value shows that the processor has these instructions; `places` has space for two vectors of 32
        // places, which need no alignment.
        unsafe {
            let packed =
                _mm512_maskz_compress_epi8(mask, _mm512_loadu_si512(COUNT.as_ptr().cast()));
            let base = _mm512_set1_epi16(base as i16);
            let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(packed));
            _mm512_storeu_si512(places.as_mut_ptr().cast(), _mm512_add_epi16(low, base));
            if mask.count_ones() > 32 {
                let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(packed));
                _mm512_storeu_si512(
                    places.as_mut_ptr().add(32).cast(),
                    _mm512_add_epi16(high, base),
                );
            }
        }
    }
}

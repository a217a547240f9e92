//! The AVX2 and AVX-512 kernels. The AVX2 kernel is the portable code, compiled with the shift and mask instructions that came
//! with AVX2; the AVX-512 kernel hashes eight tokens in parallel.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{K1, hash};
use crate::{
    fingerprint::mix::x86::finish8,
    simd::{Avx2, Avx512},
};

pub(super) fn hash_places_avx2(
    _: Avx2,
    text: &[u8],
    starts: &[u16],
    ends: &[u16],
    hashes: &mut [u64],
) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run(text: &[u8], starts: &[u16], ends: &[u16], hashes: &mut [u64]) {
        super::hash_places(text, starts, ends, hashes);
    }
    // SAFETY: an `Avx2` value is created only after these instructions were detected.
    unsafe { run(text, starts, ends, hashes) }
}

pub(super) fn hash_places_avx512(
    _: Avx512,
    text: &[u8],
    starts: &[u16],
    ends: &[u16],
    hashes: &mut [u64],
) {
    // SAFETY: an `Avx512` value is created only after these instructions were detected.
    unsafe { run(text, starts, ends, hashes) }
}

/// Tokens that are hashed in parallel.
const EIGHT: usize = 8;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
fn run(text: &[u8], starts: &[u16], ends: &[u16], hashes: &mut [u64]) {
    let count = starts.len().min(ends.len()).min(hashes.len());
    let Some(last) = text.len().checked_sub(16) else {
        return super::hash_places(text, starts, ends, hashes);
    };
    let last = _mm512_set1_epi64(last as i64);
    let (all, one) = (_mm512_set1_epi64(-1), _mm512_set1_epi64(8));
    for at in (0..count).step_by(EIGHT) {
        let lanes = 0xff >> (EIGHT - (count - at).min(EIGHT)) as u32;
        // SAFETY: the lanes of the mask are the indices from `at` up to `count`, which are within all three lists; no alignment
        // is needed.
        let (start, end) = unsafe {
            let start = _mm_maskz_loadu_epi16(lanes, starts.as_ptr().add(at).cast());
            let end = _mm_maskz_loadu_epi16(lanes, ends.as_ptr().add(at).cast());
            (_mm512_cvtepu16_epi64(start), _mm512_cvtepu16_epi64(end))
        };
        let length = _mm512_sub_epi64(end, start);
        // `readable` marks the tokens for which 16 bytes can be read. `short` marks those of them that have at most 16 bytes.
        let readable = _mm512_mask_cmple_epu64_mask(lanes, start, last);
        let short = _mm512_mask_cmple_epu64_mask(readable, length, _mm512_set1_epi64(16));
        // SAFETY: only the lanes of `readable` are read; they begin at least 16 bytes before the end of the text.
        let (first, second) = unsafe {
            let (none, text) = (_mm512_setzero_si512(), text.as_ptr());
            let first = _mm512_mask_i64gather_epi64::<1>(none, readable, start, text.cast());
            (
                first,
                _mm512_mask_i64gather_epi64::<1>(none, readable, start, text.add(8).cast()),
            )
        };
        let bits = _mm512_slli_epi64::<3>(length);
        // A shift by 64 or more, or by a negative number, gives zeros.
        let out_of_first = _mm512_sllv_epi64(all, bits);
        let in_second = _mm512_srlv_epi64(all, _mm512_sub_epi64(_mm512_slli_epi64::<4>(one), bits));
        let first = _mm512_andnot_si512(out_of_first, lower(first));
        let second = _mm512_and_si512(in_second, lower(second));
        let product = _mm512_mullo_epi64(second, _mm512_set1_epi64(K1 as i64));
        let stepped = _mm512_xor_si512(product, _mm512_srli_epi64::<32>(product));
        let hash8 = finish8(_mm512_xor_si512(first, stepped));
        // SAFETY: as for the loads of `starts` and `ends`.
        unsafe { _mm512_mask_storeu_epi64(hashes.as_mut_ptr().add(at).cast(), short, hash8) };
        let mut others = lanes & !short;
        while others != 0 {
            let i = at + others.trailing_zeros() as usize;
            hashes[i] = hash::<true>(text, starts[i].into(), ends[i].into());
            others &= others - 1;
        }
    }
}

/// Like [`super::lower`].
#[inline]
#[target_feature(enable = "avx512f")]
fn lower(word: __m512i) -> __m512i {
    let small = _mm512_set1_epi8(0x20);
    // word | small & !(word >> 2)
    _mm512_ternarylogic_epi64::<0b1111_0100>(word, small, _mm512_srli_epi64::<2>(word))
}

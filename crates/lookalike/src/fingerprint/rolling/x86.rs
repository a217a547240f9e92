//! The AVX-512 kernel: eight windows in parallel, each summed from scratch. This takes k − 1 multiplications per eight windows,
//! and no window waits for the previous one.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::B;
use crate::{fingerprint::mix::x86::finish8, simd::Avx512};

/// The number of windows per vector, and the number of vectors that are processed together to hide the 15 cycles that a
/// multiplication takes.
const EIGHT: usize = 8;
const GROUP: usize = 4;

/// Fills `fingerprints` with the fingerprints of all windows of `k` tokens. The slice must have exactly one element for each
/// window.
pub(super) fn windows_avx512(_: Avx512, hashes: &[u64], k: usize, fingerprints: &mut [u64]) {
    assert!(k > 0 && fingerprints.len() + k == hashes.len() + 1);
    // SAFETY: an `Avx512` value is created only after these instructions were detected; the assertion above checks the lengths
    // that `run` requires.
    unsafe { run(hashes, k, fingerprints) }
}

/// # Safety
/// There must be k − 1 more hashes than fingerprints.
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn run(hashes: &[u64], k: usize, fingerprints: &mut [u64]) {
    let base = _mm512_set1_epi64(B as i64);
    let mut at = 0;
    while at + GROUP * EIGHT <= fingerprints.len() {
        // SAFETY: the last number that is read has the index `at + GROUP·EIGHT − 1 + k − 1` in `hashes`, and there are k − 1 more
        // hashes than fingerprints.
        let load = |v: usize, j: usize| unsafe {
            _mm512_loadu_si512(hashes.as_ptr().add(at + v * EIGHT + j).cast())
        };
        let mut sums = [load(0, 0), load(1, 0), load(2, 0), load(3, 0)];
        for j in 1..k {
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_epi64(_mm512_mullo_epi64(*sum, base), load(v, j));
            }
        }
        for (v, sum) in sums.into_iter().enumerate() {
            // SAFETY: the last number that is written has the index `at + GROUP·EIGHT − 1` in `fingerprints`.
            unsafe {
                _mm512_storeu_si512(
                    fingerprints.as_mut_ptr().add(at + v * EIGHT).cast(),
                    finish8(sum),
                )
            };
        }
        at += GROUP * EIGHT;
    }
    while at < fingerprints.len() {
        let lanes = 0xff >> (EIGHT - (fingerprints.len() - at).min(EIGHT)) as u32;
        // SAFETY: the lanes of the mask are the fingerprints from index `at` to the last, and there are k − 1 more hashes than
        // fingerprints.
        let load = |j: usize| unsafe {
            _mm512_maskz_loadu_epi64(lanes, hashes.as_ptr().add(at + j).cast())
        };
        let mut sum = load(0);
        for j in 1..k {
            sum = _mm512_add_epi64(_mm512_mullo_epi64(sum, base), load(j));
        }
        // SAFETY: the lanes of the mask are within `fingerprints`.
        unsafe {
            _mm512_mask_storeu_epi64(
                fingerprints.as_mut_ptr().add(at).cast(),
                lanes,
                finish8(sum),
            )
        };
        at += EIGHT;
    }
}

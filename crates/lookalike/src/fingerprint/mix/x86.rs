//! The mixers for eight numbers in parallel.

use std::arch::x86_64::*;

use super::{FINISH1, FINISH2};

/// Applies [`finish`](super::finish) to each number.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::fingerprint) fn finish8(h: __m512i) -> __m512i {
    let h = _mm512_xor_si512(h, _mm512_srli_epi64::<30>(h));
    let h = _mm512_mullo_epi64(h, _mm512_set1_epi64(FINISH1 as i64));
    let h = _mm512_xor_si512(h, _mm512_srli_epi64::<27>(h));
    let h = _mm512_mullo_epi64(h, _mm512_set1_epi64(FINISH2 as i64));
    _mm512_xor_si512(h, _mm512_srli_epi64::<31>(h))
}

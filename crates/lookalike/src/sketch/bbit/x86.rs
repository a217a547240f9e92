//! The plain code, made into AVX2 or AVX-512: the least that x86-64 has, SSE2, cannot multiply 32-bit numbers four at a time, and took 60
//! nanoseconds for what takes 5.
#![allow(unsafe_code)]

use super::{BITS_SLOTS, Bits, plain};
use crate::simd::{Avx2, Avx512};

pub(super) fn bits_avx2(_: Avx2, slots: &[u32; BITS_SLOTS]) -> Bits {
    #[target_feature(enable = "avx2")]
    fn run(slots: &[u32; BITS_SLOTS]) -> Bits {
        plain(slots)
    }
    // SAFETY: a proof exists only where these instructions were seen.
    unsafe { run(slots) }
}

pub(super) fn bits_avx512(_: Avx512, slots: &[u32; BITS_SLOTS]) -> Bits {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn run(slots: &[u32; BITS_SLOTS]) -> Bits {
        plain(slots)
    }
    // SAFETY: a proof exists only where these instructions were seen.
    unsafe { run(slots) }
}

//! The portable code, compiled for AVX2 and AVX-512. SSE2, the baseline of x86-64, cannot multiply 32-bit numbers four at a time:
//! to turn 128 slots into bytes, this code takes 60 nanoseconds with SSE2, and 5 with these kernels.
#![allow(unsafe_code)]

use super::{BITS_SLOTS, Bits, plain};
use crate::simd::{Avx2, Avx512};

pub(super) fn bits_avx2(_: Avx2, slots: &[u32; BITS_SLOTS]) -> Bits {
    #[target_feature(enable = "avx2")]
    fn run(slots: &[u32; BITS_SLOTS]) -> Bits {
        plain(slots)
    }
    // SAFETY: an `Avx2` value is created only after these instructions were detected.
    unsafe { run(slots) }
}

pub(super) fn bits_avx512(_: Avx512, slots: &[u32; BITS_SLOTS]) -> Bits {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn run(slots: &[u32; BITS_SLOTS]) -> Bits {
        plain(slots)
    }
    // SAFETY: an `Avx512` value is created only after these instructions were detected.
    unsafe { run(slots) }
}

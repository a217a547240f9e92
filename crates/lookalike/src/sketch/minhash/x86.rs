//! AVX2 and AVX-512 kernels, chosen at run time. The one place with `unsafe`.
//!
//! A group of slots stays in registers, minima, multipliers and addends, while all fingerprints pass by. The multiplication
//! is the limit (two operations for 16 lanes on AVX-512); a group of four vectors hides its latency of ten cycles.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{LANES, portable};

/// Vectors of slots that are worked on together; what is left over goes one by one.
const GROUP: usize = 4;

macro_rules! kernel {
    ($name:ident, $feature:tt, $lanes:literal, $vector:ty, $load:ident, $store:ident, $set:ident, $mul:ident, $add:ident, $min:ident) => {
        #[doc = concat!("Proof that this machine has ", $feature, ".")]
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $name(());

        impl $name {
            pub(super) fn new() -> Option<Self> {
                is_x86_feature_detected!($feature).then_some(Self(()))
            }

            pub(super) fn update(self, fingerprints: &[u64], multipliers: &[u32], addends: &[u32], minima: &mut [u32]) {
                // SAFETY: a value of this type exists only where `new` has seen the feature.
                unsafe { Self::run(fingerprints, multipliers, addends, minima) }
            }

            /// The least value of one slot: plain code, whose lanes are fingerprints.
            pub(super) fn least(self, fingerprints: &[u64], multiplier: u32, addend: u32) -> u32 {
                #[target_feature(enable = $feature)]
                fn run(fingerprints: &[u64], multiplier: u32, addend: u32) -> u32 {
                    portable::least(fingerprints, multiplier, addend)
                }
                // SAFETY: as above.
                unsafe { run(fingerprints, multiplier, addend) }
            }

            #[target_feature(enable = $feature)]
            fn run(fingerprints: &[u64], multipliers: &[u32], addends: &[u32], minima: &mut [u32]) {
                const { assert!(LANES.is_multiple_of($lanes)) };
                let whole = minima.len() - minima.len() % (GROUP * $lanes);
                let (minima, rest) = minima.split_at_mut(whole);
                Self::groups::<GROUP>(fingerprints, multipliers, addends, minima);
                Self::groups::<1>(fingerprints, &multipliers[whole..], &addends[whole..], rest);
            }

            #[target_feature(enable = $feature)]
            fn groups<const VECTORS: usize>(fingerprints: &[u64], multipliers: &[u32], addends: &[u32], minima: &mut [u32]) {
                let slots = VECTORS * $lanes;
                let groups = minima.chunks_exact_mut(slots).zip(multipliers.chunks_exact(slots)).zip(addends.chunks_exact(slots));
                for ((minima, multipliers), addends) in groups {
                    // SAFETY: each of the three chunks has VECTORS vectors of numbers; loads and stores need no alignment.
                    let load = |from: &[u32], v: usize| unsafe { $load(from.as_ptr().add(v * $lanes).cast()) };
                    let (mut m, mut a, mut b) = ([$set(0); VECTORS], [$set(0); VECTORS], [$set(0); VECTORS]);
                    for v in 0..VECTORS {
                        (m[v], a[v], b[v]) = (load(minima, v), load(multipliers, v), load(addends, v));
                    }
                    for &fingerprint in fingerprints {
                        let x: $vector = $set((fingerprint >> 32) as i32);
                        for v in 0..VECTORS {
                            m[v] = $min(m[v], $add($mul(a[v], x), b[v]));
                        }
                    }
                    for (v, m) in m.into_iter().enumerate() {
                        // SAFETY: as for the loads.
                        unsafe { $store(minima.as_mut_ptr().add(v * $lanes).cast(), m) };
                    }
                }
            }
        }
    };
}

kernel!(
    Avx2,
    "avx2",
    8,
    __m256i,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_set1_epi32,
    _mm256_mullo_epi32,
    _mm256_add_epi32,
    _mm256_min_epu32
);
kernel!(
    Avx512,
    "avx512f",
    16,
    __m512i,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi32,
    _mm512_mullo_epi32,
    _mm512_add_epi32,
    _mm512_min_epu32
);

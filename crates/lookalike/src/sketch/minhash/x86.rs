//! The AVX2 and AVX-512 kernels, chosen at run time. This is the only file of the folder with `unsafe`.
//!
//! The minima, multipliers and addends of a group of slots stay in registers while all fingerprints are processed. The
//! multiplication is the bottleneck (two operations for 16 lanes on AVX-512); a group of four vectors hides its latency of ten
//! cycles.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{FEW, LANES, portable};

/// The number of vectors of slots that are processed together. Any remaining vectors are processed one by one.
const GROUP: usize = 4;

macro_rules! kernel {
    ($name:ident, $feature:tt, [$($each:tt),+], $lanes:literal, $vector:ty, $load:ident, $store:ident, $set:ident, $mul:ident, $add:ident, $min:ident) => {
        #[doc = concat!("Proof that this machine has ", $feature, ".")]
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $name(());

        impl $name {
            pub(super) fn new() -> Option<Self> {
                ($(is_x86_feature_detected!($each))&&+).then_some(Self(()))
            }

            pub(super) fn update(self, fingerprints: &[u64], multipliers: &[u32], addends: &[u32], minima: &mut [u32]) {
                // SAFETY: a value of this type exists only if `new` detected the features.
                unsafe { Self::run(fingerprints, multipliers, addends, minima) }
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
    ["avx2"],
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
    "avx512f,popcnt",
    ["avx512f", "popcnt"],
    16,
    __m512i,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi32,
    _mm512_mullo_epi32,
    _mm512_add_epi32,
    _mm512_min_epu32
);

impl Avx2 {
    /// Returns the smallest value of one slot. This is the portable code; when it is compiled for AVX2, each lane processes a
    /// different fingerprint.
    pub(super) fn least(self, fingerprints: &[u64], multiplier: u32, addend: u32) -> u32 {
        #[target_feature(enable = "avx2")]
        fn run(fingerprints: &[u64], multiplier: u32, addend: u32) -> u32 {
            portable::least(fingerprints, multiplier, addend)
        }
        // SAFETY: a value of this type exists only if `new` detected the feature.
        unsafe { run(fingerprints, multiplier, addend) }
    }
}

/// The number of slots per step: each step gathers the empty ones among them.
const SPAN: usize = 128;

impl Avx512 {
    /// Fills each slot that is still `u32::MAX` with its smallest value. Compress and expand instructions gather the empty slots'
    /// coefficients and scatter their minima. This takes a quarter of the time of gathering and scattering one number at a time.
    pub(super) fn fill(
        self,
        fingerprints: &[u64],
        multipliers: &[u32],
        addends: &[u32],
        minima: &mut [u32],
    ) {
        let spans = minima
            .chunks_mut(SPAN)
            .zip(multipliers.chunks(SPAN))
            .zip(addends.chunks(SPAN));
        for ((minima, multipliers), addends) in spans {
            assert!(minima.len().next_multiple_of(LANES) <= multipliers.len().min(addends.len()));
            // SAFETY: a value of this type exists only if `new` detected the features; the chunks have the lengths that
            // `fill_span` requires, as the assertion checks.
            unsafe { Self::fill_span(fingerprints, multipliers, addends, minima) }
        }
    }

    /// # Safety
    /// There must be at most [`SPAN`] minima, and a whole vector of coefficients for each vector of minima, even if the last
    /// vector of minima is incomplete.
    #[target_feature(enable = "avx512f,popcnt")]
    unsafe fn fill_span(
        fingerprints: &[u64],
        multipliers: &[u32],
        addends: &[u32],
        minima: &mut [u32],
    ) {
        // The arrays are padded, because a whole vector may be stored or loaded at the last place.
        let (mut a, mut b, mut least) = (
            [0; SPAN + LANES],
            [0; SPAN + LANES],
            [u32::MAX; SPAN + LANES],
        );
        let slots = minima.len();
        let lanes_of =
            |v: usize| (0xffff_u32 >> (LANES - (slots - v * LANES).min(LANES))) as __mmask16;
        let mut empty = [0; SPAN / LANES];
        let (vectors, mut count) = (slots.div_ceil(LANES), 0);
        for (v, empty) in empty.iter_mut().enumerate().take(vectors) {
            let at = v * LANES;
            // SAFETY: only existing lanes of the minima are loaded, and the coefficients have whole vectors. `count` is at most
            // the number of slots visited so far, so each store ends within the arrays.
            unsafe {
                let kept = _mm512_maskz_loadu_epi32(lanes_of(v), minima.as_ptr().add(at).cast());
                *empty = _mm512_mask_cmpeq_epi32_mask(lanes_of(v), kept, _mm512_set1_epi32(-1));
                let together = |from: &[u32]| {
                    _mm512_maskz_compress_epi32(
                        *empty,
                        _mm512_loadu_si512(from.as_ptr().add(at).cast()),
                    )
                };
                _mm512_storeu_si512(a.as_mut_ptr().add(count).cast(), together(multipliers));
                _mm512_storeu_si512(b.as_mut_ptr().add(count).cast(), together(addends));
            }
            count += empty.count_ones() as usize;
        }
        if count <= FEW {
            for ((least, &a), &b) in least.iter_mut().zip(&a).zip(&b).take(count) {
                *least = portable::least(fingerprints, a, b);
            }
        } else {
            let lanes = count.next_multiple_of(LANES);
            Self::run(fingerprints, &a[..lanes], &b[..lanes], &mut least[..lanes]);
        }
        let mut at = 0;
        for (v, &empty) in empty.iter().enumerate().take(vectors) {
            let place = minima.as_mut_ptr().wrapping_add(v * LANES);
            // SAFETY: only existing lanes of the minima are loaded and stored; `at` is at most SPAN, so a vector that begins
            // there is within `least`.
            unsafe {
                let kept = _mm512_maskz_loadu_epi32(lanes_of(v), place.cast());
                let filled = _mm512_mask_expand_epi32(
                    kept,
                    empty,
                    _mm512_loadu_si512(least.as_ptr().add(at).cast()),
                );
                _mm512_mask_storeu_epi32(place.cast(), lanes_of(v), filled);
            }
            at += empty.count_ones() as usize;
        }
    }
}

//! The AVX2 and AVX-512 steps. There are eight sums: AVX2 keeps them in two vectors, and AVX-512 keeps them in one.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{
    Digest,
    portable::{STRIPE, Steps, long},
};
use crate::simd::{Avx2, Avx512};

pub(super) fn long_avx2(proof: Avx2, numbers: &[u64]) -> Digest {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run(proof: Avx2, numbers: &[u64]) -> Digest {
        long(proof, numbers)
    }
    // SAFETY: an `Avx2` value is created only after these instructions were detected.
    unsafe { run(proof, numbers) }
}

pub(super) fn long_avx512(proof: Avx512, numbers: &[u64]) -> Digest {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512dq")]
    fn run(proof: Avx512, numbers: &[u64]) -> Digest {
        long(proof, numbers)
    }
    // SAFETY: an `Avx512` value is created only after these instructions were detected.
    unsafe { run(proof, numbers) }
}

#[inline(always)]
fn load2(_: Avx2, numbers: &[u64; STRIPE]) -> [__m256i; 2] {
    let numbers = numbers.as_ptr();
    // SAFETY: the `Avx2` value shows that the processor has these instructions; each load reads four of the eight numbers (those
    // from index 0 or those from index 4), and needs no alignment.
    unsafe {
        [
            _mm256_loadu_si256(numbers.cast()),
            _mm256_loadu_si256(numbers.add(4).cast()),
        ]
    }
}

#[inline(always)]
fn add_avx2(_: Avx2, sums: __m256i, stripe: __m256i, keys: __m256i) -> __m256i {
    // SAFETY: the `Avx2` value shows that the processor has these instructions.
    unsafe {
        let keyed = _mm256_xor_si256(stripe, keys);
        let product = _mm256_mul_epu32(keyed, _mm256_srli_epi64::<32>(keyed));
        let swapped = _mm256_shuffle_epi32::<0b01_00_11_10>(stripe);
        _mm256_add_epi64(sums, _mm256_add_epi64(product, swapped))
    }
}

#[inline(always)]
fn scramble_avx2(_: Avx2, sums: __m256i, keys: __m256i, prime: u64) -> __m256i {
    // SAFETY: the `Avx2` value shows that the processor has these instructions.
    unsafe {
        let mixed = _mm256_xor_si256(_mm256_xor_si256(sums, _mm256_srli_epi64::<47>(sums)), keys);
        let prime = _mm256_set1_epi64x(prime as i64);
        let low = _mm256_mul_epu32(mixed, prime);
        let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(mixed), prime);
        _mm256_add_epi64(low, _mm256_slli_epi64::<32>(high))
    }
}

impl Steps for Avx2 {
    type Sums = [__m256i; 2];

    #[inline(always)]
    fn sums(self, numbers: [u64; STRIPE]) -> Self::Sums {
        load2(self, &numbers)
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, stripe: &[u64; STRIPE], keys: &[u64; STRIPE]) -> Self::Sums {
        let (stripe, keys) = (load2(self, stripe), load2(self, keys));
        [
            add_avx2(self, sums[0], stripe[0], keys[0]),
            add_avx2(self, sums[1], stripe[1], keys[1]),
        ]
    }

    #[inline(always)]
    fn scramble(self, sums: Self::Sums, keys: &[u64; STRIPE], prime: u64) -> Self::Sums {
        let keys = load2(self, keys);
        [
            scramble_avx2(self, sums[0], keys[0], prime),
            scramble_avx2(self, sums[1], keys[1], prime),
        ]
    }

    #[inline(always)]
    fn numbers(self, sums: Self::Sums) -> [u64; STRIPE] {
        let mut numbers = [0; STRIPE];
        let to = numbers.as_mut_ptr();
        // SAFETY: the `Avx2` value shows that the processor has these instructions; each store writes four of the eight numbers
        // (those from index 0 or those from index 4).
        unsafe {
            _mm256_storeu_si256(to.cast(), sums[0]);
            _mm256_storeu_si256(to.add(4).cast(), sums[1]);
        }
        numbers
    }
}

#[inline(always)]
fn load(_: Avx512, numbers: &[u64; STRIPE]) -> __m512i {
    // SAFETY: the `Avx512` value shows that the processor has these instructions; there are eight numbers, and the load needs no
    // alignment.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

impl Steps for Avx512 {
    type Sums = __m512i;

    #[inline(always)]
    fn sums(self, numbers: [u64; STRIPE]) -> Self::Sums {
        load(self, &numbers)
    }

    #[inline(always)]
    fn add(self, sums: Self::Sums, stripe: &[u64; STRIPE], keys: &[u64; STRIPE]) -> Self::Sums {
        let (stripe, keys) = (load(self, stripe), load(self, keys));
        // SAFETY: the `Avx512` value shows that the processor has these instructions.
        unsafe {
            let keyed = _mm512_xor_si512(stripe, keys);
            let product = _mm512_mul_epu32(keyed, _mm512_srli_epi64::<32>(keyed));
            let swapped = _mm512_shuffle_epi32::<0b01_00_11_10>(stripe);
            _mm512_add_epi64(sums, _mm512_add_epi64(product, swapped))
        }
    }

    #[inline(always)]
    fn scramble(self, sums: Self::Sums, keys: &[u64; STRIPE], prime: u64) -> Self::Sums {
        // SAFETY: the `Avx512` value shows that the processor has these instructions.
        unsafe {
            let mixed = _mm512_xor_si512(
                _mm512_xor_si512(sums, _mm512_srli_epi64::<47>(sums)),
                load(self, keys),
            );
            _mm512_mullo_epi64(mixed, _mm512_set1_epi64(prime as i64))
        }
    }

    #[inline(always)]
    fn numbers(self, sums: Self::Sums) -> [u64; STRIPE] {
        let mut numbers = [0; STRIPE];
        // SAFETY: the `Avx512` value shows that the processor has these instructions; `numbers` has space for eight numbers.
        unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), sums) };
        numbers
    }
}

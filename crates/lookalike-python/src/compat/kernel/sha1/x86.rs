//! Computes the SHA-1 of sixteen blocks, one per token, with AVX-512, or of eight blocks twice with AVX2.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{INITIAL, Words};

/// Unrolls the rounds. A loop would read the words from memory, which takes twice as long.
macro_rules! each {
    ($round:ident, $k:ident, $f:ident, $($t:literal)+) => {
        $($round!($k, $f, $t);)+
    };
}

/// Runs the 80 rounds over one block per lane and returns the first two words of the digests. The arguments are the vector
/// operations to use.
macro_rules! digest {
    ($w:ident; $set:ident, $add:ident, $xor:ident, $left:ident, $choose:ident, $parity:ident, $majority:ident) => {{
        let mut w = $w;
        let initial = INITIAL.map(|word| $set(word as i32));
        let [mut a, mut b, mut c, mut d, mut e] = initial;
        macro_rules! round {
            ($k:ident, $f:ident, $t:literal) => {
                if $t >= 16 {
                    let mixed = $xor($xor(w[($t + 13) % 16], w[($t + 8) % 16]), $xor(w[($t + 2) % 16], w[$t % 16]));
                    w[$t % 16] = $left!(mixed, 1);
                }
                let word = $add(w[$t % 16], $k);
                let next = $add($add($left!(a, 5), $f!(b, c, d)), $add(e, word));
                (a, b, c, d, e) = (next, a, $left!(b, 30), c, d);
            };
        }
        let [k0, k1, k2, k3] = [0x5a82_7999u32, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6].map(|k| $set(k as i32));
        each!(round, k0, $choose, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        each!(round, k1, $parity, 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
        each!(round, k2, $majority, 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59);
        each!(round, k3, $parity, 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79);
        let _ = (c, d, e);
        [$add(a, initial[0]), $add(b, initial[1])]
    }};
}

/// Proof that the processor supports AVX-512.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

impl Avx512 {
    pub fn new() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }

    #[inline]
    pub fn sixteen(self, block: &[Words; 16]) -> [Words; 2] {
        // SAFETY: a value of this type proves that the processor supports AVX-512.
        unsafe { avx512(block) }
    }
}

/// Proof that the processor supports AVX2.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

impl Avx2 {
    pub fn new() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    #[inline]
    pub fn sixteen(self, block: &[Words; 16]) -> [Words; 2] {
        // SAFETY: a value of this type proves that the processor supports AVX2.
        unsafe { avx2(block) }
    }
}

macro_rules! left512 {
    ($x:expr, $n:literal) => {
        _mm512_rol_epi32::<$n>($x)
    };
}

macro_rules! choose512 {
    ($b:expr, $c:expr, $d:expr) => {
        _mm512_ternarylogic_epi32::<0xca>($b, $c, $d)
    };
}

macro_rules! parity512 {
    ($b:expr, $c:expr, $d:expr) => {
        _mm512_ternarylogic_epi32::<0x96>($b, $c, $d)
    };
}

macro_rules! majority512 {
    ($b:expr, $c:expr, $d:expr) => {
        _mm512_ternarylogic_epi32::<0xe8>($b, $c, $d)
    };
}

#[target_feature(enable = "avx512f")]
fn avx512(block: &[Words; 16]) -> [Words; 2] {
    // SAFETY: sixteen 32-bit integers have the size of one vector, and every bit pattern is valid.
    let w: [__m512i; 16] = unsafe { std::mem::transmute(*block) };
    let digest = digest!(w; _mm512_set1_epi32, _mm512_add_epi32, _mm512_xor_si512, left512, choose512, parity512, majority512);
    // SAFETY: as above.
    unsafe { std::mem::transmute(digest) }
}

macro_rules! left256 {
    ($x:expr, $n:literal) => {
        _mm256_or_si256(
            _mm256_slli_epi32::<$n>($x),
            _mm256_srli_epi32::<{ 32 - $n }>($x),
        )
    };
}

macro_rules! choose256 {
    ($b:expr, $c:expr, $d:expr) => {
        _mm256_xor_si256($d, _mm256_and_si256($b, _mm256_xor_si256($c, $d)))
    };
}

macro_rules! parity256 {
    ($b:expr, $c:expr, $d:expr) => {
        _mm256_xor_si256($b, _mm256_xor_si256($c, $d))
    };
}

macro_rules! majority256 {
    ($b:expr, $c:expr, $d:expr) => {
        _mm256_or_si256(
            _mm256_and_si256($b, $c),
            _mm256_and_si256($d, _mm256_or_si256($b, $c)),
        )
    };
}

#[target_feature(enable = "avx2")]
fn avx2(block: &[Words; 16]) -> [Words; 2] {
    // SAFETY: eight 32-bit integers have the size of one vector, and every bit pattern is valid.
    let halves: [[__m256i; 2]; 16] = unsafe { std::mem::transmute(*block) };
    let half = |half: usize| {
        let w = halves.map(|words| words[half]);
        digest!(w; _mm256_set1_epi32, _mm256_add_epi32, _mm256_xor_si256, left256, choose256, parity256, majority256)
    };
    let [[a, b], [c, d]] = [half(0), half(1)];
    // SAFETY: as above.
    unsafe { std::mem::transmute([[a, c], [b, d]]) }
}

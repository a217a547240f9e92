//! The carry-less multiplication kernel (PCLMULQDQ), chosen at run time. This is the only file of the folder with `unsafe`.
//!
//! Between steps, the residue is not fully reduced: it is kept as a congruent polynomial of 128 bits. Multiplying this polynomial
//! by x⁶⁴ takes two independent multiplications, by x⁶⁴ and x¹²⁸ mod M. So a step waits for one multiplication, while a full
//! reduction would make it wait for two. Each window also needs a (Barrett) reduction, but no later step waits for it. Reducing
//! at each step was tried, and is half as fast.
#![allow(unsafe_code)]

use std::{arch::x86_64::*, mem};

use super::{modulus::Modulus, window::Window};

/// The constants of a modulus. A value also proves that this machine has PCLMULQDQ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clmul {
    /// x⁶⁴ and x¹²⁸ mod M.
    fold: [u64; 2],
    /// ⌊x¹²⁸ / M⌋ and M, each without its leading term.
    barrett: [u64; 2],
    /// xˢ mod M. Multiplying a unit by this constant shifts the unit by s bits, which aligns it with the residue.
    align: u64,
}

impl Clmul {
    pub(super) fn new(modulus: Modulus, shift: u32) -> Option<Self> {
        is_x86_feature_detected!("pclmulqdq").then(|| {
            let (mut quotient, mut rest) = (0, modulus.low());
            for _ in 0..64 {
                quotient = quotient << 1 | rest >> 63;
                rest = modulus.times_x(rest);
            }
            let align = if shift == 64 {
                modulus.low()
            } else {
                1 << shift
            };
            Self {
                fold: [modulus.low(), rest],
                barrett: [quotient, modulus.low()],
                align,
            }
        })
    }

    /// Returns V mod M.
    pub(super) fn reduce(&self, v: u128) -> u64 {
        // SAFETY: a value of this type exists only if `new` detected the feature.
        unsafe { self.reduced(both(v as u64, (v >> 64) as u64)) }
    }

    pub(super) fn append(&self, residue: u64, units: impl Iterator<Item = u64>) -> u64 {
        // SAFETY: as above.
        unsafe { self.append_units(residue, units) }
    }

    pub(super) fn roll(&self, window: Window, units: &mut [u64]) {
        // SAFETY: as above.
        unsafe { self.roll_units(window, units) }
    }

    /// Reduces modulo M by Barrett's method, which is exact over GF(2): the quotient is hi + ⌊hi·⌊x¹²⁸/M⌋ / x⁶⁴⌋.
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn reduced(&self, v: __m128i) -> u64 {
        let barrett = both(self.barrett[0], self.barrett[1]);
        let quotient = _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(v, barrett), v);
        _mm_cvtsi128_si64(_mm_xor_si128(
            _mm_clmulepi64_si128::<0x11>(quotient, barrett),
            v,
        )) as u64
    }

    /// Returns a polynomial of 128 bits that is congruent to v·x⁶⁴.
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn times_x64(&self, v: __m128i) -> __m128i {
        let fold = both(self.fold[0], self.fold[1]);
        _mm_xor_si128(
            _mm_clmulepi64_si128::<0x00>(v, fold),
            _mm_clmulepi64_si128::<0x11>(v, fold),
        )
    }

    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn append_units(&self, residue: u64, units: impl Iterator<Item = u64>) -> u64 {
        let mut v = both(residue, 0);
        for unit in units {
            v = _mm_xor_si128(self.times_x64(v), product(unit, self.align));
        }
        self.reduced(v)
    }

    #[target_feature(enable = "pclmulqdq")]
    fn roll_units(&self, window: Window, units: &mut [u64]) {
        let (k, mut v) = (window.k, both(window.first, 0));
        for i in 0..units.len() - k {
            let leaving = mem::replace(&mut units[i], window.fingerprint(self.reduced(v)));
            let change = _mm_xor_si128(
                product(units[i + k], self.align),
                product(leaving, window.one),
            );
            v = _mm_xor_si128(self.times_x64(v), change);
        }
        units[units.len() - k] = window.fingerprint(self.reduced(v));
    }
}

#[inline]
#[target_feature(enable = "pclmulqdq")]
fn both(low: u64, high: u64) -> __m128i {
    _mm_set_epi64x(high as i64, low as i64)
}

#[inline]
#[target_feature(enable = "pclmulqdq")]
fn product(a: u64, b: u64) -> __m128i {
    _mm_clmulepi64_si128::<0x00>(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64))
}

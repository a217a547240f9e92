//! The modulus that the kernels use: its degree is 64, whatever the degree of P.

use super::polynomial::Polynomial;

/// The modulus M = P·x⁶⁴⁻ˡ, where l is the degree of P; the leading term of M is not stored. A residue modulo P is kept in the
/// upper l bits of a word and shifted down at the end. This is possible because V·x⁶⁴⁻ˡ mod M = (V mod P)·x⁶⁴⁻ˡ for any
/// polynomial V. So no kernel needs to know l.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modulus(u64);

impl Modulus {
    pub(super) fn new(polynomial: Polynomial) -> Self {
        // The leading term, x⁶⁴, is shifted out of the word.
        Self((polynomial.coefficients() << (64 - polynomial.degree())) as u64)
    }

    /// Returns x⁶⁴ mod M.
    pub(super) fn low(self) -> u64 {
        self.0
    }

    /// Returns v·x mod M.
    pub(super) fn times_x(self, v: u64) -> u64 {
        v << 1 ^ (self.0 & (v >> 63).wrapping_neg())
    }
}

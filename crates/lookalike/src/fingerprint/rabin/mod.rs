//! Rabin's fingerprints (Rabin 1981; Broder 1993, *Some applications of Rabin's fingerprinting method*; Broder 1997,
//! sections 4.1 and 4.3).
//!
//! A string is a polynomial over GF(2), a leading 1 bit and then its bits, and its fingerprint is the residue modulo a random
//! irreducible polynomial P of degree l. What the default fingerprint lacks and this has: a bound on collisions that holds for
//! any two strings, even an adversary's (see [`collision_bound`](super::collision_bound)).
//!
//! Measured on a Xeon (Sapphire Rapids), texts of 600 words: the window slides in 2.0 ns a unit by carry-less
//! multiplication and in 6.0 ns by tables, which also take 0.5 µs a text to fill; so the former is used wherever there is any.
//! Cutting the text into units takes 1.6 ns each in front of that; the default fingerprint takes 3.3 ns a word in all.

mod polynomial;

mod modulus;

mod window;

mod portable;

#[cfg(target_arch = "x86_64")]
mod x86;

use std::iter;

pub use self::polynomial::Polynomial;
use self::{modulus::Modulus, polynomial::MAX_DEGREE, window::Window};
use crate::{
    error::{ErrorKind, Result},
    shingle::Shingling,
    text::Tokens,
};

/// The least degree of a fingerprint: a shorter one tells too few shingles apart to be of use.
const MIN_DEGREE: u32 = 16;

/// What stands behind a string before it is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nulls {
    /// l zero bits: the polynomial is multiplied by xˡ (Broder 1997, section 4.1), so strings that differ in their last
    /// letter differ in about half of the bits. Costs nothing.
    #[default]
    Appended,
    /// Nothing: the residue of the string itself. Strings that differ in the last letter alone differ in its bits alone.
    None,
}

/// A fingerprint function: l bits from any string, by a random irreducible polynomial of degree l. The same degree and seed
/// give the same function on every machine, whatever its kernel.
///
/// Fingerprints lie below 2ˡ, and what two of them differ by is a linear function of what their strings differ by. So they are
/// ids and not yet random numbers: a sketch is to sample their images under a random permutation (Broder 1997,
/// section 4.1).
#[derive(Debug, Clone)]
pub struct Rabin {
    polynomial: Polynomial,
    nulls: Nulls,
    /// The residue of the leading 1 bit alone, which every string begins with.
    leading: u64,
    kernel: Kernel,
}

/// The code that does the work; all give the same bits.
#[derive(Debug, Clone)]
enum Kernel {
    Portable(portable::Portable),
    #[cfg(target_arch = "x86_64")]
    Clmul(x86::Clmul),
}

impl Kernel {
    fn detect(modulus: Modulus, shift: u32) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = x86::Clmul::new(modulus, shift).filter(|_| !cfg!(feature = "portable")) {
            return Self::Clmul(kernel);
        }
        Self::Portable(portable::Portable::new(modulus, shift))
    }

    fn reduce(&self, v: u128) -> u64 {
        match self {
            Self::Portable(kernel) => kernel.reduce(v),
            #[cfg(target_arch = "x86_64")]
            Self::Clmul(kernel) => kernel.reduce(v),
        }
    }

    fn append(&self, residue: u64, units: impl Iterator<Item = u64>) -> u64 {
        match self {
            Self::Portable(kernel) => kernel.append(residue, units),
            #[cfg(target_arch = "x86_64")]
            Self::Clmul(kernel) => kernel.append(residue, units),
        }
    }

    fn roll(&self, window: Window, units: &mut [u64]) {
        match self {
            Self::Portable(kernel) => kernel.roll(window, units),
            #[cfg(target_arch = "x86_64")]
            Self::Clmul(kernel) => kernel.roll(window, units),
        }
    }
}

impl Rabin {
    /// The function of a degree l and a seed, with nulls appended. Cost: drawing the polynomial, about 60 µs at degree 64.
    ///
    /// # Errors
    /// When the degree is not 16 to 64.
    pub fn new(degree: u32, seed: u64) -> Result<Self> {
        Self::check(degree)?;
        Ok(Self::of(Polynomial::irreducible(degree, seed)?, Nulls::default()))
    }

    /// Whether a degree can be asked for.
    ///
    /// # Errors
    /// When it is not 16 to 64.
    pub fn check(degree: u32) -> Result<()> {
        match (MIN_DEGREE..=MAX_DEGREE).contains(&degree) {
            true => Ok(()),
            false => Err(ErrorKind::Degree { degree, min: MIN_DEGREE, max: MAX_DEGREE }.into()),
        }
    }

    /// The function of the same polynomial with other nulls.
    pub fn with(self, nulls: Nulls) -> Self {
        Self::of(self.polynomial, nulls)
    }

    fn of(polynomial: Polynomial, nulls: Nulls) -> Self {
        let shift = shift(polynomial, nulls);
        let kernel = Kernel::detect(Modulus::new(polynomial), shift);
        Self { polynomial, nulls, leading: kernel.reduce(1 << shift), kernel }
    }

    /// The degree l: fingerprints are below 2ˡ.
    pub fn degree(&self) -> u32 {
        self.polynomial.degree()
    }

    /// The polynomial P.
    pub fn polynomial(&self) -> Polynomial {
        self.polynomial
    }

    /// What stands behind a string.
    pub fn nulls(&self) -> Nulls {
        self.nulls
    }

    /// The fingerprint of a byte string, first byte and highest bit first: (1 ++ string) mod P, or (1 ++ string)·xˡ mod P with
    /// nulls. Frozen. The leading 1 makes zeros at the front count.
    pub fn fingerprint(&self, string: &[u8]) -> u64 {
        let shift = shift(self.polynomial, self.nulls);
        let (units, tail) = string.as_chunks();
        let residue = self.kernel.append(self.leading, units.iter().map(|unit| u64::from_be_bytes(*unit)));
        let last = tail.iter().fold(0, |last, &byte| last << 8 | u128::from(byte));
        let residue = self.kernel.reduce(u128::from(residue) << (8 * tail.len()) ^ last << shift);
        residue >> (MAX_DEGREE - self.degree())
    }

    /// Fills `fingerprints` with one number for each window of k *units*, repeats among them (Broder 1997, section 4.3). Frozen.
    ///
    /// A unit is the paper's word: a token padded with NULs to eight bytes, a longer token being several units, each of eight
    /// bytes but the last. So the window has a fixed width in bytes, and slides at a cost that does not depend on k; and a text
    /// with long words has more shingles than by [`fingerprints`](super::fingerprints). The fingerprint of a shingle is
    /// [`fingerprint`](Self::fingerprint) of its units' bytes. A text of 1 to k − 1 units has one shingle, the whole; an empty
    /// one has none.
    pub fn shingles(&self, tokens: &Tokens, shingling: Shingling, fingerprints: &mut Vec<u64>) {
        // The units are dealt out in the answer's own room, and each makes way for the window that it opens.
        window::fill_units(tokens, fingerprints);
        let k = shingling.k().min(fingerprints.len());
        if k == 0 {
            return;
        }
        let window = Window {
            k,
            one: self.kernel.append(self.leading, iter::repeat_n(0, k)),
            first: self.kernel.append(0, fingerprints[..k].iter().copied()),
            spare: MAX_DEGREE - self.degree(),
        };
        self.kernel.roll(window, fingerprints);
        fingerprints.truncate(fingerprints.len() - k + 1);
    }
}

/// By how many bits a string is shifted to be divided by M: those that align its residue with the upper end of a word, and
/// the nulls.
fn shift(polynomial: Polynomial, nulls: Nulls) -> u32 {
    match nulls {
        Nulls::Appended => 64,
        Nulls::None => 64 - polynomial.degree(),
    }
}

#[cfg(test)]
mod tests;

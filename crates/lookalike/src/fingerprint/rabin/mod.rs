//! Rabin's fingerprints (Rabin 1981; Broder 1993, *Some applications of Rabin's fingerprinting method*; Broder 1997,
//! sections 4.1 and 4.3).
//!
//! A string is a polynomial over GF(2): a leading 1 bit, and then its bits. Its fingerprint is the residue modulo a random
//! irreducible polynomial P of degree l. Unlike the default fingerprint, it has a bound on collisions that holds for any two
//! strings, even an adversary's (see [`collision_bound`](super::collision_bound)).
//!
//! Measured on a Xeon (Sapphire Rapids) with texts of 600 words: with carry-less multiplication, the window slides in 2.0 ns per
//! unit (a unit is up to eight bytes of a token). With tables, it slides in 6.0 ns per unit, and filling the tables takes 0.5 µs
//! per text. So carry-less multiplication is used on every processor that has it. Cutting the text into units takes another 1.6
//! ns per unit. The default fingerprint takes 3.3 ns per word in total.

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

/// The smallest degree of a fingerprint: a shorter one distinguishes too few shingles to be useful.
const MIN_DEGREE: u32 = 16;

/// The bits that are appended to a string before the division.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nulls {
    /// l zero bits: the polynomial is multiplied by xˡ (Broder 1997, section 4.1). If two strings differ only in their last
    /// letter, about half of the bits of their fingerprints then differ. Appending the zeros costs nothing.
    #[default]
    Appended,
    /// Nothing: the fingerprint is the residue of the string itself. If two strings differ only in their last letter, their
    /// fingerprints differ only in the bits of that letter.
    None,
}

/// A fingerprint function: it maps any string to l bits, by a random irreducible polynomial of degree l. The same degree and seed
/// give the same function on every machine, whichever kernel is used.
///
/// Fingerprints are below 2ˡ, and the difference of two fingerprints is a linear function of the difference of their strings. So
/// fingerprints serve as ids, but not as random numbers: a sketch must sample their images under a random permutation (Broder
/// 1997, section 4.1).
#[derive(Debug, Clone)]
pub struct Rabin {
    polynomial: Polynomial,
    nulls: Nulls,
    /// The residue of a single 1 bit. Every string begins with this bit.
    leading: u64,
    kernel: Kernel,
}

/// The code that does the computation. All kernels give the same bits.
#[derive(Debug, Clone)]
enum Kernel {
    Portable(portable::Portable),
    #[cfg(target_arch = "x86_64")]
    Clmul(x86::Clmul),
}

impl Kernel {
    fn detect(modulus: Modulus, shift: u32) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) =
            x86::Clmul::new(modulus, shift).filter(|_| !cfg!(feature = "portable"))
        {
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
    /// Creates the function for a degree l and a seed. The function appends l zero bits to each string ([`Nulls::Appended`]). At
    /// degree 64, drawing the polynomial takes about 60 µs.
    ///
    /// # Errors
    /// Fails if the degree is not between 16 and 64.
    pub fn new(degree: u32, seed: u64) -> Result<Self> {
        Self::check(degree)?;
        Ok(Self::of(
            Polynomial::irreducible(degree, seed)?,
            Nulls::default(),
        ))
    }

    /// Checks that a degree is supported.
    ///
    /// # Errors
    /// Fails if the degree is not between 16 and 64.
    pub fn check(degree: u32) -> Result<()> {
        if (MIN_DEGREE..=MAX_DEGREE).contains(&degree) {
            Ok(())
        } else {
            Err(ErrorKind::Degree {
                degree,
                min: MIN_DEGREE,
                max: MAX_DEGREE,
            }
            .into())
        }
    }

    /// Returns the function with the same polynomial; `nulls` says whether zero bits are appended to each string.
    pub fn with(self, nulls: Nulls) -> Self {
        Self::of(self.polynomial, nulls)
    }

    fn of(polynomial: Polynomial, nulls: Nulls) -> Self {
        let shift = shift(polynomial, nulls);
        let kernel = Kernel::detect(Modulus::new(polynomial), shift);
        Self {
            polynomial,
            nulls,
            leading: kernel.reduce(1 << shift),
            kernel,
        }
    }

    /// Returns the degree l: fingerprints are below 2ˡ.
    pub fn degree(&self) -> u32 {
        self.polynomial.degree()
    }

    /// Returns the polynomial P.
    pub fn polynomial(&self) -> Polynomial {
        self.polynomial
    }

    /// Returns the bits that are appended to a string.
    pub fn nulls(&self) -> Nulls {
        self.nulls
    }

    /// Returns the fingerprint of a byte string: (1 ++ string) mod P, or (1 ++ string)·xˡ mod P with nulls. The bytes are read in
    /// order, and each byte from its highest bit to its lowest. The leading 1 makes zeros at the front of the string significant:
    /// without it, they would not change the fingerprint. The result is frozen: no release changes it.
    pub fn fingerprint(&self, string: &[u8]) -> u64 {
        let shift = shift(self.polynomial, self.nulls);
        let (units, tail) = string.as_chunks();
        let residue = self.kernel.append(
            self.leading,
            units.iter().map(|unit| u64::from_be_bytes(*unit)),
        );
        let last = tail
            .iter()
            .fold(0, |last, &byte| last << 8 | u128::from(byte));
        let residue = self
            .kernel
            .reduce(u128::from(residue) << (8 * tail.len()) ^ last << shift);
        residue >> (MAX_DEGREE - self.degree())
    }

    /// Fills `fingerprints` with one number for each window of k *units*, repeats included (Broder 1997, section 4.3). The result
    /// is frozen: no release changes it.
    ///
    /// A unit (in the paper, a word) is a token padded with NULs to eight bytes. A longer token is cut into several units of
    /// eight bytes; the last one is padded. So the window has a fixed width in bytes, and slides at a cost that does not depend
    /// on k. A text with long words has more shingles here than with [`fingerprints`](super::fingerprints). The fingerprint of a
    /// shingle is the [`fingerprint`](Self::fingerprint) of its units' bytes. A text of 1 to k − 1 units has one shingle, the
    /// whole text; an empty text has none.
    pub fn shingles(&self, tokens: &Tokens, shingling: Shingling, fingerprints: &mut Vec<u64>) {
        // The units are written into the output buffer, and each is replaced by the fingerprint of the window that begins with
        // it.
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

/// Returns the number of bits by which a string is shifted before it is divided by M. The shift aligns the residue with the upper
/// end of a machine word (64 − l bits), and appends the nulls, if any (l bits).
fn shift(polynomial: Polynomial, nulls: Nulls) -> u32 {
    match nulls {
        Nulls::Appended => 64,
        Nulls::None => 64 - polynomial.degree(),
    }
}

#[cfg(test)]
mod tests;

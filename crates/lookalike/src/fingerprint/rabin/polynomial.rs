//! Polynomials over GF(2), and the random irreducible polynomial that defines a fingerprint function.

use std::fmt;

use crate::{
    error::{ErrorKind, Result},
    fingerprint::SplitMix64,
};

/// The largest degree: residues then fill a machine word.
pub(super) const MAX_DEGREE: u32 = 64;

/// The polynomial x: bit i is the coefficient of xⁱ.
const X: u128 = 0b10;

/// An irreducible polynomial over GF(2) of degree 1 to 64 (Rabin 1981; Broder 1993, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Polynomial(u128);

impl Polynomial {
    /// Draws an irreducible polynomial of the given degree with the given seed; all are equally probable. Frozen: the same degree
    /// and seed give the same polynomial on every machine. Cost: 60 µs on average at degree 64, because one in l polynomials of
    /// degree l is irreducible, and most others have a small factor.
    ///
    /// # Errors
    /// Fails if the degree is not between 1 and 64.
    pub fn irreducible(degree: u32, seed: u64) -> Result<Self> {
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err(ErrorKind::Degree {
                degree,
                min: 1,
                max: MAX_DEGREE,
            }
            .into());
        }
        let mut random = SplitMix64::new(seed);
        loop {
            let drawn = 1 << degree | u128::from(random.next_u64() >> (64 - degree));
            if is_irreducible(drawn) {
                return Ok(Self(drawn));
            }
        }
    }

    /// Returns the degree l.
    pub fn degree(self) -> u32 {
        degree(self.0)
    }

    /// Returns the coefficients: bit i is the coefficient of xⁱ, so bit l is the highest bit that is set.
    pub fn coefficients(self) -> u128 {
        self.0
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = (0..=self.degree()).rev().filter(|i| self.0 >> i & 1 == 1);
        let words = terms.map(|i| match i {
            0 => "1".to_string(),
            1 => "x".to_string(),
            _ => format!("x^{i}"),
        });
        f.write_str(&words.collect::<Vec<_>>().join(" + "))
    }
}

fn degree(p: u128) -> u32 {
    p.ilog2()
}

/// Returns whether a polynomial p of degree 1 to 64 is irreducible (Ben-Or 1981). x^(2ⁱ) − x is the product of all irreducible
/// polynomials whose degree divides i. A reducible p has a factor of at most half its degree, so it shares a factor with one of
/// these products for some i up to half its degree. Rabin's own test starts with the largest i; this test stops at the smallest
/// factor.
fn is_irreducible(p: u128) -> bool {
    let mut power = X;
    (1..=degree(p) / 2).all(|_| {
        power = remainder(square(power), p);
        gcd(p, power ^ X) == 1
    })
}

fn remainder(mut a: u128, p: u128) -> u128 {
    while a.leading_zeros() <= p.leading_zeros() {
        a ^= p << (p.leading_zeros() - a.leading_zeros());
    }
    a
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, remainder(a, b));
    }
    a
}

/// Returns the square of a polynomial of degree under 64. Over GF(2), squaring only inserts a zero between each two coefficients.
fn square(mut a: u128) -> u128 {
    for shift in [32, 16, 8, 4, 2, 1] {
        // Alternating runs of `shift` ones and `shift` zeros.
        let mask = u128::MAX / ((1 << shift) + 1);
        a = (a | a << shift) & mask;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: u128, b: u128) -> u128 {
        (0..64)
            .filter(|i| b >> i & 1 == 1)
            .fold(0, |sum, i| sum ^ a << i)
    }

    fn by_trial_division(p: u128) -> bool {
        (2..1 << (degree(p) / 2 + 1)).all(|q| remainder(p, q) != 0)
    }

    #[test]
    fn irreducibility_agrees_with_trial_division_and_the_necklace_formula() {
        let mut counts = vec![0];
        for n in 1..=12 {
            let all = || (1u128 << n)..(1u128 << (n + 1));
            assert!(
                all().all(|p| is_irreducible(p) == by_trial_division(p)),
                "degree {n}"
            );
            counts.push(all().filter(|&p| is_irreducible(p)).count());
            // Gauss: each element of GF(2ⁿ) has a minimal polynomial whose degree divides n, so the elements can be counted by
            // degree.
            assert_eq!(
                (1..=n)
                    .filter(|d| n % d == 0)
                    .map(|d| d * counts[d])
                    .sum::<usize>(),
                1 << n
            );
        }
        assert_eq!(counts[1..], [2, 1, 2, 3, 6, 9, 18, 30, 56, 99, 186, 335]);
    }

    #[test]
    fn known_polynomials_in_a_table() {
        for (p, irreducible, name) in [
            (0x1_1b, true, "the field of AES"),
            (0x1_1021, false, "CRC-16-CCITT, which has the factor x + 1"),
            (0x1_04c1_1db7, true, "CRC-32 of Ethernet"),
            ((1 << 64) | 0x1b, true, "CRC-64 of ISO 3309"),
            (1 << 64, false, "a power of x"),
            (
                product(0x1_04c1_1db7, 0x1_04c1_1db7),
                false,
                "a square, of no factor under degree 32",
            ),
        ] {
            assert_eq!(is_irreducible(p), irreducible, "{name}");
        }
    }

    #[test]
    fn squares_are_products_with_themselves() {
        let mut random = SplitMix64::new(1);
        for _ in 0..1000 {
            let a = u128::from(random.next_u64());
            assert_eq!(square(a), product(a, a));
        }
    }

    #[test]
    fn every_irreducible_polynomial_is_equally_likely() {
        let mut drawn = vec![0.0; 512];
        for seed in 0..30_000 {
            drawn[Polynomial::irreducible(8, seed).unwrap().0 as usize] += 1.0;
        }
        drawn.retain(|&count| count > 0.0);
        assert_eq!(drawn.len(), 30);
        let chi_square: f64 = drawn
            .iter()
            .map(|count| (count - 1000.0f64).powi(2) / 1000.0)
            .sum();
        // With 29 degrees of freedom, 99.8 % of the distribution is between these bounds, and equal parts of the rest are on both
        // sides.
        assert!((11.0..58.3).contains(&chi_square), "{chi_square}");
    }

    #[test]
    fn polynomials_are_frozen() {
        let drawn =
            [(1, 1), (16, 1), (20, 1), (32, 1), (63, 1), (64, 1), (64, 2)].map(|(degree, seed)| {
                Polynomial::irreducible(degree, seed)
                    .unwrap()
                    .coefficients()
            });
        assert_eq!(
            drawn,
            [
                3,
                114411,
                2005601,
                4500701309,
                12215740419362042927,
                36714574460014701835,
                18661825032452101933
            ]
        );
        assert_eq!(Polynomial(0x1_1b).to_string(), "x^8 + x^4 + x^3 + x + 1");
    }

    #[test]
    fn every_degree_has_its_polynomial_and_no_other() {
        for degree in 1..=64 {
            let p = Polynomial::irreducible(degree, 7).unwrap();
            assert_eq!(p.degree(), degree);
            assert!(is_irreducible(p.0));
        }
        assert!(Polynomial::irreducible(0, 7).is_err() && Polynomial::irreducible(65, 7).is_err());
    }
}

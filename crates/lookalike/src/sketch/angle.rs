//! Converts a number of differing SimHash bits to an angle, a cosine or a resemblance.
//!
//! Each bit says on which side of a random hyperplane a document's vector is. Two vectors at the angle θ are on different sides
//! with probability θ/π (Charikar 2002, section 3), so n·θ/π of n bits are expected to differ.
//!
//! The vector of a set has entries 0 and 1, so cos θ = |A∩B| / √(|A||B|). With resemblance t, |A∩B| = (|A|+|B|)·t/(1+t). For sets
//! of equal size the cosine is then 2t/(1+t); for unequal ones it is greater, since (|A|+|B|)/2 ≥ √(|A||B|). So among all pairs
//! with a given resemblance, sets of equal size are expected to differ in the most bits, and the functions here assume equal
//! sizes.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::binomial::{masses, probability};
use crate::error::{Error, ErrorKind, Result};

/// The number of bits of a SimHash. In configurations it is written as a number, 64 or 128.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum Width {
    /// 64 bits, as in Manku et al. 2007.
    #[default]
    W64,
    /// 128 bits. Compared with 64 bits, a hash takes twice the memory, and the spread of estimates of the same resemblance is √2
    /// times smaller.
    W128,
}

impl Width {
    /// Returns the number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::W64 => 64,
            Self::W128 => 128,
        }
    }
}

impl From<Width> for u32 {
    fn from(width: Width) -> Self {
        width.bits()
    }
}

impl TryFrom<u32> for Width {
    type Error = Error;

    fn try_from(bits: u32) -> Result<Self> {
        match bits {
            64 => Ok(Self::W64),
            128 => Ok(Self::W128),
            bits => Err(ErrorKind::SimHashBits(bits).into()),
        }
    }
}

/// Returns the cosine of two sets of equal size with resemblance `t`: 2t/(1+t), the smallest cosine for sets of any size.
pub fn cosine_of_resemblance(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    2.0 * t / (1.0 + t)
}

/// Returns the resemblance of two sets of equal size with cosine `c`: c/(2−c), the inverse of [`cosine_of_resemblance`]. For sets
/// of unequal size it is higher than their resemblance.
pub fn resemblance_of_cosine(c: f64) -> f64 {
    let c = c.clamp(0.0, 1.0);
    c / (2.0 - c)
}

/// Returns the share of bits that are expected to differ at cosine `c`: arccos(c)/π (Charikar 2002, section 3).
///
/// The share is exact for random hyperplanes. The hyperplanes of SimHash have coefficients ±1, so for SimHash the share is only
/// an approximation, which is good only if many features share the weight. At resemblance 0.8, for which this function returns
/// 0.152, sets of 10 features differ in 0.137 of the bits, sets of 90 in 0.149, and sets of 450 in 0.151.
pub fn differing_share(c: f64) -> f64 {
    c.clamp(-1.0, 1.0).acos() / PI
}

/// Returns the cosine that a share of differing bits implies: cos(π·share), or 0 if at least half of the bits differ, since sets
/// and term frequencies have no negative cosine.
pub(super) fn cosine_of_share(share: f64) -> f64 {
    (PI * share).cos().max(0.0)
}

/// Returns the distance that follows from a resemblance threshold: the number of bits that are expected to differ at it, rounded
/// down.
///
/// The expected value is used because a distance of d bits is then accepted if and only if the resemblance that it implies
/// ([`resemblance_at`]) reaches the threshold. The price is that about half of the pairs *at* the threshold are further apart
/// (see [`within_distance`]), and a distance that finds 0.99 of them is much greater. At threshold 0.8 the distance is 9 of 64
/// bits (19 of 128), but a recall of 0.99 needs 17 (29). At threshold 0.9 the distance is 6 (13), and a recall of 0.99 needs 13
/// (22). Manku et al. 2007 use a distance of 3 of 64 bits, which is for near copies: it implies a resemblance of 0.979, and only
/// 0.9 % of the pairs at 0.8 are within 3 bits.
pub fn distance_at(threshold: f64, width: Width) -> u32 {
    (f64::from(width.bits()) * differing_share(cosine_of_resemblance(threshold))) as u32
}

/// Returns the resemblance that a distance implies for sets of equal size: c/(2−c) with c = cos(π·d/bits), or 0 if at least half
/// of the bits differ.
pub fn resemblance_at(distance: u32, width: Width) -> f64 {
    resemblance_of_cosine(cosine_of_share(
        f64::from(distance.min(width.bits())) / f64::from(width.bits()),
    ))
}

/// Returns the probability that a pair of sets of equal size at resemblance `threshold` differs in at most `distance` bits. The
/// bits are independent, so it is a binomial sum. The result is the recall at the threshold.
pub fn within_distance(threshold: f64, width: Width, distance: u32) -> f64 {
    let share = differing_share(cosine_of_resemblance(threshold));
    probability(width.bits() as usize, share, 0..=distance as usize)
}

/// Returns the exact share of bits that are expected to differ for two sets with `shared` common elements, and `a` and `b`
/// elements that are in only one set. Every element votes +1 or −1 on a bit with equal probability, and a bit is set if the sum
/// is above 0.
///
/// For small sets, the result is far from the value that the angle gives. At resemblance 0.8, for which the angle gives 0.152, a
/// set of 5 elements and a subset of 4 of them differ in 0.1875 of the bits: an even number of votes may tie, and then the bit is
/// not set. Cost: one step per shared element.
pub fn differing_share_of(shared: usize, a: usize, b: usize) -> f64 {
    // P(the bit is set), given how many shared votes are +1: the bit is set if more than half of all votes are +1.
    let above = |own: usize| {
        let (first, masses) = masses(own, 0.5);
        // `tails[i]` is the probability that at least `first + i` of the `own` votes are +1.
        let mut tails = masses;
        (0..tails.len().saturating_sub(1))
            .rev()
            .for_each(|i| tails[i] += tails[i + 1]);
        let needed = (shared + own) / 2 + 1;
        move |up: usize| match needed.saturating_sub(up).checked_sub(first) {
            None => 1.0,
            Some(i) => tails.get(i).copied().unwrap_or(0.0).min(1.0),
        }
    };
    let (of_a, of_b) = (above(a), above(b));
    let (first, masses) = masses(shared, 0.5);
    let differ = (first..).zip(masses).map(|(up, mass)| {
        let (x, y) = (of_a(up), of_b(up));
        mass * (x * (1.0 - y) + y * (1.0 - x))
    });
    differ.sum()
}

/// Returns the probability that two sets, given in the same way as for [`differing_share_of`], differ in at most `distance` bits.
/// The bits are independent, so it is a binomial sum.
pub fn within_distance_of(shared: usize, a: usize, b: usize, width: Width, distance: u32) -> f64 {
    probability(
        width.bits() as usize,
        differing_share_of(shared, a, b),
        0..=distance as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_recalls_in_a_table() {
        // The expected values were computed with the same sums in another language. The last column is the smallest distance that
        // finds 0.99 of the pairs.
        for (t, width, expected, three, at_expected, enough) in [
            (0.8, Width::W64, 9, 0.008530430, 0.489327265, 17),
            (0.8, Width::W128, 19, 0.000001645, 0.522367928, 29),
            (0.9, Width::W64, 6, 0.090375579, 0.499345504, 13),
            (0.9, Width::W128, 13, 0.000534069, 0.540942432, 22),
            (0.95, Width::W64, 4, 0.312083267, 0.504520379, 10),
            (1.0, Width::W128, 0, 1.0, 1.0, 0),
        ] {
            assert_eq!(distance_at(t, width), expected, "{t}");
            assert!((within_distance(t, width, 3) - three).abs() < 1e-8, "{t}");
            assert!(
                (within_distance(t, width, expected) - at_expected).abs() < 1e-8,
                "{t}"
            );
            assert_eq!(
                (0..).find(|&d| within_distance(t, width, d) >= 0.99),
                Some(enough),
                "{t}"
            );
        }
        assert!((within_distance(0.01, Width::W128, 128) - 1.0).abs() < 1e-12);
        assert_eq!(
            within_distance(0.5, Width::W64, 1000),
            within_distance(0.5, Width::W64, 64)
        );
    }

    #[test]
    fn three_of_sixty_four_bits_are_near_copies() {
        assert!((resemblance_at(3, Width::W64) - 0.978_584_807).abs() < 1e-8);
        assert_eq!(resemblance_at(0, Width::W64), 1.0);
        assert!((32..200).all(|d| resemblance_at(d, Width::W64) < 1e-15));
    }

    #[test]
    fn a_distance_is_accepted_if_its_resemblance_reaches_the_threshold() {
        for width in [Width::W64, Width::W128] {
            for t in (1..1000).map(|i| f64::from(i) / 1000.0) {
                let d = distance_at(t, width);
                assert!(
                    resemblance_at(d, width) >= t - 1e-12 && resemblance_at(d + 1, width) < t,
                    "{t}"
                );
            }
        }
    }

    #[test]
    fn no_pair_at_a_resemblance_has_a_lower_cosine_than_the_equal_ones() {
        for (shared, a, b) in
            (1..20u32).flat_map(|s| (0..20).flat_map(move |a| (0..20).map(move |b| (s, a, b))))
        {
            let (shared, a, b) = (f64::from(shared), f64::from(a), f64::from(b));
            let (t, cosine) = (
                shared / (shared + a + b),
                shared / ((shared + a) * (shared + b)).sqrt(),
            );
            assert!(cosine >= cosine_of_resemblance(t) - 1e-12);
            assert!(a != b || cosine <= cosine_of_resemblance(t) + 1e-12);
            assert!((resemblance_of_cosine(cosine_of_resemblance(t)) - t).abs() < 1e-12);
        }
    }

    #[test]
    fn small_sets_differ_as_by_brute_force_over_votes() {
        for (shared, a, b) in
            (0..6u32).flat_map(|s| (0..4).flat_map(move |a| (0..4).map(move |b| (s, a, b))))
        {
            let votes = shared + a + b;
            let is_set = |votes: u32, of: u32| 2 * votes.count_ones() > of;
            let (both, own) = ((1u32 << shared) - 1, |from: u32, of: u32| {
                ((1u32 << of) - 1) << from
            });
            let differ = (0..1u32 << votes)
                .filter(|up| {
                    let x = is_set(up & (both | own(shared, a)), shared + a);
                    x != is_set(up & (both | own(shared + a, b)), shared + b)
                })
                .count();
            let exact = differ as f64 / f64::from(1u32 << votes);
            let found = differing_share_of(shared as usize, a as usize, b as usize);
            assert!(
                (found - exact).abs() < 1e-12,
                "{shared} {a} {b}: {found} for {exact}"
            );
        }
        assert!((differing_share_of(4, 0, 1) - 0.1875).abs() < 1e-12);
        assert!((within_distance_of(4, 0, 1, Width::W64, 9) - 0.2152).abs() < 1e-4);
        // Large sets approach the value that the angle gives.
        assert!(
            (differing_share_of(80_000, 10_000, 10_000)
                - differing_share(cosine_of_resemblance(0.8)))
            .abs()
                < 1e-4
        );
    }
}

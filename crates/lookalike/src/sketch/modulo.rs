//! MOD_m sketches (Broder 1997, section 3): L(A) = the elements of π(A) that m divides. Larger sets have larger sketches.
//! Estimates of containment need this: the sketch of an excerpt is within the sketch of the whole.
//!
//! m = 2ⁱ, and i is the *level*: the low i bits of π(x) are tested. L_{i+1} has those elements of L_i whose next bit is also 0,
//! so sketches of different levels are compared on the larger level. The level may depend on the number of distinct elements,
//! because this number says nothing about which elements are in the set. So even if the level is chosen by this number, L(A) ∪
//! L(B) is still a uniform sample of A ∪ B, and L(A) is still a uniform sample of A.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Estimate,
    sorted::{least_of_union, shared_of_least},
};
use crate::{
    error::{ErrorKind, Result},
    fingerprint::{Permutation, sort_distinct},
};

/// The highest level: m = 2⁶³ divides only two of the 64-bit numbers.
pub const MAX_LEVEL: u32 = 63;

/// The rule that chooses the level of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Modulus {
    /// m = 2^level for every set: the sketch is expected to have one in m of the set's elements.
    Fixed {
        /// The level i, up to [`MAX_LEVEL`].
        level: u32,
    },
    /// As in section 3 of Broder 1997, m = 2ⁱ for a set that has from `least` · 2ⁱ to `least` · 2ⁱ⁺¹ distinct elements, and m = 1
    /// for a smaller set. The sketch is expected to have from `least` to twice as many elements. The paper's bounds on the size
    /// of a set correspond to `least: 100`, with which 100 to 200 elements are expected. But the paper says that 50 to 100
    /// elements are expected, which corresponds to `least: 50`.
    Growing {
        /// The smallest expected number of elements in the sketch of a set, unless the set itself has fewer.
        least: usize,
    },
    /// The modulus is the same as with `Growing`, but never above 2^level. Short texts keep all or many of their elements. Long
    /// texts keep enough elements to show that they contain a short text.
    Capped {
        /// The smallest expected number of elements in the sketch of a set, unless the set itself has fewer.
        least: usize,
        /// The highest level, up to [`MAX_LEVEL`].
        level: u32,
    },
}

impl Modulus {
    /// Returns the level of a set of `n` distinct elements.
    pub fn level(self, n: usize) -> u32 {
        let grown = |least: usize| (n / least).checked_ilog2().unwrap_or(0);
        match self {
            Self::Fixed { level } => level,
            Self::Growing { least } => grown(least),
            Self::Capped { least, level } => grown(least).min(level),
        }
    }

    /// Returns the highest level that any set can have.
    pub fn highest(self) -> u32 {
        match self {
            Self::Fixed { level } | Self::Capped { level, .. } => level,
            Self::Growing { .. } => MAX_LEVEL,
        }
    }
}

impl Default for Modulus {
    /// Returns `Growing` with the paper's bounds on the size of a set.
    fn default() -> Self {
        Self::Growing { least: 100 }
    }
}

/// A maker of MOD_m sketches: the same modulus and seed give the same sketches, on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulo {
    modulus: Modulus,
    permutation: Permutation,
}

impl Modulo {
    /// Creates a maker of sketches. `modulus` chooses the level of each sketch, and `seed` determines the permutation.
    ///
    /// # Errors
    /// Fails if the level is above [`MAX_LEVEL`], or if `least` is 0.
    pub fn new(modulus: Modulus, seed: u64) -> Result<Self> {
        match modulus {
            Modulus::Fixed { level } => check_level(level, 0)?,
            Modulus::Growing { least: 0 } | Modulus::Capped { least: 0, .. } => {
                return Err(ErrorKind::EmptySample.into());
            }
            Modulus::Capped { level, .. } => check_level(level, 0)?,
            Modulus::Growing { .. } => {}
        }
        Ok(Self {
            modulus,
            permutation: Permutation::new(seed),
        })
    }

    /// Returns the sketch of a set of fingerprints, which may be in any order and contain repeats.
    ///
    /// Cost: about a nanosecond per element, plus sorting the sketch. With a growing modulus, the distinct elements must also be
    /// counted. Counting takes one more pass if the list is sorted and free of repeats; otherwise, a copy of the list is sorted.
    pub fn sketch(&self, fingerprints: &[u64]) -> ModuloSketch {
        let mut elements = Vec::new();
        let level = self.sample(fingerprints, &mut elements);
        ModuloSketch {
            level,
            seed: self.permutation.seed(),
            elements,
            empty: fingerprints.is_empty(),
        }
    }

    /// Fills `elements` with the sketch's elements, sorted, and returns its level.
    pub fn sample(&self, fingerprints: &[u64], elements: &mut Vec<u64>) -> u32 {
        let level = match self.modulus {
            Modulus::Fixed { level } => level,
            growing => growing.level(distinct(fingerprints)),
        };
        let mask = low_bits(level);
        let permuted = fingerprints.iter().map(|&f| self.permutation.apply(f));
        elements.clear();
        elements.extend(permuted.filter(|x| x & mask == 0));
        sort_distinct(elements);
        level
    }
}

fn distinct(fingerprints: &[u64]) -> usize {
    if fingerprints.is_sorted_by(|a, b| a < b) {
        return fingerprints.len();
    }
    let mut set = fingerprints.to_vec();
    sort_distinct(&mut set);
    set.len()
}

/// Returns a mask of the bits that are 0 in every multiple of 2^level.
pub(super) fn low_bits(level: u32) -> u64 {
    (1 << level) - 1
}

/// Checks that a level is from `least` to [`MAX_LEVEL`].
pub(super) fn check_level(level: u32, least: u32) -> Result<()> {
    if (least..=MAX_LEVEL).contains(&level) {
        Ok(())
    } else {
        Err(ErrorKind::Level {
            level,
            least,
            most: MAX_LEVEL,
        }
        .into())
    }
}

/// L_i(A): the elements of π(A) that 2ⁱ divides. It depends only on the set, the level and the seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuloSketch {
    level: u32,
    seed: u64,
    elements: Vec<u64>,
    /// Whether the set is empty; the empty set resembles nothing.
    empty: bool,
}

impl ModuloSketch {
    /// Returns the sketch of a set that is not empty, with these elements, which are sorted.
    pub(crate) fn of_elements(modulo: &Modulo, level: u32, elements: Vec<u64>) -> Self {
        Self {
            level,
            seed: modulo.permutation.seed(),
            elements,
            empty: false,
        }
    }

    /// Returns i, where the modulus is 2ⁱ.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Returns the seed of the sketch's permutation.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the permuted elements of the sketch, sorted.
    pub fn elements(&self) -> &[u64] {
        &self.elements
    }

    /// Returns L_level(A), computed from L_i(A): the elements that the larger modulus divides (Broder 1997, section 3).
    ///
    /// # Errors
    /// Fails if `level` is above [`MAX_LEVEL`], or if it is below the sketch's own level, because the sketch lacks elements of
    /// lower levels.
    pub fn at_level(&self, level: u32) -> Result<Self> {
        check_level(level, self.level)?;
        Ok(Self {
            level,
            elements: self.elements_at(level).into_owned(),
            ..*self
        })
    }

    /// Returns the estimated resemblance |L(A) ∩ L(B)| / |L(A) ∪ L(B)| on the larger level (Broder 1997, section 3). Cost:
    /// O(|L(A)| + |L(B)|).
    ///
    /// The estimate is unbiased, if anything was sampled. Otherwise the value is 0 and the interval is all of [0, 1]. The sample
    /// is drawn without replacement, so the number of shared elements is hypergeometric. The interval is computed for the
    /// binomial distribution, which is wider, so it is cautious. On level 0 the sketches are the sets, and the result is exact.
    /// For an empty set the result is exactly 0.
    ///
    /// # Errors
    /// Fails if the other sketch has a different seed.
    pub fn resemblance(&self, other: &Self) -> Result<Estimate> {
        let level = self.common_level(other)?;
        let (shared, union) = self.shared_at(other, level);
        Ok(self.share(other, level, shared, union))
    }

    /// Returns the estimated containment |L(A) ∩ L(B)| / |L(A)| of this set in the other, on the larger level (Broder 1997,
    /// section 3). Cost, interval and exactness are as for [`resemblance`](Self::resemblance). The containment of a short
    /// document in a long one is estimated from few elements: only one in 2ⁱ elements of the short document is used, where i is
    /// the level of the long document. The width of the interval shows this.
    ///
    /// # Errors
    /// Fails if the other sketch has a different seed.
    pub fn containment(&self, other: &Self) -> Result<Estimate> {
        let level = self.common_level(other)?;
        let (shared, _) = self.shared_at(other, level);
        Ok(self.share(other, level, shared, self.elements_at(level).len() as u64))
    }

    /// Returns the sketch of the union of both sets, on the larger level. Cost: O(|L(A)| + |L(B)|).
    ///
    /// The result equals the sketch that [`Modulus::Fixed`] with that level gives for the union. [`Modulus::Growing`] may choose
    /// a higher level for the union.
    ///
    /// # Errors
    /// Fails if the other sketch has a different seed.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let level = self.common_level(other)?;
        let elements = least_of_union(
            &self.elements_at(level),
            &other.elements_at(level),
            usize::MAX,
        );
        Ok(Self {
            level,
            seed: self.seed,
            elements,
            empty: self.empty && other.empty,
        })
    }

    fn common_level(&self, other: &Self) -> Result<u32> {
        if self.seed != other.seed {
            return Err(ErrorKind::UnlikeSketches {
                left: self.describe(),
                right: other.describe(),
            }
            .into());
        }
        Ok(self.level.max(other.level))
    }

    fn elements_at(&self, level: u32) -> Cow<'_, [u64]> {
        if level == self.level {
            return Cow::Borrowed(&self.elements);
        }
        let mask = low_bits(level);
        Cow::Owned(
            self.elements
                .iter()
                .copied()
                .filter(|x| x & mask == 0)
                .collect(),
        )
    }

    fn shared_at(&self, other: &Self, level: u32) -> (u64, u64) {
        shared_of_least(
            &self.elements_at(level),
            &other.elements_at(level),
            usize::MAX,
        )
    }

    fn share(&self, other: &Self, level: u32, hits: u64, of: u64) -> Estimate {
        match (self.empty || other.empty, level) {
            (true, _) => Estimate::exact(0.0),
            (false, 0) => Estimate::exact(hits as f64 / of as f64),
            _ => Estimate::of_share(hits, of),
        }
    }

    fn describe(&self) -> String {
        format!(
            "a MOD sketch of level {} with seed {}",
            self.level, self.seed
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::finish;

    fn fixed(level: u32, seed: u64) -> Modulo {
        Modulo::new(Modulus::Fixed { level }, seed).unwrap()
    }

    fn by_definition(set: &[u64], level: u32, seed: u64) -> Vec<u64> {
        let mut permuted: Vec<u64> = set
            .iter()
            .map(|&f| Permutation::new(seed).apply(f))
            .collect();
        permuted.sort();
        permuted.dedup();
        permuted
            .into_iter()
            .filter(|x| u128::from(*x) % (1u128 << level) == 0)
            .collect()
    }

    fn bag() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(0u64..200, 0..300)
    }

    proptest! {
        #[test]
        fn the_sketch_is_the_definition(set in bag(), level in 0..8u32, seed: u64) {
            let sketch = fixed(level, seed).sketch(&set);
            prop_assert_eq!(&sketch.elements, &by_definition(&set, level, seed));
            let growing = Modulo::new(Modulus::Growing { least: 5 }, seed).unwrap().sketch(&set);
            let n = by_definition(&set, 0, seed).len();
            let level = (0..).find(|i| n < 5 << (i + 1)).unwrap();
            prop_assert_eq!(growing, fixed(level, seed).sketch(&set));
            let capped = Modulo::new(Modulus::Capped { least: 5, level: 2 }, seed).unwrap().sketch(&set);
            prop_assert_eq!(capped, fixed(level.min(2), seed).sketch(&set));
        }

        #[test]
        fn a_level_from_the_one_below_is_the_same_as_from_scratch(set in bag(), level in 0..8u32, more in 0..4u32, seed: u64) {
            let from_below = fixed(level, seed).sketch(&set).at_level(level + more).unwrap();
            prop_assert_eq!(from_below, fixed(level + more, seed).sketch(&set));
        }

        #[test]
        fn the_merge_is_the_sketch_of_the_union(a in bag(), b in bag(), i in 0..6u32, j in 0..6u32, seed: u64) {
            let merged = fixed(i, seed).sketch(&a).merge(&fixed(j, seed).sketch(&b)).unwrap();
            prop_assert_eq!(merged, fixed(i.max(j), seed).sketch(&[a, b].concat()));
        }

        #[test]
        fn the_estimates_are_the_definition(a in bag(), b in bag(), i in 0..4u32, j in 0..4u32, seed: u64) {
            let (l, m) = (fixed(i, seed).sketch(&a), fixed(j, seed).sketch(&b));
            let level = i.max(j);
            let (in_a, in_b) = (by_definition(&a, level, seed), by_definition(&b, level, seed));
            let shared = in_a.iter().filter(|x| in_b.contains(x)).count();
            let share = |of: usize| if of == 0 { 0.0 } else { shared as f64 / of as f64 };
            prop_assert_eq!(l.resemblance(&m).unwrap().value, share(in_a.len() + in_b.len() - shared));
            prop_assert_eq!(l.containment(&m).unwrap().value, share(in_a.len()));
        }
    }

    #[test]
    fn levels_grow_with_the_set_and_the_sketch_stays_between_its_bounds() {
        let modulo = Modulo::new(Modulus::default(), 1).unwrap();
        let set: Vec<u64> = (0..25_600).collect();
        for (n, level) in [
            (0, 0),
            (1, 0),
            (99, 0),
            (199, 0),
            (200, 1),
            (399, 1),
            (400, 2),
            (25_599, 7),
            (25_600, 8),
        ] {
            assert_eq!(modulo.sketch(&set[..n]).level, level, "{n}");
        }
        // As documented, the mean number of elements over seeds is n / 2ⁱ, from 100 to 200.
        for n in [200, 399, 3_200, 6_399] {
            let sizes = (0..400).map(|seed| {
                Modulo::new(Modulus::default(), seed)
                    .unwrap()
                    .sketch(&set[..n])
                    .elements
                    .len()
            });
            let (mean, expected) = (
                sizes.sum::<usize>() as f64 / 400.0,
                n as f64 / f64::from(1 << (n / 100).ilog2()),
            );
            assert!(
                (100.0..200.0).contains(&expected) && (mean - expected).abs() < 3.0,
                "{mean} for {expected}"
            );
        }
    }

    #[test]
    fn an_empty_sample_gives_no_estimate_and_the_empty_set_resembles_nothing() {
        let whole = Estimate {
            value: 0.0,
            low: 0.0,
            high: 1.0,
        };
        let nothing = Estimate {
            value: 0.0,
            low: 0.0,
            high: 0.0,
        };
        let rare = fixed(40, 1);
        let (one, empty, full) = (
            rare.sketch(&[1]),
            rare.sketch(&[]),
            fixed(0, 1).sketch(&[1, 2]),
        );
        assert_eq!(one.resemblance(&one), Ok(whole));
        assert_eq!(one.containment(&full), Ok(whole));
        for (a, b) in [
            (&empty, &one),
            (&one, &empty),
            (&empty, &empty),
            (&full, &empty),
            (&empty, &full),
        ] {
            assert_eq!(
                (a.resemblance(b), a.containment(b)),
                (Ok(nothing), Ok(nothing))
            );
        }
        let half = fixed(0, 1).sketch(&[1]);
        assert_eq!(
            half.resemblance(&full),
            Ok(Estimate {
                value: 0.5,
                low: 0.5,
                high: 0.5
            })
        );
        assert_eq!(
            half.containment(&full),
            Ok(Estimate {
                value: 1.0,
                low: 1.0,
                high: 1.0
            })
        );
    }

    #[test]
    fn unlike_sketches_and_impossible_levels_are_refused() {
        let (a, b) = (fixed(3, 1).sketch(&[1]), fixed(4, 2).sketch(&[1]));
        for refusal in [
            a.resemblance(&b).unwrap_err(),
            a.containment(&b).unwrap_err(),
            a.merge(&b).unwrap_err(),
        ] {
            let words = refusal.to_string();
            assert!(
                words.contains("level 3 with seed 1") && words.contains("level 4 with seed 2"),
                "{words}"
            );
        }
        assert!(
            a.at_level(2)
                .unwrap_err()
                .to_string()
                .contains("from 3 to 63")
        );
        assert!(a.at_level(64).is_err() && a.at_level(63).is_ok());
        assert!(Modulo::new(Modulus::Fixed { level: 64 }, 1).is_err());
        assert!(Modulo::new(Modulus::Growing { least: 0 }, 1).is_err());
    }

    #[test]
    fn sketches_are_frozen() {
        let set: Vec<u64> = (0..1_000).map(finish).collect();
        let sketch = Modulo::new(Modulus::default(), 1).unwrap().sketch(&set);
        assert_eq!((sketch.level, sketch.elements.len()), (3, 121));
        assert_eq!(
            sketch.elements[..3],
            [63764571622363904, 155342705159129976, 188229786244659184]
        );
        assert_eq!(
            sketch
                .elements
                .iter()
                .fold(0u64, |h, x| h.rotate_left(5) ^ x),
            475630831775570349
        );
    }
}

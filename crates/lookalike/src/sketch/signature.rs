//! A signature that records how it was made, so that signatures made differently cannot be compared.

use serde::{Deserialize, Serialize};

use super::Estimate;
use crate::error::{ErrorKind, Result};

/// The kind of functions that compute a signature's slots. Equal slots in signatures of different families mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Family {
    /// One permutation per slot.
    Permutations,
    /// One permutation that assigns the set's elements to the slots.
    OnePermutation,
}

/// A MinHash signature: its slots, the family that made them and the family's seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    family: Family,
    slots: Vec<u32>,
    seed: u64,
    /// Whether the set is empty; the empty set resembles nothing.
    empty: bool,
}

impl Signature {
    pub(super) fn new(family: Family, slots: Vec<u32>, seed: u64, empty: bool) -> Self {
        Self {
            family,
            slots,
            seed,
            empty,
        }
    }

    /// Returns the slots. Each slot is the number that its function gives to one element of the set.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the estimated resemblance: the share of slots that agree, unbiased (Broder 1997, section 3). The interval assumes
    /// independent slots. If one permutation fills all slots, the share varies less, so the interval is a little too wide. For an
    /// empty set the result is exactly 0.
    ///
    /// # Errors
    /// Fails if the other signature has a different family, length or seed.
    pub fn resemblance(&self, other: &Self) -> Result<Estimate> {
        if self.family != other.family
            || self.slots.len() != other.slots.len()
            || self.seed != other.seed
        {
            return Err(ErrorKind::UnlikeSketches {
                left: self.describe(),
                right: other.describe(),
            }
            .into());
        }
        if self.empty || other.empty {
            return Ok(Estimate {
                value: 0.0,
                low: 0.0,
                high: 0.0,
            });
        }
        let hits = self
            .slots
            .iter()
            .zip(&other.slots)
            .filter(|(a, b)| a == b)
            .count();
        Ok(Estimate::of_share(hits as u64, self.slots.len() as u64))
    }

    fn describe(&self) -> String {
        let family = match self.family {
            Family::Permutations => "MinHash",
            Family::OnePermutation => "one-permutation MinHash",
        };
        format!(
            "{family} of {} slots with seed {}",
            self.slots.len(),
            self.seed
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{MinHash, OnePermutation},
        *,
    };

    #[test]
    fn the_empty_set_resembles_nothing_not_even_itself() {
        let both = |set: &[u64]| {
            [
                MinHash::new(64, 1).signature(set),
                OnePermutation::new(64, 1).signature(set),
            ]
        };
        for (empty, full) in both(&[]).iter().zip(&both(&[1 << 40])) {
            assert_eq!(empty.slots(), [u32::MAX; 64]);
            assert_eq!(empty.resemblance(empty).unwrap().high, 0.0);
            assert_eq!(empty.resemblance(full).unwrap().high, 0.0);
            assert_eq!(full.resemblance(full).unwrap().value, 1.0);
        }
    }

    #[test]
    fn incompatible_signatures_are_refused_and_both_named() {
        let minhash = |slots, seed| MinHash::new(slots, seed).signature(&[1]);
        let one = |slots, seed| OnePermutation::new(slots, seed).signature(&[1]);
        let refusal = |a: Signature, b: Signature| a.resemblance(&b).unwrap_err().to_string();
        for (error, left, right) in [
            (
                refusal(minhash(64, 1), minhash(128, 1)),
                "64 slots",
                "128 slots",
            ),
            (refusal(minhash(64, 1), minhash(64, 2)), "seed 1", "seed 2"),
            (refusal(one(64, 1), one(128, 1)), "64 slots", "128 slots"),
            (refusal(one(64, 1), one(64, 2)), "seed 1", "seed 2"),
            (
                refusal(minhash(64, 1), one(64, 1)),
                "one is MinHash",
                "other one-permutation MinHash",
            ),
        ] {
            assert!(error.contains(left) && error.contains(right), "{error}");
        }
    }
}

//! A permutation of the fingerprints, drawn with a seed: it makes a sketch a *random* sample.

use serde::{Deserialize, Serialize};

use super::mix::{SplitMix64, finish};

/// A permutation π of the 64-bit numbers (Broder 1997, section 4.1: shingles get short ids, and then the ids are permuted).
///
/// This is a seeded bijection with full avalanche instead of a permutation drawn uniformly at random. The sketches' tests check
/// that the estimators behave as they would under a uniform one. The function is frozen: the same seed gives the same permutation
/// on every machine. Serialised as its seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Permutation {
    seed: u64,
    key: u64,
}

impl From<u64> for Permutation {
    fn from(seed: u64) -> Self {
        Self::new(seed)
    }
}

impl From<Permutation> for u64 {
    fn from(permutation: Permutation) -> Self {
        permutation.seed
    }
}

impl Permutation {
    /// Returns the permutation of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            key: SplitMix64::new(seed).next_u64(),
        }
    }

    /// Returns the seed of the permutation.
    pub fn seed(self) -> u64 {
        self.seed
    }

    /// Returns π(x).
    #[inline]
    pub fn apply(self, x: u64) -> u64 {
        finish(x ^ self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_frozen_and_differ_by_seed() {
        assert_eq!(
            [0, 1].map(|x| Permutation::new(1).apply(x)),
            [15916886550466581944, 6652587683579779273]
        );
        assert_ne!(Permutation::new(1).apply(7), Permutation::new(2).apply(7));
    }
}

//! When sharing so many sampled fingerprints makes two documents candidates: the recall contract of MOD_m sketches.

use super::shared::Common;
use crate::{
    error::Result,
    sketch::{Modulus, binomial::probability},
};

/// What a document is compared by: the elements of its MOD_m sketch, or what was made of them.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// i, where 2ⁱ divides every element.
    pub level: u32,
    /// Sorted, each once.
    pub elements: &'a [u64],
}

impl Sample<'_> {
    /// Its elements that 2^level divides.
    pub fn at(&self, level: u32) -> Vec<u64> {
        self.elements.iter().copied().filter(|element| element.trailing_zeros() >= level).collect()
    }

    /// The elements that 2^level divides and that were not set aside.
    fn count(&self, level: u32, aside: &[Common]) -> usize {
        let divides = |element: &&u64| element.trailing_zeros() >= level;
        let stays = |element: &&u64| aside.binary_search_by_key(*element, |common| common.fingerprint).is_err();
        match (level > self.level, aside) {
            (false, []) => self.elements.len(),
            _ => self.elements.iter().filter(divides).filter(stays).count(),
        }
    }
}

/// What the shared elements are a share of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The elements of either document: resemblance.
    Union,
    /// The elements of the document with fewer: containment of one in the other.
    Smaller,
}

/// The rule: by how many shared elements of how many a pair is a candidate.
///
/// Of a pair at the threshold, each sampled element is shared with probability t (Broder 1997, section 3: the sketches'
/// estimators are unbiased), so the shared ones of n are binomial (section 4.2). A pair that shares so few that a pair at t
/// would share no more with a probability of at most `miss` is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharing {
    against: Against,
    threshold: f64,
    miss: f64,
    modulus: Modulus,
}

/// The fewest shingles of a text for which the recall is promised where a fixed modulus samples: shorter ones may by chance
/// have no sampled shingle at all.
pub const FEWEST_SHINGLES: usize = 50;

/// Half of what may be missed is given to texts that share too few by chance, the other half to those of which too few
/// shingles are sampled.
const MISS_SHARE: f64 = 0.5;

impl Sharing {
    /// Chooses the modulus by the threshold and the recall, or takes the one that is given.
    ///
    /// For resemblance it grows with the text, so that large texts cost no more than small ones: the two are about as large.
    /// For containment it is the same for all, since the sketch of a short excerpt and that of a long whole must both have
    /// what they share: the largest power of two with which texts of [`FEWEST_SHINGLES`] are found.
    ///
    /// # Errors
    /// When the threshold or the recall cannot be.
    pub fn new(against: Against, threshold: f64, recall: f64, modulus: Option<Modulus>) -> Result<Self> {
        super::Shape::check(threshold, recall)?;
        let miss = MISS_SHARE * (1.0 - recall);
        let with = |modulus| Self { against, threshold, miss, modulus };
        let chosen = match against {
            Against::Union => {
                let keeps = |&least: &usize| with(Modulus::Growing { least }).found_of(least) >= recall;
                let least = (0..12).map(|i| 50 << i).find(keeps).unwrap_or(50 << 12);
                Modulus::Growing { least }
            }
            Against::Smaller => {
                let keeps = |&level: &u32| with(Modulus::Fixed { level }).found(FEWEST_SHINGLES) >= recall;
                Modulus::Fixed { level: (0..16).rev().find(keeps).unwrap_or(0) }
            }
        };
        Ok(with(modulus.unwrap_or(chosen)))
    }

    /// How documents are sampled.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// Whether documents that share `shared` elements (those set aside not counted) are candidates. It is enough that one may
    /// be similar to the other.
    pub fn is_candidate(&self, shared: u32, a: Sample, b: Sample, aside: &[Common]) -> bool {
        let level = a.level.max(b.level);
        let (shared, a, b) = (shared as usize, a.count(level, aside), b.count(level, aside));
        match self.against {
            Against::Union => self.suffices(shared, a + b - shared),
            Against::Smaller => self.suffices(shared, a.min(b)),
        }
    }

    /// Whether a pair at the threshold may well share only so many of n.
    fn suffices(&self, shared: usize, n: usize) -> bool {
        shared > 0 && (shared as f64 >= self.threshold * n as f64 || probability(n, self.threshold, 0..=shared) > self.miss)
    }

    /// P(found) of a pair at the threshold of which n elements were sampled.
    fn found_of(&self, n: usize) -> f64 {
        let least = (0..=n).find(|&shared| self.suffices(shared, n)).unwrap_or(n + 1);
        probability(n, self.threshold, least..=n)
    }

    /// P(found) of a pair at the threshold whose set (for resemblance, the union) has `size` members.
    pub fn found(&self, size: usize) -> f64 {
        let level = match self.modulus {
            Modulus::Fixed { level } => level,
            Modulus::Growing { least } => (size / least).checked_ilog2().unwrap_or(0),
        };
        let share = 0.5f64.powi(level as i32);
        (1..=size).map(|n| probability(size, share, n..=n) * self.found_of(n)).sum()
    }

    /// P(found) of a pair at the threshold, at the least: of large texts, or of those of [`FEWEST_SHINGLES`].
    pub fn found_at_threshold(&self) -> f64 {
        match self.modulus {
            Modulus::Growing { least } => self.found_of(least),
            Modulus::Fixed { .. } => self.found(FEWEST_SHINGLES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_keeps_its_promise() {
        for t in [0.3, 0.5, 0.7, 0.8, 0.9, 0.95] {
            for recall in [0.5, 0.9, 0.99, 0.999] {
                for against in [Against::Union, Against::Smaller] {
                    let sharing = Sharing::new(against, t, recall, None).unwrap();
                    assert!(sharing.found_at_threshold() >= recall, "{sharing:?}");
                }
            }
        }
    }

    #[test]
    fn chosen_moduli_in_a_table() {
        let modulus = |against, t| Sharing::new(against, t, 0.99, None).unwrap().modulus();
        assert_eq!(modulus(Against::Union, 0.8), Modulus::Growing { least: 50 });
        assert_eq!(modulus(Against::Smaller, 0.5), Modulus::Fixed { level: 2 });
        assert_eq!(modulus(Against::Smaller, 0.8), Modulus::Fixed { level: 3 });
        assert_eq!(modulus(Against::Smaller, 0.9), Modulus::Fixed { level: 3 });
    }

    #[test]
    fn what_was_set_aside_counts_on_neither_side() {
        let sharing = Sharing::new(Against::Union, 0.8, 0.99, None).unwrap();
        let elements: Vec<u64> = (1..=40).collect();
        let aside: Vec<Common> = (11..=40).map(|fingerprint| Common { fingerprint, documents: 2000 }).collect();
        let sample = Sample { level: 0, elements: &elements };
        assert!(!sharing.is_candidate(10, sample, sample, &[]), "10 of 40 + 40 − 10");
        assert!(sharing.is_candidate(10, sample, sample, &aside), "10 of 10");
        assert_eq!(sample.count(3, &[]), 5);
    }
}

//! When sharing so many sampled fingerprints makes two documents candidates: the recall contract of MOD_m sketches.

use super::promise::PairSizes;
use crate::{
    error::{ErrorKind, Result},
    sketch::{
        Modulus,
        binomial::{masses, probability},
        shared_of_least,
    },
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
    /// How many elements both have. Where the levels differ these are divisible by the larger modulus of themselves.
    pub fn shared(&self, other: Self) -> u64 {
        shared_of_least(self.elements, other.elements, usize::MAX).0
    }

    /// How many of its elements 2^level divides.
    pub fn count(&self, level: u32) -> usize {
        match level > self.level {
            true => self.elements.iter().filter(|element| element.trailing_zeros() >= level).count(),
            false => self.elements.len(),
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
#[derive(Debug, Clone, PartialEq)]
pub struct Sharing {
    against: Against,
    threshold: f64,
    miss: f64,
    modulus: Modulus,
    /// The least that suffices, for numbers of elements up to [`TABLED`]: a binomial sum for each pair took half of the time.
    least: Vec<u32>,
}

/// Far more elements than a sample has by a growing modulus.
const TABLED: usize = 600;

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
    /// For containment it stops growing at the largest power of two with which texts of [`FEWEST_SHINGLES`] are found in those
    /// of any length: the sketch of a short excerpt and that of a long whole must both have what they share.
    ///
    /// # Errors
    /// When the threshold or the recall cannot be, when a given modulus finds less, or grows where parts are to be found.
    pub fn new(against: Against, threshold: f64, recall: f64, modulus: Option<Modulus>) -> Result<Self> {
        super::Shape::check(threshold, recall)?;
        let miss = MISS_SHARE * (1.0 - recall);
        let with = |modulus| Self { against, threshold, miss, modulus, least: Vec::new() };
        let chosen = match against {
            Against::Union => {
                let keeps = |&least: &usize| with(Modulus::Growing { least }).found_at_threshold() >= recall;
                let least = (0..12).map(|i| 50 << i).find(keeps).unwrap_or(50 << 12);
                Modulus::Growing { least }
            }
            Against::Smaller => {
                let keeps = |&level: &u32| with(Modulus::Fixed { level }).found(FEWEST_SHINGLES) >= recall;
                Modulus::Capped { least: FEWEST_SHINGLES, level: (0..16).rev().find(keeps).unwrap_or(0) }
            }
        };
        let mut sharing = with(modulus.unwrap_or(chosen));
        match (against, sharing.modulus) {
            (Against::Smaller, Modulus::Growing { .. }) => return Err(ErrorKind::GrowingModulus.into()),
            (_, Modulus::Fixed { level }) if modulus.is_some() && sharing.found_at_threshold() < recall => {
                let found = sharing.found_at_threshold();
                let attainable = (found * 100.0).floor() / 100.0;
                return Err(ErrorKind::Sampled { modulus: 1 << level.min(63), found, recall, threshold, attainable }.into());
            }
            _ => {}
        }
        let (mut least, mut table) = (1, vec![1]);
        for n in 1..=TABLED {
            // More elements, no fewer shared.
            while !sharing.suffices(least, n) {
                least += 1;
            }
            table.push(least as u32);
        }
        sharing.least = table;
        Ok(sharing)
    }

    /// How documents are sampled.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// Whether two documents share enough to be candidates. It suffices that one may be similar to the other. Cost: a merge of
    /// the two samples.
    pub fn is_candidate(&self, a: Sample, b: Sample) -> bool {
        let level = a.level.max(b.level);
        let (counts, shared) = ([a.count(level), b.count(level)], a.shared(b) as usize);
        match self.against {
            Against::Union => shared >= self.least(counts[0] + counts[1] - shared),
            Against::Smaller => shared >= self.least(counts[0].min(counts[1])),
        }
    }

    /// The fewest shared elements that make a document with `n` a candidate of one with as many or more; more than `n` where
    /// none do.
    pub fn least(&self, n: usize) -> usize {
        if let Some(&least) = self.least.get(n) {
            return least as usize;
        }
        // Who shares more suffices too: of 1,000 elements a bisection takes a hundredth of the time of trying one after the other.
        let (mut least, mut enough) = (1, n + 1);
        while least < enough {
            let middle = least.midpoint(enough);
            match self.suffices(middle, n) {
                true => enough = middle,
                false => least = middle + 1,
            }
        }
        least
    }

    /// What the shared elements are a share of.
    pub fn against(&self) -> Against {
        self.against
    }

    /// Whether a pair at the threshold may well share only so many of n.
    fn suffices(&self, shared: usize, n: usize) -> bool {
        shared > 0 && (shared as f64 >= self.threshold * n as f64 || probability(n, self.threshold, 0..=shared) > self.miss)
    }

    /// P(found) of a pair at the threshold of which n elements were sampled.
    fn found_of(&self, n: usize) -> f64 {
        probability(n, self.threshold, self.least(n)..=n)
    }

    /// P(found) of a pair at the threshold whose set (for resemblance, the union) has `size` members, by the binomial model of the
    /// rule: what a modulus is chosen by.
    fn found(&self, size: usize) -> f64 {
        let level = match self.modulus {
            // A part is found in a whole of any length.
            Modulus::Capped { level, .. } => level,
            modulus => modulus.level(size),
        };
        let share = 0.5f64.powi(level as i32);
        (1..=size).map(|n| probability(size, share, n..=n) * self.found_of(n)).sum()
    }

    /// P(found) of a pair of sets: the probability that enough is sampled of what both have. Each shared element and each other one
    /// is sampled by itself, so no model of what is shared is needed. For containment `pair.b` does not matter: the larger set
    /// may have any size, and the least probability is given.
    pub fn found_of_pair(&self, pair: PairSizes) -> f64 {
        let PairSizes { shared, a, b } = pair;
        let (alone, levels) = match self.against {
            Against::Union => (a + b, [self.common_level(pair); 2]),
            Against::Smaller => {
                let own = self.modulus.level(shared + a);
                (a, [own, self.modulus.highest().max(own)])
            }
        };
        (levels[0]..=levels[1]).map(|level| self.found_on_level(level, shared, alone)).fold(1.0, f64::min)
    }

    /// The level on which the samples of two sets are compared.
    pub fn common_level(&self, pair: PairSizes) -> u32 {
        let [a, b] = self.levels(pair);
        a.max(b)
    }

    /// The levels of both sets.
    pub fn levels(&self, PairSizes { shared, a, b }: PairSizes) -> [u32; 2] {
        [a, b].map(|own| self.modulus.level(shared + own))
    }

    fn found_on_level(&self, level: u32, shared: usize, alone: usize) -> f64 {
        let share = 0.5f64.powi(level as i32);
        let ((least_shared, shared), (least_alone, alone)) = (masses(shared, share), masses(alone, share));
        let mut found = 0.0;
        for (k, mass) in (least_shared..).zip(shared) {
            // More elements ask for no fewer shared ones, so the pair is found up to some number of others.
            let others = (least_alone..).zip(&alone).take_while(|(m, _)| k > 0 && k >= self.least(k + m));
            found += mass * others.map(|(_, mass)| mass).sum::<f64>();
        }
        found
    }

    /// Sizes of sets above `size`, and up to `most`, at which the modulus doubles.
    pub fn edges(&self, size: usize, most: usize) -> Vec<usize> {
        let (least, highest) = match self.modulus {
            Modulus::Fixed { .. } => return Vec::new(),
            Modulus::Growing { least } => (least, u32::MAX),
            Modulus::Capped { least, level } => (least, level),
        };
        let levels = (1..=highest).map_while(|level| 1usize.checked_shl(level)?.checked_mul(least));
        levels.take_while(|&edge| edge <= most).filter(|&edge| edge > size).collect()
    }

    /// P(found) of a pair at the threshold, at the least: of all where the modulus grows with the text, else of texts of
    /// [`FEWEST_SHINGLES`] and more.
    pub fn found_at_threshold(&self) -> f64 {
        match self.modulus {
            // It saws with the number of elements, which is at least so many; less and less as they grow.
            Modulus::Growing { least } => (least..=4 * least).map(|n| self.found_of(n)).fold(1.0, f64::min),
            Modulus::Fixed { .. } | Modulus::Capped { .. } => self.found(FEWEST_SHINGLES),
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
        assert_eq!(modulus(Against::Smaller, 0.5), Modulus::Capped { least: 50, level: 2 });
        assert_eq!(modulus(Against::Smaller, 0.8), Modulus::Capped { least: 50, level: 3 });
        assert_eq!(modulus(Against::Smaller, 0.9), Modulus::Capped { least: 50, level: 3 });
    }

    #[test]
    fn candidates_in_a_table() {
        let sample = |range: std::ops::Range<u64>| range.collect::<Vec<u64>>();
        let (short, other, long) = (sample(1..41), sample(4..44), sample(1..401));
        let [short, other, long] = [&short, &other, &long].map(|elements| Sample { level: 0, elements });
        let by = |against| Sharing::new(against, 0.8, 0.99, None).unwrap();
        assert!(by(Against::Union).is_candidate(short, other), "37 of 43");
        assert!(!by(Against::Union).is_candidate(short, long), "40 of 400");
        assert!(by(Against::Smaller).is_candidate(short, long), "40 of 40");
        assert_eq!((short.count(3), by(Against::Union).least(40), by(Against::Union).least(1)), (5, 25, 1));
    }

    #[test]
    fn larger_partners_need_no_fewer_shared_elements() {
        for t in [0.2, 0.5, 0.8, 0.95] {
            let sharing = Sharing::new(Against::Union, t, 0.99, None).unwrap();
            assert!((1..900).all(|n| sharing.least(n) <= sharing.least(n + 1)), "{t}");
            let by_trying = |n: usize| (1..=n).find(|&shared| sharing.suffices(shared, n)).unwrap();
            assert!([1, 2, 77, 600, 601, 880].into_iter().all(|n| sharing.least(n) == by_trying(n)), "{t}");
        }
    }
}

//! How many sampled fingerprints two documents must share to be candidates. This number is chosen so that MOD_m sketches have a
//! guaranteed recall.

use super::promise::PairSizes;
use crate::{
    error::{ErrorKind, Result},
    sketch::{
        Modulus,
        binomial::{masses, probability},
        shared_of_least,
    },
};

/// The sample by which a document is compared: the elements of its MOD_m sketch, or features derived from them.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The level i: 2ⁱ divides every element.
    pub level: u32,
    /// The elements, sorted, each once.
    pub elements: &'a [u64],
}

impl Sample<'_> {
    /// Returns the number of elements that are in both samples. If the levels differ, shared elements are divisible by the larger
    /// modulus automatically.
    pub fn shared(&self, other: Self) -> u64 {
        shared_of_least(self.elements, other.elements, usize::MAX).0
    }

    /// Returns the number of elements that 2^level divides.
    pub fn count(&self, level: u32) -> usize {
        if level > self.level {
            self.elements
                .iter()
                .filter(|element| element.trailing_zeros() >= level)
                .count()
        } else {
            self.elements.len()
        }
    }
}

/// The set by whose size the number of shared elements is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The union of both documents' elements. The share is then their resemblance.
    Union,
    /// The elements of the document with fewer elements. The share is then the containment of that document in the other.
    Smaller,
}

/// The rule that decides whether a pair is a candidate: the number of elements that the two documents must share, given the
/// number of elements that they have.
///
/// For a pair at the threshold, each sampled element is shared with probability t (Broder 1997, section 3: the estimators of the
/// sketches are unbiased). So the number of shared elements among n sampled ones is binomial (section 4.2). A pair that shares k
/// elements is rejected if a pair at the threshold would share k or fewer with a probability of at most `miss`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sharing {
    against: Against,
    threshold: f64,
    miss: f64,
    modulus: Modulus,
    /// The minimum number of shared elements, for each number of elements up to [`TABLED`]. Without this table, computing a
    /// binomial sum for each pair took half of the time.
    least: Vec<u32>,
}

/// The largest number of elements for which the minimum is stored in a table. It is far more than a sample with a growing modulus
/// has.
const TABLED: usize = 600;

/// The smallest number of shingles for which a fixed modulus guarantees the recall. Shorter texts may by chance have no sampled
/// shingle at all.
pub const FEWEST_SHINGLES: usize = 50;

/// Half of the allowed misses are reserved for texts that share too few sampled elements by chance. The other half is reserved
/// for texts with too few sampled shingles.
const MISS_SHARE: f64 = 0.5;

impl Sharing {
    /// Creates the rule for the threshold and the recall. If `modulus` is `None`, the function chooses a modulus for this
    /// threshold and recall.
    ///
    /// For resemblance, the modulus grows with the text, so that large texts cost no more than small ones. The modulus may grow
    /// because similar texts have about the same size. For containment, a long text may contain a short one, and the sketches of
    /// both must include the elements that the two texts share. So the modulus stops growing at a limit: the largest power of two
    /// with which a text of only [`FEWEST_SHINGLES`] shingles is still found with the required recall, however long the text that
    /// contains it.
    ///
    /// # Errors
    /// Fails if the threshold or the recall is out of range, if a given modulus does not reach the recall, or if a modulus that
    /// grows with the text is given for containment.
    pub fn new(
        against: Against,
        threshold: f64,
        recall: f64,
        modulus: Option<Modulus>,
    ) -> Result<Self> {
        super::Shape::check(threshold, recall)?;
        let miss = MISS_SHARE * (1.0 - recall);
        let with = |modulus| Self {
            against,
            threshold,
            miss,
            modulus,
            least: Vec::new(),
        };
        let chosen = match against {
            Against::Union => {
                let keeps = |&least: &usize| {
                    with(Modulus::Growing { least }).found_at_threshold() >= recall
                };
                let least = (0..12).map(|i| 50 << i).find(keeps).unwrap_or(50 << 12);
                Modulus::Growing { least }
            }
            Against::Smaller => {
                let keeps =
                    |&level: &u32| with(Modulus::Fixed { level }).found(FEWEST_SHINGLES) >= recall;
                Modulus::Capped {
                    least: FEWEST_SHINGLES,
                    level: (0..16).rev().find(keeps).unwrap_or(0),
                }
            }
        };
        let mut sharing = with(modulus.unwrap_or(chosen));
        match (against, sharing.modulus) {
            (Against::Smaller, Modulus::Growing { .. }) => {
                return Err(ErrorKind::GrowingModulus.into());
            }
            (_, Modulus::Fixed { level })
                if modulus.is_some() && sharing.found_at_threshold() < recall =>
            {
                let found = sharing.found_at_threshold();
                let attainable = (found * 100.0).floor() / 100.0;
                return Err(ErrorKind::Sampled {
                    modulus: 1 << level.min(63),
                    found,
                    recall,
                    threshold,
                    attainable,
                }
                .into());
            }
            _ => {}
        }
        let (mut least, mut table) = (1, vec![1]);
        for n in 1..=TABLED {
            // A larger number of elements never requires fewer shared elements.
            while !sharing.suffices(least, n) {
                least += 1;
            }
            table.push(least as u32);
        }
        sharing.least = table;
        Ok(sharing)
    }

    /// Returns how documents are sampled.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// Returns whether two documents share enough to be candidates. For containment, two documents are candidates if either may
    /// be contained in the other. Cost: a merge of the two samples.
    pub fn is_candidate(&self, a: Sample, b: Sample) -> bool {
        let level = a.level.max(b.level);
        let (counts, shared) = ([a.count(level), b.count(level)], a.shared(b) as usize);
        match self.against {
            Against::Union => shared >= self.least(counts[0] + counts[1] - shared),
            Against::Smaller => shared >= self.least(counts[0].min(counts[1])),
        }
    }

    /// Returns the number of elements that two documents must share to be a candidate pair, if one of them has `n` elements and
    /// the other has at least as many. The result is above `n` if no number suffices.
    pub fn least(&self, n: usize) -> usize {
        if let Some(&least) = self.least.get(n) {
            return least as usize;
        }
        // If a number suffices, every larger number suffices. For 1,000 elements, bisection takes a hundredth of the time of
        // trying each number.
        let (mut least, mut enough) = (1, n + 1);
        while least < enough {
            let middle = least.midpoint(enough);
            if self.suffices(middle, n) {
                enough = middle
            } else {
                least = middle + 1
            }
        }
        least
    }

    /// Returns the set by whose size the number of shared elements is divided.
    pub fn against(&self) -> Against {
        self.against
    }

    /// Returns whether sharing `shared` of n elements suffices: a pair at the threshold shares `shared` or fewer with a
    /// probability above `miss`.
    fn suffices(&self, shared: usize, n: usize) -> bool {
        shared > 0
            && (shared as f64 >= self.threshold * n as f64
                || probability(n, self.threshold, 0..=shared) > self.miss)
    }

    /// Returns P(found) of a pair at the threshold with n sampled elements.
    fn found_of(&self, n: usize) -> f64 {
        probability(n, self.threshold, self.least(n)..=n)
    }

    /// Returns P(found) of a pair at the threshold, by the binomial model of the rule. `size` is the size of the smaller set or,
    /// for resemblance, of the union. This probability is used to choose the modulus.
    fn found(&self, size: usize) -> f64 {
        let level = match self.modulus {
            // A short text must be found in texts of any length, so its probability is computed for the highest level, which is
            // that of the longest texts.
            Modulus::Capped { level, .. } => level,
            modulus => modulus.level(size),
        };
        let share = 0.5f64.powi(level as i32);
        (1..=size)
            .map(|n| probability(size, share, n..=n) * self.found_of(n))
            .sum()
    }

    /// Returns P(found) of a pair of sets: the probability that enough of their shared elements are sampled. Each element is
    /// sampled independently, so this needs no model of the shared elements. For containment, `pair.b` has no effect: the larger
    /// set may have any size, and the result is the minimum probability.
    pub fn found_of_pair(&self, pair: PairSizes) -> f64 {
        let PairSizes { shared, a, b } = pair;
        let (alone, levels) = match self.against {
            Against::Union => (a + b, [self.common_level(pair); 2]),
            Against::Smaller => {
                let own = self.modulus.level(shared + a);
                (a, [own, self.modulus.highest().max(own)])
            }
        };
        (levels[0]..=levels[1])
            .map(|level| self.found_on_level(level, shared, alone))
            .fold(1.0, f64::min)
    }

    /// Returns the level on which the samples of two sets are compared.
    pub fn common_level(&self, pair: PairSizes) -> u32 {
        let [a, b] = self.levels(pair);
        a.max(b)
    }

    /// Returns the levels of both sets.
    pub fn levels(&self, PairSizes { shared, a, b }: PairSizes) -> [u32; 2] {
        [a, b].map(|own| self.modulus.level(shared + own))
    }

    fn found_on_level(&self, level: u32, shared: usize, alone: usize) -> f64 {
        let share = 0.5f64.powi(level as i32);
        let ((least_shared, shared), (least_alone, alone)) =
            (masses(shared, share), masses(alone, share));
        let (mut found, mut most, mut below) = (0.0, 0, 0.0);
        for (k, mass) in (least_shared..).zip(shared) {
            // A larger number of elements never requires fewer shared elements, so k shared elements suffice as long as the
            // number of other elements does not exceed a certain limit. One more element requires at most one more shared
            // element, so the limit of k + 1 is not lower. `most` is the number of masses up to the limit, `below` their sum.
            while k > 0 && most < alone.len() && k >= self.least(k + least_alone + most) {
                below += alone[most];
                most += 1;
            }
            found += mass * below;
        }
        found
    }

    /// Returns the set sizes at which the modulus doubles, if they are above `size` and at most `most`.
    pub fn edges(&self, size: usize, most: usize) -> Vec<usize> {
        let (least, highest) = match self.modulus {
            Modulus::Fixed { .. } => return Vec::new(),
            Modulus::Growing { least } => (least, u32::MAX),
            Modulus::Capped { least, level } => (least, level),
        };
        let levels = (1..=highest).map_while(|level| 1usize.checked_shl(level)?.checked_mul(least));
        levels
            .take_while(|&edge| edge <= most)
            .filter(|&edge| edge > size)
            .collect()
    }

    /// Returns the minimum of P(found) for pairs at the threshold: over all texts if the modulus grows with the text, otherwise
    /// over texts of at least [`FEWEST_SHINGLES`].
    pub fn found_at_threshold(&self) -> f64 {
        match self.modulus {
            // As the number of elements grows from `least`, the probability rises and falls like a sawtooth whose amplitude
            // decreases.
            Modulus::Growing { least } => (least..=4 * least)
                .map(|n| self.found_of(n))
                .fold(1.0, f64::min),
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
        assert_eq!(
            modulus(Against::Smaller, 0.5),
            Modulus::Capped {
                least: 50,
                level: 2
            }
        );
        assert_eq!(
            modulus(Against::Smaller, 0.8),
            Modulus::Capped {
                least: 50,
                level: 3
            }
        );
        assert_eq!(
            modulus(Against::Smaller, 0.9),
            Modulus::Capped {
                least: 50,
                level: 3
            }
        );
    }

    #[test]
    fn candidates_in_a_table() {
        let sample = |range: std::ops::Range<u64>| range.collect::<Vec<u64>>();
        let (short, other, long) = (sample(1..41), sample(4..44), sample(1..401));
        let [short, other, long] =
            [&short, &other, &long].map(|elements| Sample { level: 0, elements });
        let by = |against| Sharing::new(against, 0.8, 0.99, None).unwrap();
        assert!(by(Against::Union).is_candidate(short, other), "37 of 43");
        assert!(!by(Against::Union).is_candidate(short, long), "40 of 400");
        assert!(by(Against::Smaller).is_candidate(short, long), "40 of 40");
        assert_eq!(
            (
                short.count(3),
                by(Against::Union).least(40),
                by(Against::Union).least(1)
            ),
            (5, 25, 1)
        );
    }

    /// Every number of other elements is tried for every number of shared elements.
    #[test]
    #[ignore = "slow: `make test-all` runs it"]
    fn the_probability_of_a_pair_is_the_sum_over_all_samples() {
        let of_all = |sharing: &Sharing, level: u32, shared: usize, alone: usize| {
            let share = 0.5f64.powi(level as i32);
            let ((least_shared, shared), (least_alone, alone)) =
                (masses(shared, share), masses(alone, share));
            let mut found = 0.0;
            for (k, mass) in (least_shared..).zip(shared) {
                let suffices = |m: usize| k > 0 && k >= sharing.least(k + m);
                let others = (least_alone..).zip(&alone).filter(|(m, _)| suffices(*m));
                found += mass * others.map(|(_, mass)| mass).sum::<f64>();
            }
            found
        };
        for (against, threshold, recall) in [
            (Against::Union, 0.5, 0.99),
            (Against::Union, 0.8, 0.9999),
            (Against::Smaller, 0.3, 0.9),
            (Against::Smaller, 0.9, 0.99),
        ] {
            let sharing = Sharing::new(against, threshold, recall, None).unwrap();
            for (shared, alone) in [
                (1, 0),
                (3, 2),
                (20, 0),
                (40, 30),
                (200, 50),
                (700, 90),
                (1500, 900),
            ] {
                for level in 0..4 {
                    let found = sharing.found_on_level(level, shared, alone);
                    assert_eq!(
                        found,
                        of_all(&sharing, level, shared, alone),
                        "{sharing:?} {shared} {alone} {level}"
                    );
                }
            }
        }
    }

    #[test]
    fn larger_partners_need_no_fewer_shared_elements() {
        for t in [0.2, 0.5, 0.8, 0.95] {
            let sharing = Sharing::new(Against::Union, t, 0.99, None).unwrap();
            assert!(
                (1..900).all(|n| sharing.least(n) <= sharing.least(n + 1)),
                "{t}"
            );
            let by_trying = |n: usize| (1..=n).find(|&shared| sharing.suffices(shared, n)).unwrap();
            assert!(
                [1, 2, 77, 600, 601, 880]
                    .into_iter()
                    .all(|n| sharing.least(n) == by_trying(n)),
                "{t}"
            );
        }
    }
}

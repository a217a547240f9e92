//! Error rates of a score that decides whether two prints are from the same finger.

use std::collections::BTreeMap;

/// Counts of genuine pairs and of all others by their scores. Scores that differ by less than about 0.1 % are counted together, so
/// that the memory does not grow with the number of pairs.
#[derive(Debug, Default)]
pub(super) struct Rates {
    /// The numbers of genuine and of other pairs, by the first bits of the score.
    counts: BTreeMap<u64, [u64; 2]>,
}

/// The bits of a score that are left out: all but ten bits of its mantissa. Scores are not negative, so their bits are in the order of
/// their values.
const LEFT_OUT: u32 = 42;

impl Rates {
    /// Counts a pair.
    pub(super) fn push(&mut self, score: f64, genuine: bool) {
        let counts = self
            .counts
            .entry(score.max(0.0).to_bits() >> LEFT_OUT)
            .or_default();
        counts[usize::from(!genuine)] += 1;
    }

    /// Returns the equal error rate: the rate at the score at which the share of genuine pairs with a lower score (false non-matches)
    /// equals the share of other pairs with at least this score (false matches). Between two scores, both rates are interpolated.
    /// `all` has the numbers of genuine and of other pairs; those that were not counted are not candidates, and have the lowest
    /// score. Returns `None` if there are no pairs of one kind.
    pub(super) fn equal(&self, all: [u64; 2]) -> Option<f64> {
        if all.contains(&0) {
            return None;
        }
        let (mut counted, mut before) = ([0, 0], (0.0, 1.0));
        let rates = |counted: [u64; 2]| {
            (
                counted[1] as f64 / all[1] as f64,
                1.0 - counted[0] as f64 / all[0] as f64,
            )
        };
        for counts in self.counts.values().rev() {
            counted = [counted[0] + counts[0], counted[1] + counts[1]];
            let now = rates(counted);
            if now.0 >= now.1 {
                return Some(crossing(before, now));
            }
            before = now;
        }
        Some(crossing(before, (1.0, 0.0)))
    }
}

/// Returns the rate at which the line between two points (false matches, false non-matches) has equal rates.
fn crossing(before: (f64, f64), now: (f64, f64)) -> f64 {
    let (gap, next) = (before.1 - before.0, now.0 - now.1);
    let share = if gap + next > 0.0 {
        gap / (gap + next)
    } else {
        0.0
    };
    before.0 + share * (now.0 - before.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(pairs: &[(f64, bool)], all: [u64; 2]) -> Option<f64> {
        let mut rates = Rates::default();
        pairs
            .iter()
            .for_each(|&(score, genuine)| rates.push(score, genuine));
        rates.equal(all)
    }

    #[test]
    fn known_rates() {
        let scored = [
            (0.9, true),
            (0.8, true),
            (0.7, false),
            (0.6, true),
            (0.5, false),
            (0.4, false),
        ];
        // At 0.7, a third of the other pairs match, and a third of the genuine pairs do not.
        assert_eq!(rate(&scored, [3, 3]), Some(1.0 / 3.0));
        assert_eq!(rate(&scored[..2], [2, 9]), Some(0.0));
        // If no pair is a candidate, no score separates the pairs.
        assert_eq!(rate(&[], [4, 9]), Some(0.5));
        assert_eq!((rate(&scored, [0, 3]), rate(&scored, [3, 0])), (None, None));
    }

    proptest! {
        /// Compares with all thresholds, for scores that are counted apart.
        #[test]
        fn the_rate_is_between_those_of_neighbouring_scores(pairs in prop::collection::vec((0u32..40, any::<bool>()), 1..60)) {
            let pairs: Vec<(f64, bool)> = pairs.into_iter().map(|(score, genuine)| (f64::from(score) / 40.0, genuine)).collect();
            let of = |kind: bool| pairs.iter().filter(|pair| pair.1 == kind).count() as u64;
            let all = [of(true), of(false)];
            prop_assume!(!all.contains(&0));
            let found = rate(&pairs, all).unwrap();
            let errors = |least: f64| {
                let count = |kind: bool| pairs.iter().filter(|pair| pair.1 == kind && pair.0 >= least).count() as f64;
                (count(false) / all[1] as f64, 1.0 - count(true) / all[0] as f64)
            };
            let (mut low, mut high) = (0.0f64, 1.0f64);
            for step in 0..=41 {
                let (matches, misses) = errors(f64::from(step) / 40.0);
                low = low.max(matches.min(misses));
                high = high.min(matches.max(misses));
            }
            prop_assert!(found >= low - 1e-9 && found <= high + 1e-9, "{} not in {}..{}", found, low, high);
        }
    }
}

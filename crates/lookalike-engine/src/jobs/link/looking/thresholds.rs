//! What another threshold would give.

use serde::Serialize;

use super::scores::{Scale, Scores};

/// How it is known which pairs are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdsBy {
    /// By labels.
    Labels,
    /// By labels, and each pair was scored by a model that was made without the labels of its cluster.
    HeldOut,
    /// By the probabilities of the model, so that the figures are expectations.
    Model,
}

/// Precision, recall and F1 for some thresholds of a match. Only pairs with a label count, unless the figures are expectations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Thresholds {
    /// How it is known which pairs are right.
    pub by: ThresholdsBy,
    /// The figures for some thresholds, from the lowest to the highest.
    pub thresholds: Vec<AtThreshold>,
    /// The figures for the threshold of the configuration.
    pub current: AtThreshold,
    /// The threshold with the highest F1: that of the configuration, or else a short number that lies between the lowest score that
    /// should reach it and the next lower one. `None` if no pair is right.
    pub best: Option<AtThreshold>,
}

/// The figures for a threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtThreshold {
    /// The lowest score of a match, as in a configuration.
    pub threshold: f64,
    /// The same in bits, if weights are learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    /// The pairs that reach it.
    pub pairs: u64,
    /// The share of right pairs among them.
    pub precision: Option<f64>,
    /// The share of all right pairs that reach it.
    pub recall: Option<f64>,
    /// The harmonic mean of precision and recall.
    pub f1: Option<f64>,
}

/// The thresholds in a table: shares of points, and probabilities.
const SHARES: [f64; 15] = [
    0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0,
];
const PROBABILITIES: [f64; 13] = [
    0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999,
];

/// The steps of a curve, and the lowest bits and the highest bits that it shows.
const STEPS: [f64; 2] = [0.01, 0.5];
const SHOWN: [f64; 2] = [-7.0, 40.0];

/// The largest number of digits of a recommended threshold.
const DIGITS: i32 = 13;

/// The numbers of right and of wrong pairs that reach each place of a scale, and of all right pairs.
pub(in crate::jobs::link) struct Reaching {
    by: ThresholdsBy,
    scale: Scale,
    right: Vec<f64>,
    wrong: Vec<f64>,
    all: f64,
    /// The lowest place and the highest place with a pair.
    ends: Option<[usize; 2]>,
}

impl Reaching {
    /// Sums up scores. `all` is the number of right pairs; some of them may have no score. If the figures are expectations, it is the
    /// expected number of right pairs among those with a score.
    pub(in crate::jobs::link) fn new(scores: &Scores, by: ThresholdsBy, all: u64) -> Self {
        let scale = scores.scale;
        let (mut right, mut wrong) = (vec![0.0; scale.places() + 1], vec![0.0; scale.places() + 1]);
        for (place, counts) in scores.counts.iter().enumerate().rev() {
            let [is_right, is_wrong] = if by == ThresholdsBy::Model {
                let (pairs, probability) = (
                    counts.iter().sum::<u64>() as f64,
                    scale.share(scale.score(place)),
                );
                [pairs * probability, pairs * (1.0 - probability)]
            } else {
                [counts[0] as f64, counts[1] as f64]
            };
            right[place] = right[place + 1] + is_right;
            wrong[place] = wrong[place + 1] + is_wrong;
        }
        let all = if by == ThresholdsBy::Model {
            right[0]
        } else {
            all as f64
        };
        Self {
            by,
            scale,
            right,
            wrong,
            all,
            ends: scores.ends(),
        }
    }

    /// Returns the figures for a share of points or a probability.
    fn at(&self, threshold: f64) -> AtThreshold {
        let place = self.first_reaching(threshold);
        let bits = (self.scale == Scale::Bits).then(|| (threshold / (1.0 - threshold)).log2());
        self.figures(place, threshold, bits.filter(|bits| bits.is_finite()))
    }

    fn figures(&self, place: usize, threshold: f64, bits: Option<f64>) -> AtThreshold {
        let (right, wrong) = (self.right[place], self.wrong[place]);
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        AtThreshold {
            threshold,
            bits: bits.map(|bits| (bits * 100.0).round() / 100.0),
            pairs: (right + wrong).round() as u64,
            precision: share(right, right + wrong),
            recall: share(right, self.all),
            f1: share(2.0 * right, right + wrong + self.all),
        }
    }

    /// Returns the lowest place whose score reaches a threshold.
    fn first_reaching(&self, threshold: f64) -> usize {
        let (mut low, mut high) = (0, self.scale.places());
        while low < high {
            let middle = (low + high) / 2;
            if self.scale.share(self.scale.score(middle)) >= threshold {
                high = middle
            } else {
                low = middle + 1
            }
        }
        low
    }

    /// Returns the threshold with the highest F1.
    fn best(&self) -> Option<AtThreshold> {
        let [first, last] = self.ends?;
        let f1 = |place: usize| {
            2.0 * self.right[place] / (self.right[place] + self.wrong[place] + self.all)
        };
        let is_used = |place: &usize| {
            self.right[*place] > self.right[*place + 1]
                || self.wrong[*place] > self.wrong[*place + 1]
        };
        let mut used = (first..=last).rev().filter(is_used);
        let mut best = used.next().filter(|_| self.right[first] > 0.0)?;
        used.for_each(|place| {
            if f1(place) > f1(best) {
                best = place;
            }
        });
        let below = (first..best).rev().find(is_used);
        let share = |place: usize| self.scale.share(self.scale.score(place));
        let middle = below.map_or(share(best), |below| {
            self.scale
                .share((self.scale.score(below) + self.scale.score(best)) / 2.0)
        });
        let threshold = short(below.map_or(0.0, share), middle, share(best));
        Some(self.at(threshold))
    }

    /// Returns the table for a summary. `current` is the threshold of the configuration.
    pub(in crate::jobs::link) fn table(&self, current: f64) -> Thresholds {
        let all: &[f64] = if self.scale == Scale::Bits {
            &PROBABILITIES
        } else {
            &SHARES
        };
        let mut thresholds: Vec<AtThreshold> =
            all.iter().map(|&threshold| self.at(threshold)).collect();
        // Thresholds that all pairs reach say nothing, except the highest one of them.
        let same = thresholds
            .windows(2)
            .take_while(|two| two[0].pairs == two[1].pairs)
            .count();
        thresholds.drain(..same);
        let (current, best) = (self.at(current), self.best());
        // A threshold that is as good as any need not change.
        let best = best.map(|best| {
            if current.f1 == best.f1 {
                current.clone()
            } else {
                best
            }
        });
        Thresholds {
            by: self.by,
            thresholds,
            current,
            best,
        }
    }

    /// Returns the figures for a curve, in small steps.
    pub(in crate::jobs::link) fn curve(&self) -> Vec<AtThreshold> {
        let Some([first, last]) = self.ends else {
            return Vec::new();
        };
        let is_bits = self.scale == Scale::Bits;
        let step = STEPS[usize::from(is_bits)];
        let [first, last] = [first, last].map(|place| self.scale.score(place));
        let [least, most] = if is_bits { SHOWN } else { [0.0, 1.0] };
        let [first, last] = [(first / step).floor(), (last / step).ceil()]
            .map(|at| at.clamp(least / step, most / step) as i64);
        let at = |number: i64| {
            let score = number as f64 * step;
            let score = if is_bits {
                score
            } else {
                (score * 100.0).round() / 100.0
            };
            self.figures(
                self.scale.place(score),
                self.scale.share(score),
                is_bits.then_some(score),
            )
        };
        (first..=last).map(at).collect()
    }
}

/// Returns a number above `low` and at most `high` with few digits, near `middle` if possible.
fn short(low: f64, middle: f64, high: f64) -> f64 {
    let rounded = |digits: i32| {
        let scale = 10f64.powi(digits);
        (middle * scale).round() / scale
    };
    (1..=DIGITS)
        .map(rounded)
        .find(|number| *number > low && *number <= high)
        .unwrap_or(high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_numbers_in_a_table() {
        for (low, middle, high, expected) in [
            (0.61, 0.77, 0.93, 0.8),
            (0.8, 0.845, 0.89, 0.85),
            (0.8499, 0.84995, 0.85, 0.85),
            (0.0, 0.03, 0.03, 0.03),
            (0.99, 0.9984, 0.9999, 0.998),
            (0.5, 1.0, 1.0, 1.0),
        ] {
            assert_eq!(short(low, middle, high), expected, "{low} {middle} {high}");
        }
    }

    /// Pairs as scores in thousandths with labels.
    fn pairs() -> impl Strategy<Value = Vec<(i32, Option<bool>)>> {
        prop::collection::vec((0i32..1000, prop::option::of(any::<bool>())), 1..80)
    }

    proptest! {
        #[test]
        fn the_best_threshold_has_the_highest_f1_of_all(pairs in pairs(), bits: bool, missed in 0u64..9) {
            let scale = if bits { Scale::Bits } else { Scale::Points };
            let score = |score: i32| if bits { f64::from(score - 500) / 50.0 } else { f64::from(score) / 1000.0 };
            let mut scores = Scores::new(scale);
            pairs.iter().for_each(|&(of, label)| scores.add(score(of), label, 1));
            let right = pairs.iter().filter(|(_, label)| *label == Some(true)).count() as u64;
            let reaching = Reaching::new(&scores, ThresholdsBy::Labels, right + missed);
            let f1 = |threshold: f64| {
                let reach = |label: bool| {
                    let is = |(of, given): &&(i32, Option<bool>)| *given == Some(label) && scale.share(score(*of)) >= threshold;
                    pairs.iter().filter(is).count() as f64
                };
                let (right_ones, wrong) = (reach(true), reach(false));
                2.0 * right_ones / (right_ones + wrong + (right + missed) as f64)
            };
            let table = reaching.table(0.5);
            prop_assert_eq!(table.best.is_some(), right > 0);
            if let Some(best) = table.best {
                prop_assert_eq!(best.f1.unwrap(), f1(best.threshold));
                for (of, _) in &pairs {
                    prop_assert!(f1(scale.share(score(*of))) <= best.f1.unwrap(), "{:?}", best);
                }
            }
            for at in table.thresholds.iter().chain([&table.current]) {
                let expected = f1(at.threshold);
                prop_assert!(at.f1.map_or(expected.is_nan(), |found| (found - expected).abs() < 1e-12), "{:?} {}", at, expected);
            }
            let curve = reaching.curve();
            prop_assert!(curve.windows(2).all(|two| two[0].threshold < two[1].threshold && two[0].pairs >= two[1].pairs));
        }

        #[test]
        fn a_model_expects_as_many_right_pairs_as_its_probabilities_say(pairs in pairs()) {
            let mut scores = Scores::new(Scale::Bits);
            pairs.iter().for_each(|&(of, label)| scores.add(f64::from(of - 500) / 50.0, label, 1));
            let probability = |of: i32| 1.0 / (1.0 + (-f64::from(of - 500) / 50.0).exp2());
            let all: f64 = pairs.iter().map(|(of, _)| probability(*of)).sum();
            let found: Vec<f64> = pairs.iter().map(|(of, _)| probability(*of)).filter(|share| *share >= 0.9).collect();
            let at = Reaching::new(&scores, ThresholdsBy::Model, 0).table(0.9).current;
            prop_assert_eq!(at.pairs, found.len() as u64);
            prop_assert!((at.recall.unwrap() - found.iter().sum::<f64>() / all).abs() < 1e-9);
            let precision = (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64);
            prop_assert!(at.precision.zip(precision).map_or(at.precision == precision, |(a, b)| (a - b).abs() < 1e-9));
        }
    }
}

//! How many pairs have each score.

use lookalike_applications::records::{Linker, PARTS, PARTS_OF_A_BIT, learned::probability};
use serde::Serialize;

use crate::jobs::link::reading::truth::kind_of;

/// The unit of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Shares of the possible points, from 0 to 1.
    Points,
    /// The base-2 logarithm of the odds of a match.
    Bits,
}

/// Scores in bits outside this range count as its ends.
const BITS: [f64; 2] = [-60.0, 100.0];

impl Scale {
    pub(in crate::jobs::link) fn of(linker: &Linker) -> Self {
        if linker.model().is_some() {
            Self::Bits
        } else {
            Self::Points
        }
    }

    fn bounds(self) -> ([f64; 2], f64) {
        match self {
            Self::Points => ([0.0, 1.0], PARTS),
            Self::Bits => (BITS, PARTS_OF_A_BIT),
        }
    }

    /// Returns the number of different scores.
    pub(super) fn places(self) -> usize {
        let ([least, most], parts) = self.bounds();
        ((most - least) * parts) as usize + 1
    }

    /// Returns the place of a score among all different ones.
    pub(super) fn place(self, score: f64) -> usize {
        let ([least, most], parts) = self.bounds();
        ((score.clamp(least, most) - least) * parts).round() as usize
    }

    /// Returns the score at a place.
    pub(super) fn score(self, place: usize) -> f64 {
        let ([least, _], parts) = self.bounds();
        (place as f64 + least * parts) / parts
    }

    /// Returns the share of the points, or the probability of a match, that a score means.
    pub(super) fn share(self, score: f64) -> f64 {
        if self == Self::Bits {
            probability(score)
        } else {
            score
        }
    }

    /// Returns the width of a bar of a histogram.
    fn step(self) -> f64 {
        if self == Self::Bits { 1.0 } else { 0.02 }
    }
}

/// How many pairs have each score: pairs that are labelled as matches, pairs that are labelled as no matches, and pairs without a
/// label.
#[derive(Debug, Clone)]
pub(in crate::jobs::link) struct Scores {
    pub(super) scale: Scale,
    pub(super) counts: Vec<[u64; 3]>,
}

impl Scores {
    pub(in crate::jobs::link) fn new(scale: Scale) -> Self {
        Self {
            scale,
            counts: vec![[0; 3]; scale.places()],
        }
    }

    /// Counts a pair as `times` pairs.
    pub(in crate::jobs::link) fn add(&mut self, score: f64, label: Option<bool>, times: u64) {
        self.counts[self.scale.place(score)][kind_of(label)] += times;
    }

    /// Returns the lowest place and the highest place with a pair.
    pub(super) fn ends(&self) -> Option<[usize; 2]> {
        let is_used = |counts: &[u64; 3]| counts.iter().any(|count| *count > 0);
        Some([
            self.counts.iter().position(is_used)?,
            self.counts.iter().rposition(is_used)?,
        ])
    }

    /// Returns the histogram; `None` if there is no pair.
    pub(in crate::jobs::link) fn histogram(&self) -> Option<ScoreHistogram> {
        let [first, last] = self.ends()?;
        let step = self.scale.step();
        // A bar has the scores from its beginning to just below the next one.
        let bar = |place: usize| (self.scale.score(place) / step + 1e-9).floor() as i64;
        let lowest = bar(first);
        let mut bars = vec![[0; 3]; (bar(last) - lowest) as usize + 1];
        for (place, counts) in self.counts.iter().enumerate().take(last + 1).skip(first) {
            let bar = &mut bars[(bar(place) - lowest) as usize];
            bar.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
        let labelled = |kind: usize| {
            let of_kind: Vec<u64> = bars.iter().map(|bar| bar[kind]).collect();
            bars.iter()
                .any(|bar| bar[0] + bar[1] > 0)
                .then_some(of_kind)
        };
        Some(ScoreHistogram {
            scale: self.scale,
            from: (lowest as f64 * step * 100.0).round() / 100.0,
            step,
            pairs: bars.iter().map(|bar| bar.iter().sum()).collect(),
            matches: labelled(0),
            others: labelled(1),
        })
    }
}

/// The distribution of scores, in bars of equal width. If each record is in at most one pair, it has only the chosen pairs. Otherwise it
/// has all pairs with a label, and those without one whose score was computed: by default possible matches and matches; with a model, pairs
/// with a probability of at least 0.8 %.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreHistogram {
    /// The unit of scores.
    pub scale: Scale,
    /// The lowest score of the first bar.
    pub from: f64,
    /// The width of a bar.
    pub step: f64,
    /// The number of pairs in each bar.
    pub pairs: Vec<u64>,
    /// The number of pairs that are labelled as matches; `None` if no pair has a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<u64>>,
    /// The number of pairs that are labelled as no matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<Vec<u64>>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_pair_is_in_one_bar(scores in prop::collection::vec((-70_000i32..120_000, 0u8..3), 1..60), bits: bool) {
            let scale = if bits { Scale::Bits } else { Scale::Points };
            let mut all = Scores::new(scale);
            let of = |score: i32| if bits { f64::from(score) / 1000.0 } else { f64::from(score.rem_euclid(10_001)) / 10_000.0 };
            for &(score, label) in &scores {
                all.add(of(score), [Some(true), Some(false), None][usize::from(label)], 1);
                if (-60_000..=100_000).contains(&score) || !bits {
                    prop_assert_eq!(scale.score(scale.place(of(score))), of(score));
                }
            }
            let histogram = all.histogram().unwrap();
            for (at, pairs) in histogram.pairs.iter().enumerate() {
                let from = histogram.from + at as f64 * histogram.step;
                let is_in = |score: f64| score > from - 1e-6 && score < from + histogram.step - 1e-6;
                let expected = scores.iter().filter(|(score, _)| is_in(of(*score).clamp(-60.0, 100.0))).count();
                prop_assert_eq!(*pairs, expected as u64, "from {}", from);
            }
            let labelled = scores.iter().filter(|(_, label)| *label < 2).count() as u64;
            let sum = |bars: &Option<Vec<u64>>| bars.iter().flatten().sum::<u64>();
            prop_assert_eq!(sum(&histogram.matches) + sum(&histogram.others), labelled);
        }
    }
}

//! How far apart pairs are in a field that is not compared → how many of them are right.

use lookalike_applications::records::{Scored, mean_apart, right_share};
use serde::Serialize;

/// How many pairs are right, by a field that the score knows nothing of (*Mining of Massive Datasets*, section 3.8.1): pairs of all points
/// are taken for right, pairs at random for wrong, and the others lie between them as far as their values do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RightShares {
    /// The field.
    pub field: String,
    /// How far apart pairs of all points are on the average; none where there is no such pair with a value in both records.
    pub right: Option<f64>,
    /// How far apart all possible pairs are on the average.
    pub wrong: Option<f64>,
    /// Scores from the highest to the lowest.
    pub scores: Vec<RightShare>,
    /// All matches.
    pub matches: RightShare,
}

/// Some pairs.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RightShare {
    /// The least score.
    pub from: f64,
    /// The score that they are below; none for pairs of all points, and for all matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Pairs with a value in both records.
    pub pairs: u64,
    /// How far apart they are on the average; none without pairs.
    pub apart: Option<f64>,
    /// The share of them that is right, about: 0 if they are further apart than pairs at random, 1 if they are nearer than right ones.
    pub right: Option<f64>,
}

/// Distances of pairs by their scores, a twentieth at a time, and of pairs of all points.
pub(super) struct Distances<'a> {
    field: &'a str,
    /// Each record's value; NaN where it has none.
    values: &'a [f64],
    bands: [Sum; BANDS + 1],
    matches: Sum,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    pairs: u64,
    sum: f64,
}

const BANDS: usize = 20;

impl<'a> Distances<'a> {
    pub(super) fn new(field: &'a str, values: &'a [f64]) -> Self {
        Self { field, values, bands: [Sum::default(); BANDS + 1], matches: Sum::default() }
    }

    /// Takes a pair.
    pub(super) fn count(&mut self, pair: &Scored, is_match: bool) {
        let apart = (self.values[pair.a as usize] - self.values[pair.b as usize]).abs();
        if apart.is_nan() {
            return;
        }
        // Scores are whole ten thousandths.
        let band = (pair.score * 10_000.0).round() as usize * BANDS / 10_000;
        self.bands[band.min(BANDS)].add(apart);
        if is_match {
            self.matches.add(apart);
        }
    }

    /// What the distances say, where the second collection begins at `split`, if there are two.
    pub(super) fn shares(&self, split: Option<u32>) -> RightShares {
        let present = |values: &[f64]| values.iter().copied().filter(|value| !value.is_nan()).collect::<Vec<_>>();
        let (first, second) = self.values.split_at(split.map_or(self.values.len(), |split| split as usize));
        let wrong = mean_apart(present(first), split.map(|_| present(second)));
        let right = self.bands[BANDS].mean();
        // An estimate can lie outside, and a share cannot.
        let within = |share: f64| share.clamp(0.0, 1.0);
        let share = |sum: &Sum, from: f64, below: Option<f64>| RightShare {
            from,
            below,
            pairs: sum.pairs,
            apart: sum.mean(),
            right: sum
                .mean()
                .zip(right)
                .zip(wrong)
                .and_then(|((found, right), wrong)| right_share(found, right, wrong))
                .map(within),
        };
        let bound = |band: usize| band as f64 / BANDS as f64;
        let bands = self.bands.iter().enumerate().rev().filter(|(_, sum)| sum.pairs > 0);
        let of_band = |(band, sum)| share(sum, bound(band), (band < BANDS).then(|| bound(band + 1)));
        let scores = bands.map(of_band).collect();
        RightShares { field: self.field.into(), right, wrong, scores, matches: share(&self.matches, 0.0, None) }
    }
}

impl Sum {
    fn add(&mut self, apart: f64) {
        self.pairs += 1;
        self.sum += apart;
    }

    fn mean(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum / self.pairs as f64)
    }
}

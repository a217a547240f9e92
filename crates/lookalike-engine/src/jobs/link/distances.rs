//! Estimates how many pairs are correct, from their distances in a field that is not compared.

use lookalike_applications::records::{Scored, mean_apart, right_share};
use serde::Serialize;

/// The estimated share of correct pairs, from a field that the score does not use (*Mining of Massive Datasets*, section 3.8.1).
/// Pairs with all points (the highest score) are assumed to be correct, and random pairs to be wrong. The mean distance of other
/// pairs lies between the mean distances of these two kinds, and their share of correct pairs is estimated in proportion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RightShares {
    /// The name of the field.
    pub field: String,
    /// The mean distance of pairs with all points; `None` if no such pair has a value in both records.
    pub right: Option<f64>,
    /// The mean distance of all possible pairs.
    pub wrong: Option<f64>,
    /// The estimates by score, from the highest to the lowest.
    pub scores: Vec<RightShare>,
    /// The estimate for all matches.
    pub matches: RightShare,
}

/// The estimate for some pairs.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RightShare {
    /// The lowest score.
    pub from: f64,
    /// An upper bound of the scores, which no score reaches; `None` for pairs with all points, and for all matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The number of pairs for which both records have a value.
    pub pairs: u64,
    /// The mean distance of the pairs; `None` if there are no pairs.
    pub apart: Option<f64>,
    /// The estimated share of correct pairs. It is 0 if the pairs are further apart than random pairs, and 1 if they are closer
    /// than correct pairs.
    pub right: Option<f64>,
}

/// The distances of pairs, summed in classes of scores. There is one class for each twentieth of the range of scores, and one for
/// pairs with all points.
pub(super) struct Distances<'a> {
    field: &'a str,
    /// Each record's value; NaN if the record has no value.
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
        Self {
            field,
            values,
            bands: [Sum::default(); BANDS + 1],
            matches: Sum::default(),
        }
    }

    /// Counts a pair.
    pub(super) fn count(&mut self, pair: &Scored, share: f64, is_match: bool) {
        let apart = (self.values[pair.a as usize] - self.values[pair.b as usize]).abs();
        if apart.is_nan() {
            return;
        }
        // Shares of points are multiples of 0.0001.
        let band = (share * 10_000.0).round() as usize * BANDS / 10_000;
        self.bands[band.min(BANDS)].add(apart);
        if is_match {
            self.matches.add(apart);
        }
    }

    /// Returns the estimates from the distances. The second collection, if there is one, begins at `split`.
    pub(super) fn shares(&self, split: Option<u32>) -> RightShares {
        let present = |values: &[f64]| {
            values
                .iter()
                .copied()
                .filter(|value| !value.is_nan())
                .collect::<Vec<_>>()
        };
        let (first, second) = self
            .values
            .split_at(split.map_or(self.values.len(), |split| split as usize));
        let wrong = mean_apart(present(first), split.map(|_| present(second)));
        let right = self.bands[BANDS].mean();
        // The estimate can be below 0 or above 1, but a share cannot.
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
        let bands = self
            .bands
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, sum)| sum.pairs > 0);
        let of_band =
            |(band, sum)| share(sum, bound(band), (band < BANDS).then(|| bound(band + 1)));
        let scores = bands.map(of_band).collect();
        RightShares {
            field: self.field.into(),
            right,
            wrong,
            scores,
            matches: share(&self.matches, 0.0, None),
        }
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

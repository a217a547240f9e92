//! Scores pairs by weights that were estimated from the records.

use std::sync::Arc;

use super::{fit::Estimate, frequencies::Frequencies, odds, patterns::Pattern};

/// The weights of levels, and the frequencies of values.
#[derive(Debug, Clone)]
pub struct Model {
    estimate: Estimate,
    frequencies: Arc<Frequencies>,
    /// The prior odds of a match, in bits.
    prior: f64,
    /// For each place in the order of fields, the most that this field and the later ones can add, in bits.
    most: Vec<f64>,
}

impl Model {
    /// Makes a model of what was estimated from records. Several models can share the frequencies.
    pub fn new(estimate: Estimate, frequencies: impl Into<Arc<Frequencies>>) -> Self {
        let frequencies = frequencies.into();
        let prior = odds::bits(estimate.prior);
        let mut most: Vec<f64> = Vec::with_capacity(estimate.order.len());
        let mut model = Self {
            estimate,
            frequencies,
            prior,
            most: Vec::new(),
        };
        for &field in model.estimate.order.iter().rev() {
            most.push(model.most(field) + most.last().copied().unwrap_or(0.0));
        }
        most.reverse();
        model.most = most;
        model
    }

    /// Returns the largest weight of a field, in bits; at least 0.
    pub fn most(&self, field: usize) -> f64 {
        self.estimate.fields[field]
            .weights
            .iter()
            .flatten()
            .copied()
            .fold(0.0, f64::max)
            + self.frequencies.most(field)
    }

    /// Returns what was estimated.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// Returns the prior odds of a match, in bits.
    pub fn prior(&self) -> f64 {
        self.prior
    }

    /// Returns the weight of a field in bits, for a pair with a pattern. `same` is a record with the value that both records have, if
    /// they have the same one. Only the levels of this field and of the one on which it depends must be known.
    pub(in crate::records) fn weight(
        &self,
        field: usize,
        pattern: Pattern,
        same: Option<u32>,
    ) -> f64 {
        let of_field = &self.estimate.fields[field];
        let row = of_field.parent.map_or(0, |parent| pattern.level(parent));
        let adjustment = same.map_or(0.0, |record| self.frequencies.adjustment(field, record));
        of_field.weights[row][pattern.level(field)] + adjustment
    }

    /// Returns each field, after the one on which it depends, with the most that it and those after it can add.
    pub(in crate::records) fn in_order(&self) -> impl Iterator<Item = (usize, f64)> {
        self.estimate
            .order
            .iter()
            .copied()
            .zip(self.most.iter().copied())
    }
}

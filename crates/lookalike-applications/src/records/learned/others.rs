//! How often pairs that are no matches have each level of each field.

use super::{
    dependence::{Parents, lifts},
    odds::shares,
    patterns::{Pattern, Patterns},
};

/// At least this share of the pairs with equal values are counted as other pairs. Otherwise a value that many records share, such as
/// an author, first counts as evidence, and then all pairs that share it as matches. On references to papers, 0.02, 0.1 and 0.2 gave
/// an F1 of 0.79, 0.82 and 0.86; on restaurants 0.90, 0.92 and 0.90; people did not change.
const EQUAL_OTHERS: f64 = 0.2;

/// What is known of all pairs.
pub(super) struct All<'a> {
    /// The number of levels of each field, with that of missing values.
    pub(super) levels: &'a [usize],
    /// The patterns of random pairs.
    pub(super) random: &'a Patterns,
    /// For each field, the share of the pairs with two values that have equal ones.
    pub(super) equal: &'a [f64],
    /// The number of possible pairs.
    pub(super) possible: f64,
}

/// The matches that are expected at present.
pub(super) struct Expected<'a> {
    /// Returns the probability that a pair with a pattern is a match.
    pub(super) probability: &'a dyn Fn(Pattern) -> f64,
    /// For each field, how many matches have each level.
    pub(super) counts: &'a [Vec<f64>],
}

impl All<'_> {
    /// Returns, for each field, the share of other pairs that have each level, 0 for missing values. Each random pair counts as far as it
    /// is not a match. The share of equal values is not taken from the random pairs, which have too few of them.
    pub(super) fn others(&self, expected: Option<&Expected>) -> Vec<Vec<f64>> {
        let mut counts: Vec<Vec<f64>> = self
            .levels
            .iter()
            .map(|&levels| vec![0.0; levels])
            .collect();
        for (pattern, count) in self.counted(expected) {
            pattern.count(&mut counts, count);
        }
        let all = self.random.pairs().max(1) as f64;
        let of_field = |(field, counts): (usize, Vec<f64>)| {
            let top = counts.len() - 1;
            let with_value = self.possible * (1.0 - counts[0] / all);
            let pairs = self.equal[field] * with_value;
            let matches = expected.map_or([0.0; 2], |expected| {
                let counts = &expected.counts[field];
                [counts[1..].iter().sum(), counts[top]]
            });
            let equal = (pairs - matches[1]).max(EQUAL_OTHERS * pairs).max(1.0);
            let equal = (equal / (with_value - matches[0]).max(1.0)).min(0.999);
            let unequal = (0..top).map(|level| {
                if level == 0 {
                    0.0
                } else {
                    counts[level] + 0.5f64.powi(level as i32)
                }
            });
            let mut others: Vec<f64> = shares(unequal.collect())
                .into_iter()
                .map(|share| share * (1.0 - equal))
                .collect();
            others.push(equal);
            others
        };
        counts.into_iter().enumerate().map(of_field).collect()
    }

    /// Returns, for each field and each level of its parent, the share of other pairs that have each level. A field without a parent has
    /// only the row of level 0.
    pub(super) fn given(
        &self,
        others: &[Vec<f64>],
        parents: &Parents,
        expected: &Expected,
    ) -> Vec<Vec<Vec<f64>>> {
        let of_field = |(field, others): (usize, &Vec<f64>)| {
            let Some(parent) = parents.of(field) else {
                return vec![others.clone()];
            };
            let mut together = vec![vec![0.0; others.len()]; self.levels[parent]];
            self.counted(Some(expected)).for_each(|(pattern, count)| {
                together[pattern.level(parent)][pattern.level(field)] += count
            });
            lifts(&together, others)
        };
        others.iter().enumerate().map(of_field).collect()
    }

    /// Returns the random patterns, each with the expected number of pairs that are no matches.
    pub(super) fn counted(
        &self,
        expected: Option<&Expected>,
    ) -> impl Iterator<Item = (Pattern, f64)> {
        self.random.iter().map(move |(pattern, count)| {
            (
                pattern,
                count * expected.map_or(1.0, |expected| 1.0 - (expected.probability)(pattern)),
            )
        })
    }
}

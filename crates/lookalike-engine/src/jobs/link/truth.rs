//! Compares links with the ground truth.

use std::{collections::BTreeMap, path::Path};

use lookalike::{eval::PairCounts, shown::cut};
use lookalike_applications::records::Scored;
use lookalike_io::{
    error::{Error, Result},
    read::Reading,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::records::Gathered;
use crate::pass::lines::{each_line, parse};

/// The true pairs.
#[derive(Debug)]
pub(super) enum Truth {
    /// Pairs of records with the same label are true; 0 means no label.
    Labels(Vec<u128>),
    /// These pairs are true. They are sorted, with a < b.
    Pairs(Vec<(u32, u32)>),
}

/// Counts of the pairs that were found.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) matches: u64,
    pub(super) possible: u64,
    /// Matches that are true.
    pub(super) right: u64,
    /// Possible matches that are true.
    pub(super) possible_right: u64,
}

impl Counts {
    /// Counts a pair.
    pub(super) fn count(&mut self, pair: &Scored, is_match: bool, truth: Option<&Truth>) {
        let is_right = u64::from(truth.is_some_and(|truth| truth.has(pair.a, pair.b)));
        let (found, right) =
            if is_match { (&mut self.matches, &mut self.right) } else { (&mut self.possible, &mut self.possible_right) };
        *found += 1;
        *right += is_right;
    }
}

/// The comparison of links with the ground truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// True pairs. With two collections, only pairs of records from different collections count.
    pub truth: u64,
    /// True pairs among the candidates.
    pub candidates: u64,
    /// The share of the true pairs that are candidates. True pairs that are not candidates are never scored, so they cannot be
    /// found.
    pub blocked: Option<f64>,
    /// True pairs among the matches.
    pub right: u64,
    /// The share of the matches that are true.
    pub precision: Option<f64>,
    /// The share of the true pairs that are matches.
    pub recall: Option<f64>,
    /// The harmonic mean of precision and recall.
    pub f1: Option<f64>,
    /// True pairs among the possible matches.
    pub possible_right: u64,
    /// The result for all pairs within the clusters.
    pub clusters: LinkShares,
}

/// Precision, recall and F1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkShares {
    /// The share of true pairs among the found pairs.
    pub precision: Option<f64>,
    /// The share of found pairs among the true pairs.
    pub recall: Option<f64>,
    /// The harmonic mean of precision and recall.
    pub f1: Option<f64>,
}

impl LinkShares {
    fn of(counts: PairCounts) -> Self {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        Self {
            precision: share(counts.found_true, counts.found),
            recall: share(counts.found_true, counts.truth),
            f1: counts.f1(),
        }
    }
}

#[derive(Deserialize)]
struct TruePair<'a> {
    #[serde(borrow)]
    a: &'a RawValue,
    #[serde(borrow)]
    b: &'a RawValue,
}

impl Truth {
    /// Reads true pairs from JSON Lines. Each line has two ids, `a` and `b`; 7 and "7" match each other. If there are two
    /// collections, a line has one id of each collection, in either order.
    ///
    /// # Errors
    /// Fails if a file cannot be read, if a line is not such a pair, or if an id belongs to no record.
    pub(super) fn read(path: &Path, gathered: &Gathered, temp_dir: &Path) -> Result<Self> {
        let mut pairs = Vec::new();
        each_line(path, Reading::lines(), temp_dir, |line, _| {
            let TruePair { a, b } = parse(line, "{\"a\": \"one id\", \"b\": \"another\"}")?;
            let find = |id: &RawValue, collection| gathered.find_of_any_type(id.get(), collection);
            let across = |a: &RawValue, b: &RawValue| Some((find(a, 0)?, find(b, 1)?));
            let within = |id: &RawValue| {
                find(id, 0).ok_or_else(|| {
                    Error::record(format!("no record has the id {}", cut(id.get()))).advise(
                        "ids must be written as in the \
                                                                                             records",
                    )
                })
            };
            let (a, b) = match gathered.are_two() {
                true => across(a, b).or_else(|| across(b, a)).ok_or_else(|| {
                    Error::record(format!(
                        "one of the ids {} and {} must belong to the first collection, and the other to the second",
                        cut(a.get()),
                        cut(b.get())
                    ))
                })?,
                false => match (within(a)?, within(b)?) {
                    (one, other) if one == other => {
                        let what = format!("the pair has {} twice", cut(a.get()));
                        return Err(Error::record(what).advise("give two different records"));
                    }
                    pair => pair,
                },
            };
            pairs.push((a.min(b), a.max(b)));
            Ok(())
        })?;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Self::Pairs(pairs))
    }

    /// Returns whether a pair is true.
    pub(super) fn has(&self, a: u32, b: u32) -> bool {
        match self {
            Self::Labels(labels) => labels[a as usize] != 0 && labels[a as usize] == labels[b as usize],
            Self::Pairs(pairs) => pairs.binary_search(&(a, b)).is_ok(),
        }
    }

    /// Returns the number of true pairs, and the number of true pairs whose two records are in the same group.
    fn counted(&self, groups: &[u32], gathered: &Gathered) -> (u64, u64) {
        match self {
            Self::Pairs(pairs) => {
                let within = pairs.iter().filter(|(a, b)| groups[*a as usize] == groups[*b as usize]).count();
                (pairs.len() as u64, within as u64)
            }
            Self::Labels(labels) => {
                let labelled = || (0u32..).zip(labels).filter(|(_, label)| **label != 0);
                let all = pairs_within(labelled().map(|(record, &label)| (record, (label, 0))), gathered);
                let within = labelled().map(|(record, &label)| (record, (label, groups[record as usize])));
                (all, pairs_within(within, gathered))
            }
        }
    }

    /// Compares the results with the ground truth.
    pub(super) fn judge(
        &self,
        gathered: &Gathered,
        candidates: u64,
        Counts { matches: found, right, possible_right, .. }: &Counts,
        clusters: &[u32],
    ) -> Judged {
        let (&found, &right) = (found, right);
        let (truth, clustered) = self.counted(clusters, gathered);
        let counts = PairCounts { found_true: right, found, truth };
        let LinkShares { precision, recall, f1 } = LinkShares::of(counts);
        let found = pairs_within((0..).zip(clusters.iter().copied()), gathered);
        Judged {
            truth,
            candidates,
            blocked: (truth > 0).then(|| candidates as f64 / truth as f64),
            right: counts.found_true,
            precision,
            recall,
            f1,
            possible_right: *possible_right,
            clusters: LinkShares::of(PairCounts { found_true: clustered, found, truth }),
        }
    }
}

/// Returns the number of pairs of records within one group. With two collections, only pairs of records from different
/// collections count.
fn pairs_within<G: Ord>(grouped: impl Iterator<Item = (u32, G)>, gathered: &Gathered) -> u64 {
    let mut groups: BTreeMap<G, [u64; 2]> = BTreeMap::new();
    for (record, group) in grouped {
        groups.entry(group).or_default()[usize::from(record >= gathered.split)] += 1;
    }
    let pairs = |[first, second]: &[u64; 2]| {
        if gathered.are_two() { first * second } else { first * first.saturating_sub(1) / 2 }
    };
    groups.values().map(pairs).sum()
}

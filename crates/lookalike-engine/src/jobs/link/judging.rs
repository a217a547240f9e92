//! Compares links with the ground truth.

use lookalike::eval::PairCounts;
use serde::Serialize;

use super::{
    pairing::candidates::is_zero,
    reading::{records::Gathered, truth::Truth},
};

/// Counts of the pairs that were found.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) matches: u64,
    pub(super) possible: u64,
    /// Matches without a label.
    pub(super) unlabelled: u64,
    /// Matches that are labelled as such.
    pub(super) right: u64,
    /// Possible matches that are true.
    pub(super) possible_right: u64,
}

impl Counts {
    /// Counts a pair.
    pub(super) fn count(&mut self, is_match: bool, label: Option<bool>) {
        let is_right = u64::from(label == Some(true));
        if is_match {
            self.matches += 1;
            self.unlabelled += u64::from(label.is_none());
            self.right += is_right;
        } else {
            self.possible += 1;
            self.possible_right += is_right;
        }
    }
}

/// The comparison of links with the ground truth. Pairs without a label do not count.
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
    /// Matches without a label, which do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlabelled: u64,
    /// The share of the matches with a label that are true.
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

impl Judged {
    /// Compares the results with the ground truth, which has `true_pairs` pairs. `candidates` is the number of candidates that are true
    /// pairs, and `clusters` has the cluster of each record.
    pub(super) fn new(
        (truth, true_pairs): (&Truth, u64),
        gathered: &Gathered,
        candidates: u64,
        counts: &Counts,
        clusters: &[u32],
    ) -> Self {
        let (clustered, clustered_right) = truth.within(clusters, gathered);
        let of_matches = PairCounts {
            found_true: counts.right,
            found: counts.matches - counts.unlabelled,
            truth: true_pairs,
        };
        let LinkShares {
            precision,
            recall,
            f1,
        } = LinkShares::of(of_matches);
        Self {
            truth: true_pairs,
            candidates,
            blocked: (true_pairs > 0).then(|| candidates as f64 / true_pairs as f64),
            right: counts.right,
            unlabelled: counts.unlabelled,
            precision,
            recall,
            f1,
            possible_right: counts.possible_right,
            clusters: LinkShares::of(PairCounts {
                found_true: clustered_right,
                found: clustered,
                truth: true_pairs,
            }),
        }
    }
}

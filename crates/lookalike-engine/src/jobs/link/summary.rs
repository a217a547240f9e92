//! The summary of a linkage.

use serde::Serialize;

use super::{
    distances::RightShares,
    judging::Judged,
    learning::estimated::Learned,
    looking::{
        clusters::{ClusterSize, LargeCluster},
        scores::ScoreHistogram,
        thresholds::Thresholds,
        unlinkable::Unlinkable,
    },
    pairing::candidates::BlockFigures,
};
use crate::reporting::ReportFigures;

/// The number of records compared, and the results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkSummary {
    /// Records read.
    pub records: u64,
    /// Records of the first collection, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records_a: Option<u64>,
    /// Whether each record is in at most one pair.
    pub one_to_one: bool,
    /// The number of all pairs of records. If there are two collections, only pairs of records from different collections count.
    pub possible_pairs: u64,
    /// Pairs that were scored.
    pub candidates: u64,
    /// Pairs whose score reaches the threshold of a match.
    pub matches: u64,
    /// Pairs whose score reaches the threshold of a possible match, but not the threshold of a match.
    pub possible: u64,
    /// Pairs written.
    pub written: u64,
    /// Clusters of at least two records.
    pub clusters: u64,
    /// Records in these clusters.
    pub clustered: u64,
    /// How many clusters of at least two records have each size.
    pub cluster_sizes: Vec<ClusterSize>,
    /// The largest clusters.
    pub largest_clusters: Vec<LargeCluster>,
    /// Records that cannot match, because they are not even a match of themselves.
    pub unlinkable: Unlinkable,
    /// The results of each block.
    pub blocks: Vec<BlockFigures>,
    /// What was learned from the records, if weights were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
    /// How many pairs have each score; `None` if no pair has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreHistogram>,
    /// Precision and recall for several thresholds; `None` if there are neither labels nor learned weights, or if labelled weights could
    /// not be cross-validated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// The estimated share of correct pairs, by a field that is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<RightShares>,
    /// Bytes of memory that the run used above its limit.
    pub above_memory: u64,
    /// The comparison with the ground truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
}

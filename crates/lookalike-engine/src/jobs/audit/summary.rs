//! The results of an audit.

use lookalike::verify::Measure;
use lookalike_io::{error::Error, read::LeftOut};
use serde::Serialize;

use super::{
    clusters::ClusterFigures,
    kept::KeptFigures,
    removals::RemovalFigures,
    result::ResultFigures,
    worst::{WorstMissed, WorstRemoval},
};

/// The results of an audit.
#[derive(Debug, Clone, Serialize)]
pub struct AuditSummary {
    /// Documents of the inputs.
    pub documents: u64,
    /// Documents that the result keeps.
    pub kept: u64,
    /// Documents that the result removes.
    pub removed: u64,
    /// Documents without text.
    pub empty: u64,
    /// The least similarity of similar documents.
    pub threshold: f64,
    /// How similarity is measured.
    pub measure: Measure,
    /// What was read from the result.
    pub result: ResultFigures,
    /// The removed documents.
    pub removals: RemovalFigures,
    /// The kept documents.
    pub missed: KeptFigures,
    /// The clusters; `None` if the result has none.
    pub clusters: Option<ClusterFigures>,
    /// The removals with the lowest similarity to a kept document.
    pub worst_removals: Vec<WorstRemoval>,
    /// The most similar pairs of kept documents, of those with a sampled document.
    pub worst_missed: Vec<WorstMissed>,
    /// Lines that are not records and were skipped.
    pub bad_lines: u64,
    /// The error messages of the first bad lines.
    pub bad_examples: Vec<Error>,
    /// The files and records that were left out; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

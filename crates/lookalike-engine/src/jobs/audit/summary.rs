//! The results of an audit.

use lookalike::verify::Measure;
use lookalike_io::read::Unread;
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
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
}

//! Defines the summary of a run, in numbers.

use lookalike::{Config, Method, Verify, lsh::Shape};
use lookalike_io::read::Unread;
use serde::Serialize;

use crate::{
    config::{RunConfig, SimilarIn},
    matching::finding::Finding,
    reporting::ReportFigures,
    state::Resumed,
};

/// The outcome of a run. The number of documents always equals kept + dropped.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The number of documents that were read. This count and the following counts of documents do not include documents of
    /// references.
    pub documents: u64,
    /// Documents that are kept.
    pub kept: u64,
    /// Documents that are dropped.
    pub dropped: u64,
    /// The changes to the law's verdicts; `None` if the law has the last word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_group: Option<PerGroup>,
    /// Dropped documents with the same canonical form as their representative.
    pub dropped_exact: u64,
    /// Dropped documents that are similar to their representative.
    pub dropped_near: u64,
    /// Kept documents without a token.
    pub empty: u64,
    /// Documents that are the representative of at least one other document, and are kept by the law.
    pub representatives: u64,
    /// The number of documents in the largest group, including the kept document.
    pub largest_group: u64,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
    /// Documents without an id in their record; they are named `file:line`.
    pub without_id: u64,
    /// Blank lines, which are skipped.
    pub blank_lines: u64,
    /// Bytes of the documents' lines, decompressed, including those of references.
    pub bytes: u64,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// The fields in which documents were compared; `None` if there was only one. What was found and missed in all of them together is
    /// in this summary's own fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<ComparedFields>,
    /// The number of bands of the signature; `None` if candidates are not found by bands.
    pub bands: Option<usize>,
    /// The number of rows per band.
    pub rows: Option<usize>,
    /// Seconds of each pass.
    pub seconds: Seconds,
    /// The peak memory of the process so far, in bytes, if the system reports it.
    pub peak_memory: Option<u64>,
    /// How documents were compared.
    pub method: Config,
    /// What counted as similar.
    pub verify: Verify,
    /// Which document of a group is kept.
    pub keep: String,
    /// The references that documents were also compared with; `None` if no reference was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
    /// The point at which this run resumed an earlier one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

/// How many documents of each group are kept, if not one.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PerGroup {
    /// The greatest number of documents that are kept of a group of several documents.
    pub keep: u32,
    /// Kept documents that the law drops.
    pub kept_too: u64,
    /// Dropped documents that the law keeps: the representatives of all groups, if no document of a group is kept.
    pub dropped_too: u64,
}

/// The fields in which documents were compared.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedFields {
    /// In which of the fields documents had to be similar.
    pub similar: SimilarIn,
    /// The fields, and how candidates were found in each.
    pub found: Vec<ComparedField>,
}

/// A field in which documents were compared.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedField {
    /// The name of the field.
    pub field: String,
    /// How candidates were found. If documents must be similar in each field, the numbers of candidate pairs are those of all fields
    /// together.
    #[serde(flatten)]
    pub finding: Finding,
}

/// The references, and the number of dropped documents whose representative is a reference document.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Against {
    /// Documents of the references.
    pub documents: u64,
    /// Dropped documents whose representative is a reference document. The representative of any other dropped document is a kept
    /// document of the inputs.
    pub dropped: u64,
    /// Whether documents were compared with references only.
    pub only: bool,
    /// Whether documents were dropped because they contain a reference document, and not because a reference document contains
    /// them.
    pub holders: bool,
}

/// Wall-clock seconds by pass.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Seconds {
    /// Computing sketches from texts.
    pub sketching: f64,
    /// Grouping keys into buckets.
    pub pairing: f64,
    /// Making sets, deciding, and writing kept lines in one pass, if keep order (the order in which documents are considered) is
    /// input order.
    pub streaming: f64,
    /// Loading the sets of documents that may match.
    pub loading: f64,
    /// Deciding in keep order.
    pub deciding: f64,
    /// Writing decisions, and also kept lines if an earlier pass did not write them.
    pub writing: f64,
    /// The whole run.
    pub total: f64,
}

impl Summary {
    /// Returns the summary of a run that has not begun.
    pub(crate) fn new(method: &Method, config: &RunConfig) -> Self {
        let curve = method.shape().map(Shape::curve);
        Self {
            documents: 0,
            kept: 0,
            dropped: 0,
            per_group: (config.keep_per_group != 1).then_some(PerGroup {
                keep: config.keep_per_group,
                kept_too: 0,
                dropped_too: 0,
            }),
            dropped_exact: 0,
            dropped_near: 0,
            empty: 0,
            representatives: 0,
            largest_group: 0,
            unread: Unread::default(),
            without_id: 0,
            blank_lines: 0,
            bytes: 0,
            finding: Finding::new(method),
            fields: None,
            bands: curve.map(|curve| curve.bands),
            rows: curve.map(|curve| curve.rows),
            seconds: Seconds::default(),
            peak_memory: None,
            method: method.config().clone(),
            verify: method.verify(),
            keep: config.keep().to_string(),
            against: config.has_references().then_some(Against {
                only: config.against_only,
                holders: config.drop_holders,
                ..Against::default()
            }),
            report: None,
            resumed: None,
        }
    }
}

//! What a run did, in numbers.

use lookalike::{Config, Method, Verify, lsh::Shape};
use lookalike_io::{error::Error, read::LeftOut};
use serde::Serialize;

use crate::{config::RunConfig, matching::finding::Finding, state::Resumed};

/// The outcome of a run. Documents in = kept + dropped, always.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Documents read; references' not among them, here and below.
    pub documents: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go.
    pub dropped: u64,
    /// Of the dropped: same canonical form as their representative.
    pub dropped_exact: u64,
    /// Of the dropped: similar to their representative.
    pub dropped_near: u64,
    /// Of the kept: those without a token.
    pub empty: u64,
    /// Of the kept: those for which others were dropped.
    pub representatives: u64,
    /// Documents in the largest group of a kept one.
    pub largest_group: u64,
    /// Lines that were set aside as no records.
    pub bad_lines: u64,
    /// The first of them, told.
    pub bad_examples: Vec<Error>,
    /// Files of folders that were not read; none where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Documents without an id of their own, which are called `file:line`.
    pub without_id: u64,
    /// Blank lines, passed over.
    pub blank_lines: u64,
    /// Bytes of the documents' lines, decompressed, and of references'.
    pub bytes: u64,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// Bands of the signature, where candidates are found by bands.
    pub bands: Option<usize>,
    /// Rows of a band.
    pub rows: Option<usize>,
    /// Seconds of each pass.
    pub seconds: Seconds,
    /// The most memory that the process has taken so far, in bytes, where the system tells.
    pub peak_memory: Option<u64>,
    /// How documents were compared.
    pub method: Config,
    /// What was taken for similar.
    pub verify: Verify,
    /// Which document of a group stays.
    pub keep: String,
    /// What was compared with besides; none where no reference was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// Where the run went on that an earlier one had begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

/// References, and what they did.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Against {
    /// Documents of the references.
    pub documents: u64,
    /// Of the dropped documents those that were dropped for one of these; the others were for one that is kept.
    pub dropped: u64,
    /// Whether documents were compared with references only.
    pub only: bool,
    /// Whether they went for what they contain, and not for what contains them.
    pub holders: bool,
}

/// Wall-clock seconds by pass.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Seconds {
    /// Texts to sketches.
    pub sketching: f64,
    /// Keys to buckets.
    pub pairing: f64,
    /// Sets made, decided about, kept lines written, in one pass: where input order is keep order.
    pub settling: f64,
    /// Sets of documents that may match.
    pub loading: f64,
    /// Down keep order.
    pub deciding: f64,
    /// Kept lines, where they were not written before, and decisions.
    pub writing: f64,
    /// All of it.
    pub total: f64,
}

impl Summary {
    /// That of a run which has not begun.
    pub(crate) fn new(method: &Method, config: &RunConfig, left_out: Option<LeftOut>) -> Self {
        let curve = method.shape().map(Shape::curve);
        Self {
            documents: 0,
            kept: 0,
            dropped: 0,
            dropped_exact: 0,
            dropped_near: 0,
            empty: 0,
            representatives: 0,
            largest_group: 0,
            bad_lines: 0,
            bad_examples: Vec::new(),
            left_out,
            without_id: 0,
            blank_lines: 0,
            bytes: 0,
            finding: Finding::new(method),
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
            resumed: None,
        }
    }
}

//! Defines the summary of a run that cuts.

use lookalike::cut::{CutConfig, Piece, Units};
use lookalike_io::read::Unread;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::reporting::ReportFigures;
use crate::state::Resumed;

/// The outcome of a run. Documents are unchanged, cut or dropped. The number of tokens is the sum of those that are kept, cut and
/// dropped.
#[derive(Debug, Clone, Serialize)]
pub struct CutSummary {
    /// Documents read, without references.
    pub documents: u64,
    /// Documents from which nothing was cut.
    pub unchanged: u64,
    /// Documents that lost something, and of which enough is left.
    pub cut: u64,
    /// Documents of which too little was left.
    pub dropped: u64,
    /// References, which were compared but not cut.
    pub references: u64,
    /// Tokens in all documents.
    pub tokens: u64,
    /// Tokens that are left.
    pub tokens_kept: u64,
    /// Tokens that were cut because the output has them in another place.
    pub tokens_cut: u64,
    /// Tokens of dropped documents that have no other place in the output.
    pub tokens_dropped: u64,
    /// The number of cuts.
    pub cuts: u64,
    /// The passages that were cut most, by their numbers of tokens.
    pub largest: Vec<LargestSource>,
    /// The number of units in the shortest passage that is cut.
    pub window: usize,
    /// The minimum number of tokens in it.
    pub min_tokens: usize,
    /// The other settings.
    pub settings: CutConfig,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
    /// Bytes of the documents' lines, decompressed, including those of references.
    pub bytes: u64,
    /// Bytes of memory that the run used above its limit.
    pub above_memory: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The peak memory of the process so far, in bytes, if the system reports it.
    pub peak_memory: Option<u64>,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
    /// The point at which this run resumed an earlier one; `None` if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

/// A passage that was cut out of many documents.
#[derive(Debug, Clone, Serialize)]
pub struct LargestSource {
    /// The document that keeps it.
    pub id: Box<RawValue>,
    /// The beginning of the passage.
    pub text: String,
    /// The number of documents from which it, or a part of it, was cut.
    pub documents: u64,
    /// The number of tokens that were cut.
    pub tokens: u64,
}

/// Counts of documents and tokens.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) unchanged: u64,
    pub(super) cut: u64,
    pub(super) dropped: u64,
    pub(super) tokens: u64,
    pub(super) tokens_cut: u64,
    pub(super) tokens_dropped: u64,
    pub(super) cuts: u64,
}

impl Counts {
    /// Returns all counts, for a record of the journal.
    pub(super) fn numbers(&self) -> [u64; 7] {
        let Self {
            unchanged,
            cut,
            dropped,
            tokens,
            tokens_cut,
            tokens_dropped,
            cuts,
        } = *self;
        [
            unchanged,
            cut,
            dropped,
            tokens,
            tokens_cut,
            tokens_dropped,
            cuts,
        ]
    }

    pub(super) fn of(
        [
            unchanged,
            cut,
            dropped,
            tokens,
            tokens_cut,
            tokens_dropped,
            cuts,
        ]: [u64; 7],
    ) -> Self {
        Self {
            unchanged,
            cut,
            dropped,
            tokens,
            tokens_cut,
            tokens_dropped,
            cuts,
        }
    }

    /// Counts a document with a number of tokens, and its outcome.
    pub(super) fn add(&mut self, all: u64, units: &Units, pieces: &[Piece], is_dropped: bool) {
        let cut: u64 = pieces
            .iter()
            .map(|piece| units.tokens(piece.start..piece.end) as u64)
            .sum();
        self.tokens += all;
        self.tokens_cut += cut;
        self.cuts += pieces.len() as u64;
        match (is_dropped, pieces.is_empty()) {
            (true, _) => {
                self.dropped += 1;
                self.tokens_dropped += all - cut;
            }
            (false, true) => self.unchanged += 1,
            (false, false) => self.cut += 1,
        }
    }
}

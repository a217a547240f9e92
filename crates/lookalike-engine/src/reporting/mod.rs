//! Makes the report of a run: collects its decisions, its pairs, and the texts of the most interesting documents.

pub(crate) mod listed;

pub(crate) mod near;

pub(crate) mod texts;

pub(crate) mod collecting;

use serde::Serialize;

/// What a report holds, and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReportFigures {
    /// The size of the HTML file in bytes.
    pub bytes: u64,
    /// Pairs in the report: those that reach the floor, or those that the command lists. `None` if it lists groups, and the threshold
    /// cannot be moved in the page.
    pub pairs: Option<u64>,
    /// The least similarity of these pairs.
    pub floor: Option<f64>,
    /// Documents whose decisions do not change when the threshold is moved, because they are connected to too many others.
    pub left_out: u64,
    /// Documents in groups and pairs, or with cuts, whose texts are not in the report, because it would be too large.
    pub without_text: u64,
    /// Seconds for finding the pairs, reading the texts and writing the report.
    pub seconds: f64,
}

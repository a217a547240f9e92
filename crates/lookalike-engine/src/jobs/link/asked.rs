//! A request for a linkage.

use std::path::PathBuf;

use lookalike_applications::records::LinkConfig;

/// What to link, how to link it, and which outputs are wanted. The inputs of a [`RunConfig`](crate::config::RunConfig) are a collection of
/// records. If it has references, they are the first of two collections, and only pairs of records from different collections are wanted.
/// The configuration's label is a value that the records of one person share; it is used as ground truth.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// The fields, candidates and thresholds.
    pub config: LinkConfig,
    /// Do not write possible matches.
    pub matches_only: bool,
    /// The file for each record's cluster.
    pub clusters: Option<PathBuf>,
    /// The file of labelled pairs, used as ground truth and for labelled weights.
    pub truth: Option<PathBuf>,
    /// A field with a date or a number that is not used to score pairs. The share of correct pairs is estimated from this field.
    pub right_by: Option<String>,
    /// The file that the configuration was read from: no output may overwrite it.
    pub config_path: Option<PathBuf>,
}

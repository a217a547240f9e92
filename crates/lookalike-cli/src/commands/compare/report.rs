//! The JSON report about a pair.

use lookalike::{sketch::Estimate, verify::Figures};
use serde::Serialize;

use super::{
    longest::Longest,
    sketches::{self, Sketched},
};

/// All results for the pair.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) a: String,
    pub(super) b: String,
    #[serde(flatten)]
    pub(super) figures: Figures,
    /// With `--anchors`, whether A and B have too few stop words to be compared by their anchored shingles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) few_anchors: Option<[bool; 2]>,
    pub(super) sketch: Signatures,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "sketches::by_name"
    )]
    pub(super) sketches: Option<Vec<Sketched>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sentences: Option<Longest>,
    pub(super) passages_a: Vec<Place>,
    pub(super) passages_b: Vec<Place>,
}

/// The estimates from MinHash signatures of the two texts.
#[derive(Serialize)]
pub(super) struct Signatures {
    pub(super) slots: usize,
    pub(super) resemblance: Estimate,
    pub(super) containment_ab: Estimate,
    pub(super) containment_ba: Estimate,
}

#[derive(Serialize)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shared: bool,
}

//! The JSON report of an evaluation.

use lookalike::Config;
use serde::Serialize;

use super::{judge::Judged, truth::About};

/// All results of an evaluation.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) truth: About,
    /// The shared parameters, which apply to the truth and to every run that does not override them.
    pub(super) parameters: Parameters,
    pub(super) runs: Vec<Judged>,
}

#[derive(Serialize)]
pub(super) struct Parameters {
    pub(super) inputs: Vec<String>,
    pub(super) repeat: u32,
    pub(super) method: Config,
}

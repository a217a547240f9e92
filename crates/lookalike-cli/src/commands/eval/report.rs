//! What was found out.

use lookalike::Config;
use serde::Serialize;

use super::{judge::Judged, truth::About};

/// All that was found out.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) truth: About,
    /// What truth and runs were compared by, where a run does not have it otherwise.
    pub(super) parameters: Parameters,
    pub(super) runs: Vec<Judged>,
}

#[derive(Serialize)]
pub(super) struct Parameters {
    pub(super) inputs: Vec<String>,
    pub(super) repeat: u32,
    pub(super) method: Config,
}

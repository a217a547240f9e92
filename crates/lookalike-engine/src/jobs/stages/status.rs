//! Shows how far a job array is.

use std::path::Path;

use lookalike_io::error::Result;
use serde::Serialize;

use super::{
    emit::Counts,
    plan::Planned,
    task::{ArrayStage, missing, result},
};

/// How far a job array is.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The stages, in their order.
    pub stages: Vec<StageStatus>,
    /// What the tasks of the last stage counted so far.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How far a stage is.
#[derive(Debug, Clone, Serialize)]
pub struct StageStatus {
    /// The stage.
    pub stage: ArrayStage,
    /// The number of its tasks.
    pub tasks: usize,
    /// The tasks that are not done, counted from 0.
    pub missing: Vec<usize>,
}

/// Returns how far a job array is.
///
/// # Errors
/// Fails if the result of a task cannot be read.
pub fn status(planned: &Planned, folder: &Path) -> Result<Status> {
    let shards = planned.shards;
    let of =
        |stage: ArrayStage| StageStatus { stage, tasks: stage.tasks(shards), missing: missing(folder, stage, shards).collect() };
    let mut counts = Counts::default();
    for shard in 0..shards {
        let path = result(folder, ArrayStage::Emit, shard, shards);
        if path.exists() {
            counts += Counts::read(&path)?;
        }
    }
    Ok(Status { stages: ArrayStage::ALL.map(of).into(), counts })
}

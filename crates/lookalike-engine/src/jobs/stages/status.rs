//! Shows how far a job array is.

use std::path::Path;

use lookalike_io::error::{Error, Result};
use serde::Serialize;

use super::{
    counts::Counts,
    plan::Planned,
    task::{ArrayStage, digest, missing, result},
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
    let (of, plan) = ((planned, folder), planned.digest()?);
    let mut stages = Vec::new();
    for stage in ArrayStage::ALL {
        stages.push(StageStatus {
            stage,
            tasks: stage.tasks(planned.shards),
            missing: missing(of, plan, stage)?,
        });
    }
    let mut counts = Counts::default();
    for shard in 0..planned.shards {
        let path = result(folder, ArrayStage::Emit, shard, planned.shards);
        let read = Counts::read(&path, digest(plan, ArrayStage::Emit, shard));
        counts += read
            .map_err(|error| Error::reading(&path.display().to_string(), &error))?
            .unwrap_or_default();
    }
    Ok(Status { stages, counts })
}

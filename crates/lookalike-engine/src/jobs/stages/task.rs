//! What the tasks of all stages work with.

use std::path::{Path, PathBuf};

use lookalike::Method;
use lookalike_io::{
    error::{Error, Result},
    read::Source,
    write::Output,
};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    counts::Counts,
    plan::{Planned, of_all},
    sections::{Opened, Sections, is_of},
};
use crate::{
    config::{Observer, RunConfig},
    pass::{open::pool, reading::reading},
};

/// The stages of a job array, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrayStage {
    /// Sketches documents.
    Sketch,
    /// Joins documents that have a key in common.
    Pair,
    /// Divides the collection into parts. This stage has a single task.
    Join,
    /// Brings the documents of a part together.
    Place,
    /// Decides the documents of parts.
    Decide,
    /// Writes kept records and decisions.
    Emit,
}

impl ArrayStage {
    /// All stages, in their order.
    pub const ALL: [Self; 6] = [
        Self::Sketch,
        Self::Pair,
        Self::Join,
        Self::Place,
        Self::Decide,
        Self::Emit,
    ];

    /// Returns the name of the stage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sketch => "sketch",
            Self::Pair => "pair",
            Self::Join => "join",
            Self::Place => "place",
            Self::Decide => "decide",
            Self::Emit => "emit",
        }
    }

    /// Returns the number of tasks of the stage, given the number of shards of the run.
    pub fn tasks(self, shards: usize) -> usize {
        if self == Self::Join { 1 } else { shards }
    }

    /// Returns the stages whose results a task reads.
    pub(super) fn needs(self) -> &'static [Self] {
        match self {
            Self::Sketch => &[],
            Self::Pair => &[Self::Sketch],
            Self::Join => &[Self::Pair],
            Self::Place => &[Self::Sketch, Self::Join],
            Self::Decide => &[Self::Place],
            Self::Emit => &[Self::Place, Self::Decide],
        }
    }
}

/// What a task works with.
pub(super) struct Task<'a> {
    pub(super) config: &'a RunConfig,
    pub(super) method: Method,
    pub(super) planned: &'a Planned,
    pub(super) folder: &'a Path,
    pub(super) shard: usize,
    pub(super) observer: Observer<'a>,
    /// The digest of the plan.
    pub(super) plan: u64,
}

impl Task<'_> {
    pub(super) fn shards(&self) -> usize {
        self.planned.shards
    }

    /// Returns the path of the file in which a task of this stage leaves its result.
    pub(super) fn path(&self, stage: ArrayStage, shard: usize) -> PathBuf {
        result(self.folder, stage, shard, self.shards())
    }

    /// Returns the digest that the result of this task contains.
    pub(super) fn digest(&self, stage: ArrayStage) -> u64 {
        digest(self.plan, stage, self.shard)
    }

    /// Opens the result of another task.
    pub(super) fn open(&self, stage: ArrayStage, shard: usize) -> Result<Opened> {
        Opened::open(&self.path(stage, shard), digest(self.plan, stage, shard))
    }

    /// Begins the result of this task, with this number of sections.
    pub(super) fn create(&self, stage: ArrayStage, sections: usize) -> Result<Sections> {
        Sections::create(&self.path(stage, self.shard), self.digest(stage), sections)
    }

    /// Returns the folder of this task.
    pub(super) fn own_folder(&self, stage: ArrayStage) -> PathBuf {
        own_folder(self.folder, stage, self.shard, self.shards())
    }

    /// Opens the inputs of this task.
    pub(super) fn source(&self) -> Result<Source> {
        let (inputs, references) = self.planned.inputs(self.config, self.shard, self.folder)?;
        Source::with_references(
            inputs,
            references,
            reading(self.config)?,
            &self.config.temp_dir,
        )
    }

    pub(super) fn pool(&self) -> Result<rayon::ThreadPool> {
        pool(self.config.threads)
    }
}

/// Returns the folder in which a task, and nothing else, writes: thousands of tasks would otherwise wait for each other, because only
/// one process at a time names files in a folder.
pub(super) fn own_folder(folder: &Path, stage: ArrayStage, shard: usize, shards: usize) -> PathBuf {
    folder
        .join(stage.name())
        .join(of_all(shard, stage.tasks(shards)))
}

/// Returns the file in which a task leaves its result.
pub(super) fn result(folder: &Path, stage: ArrayStage, shard: usize, shards: usize) -> PathBuf {
    let name = if stage == ArrayStage::Emit {
        "counts.json"
    } else {
        "sections"
    };
    own_folder(folder, stage, shard, shards).join(name)
}

/// Returns a digest that the result of a task contains, given the digest of the plan.
pub(super) fn digest(plan: u64, stage: ArrayStage, shard: usize) -> u64 {
    xxh3_64_with_seed(format!("{} {shard}", stage.name()).as_bytes(), plan)
}

/// Returns whether a task of the plan with this digest is done. A result that is not complete, or that another plan left, does not
/// count.
///
/// # Errors
/// Fails if a file is there, but cannot be read.
pub(super) fn is_done(
    (planned, folder): (&Planned, &Path),
    plan: u64,
    stage: ArrayStage,
    shard: usize,
) -> Result<bool> {
    let path = result(folder, stage, shard, planned.shards);
    let digest = digest(plan, stage, shard);
    let done = if stage == ArrayStage::Emit {
        Counts::read(&path, digest).map(|counts| counts.is_some())
    } else {
        is_of(&path, digest)
    };
    done.map_err(|error| Error::reading(&path.display().to_string(), &error))
}

/// Returns the tasks of a stage that are not done.
pub(super) fn missing(of: (&Planned, &Path), plan: u64, stage: ArrayStage) -> Result<Vec<usize>> {
    let mut missing = Vec::new();
    for shard in 0..stage.tasks(of.0.shards) {
        if !is_done(of, plan, stage, shard)? {
            missing.push(shard);
        }
    }
    Ok(missing)
}

/// The outputs of a task. The last one is the result by which the task counts as done, so it gets its name after the others.
pub(super) type Outputs = Vec<Output>;

//! How a run is executed.

use std::path::PathBuf;

use crate::{
    options,
    values::{LEAST_MEMORY, Size},
};

options! {
/// How a run is executed.
pub struct Execution {
    /// Number of threads [default: one per core]
    ///
    /// Results do not depend on the number of threads.
    #[arg(long, value_name = "N", help_heading = "Execution")]
    pub threads: Option<usize>,
    /// Memory limit, such as 8G [default: half of free memory]
    ///
    /// Data beyond the limit is spilled to temporary files. Some data cannot be spilled, such as a line of hundreds of megabytes.
    /// If the run therefore exceeds the limit, the summary reports by how much.
    #[arg(long, value_name = "SIZE", help_heading = "Execution")]
    pub memory: Option<Size<LEAST_MEMORY>>,
    /// Folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER", help_heading = "Execution")]
    pub temp_dir: Option<PathBuf>,
    /// Write the summary as JSON to FILE at the end of the run
    ///
    /// FILE can be a URL, or - for standard output. The summary is written after the other outputs, either completely or not at
    /// all.
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    pub summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Execution")]
    pub quiet: bool,
}

/// The folder in which progress is saved.
pub struct SavedProgress {
    /// Save progress in FOLDER; rerun the same command to continue
    ///
    /// The run may have been interrupted in any way. The saved progress is deleted on success.
    #[arg(long, value_name = "FOLDER", help_heading = "Execution")]
    pub resume: Option<PathBuf>,
    /// With --resume: bytes of input between checkpoints; for tests
    #[arg(long, value_name = "BYTES", hide = true)]
    pub resume_part: Option<u64>,
}
}

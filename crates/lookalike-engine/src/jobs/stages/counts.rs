//! What the tasks of the last stage count.

use std::{
    io::{self, Read},
    ops::AddAssign,
    path::Path,
};

use lookalike_io::{
    disk::File,
    error::{Error, Result},
    read::LeftOut,
    write::Output,
};
use serde::{Deserialize, Serialize};

/// What tasks counted. The number of documents always equals kept + dropped.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Documents of the inputs.
    pub documents: u64,
    /// Documents that are kept.
    pub kept: u64,
    /// Documents that are dropped.
    pub dropped: u64,
    /// Lines that are not records and were skipped.
    pub bad_lines: u64,
    /// The records that were left out; `None` if there are none. Files are left out when the run is planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.documents += other.documents;
        self.kept += other.kept;
        self.dropped += other.dropped;
        self.bad_lines += other.bad_lines;
        LeftOut::add(&mut self.left_out, other.left_out);
    }
}

/// The content of a task's result.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// The digest of the task, in hexadecimal digits.
    task: String,
    #[serde(flatten)]
    counts: Counts,
}

fn hexadecimal(digest: u64) -> String {
    format!("{digest:016x}")
}

impl Counts {
    /// Reads what the task with this digest counted; `None` if it has not written the file.
    pub(super) fn read(path: &Path, task: u64) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?.read_to_end(&mut bytes)?,
        };
        let stored: Option<Stored> = serde_json::from_slice(&bytes).ok();
        Ok(stored
            .filter(|stored| stored.task == hexadecimal(task))
            .map(|stored| stored.counts))
    }

    /// Begins the file that says what the task with this digest counted.
    pub(super) fn output(self, path: &Path, task: u64) -> Result<Output> {
        let stored = Stored {
            task: hexadecimal(task),
            counts: self,
        };
        let mut output = Output::create(path, 1)?;
        output.write(
            &serde_json::to_vec(&stored).map_err(|error| Error::failure(error.to_string()))?,
        )?;
        Ok(output)
    }
}

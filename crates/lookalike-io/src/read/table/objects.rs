//! The rows of a batch as JSON objects, for runs that read records with fields.

use std::{fmt, sync::OnceLock};

use arrow_array::RecordBatch;
use lookalike::shown::quoted;

use super::{encode::write_objects, json::unwritten};
use crate::{error::Error, read::json::Fault};

/// A batch whose rows are read as JSON objects. The objects are written when the first of them is asked for, so that the thread
/// that processes the batch writes them, and not the one that reads the file.
pub struct Objects {
    batch: RecordBatch,
    lines: OnceLock<Lines>,
}

/// Objects, each on one line.
struct Lines {
    bytes: Vec<u8>,
    /// The end of each object in `bytes`, without its newline.
    ends: Vec<usize>,
    /// What is wrong with the first row that is not in `bytes`.
    failure: Option<Error>,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects")
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

impl Objects {
    pub(crate) fn new(batch: RecordBatch) -> Self {
        Self {
            batch,
            lines: OnceLock::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// Returns a row as a JSON object on one line. A null is written as `null`, and a number that is not finite, too.
    ///
    /// # Errors
    /// Fails if JSON cannot represent a value of this row, or of an earlier row of the batch.
    pub(crate) fn object(&self, at: usize) -> Result<&[u8], Fault> {
        let Lines {
            bytes,
            ends,
            failure,
        } = self.lines.get_or_init(|| Lines::of(&self.batch));
        let Some(&end) = ends.get(at) else {
            let lost = || Error::failure("a row of a table has no object");
            return Err(failure.clone().unwrap_or_else(lost));
        };
        let start = at.checked_sub(1).map_or(0, |before| ends[before] + 1);
        Ok(&bytes[start..end])
    }
}

impl Lines {
    fn of(batch: &RecordBatch) -> Self {
        let mut bytes = Vec::new();
        let failure = write_objects(batch, &mut bytes).err().map(|error| {
            let (_, column, what) = unwritten(batch, &error);
            let Some(column) = column else {
                return Error::record(format!("the row {what}"));
            };
            let wrong =
                Error::record(format!("column {} {what}", quoted(&column))).in_field(column);
            wrong.advise("convert it to a string or a number, or leave that column out")
        });
        // A newline inside a string is escaped, so each newline ends an object.
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(end, _)| end)
            .collect();
        Self {
            bytes,
            ends,
            failure,
        }
    }
}

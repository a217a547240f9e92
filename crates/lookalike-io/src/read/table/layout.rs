//! The properties that all kinds of tables have: parts, a layout, batches.

use std::fmt::Display;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::schema::types::SchemaDescPtr;

use crate::{
    error::{Error, ErrorKind, Result, said},
    quiet::quietly,
};

/// The file format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// The Arrow IPC file format, with a footer. This is also version 2 of Feather.
    ArrowFile,
    /// The Arrow IPC streaming format.
    ArrowStream,
}

/// An independently readable part of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The number of rows in the part.
    pub rows: u64,
    /// The number of rows that precede the part in the table.
    pub before: u64,
    /// The number of bytes of the part as stored.
    pub bytes: u64,
}

/// The columns to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The chosen columns. For a Parquet file, strings are views into its pages.
    Chosen,
    /// All columns. For a Parquet file whose strings may be far larger than they are stored, they are views, too.
    All,
}

/// The properties that an output inherits from its input, in addition to the rows.
#[derive(Debug, Clone)]
pub struct Layout {
    /// All columns, with metadata.
    pub schema: SchemaRef,
    /// The key-value metadata of a Parquet file (without `ARROW:schema`) or of an Arrow file.
    pub metadata: Vec<(String, Option<String>)>,
    /// The number of rows in the largest part.
    pub group_rows: Option<usize>,
    /// The types of the columns of a Parquet file.
    pub types: Option<SchemaDescPtr>,
    /// For each column of a Parquet file: the column's path, and whether all values of the column are in a dictionary.
    pub dictionaries: Vec<(Vec<String>, bool)>,
}

/// The approximate number of bytes of text in a batch (`BATCH`), and the maximum number of bytes of all data in a batch
/// (`WHOLE`).
const BATCH: u64 = 512 << 10;
pub(super) const WHOLE: u64 = 32 << 20;

/// The maximum number of rows in a batch. It is needed for texts in a dictionary, because the stored size does not show how long
/// such texts are.
const MOST_ROWS: u64 = 8192;

/// Returns the number of rows in a batch. `texts` is the number of bytes of all texts of a part, and `all` is the number of bytes
/// of all its data.
pub(crate) fn batch_rows(rows: u64, texts: u64, all: u64) -> usize {
    let of = |most: u64, bytes: u64| most.saturating_mul(rows) / bytes.max(1);
    of(BATCH, texts).min(of(WHOLE, all)).clamp(1, MOST_ROWS) as usize
}

/// Returns parts with these numbers of rows and bytes.
pub(crate) fn parts(sizes: impl Iterator<Item = (u64, u64)>) -> Vec<Part> {
    let mut before = 0u64;
    let part = |(rows, bytes)| {
        let part = Part {
            rows,
            before,
            bytes,
        };
        before = before.saturating_add(rows);
        part
    };
    sizes.map(part).collect()
}

pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Runs `work`, in which damaged data may make a decoder panic. A panic is not printed; it is returned as an error.
pub(crate) fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    quietly(work).unwrap_or_else(|panic| Err(damaged(name, said(&*panic))))
}

pub(crate) fn damaged(name: &str, what: impl Display) -> Error {
    // The message of an external decoder may have several lines, so its lines are joined to one.
    let what = what
        .to_string()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    Error::new(ErrorKind::Input, format!("is damaged ({what})"))
        .at(name)
        .advise("copy or download it again")
}

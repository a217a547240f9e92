//! What every kind of table has: parts, a layout, batches.

use std::fmt::Display;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::schema::types::SchemaDescPtr;

use crate::{
    error::{Error, ErrorKind, Result, said},
    quiet::quietly,
};

/// How a table is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// The Arrow IPC file format, with a footer; Feather's second version.
    ArrowFile,
    /// The Arrow IPC streaming format.
    ArrowStream,
}

/// What can be read by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its rows.
    pub rows: u64,
    /// Rows of the table before it.
    pub before: u64,
    /// Bytes as they are stored.
    pub bytes: u64,
}

/// Which columns are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Those that were chosen. A Parquet file's texts come as views into its pages.
    Chosen,
    /// All, as they are.
    All,
}

/// What an output takes over from its input besides the rows.
#[derive(Debug, Clone)]
pub struct Layout {
    /// All columns, with metadata.
    pub schema: SchemaRef,
    /// The file's own names and values: a Parquet file's (without `ARROW:schema`) or an Arrow file's.
    pub metadata: Vec<(String, Option<String>)>,
    /// Rows of the largest part.
    pub group_rows: Option<usize>,
    /// Of a Parquet file, the types of its columns.
    pub types: Option<SchemaDescPtr>,
    /// Of a Parquet file's columns, by their paths: whether all their values are in a dictionary.
    pub dictionaries: Vec<(Vec<String>, bool)>,
}

/// Texts of a batch, in bytes, about, and all that it has, at most.
const BATCH: u64 = 512 << 10;
const WHOLE: u64 = 32 << 20;

/// Rows of a batch at most: where a dictionary holds the texts, what is stored does not tell how long they are.
const MOST_ROWS: u64 = 8192;

/// Rows of a batch, from the bytes of all texts of a part, and of all that it has.
pub(crate) fn batch_rows(rows: u64, texts: u64, all: u64) -> usize {
    let of = |most: u64, bytes: u64| most.saturating_mul(rows) / bytes.max(1);
    of(BATCH, texts).min(of(WHOLE, all)).clamp(1, MOST_ROWS) as usize
}

/// Parts of so many rows and bytes each.
pub(crate) fn parts(sizes: impl Iterator<Item = (u64, u64)>) -> Vec<Part> {
    let mut before = 0u64;
    let part = |(rows, bytes)| {
        let part = Part { rows, before, bytes };
        before = before.saturating_add(rows);
        part
    };
    sizes.map(part).collect()
}

pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Does what damaged data might bring a decoder to panic at, of which nothing is printed.
pub(crate) fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    quietly(work).unwrap_or_else(|panic| Err(damaged(name, said(&*panic))))
}

pub(crate) fn damaged(name: &str, what: impl Display) -> Error {
    // What others' decoders say may have several lines.
    let what = what.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    Error::new(ErrorKind::Input, format!("is damaged ({what})")).at(name).advise("copy or download it again")
}

//! Tables: Parquet files, Arrow IPC files and streams, and batches in memory. A file has independently readable parts (row
//! groups, record batches). A part is a stream of batches, each with a few hundred kibibytes of text. Only the requested columns
//! are fetched and decoded.
//!
//! The file and the text column alone decide which rows are in which batch. Every pass therefore sees the same batches, whatever
//! columns it requests.

mod ranges;

mod layout;

mod lists;

mod values;

mod encode;

mod json;

mod recast;

mod retype;

mod columns;

mod joined;

mod replaced;

mod rows;

mod objects;

mod stored;

mod ipc;

mod parquet;

mod file;

mod opened;

pub use arrow_array::RecordBatch;

#[cfg(test)]
use self::layout::Part;
pub use self::{
    columns::Columns,
    encode::{Nulls, write_json_lines},
    file::{RowStream, TableFile},
    layout::{Format, Layout, Wanted},
    objects::Objects,
    ranges::Ranges,
    retype::{mapped_fields, retyped},
    rows::{Rows, with_texts},
};
pub(crate) use self::{
    opened::{Cut, RowBlocks, Table, TableLayout, TablePart},
    recast::recast,
    rows::{size, viewed_bytes},
};

#[cfg(test)]
mod tests;

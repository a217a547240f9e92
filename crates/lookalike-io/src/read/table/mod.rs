//! Tables: Parquet files, Arrow IPC files and streams, and batches that are in memory. A file has parts that are read by
//! themselves (a row group, a record batch); a part is a stream of batches of some hundred kibibytes of text each, of which only the
//! columns that are asked for are fetched and decoded.
//!
//! Which rows are in which batch depends on the file and the text column alone, so that every pass sees the same batches,
//! whatever columns it asks for.

mod ranges;

mod layout;

mod lists;

mod values;

mod encode;

mod json;

mod retype;

mod columns;

mod rows;

mod stored;

mod ipc;

mod parquet;

mod file;

mod opened;

pub use arrow_array::RecordBatch;

#[cfg(test)]
use self::layout::Part;
pub(crate) use self::opened::{RowBlocks, Table, TableLayout, TablePart};
pub use self::{
    columns::Columns,
    encode::{Nulls, write_json_lines},
    file::{RowStream, TableFile},
    layout::{Format, Layout, Wanted},
    ranges::Ranges,
    retype::{mapped_fields, retyped},
    rows::Rows,
};

#[cfg(test)]
mod tests;

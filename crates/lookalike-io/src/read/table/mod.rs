//! Tables: Parquet files, Arrow IPC files and streams, and batches that are in memory. A file has parts that are read by
//! themselves (a row group, a record batch); a part is a stream of batches of some hundred kibibytes of text each, of which only the
//! columns that are asked for are fetched and decoded.
//!
//! Which rows are in which batch depends on the file and the text column alone, so that every pass sees the same batches,
//! whatever columns it asks for.

mod columns;
mod encode;
mod file;
mod ipc;
mod json;
mod lists;
mod parquet;
mod ranges;
mod retype;
mod rows;
mod stored;
mod values;

pub use arrow_array::RecordBatch;
pub use columns::Columns;
pub use encode::{Nulls, write_json_lines};
#[cfg(test)]
use file::Part;
pub use file::{Format, Layout, RowStream, TableFile, Wanted};
pub use ranges::Ranges;
pub use retype::{mapped_fields, retyped};
pub use rows::Rows;

#[cfg(test)]
mod tests;

//! Replaces the module `rows` in a build that does not support tables.

use super::{super::rows::KeptRows, heading::Heading};
use crate::{
    error::Result,
    format::OutputFormat,
    read::{RecordBatch, Source},
    write::{names::without_tables, output::Output},
};

/// Fails, because this build cannot write tables.
pub(in super::super) fn begin(
    output: Output,
    _: Option<OutputFormat>,
    _: &Heading,
    _: &Source,
    _: usize,
) -> Result<KeptRows> {
    Err(without_tables(output.name()))
}

/// Returns none, because this build has no rows.
pub(in super::super) fn rows_of<'l>(
    _: &Heading,
    _: impl Iterator<Item = &'l [u8]>,
) -> Option<RecordBatch> {
    None
}

/// Returns none, because this build reads no tables.
pub(super) fn table_names(_: &Source, _: usize) -> Result<Option<Vec<String>>> {
    Ok(None)
}

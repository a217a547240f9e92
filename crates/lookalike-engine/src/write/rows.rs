//! The kept rows of tables, as a table.

use std::sync::Arc;

use super::{
    output::Output,
    table::{TableOutput, one_schema},
};
use crate::{
    error::Result,
    read::{
        Layout, RecordBatch, Source,
        table::Format::{self, ArrowFile, ArrowStream, Parquet},
    },
};

/// A table in the making.
pub(super) struct KeptRows(TableOutput<Output>);

/// Refuses tables whose rows cannot stand in one.
pub(super) fn refuse_other_schemas(source: &Source) -> Result<()> {
    layout(source).map(drop)
}

/// Bytes of rows in memory.
pub(super) fn rows_size(rows: &RecordBatch) -> usize {
    rows.get_array_memory_size()
}

/// What the output has: the first table's, and columns that all of them fit in.
fn layout(source: &Source) -> Result<Layout> {
    let all = source.layouts();
    let schemas: Vec<_> = all.iter().map(|(name, layout, _)| (*name, layout.schema.clone())).collect();
    let schema = one_schema(&schemas)?;
    let first = all.first().map(|(_, layout, _)| Layout::clone(layout));
    let none = Layout { schema: Arc::clone(&schema), metadata: Vec::new(), group_rows: None, dictionaries: Vec::new() };
    Ok(Layout { schema, ..first.unwrap_or(none) })
}

fn format(name: &str) -> Format {
    let name = name.to_ascii_lowercase();
    match () {
        () if name.ends_with(".arrows") => ArrowStream,
        () if [".arrow", ".feather", ".ipc"].iter().any(|ending| name.ends_with(ending)) => ArrowFile,
        () => Parquet,
    }
}

impl KeptRows {
    /// Begins one in the format of its name's ending, Parquet where that says nothing. Up to `ahead` row groups are in memory.
    pub(super) fn new(output: Output, source: &Source, ahead: usize) -> Result<Self> {
        let (name, layout) = (output.name().to_owned(), layout(source)?);
        let text = source.layouts().first().map_or(Vec::new(), |(.., text)| text.to_vec());
        TableOutput::new(output, &name, format(&name), &layout, &text, ahead).map(Self)
    }

    pub(super) fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.0.push(rows)
    }

    /// Writes what is left. To be called on the pool, which helps.
    pub(super) fn end(self) -> Result<Output> {
        self.0.finish()
    }
}

//! Replaces the module `rows` in a build that does not support tables.

use std::ops::Range;

use super::{added::AddedNames, labels::Label, marks::Mark};
use crate::{
    error::Result,
    format::OutputFormat,
    read::{RecordBatch, Rows, Source},
    write::{names::without_tables, output::Output},
};

/// An output of rows. This type has no values in a build without tables.
pub(crate) enum KeptRows {}

pub(crate) fn refuse_other_schemas(
    _: &str,
    _: Option<OutputFormat>,
    _: &Source,
    _: Range<usize>,
) -> Result<()> {
    Ok(())
}

pub(crate) fn rows_size(rows: &RecordBatch) -> usize {
    match *rows {}
}

pub(crate) fn row_ends(rows: &RecordBatch) -> Vec<usize> {
    match *rows {}
}

/// Labels of rows. This type has no values in a build without tables.
#[derive(Debug, Clone)]
pub enum RowLabels {}

impl RowLabels {
    /// Returns none, because no output is a table.
    pub fn wanted(_: &AddedNames, _: &Source) -> Option<Self> {
        None
    }

    /// Adds the label of a row.
    pub fn push(&mut self, _: &Label) {
        match *self {}
    }

    /// Returns rows with their labels.
    pub fn onto(&mut self, _: &Rows, _: &[usize]) -> Result<RecordBatch> {
        match *self {}
    }
}

/// Marks of rows. This type has no values in a build without tables.
#[derive(Debug, Clone)]
pub enum RowMarks {}

impl RowMarks {
    /// Returns none, because no output is a table.
    pub fn wanted(_: &AddedNames, _: &Source) -> Option<Self> {
        None
    }

    /// Adds the mark of a row.
    pub fn push(&mut self, _: Mark) {
        match *self {}
    }

    pub(crate) fn onto(&mut self, _: &RecordBatch) -> Result<RecordBatch> {
        match *self {}
    }
}

/// Accepts all names, because this build has no tables with columns.
pub fn refuse_table_names(_: &AddedNames, _: &Source) -> Result<()> {
    Ok(())
}

impl KeptRows {
    pub(crate) fn new(
        output: Output,
        _: Option<OutputFormat>,
        _: (&Source, Range<usize>),
        _: Option<&AddedNames>,
        _: usize,
    ) -> Result<Self> {
        Err(without_tables(output.name()))
    }

    pub(crate) fn push(&mut self, _: RecordBatch) -> Result<()> {
        match *self {}
    }

    pub(crate) fn push_some(&mut self, _: &RecordBatch, _: Range<usize>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn end(self) -> Result<Output> {
        match self {}
    }
}

//! In place of tables, where this program was built without them.

use super::{
    decisions::Decided,
    ids::IdKind,
    labels::{Label, LabelNames},
    output::Output,
};
use crate::{
    error::{Error, ErrorKind, Result},
    read::{RecordBatch, Rows, Source},
};

/// There is none.
pub(super) enum KeptRows {}

pub(super) fn refuse_other_schemas(_: &Source) -> Result<()> {
    Ok(())
}

pub(super) fn rows_size(rows: &RecordBatch) -> usize {
    match *rows {}
}

/// There are none.
#[derive(Debug, Clone)]
pub(crate) enum RowLabels {}

impl RowLabels {
    pub(crate) fn push(&mut self, _: &Label) {
        match *self {}
    }

    pub(crate) fn onto(&mut self, _: &Rows, _: &[usize]) -> Result<RecordBatch> {
        match *self {}
    }
}

pub(crate) fn refuse_table_names(_: &LabelNames, _: &Source) -> Result<()> {
    Ok(())
}

/// There is none.
pub(crate) enum DecisionRows {}

pub(crate) struct Kinds {
    pub(crate) documents: IdKind,
    pub(crate) representatives: IdKind,
    pub(crate) references: bool,
}

impl DecisionRows {
    pub(crate) fn new(output: Output, _: Kinds, _: usize) -> Result<Self> {
        Err(without_tables(output.name()))
    }

    pub(crate) fn shape(&self) -> RowsShape {
        match *self {}
    }

    pub(crate) fn push(&mut self, _: RecordBatch) -> Result<()> {
        match *self {}
    }

    pub(crate) fn end(self) -> Result<Output> {
        match self {}
    }
}

/// There is none.
pub(crate) enum RowsShape {}

impl RowsShape {
    pub(crate) fn rows(&self) -> RowsMade {
        match *self {}
    }
}

/// There are none.
pub(crate) enum RowsMade {}

impl RowsMade {
    pub(crate) fn push(&mut self, _: &Decided) -> Result<()> {
        match *self {}
    }

    pub(crate) fn batch(self) -> Result<RecordBatch> {
        match self {}
    }
}

fn without_tables(name: &str) -> Error {
    let message = format!("{name}: this lookalike was built without tables (the cargo feature `tables`)");
    Error::new(ErrorKind::Output, message)
}

impl KeptRows {
    pub(super) fn new(output: Output, _: &Source, _: Option<&LabelNames>, _: usize) -> Result<Self> {
        Err(without_tables(output.name()))
    }

    pub(super) fn push(&mut self, _: RecordBatch) -> Result<()> {
        match *self {}
    }

    pub(super) fn labels(&self) -> Option<RowLabels> {
        match *self {}
    }

    pub(super) fn end(self) -> Result<Output> {
        match self {}
    }
}

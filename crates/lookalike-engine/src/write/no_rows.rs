//! In place of tables, where this program was built without them.

use super::output::Output;
use crate::{
    error::{Error, ErrorKind, Result},
    read::{RecordBatch, Source},
};

/// There is none.
pub(super) enum KeptRows {}

pub(super) fn refuse_other_schemas(_: &Source) -> Result<()> {
    Ok(())
}

pub(super) fn rows_size(rows: &RecordBatch) -> usize {
    match *rows {}
}

impl KeptRows {
    pub(super) fn new(output: Output, _: &Source, _: usize) -> Result<Self> {
        let message = format!("{}: this lookalike was built without tables (the cargo feature `tables`)", output.name());
        Err(Error::new(ErrorKind::Output, message))
    }

    pub(super) fn push(&mut self, _: RecordBatch) -> Result<()> {
        match *self {}
    }

    pub(super) fn end(self) -> Result<Output> {
        match self {}
    }
}

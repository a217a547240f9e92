//! In place of tables, where this program was built without them.

use std::sync::{Arc, atomic::AtomicU64};

use super::{
    Input,
    block::Block,
    cut::Failure,
    record::{Fault, Fields},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
};

/// There is none.
pub(super) enum Table {}

/// There is none.
pub(super) enum RowBlocks {}

/// There are none.
#[derive(Debug)]
pub enum Rows {}

/// There is none.
pub enum RecordBatch {}

pub(super) struct TablePart {
    pub(super) number: usize,
    pub(super) before: u64,
}

pub(super) fn open(inputs: &[Input], formats: &[Option<Format>], _: &Fields) -> Result<Vec<Option<Table>>> {
    match inputs.iter().zip(formats).find(|(_, format)| format.is_some_and(Format::is_table)) {
        Some((input, _)) => Err(unseekable(&input.name())),
        None => Ok(inputs.iter().map(|_| None).collect()),
    }
}

pub(super) fn unseekable(name: &str) -> Error {
    let message = format!("{name}: a table, and this lookalike was built without (the cargo feature `tables`)");
    Error::new(ErrorKind::Input, message)
}

impl Table {
    pub(super) fn parts(&self) -> std::iter::Empty<TablePart> {
        match *self {}
    }

    pub(super) fn size(&self) -> u64 {
        match *self {}
    }

    pub(super) fn page_memory(&self) -> u64 {
        match *self {}
    }

    pub(super) fn size_before(&self, _: usize) -> u64 {
        match *self {}
    }

    pub(super) fn stream(&self, _: usize, _: bool, _: Arc<AtomicU64>) -> Result<RowBlocks> {
        match *self {}
    }
}

impl RowBlocks {
    pub(super) fn index(&self) -> u64 {
        match *self {}
    }

    pub(super) fn cut(&mut self, _: &mut Block) -> std::result::Result<(), Failure> {
        match *self {}
    }
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(super) fn text(&self, _: usize) -> std::result::Result<&str, Fault> {
        match *self {}
    }

    pub(super) fn set<'a>(&'a self, _: usize, _: &'a mut String, _: &Fields) -> std::result::Result<&'a str, Fault> {
        match *self {}
    }

    pub(super) fn text_len(&self, _: usize) -> usize {
        match *self {}
    }

    pub(super) fn id(&self, _: usize, _: &mut String) -> std::result::Result<(), Fault> {
        match *self {}
    }

    pub(super) fn label(&self, _: usize, _: &mut String) -> std::result::Result<(), Fault> {
        match *self {}
    }

    pub(super) fn key(&self, _: usize, _: &str, _: &mut String) -> std::result::Result<u64, Fault> {
        match *self {}
    }

    pub(crate) fn masked(&self, _: &[bool]) -> Result<RecordBatch> {
        match *self {}
    }

    pub(crate) fn masked_lines(&self, _: &[bool], _: &mut Vec<u8>) -> Result<()> {
        match *self {}
    }

    /// Whether a column holds JSON.
    pub fn is_json(&self, _: &str) -> bool {
        match *self {}
    }

    pub(super) fn json_line(&self, _: usize, _: &mut Vec<u8>) -> Result<()> {
        match *self {}
    }
}

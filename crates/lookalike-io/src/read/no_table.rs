//! A substitute for tables in builds without them.

use std::sync::{Arc, atomic::AtomicU64};

use super::{
    buffer::{Buffer, Failure},
    json::{Fault, Fields},
};
use crate::error::Result;

/// A table; it cannot exist in this build.
pub(crate) enum Table {}

/// The blocks of a table; they cannot exist in this build.
pub(crate) enum RowBlocks {}

/// The rows of a table; they cannot exist in this build.
#[derive(Debug)]
pub enum Rows {}

/// The rows of a table as objects; they cannot exist in this build.
#[derive(Debug)]
pub enum Objects {}

/// The rows of a block; they cannot exist in this build.
#[expect(dead_code, reason = "only code for tables makes them")]
pub(crate) enum Cut {
    Texts(Arc<Rows>),
    Objects(Arc<Objects>),
}

/// A batch of rows; it cannot exist in this build.
pub enum RecordBatch {}

pub(crate) struct TablePart {
    pub(crate) number: usize,
    pub(crate) before: u64,
}

impl Table {
    pub(crate) fn parts(&self) -> std::iter::Empty<TablePart> {
        match *self {}
    }

    pub(crate) fn size(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn page_memory(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn size_before(&self, _: usize) -> u64 {
        match *self {}
    }

    pub(crate) fn stream(&self, _: usize, _: bool, _: Arc<AtomicU64>) -> Result<RowBlocks> {
        match *self {}
    }
}

impl RowBlocks {
    pub(crate) fn index(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn cut(&mut self, _: &mut Buffer) -> std::result::Result<Option<Cut>, Failure> {
        match *self {}
    }
}

impl Objects {
    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn object(&self, _: usize) -> std::result::Result<&[u8], Fault> {
        match *self {}
    }
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn text(&self, _: usize) -> std::result::Result<&str, Fault> {
        match *self {}
    }

    pub(crate) fn set<'a>(
        &'a self,
        _: usize,
        _: &'a mut String,
        _: &Fields,
    ) -> std::result::Result<&'a str, Fault> {
        match *self {}
    }

    pub(crate) fn text_len(&self, _: usize) -> usize {
        match *self {}
    }

    pub(crate) fn id(&self, _: usize, _: &mut String) -> std::result::Result<(), Fault> {
        match *self {}
    }

    pub(crate) fn label(&self, _: usize, _: &mut String) -> std::result::Result<(), Fault> {
        match *self {}
    }

    pub(crate) fn key(&self, _: usize, _: &str, _: &mut String) -> std::result::Result<u64, Fault> {
        match *self {}
    }

    pub(crate) fn masked(&self, _: &[bool]) -> Result<RecordBatch> {
        match *self {}
    }

    pub(crate) fn masked_lines(&self, _: &[bool], _: &mut Vec<u8>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn with_texts(
        &self,
        _: &[Option<impl AsRef<str>>],
        _: &[bool],
    ) -> Result<RecordBatch> {
        match *self {}
    }

    pub(crate) fn lines_with_texts(
        &self,
        _: &[Option<String>],
        _: &[bool],
        _: &mut Vec<u8>,
    ) -> Result<()> {
        match *self {}
    }

    /// Returns whether a column contains JSON.
    pub fn is_json(&self, _: &str) -> bool {
        match *self {}
    }

    pub(crate) fn json_line(&self, _: usize, _: &mut Vec<u8>) -> Result<()> {
        match *self {}
    }
}

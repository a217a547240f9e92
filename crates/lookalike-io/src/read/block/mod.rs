//! What one thread works on at a time: some records that follow each other.

mod room;

mod record;

mod objects;

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

pub use self::{record::Naming, room::Room};
use super::{
    buffer::{Buffer, Tag},
    csv::Columns,
    documents::Files,
    json::Unit,
    table::Rows,
};

/// Some records of a part of the source that follow each other: of a file of lines, those that begin in one span of its bytes,
/// decompressed, from `index` times the source's span on. Which they are depends on the input alone, so every pass sees the same
/// blocks, whatever the number of threads and however the input is stored. Where a long line covers a span, its block has no
/// record. Used again for the next.
#[derive(Debug, Default)]
pub struct Block {
    pub(crate) buffer: Buffer,
    /// What its records are.
    records: Records,
    /// Number of the block in the whole source, from 0: known in passes after the first.
    pub number: usize,
    /// Number of the part.
    pub part: usize,
    /// Records of the input before the part.
    pub(crate) before: u64,
    /// The record last read, from 0.
    current: AtomicUsize,
}

/// What a block's records are.
#[derive(Debug, Default, Clone)]
pub(crate) enum Records {
    /// JSON objects on a line each.
    #[default]
    Lines,
    /// JSON objects of an array.
    Elements,
    /// Of a CSV file with these columns.
    Cells(Arc<Columns>),
    /// Files, and the number of the first.
    Files(Arc<Files>, usize),
    /// Of a crawl.
    #[cfg(feature = "warc")]
    Crawl,
    /// Of a table.
    Rows(Arc<Rows>),
}

impl Block {
    /// Its buffer, to be filled with other records. What they are [`hold`](Self::hold) takes.
    pub(crate) fn refill(&mut self) -> &mut Buffer {
        self.current.store(0, Ordering::Relaxed);
        &mut self.buffer
    }

    /// Notes which record is read.
    #[inline]
    fn begin(&self, at: usize) {
        self.current.store(at, Ordering::Relaxed);
    }

    /// Takes what the buffer was filled with.
    pub(crate) fn hold(&mut self, records: Records) {
        self.records = records;
    }

    /// The number of its records, blank lines among them.
    pub fn len(&self) -> usize {
        if let Records::Rows(rows) = &self.records { rows.len() } else { self.buffer.len() }
    }

    /// A record as it stands: a line with its newline.
    pub fn raw(&self, at: usize) -> &[u8] {
        self.buffer.raw(at)
    }

    /// Where a record lies in [its bytes](Self::bytes).
    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.buffer.place(at)
    }

    /// What its places are places in.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer.bytes
    }

    /// Bytes that were read for a record.
    pub fn size(&self, at: usize) -> u64 {
        if let Records::Rows(rows) = &self.records { rows.text_len(at) as u64 } else { self.place(at).len() as u64 }
    }

    /// Bytes that were read for all of them.
    pub fn total_size(&self) -> u64 {
        match &self.records {
            Records::Rows(rows) => (0..rows.len()).map(|at| rows.text_len(at) as u64).sum(),
            _ => self.buffer.whole().len() as u64,
        }
    }

    /// Its rows, where it is of a table.
    pub fn rows(&self) -> Option<&Rows> {
        if let Records::Rows(rows) = &self.records { Some(rows) } else { None }
    }

    /// Whether its records are lines of JSON.
    pub fn is_lines(&self) -> bool {
        matches!(self.records, Records::Lines)
    }

    /// What its records of JSON are.
    fn unit(&self) -> Unit {
        if self.is_lines() { Unit::Line } else { Unit::Element }
    }

    /// The columns that its records have, where they are of CSV.
    pub fn columns(&self) -> Option<&Arc<Columns>> {
        if let Records::Cells(columns) = &self.records { Some(columns) } else { None }
    }

    /// Whether its records are rows of CSV, in which nothing is a missing value.
    pub fn is_delimited(&self) -> bool {
        matches!(self.records, Records::Cells(_))
    }

    /// The number of the record last read, counted from the block's first.
    pub fn current_line(&self) -> u64 {
        self.current.load(Ordering::Relaxed) as u64
    }

    /// What it is, for those who put blocks in order.
    pub fn tag(&self) -> Tag {
        Tag { part: self.part, index: self.buffer.index, last: self.buffer.last, lines: self.len() as u64, before: self.before }
    }
}

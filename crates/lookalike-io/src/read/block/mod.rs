//! The unit of work of one thread: some consecutive records.

mod scratch;

mod record;

mod objects;

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

pub use self::{record::Naming, scratch::Scratch};
use super::{
    buffer::{Buffer, Tag},
    csv::Columns,
    documents::Files,
    json::Unit,
    table::{Objects, Rows},
};

/// Some consecutive records of one part of the source. The source is all inputs of a run; a part is an input or an independently
/// readable piece of a table. For a file of lines, the records are the lines that begin in one span (a byte range of fixed
/// length) of the file's decompressed bytes. The span starts at the block's index times the span length. The boundaries depend on
/// the input alone, so every pass sees the same blocks, whatever the number of threads and however the input is stored. If a long
/// line covers a whole span, the block of that span has no record. The buffers are reused for the next block.
#[derive(Debug, Default)]
pub struct Block {
    pub(crate) buffer: Buffer,
    /// The kind of the records.
    records: Records,
    /// The number of the block in the whole source, from 0. It is known in every pass after the first.
    pub number: usize,
    /// The number of the part.
    pub part: usize,
    /// The number of records in the input that precede this part.
    pub(crate) before: u64,
    /// The index of the record that was read last, counted from 0 within the block.
    current: AtomicUsize,
}

/// The kind of a block's records.
#[derive(Debug, Default, Clone)]
pub(crate) enum Records {
    /// One JSON object per line.
    #[default]
    Lines,
    /// The JSON objects of an array.
    Elements,
    /// The records of a CSV file with these columns.
    Cells(Arc<Columns>),
    /// Files that are one document each; the number is that of the block's first file.
    Files(Arc<Files>, usize),
    /// The records of a crawl.
    #[cfg(feature = "warc")]
    Crawl,
    /// The rows of a table, as documents.
    Rows(Arc<Rows>),
    /// The rows of a table, as records with fields.
    Objects(Arc<Objects>),
}

impl Block {
    /// Returns the block's buffer, so that the caller can fill it with new records. The caller then sets their kind with
    /// [`hold`](Self::hold).
    pub(crate) fn refill(&mut self) -> &mut Buffer {
        self.current.store(0, Ordering::Relaxed);
        &mut self.buffer
    }

    /// Notes which record is being read.
    #[inline]
    fn begin(&self, at: usize) {
        self.current.store(at, Ordering::Relaxed);
    }

    /// Sets the kind of the records in the buffer.
    pub(crate) fn hold(&mut self, records: Records) {
        self.records = records;
    }

    /// Returns the number of records in the block, including blank lines.
    pub fn len(&self) -> usize {
        match &self.records {
            Records::Rows(rows) => rows.len(),
            Records::Objects(objects) => objects.len(),
            _ => self.buffer.len(),
        }
    }

    /// Returns a record as stored: a line includes its newline.
    pub fn raw(&self, at: usize) -> &[u8] {
        self.buffer.raw(at)
    }

    /// Returns the range of a record in [the block's bytes](Self::bytes).
    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.buffer.place(at)
    }

    /// Returns the bytes that [`place`](Self::place) refers to.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer.bytes
    }

    /// Returns the number of bytes read for a record.
    pub fn size(&self, at: usize) -> u64 {
        if let Records::Rows(rows) = &self.records {
            rows.text_len(at) as u64
        } else {
            self.place(at).len() as u64
        }
    }

    /// Returns the number of bytes read for all records of the block.
    pub fn total_size(&self) -> u64 {
        match &self.records {
            Records::Rows(rows) => (0..rows.len()).map(|at| rows.text_len(at) as u64).sum(),
            _ => self.buffer.whole().len() as u64,
        }
    }

    /// Returns the block's rows, if the block belongs to a table.
    pub fn rows(&self) -> Option<&Rows> {
        if let Records::Rows(rows) = &self.records {
            Some(rows)
        } else {
            None
        }
    }

    /// Returns the number of a record's file in its input, if each file is one document.
    pub(crate) fn file(&self, at: usize) -> Option<usize> {
        if let Records::Files(_, first) = &self.records {
            Some(first + at)
        } else {
            None
        }
    }

    /// Returns whether the records are lines of JSON.
    pub fn is_lines(&self) -> bool {
        matches!(self.records, Records::Lines)
    }

    /// Returns what the block's JSON records are: lines, or elements of an array.
    fn unit(&self) -> Unit {
        if self.is_lines() {
            Unit::Line
        } else {
            Unit::Element
        }
    }

    /// Returns the columns, if the records are CSV.
    pub fn columns(&self) -> Option<&Arc<Columns>> {
        if let Records::Cells(columns) = &self.records {
            Some(columns)
        } else {
            None
        }
    }

    /// Returns whether the records are rows of CSV, in which an empty cell is a missing value.
    pub fn is_delimited(&self) -> bool {
        matches!(self.records, Records::Cells(_))
    }

    /// Returns the number of the record that was read last, counted from the block's first record.
    pub fn current_line(&self) -> u64 {
        self.current.load(Ordering::Relaxed) as u64
    }

    /// Returns the block's position in the source, for code that puts blocks in order.
    pub fn tag(&self) -> Tag {
        Tag {
            part: self.part,
            index: self.buffer.index,
            last: self.buffer.last,
            lines: self.len() as u64,
            before: self.before,
        }
    }
}

//! What one thread works on at a time: the lines that begin in one span of an input.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::Source;
use crate::error::{Error, ErrorKind, Result};

/// The lines that begin in one span of an input's bytes, decompressed: those from `index` times the source's span on. Which
/// they are depends on the bytes alone, so every pass sees the same blocks, whatever the number of threads and however the
/// input is stored. Where a long line covers a span, its block has no line. A buffer, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(super) buffer: Vec<u8>,
    /// The part of the buffer that is the lines.
    start: usize,
    /// Where each line ends, counted from `start`.
    ends: Vec<u32>,
    /// Number of the block in the whole source, from 0: known in passes after the first.
    pub(crate) number: usize,
    /// Number of the input.
    pub(crate) input: usize,
    /// Number of the block in the input, from 0.
    pub(super) index: u64,
    /// Whether it is the input's last.
    pub(super) last: bool,
    /// The line last given, from 0.
    current: AtomicUsize,
}

/// What a block is, for those who put it in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag {
    pub(crate) input: usize,
    pub(crate) index: u64,
    pub(crate) last: bool,
    pub(crate) lines: u64,
}

impl Tag {
    /// The block behind it, by input and index.
    pub(crate) fn next(self) -> (usize, u64) {
        if self.last { (self.input + 1, 0) } else { (self.input, self.index + 1) }
    }
}

impl Block {
    /// Takes the bytes of the buffer from `start` to `end` for its lines.
    pub(super) fn holds(&mut self, mut start: usize, end: usize) {
        // A byte order mark before the input's first line is left out.
        if self.index == 0 && self.buffer[start..end].starts_with(b"\xef\xbb\xbf") {
            start += 3;
        }
        self.start = start;
        self.ends.clear();
        self.ends.extend(memchr::memchr_iter(b'\n', &self.buffer[start..end]).map(|at| at as u32 + 1));
        if self.ends.last().map_or(0, |&last| last as usize) < end - start {
            self.ends.push((end - start) as u32);
        }
        self.current.store(0, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.ends.last().map_or(0, |&end| end as usize)]
    }

    /// Where the lines lie in the bytes, their newlines with them.
    fn places(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.ends.iter().enumerate().map(move |(line, &end)| {
            self.current.store(line, Ordering::Relaxed);
            std::mem::replace(&mut start, end as usize)..end as usize
        })
    }

    /// The lines, their newlines with them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let bytes = self.bytes();
        self.places().map(|place| &bytes[place])
    }

    /// The number of the line last given, counted from the block's first.
    pub(crate) fn current_line(&self) -> u64 {
        self.current.load(Ordering::Relaxed) as u64
    }

    pub(crate) fn tag(&self) -> Tag {
        Tag { input: self.input, index: self.index, last: self.last, lines: self.ends.len() as u64 }
    }
}

/// Whether a line holds nothing: passed over, and no document.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Copies a line; one that ends with its file gets a newline.
pub(crate) fn push_line(into: &mut Vec<u8>, line: &[u8]) {
    into.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        into.push(b'\n');
    }
}

/// Line numbers of blocks that come in order: the lines before them, counted.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct LineCounter {
    input: usize,
    lines: u64,
}

impl LineCounter {
    /// The number of the block's first line in its input, from 1.
    pub(crate) fn first_line(&mut self, tag: Tag) -> u64 {
        if self.input != tag.input {
            *self = Self { input: tag.input, lines: 0 };
        }
        self.lines += tag.lines;
        self.lines - tag.lines + 1
    }
}

/// What the first pass learned of a block, for the passes after it.
#[derive(Debug, Default, Clone)]
pub(crate) struct BlockInfo {
    pub(crate) input: usize,
    pub(crate) first_line: u64,
    /// Number of its first document.
    pub(crate) first_document: u64,
    pub(crate) count: u32,
    /// Lines, counted from the block's first, that are no document: blank or bad.
    pub(crate) skipped: Vec<u32>,
}

impl BlockInfo {
    /// The numbers of its documents.
    pub(crate) fn documents(&self) -> Range<u64> {
        self.first_document..self.first_document + u64::from(self.count)
    }

    /// The line numbers of the block's documents.
    pub(crate) fn document_lines(&self) -> impl Iterator<Item = u64> {
        let mut skipped = self.skipped.iter().peekable();
        let is_document = move |line: &u32| skipped.next_if_eq(&line).is_none();
        let lines = (0u32..).filter(is_document).take(self.count as usize);
        lines.map(|line| self.first_line + u64::from(line))
    }

    /// The line number of a document of this block.
    pub(crate) fn line_of(&self, document: u64) -> u64 {
        self.document_lines().nth((document - self.first_document) as usize).unwrap_or(self.first_line)
    }

    /// Gives each of the block's documents with its line.
    ///
    /// # Errors
    /// When the block does not have the lines it had; some documents may have been given then.
    pub(crate) fn each_document(
        &self,
        block: &Block,
        source: &Source,
        mut give: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let bytes = block.bytes();
        self.each_document_at(block, source, |document, line| give(document, &bytes[line]))
    }

    /// The same, with where the line lies in the block's bytes.
    pub(crate) fn each_document_at(
        &self,
        block: &Block,
        source: &Source,
        mut give: impl FnMut(u64, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut documents = self.documents();
        let mut skipped = self.skipped.iter().peekable();
        for (line, number) in block.places().zip(0u32..) {
            if skipped.next_if_eq(&&number).is_none() {
                give(documents.next().ok_or_else(|| source.changed(block.input))?, line)?;
            }
        }
        let same = documents.is_empty() && skipped.peek().is_none() && block.input == self.input;
        if same { Ok(()) } else { Err(source.changed(block.input)) }
    }
}

/// The failure of a line, the `line`th of its block, that goes on and on.
pub(super) fn too_long(line: usize) -> Error {
    Error::on_line(ErrorKind::Record, line as u64, "a line longer than 2 GiB; is this JSON Lines?")
}

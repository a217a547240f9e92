//! A source cut into blocks of whole lines: what one thread works on at a time.
//!
//! Blocks are cut by content alone (a mebibyte, back to the last newline), so every pass over the same input sees the same
//! blocks, whatever the number of threads.

use std::ops::Range;

use super::{Source, open::Reader};
use crate::error::{Error, ErrorKind, Result};

/// Bytes after which a block ends at its last newline. Small enough to stay in a core's cache.
const TARGET: usize = 1 << 20;

/// The longest line: 2 GiB.
const LONGEST: usize = 2 << 30;

/// Whole lines of one input. A buffer, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Block {
    buffer: Vec<u8>,
    filled: usize,
    /// Number of the block in the whole source, from 0.
    pub(crate) number: usize,
    /// Number of the input.
    pub(crate) input: usize,
    /// Line number of its first line, from 1; in passes after the first, 1 for an input's first block and unknown for others.
    pub(crate) first_line: u64,
}

impl Block {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// The lines, their newlines with them; a byte order mark before the input's first line is left out.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let bytes = self.bytes();
        let bytes = if self.first_line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            (!line.is_empty()).then_some(line)
        })
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

    /// The line number of a document of this block.
    pub(crate) fn line_of(&self, document: u64) -> u64 {
        let mut line = (document - self.first_document) as u32;
        for &skipped in &self.skipped {
            line += u32::from(skipped <= line);
        }
        self.first_line + u64::from(line)
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
        let mut documents = self.documents();
        let mut skipped = self.skipped.iter().peekable();
        for (line, number) in block.lines().zip(0u32..) {
            if skipped.next_if_eq(&&number).is_none() {
                give(documents.next().ok_or_else(|| source.changed(block.input))?, line)?;
            }
        }
        let same = documents.is_empty() && skipped.peek().is_none() && block.input == self.input;
        if same { Ok(()) } else { Err(source.changed(block.input)) }
    }
}

/// One pass over a source.
pub(crate) struct Blocks<'a> {
    source: &'a Source,
    reader: Option<Reader>,
    /// The next block's number, its input, its first line.
    number: usize,
    input: usize,
    line: u64,
    /// Whether lines are counted: only the first pass tells where something stands.
    counts: bool,
    /// The beginning of a line whose end is not read yet.
    tail: Vec<u8>,
}

impl<'a> Blocks<'a> {
    /// The first pass.
    pub(crate) fn new(source: &'a Source) -> Self {
        source.rewind();
        Self { source, reader: None, number: 0, input: 0, line: 1, counts: true, tail: Vec::new() }
    }

    /// A later pass: the same blocks.
    pub(crate) fn again(source: &'a Source) -> Self {
        Self { counts: false, ..Self::new(source) }
    }

    /// Fills `block` with the next lines; false at the end of the last input.
    pub(crate) fn next(&mut self, block: &mut Block) -> Result<bool> {
        while self.input < self.source.inputs().len() {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                closed => closed.insert(self.source.open(self.input)?),
            };
            let name = || self.source.inputs()[self.input].name();
            block.buffer.clear();
            block.buffer.append(&mut self.tail);
            block.filled = block.buffer.len();
            let (mut end, mut at_end) = (None, false);
            while end.is_none() {
                let room = block.filled + TARGET;
                if block.buffer.len() < room {
                    block.buffer.resize(room, 0);
                }
                let from = block.filled;
                while block.filled < room && !at_end {
                    match reader.read(&mut block.buffer[block.filled..room]) {
                        Ok(0) => at_end = true,
                        Ok(n) => block.filled += n,
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        Err(error) if error.kind() == std::io::ErrorKind::StorageFull => {
                            return Err(Error::new(ErrorKind::Temporary, error.to_string()));
                        }
                        Err(error) => return Err(Error::reading(&name(), &error)),
                    }
                }
                if at_end {
                    end = Some(block.filled);
                } else {
                    end = memchr::memrchr(b'\n', &block.buffer[from..block.filled]).map(|at| from + at + 1);
                    if end.is_none() && block.filled > LONGEST {
                        let message = format!("{}:{}: a line longer than 2 GiB; is this JSON Lines?", name(), self.line);
                        return Err(Error::new(ErrorKind::Record, message));
                    }
                }
            }
            let end = end.unwrap_or(block.filled);
            self.tail.extend_from_slice(&block.buffer[end..block.filled]);
            block.filled = end;
            (block.number, block.input, block.first_line) = (self.number, self.input, self.line);
            if at_end {
                self.reader = None;
                // Nobody wrote to the file while this pass read it.
                self.source.refuse_changed(self.input)?;
                (self.input, self.line) = (self.input + 1, 1);
            } else {
                self.line += if self.counts { memchr::memchr_iter(b'\n', block.bytes()).count() as u64 } else { 1 };
            }
            if block.filled > 0 {
                self.number += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

//! The bytes of a block's records, and the positions of the records in them. The readers of the formats fill the buffer, which
//! does not depend on any format.

use std::{io, ops::Range};

use crate::{
    error::{Error, ErrorKind},
    format::BYTE_ORDER_MARK,
};

/// The bytes of a block and the positions of its records, reused for the next block.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    /// The position of each record in the bytes.
    spans: Vec<Span>,
    /// The number of the block in the part, from 0.
    pub(crate) index: u64,
    /// Whether it is the last block of the part.
    pub(crate) last: bool,
}

/// The position of a record in a buffer of at most 4 GiB. It takes half the memory of a `Range`.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Buffer {
    /// Splits the bytes from `start` to `end` into lines.
    pub(crate) fn holds(&mut self, mut start: usize, end: usize) {
        // Skip a byte order mark before the input's first line.
        if self.index == 0 && self.bytes[start..end].starts_with(BYTE_ORDER_MARK) {
            start += BYTE_ORDER_MARK.len();
        }
        self.spans.clear();
        let mut from = start as u32;
        self.spans.extend(
            memchr::memchr_iter(b'\n', &self.bytes[start..end]).map(|at| {
                let end = (start + at + 1) as u32;
                Span {
                    start: std::mem::replace(&mut from, end),
                    end,
                }
            }),
        );
        if (from as usize) < end {
            self.spans.push(Span {
                start: from,
                end: end as u32,
            });
        }
    }

    /// Empties the buffer and hands its byte vector to the caller for reuse. The caller may write other records into this vector,
    /// and [pushes](Self::push) the position of each of them. Finally, the caller puts the vector back with [`fill`](Self::fill).
    pub(crate) fn emptied(&mut self) -> Vec<u8> {
        self.spans.clear();
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes
    }

    /// Adds a record that occupies this range of the bytes.
    #[inline]
    pub(crate) fn push(&mut self, place: Range<usize>) {
        self.spans.push(Span {
            start: place.start as u32,
            end: place.end as u32,
        });
    }

    /// Sets the bytes that contain the records.
    pub(crate) fn fill(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// Returns the number of records in the buffer, including blank lines.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns a record as stored: a line includes its newline.
    #[inline]
    pub(crate) fn raw(&self, at: usize) -> &[u8] {
        self.bytes.get(self.place(at)).unwrap_or_default()
    }

    /// Returns the range of a record in the bytes.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.spans.get(at).map_or(0..0, |span| span.range())
    }

    /// Returns the bytes of all records in the buffer.
    pub(crate) fn whole(&self) -> &[u8] {
        match (self.spans.first(), self.spans.last()) {
            (Some(first), Some(last)) => &self.bytes[first.start as usize..last.end as usize],
            _ => &[],
        }
    }
}

/// The position of a block: the number of its part of the source, and its index in that part, both from 0.
pub type Position = (usize, u64);

/// Describes where a block is in the source, for code that puts blocks in order.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    /// The part of the source that contains the block.
    pub part: usize,
    /// The index of the block in the part, from 0.
    pub index: u64,
    /// Whether the block is the last one of the part.
    pub last: bool,
    /// The number of records in the block, including blank lines.
    pub lines: u64,
    /// The number of records in the input that precede the part.
    pub before: u64,
}

impl Tag {
    /// Returns the position of the block.
    pub fn position(self) -> Position {
        (self.part, self.index)
    }

    /// Returns the position of the next block.
    pub fn next(self) -> Position {
        if self.last {
            (self.part + 1, 0)
        } else {
            (self.part, self.index + 1)
        }
    }
}

/// Computes the line numbers of consecutive blocks by counting the lines before them.
#[derive(Debug, Default, Clone, Copy)]
pub struct LineCounter {
    /// The part of the last counted block, and the number of lines from the start of the part's input to the end of that block.
    /// `None` before the first block.
    at: Option<(usize, u64)>,
}

impl LineCounter {
    /// Returns the number of the block's first line in its input, from 1.
    pub fn first_line(&mut self, tag: Tag) -> u64 {
        let before = match self.at {
            Some((part, lines)) if part == tag.part => lines,
            _ => tag.before,
        };
        self.at = Some((tag.part, before + tag.lines));
        before + 1
    }
}

/// The maximum length of a line: 2 GiB.
pub(crate) const LONGEST: usize = 2 << 30;

/// The reason why a block could not be read.
#[derive(Debug)]
pub(crate) enum Failure {
    Read(io::Error),
    /// The file is shorter than when it was first examined.
    Changed,
    Reported(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

/// Returns the error for a file that was written to during the run.
pub(crate) fn changed(name: &str) -> Error {
    Error::new(ErrorKind::Input, "changed while it was being read")
        .at(name)
        .advise("run again when nothing writes to it")
}

/// Returns whether a line is blank; blank lines are skipped and are not documents.
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Appends a line. Adds a newline if the line lacks one, as the last line of a file may.
pub(crate) fn push_line(into: &mut Vec<u8>, line: &[u8]) {
    into.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        into.push(b'\n');
    }
}

//! Bytes and the places of records in them: what formats fill. It knows none of them.

use std::{io, ops::Range};

use crate::{
    error::{Error, ErrorKind},
    format::BYTE_ORDER_MARK,
};

/// The bytes of a block and the places of its records, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    /// Where each record lies in the bytes.
    spans: Vec<Span>,
    /// Number of the block in the part, from 0.
    pub(crate) index: u64,
    /// Whether it is the part's last.
    pub(crate) last: bool,
}

/// Where a record lies in a buffer of at most 4 GiB: half as large as a range.
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
    /// Takes the bytes from `start` to `end` for its lines.
    pub(crate) fn holds(&mut self, mut start: usize, end: usize) {
        // A byte order mark before the input's first line is left out.
        if self.index == 0 && self.bytes[start..end].starts_with(BYTE_ORDER_MARK) {
            start += BYTE_ORDER_MARK.len();
        }
        self.spans.clear();
        let mut from = start as u32;
        self.spans.extend(memchr::memchr_iter(b'\n', &self.bytes[start..end]).map(|at| {
            let end = (start + at + 1) as u32;
            Span { start: std::mem::replace(&mut from, end), end }
        }));
        if (from as usize) < end {
            self.spans.push(Span { start: from, end: end as u32 });
        }
    }

    /// Its bytes, to be filled with other records, each of which is [pushed](Self::push).
    pub(crate) fn emptied(&mut self) -> Vec<u8> {
        self.spans.clear();
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes
    }

    /// Takes a place in the bytes for a record.
    #[inline]
    pub(crate) fn push(&mut self, place: Range<usize>) {
        self.spans.push(Span { start: place.start as u32, end: place.end as u32 });
    }

    /// Takes the bytes of its records.
    pub(crate) fn fill(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// The number of its records, blank lines among them.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// A record as it stands: a line with its newline.
    #[inline]
    pub(crate) fn raw(&self, at: usize) -> &[u8] {
        self.bytes.get(self.place(at)).unwrap_or_default()
    }

    /// Where a record lies in the bytes.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.spans.get(at).map_or(0..0, |span| span.range())
    }

    /// All its records as they stand.
    pub(crate) fn whole(&self) -> &[u8] {
        match (self.spans.first(), self.spans.last()) {
            (Some(first), Some(last)) => &self.bytes[first.start as usize..last.end as usize],
            _ => &[],
        }
    }
}

/// What a block is, for those who put it in order.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    /// The part of the source that it is of.
    pub part: usize,
    /// Which block of its part it is, from 0.
    pub index: u64,
    /// Whether it is the last of its part.
    pub last: bool,
    /// Its records, blank lines among them.
    pub lines: u64,
    /// Those of the input before the part.
    pub before: u64,
}

impl Tag {
    /// The block behind it, by part and index.
    pub fn next(self) -> (usize, u64) {
        if self.last { (self.part + 1, 0) } else { (self.part, self.index + 1) }
    }
}

/// Line numbers of blocks that come in order: the lines before them, counted.
#[derive(Debug, Default, Clone, Copy)]
pub struct LineCounter {
    /// The part that has come, if one has, and its lines and those before it in its input.
    at: Option<(usize, u64)>,
}

impl LineCounter {
    /// The number of the block's first line in its input, from 1.
    pub fn first_line(&mut self, tag: Tag) -> u64 {
        let before = match self.at {
            Some((part, lines)) if part == tag.part => lines,
            _ => tag.before,
        };
        self.at = Some((tag.part, before + tag.lines));
        before + 1
    }
}

/// The longest line: 2 GiB.
pub(crate) const LONGEST: usize = 2 << 30;

/// Why a block could not be made.
#[derive(Debug)]
pub(crate) enum Failure {
    Read(io::Error),
    /// The file is shorter than it was.
    Changed,
    Told(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

/// The failure of a file that somebody wrote to.
pub(crate) fn changed(name: &str) -> Error {
    Error::new(ErrorKind::Input, "changed while it was being read").at(name).advise("run again when nothing writes to it")
}

/// Whether a line holds nothing: passed over, and no document.
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Copies a line; one that ends with its file gets a newline.
pub(crate) fn push_line(into: &mut Vec<u8>, line: &[u8]) {
    into.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        into.push(b'\n');
    }
}

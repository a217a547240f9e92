//! Spans of an input → blocks: of a plain file any, of a stream one after the other.

use std::{
    io::{self, ErrorKind, Read},
    ops::Range,
};

#[cfg(feature = "warc")]
use super::crawl::CrawlStream;
use super::{
    Source,
    block::{Block, is_blank, too_long},
    open::Reader,
    records::RecordStream,
    space::Space,
    tables::RowBlocks,
};
use crate::{disk::File, error::Error, format::BYTE_ORDER_MARK};

/// Bytes read behind a span at first, for the line that leaves it.
const BEHIND: usize = 8 << 10;

/// The most that is read at once of a line that goes on and on.
const PIECE: usize = 4 << 20;

/// The longest line: 2 GiB.
pub(super) const LONGEST: usize = 2 << 30;

/// A buffer that a long line has made larger than this is given back.
const KEPT: usize = 32 << 20;

/// Why a block could not be made.
#[derive(Debug)]
pub(super) enum Failure {
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

impl Failure {
    /// The failure of a part.
    pub(super) fn told(self, source: &Source, part: usize) -> Error {
        match self {
            Self::Told(error) => error,
            Self::Changed => source.changed(part),
            Self::Read(error) => Error::reading(source.name(part), &error),
        }
    }
}

/// The number of blocks of so many bytes: also nothing is one.
pub(super) fn blocks(bytes: u64, span: usize) -> u64 {
    bytes.div_ceil(span as u64).max(1)
}

/// What was read into a block's buffer.
struct Window<'a> {
    buffer: &'a mut Vec<u8>,
    filled: usize,
    /// Bytes that were read and left out of the buffer.
    left_out: usize,
    /// Whether the input begins with it, perhaps with a byte order mark.
    is_first: bool,
}

impl<'a> Window<'a> {
    fn of(block: &'a mut Block) -> Self {
        if block.buffer.len() > KEPT {
            block.buffer = Vec::new();
        }
        Self { buffer: &mut block.buffer, filled: 0, left_out: 0, is_first: block.index == 0 }
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Reads at most `more` bytes, once. The reader gets the number of bytes before them.
    fn grow(&mut self, more: usize, read: &mut impl FnMut(&mut [u8], usize) -> Result<usize, Failure>) -> Result<usize, Failure> {
        if self.buffer.len() < self.filled + more {
            self.buffer.resize(self.filled + more, 0);
        }
        let n = read(&mut self.buffer[self.filled..self.filled + more], self.filled + self.left_out)?;
        self.filled += n;
        Ok(n)
    }

    /// Moves bytes in that were read before.
    fn take(&mut self, bytes: &mut Vec<u8>) {
        if self.buffer.len() < bytes.len() {
            self.buffer.resize(bytes.len(), 0);
        }
        self.buffer[..bytes.len()].copy_from_slice(bytes);
        self.filled = bytes.len();
        bytes.clear();
    }

    /// Reads on until the line with the byte before `boundary`, the end of a span with lines from `first` on, ends, and returns
    /// where it ends in the window. `read` reads nothing at the input's end.
    ///
    /// The part of a blank line beyond the span is left out, except for the newline, so a blank line may have any length.
    fn end_line(
        &mut self,
        first: usize,
        boundary: usize,
        mut read: impl FnMut(&mut [u8], usize) -> Result<usize, Failure>,
    ) -> Result<usize, Failure> {
        let mut space = is_blank(self.last_line(first, boundary)).then(Space::default);
        let mut searched = boundary - 1;
        loop {
            let newline = memchr::memchr(b'\n', &self.bytes()[searched..]).map(|at| searched + at);
            let end = newline.unwrap_or(self.filled).max(boundary);
            match &mut space {
                Some(space) if is_blank(&self.bytes()[boundary..end]) => {
                    if newline.is_none() {
                        space.push(&self.bytes()[boundary..end])?;
                    }
                    self.leave_out(boundary..end);
                }
                Some(held) => {
                    self.refuse_longest(first, boundary, held.len())?;
                    self.put_back(boundary, &held.bytes()?);
                    space = None;
                    searched = boundary;
                    continue;
                }
                None => {}
            }
            if let Some(newline) = newline {
                return Ok(if space.is_some() { newline.min(boundary) } else { newline } + 1);
            }
            searched = self.filled;
            self.refuse_longest(first, boundary, 0)?;
            if self.grow(searched.min(PIECE), &mut read)? == 0 {
                return Ok(searched);
            }
        }
    }

    /// What the span has of its last line, without a byte order mark.
    fn last_line(&self, first: usize, boundary: usize) -> &[u8] {
        let lines = &self.buffer[first..boundary];
        let line = memchr::memrchr(b'\n', &lines[..lines.len() - 1]).map_or(lines, |at| &lines[at + 1..]);
        if self.is_first && line.len() == lines.len() { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line }
    }

    /// Removes bytes of the buffer.
    fn leave_out(&mut self, bytes: Range<usize>) {
        self.buffer.copy_within(bytes.end..self.filled, bytes.start);
        self.filled -= bytes.len();
        self.left_out += bytes.len();
    }

    /// Inserts bytes that were left out.
    fn put_back(&mut self, at: usize, bytes: &[u8]) {
        self.buffer.splice(at..at, bytes.iter().copied());
        self.filled += bytes.len();
        self.left_out -= bytes.len();
    }

    /// Refuses the last line of the span, the lines of which begin at `first`, when it has become too long with what was left out.
    fn refuse_longest(&self, first: usize, boundary: usize, left_out: usize) -> Result<(), Failure> {
        let length = self.filled + left_out;
        if length <= LONGEST {
            return Ok(());
        }
        let lines = &self.buffer[first..boundary - 1];
        let before = memchr::memrchr(b'\n', lines).map_or(0, |at| at + 1);
        match length - first - before > LONGEST {
            true => Err(Failure::Told(too_long(memchr::memchr_iter(b'\n', &lines[..before]).count()))),
            false => Ok(()),
        }
    }
}

/// Fills `block` with the lines that begin in its span of a plain file of `size` bytes.
///
/// Whether a line begins where the span does, the byte before it tells. A span that a long line covers costs its own length,
/// whoever reads the line.
pub(super) fn cut_file(block: &mut Block, file: &File, size: u64, span: usize) -> Result<(), Failure> {
    let start = block.index * span as u64;
    let from = start.saturating_sub(1);
    let mut window = Window::of(block);
    let boundary = (size.min(start + span as u64) - from) as usize;
    let whole = (size - from).min((boundary + BEHIND) as u64) as usize;
    let mut read = |into: &mut [u8], filled: usize| match file.read_at(into, from + filled as u64) {
        Ok(0) => Err(Failure::Changed),
        Ok(n) => Ok(n),
        Err(error) => Err(error.into()),
    };
    while window.filled < whole {
        window.grow(whole - window.filled, &mut read)?;
    }
    let first = match start {
        0 => Some(0),
        _ => memchr::memchr(b'\n', &window.bytes()[..boundary - 1]).map(|at| at + 1),
    };
    let Some(first) = first else {
        block.holds(0, 0);
        return Ok(());
    };
    let end = match boundary as u64 + from == size {
        true => boundary,
        false => window.end_line(first, boundary, |into, at| {
            let left = (size - from) as usize - at;
            let most = left.min(into.len());
            if left == 0 { Ok(0) } else { read(&mut into[..most], at) }
        })?,
    };
    block.holds(first, end);
    Ok(())
}

/// An input that can only be read on.
pub(super) enum Stream {
    Lines(LineStream),
    Records(RecordStream),
    #[cfg(feature = "warc")]
    Crawl(CrawlStream),
    Rows(RowBlocks),
}

impl Stream {
    /// The next block.
    pub(super) fn index(&self) -> u64 {
        match self {
            Self::Lines(stream) => stream.index,
            Self::Records(stream) => stream.index,
            #[cfg(feature = "warc")]
            Self::Crawl(stream) => stream.index,
            Self::Rows(stream) => stream.index(),
        }
    }

    /// Fills `block` with what is next.
    pub(super) fn cut(&mut self, block: &mut Block, span: usize) -> Result<(), Failure> {
        match self {
            Self::Lines(stream) => stream.cut(block, span),
            Self::Records(stream) => stream.cut(block, span),
            #[cfg(feature = "warc")]
            Self::Crawl(stream) => stream.cut(block, span),
            Self::Rows(stream) => stream.cut(block),
        }
    }
}

/// Lines that can only be read on.
pub(super) struct LineStream {
    reader: Reader,
    /// The next block.
    pub(super) index: u64,
    /// Where in the input a line begins that is not given yet, and what was read from there on.
    at: u64,
    rest: Vec<u8>,
}

impl LineStream {
    pub(super) fn new(reader: Reader) -> Self {
        Self { reader, index: 0, at: 0, rest: Vec::new() }
    }

    /// Fills `block` with the lines of the next span.
    pub(super) fn cut(&mut self, block: &mut Block, span: usize) -> Result<(), Failure> {
        block.index = self.index;
        let boundary = (self.index + 1) * span as u64;
        self.index += 1;
        // A line that was given covers the span: it goes on behind it, or ends with it and nothing may follow.
        if self.at > boundary {
            block.last = false;
            block.holds(0, 0);
            return Ok(());
        }
        let boundary = (boundary - self.at) as usize;
        let mut window = Window::of(block);
        window.take(&mut self.rest);
        let reader = &mut self.reader;
        let mut read = |into: &mut [u8], _: usize| loop {
            match reader.read(into) {
                Ok(n) => return Ok(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::from(error)),
            }
        };
        // One byte more than the span, to know whether it is the last.
        let mut more = true;
        while window.filled <= boundary && more {
            more = window.grow(boundary + BEHIND - window.filled, &mut read)? > 0;
        }
        let is_last = window.filled <= boundary;
        let end = match boundary {
            0 => 0,
            _ if window.filled <= boundary => window.filled,
            _ => window.end_line(0, boundary, &mut read)?,
        };
        let (filled, left_out) = (window.filled, window.left_out);
        self.rest.extend_from_slice(&block.buffer[end..filled]);
        self.at += (end + left_out) as u64;
        block.last = is_last;
        block.holds(0, end);
        Ok(())
    }
}

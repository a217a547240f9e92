//! The bytes read for a span (the byte range of a block), and for the line that crosses the end of the span.

use std::ops::Range;

use super::space::Space;
use crate::{
    error::Error,
    format::BYTE_ORDER_MARK,
    read::buffer::{Buffer, Failure, LONGEST, is_blank},
};

/// The maximum number of bytes per read of a very long line.
const PIECE: usize = 4 << 20;

/// A buffer that is larger than this, because of a long line, is freed before its next use.
const KEPT: usize = 32 << 20;

/// The bytes read into a block's buffer.
pub(crate) struct Window<'a> {
    buffer: &'a mut Vec<u8>,
    pub(crate) filled: usize,
    /// The number of bytes that were read but not stored in the buffer.
    pub(crate) left_out: usize,
    /// Whether the window is at the beginning of the input, which may have a byte order mark.
    is_first: bool,
}

impl<'a> Window<'a> {
    pub(crate) fn of(buffer: &'a mut Buffer) -> Self {
        if buffer.bytes.len() > KEPT {
            buffer.bytes = Vec::new();
        }
        Self {
            buffer: &mut buffer.bytes,
            filled: 0,
            left_out: 0,
            is_first: buffer.index == 0,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Reads at most `more` bytes, in one call. `read` receives the number of bytes that have been read before.
    pub(crate) fn grow(
        &mut self,
        more: usize,
        read: &mut impl FnMut(&mut [u8], usize) -> Result<usize, Failure>,
    ) -> Result<usize, Failure> {
        if self.buffer.len() < self.filled + more {
            self.buffer.resize(self.filled + more, 0);
        }
        let n = read(
            &mut self.buffer[self.filled..self.filled + more],
            self.filled + self.left_out,
        )?;
        self.filled += n;
        Ok(n)
    }

    /// Moves bytes that were read earlier into the window.
    pub(crate) fn take(&mut self, bytes: &mut Vec<u8>) {
        if self.buffer.len() < bytes.len() {
            self.buffer.resize(bytes.len(), 0);
        }
        self.buffer[..bytes.len()].copy_from_slice(bytes);
        self.filled = bytes.len();
        bytes.clear();
    }

    /// Reads to the end of the line that contains the byte before `boundary`, and returns the position of that end in the window.
    /// `boundary` is the end of a span whose lines begin at `first`. `read` reads nothing at the end of the input.
    ///
    /// If a blank line extends beyond the span, the part after the span is not stored, except for the newline. A blank line may
    /// therefore have any length.
    pub(crate) fn end_line(
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
                return Ok(if space.is_some() {
                    newline.min(boundary)
                } else {
                    newline
                } + 1);
            }
            searched = self.filled;
            self.refuse_longest(first, boundary, 0)?;
            if self.grow(searched.min(PIECE), &mut read)? == 0 {
                return Ok(searched);
            }
        }
    }

    /// Returns the part of the last line that is in the span, without a byte order mark.
    fn last_line(&self, first: usize, boundary: usize) -> &[u8] {
        let lines = &self.buffer[first..boundary];
        let line =
            memchr::memrchr(b'\n', &lines[..lines.len() - 1]).map_or(lines, |at| &lines[at + 1..]);
        if self.is_first && line.len() == lines.len() {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        } else {
            line
        }
    }

    /// Removes bytes from the buffer.
    fn leave_out(&mut self, bytes: Range<usize>) {
        self.buffer.copy_within(bytes.end..self.filled, bytes.start);
        self.filled -= bytes.len();
        self.left_out += bytes.len();
    }

    /// Inserts bytes that were removed earlier.
    fn put_back(&mut self, at: usize, bytes: &[u8]) {
        self.buffer.splice(at..at, bytes.iter().copied());
        self.filled += bytes.len();
        self.left_out -= bytes.len();
    }

    /// Returns an error if the last line of the span is too long. Its length includes the bytes that were not stored. The lines
    /// of the span begin at `first`.
    fn refuse_longest(
        &self,
        first: usize,
        boundary: usize,
        left_out: usize,
    ) -> Result<(), Failure> {
        let length = self.filled + left_out;
        if length <= LONGEST {
            return Ok(());
        }
        let lines = &self.buffer[first..boundary - 1];
        let before = memchr::memrchr(b'\n', lines).map_or(0, |at| at + 1);
        if length - first - before > LONGEST {
            Err(Failure::Reported(too_long(
                memchr::memchr_iter(b'\n', &lines[..before]).count(),
            )))
        } else {
            Ok(())
        }
    }
}

/// Returns the error for a line that is too long. `line` is the line's number in its block.
fn too_long(line: usize) -> Error {
    Error::record("the line is longer than 2 GiB")
        .of_line(line as u64)
        .advise("check that the file is JSON Lines")
}

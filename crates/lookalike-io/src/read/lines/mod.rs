//! Finds the lines that begin in a span (a byte range of fixed length) of an input. The spans of a plain file can be read in any
//! order. The spans of a stream can only be read one after the other.

mod space;

mod window;

use std::io::{ErrorKind, Read};

use self::window::Window;
use super::{
    buffer::{Buffer, Failure},
    bytes::Reader,
};
use crate::disk::File;

/// The number of bytes after a span that are read in the first attempt to find the end of the line that crosses the span's end.
/// If the line is longer, more bytes are read.
const BEHIND: usize = 8 << 10;

/// Returns the number of blocks for a number of bytes. Zero bytes also make one block.
pub(crate) fn blocks(bytes: u64, span: usize) -> u64 {
    bytes.div_ceil(span as u64).max(1)
}

/// Fills `buffer` with the lines that begin in the buffer's span of a plain file of `size` bytes.
///
/// The byte before the span shows whether a line begins at the span's start. If the whole span is inside a long line, the worker
/// that processes the span reads it only to find that no line begins in it. The worker whose span contains the start of that line
/// reads the same bytes again.
pub(crate) fn cut_file(
    buffer: &mut Buffer,
    file: &File,
    size: u64,
    span: usize,
) -> Result<(), Failure> {
    let start = buffer.index * span as u64;
    let from = start.saturating_sub(1);
    let mut window = Window::of(buffer);
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
        buffer.holds(0, 0);
        return Ok(());
    };
    let end = if boundary as u64 + from == size {
        boundary
    } else {
        window.end_line(first, boundary, |into, at| {
            let left = (size - from) as usize - at;
            let most = left.min(into.len());
            if left == 0 {
                Ok(0)
            } else {
                read(&mut into[..most], at)
            }
        })?
    };
    buffer.holds(first, end);
    Ok(())
}

/// The lines of an input that can only be read sequentially.
pub(crate) struct LineStream {
    reader: Reader,
    /// The index of the next block.
    pub(crate) index: u64,
    /// The position in the input of the first line not yet returned. `rest` has the bytes that have already been read and begin
    /// at this position.
    at: u64,
    rest: Vec<u8>,
}

impl LineStream {
    pub(crate) fn new(reader: Reader) -> Self {
        Self {
            reader,
            index: 0,
            at: 0,
            rest: Vec::new(),
        }
    }

    /// Fills `buffer` with the lines of the next span.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer, span: usize) -> Result<(), Failure> {
        buffer.index = self.index;
        let boundary = (self.index + 1) * span as u64;
        self.index += 1;
        // If a line that was returned for an earlier span ends beyond this span, no line begins in this span. If that line ends
        // exactly at the end of this span, no line begins in this span either. But the input may end there too, so the code below
        // reads further to find out.
        if self.at > boundary {
            buffer.last = false;
            buffer.holds(0, 0);
            return Ok(());
        }
        let boundary = (boundary - self.at) as usize;
        let mut window = Window::of(buffer);
        window.take(&mut self.rest);
        let reader = &mut self.reader;
        let mut read = |into: &mut [u8], _: usize| loop {
            match reader.read(into) {
                Ok(n) => return Ok(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::from(error)),
            }
        };
        // Read one byte more than the span, to know whether the span is the last.
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
        self.rest.extend_from_slice(&buffer.bytes[end..filled]);
        self.at += (end + left_out) as u64;
        buffer.last = is_last;
        buffer.holds(0, end);
        Ok(())
    }
}

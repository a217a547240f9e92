//! A file that is written once, from its beginning to its end.
//!
//! A large file would push everything else out of the page cache, and fresh pages of the cache are expensive: a gigabyte takes
//! 0.9 to 4.5 seconds through the cache, and 0.6 seconds if it bypasses the cache (bench/speed/NOTES.md). So large files bypass
//! the cache if the file system supports it. Otherwise their pages leave the cache as soon as they are on the disk.

use std::io::{self, Write};

use super::{
    File,
    cache::{leave, set_direct},
    window::PAGE,
};

/// Files up to this size remain in the cache: they cost little, and are often read next.
const SMALL: u64 = 4 << 20;

/// When this number of further bytes has been written after a page, the cache is asked a second time to drop the page. At the
/// first request, the page is usually not on the disk yet, so that it cannot be dropped.
const BEHIND: u64 = 16 << 20;

/// A file that is being written.
#[derive(Debug)]
pub struct Stream {
    file: File,
    written: u64,
    way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A device or a pipe, about which nothing is known.
    Plain,
    /// A file that is still small.
    Cached,
    /// The file bypasses the page cache.
    Direct,
    /// The file goes through the page cache, which is asked to drop the file's pages afterwards.
    Behind,
}

impl Stream {
    /// Creates a stream for a new, empty file.
    pub(crate) fn new(file: File) -> Self {
        Self {
            file,
            written: 0,
            way: Way::Cached,
        }
    }

    /// Creates a stream for a device or pipe that other programs may also write to.
    pub(crate) fn shared(file: File) -> Self {
        Self {
            file,
            written: 0,
            way: Way::Plain,
        }
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Chooses the mode in which `bytes` can be written at the current position.
    fn turn(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.way == Way::Cached && self.written >= SMALL {
            self.way = if set_direct(&self.file, true).is_ok() {
                Way::Direct
            } else {
                Way::Behind
            };
        }
        let fits = bytes.as_ptr().align_offset(PAGE) == 0
            && bytes.len().is_multiple_of(PAGE)
            && self.written.is_multiple_of(PAGE as u64);
        if self.way == Way::Direct && !fits {
            self.turn_back()
        } else {
            Ok(())
        }
    }

    fn turn_back(&mut self) -> io::Result<()> {
        self.way = Way::Behind;
        set_direct(&self.file, false)
    }
}

impl Write for Stream {
    /// Bypasses the cache if `bytes` are a full [`Window`](super::Window).
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.turn(bytes)?;
        let n = match self.file.write(bytes) {
            // Some file systems accept the request for direct writes, and then reject the first such write. Others require
            // addresses, lengths and positions that are multiples of a number larger than a page.
            Err(error)
                if self.way == Way::Direct && error.kind() == io::ErrorKind::InvalidInput =>
            {
                self.turn_back()?;
                self.file.write(bytes)?
            }
            written => written?,
        };
        if self.way == Way::Behind {
            leave(&self.file, self.written, n as u64);
            leave(&self.file, self.written.saturating_sub(BEHIND), n as u64);
        }
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

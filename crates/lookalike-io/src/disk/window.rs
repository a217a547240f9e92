//! A piece of memory that can be written past the page cache.

/// What the address, the length and the place of a write past the page cache must be a multiple of, on all disks that we know.
pub(super) const PAGE: usize = 4096;

/// Bytes in a window: with three of them or more on the way, writing is as fast as with larger ones (bench/speed/NOTES.md).
pub const WINDOW: usize = 1 << 20;

/// A mebibyte that begins at a page's boundary. Its memory is the system's until it is filled.
#[derive(Debug)]
pub struct Window {
    memory: Vec<u8>,
    start: usize,
    filled: usize,
}

impl Window {
    /// An empty window.
    pub(crate) fn new() -> Self {
        let memory = vec![0; WINDOW + PAGE];
        // The vector never grows, so its memory never moves.
        let start = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Self { memory, start, filled: 0 }
    }

    /// Takes what fits of `bytes`; gives what does not.
    pub(crate) fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (taken, left) = bytes.split_at(bytes.len().min(WINDOW - self.filled));
        let at = self.start + self.filled;
        self.memory[at..at + taken.len()].copy_from_slice(taken);
        self.filled += taken.len();
        left
    }

    /// What it was filled with.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.filled]
    }

    /// Whether nothing more fits.
    pub(crate) fn is_full(&self) -> bool {
        self.filled == WINDOW
    }

    /// Makes it empty.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
    }
}

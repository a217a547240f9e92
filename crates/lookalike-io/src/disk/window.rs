//! A buffer that can be written without the page cache.

/// A write that bypasses the page cache must have an address, a length and a position that are multiples of this number, on all
/// known disks.
pub(super) const PAGE: usize = 4096;

/// The size in bytes of a window, which is the write buffer below. With three or more windows in flight, writing is as fast as
/// with larger windows (bench/speed/NOTES.md).
pub const WINDOW: usize = 1 << 20;

/// A buffer of one mebibyte that begins at a page boundary. The system allocates the memory only when the buffer is filled.
#[derive(Debug)]
pub struct Window {
    memory: Vec<u8>,
    start: usize,
    filled: usize,
}

impl Window {
    /// Creates an empty window.
    pub(crate) fn new() -> Self {
        let memory = vec![0; WINDOW + PAGE];
        // The vector never grows, so its memory never moves.
        let start = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Self {
            memory,
            start,
            filled: 0,
        }
    }

    /// Creates a window without memory, into which nothing fits.
    pub(crate) fn none() -> Self {
        Self {
            memory: Vec::new(),
            start: 0,
            filled: WINDOW,
        }
    }

    /// Copies as much of `bytes` as fits; returns the rest.
    pub(crate) fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (taken, left) = bytes.split_at(bytes.len().min(WINDOW - self.filled));
        let at = self.start + self.filled;
        self.memory[at..at + taken.len()].copy_from_slice(taken);
        self.filled += taken.len();
        left
    }

    /// Returns the bytes that the window was filled with.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.filled]
    }

    /// Returns whether the window is full.
    pub(crate) fn is_full(&self) -> bool {
        self.filled == WINDOW
    }

    /// Empties the window.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
    }
}

//! White space at the beginning of a line, kept compressed, because a line of white space may have any length.

use std::io;

/// White space that was read but not stored in a buffer. This white space is put back only if the line turns out not to be blank.
#[derive(Default)]
pub(crate) struct Space {
    /// The white space as zstd frames: 256 KiB of spaces take about 30 bytes, even at the fastest level.
    packed: Vec<u8>,
    length: usize,
}

impl Space {
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len();
        zstd::stream::copy_encode(bytes, &mut self.packed, 1)
    }

    /// Returns the length of the white space in bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Returns all bytes that were pushed.
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        if self.length == 0 {
            Ok(Vec::new())
        } else {
            zstd::decode_all(&*self.packed)
        }
    }
}

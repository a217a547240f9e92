//! White space at a line's beginning, held compressed: a line of nothing else may have any length.

use std::io;

/// White space that was read and left out of a buffer, until the line's end shows whether it is needed.
#[derive(Default)]
pub(crate) struct Space {
    /// As zstd frames: 256 KiB of spaces take some 30 bytes. The fastest level does that too.
    packed: Vec<u8>,
    length: usize,
}

impl Space {
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len();
        zstd::stream::copy_encode(bytes, &mut self.packed, 1)
    }

    /// The number of bytes that it holds.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// All that was pushed.
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        if self.length == 0 { Ok(Vec::new()) } else { zstd::decode_all(&*self.packed) }
    }
}

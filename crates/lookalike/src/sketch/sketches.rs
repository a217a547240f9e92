//! Sketches of a fixed size, of many documents: one after the other, without a pointer each.

/// The fixed-size part of each document's sketch, `stride` bytes a document.
#[derive(Debug, Clone)]
pub struct Sketches {
    stride: usize,
    bytes: Vec<u8>,
}

impl Sketches {
    /// Of no document yet.
    pub fn new(stride: usize) -> Self {
        Self { stride, bytes: Vec::new() }
    }

    /// Appends the next document's, or several documents', sketch.
    #[inline]
    pub fn push(&mut self, sketch: &[u8]) {
        self.bytes.extend_from_slice(sketch);
    }

    /// Appends those of other documents.
    pub fn append(&mut self, other: &Self) {
        self.push(&other.bytes);
    }

    /// A document's.
    #[inline]
    pub fn get(&self, document: u32) -> &[u8] {
        &self.bytes[document as usize * self.stride..][..self.stride]
    }
}

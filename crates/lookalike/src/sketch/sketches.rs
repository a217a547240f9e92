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

    /// Of so many documents, to be [`set`](Self::set).
    pub fn zeroed(stride: usize, documents: usize) -> Self {
        Self { stride, bytes: vec![0; stride * documents] }
    }

    /// Puts a document's.
    pub fn set(&mut self, document: u32, sketch: &[u8]) {
        self.bytes[document as usize * self.stride..][..self.stride].copy_from_slice(sketch);
    }

    /// Keeps those of some documents, ascending, and numbers them anew in this order.
    pub fn keep(&mut self, documents: impl Iterator<Item = u32>) {
        let mut kept = 0;
        for document in documents {
            let from = document as usize * self.stride;
            self.bytes.copy_within(from..from + self.stride, kept);
            kept += self.stride;
        }
        self.bytes.truncate(kept);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_kept_are_numbered_anew() {
        let mut sketches = Sketches::zeroed(2, 4);
        (0..4).for_each(|d| sketches.set(d, &[d as u8, 7]));
        sketches.keep([1, 3].into_iter());
        assert_eq!([sketches.get(0), sketches.get(1)], [[1, 7], [3, 7]]);
        assert_eq!(sketches.bytes.len(), 4);
    }
}

//! Fixed-size sketches of many documents, stored one after the other, without a pointer for each document.

/// The fixed-size part of each document's sketch, `stride` bytes per document.
#[derive(Debug, Clone)]
pub struct Sketches {
    stride: usize,
    bytes: Vec<u8>,
}

impl Sketches {
    /// Creates a store without documents.
    pub fn new(stride: usize) -> Self {
        Self {
            stride,
            bytes: Vec::new(),
        }
    }

    /// Creates a store for `documents` documents. Every sketch must then be stored with [`set`](Self::set).
    pub fn zeroed(stride: usize, documents: usize) -> Self {
        Self {
            stride,
            bytes: vec![0; stride * documents],
        }
    }

    /// Stores the sketch of a document.
    pub fn set(&mut self, document: u32, sketch: &[u8]) {
        self.bytes[document as usize * self.stride..][..self.stride].copy_from_slice(sketch);
    }

    /// Keeps only the sketches of `documents`, which must be ascending, and renumbers them in this order.
    pub fn keep(&mut self, documents: impl Iterator<Item = u32>) {
        let mut kept = 0;
        for document in documents {
            let from = document as usize * self.stride;
            self.bytes.copy_within(from..from + self.stride, kept);
            kept += self.stride;
        }
        self.bytes.truncate(kept);
    }

    /// Appends the sketch of the next document, or of several documents.
    #[inline]
    pub fn push(&mut self, sketch: &[u8]) {
        self.bytes.extend_from_slice(sketch);
    }

    /// Appends the sketches of another store.
    pub fn append(&mut self, other: &Self) {
        self.push(&other.bytes);
    }

    /// Returns the sketch of a document.
    #[inline]
    pub fn get(&self, document: u32) -> &[u8] {
        &self.bytes[document as usize * self.stride..][..self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_sketches_are_renumbered() {
        let mut sketches = Sketches::zeroed(2, 4);
        (0..4).for_each(|d| sketches.set(d, &[d as u8, 7]));
        sketches.keep([1, 3].into_iter());
        assert_eq!([sketches.get(0), sketches.get(1)], [[1, 7], [3, 7]]);
        assert_eq!(sketches.bytes.len(), 4);
    }
}

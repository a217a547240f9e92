//! The data that an index stores for a text.

use lookalike::{Method, Scratch, Verify};

/// The keys, the sketch and the shingles of a text. A text without tokens has no keys, sketch or shingles, so it matches nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketched {
    /// One key for each band.
    pub(crate) keys: Vec<u32>,
    /// The fixed-size sketch.
    pub(crate) bits: Vec<u8>,
    /// The shingle set, if similarity is measured exactly.
    pub(crate) set: Vec<u64>,
}

impl Sketched {
    /// Sketches a text for an index with this method. Cost: the cost of [`Method::sketch`], plus the cost of the set.
    pub fn of(method: &Method, text: &str, scratch: &mut Scratch) -> Self {
        method.sketch(text, scratch);
        if scratch.fingerprints.is_empty() {
            return Self::default();
        }
        let (keys, bits) = (scratch.keys.clone(), scratch.bits.clone());
        let set = match method.verify() {
            Verify::Exact => {
                method.make_set(scratch);
                scratch.fingerprints.clone()
            }
            Verify::Sketch | Verify::None => Vec::new(),
        };
        Self { keys, bits, set }
    }

    /// Returns whether this data is valid for a method.
    pub(crate) fn fits(&self, method: &Method) -> bool {
        let empty = self.keys.is_empty() && self.bits.is_empty() && self.set.is_empty();
        let (columns, stride) = (method.columns(), method.stride());
        empty
            || self.keys.len() == columns
                && self.bits.len() == stride
                && self.set.is_sorted_by(|a, b| a < b)
    }

    /// Returns the similarity of two documents that share a key, if it is high enough.
    pub(crate) fn similarity(&self, other: &Self, method: &Method) -> Option<f64> {
        if !method.agree(&self.bits, &other.bits) {
            return None;
        }
        match method.verify() {
            Verify::Exact => {
                let measure = method.config().measure;
                measure
                    .at_least(&self.set, &other.set, method.config().threshold)
                    .map(|overlap| measure.of(overlap))
            }
            Verify::Sketch => Some(method.estimate(&self.bits, &other.bits))
                .filter(|estimate| *estimate >= method.least()),
            Verify::None => Some(method.estimate(&self.bits, &other.bits)),
        }
    }
}

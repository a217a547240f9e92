//! What an index holds of a text.

use lookalike::{Method, Scratch, Verify};

/// A text by its keys, its sketch and its shingles; without any of them where it has no token, so that it matches nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketched {
    /// One for each band.
    pub(crate) keys: Vec<u32>,
    /// The fixed-size sketch.
    pub(crate) bits: Vec<u8>,
    /// The shingle set, where similarity is measured.
    pub(crate) set: Vec<u64>,
}

impl Sketched {
    /// Sketches a text as an index with this method does. Cost: as for [`Method::sketch`], and the set's.
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

    /// Whether it can be of a method.
    pub(crate) fn fits(&self, method: &Method) -> bool {
        let empty = self.keys.is_empty() && self.bits.is_empty() && self.set.is_empty();
        let (columns, stride) = (method.columns(), method.stride());
        empty || self.keys.len() == columns && self.bits.len() == stride && self.set.is_sorted_by(|a, b| a < b)
    }

    /// How similar two documents that share a key are, where that is enough.
    pub(crate) fn similarity(&self, other: &Self, method: &Method) -> Option<f64> {
        if !method.agree(&self.bits, &other.bits) {
            return None;
        }
        match method.verify() {
            Verify::Exact => {
                let measure = method.config().measure;
                measure.at_least(&self.set, &other.set, method.config().threshold).map(|overlap| measure.of(overlap))
            }
            Verify::Sketch => Some(method.estimate(&self.bits, &other.bits)).filter(|estimate| *estimate >= method.least()),
            Verify::None => Some(method.estimate(&self.bits, &other.bits)),
        }
    }
}

//! The sketch of one text, and the scratch buffers to compute it.

use crate::{
    fingerprint::{Digest, sort_distinct_in},
    text::{Reader, Tokens},
};

/// The sketch of one text, and the buffers to compute it.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The fingerprints of the shingles. After `sketch`, they are in any order and may repeat; after `set`, they are a sorted
    /// set.
    pub fingerprints: Vec<u64>,
    /// The hashes of the text's tokens, in order. For a set they are sorted, because its items have no order.
    pub token_hashes: Vec<u64>,
    /// Whether the text has too few shingles that begin with a stop word, so that all its shingles are used. This field is false
    /// if [`Config::anchors`](crate::Config::anchors) is empty, and for an empty text.
    pub few_anchors: bool,
    /// The digest, which is the same for all copies of a document. The digest covers the canonical form. If candidates are found
    /// by their longest sentences, it also covers these sentences.
    pub digest: Digest,
    /// One key per column, such as a band. Two documents with the same key in the same column may be candidates.
    pub keys: Vec<u32>,
    /// The fixed-size sketch.
    pub bits: Vec<u8>,
    /// The sampled elements (fingerprints or super-shingles), sorted and without repeats, if candidates are found by shared
    /// elements.
    pub elements: Vec<u64>,
    /// The level (log₂ of the modulus) of the sample that the elements form; 0 if the elements are not such a sample.
    pub level: u32,
    /// Scratch buffer for a canonical form that must be written to memory.
    pub(super) tokens: Tokens,
    /// Scratch buffers of the reader, which finds the tokens of a text without writing the whole canonical form to memory.
    pub(super) reader: Reader,
    pub(super) slots: Vec<u32>,
    /// Scratch buffer for sorting.
    pub(super) sorting: Vec<u64>,
    /// Scratch buffer for a text whose JSON escapes are decoded.
    pub(super) plain: String,
}

impl Scratch {
    /// Converts the fingerprints that `sketch` left in the buffer into a set.
    pub(crate) fn make_set(&mut self) {
        sort_distinct_in(&mut self.sorting, &mut self.fingerprints);
    }
}

//! The sketch of one text, and the scratch buffers to compute it.

use crate::{
    fingerprint::{Digest, sort_distinct_in},
    text::{Reader, Tokens},
};

/// The sketch of one text, and the buffers to compute it.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The fingerprints of the shingles: with repeats, in any order, after `sketch`; a sorted set after `set`.
    pub fingerprints: Vec<u64>,
    /// The hashes of the text's tokens, in order. For a set they are sorted, because its items have no order.
    pub token_hashes: Vec<u64>,
    /// Whether the text has too few shingles that begin with a stop word, so that all its shingles are used. It is false without
    /// anchors, and for an empty text.
    pub few_anchors: bool,
    /// The digest that all copies of a document have in common. It covers the canonical form and, if candidates share sentences,
    /// also the sentences.
    pub digest: Digest,
    /// One key per column.
    pub keys: Vec<u32>,
    /// The fixed-size sketch.
    pub bits: Vec<u8>,
    /// The sampled elements, sorted, each once, if candidates are found by shared elements.
    pub elements: Vec<u64>,
    /// The level of the sample that the elements form; 0 if they are not a sample.
    pub level: u32,
    /// Scratch buffer for a canonical form, if it must be written.
    pub(super) tokens: Tokens,
    /// Scratch buffer for reading a text in place.
    pub(super) reader: Reader,
    pub(super) slots: Vec<u32>,
    /// Scratch buffer for sorting.
    pub(super) sorting: Vec<u64>,
    /// Scratch buffer for a text without its escapes.
    pub(super) plain: String,
}

impl Scratch {
    /// Converts the fingerprints that `sketch` left in the buffer into a set.
    pub(crate) fn make_set(&mut self) {
        sort_distinct_in(&mut self.sorting, &mut self.fingerprints);
    }
}

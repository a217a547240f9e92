//! One text's sketch, and the room it was made in.

use crate::{
    fingerprint::{Digest, sort_distinct_in},
    text::{Reader, Tokens},
};

/// One text's sketch, and the buffers it was made in.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The shingles' fingerprints: with repeats, in any order, after `sketch`; a sorted set after `set`.
    pub fingerprints: Vec<u64>,
    /// The hashes of the text's tokens, in order; of a set's items sorted, as they have none.
    pub token_hashes: Vec<u64>,
    /// Whether the text has too few shingles that begin with a stop word to be judged by them, so that these are all its shingles;
    /// false where none has to begin so, and of an empty text.
    pub few_anchors: bool,
    /// What documents that are copies of each other have in common: the canonical form's digest, for sentences with theirs.
    pub digest: Digest,
    /// One key for each column.
    pub keys: Vec<u32>,
    /// The fixed-size sketch.
    pub bits: Vec<u8>,
    /// Where documents meet by what they list: the listed elements, sorted, each once.
    pub elements: Vec<u64>,
    /// The level of the sample that they are; 0 where they are none.
    pub level: u32,
    /// Room for a canonical form, where one has to be written.
    pub(super) tokens: Tokens,
    /// Room for reading a text where it stands.
    pub(super) reader: Reader,
    pub(super) slots: Vec<u32>,
    /// Room for sorting.
    pub(super) room: Vec<u64>,
    /// Room for a text without its escapes.
    pub(super) plain: String,
}

impl Scratch {
    /// Makes a set of the fingerprints that a sketch left.
    pub(crate) fn make_set(&mut self) {
        sort_distinct_in(&mut self.room, &mut self.fingerprints);
    }
}

//! One text's sketch, and the room it was made in.

use crate::{fingerprint::Digest, text::Tokens};

/// One text's sketch, and the buffers it was made in.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The canonical form; after a sketch of sentences, that of one of them.
    pub tokens: Tokens,
    /// The shingles' fingerprints: with repeats, in any order, after `sketch`; a sorted set after `set`.
    pub fingerprints: Vec<u64>,
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
    pub(super) token_hashes: Vec<u64>,
    pub(super) slots: Vec<u32>,
    /// Room for a text without its escapes.
    pub(super) plain: String,
}

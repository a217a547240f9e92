//! What a segment is made from, and the head that says where its parts are.

use serde::{Deserialize, Serialize};

use super::{
    bits::Bits,
    blocks::Section,
    postings::{Column, Posting},
};
use crate::error::Result;

/// A column with one value for each document of a segment, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The fixed-size sketch.
    Sketch,
    /// The digest, 16 bytes.
    Digest,
    /// The representative's number and the bits of the similarity, 8 bytes each. Only dropped documents have a value.
    Verdict,
    /// The key of the place in keep order, 8 bytes.
    Key,
    /// The id, as [`Id::to_bytes`](crate::id::Id::to_bytes) returns it.
    Id,
    /// The text or the shingle set, or nothing.
    Payload,
    /// The keys of all bands, 4 bytes each, if there is no text from which they can be computed.
    BandKeys,
}

/// What a segment is written from: the documents in memory, or other segments.
pub(crate) trait Source: Sync {
    /// Returns the number of the first document; documents are numbered in input order.
    fn base(&self) -> u64;

    /// Returns the documents: the differences of their numbers to `base`.
    fn present(&self) -> &Bits;

    /// Returns the documents that are kept.
    fn kept(&self) -> &Bits;

    /// Returns the documents whose keys are among the postings: one of each class of copies.
    fn posted(&self) -> &Bits;

    /// Returns the posted documents whose first copy is kept.
    fn leading(&self) -> &Bits;

    /// Returns the documents without text to compare.
    fn empty(&self) -> &Bits;

    /// Calls `each` with the value of every document, in order.
    fn each(&self, part: Part, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;

    /// Returns the beginnings of this many texts, taken at equal distances.
    fn samples(&self, count: u64) -> Result<Vec<Vec<u8>>>;

    /// Returns the postings of a column: the bands, then the digests, then the ids. Among the postings of a key in a band, those of
    /// [leading](Self::leading) documents come first; the others have [`FOLLOWS`](super::postings::FOLLOWS) added to the document.
    fn postings(&self, column: usize) -> Result<Box<dyn Iterator<Item = Result<Posting>> + '_>>;
}

/// What the documents of an index have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number of bands.
    pub(crate) bands: usize,
    /// The size of a sketch in bytes.
    pub(crate) stride: usize,
    /// Whether the keys of bands are stored with each document.
    pub(crate) stores_keys: bool,
}

impl Shape {
    /// Returns the column of digests.
    pub(crate) fn digests(self) -> usize {
        self.bands
    }

    /// Returns the column of ids.
    pub(crate) fn ids(self) -> usize {
        self.bands + 1
    }

    pub(crate) fn columns(self) -> usize {
        self.bands + 2
    }
}

/// The head of a segment, which is at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The number of the first document.
    pub(crate) base: u64,
    pub(crate) documents: u64,
    pub(crate) stride: u64,
    pub(crate) present: Section,
    pub(crate) kept: Section,
    pub(crate) posted: Section,
    pub(crate) leading: Section,
    pub(crate) empty: Section,
    pub(crate) sketches: Section,
    pub(crate) digests: Section,
    pub(crate) verdicts: Section,
    /// None if all keys are 0.
    pub(crate) keys: Option<Section>,
    /// For each document, the end of its id in `ids`.
    pub(crate) id_ends: Section,
    pub(crate) ids: Section,
    /// For each document, the address of its text.
    pub(crate) addresses: Section,
    pub(crate) payloads: Section,
    pub(crate) dictionary: Section,
    pub(crate) band_keys: Option<Section>,
    /// The first keys of the blocks of all columns.
    pub(crate) fences: Section,
    pub(crate) columns: Vec<Column>,
}

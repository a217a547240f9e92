//! The columns of a segment, and the head that says where they are.

use serde::{Deserialize, Serialize};

use super::{blocks::Section, postings::Column};

pub(crate) const MAGIC: &[u8; 8] = b"\x89LKASEG\n";

/// The version of the format. A release reports an error for a version that it cannot read.
pub(crate) const VERSION: u32 = 1;

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
    /// The address of the payload in a segment, 8 bytes.
    Address,
    /// The keys of all bands, 4 bytes each, if there is no text from which they can be computed.
    BandKeys,
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

/// Compressed texts, and the dictionary with which they are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Texts {
    pub(crate) payloads: Section,
    /// Empty if the texts are compressed without a dictionary.
    pub(crate) dictionary: Section,
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
    pub(crate) texts: Vec<Texts>,
    pub(crate) band_keys: Option<Section>,
    /// The first keys of the blocks of all columns.
    pub(crate) fences: Section,
    pub(crate) columns: Vec<Column>,
}

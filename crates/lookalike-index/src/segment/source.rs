//! What a segment is made from.

use super::{bits::Bits, parts::Part, postings::Posting, read::Segment};
use crate::error::Result;

/// Sets of documents, which are given by the differences of their numbers to the number of the first.
#[derive(Debug)]
pub(crate) struct Documents {
    pub(crate) present: Bits,
    pub(crate) kept: Bits,
    /// The documents whose keys are among the postings: one of each class of copies.
    pub(crate) posted: Bits,
    /// The posted documents whose first copy is kept.
    pub(crate) leading: Bits,
    /// The documents without text to compare.
    pub(crate) empty: Bits,
}

impl Documents {
    /// Returns empty sets of documents, whose numbers differ by less than `limit`.
    pub(crate) fn new(limit: u64) -> Self {
        let bits = || Bits::new(limit);
        Self {
            present: bits(),
            kept: bits(),
            posted: bits(),
            leading: bits(),
            empty: bits(),
        }
    }
}

/// What a segment is written from: the documents in memory, or other segments.
pub(crate) trait Source: Sync {
    /// Returns the number of the first document; documents are numbered in input order.
    fn base(&self) -> u64;

    /// Returns the documents.
    fn documents(&self) -> &Documents;

    /// Calls `each` with the value of every document, in order.
    fn each(&self, part: Part, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;

    /// Returns the segments whose compressed texts are copied, with their documents; none if texts are to be compressed.
    fn copied(&self) -> Option<Vec<(&Segment, &Bits)>>;

    /// Returns the [dictionary](super::dictionary) with which the texts are compressed.
    fn dictionary(&self) -> Result<Vec<u8>>;

    /// Calls `each` with the postings of a column, some at a time, in order. The columns are the bands, then the digests, then the ids.
    /// Among the postings of a key in a band, those of [leading](Documents::leading) documents come first; the others have
    /// [`FOLLOWS`](super::postings::FOLLOWS) added to the document.
    fn postings(&self, column: usize, each: &mut dyn FnMut(&[Posting]) -> Result<()>)
    -> Result<()>;
}

//! What a segment is made from.

use super::{bits::Bits, parts::Part, postings::Posting, read::Segment};
use crate::error::Result;

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

    /// Returns the segments whose compressed texts are copied, with their documents; none if texts are to be compressed.
    fn copied(&self) -> Option<Vec<(&Segment, &Bits)>>;

    /// Returns the [dictionary](super::dictionary) with which the texts are compressed.
    fn dictionary(&self) -> Result<Vec<u8>>;

    /// Calls `each` with the postings of a column, some at a time, in order. The columns are the bands, then the digests, then the ids.
    /// Among the postings of a key in a band, those of [leading](Self::leading) documents come first; the others have
    /// [`FOLLOWS`](super::postings::FOLLOWS) added to the document.
    fn postings(&self, column: usize, each: &mut dyn FnMut(&[Posting]) -> Result<()>) -> Result<()>;
}

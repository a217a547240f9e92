//! What the law needs to know about the documents of a collection.

use std::cmp::Reverse;

use crate::error::Result;

/// A document's place in keep order, the order in which documents are considered: the largest key comes first, and documents with
/// equal keys are in input order. No two documents have the same place, so a place also identifies a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    key: Reverse<u64>,
    /// The document's number; documents are numbered in input order.
    pub(crate) number: u64,
}

impl Place {
    /// Returns the key by which it was made.
    pub(crate) fn key(self) -> u64 {
        self.key.0
    }

    pub(crate) fn new(key: u64, number: u64) -> Self {
        Self {
            key: Reverse(key),
            number,
        }
    }
}

/// The decision about a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    Kept,
    /// The document is represented by a kept document; `similarity` is what made it the representative.
    Dropped {
        /// The number of the representative.
        representative: u64,
        similarity: f64,
    },
}

impl Verdict {
    pub(crate) fn is_kept(self) -> bool {
        matches!(self, Self::Kept)
    }
}

/// Documents with their decisions. Two documents are copies of each other if they have the same canonical form; the first copy is the
/// first of them in keep order. Two documents match if they are candidates and their similarity reaches the threshold. Documents
/// without text have no copies and match nothing.
pub(crate) trait Content {
    /// Returns the decision about a document; `None` if it was not decided yet.
    fn verdict(&self, document: Place) -> Result<Option<Verdict>>;

    fn decide(&mut self, document: Place, verdict: Verdict) -> Result<()>;

    /// Returns a place before which all decided documents come, or the place of the last one; `None` if there are none.
    fn last_decided(&self) -> Option<Place>;

    /// Returns whether a document has no text to compare. Such a document is kept.
    fn is_empty(&self, document: Place) -> Result<bool>;

    fn first_copy(&self, document: Place) -> Result<Place>;

    /// Returns the copies of a document that come after `after` in keep order. The document itself can be one of them.
    fn copies_after(&self, document: Place, after: Place) -> Result<Vec<Place>>;

    /// Returns the most similar of the kept documents that match a document and come before it in keep order, and its similarity.
    /// The first in keep order of equally similar ones is returned.
    fn best_kept(&self, document: Place) -> Result<Option<(Place, f64)>>;

    /// Returns the first copies that match a document, in any order.
    fn matches(&self, document: Place) -> Result<Vec<Place>>;
}

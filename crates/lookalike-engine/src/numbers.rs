//! Defines the numbers that identify documents. Each kind of number has its own type, so that the kinds cannot be confused.

use serde::Serialize;

/// A document, identified by its position among all documents that are read, counted from 0. References come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
#[repr(transparent)]
pub(crate) struct Document(pub(crate) u64);

/// A document, identified by its position in keep order (the order in which documents are considered). Of two similar documents,
/// the one with the lower rank is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct Rank(pub(crate) u64);

/// A document that has to be compared. Such documents are numbered in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct Contender(pub(crate) u32);

impl Contender {
    /// Returns the contender's index in a list with one element for each contender.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<Document> for u64 {
    fn from(document: Document) -> Self {
        document.0
    }
}

impl From<Rank> for u64 {
    fn from(rank: Rank) -> Self {
        rank.0
    }
}

impl From<Contender> for u64 {
    fn from(contender: Contender) -> Self {
        contender.0.into()
    }
}

//! Pages without a counterpart, as the second round sees them.

use std::cmp::Ordering;

/// A page that has no counterpart yet.
#[derive(Debug, Clone, Copy)]
pub struct Remaining {
    /// The page's identifier, unique in its collection.
    pub page: u64,
    /// A hash of the path inside the site.
    pub path: u64,
}

/// The shingle sets of pages, which need not be in memory.
pub trait ShingleSets {
    /// The reason why a set cannot be read.
    type Error;

    /// Returns a page's set, sorted; empty if the page has no text. `scratch` receives the set if it is not in memory.
    ///
    /// # Errors
    /// Fails if the set cannot be read.
    fn set<'a>(&'a self, page: u64, scratch: &'a mut Vec<u64>) -> Result<&'a [u64], Self::Error>;
}

/// A shingle that occurs on more remaining pages than this is part of a template, and a path that more remaining pages have than
/// this identifies no page. Without this limit, the pages of a template would all be compared with each other.
pub const COMMON: usize = 64;

/// Two pages by their positions in `a` and `b`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) i: usize,
    pub(super) j: usize,
    pub(super) resemblance: f64,
}

impl Edge {
    /// Orders the edges in which they are accepted.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        other
            .resemblance
            .total_cmp(&self.resemblance)
            .then((self.i, self.j).cmp(&(other.i, other.j)))
    }
}

//! What was found for documents before they are added.

use lookalike::fingerprint::{Digest, Lookup};

use crate::law::Place;

/// What segments have for documents that are added next.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// The number of the first of these documents.
    pub(super) first: u64,
    pub(super) found: Vec<Found>,
    /// The posted documents of the classes that have a document in a segment.
    pub(super) posted: Lookup<Digest, u64>,
}

/// What segments have for one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Found {
    #[default]
    NotSearched,
    /// Its candidates.
    Candidates(Vec<u64>),
    /// The most similar kept document that matches it, as [`Content::best_kept`](crate::law::Content::best_kept) chooses it.
    Best(Option<(Place, f64)>),
}

impl Ahead {
    /// Returns the candidates of a document in segments; none if they are not known.
    pub(super) fn candidates(&self, number: u64) -> Option<&[u64]> {
        match self.of(number)? {
            Found::Candidates(found) => Some(found),
            Found::NotSearched | Found::Best(_) => None,
        }
    }

    /// Returns the most similar kept document in segments; none if it is not known.
    pub(super) fn best(&self, number: u64) -> Option<Option<(Place, f64)>> {
        match self.of(number)? {
            Found::Best(best) => Some(*best),
            Found::NotSearched | Found::Candidates(_) => None,
        }
    }

    /// Returns the posted document in segments of a document's class, if it was searched for.
    pub(super) fn posted(&self, number: u64, digest: Digest) -> Option<Option<u64>> {
        self.of(number).map(|_| self.posted.get(&digest).copied())
    }

    fn of(&self, number: u64) -> Option<&Found> {
        self.found.get(number.checked_sub(self.first)? as usize)
    }
}

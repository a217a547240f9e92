//! Searches kept texts on any thread.

use std::sync::{PoisonError, RwLock, Weak};

use super::{Looked, Old, Search, Searched, Shared, Store};
use crate::cut::{
    anchors::{Anchor, Anchoring},
    rules::{Rules, Units},
};

/// Searches the texts that a cutter keeps, except for recent ones, while the cutter cuts other texts.
#[derive(Debug)]
pub struct Searcher<S = Vec<u64>> {
    rules: Rules,
    /// The reference is weak, so that the memory is freed together with the cutter.
    kept: Weak<RwLock<Old<S>>>,
}

/// Buffers of a searcher, which are reused for the next text.
#[derive(Debug, Default)]
pub struct Searching {
    search: Search,
    needed: Vec<Anchor>,
    shared: Vec<Shared>,
}

impl<S: Store> Searcher<S> {
    pub(in crate::cut) fn new(rules: Rules, kept: Weak<RwLock<Old<S>>>) -> Self {
        Self { rules, kept }
    }

    /// Finds what a text shares with the kept texts, for [`Cutter::cut_anchored`](crate::cut::Cutter::cut_anchored). `anchoring` has the
    /// anchors of the text. Returns `None` if there is no cutter any more.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub fn search<'a>(
        &self,
        units: Units,
        anchoring: &Anchoring,
        group: u64,
        buffers: &'a mut Searching,
    ) -> Result<Option<Looked<'a>>, S::Error> {
        let Self { rules, kept } = self;
        let Some(kept) = kept.upgrade() else {
            return Ok(None);
        };
        let Searching {
            search,
            needed,
            shared,
        } = buffers;
        needed.clear();
        needed.extend(
            rules
                .candidates(&units, anchoring)
                .filter(Anchor::is_repeated),
        );
        let old = kept.read().unwrap_or_else(PoisonError::into_inner);
        let is_unique = rules.is_unique(&units, anchoring.has_repeats, old.has_references);
        old.look(
            Searched {
                units: units.hashes,
                group,
                is_unique,
            },
            (needed, search),
            shared,
        )
        .map(Some)
    }
}

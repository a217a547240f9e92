//! Cuts the documents one after another, in keep order.

use std::sync::Arc;

use lookalike::cut::{Outcome, Piece, Repeated, Rules, Units, Within};
use lookalike_io::{
    error::Result,
    spill::{Budget, Held, Spill, SpilledCutter, SpilledSearcher},
};

use super::{
    loading::{Found, Head},
    outcomes::Outcomes,
    summary::Counts,
};
use crate::numbers::Document;

/// Recent documents may have one anchor for each 16 KiB of the budget.
const RECENT: u64 = 16 << 10;

/// The largest number of these anchors. Larger ones were not faster.
const MOST_RECENT: u64 = 1 << 15;

/// Cuts documents.
pub(super) struct Deciding {
    cutter: SpilledCutter,
    outcomes: Outcomes,
    counts: Counts,
    /// The keys of anchors that cutting joined.
    pub(super) joined: Spill<u64>,
    within: Within,
    /// The memory of the cutter.
    held: Held,
}

impl Deciding {
    /// Creates the state before the first document. `repeated` has the keys of all repeated anchors, if they are known.
    pub(super) fn new(
        (rules, within): (Rules, Within),
        repeated: Option<Arc<Repeated>>,
        outcomes: Outcomes,
        budget: &Arc<Budget>,
    ) -> Result<Self> {
        let cutter = SpilledCutter::new(rules, repeated, budget)?;
        let (joined, held) = (Spill::new(budget), Held::new(budget));
        Ok(Self {
            cutter,
            outcomes,
            counts: Counts::default(),
            joined,
            within,
            held,
        })
    }

    /// Cuts the next document in keep order, or keeps a reference. `document_of` returns the document that a number of the cutter means.
    pub(super) fn decide(
        &mut self,
        document: Document,
        head: Head,
        units: Units,
        found: Option<Found>,
        document_of: impl Fn(usize) -> Document,
    ) -> Result<()> {
        let group = match self.within {
            Within::Document => document.0 + 1,
            Within::All => head.group,
        };
        let Outcome { pieces, is_dropped } = if !head.is_loaded {
            self.cutter.pass();
            Outcome::default()
        } else if head.is_reference {
            self.cutter.keep(units, group)?;
            Outcome::default()
        } else if let Some(found) = found {
            let anchors = (found.anchors, found.has_repeats);
            self.cutter
                .cut_anchored(units, anchors, found.looked, group)?
        } else {
            self.cutter.cut(units, group)?
        };
        if !head.is_reference {
            self.counts.add(head.tokens, &units, &pieces, is_dropped);
        }
        if !self.cutter.joined().is_empty() {
            self.joined.append(self.cutter.joined())?;
            self.cutter.joined().clear();
        }
        let tokens = |piece: &Piece| units.tokens(piece.start..piece.end);
        self.outcomes
            .add(document, (&pieces, tokens), is_dropped, document_of)
    }

    /// Returns a searcher for threads that load documents, if it makes cutting faster.
    pub(super) fn searcher(&mut self, budget: &Budget) -> Option<SpilledSearcher> {
        if self.within == Within::Document {
            return None;
        }
        self.cutter
            .searcher((budget.limit() / RECENT).min(MOST_RECENT) as usize)
    }

    /// Counts the cutter's memory in the budget.
    pub(super) fn hold(&mut self) {
        self.held.set(self.cutter.memory());
    }

    /// Returns the outcomes of all documents.
    pub(super) fn finished(self) -> (Outcomes, Counts) {
        (self.outcomes, self.counts)
    }
}

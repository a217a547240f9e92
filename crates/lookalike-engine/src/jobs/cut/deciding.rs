//! Cuts the documents one after another, in keep order.

use std::{ops::Range, sync::Arc};

use lookalike::cut::{Anchor, Cutter, MOST_UNITS, Outcome, Piece, Repeated, Rules, Store, Units, Within};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    spill::{Budget, Held, Spill},
};

use super::{loading::Head, outcomes::Outcomes, summary::Counts};
use crate::numbers::Document;

/// The kept texts, in memory or in a temporary file.
#[derive(Debug)]
struct Spilled(Spill<u64>);

impl Store for Spilled {
    type Error = Error;

    fn append(&mut self, numbers: &[u64]) -> Result<()> {
        if self.0.len() + numbers.len() as u64 > MOST_UNITS {
            let what = format!("the passages that are kept have more than {MOST_UNITS} words, lines or sentences");
            return Err(Error::new(ErrorKind::Config, what).advise("divide the collection"));
        }
        self.0.append(numbers)
    }

    fn count(&self) -> u64 {
        self.0.len()
    }

    fn read<'a>(&'a self, range: Range<u64>, scratch: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        self.0.get(range, scratch)
    }

    fn load(&self, position: u64) -> u64 {
        self.0.peek(position).copied().unwrap_or_default()
    }

    fn memory(&self) -> usize {
        0
    }
}

/// Cuts documents.
pub(super) struct Deciding {
    cutter: Cutter<Spilled>,
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
        let stores = [(); 3].map(|()| Spilled(Spill::new(budget)));
        let cutter = Cutter::with_stores(rules, repeated, stores)?;
        let (joined, held) = (Spill::new(budget), Held::new(budget));
        Ok(Self { cutter, outcomes, counts: Counts::default(), joined, within, held })
    }

    /// Cuts the next document in keep order, or keeps a reference. `document_of` returns the document that a number of the cutter means.
    pub(super) fn decide(
        &mut self,
        document: Document,
        head: Head,
        units: Units,
        anchors: Option<(&[Anchor], bool)>,
        document_of: impl Fn(usize) -> Document,
    ) -> Result<()> {
        let group = match self.within {
            Within::Document => document.0 + 1,
            Within::All => head.group,
        };
        let outcome = match (head.is_reference, head.is_loaded, anchors) {
            (true, true, _) => {
                self.cutter.keep(units, group)?;
                Outcome::default()
            }
            (false, true, Some(anchors)) => self.cutter.cut_anchored(units, anchors, group)?,
            (false, true, None) => self.cutter.cut(units, group)?,
            (_, false, _) => {
                self.cutter.pass();
                Outcome::default()
            }
        };
        let Outcome { pieces, is_dropped } = outcome;
        if !head.is_reference {
            self.counts.add(head.tokens, &units, &pieces, is_dropped);
        }
        if !self.cutter.joined().is_empty() {
            self.joined.append(self.cutter.joined())?;
            self.cutter.joined().clear();
        }
        let tokens = |piece: &Piece| units.tokens(piece.start..piece.end);
        self.outcomes.add(document, (&pieces, tokens), is_dropped, document_of)
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

//! What is cut out of each document.

use std::{ops::Range, sync::Arc};

use lookalike::cut::Piece;
use lookalike_io::{
    error::Result,
    spill::{Budget, Spill, places::Places},
};

use crate::numbers::Document;

/// A piece that is cut: its first unit, one past its last, and the document and the first unit that keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) source: u64,
    pub(super) source_start: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) tokens: u32,
}

impl Cut {
    fn packed(&self) -> [u64; 3] {
        let pair = |high, low| u64::from(high) << 32 | u64::from(low);
        [self.source, pair(self.source_start, self.tokens), pair(self.start, self.end)]
    }

    fn unpacked([source, kept, cut]: [u64; 3]) -> Self {
        let [source_start, tokens, start, end] = [kept >> 32, kept, cut >> 32, cut].map(|number| number as u32);
        Self { source, source_start, start, end, tokens }
    }

    /// Returns the units that are removed.
    pub(super) fn units(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the units of the source that are kept.
    pub(super) fn source_units(&self) -> Range<usize> {
        self.source_start as usize..(self.source_start + self.end - self.start) as usize
    }
}

/// The pieces that are cut out of all documents. A document takes 8 bytes of memory, and a piece 24 bytes, which may go to temporary
/// files.
pub(super) struct Outcomes {
    cuts: Spill<[u64; 3]>,
    /// For each document, one past its last piece.
    ends: Vec<u64>,
    dropped: Places,
    /// The documents whose text is a source.
    sources: Places,
    /// The first piece of a document that was not decided in input order.
    firsts: Option<Vec<u64>>,
}

impl Outcomes {
    /// Creates the outcomes of documents, of which none is cut yet. If documents are not decided in input order, `is_input` is false.
    pub(super) fn new(documents: u64, is_input: bool, budget: &Arc<Budget>) -> Self {
        let each = documents as usize;
        budget.hold(each * 8 + each / 4);
        let firsts = (!is_input).then(|| {
            budget.hold(each * 8);
            vec![0; each]
        });
        Self {
            cuts: Spill::new(budget),
            ends: vec![0; each],
            dropped: Places::none(documents),
            sources: Places::none(documents),
            firsts,
        }
    }

    /// Adds the outcome of a document. `document_of` returns the document that a number of the cutter means.
    pub(super) fn add(
        &mut self,
        document: Document,
        (pieces, tokens): (&[Piece], impl Fn(&Piece) -> usize),
        is_dropped: bool,
        document_of: impl Fn(usize) -> Document,
    ) -> Result<()> {
        let first = self.cuts.len();
        for piece in pieces {
            let &Piece { start, end, source, source_start } = piece;
            let (source, tokens) = (document_of(source).0, tokens(piece) as u32);
            let [start, end, source_start] = [start, end, source_start].map(|unit| unit as u32);
            self.cuts.append(&[Cut { source, source_start, start, end, tokens }.packed()])?;
            if source != document.0 {
                self.sources.insert(source);
            }
        }
        if let Some(firsts) = &mut self.firsts {
            firsts[document.0 as usize] = first;
        }
        self.ends[document.0 as usize] = self.cuts.len();
        if is_dropped {
            self.dropped.insert(document.0);
        }
        Ok(())
    }

    /// Returns the numbers of a document's pieces.
    pub(super) fn range(&self, document: u64) -> Range<u64> {
        let at = document as usize;
        let first = match &self.firsts {
            Some(firsts) => firsts[at],
            None => at.checked_sub(1).map_or(0, |before| self.ends[before]),
        };
        first..self.ends[at].max(first)
    }

    /// Returns a document's pieces, in order.
    pub(super) fn of(&self, document: u64) -> Result<Vec<Cut>> {
        let mut scratch = Vec::new();
        Ok(self.cuts.get(self.range(document), &mut scratch)?.iter().copied().map(Cut::unpacked).collect())
    }

    pub(super) fn is_dropped(&self, document: u64) -> bool {
        self.dropped.contains(document)
    }

    /// Returns whether anything is cut out of a document.
    pub(super) fn is_changed(&self, document: u64) -> bool {
        !self.range(document).is_empty() || self.is_dropped(document)
    }

    /// Returns whether other documents have pieces that this document keeps.
    pub(super) fn is_source(&self, document: u64) -> bool {
        self.sources.contains(document)
    }

    /// Returns the number of pieces of all documents.
    pub(super) fn len(&self) -> u64 {
        self.cuts.len()
    }
}

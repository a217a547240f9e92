//! What is cut out of each document.

use std::{ops::Range, sync::Arc};

use lookalike::cut::Piece;
use lookalike_io::{
    error::Result,
    spill::{Budget, Held, Spill, places::Places},
};

use crate::{
    numbers::Document,
    state::{Taken, put},
};

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
        [
            self.source,
            pair(self.source_start, self.tokens),
            pair(self.start, self.end),
        ]
    }

    fn unpacked([source, kept, cut]: [u64; 3]) -> Self {
        let [source_start, tokens, start, end] =
            [kept >> 32, kept, cut >> 32, cut].map(|number| number as u32);
        Self {
            source,
            source_start,
            start,
            end,
            tokens,
        }
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
    /// The first piece of each document, if documents are not decided in input order.
    firsts: Option<Vec<u64>>,
    dropped: Places,
    /// The documents whose text is a source.
    sources: Places,
    held: Held,
}

impl Outcomes {
    /// Creates the outcomes of documents that are decided in input order.
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            cuts: Spill::new(budget),
            ends: Vec::new(),
            firsts: None,
            dropped: Places::none(0),
            sources: Places::none(0),
            held: Held::new(budget),
        }
    }

    /// Creates the outcomes of a number of documents that are decided in any order.
    pub(super) fn in_any_order(documents: u64, budget: &Arc<Budget>) -> Self {
        let mut outcomes = Self::new(budget);
        outcomes.ends.resize(documents as usize, 0);
        outcomes.firsts = Some(outcomes.ends.clone());
        outcomes.hold(documents);
        outcomes
    }

    /// Makes room for documents up to a number, and counts it in the budget.
    fn hold(&mut self, documents: u64) {
        self.dropped.raise(documents);
        self.sources.raise(documents);
        let lists = 1 + usize::from(self.firsts.is_some());
        self.held
            .set(documents as usize * 8 * lists + documents as usize / 4);
    }

    /// Adds the outcome of a document. `document_of` returns the document that a number of the cutter means.
    pub(super) fn add(
        &mut self,
        document: Document,
        (pieces, tokens): (&[Piece], impl Fn(&Piece) -> usize),
        is_dropped: bool,
        document_of: impl Fn(usize) -> Document,
    ) -> Result<()> {
        let (first, at) = (self.cuts.len(), document.0 as usize);
        match &mut self.firsts {
            Some(firsts) => firsts[at] = first,
            None => {
                self.ends.resize(at + 1, first);
                if document.0.is_multiple_of(STEP) {
                    self.hold(document.0 + STEP);
                }
            }
        }
        for piece in pieces {
            let &Piece {
                start,
                end,
                source,
                source_start,
            } = piece;
            let (source, tokens) = (document_of(source).0, tokens(piece) as u32);
            let [start, end, source_start] = [start, end, source_start].map(|unit| unit as u32);
            self.cuts.append(&[Cut {
                source,
                source_start,
                start,
                end,
                tokens,
            }
            .packed()])?;
            if source != document.0 {
                self.sources.insert(source);
            }
        }
        self.ends[at] = self.cuts.len();
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
        Ok(self
            .cuts
            .get(self.range(document), &mut scratch)?
            .iter()
            .copied()
            .map(Cut::unpacked)
            .collect())
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

    /// Passes functions to `give` that write all outcomes, each of which appends a part to a record.
    pub(super) fn save(
        &self,
        mut give: impl FnMut(&dyn Fn(&mut Vec<u8>)) -> Result<()>,
    ) -> Result<()> {
        self.cuts.each_piece(1, |_, cuts| {
            give(&|record| {
                put(record, cuts);
                (0..4).for_each(|_| put::<u64>(record, &[]));
            })
        })?;
        let documents = self.ends.len();
        for start in (0..documents).step_by(STEP as usize) {
            let some = start..documents.min(start + STEP as usize);
            let among = |places: &Places| {
                some.clone()
                    .map(|at| at as u64)
                    .filter(|&at| places.contains(at))
                    .collect::<Vec<_>>()
            };
            give(&|record| {
                put::<[u64; 3]>(record, &[]);
                put(
                    record,
                    self.firsts
                        .as_ref()
                        .map_or(&[], |firsts| &firsts[some.clone()]),
                );
                put(record, &self.ends[some.clone()]);
                put(record, &among(&self.dropped));
                put(record, &among(&self.sources));
            })?;
        }
        Ok(())
    }

    /// Adds the outcomes of a part. Returns `None` if the record does not contain a part.
    pub(super) fn restore(&mut self, record: &mut Taken) -> Result<Option<()>> {
        let Some(cuts) = record.many::<[u64; 3]>() else {
            return Ok(None);
        };
        let lists: Option<Vec<Vec<u64>>> = (0..4).map(|_| record.many()).collect();
        let Some(Ok([firsts, ends, dropped, sources])) = lists.map(<[Vec<u64>; 4]>::try_from)
        else {
            return Ok(None);
        };
        self.cuts.append(&cuts)?;
        self.ends.extend_from_slice(&ends);
        if !firsts.is_empty() {
            self.firsts
                .get_or_insert_default()
                .extend_from_slice(&firsts);
        }
        let documents = self.ends.len() as u64;
        if dropped
            .iter()
            .chain(&sources)
            .any(|&document| document >= documents)
        {
            return Ok(None);
        }
        self.hold(documents);
        dropped
            .into_iter()
            .for_each(|document| self.dropped.insert(document));
        sources
            .into_iter()
            .for_each(|document| self.sources.insert(document));
        Ok(Some(()))
    }

    /// Returns whether these can be the outcomes of a number of documents. Checksums detect damage; this check detects outcomes of a
    /// different program.
    pub(super) fn fit(&self, documents: u64) -> Result<bool> {
        let cuts = self.cuts.len();
        let mut fit = self.ends.len() as u64 == documents
            && self
                .firsts
                .iter()
                .all(|firsts| firsts.len() == self.ends.len())
            && (0..documents).all(|document| self.range(document).end <= cuts);
        self.cuts.each_piece(1, |_, pieces| {
            fit &= pieces.iter().map(|&piece| Cut::unpacked(piece)).all(|cut| {
                let end =
                    u64::from(cut.source_start) + u64::from(cut.end.saturating_sub(cut.start));
                cut.start < cut.end && cut.source < documents && end <= u32::MAX.into()
            });
            Ok(())
        })?;
        Ok(fit)
    }
}

/// The number of documents for which room is made at a time.
const STEP: u64 = 1 << 16;

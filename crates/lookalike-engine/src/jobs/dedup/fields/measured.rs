//! A field in which given pairs are measured, because their documents match in another field.

use lookalike::{lsh::NONE, verify::Measure};
use lookalike_io::{
    error::Result,
    spill::places::{Numbering, Places},
    write::Likeness,
};

use super::classes::{EMPTY, InField};
use crate::{
    matching::sets::{self, Pass, Sets},
    numbers::{Document, Rank},
    pairing::Pairing,
};

/// The shingle sets of a field's texts. Equal texts have one set.
pub(super) struct MeasuredField {
    /// The number of each document's text: [`NONE`] if the document is not measured, and [`EMPTY`] if its text is empty.
    of: Vec<u32>,
    sets: Sets,
    threshold: f64,
}

/// Buffers for sets that have to be read from files.
#[derive(Default)]
pub(super) struct Scratch {
    own: Vec<u64>,
    other: Vec<u64>,
}

impl MeasuredField {
    /// Makes the sets of the documents for which `is_needed` is true, in a pass over the inputs.
    pub(super) fn new(
        pass: Pass,
        pairing: &Pairing,
        is_needed: impl Fn(Document) -> bool,
    ) -> Result<Self> {
        let first_copy = |document: Document| {
            let rank = pairing.order.rank(document);
            pairing.first_copy(rank).unwrap_or(rank)
        };
        let documents = pairing.order.len();
        let needed = Places::none(documents);
        for document in (0..documents)
            .map(Document)
            .filter(|&document| is_needed(document))
        {
            needed.insert(first_copy(document).0);
        }
        let texts = Numbering::of(needed);
        let number = |Rank(rank)| texts.number(rank).map_or(NONE, |number| number as u32);
        let own = |document: Document| match pairing.empty.contains(pairing.order.rank(document).0)
        {
            true => EMPTY,
            false if is_needed(document) => number(first_copy(document)),
            false => NONE,
        };
        let of = (0..documents)
            .map(|document| own(Document(document)))
            .collect();
        let of_first_copy = |document| {
            let rank = pairing.order.rank(Document(document));
            Some(number(rank))
                .filter(|&number| number != NONE && pairing.first_copy(rank).is_none())
        };
        let sets = sets::load(pass, texts.len() as u32, of_first_copy)?;
        Ok(Self {
            of,
            sets,
            threshold: pass.method.config().threshold,
        })
    }

    /// Returns whether the text of a document is empty.
    pub(super) fn is_empty(&self, document: Document) -> bool {
        self.of[document.0 as usize] == EMPTY
    }

    /// Returns how similar a document is to another one, if they reach the threshold.
    pub(super) fn between(
        &self,
        document: Document,
        other: Document,
        scratch: &mut Scratch,
    ) -> Result<Option<InField>> {
        let [own, other] = [document, other].map(|document| self.of[document.0 as usize]);
        if own >= EMPTY || other >= EMPTY {
            return Ok(None);
        }
        if own == other {
            return Ok(Some(InField::SAME));
        }
        let sets = (
            self.sets.get(own, &mut scratch.own)?,
            self.sets.get(other, &mut scratch.other)?,
        );
        let overlap = Measure::Resemblance.at_least(sets.0, sets.1, self.threshold);
        Ok(overlap.map(|overlap| InField {
            similarity: overlap.resemblance(),
            likeness: Likeness::Counted(overlap),
        }))
    }
}

//! The documents with the same text.

use lookalike_io::error::Result;

use crate::{
    numbers::{Contender, Document},
    pairing::Pairing,
};

/// The documents of each contender: the contender itself and its copies, in input order.
pub(super) struct Groups {
    pub(super) documents: Vec<Document>,
    /// The position at which each contender's documents begin.
    pub(super) starts: Vec<usize>,
}

impl Groups {
    /// Returns the groups of those documents that `is_in` accepts.
    pub(super) fn new(pairing: &Pairing, is_in: impl Fn(Document) -> bool) -> Result<Self> {
        let numbers = pairing.numbers()?;
        let first_copies = (0..numbers)
            .map(Contender)
            .map(|contender| (contender, pairing.document(contender)));
        let copies = pairing
            .copies_of_contenders()
            .map(|(copy, first_copy)| (first_copy, pairing.order.document(copy)));
        let mut rows: Vec<(Contender, Document)> = first_copies
            .chain(copies)
            .filter(|&(_, document)| is_in(document))
            .collect();
        rows.sort_unstable();
        let starts = (0..=numbers)
            .map(|number| rows.partition_point(|row| row.0 < Contender(number)))
            .collect();
        Ok(Self {
            documents: rows.into_iter().map(|row| row.1).collect(),
            starts,
        })
    }

    /// Returns the documents of a contender.
    pub(super) fn of(&self, contender: Contender) -> &[Document] {
        let number = contender.index();
        &self.documents[self.starts[number]..self.starts[number + 1]]
    }
}

//! Stores the decisions about the documents that had to be compared.

use lookalike::{lsh::NONE, verify::Overlap};

use crate::numbers::{Contender, Rank};

/// The verdict about a document. For a dropped document it has the number of its representative and their overlap. A verdict
/// takes 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verdict {
    representative: u32,
    shared: u32,
    own: u32,
    others: u32,
}

impl Verdict {
    pub(crate) const KEPT: Self = Self {
        representative: NONE,
        shared: 0,
        own: 0,
        others: 0,
    };

    pub(crate) fn dropped(representative: Contender, overlap: Option<Overlap>) -> Self {
        let Overlap { shared, a, b } = overlap.unwrap_or(Overlap {
            shared: 0,
            a: 0,
            b: 0,
        });
        Self {
            representative: representative.0,
            shared: shared as u32,
            own: a as u32,
            others: b as u32,
        }
    }

    /// Converts the verdict into numbers, for serialisation.
    pub(crate) fn numbers(self) -> [u32; 4] {
        [self.representative, self.shared, self.own, self.others]
    }

    /// Restores a verdict from these numbers.
    pub(crate) fn of_numbers([representative, shared, own, others]: [u32; 4]) -> Self {
        Self {
            representative,
            shared,
            own,
            others,
        }
    }

    /// Returns the representative of a document that is dropped; none if the document is kept.
    pub(crate) fn representative(self) -> Option<Contender> {
        Some(self.representative)
            .filter(|&number| number != NONE)
            .map(Contender)
    }

    /// Returns the overlap with the representative, if it was counted.
    pub(crate) fn overlap(self) -> Option<Overlap> {
        (self.own > 0).then(|| Overlap {
            shared: self.shared.into(),
            a: self.own.into(),
            b: self.others.into(),
        })
    }
}

/// The verdicts about all contenders (the documents that had to be compared), by number. A copy of a dropped contender has an
/// entry of its own only if its verdict differs from the verdict about the contender.
///
/// The verdicts about all other documents follow from the verdicts stored here. Documents that are not copies are kept. A copy is
/// dropped for its first copy if the first copy is kept, and otherwise has the same verdict as its first copy.
#[derive(Debug)]
pub(crate) struct Verdicts {
    of_contenders: Vec<Verdict>,
    /// Verdicts about copies, sorted by rank (the position in keep order, which is the order in which documents are considered).
    of_copies: Vec<(Rank, Verdict)>,
}

impl Verdicts {
    pub(crate) fn all_kept(numbers: u32) -> Self {
        Self {
            of_contenders: vec![Verdict::KEPT; numbers as usize],
            of_copies: Vec::new(),
        }
    }

    pub(crate) fn of(&self, contender: Contender) -> Verdict {
        self.of_contenders[contender.index()]
    }

    pub(crate) fn set(&mut self, contender: Contender, verdict: Verdict) {
        self.of_contenders[contender.index()] = verdict;
    }

    /// Returns the verdict about a copy of a dropped contender.
    pub(crate) fn of_copy(&self, rank: Rank, first_copy: Contender) -> Verdict {
        match self.of_copies.binary_search_by_key(&rank, |row| row.0) {
            Ok(at) => self.of_copies[at].1,
            Err(_) => self.of(first_copy),
        }
    }

    /// Adds verdicts about copies, in any order. Their ranks must be higher than the ranks of all copies that were added before.
    pub(crate) fn extend_copies(&mut self, copies: impl IntoIterator<Item = (Rank, Verdict)>) {
        let from = self.of_copies.len();
        self.of_copies.extend(copies);
        self.of_copies[from..].sort_unstable_by_key(|row| row.0);
    }
}

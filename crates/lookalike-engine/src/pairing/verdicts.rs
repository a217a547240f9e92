//! What was decided about documents that had to be compared.

use lookalike::{lsh::NONE, verify::Overlap};

use crate::numbers::{Contender, Rank};

/// A verdict: the number of the representative for a dropped document, and their overlap. 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verdict {
    representative: u32,
    shared: u32,
    own: u32,
    others: u32,
}

impl Verdict {
    pub(crate) const KEPT: Self = Self { representative: NONE, shared: 0, own: 0, others: 0 };

    pub(crate) fn dropped(representative: Contender, overlap: Option<Overlap>) -> Self {
        let Overlap { shared, a, b } = overlap.unwrap_or(Overlap { shared: 0, a: 0, b: 0 });
        Self { representative: representative.0, shared: shared as u32, own: a as u32, others: b as u32 }
    }

    /// As numbers, to be written down.
    pub(crate) fn numbers(self) -> [u32; 4] {
        [self.representative, self.shared, self.own, self.others]
    }

    /// What was written down as numbers.
    pub(crate) fn of_numbers([representative, shared, own, others]: [u32; 4]) -> Self {
        Self { representative, shared, own, others }
    }

    /// The contender that a dropped document is dropped for.
    pub(crate) fn representative(self) -> Option<Contender> {
        Some(self.representative).filter(|&number| number != NONE).map(Contender)
    }

    /// The overlap with the representative, where it was counted.
    pub(crate) fn overlap(self) -> Option<Overlap> {
        (self.own > 0).then(|| Overlap { shared: self.shared.into(), a: self.own.into(), b: self.others.into() })
    }
}

/// The verdicts about all contenders, by number, and about copies of dropped ones where they differ from their leader's.
///
/// Of all other documents it is known: those that are no copies are kept, and a copy goes for its leader, or with it.
#[derive(Debug)]
pub(crate) struct Verdicts {
    of_contenders: Vec<Verdict>,
    /// By rank.
    of_copies: Vec<(Rank, Verdict)>,
}

impl Verdicts {
    pub(crate) fn all_kept(numbers: u32) -> Self {
        Self { of_contenders: vec![Verdict::KEPT; numbers as usize], of_copies: Vec::new() }
    }

    pub(crate) fn of(&self, contender: Contender) -> Verdict {
        self.of_contenders[contender.index()]
    }

    pub(crate) fn set(&mut self, contender: Contender, verdict: Verdict) {
        self.of_contenders[contender.index()] = verdict;
    }

    /// Of a copy of a contender that was dropped.
    pub(crate) fn of_copy(&self, rank: Rank, leader: Contender) -> Verdict {
        match self.of_copies.binary_search_by_key(&rank, |row| row.0) {
            Ok(at) => self.of_copies[at].1,
            Err(_) => self.of(leader),
        }
    }

    /// Takes verdicts about copies, in any order; they stand behind all that were taken before.
    pub(crate) fn extend_copies(&mut self, copies: impl IntoIterator<Item = (Rank, Verdict)>) {
        let from = self.of_copies.len();
        self.of_copies.extend(copies);
        self.of_copies[from..].sort_unstable_by_key(|row| row.0);
    }
}

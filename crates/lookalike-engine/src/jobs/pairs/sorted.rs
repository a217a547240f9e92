//! All matches of each document, sorted and spilled, because there may be many more matches than documents.

use lookalike_io::{error::Result, spill::Sorter};

use super::groups::Groups;
use crate::{
    deciding::all_matches::{Matches, PairFigures},
    numbers::Contender,
};

/// A document, a contender that it matches, and the figures: the number of shared shingles, or the bits of one or two estimates.
pub(super) type Row = [u64; 4];

/// Collects matches.
pub(super) struct SortedMatches<'a> {
    pub(super) groups: Groups,
    pub(super) rows: Sorter<'a, Row>,
}

impl SortedMatches<'_> {
    /// Adds a match of each document of `a` that comes before a document of `b`.
    fn push(&mut self, a: Contender, b: Contender, figures: PairFigures) -> Result<()> {
        let [x, y] = match figures {
            PairFigures::Counted(figures) => [figures.intersection, 0],
            PairFigures::Resemblance { resemblance } => [resemblance.to_bits(), 0],
            PairFigures::Containment {
                containment_ab,
                containment_ba,
            } => [containment_ab, containment_ba].map(f64::to_bits),
            PairFigures::Unknown {} => [0, 0],
        };
        let last = self.groups.of(b).last();
        for document in self.groups.of(a) {
            if Some(document) < last {
                self.rows.push([document.0, b.0.into(), x, y])?;
            }
        }
        Ok(())
    }
}

impl Matches for SortedMatches<'_> {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()> {
        let (a, b) = (Contender(a), Contender(b));
        self.push(a, b, figures)?;
        self.push(b, a, figures.swapped())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lookalike::verify::Overlap;
    use lookalike_io::spill::Budget;
    use proptest::prelude::*;

    use super::*;
    use crate::numbers::Document;

    proptest! {
        /// Each document has the contenders that it matches and that have a later document, however many rows are spilled.
        #[test]
        fn rows_equal_a_loop_over_all_matches_at_any_memory_limit(
            copies in prop::collection::vec(0u32..30, 30..60),
            pairs in prop::collection::btree_set((0u32..30, 0u32..30), 0..300),
            memory in prop::sample::select(vec![0, 1 << 30]),
        ) {
            let contenders: Vec<u32> = copies.into_iter().chain(0..30).collect();
            let rows = || contenders.iter().zip(0u64..).map(|(&number, document)| (Contender(number), Document(document)));
            let mut sorted: Vec<_> = rows().collect();
            sorted.sort_unstable();
            let groups = Groups {
                starts: (0..=30).map(|number| sorted.partition_point(|row| row.0 < Contender(number))).collect(),
                documents: sorted.into_iter().map(|row| row.1).collect(),
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            let budget = Budget::of(memory, 0, &std::env::temp_dir());
            let mut matches = SortedMatches { groups, rows: Sorter::new(&budget, 1, &pool) };
            let mut expected = BTreeSet::new();
            for &(a, b) in pairs.iter().filter(|(a, b)| a < b) {
                let figures = PairFigures::Counted(Overlap { shared: 7, a: 8, b: 9 }.into());
                matches.take(a, b, figures).unwrap();
                for (from, to) in [(a, b), (b, a)] {
                    for (_, document) in rows().filter(|row| row.0 == Contender(from)) {
                        if rows().any(|row| row.0 == Contender(to) && row.1 > document) {
                            expected.insert([document.0, to.into(), 7, 0]);
                        }
                    }
                }
            }
            let found: Vec<Row> = matches.rows.sorted().unwrap().map(|row| row.unwrap()).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}

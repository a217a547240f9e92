//! Chooses one-to-one pairs.

use std::sync::Arc;

use lookalike::cluster::UnionFind;
use lookalike_applications::records::{
    Linker, Matching, OneToOne, Scored, assign, has_no_duplicates,
};
use lookalike_io::{
    error::Result,
    pool::install,
    spill::{Budget, Sorter, Spill},
};
use rayon::ThreadPool;

use super::{
    candidates::SORTERS,
    rows::{Row, scored},
};
use crate::jobs::link::reading::records::Gathered;

/// Returns a linker that knows the records: the frequencies of their words, and whether each is in at most one pair.
pub(in crate::jobs::link) fn prepared(
    linker: Linker,
    gathered: &Gathered,
    (budget, pool): (&Arc<Budget>, &ThreadPool),
) -> Linker {
    let linker = linker.with_counts(&gathered.records);
    budget.hold(linker.size_of_counts());
    let one_to_one = is_one_to_one(&linker, gathered, pool);
    linker.with_one_to_one(one_to_one)
}

/// Returns whether each record is in at most one pair. This depends only on the configuration and the records.
pub(in crate::jobs::link) fn is_one_to_one(
    linker: &Linker,
    gathered: &Gathered,
    pool: &ThreadPool,
) -> bool {
    let records = &gathered.records;
    let is_clean = |range| has_no_duplicates(records, range);
    match linker.config().one_to_one {
        OneToOne::Yes => true,
        OneToOne::No => false,
        OneToOne::Auto if !gathered.are_two() => false,
        OneToOne::Auto => {
            let (first, second) = (0..gathered.split, gathered.split..records.len() as u32);
            let (first, second) = install(pool, || {
                rayon::join(|| is_clean(first), || is_clean(second))
            });
            first && second
        }
    }
}

/// Components with more pairs keep their greedy pairs: they are not held in memory.
const MOST_PAIRS: usize = 1 << 14;

/// The pairs that were found, from which a matching is chosen. Pairs are spilled.
pub(in crate::jobs::link) struct FoundPairs<'a> {
    pairs: Spill<Row>,
    /// The records that are connected by pairs.
    sets: UnionFind,
    records: usize,
    are_two: bool,
    means: (&'a Arc<Budget>, &'a ThreadPool),
}

impl<'a> FoundPairs<'a> {
    /// The bytes for each record, with those of the matching.
    pub(in crate::jobs::link) const SIZE: usize = 5;

    pub(in crate::jobs::link) fn new(
        gathered: &Gathered,
        means: (&'a Arc<Budget>, &'a ThreadPool),
    ) -> Self {
        let records = gathered.records.len();
        means.0.hold(Self::SIZE * records);
        Self {
            pairs: Spill::new(means.0),
            sets: UnionFind::new(records),
            records,
            are_two: gathered.are_two(),
            means,
        }
    }

    pub(in crate::jobs::link) fn push(&mut self, row: Row) -> Result<()> {
        if self.are_two {
            self.sets.join(row[0], row[1]);
        }
        self.pairs.append(&[row])
    }

    /// Returns the pairs of a matching, as a sorter.
    pub(in crate::jobs::link) fn matched(mut self, linker: &'a Linker) -> Result<Sorter<'a, Row>> {
        let (budget, pool) = self.means;
        // Pairs of the same component are next to each other, the best first. All pairs of one collection are one component.
        let mut sorter = Sorter::<[u32; 4]>::new(budget, SORTERS, pool);
        self.pairs.each_piece(1, |_, rows| {
            rows.iter().try_for_each(|&[a, b, rank]| {
                let set = if self.are_two { self.sets.find(a) } else { 0 };
                sorter.push([set, u32::MAX - rank, a, b])
            })
        })?;
        self.pairs.clear();
        let least = linker.rank(linker.least());
        let mut choosing = Choosing {
            linker,
            least,
            are_two: self.are_two,
            matching: Matching::new(self.records),
            component: Vec::new(),
            is_large: false,
            chosen: Sorter::new(budget, SORTERS, pool),
        };
        let mut of = u32::MAX;
        for found in sorter.sorted()? {
            let [set, lacks, a, b] = found?;
            if set != of {
                choosing.finish()?;
                of = set;
            }
            choosing.add([a, b, u32::MAX - lacks])?;
        }
        choosing.finish()?;
        budget.release(Self::SIZE * self.records);
        Ok(choosing.chosen)
    }
}

/// The choice of pairs, one component at a time.
struct Choosing<'a> {
    linker: &'a Linker,
    /// The rank of the lowest score.
    least: u32,
    are_two: bool,
    matching: Matching,
    /// The pairs of the component; empty if it is large.
    component: Vec<Row>,
    is_large: bool,
    chosen: Sorter<'a, Row>,
}

impl Choosing<'_> {
    fn add(&mut self, row: Row) -> Result<()> {
        if !self.is_large {
            self.component.push(row);
            if self.component.len() <= MOST_PAIRS && self.are_two {
                return Ok(());
            }
            self.is_large = true;
            return std::mem::take(&mut self.component)
                .into_iter()
                .try_for_each(|row| self.take(row));
        }
        self.take(row)
    }

    fn take(&mut self, row: Row) -> Result<()> {
        if self.matching.takes(&scored(self.linker, row)) {
            self.chosen.push(row)
        } else {
            Ok(())
        }
    }

    fn finish(&mut self) -> Result<()> {
        let weighted = |&row: &Row| {
            (
                scored(self.linker, row),
                row[2].saturating_sub(self.least) + 1,
            )
        };
        let pairs: Vec<(Scored, u32)> = self.component.iter().map(weighted).collect();
        for at in assign(&pairs, &mut self.matching) {
            self.chosen.push(self.component[at])?;
        }
        self.component.clear();
        self.is_large = false;
        Ok(())
    }
}

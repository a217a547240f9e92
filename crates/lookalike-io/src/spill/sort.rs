//! External sorting: runs (pieces of the data that fit in memory) are sorted and written to a temporary file, then merged.

use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc};

use rayon::{ThreadPool, slice::ParallelSliceMut};

use super::{Budget, Spill};
use crate::{error::Result, pool::install};

/// The largest number of bytes of a run that are read at a time during the merge.
const PIECE: usize = 1 << 18;

/// Rows of fixed width. The sort of each type is compiled here: once, and optimised for speed.
pub trait Sortable: bytemuck::Pod + Ord + Send {
    /// Sorts rows on all threads of the current pool.
    fn sort(rows: &mut [Self]);
}

macro_rules! rows {
    ($($row:ty),*) => {
        $(impl Sortable for $row {
            fn sort(rows: &mut [Self]) {
                rows.par_sort_unstable();
            }
        })*
    };
}

rows!(
    u64, [u32; 2], [u32; 3], [u32; 4], [u32; 5], [u64; 2], [u64; 3], [u64; 4], [u64; 5]
);

/// A sorter of fixed-width rows in bounded memory.
pub struct Sorter<'a, T> {
    rows: Vec<T>,
    /// The largest number of rows in memory.
    bound: usize,
    /// The end of each run, as a position in `spilled`.
    runs: Vec<u64>,
    spilled: Spill<T>,
    budget: Arc<Budget>,
    pool: &'a ThreadPool,
}

impl<'a, T: Sortable> Sorter<'a, T> {
    /// Creates a sorter that takes the fraction 1 / `share` of the free budget, so that `share` sorters can work in parallel.
    pub fn new(budget: &Arc<Budget>, share: usize, pool: &'a ThreadPool) -> Self {
        let bound = (budget.left() / share / size_of::<T>()).max(2);
        Self {
            rows: Vec::new(),
            bound,
            runs: Vec::new(),
            spilled: Spill::new(budget),
            budget: budget.clone(),
            pool,
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u64 {
        self.spilled.len() + self.rows.len() as u64
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a row.
    pub fn push(&mut self, row: T) -> Result<()> {
        if self.rows.len() == self.bound {
            self.spill()?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        install(self.pool, || Sortable::sort(&mut self.rows));
        self.spilled.append_to_file(&self.rows)?;
        self.runs.push(self.spilled.len());
        self.rows.clear();
        Ok(())
    }

    /// Returns all rows in order.
    pub fn sorted(mut self) -> Result<Sorted<T>> {
        if !self.runs.is_empty() {
            self.spill()?;
            self.rows = Vec::new();
        }
        let Self {
            mut rows,
            runs,
            spilled,
            budget,
            pool,
            ..
        } = self;
        install(pool, || Sortable::sort(&mut rows));
        let piece = (budget.left() / 2 / size_of::<T>() / runs.len().max(1))
            .clamp(1, PIECE / size_of::<T>());
        let mut sorted = Sorted {
            memory: rows.into_iter(),
            spilled,
            runs: Vec::new(),
            heap: BinaryHeap::new(),
            piece,
        };
        let mut next = 0;
        for (number, end) in runs.into_iter().enumerate() {
            sorted.runs.push(Run {
                next,
                end,
                piece: Vec::new(),
                at: 0,
            });
            next = end;
            sorted.refill(number)?;
        }
        Ok(sorted)
    }
}

/// A run that is being merged.
struct Run<T> {
    next: u64,
    end: u64,
    piece: Vec<T>,
    at: usize,
}

/// Rows in order, from memory or from a merge of runs.
pub struct Sorted<T> {
    memory: std::vec::IntoIter<T>,
    spilled: Spill<T>,
    runs: Vec<Run<T>>,
    heap: BinaryHeap<Reverse<(T, usize)>>,
    /// The number of rows of a run that are read at a time.
    piece: usize,
}

impl<T: bytemuck::Pod + Ord> Sorted<T> {
    /// Pushes a run's next row onto the heap, unless the run is finished.
    fn refill(&mut self, number: usize) -> Result<()> {
        let run = &mut self.runs[number];
        if run.at == run.piece.len() {
            let end = run.end.min(run.next + self.piece as u64);
            run.piece.clear();
            self.spilled.get(run.next..end, &mut run.piece)?;
            run.next = end;
            run.at = 0;
        }
        if let Some(&row) = run.piece.get(run.at) {
            run.at += 1;
            self.heap.push(Reverse((row, number)));
        }
        Ok(())
    }
}

impl<T: bytemuck::Pod + Ord> Iterator for Sorted<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let Some(Reverse((row, number))) = self.heap.pop() else {
            return self.memory.next().map(Ok);
        };
        Some(self.refill(number).map(|()| row))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn merged_runs_equal_sorting_in_memory(rows in prop::collection::vec(any::<[u32; 2]>(), 0..300), bound in 0u64..2000) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let mut sorter = Sorter::new(&Budget::of(1 << 20, 0, &std::env::temp_dir()), 1, &pool);
            sorter.bound = bound.max(2) as usize / 8;
            for &row in &rows {
                sorter.push(row).unwrap();
            }
            let mut expected = rows;
            expected.sort_unstable();
            prop_assert_eq!(sorter.sorted().unwrap().map(|row| row.unwrap()).collect::<Vec<_>>(), expected);
        }
    }
}

//! The keys of all anchors: finds those that are repeated.

use std::sync::Arc;

use lookalike::cut::{Anchor, Filter};
use lookalike_io::{
    error::Result,
    spill::{Budget, Spill},
};
use rayon::{ThreadPool, prelude::*};

/// The number of keys that are read at a time.
const PIECE: u64 = 1 << 15;

/// The number of bits of a filter for a key, unless memory is short.
const BITS: usize = 12;

/// The keys of the anchors of all texts, 8 bytes for each, which may go to a temporary file.
pub(super) struct Keys {
    all: Spill<u64>,
    scratch: Vec<u64>,
    budget: Arc<Budget>,
}

impl Keys {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self { all: Spill::new(budget), scratch: Vec::new(), budget: budget.clone() }
    }

    /// Adds the keys of anchors.
    pub(super) fn add(&mut self, anchors: &[Anchor]) -> Result<()> {
        self.scratch.clear();
        self.scratch.extend(anchors.iter().map(Anchor::key));
        self.all.append(&self.scratch)
    }

    /// Adds keys that an earlier run saved.
    pub(super) fn add_saved(&mut self, keys: &[u64]) -> Result<()> {
        self.all.append(keys)
    }

    /// Returns the keys that occur more than once, and a few others. Cost: each thread reads all keys. It takes 2.25 bytes of memory per
    /// key, or less if memory is short; the result takes a third of that.
    pub(super) fn repeated(&self, pool: &ThreadPool) -> Result<Filter> {
        let keys = self.all.len() as usize;
        let bytes = (keys * BITS / 8).min(self.budget.left() / 3 * 2);
        let (mut seen, mut repeated) = (Filter::new(bytes), Filter::new(bytes / 2));
        // Each thread has its part of both filters, and reads all keys.
        let threads = pool.current_num_threads().min(Filter::PARTS);
        let count = if threads.is_power_of_two() { threads } else { threads.next_power_of_two() / 2 };
        let (seen, twice) = (seen.parts(count), repeated.parts(count));
        pool.install(|| {
            seen.into_par_iter().zip(twice).try_for_each(|(mut seen, mut twice)| {
                self.all.each_piece(1, |_, keys| {
                    for keys in keys.chunks(LOADED) {
                        seen.load(keys);
                        for &key in keys {
                            if seen.insert(key) == Some(true) {
                                twice.insert(key);
                            }
                        }
                    }
                    Ok(())
                })
            })
        })?;
        Ok(repeated)
    }

    /// Returns those of some keys that are among all keys, but not in a filter.
    pub(super) fn found(&self, some: &Spill<u64>, filter: &Filter, pool: &ThreadPool) -> Result<Vec<u64>> {
        let (mut found, mut scratch) = (Vec::new(), Vec::new());
        let most = (self.budget.left() / 16).max(1) as u64;
        for first in (0..some.len()).step_by(most as usize) {
            let mut keys = some.get(first..some.len().min(first + most), &mut scratch)?.to_vec();
            pool.install(|| keys.par_sort_unstable());
            keys.dedup();
            let mut may_be = Filter::new(keys.len() * BITS / 8);
            keys.iter().for_each(|&key| _ = may_be.insert(key));
            let pieces = (0..self.all.len().div_ceil(PIECE)).into_par_iter().map(|piece| {
                let mut scratch = Vec::new();
                let range = piece * PIECE..self.all.len().min((piece + 1) * PIECE);
                let is_found = |key: &u64| may_be.contains(*key) && !filter.contains(*key) && keys.binary_search(key).is_ok();
                Ok(self.all.get(range, &mut scratch)?.iter().copied().filter(is_found).collect::<Vec<u64>>())
            });
            found.extend(pool.install(|| pieces.collect::<Result<Vec<_>>>())?.into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// The number of keys whose blocks of a filter are loaded at the same time.
const LOADED: usize = 32;

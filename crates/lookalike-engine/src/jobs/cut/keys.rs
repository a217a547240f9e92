//! The keys of all anchors: finds those that are repeated.

use std::{ops::Range, sync::Arc};

use lookalike::cut::{Anchor, Filter, FilterPart, Repeated};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    pool::{install, try_par_map, try_par_map_init},
    spill::{Budget, Sortable, Sorter, Spill},
};
use rayon::ThreadPool;

/// The number of keys that are read at a time.
const PIECE: u64 = 1 << 15;

/// The number of pieces that are filtered before the results are sorted.
const PIECES: u64 = 64;

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
        Self {
            all: Spill::new(budget),
            scratch: Vec::new(),
            budget: budget.clone(),
        }
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

    /// Returns the keys that occur more than once. Cost: each thread reads all keys, and then a part of them again; repeated ones are
    /// sorted. It takes 2.25 bytes of memory per key, or less if memory is short, so that more keys are sorted.
    pub(super) fn repeated(&self, pool: &ThreadPool) -> Result<Repeated> {
        let filter = self.probably_repeated(pool)?;
        let mut sorter = Sorter::new(&self.budget, 2, pool);
        let mut next = 0;
        while next < self.all.len() {
            let end = self.all.len().min(next + PIECE * PIECES);
            for hashes in
                self.filtered(next..end, pool, |key| filter.contains(key), Repeated::hash)?
            {
                hashes.into_iter().try_for_each(|hash| sorter.push(hash))?;
            }
            next = end;
        }
        drop(filter);
        let (mut twice, mut last) = (Spill::new(&self.budget), None);
        for hash in sorter.sorted()? {
            let hash = hash?;
            let (before, times) = last.unwrap_or((!hash, 0));
            last = Some((hash, if before == hash { times + 1 } else { 1 }));
            if before == hash && times == 1 {
                twice.append(&[hash])?;
            }
        }
        if twice.len() > Repeated::MOST {
            let what = format!(
                "{} passages of these texts are repeated, but at most {} are supported",
                twice.len(),
                Repeated::MOST
            );
            return Err(Error::new(ErrorKind::Config, what)
                .advise("divide the collection, or use a larger --window"));
        }
        let mut repeated = Repeated::with_capacity(twice.len());
        twice.each_piece(1, |_, hashes| {
            hashes.iter().for_each(|&hash| repeated.push(hash));
            Ok(())
        })?;
        repeated.end();
        Ok(repeated)
    }

    /// Returns the keys that occur more than once, and a few others.
    fn probably_repeated(&self, pool: &ThreadPool) -> Result<Filter> {
        let keys = self.all.len() as usize;
        let bytes = (keys * BITS / 8).min(self.budget.left() / 3 * 2);
        let (mut seen, mut repeated) = (Filter::new(bytes), Filter::new(bytes / 2));
        // Each thread has its part of both filters, and reads all keys.
        let threads = pool.current_num_threads().min(Filter::PARTS);
        let count = if threads.is_power_of_two() {
            threads
        } else {
            threads.next_power_of_two() / 2
        };
        let (seen, twice) = (seen.parts(count), repeated.parts(count));
        let fill = |(mut seen, mut twice): (FilterPart, FilterPart)| {
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
        };
        install(pool, || try_par_map(seen.into_iter().zip(twice), fill))?;
        Ok(repeated)
    }

    /// Returns what `map` makes of the keys in a range for which `is_wanted` returns true, in pieces.
    fn filtered(
        &self,
        range: Range<u64>,
        pool: &ThreadPool,
        is_wanted: impl Fn(u64) -> bool + Sync,
        map: impl Fn(u64) -> u64 + Sync,
    ) -> Result<Vec<Vec<u64>>> {
        let one = |scratch: &mut Vec<u64>, piece: usize| {
            let first = piece as u64 * PIECE;
            let keys = self.all.get(first..range.end.min(first + PIECE), scratch)?;
            let wanted = keys.iter().copied().filter(|&key| is_wanted(key));
            Ok(wanted.map(&map).collect())
        };
        let pieces = (range.start / PIECE) as usize..range.end.div_ceil(PIECE) as usize;
        install(pool, || try_par_map_init(pieces, Vec::new, one))
    }

    /// Returns those of some keys that are among all keys, but not in a set.
    pub(super) fn found(
        &self,
        some: &Spill<u64>,
        known: &Repeated,
        pool: &ThreadPool,
    ) -> Result<Vec<u64>> {
        let (mut found, mut scratch) = (Vec::new(), Vec::new());
        let most = (self.budget.left() / 16).max(1) as u64;
        for first in (0..some.len()).step_by(most as usize) {
            let mut keys = some
                .get(first..some.len().min(first + most), &mut scratch)?
                .to_vec();
            install(pool, || Sortable::sort(&mut keys));
            keys.dedup();
            let mut may_be = Filter::new(keys.len() * BITS / 8);
            keys.iter().for_each(|&key| _ = may_be.insert(key));
            let is_found = |key: u64| {
                may_be.contains(key) && !known.contains(key) && keys.binary_search(&key).is_ok()
            };
            found.extend(
                self.filtered(0..self.all.len(), pool, is_found, |key| key)?
                    .into_iter()
                    .flatten(),
            );
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// The number of keys whose blocks of a filter are loaded at the same time.
const LOADED: usize = 32;

//! Finds the kept candidates of contenders in one field, and measures how similar they are.

use std::{ops::Range, sync::Mutex, sync::atomic::Ordering};

use lookalike::cluster::{Best, Links, Neighbours};
use lookalike_io::{
    error::Result,
    lock::lock,
    pool::{install, try_par_map},
};
use rayon::ThreadPool;

use super::{
    found::{Found, improve},
    windows::Groups,
};
use crate::{
    crowds::{
        Crowds,
        indexes::{Indexes, Prefixes},
    },
    matching::{
        self, Likeness, Matcher,
        sets::{Pass, Sets},
    },
    numbers::Rank,
};

/// The number of documents in a window. It is large enough to keep all cores busy, and small enough that the window's own buckets
/// stay in the cache. Windows end at multiples of this number. If crowds may form, windows may also end at multiples of a
/// fraction of this number.
pub(super) const WINDOW: u32 = 1024;

/// If fewer shingles than this have to be merged, the overhead of the thread pool is larger than the work.
const WORTH_SHARING: usize = 20_000;

/// A function that makes the shingle set of a copy from the copy's rank.
pub(super) type SetOf<'a> = &'a (dyn Fn(Rank, &mut Vec<u64>) -> Result<()> + Sync);

/// Scratch buffers for one thread.
#[derive(Default)]
pub(super) struct Scratch {
    neighbours: Neighbours,
    set: Vec<u64>,
    matching: matching::Scratch,
    indexes: Vec<u32>,
    found: Vec<u32>,
    large: Vec<u32>,
    prefixes: Prefixes,
}

/// The threads, and one scratch buffer for each of them and for the thread that decides.
pub(super) struct Workers<'a> {
    pub(super) pool: &'a ThreadPool,
    scratches: Vec<Mutex<Scratch>>,
}

impl<'a> Workers<'a> {
    pub(super) fn new(pool: &'a ThreadPool) -> Self {
        let scratches = (0..=pool.current_num_threads())
            .map(|_| Mutex::default())
            .collect();
        Self { pool, scratches }
    }

    /// Runs `work` with the scratch buffers of the current thread.
    pub(super) fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let thread = self
            .pool
            .current_thread_index()
            .unwrap_or(self.scratches.len() - 1);
        work(&mut lock(&self.scratches[thread]))
    }
}

/// What finds the kept candidates of contenders in one field.
pub(crate) struct FieldSearch<'a> {
    pub(super) matcher: &'a Matcher<'a>,
    links: Links,
    /// `None` if no bucket is large enough to become a crowd. Also `None` if the method does not count resemblance exactly,
    /// because the indexes of crowds can only be used with such a method.
    crowds: Option<Crowds>,
    /// The prefixes of the current window's documents, for the indexes of crowds.
    prefixes: Vec<Prefixes>,
    pub(super) sets: Sets,
}

impl<'a> FieldSearch<'a> {
    pub(crate) fn new(
        pass: &Pass<'a>,
        matcher: &'a Matcher<'a>,
        links: Links,
        sets: Sets,
    ) -> Result<Self> {
        let Pass {
            config,
            table,
            pool,
            ..
        } = *pass;
        let (method, pairing) = (matcher.method, matcher.pairing);
        let crowds = match &links {
            Links::Buckets(buckets) if Indexes::serve(method) => install(pool, || {
                Crowds::of(
                    buckets,
                    config.crowd,
                    WINDOW,
                    pairing,
                    method.least(),
                    &table.budget,
                )
            })?,
            _ => None,
        };
        let prefixes = (0..WINDOW).map(|_| Prefixes::default()).collect();
        Ok(Self {
            matcher,
            links,
            crowds,
            prefixes,
            sets,
        })
    }

    /// Returns the indexes of crowds, if there is a bucket that may become a crowd.
    fn indexes(&self) -> Option<&Indexes> {
        self.crowds.as_ref().map(Crowds::indexes)
    }

    /// Prepares the window that begins at `start`, and returns where it has to end. If there are large buckets, windows end at
    /// fixed numbers, at which crowds are maintained.
    pub(super) fn prepared(&mut self, start: u32, pool: &ThreadPool) -> Result<u32> {
        let Self {
            crowds,
            links,
            sets,
            ..
        } = self;
        let (Some(crowds), Links::Buckets(buckets)) = (crowds, links) else {
            return Ok(start.saturating_add(WINDOW));
        };
        let within = start % WINDOW;
        if crowds.needs_maintenance(within) {
            install(pool, || crowds.maintain(start, buckets, sets))?;
        }
        let step = crowds.step();
        Ok((start - within).saturating_add((within / step + 1) * step))
    }

    /// Compares each of the window's documents with its candidates that were kept before the window. Fills in the prefixes of
    /// documents in crowds.
    pub(super) fn against_kept(
        &mut self,
        window: Range<u32>,
        workers: &Workers,
        found: &mut [Found],
    ) -> Result<()> {
        let mut prefixes = std::mem::take(&mut self.prefixes);
        let one = |((document, prefixes), found): ((u32, &mut Prefixes), &mut Found)| {
            workers
                .with_scratch(|scratch| self.one_against_kept(document, prefixes, found, scratch))
        };
        let count = window.len();
        let rows = window.zip(&mut prefixes[..count]).zip(found);
        let compared = install(workers.pool, || try_par_map(rows, one));
        self.prefixes = prefixes;
        compared.map(drop)
    }

    fn one_against_kept(
        &self,
        document: u32,
        prefixes: &mut Prefixes,
        best: &mut Found,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let is_reference = document < self.matcher.references;
        let Scratch {
            neighbours,
            set,
            matching,
            indexes,
            found,
            ..
        } = scratch;
        neighbours.members.clear();
        if !is_reference {
            self.links.kept_neighbours(document, neighbours);
        }
        prefixes.clear();
        if let Some(asked) = self.indexes().filter(|asked| asked.asks(document)) {
            asked.prefixes(document, self.sets.get(document, set)?, indexes, prefixes);
            if !is_reference {
                asked.find(
                    (document, self.sets.len(document)),
                    prefixes,
                    0,
                    &self.sets,
                    found,
                );
                neighbours.members.extend_from_slice(found);
                neighbours.members.sort_unstable();
                neighbours.members.dedup();
            }
        }
        self.matcher
            .keep_candidates(document, &mut neighbours.members, matching)?;
        self.try_all(document, &neighbours.members, best, set, matching)
    }

    /// Compares a document with kept candidates.
    fn try_all(
        &self,
        document: u32,
        candidates: &[u32],
        found: &mut Found,
        set: &mut Vec<u64>,
        scratch: &mut matching::Scratch,
    ) -> Result<()> {
        if candidates.is_empty() {
            return Ok(());
        }
        let set = self.sets.get(document, set)?;
        candidates
            .iter()
            .try_for_each(|&kept| self.try_kept((document, set), kept, found, scratch))
    }

    fn try_kept(
        &self,
        of: (u32, &[u64]),
        kept: u32,
        found: &mut Found,
        scratch: &mut matching::Scratch,
    ) -> Result<()> {
        // A representative must reach the threshold, and must not be less similar than the best one so far.
        let least = found.map_or(self.matcher.method.least(), |(best, _)| best.similarity);
        if let Some(likeness) = self
            .matcher
            .likeness(of, kept, &self.sets, least, scratch)?
        {
            improve(
                found,
                Best {
                    document: kept,
                    rank: kept,
                    similarity: likeness.similarity,
                },
                likeness,
            );
        }
        Ok(())
    }

    /// Collects the links between the documents of a window, except in crowds.
    pub(super) fn groups(&self, window: Range<u32>) -> Groups {
        let is_crowded = self.indexes().is_some_and(Indexes::any);
        Groups::of(window, &self.links, is_crowded)
    }

    /// Compares a document with those members of its crowds (large buckets with an index) that were kept in this window. The
    /// window begins at contender number `first`.
    pub(super) fn against_crowds(
        &self,
        document: u32,
        first: u32,
        groups: &Groups,
        best: &mut Found,
        workers: &Workers,
    ) -> Result<()> {
        let prefixes = &self.prefixes[(document - first) as usize];
        let Some(asked) = self.indexes().filter(|_| !prefixes.is_empty()) else {
            return Ok(());
        };
        workers.with_scratch(|scratch| {
            let Scratch {
                set,
                found,
                matching,
                ..
            } = scratch;
            asked.find(
                (document, self.sets.len(document)),
                prefixes,
                first,
                &self.sets,
                found,
            );
            // Kept documents that also share an ordinary bucket with this document were already compared with it when they were
            // kept.
            found.retain(|&kept| {
                !groups.linked((kept - first) as usize, (document - first) as usize)
            });
            self.matcher.keep_candidates(document, found, matching)?;
            self.try_all(document, found, best, set, matching)
        })
    }

    /// Enters a kept document, which has this place in the window.
    pub(super) fn keep(&mut self, document: u32, place: usize) -> Result<()> {
        self.links.keep(document);
        match &mut self.crowds {
            Some(crowds) => crowds.keep(document, &self.prefixes[place]),
            None => Ok(()),
        }
    }

    /// Enters a document that an earlier run kept.
    pub(super) fn restore(&mut self, document: u32) {
        self.links.keep(document);
        if let Some(crowds) = &mut self.crowds {
            crowds.restore(document);
        }
    }

    /// Compares a document that was just kept with those after it in the window, which begins at contender number `first`.
    pub(super) fn verify_after(
        &self,
        kept: u32,
        after: &[u32],
        first: u32,
        found: &mut [Found],
        workers: &Workers,
    ) -> Result<()> {
        let one = |&document: &u32| {
            workers.with_scratch(|scratch| {
                let mut found = found[(document - first) as usize];
                let set = self.sets.get(document, &mut scratch.set)?;
                self.try_kept((document, set), kept, &mut found, &mut scratch.matching)?;
                Ok(found)
            })
        };
        let work: usize = after.iter().map(|&document| self.sets.len(document)).sum();
        let results: Result<Vec<Found>> = if work < WORTH_SHARING || after.len() < 2 {
            after.iter().map(one).collect()
        } else {
            install(workers.pool, || try_par_map(after, one))
        };
        for (&document, result) in after.iter().zip(results?) {
            found[(document - first) as usize] = result;
        }
        Ok(())
    }

    /// Adds the kept documents that match a dropped first copy (the first of several identical documents) and whose numbers
    /// are in `numbers`. If `copy` is given, the shingle set is made from this copy, because the set of the first copy may no longer
    /// be in memory.
    ///
    /// In the streaming pass, copies are decided at the end of each round (several blocks of the input), so the sizes of rounds
    /// determine which large buckets are already crowds at that time. The number of candidate pairs that are found in a large
    /// bucket depends on whether it is a crowd, but the number of matches does not. Therefore only the matches in large buckets
    /// are added to the count of candidate pairs, which makes the count independent of rounds.
    pub(super) fn matches_between(
        &self,
        first_copy: u32,
        numbers: Range<u32>,
        copy: Option<(Rank, SetOf)>,
        scratch: &mut Scratch,
        matches: &mut Vec<(Best, Likeness)>,
    ) -> Result<()> {
        self.links
            .kept_neighbours(first_copy, &mut scratch.neighbours);
        let Scratch {
            neighbours: Neighbours { members, .. },
            set,
            matching,
            indexes,
            found,
            large,
            prefixes,
        } = scratch;
        members.retain(|&kept| numbers.contains(&kept));
        large.clear();
        let crowds = self.crowds.as_ref().filter(|_| !numbers.is_empty());
        if let Some(crowds) = crowds {
            large.extend(members.extract_if(.., |kept| crowds.share_large(first_copy, *kept)));
        }
        self.matcher
            .keep_candidates(first_copy, members, matching)?;
        let asked = crowds
            .map(Crowds::indexes)
            .filter(|asked| asked.asks(first_copy));
        if members.is_empty() && large.is_empty() && asked.is_none() {
            return Ok(());
        }
        let set = match copy {
            None => self.sets.get(first_copy, set)?,
            Some((rank, set_of)) => {
                set_of(rank, set)?;
                set
            }
        };
        if let Some(asked) = asked {
            asked.prefixes(first_copy, set, indexes, prefixes);
            asked.find((first_copy, set.len()), prefixes, 0, &self.sets, found);
            large.extend(found.iter().copied().filter(|kept| numbers.contains(kept)));
        }
        large.sort_unstable();
        large.dedup();
        self.matcher.keep_sharing(first_copy, large);
        self.matcher.keep_agreeing(first_copy, large, matching)?;
        let mut in_large = 0;
        for &kept in members.iter().chain(large.iter()) {
            let mut found = None;
            self.try_kept((first_copy, set), kept, &mut found, matching)?;
            in_large += u64::from(found.is_some() && large.binary_search(&kept).is_ok());
            matches.extend(found);
        }
        self.matcher.met.fetch_add(in_large, Ordering::Relaxed);
        Ok(())
    }
}

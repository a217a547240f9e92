//! Decides which documents are kept, in keep order (the order in which documents are considered). The work is done in parallel,
//! but the result is that of the sequential loop that the law (the rule for what is dropped) defines.
//!
//! Contenders (the documents that have to be compared) are decided in windows of consecutive contenders. First, all documents of
//! a window are verified in parallel against the documents that were kept before the window. Then the documents inside the window
//! are decided one by one, because a document can be decided only after all documents before it. If a document is kept, the later
//! documents of the window that share a band with this document are verified against it, again in parallel. So every pair of a
//! document and a kept candidate before it is verified exactly once, as in the law's loop. A pair of two dropped documents is
//! never verified.
//!
//! References are the first contenders. Each reference is kept without being compared with the references before it.
//!
//! If a document is in crowds (large buckets with an index), its candidates are found with the indexes of [`Crowds`], and not in
//! the buckets' lists of kept documents. Candidates that were kept before the window are found first, in parallel for all
//! documents of the window. Candidates that were kept inside the window are found later, when the document itself is decided.

pub(crate) mod candidate_pairs;

pub(crate) mod components;

pub(crate) mod all_matches;

mod found;

pub(crate) mod listed;

mod journal;

mod rounds;

mod still_needed;

pub(crate) mod streamed;

mod windows;

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, atomic::Ordering},
};

use lookalike::{
    Verify,
    cluster::{Best, Links, Neighbours},
};
use lookalike_io::{
    error::Result,
    lock::lock,
    pool::{install, try_par_map},
    spill::places::Places,
};
use rayon::ThreadPool;

use self::{
    found::{CopiesOf, Found, improve},
    journal::DecidedRound,
    windows::Groups,
};
use crate::{
    config::{Progress, Stage},
    crowds::{
        Crowds,
        indexes::{Indexes, Prefixes},
    },
    matching::{
        self, Likeness, Matcher,
        sets::{Pass, Sets},
    },
    numbers::{Contender, Rank},
    pairing::{
        Pairing,
        verdicts::{Verdict, Verdicts},
    },
};

/// The number of documents in a window. It is large enough to keep all cores busy, and small enough that the window's own buckets
/// stay in the cache. Windows end at multiples of this number. If crowds may form, windows may also end at multiples of a
/// fraction of this number.
const WINDOW: u32 = 1024;

/// If fewer shingles than this have to be merged, the overhead of the thread pool is larger than the work.
const WORTH_SHARING: usize = 20_000;

/// A function that makes the shingle set of a copy from the copy's rank.
type SetOf<'a> = &'a (dyn Fn(Rank, &mut Vec<u64>) -> Result<()> + Sync);

/// Scratch buffers for one thread.
#[derive(Default)]
struct Scratch {
    neighbours: Neighbours,
    set: Vec<u64>,
    matching: matching::Scratch,
    indexes: Vec<u32>,
    found: Vec<u32>,
    large: Vec<u32>,
    prefixes: Prefixes,
}

/// The state of deciding.
pub(crate) struct Deciding<'a> {
    matcher: &'a Matcher<'a>,
    pool: &'a ThreadPool,
    /// The number of references, which are the first contenders.
    references: u32,
    links: Links,
    /// `None` if no bucket is large enough to become a crowd. Also `None` if the method does not count resemblance exactly,
    /// because the indexes of crowds can only be used with such a method.
    crowds: Option<Crowds>,
    /// The prefixes of the current window's documents, for the indexes of crowds.
    prefixes: Vec<Prefixes>,
    pub(crate) sets: Sets,
    pub(crate) verdicts: Verdicts,
    /// For each dropped first copy (the first of several identical documents), if some of its copies are already decided: the
    /// best representative found for these copies so far, and the number of the first contender that the search for a better one
    /// has not yet examined.
    copied: BTreeMap<u32, (Found, u32)>,
    /// One scratch buffer for each thread of the pool, and one for the thread that decides.
    scratches: Vec<Mutex<Scratch>>,
}

impl<'a> Deciding<'a> {
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
        let scratches = (0..=pool.current_num_threads())
            .map(|_| Mutex::default())
            .collect();
        let verdicts = Verdicts::all_kept(matcher.pairing.numbers()?);
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
        let references = matcher.references;
        Ok(Self {
            matcher,
            pool,
            references,
            links,
            crowds,
            prefixes,
            sets,
            verdicts,
            copied: BTreeMap::new(),
            scratches,
        })
    }

    pub(crate) fn pairing(&self) -> &'a Pairing {
        self.matcher.pairing
    }

    /// Returns whether a contender may be a representative if it is kept. This function does not check that the contender is
    /// kept.
    fn can_represent(&self, number: u32) -> bool {
        number < self.references || !self.pairing().references.only
    }

    /// Returns the indexes of crowds, if there is a bucket that may become a crowd.
    fn indexes(&self) -> Option<&Indexes> {
        self.crowds.as_ref().map(Crowds::indexes)
    }

    /// Runs `work` with the scratch buffers of the current thread.
    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let thread = self
            .pool
            .current_thread_index()
            .unwrap_or(self.scratches.len() - 1);
        work(&mut lock(&self.scratches[thread]))
    }

    /// Decides the next contenders by the law.
    pub(crate) fn decide(&mut self, numbers: Range<u32>) -> Result<()> {
        let mut start = numbers.start;
        while start < numbers.end {
            let window = start..numbers.end.min(self.prepared(start)?);
            start = window.end;
            let mut prefixes = std::mem::take(&mut self.prefixes);
            let mut found = self.against_kept(window.clone(), &mut prefixes)?;
            self.inside(window.clone(), &prefixes, &mut found)?;
            self.prefixes = prefixes;
            for (number, found) in window.zip(found) {
                if let Some((best, likeness)) = found {
                    self.verdicts.set(
                        Contender(number),
                        Verdict::dropped(Contender(best.document), likeness.overlap),
                    );
                }
            }
        }
        Ok(())
    }

    /// Prepares the window that begins at `start`, and returns where it has to end. If there are large buckets, windows end at
    /// fixed numbers, at which crowds are maintained.
    fn prepared(&mut self, start: u32) -> Result<u32> {
        let Self {
            crowds,
            links,
            sets,
            pool,
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
    fn against_kept(&self, window: Range<u32>, prefixes: &mut [Prefixes]) -> Result<Vec<Found>> {
        let one = |scratch: &mut Scratch, document: u32, prefixes: &mut Prefixes| {
            let is_reference = document < self.references;
            scratch.neighbours.members.clear();
            if !is_reference {
                self.links
                    .kept_neighbours(document, &mut scratch.neighbours);
            }
            prefixes.clear();
            if let Some(asked) = self.indexes().filter(|asked| asked.asks(document)) {
                let Scratch {
                    neighbours,
                    set,
                    indexes,
                    found,
                    ..
                } = scratch;
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
            let Scratch {
                neighbours,
                set,
                matching,
                ..
            } = scratch;
            self.matcher
                .keep_candidates(document, &mut neighbours.members, matching)?;
            self.best_of(document, &neighbours.members, set, matching)
        };
        let count = window.len();
        let rows = window.zip(&mut prefixes[..count]);
        let one = |(document, prefixes): (u32, &mut Prefixes)| {
            self.with_scratch(|scratch| one(scratch, document, prefixes))
        };
        install(self.pool, || try_par_map(rows, one))
    }

    /// Returns the best representative among these candidates.
    fn best_of(
        &self,
        document: u32,
        candidates: &[u32],
        set: &mut Vec<u64>,
        scratch: &mut matching::Scratch,
    ) -> Result<Found> {
        let mut found = None;
        if !candidates.is_empty() {
            let set = self.sets.get(document, set)?;
            candidates
                .iter()
                .try_for_each(|&kept| self.try_kept((document, set), kept, &mut found, scratch))?;
        }
        Ok(found)
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

    /// Compares the window's documents with each other, in order, and enters the kept documents into their buckets.
    fn inside(
        &mut self,
        window: Range<u32>,
        prefixes: &[Prefixes],
        found: &mut [Found],
    ) -> Result<()> {
        let groups = Groups::of(
            window.clone(),
            &self.links,
            self.indexes().is_some_and(Indexes::any),
        );
        let (mut after, mut scratch) = (Vec::new(), matching::Scratch::default());
        for (place, document) in window.clone().enumerate() {
            if !prefixes[place].is_empty() && document >= self.references {
                self.against_crowds(
                    document,
                    window.start,
                    &prefixes[place],
                    &groups,
                    &mut found[place],
                )?;
            }
            if found[place].is_some() || !self.can_represent(document) {
                continue;
            }
            self.links.keep(document);
            if let Some(crowds) = &mut self.crowds {
                crowds.keep(document, &prefixes[place])?;
            }
            if window.end <= self.references {
                continue;
            }
            groups.after(place, &mut after);
            after.iter_mut().for_each(|place| *place += window.start);
            after.retain(|&other| other >= self.references);
            self.matcher
                .keep_candidates(document, &mut after, &mut scratch)?;
            self.verify_after(document, &after, window.start, found)?;
        }
        Ok(())
    }

    /// Compares a document with those members of its crowds (large buckets with an index) that were kept in this window. The
    /// window begins at contender number `first`.
    fn against_crowds(
        &self,
        document: u32,
        first: u32,
        prefixes: &Prefixes,
        groups: &Groups,
        best: &mut Found,
    ) -> Result<()> {
        let Some(asked) = self.indexes() else {
            return Ok(());
        };
        self.with_scratch(|scratch| {
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
            if found.is_empty() {
                return Ok(());
            }
            let set = self.sets.get(document, set)?;
            found
                .iter()
                .try_for_each(|&kept| self.try_kept((document, set), kept, best, matching))
        })
    }

    fn verify_after(
        &self,
        kept: u32,
        after: &[u32],
        first: u32,
        found: &mut [Found],
    ) -> Result<()> {
        let one = |&document: &u32| {
            self.with_scratch(|scratch| {
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
            install(self.pool, || try_par_map(after, one))
        };
        for (&document, result) in after.iter().zip(results?) {
            found[(document - first) as usize] = result;
        }
        Ok(())
    }

    /// Holds on to the temporary sets of kept documents that are still needed, and drops the other temporary sets.
    pub(crate) fn keep_fresh(&mut self, numbers: Range<u32>, still_needed: &Places) -> Result<()> {
        let verdicts = &self.verdicts;
        let needed = |number: u32| {
            still_needed.contains(number.into())
                && verdicts.of(Contender(number)).representative().is_none()
        };
        self.sets.keep_fresh(numbers, needed)
    }

    /// Decides copies. `copies` has each copy together with its first copy (the first of several identical documents). All
    /// contenders before the copies must already be decided. If a first copy was dropped, its copies are dropped too. A copy has
    /// the same representative as its first copy, unless there is a better representative between the first copy and the copy in
    /// keep order. `set_of` makes the set of the copy with a given rank. Callers must pass `set_of` if the first copies' sets may
    /// no longer be in memory. Returns the decisions about the copies of each dropped first copy.
    pub(crate) fn copies(
        &mut self,
        copies: impl Iterator<Item = (Rank, Contender)>,
        set_of: Option<SetOf>,
    ) -> Result<Vec<(u32, CopiesOf)>> {
        // If documents are compared with references only, every representative is a reference, and no reference comes after a
        // document of the inputs. So a copy has the same verdict as its first copy.
        if self.pairing().references.only {
            return Ok(Vec::new());
        }
        let dropped = |&(_, first_copy): &(Rank, Contender)| {
            self.verdicts.of(first_copy).representative().is_some()
        };
        let mut rows: Vec<(u32, Rank)> = copies
            .filter(dropped)
            .map(|(rank, first_copy)| (first_copy.0, rank))
            .collect();
        rows.sort_unstable();
        let groups: Vec<&[(u32, Rank)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        let one = |group: &&[(u32, Rank)]| {
            self.with_scratch(|scratch| self.copies_of(group, set_of, scratch))
        };
        let decided = install(self.pool, || try_par_map(&groups, one))?;
        let decided: Vec<_> = groups.iter().map(|group| group[0].0).zip(decided).collect();
        self.take_copies(&decided);
        Ok(decided)
    }

    fn take_copies(&mut self, decided: &[(u32, CopiesOf)]) {
        self.copied.extend(
            decided
                .iter()
                .map(|(first_copy, (_, known))| (*first_copy, *known)),
        );
        self.verdicts.extend_copies(
            decided
                .iter()
                .flat_map(|(_, (verdicts, _))| verdicts.iter().copied()),
        );
    }

    /// Restores what an earlier run decided about the contenders numbered `first` or higher, and about copies.
    pub(crate) fn restore(&mut self, first: u32, decided: &DecidedRound) {
        decided
            .dropped
            .iter()
            .for_each(|&(number, verdict)| self.verdicts.set(Contender(number), verdict));
        for number in first..decided.next {
            if !self.is_dropped(number) && self.can_represent(number) {
                self.links.keep(number);
                self.crowds
                    .iter_mut()
                    .for_each(|crowds| crowds.restore(number));
            }
        }
        self.take_copies(&decided.copies);
        let [met, refused] = decided.met;
        self.matcher.met.store(met, Ordering::Relaxed);
        self.matcher.refused.store(refused, Ordering::Relaxed);
    }

    /// Returns what was decided about the contenders numbered from `first` up to `next`. What was decided about copies is not
    /// included.
    pub(crate) fn decided(&self, first: u32, next: u32) -> DecidedRound {
        let dropped = (first..next).filter(|&number| self.is_dropped(number));
        DecidedRound {
            next,
            met: [&self.matcher.met, &self.matcher.refused]
                .map(|count| count.load(Ordering::Relaxed)),
            dropped: dropped
                .map(|number| (number, self.verdicts.of(Contender(number))))
                .collect(),
            ..DecidedRound::default()
        }
    }

    pub(crate) fn is_dropped(&self, number: u32) -> bool {
        self.verdicts
            .of(Contender(number))
            .representative()
            .is_some()
    }

    /// Returns the verdicts about the given copies of a dropped first copy (the first of several identical documents). Also
    /// returns the data from which the search for a representative of later copies continues: the best representative found so
    /// far, and the number of the first contender that the search has not yet examined.
    fn copies_of(
        &self,
        group: &[(u32, Rank)],
        set_of: Option<SetOf>,
        scratch: &mut Scratch,
    ) -> Result<CopiesOf> {
        let (first_copy, last) = (group[0].0, group[group.len() - 1].1);
        let before = |rank: Rank| self.matcher.pairing.contenders.below(rank.0) as u32;
        let (mut found, from) = match self.copied.get(&first_copy) {
            Some(known) => *known,
            None => (self.found_of(first_copy)?, first_copy + 1),
        };
        let to = before(last);
        let since = self.matches_between(
            first_copy,
            from..to,
            set_of.map(|set_of| (last, set_of)),
            scratch,
        )?;
        let mut since = since.into_iter().peekable();
        let mut verdicts = Vec::new();
        for &(_, rank) in group {
            while let Some((best, likeness)) = since.next_if(|(best, _)| best.rank < before(rank)) {
                improve(&mut found, best, likeness);
            }
            if let Some((best, likeness)) = found {
                verdicts.push((
                    rank,
                    Verdict::dropped(Contender(best.document), likeness.overlap),
                ));
            }
        }
        Ok((verdicts, (found, to)))
    }

    /// Returns the kept documents that match a dropped first copy (the first of several identical documents) and whose numbers
    /// are in `numbers`. They are sorted by their numbers. If `copy` is given, the shingle set is made from this copy, because
    /// the set of the first copy may no longer be in memory.
    ///
    /// In the streaming pass, copies are decided at the end of each round (several blocks of the input), so the sizes of rounds
    /// determine which large buckets are already crowds at that time. The number of candidate pairs that are found in a large
    /// bucket depends on whether it is a crowd, but the number of matches does not. Therefore only the matches in large buckets
    /// are added to the count of candidate pairs, which makes the count independent of rounds.
    fn matches_between(
        &self,
        first_copy: u32,
        numbers: Range<u32>,
        copy: Option<(Rank, SetOf)>,
        scratch: &mut Scratch,
    ) -> Result<Vec<(Best, Likeness)>> {
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
            return Ok(Vec::new());
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
        self.matcher.keep_agreeing(first_copy, large, matching)?;
        let mut matches = Vec::new();
        for &kept in members.iter().chain(large.iter()) {
            let mut found = None;
            self.try_kept((first_copy, set), kept, &mut found, matching)?;
            matches.extend(found);
        }
        let in_large = matches
            .iter()
            .filter(|(best, _)| large.binary_search(&best.document).is_ok())
            .count();
        self.matcher
            .met
            .fetch_add(in_large as u64, Ordering::Relaxed);
        matches.sort_unstable_by_key(|(best, _)| best.rank);
        Ok(matches)
    }

    /// Returns the representative of a dropped contender, and how similar the two are.
    fn found_of(&self, number: u32) -> Result<Found> {
        let verdict = self.verdicts.of(Contender(number));
        let Some(Contender(representative)) = verdict.representative() else {
            return Ok(None);
        };
        let (overlap, method) = (verdict.overlap(), self.matcher.method);
        let similarity = match (overlap, method.verify()) {
            (Some(overlap), _) => self.matcher.measured(overlap, representative),
            (None, Verify::None) => 1.0,
            (None, _) => self.matcher.estimate(number, representative)?,
        };
        let best = Best {
            document: representative,
            rank: representative,
            similarity,
        };
        Ok(Some((
            best,
            Likeness {
                similarity,
                overlap,
            },
        )))
    }
}

/// Decides all contenders, and then the copies of dropped contenders.
pub(crate) fn decide_all(
    pass: Pass,
    matcher: &Matcher,
    links: Links,
    sets: Sets,
) -> Result<Verdicts> {
    let numbers = matcher.pairing.numbers()?;
    let mut deciding = Deciding::new(&pass, matcher, links, sets)?;
    for start in (0..numbers).step_by(WINDOW as usize) {
        Progress::new(Stage::Deciding, start.into(), numbers.into()).tell(pass.observer)?;
        deciding.decide(start..numbers.min(start.saturating_add(WINDOW)))?;
    }
    let pairing = matcher.pairing;
    deciding.copies(pairing.copies_of_contenders(), None)?;
    Ok(deciding.verdicts)
}

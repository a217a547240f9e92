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
//!
//! If documents are compared by several fields, each field in which candidates are found has a search of its own, and the best
//! representative of all searches counts.

pub(crate) mod candidate_pairs;

pub(crate) mod components;

pub(crate) mod all_matches;

mod found;

pub(crate) mod listed;

mod journal;

mod rounds;

mod still_needed;

mod windows;

pub(crate) mod search;

pub(crate) mod streamed;

use std::{collections::BTreeMap, ops::Range, sync::atomic::Ordering};

use lookalike::{Verify, cluster::Best};
use lookalike_io::{
    error::Result,
    pool::{install, try_par_map},
    spill::places::Places,
};
use rayon::ThreadPool;

use self::{
    found::{CopiesOf, Found, improve},
    journal::DecidedRound,
    search::{FieldSearch, Scratch, SetOf, WINDOW, Workers},
    windows::Groups,
};
use crate::{
    config::{Progress, Stage},
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

/// The state of deciding.
pub(crate) struct Deciding<'a> {
    workers: Workers<'a>,
    /// The number of references, which are the first contenders.
    references: u32,
    /// The fields in which candidates are found; there is usually one.
    fields: Vec<FieldSearch<'a>>,
    pub(crate) verdicts: Verdicts,
    /// For each dropped first copy (the first of several identical documents), if some of its copies are already decided: the
    /// best representative found for these copies so far, and the number of the first contender that the search for a better one
    /// has not yet examined.
    copied: BTreeMap<u32, (Found, u32)>,
}

impl<'a> Deciding<'a> {
    pub(crate) fn new(pool: &'a ThreadPool, fields: Vec<FieldSearch<'a>>) -> Result<Self> {
        let matcher = fields[0].matcher;
        Ok(Self {
            workers: Workers::new(pool),
            references: matcher.references,
            fields,
            verdicts: Verdicts::all_kept(matcher.pairing.numbers()?),
            copied: BTreeMap::new(),
        })
    }

    /// Returns what knows the contenders and the measure. These are the same in all fields.
    fn matcher(&self) -> &'a Matcher<'a> {
        self.fields[0].matcher
    }

    /// Returns the sets of the first field.
    pub(crate) fn sets(&mut self) -> &mut Sets {
        &mut self.fields[0].sets
    }

    pub(crate) fn pairing(&self) -> &'a Pairing {
        self.matcher().pairing
    }

    /// Returns whether a contender may be a representative if it is kept. This function does not check that the contender is
    /// kept.
    fn can_represent(&self, number: u32) -> bool {
        number < self.references || !self.pairing().references.only
    }

    /// Decides the next contenders by the law.
    pub(crate) fn decide(&mut self, numbers: Range<u32>) -> Result<()> {
        let mut start = numbers.start;
        while start < numbers.end {
            let mut end = numbers.end;
            for field in &mut self.fields {
                end = end.min(field.prepared(start, self.workers.pool)?);
            }
            let window = start..end;
            start = end;
            let mut found = vec![None; window.len()];
            for field in &mut self.fields {
                field.against_kept(window.clone(), &self.workers, &mut found)?;
            }
            self.inside(window.clone(), &mut found)?;
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

    /// Compares the window's documents with each other, in order, and enters the kept documents into their buckets.
    fn inside(&mut self, window: Range<u32>, found: &mut [Found]) -> Result<()> {
        let fields = self.fields.iter();
        let groups: Vec<Groups> = fields.map(|field| field.groups(window.clone())).collect();
        let (mut after, mut scratch) = (Vec::new(), matching::Scratch::default());
        for (place, document) in window.clone().enumerate() {
            if document >= self.references {
                for (field, groups) in self.fields.iter().zip(&groups) {
                    let best = &mut found[place];
                    field.against_crowds(document, window.start, groups, best, &self.workers)?;
                }
            }
            if found[place].is_some() || !self.can_represent(document) {
                continue;
            }
            for field in &mut self.fields {
                field.keep(document, place)?;
            }
            if window.end <= self.references {
                continue;
            }
            for (field, groups) in self.fields.iter().zip(&groups) {
                groups.after(place, &mut after);
                after.iter_mut().for_each(|place| *place += window.start);
                after.retain(|&other| other >= self.references);
                field
                    .matcher
                    .keep_candidates(document, &mut after, &mut scratch)?;
                field.verify_after(document, &after, window.start, found, &self.workers)?;
            }
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
        self.fields[0].sets.keep_fresh(numbers, needed)
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
            self.workers
                .with_scratch(|scratch| self.copies_of(group, set_of, scratch))
        };
        let decided = install(self.workers.pool, || try_par_map(&groups, one))?;
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
                self.fields
                    .iter_mut()
                    .for_each(|field| field.restore(number));
            }
        }
        self.take_copies(&decided.copies);
        let [met, refused] = decided.met;
        self.matcher().met.store(met, Ordering::Relaxed);
        self.matcher().refused.store(refused, Ordering::Relaxed);
    }

    /// Returns what was decided about the contenders numbered from `first` up to `next`. What was decided about copies is not
    /// included.
    pub(crate) fn decided(&self, first: u32, next: u32) -> DecidedRound {
        let dropped = (first..next).filter(|&number| self.is_dropped(number));
        DecidedRound {
            next,
            met: [&self.matcher().met, &self.matcher().refused]
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
        let before = |rank: Rank| self.pairing().contenders.below(rank.0) as u32;
        let (mut found, from) = match self.copied.get(&first_copy) {
            Some(known) => *known,
            None => (self.found_of(first_copy)?, first_copy + 1),
        };
        let to = before(last);
        let (mut since, copy) = (Vec::new(), set_of.map(|set_of| (last, set_of)));
        for field in &self.fields {
            field.matches_between(first_copy, from..to, copy, scratch, &mut since)?;
        }
        since.sort_unstable_by_key(|(best, _)| best.rank);
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

    /// Returns the representative of a dropped contender, and how similar the two are.
    fn found_of(&self, number: u32) -> Result<Found> {
        let verdict = self.verdicts.of(Contender(number));
        let Some(Contender(representative)) = verdict.representative() else {
            return Ok(None);
        };
        let (overlap, matcher) = (verdict.overlap(), self.matcher());
        let similarity = match (overlap, matcher.method.verify()) {
            (Some(overlap), _) => matcher.measured(overlap, representative),
            (None, Verify::None) => 1.0,
            (None, _) => matcher.estimate(number, representative)?,
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

/// Decides all contenders, and then the copies of dropped contenders. Candidates are found in the given fields.
pub(crate) fn decide_all(pass: Pass, fields: Vec<FieldSearch>) -> Result<Verdicts> {
    let mut deciding = Deciding::new(pass.pool, fields)?;
    let pairing = deciding.pairing();
    let numbers = pairing.numbers()?;
    for start in (0..numbers).step_by(WINDOW as usize) {
        Progress::new(Stage::Deciding, start.into(), numbers.into()).tell(pass.observer)?;
        deciding.decide(start..numbers.min(start.saturating_add(WINDOW)))?;
    }
    deciding.copies(pairing.copies_of_contenders(), None)?;
    Ok(deciding.verdicts)
}

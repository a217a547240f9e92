//! Large buckets of texts that are alike but not alike enough, of one template say: who of the kept ones may match, without
//! looking at all of them.
//!
//! A bucket of which many documents are kept becomes a *crowd*: its chain is closed, and its kept documents go into an index
//! (see [`indexes`](crate::crowds::indexes)). What it gives goes the same way as what chains give: so the answer is the law's.
//!
//! Which buckets are crowds changes at certain numbers only, wherever windows and rounds begin or end, and so does the order of
//! an index: what is found, and so what is counted, depends on the documents alone. An index is made anew when it has twice the
//! documents, since what is rare among the first may be common among later ones; that costs twice the work of entering all.

mod large;

mod postings;

mod prefixes;

pub(crate) mod indexes;

pub(crate) mod joining;

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use lookalike::cluster::Buckets;
use lookalike_io::{error::Result, spill::Budget};

use self::{
    indexes::{Indexes, Prefixes},
    large::Large,
};
use crate::{matching::sets::Sets, pairing::Pairing};

/// A bucket at an eighth, a quarter, half of a crowd's size is a crowd already if there is an index for its texts: one template wins
/// many bands, and most of the pairs that are looked at one by one would be in those where it does so less often.
const EARLY: u32 = 3;

/// What is known of an index.
#[derive(Debug, Clone, Copy, Default)]
struct Life {
    /// Members when it was put in order, and those that have come since.
    ordered: usize,
    grown: usize,
    /// The last contender that will ask, and whether copies may come after it.
    last: u32,
    copied: bool,
    /// Whether nobody will ask any more, so that it was emptied.
    ended: bool,
    /// Bytes that are held of it.
    held: usize,
}

/// All crowds.
pub(crate) struct Crowds {
    indexes: Indexes,
    /// By index.
    lives: Vec<Life>,
    /// Kept documents that make a crowd of a bucket.
    size: usize,
    /// The length of a whole window, and of the part of it at which crowds are looked after now.
    window: u32,
    step: u32,
    /// By slot, its kept documents.
    kept: Vec<u32>,
    /// Slots that have reached the size, or a part of it, and may get their index.
    due: Vec<u32>,
    /// Indexes that documents came to since crowds were looked after.
    touched: BTreeSet<u32>,
    /// Indexes by the last contender that will ask.
    ending: BTreeSet<(u32, u32)>,
    /// Whether documents were kept by an earlier run, so that there may be crowds already.
    restored: bool,
    budget: Arc<Budget>,
}

impl Crowds {
    /// None where no bucket can become a crowd of `size`. To be called on the pool.
    pub(crate) fn of(
        buckets: &Buckets,
        size: usize,
        window: u32,
        pairing: &Pairing,
        threshold: f64,
        budget: &Arc<Budget>,
    ) -> Result<Option<Self>> {
        let Some(large) = Large::of(buckets.columns(), size, pairing)? else { return Ok(None) };
        budget.hold(large.bytes());
        Ok(Some(Self {
            lives: Vec::new(),
            size,
            window,
            step: window,
            kept: vec![0; large.buckets().len()],
            indexes: Indexes::new(large, threshold),
            due: Vec::new(),
            touched: BTreeSet::new(),
            ending: BTreeSet::new(),
            restored: false,
            budget: budget.clone(),
        }))
    }

    /// Numbers from one time that crowds have to be looked after to the next. Both are counted from where the last whole window
    /// begins, at a multiple of its length.
    pub(crate) fn step(&self) -> u32 {
        self.step
    }

    /// Whether they have to be looked after so many numbers behind that.
    pub(crate) fn wants_care(&self, within: u32) -> bool {
        self.restored || within.is_multiple_of(self.step)
    }

    /// A whole window, but where it has enough documents of a bucket that is no crowd yet: until it is, it is looked at pair by
    /// pair.
    fn step_in(&self, window: Range<u32>) -> u32 {
        let (whole, large) = (window.end - window.start, self.indexes.large());
        if (large.members(window.clone()) as usize) < self.size {
            return whole;
        }
        let slots = window.flat_map(|contender| large.slots(contender)).copied();
        let mut open: Vec<u32> = slots.filter(|&slot| !self.indexes.has(slot)).collect();
        open.sort_unstable();
        let is_large = open.chunk_by(|a, b| a == b).any(|same| same.len() >= self.size);
        if is_large { (self.size as u32).next_power_of_two().min(whole) } else { whole }
    }

    /// What is asked.
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Whether two contenders share a bucket that is or may become a crowd.
    pub(crate) fn share_large(&self, a: u32, b: u32) -> bool {
        self.indexes.large().share(a, b)
    }

    /// Takes a document that is kept, with its prefixes. In keep order.
    pub(crate) fn keep(&mut self, document: u32, prefixes: &Prefixes) -> Result<()> {
        self.count(document);
        for index in prefixes.indexes() {
            self.lives[index as usize].grown += 1;
            self.touched.insert(index);
        }
        self.indexes.enter(document, prefixes)
    }

    /// Takes a document that an earlier run has kept, whose set is not yet there.
    pub(crate) fn restore(&mut self, document: u32) {
        self.restored = true;
        self.count(document);
    }

    fn count(&mut self, document: u32) {
        for &slot in self.indexes.large().slots(document) {
            let kept = &mut self.kept[slot as usize];
            *kept += 1;
            if (0..=EARLY).any(|halved| *kept as usize == self.size >> halved) {
                self.due.push(slot);
            }
        }
    }

    /// Makes crowds of the buckets that have become large enough, puts indexes in order that have grown much, and forgets those
    /// that nobody will ask. All before `next` are decided; to be called at numbers that depend on the documents alone, and on
    /// the pool.
    pub(crate) fn look_after(&mut self, next: u32, buckets: &mut Buckets, sets: &mut Sets) -> Result<()> {
        let mut due = std::mem::take(&mut self.due);
        due.sort_unstable();
        due.dedup();
        for slot in due {
            let bucket = self.indexes.large().buckets()[slot as usize];
            // Otherwise only copies will ask for its company, and few documents were kept in it since the last time.
            if bucket.last >= next && !self.indexes.has(slot) {
                let mut members = buckets.kept(bucket.band as usize, bucket.bucket);
                members.reverse();
                if self.found(slot, &members, next, sets)? {
                    buckets.close(bucket.band as usize, bucket.bucket);
                }
            }
        }
        while let Some(&(last, index)) = self.ending.first().filter(|(last, _)| *last < next) {
            self.ending.remove(&(last, index));
            let life = &mut self.lives[index as usize];
            if life.last == last && !life.copied {
                *life = Life { ended: true, held: life.held, ..Life::default() };
                self.indexes.take_members(index);
                self.touched.insert(index);
            }
        }
        for index in std::mem::take(&mut self.touched) {
            let Life { ordered, grown, .. } = self.lives[index as usize];
            if grown > 0 && grown >= ordered {
                self.put_in_order(index, next, sets)?;
            }
            let bytes = self.indexes.bytes(index);
            self.budget.hold(bytes);
            self.budget.release(std::mem::replace(&mut self.lives[index as usize].held, bytes));
        }
        if next.is_multiple_of(self.window) {
            self.step = self.step_in(next..self.indexes.large().bound().min(next.saturating_add(self.window)));
        }
        self.restored = false;
        sets.make_room()?;
        Ok(())
    }

    /// Makes a crowd of a bucket with these kept documents: in the index that is for its texts, or in a new one if they are
    /// enough. Tells whether it did.
    fn found(&mut self, slot: u32, members: &[u32], next: u32, sets: &Sets) -> Result<bool> {
        let index = match self.indexes.for_texts(members, |index| !self.lives[index as usize].ended) {
            Some(index) => {
                // Those that nobody was going to ask for may have been left out since they came.
                let known = |member| self.indexes.buckets_in(member, index).any(|bucket| bucket.last >= next);
                let missing: Vec<u32> = members.iter().copied().filter(|&member| !known(member)).collect();
                self.lives[index as usize].grown += missing.len();
                self.indexes.enter_all(index, &missing, sets)?;
                index
            }
            None if members.len() < self.size => return Ok(false),
            None => {
                let index = self.indexes.create();
                self.indexes.fill(index, members, members, sets)?;
                self.lives.push(Life { ordered: members.len(), ..Life::default() });
                index
            }
        };
        self.indexes.give(slot, index);
        let (bucket, life) = (self.indexes.large().buckets()[slot as usize], &mut self.lives[index as usize]);
        life.last = life.last.max(bucket.last);
        life.copied |= bucket.copied;
        self.ending.insert((life.last, index));
        self.touched.insert(index);
        Ok(true)
    }

    /// Makes an index anew, in the order that its members of now speak for, without those that nobody will ask for.
    fn put_in_order(&mut self, index: u32, next: u32, sets: &Sets) -> Result<()> {
        let mut members = self.indexes.take_members(index);
        let awaited = |member: u32| self.indexes.buckets_in(member, index).any(|bucket| bucket.last >= next);
        members.retain(|&member| awaited(member) || self.indexes.buckets_in(member, index).any(|bucket| bucket.copied));
        let ordered = members.len();
        let by_contenders: Vec<u32> = members.iter().copied().filter(|&member| awaited(member)).collect();
        // The sets of those that only copies ask for are there as long as these may come, in rounds; so they have no say.
        members.retain(|&member| awaited(member) || sets.len(member) > 0);
        let life = &mut self.lives[index as usize];
        (life.ordered, life.grown) = (ordered, 0);
        self.indexes.fill(index, &members, &by_contenders, sets)
    }
}

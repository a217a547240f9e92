//! Large buckets of texts that are alike but not similar enough to match, such as pages made from one template. This module finds
//! the kept documents of such a bucket that may match a given document, without comparing the document with every kept document.
//!
//! A bucket in which many documents are kept becomes a *crowd*: its chain (the list of its kept documents) is closed, and its
//! kept documents are entered into an index (see [`indexes`](crate::crowds::indexes)). The documents that the index returns are
//! treated exactly like documents from chains, so the result follows the law (the rule for what is dropped).
//!
//! The set of crowds and the order of an index's elements change only at fixed contender numbers (contenders are the documents
//! that have to be compared), independently of where windows and rounds (documents that are decided together) begin or end. So
//! the pairs that are found and counted depend only on the documents. An index is rebuilt when its number of documents has
//! doubled, because elements that are rare among the first documents may be common among later ones. All rebuilds together cost
//! twice the work of entering all documents.

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

/// Usually, a bucket becomes a crowd when its number of kept documents reaches the crowd size. If there is already an index that
/// suits the bucket's texts, an eighth, a quarter or half of the crowd size is enough: the crowd size may be halved up to `EARLY`
/// times. Texts made from one template usually share many bands. Without this rule, buckets that hold fewer of these texts would
/// stay below the crowd size, and most pairs that are compared one by one would come from these buckets.
const EARLY: u32 = 3;

/// The state of an index.
#[derive(Debug, Clone, Copy, Default)]
struct Life {
    /// The number of members when the index was last rebuilt or filled, and the number of members added since then.
    ordered: usize,
    grown: usize,
    /// The last contender that will query the index, and whether copies may query it later.
    last: u32,
    copied: bool,
    /// Whether the index was emptied because nothing will query it any more.
    ended: bool,
    /// The bytes of this index that are counted in the memory budget.
    held: usize,
}

/// All crowds.
pub(crate) struct Crowds {
    indexes: Indexes,
    /// The state of each index.
    lives: Vec<Life>,
    /// The number of kept documents that makes a bucket a crowd.
    size: usize,
    /// The number of contenders in a whole window, and in the current interval between two points at which crowds are maintained.
    /// The interval is a whole window or a part of one.
    window: u32,
    step: u32,
    /// The number of kept documents of each slot (large bucket).
    kept: Vec<u32>,
    /// Slots whose number of kept documents has reached the crowd size or one of its fractions. These slots may get an index.
    due: Vec<u32>,
    /// Indexes that have received documents since the last maintenance.
    touched: BTreeSet<u32>,
    /// Pairs of (contender, index): the last contender that will query the index, and the index.
    ending: BTreeSet<(u32, u32)>,
    /// Whether an earlier run kept documents, so that there may be crowds already.
    restored: bool,
    budget: Arc<Budget>,
}

impl Crowds {
    /// Prepares the crowds. Returns `None` if no bucket can become a crowd of `size`. Call this on the thread pool.
    pub(crate) fn of(
        buckets: &Buckets,
        size: usize,
        window: u32,
        pairing: &Pairing,
        threshold: f64,
        budget: &Arc<Budget>,
    ) -> Result<Option<Self>> {
        let Some(large) = Large::of(buckets.columns(), size, pairing)? else {
            return Ok(None);
        };
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

    /// Returns the interval between two maintenance points, as a number of contenders. Intervals are counted from the start of
    /// the last whole window. This start is a multiple of the window's length.
    pub(crate) fn step(&self) -> u32 {
        self.step
    }

    /// Returns whether crowds need maintenance at a contender number, which is given as its distance from the start of the last
    /// whole window.
    pub(crate) fn needs_maintenance(&self, within: u32) -> bool {
        self.restored || within.is_multiple_of(self.step)
    }

    /// Returns the maintenance interval for a window. The interval is the whole window, unless the window has so many documents
    /// of one bucket that this bucket could become a crowd during the window. The documents of such a bucket are compared pair by
    /// pair until the bucket becomes a crowd, so the interval is then shorter.
    fn step_in(&self, window: Range<u32>) -> u32 {
        let (whole, large) = (window.end - window.start, self.indexes.large());
        if (large.members(window.clone()) as usize) < self.size {
            return whole;
        }
        let slots = window.flat_map(|contender| large.slots(contender)).copied();
        let mut open: Vec<u32> = slots.filter(|&slot| !self.indexes.has(slot)).collect();
        open.sort_unstable();
        let is_large = open
            .chunk_by(|a, b| a == b)
            .any(|same| same.len() >= self.size);
        if is_large {
            (self.size as u32).next_power_of_two().min(whole)
        } else {
            whole
        }
    }

    /// Returns the indexes, for queries.
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Returns whether two contenders share a bucket that is or may become a crowd.
    pub(crate) fn share_large(&self, a: u32, b: u32) -> bool {
        self.indexes.large().share(a, b)
    }

    /// Adds a kept document with its prefixes. Documents must be added in keep order.
    pub(crate) fn keep(&mut self, document: u32, prefixes: &Prefixes) -> Result<()> {
        self.count(document);
        for index in prefixes.indexes() {
            self.lives[index as usize].grown += 1;
            self.touched.insert(index);
        }
        self.indexes.enter(document, prefixes)
    }

    /// Adds a document that an earlier run kept. The document's set is not available yet.
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

    /// Maintains the crowds: turns buckets that have become large enough into crowds, reorders indexes that have grown a lot, and
    /// empties indexes that are no longer needed. All contenders with numbers below `next` must already be decided. Call
    /// this on the thread pool, and only with values of `next` that depend on nothing but the documents.
    pub(crate) fn maintain(
        &mut self,
        next: u32,
        buckets: &mut Buckets,
        sets: &mut Sets,
    ) -> Result<()> {
        let mut due = std::mem::take(&mut self.due);
        due.sort_unstable();
        due.dedup();
        for slot in due {
            let bucket = self.indexes.large().buckets()[slot as usize];
            // If the bucket's last contender is already decided, only copies will still look up neighbours in the bucket. In that
            // case an index is not worthwhile: until the last maintenance the bucket was too small for an index, and few
            // documents were kept in it since then.
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
                *life = Life {
                    ended: true,
                    held: life.held,
                    ..Life::default()
                };
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
            self.budget.release(std::mem::replace(
                &mut self.lives[index as usize].held,
                bytes,
            ));
        }
        if next.is_multiple_of(self.window) {
            self.step = self.step_in(
                next..self
                    .indexes
                    .large()
                    .bound()
                    .min(next.saturating_add(self.window)),
            );
        }
        self.restored = false;
        sets.make_room()?;
        Ok(())
    }

    /// Turns a bucket with these kept documents into a crowd. The bucket gets an existing index that suits their texts or, if
    /// there are enough documents, a new index. Returns whether the bucket became a crowd.
    fn found(&mut self, slot: u32, members: &[u32], next: u32, sets: &Sets) -> Result<bool> {
        let index = match self
            .indexes
            .for_texts(members, |index| !self.lives[index as usize].ended)
        {
            Some(index) => {
                // When the index was rebuilt, documents that no later contender was going to look up were left out. Such
                // documents have to be entered again.
                let known = |member| {
                    self.indexes
                        .buckets_in(member, index)
                        .any(|bucket| bucket.last >= next)
                };
                let missing: Vec<u32> = members
                    .iter()
                    .copied()
                    .filter(|&member| !known(member))
                    .collect();
                self.lives[index as usize].grown += missing.len();
                self.indexes.enter_all(index, &missing, sets)?;
                index
            }
            None if members.len() < self.size => return Ok(false),
            None => {
                let index = self.indexes.create();
                self.indexes.fill(index, members, members, sets)?;
                self.lives.push(Life {
                    ordered: members.len(),
                    ..Life::default()
                });
                index
            }
        };
        self.indexes.give(slot, index);
        let (bucket, life) = (
            self.indexes.large().buckets()[slot as usize],
            &mut self.lives[index as usize],
        );
        life.last = life.last.max(bucket.last);
        life.copied |= bucket.copied;
        self.ending.insert((life.last, index));
        self.touched.insert(index);
        Ok(true)
    }

    /// Rebuilds an index with the order of elements that follows from its current members. Members that will not be looked up any
    /// more are left out.
    fn put_in_order(&mut self, index: u32, next: u32, sets: &Sets) -> Result<()> {
        let mut members = self.indexes.take_members(index);
        let still_needed = |member: u32| {
            self.indexes
                .buckets_in(member, index)
                .any(|bucket| bucket.last >= next)
        };
        members.retain(|&member| {
            still_needed(member)
                || self
                    .indexes
                    .buckets_in(member, index)
                    .any(|bucket| bucket.copied)
        });
        let ordered = members.len();
        let by_contenders: Vec<u32> = members
            .iter()
            .copied()
            .filter(|&member| still_needed(member))
            .collect();
        // Some members are only looked up by copies. The sets of these members are available only in rounds in which such copies
        // may occur, so these sets must not influence the order.
        members.retain(|&member| still_needed(member) || sets.len(member) > 0);
        let life = &mut self.lives[index as usize];
        (life.ordered, life.grown) = (ordered, 0);
        self.indexes.fill(index, &members, &by_contenders, sets)
    }
}

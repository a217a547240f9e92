//! Large buckets of texts that are alike but not alike enough, of one template say: who of the kept ones may match, without
//! looking at all of them.
//!
//! A bucket of which many documents are kept becomes a *crowd*: its chain is closed, and its kept documents go into an index of
//! the rarest elements of their sets (see [`prefixes`](super::prefixes)), which leads to every one that resembles a document
//! enough, and to few others. What it gives goes the same way as what chains give: so the answer is the law's. Crowds of the same
//! texts (a template wins many bands) share an index, and a document asks it once.
//!
//! Which buckets are crowds changes at certain numbers only, wherever windows and rounds begin or end, and so does the order of
//! an index: what is found, and so what is counted, depends on the documents alone. An index is made anew when it has twice the
//! documents, since what is rare among the first may be common among later ones; that costs twice the work of entering all.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use lookalike::{
    cluster::Buckets,
    lsh::NONE,
    verify::{Measure, Overlap},
};
use rayon::prelude::*;

use super::{
    large::{Bucket, Large},
    loading::Sets,
    pairing::Pairing,
    postings::Postings,
    prefixes::{Common, Lengths, Rarity},
};
use crate::{error::Result, spill::Budget};

/// A bucket at an eighth, a quarter, half of a crowd's size is a crowd already if there is an index for its texts: one template wins
/// many bands, and most of the pairs that are looked at one by one would be in those where it does so less often.
const EARLY: u32 = 3;

/// One in so many of a bucket's kept documents in an index says that the index is for its texts: of two buckets of one template
/// each has a small share of its texts. If it is not, only the order of the index is a little worse.
const KNOWN: usize = 16;

/// Sets by which an index is put in order, and how many elements these may have: what a multitude of huge texts may cost.
const SAMPLE: usize = 1024;
const SAMPLE_ELEMENTS: usize = 1 << 21;

/// Documents that are entered at a time when an index is made.
const PIECE: usize = 1024;

/// The first elements of a document's set, for each index that it asks.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    parts: Vec<Part>,
    tags: Vec<u32>,
    common: Common,
}

/// In one index: where the tags begin, where the short prefix ends, and where the long one does.
#[derive(Debug, Clone, Copy)]
struct Part {
    index: u32,
    start: u32,
    middle: u32,
    end: u32,
}

impl Prefixes {
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.tags.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn push(&mut self, index: u32, rarity: &Rarity, set: &[u64], lengths: Lengths) {
        let start = self.tags.len();
        rarity.prefix(set, lengths, &mut self.common, &mut self.tags);
        let [start, middle, end] = [start, start + lengths.short, self.tags.len()].map(|at| at as u32);
        self.parts.push(Part { index, start, middle, end });
    }

    fn short(&self, part: &Part) -> &[u32] {
        &self.tags[part.start as usize..part.middle as usize]
    }

    fn long(&self, part: &Part) -> &[u32] {
        &self.tags[part.start as usize..part.end as usize]
    }
}

/// Kept documents by the first elements of their sets. Of a pair the smaller set's short prefix meets the larger one's long one.
/// What is common is at the end of long prefixes, and long chains are not walked for it unless the short prefix of the document
/// at hand has it too: so those have postings of their own.
#[derive(Default)]
struct Index {
    rarity: Rarity,
    short: Postings,
    /// Elements of the long prefix that are not in the short one.
    rest: Postings,
    members: Vec<u32>,
    /// Members when it was put in order, and those that have come since.
    ordered: usize,
    grown: usize,
    /// The last contender that will ask, and whether copies may come after it.
    last: u32,
    copied: bool,
    /// Whether nobody will ask any more, so that it was emptied.
    ended: bool,
}

impl Index {
    fn enter(&mut self, document: u32, prefixes: &Prefixes, part: &Part) -> Result<()> {
        let (short, long) = (prefixes.short(part), prefixes.long(part));
        self.members.push(document);
        short.iter().try_for_each(|&tag| self.short.add(tag, document))?;
        long[short.len()..].iter().try_for_each(|&tag| self.rest.add(tag, document))
    }

    /// Appends the members that share of their prefixes; repeatedly. What was entered since a window began stands first in the
    /// chains, so from there on is asked for in no more steps than there are.
    fn find(&self, prefixes: &Prefixes, part: &Part, from: u32, found: &mut Vec<u32>) {
        for &tag in prefixes.long(part) {
            found.extend(self.short.of(tag).take_while(|&document| document >= from));
        }
        for &tag in prefixes.short(part) {
            found.extend(self.rest.of(tag).take_while(|&document| document >= from));
        }
    }

    fn bytes(&self) -> usize {
        self.rarity.bytes() + self.short.bytes() + self.rest.bytes() + self.members.len() * size_of::<u32>()
    }
}

/// All crowds.
pub(super) struct Crowds {
    large: Large,
    /// Kept documents that make a crowd of a bucket.
    size: usize,
    /// The length of a whole window, and of the part of it at which crowds are looked after now.
    window: u32,
    step: u32,
    /// By slot: kept documents, and the index, [`NONE`] until there is one.
    kept: Vec<u32>,
    index_of: Vec<u32>,
    /// Slots that have reached the size, or a part of it, and may get their index.
    due: Vec<u32>,
    indexes: Vec<Index>,
    /// Indexes that documents came to since crowds were looked after.
    touched: BTreeSet<u32>,
    /// Indexes by the last contender that will ask.
    ending: BTreeSet<(u32, u32)>,
    threshold: f64,
    budget: Arc<Budget>,
    /// Bytes that are held of the indexes; by index.
    held: Vec<usize>,
}

impl Crowds {
    /// None where no bucket can become a crowd of `size`. To be called on the pool.
    pub(super) fn of(
        buckets: &Buckets,
        size: usize,
        window: u32,
        pairing: &Pairing,
        threshold: f64,
        budget: &Arc<Budget>,
    ) -> Result<Option<Self>> {
        let Some(large) = Large::of(buckets, size, pairing)? else { return Ok(None) };
        budget.hold(large.bytes());
        let slots = large.buckets().len();
        Ok(Some(Self {
            large,
            size,
            window,
            step: window,
            kept: vec![0; slots],
            index_of: vec![NONE; slots],
            due: Vec::new(),
            indexes: Vec::new(),
            touched: BTreeSet::new(),
            ending: BTreeSet::new(),
            threshold,
            budget: budget.clone(),
            held: Vec::new(),
        }))
    }

    /// Numbers from one time that crowds have to be looked after to the next. Both are counted from where the last whole window
    /// begins, at a multiple of its length.
    pub(super) fn step(&self) -> u32 {
        self.step
    }

    /// A whole window, but where it has enough documents of a bucket that is no crowd yet: until it is, it is looked at pair by
    /// pair.
    fn step_in(&self, window: Range<u32>) -> u32 {
        let whole = window.end - window.start;
        if (self.large.members(window.clone()) as usize) < self.size {
            return whole;
        }
        let slots = window.flat_map(|contender| self.large.slots(contender)).copied();
        let mut open: Vec<u32> = slots.filter(|&slot| self.index_of[slot as usize] == NONE).collect();
        open.sort_unstable();
        let is_large = open.chunk_by(|a, b| a == b).any(|same| same.len() >= self.size);
        if is_large { (self.size as u32).next_power_of_two().min(whole) } else { whole }
    }

    /// The indexes that a contender asks, each once, in order.
    fn indexes_of(&self, contender: u32, into: &mut Vec<u32>) {
        into.clear();
        into.extend(self.large.slots(contender).iter().map(|&slot| self.index_of[slot as usize]).filter(|&index| index != NONE));
        into.sort_unstable();
        into.dedup();
    }

    /// Whether a contender has to ask an index.
    pub(super) fn asks(&self, contender: u32) -> bool {
        self.large.slots(contender).iter().any(|&slot| self.index_of[slot as usize] != NONE)
    }

    /// Whether two contenders share a bucket that is or may become a crowd.
    pub(super) fn share_large(&self, a: u32, b: u32) -> bool {
        self.large.shared(a, b).next().is_some()
    }

    /// The prefixes of a contender's set for what it asks.
    pub(super) fn prefixes(&self, contender: u32, set: &[u64], indexes: &mut Vec<u32>, prefixes: &mut Prefixes) {
        self.indexes_of(contender, indexes);
        prefixes.clear();
        let lengths = Lengths::of(set.len(), self.threshold);
        for &index in indexes.iter() {
            prefixes.push(index, &self.indexes[index as usize].rarity, set, lengths);
        }
    }

    /// Fills `found` with the kept documents that share a crowd with a contender, whose set has `size` elements, and may match
    /// it; ascending. `from` is 0, or where the window begins, for those that were kept in it.
    pub(super) fn find(
        &self,
        (contender, size): (u32, usize),
        prefixes: &Prefixes,
        from: u32,
        sets: &Sets,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        for part in &prefixes.parts {
            self.indexes[part.index as usize].find(prefixes, part, from, found);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&kept| self.share_crowd(contender, kept) && self.sizes_fit(size, sets.len(kept)));
    }

    fn share_crowd(&self, a: u32, b: u32) -> bool {
        self.large.shared(a, b).any(|slot| self.index_of[slot as usize] != NONE)
    }

    fn sizes_fit(&self, a: usize, b: usize) -> bool {
        let (a, b) = (a as u64, b as u64);
        Measure::Resemblance.of(Overlap { shared: a.min(b), a, b }) >= self.threshold
    }

    /// Takes a document that is kept, with its prefixes. In keep order.
    pub(super) fn keep(&mut self, document: u32, prefixes: &Prefixes) -> Result<()> {
        for &slot in self.large.slots(document) {
            let kept = &mut self.kept[slot as usize];
            *kept += 1;
            if (0..=EARLY).any(|halved| *kept as usize == self.size >> halved) {
                self.due.push(slot);
            }
        }
        for part in &prefixes.parts {
            let index = &mut self.indexes[part.index as usize];
            index.enter(document, prefixes, part)?;
            index.grown += 1;
            self.touched.insert(part.index);
        }
        Ok(())
    }

    /// Whether there is any crowd yet.
    pub(super) fn any(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// Makes crowds of the buckets that have become large enough, puts indexes in order that have grown much, and forgets those
    /// that nobody will ask. All before `next` are decided; to be called at numbers that depend on the documents alone, and on
    /// the pool.
    pub(super) fn look_after(&mut self, next: u32, buckets: &mut Buckets, sets: &Sets) -> Result<()> {
        let mut due = std::mem::take(&mut self.due);
        due.sort_unstable();
        due.dedup();
        for slot in due {
            let bucket = self.large.buckets()[slot as usize];
            // Otherwise only copies will ask for its company, and few documents were kept in it since the last time.
            if bucket.last >= next && self.index_of[slot as usize] == NONE {
                let mut members = buckets.kept(bucket.band as usize, bucket.bucket);
                members.reverse();
                if self.found(slot, &members, next, sets)? {
                    buckets.close(bucket.band as usize, bucket.bucket);
                }
            }
        }
        while let Some(&(last, index)) = self.ending.first().filter(|(last, _)| *last < next) {
            self.ending.remove(&(last, index));
            let of_last = &mut self.indexes[index as usize];
            if of_last.last == last && !of_last.copied {
                *of_last = Index { ended: true, ..Index::default() };
                self.touched.insert(index);
            }
        }
        for index in std::mem::take(&mut self.touched) {
            let Index { ordered, grown, .. } = self.indexes[index as usize];
            if grown > 0 && grown >= ordered {
                self.put_in_order(index, next, sets)?;
            }
            let (bytes, held) = (self.indexes[index as usize].bytes(), &mut self.held[index as usize]);
            self.budget.hold(bytes);
            self.budget.release(std::mem::replace(held, bytes));
        }
        if next.is_multiple_of(self.window) {
            self.step = self.step_in(next..self.large.bound().min(next.saturating_add(self.window)));
        }
        Ok(())
    }

    /// Makes a crowd of a bucket with these kept documents: in the index that has most of them, or in a new one if they are
    /// enough. Tells whether it did.
    fn found(&mut self, slot: u32, members: &[u32], next: u32, sets: &Sets) -> Result<bool> {
        let (mut indexes, mut known) = (Vec::new(), BTreeMap::<u32, usize>::new());
        for &member in members {
            self.indexes_of(member, &mut indexes);
            let open = indexes.iter().filter(|&&index| !self.indexes[index as usize].ended);
            open.for_each(|&index| *known.entry(index).or_default() += 1);
        }
        let most = known.into_iter().max_by_key(|&(index, known)| (known, std::cmp::Reverse(index)));
        let index = match most {
            Some((index, known)) if KNOWN * known >= members.len() => index,
            _ if members.len() < self.size => return Ok(false),
            _ => {
                self.indexes.push(Index { rarity: sample(members, sets)?, ordered: members.len(), ..Index::default() });
                self.held.push(0);
                self.indexes.len() as u32 - 1
            }
        };
        // Those that nobody was going to ask for may have been left out since they came.
        let known = |member| self.buckets_in(member, index).any(|bucket| bucket.last >= next);
        let missing: Vec<u32> = members.iter().copied().filter(|&member| !known(member)).collect();
        self.index_of[slot as usize] = index;
        let (bucket, of_index) = (self.large.buckets()[slot as usize], &mut self.indexes[index as usize]);
        of_index.last = of_index.last.max(bucket.last);
        of_index.copied |= bucket.copied;
        // Those of a new index were there when it was put in order.
        of_index.grown += if of_index.members.is_empty() { 0 } else { missing.len() };
        self.ending.insert((of_index.last, index));
        self.touched.insert(index);
        self.enter_all(index, &missing, sets)?;
        Ok(true)
    }

    /// The crowds of an index that a contender is in.
    fn buckets_in(&self, contender: u32, index: u32) -> impl Iterator<Item = Bucket> {
        let slots = self.large.slots(contender).iter();
        slots.filter(move |&&slot| self.index_of[slot as usize] == index).map(|&slot| self.large.buckets()[slot as usize])
    }

    /// Makes an index anew, in the order that its members of now speak for, without those that nobody will ask for.
    fn put_in_order(&mut self, index: u32, next: u32, sets: &Sets) -> Result<()> {
        let mut members = std::mem::take(&mut self.indexes[index as usize].members);
        members.sort_unstable();
        members.dedup();
        let awaited = |member: u32| self.buckets_in(member, index).any(|bucket| bucket.last >= next);
        members.retain(|&member| awaited(member) || self.buckets_in(member, index).any(|bucket| bucket.copied));
        let ordered = members.len();
        let by_contenders: Vec<u32> = members.iter().copied().filter(|&member| awaited(member)).collect();
        // The sets of those that only copies ask for are there as long as these may come, in rounds; so they have no say.
        members.retain(|&member| awaited(member) || sets.len(member) > 0);
        let Index { last, copied, .. } = self.indexes[index as usize];
        let rarity = sample(&by_contenders, sets)?;
        self.indexes[index as usize] = Index { rarity, ordered, last, copied, ..Index::default() };
        self.enter_all(index, &members, sets)
    }

    fn enter_all(&mut self, index: u32, members: &[u32], sets: &Sets) -> Result<()> {
        let Self { indexes, threshold, .. } = self;
        let mut made: Vec<Prefixes> = Vec::new();
        for piece in members.chunks(PIECE) {
            let rarity = &indexes[index as usize].rarity;
            made.resize_with(piece.len(), Prefixes::default);
            let make = |room: &mut Vec<u64>, (&member, prefixes): (&u32, &mut Prefixes)| -> Result<()> {
                prefixes.clear();
                let set = sets.get(member, room)?;
                prefixes.push(index, rarity, set, Lengths::of(set.len(), *threshold));
                Ok(())
            };
            piece.par_iter().zip(&mut made).map_init(Vec::new, |room, row| make(room, row)).collect::<Result<()>>()?;
            for (&member, prefixes) in piece.iter().zip(&made) {
                indexes[index as usize].enter(member, prefixes, &prefixes.parts[0])?;
            }
        }
        Ok(())
    }
}

/// The order that some of these documents' sets speak for, taken evenly.
fn sample(members: &[u32], sets: &Sets) -> Result<Rarity> {
    let (mut elements, mut room) = (Vec::new(), Vec::new());
    for &member in members.iter().step_by(members.len().div_ceil(SAMPLE).max(1)) {
        if elements.len() < SAMPLE_ELEMENTS {
            elements.extend_from_slice(sets.get(member, &mut room)?);
        }
    }
    Ok(Rarity::of(&mut elements))
}

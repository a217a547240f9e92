//! Which documents of large buckets may match, by indexes of the rarest elements of their sets (see
//! [`prefixes`](crate::crowds::prefixes)): a query gives every document that is similar enough, and few others.
//!
//! Large buckets of the same texts (a template wins many bands) share an index, and a document asks it once.

use std::collections::BTreeMap;

use lookalike::{
    Method, Verify,
    lsh::NONE,
    verify::{Measure, Overlap},
};
use lookalike_io::error::Result;
use rayon::prelude::*;

use super::{
    large::{Bucket, Large},
    postings::{Postings, row},
    prefixes::{Common, Lengths, Rarity},
};
use crate::matching::sets::Sets;

/// One in so many of a bucket's documents in an index says that the index is for its texts: of two buckets of one template
/// each has a small share of its texts. If it is not, only the order of the index is a little worse.
const KNOWN: usize = 16;

/// Sets by which an index is put in order, and how many elements these may have: what a multitude of huge texts may cost.
const SAMPLE: usize = 1024;
const SAMPLE_ELEMENTS: usize = 1 << 21;

/// Documents that are entered at a time when an index is made.
const PIECE: usize = 1024;

/// The first elements of a document's set, for each index that it asks.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
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
    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.tags.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The indexes that they are for.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().map(|part| part.index)
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

    /// What the long prefix has besides.
    fn rest(&self, part: &Part) -> &[u32] {
        &self.tags[part.middle as usize..part.end as usize]
    }

    fn long(&self, part: &Part) -> &[u32] {
        &self.tags[part.start as usize..part.end as usize]
    }
}

/// Documents by the first elements of their sets. Of a pair the smaller set's short prefix meets the larger one's long one.
/// What is common is at the end of long prefixes, and its postings are not walked unless the short prefix of the document
/// at hand has it too: so those have postings of their own.
#[derive(Default)]
struct Index {
    rarity: Rarity,
    short: Postings,
    /// Elements of the long prefix that are not in the short one.
    rest: Postings,
    members: Vec<u32>,
}

impl Index {
    fn enter(&mut self, document: u32, prefixes: &Prefixes, part: &Part) -> Result<()> {
        self.members.push(document);
        prefixes.short(part).iter().try_for_each(|&tag| self.short.add(tag, document))?;
        prefixes.rest(part).iter().try_for_each(|&tag| self.rest.add(tag, document))
    }

    /// Appends the members from a number on that share of their prefixes, repeatedly.
    fn find(&self, prefixes: &Prefixes, part: &Part, from: u32, found: &mut Vec<u32>) {
        self.short.find(prefixes.long(part), from, found);
        self.rest.find(prefixes.short(part), from, found);
    }

    fn bytes(&self) -> usize {
        self.rarity.bytes() + self.short.bytes() + self.rest.bytes() + size_of_val(&*self.members)
    }
}

/// Large buckets, and the indexes that some of them have.
pub(crate) struct Indexes {
    large: Large,
    /// By slot; [`NONE`] until there is one.
    index_of: Vec<u32>,
    all: Vec<Index>,
    threshold: f64,
}

impl Indexes {
    /// Whether a method decides by what they lead to: sets compared for resemblance.
    pub(crate) fn serve(method: &Method) -> bool {
        method.verify() == Verify::Exact && method.config().measure == Measure::Resemblance
    }

    /// For resemblances of `threshold` or more.
    pub(crate) fn new(large: Large, threshold: f64) -> Self {
        let slots = large.buckets().len();
        Self { large, index_of: vec![NONE; slots], all: Vec::new(), threshold }
    }

    pub(crate) fn large(&self) -> &Large {
        &self.large
    }

    /// Whether there is any index yet.
    pub(crate) fn any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Whether a large bucket has its index.
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.index_of[slot as usize] != NONE
    }

    /// Bytes of an index.
    pub(crate) fn bytes(&self, index: u32) -> usize {
        self.all[index as usize].bytes()
    }

    /// The indexes that a contender asks, each once, in order.
    fn of_contender(&self, contender: u32, into: &mut Vec<u32>) {
        into.clear();
        into.extend(self.large.slots(contender).iter().map(|&slot| self.index_of[slot as usize]).filter(|&index| index != NONE));
        into.sort_unstable();
        into.dedup();
    }

    /// Whether a contender has to ask an index.
    pub(crate) fn asks(&self, contender: u32) -> bool {
        self.large.slots(contender).iter().any(|&slot| self.has(slot))
    }

    /// The buckets of an index that a contender is in.
    pub(crate) fn buckets_in(&self, contender: u32, index: u32) -> impl Iterator<Item = Bucket> {
        let slots = self.large.slots(contender).iter();
        slots.filter(move |&&slot| self.index_of[slot as usize] == index).map(|&slot| self.large.buckets()[slot as usize])
    }

    /// The prefixes of a contender's set for what it asks. `indexes` is room.
    pub(crate) fn prefixes(&self, contender: u32, set: &[u64], indexes: &mut Vec<u32>, prefixes: &mut Prefixes) {
        self.of_contender(contender, indexes);
        prefixes.clear();
        let lengths = Lengths::of(set.len(), self.threshold);
        for &index in indexes.iter() {
            prefixes.push(index, &self.all[index as usize].rarity, set, lengths);
        }
    }

    /// Fills `found` with the documents that share an indexed bucket with a contender, whose set has `size` elements, and may
    /// match it; ascending. `from` is 0, or a number from which on all were entered in order.
    pub(crate) fn find(
        &self,
        (contender, size): (u32, usize),
        prefixes: &Prefixes,
        from: u32,
        sets: &Sets,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        for part in &prefixes.parts {
            self.all[part.index as usize].find(prefixes, part, from, found);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&other| self.share(contender, other) && self.sizes_fit(size, sets.len(other)));
    }

    /// How many postings [`find`](Self::find) walks of those that were entered all at once.
    pub(crate) fn work(&self, prefixes: &Prefixes, from: u32) -> usize {
        let of_part = |part: &Part| {
            let Index { short, rest, .. } = &self.all[part.index as usize];
            short.count(prefixes.long(part), from) + rest.count(prefixes.short(part), from)
        };
        prefixes.parts.iter().map(of_part).sum()
    }

    fn share(&self, a: u32, b: u32) -> bool {
        self.large.shared(a, b).any(|slot| self.has(slot))
    }

    fn sizes_fit(&self, a: usize, b: usize) -> bool {
        let (a, b) = (a as u64, b as u64);
        Measure::Resemblance.of(Overlap { shared: a.min(b), a, b }) >= self.threshold
    }

    /// The index for the texts of a bucket with these documents, of those that are open; if there is one.
    pub(crate) fn for_texts(&self, members: &[u32], is_open: impl Fn(u32) -> bool) -> Option<u32> {
        let (mut indexes, mut known) = (Vec::new(), BTreeMap::<u32, usize>::new());
        for &member in members {
            self.of_contender(member, &mut indexes);
            indexes.iter().filter(|&&index| is_open(index)).for_each(|&index| *known.entry(index).or_default() += 1);
        }
        let most = known.into_iter().max_by_key(|&(index, known)| (known, std::cmp::Reverse(index)));
        most.filter(|(_, known)| KNOWN * known >= members.len()).map(|(index, _)| index)
    }

    /// Makes another index, empty.
    pub(crate) fn create(&mut self) -> u32 {
        self.all.push(Index::default());
        self.all.len() as u32 - 1
    }

    /// Gives a bucket its index.
    pub(crate) fn give(&mut self, slot: u32, index: u32) {
        self.index_of[slot as usize] = index;
    }

    /// The documents of an index, which has none afterwards: each once, ascending.
    pub(crate) fn take_members(&mut self, index: u32) -> Vec<u32> {
        let mut members = std::mem::take(&mut self.all[index as usize]).members;
        members.sort_unstable();
        members.dedup();
        members
    }

    /// How many postings documents have: those of short prefixes, and all.
    fn postings_of(&self, members: &[u32], sets: &Sets) -> (usize, usize) {
        let lengths = members.iter().map(|&member| Lengths::of(sets.len(member), self.threshold));
        lengths.fold((0, 0), |(short, long), lengths| (short + lengths.short, long + lengths.long))
    }

    /// Bytes of an index that is filled with these documents.
    pub(crate) fn bytes_of(&self, members: &[u32], sets: &Sets) -> usize {
        Postings::bytes_of(self.postings_of(members, sets).1) + size_of_val(members)
    }

    /// Enters documents into an empty index all at once, in the order of elements that the sets of `speaking` say. To be called on
    /// the pool.
    pub(crate) fn fill(&mut self, index: u32, members: &[u32], speaking: &[u32], sets: &Sets) -> Result<()> {
        let rarity = sample(speaking, sets)?;
        let (short, long) = self.postings_of(members, sets);
        let (mut short, mut rest) = (Vec::with_capacity(short), Vec::with_capacity(long - short));
        self.each_prefixes(index, &rarity, members, sets, |member, prefixes, part| {
            short.extend(prefixes.short(part).iter().map(|&tag| row(tag, member)));
            rest.extend(prefixes.rest(part).iter().map(|&tag| row(tag, member)));
            Ok(())
        })?;
        let members = members.to_vec();
        self.all[index as usize] = Index { rarity, short: Postings::of(short)?, rest: Postings::of(rest)?, members };
        Ok(())
    }

    /// Enters some more. To be called on the pool.
    pub(crate) fn enter_all(&mut self, index: u32, members: &[u32], sets: &Sets) -> Result<()> {
        let mut entered = std::mem::take(&mut self.all[index as usize]);
        let rarity = std::mem::take(&mut entered.rarity);
        self.each_prefixes(index, &rarity, members, sets, |member, prefixes, part| entered.enter(member, prefixes, part))?;
        self.all[index as usize] = Index { rarity, ..entered };
        Ok(())
    }

    /// Enters a document with its prefixes wherever they are for.
    pub(crate) fn enter(&mut self, document: u32, prefixes: &Prefixes) -> Result<()> {
        prefixes.parts.iter().try_for_each(|part| self.all[part.index as usize].enter(document, prefixes, part))
    }

    /// Gives documents' prefixes, in an order that is not yet an index's, one after the other.
    fn each_prefixes(
        &self,
        index: u32,
        rarity: &Rarity,
        members: &[u32],
        sets: &Sets,
        mut give: impl FnMut(u32, &Prefixes, &Part) -> Result<()>,
    ) -> Result<()> {
        let mut made: Vec<Prefixes> = Vec::new();
        for piece in members.chunks(PIECE) {
            made.resize_with(made.len().max(piece.len()), Prefixes::default);
            let make = |room: &mut Vec<u64>, (&member, prefixes): (&u32, &mut Prefixes)| -> Result<()> {
                prefixes.clear();
                let set = sets.get(member, room)?;
                prefixes.push(index, rarity, set, Lengths::of(set.len(), self.threshold));
                Ok(())
            };
            piece.par_iter().zip(&mut made).map_init(Vec::new, |room, row| make(room, row)).collect::<Result<()>>()?;
            piece.iter().zip(&made).try_for_each(|(&member, prefixes)| give(member, prefixes, &prefixes.parts[0]))?;
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

//! Finds the documents of large buckets that may match a given document. It uses indexes of the rarest elements of each set (see
//! [`prefixes`](crate::crowds::prefixes)). A query returns every document whose similarity reaches the threshold, and few other
//! documents.
//!
//! Large buckets that hold the same texts share an index, because texts made from one template often share the buckets of many
//! bands. A document queries each index only once.

use std::collections::BTreeMap;

use lookalike::{
    Method, Verify,
    lsh::NONE,
    verify::{Measure, Overlap},
};
use lookalike_io::{error::Result, pool::try_par_map_init};

use super::{
    large::{Bucket, Large},
    postings::{Postings, row},
    prefixes::{Common, Lengths, Rarity},
};
use crate::matching::sets::Sets;

/// An index suits the texts of a bucket if it contains at least a share of 1 / `KNOWN` of the bucket's documents. A higher share
/// is not required: each of two buckets may hold only a small share of the texts made from one template, so the two buckets may
/// have few documents in common. If an index is wrongly taken to suit the texts, the only harm is that its order of elements is a
/// little worse.
const KNOWN: usize = 16;

/// The maximum number of sets from which an index's order of elements is derived, and the maximum total number of elements in
/// these sets. Without these limits, many huge texts would be expensive.
const SAMPLE: usize = 1024;
const SAMPLE_ELEMENTS: usize = 1 << 21;

/// The number of documents that are entered at a time when an index is built.
const PIECE: usize = 1024;

/// The first elements of a document's set, for each index that the document queries.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    parts: Vec<Part>,
    tags: Vec<u32>,
    common: Common,
}

/// A document's prefixes in one index, as positions in the list of tags (shortened hashes of elements): the start of both
/// prefixes, the end of the short prefix, and the end of the long prefix.
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

    /// Returns the indexes that these prefixes belong to.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().map(|part| part.index)
    }

    fn push(&mut self, index: u32, rarity: &Rarity, set: &[u64], lengths: Lengths) {
        let start = self.tags.len();
        rarity.prefix(set, lengths, &mut self.common, &mut self.tags);
        let [start, middle, end] =
            [start, start + lengths.short, self.tags.len()].map(|at| at as u32);
        self.parts.push(Part {
            index,
            start,
            middle,
            end,
        });
    }

    fn short(&self, part: &Part) -> &[u32] {
        &self.tags[part.start as usize..part.middle as usize]
    }

    /// Returns the tags of the long prefix that are not in the short prefix.
    fn rest(&self, part: &Part) -> &[u32] {
        &self.tags[part.middle as usize..part.end as usize]
    }

    fn long(&self, part: &Part) -> &[u32] {
        &self.tags[part.start as usize..part.end as usize]
    }
}

/// An index from the first elements of sets to documents. In each pair, the smaller set's short prefix is matched against the
/// larger set's long prefix. Common elements are at the end of long prefixes. The postings of a common element are walked only if
/// this element is in the query document's short prefix, so these postings are stored separately.
#[derive(Default)]
struct Index {
    rarity: Rarity,
    short: Postings,
    /// Elements of the long prefix that are not in the short prefix.
    rest: Postings,
    members: Vec<u32>,
}

impl Index {
    fn enter(&mut self, document: u32, prefixes: &Prefixes, part: &Part) -> Result<()> {
        self.members.push(document);
        prefixes
            .short(part)
            .iter()
            .try_for_each(|&tag| self.short.add(tag, document))?;
        prefixes
            .rest(part)
            .iter()
            .try_for_each(|&tag| self.rest.add(tag, document))
    }

    /// Appends to `found` the documents numbered `from` or higher whose prefixes share an element with these prefixes; the same
    /// document may be appended several times.
    fn find(&self, prefixes: &Prefixes, part: &Part, from: u32, found: &mut Vec<u32>) {
        self.short.find(prefixes.long(part), from, found);
        self.rest.find(prefixes.short(part), from, found);
    }

    fn bytes(&self) -> usize {
        self.rarity.bytes() + self.short.bytes() + self.rest.bytes() + size_of_val(&*self.members)
    }
}

/// Large buckets, and the indexes of those large buckets that have one.
pub(crate) struct Indexes {
    large: Large,
    /// The index of each slot (the number of a large bucket); [`NONE`] for a slot without an index.
    index_of: Vec<u32>,
    all: Vec<Index>,
    threshold: f64,
}

impl Indexes {
    /// Returns whether indexes can be used with a method. Indexes find sets by their resemblance, so a method can use indexes
    /// only if it counts resemblance.
    pub(crate) fn serve(method: &Method) -> bool {
        method.verify() == Verify::Exact && method.config().measure == Measure::Resemblance
    }

    /// Creates indexes that find pairs of documents whose resemblance is at least `threshold`.
    pub(crate) fn new(large: Large, threshold: f64) -> Self {
        let slots = large.buckets().len();
        Self {
            large,
            index_of: vec![NONE; slots],
            all: Vec::new(),
            threshold,
        }
    }

    pub(crate) fn large(&self) -> &Large {
        &self.large
    }

    /// Returns whether there is any index yet.
    pub(crate) fn any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Returns whether a large bucket has an index.
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.index_of[slot as usize] != NONE
    }

    /// Returns the size of an index in bytes.
    pub(crate) fn bytes(&self, index: u32) -> usize {
        self.all[index as usize].bytes()
    }

    /// Collects the indexes that a contender (a document that has to be compared) has to query, each once, in order.
    fn of_contender(&self, contender: u32, into: &mut Vec<u32>) {
        into.clear();
        into.extend(
            self.large
                .slots(contender)
                .iter()
                .map(|&slot| self.index_of[slot as usize])
                .filter(|&index| index != NONE),
        );
        into.sort_unstable();
        into.dedup();
    }

    /// Returns whether a contender has to query an index.
    pub(crate) fn asks(&self, contender: u32) -> bool {
        self.large
            .slots(contender)
            .iter()
            .any(|&slot| self.has(slot))
    }

    /// Returns those buckets of an index that contain a contender.
    pub(crate) fn buckets_in(&self, contender: u32, index: u32) -> impl Iterator<Item = Bucket> {
        let slots = self.large.slots(contender).iter();
        slots
            .filter(move |&&slot| self.index_of[slot as usize] == index)
            .map(|&slot| self.large.buckets()[slot as usize])
    }

    /// Computes the prefixes of a contender's set for the indexes that it queries. `indexes` is a scratch buffer.
    pub(crate) fn prefixes(
        &self,
        contender: u32,
        set: &[u64],
        indexes: &mut Vec<u32>,
        prefixes: &mut Prefixes,
    ) {
        self.of_contender(contender, indexes);
        prefixes.clear();
        let lengths = Lengths::of(set.len(), self.threshold);
        for &index in indexes.iter() {
            prefixes.push(index, &self.all[index as usize].rarity, set, lengths);
        }
    }

    /// Fills `found` with the documents that share an indexed bucket with a contender and may match it, in ascending order. The
    /// contender's set has `size` elements. If `from` is not 0, all documents numbered `from` or higher must have been entered in
    /// ascending order.
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
        found
            .retain(|&other| self.share(contender, other) && self.sizes_fit(size, sets.len(other)));
    }

    /// Returns how many postings [`find`](Self::find) walks. Only postings that were entered in bulk are counted.
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
        Measure::Resemblance.of(Overlap {
            shared: a.min(b),
            a,
            b,
        }) >= self.threshold
    }

    /// Given the documents of a bucket, returns an index that suits their texts and for which `is_open` returns true. Returns
    /// `None` if there is no such index.
    pub(crate) fn for_texts(&self, members: &[u32], is_open: impl Fn(u32) -> bool) -> Option<u32> {
        let (mut indexes, mut known) = (Vec::new(), BTreeMap::<u32, usize>::new());
        for &member in members {
            self.of_contender(member, &mut indexes);
            indexes
                .iter()
                .filter(|&&index| is_open(index))
                .for_each(|&index| *known.entry(index).or_default() += 1);
        }
        let most = known
            .into_iter()
            .max_by_key(|&(index, known)| (known, std::cmp::Reverse(index)));
        most.filter(|(_, known)| KNOWN * known >= members.len())
            .map(|(index, _)| index)
    }

    /// Creates another, empty index.
    pub(crate) fn create(&mut self) -> u32 {
        self.all.push(Index::default());
        self.all.len() as u32 - 1
    }

    /// Assigns an index to a bucket.
    pub(crate) fn give(&mut self, slot: u32, index: u32) {
        self.index_of[slot as usize] = index;
    }

    /// Takes the documents out of an index, each once, in ascending order. The index is empty afterwards.
    pub(crate) fn take_members(&mut self, index: u32) -> Vec<u32> {
        let mut members = std::mem::take(&mut self.all[index as usize]).members;
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Returns the number of postings in these documents' short prefixes, and the number in their long prefixes.
    fn postings_of(&self, members: &[u32], sets: &Sets) -> (usize, usize) {
        let lengths = members
            .iter()
            .map(|&member| Lengths::of(sets.len(member), self.threshold));
        lengths.fold((0, 0), |(short, long), lengths| {
            (short + lengths.short, long + lengths.long)
        })
    }

    /// Returns the size in bytes of an index that contains exactly these documents.
    pub(crate) fn bytes_of(&self, members: &[u32], sets: &Sets) -> usize {
        Postings::bytes_of(self.postings_of(members, sets).1) + size_of_val(members)
    }

    /// Enters documents into an empty index in bulk. The sets of the documents in `speaking` determine the order of elements.
    /// Call this on the thread pool.
    pub(crate) fn fill(
        &mut self,
        index: u32,
        members: &[u32],
        speaking: &[u32],
        sets: &Sets,
    ) -> Result<()> {
        let rarity = sample(speaking, sets)?;
        let (short, long) = self.postings_of(members, sets);
        let (mut short, mut rest) = (Vec::with_capacity(short), Vec::with_capacity(long - short));
        self.each_prefixes(index, &rarity, members, sets, |member, prefixes, part| {
            short.extend(prefixes.short(part).iter().map(|&tag| row(tag, member)));
            rest.extend(prefixes.rest(part).iter().map(|&tag| row(tag, member)));
            Ok(())
        })?;
        let members = members.to_vec();
        self.all[index as usize] = Index {
            rarity,
            short: Postings::of(short)?,
            rest: Postings::of(rest)?,
            members,
        };
        Ok(())
    }

    /// Enters more documents. Call this on the thread pool.
    pub(crate) fn enter_all(&mut self, index: u32, members: &[u32], sets: &Sets) -> Result<()> {
        let mut entered = std::mem::take(&mut self.all[index as usize]);
        let rarity = std::mem::take(&mut entered.rarity);
        self.each_prefixes(index, &rarity, members, sets, |member, prefixes, part| {
            entered.enter(member, prefixes, part)
        })?;
        self.all[index as usize] = Index { rarity, ..entered };
        Ok(())
    }

    /// Enters a document into every index that it has prefixes for.
    pub(crate) fn enter(&mut self, document: u32, prefixes: &Prefixes) -> Result<()> {
        prefixes
            .parts
            .iter()
            .try_for_each(|part| self.all[part.index as usize].enter(document, prefixes, part))
    }

    /// Computes the documents' prefixes and passes them to `give`, one document after the other. The prefixes follow the given
    /// order of elements, which may differ from the index's current order.
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
            let make = |scratch: &mut Vec<u64>,
                        (&member, prefixes): (&u32, &mut Prefixes)|
             -> Result<()> {
                prefixes.clear();
                let set = sets.get(member, scratch)?;
                prefixes.push(index, rarity, set, Lengths::of(set.len(), self.threshold));
                Ok(())
            };
            try_par_map_init(piece.iter().zip(&mut made), Vec::new, make)?;
            piece
                .iter()
                .zip(&made)
                .try_for_each(|(&member, prefixes)| give(member, prefixes, &prefixes.parts[0]))?;
        }
        Ok(())
    }
}

/// Derives the order of elements from the sets of some of these documents, which are sampled evenly.
fn sample(members: &[u32], sets: &Sets) -> Result<Rarity> {
    let (mut elements, mut scratch) = (Vec::new(), Vec::new());
    for &member in members
        .iter()
        .step_by(members.len().div_ceil(SAMPLE).max(1))
    {
        if elements.len() < SAMPLE_ELEMENTS {
            elements.extend_from_slice(sets.get(member, &mut scratch)?);
        }
    }
    Ok(Rarity::of(&mut elements))
}

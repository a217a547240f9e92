//! All documents, by their numbers.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::{Arc, Mutex},
};

use lookalike::{
    Method, Scratch, Verify,
    fingerprint::{Digest, Lookup},
};

use super::{
    chains::Chains,
    found::Ahead,
    mates::Mates,
    memory::Memory,
    new::{Sketched, set_from_bytes},
    sets::Sets,
    store::Store,
};
use crate::{
    error::{Error, Result},
    id::{self, Id},
    law::{Place, Verdict},
    segment::{Bits, Buffers, Segment, Shape, Trained},
};

/// A segment, with what changed since it was written.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) segment: Arc<Segment>,
    /// The documents that were not removed.
    pub(crate) live: Bits,
    /// The documents that are kept now.
    pub(crate) kept: Bits,
}

impl Open {
    /// Returns a segment that did not change.
    pub(crate) fn new(segment: Arc<Segment>) -> Self {
        Self {
            live: segment.present().bits().clone(),
            kept: segment.kept().clone(),
            segment,
        }
    }
}

/// What changes in segments while they are merged.
#[derive(Debug)]
pub(super) struct Watched {
    /// The numbers of their documents.
    pub(super) numbers: Range<u64>,
    /// Documents that were removed, whose decisions changed, or that were posted.
    pub(super) changed: BTreeSet<u64>,
}

/// The documents of an index with their decisions.
///
/// Documents are numbered in input order. One document of each class of copies is *posted*: it is found by its keys, on behalf of
/// the whole class. Usually it is the first copy.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) method: Method,
    pub(crate) store: Store,
    pub(crate) shape: Shape,
    /// In the order of their documents' numbers.
    pub(crate) segments: Vec<Open>,
    pub(crate) memory: Memory,
    /// Decisions about documents in segments that are not those with which the segments were written.
    pub(crate) verdicts: BTreeMap<u64, Verdict>,
    /// For posted documents that are not the first copies of their classes, these first copies.
    pub(crate) firsts: BTreeMap<u64, u64>,
    /// Documents in segments that were posted after their segments were written.
    pub(crate) late: BTreeSet<u64>,
    /// Postings in memory: of posted documents whose first copies are or were kept, and of those whose first copies are or were
    /// dropped. They are of documents in memory, and of documents in segments whose postings there are missing, or say otherwise.
    pub(crate) leading: Chains,
    pub(crate) following: Chains,
    pub(crate) in_leading: Lookup<u64, ()>,
    pub(crate) in_following: Lookup<u64, ()>,
    /// The posted documents of the classes of documents in memory.
    pub(crate) posted: Lookup<Digest, u64>,
    /// The same for large classes in segments that were searched for: without this, a decision about each document of a class would
    /// search for all of them.
    pub(super) large: Mutex<Lookup<Digest, u64>>,
    /// See [`Content::last_decided`](crate::law::Content::last_decided).
    pub(crate) last_decided: Option<Place>,
    pub(crate) ahead: Ahead,
    /// While a large change is decided: its documents that share keys, and those whose postings are not made yet, first those that do not
    /// lead.
    pub(super) mates: Option<Mates>,
    pub(super) unchained: [Vec<u64>; 2],
    /// The last dictionary of a segment.
    pub(crate) trained: Arc<Trained>,
    /// If segments are being merged, what changes meanwhile.
    pub(super) watched: Option<Watched>,
    pub(super) sets: Sets,
}

/// The size of the cache of shingle sets in bytes.
const CACHE: usize = 64 << 20;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Lends this thread's buffers. They must not be in use.
pub(super) fn with_buffers<T>(work: impl FnOnce(&mut Buffers) -> T) -> T {
    BUFFERS.with(|buffers| match buffers.try_borrow_mut() {
        Ok(mut buffers) => work(&mut buffers),
        Err(_) => work(&mut Buffers::default()),
    })
}

impl State {
    /// Returns an empty collection.
    pub(crate) fn new(method: Method, store: Store) -> Self {
        let shape = Shape {
            bands: method.columns(),
            stride: method.stride(),
            stores_keys: store != Store::Texts,
        };
        let chains = || Chains::new(shape.bands);
        Self {
            memory: Memory::new(0, shape.bands, shape.stride),
            leading: chains(),
            following: chains(),
            method,
            store,
            shape,
            segments: Vec::new(),
            verdicts: BTreeMap::new(),
            firsts: BTreeMap::new(),
            late: BTreeSet::new(),
            in_leading: Lookup::default(),
            in_following: Lookup::default(),
            posted: Lookup::default(),
            large: Mutex::default(),
            last_decided: None,
            ahead: Ahead::default(),
            mates: None,
            unchained: Default::default(),
            trained: Arc::default(),
            watched: None,
            sets: Sets::new(CACHE),
        }
    }

    /// Sets the number of the next document, if there are none in memory.
    pub(crate) fn start_at(&mut self, next: u64) {
        self.memory.begin_at(next);
        // No key is smaller than 0, so no document comes later.
        self.last_decided = next.checked_sub(1).map(|last| Place::new(0, last));
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> u64 {
        let in_segments: u64 = self.segments.iter().map(|open| open.live.count()).sum();
        in_segments + self.memory.all().iter().filter(|held| !held.gone).count() as u64
    }

    /// Returns the numbers of all documents, in input order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.numbers_from(0)
    }

    /// Returns the numbers of the documents that are not below `first`, in input order.
    pub(crate) fn numbers_from(&self, first: u64) -> impl Iterator<Item = u64> + '_ {
        let in_segments = self.segments.iter().flat_map(move |open| {
            let base = open.segment.head.base;
            let live = open.live.iter_from(first.saturating_sub(base));
            live.map(move |offset| base + offset)
        });
        let begin = first.saturating_sub(self.memory.base) as usize;
        let in_memory = (self.memory.base..).zip(self.memory.all()).skip(begin);
        in_segments.chain(
            in_memory
                .filter(|(_, held)| !held.gone)
                .map(|(number, _)| number),
        )
    }

    /// Returns the segment that contains a document, and the document's offset in it; none if the document is not in a segment or was
    /// removed.
    pub(crate) fn in_segment(&self, number: u64) -> Option<(&Open, u64)> {
        let at = self
            .segments
            .partition_point(|open| open.segment.head.base <= number);
        let open = self.segments.get(at.checked_sub(1)?)?;
        let offset = number - open.segment.head.base;
        open.live.contains(offset).then_some((open, offset))
    }

    pub(crate) fn in_segment_mut(&mut self, number: u64) -> Option<(&mut Open, u64)> {
        let at = self
            .segments
            .partition_point(|open| open.segment.head.base <= number);
        let open = self.segments.get_mut(at.checked_sub(1)?)?;
        let offset = number - open.segment.head.base;
        open.live.contains(offset).then_some((open, offset))
    }

    /// Returns an error: a document that another part of the index refers to is missing.
    pub(crate) fn missing(number: u64) -> Error {
        Error::Damaged(format!("document {number} of the index is missing"))
    }

    pub(crate) fn is_live(&self, number: u64) -> bool {
        self.memory.get(number).is_some() || self.in_segment(number).is_some()
    }

    /// Returns the place of a document in keep order.
    pub(crate) fn place(&self, number: u64) -> Result<Place> {
        let key = match self.memory.get(number) {
            Some(held) => held.key,
            None => {
                let (open, offset) = self
                    .in_segment(number)
                    .ok_or_else(|| Self::missing(number))?;
                if open.segment.has_keys() {
                    with_buffers(|buffers| open.segment.key(offset, buffers))?
                } else {
                    0
                }
            }
        };
        Ok(Place::new(key, number))
    }

    pub(crate) fn id(&self, number: u64) -> Result<Id> {
        if let Some(held) = self.memory.get(number) {
            return Ok(held.id.clone());
        }
        let (open, offset) = self
            .in_segment(number)
            .ok_or_else(|| Self::missing(number))?;
        let id = with_buffers(|buffers| open.segment.id(offset, buffers).map(Id::from_bytes))?;
        id.ok_or_else(|| Error::Damaged(format!("the id of document {number} is invalid")))
    }

    pub(crate) fn digest(&self, number: u64) -> Result<Digest> {
        if let Some(held) = self.memory.get(number) {
            return Ok(held.digest);
        }
        let (open, offset) = self
            .in_segment(number)
            .ok_or_else(|| Self::missing(number))?;
        with_buffers(|buffers| open.segment.digest(offset, buffers))
    }

    pub(crate) fn is_without_text(&self, number: u64) -> bool {
        match self.memory.get(number) {
            Some(held) => held.empty,
            None => self
                .in_segment(number)
                .is_none_or(|(open, offset)| open.segment.empty().contains(offset)),
        }
    }

    pub(crate) fn is_kept(&self, number: u64) -> bool {
        match self.memory.get(number) {
            Some(held) => held.verdict == Some(Verdict::Kept),
            None => self
                .in_segment(number)
                .is_some_and(|(open, offset)| open.kept.contains(offset)),
        }
    }

    pub(crate) fn verdict_of(&self, number: u64) -> Result<Option<Verdict>> {
        if let Some(held) = self.memory.get(number) {
            return Ok(held.verdict);
        }
        let Some((open, offset)) = self.in_segment(number) else {
            return Ok(None);
        };
        if open.kept.contains(offset) {
            return Ok(Some(Verdict::Kept));
        }
        if let Some(&changed) = self.verdicts.get(&number) {
            return Ok(Some(changed));
        }
        let stored = with_buffers(|buffers| open.segment.verdict(offset, buffers))?;
        Ok(Some(match stored {
            Some((representative, similarity)) => Verdict::Dropped {
                representative,
                similarity,
            },
            None => Verdict::Kept,
        }))
    }

    /// Calls `use_sketch` with the fixed-size sketch of a document.
    pub(crate) fn with_sketch<T>(
        &self,
        number: u64,
        use_sketch: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        if self.memory.get(number).is_some() {
            return Ok(use_sketch(self.memory.sketch(number)));
        }
        let (open, offset) = self
            .in_segment(number)
            .ok_or_else(|| Self::missing(number))?;
        with_buffers(|buffers| open.segment.sketch(offset, buffers).map(use_sketch))
    }

    /// Calls `use_payload` with what is stored of the text of a document.
    pub(crate) fn with_payload<T>(
        &self,
        number: u64,
        use_payload: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        if let Some(held) = self.memory.get(number) {
            return Ok(use_payload(&held.payload));
        }
        let (open, offset) = self
            .in_segment(number)
            .ok_or_else(|| Self::missing(number))?;
        with_buffers(|buffers| open.segment.payload(offset, buffers, use_payload))
    }

    /// Returns the text of a document of an index that stores texts.
    pub(crate) fn text(&self, number: u64) -> Result<String> {
        self.with_payload(number, |text| String::from_utf8_lossy(text).into_owned())
    }

    /// Adds the keys of a document to `keys`.
    pub(crate) fn keys(&self, number: u64, keys: &mut Vec<u32>) -> Result<()> {
        if self.memory.get(number).is_some() {
            keys.extend(self.memory.keys(number));
            return Ok(());
        }
        let (open, offset) = self
            .in_segment(number)
            .ok_or_else(|| Self::missing(number))?;
        if self.shape.stores_keys {
            return with_buffers(|buffers| open.segment.band_keys(offset, buffers, keys));
        }
        let text = |text: &[u8]| {
            SCRATCH.with_borrow_mut(|scratch| {
                self.method.sketch(&*String::from_utf8_lossy(text), scratch);
                keys.extend(&scratch.keys);
            });
        };
        with_buffers(|buffers| open.segment.payload(offset, buffers, text))
    }

    /// Returns the shingle set of a document.
    pub(crate) fn set(&self, number: u64) -> Result<Arc<[u64]>> {
        if let Some(set) = self.sets.get(number) {
            return Ok(set);
        }
        let set = self.with_payload(number, |payload| self.set_of_payload(payload))?;
        self.sets.insert(number, set.clone());
        Ok(set)
    }

    /// Returns the shingle set of a document that is added next, under this number.
    pub(super) fn remembered_set(&self, number: u64, new: &Sketched) -> Arc<[u64]> {
        if let Some(set) = self.sets.get(number) {
            return set;
        }
        let set = self.set_of_payload(&new.payload);
        self.sets.insert(number, set.clone());
        set
    }

    fn set_of_payload(&self, payload: &[u8]) -> Arc<[u64]> {
        match self.store {
            Store::Texts => self.set_of(&String::from_utf8_lossy(payload)),
            Store::Sets | Store::Sketches => set_from_bytes(payload).into(),
        }
    }

    /// Returns the shingle set of a text.
    pub(crate) fn set_of(&self, text: &str) -> Arc<[u64]> {
        SCRATCH.with_borrow_mut(|scratch| {
            self.method.set(text, scratch);
            scratch.fingerprints[..].into()
        })
    }

    /// Returns the document with an id.
    pub(crate) fn with_id(&self, id: &Id) -> Result<Option<u64>> {
        if let Some(number) = self.memory.with_id(id) {
            return Ok(Some(number));
        }
        let wanted = id.to_bytes();
        let mut found = Vec::new();
        for open in &self.segments {
            found.clear();
            let postings = open.segment.postings(self.shape.ids())?;
            with_buffers(|buffers| {
                postings.find(id::hash(&wanted), false, &mut buffers.blocks, &mut found)
            })?;
            for &offset in &found {
                let offset = u64::from(offset);
                if open.live.contains(offset)
                    && with_buffers(|buffers| {
                        Ok::<_, Error>(open.segment.id(offset, buffers)? == wanted)
                    })?
                {
                    return Ok(Some(open.segment.head.base + offset));
                }
            }
        }
        Ok(None)
    }

    /// Returns all documents with a digest, in any order. Documents without text have none.
    pub(crate) fn with_digest(&self, digest: Digest) -> Result<Vec<u64>> {
        let mut all: Vec<u64> = self.memory.with_digest(digest).collect();
        let mut found = Vec::new();
        for open in &self.segments {
            self.with_hash(open, digest, &mut found)?;
            for &offset in &found {
                let offset = u64::from(offset);
                if open.live.contains(offset)
                    && with_buffers(|buffers| {
                        Ok::<_, Error>(open.segment.digest(offset, buffers)? == digest)
                    })?
                {
                    all.push(open.segment.head.base + offset);
                }
            }
        }
        Ok(all)
    }

    /// Finds the documents of a segment whose digests have the same low half, removed ones included.
    pub(super) fn with_hash(
        &self,
        open: &Open,
        digest: Digest,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        found.clear();
        let postings = open.segment.postings(self.shape.digests())?;
        with_buffers(|buffers| postings.find(digest as u32, false, &mut buffers.blocks, found))
    }

    /// Returns the similarity of two documents that share a key, if it reaches the threshold. Without verification, it is 1.
    pub(crate) fn similarity(
        &self,
        bits: &[u8],
        set: &mut dyn FnMut() -> Result<Arc<[u64]>>,
        other: u64,
    ) -> Result<Option<f64>> {
        let estimate = self.with_sketch(other, |sketch| {
            self.method
                .agree(bits, sketch)
                .then(|| match self.method.verify() {
                    Verify::Sketch => self.method.estimate(bits, sketch),
                    Verify::Exact | Verify::None => 1.0,
                })
        })?;
        let Some(estimate) = estimate else {
            return Ok(None);
        };
        Ok(match self.method.verify() {
            Verify::None => Some(estimate),
            Verify::Sketch => Some(estimate).filter(|&estimate| estimate >= self.method.least()),
            Verify::Exact => {
                let measure = self.method.config().measure;
                let overlap =
                    measure.at_least(&set()?, &self.set(other)?, self.method.config().threshold);
                overlap.map(|overlap| measure.of(overlap))
            }
        })
    }
}

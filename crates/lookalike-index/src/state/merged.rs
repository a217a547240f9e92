//! Segments as the source of a merged one.

use std::{collections::BTreeMap, ops::Range, path::Path};

use super::documents::{Open, State};
use crate::{
    error::Result,
    law::Verdict,
    segment::{
        self, Bits, Buffers, Documents, FOLLOWS, LastRead, PARTS, Part, Posting, Postings, Ranked,
        Segment, Shape, Source, Unfinished,
    },
};

/// Segments that follow each other, as they were at one moment. The index can change while they are merged.
#[derive(Debug)]
pub(crate) struct Merged {
    shape: Shape,
    opens: Vec<Open>,
    /// The documents of each segment that the merged segment contains.
    live: Vec<Bits>,
    numbering: Numbering,
    /// The numbers of the documents of the merged segment.
    numbers: Range<u64>,
    /// Documents that were posted after their segments were written, with their keys.
    pub(super) late: BTreeMap<u64, Vec<u32>>,
    /// Decisions that changed after the segments were written.
    pub(super) verdicts: BTreeMap<u64, Verdict>,
    documents: Documents,
}

impl Merged {
    /// Copies what can change. Documents keep their numbers. Cost: some bits for each document; and each changed document is read.
    pub(super) fn of(state: &State, segments: Range<usize>) -> Result<Self> {
        let (opens, numbers) = (
            state.segments[segments.clone()].to_vec(),
            state.span(segments),
        );
        let numbering = Numbering::new(&opens, None);
        Self::with(state, opens, numbering, numbers.clone(), numbers)
    }

    /// Copies all segments. Documents are numbered from 0, and those that get one of these numbers are in the merged segment.
    pub(super) fn numbered(state: &State, numbers: Range<u64>) -> Result<Self> {
        let opens = state.segments.to_vec();
        let numbering = Numbering::new(&opens, Some(&state.firsts));
        Self::with(
            state,
            opens,
            numbering,
            state.span(0..state.segments.len()),
            numbers,
        )
    }

    /// `old` are the numbers of the documents of all segments.
    fn with(
        state: &State,
        opens: Vec<Open>,
        numbering: Numbering,
        old: Range<u64>,
        numbers: Range<u64>,
    ) -> Result<Self> {
        let mut documents = Documents::new(numbers.end - numbers.start);
        let mut all_live = Vec::with_capacity(opens.len());
        for (at, open) in opens.iter().enumerate() {
            let mut live = open.live.clone();
            for offset in open.live.iter() {
                let number = open.segment.head.base + offset;
                let new = numbering.number_in(at, offset);
                if numbers.contains(&new) {
                    let new = new - numbers.start;
                    documents.present.insert(new);
                    if open.kept.contains(offset) {
                        documents.kept.insert(new);
                    }
                    if open.segment.empty().contains(offset) {
                        documents.empty.insert(new);
                    }
                } else {
                    live.remove(offset);
                }
                if open.segment.posted().contains(offset)
                    || !state.late.is_empty() && state.late.contains(&number)
                {
                    let new = numbering.posted(at, offset);
                    if numbers.contains(&new) {
                        documents.posted.insert(new - numbers.start);
                        if state.is_kept(state.first_of_posted(number)) {
                            documents.leading.insert(new - numbers.start);
                        }
                    }
                }
            }
            all_live.push(live);
        }
        let mut late = BTreeMap::new();
        for &number in state.late.range(old.clone()) {
            let mut keys = Vec::new();
            state.keys(number, &mut keys)?;
            late.insert(number, keys);
        }
        let verdicts = state
            .verdicts
            .range(old)
            .map(|(&number, &verdict)| (number, verdict))
            .collect();
        let (shape, live) = (state.shape, all_live);
        Ok(Self {
            shape,
            opens,
            live,
            numbering,
            numbers,
            late,
            verdicts,
            documents,
        })
    }

    /// Writes the merged segment in a file of a folder, and syncs it. Returns none if all documents were removed.
    pub(crate) fn write(&self, folder: &Path, unfinished: &str) -> Result<Option<Unfinished>> {
        match self.documents.present.count() {
            0 => Ok(None),
            _ => segment::write(folder, unfinished, self.shape, self).map(Some),
        }
    }

    /// Returns the decision about a document that was dropped.
    fn verdict(
        &self,
        open: &Open,
        offset: u64,
        buffers: &mut Buffers,
    ) -> Result<Option<(u64, f64)>> {
        match self.verdicts.get(&(open.segment.head.base + offset)) {
            Some(&Verdict::Dropped {
                representative,
                similarity,
            }) => Ok(Some((representative, similarity))),
            _ => open.segment.verdict(offset, buffers),
        }
    }
}

impl Source for Merged {
    fn base(&self) -> u64 {
        self.numbers.start
    }

    fn documents(&self) -> &Documents {
        &self.documents
    }

    fn each(&self, part: Part, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut buffers = Buffers::default();
        for (open, live) in self.opens.iter().zip(&self.live) {
            if part != Part::Verdict {
                open.segment.each(part, live, &mut |_, value| each(value))?;
                continue;
            }
            for offset in live.iter().filter(|&offset| !open.kept.contains(offset)) {
                if let Some((representative, similarity)) =
                    self.verdict(open, offset, &mut buffers)?
                {
                    each(&segment::verdict_bytes(
                        self.numbering.number(representative),
                        similarity,
                    ))?;
                }
            }
        }
        Ok(())
    }

    fn copied(&self) -> Option<Vec<(&Segment, &Bits)>> {
        let parts: usize = self
            .opens
            .iter()
            .map(|open| open.segment.head.texts.len())
            .sum();
        // Copies include the texts of removed documents.
        let written: u64 = self
            .opens
            .iter()
            .map(|open| open.segment.head.documents)
            .sum();
        let is_copied = self.numbering.new.is_none()
            && parts <= PARTS
            && self.documents.present.count() >= written - written / 4;
        is_copied.then(|| {
            self.opens
                .iter()
                .zip(&self.live)
                .map(|(open, live)| (&*open.segment, live))
                .collect()
        })
    }

    fn dictionary(&self) -> Result<Vec<u8>> {
        let all = self
            .opens
            .iter()
            .zip(&self.live)
            .flat_map(|(open, live)| live.iter().map(move |offset| (open, offset)));
        let mut buffers = Buffers::default();
        let sampled = all.step_by(segment::distance(self.documents.present.count()));
        let mut sample = |(open, offset): (&Open, u64)| {
            open.segment
                .payload(offset, &mut buffers, |text| segment::sample(text).to_vec())
        };
        Ok(segment::dictionary(
            &sampled.map(&mut sample).collect::<Result<Vec<_>>>()?,
        ))
    }

    fn postings(
        &self,
        column: usize,
        each: &mut dyn FnMut(&[Posting]) -> Result<()>,
    ) -> Result<()> {
        let is_band = column < self.shape.bands;
        let document = |at: usize, offset: u64| {
            let number = if is_band {
                self.numbering.posted(at, offset)
            } else {
                self.numbering.number_in(at, offset)
            };
            let new = self
                .numbers
                .contains(&number)
                .then(|| number - self.numbers.start)?;
            let follows = is_band && !self.documents.leading.contains(new);
            Some(new as u32 | if follows { FOLLOWS } else { 0 })
        };
        let mut lists = Vec::with_capacity(self.opens.len() + 1);
        let mut late: Vec<Posting> = Vec::new();
        for (&number, keys) in self.late.iter().filter(|_| is_band) {
            if let (Some(&key), Some((at, offset))) =
                (keys.get(column), self.numbering.segment(number))
                && let Some(document) = document(at, offset)
            {
                late.push((key, document));
            }
        }
        late.sort_unstable();
        lists.push(List {
            waiting: late,
            ..List::default()
        });
        for (at, open) in self.opens.iter().enumerate() {
            lists.push(List {
                source: Some((at, open, open.segment.postings(column)?)),
                ..List::default()
            });
        }
        in_order(lists, document, each)
    }
}

/// The postings of a segment that are not merged yet.
#[derive(Default)]
struct List<'a> {
    source: Option<(usize, &'a Open, Postings<'a>)>,
    /// The block that is read next.
    block: usize,
    /// Postings with new numbers, in order, and the next one of them.
    waiting: Vec<Posting>,
    next: usize,
    last_read: LastRead,
}

impl List<'_> {
    /// Returns the next posting.
    #[inline]
    fn peek(&self) -> Option<Posting> {
        self.waiting.get(self.next).copied()
    }

    /// Reads more postings if all that were read are merged.
    fn fill(&mut self, document: impl Fn(usize, u64) -> Option<u32>) -> Result<()> {
        let Some((at, open, postings)) = self.source else {
            return Ok(());
        };
        while self.next == self.waiting.len() && self.block < postings.fences.len() {
            self.waiting.clear();
            self.next = 0;
            self.block = postings.whole_keys(self.block, &mut self.last_read, &mut self.waiting)?;
            self.waiting.retain_mut(|(_, old)| {
                let offset = u64::from(*old & !FOLLOWS);
                let new = open
                    .live
                    .contains(offset)
                    .then(|| document(at, offset))
                    .flatten();
                *old = new.unwrap_or(*old);
                new.is_some()
            });
            // New numbers can have another order, because other documents lead now.
            self.waiting.sort_unstable();
        }
        Ok(())
    }
}

/// Merges lists. Gives the postings to `each` in order, some at a time.
fn in_order(
    mut lists: Vec<List>,
    document: impl Fn(usize, u64) -> Option<u32>,
    each: &mut dyn FnMut(&[Posting]) -> Result<()>,
) -> Result<()> {
    const SOME: usize = 4096;
    let mut merged = Vec::with_capacity(SOME);
    lists.iter_mut().try_for_each(|list| list.fill(&document))?;
    while let Some((posting, at)) = lists
        .iter()
        .enumerate()
        .filter_map(|(at, list)| Some((list.peek()?, at)))
        .min()
    {
        merged.push(posting);
        if merged.len() == SOME {
            each(&merged)?;
            merged.clear();
        }
        lists[at].next += 1;
        lists[at].fill(&document)?;
    }
    each(&merged)
}

/// The numbers of documents in merged segments.
#[derive(Debug)]
struct Numbering {
    /// The numbers of the segments' first documents.
    bases: Vec<u64>,
    new: Option<New>,
}

/// The documents are numbered from 0, without those that were removed.
#[derive(Debug)]
struct New {
    /// The documents of each segment, and the new number of the first.
    ranks: Vec<(Ranked, u64)>,
    /// For posted documents that are not the first copies of their classes, these first copies. These are posted in their place, because
    /// what was posted depends on the history.
    firsts: BTreeMap<u64, u64>,
}

impl Numbering {
    /// If `firsts` are given, documents are numbered again.
    fn new(opens: &[Open], firsts: Option<&BTreeMap<u64, u64>>) -> Self {
        let bases = opens.iter().map(|open| open.segment.head.base).collect();
        let new = firsts.map(|firsts| {
            let mut next = 0;
            let ranks = opens.iter().map(|open| {
                let first = next;
                next += open.live.count();
                (Ranked::new(open.live.clone()), first)
            });
            New {
                ranks: ranks.collect(),
                firsts: firsts.clone(),
            }
        });
        Self { bases, new }
    }

    /// Returns the number of a document of the segment `at`.
    #[inline]
    fn number_in(&self, at: usize, offset: u64) -> u64 {
        match &self.new {
            Some(new) => new.ranks[at].1 + new.ranks[at].0.rank(offset),
            None => self.bases[at] + offset,
        }
    }

    /// Returns the number of the document that is posted for the class of a posted document.
    #[inline]
    fn posted(&self, at: usize, offset: u64) -> u64 {
        match &self.new {
            Some(new) if !new.firsts.is_empty() => match new.firsts.get(&(self.bases[at] + offset))
            {
                Some(&first) => self.number(first),
                None => self.number_in(at, offset),
            },
            _ => self.number_in(at, offset),
        }
    }

    /// Returns the number of a document by its number before. If documents keep their numbers, it can be in any segment.
    fn number(&self, number: u64) -> u64 {
        match self.segment(number) {
            Some((at, offset)) if self.new.is_some() => self.number_in(at, offset),
            _ => number,
        }
    }

    /// Returns the segment of a document, and its offset there.
    fn segment(&self, number: u64) -> Option<(usize, u64)> {
        let at = self
            .bases
            .partition_point(|&base| base <= number)
            .checked_sub(1)?;
        Some((at, number - self.bases[at]))
    }
}

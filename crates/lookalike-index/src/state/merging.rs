//! Merges segments into one.

use std::{io, iter::Peekable, ops::Range, path::Path, sync::Arc};

use super::documents::{Open, State};
use crate::{
    error::{Error, Result},
    law::Verdict,
    segment::{self, Bits, FOLLOWS, PARTS, Part, Posting, Ranked, SPAN, Segment, Source},
};

impl State {
    /// Merges segments that follow each other. Documents keep their numbers. Returns none if all documents were removed.
    pub(crate) fn merged(&self, folder: &Path, segments: Range<usize>) -> Result<Option<Open>> {
        Merged::new(self, segments, false)?.write(folder)
    }

    /// Uses merged segments from now on. Nothing may have changed since they were merged.
    pub(crate) fn use_merged(&mut self, segments: Range<usize>, merged: Option<Open>) -> Result<()> {
        let numbers = self.span(segments.clone());
        self.segments.splice(segments, merged);
        // What changed since the segments were written is in the new segment.
        self.verdicts.retain(|number, _| !numbers.contains(number));
        self.late.retain(|number| !numbers.contains(number));
        self.chain_again()
    }

    /// Returns the numbers of the documents of segments that follow each other, and all numbers between them.
    pub(crate) fn span(&self, segments: Range<usize>) -> Range<u64> {
        let first_of = |at: usize| self.segments.get(at).map_or(self.memory.base, |open| open.segment.head.base);
        first_of(segments.start)..first_of(segments.end)
    }

    /// Returns how many documents of a segment changed since it was written.
    pub(crate) fn changed_in(&self, segment: usize) -> u64 {
        let open = &self.segments[segment];
        let removed = open.segment.head.documents - open.live.count();
        let span = self.span(segment..segment + 1);
        removed + self.verdicts.range(span.clone()).count() as u64 + self.late.range(span).count() as u64
    }

    /// Merges all segments, and numbers the documents from 0, so that equal contents become equal files. There must be no documents in
    /// memory.
    pub(crate) fn compacted(&self, folder: &Path) -> Result<Self> {
        if self.len() > SPAN {
            let what = format!("{} documents do not fit into one segment, which has at most {SPAN}", self.len());
            return Err(Error::Write(io::Error::other(what)));
        }
        let merged = Merged::new(self, 0..self.segments.len(), true)?.write(folder)?;
        let mut compacted = Self::new(self.method.clone(), self.store);
        let count = merged.as_ref().map_or(0, |open| open.live.count());
        compacted.segments.extend(merged);
        compacted.start_at(count);
        Ok(compacted)
    }
}

/// Segments as the source of another one.
struct Merged<'a> {
    state: &'a State,
    opens: &'a [Open],
    base: u64,
    /// The documents of each segment, if documents are numbered again, and the new number of the first.
    ranks: Vec<(Ranked, u64)>,
    /// Documents that were posted after their segments were written, with their keys.
    late: Vec<(u64, Vec<u32>)>,
    present: Bits,
    kept: Bits,
    posted: Bits,
    leading: Bits,
    empty: Bits,
}

impl<'a> Merged<'a> {
    fn new(state: &'a State, segments: Range<usize>, renumber: bool) -> Result<Self> {
        let opens = &state.segments[segments.clone()];
        let count: u64 = opens.iter().map(|open| open.live.count()).sum();
        let first = opens.first().map_or(0, |open| open.segment.head.base);
        let end = state.segments.get(segments.end).map_or(state.memory.base, |open| open.segment.head.base);
        let (mut ranks, mut next) = (Vec::new(), 0);
        if renumber {
            for open in opens {
                let live = Ranked::new(open.live.clone());
                ranks.push((live, next));
                next += open.live.count();
            }
        }
        let limit = if renumber { count } else { end - first };
        let bits = || Bits::new(limit);
        let base = if renumber { 0 } else { first };
        let mut merged = Self {
            state,
            opens,
            base,
            ranks,
            late: Vec::new(),
            present: bits(),
            kept: bits(),
            posted: bits(),
            leading: bits(),
            empty: bits(),
        };
        for &number in state.late.range(first..end) {
            let mut keys = Vec::new();
            state.keys(number, &mut keys)?;
            merged.late.push((number, keys));
        }
        for (at, open) in opens.iter().enumerate() {
            for offset in open.live.iter() {
                let number = open.segment.head.base + offset;
                let new = merged.offset(at, offset);
                merged.present.insert(new);
                if open.kept.contains(offset) {
                    merged.kept.insert(new);
                }
                if open.segment.empty().contains(offset) {
                    merged.empty.insert(new);
                }
                if open.segment.posted().contains(offset) || !state.late.is_empty() && state.late.contains(&number) {
                    let (posted, is_kept) = merged.posted(number);
                    merged.posted.insert(posted);
                    if is_kept {
                        merged.leading.insert(posted);
                    }
                }
            }
        }
        Ok(merged)
    }

    fn write(&self, folder: &Path) -> Result<Option<Open>> {
        if self.present.count() == 0 {
            return Ok(None);
        }
        let name = segment::write(folder, self.state.shape, self)?;
        Ok(Some(Open::new(Arc::new(Segment::open(folder, &name, self.state.shape)?))))
    }

    /// Returns the offset in the new segment of a document of the segment `at`.
    fn offset(&self, at: usize, offset: u64) -> u64 {
        match self.ranks.get(at) {
            Some((live, first)) => first + live.rank(offset),
            None => self.opens[at].segment.head.base + offset - self.base,
        }
    }

    /// Returns the new number of a document. If documents keep their numbers, it can be in any segment.
    fn number(&self, number: u64) -> u64 {
        if self.ranks.is_empty() {
            return number;
        }
        let at = self.opens.partition_point(|open| open.segment.head.base <= number).saturating_sub(1);
        self.opens.get(at).map_or(number, |open| self.offset(at, number - open.segment.head.base))
    }

    /// Returns the offset of the document that is posted for the class of a posted document, and whether its first copy is kept. If
    /// documents are numbered again, first copies are posted, because what was posted depends on the history.
    fn posted(&self, posted: u64) -> (u64, bool) {
        let first = self.state.first_of_posted(posted);
        let is_kept = self.state.is_kept(first);
        match self.ranks.is_empty() {
            true => (posted - self.base, is_kept),
            false => (self.number(first), is_kept),
        }
    }
}

impl Source for Merged<'_> {
    fn base(&self) -> u64 {
        self.base
    }

    fn present(&self) -> &Bits {
        &self.present
    }

    fn kept(&self) -> &Bits {
        &self.kept
    }

    fn posted(&self) -> &Bits {
        &self.posted
    }

    fn leading(&self) -> &Bits {
        &self.leading
    }

    fn empty(&self) -> &Bits {
        &self.empty
    }

    fn each(&self, part: Part, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for open in self.opens {
            let base = open.segment.head.base;
            if part == Part::Verdict {
                for offset in open.live.iter().filter(|&offset| !open.kept.contains(offset)) {
                    if let Some(Verdict::Dropped { representative, similarity }) = self.state.verdict_of(base + offset)? {
                        each(&segment::verdict_bytes(self.number(representative), similarity))?;
                    }
                }
            } else {
                open.segment.each(part, &open.live, &mut |_, value| each(value))?;
            }
        }
        Ok(())
    }

    fn copied(&self) -> Option<Vec<(&Segment, &Bits)>> {
        let parts: usize = self.opens.iter().map(|open| open.segment.head.texts.len()).sum();
        // Copies include the texts of removed documents.
        let written: u64 = self.opens.iter().map(|open| open.segment.head.documents).sum();
        let is_copied = self.ranks.is_empty() && parts <= PARTS && self.present.count() >= written - written / 4;
        is_copied.then(|| self.opens.iter().map(|open| (&*open.segment, &open.live)).collect())
    }

    fn samples(&self, count: u64) -> Result<Vec<Vec<u8>>> {
        let step = self.present.count().div_ceil(count).max(1);
        let numbers = self.opens.iter().flat_map(|open| open.live.iter().map(|offset| open.segment.head.base + offset));
        numbers.step_by(step as usize).map(|number| self.state.with_payload(number, <[u8]>::to_vec)).collect()
    }

    fn postings(&self, column: usize) -> Result<Box<dyn Iterator<Item = Result<Posting>> + '_>> {
        let is_band = column < self.state.shape.bands;
        let mut sorted: Vec<(u32, u64)> = Vec::new();
        if is_band {
            sorted.extend(self.late.iter().filter_map(|(number, keys)| Some((*keys.get(column)?, *number))));
            sorted.sort_unstable();
        }
        let mut lists: Vec<Peekable<Numbers>> = vec![(Box::new(sorted.into_iter().map(Ok)) as Numbers).peekable()];
        for open in self.opens {
            let base = open.segment.head.base;
            let postings = open.segment.postings(column)?;
            let live = postings.all().filter_map(move |posting| match posting {
                Ok((key, document)) => {
                    let offset = u64::from(document & !FOLLOWS);
                    open.live.contains(offset).then_some(Ok((key, base + offset)))
                }
                Err(error) => Some(Err(error)),
            });
            lists.push((Box::new(live) as Numbers).peekable());
        }
        let new = move |number: u64| match is_band {
            true => {
                let (posted, is_kept) = self.posted(number);
                posted as u32 | if is_kept { 0 } else { FOLLOWS }
            }
            false => (self.number(number) - self.base) as u32,
        };
        Ok(Box::new(by_key(lists, new)))
    }
}

type Numbers<'a> = Box<dyn Iterator<Item = Result<(u32, u64)>> + 'a>;

/// Merges lists that are sorted by their keys. `new` says how numbers are written; of one key, they are sorted by that.
fn by_key<'a>(
    mut lists: Vec<Peekable<Numbers<'a>>>,
    new: impl Fn(u64) -> u32 + 'a,
) -> impl Iterator<Item = Result<Posting>> + 'a {
    let mut group: std::vec::IntoIter<Posting> = Vec::new().into_iter();
    std::iter::from_fn(move || {
        if let Some(next) = group.next() {
            return Some(Ok(next));
        }
        let mut least = None;
        for list in &mut lists {
            match list.peek() {
                Some(Ok((key, _))) => least = Some(least.map_or(*key, |least: u32| least.min(*key))),
                Some(Err(_)) => return list.next().map(|failed| failed.map(|(key, _)| (key, 0))),
                None => {}
            }
        }
        let key = least?;
        let mut next = Vec::new();
        for list in &mut lists {
            while let Some(Ok((_, number))) = list.next_if(|next| matches!(next, Ok((other, _)) if *other == key)) {
                next.push((key, new(number)));
            }
        }
        next.sort_unstable();
        group = next.into_iter();
        group.next().map(Ok)
    })
}

//! Merges segments into one.

use std::{io, ops::Range, path::Path};

use super::{
    documents::{Open, State},
    merged::Merged,
};
use crate::{
    error::{Error, Result},
    segment::SPAN,
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

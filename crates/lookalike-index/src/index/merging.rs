//! Begins merges of segments, and uses merged segments.

use std::{ops::Range, thread};

use lookalike_io::lock::lock;

use super::{
    folder::Index,
    merges::{Merges, Merging},
    waiting::Writer,
};
use crate::{error::Result, segment::SPAN, state::State};

/// This many segments of similar size are merged into one.
const FANOUT: usize = 4;

/// If this many segments were written since a merge began, the next one waits for it, because queries search every segment.
const MOST: usize = 2 * FANOUT;

/// A segment is written again when more than one in this many of its documents changed, because every publication writes all changes of
/// segments.
const WORN: u64 = 4;

/// Fewer changes never make it worth while.
const FEW: u64 = 16;

impl Index {
    /// Sets when segments are merged.
    #[must_use]
    pub fn with_merges(mut self, merges: Merges) -> Self {
        self.merges = merges;
        self
    }

    /// Begins a merge if one is necessary, and uses one that has ended.
    pub(super) fn merge(&self, writer: &mut Writer) -> Result<()> {
        loop {
            if let Some(merging) = writer.merging.take() {
                let newer = self.read().segments.len() - merging.segments.end;
                if merging.is_running() && newer < MOST {
                    writer.merging = Some(merging);
                    return Ok(());
                }
                self.use_merging(merging)?;
            }
            let Some(segments) = due(&self.read(), self.budget as u64 / 4) else {
                return Ok(());
            };
            // Nothing changes between these two, because this thread has the writer.
            let merged = self.read().to_merge(segments.clone())?;
            self.write().watch(segments.clone());
            writer.merging = Some(Merging::start(&self.folder, segments, merged, self.merges));
        }
    }

    /// Waits for a merge, and uses it.
    fn use_merging(&self, mut merging: Merging) -> Result<()> {
        let merged = match merging.join()? {
            Some(unfinished) => Some(unfinished.finish(&self.folder)?),
            None => None,
        };
        self.write()
            .use_merged(merging.segments.clone(), &merging.merged, merged)
    }

    /// Waits for a merge, and forgets it.
    pub(super) fn forget_merge(&self, writer: &mut Writer) {
        if writer.merging.take().is_some() {
            self.write().forget_merge();
        }
    }

    /// Waits for a merge, so that it need not be repeated.
    fn end_merge(&self, writer: &mut Writer) -> Result<()> {
        self.flush()?;
        if let Some(merging) = writer.merging.take() {
            self.use_merging(merging)?;
        }
        self.replace_manifest(writer)
    }
}

/// Waits for a merge that is running. If this fails, nothing but the merge is lost.
impl Drop for Index {
    fn drop(&mut self) {
        let Some(writer) = &self.writer else { return };
        let mut writer = lock(writer);
        let is_merging = writer
            .merging
            .as_ref()
            .is_some_and(Merging::is_of_this_process);
        if is_merging && writer.failed.is_none() && !thread::panicking() {
            let _ = self.guarded(&mut writer, |writer| self.end_merge(writer));
        }
    }
}

/// Returns segments that are to be merged, or one that is to be written again.
fn due(state: &State, least: u64) -> Option<Range<usize>> {
    let is_worn =
        |at: usize| state.changed_in(at) > FEW + state.segments[at].segment.head.documents / WORN;
    let worn = || {
        (0..state.segments.len())
            .find(|&at| is_worn(at))
            .map(|at| at..at + 1)
    };
    similar(state, least).or_else(worn)
}

/// Returns segments at the end that are to be merged: at least four of similar size, and smaller ones after them. All that are smaller
/// than `least` bytes are of similar size.
fn similar(state: &State, least: u64) -> Option<Range<usize>> {
    let level = |bytes: u64| (bytes / least.max(1)).max(1).ilog(FANOUT as u64);
    let levels: Vec<u32> = state
        .segments
        .iter()
        .map(|open| level(open.segment.weight()))
        .collect();
    for most in levels
        .iter()
        .copied()
        .collect::<std::collections::BTreeSet<_>>()
    {
        let count = levels
            .iter()
            .rev()
            .take_while(|&&level| level <= most)
            .count();
        let suffix = levels.len() - count..levels.len();
        let span = state.span(suffix.clone());
        if span.end - span.start <= SPAN
            && levels[suffix.clone()]
                .iter()
                .filter(|&&level| level == most)
                .count()
                >= FANOUT
        {
            return Some(suffix);
        }
    }
    None
}

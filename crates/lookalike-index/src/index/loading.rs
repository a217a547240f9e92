//! Reads an index from its folder.

use std::{path::Path, sync::Arc};

use super::record::Replayed;
use crate::{
    change::Change,
    collection,
    error::Result,
    files::{
        UNLIKE,
        changed::Changed,
        damaged, log,
        manifest::{Manifest, NAME},
    },
    law::Verdict,
    listed::Listed,
    segment::Segment,
    state::{Open, State},
};

/// An index as its files say.
pub(super) struct Loaded {
    pub(super) state: State,
    /// The log.
    pub(super) log: log::Read,
    /// The changes in the log that are not in the parts of the feed yet.
    pub(super) pending: Vec<Change>,
    /// The number of the next change.
    pub(super) next: u64,
}

/// Reads the files that a manifest names, and up to `limit` bytes of its log.
pub(super) fn load(folder: &Path, manifest: &Manifest, limit: Option<u64>) -> Result<Loaded> {
    let mut state = State::new(
        collection::method(manifest.settings.config.clone())?,
        manifest.settings.store,
    );
    let of = |name: &str, what| damaged(&folder.join(name), what);
    let mut end = 0;
    for listed in &manifest.segments {
        let segment = Segment::open(folder, &listed.name, state.shape)?;
        if segment.listed != *listed {
            return Err(of(&listed.name, UNLIKE));
        }
        let first = segment.head.base;
        end = (first.checked_add(segment.present().bits().end()))
            .filter(|_| first >= end)
            .ok_or_else(|| of(&listed.name, "its documents are not after those before it"))?;
        state.segments.push(Open::new(Arc::new(segment)));
    }
    if end > manifest.next {
        return Err(of(NAME, "it has more documents than its next number"));
    }
    state.start_at(manifest.next);
    if let Some(listed) = &manifest.changed {
        state.restore(Changed::read(folder, listed)?)?;
    }
    for part in &manifest.feed {
        if Listed::read(folder, &part.name)? != *part {
            return Err(of(&part.name, UNLIKE));
        }
    }
    let read = log::read(folder, manifest, limit)?;
    let mut next = manifest.changes;
    let mut pending = Vec::new();
    for record in read.records() {
        let invalid = || of(&log::name(manifest.hash), "a record of it is invalid");
        let record = Replayed::read(state.store, state.shape, record).ok_or_else(invalid)?;
        if record.first != next {
            return Err(invalid());
        }
        let changes = record.apply(&mut state)?;
        next += changes.len() as u64;
        pending.extend(changes);
    }
    Ok(Loaded {
        state,
        log: read,
        pending,
        next,
    })
}

impl State {
    /// Changes the segments' documents as a file says.
    fn restore(&mut self, changed: Changed) -> Result<()> {
        for &number in &changed.gone {
            if let Some((open, offset)) = self.in_segment_mut(number) {
                open.live.remove(offset);
                open.kept.remove(offset);
            }
        }
        for (&number, verdict) in &changed.verdicts {
            if let Some((open, offset)) = self.in_segment_mut(number) {
                match verdict {
                    Verdict::Kept => open.kept.insert(offset),
                    Verdict::Dropped { .. } => open.kept.remove(offset),
                }
            }
        }
        self.verdicts = changed.verdicts;
        self.firsts = changed.firsts;
        self.late = changed.late.into_iter().collect();
        changed
            .leading
            .iter()
            .try_for_each(|&number| self.chain(number, true))?;
        changed
            .following
            .iter()
            .try_for_each(|&number| self.chain(number, false))
    }

    /// Returns what changed since the segments were written. There must be no documents in memory.
    pub(super) fn changed(&self) -> Changed {
        let mut gone = Vec::new();
        for open in &self.segments {
            let base = open.segment.head.base;
            let removed = open
                .segment
                .present()
                .bits()
                .iter()
                .filter(|&offset| !open.live.contains(offset));
            gone.extend(removed.map(|offset| base + offset));
        }
        let sorted = |numbers: &[u64]| {
            let mut numbers: Vec<u64> = numbers
                .iter()
                .copied()
                .filter(|&number| self.is_live(number))
                .collect();
            numbers.sort_unstable();
            numbers
        };
        Changed {
            gone,
            verdicts: self.verdicts.clone(),
            firsts: self.firsts.clone(),
            late: self.late.iter().copied().collect(),
            leading: sorted(self.leading.numbers()),
            following: sorted(self.following.numbers()),
        }
    }
}

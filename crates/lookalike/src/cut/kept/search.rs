//! Finds the runs that a text shares with kept texts.

use std::ops::Range;

use super::{
    Index, Kept, Store,
    equal::{equal_at_end, equal_at_start},
    extended, key,
    table::Entry,
};
use crate::cut::{
    anchors::{Anchor, Sides},
    buffers::emptied,
};

/// A position of a kept text where a sequence occurs, minus the position of the sequence in another text; and the latter.
type Hit = (i64, u32);

/// The number of anchors that are searched at the same time. Later anchors are often in a run that the first ones find. In tests it is
/// small, because their texts are short.
const SEARCHED: usize = if cfg!(test) { 2 } else { 16 };

/// Places that were compared: the first number of a [`Hit`], and one past the last equal unit of the other text.
type Compared = Vec<(i64, usize)>;

/// Scratch buffers for a search.
#[derive(Debug, Default)]
pub(in crate::cut) struct Search {
    hits: Vec<Hit>,
    /// For each anchor, one past its last hit.
    ends: Vec<usize>,
    compared: Compared,
    numbers: Vec<u64>,
}

/// A text that is searched.
#[derive(Debug, Clone, Copy)]
pub(in crate::cut) struct Searched<'a> {
    pub units: &'a [u64],
    pub group: u64,
    /// Whether neither the text nor all kept texts together repeat a window without overlap.
    pub is_unique: bool,
}

/// A run of n units or more that a kept text and another text share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    pub(in crate::cut) text: u32,
    /// The place of the kept text's stretches in their store.
    pub(in crate::cut) stretches: u64,
    /// Whether the kept text may repeat a window.
    pub(in crate::cut) has_repeats: bool,
    /// The run's first unit in the kept text.
    pub(in crate::cut) kept_at: usize,
    /// The run's first unit in the other text.
    pub(in crate::cut) at: usize,
    /// The number of units.
    pub(in crate::cut) length: usize,
}

impl Shared {
    /// Returns the windows of the other text, by their first units, that are in the run.
    pub(super) fn windows(&self, window: usize) -> Range<usize> {
        self.at..self.at + self.length + 1 - window
    }
}

impl<S: Store> Index<S> {
    /// Adds the runs of n units or more that windows around some anchors of a text have in common with kept texts of its group. Cost: a
    /// cache miss for each anchor, and a comparison of the shared runs.
    pub(super) fn shared(
        &self,
        searched: Searched,
        (anchors, search): (&[Anchor], &mut Search),
        shared: &mut Vec<Shared>,
    ) -> Result<(), S::Error> {
        let Search {
            hits,
            ends,
            compared,
            numbers,
        } = search;
        compared.clear();
        if !searched.is_unique {
            self.find_hits(searched, anchors, (hits, ends));
            hits.sort_unstable();
            for &hit in &*hits {
                compared.retain(|&(from, end)| from == hit.0 && end > hit.1 as usize);
                shared.extend(self.compare(searched, hit, (compared, numbers))?);
            }
            return Ok(());
        }
        // Windows that are in a run that was found, and so in no other run; and where the run was found.
        let (mut found, mut found_at) = (0..0, 0);
        let mut rest = anchors;
        loop {
            rest = &rest[rest
                .iter()
                .take_while(|anchor| contains(&found, &self.windows_around(anchor, searched)))
                .count()..];
            let (some, others) = rest.split_at(rest.len().min(SEARCHED));
            if some.is_empty() {
                return Ok(());
            }
            rest = others;
            self.find_hits(searched, some, (hits, ends));
            let mut start = 0;
            for (anchor, &end) in some.iter().zip(&*ends) {
                let windows = self.windows_around(anchor, searched);
                let own = &mut hits[start..end];
                start = end;
                compared.retain(|&(_, end)| end > anchor.at as usize);
                // A text that shares a run with a kept text often shares others with it.
                own.sort_unstable_by_key(|&(from, _)| from.abs_diff(found_at));
                for &hit in &*own {
                    if contains(&found, &windows) {
                        break;
                    }
                    if let Some(run) = self.compare(searched, hit, (compared, numbers))? {
                        if !run.has_repeats {
                            (found, found_at) = (run.windows(self.window()), hit.0);
                        }
                        shared.push(run);
                    }
                }
            }
        }
    }

    /// Fills `hits` with the places where anchors of a text occur, and `ends` with one past the last hit of each anchor.
    fn find_hits(
        &self,
        Searched { units, group, .. }: Searched,
        anchors: &[Anchor],
        (hits, ends): (&mut Vec<Hit>, &mut Vec<usize>),
    ) {
        let length = self.winnowing.selected_tokens();
        self.table
            .load(anchors.iter().map(|anchor| anchor.key ^ group));
        emptied(hits);
        ends.clear();
        for &Anchor { key, at, sides, .. } in anchors {
            let at = at as usize;
            self.each_entry(
                units,
                (key, sides),
                (at, at + length),
                group,
                &mut |position, start| {
                    hits.push((position as i64 - start as i64, start as u32));
                },
            );
            ends.push(hits.len());
        }
        // Loads the units at all places at the same time, as for the table.
        let load = |&(from, at): &Hit| self.units.load((from + i64::from(at)) as u64);
        std::hint::black_box(hits.iter().fold(0, |loaded, hit| loaded ^ load(hit)));
    }

    /// Returns the windows of a text, by their first units, that contain an anchor.
    pub(super) fn windows_around(&self, anchor: &Anchor, searched: Searched) -> Range<usize> {
        let (at, last) = (
            anchor.at as usize,
            searched.units.len().saturating_sub(self.window()),
        );
        (at + self.winnowing.selected_tokens()).saturating_sub(self.window())..at.min(last) + 1
    }

    /// Returns the run of n units or more at a place where a text and a kept text may have the same units, unless it is in `compared`
    /// already.
    fn compare(
        &self,
        Searched { units, group, .. }: Searched,
        (from, at): Hit,
        (compared, numbers): (&mut Compared, &mut Vec<u64>),
    ) -> Result<Option<Shared>, S::Error> {
        let (at, position) = (at as usize, (from + i64::from(at)) as u64);
        if compared.iter().any(|&(same, end)| same == from && at < end) {
            return Ok(None);
        }
        let (before, after) = self.equal_around(units, at, position, numbers)?;
        compared.push((from, at + after));
        if before + after < self.window() {
            return Ok(None);
        }
        let first = position - before as u64;
        let area = self.areas.find(first, numbers)?;
        let Kept {
            text,
            stretches,
            has_repeats,
            ..
        } = area.kept;
        let kept_at = area.kept_at as usize + (first - area.position) as usize;
        let run = Shared {
            text,
            stretches,
            has_repeats,
            kept_at,
            at: at - before,
            length: before + after,
        };
        // The key of another group may have the same hash.
        Ok((area.kept.group == group).then_some(run))
    }

    /// Returns the numbers of units that are equal before a position and from it on. They are read at once if they are few.
    fn equal_around(
        &self,
        units: &[u64],
        at: usize,
        position: u64,
        numbers: &mut Vec<u64>,
    ) -> Result<(usize, usize), S::Error> {
        let start = position - position.min(STEP.min(at) as u64);
        let end = (position + STEP.min(units.len() - at) as u64).min(self.units.count());
        let (left, right) = self
            .units
            .read(start..end, numbers)?
            .split_at((position - start) as usize);
        let (before, after) = (
            equal_at_end(&units[..at], left),
            equal_at_start(&units[at..], right),
        );
        let (is_more_before, is_more_after) = (before == left.len(), after == right.len());
        let more_before = if is_more_before {
            self.equal_before(&units[..at - before], position - before as u64, numbers)?
        } else {
            0
        };
        let more_after = if is_more_after {
            self.equal_after(&units[at + after..], position + after as u64, numbers)?
        } else {
            0
        };
        Ok((before + more_before, after + more_after))
    }

    /// Returns the number of units that are equal from a position on.
    fn equal_after(
        &self,
        units: &[u64],
        position: u64,
        numbers: &mut Vec<u64>,
    ) -> Result<usize, S::Error> {
        let (mut equal, mut step) = (0, STEP);
        loop {
            let from = position + equal as u64;
            let end = (from + step.min(units.len() - equal) as u64).min(self.units.count());
            let kept = self.units.read(from..end, numbers)?;
            let more = equal_at_start(&units[equal..], kept);
            equal += more;
            if more < kept.len() || kept.is_empty() {
                return Ok(equal);
            }
            step *= 2;
        }
    }

    /// Returns the number of units that are equal before a position.
    fn equal_before(
        &self,
        units: &[u64],
        position: u64,
        numbers: &mut Vec<u64>,
    ) -> Result<usize, S::Error> {
        let (mut equal, mut step) = (0, STEP);
        loop {
            let end = position - equal as u64;
            let kept = self.units.read(
                end - end.min(step.min(units.len() - equal) as u64)..end,
                numbers,
            )?;
            let more = equal_at_end(&units[..units.len() - equal], kept);
            equal += more;
            if more < kept.len() || kept.is_empty() {
                return Ok(equal);
            }
            step *= 2;
        }
    }

    /// Calls `give` with the positions of a sequence from `start` to `end` of `units`, or of longer sequences that contain it, that may
    /// be in equal windows, and with the start of that sequence in `units`.
    fn each_entry(
        &self,
        units: &[u64],
        (own_key, sides): (u64, Sides),
        (start, end): (usize, usize),
        group: u64,
        give: &mut impl FnMut(u64, usize),
    ) {
        let is_window = end - start == self.window();
        let mut is_extended = false;
        for (_, entry) in self.table.of(own_key ^ group) {
            if entry == Entry::EXTENDED {
                is_extended = true;
            } else if is_window || Sides(entry.sides()).may_match(sides) {
                give(entry.position(), start);
            }
        }
        if is_extended && !is_window {
            for (start, end) in extended(start, end, self.window(), units.len())
                .into_iter()
                .flatten()
            {
                let own = (
                    key(&units[start..end]),
                    Sides::of(units, start, end, self.window()),
                );
                self.each_entry(units, own, (start, end), group, give);
            }
        }
    }
}

/// Returns whether a range contains another one.
fn contains(range: &Range<usize>, other: &Range<usize>) -> bool {
    range.start <= other.start && other.end <= range.end
}

/// The number of stored units that are read first when texts are compared.
const STEP: usize = 64;

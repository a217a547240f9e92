//! The kept texts so far, and an index of their windows: finds the runs that a text shares with any of them.

mod store;

mod table;

mod areas;

mod levels;

mod searcher;

use std::{ops::Range, sync::Arc};

pub(super) use areas::Kept;
pub use levels::Looked;
pub(super) use levels::{Levels, Old};
pub use searcher::{Searcher, Searching};
pub use store::Store;
pub use table::MOST_UNITS;

use self::{
    areas::{Area, Areas},
    table::{Entry, Slot, Table},
};
use super::anchors::{Anchor, BETWEEN, Repeated, Sides, hash, other_than_between};
use crate::{fingerprint::finish, runs::Winnowing};

/// The number of places of a sequence above which the index divides them by what is around the sequence. In tests it is small,
/// because their texts are few.
const MOST: usize = if cfg!(test) { 2 } else { 16 };

/// An index of kept texts, for windows of n units.
///
/// Winnowing selects sequences of w ≤ n units, the anchors, such that each window contains at least one, and the index has the
/// places of these. A short sequence, such as a common phrase, may occur in millions of kept texts even though no longer run does.
/// Comparing a text with all of them would take quadratic time. If a sequence of s units occurs at more than a few places, the index
/// stores two longer sequences instead, which extend it by h = ⌈(n − s) / 2⌉ units, one to the left and one to the right. Each window
/// that contains the sequence contains one of these (see [`Sides`]). Extended sequences with many places are extended again, until
/// they are whole windows. The kept texts contain a window only once, unless more copies are kept on purpose. If a text repeats a window,
/// only the anchors of its first place are added.
///
/// Only the units that are in windows around anchors are stored. The index takes 14 to 21 bytes of memory per anchor. If the keys are
/// known beforehand and all texts are in one group, the first place of each takes 10. The units take 8 bytes each, in memory or in a
/// file.
#[derive(Debug)]
pub(super) struct Index<S> {
    winnowing: Winnowing,
    /// The number of texts in which a window is found.
    texts_per_window: usize,
    /// The stored units of all texts, with [`BETWEEN`] after each area.
    units: S,
    areas: Areas<S>,
    table: Table,
    /// The units of the area that is being added.
    area: Vec<u64>,
}

/// A position of a kept text where a sequence occurs, minus the position of the sequence in another text; and the latter.
type Hit = (i64, u32);

/// Scratch buffers for a search.
#[derive(Debug, Default)]
pub(super) struct Search {
    hits: Vec<Hit>,
    /// For each anchor, one past its last hit.
    ends: Vec<usize>,
    numbers: Vec<u64>,
}

/// A text that is searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Searched<'a> {
    pub units: &'a [u64],
    pub group: u64,
    /// Whether neither the text nor all kept texts together repeat a window without overlap.
    pub is_unique: bool,
}

/// A run of n units or more that a kept text and another text share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    pub(super) text: u32,
    /// The place of the kept text's stretches in their store.
    pub(super) stretches: u64,
    /// Whether the kept text may repeat a window.
    pub(super) has_repeats: bool,
    /// The run's first unit in the kept text.
    pub(super) kept_at: usize,
    /// The run's first unit in the other text.
    pub(super) at: usize,
    /// The number of units.
    pub(super) length: usize,
}

impl Shared {
    /// Returns the windows of the other text, by their first units, that are in the run.
    fn windows(&self, window: usize) -> Range<usize> {
        self.at..self.at + self.length + 1 - window
    }
}

impl<S: Store> Index<S> {
    /// Creates an empty index for the windows that contain the selected anchors. Each window is found in `texts_per_window` texts at
    /// most, the first ones. `repeated` contains most of the anchors' keys, if they are known. There is room for a number of anchors.
    pub fn new(
        winnowing: Winnowing,
        texts_per_window: usize,
        (repeated, anchors): (Option<Arc<Repeated>>, usize),
        [units, areas]: [S; 2],
    ) -> Self {
        let table = Table::new(repeated, anchors);
        Self { winnowing, texts_per_window, units, areas: Areas::new(areas), table, area: Vec::new() }
    }

    /// Returns the number of bytes of memory that no budget counts.
    pub fn memory(&self) -> usize {
        self.table.memory() + self.units.memory() + self.areas.memory()
    }

    /// Returns the number of units in a window.
    pub fn window(&self) -> usize {
        self.winnowing.least()
    }

    /// Adds consecutive units of a kept text, from its unit `at` on, with the anchors in them. The positions of the anchors are relative
    /// to `anchors_from`. Texts are added in the order of their numbers.
    fn add(&mut self, kept: Kept, at: usize, units: &[u64], (anchors, anchors_from): (&[Anchor], u64)) -> Result<(), S::Error> {
        let (position, length) = (self.units.count(), self.winnowing.selected_tokens() as u64);
        self.areas.push(Area { position, kept_at: at as u32, kept })?;
        self.area.clear();
        self.area.extend(units.iter().map(|&unit| other_than_between(unit)));
        self.area.push(BETWEEN);
        self.units.append(&self.area)?;
        for &Anchor { key, at, sides, .. } in anchors {
            let at = position + u64::from(at) - anchors_from;
            self.insert(key ^ kept.group, at, at + length, sides, kept.group)?;
        }
        Ok(())
    }

    /// Adds the sequence from `start` to `end` of all units.
    fn insert(&mut self, key: u64, start: u64, end: u64, sides: Sides, group: u64) -> Result<(), S::Error> {
        let entry = Entry::new(start, sides.0);
        if (end - start) as usize == self.window() {
            return self.insert_window(key, entry);
        }
        let (mut count, mut is_extended) = (0, false);
        for (_, entry) in self.table.of(key) {
            count += 1;
            is_extended |= entry == Entry::EXTENDED;
        }
        if is_extended {
            return self.insert_extended(start, end, group);
        }
        if count < MOST {
            self.table.add(key, entry);
            return Ok(());
        }
        let places: Vec<u64> = self.table.of(key).map(|(_, entry)| entry.position()).collect();
        self.table.add(key, Entry::EXTENDED);
        for place in places.into_iter().chain([start]) {
            self.insert_extended(place, place + end - start, group)?;
        }
        Ok(())
    }

    fn insert_extended(&mut self, start: u64, end: u64, group: u64) -> Result<(), S::Error> {
        let (window, mut numbers) = (self.window(), Vec::new());
        let from = start.saturating_sub(window as u64);
        let all = self.units.read(from..(end + window as u64).min(self.units.count()), &mut numbers)?;
        let (mut start, mut end) = ((start - from) as usize, (end - from) as usize);
        // The entry of another key may be that of a shorter sequence, at the end of an area.
        if all.get(start..end).is_none_or(|units| units.contains(&BETWEEN)) {
            return Ok(());
        }
        let before = all[..start].iter().rev().take_while(|unit| **unit != BETWEEN).count();
        let after = all[end..].iter().take_while(|unit| **unit != BETWEEN).count();
        let from = from + (start - before) as u64;
        let units = &all[start - before..end + after];
        (start, end) = (before, before + end - start);
        let longer = extended(start, end, window, units.len()).map(|range| {
            let (start, end) = range?;
            Some((key(&units[start..end]), from + start as u64, from + end as u64, Sides::of(units, start, end, window)))
        });
        for (key, start, end, sides) in longer.into_iter().flatten() {
            self.insert(key ^ group, start, end, sides, group)?;
        }
        Ok(())
    }

    /// Adds the place of a whole window. Only the first place in a text is kept, and only the places in the first texts.
    fn insert_window(&mut self, key: u64, entry: Entry) -> Result<(), S::Error> {
        let mut same: Vec<(Slot, u64)> = Vec::new();
        for (slot, other) in self.table.of(key).filter(|&(_, other)| other != Entry::EXTENDED) {
            if self.is_same_window(other.position(), entry.position())? {
                same.push((slot, other.position()));
            }
        }
        // If a window is found in one text only, its first place is in the first text.
        let mut in_text = same.first().copied();
        if self.texts_per_window > 1 && in_text.is_some() {
            let mut numbers = Vec::new();
            let text = self.areas.find(entry.position(), &mut numbers)?.kept.text;
            in_text = None;
            for &(slot, position) in &same {
                if self.areas.find(position, &mut numbers)?.kept.text == text {
                    in_text = Some((slot, position));
                }
            }
        }
        let is_full = same.len() >= self.texts_per_window;
        let replaced = in_text.or_else(|| same.iter().copied().max_by_key(|same| same.1).filter(|_| is_full));
        match replaced {
            Some((slot, position)) if entry.position() < position => self.table.set(slot, entry),
            Some(_) => {}
            None => self.table.add(key, entry),
        }
        Ok(())
    }

    fn is_same_window(&self, one: u64, other: u64) -> Result<bool, S::Error> {
        let [mut a, mut b] = [Vec::new(), Vec::new()];
        let window = |position: u64| position..(position + self.window() as u64).min(self.units.count());
        Ok(self.units.read(window(one), &mut a)? == self.units.read(window(other), &mut b)?)
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
            for (start, end) in extended(start, end, self.window(), units.len()).into_iter().flatten() {
                let own = (key(&units[start..end]), Sides::of(units, start, end, self.window()));
                self.each_entry(units, own, (start, end), group, give);
            }
        }
    }

    /// Adds the runs of n units or more that windows around some anchors of a text have in common with kept texts of its group. Cost: a
    /// cache miss for each anchor, and a comparison of the shared runs.
    fn shared(
        &self,
        searched: Searched,
        (anchors, search): (&[Anchor], &mut Search),
        shared: &mut Vec<Shared>,
    ) -> Result<(), S::Error> {
        let Search { hits, ends, numbers } = search;
        let Searched { units, group, is_unique } = searched;
        let length = self.winnowing.selected_tokens();
        self.table.load(anchors.iter().map(|anchor| anchor.key ^ group));
        hits.clear();
        ends.clear();
        for &Anchor { key, at, sides, .. } in anchors {
            let at = at as usize;
            self.each_entry(units, (key, sides), (at, at + length), group, &mut |position, start| {
                hits.push((position as i64 - start as i64, start as u32));
            });
            ends.push(hits.len());
        }
        // Loads the units at all places at the same time, as for the table.
        let load = |&(from, at): &Hit| self.units.load((from + i64::from(at)) as u64);
        std::hint::black_box(hits.iter().fold(0, |loaded, hit| loaded ^ load(hit)));
        let mut last = (i64::MIN, 0);
        if !is_unique {
            return self.compare((units, group), hits, (&mut last, numbers), shared);
        }
        // Windows that are in a run that was found and so in no other one.
        let mut found = 0..0;
        let mut start = 0;
        for (anchor, &end) in anchors.iter().zip(&*ends) {
            let windows = self.windows_around(anchor.at as usize, units.len());
            let own = &mut hits[start..end];
            start = end;
            if found.start <= windows.start && windows.end <= found.end {
                continue;
            }
            let before = shared.len();
            self.compare((units, group), own, (&mut last, numbers), shared)?;
            if let Some(run) = shared[before..].last().filter(|run| !run.has_repeats) {
                found = run.windows(self.window());
            }
        }
        Ok(())
    }

    /// Returns the windows of a text, by their first units, that contain an anchor.
    fn windows_around(&self, at: usize, units: usize) -> Range<usize> {
        let last = units.saturating_sub(self.window());
        (at + self.winnowing.selected_tokens()).saturating_sub(self.window())..at.min(last) + 1
    }

    /// Adds the runs of n units or more at places where a text and kept texts may have the same units. `last` is the last run that was
    /// compared.
    fn compare(
        &self,
        (units, group): (&[u64], u64),
        hits: &mut [Hit],
        (last, numbers): (&mut (i64, usize), &mut Vec<u64>),
        shared: &mut Vec<Shared>,
    ) -> Result<(), S::Error> {
        hits.sort_unstable();
        for &mut (from, at) in hits {
            if last.0 == from && (at as usize) < last.1 {
                continue;
            }
            let (at, position) = (at as usize, (from + i64::from(at)) as u64);
            let (before, after) = self.equal_around(units, at, position, numbers)?;
            *last = (from, at + after);
            if before + after >= self.window() {
                let first = position - before as u64;
                let area = self.areas.find(first, numbers)?;
                let Area { position, kept_at, kept: Kept { text, stretches, has_repeats, .. } } = area;
                let kept_at = kept_at as usize + (first - position) as usize;
                // The key of another group may have the same hash.
                if area.kept.group == group {
                    shared.push(Shared { text, stretches, has_repeats, kept_at, at: at - before, length: before + after });
                }
            }
        }
        Ok(())
    }

    /// Returns the numbers of units that are equal before a position and from it on. They are read at once if they are few.
    fn equal_around(&self, units: &[u64], at: usize, position: u64, numbers: &mut Vec<u64>) -> Result<(usize, usize), S::Error> {
        let start = position - position.min(STEP.min(at) as u64);
        let end = (position + STEP.min(units.len() - at) as u64).min(self.units.count());
        let (left, right) = self.units.read(start..end, numbers)?.split_at((position - start) as usize);
        let (before, after) = (equal_at_end(&units[..at], left), equal_at_start(&units[at..], right));
        let (is_more_before, is_more_after) = (before == left.len(), after == right.len());
        let more_before =
            if is_more_before { self.equal_before(&units[..at - before], position - before as u64, numbers)? } else { 0 };
        let more_after =
            if is_more_after { self.equal_after(&units[at + after..], position + after as u64, numbers)? } else { 0 };
        Ok((before + more_before, after + more_after))
    }

    /// Returns the number of units that are equal from a position on.
    fn equal_after(&self, units: &[u64], position: u64, numbers: &mut Vec<u64>) -> Result<usize, S::Error> {
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
    fn equal_before(&self, units: &[u64], position: u64, numbers: &mut Vec<u64>) -> Result<usize, S::Error> {
        let (mut equal, mut step) = (0, STEP);
        loop {
            let end = position - equal as u64;
            let kept = self.units.read(end - end.min(step.min(units.len() - equal) as u64)..end, numbers)?;
            let more = equal_at_end(&units[..units.len() - equal], kept);
            equal += more;
            if more < kept.len() || kept.is_empty() {
                return Ok(equal);
            }
            step *= 2;
        }
    }
}

/// The number of stored units that are read first when texts are compared.
const STEP: usize = 64;

fn is_equal((own, kept): &(&u64, &u64)) -> bool {
    other_than_between(**own) == **kept
}

/// The number of units that are compared at once.
const AT_ONCE: usize = 8;

/// Returns how many units of a text are equal to stored ones, from the first on.
fn equal_at_start(own: &[u64], kept: &[u64]) -> usize {
    let (own_parts, kept_parts) = (own.as_chunks::<AT_ONCE>().0, kept.as_chunks::<AT_ONCE>().0);
    let at_once = AT_ONCE * own_parts.iter().zip(kept_parts).take_while(|(own, kept)| own == kept).count();
    let all = own.iter().zip(kept);
    // The texts have units instead of the border between them.
    let equal = if own[..at_once].contains(&BETWEEN) { 0 } else { at_once };
    equal + all.skip(equal).take_while(is_equal).count()
}

/// Returns how many units of a text are equal to stored ones, from the last on.
fn equal_at_end(own: &[u64], kept: &[u64]) -> usize {
    let (own_parts, kept_parts) = (own.as_rchunks::<AT_ONCE>().1, kept.as_rchunks::<AT_ONCE>().1);
    let parts = own_parts.iter().rev().zip(kept_parts.iter().rev());
    let at_once = AT_ONCE * parts.take_while(|(own, kept)| own == kept).count();
    let all = own.iter().rev().zip(kept.iter().rev());
    let equal = if own[own.len() - at_once..].contains(&BETWEEN) { 0 } else { at_once };
    equal + all.skip(equal).take_while(is_equal).count()
}

/// Returns the two sequences that extend a sequence of a text with `length` units by the same number of units, to the left and to
/// the right. At the borders of the text, one or both do not exist.
fn extended(start: usize, end: usize, window: usize, length: usize) -> [Option<(usize, usize)>; 2] {
    let by = (window - (end - start)).div_ceil(2);
    [start.checked_sub(by).map(|start| (start, end)), Some((start, end + by)).filter(|&(_, end)| end <= length)]
}

/// Returns the key of an extended sequence.
fn key(units: &[u64]) -> u64 {
    finish(hash(units) ^ units.len() as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::K0;

    proptest! {
        #[test]
        fn units_are_compared_in_parts_as_one_by_one(
            own in prop::collection::vec(prop_oneof![30 => Just(7u64), 1 => Just(BETWEEN), 1 => Just(K0)], 0..60),
            kept in prop::collection::vec(prop_oneof![30 => Just(7u64), 1 => Just(BETWEEN), 1 => Just(K0)], 0..60),
        ) {
            prop_assert_eq!(equal_at_start(&own, &kept), own.iter().zip(&kept).take_while(is_equal).count());
            prop_assert_eq!(equal_at_end(&own, &kept), own.iter().rev().zip(kept.iter().rev()).take_while(is_equal).count());
        }
    }
}

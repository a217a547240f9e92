//! The kept texts so far, and an index of their windows: finds the runs that a text shares with any of them.

mod store;

mod table;

mod areas;

mod equal;

mod search;

mod levels;

mod searcher;

use std::sync::Arc;

pub(super) use areas::Kept;
pub use levels::Looked;
pub(super) use levels::{Levels, Old};
pub use search::Shared;
pub(super) use search::{Search, Searched};
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
/// has two longer sequences for each place, which extend it by h = ⌈(n − s) / 2⌉ units, one to the left and one to the right. Each window
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
        Self {
            winnowing,
            texts_per_window,
            units,
            areas: Areas::new(areas),
            table,
            area: Vec::new(),
        }
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
    fn add(
        &mut self,
        kept: Kept,
        at: usize,
        units: &[u64],
        (anchors, anchors_from): (&[Anchor], u64),
    ) -> Result<(), S::Error> {
        let (position, length) = (self.units.count(), self.winnowing.selected_tokens() as u64);
        self.areas.push(Area {
            position,
            kept_at: at as u32,
            kept,
        })?;
        self.area.clear();
        self.area
            .extend(units.iter().map(|&unit| other_than_between(unit)));
        self.area.push(BETWEEN);
        self.units.append(&self.area)?;
        for &Anchor { key, at, sides, .. } in anchors {
            let at = position + u64::from(at) - anchors_from;
            self.insert(key ^ kept.group, at, at + length, sides, kept.group)?;
        }
        Ok(())
    }

    /// Adds the sequence from `start` to `end` of all units.
    fn insert(
        &mut self,
        key: u64,
        start: u64,
        end: u64,
        sides: Sides,
        group: u64,
    ) -> Result<(), S::Error> {
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
        let (mut slots, mut places) = (Vec::new(), vec![start]);
        for (slot, entry) in self.table.of(key) {
            let place = entry.position();
            // Entries of other keys with the same hash remain.
            if self.is_same((place, start), end - start)?
                && self.areas.find(place, &mut Vec::new())?.kept.group == group
            {
                slots.push(slot);
                places.push(place);
            }
        }
        self.table.remove(&slots);
        self.table.add(key, Entry::EXTENDED);
        places
            .into_iter()
            .try_for_each(|place| self.insert_extended(place, place + end - start, group))
    }

    fn insert_extended(&mut self, start: u64, end: u64, group: u64) -> Result<(), S::Error> {
        let (window, mut numbers) = (self.window(), Vec::new());
        let from = start.saturating_sub(window as u64);
        let all = self.units.read(
            from..(end + window as u64).min(self.units.count()),
            &mut numbers,
        )?;
        let (mut start, mut end) = ((start - from) as usize, (end - from) as usize);
        let before = all[..start]
            .iter()
            .rev()
            .take_while(|unit| **unit != BETWEEN)
            .count();
        let after = all[end..]
            .iter()
            .take_while(|unit| **unit != BETWEEN)
            .count();
        let from = from + (start - before) as u64;
        let units = &all[start - before..end + after];
        (start, end) = (before, before + end - start);
        let longer = extended(start, end, window, units.len()).map(|range| {
            let (start, end) = range?;
            Some((
                key(&units[start..end]),
                from + start as u64,
                from + end as u64,
                Sides::of(units, start, end, window),
            ))
        });
        for (key, start, end, sides) in longer.into_iter().flatten() {
            self.insert(key ^ group, start, end, sides, group)?;
        }
        Ok(())
    }

    /// Adds the place of a whole window. Only the first place in a text is kept, and only the places in the first texts.
    fn insert_window(&mut self, key: u64, entry: Entry) -> Result<(), S::Error> {
        let mut same: Vec<(Slot, u64)> = Vec::new();
        for (slot, other) in self
            .table
            .of(key)
            .filter(|&(_, other)| other != Entry::EXTENDED)
        {
            if self.is_same((other.position(), entry.position()), self.window() as u64)? {
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
        let replaced = in_text.or_else(|| {
            same.iter()
                .copied()
                .max_by_key(|same| same.1)
                .filter(|_| is_full)
        });
        match replaced {
            Some((slot, position)) if entry.position() < position => self.table.set(slot, entry),
            Some(_) => {}
            None => self.table.add(key, entry),
        }
        Ok(())
    }

    /// Returns whether the sequences of a number of units at two places are equal.
    fn is_same(&self, (one, other): (u64, u64), units: u64) -> Result<bool, S::Error> {
        let [mut a, mut b] = [Vec::new(), Vec::new()];
        let sequence = |position: u64| position..(position + units).min(self.units.count());
        Ok(self.units.read(sequence(one), &mut a)? == self.units.read(sequence(other), &mut b)?)
    }
}

/// Returns the two sequences that extend a sequence of a text with `length` units by the same number of units, to the left and to
/// the right. At the borders of the text, one or both do not exist.
fn extended(start: usize, end: usize, window: usize, length: usize) -> [Option<(usize, usize)>; 2] {
    let by = (window - (end - start)).div_ceil(2);
    [
        start.checked_sub(by).map(|start| (start, end)),
        Some((start, end + by)).filter(|&(_, end)| end <= length),
    ]
}

/// Returns the key of an extended sequence.
fn key(units: &[u64]) -> u64 {
    finish(hash(units) ^ units.len() as u64)
}

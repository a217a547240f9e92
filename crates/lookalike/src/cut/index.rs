//! The kept texts so far, and an index of their windows: finds the runs that a text shares with any of them.

use super::piece::Place;
use crate::{
    error::Result,
    fingerprint::{K0, Lookup, finish},
    runs::{Selected, Winnowing},
};

/// The number of places of a sequence above which the index divides them by what is around the sequence. In tests it
/// is small, because their texts are few.
const MOST: usize = if cfg!(test) { 2 } else { 16 };

/// The value of [`Place::text`] for a sequence with a list of places. [`Place::at`] is then the number of the list.
const LISTED: u32 = u32::MAX;

/// An index of kept texts, for windows of n units.
///
/// Winnowing selects sequences of w ≤ n units such that each window contains at least one, and the index has the places of
/// these. A short sequence, such as a common phrase, may occur in millions of kept texts even though no longer run does. Comparing
/// a text with all of them would take quadratic time. If a sequence of s units occurs at more than a few places, the index stores
/// two longer sequences instead, which extend it by h = ⌈(n − s) / 2⌉ units, one to the left and one to the right. Each window that
/// contains the sequence has n − s more units, and contains at least h of these on one side. Extended sequences with many places
/// are extended again, until they are whole windows. The kept texts contain a window only once, except that it may overlap itself.
#[derive(Debug)]
pub(super) struct Index {
    winnowing: Winnowing,
    /// The number of texts in which a window is found.
    texts_per_window: usize,
    texts: Vec<Vec<u64>>,
    /// The number of units in all texts.
    units: usize,
    heads: Lookup<u64, Place>,
    lists: Vec<List>,
    /// The number of places in all lists.
    listed: usize,
}

#[derive(Debug)]
enum List {
    Places(Vec<Place>),
    Extended,
}

/// Scratch buffers for looking up texts.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    fingerprints: Vec<u64>,
    pub selected: Vec<Selected>,
    hits: Vec<Hit>,
}

/// An equal sequence in a kept text and in the text that was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    text: u32,
    /// The position in the kept text minus the position in the other text.
    diagonal: i64,
    at: usize,
}

/// A run of n units or more that a kept text and another text share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    pub text: u32,
    /// The run's first unit in the kept text.
    pub kept_at: usize,
    /// The run's first unit in the other text.
    pub at: usize,
    /// The number of units.
    pub length: usize,
}

impl Index {
    /// Creates an empty index for windows of `window` units. Each window is found in `texts_per_window` texts at most, the first
    /// ones.
    ///
    /// # Errors
    /// Fails with the errors of [`Winnowing::new`].
    pub fn new(window: usize, texts_per_window: usize) -> Result<Self> {
        let winnowing = Winnowing::new(window)?;
        let (texts, heads, lists) = Default::default();
        Ok(Self { winnowing, texts_per_window, texts, units: 0, heads, lists, listed: 0 })
    }

    /// Returns the approximate number of bytes of memory in use.
    pub fn memory(&self) -> usize {
        let heads = self.heads.capacity() * (size_of::<(u64, Place)>() + 1);
        heads + self.units * 8 + self.texts.len() * size_of::<Vec<u64>>() + self.lists.len() * size_of::<List>() + self.listed * 8
    }

    /// Returns the number of units in a window.
    pub fn window(&self) -> usize {
        self.winnowing.least()
    }

    /// Selects sequences of a text.
    pub fn select(&self, units: &[u64], scratch: &mut Scratch) {
        self.winnowing.select(units, &mut scratch.fingerprints, &mut scratch.selected);
    }

    /// Adds a kept text, whose number is the number of texts before it. Group 0 and other groups share nothing. `selected` are the
    /// text's selected sequences.
    pub fn add(&mut self, units: Vec<u64>, group: u64, selected: &[Selected]) {
        let text = self.texts.len() as u32;
        let ends = self.winnowing.selected_tokens();
        self.units += units.len();
        self.texts.push(units);
        for &Selected { key, at } in selected {
            self.insert(key ^ group, at as usize, at as usize + ends, Place { text, at }, group);
        }
    }

    /// Adds the place of the sequence from `start` to `end` of a text.
    fn insert(&mut self, key: u64, start: usize, end: usize, place: Place, group: u64) {
        let is_window = end - start == self.window();
        let Some(head) = self.heads.get_mut(&key) else {
            self.heads.insert(key, place);
            return;
        };
        if head.text != LISTED {
            let list = List::Places(vec![*head]);
            *head = Place { text: LISTED, at: self.lists.len() as u32 };
            self.lists.push(list);
        }
        let number = head.at as usize;
        self.listed += 1;
        match &mut self.lists[number] {
            // Another sequence has the same key. This has a probability of 2⁻⁶⁴.
            List::Extended if is_window => {}
            List::Extended => self.insert_extended(start, end, place.text, group),
            List::Places(places) if is_window => add_first(places, place, self.texts_per_window),
            List::Places(places) if places.len() < MOST => places.push(place),
            List::Places(places) => {
                let mut places = std::mem::take(places);
                self.lists[number] = List::Extended;
                places.push(place);
                for Place { text, at } in places {
                    self.insert_extended(at as usize, at as usize + end - start, text, group);
                }
            }
        }
    }

    fn insert_extended(&mut self, start: usize, end: usize, text: u32, group: u64) {
        let units = &self.texts[text as usize];
        let longer = extended(start, end, self.window(), units.len())
            .map(|range| range.map(|(start, end)| (start, end, key(&units[start..end]))));
        for (start, end, key) in longer.into_iter().flatten() {
            self.insert(key ^ group, start, end, Place { text, at: start as u32 }, group);
        }
    }

    /// Calls `give` with the places of the sequence from `start` to `end` of `units`, or of longer sequences that contain it, and
    /// with the start of that sequence in `units`.
    fn each_place(&self, units: &[u64], own_key: u64, start: usize, end: usize, group: u64, give: &mut impl FnMut(Place, usize)) {
        match self.heads.get(&(own_key ^ group)) {
            None => {}
            Some(place) if place.text != LISTED => give(*place, start),
            Some(head) => match &self.lists[head.at as usize] {
                List::Places(places) => places.iter().for_each(|&place| give(place, start)),
                List::Extended if end - start == self.window() => {}
                List::Extended => {
                    for (start, end) in extended(start, end, self.window(), units.len()).into_iter().flatten() {
                        self.each_place(units, key(&units[start..end]), start, end, group, give);
                    }
                }
            },
        }
    }

    /// Fills `shared` with the runs of n units or more that the selected sequences for which `is_needed` returns true have in
    /// common with kept texts of a group, ordered by kept text. Cost: a cache miss for each selected sequence, and a comparison of the
    /// shared runs.
    pub fn shared(
        &self,
        units: &[u64],
        group: u64,
        scratch: &mut Scratch,
        is_needed: impl Fn(usize) -> bool,
        shared: &mut Vec<Shared>,
    ) {
        let Scratch { selected, hits, .. } = scratch;
        hits.clear();
        shared.clear();
        let length = self.winnowing.selected_tokens();
        for &Selected { key, at } in selected.iter() {
            let at = at as usize;
            if is_needed(at) {
                self.each_place(units, key, at, at + length, group, &mut |place, start| {
                    hits.push(Hit { text: place.text, diagonal: i64::from(place.at) - start as i64, at: start });
                });
            }
        }
        hits.sort_unstable();
        for hits in hits.chunk_by(|x, y| (x.text, x.diagonal) == (y.text, y.diagonal)) {
            let (text, diagonal) = (hits[0].text, hits[0].diagonal);
            let kept = &self.texts[text as usize];
            let mut end = 0;
            for hit in hits.iter() {
                if hit.at < end {
                    continue;
                }
                let kept_at = (hit.at as i64 + diagonal) as usize;
                let before = units[..hit.at].iter().rev().zip(kept[..kept_at].iter().rev()).take_while(|(a, b)| a == b).count();
                let after = units[hit.at..].iter().zip(&kept[kept_at..]).take_while(|(a, b)| a == b).count();
                end = hit.at + after;
                if before + after >= self.window() {
                    shared.push(Shared { text, kept_at: kept_at - before, at: hit.at - before, length: before + after });
                }
            }
        }
    }
}

/// Returns the two sequences that extend a sequence of a text with `length` units by the same number of units, to the left and to the
/// right. At the borders of the text, one or both do not exist.
fn extended(start: usize, end: usize, window: usize, length: usize) -> [Option<(usize, usize)>; 2] {
    let by = (window - (end - start)).div_ceil(2);
    [start.checked_sub(by).map(|start| (start, end)), Some((start, end + by)).filter(|&(_, end)| end <= length)]
}

/// The key of an extended sequence.
fn key(units: &[u64]) -> u64 {
    units.iter().fold(finish(K0 ^ units.len() as u64), |key, &unit| finish(key ^ unit).wrapping_add(K0))
}

/// Adds the place of a whole window, which is in the order of texts. Only the first place in a text is kept, and only the places
/// in the first texts. Different windows with equal keys, which have a probability of 2⁻⁶⁴, may be missed.
fn add_first(places: &mut Vec<Place>, place: Place, most: usize) {
    let at = places.partition_point(|other| other.text < place.text);
    match places.get_mut(at).filter(|other| other.text == place.text) {
        Some(other) => other.at = other.at.min(place.at),
        None => places.insert(at, place),
    }
    places.truncate(most);
}

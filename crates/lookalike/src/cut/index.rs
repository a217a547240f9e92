//! The kept texts so far, and an index of their windows: finds the runs that a text shares with any of them.

use super::{
    anchors::{Anchor, BETWEEN, Sides, hash, other_than_between},
    table::{Entry, Table},
};
use crate::{error::Result, fingerprint::finish, runs::Winnowing};

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
/// they are whole windows. The kept texts contain a window only once if nothing
/// else is kept on purpose. If a text repeats a window, only the anchors of its first place are added.
///
/// The index takes about 16 bytes per anchor, and the kept texts 8 bytes per unit.
#[derive(Debug)]
pub(super) struct Index {
    winnowing: Winnowing,
    /// The number of texts in which a window is found.
    texts_per_window: usize,
    /// The units of all texts, with [`BETWEEN`] before each text and after the last.
    units: Vec<u64>,
    /// The position of each text's first unit in `units`.
    starts: Vec<u64>,
    table: Table,
    lists: Vec<List>,
    /// The number of places in all lists.
    listed: usize,
}

#[derive(Debug)]
enum List {
    Places(Vec<Entry>),
    Extended,
}

/// A position of a kept text where a sequence occurs, minus the position of the sequence in another text; and the latter.
pub(super) type Hit = (i64, u32);

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
        let (units, table) = (vec![BETWEEN], Table::new());
        Ok(Self { winnowing, texts_per_window, units, starts: Vec::new(), table, lists: Vec::new(), listed: 0 })
    }

    /// Returns the approximate number of bytes of memory in use.
    pub fn memory(&self) -> usize {
        let lists = self.lists.len() * size_of::<List>() + self.listed * size_of::<Entry>();
        self.table.memory() + 8 * (self.units.len() + self.starts.len()) + lists
    }

    /// Returns the number of units in a window.
    pub fn window(&self) -> usize {
        self.winnowing.least()
    }

    /// Returns how the anchors of texts are selected.
    pub fn winnowing(&self) -> Winnowing {
        self.winnowing
    }

    /// Adds a kept text of a group, whose number is the number of texts before it, with its anchors.
    pub fn add(&mut self, units: &[u64], group: u64, anchors: &[Anchor]) {
        let start = self.units.len() as u64;
        let length = self.winnowing.selected_tokens() as u64;
        self.starts.push(start);
        self.units.extend(units.iter().map(|&unit| other_than_between(unit)));
        self.units.push(BETWEEN);
        for &Anchor { key, at, sides } in anchors {
            let at = start + u64::from(at);
            self.insert(key ^ group, at, at + length, sides, group);
        }
    }

    /// Adds the sequence from `start` to `end` of all units.
    fn insert(&mut self, key: u64, start: u64, end: u64, sides: Sides, group: u64) {
        let is_window = (end - start) as usize == self.window();
        let entry = Entry::new(start, sides.0);
        let Some(head) = self.table.get(key) else {
            self.table.set(key, entry);
            return;
        };
        let number = head.list().unwrap_or_else(|| {
            self.lists.push(List::Places(vec![head]));
            self.table.set(key, Entry::of_list(self.lists.len() - 1));
            self.lists.len() - 1
        });
        match &mut self.lists[number] {
            // Another sequence has the same key. This has a probability of 2⁻⁶⁴.
            List::Extended if is_window => {}
            List::Extended => self.insert_extended(start, end, group),
            List::Places(places) if is_window => {
                add_first(places, entry, &self.starts, self.texts_per_window);
                self.listed += 1;
            }
            List::Places(places) if places.len() < MOST => {
                places.push(entry);
                self.listed += 1;
            }
            List::Places(places) => {
                let mut places = std::mem::take(places);
                self.lists[number] = List::Extended;
                self.listed -= places.len();
                places.push(entry);
                for place in places {
                    self.insert_extended(place.position(), place.position() + end - start, group);
                }
            }
        }
    }

    fn insert_extended(&mut self, start: u64, end: u64, group: u64) {
        let (from, units) = self.around(start, end);
        let (start, end) = ((start - from) as usize, (end - from) as usize);
        let longer = extended(start, end, self.window(), units.len()).map(|range| {
            let (start, end) = range?;
            Some((key(&units[start..end]), from + start as u64, from + end as u64, Sides::of(units, start, end, self.window())))
        });
        for (key, start, end, sides) in longer.into_iter().flatten() {
            self.insert(key ^ group, start, end, sides, group);
        }
    }

    /// Returns the units of a text from `start` to `end` and up to a window before and after them, and the position of the first.
    fn around(&self, start: u64, end: u64) -> (u64, &[u64]) {
        let (start, end, window) = (start as usize, end as usize, self.window());
        let before = &self.units[start.saturating_sub(window)..start];
        let after = &self.units[end..(end + window).min(self.units.len())];
        let before = before.iter().rev().take_while(|unit| **unit != BETWEEN).count();
        let after = after.iter().take_while(|unit| **unit != BETWEEN).count();
        ((start - before) as u64, &self.units[start - before..end + after])
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
        let Some(head) = self.table.get(own_key ^ group) else { return };
        let is_window = end - start == self.window();
        let may_match = |entry: &Entry| is_window || Sides(entry.sides()).may_match(sides);
        let Some(list) = head.list() else {
            if may_match(&head) {
                give(head.position(), start);
            }
            return;
        };
        match &self.lists[list] {
            List::Places(places) => {
                places.iter().filter(|place| may_match(place)).for_each(|place| give(place.position(), start))
            }
            List::Extended if is_window => {}
            List::Extended => {
                for (start, end) in extended(start, end, self.window(), units.len()).into_iter().flatten() {
                    let own = (key(&units[start..end]), Sides::of(units, start, end, self.window()));
                    self.each_entry(units, own, (start, end), group, give);
                }
            }
        }
    }

    /// Fills `shared` with the runs of n units or more that the anchors for which `is_needed` returns true have in common with kept
    /// texts of a group, ordered by kept text. `hits` is a scratch buffer. Cost: a cache miss for each anchor, and a comparison of the
    /// shared runs.
    pub fn shared(
        &self,
        units: &[u64],
        group: u64,
        (anchors, hits): (&[Anchor], &mut Vec<Hit>),
        mut is_needed: impl FnMut(usize) -> bool,
        shared: &mut Vec<Shared>,
    ) {
        hits.clear();
        shared.clear();
        let length = self.winnowing.selected_tokens();
        self.table.load(anchors.iter().map(|anchor| anchor.key ^ group));
        for &Anchor { key, at, sides } in anchors {
            let at = at as usize;
            if is_needed(at) {
                self.each_entry(units, (key, sides), (at, at + length), group, &mut |position, start| {
                    hits.push((position as i64 - start as i64, start as u32));
                });
            }
        }
        hits.sort_unstable();
        // Loads the units at all places at the same time, as for the table.
        std::hint::black_box(hits.iter().fold(0, |loaded, &(from, at)| loaded ^ self.units[(from + i64::from(at)) as usize]));
        let mut last = (i64::MIN, 0);
        for &(from, at) in hits.iter() {
            if last.0 == from && (at as usize) < last.1 {
                continue;
            }
            let (at, position) = (at as usize, (from + i64::from(at)) as usize);
            let equal = |(a, b): &(&u64, &u64)| other_than_between(**a) == **b;
            let before = units[..at].iter().rev().zip(self.units[..position].iter().rev()).take_while(equal).count();
            let after = units[at..].iter().zip(&self.units[position..]).take_while(equal).count();
            last = (from, at + after);
            if before + after >= self.window() {
                let first = (position - before) as u64;
                let text = self.starts.partition_point(|start| *start <= first) - 1;
                let kept_at = (first - self.starts[text]) as usize;
                shared.push(Shared { text: text as u32, kept_at, at: at - before, length: before + after });
            }
        }
    }
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

/// Adds the place of a whole window, which is in the order of texts. Only the first place in a text is kept, and only the places
/// in the first texts. Different windows with equal keys, which have a probability of 2⁻⁶⁴, may be missed.
fn add_first(places: &mut Vec<Entry>, place: Entry, starts: &[u64], most: usize) {
    let text = |entry: &Entry| starts.partition_point(|start| *start <= entry.position());
    let number = text(&place);
    let at = places.partition_point(|other| text(other) < number);
    match places.get_mut(at).filter(|other| text(other) == number) {
        Some(other) if place.position() < other.position() => *other = place,
        Some(_) => {}
        None => places.insert(at, place),
    }
    places.truncate(most);
}

//! Cuts texts by the law, one after another.

use std::{ops::Range, sync::Arc};

use super::{
    anchors::{Anchor, Anchoring, around},
    kept::{Index, Search, Shared, Store},
    own::FirstWindows,
    piece::{Chain, Cutout, Piece, Place, Stretches, cutouts, kept_ranges, merged, whole_lines},
    repeated::Repeated,
};
use crate::{error, runs::Winnowing};

/// The number by which a text refers to itself while it is cut. It is greater than all others, because a text comes after the
/// texts that are already kept.
const OWN: u32 = u32::MAX;

/// The rules by which texts are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The number of units in a window, n.
    pub window: usize,
    /// A window is cut if it occurs in this number of texts before.
    pub after: usize,
    /// The minimum number of tokens in a window that is cut.
    pub least_tokens: usize,
    /// A text that lost something and has fewer tokens left is dropped.
    pub least_left: usize,
}

/// The units of a text.
#[derive(Debug, Clone, Copy)]
pub struct Units<'a> {
    /// A hash of each unit. Units with equal hashes are equal.
    pub hashes: &'a [u64],
    /// The number of tokens in each unit, or none if each unit is one token.
    pub tokens: Option<&'a [u32]>,
    /// The line of each unit, if only whole lines are cut.
    pub lines: Option<&'a [u32]>,
}

impl Units<'_> {
    /// Returns the number of tokens in a range of units.
    pub fn tokens(&self, units: Range<usize>) -> usize {
        match self.tokens {
            None => units.len(),
            Some(tokens) => tokens[units].iter().map(|&tokens| tokens as usize).sum(),
        }
    }
}

/// What is cut out of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The pieces that are cut, in order. Adjacent pieces differ in their sources.
    pub pieces: Vec<Piece>,
    /// Whether too little of the text was left, and the rest is dropped too.
    pub is_dropped: bool,
}

/// The texts that are kept so far, by which the next text is cut.
///
/// If the cutter knows which anchors are repeated in all texts, it keeps only these and what cutting joins. A window that cutting joins may
/// have an anchor that another text has once, so that it was not known to be repeated. The caller must look up the keys of
/// [`joined`](Self::joined) among the anchors of all texts. If one is found, the caller adds it to the repeated ones and cuts all texts
/// again.
#[derive(Debug)]
pub struct Cutter<S = Vec<u64>> {
    rules: Rules,
    index: Index<S>,
    /// The stretches of kept texts that lost something: their number, and then one number for each.
    stretches: S,
    /// The keys of all anchors that are repeated, if they are known.
    repeated: Option<Arc<Repeated>>,
    joined: Vec<u64>,
    /// Whether there are texts out of which nothing was cut.
    has_references: bool,
    texts: u32,
    scratch: Scratch,
}

/// The place of the stretches of a text that lost nothing.
const WHOLE: u64 = u64::MAX >> 1;

/// Scratch buffers for one text.
#[derive(Debug, Default)]
struct Scratch {
    /// The anchors of what remains of the text.
    anchoring: Anchoring,
    /// If anchors repeat, the first of several equal windows of what remains.
    first: FirstWindows,
    search: Search,
    shared: Vec<Shared>,
    unmarked: Vec<u32>,
    found: Vec<Found>,
    chains: Vec<Chain>,
    /// The keys of the anchors of the whole text.
    keys: Vec<u64>,
    numbers: Vec<u64>,
}

/// What remains of a text.
struct Rest {
    hashes: Vec<u64>,
    tokens: Option<Vec<u32>>,
    lines: Option<Vec<u32>>,
}

impl Cutter {
    /// Creates a cutter without any texts, which keeps all that it needs in memory.
    ///
    /// # Errors
    /// Fails if the window is empty or too long.
    pub fn new(rules: Rules) -> error::Result<Self> {
        Self::with_stores(rules, None, Default::default())
    }
}

impl<S: Store> Cutter<S> {
    /// Creates a cutter without any texts, which keeps texts in three stores. `repeated` has the keys of all anchors that occur more than
    /// once in all texts; if there is none, all anchors count as repeated.
    ///
    /// # Errors
    /// Fails if the window is empty or too long.
    pub fn with_stores(rules: Rules, repeated: Option<Arc<Repeated>>, [units, areas, stretches]: [S; 3]) -> error::Result<Self> {
        let index = Index::new(Winnowing::new(rules.window)?, rules.after, repeated.clone(), [units, areas]);
        Ok(Self {
            rules,
            index,
            stretches,
            repeated,
            joined: Vec::new(),
            has_references: false,
            texts: 0,
            scratch: Scratch::default(),
        })
    }

    /// Returns the approximate number of bytes of memory in use, except for what stores count themselves.
    pub fn memory(&self) -> usize {
        self.index.memory() + self.stretches.memory()
    }

    /// Returns the keys of the anchors that cutting joined, and that are not known to be repeated.
    pub fn joined(&mut self) -> &mut Vec<u64> {
        &mut self.joined
    }

    /// Keeps a whole text, as a reference that nothing is cut out of.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub fn keep(&mut self, units: Units, group: u64) -> Result<(), S::Error> {
        self.find_anchors(units.hashes);
        self.texts += 1;
        self.has_references = true;
        self.remember(self.texts - 1, &units, &Stretches::default(), group)
    }

    /// Keeps a text that has no repeated anchor. This does the same as [`cut`](Self::cut).
    pub fn pass(&mut self) {
        self.texts += 1;
    }

    /// Cuts out of the next text what earlier texts of its group contain, and what the text itself has before.
    ///
    /// # Errors
    /// Fails if a store fails.
    ///
    /// # Panics
    /// Panics if the text has 2³² units or more, or if there are more texts.
    pub fn cut(&mut self, units: Units, group: u64) -> Result<Outcome, S::Error> {
        self.find_anchors(units.hashes);
        self.cut_next(units, group)
    }

    /// Does the same as [`cut`](Self::cut), with the anchors of the text, which another thread has found, and whether they repeat.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub fn cut_anchored(
        &mut self,
        units: Units,
        (anchors, has_repeats): (&[Anchor], bool),
        group: u64,
    ) -> Result<Outcome, S::Error> {
        self.scratch.anchoring.set(anchors, has_repeats);
        self.find_first_windows(units.hashes);
        self.cut_next(units, group)
    }

    fn find_anchors(&mut self, units: &[u64]) {
        self.scratch.anchoring.find(units, self.index.winnowing(), self.repeated.as_deref());
        self.find_first_windows(units);
    }

    fn find_first_windows(&mut self, units: &[u64]) {
        if self.scratch.anchoring.has_repeats {
            self.scratch.first.find(units, &self.scratch.anchoring.anchors, self.rules.window);
        }
    }

    /// Cuts the next text, whose anchors were found.
    fn cut_next(&mut self, units: Units, group: u64) -> Result<Outcome, S::Error> {
        let number = self.texts;
        self.texts += 1;
        let mut stretches = Stretches::default();
        let mut pieces = Vec::new();
        // After the first round, what remains, and where its stretches end.
        let mut left: Option<(Rest, Vec<usize>)> = None;
        loop {
            let current = left.as_ref().map_or(units, |(rest, _)| rest.units());
            let joints = left.as_ref().map(|(_, joints)| joints.as_slice());
            self.round(&current, joints, group)?;
            let mut cut = cutouts(&self.scratch.chains);
            if let Some(lines) = current.lines {
                cut = whole_lines(&cut, lines);
            }
            if cut.is_empty() {
                break;
            }
            for cutout in &cut {
                self.push_pieces(cutout, &stretches, number, &mut pieces)?;
            }
            if left.is_none() && self.repeated.is_some() {
                let Scratch { keys, anchoring, .. } = &mut self.scratch;
                keys.clear();
                keys.extend(anchoring.anchors.iter().map(Anchor::key));
                keys.sort_unstable();
            }
            let kept = kept_ranges(&cut, current.hashes.len());
            stretches = stretches.of(&kept);
            let rest = Rest::of(&current, &kept);
            self.find_anchors(&rest.hashes);
            let ends = kept.iter().scan(0, |end, range| {
                *end += range.len();
                Some(*end)
            });
            left = Some((rest, ends.collect()));
        }
        let Some((rest, _)) = left else {
            self.remember(number, &units, &stretches, group)?;
            return Ok(Outcome::default());
        };
        let is_dropped = rest.units().tokens(0..rest.hashes.len()) < self.rules.least_left;
        if !is_dropped {
            self.remember(number, &rest.units(), &stretches, group)?;
        }
        Ok(Outcome { pieces: merged(pieces, number as usize, is_dropped), is_dropped })
    }

    /// Adds a kept text, of which the anchors were found last, to the index.
    fn remember(&mut self, number: u32, units: &Units, stretches: &Stretches, group: u64) -> Result<(), S::Error> {
        let Self { rules, index, scratch, .. } = self;
        let Scratch { anchoring, first, numbers, .. } = scratch;
        let joints: Vec<usize> = stretches.joints().collect();
        let mut is_joined = Joined::new(&joints, rules.window);
        let repeats = anchoring.has_repeats;
        let mut anchors = anchoring
            .anchors
            .iter()
            .copied()
            .filter(|anchor| anchor.is_repeated | is_joined.is_near(anchor.at as usize))
            // Only the first place of a window in a text counts.
            .filter(|anchor| !repeats || first.has_first(around(anchor.at as usize, rules.window)))
            .filter(|anchor| rules.may_mark(units, anchor.at as usize))
            .peekable();
        if anchors.peek().is_none() {
            return Ok(());
        }
        numbers.clear();
        numbers.extend(stretches.packed());
        let place = match numbers.len() as u64 {
            0 => WHOLE,
            count => {
                let place = self.stretches.count();
                self.stretches.append(&[count])?;
                self.stretches.append(numbers)?;
                place
            }
        };
        index.add((number, place, repeats), units.hashes, group, anchors)
    }

    /// Fills the chains of windows that are marked in a round, from left to right. In rounds after the first, there are `joints`. With
    /// most rules, only windows that span one of these can occur in other texts then.
    fn round(&mut self, rest: &Units, joints: Option<&[usize]>, group: u64) -> Result<(), S::Error> {
        let Self { rules, index, scratch, joined, has_references, .. } = self;
        let Scratch { anchoring, search, shared, first, chains, keys, .. } = scratch;
        let window = rules.window;
        chains.clear();
        let Some(windows) = (rest.hashes.len() + 1).checked_sub(window) else { return Ok(()) };
        let repeats = anchoring.has_repeats;
        // With these settings, each window that is marked in a later round spans a joint.
        let is_sparse = joints.is_some() && rules.after == 1 && rest.lines.is_none();
        let mut is_joined = Joined::new(joints.unwrap_or_default(), window);
        let is_needed = |anchor: &Anchor| {
            let at = anchor.at as usize;
            let is_near = is_joined.is_near(at);
            // Only the first of several equal windows is looked up.
            if repeats && !first.has_first(around(at, window)) || !rules.may_mark(rest, at) {
                return false;
            }
            if is_near && !anchor.is_repeated && keys.binary_search(&anchor.key).is_err() {
                joined.push(anchor.key);
            }
            is_near || anchor.is_repeated && !is_sparse
        };
        let is_plain = !repeats && rules.after == 1 && rules.least_tokens == 0;
        let is_unique = is_plain && rest.lines.is_none() && !*has_references;
        index.shared((rest.hashes, is_unique), group, (&anchoring.anchors, search), is_needed, shared)?;
        if shared.is_empty() && !repeats {
            return Ok(());
        }
        if !(is_plain && chains_of_runs(shared, window, chains)) {
            chains_of_windows(*rules, rest, windows, scratch);
        }
        Ok(())
    }

    /// Adds the pieces of a cutout, at places of the original texts.
    fn push_pieces(&mut self, cutout: &Cutout, own: &Stretches, number: u32, pieces: &mut Vec<Piece>) -> Result<(), S::Error> {
        let Cutout { start, end, source } = *cutout;
        let other;
        let (text, of_source) = match source.text {
            OWN => (number, own),
            text => {
                let run = self.scratch.shared.iter().find(|run| run.text == text);
                other = self.stretches(run.map_or(WHOLE, |run| run.stretches))?;
                (text, &other)
            }
        };
        let mut at = source.at as usize;
        own.each(start..end, |range| {
            let mut start = range.start;
            of_source.each(at..at + range.len(), |kept| {
                let end = start + kept.len();
                pieces.push(Piece { start, end, source: text as usize, source_start: kept.start });
                start = end;
            });
            at += range.len();
        });
        Ok(())
    }

    /// Returns the stretches at a place.
    fn stretches(&mut self, place: u64) -> Result<Stretches, S::Error> {
        if place == WHOLE {
            return Ok(Stretches::default());
        }
        let numbers = &mut self.scratch.numbers;
        let count = self.stretches.read(place..place + 1, numbers)?[0];
        Ok(Stretches::unpacked(self.stretches.read(place + 1..place + 1 + count, numbers)?))
    }
}

impl Rules {
    /// Returns whether a window that contains the anchor at a unit may be marked: if a window is one unit, it may have too few tokens.
    fn may_mark(&self, units: &Units, at: usize) -> bool {
        self.least_tokens == 0 || self.window > 1 || units.tokens(at..at + 1) >= self.least_tokens
    }
}

/// Finds anchors that are near the joints of a text, from left to right.
struct Joined<'a> {
    joints: &'a [usize],
    window: usize,
}

impl<'a> Joined<'a> {
    fn new(joints: &'a [usize], window: usize) -> Self {
        Self { joints, window }
    }

    /// Returns whether a window that contains the anchor at a unit may span a joint. The units must be given in order.
    fn is_near(&mut self, at: usize) -> bool {
        while let [first, rest @ ..] = self.joints
            && first + self.window <= at
        {
            self.joints = rest;
        }
        self.joints.first().is_some_and(|&joint| joint < at + self.window)
    }
}

/// Fills `chains` if each marked window is in one run only: then, the runs are the chains. Returns false if this is not so.
fn chains_of_runs(shared: &mut [Shared], window: usize, chains: &mut Vec<Chain>) -> bool {
    shared.sort_unstable_by_key(|run| run.at);
    if shared.windows(2).any(|runs| runs[0].at + runs[0].length >= runs[1].at + window) {
        return false;
    }
    chains.extend(shared.iter().map(|&Shared { text, kept_at, at, length, .. }| {
        let source = Place { text, at: kept_at as u32 };
        Chain { start: at, end: at + length, source }
    }));
    true
}

/// Fills the chains by looking at every window.
fn chains_of_windows(rules: Rules, rest: &Units, windows: usize, scratch: &mut Scratch) {
    let Scratch { anchoring, shared, first, unmarked, found, chains, .. } = scratch;
    let (window, repeats) = (rules.window, anchoring.has_repeats);
    chains.clear();
    find(shared, window, windows, found);
    // The first place of each window in a stretch without marks.
    unmarked.clear();
    unmarked.resize(if repeats { windows } else { 0 }, u32::MAX);
    let (mut marked_to, mut unmarked_from) = (0, 0);
    for at in 0..windows {
        if at > 0 && marked_to >= at {
            unmarked_from = at;
        }
        if repeats && let Some(before) = at.checked_sub(window).filter(|&before| before >= unmarked_from) {
            let place = &mut unmarked[first.of(before)];
            *place = (*place).min(before as u32);
        }
        let same = if repeats { first.of(at) } else { at };
        let own = unmarked.get(same).copied().filter(|&place| place != u32::MAX).map(|at| Place { text: OWN, at });
        let Found { place, texts, .. } = found[same];
        let Some(source) = place.or(own).filter(|_| texts as usize + usize::from(own.is_some()) >= rules.after) else {
            continue;
        };
        if rules.least_tokens > 0 && rest.tokens(at..at + window) < rules.least_tokens {
            continue;
        }
        marked_to = at + window;
        match chains.last_mut() {
            Some(last)
                if last.end == at + window - 1
                    && last.source.text == source.text
                    && (source.at.wrapping_sub(last.source.at)) as usize == at - last.start =>
            {
                last.end += 1;
            }
            _ => chains.push(Chain { start: at, end: at + window, source }),
        }
    }
}

impl Rest {
    /// Copies some ranges of a text's units.
    fn of(units: &Units, kept: &[Range<usize>]) -> Self {
        fn copied<T: Copy>(all: &[T], kept: &[Range<usize>]) -> Vec<T> {
            kept.iter().map(|range| &all[range.clone()]).collect::<Vec<_>>().concat()
        }
        Self {
            hashes: copied(units.hashes, kept),
            tokens: units.tokens.map(|tokens| copied(tokens, kept)),
            lines: units.lines.map(|lines| copied(lines, kept)),
        }
    }

    fn units(&self) -> Units<'_> {
        Units { hashes: &self.hashes, tokens: self.tokens.as_deref(), lines: self.lines.as_deref() }
    }
}

/// The place of a window in kept texts.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// The first place.
    place: Option<Place>,
    /// The number of texts that contain the window.
    texts: u32,
    /// The last of them.
    last: u32,
}

/// Fills `found` with the places of all windows. The runs are ordered by text, unless kept texts have each window only once.
fn find(shared: &[Shared], window: usize, windows: usize, found: &mut Vec<Found>) {
    found.clear();
    found.resize(windows, Found { place: None, texts: 0, last: u32::MAX });
    for &Shared { text, kept_at, at, length, .. } in shared {
        for (found, kept_at) in found[at..=at + length - window].iter_mut().zip(kept_at..) {
            let place = Place { text, at: kept_at as u32 };
            found.place = Some(found.place.map_or(place, |other| other.min(place)));
            found.texts += u32::from(found.last != text);
            found.last = text;
        }
    }
}

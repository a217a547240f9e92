//! Cuts texts by the law, one after another.

use super::{
    index::{Index, Scratch, Shared},
    own::first_windows,
    piece::{Piece, Place},
};
use crate::{error::Result, runs::Selected};

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
    /// Returns the number of tokens in some units.
    pub fn tokens(&self, units: impl Iterator<Item = usize>) -> usize {
        match self.tokens {
            None => units.count(),
            Some(tokens) => units.map(|unit| tokens[unit] as usize).sum(),
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
#[derive(Debug)]
pub struct Cutter {
    rules: Rules,
    index: Index,
    /// For each text in the index, its number, and where its kept units were in the original text.
    kept: Vec<(u32, Kept)>,
    texts: u32,
    scratch: Scratch,
    shared: Vec<Shared>,
    first: Vec<u32>,
}

/// The kept units of a text: for each stretch, its first unit in the kept text and in the original text.
#[derive(Debug, Default)]
struct Kept(Vec<(u32, u32)>);

impl Kept {
    /// Returns the position in the original text of a kept unit.
    fn original(&self, at: usize) -> usize {
        let stretch = self.0.partition_point(|&(kept, _)| kept as usize <= at).checked_sub(1);
        stretch.map_or(at, |stretch| self.0[stretch].1 as usize + at - self.0[stretch].0 as usize)
    }
}

/// Consecutive windows of a text whose sources are consecutive too.
#[derive(Debug, Clone, Copy)]
struct Chain {
    start: usize,
    /// One past the last unit of the last window.
    end: usize,
    source: Place,
}

impl Cutter {
    /// Returns the approximate number of bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.index.memory() + self.kept.len() * size_of::<(u32, Kept)>()
    }

    /// Creates a cutter without any texts.
    ///
    /// # Errors
    /// Fails if the window is empty or too long.
    pub fn new(rules: Rules) -> Result<Self> {
        let index = Index::new(rules.window, rules.after)?;
        let (scratch, shared, first) = Default::default();
        Ok(Self { rules, index, kept: Vec::new(), texts: 0, scratch, shared, first })
    }

    /// Keeps a whole text, as a reference that nothing is cut out of.
    pub fn keep(&mut self, units: Units, group: u64) {
        self.index.select(units.hashes, &mut self.scratch);
        self.remember(self.texts, units.hashes.to_vec(), Kept::default(), group);
        self.texts += 1;
    }

    /// Cuts what the texts of the same group before it contain, and what it repeats itself, out of the next text.
    ///
    /// # Panics
    /// Panics if the text has 2³² units or more, or if there are more texts.
    pub fn cut(&mut self, units: Units, group: u64) -> Outcome {
        let number = self.texts;
        self.texts += 1;
        let mut rest: Vec<u64> = units.hashes.to_vec();
        let mut original: Vec<u32> = Vec::new();
        let mut sources: Vec<Option<Place>> = Vec::new();
        loop {
            let chains = self.round(&rest, &units, &original, group);
            if chains.is_empty() {
                break;
            }
            if original.is_empty() {
                original = (0..rest.len() as u32).collect();
                sources = vec![None; rest.len()];
            }
            self.mark(&chains, &original, number, &mut sources);
            if let Some(lines) = units.lines {
                unmark_parts(lines, &original, &mut sources);
            }
            let before = rest.len();
            let mut kept = original.iter().map(|&unit| sources[unit as usize].is_none());
            rest.retain(|_| kept.next().unwrap_or_default());
            original.retain(|&unit| sources[unit as usize].is_none());
            if rest.len() == before {
                break;
            }
        }
        if original.len() == units.hashes.len() || sources.is_empty() {
            self.remember(number, rest, Kept::default(), group);
            return Outcome::default();
        }
        let is_dropped = units.tokens(original.iter().map(|&unit| unit as usize)) < self.rules.least_left;
        if !is_dropped {
            let starts = |&at: &usize| at == 0 || original[at] != original[at - 1] + 1;
            let stretches = (0..original.len()).filter(starts).map(|at| (at as u32, original[at])).collect();
            self.remember(number, rest, Kept(stretches), group);
        }
        Outcome { pieces: pieces(&mut sources, number, is_dropped), is_dropped }
    }

    /// Adds a kept text to the index, if any later text can share a window with it.
    fn remember(&mut self, number: u32, units: Vec<u64>, kept: Kept, group: u64) {
        self.index.add(units, group, &self.scratch.selected);
        self.kept.push((number, kept));
    }

    /// Returns the windows that are marked in a round, from left to right.
    fn round(&mut self, rest: &[u64], units: &Units, original: &[u32], group: u64) -> Vec<Chain> {
        let Self { rules, index, scratch, shared, first, .. } = self;
        let Rules { window, after, least_tokens, .. } = *rules;
        index.select(rest, scratch);
        let Some(windows) = (rest.len() + 1).checked_sub(window) else { return Vec::new() };
        let repeats = has_repeats(&scratch.selected);
        if repeats {
            first_windows(rest, window, first);
        }
        // Only the first of several equal windows is looked up.
        let is_first = |at: usize| {
            let windows = at.saturating_sub(window - 1)..(at + 1).min(windows);
            !repeats || windows.into_iter().any(|at| first[at] as usize == at)
        };
        index.shared(rest, group, scratch, is_first, shared);
        if shared.is_empty() && !repeats {
            return Vec::new();
        }
        let found = Found::new(shared, window, windows);
        let mut chains: Vec<Chain> = Vec::new();
        // The first place of each window in a stretch without marks.
        let mut unmarked: Vec<u32> = if repeats { vec![u32::MAX; windows] } else { Vec::new() };
        let (mut marked_to, mut unmarked_from) = (0, 0);
        for at in 0..windows {
            if at > 0 && marked_to >= at {
                unmarked_from = at;
            }
            if repeats && let Some(before) = at.checked_sub(window).filter(|&before| before >= unmarked_from) {
                let place = &mut unmarked[first[before] as usize];
                *place = (*place).min(before as u32);
            }
            let same = if repeats { first[at] as usize } else { at };
            let own = unmarked.get(same).copied().filter(|&place| place != u32::MAX).map(|at| Place { text: OWN, at });
            let texts = found.texts[same] as usize + usize::from(own.is_some());
            let Some(source) = found.places[same].or(own).filter(|_| texts >= after) else { continue };
            let unit = |at: usize| original.get(at).map_or(at, |&unit| unit as usize);
            if least_tokens > 0 && units.tokens((at..at + window).map(unit)) < least_tokens {
                continue;
            }
            marked_to = at + window;
            match chains.last_mut() {
                Some(last)
                    if last.end == at + window - 1
                        && last.source.text == source.text
                        && (source.at - last.source.at) as usize == at - last.start =>
                {
                    last.end += 1;
                }
                _ => chains.push(Chain { start: at, end: at + window, source }),
            }
        }
        chains
    }

    /// Sets the source of each marked unit. From left to right, the chain that reaches furthest gives the sources of the units up to
    /// its end.
    fn mark(&self, chains: &[Chain], original: &[u32], number: u32, sources: &mut [Option<Place>]) {
        let (mut next, mut at) = (0, 0);
        let mut furthest: Option<&Chain> = None;
        loop {
            while let Some(chain) = chains.get(next).filter(|chain| chain.start <= at) {
                if furthest.is_none_or(|furthest| chain.end > furthest.end) {
                    furthest = Some(chain);
                }
                next += 1;
            }
            match furthest.filter(|furthest| furthest.end > at) {
                Some(chain) => {
                    for unit in at..chain.end {
                        let place = chain.source.at as usize + unit - chain.start;
                        let (text, at) = match chain.source.text {
                            OWN => (number, original[place] as usize),
                            text => (self.kept[text as usize].0, self.kept[text as usize].1.original(place)),
                        };
                        sources[original[unit] as usize] = Some(Place { text, at: at as u32 });
                    }
                    at = chain.end;
                }
                None => match chains.get(next) {
                    Some(chain) => at = chain.start,
                    None => return,
                },
            }
        }
    }
}

/// Removes the marks of lines that are marked in part only.
fn unmark_parts(lines: &[u32], original: &[u32], sources: &mut [Option<Place>]) {
    for line in original.chunk_by(|&a, &b| lines[a as usize] == lines[b as usize]) {
        if line.iter().any(|&unit| sources[unit as usize].is_none()) {
            line.iter().for_each(|&unit| sources[unit as usize] = None);
        }
    }
}

/// The places of windows in kept texts.
struct Found {
    /// The first place of each window.
    places: Vec<Option<Place>>,
    /// The number of texts that contain each window.
    texts: Vec<u32>,
}

impl Found {
    fn new(shared: &[Shared], window: usize, windows: usize) -> Self {
        let (mut places, mut texts, mut last) = (vec![None; windows], vec![0; windows], vec![u32::MAX; windows]);
        for &Shared { text, kept_at, at, length } in shared {
            for offset in 0..=length - window {
                let at = at + offset;
                let place = Place { text, at: (kept_at + offset) as u32 };
                places[at] = Some(places[at].map_or(place, |other: Place| other.min(place)));
                texts[at] += u32::from(last[at] != text);
                last[at] = text;
            }
        }
        Self { places, texts }
    }
}

/// Returns whether a text may repeat one of its windows: only then, it selects a sequence twice.
fn has_repeats(selected: &[Selected]) -> bool {
    let mut keys: Vec<u64> = selected.iter().map(|selected| selected.key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|keys| keys[0] == keys[1])
}

/// Returns the pieces of a text that are cut. If the place that was the source of a unit was cut later, its own source is the place
/// where the unit is kept. What only a dropped text itself contains is not a piece.
fn pieces(sources: &mut [Option<Place>], number: u32, is_dropped: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for unit in 0..sources.len() {
        let Some(mut place) = sources[unit] else { continue };
        if place.text == number
            && let Some(source) = sources[place.at as usize]
        {
            // Sources come before what is cut, so this one is already the place where the unit is kept.
            place = source;
            sources[unit] = Some(place);
        }
        if is_dropped && place.text == number {
            continue;
        }
        let (source, source_start) = (place.text as usize, place.at as usize);
        match pieces.last_mut() {
            Some(last)
                if last.end == unit && last.source == source && last.source_start + last.end - last.start == source_start =>
            {
                last.end += 1;
            }
            _ => pieces.push(Piece { start: unit, end: unit + 1, source, source_start }),
        }
    }
    pieces
}

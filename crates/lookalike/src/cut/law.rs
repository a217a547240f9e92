//! Cuts texts by the law, one after another.

use std::{ops::Range, sync::Arc};

use super::{
    anchors::{Anchor, Anchoring, Repeated, around},
    chains::{Chains, OWN},
    kept::{Kept, Levels, Looked, Search, Searched, Searcher, Shared, Store},
    piece::{Cutout, Outcome, Piece, Stretches, cutouts, kept_ranges, merged, whole_lines},
    rules::{Rules, Units},
    single::Singles,
};
use crate::{error, runs::Winnowing};

/// The texts that are kept so far, by which the next text is cut.
///
/// If the cutter knows which anchors are repeated in all texts, it keeps only these and what cutting joins. A window that cutting joins may
/// have an anchor that another text has once, so that it was not known to be repeated. The caller must look up the keys of
/// [`joined`](Self::joined) among the anchors of all texts. If one is found, the caller adds it to the repeated ones and cuts all texts
/// again.
#[derive(Debug)]
pub struct Cutter<S = Vec<u64>> {
    rules: Rules,
    kept: Levels<S>,
    /// The kept units, if windows are single units and the repeated anchors are not known. Then, there is nothing in `kept`.
    singles: Option<Singles>,
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
    search: Search,
    /// The anchors that are searched.
    needed: Vec<Anchor>,
    shared: Vec<Shared>,
    chains: Chains,
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
    pub fn with_stores(
        rules: Rules,
        repeated: Option<Arc<Repeated>>,
        [units, areas, stretches]: [S; 3],
    ) -> error::Result<Self> {
        let kept = Levels::new(
            Winnowing::new(rules.window)?,
            rules.after,
            repeated.clone(),
            [units, areas],
        );
        Ok(Self {
            rules,
            kept,
            singles: (repeated.is_none() && Singles::are_cut_by(&rules)).then(Singles::new),
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
        self.kept.memory()
            + self.stretches.memory()
            + self.singles.as_ref().map_or(0, Singles::memory)
    }

    /// Returns the keys of the anchors that cutting joined, and that are not known to be repeated.
    pub fn joined(&mut self) -> &mut Vec<u64> {
        &mut self.joined
    }

    /// Returns a searcher, which other threads use while this cutter cuts texts. It does not see the last kept texts, up to a number of
    /// anchors. Each of these anchors takes about 0.2 KB of memory. Returns `None` if windows are single units, because cutting takes less
    /// time than searching then.
    pub fn searcher(&mut self, anchors: usize) -> Option<Searcher<S>> {
        (self.rules.window > 1)
            .then(|| Searcher::new(self.rules, self.kept.share(anchors, self.texts)))
    }

    /// Keeps a whole text, as a reference that nothing is cut out of.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub fn keep(&mut self, units: Units, group: u64) -> Result<(), S::Error> {
        self.texts += 1;
        if let Some(singles) = &mut self.singles {
            singles.keep(self.texts - 1, (&units, &self.rules), group);
            return Ok(());
        }
        self.find_anchors(units.hashes);
        if !self.has_references {
            self.has_references = true;
            self.kept.note_references();
        }
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
        if let Some(outcome) = self.cut_singles(&units, true, group) {
            return Ok(outcome);
        }
        self.find_anchors(units.hashes);
        self.cut_next(units, None, group)
    }

    /// Does the same as [`cut`](Self::cut), with what another thread has found: the anchors of the text, whether it repeats a window,
    /// and perhaps what a [searcher](Self::searcher) of this cutter found.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub fn cut_anchored(
        &mut self,
        units: Units,
        (anchors, has_repeats): (&[Anchor], bool),
        looked: Option<Looked>,
        group: u64,
    ) -> Result<Outcome, S::Error> {
        if let Some(outcome) = self.cut_singles(&units, has_repeats, group) {
            return Ok(outcome);
        }
        self.scratch
            .anchoring
            .set(units.hashes, anchors, has_repeats, self.rules.window);
        self.cut_next(units, looked, group)
    }

    /// Cuts the next text if windows are single units.
    fn cut_singles(&mut self, units: &Units, has_repeats: bool, group: u64) -> Option<Outcome> {
        let singles = self.singles.as_mut()?;
        let number = self.texts;
        self.texts += 1;
        Some(singles.cut(number, (units, &self.rules), has_repeats, group))
    }

    fn find_anchors(&mut self, units: &[u64]) {
        self.scratch
            .anchoring
            .find(units, self.kept.winnowing(), self.repeated.as_deref());
    }

    /// Cuts the next text, whose anchors were found.
    fn cut_next(
        &mut self,
        units: Units,
        mut looked: Option<Looked>,
        group: u64,
    ) -> Result<Outcome, S::Error> {
        let number = self.texts;
        self.texts += 1;
        let mut stretches = Stretches::default();
        let mut pieces = Vec::new();
        // After the first round, what remains, and where its stretches end.
        let mut left: Option<(Rest, Vec<usize>)> = None;
        loop {
            let current = left.as_ref().map_or(units, |(rest, _)| rest.units());
            let joints = left.as_ref().map(|(_, joints)| joints.as_slice());
            self.round(&current, joints, looked.take(), group)?;
            let mut cut = cutouts(&self.scratch.chains.all);
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
                let Scratch {
                    keys, anchoring, ..
                } = &mut self.scratch;
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
        Ok(Outcome {
            pieces: merged(pieces, number as usize, is_dropped),
            is_dropped,
        })
    }

    /// Adds a kept text, of which the anchors were found last, to the index.
    fn remember(
        &mut self,
        number: u32,
        units: &Units,
        stretches: &Stretches,
        group: u64,
    ) -> Result<(), S::Error> {
        let Self {
            rules,
            kept,
            scratch,
            ..
        } = self;
        let Scratch {
            anchoring, numbers, ..
        } = scratch;
        let joints: Vec<usize> = stretches.joints().collect();
        let mut is_joined = Joined::new(&joints, rules.window);
        let repeats = anchoring.has_repeats;
        let mut anchors = anchoring
            .anchors
            .iter()
            .copied()
            .filter(|anchor| anchor.is_repeated | is_joined.is_near(anchor.at as usize))
            // Only the first place of a window in a text counts.
            .filter(|anchor| {
                anchoring
                    .first()
                    .is_none_or(|first| first.has_first(around(anchor.at as usize, rules.window)))
            })
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
        kept.add(
            Kept {
                text: number,
                group,
                stretches: place,
                has_repeats: repeats,
            },
            units.hashes,
            anchors,
        )
    }

    /// Fills the chains of windows that are marked in a round, from left to right. In rounds after the first, there are `joints`. With
    /// most rules, only windows that span one of these can occur in other texts then.
    fn round(
        &mut self,
        rest: &Units,
        joints: Option<&[usize]>,
        looked: Option<Looked>,
        group: u64,
    ) -> Result<(), S::Error> {
        let Self {
            rules,
            kept,
            scratch,
            joined,
            has_references,
            ..
        } = self;
        let Scratch {
            anchoring,
            search,
            needed,
            shared,
            chains,
            keys,
            ..
        } = scratch;
        let window = rules.window;
        chains.all.clear();
        if rest.hashes.len() < window {
            return Ok(());
        }
        let repeats = anchoring.has_repeats;
        // With these settings, each window that is marked in a later round spans a joint.
        let is_sparse = joints.is_some() && rules.after == 1 && rest.lines.is_none();
        let mut is_joined = Joined::new(joints.unwrap_or_default(), window);
        let candidates = rules.candidates(rest, anchoring);
        needed.clear();
        needed.extend(candidates.filter(|anchor| {
            let is_near = is_joined.is_near(anchor.at as usize);
            if is_near && !anchor.is_repeated && keys.binary_search(&anchor.key).is_err() {
                joined.push(anchor.key);
            }
            is_near || anchor.is_repeated && !is_sparse
        }));
        let searched = Searched {
            units: rest.hashes,
            group,
            is_unique: rules.is_unique(rest, repeats, *has_references),
        };
        kept.shared(looked, searched, (needed, search), shared)?;
        if shared.is_empty() && !repeats {
            return Ok(());
        }
        if !(rules.is_plain(repeats) && chains.of_runs(shared, window)) {
            chains.of_windows(rules, (rest, anchoring), shared);
        }
        Ok(())
    }

    /// Adds the pieces of a cutout, at places of the original texts.
    fn push_pieces(
        &mut self,
        cutout: &Cutout,
        own: &Stretches,
        number: u32,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), S::Error> {
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
                pieces.push(Piece {
                    start,
                    end,
                    source: text as usize,
                    source_start: kept.start,
                });
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
        Ok(Stretches::unpacked(
            self.stretches.read(place + 1..place + 1 + count, numbers)?,
        ))
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
        self.joints
            .first()
            .is_some_and(|&joint| joint < at + self.window)
    }
}

impl Rest {
    /// Copies some ranges of a text's units.
    fn of(units: &Units, kept: &[Range<usize>]) -> Self {
        fn copied<T: Copy>(all: &[T], kept: &[Range<usize>]) -> Vec<T> {
            kept.iter()
                .map(|range| &all[range.clone()])
                .collect::<Vec<_>>()
                .concat()
        }
        Self {
            hashes: copied(units.hashes, kept),
            tokens: units.tokens.map(|tokens| copied(tokens, kept)),
            lines: units.lines.map(|lines| copied(lines, kept)),
        }
    }

    fn units(&self) -> Units<'_> {
        Units {
            hashes: &self.hashes,
            tokens: self.tokens.as_deref(),
            lines: self.lines.as_deref(),
        }
    }
}

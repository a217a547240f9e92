//! Places of units, and the pieces that are cut.

use std::ops::Range;

/// The place of a sequence of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The number of the text.
    pub text: u32,
    /// The sequence's first unit.
    pub at: u32,
}

/// A piece of a text that is cut, and where the same units are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The first unit.
    pub start: usize,
    /// One past the last unit.
    pub end: usize,
    /// The number of the text that keeps these units.
    pub source: usize,
    /// The position of the first of these units there. All positions are those of the original texts.
    pub source_start: usize,
}

/// What is cut out of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The pieces that are cut, in order. Adjacent pieces differ in their sources.
    pub pieces: Vec<Piece>,
    /// Whether too little of the text was left, and the rest is dropped too.
    pub is_dropped: bool,
}

/// The kept units of a text: for each stretch of them, the first unit in the kept text and in the original text. Without stretches, both
/// texts are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretches(Vec<(u32, u32)>);

impl Stretches {
    /// Passes the places in the original text of a range of kept units to `give`, in order.
    pub fn each(&self, units: Range<usize>, mut give: impl FnMut(Range<usize>)) {
        if self.0.is_empty() {
            return give(units);
        }
        let mut number = self
            .0
            .partition_point(|&(kept, _)| kept as usize <= units.start)
            - 1;
        let mut at = units.start;
        while at < units.end {
            let (kept, original) = self.0[number];
            let end = self
                .0
                .get(number + 1)
                .map_or(units.end, |next| units.end.min(next.0 as usize));
            let start = original as usize + at - kept as usize;
            give(start..start + end - at);
            (at, number) = (end, number + 1);
        }
    }

    /// Returns the stretches that were packed into numbers.
    pub fn unpacked(numbers: &[u64]) -> Self {
        Self(
            numbers
                .iter()
                .map(|&number| ((number >> 32) as u32, number as u32))
                .collect(),
        )
    }

    /// Packs the stretches, one into each number.
    pub fn packed(&self) -> impl Iterator<Item = u64> {
        self.0
            .iter()
            .map(|&(kept, original)| u64::from(kept) << 32 | u64::from(original))
    }

    /// Returns the units of the kept text before which something was cut, except for the first unit.
    pub fn joints(&self) -> impl Iterator<Item = usize> {
        self.0.iter().skip(1).map(|&(kept, _)| kept as usize)
    }

    /// Returns the stretches of the text that is left if only some ranges of this one are kept.
    pub fn of(&self, kept: &[Range<usize>]) -> Self {
        let (mut stretches, mut at) = (vec![], 0);
        for range in kept {
            self.each(range.clone(), |original| {
                stretches.push((at as u32, original.start as u32));
                at += original.len();
            });
        }
        Self(stretches)
    }
}

/// Consecutive windows of a text whose sources are consecutive too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    pub start: usize,
    /// One past the last unit of the last window.
    pub end: usize,
    /// The source of the first unit.
    pub source: Place,
}

/// Units that are removed in one round, and their source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cutout {
    pub start: usize,
    pub end: usize,
    /// The source of the first unit.
    pub source: Place,
}

/// Divides marked ranges: from left to right, the chain that reaches furthest gives the sources of the units up to its end. The chains
/// are ordered by their starts.
pub(super) fn cutouts(chains: &[Chain]) -> Vec<Cutout> {
    let mut cutouts: Vec<Cutout> = Vec::new();
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
            Some(&Chain { start, end, source }) => {
                let source = Place {
                    at: source.at + (at - start) as u32,
                    ..source
                };
                cutouts.push(Cutout {
                    start: at,
                    end,
                    source,
                });
                at = end;
            }
            None => match chains.get(next) {
                Some(chain) => at = chain.start,
                None => return cutouts,
            },
        }
    }
}

/// Returns the parts of cutouts that are in whole lines: lines of which each unit is removed. `lines` has the line of each unit.
pub(super) fn whole_lines(cutouts: &[Cutout], lines: &[u32]) -> Vec<Cutout> {
    let is_start = |at: usize| at == 0 || at == lines.len() || lines[at - 1] != lines[at];
    let mut whole = Vec::new();
    for marked in cutouts.chunk_by(|a, b| a.end == b.start) {
        let all = marked[0].start..=marked[marked.len() - 1].end;
        let start = all.clone().find(|&at| is_start(at));
        let end = all.rev().find(|&at| is_start(at));
        let (Some(from), Some(to)) = (start, end) else {
            continue;
        };
        whole.extend(marked.iter().filter_map(|&Cutout { start, end, source }| {
            let (first, last) = (start.max(from), end.min(to));
            let source = Place {
                at: source.at + (first - start) as u32,
                ..source
            };
            (first < last).then_some(Cutout {
                start: first,
                end: last,
                source,
            })
        }));
    }
    whole
}

/// Returns the ranges of a text that cutouts leave.
pub(super) fn kept_ranges(cutouts: &[Cutout], length: usize) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    let mut at = 0;
    for &Cutout { start, end, .. } in cutouts {
        if start > at {
            kept.push(at..start);
        }
        at = end;
    }
    if at < length {
        kept.push(at..length);
    }
    kept
}

/// Returns the pieces of a text that are cut, in order. If the place that was the source of a piece was cut later, its own source is the
/// place where the units are kept. What only a dropped text itself contains is not a piece.
pub(super) fn merged(mut pieces: Vec<Piece>, number: usize, is_dropped: bool) -> Vec<Piece> {
    pieces.sort_unstable_by_key(|piece| piece.start);
    let mut resolved: Vec<Piece> = Vec::with_capacity(pieces.len());
    for Piece {
        mut start,
        end,
        source,
        mut source_start,
    } in pieces
    {
        if source != number {
            extend(
                &mut resolved,
                Piece {
                    start,
                    end,
                    source,
                    source_start,
                },
            );
            continue;
        }
        // Sources come before what is cut, so the pieces that cut them are resolved already.
        while start < end {
            let length = end - start;
            let next = resolved.partition_point(|other| other.end <= source_start);
            let other = resolved.get(next).copied();
            let (taken, source, from) = match other {
                Some(other) if other.start <= source_start => {
                    let from = other.source_start + source_start - other.start;
                    ((other.end - source_start).min(length), other.source, from)
                }
                Some(other) => (
                    (other.start - source_start).min(length),
                    number,
                    source_start,
                ),
                None => (length, number, source_start),
            };
            extend(
                &mut resolved,
                Piece {
                    start,
                    end: start + taken,
                    source,
                    source_start: from,
                },
            );
            (start, source_start) = (start + taken, source_start + taken);
        }
    }
    resolved.retain(|piece| !is_dropped || piece.source != number);
    resolved
}

/// Adds a piece that comes after all others. If it continues the last one, that one is extended.
pub(super) fn extend(pieces: &mut Vec<Piece>, piece: Piece) {
    match pieces.last_mut() {
        Some(last)
            if last.end == piece.start
                && last.source == piece.source
                && last.source_start + last.end - last.start == piece.source_start =>
        {
            last.end = piece.end;
        }
        _ => pieces.push(piece),
    }
}

//! The law in its own words: quadratic, and without an index. All faster implementations must give the same answer.

use super::{
    piece::Outcome,
    piece::Piece,
    rules::{Rules, Units},
};

/// A text, its group, and whether it is a reference.
#[derive(Debug)]
pub(super) struct Text {
    pub units: Vec<u64>,
    pub tokens: Vec<u32>,
    pub lines: Option<Vec<u32>>,
    pub group: u64,
    pub is_reference: bool,
}

impl Text {
    pub fn units(&self) -> Units<'_> {
        Units {
            hashes: &self.units,
            tokens: Some(&self.tokens),
            lines: self.lines.as_deref(),
        }
    }
}

/// Cuts texts, which are in keep order. Returns the units that are kept, and what is cut.
pub(super) fn cut(texts: &[Text], rules: Rules) -> Vec<(Vec<usize>, Outcome)> {
    let mut done: Vec<(Vec<usize>, Outcome)> = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let mut rest: Vec<usize> = (0..text.units.len()).collect();
        let mut sources: Vec<Option<(usize, usize)>> = vec![None; rest.len()];
        while !text.is_reference && round(texts, number, &done, rules, &mut rest, &mut sources) {}
        // A place that a later round cut is replaced by the place where its units are kept.
        for unit in 0..sources.len() {
            while let Some((source, at)) = sources[unit]
                && source == number
                && sources[at].is_some()
            {
                sources[unit] = sources[at];
            }
        }
        let left: u32 = rest.iter().map(|&unit| text.tokens[unit]).sum();
        let is_dropped = rest.len() < text.units.len() && (left as usize) < rules.least_left;
        let mut pieces: Vec<Piece> = Vec::new();
        for (unit, source) in sources.iter().enumerate() {
            let Some((source, at)) = source.filter(|source| !is_dropped || source.0 != number)
            else {
                continue;
            };
            match pieces.last_mut().filter(|last| {
                (
                    last.end,
                    last.source,
                    last.source_start + last.end - last.start,
                ) == (unit, source, at)
            }) {
                Some(last) => last.end += 1,
                None => pieces.push(Piece {
                    start: unit,
                    end: unit + 1,
                    source,
                    source_start: at,
                }),
            }
        }
        done.push((
            if is_dropped { Vec::new() } else { rest },
            Outcome { pieces, is_dropped },
        ));
    }
    done
}

/// Marks windows from left to right, and removes what is marked. Returns whether anything was.
fn round(
    texts: &[Text],
    number: usize,
    done: &[(Vec<usize>, Outcome)],
    rules: Rules,
    rest: &mut Vec<usize>,
    sources: &mut [Option<(usize, usize)>],
) -> bool {
    let text = &texts[number];
    let hashes = |text: &Text, units: &[usize]| {
        units
            .iter()
            .map(|&unit| text.units[unit])
            .collect::<Vec<_>>()
    };
    let units = hashes(text, rest);
    let mut marked = vec![false; rest.len()];
    // For each marked window, the text that is its source, the number of its window there, and the source's units.
    let mut windows: Vec<(usize, usize, usize, Vec<usize>)> = Vec::new();
    for at in 0..(rest.len() + 1).saturating_sub(rules.window) {
        let range = at..at + rules.window;
        let tokens: u32 = rest[range.clone()]
            .iter()
            .map(|&unit| text.tokens[unit])
            .sum();
        if (tokens as usize) < rules.least_tokens {
            continue;
        }
        let mut places = Vec::new();
        for (source, (kept, _)) in done
            .iter()
            .enumerate()
            .filter(|(source, _)| texts[*source].group == text.group)
        {
            let first = hashes(&texts[source], kept)
                .windows(rules.window)
                .position(|window| *window == units[range.clone()]);
            places.extend(first.map(|first| {
                (
                    at,
                    source,
                    first,
                    kept[first..first + rules.window].to_vec(),
                )
            }));
        }
        let is_own = |&first: &usize| {
            let stretch = first..first + rules.window;
            units[stretch.clone()] == units[range.clone()]
                && stretch.clone().all(|unit| !marked[unit])
        };
        let own = (0..(at + 1).saturating_sub(rules.window)).find(is_own);
        places.extend(own.map(|first| {
            (
                at,
                number,
                first,
                rest[first..first + rules.window].to_vec(),
            )
        }));
        if places.len() >= rules.after {
            windows.push(places.swap_remove(0));
            marked[range].fill(true);
        }
    }
    // Consecutive windows with consecutive sources in one text are a chain. A marked range is divided from left to right: at its
    // first unit that has no source yet, the chain that reaches furthest is taken, and of several, the one that starts first.
    let mut chains: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
    let mut last: Option<(usize, usize, usize)> = None;
    for (at, source, first, units) in windows {
        if last
            == at
                .checked_sub(1)
                .zip(first.checked_sub(1))
                .map(|(at, first)| (at, source, first))
            && last.is_some()
        {
            chains
                .last_mut()
                .unwrap()
                .1
                .push((source, units[rules.window - 1]));
        } else {
            chains.push((at, units.iter().map(|&unit| (source, unit)).collect()));
        }
        last = Some((at, source, first));
    }
    let mut at = 0;
    while at < rest.len() {
        let furthest = chains
            .iter()
            .rev()
            .filter(|(start, _)| *start <= at)
            .max_by_key(|(start, units)| start + units.len());
        match furthest.filter(|(start, units)| start + units.len() > at) {
            Some((start, units)) => {
                for (unit, source) in (*start..).zip(units) {
                    if unit >= at {
                        sources[rest[unit]] = Some(*source);
                    }
                }
                at = start + units.len();
            }
            None => at += 1,
        }
    }
    if let Some(lines) = &text.lines {
        // Only lines that are marked as a whole are removed.
        let line = |unit: &usize| lines[*unit];
        let parts: Vec<u32> = rest
            .iter()
            .zip(&marked)
            .filter(|(_, marked)| !**marked)
            .map(|(unit, _)| line(unit))
            .collect();
        for (unit, marked) in rest.iter().zip(&mut marked) {
            if parts.contains(&line(unit)) {
                *marked = false;
                sources[*unit] = None;
            }
        }
    }
    let mut is_marked = marked.iter();
    rest.retain(|_| !is_marked.next().unwrap());
    marked.contains(&true)
}

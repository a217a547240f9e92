//! The naive twin of `regions`. It follows the definition in the documentation of `lookalike::regions` sentence by sentence, and
//! compares everything with everything. It shares only the types of the fast implementation.

use std::{cmp::Reverse, collections::BTreeSet, ops::Range};

use lookalike::{
    regions::{Region, RegionSettings},
    runs::Run,
};

/// A range of tokens in each text.
type Part = [Range<usize>; 2];

/// The positions of equal tokens in the two texts.
type Seed = [usize; 2];

/// Returns the regions of two texts.
pub fn regions(a: &[u64], b: &[u64], runs: &[Run], settings: &RegionSettings) -> Vec<Region> {
    let texts = Texts([a, b]);
    let seeds = texts.seeds(runs);
    let mut parts: Vec<Part> = groups(&seeds, settings.gap)
        .iter()
        .flat_map(|group| texts.parts(group, 32))
        .collect();
    parts.retain(|part| {
        2 * texts.score(part) >= 5 * 1024 && texts.density(part) >= settings.density
    });
    let mut left = texts.joined(parts, 3 * settings.gap, settings.density);
    left.retain(|region| {
        region.iter().all(|side| side.len() >= settings.tokens)
            && texts.density(region) >= settings.density
            && texts.score(region) as f64 / 1024.0 >= settings.score
    });
    let place = |[a, b]: &Part| (a.start, b.start, a.end, b.end);
    let mut reported: Vec<Part> = Vec::new();
    while let Some(best) =
        (0..left.len()).min_by_key(|&at| (-texts.score(&left[at]), place(&left[at])))
    {
        let region = left.swap_remove(best);
        let is_covered = (0..2).all(|side| {
            let covered = region[side]
                .clone()
                .filter(|at| reported.iter().any(|other| other[side].contains(at)));
            2 * covered.count() >= region[side].len()
        });
        if !is_covered {
            reported.push(region);
        }
    }
    let mut long: Vec<&Run> = runs.iter().collect();
    long.retain(|run| run.tokens >= settings.tokens);
    long.sort_by_key(|run| (Reverse(run.tokens), run.a, run.b));
    // Each state of each region, in the order in which they cover tokens.
    let mut states: Vec<(usize, Part)> = reported.iter().cloned().enumerate().collect();
    let mut of_runs: Vec<Vec<Run>> = vec![Vec::new(); reported.len()];
    let made_of_seeds = reported.len();
    for run in long {
        let sides = [run.a, run.b].map(|start| start..start + run.tokens);
        let owner = |side: usize, at: usize| {
            let covers = |(_, state): &&(usize, Part)| state[side].contains(&at);
            states.iter().find(covers).map(|state| state.0)
        };
        if (0..2).all(|side| sides[side].clone().all(|at| owner(side, at).is_some())) {
            continue;
        }
        let middle = [run.a, run.b].map(|start| start + (run.tokens - 1) / 2);
        let has_middle =
            |number: usize| (0..2).all(|side| reported[number][side].contains(&middle[side]));
        let number = match (owner(0, middle[0]), owner(1, middle[1])) {
            (Some(a), _) if has_middle(a) => a,
            (_, Some(b)) if has_middle(b) => b,
            _ => {
                reported.push(sides.clone());
                of_runs.push(Vec::new());
                reported.len() - 1
            }
        };
        of_runs[number].push(*run);
        for (side, of_run) in reported[number].iter_mut().zip(&sides) {
            *side = side.start.min(of_run.start)..side.end.max(of_run.end);
        }
        states.push((number, sides));
    }
    let mut all: Vec<(Part, Vec<Run>)> = Vec::new();
    for (number, part) in reported.into_iter().enumerate() {
        of_runs[number].sort();
        let runs = match number < made_of_seeds {
            true => texts.runs(&part, &seeds),
            false => of_runs[number].clone(),
        };
        all.push((part, runs));
    }
    all.sort_by_key(|(part, _)| place(part));
    all.into_iter()
        .map(|(part, runs)| texts.region(&part, runs))
        .collect()
}

/// Returns the groups of seeds that are within `gap` of each other, directly or through others.
fn groups(seeds: &[Seed], gap: usize) -> Vec<Vec<Seed>> {
    let mut left: BTreeSet<Seed> = seeds.iter().copied().collect();
    let mut groups = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut group = vec![first];
        let mut at = 0;
        while at < group.len() {
            let is_linked =
                |seed: &Seed| (0..2).all(|side| seed[side].abs_diff(group[at][side]) <= gap);
            let linked: Vec<Seed> = left.iter().copied().filter(is_linked).collect();
            linked.iter().for_each(|seed| _ = left.remove(seed));
            group.extend(linked);
            at += 1;
        }
        groups.push(group);
    }
    groups
}

/// Two texts.
struct Texts<'a>([&'a [u64]; 2]);

impl Texts<'_> {
    /// The weight of a token, in multiples of 1/1024.
    fn weight(&self, token: u64) -> i64 {
        let all = self.0[0].len() + self.0[1].len();
        let count = self
            .0
            .iter()
            .map(|text| occurrences(text, token))
            .sum::<usize>();
        let log = |number: usize| ((number as f64).log2() * 65536.0).floor() as i64;
        let (own, most) = (log(all) - log(count), (log(all) - 65536).max(1));
        (1024 * own * own / (most * most)).min(1024)
    }

    fn side(&self, part: &Part, side: usize) -> &[u64] {
        &self.0[side][part[side].clone()]
    }

    /// How often both sides of a part have a token.
    fn shared(&self, part: &Part, token: u64) -> usize {
        occurrences(self.side(part, 0), token).min(occurrences(self.side(part, 1), token))
    }

    /// The distinct tokens of a part.
    fn tokens(&self, part: &Part) -> BTreeSet<u64> {
        (0..2)
            .flat_map(|side| self.side(part, side).iter().copied())
            .collect()
    }

    fn score(&self, part: &Part) -> i64 {
        self.tokens(part)
            .iter()
            .map(|&token| self.shared(part, token) as i64 * self.weight(token))
            .sum()
    }

    fn density(&self, part: &Part) -> f64 {
        let all = |side| {
            self.side(part, side)
                .iter()
                .map(|&token| self.weight(token))
                .sum::<i64>()
        };
        let heavier = all(0).max(all(1));
        if heavier == 0 {
            0.0
        } else {
            self.score(part) as f64 / heavier as f64
        }
    }

    fn seeds(&self, runs: &[Run]) -> Vec<Seed> {
        let mut seeds = BTreeSet::new();
        for (length, most) in [(1, 4), (2, 8)] {
            for words in self.0[0].windows(length) {
                let [of_a, of_b] = self.0.map(|text| {
                    let places = text
                        .windows(length)
                        .enumerate()
                        .filter(|(_, other)| *other == words);
                    places.map(|(at, _)| at).collect::<Vec<_>>()
                });
                if of_a.len() * of_b.len() <= most {
                    let pairs = of_a.iter().flat_map(|a| of_b.iter().map(move |b| (a, b)));
                    seeds.extend(
                        pairs.flat_map(|(a, b)| (0..length).map(move |at| [a + at, b + at])),
                    );
                }
            }
        }
        for (number, run) in runs.iter().enumerate() {
            for at in 0..run.tokens {
                let in_a = runs[..number]
                    .iter()
                    .any(|earlier| (earlier.a..earlier.a + earlier.tokens).contains(&(run.a + at)));
                let in_b = runs[..number]
                    .iter()
                    .any(|earlier| (earlier.b..earlier.b + earlier.tokens).contains(&(run.b + at)));
                if !(in_a && in_b) {
                    seeds.insert([run.a + at, run.b + at]);
                }
            }
        }
        seeds.into_iter().collect()
    }

    /// Returns the parts of a group. `divisions` is the number of times that it may still be divided.
    fn parts(&self, group: &[Seed], divisions: usize) -> Vec<Part> {
        let ends = |side: usize| {
            let positions = || group.iter().map(|seed| seed[side]);
            positions().min().unwrap()..positions().max().unwrap() + 1
        };
        let mut part = [ends(0), ends(1)];
        if part.iter().any(|side| side.len() < 5) {
            return Vec::new();
        }
        for _ in 0..6 {
            for side in 0..2 {
                let Some(best) = self.best_segment(&part, side) else {
                    return Vec::new();
                };
                part[side] = best;
            }
        }
        let mut parts = Vec::new();
        for (before_a, before_b) in [(true, true), (true, false), (false, true), (false, false)] {
            let is_there = |before: bool, side: usize, at: usize| {
                if before {
                    at < part[side].start
                } else {
                    at >= part[side].end
                }
            };
            let left = group
                .iter()
                .copied()
                .filter(|&[a, b]| is_there(before_a, 0, a) && is_there(before_b, 1, b));
            let left: Vec<Seed> = left.collect();
            if left.len() >= 2 && divisions > 0 {
                parts.extend(self.parts(&left, divisions - 1));
            }
        }
        if part.iter().all(|side| side.len() >= 5) {
            parts.push(part);
        }
        parts
    }

    /// Returns the segment of one side of a part with the maximum gain: the one that ends first and, of those, the shortest.
    fn best_segment(&self, part: &Part, side: usize) -> Option<Range<usize>> {
        let gain = |&token: &u64| {
            let own = occurrences(self.side(part, side), token) as i64;
            self.weight(token) * (7 * self.shared(part, token) as i64 - 2 * own) / own
        };
        let gains: Vec<i64> = self.side(part, side).iter().map(gain).collect();
        let mut best = (0, None);
        for end in 1..=gains.len() {
            let mut sum = 0;
            for start in (0..end).rev() {
                sum += gains[start];
                if sum > best.0 {
                    best = (sum, Some(part[side].start + start..part[side].start + end));
                }
            }
        }
        best.1
    }

    /// Joins parts into regions. The limit of 64 divisions is left out here: each division of `n` parts leaves fewer parts together
    /// or halves the gap, and short texts have few parts.
    fn joined(&self, parts: Vec<Part>, gap: usize, density: f64) -> Vec<Part> {
        for side in 0..2 {
            for at in parts.iter().map(|part| part[side].start) {
                let (before, after): (Vec<Part>, Vec<Part>) = parts
                    .iter()
                    .cloned()
                    .partition(|part| part[side].start < at);
                if !before.is_empty() && before.iter().all(|part| part[side].end + gap < at) {
                    return [
                        self.joined(before, gap, density),
                        self.joined(after, gap, density),
                    ]
                    .concat();
                }
            }
        }
        if parts.len() < 2 {
            return parts;
        }
        let ends = |side: usize| {
            let sides = || parts.iter().map(|part| &part[side]);
            sides().map(|side| side.start).min().unwrap()
                ..sides().map(|side| side.end).max().unwrap()
        };
        let region = [ends(0), ends(1)];
        match (self.density(&region) >= density, gap) {
            (true, _) => vec![region],
            (false, 0) => parts,
            (false, _) => self.joined(parts, gap / 2, density),
        }
    }

    fn runs(&self, part: &Part, seeds: &[Seed]) -> Vec<Run> {
        let is_seed = |a: usize, b: usize| {
            part[0].contains(&a) && part[1].contains(&b) && seeds.contains(&[a, b])
        };
        let mut runs = Vec::new();
        for &[a, b] in seeds.iter().filter(|seed| is_seed(seed[0], seed[1])) {
            if a == 0 || b == 0 || !is_seed(a - 1, b - 1) {
                runs.push(Run {
                    a,
                    b,
                    tokens: (1..).find(|at| !is_seed(a + at, b + at)).unwrap(),
                });
            }
        }
        runs
    }

    fn region(&self, part: &Part, runs: Vec<Run>) -> Region {
        Region {
            a: part[0].clone(),
            b: part[1].clone(),
            tokens: self
                .tokens(part)
                .iter()
                .map(|&token| self.shared(part, token))
                .sum(),
            score: self.score(part) as f64 / 1024.0,
            density: self.density(part),
            runs,
        }
    }
}

fn occurrences(text: &[u64], token: u64) -> usize {
    text.iter().filter(|&&other| other == token).count()
}

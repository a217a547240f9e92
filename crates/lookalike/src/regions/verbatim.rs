//! Makes long runs part of regions.

use std::{cmp::Reverse, ops::Range};

use super::{bags::Parts, seeds::Free};
use crate::runs::Run;

/// A region, with the runs of which it was made; `None` if it was made of seeds.
pub(super) type Made = (Parts, Option<Vec<Run>>);

/// Which tokens of a text are in regions.
struct Covered {
    free: Free,
    /// For each token that is in regions, the number of the first of them.
    by: Vec<Option<usize>>,
}

impl Covered {
    fn new(length: usize) -> Self {
        Self {
            free: Free::new(length),
            by: vec![None; length],
        }
    }

    /// Returns whether all tokens of a part are in regions.
    fn has(&mut self, part: &Range<usize>) -> bool {
        self.free.next(part.start) >= part.end
    }

    fn cover(&mut self, part: &Range<usize>, region: usize) {
        let mut at = self.free.next(part.start);
        while at < part.end {
            self.free.take(at);
            self.by[at] = Some(region);
            at = self.free.next(at);
        }
    }
}

/// Adds to regions what they lack of runs with at least `least` tokens, the longest run first. A region that has the middle token of a
/// run in both texts, and covered it first in one of them, grows to all of the run. If there is none, the run is a region. Cost:
/// sorting these runs, and a few nanoseconds per token.
pub(super) fn with_runs(
    regions: Vec<Parts>,
    runs: &[Run],
    least: usize,
    lengths: [usize; 2],
) -> Vec<Made> {
    let mut long = runs.to_vec();
    long.retain(|run| run.tokens >= least);
    long.sort_unstable_by_key(|run| (Reverse(run.tokens), *run));
    let mut covered = lengths.map(Covered::new);
    for (number, parts) in regions.iter().enumerate() {
        for (part, covered) in parts.iter().zip(&mut covered) {
            covered.cover(part, number);
        }
    }
    let mut made: Vec<Made> = regions.into_iter().map(|parts| (parts, None)).collect();
    for run in long {
        let parts = [run.a, run.b].map(|start| start..start + run.tokens);
        if parts
            .iter()
            .zip(&mut covered)
            .all(|(part, covered)| covered.has(part))
        {
            continue;
        }
        let middle = parts
            .each_ref()
            .map(|part| part.start + (run.tokens - 1) / 2);
        let mut owners = (0..2).filter_map(|side| covered[side].by[middle[side]]);
        let has_middle =
            |&number: &usize| (0..2).all(|side| made[number].0[side].contains(&middle[side]));
        let number = owners.find(has_middle).unwrap_or(made.len());
        if number == made.len() {
            made.push((parts.clone(), Some(Vec::new())));
        }
        let (region, own) = &mut made[number];
        own.iter_mut().for_each(|runs| runs.push(run));
        for (side, part) in parts.iter().enumerate() {
            region[side] = region[side].start.min(part.start)..region[side].end.max(part.end);
            covered[side].cover(part, number);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_extend_regions_or_are_regions() {
        let run = |a, b, tokens| Run { a, b, tokens };
        let regions = vec![[0..20, 50..70], [30..50, 80..100]];
        let runs = [
            // Inside a region, and inside the sides of two regions.
            run(2, 52, 10),
            run(0, 80, 10),
            // A region has the middle token, or does not.
            run(14, 64, 10),
            run(46, 96, 10),
            // The run before is a region that has the middle token.
            run(48, 98, 10),
            // Too short.
            run(60, 0, 9),
        ];
        assert_eq!(
            with_runs(regions, &runs, 10, [100, 120]),
            [
                ([0..24, 50..74], None),
                ([30..50, 80..100], None),
                ([46..58, 96..108], Some(vec![runs[3], runs[4]])),
            ]
        );
    }
}

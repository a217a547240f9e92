//! Makes long runs part of regions.

use std::cmp::Reverse;

use super::{
    bags::Parts,
    seeds::{Free, Seed},
};
use crate::runs::Run;

/// Adds to regions what they lack of runs with at least `least` tokens, the longest run first. The first region that has at least
/// half of a run in both texts grows to all of it. If there is none, the run is a region, and its tokens are added to `seeds`. Cost:
/// for each of these runs, a few nanoseconds per region.
pub(super) fn add_runs(
    regions: &mut Vec<Parts>,
    seeds: &mut Vec<Seed>,
    runs: &[Run],
    least: usize,
    lengths: [usize; 2],
) {
    let mut long: Vec<Run> = runs.to_vec();
    long.retain(|run| run.tokens >= least);
    long.sort_unstable_by_key(|run| (Reverse(run.tokens), *run));
    let mut free = lengths.map(Free::new);
    let mut cover = |parts: &Parts| {
        let sides = parts.iter().zip(&mut free);
        // Not `any`: both sides are covered.
        sides.fold(false, |is_new, (part, free)| is_new | free.cover(part))
    };
    regions.iter().for_each(|parts| _ = cover(parts));
    for run in long {
        let parts = [run.a, run.b].map(|start| start..start + run.tokens);
        if !cover(&parts) {
            continue;
        }
        let has_half = |region: &&mut Parts| {
            region.iter().zip(&parts).all(|(has, part)| {
                let shared = part.start.max(has.start)..part.end.min(has.end);
                2 * shared.len() >= run.tokens
            })
        };
        if let Some(region) = regions.iter_mut().find(has_half) {
            for (has, part) in region.iter_mut().zip(&parts) {
                *has = has.start.min(part.start)..has.end.max(part.end);
            }
        } else {
            seeds.extend((0..run.tokens).map(|at| ((run.a + at) as u32, (run.b + at) as u32)));
            regions.push(parts);
        }
    }
    seeds.sort_unstable();
    seeds.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_extend_regions_or_are_regions() {
        let run = |a, b, tokens| Run { a, b, tokens };
        let mut regions = vec![[0..20, 50..70], [30..50, 80..100]];
        let mut seeds = vec![(3, 53)];
        let runs = [
            // Inside a region, and inside the sides of two regions.
            run(2, 52, 10),
            run(0, 80, 10),
            // A region has half of it, or less.
            run(15, 65, 10),
            run(46, 96, 10),
            // Too short.
            run(60, 0, 9),
        ];
        add_runs(&mut regions, &mut seeds, &runs, 10, [100, 120]);
        assert_eq!(
            regions,
            [[0..25, 50..75], [30..50, 80..100], [46..56, 96..106]]
        );
        assert_eq!(seeds.len(), 11);
    }
}

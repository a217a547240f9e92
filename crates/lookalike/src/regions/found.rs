//! Finds the regions of two texts.

use super::{
    bags::{Bags, Parts},
    chosen::chosen,
    linked::linked,
    merged::merged,
    rarity::{Numbered, ONE},
    region::Region,
    seeds::{Seed, seeds},
    settings::{MERGED, RegionSettings},
    trimmed::parts,
    verbatim::with_runs,
};
use crate::runs::Run;

/// The minimum weight of what the two sides of a part have in common. Parts are joined into regions, so that a part may be much
/// less than a region; but below this, it is chance.
const PART: u64 = 5 * ONE / 2;

/// Returns the regions of two texts, in the order of the first text and then of the second. The texts are given as the hashes of
/// their tokens, with the runs that they [share](crate::runs::shared_runs). The shorter the shortest run, the more of a passage that
/// was changed a lot is found: 4 tokens are usual.
///
/// Each given run of at least [`tokens`](RegionSettings::tokens) tokens is in regions. What was changed comes without a guarantee:
/// shorter runs of frequent tokens may be in no region, and the edge of a region may be a few tokens off.
///
/// Cost: about half a microsecond per token of both texts; sorting, and a bounded number of steps for each seed. Settings outside the valid
/// range give a result too, but not a useful one: see [`RegionSettings::check`].
///
/// # Panics
/// Panics if the texts have 2³² tokens or more, or if a run is not inside both texts.
pub fn regions(a: &[u64], b: &[u64], runs: &[Run], settings: &RegionSettings) -> Vec<Region> {
    assert!(
        u32::try_from(a.len() + b.len()).is_ok(),
        "two texts of {} and {} tokens are too long",
        a.len(),
        b.len()
    );
    let numbered = Numbered::new([a, b]);
    let seeds = seeds(&numbered, runs);
    let mut bags = Bags::new(&numbered);
    let gap = u32::try_from(settings.gap).unwrap_or(u32::MAX);
    let found = linked(&seeds, gap)
        .into_iter()
        .flat_map(|group| parts(&mut bags, group))
        .collect::<Vec<_>>();
    let measured = found.into_iter().map(|parts| {
        let common = bags.common(&parts);
        (parts, common)
    });
    let dense = measured
        .filter(|(_, common)| common.weight >= PART && common.density() >= settings.density)
        .collect();
    let regions = merged(
        &mut bags,
        dense,
        settings.gap.saturating_mul(MERGED),
        settings.density,
    );
    let lengths = [a.len(), b.len()];
    let regions = chosen(regions, lengths, settings);
    let mut regions = with_runs(regions, runs, settings.tokens, lengths);
    regions.sort_by_key(|([a, b], _)| (a.start, b.start, a.end, b.end));
    regions
        .into_iter()
        .map(|(parts, own)| {
            let common = bags.common(&parts);
            let mut runs = own.unwrap_or_else(|| runs_of(&parts, &seeds));
            runs.sort_unstable();
            let [a, b] = parts;
            Region {
                a,
                b,
                tokens: common.tokens,
                score: common.score(),
                density: common.density(),
                runs,
            }
        })
        .collect()
}

/// Returns the runs of the seeds inside parts: seeds that follow each other in both texts.
fn runs_of([a, b]: &Parts, seeds: &[Seed]) -> Vec<Run> {
    let from = seeds.partition_point(|seed| (seed.0 as usize) < a.start);
    let to = seeds.partition_point(|seed| (seed.0 as usize) < a.end);
    let mut seeds = seeds[from..to].to_vec();
    seeds.retain(|seed| b.contains(&(seed.1 as usize)));
    seeds.sort_unstable_by_key(|&(a, b)| (i64::from(b) - i64::from(a), a));
    let follow =
        |x: &Seed, y: &Seed| x.0.checked_add(1) == Some(y.0) && x.1.checked_add(1) == Some(y.1);
    let run = |seeds: &[Seed]| Run {
        a: seeds[0].0 as usize,
        b: seeds[0].1 as usize,
        tokens: seeds.len(),
    };
    seeds.chunk_by(follow).map(run).collect()
}

#[cfg(test)]
mod tests;

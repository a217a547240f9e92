//! Cuts groups of seeds to the parts of the texts that belong together.

use super::{
    bags::{Bags, Parts},
    seeds::Seed,
};

/// A token that only one of the parts has counts this many fifths of a token that both have, against them. So a part goes on as long
/// as at least two of seven tokens, by weight, are common. With three instead of two, PlagDet was
/// 0.015 less.
const AGAINST: i64 = 2;
const OF: i64 = 5;

/// The number of times that both parts are cut. Cutting one changes what the other has in common with it.
const ROUNDS: usize = 6;

/// The number of times that what is left of a group, after its best part is taken, is divided again. This bounds the cost.
const DEPTH: usize = 32;

/// The number of tokens below which a part is not considered: chance is too likely.
const SHORTEST: usize = 5;

/// Returns the parts of a group of seeds: its best part and, of the seeds before and after it, their best parts, and so on. Cost:
/// linear in the tokens between the first seed and the last, for each part that is found.
pub(super) fn parts(bags: &mut Bags, group: Vec<Seed>) -> Vec<Parts> {
    let mut found = Vec::new();
    let mut groups = vec![(group, 0)];
    while let Some((group, depth)) = groups.pop() {
        let Some(around) =
            around(&group).filter(|parts| parts.iter().all(|part| part.len() >= SHORTEST))
        else {
            continue;
        };
        let best = trimmed(bags, around);
        if best.iter().any(|part| part.is_empty()) {
            continue;
        }
        if depth < DEPTH {
            // What is left lies before or after the part in one text, and before or after it in the other.
            let mut left: [Vec<Seed>; 4] = Default::default();
            for seed in group {
                let at = [seed.0 as usize, seed.1 as usize];
                if !(0..2).any(|side| best[side].contains(&at[side])) {
                    let is_after = |side: usize| usize::from(at[side] >= best[side].end);
                    left[2 * is_after(0) + is_after(1)].push(seed);
                }
            }
            groups.extend(
                left.into_iter()
                    .filter(|left| left.len() >= 2)
                    .map(|left| (left, depth + 1)),
            );
        }
        if best.iter().all(|part| part.len() >= SHORTEST) {
            found.push(best);
        }
    }
    found.sort_unstable_by_key(|[a, b]| (a.start, b.start, a.end, b.end));
    found
}

/// Returns the parts of both texts from the first seed to the last.
fn around(seeds: &[Seed]) -> Option<Parts> {
    let range = |positions: &mut dyn Iterator<Item = u32>| {
        let first = positions.next()?;
        let (least, most) = positions.fold((first, first), |(least, most), at| {
            (least.min(at), most.max(at))
        });
        Some(least as usize..most as usize + 1)
    };
    Some([
        range(&mut seeds.iter().map(|seed| seed.0))?,
        range(&mut seeds.iter().map(|seed| seed.1))?,
    ])
}

/// Cuts two parts to those with the best gain. The gain of a part is the weight of the tokens that the other part has too, as often
/// as it has them, less [`AGAINST`] / [`OF`] of the weight of the rest.
fn trimmed(bags: &mut Bags, mut parts: Parts) -> Parts {
    for _ in 0..ROUNDS {
        let before = parts.clone();
        for side in 0..2 {
            let best = bags.with(&parts, |numbered, counts| {
                let gain = |&number: &u32| {
                    let count = counts[number as usize].map(i64::from);
                    let (own, common) = (count[side], count[side].min(count[1 - side]));
                    numbered.weights[number as usize] as i64
                        * ((OF + AGAINST) * common - AGAINST * own)
                        / own.max(1)
                };
                best_segment(numbered.texts[side][parts[side].clone()].iter().map(gain))
            });
            parts[side] = parts[side].start + best.start..parts[side].start + best.end;
        }
        if parts == before {
            break;
        }
    }
    parts
}

/// Returns the segment with the maximum sum (Kadane's algorithm): the one that ends first and, of those, the shortest. It is empty if
/// no segment has a positive sum.
fn best_segment(gains: impl Iterator<Item = i64>) -> std::ops::Range<usize> {
    let (mut best, mut most, mut start, mut sum) = (0..0, 0, 0, 0);
    for (gain, at) in gains.zip(0..) {
        if sum <= 0 {
            (start, sum) = (at, 0);
        }
        sum += gain;
        if sum > most {
            (best, most) = (start..at + 1, sum);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_segment_has_the_maximum_sum_and_ends_first(gains in prop::collection::vec(-4i64..4, 0..40)) {
            let sum = |range: &std::ops::Range<usize>| gains[range.clone()].iter().sum::<i64>();
            let all = (0..=gains.len()).flat_map(|end| (0..end).rev().map(move |start| start..end));
            let most = all.clone().map(|range| sum(&range)).max().unwrap_or(0);
            let expected = all.clone().find(|range| most > 0 && sum(range) == most).unwrap_or(0..0);
            prop_assert_eq!(best_segment(gains.iter().copied()), expected);
        }
    }
}

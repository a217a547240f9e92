//! Seeds: pairs of positions of equal tokens from which regions grow.

use super::rarity::Numbered;
use crate::runs::Run;

/// The positions of two equal tokens, in the first text and in the second.
pub(super) type Seed = (u32, u32);

/// The number of pairs of positions up to which an equal token is a seed in all of these pairs. Tokens with more pairs are too
/// common in these texts to show where something was copied, and would make the cost quadratic.
const OF_TOKENS: u32 = 4;

/// The same for two consecutive tokens. With 16, the seeds are a tenth more and the regions are no better.
const OF_PAIRS: usize = 8;

/// Returns the seeds of two texts, sorted: rare tokens, rare pairs of consecutive tokens, and the tokens of runs. There are at most
/// about 20 seeds per token. Cost: sorting the pairs of consecutive tokens.
pub(super) fn seeds(numbered: &Numbered, runs: &[Run]) -> Vec<Seed> {
    let mut seeds = Vec::new();
    of_tokens(numbered, &mut seeds);
    of_pairs(numbered, &mut seeds);
    of_runs(numbered, runs, &mut seeds);
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

/// Adds the tokens that are rare in both texts.
fn of_tokens(numbered: &Numbered, seeds: &mut Vec<Seed>) {
    let is_rare = |&number: &u32| {
        let [a, b] = numbered.counts[number as usize];
        a > 0 && b > 0 && a.saturating_mul(b) <= OF_TOKENS
    };
    let [mut of_a, mut of_b] = numbered.texts.each_ref().map(|text| {
        let rare = text
            .iter()
            .copied()
            .zip(0u32..)
            .filter(|(number, _)| is_rare(number));
        rare.collect::<Vec<(u32, u32)>>()
    });
    each_equal(&mut of_a, &mut of_b, usize::MAX, |a, b| seeds.push((a, b)));
}

/// Adds the pairs of consecutive tokens that are rare in both texts.
fn of_pairs(numbered: &Numbered, seeds: &mut Vec<Seed>) {
    let is_shared = |number: u32| {
        numbered.counts[number as usize]
            .iter()
            .all(|&count| count > 0)
    };
    let [mut of_a, mut of_b] = numbered.texts.each_ref().map(|text| {
        let pairs = text
            .array_windows()
            .zip(0u32..)
            .filter(|(pair, _)| pair.iter().all(|&number| is_shared(number)));
        pairs
            .map(|(&[first, second], at)| (u64::from(first) << 32 | u64::from(second), at))
            .collect::<Vec<(u64, u32)>>()
    });
    each_equal(&mut of_a, &mut of_b, OF_PAIRS, |a, b| {
        seeds.extend([(a, b), (a + 1, b + 1)])
    });
}

/// Calls `give` with the positions of all equal keys that have at most `most` pairs of positions.
fn each_equal<K: Ord>(
    a: &mut [(K, u32)],
    b: &mut [(K, u32)],
    most: usize,
    mut give: impl FnMut(u32, u32),
) {
    a.sort_unstable();
    b.sort_unstable();
    let mut rest = &*b;
    for of_a in a.chunk_by(|x, y| x.0 == y.0) {
        rest = &rest[rest.partition_point(|of_b| of_b.0 < of_a[0].0)..];
        let of_b = &rest[..rest.iter().take_while(|of_b| of_b.0 == of_a[0].0).count()];
        if of_a.len().saturating_mul(of_b.len()) <= most {
            of_a.iter()
                .for_each(|a| of_b.iter().for_each(|b| give(a.1, b.1)));
        }
    }
}

/// Adds the tokens of runs, except those that earlier runs cover in both texts. So these seeds are fewer than the tokens of both
/// texts, although the runs of very repetitive texts overlap so much that they have a quadratic number of tokens.
fn of_runs(numbered: &Numbered, runs: &[Run], seeds: &mut Vec<Seed>) {
    let mut free = numbered.texts.each_ref().map(|text| Free::new(text.len()));
    for run in runs {
        let mut at = 0;
        loop {
            at = (free[0].next(run.a + at) - run.a).min(free[1].next(run.b + at) - run.b);
            if at >= run.tokens {
                break;
            }
            free[0].take(run.a + at);
            free[1].take(run.b + at);
            seeds.push(((run.a + at) as u32, (run.b + at) as u32));
            at += 1;
        }
    }
}

/// The positions of a text that are not taken yet. A taken position points to a later one.
pub(super) struct Free(Vec<usize>);

impl Free {
    pub(super) fn new(length: usize) -> Self {
        Self((0..=length).collect())
    }

    /// Returns the first free position from `at` on, or the length of the text. Shortens the way for later searches.
    pub(super) fn next(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    pub(super) fn take(&mut self, at: usize) {
        if self.0[at] == at {
            self.0[at] = at + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::runs::{Winnowing, shared_runs};

    /// Finds the seeds as the definition describes them, by comparing all positions.
    fn naive(a: &[u64], b: &[u64], runs: &[Run]) -> Vec<Seed> {
        let mut seeds = BTreeSet::new();
        for (length, most) in [(1, OF_TOKENS as usize), (2, OF_PAIRS)] {
            let places = |text: &[u64], gram: &[u64]| -> Vec<usize> {
                (0..(text.len() + 1).saturating_sub(length))
                    .filter(|&at| text[at..at + length] == *gram)
                    .collect()
            };
            for gram in a.windows(length) {
                let (of_a, of_b) = (places(a, gram), places(b, gram));
                if of_a.len() * of_b.len() <= most {
                    let pairs = of_a.iter().flat_map(|a| of_b.iter().map(move |b| (a, b)));
                    seeds.extend(pairs.flat_map(|(a, b)| {
                        (0..length).map(move |at| ((a + at) as u32, (b + at) as u32))
                    }));
                }
            }
        }
        let (mut in_a, mut in_b) = (BTreeSet::new(), BTreeSet::new());
        for run in runs {
            for at in 0..run.tokens {
                if in_a.insert(run.a + at) | in_b.insert(run.b + at) {
                    seeds.insert(((run.a + at) as u32, (run.b + at) as u32));
                }
            }
        }
        seeds.into_iter().collect()
    }

    #[test]
    fn repetitive_texts_have_few_seeds() {
        let [a, b] = [3000, 1000].map(|length| (0..length).map(|at| at % 2).collect::<Vec<u64>>());
        let runs = shared_runs(&a, &b, Winnowing::new(4).unwrap());
        assert!(runs.iter().map(|run| run.tokens).sum::<usize>() > 1_000_000);
        let seeds = seeds(&Numbered::new([&a, &b]), &runs);
        assert!(seeds.len() <= a.len() + b.len(), "{}", seeds.len());
        assert!(
            a.iter()
                .zip(0..)
                .all(|(_, at)| seeds.iter().any(|seed| seed.0 == at))
        );
    }

    proptest! {
        #[test]
        fn seeds_are_those_of_the_definition(
            a in prop::collection::vec(0u64..12, 0..60),
            b in prop::collection::vec(0u64..12, 0..60),
            least in 2usize..5,
        ) {
            let runs = shared_runs(&a, &b, Winnowing::new(least).unwrap());
            prop_assert_eq!(seeds(&Numbered::new([&a, &b]), &runs), naive(&a, &b, &runs));
        }
    }
}

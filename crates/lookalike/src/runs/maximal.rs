//! Finds the runs of two texts: the sequences of tokens that the texts share.

use std::cmp::Reverse;

use super::{
    automaton::longest_in,
    run::Run,
    winnow::{Selected, Winnowing},
};

/// Returns the runs of two texts, which are given as the hashes of their tokens. The runs are sorted by their position in the
/// first text, and then in the second.
///
/// A run is a sequence of tokens of at least the minimum length that occurs in both texts. In at least one of the two texts, it
/// is not part of a longer shared sequence. The run is paired with its first occurrence in the other text. Cost: about 20 ns per
/// token; a microsecond per token for very repetitive texts.
///
/// # Panics
/// Panics if a text has 2³² tokens or more.
pub fn shared_runs(a: &[u64], b: &[u64], winnowing: Winnowing) -> Vec<Run> {
    let (mut scratch, mut selected) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (tokens, selected) in [a, b].into_iter().zip(&mut selected) {
        winnowing.select(tokens, &mut scratch, selected);
        selected.sort_unstable();
    }
    let [of_a, of_b] = &selected;
    let mut shared_texts: Vec<(&[Selected], &[Selected])> = Vec::new();
    let mut rest = of_b.as_slice();
    for group in of_a.chunk_by(|x, y| x.key == y.key) {
        rest = &rest[rest.partition_point(|selected| selected.key < group[0].key)..];
        let same = rest.partition_point(|selected| selected.key == group[0].key);
        if same > 0 {
            shared_texts.push((group, &rest[..same]));
        }
    }
    let hits = shared_texts.iter().map(|(a, b)| a.len() * b.len()).sum();
    if is_too_much(hits, a, b) {
        return longest_of_both(a, b, winnowing.least());
    }
    let pairs = shared_texts
        .iter()
        .flat_map(|(a, b)| a.iter().flat_map(|a| b.iter().map(|b| (a.at, b.at))));
    runs_at(a, b, pairs.collect(), winnowing.least())
}

/// Returns whether comparing `hits` pairs of equal windows takes longer than finding the runs with automata of both texts.
pub(super) fn is_too_much(hits: usize, a: &[u64], b: &[u64]) -> bool {
    hits > 64 + 4 * (a.len() + b.len())
}

/// Returns the runs that contain the given pairs of positions of equal windows. If each run of the two texts contains at least
/// one of these pairs, the result has all runs of the two texts.
pub(super) fn runs_at(a: &[u64], b: &[u64], mut hits: Vec<(u32, u32)>, least: usize) -> Vec<Run> {
    // Two pairs of positions with the same difference are on one diagonal. The runs of a diagonal are extended one after the
    // other.
    let diagonal = |&(at, other): &(u32, u32)| (i64::from(other) - i64::from(at), at);
    hits.sort_unstable_by_key(diagonal);
    let mut runs = Vec::new();
    for on_one in hits.chunk_by(|x, y| diagonal(x).0 == diagonal(y).0) {
        let mut end = 0;
        for &(at, other) in on_one {
            let (at, other) = (at as usize, other as usize);
            if at < end {
                continue;
            }
            let before = a[..at]
                .iter()
                .rev()
                .zip(b[..other].iter().rev())
                .take_while(|(a, b)| a == b)
                .count();
            let after = a[at..]
                .iter()
                .zip(&b[other..])
                .take_while(|(a, b)| a == b)
                .count();
            end = at + after;
            if before + after >= least {
                runs.push(Run {
                    a: at - before,
                    b: other - before,
                    tokens: before + after,
                });
            }
        }
    }
    let mut all = keep_longest(&mut runs, |run| (run.a, run.b));
    all.extend(keep_longest(&mut runs, |run| (run.b, run.a)));
    sort_distinct(all)
}

/// `place` gives the position of a run in one of the two texts, here called the main text, and then its position in the other
/// text. Keeps the runs that are not inside another run in the main text. If several runs of the same length start at one
/// position of the main text, keeps the run that comes first in the other text.
fn keep_longest(runs: &mut [Run], place: impl Fn(&Run) -> (usize, usize)) -> Vec<Run> {
    runs.sort_unstable_by_key(|run| (place(run).0, Reverse(run.tokens), place(run).1));
    let mut end = 0;
    let is_kept = |run: &&Run| {
        let reaches_further = place(run).0 + run.tokens > end;
        end = end.max(place(run).0 + run.tokens);
        reaches_further
    };
    runs.iter().filter(is_kept).copied().collect()
}

/// Returns the runs of two texts, found by automata instead of windows.
pub(super) fn longest_of_both(a: &[u64], b: &[u64], least: usize) -> Vec<Run> {
    let mut runs = longest_in(b, a, least);
    runs.extend(longest_in(a, b, least).into_iter().map(|run| Run {
        a: run.b,
        b: run.a,
        ..run
    }));
    sort_distinct(runs)
}

fn sort_distinct(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable();
    runs.dedup();
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Finds the runs as the definition describes them, by trying all substrings.
    fn naive(a: &[u64], b: &[u64], least: usize) -> Vec<Run> {
        let of = |text: &[u64], other: &[u64]| -> Vec<Run> {
            let mut found = Vec::new();
            for start in 0..text.len() {
                for end in start + least..=text.len() {
                    let place = |stretch: &[u64]| {
                        other
                            .windows(stretch.len())
                            .position(|window| window == stretch)
                    };
                    let Some(first) = place(&text[start..end]) else {
                        continue;
                    };
                    let longer = [(start.wrapping_sub(1), end), (start, end + 1)];
                    let is_in = |&(from, to): &(usize, usize)| {
                        text.get(from..to)
                            .is_some_and(|longer| place(longer).is_some())
                    };
                    if !longer.iter().any(is_in) {
                        found.push(Run {
                            a: start,
                            b: first,
                            tokens: end - start,
                        });
                    }
                }
            }
            found
        };
        let mut runs = of(a, b);
        runs.extend(of(b, a).into_iter().map(|run| Run {
            a: run.b,
            b: run.a,
            ..run
        }));
        sort_distinct(runs)
    }

    /// Generates texts that share passages and repeat themselves.
    fn texts() -> impl Strategy<Value = [Vec<u64>; 2]> {
        let piece = prop_oneof![
            prop::collection::vec(0u64..3, 1..12),
            Just(vec![7; 9]),
            Just(vec![1, 2, 1, 2, 1, 2])
        ];
        prop::collection::vec((piece, 0usize..3), 0..9).prop_map(|pieces| {
            [0, 1].map(|side| {
                let own = |(piece, who): &(Vec<u64>, usize)| {
                    if *who == 1 - side {
                        vec![100 + side as u64]
                    } else {
                        piece.clone()
                    }
                };
                let mut pieces = pieces.clone();
                if side == 1 {
                    pieces.reverse();
                }
                pieces.iter().flat_map(own).collect()
            })
        })
    }

    proptest! {
        #[test]
        fn runs_match_their_definition([a, b] in texts(), least in 1usize..7) {
            let expected = naive(&a, &b, least);
            prop_assert_eq!(&shared_runs(&a, &b, Winnowing::new(least).unwrap()), &expected);
            prop_assert_eq!(&longest_of_both(&a, &b, least), &expected);
        }
    }

    #[test]
    fn runs_in_a_table() {
        let runs = |a: &[u64], b: &[u64]| -> Vec<(usize, usize, usize)> {
            let runs = shared_runs(a, b, Winnowing::new(3).unwrap());
            runs.iter().map(|run| (run.a, run.b, run.tokens)).collect()
        };
        assert_eq!(runs(&[1, 2, 3, 4], &[9, 1, 2, 3, 8]), [(0, 1, 3)]);
        // The sequence occurs twice in the first text and once in the second. Both occurrences are reported, each paired with the
        // single one.
        assert_eq!(
            runs(&[1, 2, 3, 9, 1, 2, 3], &[1, 2, 3]),
            [(0, 0, 3), (4, 0, 3)]
        );
        // Two runs that overlap in one of the texts.
        assert_eq!(
            runs(&[1, 2, 3, 2, 3, 4], &[1, 2, 3, 4]),
            [(0, 0, 3), (3, 1, 3)]
        );
        assert_eq!(runs(&[1, 2], &[1, 2]), []);
    }

    #[test]
    fn texts_of_one_word_have_few_runs() {
        let (a, b) = (vec![1; 100_000], vec![1; 50_000]);
        let runs = shared_runs(&a, &b, Winnowing::new(8).unwrap());
        assert!(
            runs.iter().all(|run| run.tokens == 50_000) && runs.len() == 50_001,
            "{}",
            runs.len()
        );
    }
}

//! From runs to passages: runs (shared sequences of tokens) that are separated by only a few tokens form one passage.

use std::{collections::BTreeSet, ops::Range};

use super::run::Run;
use crate::text::Span;

/// A pair of passages, one in each text, whose shared runs occur in the same order in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Its tokens in the first text.
    pub a: Range<usize>,
    /// Its tokens in the second text.
    pub b: Range<usize>,
    /// The number of tokens in the runs.
    pub tokens: usize,
    /// The runs, in order.
    pub runs: Vec<Run>,
}

impl Run {
    /// Returns the run's position in each of the two texts. `spans` has the positions of all tokens of each text.
    pub fn places(&self, spans: [&[Span]; 2]) -> [Span; 2] {
        [(self.a, spans[0]), (self.b, spans[1])]
            .map(|(first, spans)| stretch(&(first..first + self.tokens), spans))
    }
}

impl Joined {
    /// Returns the passage's position in each of the two texts. `spans` has the positions of all tokens of each text.
    pub fn places(&self, spans: [&[Span]; 2]) -> [Span; 2] {
        [(&self.a, spans[0]), (&self.b, spans[1])].map(|(tokens, spans)| stretch(tokens, spans))
    }
}

/// Returns the span from the first token of a range to the last.
pub(crate) fn stretch(tokens: &Range<usize>, spans: &[Span]) -> Span {
    let (first, last) = (
        spans.get(tokens.start),
        tokens.end.checked_sub(1).and_then(|last| spans.get(last)),
    );
    Span {
        start: first.map_or(0, |span| span.start),
        end: last.map_or(0, |span| span.end),
    }
}

/// Joins runs that follow each other in both texts with at most `gap` tokens between them in each, or that overlap by at most
/// `gap`. Each run is joined to the nearest earlier passage that is close enough in both texts. The runs must be in the form of
/// [`shared_runs`](super::shared_runs). With a gap of 0, no runs are joined. Cost: a search per run, among the passages that end
/// near it in both texts.
pub fn join(runs: &[Run], gap: usize) -> Vec<Joined> {
    let mut joined: Vec<Joined> = Vec::new();
    // The passages that can be continued, in two orders. The order by their ends in the first text is used to remove passages
    // that are too far back. The order by their ends in the second text is used to find the passage for the next run.
    let mut ends: [BTreeSet<(usize, usize)>; 2] = Default::default();
    for run in runs {
        let (a, b) = (run.a..run.a + run.tokens, run.b..run.b + run.tokens);
        while let Some(&(end, number)) = ends[0].first()
            && end.saturating_add(gap) < a.start
        {
            ends[0].pop_first();
            ends[1].remove(&(joined[number].b.end, number));
        }
        let around = (b.start.saturating_sub(gap), 0)..=(b.start.saturating_add(gap), usize::MAX);
        let near = ends[1].range(around).map(|&(_, number)| number);
        let apart = |number: usize| {
            let Joined {
                a: before_a,
                b: before_b,
                ..
            } = &joined[number];
            let goes_on = |before: &Range<usize>, next: &Range<usize>| {
                let apart = before.end.abs_diff(next.start);
                (before.start < next.start && before.end < next.end && apart <= gap)
                    .then_some(apart)
            };
            Some(goes_on(before_a, &a)? + goes_on(before_b, &b)?)
        };
        let nearest = near
            .filter_map(|number| Some((apart(number)?, number)))
            .filter(|_| gap > 0)
            .min();
        let Some((_, number)) = nearest else {
            ends[0].insert((a.end, joined.len()));
            ends[1].insert((b.end, joined.len()));
            joined.push(Joined {
                a,
                b,
                tokens: run.tokens,
                runs: vec![*run],
            });
            continue;
        };
        let before = &mut joined[number];
        for (ends, (old, new)) in ends
            .iter_mut()
            .zip([(before.a.end, a.end), (before.b.end, b.end)])
        {
            ends.remove(&(old, number));
            ends.insert((new, number));
        }
        let twice = before
            .a
            .end
            .saturating_sub(a.start)
            .max(before.b.end.saturating_sub(b.start));
        before.tokens += run.tokens.saturating_sub(twice);
        before.runs.push(*run);
        (before.a.end, before.b.end) = (a.end, b.end);
    }
    joined
}

/// Returns the number of tokens that the ranges cover together: a token in several ranges counts once. The ranges may overlap,
/// and may be in any order.
pub fn covered(ranges: impl IntoIterator<Item = Range<usize>>) -> usize {
    let mut ranges: Vec<Range<usize>> = ranges.into_iter().collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut end, mut covered) = (0, 0);
    for range in ranges {
        covered += range.end.saturating_sub(range.start.max(end));
        end = end.max(range.end);
    }
    covered
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{
        super::{Winnowing, shared_runs},
        *,
    };

    #[test]
    fn runs_are_joined_in_a_table() {
        let a: Vec<u64> = (0..20).collect();
        let join = |b: &[u64], gap| -> Vec<(Range<usize>, Range<usize>, usize, usize)> {
            let runs = shared_runs(&a, b, Winnowing::new(3).unwrap());
            super::join(&runs, gap)
                .into_iter()
                .map(|j| (j.a, j.b, j.tokens, j.runs.len()))
                .collect()
        };
        let replaced = [0, 1, 2, 3, 99, 5, 6, 7];
        assert_eq!(join(&replaced, 0), [(0..4, 0..4, 4, 1), (5..8, 5..8, 3, 1)]);
        assert_eq!(join(&replaced, 1), [(0..8, 0..8, 7, 2)]);
        let inserted = [0, 1, 2, 98, 99, 3, 4, 5];
        assert_eq!(join(&inserted, 1).len(), 2);
        assert_eq!(join(&inserted, 2), [(0..6, 0..8, 6, 2)]);
        // Runs that occur in a different order in the second text are not one passage.
        assert_eq!(join(&[5, 6, 7, 0, 1, 2], 9).len(), 2);
    }

    #[test]
    fn runs_that_overlap_are_counted_once() {
        let runs = [
            Run {
                a: 0,
                b: 0,
                tokens: 3,
            },
            Run {
                a: 3,
                b: 1,
                tokens: 3,
            },
        ];
        assert_eq!(
            join(&runs, 2),
            [Joined {
                a: 0..6,
                b: 0..4,
                tokens: 4,
                runs: runs.to_vec()
            }]
        );
        assert_eq!(join(&runs, 1).len(), 2);
    }

    #[test]
    fn finished_passages_are_not_compared() {
        // One part of the second text occurs many times in the first. If old passages were not removed, each run would be
        // compared with all earlier passages.
        let runs: Vec<Run> = (0..200_000)
            .map(|at| Run {
                a: 20 * at,
                b: 5,
                tokens: 10,
            })
            .collect();
        assert_eq!(join(&runs, 12).len(), runs.len());
        assert_eq!(join(&runs[..2], usize::MAX).len(), 2);
    }

    proptest! {
        #[test]
        fn joining_loses_nothing(
            a in prop::collection::vec(0u64..4, 0..80),
            b in prop::collection::vec(0u64..4, 0..80),
            gap in 0usize..6,
        ) {
            let runs = shared_runs(&a, &b, Winnowing::new(3).unwrap());
            let joined = join(&runs, gap);
            prop_assert_eq!(joined.iter().map(|joined| joined.runs.len()).sum::<usize>(), runs.len());
            for run in &runs {
                let holds = |joined: &Joined| {
                    joined.a.start <= run.a && run.a + run.tokens <= joined.a.end && joined.b.start <= run.b && run.b + run.tokens <= joined.b.end
                };
                prop_assert!(joined.iter().any(holds));
            }
            for Joined { a, b, tokens, .. } in &joined {
                prop_assert!(*tokens <= a.len().min(b.len()));
            }
            let ranges = || runs.iter().map(|run| run.a..run.a + run.tokens);
            prop_assert_eq!(covered(ranges()), ranges().flatten().collect::<BTreeSet<_>>().len());
        }
    }
}

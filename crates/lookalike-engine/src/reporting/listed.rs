//! The pairs that a command lists, for a report: all of them, or a random sample if there are too many.

use lookalike::{fingerprint::finish, verify::Measure};

use crate::{deciding::all_matches::PairFigures, numbers::Document};

/// The maximum number of pairs in a report.
pub(crate) const MOST_PAIRS: usize = 600_000;

/// A pair in a report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Listed {
    pub(crate) a: Document,
    pub(crate) b: Document,
    /// The similarity that the threshold applies to; NaN if it was not measured.
    pub(crate) similarity: f64,
    /// The number of shared shingles, and the sizes of `a` and `b`, if they were counted.
    pub(crate) counted: Option<[u64; 3]>,
    /// A letter for how the pair was found, if there are several ways: see [`Pairs::by`](lookalike_report::Pairs::by).
    pub(crate) by: Option<char>,
}

impl Listed {
    /// Returns the pair as a report shows it.
    pub(crate) fn new(
        (a, b): (Document, Document),
        figures: PairFigures,
        measure: Measure,
    ) -> Self {
        let counted = match figures {
            PairFigures::Counted(f) => Some([f.intersection, f.size_a, f.size_b]),
            _ => None,
        };
        Self {
            a,
            b,
            similarity: figures.similarity(measure),
            counted,
            by: None,
        }
    }
}

/// Pairs, each once: at most [`MOST_PAIRS`] of them. If there are more, those with the smallest hashes of their two documents
/// remain, so the sample does not depend on the order of the pairs.
#[derive(Debug)]
pub(crate) struct ListedPairs {
    most: usize,
    pairs: Vec<(u64, Listed)>,
    /// The number of lines that were passed, and those of them that are not in the sample.
    left_out: u64,
}

impl Default for ListedPairs {
    fn default() -> Self {
        Self::of(MOST_PAIRS)
    }
}

impl ListedPairs {
    fn of(most: usize) -> Self {
        Self {
            most,
            pairs: Vec::new(),
            left_out: 0,
        }
    }

    pub(crate) fn take(&mut self, pair: Listed) {
        let (first, second) = (pair.a.0.min(pair.b.0), pair.a.0.max(pair.b.0));
        self.pairs.push((finish(finish(first) ^ second), pair));
        if self.pairs.len() >= 2 * self.most {
            self.cut();
        }
    }

    /// Removes second directions of pairs, and pairs beyond the maximum.
    fn cut(&mut self) {
        let unordered = |pair: &Listed| (pair.a.min(pair.b), pair.a.max(pair.b));
        self.pairs
            .sort_by_key(|(hash, pair)| (*hash, unordered(pair), pair.a));
        self.pairs.dedup_by_key(|(_, pair)| unordered(pair));
        self.left_out += self.pairs.len().saturating_sub(self.most) as u64;
        self.pairs.truncate(self.most);
    }

    /// Returns the pairs in the order of their documents, and the number of pairs that are left out.
    pub(crate) fn finish(mut self) -> (Vec<Listed>, u64) {
        self.cut();
        let mut pairs: Vec<Listed> = self.pairs.into_iter().map(|(_, pair)| pair).collect();
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        (pairs, self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: u64, b: u64) -> Listed {
        Listed {
            a: Document(a),
            b: Document(b),
            similarity: 0.9,
            counted: None,
            by: None,
        }
    }

    #[test]
    fn the_sample_does_not_depend_on_the_order_of_pairs() {
        let all: Vec<Listed> = (0..60)
            .flat_map(|a| (a + 1..60).map(move |b| pair(a, b)))
            .collect();
        let sample = |pairs: &mut dyn Iterator<Item = &Listed>| {
            let mut sampled = ListedPairs::of(100);
            pairs.for_each(|&pair| sampled.take(pair));
            sampled.finish()
        };
        let (pairs, left_out) = sample(&mut all.iter());
        assert_eq!((pairs.len(), left_out), (100, all.len() as u64 - 100));
        assert!(pairs.is_sorted_by_key(|pair| (pair.a, pair.b)));
        assert_eq!(sample(&mut all.iter().rev()), (pairs, left_out));
    }

    #[test]
    fn pairs_that_are_listed_from_both_sides_are_listed_once() {
        let mut pairs = ListedPairs::default();
        [pair(1, 2), pair(3, 2), pair(2, 1), pair(2, 3)]
            .into_iter()
            .for_each(|pair| pairs.take(pair));
        assert_eq!(pairs.finish(), (vec![pair(1, 2), pair(2, 3)], 0));
    }
}

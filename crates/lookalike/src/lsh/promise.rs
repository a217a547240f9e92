//! The guaranteed recall of pairs at the threshold, for each size of texts.
//!
//! All pairs of large sets at the threshold are found with nearly the same probability. Small sets are different: their sketches
//! are short, and two small sets at a given resemblance have few possible sizes and overlaps. So the probability is computed for
//! each size, over all pairs of this size, and the promise states the size from which it is valid.
//!
//! The size of a pair is the size of its smaller set.

use serde::Serialize;

/// The promise: pairs at the threshold whose smaller set has at least `from` elements are found with a probability of at least
/// `found`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct Promise {
    /// The minimum of P(found).
    pub found: f64,
    /// The size from which the promise is valid; 1 means all sizes.
    pub from: usize,
}

/// The size from which sets count as large. If the required recall is not reached, the promise is the recall that all pairs of
/// this size or larger reach. For example, SimHash at its default distance finds at most half of the pairs.
const LARGE: usize = 50;

impl Promise {
    /// Returns a promise that does not depend on the size.
    pub fn of_all(found: f64) -> Self {
        Self { found, from: 1 }
    }

    /// Returns the promise that follows from P(found) at some sizes, given in ascending order of size. The promise is valid from
    /// the smallest size such that P(found) reaches the recall at this size and at all larger ones. If the largest size does not
    /// reach the recall, a lower recall is promised: the minimum of P(found) over sizes of 50 and more. This minimum then
    /// replaces the recall in the rule above.
    pub fn of(recall: f64, found: &[(usize, f64)]) -> Self {
        let least_from = |i: usize| {
            found[i..]
                .iter()
                .map(|&(_, found)| found)
                .fold(1.0, f64::min)
        };
        let large = found
            .iter()
            .position(|&(size, _)| size >= LARGE)
            .unwrap_or(0);
        let reaches = found.last().is_some_and(|last| last.1 >= recall);
        let wanted = if reaches { recall } else { least_from(large) };
        let begin = found
            .iter()
            .rposition(|&(_, found)| found < wanted)
            .map_or(0, |last| last + 1);
        Self {
            found: least_from(begin),
            from: if begin == 0 { 1 } else { found[begin].0 },
        }
    }
}

/// The sizes of a pair of sets: how many elements are in both sets, and how many are in only one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairSizes {
    /// The elements in both sets.
    pub shared: usize,
    /// The elements only in the smaller set.
    pub a: usize,
    /// The elements only in the larger set.
    pub b: usize,
}

/// The tolerance of comparisons with the threshold. Without it, a rounding error could change the number of shared elements by
/// one.
const TOLERANCE: f64 = 1e-9;

/// For sizes up to this one, all pairs are examined.
const ALL: usize = 64;

/// Returns the pairs of unequal sets that just reach the threshold and whose smaller set has `size` elements. *Just* means that
/// the number of elements that are only in the larger set is the maximum with which the pair reaches the threshold, or one less.
/// Above size 64, the result has only a selection of these pairs, which includes the most unequal and the most equal ones; with
/// `all`, it has all of them. The result also has pairs whose larger set has a size in `edges`, even if these pairs are well
/// above the threshold. The result is empty if there is no such pair. At a threshold of 1, the result is the pair of equal sets.
pub fn pairs_at(size: usize, threshold: f64, edges: &[usize], all: bool) -> Vec<PairSizes> {
    // The maximum number of elements that only the larger set has.
    let most =
        |a: usize| (((size - a) as f64 / threshold + TOLERANCE) as usize).saturating_sub(size);
    let last = (0..size)
        .take_while(|&a| a == 0 || most(a) >= a)
        .last()
        .unwrap_or(0);
    if most(0) == 0 {
        return if threshold < 1.0 {
            Vec::new()
        } else {
            vec![PairSizes {
                shared: size,
                a: 0,
                b: 0,
            }]
        };
    }
    let mut alone: Vec<usize> = match size {
        _ if all || size <= ALL => (0..=last).collect(),
        _ => vec![
            0,
            1,
            last / 4,
            last / 2,
            last * 3 / 4,
            last.saturating_sub(1),
            last,
        ],
    };
    alone.extend(edges.iter().filter_map(|&edge| {
        let shared = threshold * (size + edge) as f64 / (1.0 + threshold);
        size.checked_sub((shared - TOLERANCE).ceil() as usize)
    }));
    alone.retain(|&a| a <= last);
    alone.sort_unstable();
    alone.dedup();
    let mut pairs = Vec::new();
    for a in alone {
        let shared = size - a;
        let beyond = edges
            .iter()
            .filter_map(|edge| edge.checked_sub(shared))
            .filter(|&b| b < most(a));
        let mut more: Vec<usize> = [most(a), most(a).saturating_sub(1)]
            .into_iter()
            .chain(beyond)
            .collect();
        more.retain(|&b| b >= a && b > 0);
        more.sort_unstable();
        more.dedup();
        pairs.extend(more.into_iter().map(|b| PairSizes { shared, a, b }));
    }
    pairs
}

/// Returns the sizes for which P(found) is computed: all up to 64, then eight per doubling up to `last`, and those in `more`.
pub fn sizes(last: usize, more: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut sizes: Vec<usize> = (1..=ALL.min(last)).collect();
    let mut start = ALL;
    while start <= last {
        sizes.extend(
            (0..8)
                .map(|eighth| start + start / 8 * eighth)
                .filter(|&size| size <= last),
        );
        start *= 2;
    }
    sizes.extend(more.into_iter().filter(|&size| (1..=last).contains(&size)));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_at_the_threshold_are_listed() {
        for threshold in [0.3, 0.5, 0.7, 0.8, 0.9, 0.95] {
            for size in 1..40usize {
                let pairs = pairs_at(size, threshold, &[], false);
                let reaches = |shared: usize, a: usize, b: usize| {
                    shared as f64 >= threshold * (shared + a + b) as f64 - 1e-12
                };
                for PairSizes { shared, a, b } in pairs.iter().copied() {
                    assert!(
                        shared + a == size
                            && b >= a
                            && b > 0
                            && reaches(shared, a, b)
                            && !reaches(shared, a, b + 2)
                    );
                }
                // Check every unequal pair of this size that is at the threshold and would be below it with one more element.
                for (shared, a) in (1..=size).map(|shared| (shared, size - shared)) {
                    for b in (a.max(1)..200)
                        .filter(|&b| reaches(shared, a, b) && !reaches(shared, a, b + 1))
                    {
                        assert!(
                            pairs.contains(&PairSizes { shared, a, b }),
                            "{threshold}: {shared} {a} {b}"
                        );
                    }
                }
            }
        }
        assert_eq!(
            pairs_at(7, 1.0, &[], false),
            [PairSizes {
                shared: 7,
                a: 0,
                b: 0
            }]
        );
        assert!(
            pairs_at(90, 0.8, &[100], false)
                .iter()
                .any(|pair| pair.shared + pair.b == 100 && pair.a > 0)
        );
    }

    #[test]
    fn a_promise_begins_at_the_size_from_which_it_always_holds() {
        let found = [
            (1, 1.0),
            (2, 0.3),
            (3, 0.995),
            (4, 0.98),
            (5, 0.992),
            (60, 0.999),
        ];
        assert_eq!(
            Promise::of(0.99, &found),
            Promise {
                found: 0.992,
                from: 5
            }
        );
        assert_eq!(
            Promise::of(0.9, &found),
            Promise {
                found: 0.98,
                from: 3
            }
        );
        assert_eq!(
            Promise::of(0.2, &found),
            Promise {
                found: 0.3,
                from: 1
            }
        );
        let half = [(1, 1.0), (2, 0.2), (3, 0.45), (50, 0.44), (60, 0.48)];
        assert_eq!(
            Promise::of(0.99, &half),
            Promise {
                found: 0.44,
                from: 3
            }
        );
    }

    #[test]
    fn sizes_are_sorted_and_distinct() {
        let sizes = sizes(1000, [100, 5, 2000, 0]);
        assert!(
            sizes.is_sorted_by(|a, b| a < b)
                && sizes.contains(&100)
                && sizes[63] == 64
                && sizes[64] == 72
        );
        assert!(sizes.last() == Some(&960) && super::sizes(10, []).len() == 10);
    }
}

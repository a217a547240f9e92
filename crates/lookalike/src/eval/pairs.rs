//! Compares found pairs with true pairs: precision, recall, F1 (van Rijsbergen 1979, chapter 7).

use serde::Serialize;

use crate::sketch::Estimate;

/// Three numbers of pairs: the found pairs, the true pairs, and the pairs that are both found and true. All shares are computed
/// from these three counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PairCounts {
    /// The found pairs that are true.
    pub found_true: u64,
    /// The found pairs.
    pub found: u64,
    /// The true pairs.
    pub truth: u64,
}

impl PairCounts {
    /// Counts the pairs of two lists. Each list must be sorted and contain each pair (a, b), with a < b, once. Cost: one merge of
    /// |found| + |truth| steps.
    ///
    /// # Panics
    /// Panics if a list is not in this form: a silently wrong result would be worse.
    pub fn of(found: &[(u32, u32)], truth: &[(u32, u32)]) -> Self {
        for list in [found, truth] {
            assert!(
                list.iter().all(|(a, b)| a < b) && list.is_sorted_by(|x, y| x < y),
                "pairs must have a < b, be sorted and be \
                                                                                         distinct"
            );
        }
        let (mut i, mut j, mut found_true) = (0, 0, 0);
        while i < found.len() && j < truth.len() {
            let (x, y) = (found[i], truth[j]);
            found_true += u64::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        Self {
            found_true,
            found: found.len() as u64,
            truth: truth.len() as u64,
        }
    }

    /// Returns the share of the found pairs that are true, with Wilson's interval; none if nothing was found. The interval
    /// assumes independent pairs. The pairs of a sample of documents are not independent: use
    /// [`sampled_share`](super::sampled_share) for these.
    pub fn precision(self) -> Option<Estimate> {
        share(self.found_true, self.found)
    }

    /// Returns the share of the true pairs that were found, with the same interval as [`precision`](Self::precision); none if
    /// there are no true pairs.
    pub fn recall(self) -> Option<Estimate> {
        share(self.found_true, self.truth)
    }

    /// Returns F1, the harmonic mean of precision and recall: 2 · found_true / (found + truth). It is 0 if only precision or only
    /// recall is undefined, and none if both are undefined.
    pub fn f1(self) -> Option<f64> {
        let both = self.found + self.truth;
        (both > 0).then(|| 2.0 * self.found_true as f64 / both as f64)
    }
}

/// Returns a share with its interval; none if `whole` is 0.
pub(super) fn share(part: u64, whole: u64) -> Option<Estimate> {
    (whole > 0).then(|| Estimate::of_share(part, whole))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn pairs() -> impl Strategy<Value = BTreeSet<(u32, u32)>> {
        let pair = (0u32..12, 1u32..12).prop_map(|(a, more)| (a, a + more));
        prop::collection::btree_set(pair, 0..40)
    }

    proptest! {
        #[test]
        fn counts_match_those_of_sets(found in pairs(), truth in pairs()) {
            let list = |set: &BTreeSet<_>| set.iter().copied().collect::<Vec<_>>();
            let counts = PairCounts::of(&list(&found), &list(&truth));
            prop_assert_eq!(counts.found_true, found.intersection(&truth).count() as u64);
            prop_assert_eq!((counts.found, counts.truth), (found.len() as u64, truth.len() as u64));
            if let (Some(p), Some(r)) = (counts.precision(), counts.recall()) {
                let harmonic = if counts.found_true == 0 { 0.0 } else { 2.0 / (1.0 / p.value + 1.0 / r.value) };
                prop_assert!((counts.f1().unwrap() - harmonic).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn shares_of_nothing_are_undefined() {
        let nothing = PairCounts::of(&[], &[]);
        assert_eq!(
            (nothing.precision(), nothing.recall(), nothing.f1()),
            (None, None, None)
        );
        let missed = PairCounts::of(&[], &[(0, 1)]);
        assert_eq!(
            (
                missed.precision(),
                missed.recall().unwrap().value,
                missed.f1()
            ),
            (None, 0.0, Some(0.0))
        );
        let invented = PairCounts::of(&[(0, 1)], &[]);
        assert_eq!(
            (
                invented.precision().unwrap().value,
                invented.recall(),
                invented.f1()
            ),
            (0.0, None, Some(0.0))
        );
    }

    #[test]
    fn shares_in_a_table() {
        let counts = PairCounts {
            found_true: 81,
            found: 263,
            truth: 162,
        };
        let precision = counts.precision().unwrap();
        assert!(
            (precision.low - 0.2553).abs() < 5e-5 && (precision.high - 0.3662).abs() < 5e-5,
            "{precision:?}"
        );
        assert_eq!(counts.recall().unwrap().value, 0.5);
        assert_eq!(counts.f1(), Some(162.0 / 425.0));
    }

    #[test]
    fn lists_that_are_not_sorted_pairs_are_refused() {
        for list in [
            vec![(1, 0)],
            vec![(0, 0)],
            vec![(0, 2), (0, 1)],
            vec![(0, 1), (0, 1)],
        ] {
            assert!(
                std::panic::catch_unwind(|| PairCounts::of(&list, &[])).is_err(),
                "{list:?}"
            );
        }
    }
}

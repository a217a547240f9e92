//! Option A of Broder 1997, section 2: each occurrence of a shingle gets a number, so that repeated shingles are different
//! elements. So the set has as many members as the text has windows, and a text written twice in a row differs from the text
//! itself.

use super::mix::{K2, finish};

/// Labels the occurrences of each fingerprint: the first keeps its value, and the second, third, … get new values. The list is
/// sorted in the process, so the result is a set.
///
/// The paper warns that fingerprints of one shingle under different labels may depend on each other (section 4.3). Here every
/// label goes through a mixer in which each bit of the fingerprint and of the label affects each bit of the result. Cost: a sort.
/// The new values are frozen: no release changes them.
pub fn label_occurrences(fingerprints: &mut [u64]) {
    fingerprints.sort_unstable();
    for same in fingerprints.chunk_by_mut(|a, b| a == b) {
        for (label, fingerprint) in (1u64..).zip(&mut same[1..]) {
            *fingerprint = finish(*fingerprint ^ K2.wrapping_mul(label));
        }
    }
    fingerprints.sort_unstable();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn labelled_overlap_equals_that_of_bags(a in prop::collection::vec(0u64..9, 0..40), b in prop::collection::vec(0u64..9, 0..40)) {
            let labelled = |bag: &[u64]| {
                let mut bag: Vec<u64> = bag.iter().copied().map(finish).collect();
                label_occurrences(&mut bag);
                bag.into_iter().collect::<BTreeSet<u64>>()
            };
            let (x, y) = (labelled(&a), labelled(&b));
            prop_assert_eq!(x.len(), a.len());
            let count = |bag: &[u64], f: u64| bag.iter().filter(|&&g| g == f).count();
            let both: usize = (0..9).map(|f| count(&a, f).min(count(&b, f))).sum();
            prop_assert_eq!(x.intersection(&y).count(), both);
        }
    }

    #[test]
    fn labels_are_frozen() {
        let mut bag = [7, 9, 7, 7];
        label_occurrences(&mut bag);
        assert_eq!(bag, [7, 9, 14087619993662742948, 18143418621150495353]);
    }
}

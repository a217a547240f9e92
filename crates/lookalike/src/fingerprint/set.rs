//! Option B of Broder 1997, section 2: a document is the *set* of its shingles.

use super::{fingerprints, token_hashes};
use crate::{
    shingle::Shingling,
    text::{Folds, Tokens, TokensBy, canonicalise},
};

/// Turns a list of fingerprints into a set: sorted, without repeats.
pub fn sort_distinct(fingerprints: &mut Vec<u64>) {
    fingerprints.sort_unstable();
    fingerprints.dedup();
}

/// Like [`sort_distinct`], with a scratch buffer, for fingerprints whose upper bits are random. A radix sort orders them by two
/// digits of their upper bits, the lower digit first. Fingerprints with the same upper bits, which are then few, are sorted by
/// insertion.
pub(crate) fn sort_distinct_in(scratch: &mut Vec<u64>, fingerprints: &mut Vec<u64>) {
    match fingerprints.len() {
        FEW..SOME => sort_upper::<8, { 1 << 8 }>(scratch, fingerprints),
        SOME..MANY => sort_upper::<11, { 1 << 11 }>(scratch, fingerprints),
        _ => return sort_distinct(fingerprints),
    }
    insert_distinct(fingerprints);
}

/// The list lengths at which the sorting method changes. Lists shorter than FEW are not radix-sorted. The digits have 8 bits for
/// lists shorter than SOME, and 11 bits for lists shorter than MANY. Lists of MANY or more are not radix-sorted either, because
/// most fingerprints would share their upper bits with others.
const FEW: usize = 64;
const SOME: usize = 6000;
const MANY: usize = 1 << 21;

fn sort_upper<const BITS: usize, const DIGITS: usize>(
    scratch: &mut Vec<u64>,
    fingerprints: &mut Vec<u64>,
) {
    const { assert!(DIGITS == 1 << BITS) };
    let digit = |fingerprint: u64, place: usize| {
        (fingerprint >> (64 - BITS * (2 - place))) as usize % DIGITS
    };
    let mut counts = [[0u32; DIGITS]; 2];
    for &fingerprint in &*fingerprints {
        counts[0][digit(fingerprint, 0)] += 1;
        counts[1][digit(fingerprint, 1)] += 1;
    }
    scratch.resize(scratch.len().max(fingerprints.len()), 0);
    let scratch = &mut scratch[..fingerprints.len()];
    for (place, counts) in counts.iter_mut().enumerate() {
        let mut before = 0;
        for count in &mut *counts {
            before += std::mem::replace(count, before);
        }
        let (from, to) = if place == 0 {
            (&fingerprints[..], &mut *scratch)
        } else {
            (&*scratch, &mut fingerprints[..])
        };
        for &fingerprint in from {
            let at = &mut counts[digit(fingerprint, place)];
            to[*at as usize] = fingerprint;
            *at += 1;
        }
    }
}

/// Sorts a nearly sorted list and drops repeats.
fn insert_distinct(fingerprints: &mut Vec<u64>) {
    let (mut kept, mut moved) = (1, 0);
    for i in 1..fingerprints.len() {
        let fingerprint = fingerprints[i];
        let last = fingerprints[kept - 1];
        fingerprints[kept] = fingerprint;
        if fingerprint > last {
            kept += 1;
        } else if fingerprint < last {
            let at = fingerprints[..kept]
                .iter()
                .rposition(|&other| other <= fingerprint)
                .map_or(0, |at| at + 1);
            if at > 0 && fingerprints[at - 1] == fingerprint {
                continue;
            }
            fingerprints.copy_within(at..kept, at + 1);
            fingerprints[at] = fingerprint;
            kept += 1;
            moved += kept - at;
            // This large number of moves shows that the upper bits are not random: an adversary chose the fingerprints.
            if moved > 16 * fingerprints.len() {
                fingerprints.drain(kept..=i);
                return sort_distinct(fingerprints);
            }
        }
    }
    fingerprints.truncate(kept);
}

/// Returns the sorted set of the shingles of a text. This function is a shortcut for one text at a time; it takes no scratch
/// buffers.
///
/// # Panics
/// Panics under the same conditions as [`canonicalise`].
pub fn fingerprint_set(text: &str, by: TokensBy, folds: Folds, shingling: Shingling) -> Vec<u64> {
    let (mut tokens, mut hashes, mut set) = (Tokens::new(), Vec::new(), Vec::new());
    canonicalise(text, by, folds, &mut tokens);
    token_hashes(&tokens, &mut hashes);
    fingerprints(&hashes, shingling, &mut set);
    sort_distinct(&mut set);
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::finish;

    fn check(list: &[u64], scratch: &mut Vec<u64>) {
        let (mut one, mut other) = (list.to_vec(), list.to_vec());
        sort_distinct(&mut one);
        sort_distinct_in(scratch, &mut other);
        assert_eq!(one, other);
    }

    proptest! {
        #[test]
        fn radix_sort_agrees_with_comparison_sort(
            list in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..9, any::<u64>().prop_map(|x| x >> 20)], 0..400),
        ) {
            check(&list, &mut vec![7; 100]);
        }
    }

    #[test]
    fn lists_of_all_lengths_are_sorted() {
        let mut scratch = Vec::new();
        for length in [63u64, 64, 65, 1000, 5999, 6000, 6001, 100_000] {
            check(&(0..length).map(finish).collect::<Vec<_>>(), &mut scratch);
            check(
                &(0..length).map(|i| finish(i / 3)).collect::<Vec<_>>(),
                &mut scratch,
            );
            // All fingerprints of a list have the same upper bits. The first list is in descending order.
            check(
                &(0..length).map(|i| length - i).collect::<Vec<_>>(),
                &mut scratch,
            );
            check(&vec![5; length as usize], &mut scratch);
        }
    }
}

//! Shared fingerprints, counted by sort and merge: the way that clustered the whole web (Broder, Glassman, Manasse, Zweig
//! 1997, *Syntactic clustering of the Web*, section 4), and the one that finds what is *contained*.
//!
//! (fingerprint, document) rows are sorted; each fingerprint gives the pairs of its documents; the pairs are sorted, and as
//! often as one stands there, so many fingerprints the two share. A fingerprint in very many documents (a page's form, a
//! licence's head) would give the square of their number, and says least about any two of them: it is set aside and reported. It
//! finds nobody then, but counts for pairs that something rarer found.

/// Fingerprints in more documents than this are set aside, as in the paper.
pub const COMMON: u32 = 1000;

/// A fingerprint that was set aside, and in how many documents it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Common {
    /// The fingerprint.
    pub fingerprint: u64,
    /// Its documents.
    pub documents: u32,
}

/// The pairs of documents that share a fingerprint, sorted, with how many, and what was set aside, in order. The lists have each
/// fingerprint once; those of more than `common` documents give no pair. Memory: 16 bytes for each listed fingerprint, and 8 for
/// each pair as often as it stands there.
pub fn shared_counts(lists: &[Vec<u64>], common: u32) -> (Vec<(u32, u32, u32)>, Vec<Common>) {
    let mut rows: Vec<(u64, u32)> = (0..).zip(lists).flat_map(|(d, list)| list.iter().map(move |&f| (f, d))).collect();
    rows.sort_unstable();
    let (mut pairs, mut aside) = (Vec::new(), Vec::new());
    for documents in rows.chunk_by(|a, b| a.0 == b.0) {
        if documents.len() as u32 > common {
            aside.push(Common { fingerprint: documents[0].0, documents: documents.len() as u32 });
            continue;
        }
        for (i, a) in documents.iter().enumerate() {
            pairs.extend(documents[i + 1..].iter().map(|b| (a.1, b.1)));
        }
    }
    pairs.sort_unstable();
    let counts = pairs.chunk_by(|a, b| a == b).map(|same| (same[0].0, same[0].1, same.len() as u32)).collect();
    (counts, aside)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_intersections_without_what_is_common(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..30, 0..12), 0..20),
            common in 1u32..12,
        ) {
            let documents = |f: &u64| sets.iter().filter(|set| set.contains(f)).count() as u32;
            let rare = |a: &BTreeSet<u64>, b: &BTreeSet<u64>| a.intersection(b).filter(|f| documents(f) <= common).count() as u32;
            let mut expected = Vec::new();
            for (a, x) in (0..).zip(&sets) {
                for (b, y) in (0..).zip(&sets).filter(|(b, _)| *b > a) {
                    expected.extend(Some((a, b, rare(x, y))).filter(|(_, _, count)| *count > 0));
                }
            }
            let lists: Vec<Vec<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let (counts, aside) = shared_counts(&lists, common);
            prop_assert_eq!(counts, expected);
            let set_aside: Vec<Common> = (0..30)
                .map(|fingerprint| Common { fingerprint, documents: documents(&fingerprint) })
                .filter(|c| c.documents > common)
                .collect();
            prop_assert_eq!(aside, set_aside);
        }
    }
}

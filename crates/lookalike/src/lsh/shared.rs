//! Shared fingerprints, counted by sorting and merging. This method clustered the whole web (Broder, Glassman, Manasse, Zweig
//! 1997, *Syntactic clustering of the Web*, section 4), and it also finds *contained* texts.
//!
//! First, the rows (fingerprint, document) are sorted, and each fingerprint gives the pairs of its documents. Then the pairs are
//! sorted, and the number of times that a pair occurs is the number of fingerprints that its two documents share. The number of
//! pairs of one fingerprint grows with the square of the number of its documents, which is too large for a very common one (a
//! page template, the head of a licence). A common fingerprint is also the least informative about any two of its documents, so
//! it is excluded and reported. An excluded fingerprint produces no candidates. But if two documents also share a rarer
//! fingerprint, their excluded fingerprints count as shared too.

/// Fingerprints in more documents than this are excluded, as in the paper.
pub const COMMON: u32 = 1000;

/// An excluded fingerprint, and the number of documents that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Common {
    /// The fingerprint.
    pub fingerprint: u64,
    /// The number of its documents.
    pub documents: u32,
}

/// Returns the pairs of documents that share a fingerprint, sorted, each with the number of fingerprints that they share. Also
/// returns the excluded fingerprints, in ascending order. Each list must contain a fingerprint only once. Fingerprints of more
/// than `common` documents give no pair. Memory: 16 bytes per listed fingerprint, and 8
/// bytes for each fingerprint that a pair shares.
pub fn shared_counts(lists: &[Vec<u64>], common: u32) -> (Vec<(u32, u32, u32)>, Vec<Common>) {
    let mut rows: Vec<(u64, u32)> = (0..)
        .zip(lists)
        .flat_map(|(d, list)| list.iter().map(move |&f| (f, d)))
        .collect();
    rows.sort_unstable();
    let (mut pairs, mut excluded) = (Vec::new(), Vec::new());
    for documents in rows.chunk_by(|a, b| a.0 == b.0) {
        if documents.len() as u32 > common {
            excluded.push(Common {
                fingerprint: documents[0].0,
                documents: documents.len() as u32,
            });
            continue;
        }
        for (i, a) in documents.iter().enumerate() {
            pairs.extend(documents[i + 1..].iter().map(|b| (a.1, b.1)));
        }
    }
    pairs.sort_unstable();
    let counts = pairs
        .chunk_by(|a, b| a == b)
        .map(|same| (same[0].0, same[0].1, same.len() as u32))
        .collect();
    (counts, excluded)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_intersections_without_common_elements(
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
            let (counts, excluded) = shared_counts(&lists, common);
            prop_assert_eq!(counts, expected);
            let append_raw: Vec<Common> = (0..30)
                .map(|fingerprint| Common { fingerprint, documents: documents(&fingerprint) })
                .filter(|c| c.documents > common)
                .collect();
            prop_assert_eq!(excluded, append_raw);
        }
    }
}

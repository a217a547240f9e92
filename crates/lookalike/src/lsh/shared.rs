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

/// Gives each pair of documents once for every fingerprint that they share, the smaller number first. `rows` are
/// (fingerprint, document), sorted, each once; fingerprints of more than `common` documents go to `aside` instead, in order.
/// Rows and pairs may come from and go to disk, so both may fail.
pub fn each_shared_pair<E>(
    rows: impl Iterator<Item = Result<(u64, u32), E>>,
    common: u32,
    aside: &mut Vec<Common>,
    mut give: impl FnMut(u32, u32) -> Result<(), E>,
) -> Result<(), E> {
    let (mut current, mut documents) = (None, Vec::new());
    let mut settle = |fingerprint: Option<u64>, documents: &mut Vec<u32>| {
        let count = documents.len() as u32;
        match fingerprint {
            Some(fingerprint) if count > common => aside.push(Common { fingerprint, documents: count }),
            _ => {
                for (i, &a) in documents.iter().enumerate() {
                    documents[i + 1..].iter().try_for_each(|&b| give(a, b))?;
                }
            }
        }
        documents.clear();
        Ok(())
    };
    for row in rows {
        let (fingerprint, document) = row?;
        if current != Some(fingerprint) {
            settle(current.replace(fingerprint), &mut documents)?;
        }
        documents.push(document);
    }
    settle(current, &mut documents)
}

/// Gives each pair with how often it stands in `pairs`, which are sorted.
pub fn each_count<E>(
    pairs: impl Iterator<Item = Result<(u32, u32), E>>,
    mut give: impl FnMut(u32, u32, u32) -> Result<(), E>,
) -> Result<(), E> {
    let mut current: Option<((u32, u32), u32)> = None;
    for pair in pairs {
        let pair = pair?;
        match &mut current {
            Some((last, count)) if *last == pair => *count += 1,
            _ => {
                if let Some(((a, b), count)) = current.replace((pair, 1)) {
                    give(a, b, count)?;
                }
            }
        }
    }
    current.map_or(Ok(()), |((a, b), count)| give(a, b, count))
}

/// The pairs of documents that share a fingerprint, with how many, and what was set aside: both passes in memory, for lists of
/// distinct fingerprints.
pub fn shared_counts(lists: &[Vec<u64>], common: u32) -> (Vec<(u32, u32, u32)>, Vec<Common>) {
    let mut rows: Vec<(u64, u32)> = (0..).zip(lists).flat_map(|(d, list)| list.iter().map(move |&f| (f, d))).collect();
    rows.sort_unstable();
    let (mut pairs, mut aside, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let taken = each_shared_pair(rows.into_iter().map(Ok), common, &mut aside, |a, b| {
        pairs.push((a, b));
        Ok::<_, std::convert::Infallible>(())
    });
    pairs.sort_unstable();
    let counted = each_count(pairs.into_iter().map(Ok), |a, b, count| {
        counts.push((a, b, count));
        Ok::<_, std::convert::Infallible>(())
    });
    let (Ok(()), Ok(())) = (taken, counted);
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

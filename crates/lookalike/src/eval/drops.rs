//! Judges the dropped documents against the true pairs, document by document: was each drop right, and do any duplicates remain?

use serde::Serialize;

use super::pairs::share;
use crate::sketch::Estimate;

/// The effect of a run on the documents that were judged. A *partner* of a document is another document that is truly similar to
/// it.
///
/// If the judged documents are drawn at random, they are independent trials, so the intervals of these shares are valid. Shares
/// of pairs, in contrast, are dominated by the few largest groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Drops {
    /// Judged documents that were dropped.
    pub dropped: u64,
    /// The *wrong drops*: dropped documents that have no kept partner, so that their content is lost.
    pub wrong: u64,
    /// Judged documents that were kept.
    pub kept: u64,
    /// Kept documents with a partner that was also kept: remaining near-duplicates.
    pub doubled: u64,
    /// True pairs with a judged document.
    pub truth: u64,
    /// The *missed* true pairs: both documents were kept.
    pub missed: u64,
}

impl Drops {
    /// Judges the documents in `judged`, each listed once: all documents or a sample. `kept[d]` says whether document d was kept.
    /// `truth` lists every pair that includes a judged document and reaches the threshold, each pair once, in any order. (If it
    /// also listed a pair below the threshold, a wrong drop could count as right.) Cost: |judged| + |truth| steps, two bytes per
    /// document.
    ///
    /// Suppose that documents a, b, c and d form a chain in which only neighbours are similar. Connected components then drop
    /// document d as a duplicate of document a. This drop is wrong if document c was also dropped. If similarities are exact, the
    /// law (the exact rule in `dedup/law.rs`) makes no wrong drops. It then keeps both of two similar documents only if they were
    /// not a candidate pair.
    ///
    /// # Panics
    /// Panics if a document's number is out of range for `kept`.
    pub fn judge(kept: &[bool], judged: &[u32], truth: &[(u32, u32)]) -> Self {
        let mut is_judged = vec![false; kept.len()];
        judged.iter().for_each(|&d| is_judged[d as usize] = true);
        let mut partner_kept = vec![false; kept.len()];
        let mut drops = Self::default();
        for (a, b) in truth.iter().map(|&(a, b)| (a as usize, b as usize)) {
            partner_kept[a] |= kept[b];
            partner_kept[b] |= kept[a];
            let counts = is_judged[a] || is_judged[b];
            drops.truth += u64::from(counts);
            drops.missed += u64::from(counts && kept[a] && kept[b]);
        }
        for d in judged.iter().map(|&d| d as usize) {
            drops.dropped += u64::from(!kept[d]);
            drops.wrong += u64::from(!kept[d] && !partner_kept[d]);
            drops.kept += u64::from(kept[d]);
            drops.doubled += u64::from(kept[d] && partner_kept[d]);
        }
        drops
    }

    /// Judges all documents against a gold clustering: the true pairs are all pairs within a gold group, so no list of pairs is
    /// needed. Document d belongs to group `gold[d]`. Cost: a sort of n labels.
    ///
    /// # Panics
    /// Panics if the lists differ in length.
    pub fn judge_groups(kept: &[bool], gold: &[u32]) -> Self {
        assert_eq!(
            kept.len(),
            gold.len(),
            "there must be one group per document"
        );
        let mut rows: Vec<(u32, bool)> = gold.iter().copied().zip(kept.iter().copied()).collect();
        rows.sort_unstable();
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let mut drops = Self::default();
        for group in rows.chunk_by(|x, y| x.0 == y.0) {
            let (size, kept) = (
                group.len() as u64,
                group.iter().filter(|row| row.1).count() as u64,
            );
            drops.dropped += size - kept;
            drops.wrong += if kept == 0 { size } else { 0 };
            drops.kept += kept;
            drops.doubled += if kept > 1 { kept } else { 0 };
            drops.truth += pairs(size);
            drops.missed += pairs(kept);
        }
        drops
    }

    /// Returns the share of the dropped documents that should have been kept; none if nothing was dropped.
    pub fn wrong_share(self) -> Option<Estimate> {
        share(self.wrong, self.dropped)
    }

    /// Returns the share of the kept documents with a near-duplicate among the kept; none if nothing was kept.
    pub fn doubled_share(self) -> Option<Estimate> {
        share(self.doubled, self.kept)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_chain_dropped_for_its_head_is_wrong_from_the_third_on() {
        // In the chain 0~1~2~3, connected components drop 1, 2 and 3 because of 0. Only 1 has a kept partner.
        let drops = Drops::judge(
            &[true, false, false, false],
            &[0, 1, 2, 3],
            &[(0, 1), (1, 2), (2, 3)],
        );
        assert_eq!(
            drops,
            Drops {
                dropped: 3,
                wrong: 2,
                kept: 1,
                doubled: 0,
                truth: 3,
                missed: 0
            }
        );
        assert_eq!(drops.wrong_share().unwrap().value, 2.0 / 3.0);
        // The law keeps 0 and 2.
        let drops = Drops::judge(
            &[true, false, true, false],
            &[0, 1, 2, 3],
            &[(0, 1), (1, 2), (2, 3)],
        );
        assert_eq!((drops.wrong, drops.missed), (0, 0));
    }

    #[test]
    fn unjudged_documents_are_not_counted_but_may_be_partners() {
        let (kept, truth) = ([true, true, false, true], [(0, 1), (1, 3), (2, 3)]);
        let drops = Drops::judge(&kept, &[0, 2], &truth);
        assert_eq!(
            drops,
            Drops {
                dropped: 1,
                wrong: 0,
                kept: 1,
                doubled: 1,
                truth: 2,
                missed: 1
            }
        );
        let nothing = Drops::judge(&kept, &[], &truth);
        assert_eq!(
            (nothing.wrong_share(), nothing.doubled_share()),
            (None, None)
        );
    }

    proptest! {
        #[test]
        fn judging_matches_the_definition(
            documents in prop::collection::vec((any::<bool>(), any::<bool>()), 1..20),
            edges in prop::collection::btree_set((0usize..20, 0usize..20), 0..30),
        ) {
            let n = documents.len();
            let kept: Vec<bool> = documents.iter().map(|d| d.0).collect();
            let judged: Vec<u32> = (0..n as u32).filter(|&d| documents[d as usize].1).collect();
            let truth: Vec<(u32, u32)> =
                edges.into_iter().filter(|&(a, b)| a < b && b < n).map(|(a, b)| (a as u32, b as u32)).collect();
            let is_true = |a: u32, b: u32| truth.contains(&(a.min(b), a.max(b)));
            let has_partner = |d: u32| (0..n as u32).any(|other| kept[other as usize] && is_true(d, other));
            let count = |is_kept: bool, partner: bool| {
                judged.iter().filter(|&&d| kept[d as usize] == is_kept && has_partner(d) == partner).count() as u64
            };
            let drops = Drops::judge(&kept, &judged, &truth);
            prop_assert_eq!((drops.wrong, drops.dropped), (count(false, false), count(false, false) + count(false, true)));
            prop_assert_eq!((drops.doubled, drops.kept), (count(true, true), count(true, true) + count(true, false)));
            let of_judged: Vec<_> = truth.iter().filter(|(a, b)| judged.contains(a) || judged.contains(b)).collect();
            prop_assert_eq!(drops.truth, of_judged.len() as u64);
            prop_assert_eq!(drops.missed, of_judged.iter().filter(|(a, b)| kept[*a as usize] && kept[*b as usize]).count() as u64);
        }

        #[test]
        fn groups_are_judged_like_all_their_pairs(documents in prop::collection::vec((any::<bool>(), 0u32..6), 0..30)) {
            let (kept, gold): (Vec<bool>, Vec<u32>) = documents.into_iter().unzip();
            let all: Vec<u32> = (0..gold.len() as u32).collect();
            let same = |&(a, b): &(u32, u32)| a < b && gold[a as usize] == gold[b as usize];
            let truth: Vec<(u32, u32)> = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b))).filter(same).collect();
            prop_assert_eq!(Drops::judge_groups(&kept, &gold), Drops::judge(&kept, &all, &truth));
        }
    }
}

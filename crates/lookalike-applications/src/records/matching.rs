//! Turns matches into one-to-one pairs and clusters.

use lookalike::cluster::UnionFind;

use super::config::ClusterBy;

/// A pair of records with its score; `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The number of the first record.
    pub a: u32,
    /// The number of the second record.
    pub b: u32,
    /// The score, from 0 to 1, or in bits if weights are learned.
    pub score: f64,
}

/// A one-to-one matching: each record is in at most one pair. Takes one byte per record.
#[derive(Debug)]
pub struct Matching {
    taken: Vec<bool>,
}

impl Matching {
    /// Creates a matching of `records` records, all unmatched.
    pub fn new(records: usize) -> Self {
        Self {
            taken: vec![false; records],
        }
    }

    /// Returns whether both records of a pair were free (in no accepted pair). If so, accepts the pair and marks both records as
    /// taken. Pairs must come in descending order of their scores, and pairs with equal scores in ascending order of their
    /// records' numbers. Then each accepted pair is the best pair that was still possible.
    ///
    /// # Panics
    /// Panics if a record of the pair does not exist.
    pub fn takes(&mut self, pair: &Scored) -> bool {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let free = !self.taken[a] && !self.taken[b];
        if free {
            (self.taken[a], self.taken[b]) = (true, true);
        }
        free
    }

    /// Returns whether a record is in an accepted pair.
    ///
    /// # Panics
    /// Panics if the record does not exist.
    pub fn is_taken(&self, record: u32) -> bool {
        self.taken[record as usize]
    }

    /// Accepts other pairs instead of some accepted ones.
    pub(super) fn replace<'a>(
        &mut self,
        old: impl Iterator<Item = &'a Scored>,
        new: impl Iterator<Item = &'a Scored>,
    ) {
        let mut mark = |pair: &Scored, is| {
            (self.taken[pair.a as usize], self.taken[pair.b as usize]) = (is, is)
        };
        old.for_each(|pair| mark(pair, false));
        new.for_each(|pair| mark(pair, true));
    }
}

/// The cluster of each record, built from a sequence of matches. Takes 4 bytes per record.
#[derive(Debug)]
pub struct Clusters {
    by: By,
}

#[derive(Debug)]
enum By {
    /// Connected components, with the number of records.
    Components(UnionFind, u32),
    Greedy {
        representatives: Vec<u32>,
        /// The record whose pairs are being added, the best score that it has with a representative so far, and that
        /// representative.
        best: Option<(u32, f64, u32)>,
    },
}

impl Clusters {
    /// Creates clusters of `records` records, each in its own cluster.
    pub fn new(by: ClusterBy, records: usize) -> Self {
        let by = match by {
            ClusterBy::Components => By::Components(UnionFind::new(records), records as u32),
            ClusterBy::Greedy => By::Greedy {
                representatives: (0..records as u32).collect(),
                best: None,
            },
        };
        Self { by }
    }

    /// Adds a match. For greedy clusters, matches must come sorted by `b`, then `a`; for components, in any order.
    ///
    /// # Panics
    /// Panics if a record of the pair does not exist.
    pub fn join(&mut self, pair: &Scored) {
        match &mut self.by {
            By::Components(sets, _) => sets.join(pair.a, pair.b),
            By::Greedy {
                representatives,
                best,
            } => {
                if let &mut Some((record, _, representative)) = best
                    && record != pair.b
                {
                    representatives[record as usize] = representative;
                    *best = None;
                }
                if representatives[pair.a as usize] == pair.a
                    && best.is_none_or(|(_, score, _)| pair.score > score)
                {
                    *best = Some((pair.b, pair.score, pair.a));
                }
            }
        }
    }

    /// Returns each record's cluster, identified by the cluster's first record.
    pub fn representatives(self) -> Vec<u32> {
        match self.by {
            By::Components(mut sets, records) => {
                (0..records).map(|record| sets.find(record)).collect()
            }
            By::Greedy {
                mut representatives,
                best,
            } => {
                if let Some((record, _, representative)) = best {
                    representatives[record as usize] = representative;
                }
                representatives
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs() -> impl Strategy<Value = Vec<Scored>> {
        prop::collection::btree_map((0u32..12, 0u32..12), 0u32..4, 0..40).prop_map(|map| {
            let pairs = map.into_iter().filter(|((a, b), _)| a < b);
            pairs
                .map(|((a, b), score)| Scored {
                    a,
                    b,
                    score: f64::from(score) / 4.0,
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn one_to_one_rejects_a_pair_only_for_a_better_one(all in pairs()) {
            let mut left = all.clone();
            left.sort_by(|x, y| y.score.total_cmp(&x.score).then((x.a, x.b).cmp(&(y.a, y.b))));
            let mut matching = Matching::new(12);
            left.retain(|pair| matching.takes(pair));
            for (i, x) in left.iter().enumerate() {
                prop_assert!(all.contains(x));
                for y in &left[i + 1..] {
                    prop_assert!(x.a != y.a && x.a != y.b && x.b != y.a && x.b != y.b);
                }
            }
            // If a pair is rejected, one of its records is in an accepted pair whose score is at least as high.
            for x in &all {
                let stands = left.iter().any(|y| [y.a, y.b].iter().any(|end| [x.a, x.b].contains(end)) && y.score >= x.score);
                prop_assert!(stands, "{:?}", x);
            }
        }

        #[test]
        fn greedy_members_match_their_representative_and_representatives_do_not_match(all in pairs()) {
            let clusters = |by| {
                let mut clusters = Clusters::new(by, 12);
                let mut all = all.clone();
                all.sort_by_key(|pair| (pair.b, pair.a));
                all.iter().for_each(|pair| clusters.join(pair));
                clusters.representatives()
            };
            let representatives = clusters(ClusterBy::Greedy);
            for pair in &all {
                prop_assert!(!(representatives[pair.a as usize] == pair.a && representatives[pair.b as usize] == pair.b), "{:?}", pair);
            }
            for (record, &representative) in (0..).zip(&representatives) {
                prop_assert_eq!(representatives[representative as usize], representative);
                prop_assert!(representative == record || all.iter().any(|pair| (pair.a, pair.b) == (representative, record)));
            }
            let components = clusters(ClusterBy::Components);
            for pair in &all {
                prop_assert_eq!(components[pair.a as usize], components[pair.b as usize]);
            }
        }
    }
}

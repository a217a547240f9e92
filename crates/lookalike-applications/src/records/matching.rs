//! Matches → one-to-one pairs, and clusters.

use lookalike::cluster::UnionFind;

use super::config::ClusterBy;

/// A pair of records with its score; `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The first record's number.
    pub a: u32,
    /// The second's.
    pub b: u32,
    /// From 0 to 1.
    pub score: f64,
}

/// A one-to-one matching: each record is in one pair at most. A byte a record.
#[derive(Debug)]
pub struct OneToOne {
    taken: Vec<bool>,
}

impl OneToOne {
    /// For this many records, none of them matched yet.
    pub fn new(records: usize) -> Self {
        Self { taken: vec![false; records] }
    }

    /// Whether both records of a pair are free; then they are taken. Pairs must come with the best score first, of equal ones the first
    /// records first, so that always the best pair that is possible is taken.
    ///
    /// # Panics
    /// When a pair names a record that is not there.
    pub fn takes(&mut self, pair: &Scored) -> bool {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let free = !self.taken[a] && !self.taken[b];
        if free {
            (self.taken[a], self.taken[b]) = (true, true);
        }
        free
    }
}

/// Each record's cluster from matches that come one after the other. 4 bytes a record.
#[derive(Debug)]
pub struct Clusters {
    by: By,
}

#[derive(Debug)]
enum By {
    /// With how many records there are.
    Components(UnionFind, u32),
    Greedy {
        leaders: Vec<u32>,
        /// The record whose pairs are coming, and the best leader for it.
        best: Option<(u32, f64, u32)>,
    },
}

impl Clusters {
    /// Clusters of this many records, each alone at first.
    pub fn new(by: ClusterBy, records: usize) -> Self {
        let by = match by {
            ClusterBy::Components => By::Components(UnionFind::new(records), records as u32),
            ClusterBy::Greedy => By::Greedy { leaders: (0..records as u32).collect(), best: None },
        };
        Self { by }
    }

    /// Takes a match. For greedy clusters matches must come sorted by `b`, then `a`; for components in any order.
    ///
    /// # Panics
    /// When a pair names a record that is not there.
    pub fn join(&mut self, pair: &Scored) {
        match &mut self.by {
            By::Components(sets, _) => sets.join(pair.a, pair.b),
            By::Greedy { leaders, best } => {
                if let &mut Some((record, _, leader)) = best
                    && record != pair.b
                {
                    leaders[record as usize] = leader;
                    *best = None;
                }
                if leaders[pair.a as usize] == pair.a && best.is_none_or(|(_, score, _)| pair.score > score) {
                    *best = Some((pair.b, pair.score, pair.a));
                }
            }
        }
    }

    /// Each record's cluster, named by its first record.
    pub fn leaders(self) -> Vec<u32> {
        match self.by {
            By::Components(mut sets, records) => (0..records).map(|record| sets.find(record)).collect(),
            By::Greedy { mut leaders, best } => {
                if let Some((record, _, leader)) = best {
                    leaders[record as usize] = leader;
                }
                leaders
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
            pairs.map(|((a, b), score)| Scored { a, b, score: f64::from(score) / 4.0 }).collect()
        })
    }

    proptest! {
        #[test]
        fn one_to_one_is_a_matching_that_nothing_better_could_join(all in pairs()) {
            let mut left = all.clone();
            left.sort_by(|x, y| y.score.total_cmp(&x.score).then((x.a, x.b).cmp(&(y.a, y.b))));
            let mut matching = OneToOne::new(12);
            left.retain(|pair| matching.takes(pair));
            for (i, x) in left.iter().enumerate() {
                prop_assert!(all.contains(x));
                for y in &left[i + 1..] {
                    prop_assert!(x.a != y.a && x.a != y.b && x.b != y.a && x.b != y.b);
                }
            }
            // A pair that was left out shares a record with one that is at least as good.
            for x in &all {
                let stands = left.iter().any(|y| [y.a, y.b].iter().any(|end| [x.a, x.b].contains(end)) && y.score >= x.score);
                prop_assert!(stands, "{:?}", x);
            }
        }

        #[test]
        fn greedy_members_match_their_leader_and_leaders_do_not_match(all in pairs()) {
            let clusters = |by| {
                let mut clusters = Clusters::new(by, 12);
                let mut all = all.clone();
                all.sort_by_key(|pair| (pair.b, pair.a));
                all.iter().for_each(|pair| clusters.join(pair));
                clusters.leaders()
            };
            let leaders = clusters(ClusterBy::Greedy);
            for pair in &all {
                prop_assert!(!(leaders[pair.a as usize] == pair.a && leaders[pair.b as usize] == pair.b), "{:?}", pair);
            }
            for (record, &leader) in (0..).zip(&leaders) {
                prop_assert_eq!(leaders[leader as usize], leader);
                prop_assert!(leader == record || all.iter().any(|pair| (pair.a, pair.b) == (leader, record)));
            }
            let components = clusters(ClusterBy::Components);
            for pair in &all {
                prop_assert_eq!(components[pair.a as usize], components[pair.b as usize]);
            }
        }
    }
}

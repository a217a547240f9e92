//! Matches → one-to-one pairs, and clusters.

use super::config::ClusterBy;
use crate::cluster::UnionFind;

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

/// Leaves of some pairs those in which each record is once at most: always the best pair whose records are both free, of equal ones
/// the first. They come out sorted by their records. Cost: two sorts, and a byte a record.
pub fn one_to_one(pairs: &mut Vec<Scored>, records: usize) {
    pairs.sort_unstable_by(|x, y| y.score.total_cmp(&x.score).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut taken = vec![false; records];
    pairs.retain(|pair| {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let stands = !taken[a] && !taken[b];
        if stands {
            (taken[a], taken[b]) = (true, true);
        }
        stands
    });
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
}

/// Each record's cluster, named by its first record, from the matches among `records` records. A record without a match is alone.
///
/// # Panics
/// When a pair names a record that is not there.
pub fn clusters<'a>(by: ClusterBy, matches: impl IntoIterator<Item = &'a Scored>, records: usize) -> Vec<u32> {
    match by {
        ClusterBy::Components => {
            let mut sets = UnionFind::new(records);
            matches.into_iter().for_each(|pair| sets.join(pair.a, pair.b));
            (0..records as u32).map(|record| sets.find(record)).collect()
        }
        ClusterBy::Greedy => {
            let mut before: Vec<(u32, u32, f64)> = matches.into_iter().map(|pair| (pair.b, pair.a, pair.score)).collect();
            before.sort_unstable_by_key(|&(b, a, _)| (b, a));
            let mut leaders: Vec<u32> = (0..records as u32).collect();
            for of_one in before.chunk_by(|x, y| x.0 == y.0) {
                let mut best: Option<(f64, u32)> = None;
                for &(_, a, score) in of_one {
                    if leaders[a as usize] == a && best.is_none_or(|(other, _)| score > other) {
                        best = Some((score, a));
                    }
                }
                if let (Some((_, leader)), Some(&(record, ..))) = (best, of_one.first()) {
                    leaders[record as usize] = leader;
                }
            }
            leaders
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
            one_to_one(&mut left, 12);
            for (i, x) in left.iter().enumerate() {
                prop_assert!(all.contains(x));
                for y in &left[i + 1..] {
                    prop_assert!(x.a != y.a && x.a != y.b && x.b != y.a && x.b != y.b);
                }
            }
            // Whoever is not there meets one that is at least as good.
            for x in &all {
                let stands = left.iter().any(|y| [y.a, y.b].iter().any(|end| [x.a, x.b].contains(end)) && y.score >= x.score);
                prop_assert!(stands, "{:?}", x);
            }
        }

        #[test]
        fn greedy_members_match_their_leader_and_leaders_do_not_match(all in pairs()) {
            let leaders = clusters(ClusterBy::Greedy, &all, 12);
            for pair in &all {
                prop_assert!(!(leaders[pair.a as usize] == pair.a && leaders[pair.b as usize] == pair.b), "{:?}", pair);
            }
            for (record, &leader) in (0..).zip(&leaders) {
                prop_assert_eq!(leaders[leader as usize], leader);
                prop_assert!(leader == record || all.iter().any(|pair| (pair.a, pair.b) == (leader, record)));
            }
            let components = clusters(ClusterBy::Components, &all, 12);
            for pair in &all {
                prop_assert_eq!(components[pair.a as usize], components[pair.b as usize]);
            }
        }
    }
}

//! Cluster sizes, and the weakest link of each cluster.

use std::{cmp::Reverse, collections::BTreeMap};

use lookalike::cluster::UnionFind;
use lookalike_applications::records::Linker;
use lookalike_io::error::Result;
use serde::Serialize;

use super::records::NamedRecord;
use crate::jobs::link::reading::records::Gathered;

/// The number of largest clusters in a summary.
const LARGEST: usize = 10;

/// How many clusters have a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterSize {
    /// The number of records.
    pub size: u32,
    /// The number of clusters with as many records.
    pub clusters: u64,
}

/// A cluster of at least two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LargeCluster {
    /// Its first record.
    #[serde(flatten)]
    pub record: NamedRecord,
    /// The number of its records.
    pub size: u32,
    /// The weakest link that it needs.
    pub weakest: WeakestLink,
}

/// The match with the lowest score without which a cluster would fall apart, even if all matches with higher scores remain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeakestLink {
    /// The first record.
    pub a: NamedRecord,
    /// The second record.
    pub b: NamedRecord,
    /// The score, or with learned weights the probability.
    pub score: f64,
}

/// A match: two records, and the rank of its score.
pub(in crate::jobs::link) type Link = [u32; 3];

/// The weakest link of each cluster, found by adding matches from the highest score to the lowest (Kruskal 1956): the last match that
/// joins two parts is the weakest one that the cluster needs. Memory: 16 bytes per record.
pub(in crate::jobs::link) struct Weakest<'a> {
    /// The first record of each record's cluster.
    representatives: &'a [u32],
    /// Whether every record of a cluster matches its first record, so that only these matches count.
    are_stars: bool,
    parts: UnionFind,
    /// For the first record of a cluster, the last match that joined two parts.
    links: Vec<Link>,
}

impl<'a> Weakest<'a> {
    /// The bytes for each record.
    pub(in crate::jobs::link) const SIZE: usize = 16;

    pub(in crate::jobs::link) fn new(representatives: &'a [u32], are_stars: bool) -> Self {
        let records = representatives.len();
        Self {
            representatives,
            are_stars,
            parts: UnionFind::new(records),
            links: vec![[0; 3]; records],
        }
    }

    /// Adds a match. Matches come from the highest score to the lowest.
    pub(in crate::jobs::link) fn add(&mut self, link: Link) {
        let [a, b, _] = link;
        let cluster = self.representatives[a as usize];
        if cluster != self.representatives[b as usize] || self.are_stars && cluster != a {
            return;
        }
        if self.parts.find(a) != self.parts.find(b) {
            self.parts.join(a, b);
            self.links[cluster as usize] = link;
        }
    }

    /// Returns the weakest link of the cluster with this first record.
    pub(in crate::jobs::link) fn link(&self, cluster: u32) -> Link {
        self.links[cluster as usize]
    }
}

/// Returns how many clusters of at least two records have each size. `sizes` has the size of each cluster at its first record.
pub(in crate::jobs::link) fn by_size(sizes: &[u32]) -> Vec<ClusterSize> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    sizes
        .iter()
        .filter(|size| **size > 1)
        .for_each(|size| *counts.entry(*size).or_default() += 1);
    counts
        .into_iter()
        .map(|(size, clusters)| ClusterSize { size, clusters })
        .collect()
}

/// Returns the first records of the `most` clusters with the lowest keys; of equal ones, the first clusters.
pub(in crate::jobs::link) fn chosen<K: Ord>(
    sizes: &[u32],
    most: usize,
    key: impl Fn(u32) -> K,
) -> Vec<u32> {
    let mut clusters: Vec<u32> = (0..sizes.len() as u32)
        .filter(|cluster| sizes[*cluster as usize] > 1)
        .collect();
    let key = |&cluster: &u32| (key(cluster), cluster);
    if clusters.len() > most {
        clusters.select_nth_unstable_by_key(most, key);
        clusters.truncate(most);
    }
    clusters.sort_unstable_by_key(key);
    clusters
}

/// Returns the largest clusters.
pub(in crate::jobs::link) fn largest(
    sizes: &[u32],
    weakest: &Weakest,
    gathered: &Gathered,
    linker: &Linker,
) -> Result<Vec<LargeCluster>> {
    let cluster = |cluster: u32| {
        Ok(LargeCluster {
            record: NamedRecord::new(gathered, cluster)?,
            size: sizes[cluster as usize],
            weakest: weakest_link(weakest.link(cluster), gathered, linker)?,
        })
    };
    chosen(sizes, LARGEST, |cluster| Reverse(sizes[cluster as usize]))
        .into_iter()
        .map(cluster)
        .collect()
}

/// Returns a link as it is shown.
pub(in crate::jobs::link) fn weakest_link(
    [a, b, rank]: Link,
    gathered: &Gathered,
    linker: &Linker,
) -> Result<WeakestLink> {
    let score = (linker.share(linker.score_of(rank)) * 1e6).round() / 1e6;
    Ok(WeakestLink {
        a: NamedRecord::new(gathered, a)?,
        b: NamedRecord::new(gathered, b)?,
        score,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn components(records: usize, links: &[Link]) -> Vec<u32> {
        let mut sets = UnionFind::new(records);
        links.iter().for_each(|[a, b, _]| sets.join(*a, *b));
        (0..records as u32)
            .map(|record| sets.find(record))
            .collect()
    }

    proptest! {
        #[test]
        fn without_links_up_to_the_weakest_a_cluster_falls_apart(
            links in prop::collection::btree_map((0u32..12, 0u32..12), 0u32..6, 1..40),
        ) {
            let mut links: Vec<Link> =
                links.into_iter().filter(|((a, b), _)| a < b).map(|((a, b), rank)| [a, b, rank]).collect();
            links.sort_by_key(|[a, b, rank]| (Reverse(*rank), *a, *b));
            let representatives = components(12, &links);
            let mut weakest = Weakest::new(&representatives, false);
            links.iter().for_each(|link| weakest.add(*link));
            for cluster in 0..12u32 {
                let of = |parts: &[u32]| {
                    let members = (0..12).filter(|record| representatives[*record] == cluster);
                    members.map(|record| parts[record]).collect::<std::collections::BTreeSet<_>>().len()
                };
                if representatives.iter().filter(|of| **of == cluster).count() < 2 {
                    continue;
                }
                let rank = weakest.link(cluster)[2];
                prop_assert!(links.contains(&weakest.link(cluster)));
                let with = |least: u32| links.iter().copied().filter(|link| link[2] >= least).collect::<Vec<_>>();
                prop_assert_eq!(of(&components(12, &with(rank))), 1);
                prop_assert!(of(&components(12, &with(rank + 1))) > 1);
            }
        }
    }

    #[test]
    fn sizes_are_counted_and_the_largest_come_first() {
        let sizes = [3, 0, 0, 1, 2, 0, 2, 0, 0];
        let count = |size, clusters| ClusterSize { size, clusters };
        assert_eq!(by_size(&sizes), [count(2, 2), count(3, 1)]);
        assert_eq!(
            chosen(&sizes, 2, |cluster| Reverse(sizes[cluster as usize])),
            [0, 4]
        );
    }
}

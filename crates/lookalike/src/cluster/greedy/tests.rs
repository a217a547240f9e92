use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::fingerprint::{Permutation, SplitMix64};

/// The reference implementation: it compares each sketch with every cluster, and computes every representative from the
/// members of its cluster.
struct Twin {
    sample: usize,
    threshold: f64,
    kind: Representative,
    clusters: Vec<Vec<Vec<u64>>>,
}

impl Twin {
    fn representative(&self, cluster: usize) -> Vec<u64> {
        let members = &self.clusters[cluster];
        if self.kind == Representative::FirstMember {
            return members[0].clone();
        }
        let mut popularity: BTreeMap<u64, usize> = BTreeMap::new();
        members
            .iter()
            .flatten()
            .for_each(|&fingerprint| *popularity.entry(fingerprint).or_default() += 1);
        let mut ranked: Vec<(u64, usize)> = popularity.into_iter().collect();
        ranked.sort_by_key(|&(_, members)| Reverse(members));
        let chosen: BTreeSet<u64> = ranked
            .iter()
            .take(self.sample)
            .map(|&(fingerprint, _)| fingerprint)
            .collect();
        chosen.into_iter().collect()
    }

    fn resemblance(&self, a: &[u64], b: &[u64]) -> f64 {
        let (a, b): (BTreeSet<u64>, BTreeSet<u64>) =
            (a.iter().copied().collect(), b.iter().copied().collect());
        let least: Vec<u64> = a.union(&b).copied().take(self.sample).collect();
        let shared = least
            .iter()
            .filter(|x| a.contains(x) && b.contains(x))
            .count();
        if least.is_empty() {
            0.0
        } else {
            shared as f64 / least.len() as f64
        }
    }

    fn add(&mut self, sketch: &[u64]) -> u32 {
        let sketch: Vec<u64> = sketch.iter().copied().take(self.sample).collect();
        let mut best: Option<(usize, f64)> = None;
        for cluster in 0..self.clusters.len() {
            let r = self.resemblance(&sketch, &self.representative(cluster));
            if r >= self.threshold && best.is_none_or(|(_, other)| r > other) {
                best = Some((cluster, r));
            }
        }
        let cluster = best.map_or(self.clusters.len(), |(cluster, _)| cluster);
        if cluster == self.clusters.len() {
            self.clusters.push(Vec::new());
        }
        self.clusters[cluster].push(sketch);
        cluster as u32
    }
}

fn kinds() -> [Representative; 2] {
    [Representative::FirstMember, Representative::Popular]
}

proptest! {
    #[test]
    fn the_table_does_not_change_the_clusters(
        sketches in prop::collection::vec(prop::collection::btree_set(0u64..30, 0..12), 0..60),
        sample in prop::sample::select(vec![1usize, 4, 8, usize::MAX]),
        threshold in prop::sample::select(vec![0.2, 0.5, 0.75, 1.0]),
    ) {
        for kind in kinds() {
            let mut greedy = GreedyClusters::new(sample, threshold, kind).unwrap();
            let mut twin = Twin { sample, threshold, kind, clusters: Vec::new() };
            for sketch in &sketches {
                let sketch: Vec<u64> = sketch.iter().copied().collect();
                let cluster = greedy.add(&sketch).unwrap();
                prop_assert_eq!(cluster, twin.add(&sketch), "{:?}", kind);
                prop_assert_eq!(greedy.representative(cluster), twin.representative(cluster as usize));
            }
            prop_assert_eq!(greedy.len(), twin.clusters.len());
            // The chains say for each fingerprint which clusters' representatives have it. For each cluster, this must give
            // exactly the fingerprints of the representative.
            let mut said = vec![BTreeSet::new(); greedy.len()];
            for (&fingerprint, chain) in &greedy.chains {
                let mut next = chain.head;
                while let Some(node) = greedy.nodes.get(next as usize) {
                    prop_assert!(!node.represents || said[node.cluster as usize].insert(fingerprint));
                    next = node.next;
                }
            }
            for (said, cluster) in said.iter().zip(0..) {
                prop_assert!(said.iter().eq(greedy.representative(cluster)));
            }
        }
    }
}

#[test]
fn a_popular_representative_follows_its_cluster_but_a_first_member_does_not() {
    let sketches = [[1, 2, 3, 4], [2, 3, 4, 5], [2, 3, 4, 5], [3, 4, 5, 6]];
    for (kind, clusters, representative) in [
        (Representative::FirstMember, [0, 0, 0, 1], [1, 2, 3, 4]),
        (Representative::Popular, [0, 0, 0, 0], [2, 3, 4, 5]),
    ] {
        let mut greedy = GreedyClusters::new(4, 0.7, kind).unwrap();
        assert_eq!(
            sketches.map(|sketch| greedy.add(&sketch).unwrap()),
            clusters
        );
        assert_eq!(greedy.representative(0), representative);
    }
}

#[test]
fn the_most_resembling_cluster_is_joined_and_the_oldest_of_equals() {
    for kind in kinds() {
        let mut greedy = GreedyClusters::new(usize::MAX, 0.3, kind).unwrap();
        assert_eq!(
            [1, 2].map(|x| greedy.add(&[x, x + 10, x + 20]).unwrap()),
            [0, 1]
        );
        assert_eq!(greedy.add(&[1, 2, 12]).unwrap(), 1);
        let mut greedy = GreedyClusters::new(usize::MAX, 0.3, kind).unwrap();
        assert_eq!([2, 1].map(|x| greedy.add(&[x, x + 10]).unwrap()), [0, 1]);
        assert_eq!(greedy.add(&[1, 2]).unwrap(), 0);
    }
}

#[test]
fn empty_sketches_are_clusters_of_their_own() {
    for kind in kinds() {
        let mut greedy = GreedyClusters::new(4, 0.5, kind).unwrap();
        assert!(greedy.is_empty());
        assert_eq!(
            [&[][..], &[1], &[], &[1]].map(|sketch| greedy.add(sketch).unwrap()),
            [0, 1, 2, 1]
        );
        assert!(greedy.representative(2).is_empty());
    }
}

#[test]
fn more_fingerprints_than_can_be_numbered_are_refused_before_they_change_anything() {
    for kind in kinds() {
        let mut greedy = GreedyClusters {
            most: 5,
            ..GreedyClusters::new(4, 0.5, kind).unwrap()
        };
        assert_eq!(
            [
                greedy.add(&[1, 2, 3, 4, 5]).unwrap(),
                greedy.add(&[9]).unwrap()
            ],
            [0, 1]
        );
        let error = greedy.add(&[6, 7]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::TooManyClustered { most: 5 });
        assert!(
            (greedy.len(), greedy.add(&[]).unwrap()) == (2, 2)
                && greedy.representative(0) == [1, 2, 3, 4]
        );
    }
}

#[test]
fn invalid_thresholds_are_refused() {
    for threshold in [0.0, -1.0, 1.1, f64::NAN] {
        let error = GreedyClusters::new(4, threshold, Representative::Popular).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Threshold(_)));
    }
}

/// Returns the bottom-100 sketches of `r` documents, each of which has 400 shingles. Every eight documents are a family: copies
/// of one document with up to 29 shingles replaced at random. Before the replacements, a fifth of each document is a template
/// that all documents share.
fn families(r: u64) -> Vec<Vec<u64>> {
    let (mut random, permutation) = (SplitMix64::new(5), Permutation::new(1));
    let mut sketches: Vec<(u64, Vec<u64>)> = Vec::new();
    for family in 0..r / 8 {
        for _ in 0..8 {
            let mut set: Vec<u64> = (0..400)
                .map(|i| if i < 80 { i } else { (family + 1) << 20 | i })
                .collect();
            (0..random.next_u64() % 30)
                .for_each(|_| set[(random.next_u64() % 400) as usize] = random.next_u64());
            let mut sketch: Vec<u64> = set.into_iter().map(|x| permutation.apply(x)).collect();
            sketch.sort_unstable();
            sketch.dedup();
            sketch.truncate(100);
            sketches.push((random.next_u64(), sketch));
        }
    }
    sketches.sort_unstable();
    sketches.into_iter().map(|(_, sketch)| sketch).collect()
}

#[test]
fn the_work_is_o_of_rs() {
    for kind in kinds() {
        let [few, many] = [1_000, 8_000].map(|r| {
            let mut greedy = GreedyClusters::new(100, 0.5, kind).unwrap();
            families(r)
                .iter()
                .for_each(|sketch| _ = greedy.add(sketch).unwrap());
            assert_eq!(greedy.len() as u64, r / 8, "{kind:?}");
            let Work {
                lookups,
                comparisons,
            } = greedy.work();
            assert!(
                lookups <= 100 * r && comparisons <= r,
                "{:?}",
                greedy.work()
            );
            greedy.work()
        });
        let growth = many.lookups as f64 / few.lookups as f64;
        assert!((7.8..8.2).contains(&growth), "{growth}");
    }
}

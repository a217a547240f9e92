//! The largest clusters of a result, and how many of their pairs are similar.

use std::collections::BTreeMap;

use lookalike::{fingerprint::SplitMix64, sketch::Estimate};
use lookalike_io::error::Result;
use serde::Serialize;

use super::{
    comparing::Wanted,
    matching::Found,
    result::{NONE, Outcome},
};
use crate::sketching::{ids::raw, table::Table};

/// The number of large clusters whose pairs are measured.
const LARGEST: usize = 5;

/// The maximum number of pairs of a cluster that are measured.
const PAIRS: u64 = 1000;

/// The sizes of the clusters, and the largest ones.
pub(super) struct Clusters {
    clusters: u64,
    singles: u64,
    documents: u64,
    largest: Vec<Large>,
}

struct Large {
    size: u64,
    first: u32,
    /// The pairs that are measured.
    pairs: Vec<(u32, u32)>,
    is_sample: bool,
}

impl Clusters {
    /// Counts the clusters. Returns `None` if the result has none.
    pub(super) fn new(outcome: &Outcome, found: &Found, seed: u64) -> Option<Self> {
        if outcome.clusters.is_empty() {
            return None;
        }
        let of_clusters = || {
            (0u32..)
                .zip(&outcome.clusters)
                .filter(|(_, cluster)| **cluster != NONE)
        };
        let mut sizes: BTreeMap<u32, (u64, u32)> = BTreeMap::new();
        of_clusters()
            .for_each(|(document, &cluster)| sizes.entry(cluster).or_insert((0, document)).0 += 1);
        let mut by_size: Vec<(u64, u32, u32)> = sizes
            .iter()
            .map(|(&cluster, &(size, first))| (size, first, cluster))
            .collect();
        by_size.sort_unstable_by_key(|&(size, first, _)| (std::cmp::Reverse(size), first));
        by_size.truncate(LARGEST);
        by_size.retain(|row| row.0 > 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); by_size.len()];
        for (document, cluster) in of_clusters() {
            let number = by_size.iter().position(|row| row.2 == *cluster);
            // Documents without text are similar to nothing.
            if let Some(number) = number.filter(|_| !found.empty[document as usize]) {
                members[number].push(document);
            }
        }
        let large = |((size, first, _), members): ((u64, u32, u32), &Vec<u32>)| {
            let (pairs, is_sample) = some_pairs(members, seed.wrapping_add(u64::from(first)));
            Large {
                size,
                first,
                pairs,
                is_sample,
            }
        };
        Some(Self {
            clusters: sizes.len() as u64,
            singles: sizes.values().filter(|(size, _)| *size == 1).count() as u64,
            documents: sizes.values().map(|(size, _)| size).sum(),
            largest: by_size.into_iter().zip(&members).map(large).collect(),
        })
    }

    /// Returns the pairs that have to be measured, numbered from `first`.
    pub(super) fn wanted(&self, first: u32) -> impl Iterator<Item = Wanted> + '_ {
        let pairs = self.largest.iter().flat_map(|large| &large.pairs);
        pairs
            .zip(first..)
            .map(|(&(other, document), number)| Wanted {
                document,
                other,
                number,
            })
    }

    pub(super) fn figures(
        &self,
        mut similarities: &[f64],
        threshold: f64,
        table: &Table,
    ) -> Result<ClusterFigures> {
        let (mut largest, mut scratch) = (Vec::new(), Vec::new());
        for large in &self.largest {
            let (own, rest) = similarities.split_at(large.pairs.len());
            similarities = rest;
            let similar = own
                .iter()
                .filter(|&&similarity| similarity >= threshold)
                .count() as u64;
            let share = match (own.len() as u64, large.is_sample) {
                (0, _) => None,
                (pairs, false) => Some(Estimate::exact(similar as f64 / pairs as f64)),
                (pairs, true) => Some(Estimate::of_share(similar, pairs)),
            };
            let first = raw(table.ids.get(large.first.into(), &mut scratch)?)?.to_owned();
            largest.push(AuditedCluster {
                size: large.size,
                first,
                pairs: own.len() as u64,
                similar,
                share,
            });
        }
        Ok(ClusterFigures {
            clusters: self.clusters,
            singles: self.singles,
            documents: self.documents,
            largest,
        })
    }
}

/// Returns all pairs of some documents, or a random sample of them with replacement, and whether they are a sample.
fn some_pairs(members: &[u32], seed: u64) -> (Vec<(u32, u32)>, bool) {
    let size = members.len() as u64;
    if size * size.saturating_sub(1) / 2 <= PAIRS {
        let pairs = members
            .iter()
            .enumerate()
            .flat_map(|(at, &a)| members[at + 1..].iter().map(move |&b| (a, b)));
        return (pairs.collect(), false);
    }
    let mut random = SplitMix64::new(seed);
    let mut below =
        |bound: u64| ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as usize;
    let mut pair = || {
        let (a, b) = (below(size), below(size - 1));
        let b = b + usize::from(b >= a);
        (members[a.min(b)], members[a.max(b)])
    };
    ((0..PAIRS).map(|_| pair()).collect(), true)
}

/// The clusters of a result.
#[derive(Debug, Clone, Serialize)]
pub struct ClusterFigures {
    /// The number of clusters that have a document of the inputs.
    pub clusters: u64,
    /// Clusters of one document.
    pub singles: u64,
    /// Documents in clusters.
    pub documents: u64,
    /// The largest clusters, the largest one first.
    pub largest: Vec<AuditedCluster>,
}

/// A large cluster.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedCluster {
    /// The number of documents.
    pub size: u64,
    /// The id of the first document.
    pub first: Box<serde_json::value::RawValue>,
    /// The number of pairs that were measured: all pairs of documents with text, or a random sample.
    pub pairs: u64,
    /// The number of these pairs that are similar.
    pub similar: u64,
    /// The share of all pairs that is similar. `None` if no pair was measured.
    pub share: Option<Estimate>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_are_all_measured_and_many_are_sampled() {
        let all: Vec<u32> = (0..45).collect();
        let (pairs, is_sample) = some_pairs(&all, 1);
        assert_eq!((pairs.len(), is_sample), (990, false));
        let (pairs, is_sample) = some_pairs(&(0..10_000).collect::<Vec<_>>(), 1);
        assert_eq!((pairs.len(), is_sample), (1000, true));
        assert!(
            pairs.iter().all(|(a, b)| a < b)
                && pairs.iter().any(|(a, _)| *a > 9000)
                && pairs.iter().any(|(_, b)| *b < 1000)
        );
        assert_eq!(some_pairs(&[7], 1), (vec![], false));
    }
}

//! Greedy clustering of sketches in one pass (Broder 1997, section 4.4). A sketch joins the cluster whose representative it
//! resembles most, if the resemblance suffices. Otherwise it starts a cluster.
//!
//! This clustering does not follow the law (the exact rule in `dedup/law.rs`): estimates decide, and a sketch is compared only
//! with the representatives of clusters. Use it to inspect the groups of a collection when only the sketches are available.
//!
//! A hash table maps a fingerprint to the clusters that have it, so a sketch is compared only with clusters that share a
//! fingerprint with it. Clustering r sketches of s fingerprints takes O(r s) as long as each fingerprint belongs to few clusters.
//! Fingerprints of boilerplate belong to many clusters: 14,000 manual pages made from one template took 540 steps per
//! fingerprint. So only the rarest fingerprints of a sketch are looked up. Their number is chosen so that every cluster that the
//! sketch can join has at least one of them. The clusters are the same, but the manual pages take 0.2 steps per fingerprint and a
//! hundredth of the time ([`Work`] counts the steps). If all fingerprints of a sketch are common, the cost is still O(r² s).

use std::cmp::Reverse;

use crate::{
    choices,
    error::{ErrorKind, Result},
    fingerprint::Lookup,
    lsh::NONE,
    sketch::shared_of_least,
};

choices! {
    /// The representative of a cluster.
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Representative {
        /// the first member of the cluster
        ///
        /// Its sketch never changes, and every member's estimated resemblance to it reaches the threshold.
        FirstMember = "first",
        /// the sampled shingles that occur in the most members of the cluster
        ///
        /// The s fingerprints that occur in the most members' sketches, with ties broken by the smaller number. The representative
        /// changes as the cluster grows, so early members may no longer resemble it enough. This choice needs a limit s: without
        /// a limit, the representative would be the union of all members, and would resemble each new member less.
        Popular = "popular",
    }
}

/// The work done to cluster all sketches so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct Work {
    /// Steps from a fingerprint to a cluster that has it.
    pub lookups: u64,
    /// Comparisons of a sketch with a representative, O(s) each.
    pub comparisons: u64,
}

/// The clusters so far, numbered from 0 in the order in which they were started. The same sketches in the same order give the
/// same clusters on every machine.
#[derive(Debug)]
pub struct GreedyClusters {
    sample: usize,
    threshold: f64,
    kind: Representative,
    chains: Lookup<u64, Chain>,
    nodes: Vec<Node>,
    /// The maximum number of nodes: they are numbered with 32 bits, and [`NONE`] is not a valid number.
    most: usize,
    /// For each cluster, the sorted fingerprints of its representative and the node of each.
    representatives: Vec<(Vec<u64>, Vec<u32>)>,
    /// The nodes of fingerprints that members have but the representative does not have. An earlier version searched the
    /// fingerprint's chain instead of this table, which took quadratic time for boilerplate that is in only some of the sketches.
    sidelined: Lookup<(u64, u32), u32>,
    work: Work,
    /// The chains (lists of clusters) of the current sketch's fingerprints.
    at_hand: Vec<Chain>,
    /// For each cluster, how many of the visited chains have a node of its representative; zero between uses.
    shared: Vec<u32>,
    met: Vec<u32>,
    ranked: Vec<(Reverse<u32>, u64, u32)>,
}

/// The chain of a fingerprint, which links the clusters that have the fingerprint: the number of these clusters, and the node of
/// the cluster that was added last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Chain {
    length: u32,
    head: u32,
}

/// The membership of a fingerprint in a cluster: a node in the chain of that fingerprint.
#[derive(Debug)]
struct Node {
    cluster: u32,
    next: u32,
    /// The number of members whose sketches have the fingerprint.
    members: u32,
    /// Whether the representative has the fingerprint. A fingerprint that is removed from the representative keeps its node,
    /// because it may become popular again.
    represents: bool,
}

impl GreedyClusters {
    /// Creates an empty clustering. A sketch joins a cluster if its estimated resemblance to the representative is at least
    /// `threshold`, which must be in (0, 1]. `sample` is s, the length of the sketches; use `usize::MAX` for MOD_m sketches,
    /// which have no fixed length.
    ///
    /// # Errors
    /// Fails if the threshold is outside (0, 1].
    pub fn new(sample: usize, threshold: f64, kind: Representative) -> Result<Self> {
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(ErrorKind::Threshold(threshold).into());
        }
        let (chains, nodes, representatives, work) = Default::default();
        let (sidelined, at_hand, shared, met, ranked) = Default::default();
        let most = NONE as usize;
        Ok(Self {
            sample,
            threshold,
            kind,
            chains,
            nodes,
            most,
            representatives,
            sidelined,
            work,
            at_hand,
            shared,
            met,
            ranked,
        })
    }

    /// Adds a sketch to a cluster and returns the number of the cluster. The sketch must be sorted and have each fingerprint
    /// once; only its s least fingerprints are used. It joins the cluster whose representative it resembles most, if the
    /// resemblance suffices; ties go to the oldest cluster. Otherwise it starts a new one. Resemblance is estimated as
    /// |MIN_s(A ∪ B) ∩ A ∩ B| / |MIN_s(A ∪ B)| (Broder 1997, section 3). Each empty sketch is its own cluster.
    ///
    /// Memory: 50 to 70 bytes per fingerprint of each representative. [`Representative::Popular`] needs another 60 to 110 bytes
    /// for each fingerprint that a cluster's members have but its representative does not.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::TooManyClustered`] if, with this sketch, the clusters could have more than 2³² − 1 fingerprints.
    pub fn add(&mut self, sketch: &[u64]) -> Result<u32> {
        debug_assert!(
            sketch.is_sorted_by(|x, y| x < y),
            "the sketch must be sorted"
        );
        let sketch = &sketch[..sketch.len().min(self.sample)];
        if sketch.len() > self.most.saturating_sub(self.nodes.len()) {
            return Err(ErrorKind::TooManyClustered { most: self.most }.into());
        }
        let unseen = self.meet(sketch);
        Ok(match (self.most_resembling(sketch, unseen), self.kind) {
            (Some(cluster), Representative::FirstMember) => cluster,
            (Some(cluster), Representative::Popular) => {
                self.join(cluster, sketch);
                cluster
            }
            (None, _) => self.start(sketch),
        })
    }

    /// Returns the number of clusters.
    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// Returns whether no sketch was added yet.
    pub fn is_empty(&self) -> bool {
        self.representatives.is_empty()
    }

    /// Returns the sketch that represents a cluster, sorted.
    ///
    /// # Panics
    /// Panics if there is no such cluster.
    pub fn representative(&self, cluster: u32) -> &[u64] {
        &self.representatives[cluster as usize].0
    }

    /// Returns the work done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Counts the fingerprints that the sketch shares with the representatives of clusters. The function reads only the shortest
    /// chains, and returns the number of chains that it skipped.
    ///
    /// A representative that resembles the sketch enough has at least `needed` of the sketch's n fingerprints. So among any n −
    /// `needed` + 1 fingerprints of the sketch, the representative has at least one (the prefix filter of Chaudhuri, Ganti &
    /// Kaushik 2006). The rarest fingerprints are looked up, because they have the shortest chains.
    fn meet(&mut self, sketch: &[u64]) -> usize {
        self.at_hand.clear();
        self.at_hand.extend(
            sketch
                .iter()
                .filter_map(|fingerprint| self.chains.get(fingerprint)),
        );
        let n = sketch.len();
        // `needed` is the smallest number for which `needed` / n reaches the threshold. The sample of the union has at least n
        // fingerprints. So the resemblance can be sufficient only if at least `needed` fingerprints are shared. The result of
        // `floor` may be too small by one, and the product is rounded, so the loop increases `needed` up to the exact boundary.
        let mut needed = (self.threshold * n as f64).floor() as usize;
        while needed < n && (needed as f64 / n as f64) < self.threshold {
            needed += 1;
        }
        let absent = n - self.at_hand.len();
        let looked = (n + 1 - needed)
            .saturating_sub(absent)
            .min(self.at_hand.len());
        if 0 < looked && looked < self.at_hand.len() {
            self.at_hand.select_nth_unstable(looked);
        }
        for chain in &self.at_hand[..looked] {
            let mut next = chain.head;
            while next != NONE {
                let node = &self.nodes[next as usize];
                self.work.lookups += 1;
                if node.represents {
                    let shared = &mut self.shared[node.cluster as usize];
                    if *shared == 0 {
                        self.met.push(node.cluster);
                    }
                    *shared += 1;
                }
                next = node.next;
            }
        }
        self.at_hand.len() - looked
    }

    /// Returns the cluster to join, among those that `meet` found. Each cluster may share up to `unseen` more fingerprints with
    /// the sketch than were counted.
    fn most_resembling(&mut self, sketch: &[u64], unseen: usize) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        for cluster in self.met.drain(..) {
            let shared = std::mem::take(&mut self.shared[cluster as usize]) as usize;
            let representative = &self.representatives[cluster as usize].0;
            let preferred = |estimate: f64| {
                let better =
                    |(other, rival)| estimate > other || estimate == other && cluster < rival;
                estimate >= self.threshold && best.is_none_or(better)
            };
            // This computes an upper bound on the resemblance: it counts all fingerprints that may be shared, as if all of them
            // were among the s least of the union.
            let most = (shared + unseen).min(representative.len());
            let union = sketch.len() + representative.len() - most;
            if !preferred(most as f64 / union.min(self.sample) as f64) {
                continue;
            }
            self.work.comparisons += 1;
            let estimate = bottom_resemblance(sketch, representative, self.sample);
            if preferred(estimate) {
                best = Some((estimate, cluster));
            }
        }
        best.map(|(_, cluster)| cluster)
    }

    fn start(&mut self, sketch: &[u64]) -> u32 {
        let cluster = self.representatives.len() as u32;
        let nodes = sketch
            .iter()
            .map(|&fingerprint| self.link(fingerprint, cluster, 1, true))
            .collect();
        self.representatives.push((sketch.to_vec(), nodes));
        self.shared.push(0);
        cluster
    }

    /// Counts the sketch as a member and selects the most popular fingerprints again. Only the sketch's fingerprints have become
    /// more popular, so the choice is among these and the fingerprints of the current representative. The cost is O(s), whatever
    /// the size of the cluster.
    fn join(&mut self, cluster: u32, sketch: &[u64]) {
        let (mut fingerprints, mut standing) =
            std::mem::take(&mut self.representatives[cluster as usize]);
        self.ranked.clear();
        let mut at = 0;
        for &fingerprint in sketch {
            while at < fingerprints.len() && fingerprints[at] < fingerprint {
                at += 1;
            }
            if fingerprints.get(at) == Some(&fingerprint) {
                self.nodes[standing[at] as usize].members += 1;
                continue;
            }
            let known = self.sidelined.remove(&(fingerprint, cluster));
            let node = known.unwrap_or_else(|| self.link(fingerprint, cluster, 0, false));
            let members = &mut self.nodes[node as usize].members;
            *members += 1;
            self.ranked.push((Reverse(*members), fingerprint, node));
        }
        let nodes = &mut self.nodes;
        let old = fingerprints.drain(..).zip(standing.drain(..));
        self.ranked.extend(
            old.map(|(fingerprint, node)| {
                (Reverse(nodes[node as usize].members), fingerprint, node)
            }),
        );
        if self.ranked.len() > self.sample {
            self.ranked.select_nth_unstable(self.sample);
            for (_, fingerprint, node) in self.ranked.drain(self.sample..) {
                nodes[node as usize].represents = false;
                self.sidelined.insert((fingerprint, cluster), node);
            }
        }
        self.ranked
            .sort_unstable_by_key(|&(_, fingerprint, _)| fingerprint);
        for &(_, fingerprint, node) in &self.ranked {
            nodes[node as usize].represents = true;
            fingerprints.push(fingerprint);
            standing.push(node);
        }
        self.representatives[cluster as usize] = (fingerprints, standing);
    }

    /// Adds a new node for a fingerprint at the head of its chain.
    fn link(&mut self, fingerprint: u64, cluster: u32, members: u32, represents: bool) -> u32 {
        let node = self.nodes.len() as u32;
        let chain = self.chains.entry(fingerprint).or_insert(Chain {
            length: 0,
            head: NONE,
        });
        chain.length += 1;
        let next = std::mem::replace(&mut chain.head, node);
        self.nodes.push(Node {
            cluster,
            next,
            members,
            represents,
        });
        node
    }
}

/// Takes the s least fingerprints of the union of both samples, and returns the share of these fingerprints that occur in both
/// samples.
fn bottom_resemblance(a: &[u64], b: &[u64], s: usize) -> f64 {
    let (shared, union) = shared_of_least(a, b, s);
    if union == 0 {
        0.0
    } else {
        shared as f64 / union as f64
    }
}

#[cfg(test)]
mod tests;

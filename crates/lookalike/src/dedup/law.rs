//! The whole pipeline in memory: texts go in, decisions come out. Start reading with this file: all larger implementations must
//! give the same decisions.
//!
//! The law: documents are put in keep order and considered one after another. A document is dropped if its similarity to a
//! candidate that is already kept is at least t; otherwise it is kept. The representative of a dropped document is the most
//! similar of the kept candidates whose similarity is at least t; ties go to the first in keep order.
//!
//! Keep order is the order in which documents are considered, and t is the threshold.

use super::decision::{Decision, Doc, Reason};
use crate::{
    cluster::{
        Best, Buckets, GreedyClusters, Links, Listed, Neighbours, UnionFind, first_copies,
        keep_order, ranks,
    },
    config::{Candidates, Cluster, Config, GreedyBy, Verify},
    error::Result,
    lsh::{self, Sample, share_earlier_band, sorted_rows},
    method::{Method, Scratch},
    sketch::Sketches,
    threads::Threads,
    verify::{Measure, Overlap, Pair, similar_pairs},
};

/// Decides about every document by the law: documents are considered in keep order (the largest [`Doc::key`] first), and a
/// document is dropped if its similarity to a kept candidate reaches the threshold. The decisions are returned in input order.
/// This function is the reference: every other implementation (the command, an index, or a run on several machines) gives the
/// same answer.
///
/// Most programs call [`dedup`](crate::dedup()) or build a [`Dedup`](crate::Dedup), which call this function. This function holds
/// the sets and sketches of all documents in memory, and accepts up to 2³² − 1 documents.
///
/// ```
/// use lookalike::{Config, Doc, decide};
///
/// // The same text in three places; the third has the largest key and is kept.
/// let docs = [3, 1, 7].map(|key| Doc { text: "one text in three places", key });
/// let decisions = decide(&docs, Config::default())?;
/// assert_eq!(decisions[0].representative, Some(2));
/// assert!(decisions[2].is_kept());
/// # Ok::<(), lookalike::Error>(())
/// ```
///
/// # Errors
/// Fails if [`Method::new`] fails, or if greedy clusters would hold too many fingerprints. The content of a text never causes an
/// error.
pub fn decide(docs: &[Doc], config: Config) -> Result<Vec<Decision>> {
    by(&Method::new(config)?, docs, Threads::all())
}

/// Decides like [`decide`], but takes a method, which is a configuration that was already checked.
pub(super) fn by(method: &Method, docs: &[Doc], threads: Threads) -> Result<Vec<Decision>> {
    let collection = Collection::sketch(docs, method, threads);
    let order = keep_order(&docs.iter().map(|doc| doc.key).collect::<Vec<_>>());
    let representatives = match method.config().cluster {
        Cluster::Law => collection.law(&order),
        Cluster::Components => collection.components(&order),
        Cluster::Greedy(by) => collection.greedy(&order, by)?,
    };
    Ok(collection.decisions(&representatives))
}

/// The sketches and sets of all documents.
struct Collection<'a> {
    method: &'a Method,
    threads: Threads,
    digests: Vec<u128>,
    bits: Sketches,
    columns: Vec<Vec<u32>>,
    /// The sampled fingerprints of each document. The levels of these samples (log₂ of the modulus) are in `levels`.
    samples: Vec<Vec<u64>>,
    levels: Vec<u32>,
    sets: Vec<Vec<u64>>,
}

impl<'a> Collection<'a> {
    fn sketch(docs: &[Doc], method: &'a Method, threads: Threads) -> Self {
        /// The sketches and the set of one document, before they are added to the columns.
        struct Sketched {
            digest: u128,
            bits: Vec<u8>,
            keys: Vec<u32>,
            elements: Vec<u64>,
            level: u32,
            set: Vec<u64>,
        }
        let sketched = threads.map(docs, Scratch::default, |scratch, doc| {
            method.sketch(doc.text, scratch);
            let (digest, level, bits, keys) = (
                scratch.digest,
                scratch.level,
                scratch.bits.clone(),
                scratch.keys.clone(),
            );
            let elements = scratch.elements.clone();
            scratch.make_set();
            Sketched {
                digest,
                bits,
                keys,
                elements,
                level,
                set: scratch.fingerprints.clone(),
            }
        });
        let (columns, bits) = (
            vec![Vec::new(); method.sketcher.columns()],
            Sketches::new(method.sketcher.stride()),
        );
        let (digests, samples, levels, sets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut all = Self {
            method,
            threads,
            digests,
            bits,
            columns,
            samples,
            levels,
            sets,
        };
        for document in sketched {
            all.digests.push(document.digest);
            all.bits.push(&document.bits);
            all.columns
                .iter_mut()
                .zip(document.keys)
                .for_each(|(column, key)| column.push(key));
            all.samples.push(document.elements);
            all.levels.push(document.level);
            all.sets.push(document.set);
        }
        all
    }

    /// Applies the law literally. Returns the representative of each document, or none if it is kept.
    fn law(&self, order: &[u32]) -> Vec<Option<u32>> {
        let first_copies = first_copies(&self.digests, order);
        let ranks = ranks(order);
        let contenders = self.contenders(order, &first_copies);
        let mut links = match self.listed(&contenders) {
            Some(pairs) => Links::Listed(Listed::new(&pairs, &ranks)),
            None => Links::Buckets(Buckets::new(self.columns.clone(), &contenders)),
        };
        let mut representatives: Vec<Option<u32>> = vec![None; order.len()];
        let (mut neighbours, mut best) = (Neighbours::default(), None);
        for &d in order.iter().filter(|&&d| !self.sets[d as usize].is_empty()) {
            let first_copy = first_copies[d as usize];
            if first_copy != d && representatives[first_copy as usize].is_none() {
                representatives[d as usize] = Some(first_copy);
                continue;
            }
            // If `d` is a copy whose first copy was dropped, look up the candidates of that first copy again. The two have the
            // same sketch, but more documents may have been kept since the first copy was considered.
            links.kept_neighbours(first_copy, &mut neighbours);
            best.take();
            for (&kept, similarity) in neighbours
                .members
                .iter()
                .zip(self.similarities(d, &neighbours.members))
            {
                if let Some(similarity) = similarity {
                    Best::improve(
                        &mut best,
                        Best {
                            document: kept,
                            rank: ranks[kept as usize],
                            similarity,
                        },
                    );
                }
            }
            match best {
                Some(found) => representatives[d as usize] = Some(found.document),
                None => links.keep(d),
            }
        }
        representatives
    }

    /// Finds the connected components of all pairs in which one document is similar to the other, and returns the representative
    /// of each document. In each component, the first document in keep order is kept.
    fn components(&self, order: &[u32]) -> Vec<Option<u32>> {
        let first_copies = first_copies(&self.digests, order);
        let contenders = self.contenders(order, &first_copies);
        let pairs = self
            .listed(&contenders)
            .unwrap_or_else(|| self.sharing_a_band(&contenders));
        let mut groups = UnionFind::new(order.len());
        let are_similar = |_: &mut (), &(a, b): &(u32, u32)| {
            self.similarity(a, b)
                .or_else(|| self.similarity(b, a))
                .is_some()
        };
        let similar = self.threads.map(&pairs, || (), are_similar);
        pairs
            .iter()
            .zip(similar)
            .filter(|(_, similar)| *similar)
            .for_each(|(&(a, b), _)| groups.join(a, b));
        let mut firsts = vec![None; order.len()];
        let mut representatives = vec![None; order.len()];
        for &d in order.iter().filter(|&&d| !self.sets[d as usize].is_empty()) {
            let first = firsts[groups.find(first_copies[d as usize]) as usize].get_or_insert(d);
            representatives[d as usize] = Some(*first).filter(|&first| first != d);
        }
        representatives
    }

    /// Builds greedy clusters of the sketches in keep order, and returns the representative of each document. Each cluster keeps
    /// its first document. Copies are in the cluster of their first copy.
    fn greedy(&self, order: &[u32], by: GreedyBy) -> Result<Vec<Option<u32>>> {
        let first_copies = first_copies(&self.digests, order);
        let mut clusters =
            GreedyClusters::new(by.sample, self.method.config().threshold, by.representative)?;
        let mut firsts: Vec<u32> = Vec::new();
        let mut first_of = vec![0; order.len()];
        for d in self.contenders(order, &first_copies) {
            let cluster = clusters.add(&self.samples[d as usize])? as usize;
            if cluster == firsts.len() {
                firsts.push(d);
            }
            first_of[d as usize] = firsts[cluster];
        }
        let representative = |d: u32| {
            if self.sets[d as usize].is_empty() {
                None
            } else {
                Some(first_of[first_copies[d as usize] as usize]).filter(|&first| first != d)
            }
        };
        Ok((0..order.len() as u32).map(representative).collect())
    }

    fn contenders(&self, order: &[u32], first_copies: &[u32]) -> Vec<u32> {
        order
            .iter()
            .copied()
            .filter(|&d| first_copies[d as usize] == d && !self.sets[d as usize].is_empty())
            .collect()
    }

    /// Returns the candidate pairs if the method lists them, or none if documents become candidates by sharing a band.
    fn listed(&self, contenders: &[u32]) -> Option<Vec<(u32, u32)>> {
        let sets = || {
            contenders
                .iter()
                .map(|&d| self.sets[d as usize].clone())
                .collect::<Vec<_>>()
        };
        let of_places = |(a, b): (u32, u32)| (contenders[a as usize], contenders[b as usize]);
        match self.method.config().candidates {
            Candidates::All => Some(
                self.joined(&sets())
                    .iter()
                    .map(|pair| of_places((pair.a, pair.b)))
                    .collect(),
            ),
            Candidates::Shared(_) => Some(self.sharing(contenders)),
            Candidates::Bands(_)
            | Candidates::SimHash(_)
            | Candidates::Sentences(_)
            | Candidates::Exact => None,
        }
    }

    /// Returns all pairs of sets in which one set is similar to the other.
    fn joined(&self, sets: &[Vec<u64>]) -> Vec<Pair> {
        let Config {
            threshold, measure, ..
        } = *self.method.config();
        similar_pairs(measure, sets, threshold)
    }

    /// Returns the pairs that share enough sampled fingerprints to be candidates.
    fn sharing(&self, contenders: &[u32]) -> Vec<(u32, u32)> {
        let samples: Vec<Vec<u64>> = contenders
            .iter()
            .map(|&d| self.samples[d as usize].clone())
            .collect();
        let (counts, _) = lsh::shared_counts(&samples, self.method.config().candidates.common());
        let candidate = |(a, b, _): (u32, u32, u32)| {
            let (a, b) = (contenders[a as usize], contenders[b as usize]);
            self.method
                .sketcher
                .share_enough(self.sample(a), self.sample(b))
                .then_some((a, b))
        };
        counts.into_iter().filter_map(candidate).collect()
    }

    fn sample(&self, d: u32) -> Sample<'_> {
        Sample {
            level: self.levels[d as usize],
            elements: &self.samples[d as usize],
        }
    }

    fn sharing_a_band(&self, contenders: &[u32]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (band, column) in self.columns.iter().enumerate() {
            for bucket in lsh::buckets(&sorted_rows(column, contenders.iter().copied())) {
                for (i, &a) in bucket.iter().enumerate() {
                    let after = bucket[i + 1..]
                        .iter()
                        .map(|&b| (lsh::document(a), lsh::document(b)));
                    pairs.extend(
                        after.filter(|&(a, b)| !share_earlier_band(&self.columns, band, a, b)),
                    );
                }
            }
        }
        pairs
    }

    /// Returns the similarity of a document to each document that it is linked to.
    fn similarities(&self, d: u32, others: &[u32]) -> Vec<Option<f64>> {
        // For fewer documents than this, distributing the work over threads costs more than the work itself.
        const WORTH: usize = 64;
        let threads = if others.len() < WORTH {
            Threads::One
        } else {
            self.threads
        };
        threads.map(others, || (), |(), &other| self.similarity(d, other))
    }

    /// Returns the similarity of document `d` to document `other`. The two documents share a band, or were listed as a pair.
    /// Returns `None` if they are not candidates, or if their similarity does not reach the threshold.
    fn similarity(&self, d: u32, other: u32) -> Option<f64> {
        let Config {
            threshold, measure, ..
        } = *self.method.config();
        if !self
            .method
            .sketcher
            .agree(self.bits.get(d), self.bits.get(other))
        {
            return None;
        }
        match self.method.verify() {
            Verify::Exact => {
                let overlap = measure.at_least(
                    &self.sets[d as usize],
                    &self.sets[other as usize],
                    threshold,
                );
                overlap
                    .filter(|&overlap| self.method.config().contains_enough(overlap))
                    .map(|overlap| measure.of(overlap))
            }
            Verify::Sketch => Some(self.estimate(d, other))
                .filter(|&similarity| similarity >= self.method.least()),
            Verify::None => Some(1.0),
        }
    }

    fn estimate(&self, a: u32, b: u32) -> f64 {
        if self.method.sketcher.keeps_samples() {
            self.method.sketcher.estimate_samples(
                self.method.config().measure,
                self.sample(a),
                self.sample(b),
            )
        } else {
            self.method
                .sketcher
                .estimate(self.bits.get(a), self.bits.get(b))
        }
    }

    fn decisions(&self, representatives: &[Option<u32>]) -> Vec<Decision> {
        let mut sizes = vec![1usize; representatives.len()];
        representatives
            .iter()
            .flatten()
            .for_each(|&r| sizes[r as usize] += 1);
        let near = match self.method.config().measure {
            Measure::Resemblance => Reason::Near,
            Measure::Containment => Reason::Contained,
        };
        let decide = |(d, representative): (usize, &Option<u32>)| {
            let Some(r) = *representative else {
                let reason = match sizes[d] {
                    _ if self.sets[d].is_empty() => Reason::Empty,
                    1 => Reason::Unique,
                    _ => Reason::Representative,
                };
                return Decision {
                    reason,
                    representative: None,
                    similarity: None,
                    overlap: None,
                    cluster_size: sizes[d],
                };
            };
            let same = |d: u32| (self.digests[d as usize], self.bits.get(d));
            let exact = self.method.sketcher.same(same(d as u32), same(r));
            let counted = self.method.verify() == Verify::Exact || exact;
            let overlap = counted.then(|| Overlap::of(&self.sets[d], &self.sets[r as usize]));
            let estimated = (self.method.verify() == Verify::Sketch
                && self.method.sketcher.estimates())
            .then(|| self.estimate(d as u32, r));
            Decision {
                reason: if exact { Reason::Exact } else { near },
                representative: Some(r as usize),
                similarity: overlap
                    .map(|overlap| self.method.config().measure.of(overlap))
                    .or(estimated),
                overlap,
                cluster_size: sizes[r as usize],
            }
        };
        representatives.iter().enumerate().map(decide).collect()
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::{GreedyBy, Shared};

    proptest! {
        #[test]
        fn all_cores_decide_like_one_core(
            // The texts use few words, so many of them are similar, and some have more than a few candidates.
            texts in prop::collection::vec("[ab]{1,2}( [a-d]){0,12}", 0..300),
            threshold in prop::sample::select(vec![0.3, 0.8]),
            way in 0usize..5,
        ) {
            let config = Config { threshold, shingle: Some(2), ..Config::default() };
            let config = match way {
                0 => config,
                1 => Config { candidates: Candidates::All, ..config },
                2 => Config { candidates: Shared::default().into(), measure: Measure::Containment, ..config },
                3 => Config { cluster: Cluster::Components, ..config },
                _ => Config { cluster: Cluster::Greedy(GreedyBy::default()), ..config },
            };
            let method = Method::new(config).unwrap();
            let docs: Vec<Doc> = texts.iter().map(|text| Doc { text, key: text.len() as u64 }).collect();
            prop_assert_eq!(by(&method, &docs, Threads::All)?, by(&method, &docs, Threads::One)?);
        }
    }
}

//! The pairs that a report needs so that the page can apply the law at other thresholds: all candidate pairs of the run's bands
//! that reach a floor, even if one of their documents was dropped.

use std::{collections::BTreeMap, sync::Arc};

use lookalike::{
    Candidates, Cluster, Config, Method, Verify,
    cluster::UnionFind,
    lsh::{NONE, Shape},
    verify::Overlap,
};
use lookalike_io::{error::Result, read::Source, spill::Budget};
use rayon::ThreadPool;

use super::listed::MOST_PAIRS;
use crate::{
    config::{Observer, RunConfig},
    deciding::{
        all_matches::{ANY, AllMatches, Classes, PairFigures, Verified, verified},
        candidate_pairs::CandidatePairs,
    },
    numbers::{Contender, Document},
    pairing::Pairing,
    sketching::{self, Beside, order::Order},
};

/// The maximum number of pairs of documents in common buckets, summed over the bands, for documents that are connected by buckets.
/// If there are more, the documents are left out: to compare them all would take minutes, and the page could not hold the result.
const MOST_MET: u64 = 4_000_000;

/// The maximum number of documents among which pairs are searched for a report. The pairs, and what is known about their documents,
/// are held in memory.
const MOST_DOCUMENTS: u64 = 2_000_000;

/// Pairs of first copies, and what the law needs to know about their documents.
pub(crate) struct Near {
    /// The pairs, each with its overlap. The first document comes first in keep order.
    pub(crate) pairs: Vec<(Document, Document, Overlap)>,
    /// Copies, with their first copies.
    pub(crate) first_copies: BTreeMap<Document, Document>,
    /// The numbers of shingles of the compared documents.
    pub(crate) sizes: BTreeMap<Document, u32>,
    /// Documents that were not compared with each other, because they are too many.
    pub(crate) left_out: Vec<Document>,
    pub(crate) order: Order,
}

/// Returns the least similarity at which pairs are listed, or why the threshold cannot be moved. By default the floor is 0.2 below
/// the threshold. Candidates that are not found by bands depend on the threshold, so that their floor is the threshold.
pub(crate) fn floor(
    config: &RunConfig,
    method: &Method,
    documents: u64,
    asked: Option<f64>,
) -> std::result::Result<f64, &'static str> {
    let Config {
        threshold,
        cluster,
        ref candidates,
        ..
    } = *method.config();
    match (cluster, method.verify()) {
        (Cluster::Components | Cluster::Greedy(_), _) => return Err("cluster"),
        (_, Verify::Sketch | Verify::None) => return Err("verify"),
        _ if config.drop_holders => return Err("holders"),
        _ if method.config().min_containment.is_some() => return Err("contained"),
        _ if documents > MOST_DOCUMENTS => return Err("large"),
        _ => {}
    }
    Ok(match candidates {
        Candidates::Bands(_) | Candidates::All => asked.unwrap_or(below(threshold)).min(threshold),
        _ => threshold,
    })
}

/// Returns 0.2 less than the threshold, without the error of a subtraction of binary fractions.
fn below(threshold: f64) -> f64 {
    (((threshold - 0.2).max(0.1) * 1e9).round() / 1e9).min(threshold)
}

/// Finds the pairs that reach the floor, in a pass of its own.
pub(crate) fn find(
    config: &RunConfig,
    method: &Method,
    floor: f64,
    (source, budget, pool): (&Source, &Arc<Budget>, &ThreadPool),
    observer: Observer,
) -> Result<Near> {
    let own = method.config().clone();
    let curve = method.shape().map(Shape::curve);
    // These bands find fewer of the pairs at the floor than the run promises at its threshold.
    let recall = curve.map_or(own.recall, |curve| {
        own.recall.min(0.99 * curve.found(floor))
    });
    let candidates = match (own.candidates, curve) {
        // The bands of the run, which would be others if they were chosen for the floor.
        (Candidates::Bands(bands), Some(curve)) => Candidates::Bands(lookalike::Bands {
            bands: Some(curve.bands),
            rows: Some(curve.rows),
            ..bands
        }),
        (candidates, _) => candidates,
    };
    let method = Method::new(Config {
        threshold: floor,
        recall,
        candidates,
        ..own
    })?;
    let mut table = sketching::sketch(
        config,
        &method,
        source,
        budget,
        pool,
        Beside::default(),
        observer,
    )?;
    let mut left_out = Vec::new();
    let classes = |pairing: &Pairing, candidate_pairs: &CandidatePairs| {
        let classes = too_many(candidate_pairs, pairing.numbers()?);
        let of_class = |number: u32| pairing.document(Contender(number));
        left_out.extend(
            (0..)
                .zip(&classes)
                .filter(|&(_, &class)| class != ANY)
                .map(|(number, _)| of_class(number)),
        );
        Ok(Some(classes))
    };
    let all = |_: &Pairing| Ok(AllMatches::new());
    let verified = verified(
        (config, &method),
        source,
        &mut table,
        pool,
        classes,
        all,
        observer,
    )?;
    Ok(Near::of(verified, left_out))
}

/// Returns the classes that keep documents apart which are connected to too many others; documents of one class are not compared.
fn too_many(candidate_pairs: &CandidatePairs, numbers: u32) -> Classes {
    let CandidatePairs::Columns(columns) = candidate_pairs else {
        return vec![ANY; numbers as usize];
    };
    let mut groups = UnionFind::new(numbers as usize);
    for column in columns {
        each_bucket(column, |bucket| {
            bucket
                .windows(2)
                .for_each(|pair| groups.join(pair[0].1, pair[1].1))
        });
    }
    let mut met = vec![0u64; numbers as usize];
    for column in columns {
        each_bucket(column, |bucket| {
            let documents = bucket.len() as u64;
            met[groups.find(bucket[0].1) as usize] += documents * (documents - 1) / 2;
        });
    }
    let class = |number| {
        Some(groups.find(number))
            .filter(|&group| met[group as usize] > MOST_MET)
            .unwrap_or(ANY)
    };
    (0..numbers).map(class).collect()
}

/// Passes the rows of each bucket of a band to `give`: the bucket, and a document.
fn each_bucket(column: &[u32], give: impl FnMut(&[(u32, u32)])) {
    let mut rows: Vec<(u32, u32)> = column
        .iter()
        .copied()
        .zip(0..)
        .filter(|&(bucket, _)| bucket != NONE)
        .collect();
    rows.sort_unstable();
    rows.chunk_by(|a, b| a.0 == b.0).for_each(give);
}

impl Near {
    /// Collects the pairs of a run, and leaves out the largest groups if there are too many pairs.
    pub(crate) fn of(verified: Verified<AllMatches>, mut left_out: Vec<Document>) -> Self {
        let Verified {
            pairing,
            sets,
            matches,
            ..
        } = verified;
        let document = |number| pairing.document(Contender(number));
        let mut groups = UnionFind::new(pairing.contenders.len() as usize);
        matches.iter().for_each(|&(a, b, _)| groups.join(a, b));
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        matches
            .iter()
            .for_each(|&(a, ..)| *counts.entry(groups.find(a)).or_default() += 1);
        let mut largest: Vec<(usize, u32)> = counts
            .into_iter()
            .map(|(group, pairs)| (pairs, group))
            .collect();
        largest.sort_unstable();
        let (mut count, mut too_large) = (matches.len(), Vec::new());
        while let Some((pairs, group)) = largest.pop_if(|_| count > MOST_PAIRS) {
            count -= pairs;
            too_large.push(group);
        }
        too_large.sort_unstable();
        let mut is_left_out = |number| too_large.binary_search(&groups.find(number)).is_ok();
        let mut pairs = Vec::with_capacity(count);
        for (a, b, figures) in matches {
            let PairFigures::Counted(figures) = figures else {
                continue;
            };
            if is_left_out(a) {
                continue;
            }
            let overlap = Overlap {
                shared: figures.intersection,
                a: figures.size_a,
                b: figures.size_b,
            };
            // Contenders are numbered in keep order.
            pairs.push(if a < b {
                (document(a), document(b), overlap)
            } else {
                (document(b), document(a), overlap.swapped())
            });
        }
        let numbers = 0..pairing.contenders.len() as u32;
        left_out.extend(
            numbers
                .clone()
                .filter(|&number| is_left_out(number))
                .map(document),
        );
        left_out.sort_unstable();
        left_out.dedup();
        let first_copies = pairing
            .copies_of_contenders()
            .map(|(copy, first)| (pairing.order.document(copy), pairing.document(first)))
            .collect();
        let sizes = numbers
            .map(|number| (document(number), sets.len(number) as u32))
            .filter(|&(_, size)| size > 0)
            .collect();
        pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
        Self {
            pairs,
            first_copies,
            sizes,
            left_out,
            order: pairing.order,
        }
    }
}

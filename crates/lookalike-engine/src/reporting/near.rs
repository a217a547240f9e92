//! The pairs that a report needs so that the page can apply the law at other thresholds: all candidate pairs of the run's bands
//! that reach a floor, even if one of their documents was dropped.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use lookalike::{
    Candidates, Cluster, Config, Method, Verify,
    cluster::UnionFind,
    lsh::{NONE, Shape},
    verify::Overlap,
};
use lookalike_io::{
    error::Result,
    read::Source,
    spill::{Budget, Spill},
};
use rayon::ThreadPool;

use super::listed::MOST_PAIRS;
use crate::{
    config::{Observer, RunConfig},
    deciding::{
        all_matches::{Matches, PairFigures, Verified, verified},
        candidate_pairs::CandidatePairs,
    },
    numbers::{Contender, Document},
    pairing::Pairing,
    sketching::{self, Beside, order::Order},
};

/// The maximum number of pairs of documents in common buckets, summed over the bands, for documents that are connected by buckets.
/// If there are more, the documents are left out: to compare them all would take minutes, and the page could not hold the result.
const MOST_MET: u64 = 4_000_000;

/// The maximum number of these pairs in the whole collection. If there are more, the largest groups are left out.
const MOST_MET_IN_ALL: u64 = 100_000_000;

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
    let narrow = |pairing: &Pairing, candidate_pairs: &mut CandidatePairs| {
        if let CandidatePairs::Columns(columns) = candidate_pairs {
            let numbers = leave_out(columns, pairing.numbers()?, MOST_MET, MOST_MET_IN_ALL);
            left_out.extend(
                numbers
                    .into_iter()
                    .map(|number| pairing.document(Contender(number))),
            );
        }
        Ok(None)
    };
    let verified = verified(
        (config, &method),
        source,
        &mut table,
        pool,
        narrow,
        |_| Ok(Spill::new(budget)),
        observer,
    )?;
    Near::of(verified, left_out)
}

/// Removes documents from the bands that are connected to too many others, and returns them. Their pairs are not even
/// enumerated, because their number is quadratic.
fn leave_out(columns: &mut [Vec<u32>], numbers: u32, most: u64, in_all: u64) -> Vec<u32> {
    let mut groups = UnionFind::new(numbers as usize);
    for column in &*columns {
        each_bucket(column, |bucket| {
            bucket
                .windows(2)
                .for_each(|pair| groups.join(pair[0].1, pair[1].1))
        });
    }
    let mut met = vec![0u64; numbers as usize];
    for column in &*columns {
        each_bucket(column, |bucket| {
            let documents = bucket.len() as u64;
            met[groups.find(bucket[0].1) as usize] += documents * (documents - 1) / 2;
        });
    }
    let too_large = largest(met, most, in_all);
    let left_out: Vec<u32> = (0..numbers)
        .filter(|&number| too_large.contains(&groups.find(number)))
        .collect();
    for column in columns {
        left_out
            .iter()
            .for_each(|&number| column[number as usize] = NONE);
    }
    left_out
}

/// Returns the groups with more than `most` pairs, and the largest of the others, so that the remaining groups have at most `in_all`
/// pairs together. `pairs` has the number of pairs of each group.
fn largest(pairs: Vec<u64>, most: u64, in_all: u64) -> BTreeSet<u32> {
    let mut groups: Vec<(u64, u32)> = pairs.into_iter().zip(0..).collect();
    groups.sort_unstable();
    let mut sum = 0;
    groups.retain(|&(pairs, _)| {
        sum += pairs;
        pairs > most || sum > in_all
    });
    groups.into_iter().map(|(_, group)| group).collect()
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

/// The matches between first copies, each with the number of shared shingles.
type SharedShingles = Spill<[u32; 3]>;

impl Matches for SharedShingles {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()> {
        // All similarities are counted.
        match figures {
            PairFigures::Counted(figures) => self.append(&[[a, b, figures.intersection as u32]]),
            _ => Ok(()),
        }
    }
}

impl Near {
    /// Collects the pairs of a run, and leaves out the largest groups if there are too many pairs.
    fn of(verified: Verified<SharedShingles>, mut left_out: Vec<Document>) -> Result<Self> {
        let Verified {
            pairing,
            sets,
            matches,
            ..
        } = verified;
        let document = |number| pairing.document(Contender(number));
        let numbers = pairing.contenders.len() as u32;
        let mut groups = UnionFind::new(numbers as usize);
        let each = |take: &mut dyn FnMut([u32; 3])| {
            matches.each_piece(1, |_, rows| {
                rows.iter().for_each(|&row| take(row));
                Ok(())
            })
        };
        each(&mut |[a, b, _]| groups.join(a, b))?;
        let mut counts = vec![0; numbers as usize];
        each(&mut |[a, ..]| counts[groups.find(a) as usize] += 1)?;
        let too_large = largest(counts, u64::MAX, MOST_PAIRS as u64);
        let mut is_left_out = |number| too_large.contains(&groups.find(number));
        let mut pairs = Vec::new();
        each(&mut |[a, b, shared]| {
            if !is_left_out(a) {
                // Contenders are numbered in keep order.
                let (a, b) = (a.min(b), a.max(b));
                let [of_a, of_b] = [a, b].map(|number| sets.len(number) as u64);
                let overlap = Overlap {
                    shared: shared.into(),
                    a: of_a,
                    b: of_b,
                };
                pairs.push((document(a), document(b), overlap));
            }
        })?;
        left_out.extend(
            (0..numbers)
                .filter(|&number| is_left_out(number))
                .map(document),
        );
        left_out.sort_unstable();
        left_out.dedup();
        let first_copies = pairing
            .copies_of_contenders()
            .map(|(copy, first)| (pairing.order.document(copy), pairing.document(first)))
            .collect();
        let sizes = (0..numbers)
            .map(|number| (document(number), sets.len(number) as u32))
            .filter(|&(_, size)| size > 0)
            .collect();
        pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
        Ok(Self {
            pairs,
            first_copies,
            sizes,
            left_out,
            order: pairing.order,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_with_too_many_pairs_are_left_out_before_their_pairs_are_enumerated() {
        // Two bands: 20 documents in one bucket of both, then groups of 5, 4 and 3 in one band, and one document alone.
        let first: Vec<u32> = [0; 20].into_iter().chain([NONE; 13]).collect();
        let second = [0; 20]
            .into_iter()
            .chain([1; 5])
            .chain([2; 4])
            .chain([3; 3])
            .chain([NONE]);
        let columns = vec![first, second.collect()];
        let pairs = 2 * 190;
        for (most, in_all, expected) in [
            (pairs, 1000, 0..0),
            (pairs - 1, 1000, 0..20),
            (pairs, pairs + 10 + 6 + 3, 0..0),
            (pairs, pairs + 10 + 6 + 2, 0..20),
            (pairs, 10 + 6 + 2, 0..25),
            (1, 1, 0..32),
        ] {
            let mut narrowed = columns.clone();
            let left_out = leave_out(&mut narrowed, 33, most, in_all);
            assert_eq!(left_out, expected.clone().collect::<Vec<_>>());
            for (column, before) in narrowed.iter().zip(&columns) {
                for number in 0..33 {
                    let is_left_out = expected.contains(&(number as u32));
                    assert_eq!(
                        column[number],
                        if is_left_out { NONE } else { before[number] }
                    );
                }
            }
        }
    }
}

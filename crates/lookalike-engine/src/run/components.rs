//! Pairs within buckets, each once; and connected components over them.

use lookalike::{
    cluster::UnionFind,
    lsh::{self, share_earlier_band, sorted_rows},
};
use rayon::{ThreadPool, prelude::*};

use super::{
    deciding::Verdicts,
    matching::{Likeness, Matcher},
    pairing::Pairing,
};
use crate::error::Result;

/// Pairs of a bucket that are looked at before those that are candidates are verified: what bounds the memory.
const BATCH: usize = 1 << 22;

/// Gives every candidate pair of leaders, in batches, to `verify`; each pair once, in its first shared band, in an order that
/// depends on the documents alone.
pub(crate) fn each_candidate_pair(
    columns: &[Vec<u32>],
    documents: &[u32],
    matcher: &Matcher,
    pool: &ThreadPool,
    mut verify: impl FnMut(&[(u32, u32)]) -> Result<()>,
) -> Result<()> {
    for (band, column) in columns.iter().enumerate() {
        let rows = sorted_rows(column, documents.iter().copied());
        // A document with those behind it in its bucket.
        let behind = |tail: &[u64], others: &mut Vec<u32>| -> Vec<(u32, u32)> {
            let a = lsh::document(tail[0]);
            others.clear();
            others.extend(tail[1..].iter().map(|&row| lsh::document(row)).filter(|&b| !share_earlier_band(columns, band, a, b)));
            matcher.keep_candidates(a, others, |other| other);
            others.iter().map(|&b| (a, b)).collect()
        };
        let mut batch: Vec<&[u64]> = Vec::new();
        let mut pairs = 0;
        let mut flush = |batch: &mut Vec<&[u64]>| {
            let found = batch.par_iter().map_init(Vec::new, |others, tail| behind(tail, others));
            let candidates: Vec<(u32, u32)> = pool.install(|| found.collect::<Vec<_>>()).concat();
            batch.clear();
            verify(&candidates)
        };
        for bucket in lsh::buckets(&rows) {
            for at in 0..bucket.len() - 1 {
                batch.push(&bucket[at..]);
                pairs += bucket.len() - at;
                if pairs > BATCH {
                    flush(&mut batch)?;
                    pairs = 0;
                }
            }
        }
        flush(&mut batch)?;
    }
    Ok(())
}

/// Verifies pairs on all threads; the likenesses stand in the pairs' order.
pub(crate) fn likenesses(pairs: &[(u32, u32)], matcher: &Matcher, pool: &ThreadPool) -> Result<Vec<Option<Likeness>>> {
    let threshold = matcher.method.config().threshold;
    let one = |(set, other): &mut (Vec<u64>, Vec<u64>), &(a, b): &(u32, u32)| {
        matcher.sets.read(a, set)?;
        matcher.likeness(a, set, b, threshold, other)
    };
    pool.install(|| pairs.par_iter().map_init(Default::default, one).collect())
}

/// Verdicts by connected components of all matches: the first of each in keep order is kept.
pub(crate) fn components(columns: &[Vec<u32>], pairing: &Pairing, matcher: &Matcher, pool: &ThreadPool) -> Result<Verdicts> {
    let documents = pairing.order.len() as u32;
    let mut groups = UnionFind::new(documents as usize);
    each_candidate_pair(columns, &pairing.contenders, matcher, pool, |batch| {
        // What is joined already stays joined: no need to look again.
        let open: Vec<(u32, u32)> = batch.iter().copied().filter(|&(a, b)| groups.find(a) != groups.find(b)).collect();
        for (&(a, b), likeness) in open.iter().zip(likenesses(&open, matcher, pool)?) {
            if likeness.is_some() {
                groups.join(a, b);
            }
        }
        Ok(())
    })?;
    let mut verdicts = Verdicts::all_kept(documents);
    let mut firsts = vec![None; documents as usize];
    let mut dropped = Vec::new();
    for &document in pairing.order.iter().filter(|&&d| !pairing.is_empty(d)) {
        let leader = pairing.leaders[document as usize];
        let first = *firsts[groups.find(leader) as usize].get_or_insert(document);
        if first == leader {
            if document != first {
                verdicts.drop_for(document, first, None);
            }
        } else {
            dropped.push((document, leader, first));
        }
    }
    // How like its component's first each document is: any value, the chain may have led anywhere.
    let measure = |(set, other): &mut (Vec<u64>, Vec<u64>), &(_, leader, first): &(u32, u32, u32)| {
        matcher.sets.read(leader, set)?;
        matcher.likeness(leader, set, first, 0.0, other)
    };
    let measured: Result<Vec<_>> = pool.install(|| dropped.par_iter().map_init(Default::default, measure).collect());
    for (&(document, _, first), likeness) in dropped.iter().zip(measured?) {
        verdicts.drop_for(document, first, likeness.and_then(|likeness| likeness.overlap));
    }
    Ok(verdicts)
}

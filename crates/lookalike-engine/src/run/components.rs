//! Connected components over all matches.

use lookalike::cluster::UnionFind;
use rayon::{ThreadPool, prelude::*};

use super::{
    deciding::Verdicts,
    matching::{Likeness, Matcher},
    meeting::Meetings,
    pairing::Pairing,
};
use crate::error::Result;

/// Verifies pairs on all threads; the likenesses stand in the pairs' order. Of a measure with a direction the better one
/// counts, that of the smaller set.
pub(crate) fn likenesses(pairs: &[(u32, u32)], matcher: &Matcher, pool: &ThreadPool) -> Result<Vec<Option<Likeness>>> {
    let threshold = matcher.method.least();
    let one = |(set, other): &mut (Vec<u64>, Vec<u64>), &(a, b): &(u32, u32)| {
        let swap = matcher.sets.len(b) < matcher.sets.len(a);
        let (smaller, larger) = if swap { (b, a) } else { (a, b) };
        matcher.sets.read(smaller, set)?;
        let likeness = matcher.likeness(smaller, set, larger, threshold, other)?;
        Ok(likeness.map(|likeness| if swap { likeness.swapped() } else { likeness }))
    };
    pool.install(|| pairs.par_iter().map_init(Default::default, one).collect())
}

/// Verdicts by connected components of all matches: the first of each in keep order is kept.
pub(crate) fn components(meetings: &Meetings, pairing: &Pairing, matcher: &Matcher, pool: &ThreadPool) -> Result<Verdicts> {
    let documents = pairing.order.len() as u32;
    let mut groups = UnionFind::new(documents as usize);
    meetings.each_candidate_pair(&pairing.contenders, matcher, pool, |batch| {
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

//! Connected components over all matches.

use lookalike::{Verify, cluster::UnionFind, verify::Measure};
use rayon::{ThreadPool, prelude::*};

use super::{
    deciding::Verdicts,
    matching::{Likeness, Matcher},
    meeting::Meetings,
    pairing::Pairing,
};
use crate::error::Result;

/// Verifies pairs on all threads; the likenesses stand in the pairs' order. Of a measure with a direction the better one
/// counts: of counted sets that of the smaller, and where sets were not loaded both are estimated.
pub(crate) fn likenesses(pairs: &[(u32, u32)], matcher: &Matcher, pool: &ThreadPool) -> Result<Vec<Option<Likeness>>> {
    let threshold = matcher.method.least();
    let both_ways = matcher.method.config().measure == Measure::Containment && matcher.method.verify() == Verify::Sketch;
    let one = |(set, other): &mut (Vec<u64>, Vec<u64>), &(a, b): &(u32, u32)| {
        let swap = matcher.sets.len(b) < matcher.sets.len(a);
        let (smaller, larger) = if swap { (b, a) } else { (a, b) };
        matcher.sets.read(smaller, set)?;
        let mut likeness = matcher.likeness(smaller, set, larger, threshold, other)?;
        if both_ways {
            let back = matcher.likeness(larger, set, smaller, threshold, other)?;
            likeness = likeness.filter(|there| back.is_none_or(|back| back.similarity <= there.similarity)).or(back);
        }
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
    let mut firsts = vec![None; documents as usize];
    let of_groups = pairing.order.iter().filter(|&&d| !pairing.is_empty(d)).map(|&document| {
        let leader = pairing.leaders[document as usize];
        Grouped { document, leader, first: *firsts[groups.find(leader) as usize].get_or_insert(document) }
    });
    measure_dropped(of_groups, pairing, matcher, pool)
}

/// A document, its leader, and the first of its group in keep order.
pub(crate) struct Grouped {
    pub(crate) document: u32,
    pub(crate) leader: u32,
    pub(crate) first: u32,
}

/// Drops all but the first of each group, and measures how like the first each is: any value, the group may be made by chains.
pub(crate) fn measure_dropped(
    grouped: impl Iterator<Item = Grouped>,
    pairing: &Pairing,
    matcher: &Matcher,
    pool: &ThreadPool,
) -> Result<Verdicts> {
    let mut verdicts = Verdicts::all_kept(pairing.order.len() as u32);
    let mut dropped = Vec::new();
    for Grouped { document, leader, first } in grouped {
        if first == leader {
            if document != first {
                verdicts.drop_for(document, first, None);
            }
        } else {
            dropped.push((document, leader, first));
        }
    }
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

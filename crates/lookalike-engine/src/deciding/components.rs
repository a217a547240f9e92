//! Decides documents by the connected components of all matches.

use lookalike::{Verify, cluster::UnionFind, verify::Measure};
use lookalike_io::{
    error::Result,
    pool::{install, try_par_map_init},
};
use rayon::ThreadPool;

use super::candidate_pairs::CandidatePairs;
use crate::{
    crowds::joining::Joining,
    matching::{Likeness, Matcher, Scratch, sets::Sets},
    numbers::Contender,
    pairing::verdicts::{Verdict, Verdicts},
};

/// Verifies pairs on all threads. Returns how similar each pair is (`None` if it does not match), in the order of the pairs. If
/// the measure has two directions, as containment has, the direction with the higher similarity counts. If shared elements are
/// counted, the higher similarity is always the containment of the smaller set in the larger, so only this containment is
/// computed. If the sets were not loaded, both directions are estimated from the sketches.
pub(crate) fn likenesses(
    pairs: &[(u32, u32)],
    matcher: &Matcher,
    sets: &Sets,
    pool: &ThreadPool,
) -> Result<Vec<Option<Likeness>>> {
    let threshold = matcher.method.least();
    let both_ways = matcher.method.config().measure == Measure::Containment
        && matcher.method.verify() == Verify::Sketch;
    let one = |(of_set, scratch): &mut (Vec<u64>, Scratch), &(a, b): &(u32, u32)| {
        let swap = sets.len(b) < sets.len(a);
        let (smaller, larger) = if swap { (b, a) } else { (a, b) };
        let set = sets.get(smaller, of_set)?;
        let mut likeness = matcher.likeness((smaller, set), larger, sets, threshold, scratch)?;
        if both_ways {
            let back = matcher.likeness((larger, set), smaller, sets, threshold, scratch)?;
            likeness = likeness
                .filter(|there| back.is_none_or(|back| back.similarity <= there.similarity))
                .or(back);
        }
        Ok(likeness.map(|likeness| if swap { likeness.swapped() } else { likeness }))
    };
    install(pool, || try_par_map_init(pairs, Default::default, one))
}

/// Returns verdicts by connected components of all matches: the first document of each component in keep order (the order in
/// which documents are considered) is kept.
pub(crate) fn components(
    candidate_pairs: &CandidatePairs,
    joining: Option<&Joining>,
    matcher: &Matcher,
    sets: &Sets,
    pool: &ThreadPool,
) -> Result<Verdicts> {
    let numbers = matcher.pairing.numbers()?;
    let mut groups = UnionFind::new(numbers as usize);
    candidate_pairs.each_candidate_pair(joining, matcher, sets, pool, &mut |batch| {
        // Documents that are already in the same component remain in the same one, so they are not compared again.
        let open: Vec<(u32, u32)> = batch
            .iter()
            .copied()
            .filter(|&(a, b)| groups.find(a) != groups.find(b))
            .collect();
        for (&(a, b), likeness) in open.iter().zip(likenesses(&open, matcher, sets, pool)?) {
            if likeness.is_some() {
                groups.join(a, b);
            }
        }
        Ok(())
    })?;
    // A component is identified by the smallest number among its documents, which is the number of its first document in keep
    // order.
    measure_dropped(
        (0..numbers).map(|number| groups.find(number)),
        matcher,
        sets,
        pool,
    )
}

/// Drops all documents except the first of each group, and measures how similar each dropped document is to the first. The
/// similarity may be below the threshold, because a group may be formed by chains of matches. For each contender (document that
/// has to be compared), `firsts` has the first contender of its group.
pub(crate) fn measure_dropped(
    firsts: impl Iterator<Item = u32>,
    matcher: &Matcher,
    sets: &Sets,
    pool: &ThreadPool,
) -> Result<Verdicts> {
    let mut verdicts = Verdicts::all_kept(matcher.pairing.numbers()?);
    let dropped: Vec<(u32, u32)> = (0..)
        .zip(firsts)
        .filter(|(number, first)| number != first)
        .collect();
    let measure = |(of_set, scratch): &mut (Vec<u64>, Scratch), &(number, first): &(u32, u32)| {
        matcher.likeness(
            (number, sets.get(number, of_set)?),
            first,
            sets,
            0.0,
            scratch,
        )
    };
    let measured = install(pool, || {
        try_par_map_init(&dropped, Default::default, measure)
    })?;
    for (&(number, first), likeness) in dropped.iter().zip(measured) {
        verdicts.set(
            Contender(number),
            Verdict::dropped(
                Contender(first),
                likeness.and_then(|likeness| likeness.overlap),
            ),
        );
    }
    Ok(verdicts)
}

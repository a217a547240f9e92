//! Broder's greedy clusters (1997, section 4.4), over sketches alone.

use lookalike::{GreedyBy, cluster::GreedyClusters};
use rayon::ThreadPool;

use super::{
    components::{Grouped, measure_dropped},
    counting::Counted,
    deciding::Verdicts,
    lists::Lists,
    matching::Matcher,
    pairing::Pairing,
};
use crate::error::{Error, Result};

/// For each document, the first of its cluster; itself where it is that. And how many sketches were compared.
pub(crate) fn group(by: GreedyBy, threshold: f64, lists: &Lists, pairing: &Pairing) -> Result<(Vec<u32>, Counted)> {
    let mut clusters = GreedyClusters::new(by.sample, threshold, by.representative).map_err(Error::from)?;
    let (mut firsts, mut room) = (Vec::new(), Vec::new());
    let mut first_of: Vec<u32> = (0..pairing.order.len() as u32).collect();
    for &document in &pairing.contenders {
        let cluster = clusters.add(lists.sample(document, &mut room)?.elements) as usize;
        if cluster == firsts.len() {
            firsts.push(document);
        }
        first_of[document as usize] = firsts[cluster];
    }
    let compared = clusters.work().comparisons;
    Ok((first_of, Counted { met: compared, candidates: compared, ..Counted::default() }))
}

/// Verdicts by greedy clusters: the first of each is kept, and how like it the others are is measured.
pub(crate) fn greedy(first_of: &[u32], pairing: &Pairing, matcher: &Matcher, pool: &ThreadPool) -> Result<Verdicts> {
    let documents = pairing.order.iter().filter(|&&d| !pairing.is_empty(d));
    let grouped = documents.map(|&document| {
        let leader = pairing.leaders[document as usize];
        Grouped { document, leader, first: first_of[leader as usize] }
    });
    measure_dropped(grouped, pairing, matcher, pool)
}

//! Broder's greedy clusters (1997, section 4.4), over sketches alone.

use lookalike::{GreedyBy, cluster::GreedyClusters};
use lookalike_io::{error::Result, spill::places::Places};

use super::{Pairing, shared::Counted};
use crate::{numbers::Contender, sketching::table::Table};

/// For each contender, the first of its cluster; itself where it is that. Only those that are in a cluster with another stay
/// contenders. And how many sketches were compared.
pub(crate) fn group(by: GreedyBy, threshold: f64, table: &Table, pairing: &mut Pairing) -> Result<(Vec<u32>, Counted)> {
    let mut clusters = GreedyClusters::new(by.sample, threshold, by.representative)?;
    let (mut firsts, mut of, mut sizes, mut room) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..pairing.numbers()? {
        let cluster = clusters.add(table.lists.sample(pairing.document(Contender(number)), &mut room)?.elements)? as usize;
        if cluster == firsts.len() {
            firsts.push(number);
            sizes.push(0u32);
        }
        sizes[cluster] += 1;
        of.push(cluster);
    }
    let grouped = Places::none(pairing.order.len());
    let in_company = |number: u32| sizes[of[number as usize]] > 1;
    let numbers: Vec<u32> = (0..of.len() as u32).filter(|&number| in_company(number)).collect();
    numbers.iter().for_each(|&number| grouped.insert(pairing.contenders.place(number.into())));
    // Numbers are given anew: the first of a cluster is one of those that stay.
    let renumbered = |number: u32| numbers.partition_point(|&other| other < number) as u32;
    let first_of = numbers.iter().map(|&number| renumbered(firsts[of[number as usize]])).collect();
    pairing.narrow(grouped)?;
    let compared = clusters.work().comparisons;
    Ok((first_of, Counted { met: compared, candidates: compared, ..Counted::default() }))
}

//! Computes Broder's greedy clusters (1997, section 4.4) from sketches alone.

use lookalike::{GreedyBy, cluster::GreedyClusters};
use lookalike_io::{error::Result, spill::places::Places};

use super::{Pairing, shared::Counted};
use crate::{numbers::Contender, sketching::table::Table};

/// Returns, for each contender (document that has to be compared), the first contender of its cluster, which may be the contender
/// itself. Also returns how many sketches were compared. Only documents that share a cluster with another document remain
/// contenders.
pub(crate) fn group(
    by: GreedyBy,
    threshold: f64,
    table: &Table,
    pairing: &mut Pairing,
) -> Result<(Vec<u32>, Counted)> {
    let mut clusters = GreedyClusters::new(by.sample, threshold, by.representative)?;
    let (mut firsts, mut of, mut sizes, mut scratch) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..pairing.numbers()? {
        let cluster = clusters.add(
            table
                .samples
                .sample(pairing.document(Contender(number)), &mut scratch)?
                .elements,
        )? as usize;
        if cluster == firsts.len() {
            firsts.push(number);
            sizes.push(0u32);
        }
        sizes[cluster] += 1;
        of.push(cluster);
    }
    let grouped = Places::none(pairing.order.len());
    let in_neighbours = |number: u32| sizes[of[number as usize]] > 1;
    let numbers: Vec<u32> = (0..of.len() as u32)
        .filter(|&number| in_neighbours(number))
        .collect();
    numbers
        .iter()
        .for_each(|&number| grouped.insert(pairing.contenders.place(number.into())));
    // Contenders are renumbered. The first contender of a cluster always remains a contender.
    let renumbered = |number: u32| numbers.partition_point(|&other| other < number) as u32;
    let first_of = numbers
        .iter()
        .map(|&number| renumbered(firsts[of[number as usize]]))
        .collect();
    pairing.narrow(grouped)?;
    let compared = clusters.work().comparisons;
    Ok((
        first_of,
        Counted {
            met: compared,
            candidates: compared,
            ..Counted::default()
        },
    ))
}

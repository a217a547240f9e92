//! The stage *join*: finds the parts of the collection, and gives each part to a shard.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use lookalike_io::error::Result;

use super::task::{ArrayStage, Outputs, Task};
use crate::parts::{
    Joining, Links,
    keys::{NODE, node_bytes, node_of},
};

/// The bytes of a row of the result: a node and its shard. Rows are sorted by node.
pub(super) const ROW: usize = NODE + 4;

pub(super) fn join(task: &Task) -> Result<Outputs> {
    let mut joining = Joining::default();
    for shard in 0..task.shards() {
        let mut paired = task.open(ArrayStage::Pair, shard)?;
        let all = paired.all(0)?;
        let (rows, rest) = all.as_chunks::<{ 2 * NODE }>();
        if !rest.is_empty() {
            return Err(paired.damaged());
        }
        let column = |second: usize| -> Vec<u64> {
            rows.iter()
                .filter_map(|row| Some(node_of(row[second * NODE..].first_chunk()?)))
                .collect()
        };
        joining.add(&column(0), &column(1));
    }
    let Links { nodes, parts } = joining.finish();
    let shards = divided(&parts, task.shards());
    let mut sections = task.create(ArrayStage::Join, 1)?;
    for (&node, part) in nodes.iter().zip(&parts) {
        let shard = shards.get(part).copied().unwrap_or(0);
        let mut row = [0; ROW];
        row[..NODE].copy_from_slice(&node_bytes(node));
        row[NODE..].copy_from_slice(&shard.to_le_bytes());
        sections.add(0, &row)?;
    }
    Ok(vec![sections.end()?])
}

/// Gives each part to a shard: the largest part first, each to the shard with the fewest documents so far. `parts` has the part of
/// each document.
fn divided(parts: &[u64], shards: usize) -> BTreeMap<u64, u32> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    parts
        .iter()
        .for_each(|&part| *sizes.entry(part).or_default() += 1);
    let mut largest_first: Vec<(Reverse<u64>, u64)> = sizes
        .into_iter()
        .map(|(part, size)| (Reverse(size), part))
        .collect();
    largest_first.sort_unstable();
    let mut loads: BinaryHeap<Reverse<(u64, u32)>> = (0..shards as u32)
        .map(|shard| Reverse((0, shard)))
        .collect();
    largest_first
        .into_iter()
        .filter_map(|(Reverse(size), part)| {
            let Reverse((load, shard)) = loads.pop()?;
            loads.push(Reverse((load + size, shard)));
            Some((part, shard))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_divided_evenly_and_always_in_the_same_way() {
        let parts: Vec<u64> = [(1, 50), (2, 30), (3, 30), (4, 20), (5, 9), (6, 1)]
            .into_iter()
            .flat_map(|(part, size)| std::iter::repeat_n(part, size))
            .collect();
        let shards = divided(&parts, 3);
        let load = |shard: u32| parts.iter().filter(|part| shards[part] == shard).count();
        assert_eq!([0, 1, 2].map(load), [50, 50, 40]);
        assert_eq!(divided(&[], 3), BTreeMap::new());
    }
}

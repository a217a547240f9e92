//! The stage *pair*: joins the documents that have a key in common.

use lookalike_io::error::{Error, Result};

use super::{
    sketch::Layout,
    task::{ArrayStage, Outputs, Task},
};
use crate::{
    parts::{Buckets, Links, keys::node_bytes},
    pass::lines::make_unique,
};

pub(super) fn pair(task: &Task) -> Result<Outputs> {
    let layout = Layout::of(task);
    refuse_repeated(task, &layout)?;
    let mut buckets = Buckets::default();
    for shard in 0..task.shards() {
        task.open(ArrayStage::Sketch, shard)?
            .each(layout.keys(task.shard), |rows| buckets.add(rows))?;
    }
    let Links { nodes, parts } = buckets.links();
    let mut sections = task.create(ArrayStage::Pair, 1)?;
    for (&node, &part) in nodes.iter().zip(&parts) {
        sections.add(0, &[node_bytes(node), node_bytes(part)].concat())?;
    }
    Ok(vec![sections.end()?])
}

/// Where a document of this task's share is named: the task that sketched it, and where the row with its place starts.
type Named = (u128, u32, u64);

/// Returns an error if two documents have the same id.
fn refuse_repeated(task: &Task, layout: &Layout) -> Result<()> {
    let mut named: Vec<Named> = Vec::new();
    for shard in 0..task.shards() {
        let mut sketched = task.open(ArrayStage::Sketch, shard)?;
        let rows = sketched.all(layout.ids(task.shard))?;
        let mut rest = &*rows;
        while !rest.is_empty() {
            let start = (rows.len() - rest.len()) as u64;
            let (hash, _, after) = id(rest).ok_or_else(|| sketched.damaged())?;
            named.push((hash, shard as u32, start));
            rest = after;
        }
    }
    // Sorted by hash, and then in input order.
    named.sort_unstable();
    let Some(two) = named.windows(2).find(|two| two[0].0 == two[1].0) else {
        return Ok(());
    };
    let place = |&(_, shard, start): &Named| -> Result<String> {
        let mut sketched = task.open(ArrayStage::Sketch, shard as usize)?;
        let rows = sketched.all(layout.ids(task.shard))?;
        let found = rows
            .get(start as usize..)
            .and_then(id)
            .map(|(_, place, _)| String::from_utf8_lossy(place).into_owned());
        found.ok_or_else(|| sketched.damaged())
    };
    let (first, second) = (place(&two[0])?, place(&two[1])?);
    Err(
        Error::record(format!("{second}: the id was already used at {first}"))
            .advise(make_unique()),
    )
}

/// Splits off the first row of ids: the hash of an id, and the place of its document.
fn id(rows: &[u8]) -> Option<(u128, &[u8], &[u8])> {
    let (hash, rest) = rows.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (place, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    Some((u128::from_le_bytes(*hash), place, rest))
}

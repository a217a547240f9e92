//! The stage *pair*: joins the documents that have a key in common.

use lookalike_io::error::{Error, Result};

use super::{
    sketch::Layout,
    task::{ArrayStage, Outputs, Task},
};
use crate::{
    parts::{Links, keys::node_bytes, links},
    pass::lines::make_unique,
};

pub(super) fn pair(task: &Task) -> Result<Outputs> {
    let layout = Layout::of(task);
    let (mut rows, mut ids) = (Vec::new(), Vec::new());
    for shard in 0..task.shards() {
        let mut sketched = task.open(ArrayStage::Sketch, shard)?;
        rows.push(sketched.all(layout.keys(task.shard))?);
        let own = sketched.all(layout.ids(task.shard))?;
        read_ids(&own, &mut ids).ok_or_else(|| sketched.damaged())?;
    }
    refuse_repeated(ids)?;
    let Links { nodes, parts } = links(rows.iter().map(Vec::as_slice))?;
    let mut sections = task.create(ArrayStage::Pair, 1)?;
    for (&node, &part) in nodes.iter().zip(&parts) {
        sections.add(0, &[node_bytes(node), node_bytes(part)].concat())?;
    }
    Ok(vec![sections.end()?])
}

/// Reads the hashes of ids, each with the place of its document, and adds them to `ids`.
fn read_ids(mut bytes: &[u8], ids: &mut Vec<(u128, String)>) -> Option<()> {
    while !bytes.is_empty() {
        let (hash, rest) = bytes.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (place, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        ids.push((u128::from_le_bytes(*hash), String::from_utf8_lossy(place).into_owned()));
        bytes = rest;
    }
    Some(())
}

/// Returns an error if two documents have the same id. `ids` are in input order.
fn refuse_repeated(mut ids: Vec<(u128, String)>) -> Result<()> {
    ids.sort_by_key(|&(hash, _)| hash);
    match ids.windows(2).find(|two| two[0].0 == two[1].0) {
        None => Ok(()),
        Some(two) => Err(Error::record(format!("{}: the id was already used at {}", two[1].1, two[0].1)).advise(make_unique())),
    }
}

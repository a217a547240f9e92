//! The stage *sketch*: writes the keys of documents, divided by key.

use lookalike::Scratch;
use lookalike_io::{error::Result, write::Output};

use super::{
    documents::{Document, Documents},
    plan::of_shard,
    task::{ArrayStage, Outputs, Task},
};
use crate::{
    config::Stage,
    parts::{
        keys::{Keys, NODE, Rows, node_bytes, share},
        node,
    },
    pass::parallel::Weigh,
    sketching::ids::hash_name,
};

/// The sections of a result: one for the keys of each shard, one for the ids of each shard, and one with a
/// row for each document.
pub(super) struct Layout {
    shards: usize,
}

impl Layout {
    pub(super) fn of(task: &Task) -> Self {
        Self {
            shards: task.shards(),
        }
    }

    pub(super) fn keys(&self, shard: usize) -> usize {
        shard
    }

    /// Returns the section with the ids of documents, without references: 16 bytes for the hash of the id, two for the length of
    /// the document's place, and the place. The section is empty if repeated ids are allowed.
    pub(super) fn ids(&self, shard: usize) -> usize {
        self.shards + shard
    }

    /// Returns the section with a row for each document, in input order: its node and its digest.
    pub(super) fn documents(&self) -> usize {
        2 * self.shards
    }
}

impl Weigh for Keys {
    fn weight(&self) -> usize {
        if let Self::Columns(keys) = self {
            4 * keys.len()
        } else {
            0
        }
    }
}

/// The bytes of a document's row: its node, and eight for its digest.
pub(super) const ROW: usize = NODE + 8;

pub(super) fn sketch(task: &Task) -> Result<Outputs> {
    let (source, pool, layout) = (task.source()?, task.pool()?, Layout::of(task));
    let mut sections = task.create(ArrayStage::Sketch, 2 * task.shards() + 1)?;
    let bad = task
        .config
        .skip_bad
        .as_deref()
        .map(|path| of_shard(path, task.shard, task.shards()));
    let mut bad = bad.map(|path| Output::create(&path, 1)).transpose()?;
    let documents = Documents {
        config: task.config,
        source: &source,
        pool: &pool,
        observer: task.observer,
        stage: Stage::Sketching,
    };
    let mut rows = Rows(vec![Vec::new(); task.shards()]);
    documents.each(
        bad.as_mut(),
        |record, scratch: &mut Scratch| Keys::of(&task.method, record.text, scratch),
        |met| {
            for Document { id, digest, made } in &met.documents {
                let node = node(id);
                rows.add(made, node);
                let mut row = [0; ROW];
                row[..NODE].copy_from_slice(&node_bytes(node));
                row[NODE..].copy_from_slice(&digest.to_le_bytes());
                sections.add(layout.documents(), &row)?;
            }
            for (shard, rows) in rows.0.iter_mut().enumerate() {
                sections.add(layout.keys(shard), rows)?;
                rows.clear();
            }
            if task.config.allow_repeated_ids || met.of_references {
                return Ok(());
            }
            for (document, place) in met.documents.iter().zip(met.places()) {
                let hash = hash_name(&document.id);
                let mut row = hash.to_le_bytes().to_vec();
                let place = place.to_string();
                let place = &place.as_bytes()[..place.len().min(usize::from(u16::MAX))];
                row.extend((place.len() as u16).to_le_bytes());
                row.extend(place);
                sections.add(layout.ids(share((hash >> 64) as u64, task.shards())), &row)?;
            }
            Ok(())
        },
    )?;
    bad.iter_mut().for_each(Output::end);
    Ok(bad.into_iter().chain([sections.end()?]).collect())
}

//! The stage *place*: brings the documents of a part together, in one form for all formats of inputs.
//!
//! A document becomes a line of JSON with its id, its text or set, and, if keep order depends on a field or a length, a value that
//! has the same order. So the stage *decide* does not depend on how inputs are read.

use std::io::Write;

use jiff::Timestamp;
use lookalike::{
    cluster::Keep,
    text::{Text, TokensBy},
};
use lookalike_io::{
    error::{Error, Result},
    read::Record,
};

use super::{
    documents::{Document, Documents, changed_at_end},
    join, sketch,
    task::{ArrayStage, Outputs, Task},
};
use crate::{
    config::Stage,
    parts::keys::{NODE, node_of},
};

/// The shard of a document that is in no part.
pub(super) const ALONE: u32 = u32::MAX;

/// The sections of a result: one for the documents of each shard, one for the references of each shard, and one with a row
/// for each document of this task.
pub(super) struct Layout {
    shards: usize,
}

impl Layout {
    pub(super) fn of(task: &Task) -> Self {
        Self {
            shards: task.shards(),
        }
    }

    /// Returns the section with the documents of a shard, one line each.
    pub(super) fn documents(&self, shard: usize) -> usize {
        shard
    }

    /// Returns the section with the references of a shard. Before each line, there is the place of the reference and a tab.
    pub(super) fn references(&self, shard: usize) -> usize {
        self.shards + shard
    }

    /// Returns the section with a row for each document, in input order and without references: its shard and its digest.
    pub(super) fn rows(&self) -> usize {
        2 * self.shards
    }
}

/// The bytes of a document's row: four for its shard, and eight for its digest.
pub(super) const ROW: usize = 4 + 8;

pub(super) fn place(task: &Task) -> Result<Outputs> {
    let shards = Shards::of(task)?;
    let (source, pool, layout) = (task.source()?, task.pool()?, Layout::of(task));
    let mut sections = task.create(ArrayStage::Place, 2 * task.shards() + 1)?;
    let documents = Documents {
        config: task.config,
        source: &source,
        pool: &pool,
        observer: task.observer,
        stage: Stage::Loading,
    };
    let (keep, is_set) = (
        task.config.keep(),
        task.config.method.tokens == TokensBy::Items,
    );
    let mut next = 0;
    documents.each(
        None,
        |record, _: &mut ()| rest_of_line(record, &keep, is_set),
        |met| {
            let part = met.info.part;
            for (
                Document {
                    id,
                    digest,
                    made: rest,
                },
                place,
            ) in met.documents.iter().zip(met.places())
            {
                let shard = shards
                    .get(next, *digest)
                    .ok_or_else(|| source.changed(part))?;
                next += 1;
                if !met.of_references {
                    let mut row = [0; ROW];
                    row[..4].copy_from_slice(&shard.to_le_bytes());
                    row[4..].copy_from_slice(&digest.to_le_bytes());
                    sections.add(layout.rows(), &row)?;
                }
                if shard == ALONE {
                    continue;
                }
                let mut line = Vec::with_capacity(id.len() + rest.len() + 8);
                if met.of_references {
                    let place = serde_json::Value::String(place.to_string());
                    write!(line, "{place}\t").map_err(|error| Error::failure(error.to_string()))?;
                }
                line.extend(b"{\"id\":");
                line.extend(id.bytes().map(spaced));
                line.extend(rest);
                let section = if met.of_references {
                    layout.references(shard as usize)
                } else {
                    layout.documents(shard as usize)
                };
                sections.add(section, &line)?;
            }
            Ok(())
        },
    )?;
    if next != shards.of_documents.len() {
        return Err(changed_at_end(&source, task.folder));
    }
    Ok(vec![sections.end()?])
}

/// Returns the line of a document after its id.
fn rest_of_line(record: &Record, keep: &Keep, is_set: bool) -> Vec<u8> {
    let mut rest = Vec::new();
    if let Some(value) = value_of_key(keep, record.key) {
        rest.extend(b",\"keep\":");
        rest.extend(value.into_bytes());
    }
    rest.extend(b",\"text\":");
    match record.text {
        // A set is an array, which may have several lines.
        Text::Plain(array) if is_set => rest.extend(array.bytes().map(spaced)),
        Text::Plain(text) => rest.extend(serde_json::Value::from(text).to_string().into_bytes()),
        Text::Escaped(text) => {
            rest.push(b'"');
            rest.extend_from_slice(text.as_bytes());
            rest.push(b'"');
        }
    }
    rest.extend(b"}\n");
    rest
}

/// Replaces the ends of lines, which are white space in JSON, by spaces.
fn spaced(byte: u8) -> u8 {
    if matches!(byte, b'\n' | b'\r') {
        b' '
    } else {
        byte
    }
}

/// Returns the rule by which the lines of documents have the same keep order as their records.
pub(super) fn keep_of_lines(keep: &Keep) -> Keep {
    let field = || "keep".into();
    match keep {
        Keep::First => Keep::First,
        Keep::Longest | Keep::Max(_) | Keep::Min(_) => Keep::Max(field()),
        Keep::Newest(_) => Keep::Newest(field()),
    }
}

/// Returns the JSON value that has this key by the rule of [`keep_of_lines`]; `None` if the rule needs no value.
fn value_of_key(keep: &Keep, key: u64) -> Option<String> {
    match keep {
        Keep::First => None,
        Keep::Longest => Some(key.to_string()),
        Keep::Max(_) | Keep::Min(_) => {
            Some(serde_json::Value::from(lookalike::cluster::number_of_key(key)).to_string())
        }
        Keep::Newest(_) => {
            let time =
                Timestamp::from_nanosecond(lookalike::cluster::time_of_key(key).into()).ok()?;
            Some(format!("\"{time}\""))
        }
    }
}

/// The shards of a task's documents, references first, in input order.
struct Shards {
    /// The digest and the shard of each document.
    of_documents: Vec<(u64, u32)>,
}

impl Shards {
    /// Reads the nodes of this task's documents, and looks them up in the result of *join*. Both are sorted by node, and the
    /// result is read once, chunk by chunk, so that it need not fit into memory.
    fn of(task: &Task) -> Result<Self> {
        let mut sketched = task.open(ArrayStage::Sketch, task.shard)?;
        let bytes = sketched.all(sketch::Layout::of(task).documents())?;
        let (rows, rest) = bytes.as_chunks::<{ sketch::ROW }>();
        if !rest.is_empty() {
            return Err(sketched.damaged());
        }
        let (mut of_documents, mut by_node) = (
            Vec::with_capacity(rows.len()),
            Vec::with_capacity(rows.len()),
        );
        for (document, row) in (0u32..).zip(rows) {
            let Some((node, digest)) = row.split_first_chunk::<NODE>() else {
                continue;
            };
            by_node.push((node_of(node), document));
            of_documents.push((
                u64::from_le_bytes(*digest.first_chunk().unwrap_or(&[0; 8])),
                ALONE,
            ));
        }
        drop(bytes);
        by_node.sort_unstable();
        let mut wanted = by_node.into_iter().peekable();
        let mut joined = task.open(ArrayStage::Join, 0)?;
        let mut is_whole = true;
        joined.each(0, |chunk| {
            let (rows, rest) = chunk.as_chunks::<{ join::ROW }>();
            is_whole &= rest.is_empty();
            for row in rows {
                let Some((own, shard)) = row.split_first_chunk::<NODE>() else {
                    continue;
                };
                let (node, shard) = (
                    node_of(own),
                    shard
                        .first_chunk()
                        .map_or(ALONE, |bytes| u32::from_le_bytes(*bytes)),
                );
                while wanted.next_if(|&(own, _)| own < node).is_some() {}
                while let Some((_, document)) = wanted.next_if(|&(own, _)| own == node) {
                    of_documents[document as usize].1 = shard;
                }
            }
            Ok(())
        })?;
        let is_shard =
            |&(_, shard): &(u64, u32)| shard == ALONE || (shard as usize) < task.shards();
        if is_whole && of_documents.iter().all(is_shard) {
            Ok(Self { of_documents })
        } else {
            Err(joined.damaged())
        }
    }

    /// Returns the shard of a document; `None` if there was another document when the inputs were sketched.
    fn get(&self, document: usize, digest: u64) -> Option<u32> {
        self.of_documents
            .get(document)
            .filter(|&&(own, _)| own == digest)
            .map(|&(_, shard)| shard)
    }
}

#[cfg(test)]
mod tests {
    use lookalike::cluster::{number_key, time_key};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_have_the_keys_they_are_made_from(number in -1e15f64..1e15, time in any::<i64>()) {
            let parsed: f64 = value_of_key(&Keep::Max(String::new()), number_key(number)).unwrap().parse().unwrap();
            prop_assert_eq!(number_key(parsed), number_key(number));
            let text = value_of_key(&Keep::Newest(String::new()), time_key(time)).unwrap();
            let parsed: Timestamp = text.trim_matches('"').parse().unwrap();
            prop_assert_eq!(parsed.as_nanosecond(), i128::from(time));
        }
    }
}

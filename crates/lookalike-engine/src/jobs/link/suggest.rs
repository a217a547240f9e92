//! Suggests a configuration for records.

use std::{collections::BTreeMap, fmt, path::Path};

use lookalike::shown::quoted;
use lookalike_applications::records::{
    LinkConfig, Linker, Weights,
    learned::Pattern,
    suggest::{Column, LeftOut, Suggestion, blocks, fields},
};
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    read::{Block, Blocks, Reading, RecordFields, Scratch, Source},
    write::refuse_overwriting,
};
use rayon::ThreadPool;
use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{
    pairing::matched::is_one_to_one,
    reading::{
        collections::{Collection, all_inputs, collections, shown_names},
        records::Gathered,
    },
};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::{
        open::pool,
        parallel::{Weigh, in_order_placed},
        refused::refused,
    },
};

/// The largest number of records of a collection whose values are looked at.
const SAMPLE: usize = 20_000;

/// Suggests a configuration for one or two collections. Fields are chosen by a sample of the records, and blocks by the number of pairs
/// that they make among all records. The ids of the records are not compared, nor is `label`, a field whose values are equal in records of
/// the same thing. Memory: as for linking, and the sample.
///
/// # Errors
/// Fails if an input cannot be read, if `output`, where the caller will write, is an input, or if no field can be compared.
pub fn suggest_link(
    config: &RunConfig,
    label: Option<&str>,
    output: Option<&Path>,
    observer: Observer,
) -> Result<Suggestion> {
    without_panic(|| {
        refuse_overwriting(
            &output.into_iter().collect::<Vec<_>>(),
            &all_inputs(config)?,
        )?;
        let pool = pool(config.threads)?;
        let mut sampled = Sampled::default();
        let mut splits = Vec::new();
        let open = |collection: &Collection| collection.open(config, RecordFields::All);
        let sources: Vec<Source> = collections(config)
            .iter()
            .map(open)
            .collect::<Result<_>>()?;
        for source in &sources {
            sampled.collection(source, &pool, observer)?;
            splits.push(sampled.rows.len());
        }
        let split = splits.first().copied().unwrap_or(0);
        let (columns, mut left_out) = sampled.columns(config, label, split);
        let (mut chosen, others) = fields(&columns, split);
        left_out.extend(others);
        for field in chosen.split_off(chosen.len().min(Pattern::FIELDS)) {
            let path = field.config.paths().concat();
            left_out.push(LeftOut {
                path,
                why: format!("at most {} fields can be compared", Pattern::FIELDS),
            });
        }
        if chosen.is_empty() {
            let reasons: Vec<String> = left_out
                .iter()
                .map(|left| format!("{}: {}", quoted(&left.path), left.why))
                .collect();
            let what = match &*reasons {
                [] => "there are no records with fields".into(),
                reasons => format!("no field can be compared ({})", reasons.join("; ")),
            };
            let wrong = Error::new(ErrorKind::Input, what).at(shown_names(config).join(", "));
            return Err(wrong.advise("write a configuration by hand"));
        }
        let of_fields = LinkConfig {
            weights: Weights::Learned,
            fields: chosen.iter().map(|field| field.config.clone()).collect(),
            ..LinkConfig::default()
        };
        let linker = Linker::new(of_fields).map_err(refused)?;
        let gathered = Gathered::read_from(config, &sources, (&linker, None), &pool, observer)?;
        let (all, compared) = (gathered.records.len() as u64, &linker.config().fields);
        let split = gathered.second();
        Ok(Suggestion {
            records: split.map_or_else(
                || vec![all],
                |split| vec![split.into(), all - u64::from(split)],
            ),
            one_to_one: is_one_to_one(&linker, &gathered, &pool),
            blocks: blocks(compared, &gathered.records, split).map_err(refused)?,
            fields: chosen,
            left_out,
        })
    })
}

/// The values of some records, by column.
#[derive(Default)]
struct Sampled {
    paths: Vec<String>,
    by_path: BTreeMap<String, usize>,
    are_nested: Vec<bool>,
    rows: Vec<Vec<(usize, String)>>,
}

impl Sampled {
    fn collection(&mut self, source: &Source, pool: &ThreadPool, observer: Observer) -> Result<()> {
        let before = self.rows.len();
        let (mut number, mut step) = (0, 1);
        in_order_placed(
            pool,
            Blocks::new(source),
            |block, worker: &mut Worker| read(block, source.reading(), worker),
            |_, piece: Piece| {
                Progress::new(Stage::Gathering, source.read(), source.total()).tell(observer)?;
                for record in piece.0 {
                    number += 1;
                    if (number - 1) % step > 0 {
                        continue;
                    }
                    let row = record
                        .into_iter()
                        .map(|(path, value)| (self.column(path, &value), value.text()))
                        .collect();
                    self.rows.push(row);
                    if self.rows.len() - before > SAMPLE {
                        // Every second record of the sample remains.
                        let mut at = 0;
                        let kept = self.rows.split_off(before).into_iter().filter(|_| {
                            at += 1;
                            at % 2 == 1
                        });
                        self.rows.extend(kept);
                        step *= 2;
                    }
                }
                Ok(())
            },
        )
    }

    fn column(&mut self, path: String, value: &Leaf) -> usize {
        let new = self.paths.len();
        let at = *self.by_path.entry(path.clone()).or_insert(new);
        if at == new {
            self.paths.push(path);
            self.are_nested.push(false);
        }
        self.are_nested[at] |= matches!(value, Leaf::List);
        at
    }

    /// Returns the columns, without those of ids and labels, and those that only one of two collections has.
    fn columns(
        self,
        config: &RunConfig,
        label: Option<&str>,
        split: usize,
    ) -> (Vec<Column>, Vec<LeftOut>) {
        let empty = vec![String::new(); self.rows.len()];
        let of_path = |(path, is_nested): (String, bool)| Column {
            path,
            values: empty.clone(),
            is_nested,
        };
        let mut columns: Vec<Column> = self
            .paths
            .into_iter()
            .zip(self.are_nested)
            .map(of_path)
            .collect();
        for (record, row) in self.rows.into_iter().enumerate() {
            row.into_iter()
                .for_each(|(column, value)| columns[column].values[record] = value);
        }
        let is_other =
            |column: &Column| column.path == config.id_field || Some(&*column.path) == label;
        columns.retain(|column| !is_other(column));
        let mut left_out = Vec::new();
        if config.has_references() {
            columns.retain(|column| {
                let has = |values: &[String]| {
                    column.is_nested || values.iter().any(|value| !value.trim().is_empty())
                };
                let (first, second) = column.values.split_at(split);
                let only = match (has(first), has(second)) {
                    (true, false) => "only the first collection has it",
                    (false, true) => "only the second collection has it",
                    _ => return true,
                };
                left_out.push(LeftOut {
                    path: column.path.clone(),
                    why: only.into(),
                });
                false
            });
        }
        (columns, left_out)
    }
}

#[derive(Default)]
struct Worker {
    scratch: Scratch,
    line: Vec<u8>,
}

/// The values of the records of a block.
struct Piece(Vec<Vec<(String, Leaf)>>);

impl Weigh for Piece {
    fn weight(&self) -> usize {
        self.0
            .iter()
            .flatten()
            .map(|(path, value)| path.len() + value.size() + 64)
            .sum()
    }
}

fn read(block: &Block, reading: &Reading, worker: &mut Worker) -> Result<Piece> {
    let mut records = Vec::new();
    for at in 0..block.len() {
        let wrong = |wrong: Error| wrong.of_line(at as u64);
        let Some(object) = block
            .fields(at, reading, &mut worker.scratch, &mut worker.line)
            .map_err(wrong)?
        else {
            continue;
        };
        let parsed: Object = serde_json::from_slice(object)
            .map_err(|error| wrong(Error::record(format!("not a JSON object: {error}"))))?;
        let mut leaves = Vec::new();
        flatten(parsed, "", &mut leaves);
        records.push(leaves);
    }
    Ok(Piece(records))
}

/// Adds the values of an object, with the names on their way joined by points.
fn flatten(object: Object, prefix: &str, into: &mut Vec<(String, Leaf)>) {
    for (name, value) in object.0 {
        let path = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            Node::Object(object) => flatten(object, &path, into),
            Node::Leaf(leaf) => into.push((path, leaf)),
        }
    }
}

/// An object with its fields in order.
struct Object(Vec<(String, Node)>);

enum Node {
    Leaf(Leaf),
    Object(Object),
}

enum Leaf {
    Text(String),
    List,
}

impl Leaf {
    fn size(&self) -> usize {
        if let Self::Text(text) = self {
            text.len()
        } else {
            0
        }
    }

    fn text(self) -> String {
        if let Self::Text(text) = self {
            text
        } else {
            String::new()
        }
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Object(object) => Ok(object),
            Node::Leaf(_) => Err(de::Error::custom("the record is a value")),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Node, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Node::Object(Object(fields)))
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> std::result::Result<Node, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Node::Leaf(Leaf::List))
            }

            fn visit_str<E>(self, text: &str) -> std::result::Result<Node, E> {
                Ok(Node::Leaf(Leaf::Text(text.into())))
            }

            fn visit_bool<E>(self, value: bool) -> std::result::Result<Node, E> {
                Ok(Node::Leaf(Leaf::Text(value.to_string())))
            }

            fn visit_i64<E>(self, value: i64) -> std::result::Result<Node, E> {
                Ok(Node::Leaf(Leaf::Text(value.to_string())))
            }

            fn visit_u64<E>(self, value: u64) -> std::result::Result<Node, E> {
                Ok(Node::Leaf(Leaf::Text(value.to_string())))
            }

            fn visit_f64<E>(self, value: f64) -> std::result::Result<Node, E> {
                Ok(Node::Leaf(Leaf::Text(value.to_string())))
            }

            fn visit_unit<E>(self) -> std::result::Result<Node, E> {
                Ok(Node::Leaf(Leaf::Text(String::new())))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

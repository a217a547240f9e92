//! Opens a result, and finds out what its rows are before the texts are read.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, Result},
    format::Format,
    read::{Blocks, Input, Reading, RecordFields, Scratch, Source, each_block},
    store::shown_name,
    write::refuse_overwriting,
};
use serde::de::IgnoredAny;

use super::columns::Columns;
use crate::{config::RunConfig, jobs::audit::asked::AuditedResult};

/// A result whose rows can be read.
pub(in crate::jobs::audit) struct OpenedResult {
    pub(super) parts: Vec<Part>,
    pub(super) columns: Columns,
    /// The names of the result, for messages.
    pub(super) name: String,
}

/// The files of one name.
pub(super) struct Part {
    pub(super) source: Source,
    /// Whether each line is an id, as in a `.txt` file.
    pub(super) is_plain: bool,
    /// Whether the files were read to their ends, so that the next pass is a later one.
    pub(super) was_read: bool,
}

/// What was found in the rows of a result.
#[derive(Default)]
struct Looked {
    /// The names of all fields of all rows.
    fields: BTreeSet<String>,
    has_objects: bool,
    has_ids: bool,
}

impl OpenedResult {
    /// Opens a result and recognises the fields of its rows. The rows of JSON and CSV are read once for this; of a table, only the first
    /// row is read.
    ///
    /// # Errors
    /// Fails if a file cannot be read, if an output would overwrite it, or if the rows are not those of a result.
    pub(in crate::jobs::audit) fn new(
        asked: &AuditedResult,
        config: &RunConfig,
        outputs: &[&Path],
    ) -> Result<Self> {
        let name = asked
            .names
            .iter()
            .map(|name| shown_name(name))
            .collect::<Vec<_>>()
            .join(", ");
        let (mut looked, mut parts) = (Looked::default(), Vec::new());
        for given in &asked.names {
            // Without these formats a .txt file would be a document.
            let is_plain = Format::of_name(given) == Some(Format::Text);
            let format = is_plain.then_some(Format::Lines);
            let (inputs, temp_dir) = (vec![given.clone()], config.temp_dir.clone());
            let inputs = RunConfig {
                inputs,
                format,
                all_splits: true,
                temp_dir,
                ..RunConfig::default()
            }
            .expand()?;
            refuse_overwriting(outputs, &inputs)?;
            let open = |fields| {
                let reading = Reading {
                    format,
                    ..Reading::records(fields)
                };
                Source::new(inputs.clone(), reading, &config.temp_dir)
            };
            let source = open(RecordFields::All)?;
            let is_table = source
                .formats()
                .iter()
                .all(|format| format.is_some_and(Format::is_table));
            looked.take(&source, is_plain, is_table)?;
            parts.push((source, is_plain, is_table, inputs));
        }
        if looked.has_objects && looked.has_ids {
            let wrong = Error::record("some rows are records and others are ids").at(name);
            return Err(wrong.advise("give a result whose rows are all of one kind"));
        }
        let columns = if looked.has_objects {
            Columns::recognise(
                &looked.fields,
                asked,
                (&config.id_field, &config.text_field),
                &name,
            )?
        } else {
            Columns::of_list(asked, &name, looked.has_ids)?
        };
        let reopened = |(source, is_plain, is_table, inputs): (Source, bool, bool, Vec<Input>)| -> Result<Part> {
            if !is_table {
                return Ok(Part { source, is_plain, was_read: true });
            }
            // The other columns of a table, such as texts, need not be decoded.
            let reading = Reading::records(RecordFields::Named(columns.names()));
            Ok(Part { source: Source::new(inputs, reading, &config.temp_dir)?, is_plain, was_read: false })
        };
        let parts = parts.into_iter().map(reopened).collect::<Result<_>>()?;
        Ok(Self {
            parts,
            columns,
            name,
        })
    }
}

impl Looked {
    fn take(&mut self, source: &Source, is_plain: bool, only_first: bool) -> Result<()> {
        let (mut scratch, mut line) = (Scratch::default(), Vec::new());
        each_block(Blocks::new(source), |block, first_line| {
            for at in 0..block.len() {
                let placed = |wrong: Error| {
                    wrong
                        .of_line(at as u64)
                        .placed(|at| source.place(block.part, first_line + at))
                };
                let reading = source.reading_of(block.part);
                let Some(row) = block
                    .fields(at, reading, &mut scratch, &mut line)
                    .map_err(placed)?
                else {
                    continue;
                };
                match row.trim_ascii_start().first() {
                    Some(b'{') => {
                        let parsed: serde_json::Result<BTreeMap<String, IgnoredAny>> =
                            serde_json::from_slice(row);
                        let fields = parsed.map_err(|error| placed(not_parsed(&error)))?;
                        fields
                            .into_keys()
                            .for_each(|field| _ = self.fields.insert(field));
                        self.has_objects = true;
                    }
                    Some(b'"' | b'-' | b'0'..=b'9') => self.has_ids = true,
                    _ if is_plain => self.has_ids = true,
                    _ => {
                        let what = format!(
                            "{} is neither a record nor an id",
                            cut(&String::from_utf8_lossy(row))
                        );
                        return Err(placed(
                            Error::record(what).advise("give JSON Lines, CSV, Parquet, Arrow or, in a .txt file, an id per line"),
                        ));
                    }
                }
                if only_first {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

fn not_parsed(error: &serde_json::Error) -> Error {
    let words = error.to_string();
    let words = words.split(" at line 1 column ").next().unwrap_or_default();
    Error::record(format!("cannot be parsed: {}", cut(words)))
}

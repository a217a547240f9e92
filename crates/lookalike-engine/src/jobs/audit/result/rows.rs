//! Reads the rows of a result.

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Block, Blocks, Paths, Scratch, each_block},
};
use serde_json::value::RawValue;

use super::{
    columns::{Columns, Verdict, lacks},
    ids::IdIndex,
    opened::OpenedResult,
    outcome::{Gathering, Outcome, Said},
};
use crate::{
    jobs::audit::asked::ResultKind,
    pass::lines::{is_id, not_an_id},
    sketching::ids::hash_label,
};

impl OpenedResult {
    /// Returns whether documents are named by their positions.
    pub(in crate::jobs::audit) fn by_position(&self) -> bool {
        self.columns.by_position
    }

    /// Reads all rows.
    ///
    /// # Errors
    /// Fails if a row is invalid, if rows contradict each other, or if no row names a document of the inputs.
    pub(in crate::jobs::audit) fn read(self, ids: &IdIndex) -> Result<Outcome> {
        let Self {
            parts,
            columns,
            name,
        } = self;
        let mut rows = Rows {
            gathering: Gathering::new(columns.kind, columns.by_position, ids.documents()),
            columns: &columns,
            ids,
        };
        let (names, mut scratch, mut line) = (columns.names(), Scratch::default(), Vec::new());
        let paths = Paths::new(names);
        for part in &parts {
            let source = &part.source;
            let blocks = if part.was_read {
                Blocks::again(source)
            } else {
                Blocks::new(source)
            };
            each_block(blocks, |block, first_line| {
                for at in 0..block.len() {
                    let placed = |wrong: Error| {
                        wrong
                            .of_line(at as u64)
                            .placed(|at| source.place(block.part, first_line + at))
                    };
                    let row = block
                        .fields(at, source.reading_of(block.part), &mut scratch, &mut line)
                        .map_err(placed)?;
                    if let Some(row) = row {
                        rows.take(row, &paths, block, part.is_plain)
                            .map_err(placed)?;
                    }
                }
                Ok(true)
            })?;
        }
        let figures = &rows.gathering.figures;
        if figures.rows > 0 && figures.unknown == figures.rows {
            let ids = figures
                .unknown_examples
                .iter()
                .take(3)
                .map(|id| cut(id.get()))
                .collect::<Vec<_>>()
                .join(", ");
            let what = format!("no row names a document of the texts; the first ids are {ids}");
            let advice = if columns.by_position {
                "positions count from 0, over all inputs"
            } else {
                "check $result_id and $id_field, or give $by_position if documents are numbered by their position"
            };
            return Err(Error::new(ErrorKind::Input, what).at(name).advise(advice));
        }
        Ok(rows.gathering.finish())
    }
}

struct Rows<'a> {
    gathering: Gathering,
    columns: &'a Columns,
    ids: &'a IdIndex<'a>,
}

impl Rows<'_> {
    fn take(&mut self, row: &[u8], paths: &Paths, block: &Block, is_plain: bool) -> Result<()> {
        self.gathering.figures.rows += 1;
        if !row.trim_ascii_start().starts_with(b"{") {
            let id = scalar(row, is_plain)?;
            return self.document(
                &id,
                Said {
                    removed: false,
                    cluster: None,
                    named: None,
                },
            );
        }
        let found = paths.find(row)?;
        let mut values = found.into_iter();
        let mut next = |wanted: bool| {
            if wanted {
                values
                    .next()
                    .flatten()
                    .filter(|value| !is_nothing(value, block))
            } else {
                None
            }
        };
        let Columns {
            id,
            other,
            cluster,
            verdict,
            representative,
            reference,
            kind,
            ..
        } = self.columns;
        let named = next(true).ok_or_else(|| lacks(id).advise("name the field with $result_id"))?;
        if let Some(field) = other {
            let second = next(true).ok_or_else(|| lacks(field))?;
            return self.pair(named.get(), second.get());
        }
        let cluster = next(cluster.is_some())
            .map(RawValue::get)
            .filter(|cluster| !is_no_cluster(cluster))
            .map(hash_label);
        let verdict_value = next(verdict.is_some());
        let representative_value = next(representative.is_some());
        if let Some(reference) = next(reference.is_some()) {
            let what = format!(
                "the document was dropped as a duplicate of the reference document {}",
                cut(reference.get())
            );
            return Err(Error::record(what).advise("audit the decisions of a run without $against"));
        }
        let mut said = Said {
            removed: false,
            cluster,
            named: None,
        };
        if *kind == ResultKind::Decisions {
            let representative = match representative_value {
                Some(value) => self.representative(value.get(), named.get())?,
                None => None,
            };
            said.removed = match (verdict, verdict_value) {
                (Some(verdict), Some(value)) => is_removed(verdict, value)?,
                (Some(verdict), None) => return Err(lacks(verdict.field())),
                (None, _) => representative.is_some(),
            };
            said.named = representative.flatten().filter(|_| said.removed);
        }
        self.document(named.get(), said)
    }

    /// Returns the representative of a document, unless it is the document itself. It may be unknown.
    fn representative(&mut self, representative: &str, id: &str) -> Result<Option<Option<u32>>> {
        if hash_label(representative) == hash_label(id) {
            return Ok(None);
        }
        let found = self.find(representative)?;
        if found.is_none() {
            self.gathering.unknown_representative();
        }
        Ok(Some(found))
    }

    fn document(&mut self, id: &str, said: Said) -> Result<()> {
        let Some(document) = self.find(id)? else {
            self.gathering.unknown(id, said.cluster);
            return Ok(());
        };
        if self.gathering.take(document, said) {
            return Ok(());
        }
        let wrong = Error::record(format!(
            "an earlier row says something else about {}",
            cut(id)
        ));
        Err(wrong.advise("each document must have one verdict and one cluster"))
    }

    fn pair(&mut self, a: &str, b: &str) -> Result<()> {
        match (self.find(a)?, self.find(b)?) {
            (Some(a), Some(b)) => self.gathering.join(a, b),
            (a_found, _) => self
                .gathering
                .unknown(if a_found.is_none() { a } else { b }, None),
        }
        Ok(())
    }

    /// Finds the document with an id or at a position.
    fn find(&self, id: &str) -> Result<Option<u32>> {
        if !self.columns.by_position {
            return if is_id(id) {
                self.ids.find(id)
            } else {
                Err(not_an_id(id))
            };
        }
        let position: u64 = id.trim_matches('"').parse().map_err(|_| {
            Error::record(format!("{} is not a position", cut(id)))
                .advise("positions are whole numbers and count from 0")
        })?;
        Ok(u32::try_from(position)
            .ok()
            .filter(|&position| position < self.ids.documents()))
    }
}

/// Returns the id of a row that has no fields, as JSON.
fn scalar(row: &[u8], is_plain: bool) -> Result<String> {
    let row = std::str::from_utf8(row)
        .map_err(|_| Error::record("is not UTF-8").advise("convert the file to UTF-8"))?
        .trim();
    let json: serde_json::Result<Box<RawValue>> = serde_json::from_str(row);
    match json {
        Ok(value) if is_id(row) => Ok(value.get().into()),
        _ if is_plain => Ok(serde_json::Value::from(row).to_string()),
        Ok(value) => Err(not_an_id(value.get())),
        Err(_) => Err(not_an_id(row)),
    }
}

/// Returns whether a value is missing. CSV has no null, so an empty cell is a missing value.
fn is_nothing(value: &RawValue, block: &Block) -> bool {
    value.get() == "null" || block.is_delimited() && value.get() == "\"\""
}

/// Returns whether a document is in no cluster. DBSCAN and similar programs give such documents the number -1.
fn is_no_cluster(cluster: &str) -> bool {
    cluster.trim_matches('"') == "-1"
}

fn is_removed(verdict: &Verdict, value: &RawValue) -> Result<bool> {
    let text = value.get().trim_matches('"').to_lowercase();
    let is_true = match text.as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    };
    let (removed, valid) = match verdict {
        Verdict::Words(_) => (
            match text.as_str() {
                "kept" | "cut" => Some(false),
                "dropped" | "removed" => Some(true),
                _ => None,
            },
            "a verdict must be kept or dropped",
        ),
        Verdict::Kept(_) => (is_true.map(|kept| !kept), "the value must be true or false"),
        Verdict::Removed(_) => (is_true, "the value must be true or false"),
    };
    removed.ok_or_else(|| {
        Error::record(format!("{} is not a verdict", cut(value.get())))
            .in_field(verdict.field())
            .advise(valid)
    })
}

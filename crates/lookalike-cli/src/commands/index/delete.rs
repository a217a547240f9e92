//! `lookalike index delete`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::bail;
use clap::Args;
use lookalike_engine::{Format, RunConfig, read_document};
use lookalike_index::{Id, Index};
use lookalike_indexing::{failed, id, refuse_outputs, to_write};
use serde::Serialize;

use super::lines::{Lines, write_changes};
use crate::{
    output::{count, counted, name, print_data, say},
    report::Report,
};

/// Delete documents from an index
///
/// If a deleted document was kept, the documents that it represented are decided again: the first of them in keep order may be kept now,
/// or another kept document represents them. --changes lists these decisions.
///
/// If an id is not in the index, nothing is deleted, unless --ignore-missing is given. The space on the disk is used again after
/// `lookalike index compact`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index delete news article-17 article-18\n  \
    lookalike index delete news --ids withdrawn.txt --changes changes.jsonl"
)]
pub struct Delete {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Ids of documents
    #[arg(value_name = "ID", required_unless_present = "from")]
    ids: Vec<String>,
    /// Read more ids from FILE: one per line, or JSON lines with an id (- for standard input)
    #[arg(long = "ids", value_name = "FILE")]
    from: Option<String>,
    /// With --ids: field with the id, in JSON lines
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id_field: String,
    /// Ignore ids that are not in the index
    #[arg(long)]
    ignore_missing: bool,
    /// Write all changed decisions to FILE (- for standard output)
    #[arg(long, value_name = "FILE")]
    changes: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// This many documents are deleted in one step.
const STEP: usize = 10_000;

/// What was deleted.
#[derive(Serialize)]
struct Deleted {
    deleted: u64,
    missing: u64,
    /// The decisions about other documents that changed.
    changed: u64,
}

impl Delete {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let index = to_write(&self.folder)?;
        let mut typed = self.ids.clone();
        if let Some(from) = &self.from {
            typed.extend(self.listed(from)?);
        }
        let (mut ids, mut missing) = (BTreeSet::new(), 0);
        for typed in &typed {
            match id(&index, typed)? {
                Some(id) => {
                    ids.insert(id);
                }
                None if self.ignore_missing => missing += 1,
                None => bail!(
                    "id {} is not in the index; nothing was deleted. Correct it, or give --ignore-missing",
                    lookalike::shown::quoted(typed)
                ),
            }
        }
        let ids: Vec<Id> = ids.into_iter().collect();
        let listed = RunConfig {
            inputs: self.from.iter().cloned().collect(),
            format: Some(Format::Text),
            ..RunConfig::default()
        };
        refuse_outputs(&index, &listed, &[self.changes.as_deref()])?;
        let lines = self
            .changes
            .as_deref()
            .map(|path| Lines::create(Some(path)))
            .transpose()?;
        let last = index.stats().map_err(failed)?.last_change;
        let mut deleted = Deleted {
            deleted: ids.len() as u64,
            missing,
            changed: 0,
        };
        for some in ids.chunks(STEP) {
            let changes = index.delete(some).map_err(failed)?;
            deleted.changed += (changes.len() - some.len()) as u64;
        }
        if let Some(mut lines) = lines {
            write_changes(&index, last, None, &mut lines)?;
            lines.end()?;
        }
        let to_stdout = self
            .changes
            .as_deref()
            .is_some_and(|path| path == Path::new("-"));
        let report =
            Report::new("index delete").inputs("index", [self.folder.display().to_string()]);
        let report = report.output("changes", self.changes.as_deref());
        match (self.json, to_stdout) {
            (true, false) => print_data(&report.json(&deleted)?)?,
            (true, true) => say(report.json(&deleted)?.trim_end()),
            (false, _) if self.quiet => {}
            (false, _) => say(&self.words(&index, &deleted)),
        }
        Ok(ExitCode::SUCCESS)
    }

    fn words(&self, index: &Index, deleted: &Deleted) -> String {
        let changed = match deleted.changed {
            0 => "no other decision changed".into(),
            changed => format!(
                "{} about other documents changed",
                counted(changed, "decision")
            ),
        };
        let missing = if deleted.missing > 0 {
            format!(", {} missing", count(deleted.missing))
        } else {
            String::new()
        };
        let documents = counted(index.len(), "document");
        format!(
            "{} deleted{missing}; {changed}; {documents} in {}",
            counted(deleted.deleted, "document"),
            name(&self.folder)
        )
    }

    /// Returns the ids of a file, as a user would type them.
    fn listed(&self, from: &str) -> anyhow::Result<Vec<String>> {
        let Ok(text) = String::from_utf8(read_document(from)?) else {
            bail!("{from}: not UTF-8; save it as UTF-8")
        };
        let mut ids = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if !line.starts_with('{') {
                ids.push(line.to_string());
                continue;
            }
            let record: serde_json::Value = serde_json::from_str(line)
                .map_err(|error| anyhow::anyhow!("{from}:{number}: cannot be parsed: {error}"))?;
            match record.get(&self.id_field) {
                Some(id @ (serde_json::Value::String(_) | serde_json::Value::Number(_))) => {
                    ids.push(id.to_string())
                }
                _ => bail!(
                    "{from}:{number}: field {} is missing, or is neither a string nor a number; name another field with --id-field",
                    lookalike::shown::quoted(&self.id_field)
                ),
            }
        }
        Ok(ids)
    }
}

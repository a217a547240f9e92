//! `lookalike index add` and `lookalike index replace`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use lookalike_engine::{Error, ErrorKind, Observer, RunConfig, Unread};
use lookalike_index::{Change, Id, Index, OnConflict, Prepared, Stats};
use lookalike_indexing::{
    AddOptions, Adding, Stopped, failed, in_steps, reading, refuse_outputs, step_of, to_write,
};
use serde::Serialize;

use super::lines::{Lines, write_changes, write_decisions};
use crate::{
    found::left_out,
    front::Flags,
    output::{BOLD, bytes, count, counted, name, warnings},
    report::Report,
};

/// Add documents to an index
///
/// Each document is decided as `lookalike dedup` would decide about it: a document that is similar to an earlier kept one is dropped,
/// which means that it is stored with this decision. With --keep rules other than first, a new document can come before earlier ones,
/// and their decisions change too; --changes lists all changed decisions.
///
/// The documents of a large input are added some at a time. If an input has a bad line, documents before it may be added already, and the
/// message says how many; correct the line, and add the same inputs again with --on-conflict skip.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index add news november.jsonl\n  \
    lookalike index add news 'crawl/*.jsonl.zst' --decisions decisions.jsonl --on-conflict skip"
)]
pub struct Add {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    options: AddOptions,
    #[command(flatten)]
    summary: Summary,
}

/// Add documents to an index, in place of those with the same ids
///
/// Documents of the index that have the id of a new document are deleted. The new documents are added at the end, as if they had never
/// been there; documents with new ids are added too. Decisions that depended on the old documents are made again.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index replace news corrected.jsonl --changes changes.jsonl"
)]
pub struct Replace {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    options: Adding,
    #[command(flatten)]
    summary: Summary,
}

/// How the summary is printed.
#[derive(Args)]
struct Summary {
    /// Print the summary as JSON
    ///
    /// The summary is printed on standard output, or on standard error if another output is written to standard output.
    #[arg(long)]
    json: bool,
}

/// What both commands do.
struct Filling<'a> {
    options: &'a Adding,
    json: bool,
}

/// What was added.
#[derive(Default, Serialize)]
pub struct Added {
    /// The documents that were read.
    documents: u64,
    /// The documents that were added.
    added: u64,
    /// The documents that were not added, because their ids are in the index.
    skipped: u64,
    /// The documents of the index that were replaced.
    replaced: u64,
    /// The decisions about earlier documents that changed. Those about documents that were replaced do not count.
    changed: u64,
    #[serde(flatten)]
    unread: Unread,
    without_id: u64,
    bytes: u64,
    seconds: f64,
    /// The index afterwards.
    index: Option<Stats>,
}

impl Add {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let filling = Filling {
            options: &self.options.adding,
            json: self.summary.json,
        };
        let on_conflict = self.options.on_conflict.unwrap_or_default();
        filling.run("index add", &self.folder, on_conflict)
    }
}

impl Replace {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let filling = Filling {
            options: &self.options,
            json: self.summary.json,
        };
        filling.run("index replace", &self.folder, OnConflict::Replace)
    }
}

impl Filling<'_> {
    fn run(
        self,
        command: &'static str,
        folder: &Path,
        on_conflict: OnConflict,
    ) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let options = self.options;
        let step = step_of(&options.execution);
        let index = to_write(folder)?.with_memory(2 * step);
        let config = reading(&index, &options.inputs, &options.execution)?;
        let report = Report::new(command)
            .over(&options.inputs)
            .inputs("index", [folder.display().to_string()])
            .output("decisions", options.decisions.as_deref())
            .output("changes", options.changes.as_deref());
        let outputs = [options.decisions.as_deref(), options.changes.as_deref()];
        refuse_outputs(&index, &config, &outputs)?;
        let quiet = options.execution.quiet;
        let run = report.begin(config.summary.as_deref(), self.json, quiet)?;
        let open = |path: &Option<PathBuf>| {
            path.as_deref()
                .map(|path| Lines::create(Some(path)))
                .transpose()
        };
        let (decisions, changes) = (open(&options.decisions)?, open(&options.changes)?);
        let since = index.next_number();
        let last = index.stats().map_err(failed)?.last_change;

        let mut added =
            run.observed(|observer| fill(&index, &config, (step, on_conflict), observer))?;
        warnings(&added.unread.bad_examples, Flags::Others, quiet);
        if let Some(mut lines) = decisions {
            write_decisions(&index, since, &mut lines)?;
            lines.end()?;
        }
        if let Some(mut lines) = changes {
            write_changes(&index, last, None, &mut lines)?;
            lines.end()?;
        }
        added.seconds = started.elapsed().as_secs_f64();
        added.index = Some(index.stats().map_err(failed)?);
        run.end(&added, || self.page(folder, &added))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the summary as text.
    fn page(&self, folder: &Path, a: &Added) -> String {
        let documents = counted(a.documents, "document");
        let mut lines = vec![format!(
            "{BOLD}{documents}{BOLD:#} in = {BOLD}{}{BOLD:#} added + {} skipped",
            count(a.added),
            count(a.skipped)
        )];
        if a.replaced > 0 {
            lines.push(format!(
                "  replaced {} of them had an id of the index",
                count(a.replaced)
            ));
        }
        if a.changed > 0 {
            let verb = if a.changed == 1 { "changes" } else { "change" };
            lines.push(format!(
                "  changed  {} about earlier documents {verb} too; see --changes",
                counted(a.changed, "decision")
            ));
        }
        if let Some(stats) = &a.index {
            let documents = counted(stats.documents, "document");
            let (kept, dropped) = (count(stats.kept), count(stats.dropped));
            lines.push(format!(
                "  index    {documents} in {} = {kept} kept + {dropped} dropped",
                name(folder)
            ));
        }
        if let Some(file) = self
            .options
            .inputs
            .records
            .skip_bad
            .as_deref()
            .filter(|_| a.unread.bad_lines > 0)
        {
            lines.push(format!(
                "  bad      {} skipped, written to {}",
                counted(a.unread.bad_lines, "line"),
                name(file)
            ));
        }
        lines.extend(left_out(&a.unread.left_out).map(|words| format!("  skipped  {words}")));
        if a.without_id == a.documents && a.documents > 0 {
            lines.push("  ids      no record has an id: ids are file:line".into());
        }
        let rate = a.bytes as f64 / 1e6 / a.seconds.max(1e-9);
        lines.push(format!(
            "  time     {:.2} s for {} ({rate:.0} MB/s)",
            a.seconds,
            bytes(a.bytes)
        ));
        let named = |path: &&PathBuf| path.as_os_str() != "-";
        for (what, path) in [
            ("decisions", &self.options.decisions),
            ("changes", &self.options.changes),
        ] {
            lines.extend(
                path.as_ref()
                    .filter(named)
                    .map(|path| format!("  written  {what} to {}", name(path))),
            );
        }
        lines.join("\n")
    }
}

/// Adds the documents of all inputs.
pub fn fill(
    index: &Index,
    config: &RunConfig,
    (step, on_conflict): (usize, OnConflict),
    observer: Observer,
) -> anyhow::Result<Added> {
    let mut added = Added::default();
    let add = |documents: Vec<Prepared>| -> lookalike_engine::Result<()> {
        let given = documents.len() as u64;
        let ids: BTreeSet<Id> = match on_conflict {
            OnConflict::Replace => documents
                .iter()
                .map(|document| document.id().clone())
                .collect(),
            OnConflict::Skip | OnConflict::Fail => BTreeSet::new(),
        };
        let before = index.len();
        let changes = index
            .add_prepared(documents, on_conflict)
            .map_err(|error| match error {
                taken @ lookalike_index::Error::Taken(_) => {
                    let what = format!("{taken}, or give --on-conflict skip or replace");
                    Error::new(ErrorKind::Record, what).because(taken)
                }
                error => failed(error),
            })?;
        let known = given - (index.len() - before);
        match on_conflict {
            OnConflict::Replace => added.replaced += known,
            OnConflict::Skip | OnConflict::Fail => added.skipped += known,
        }
        added.added += if on_conflict == OnConflict::Replace {
            given
        } else {
            given - known
        };
        let of_others = |change: &&Change| change.before.is_some() && !ids.contains(&change.id);
        added.changed += changes.iter().filter(of_others).count() as u64;
        Ok(())
    };
    let read = in_steps(index, (config, step), add, observer);
    let read = read.map_err(|stopped| match stopped {
        Stopped::Adding(error) | Stopped::Reading(error) => further(error, added.added),
    })?;
    Ok(Added {
        documents: read.documents,
        unread: read.unread,
        without_id: read.without_id,
        bytes: read.bytes,
        ..added
    })
}

/// Says how many documents were added before an error.
fn further(error: Error, added: u64) -> Error {
    match added {
        0 => error,
        added => error.advise(format!(
            "{} before it {} added; to add the rest, give --on-conflict skip",
            counted(added, "document"),
            if added == 1 { "was" } else { "were" }
        )),
    }
}

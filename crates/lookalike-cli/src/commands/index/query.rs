//! `lookalike index query`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike::Config;
use lookalike_engine::{DocumentsRead, InputDocument, RunConfig, Unread, each_document};
use lookalike_index::{Ask, Found, Like};
use lookalike_indexing::{failed, id, id_of, reading, refuse_outputs, to_read};
use lookalike_options::{Execution, Inputs, Records};
use serde::Serialize;
use serde_json::value::RawValue;

use super::lines::{FoundLine, Lines, raw};
use crate::{
    front::Flags,
    output::{Bars, counted, say, warnings},
    report::{self, Report},
};

/// Find the documents of an index that are similar to a text
///
/// The text is given with --text, as a file or the records of a collection (INPUT), or as the --id of a document of the index. The index
/// does not change.
///
/// Prints one JSON line for each similar document, the most similar first: query (the id of the text, null with --text), id, verdict
/// (kept or dropped: what the index decided about the document), similarity, resemblance, containment (the share of the text that the
/// document contains), containment_of_document, all counted exactly. If the index verifies by sketches, the line has only the estimated
/// similarity. With --passages, the line also has the passages that both share word for word: their places in bytes, the number of
/// tokens, and the text.
///
/// The exit code is 1 if nothing is found.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index query news --text 'The text of an article'\n  \
    lookalike index query news submission.txt --passages\n  \
    lookalike index query news --id article-17 --nearest 5\n  \
    lookalike index query news december.jsonl --kept --threshold 0.9 -o known.jsonl"
)]
pub struct Query {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Files, folders, quoted globs or URLs with the texts to search for (- for standard input)
    #[arg(value_name = "INPUT", required_unless_present_any = ["text", "id", "input_command"], conflicts_with_all = ["text", "id"])]
    inputs: Vec<String>,
    /// Search for this text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["id", "input_command"])]
    text: Option<String>,
    /// Search for documents that are similar to the document with this id
    #[arg(long, value_name = "ID", conflicts_with = "input_command")]
    id: Option<String>,
    /// Find at most the K most similar documents for each text
    #[arg(long, value_name = "K")]
    nearest: Option<usize>,
    /// Minimum similarity, at least the threshold of the index
    #[arg(long, short, value_name = "T")]
    threshold: Option<f64>,
    /// Find only documents that are kept
    #[arg(long)]
    kept: bool,
    /// Show the passages that the text shares with each document
    #[arg(long)]
    passages: bool,
    /// With --passages: minimum length of a passage, in tokens
    #[arg(long, value_name = "N", default_value_t = 8, requires = "passages")]
    least: usize,
    /// Write the lines to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Run COMMAND with sh -c and read its output after the named inputs
    #[arg(long, value_name = "COMMAND", help_heading = "Input")]
    input_command: Vec<String>,
    #[command(flatten)]
    records: Records,
    #[command(flatten)]
    execution: Execution,
}

impl Query {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let index = to_read(&self.folder)?;
        let mut records = self.records;
        // Texts to search for need no ids of their own.
        records.files.allow_repeated_ids = false;
        let input = Inputs {
            inputs: self.inputs,
            input_command: self.input_command,
            records,
        };
        // Keep order does not matter, so the field that decides it need not be there.
        let config = RunConfig {
            keep: None,
            ..if self.text.is_some() || self.id.is_some() {
                RunConfig::of(&input, &self.execution, Config::default())
            } else {
                reading(&index, &input, &self.execution)?
            }
        };
        let output = self.output.as_deref().unwrap_or(Path::new("-"));
        let report = Report::new("index query")
            .over(&input)
            .inputs("index", [self.folder.display().to_string()])
            .output("matches", Some(output));
        refuse_outputs(&index, &config, &[Some(output)])?;
        let file = report.open(config.summary.as_deref())?;
        let mut lines = Lines::create(Some(output))?;
        let (nearest, threshold, only_kept, quiet) = (
            self.nearest,
            self.threshold,
            self.kept,
            self.execution.quiet,
        );
        let passages = self.passages.then_some(self.least);
        let find = |like: Like| {
            index
                .query(&Ask {
                    like,
                    nearest,
                    threshold,
                    only_kept,
                    figures: true,
                    passages,
                })
                .map_err(failed)
        };
        let mut read = DocumentsRead {
            documents: 1,
            ..DocumentsRead::default()
        };
        match (&self.text, &self.id) {
            (Some(text), _) => {
                write(RawValue::NULL, &find(Like::Text(text))?, &mut lines)?;
            }
            (_, Some(typed)) => {
                let id = id(&index, typed)?.ok_or_else(|| {
                    failed(lookalike_index::Error::Unknown(typed.as_str().into()))
                })?;
                let query = raw(&id);
                write(&query, &find(Like::Document(id))?, &mut lines)?;
            }
            _ => read = search((&config, quiet), find, &mut lines)?,
        }
        let (texts, unread) = (read.documents, read.unread);
        let found = lines.end()?;
        let summary = Queried {
            texts,
            found,
            unread,
        };
        report::write(file, &report, &summary)?;
        if !quiet {
            say(&format!(
                "{} similar to {}",
                counted(found, "document"),
                counted(texts, "text")
            ));
        }
        Ok(ExitCode::from(u8::from(found == 0 && texts > 0)))
    }
}

/// What was searched for, and what was found.
#[derive(Serialize)]
struct Queried {
    texts: u64,
    found: u64,
    #[serde(flatten)]
    unread: Unread,
}

/// Searches for all texts of the inputs.
fn search(
    (config, quiet): (&RunConfig, bool),
    find: impl Fn(Like) -> lookalike_engine::Result<Vec<Found>> + Sync,
    lines: &mut Lines,
) -> anyhow::Result<DocumentsRead> {
    let bars = Bars::new(quiet);
    let read = each_document(
        config,
        |document: InputDocument, _| find(Like::Text(document.text)),
        |answers| {
            answers.into_iter().try_for_each(|(id, found)| {
                let id = id_of(id);
                write(&raw(&id), &found?, lines)
            })
        },
        &|progress| bars.observe(progress),
    );
    bars.clear();
    let read = read?;
    warnings(&read.unread.bad_examples, Flags::Others, quiet);
    Ok(read)
}

/// Writes the lines of a text, which has this id.
fn write(query: &RawValue, found: &[Found], lines: &mut Lines) -> lookalike_engine::Result<()> {
    found
        .iter()
        .try_for_each(|found| lines.value(&FoundLine::new(query, found)))
}

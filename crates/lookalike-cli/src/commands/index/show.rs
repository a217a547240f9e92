//! `lookalike index show` and `lookalike index changes`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use lookalike_engine::RunConfig;
use lookalike_index::{Decided, Id, Stored};
use lookalike_indexing::{failed, id, refuse_outputs, to_read};
use serde::Serialize;
use serde_json::value::RawValue;

use super::lines::{Lines, raw, write_changes, write_decisions};

/// Show the decisions of an index, or all that it knows about some documents
///
/// Without an ID, prints the decisions about all documents, in the order in which they were added. These are the lines that
/// `lookalike dedup --decisions` would write for the documents that the index holds.
///
/// With IDs, prints one JSON line for each: id, verdict, representative, similarity, copies (the other documents with the same text after
/// normalisation), represents (the documents that were dropped because of this one), and the text, if the index stores texts.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index show news -o decisions.jsonl\n  lookalike index show news article-17"
)]
pub struct Show {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Ids of documents
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Write the lines to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Show {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let index = to_read(&self.folder)?;
        let output = self.output.as_deref();
        refuse_outputs(&index, &RunConfig::default(), &[output])?;
        let mut lines = Lines::create(output)?;
        if self.ids.is_empty() {
            write_decisions(&index, 0, &mut lines)?;
        }
        for typed in &self.ids {
            let unknown = || failed(lookalike_index::Error::Unknown(typed.as_str().into()));
            let id = id(&index, typed)?.ok_or_else(unknown)?;
            let stored = index.show(&id).map_err(failed)?.ok_or_else(unknown)?;
            lines.value(&Line::new(&stored))?;
        }
        lines.end()?;
        Ok(ExitCode::SUCCESS)
    }
}

/// All that is known about a document.
#[derive(Serialize)]
struct Line<'a> {
    id: Box<RawValue>,
    verdict: &'static str,
    representative: Option<Box<RawValue>>,
    similarity: Option<f64>,
    copies: Vec<Box<RawValue>>,
    represents: Vec<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn new(stored: &'a Stored) -> Self {
        let (verdict, representative, similarity) = match &stored.decided {
            Decided::Kept => ("kept", None, None),
            Decided::Dropped {
                representative,
                similarity,
            } => ("dropped", Some(raw(representative)), *similarity),
        };
        let ids = |ids: &[Id]| ids.iter().map(raw).collect();
        let (copies, represents) = (ids(&stored.copies), ids(&stored.represents));
        Self {
            id: raw(&stored.id),
            verdict,
            representative,
            similarity,
            copies,
            represents,
            text: stored.text.as_deref(),
        }
    }
}

/// List the decisions that changed, in the order in which they changed
///
/// Every change of an index adds the decisions that it changed to the change feed. Changes are numbered from 1. A program that follows an
/// index remembers the number of the last change that it has seen, and asks for those --after it.
///
/// A line has change (the number), id, before and after. Before is null for a document that was added, and after is null for one that was
/// deleted; otherwise they have verdict, representative and similarity.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index changes news\n  lookalike index changes news --after 1200 --limit 100"
)]
pub struct Changes {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// List changes after the one with this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    after: u64,
    /// List at most N changes
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Write the lines to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Changes {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let index = to_read(&self.folder)?;
        let output = self.output.as_deref();
        refuse_outputs(&index, &RunConfig::default(), &[output])?;
        let mut lines = Lines::create(output)?;
        write_changes(&index, self.after, self.limit, &mut lines)?;
        lines.end()?;
        Ok(ExitCode::SUCCESS)
    }
}

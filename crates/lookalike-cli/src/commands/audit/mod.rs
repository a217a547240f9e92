//! `lookalike audit`.

mod page;

use std::{path::Path, process::ExitCode};

use clap::Args;
use lookalike_engine::{AuditOptions, audit};

use crate::{
    config::ConfigFile,
    front::Flags,
    output::{print, warnings},
    report::Report,
};

/// Check the result of another deduplication tool
///
/// RESULT says which documents a tool removed from the texts. For each removed document, `audit` finds the most similar document that the
/// tool kept, by exact similarity. A removal is justified if that similarity reaches the threshold. Other removed documents are similar
/// only to documents that were removed, too (chained, which connected components cause), or not similar to any document. Then `audit`
/// compares a random sample of the kept documents with all documents, and reports how many have a near-duplicate that was kept, too.
///
/// RESULT is a file of JSON Lines, CSV, Parquet or Arrow, a JSON array, or a .txt file with one id per line. It is recognised by its
/// fields:
///
/// - ids alone, such as id or _curator_dedup_id: the removed documents, unless --result says that they were kept
///
/// - id and cluster, such as __cluster__, group or _duplicate_group_id: the first document of each cluster in input order was kept
///
/// - id and verdict, kept, is_duplicate, representative or duplicate_of: decisions, such as those of `lookalike dedup`
///
/// - a and b: pairs of duplicates; connected documents are a cluster
///
/// Give --shingle, --tokens and --threshold as the tool had them, because similarity depends on them.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike audit removed.txt --texts crawl.jsonl\n  \
    lookalike audit clusters.parquet --texts crawl/ --by-position --shingle 3 -t 0.7\n  \
    lookalike audit kept.jsonl --result kept --texts crawl.jsonl -o removals.jsonl\n  \
    lookalike audit decisions.jsonl --texts crawl.jsonl --json"
)]
pub struct Audit {
    /// Files, folders, quoted globs or URLs of the result
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<String>,
    #[command(flatten)]
    options: AuditOptions,
    #[command(flatten)]
    file: ConfigFile,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.file.fill(&mut self.options)?;
        let (json, quiet, output) = (
            self.json,
            self.options.execution.quiet,
            self.options.output.as_deref(),
        );
        if self.options.texts.is_empty() {
            anyhow::bail!(
                "the texts that the tool deduplicated need a name; give them with --texts"
            );
        }
        let (config, auditing) = self.options.plan(self.results.clone())?;
        let run = Report::new("audit")
            .inputs("result", &self.results)
            .inputs("texts", &self.options.texts)
            .output("removals", output)
            .output("bad_lines", self.options.records.skip_bad.as_deref())
            .begin(config.summary.as_deref(), json, quiet)?;
        let summary = run.observed(|observer| audit(&config, &auditing, output, observer))?;
        warnings(&summary.unread.bad_examples, Flags::Others, quiet);
        page::warn(&summary, quiet);
        let shown = page::page(&summary, &auditing);
        if !json && output != Some(Path::new("-")) {
            print(&shown)?;
            run.end_on_stderr(&summary, String::new)?;
        } else {
            run.end(&summary, || shown.trim_end().into())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

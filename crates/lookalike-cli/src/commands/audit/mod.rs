//! `lookalike audit`.

mod page;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike_engine::{AuditedResult, Auditing, ResultKind, RunConfig, audit};

use crate::{
    args::{CompareArgs, InputArgs, RecordArgs, RunArgs, run_config},
    front::Flags,
    output::{Bars, print, print_data, say, warnings},
    report::{self, Report},
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
    /// Texts that the tool deduplicated: files, folders, quoted globs or URLs
    ///
    /// The inputs are read several times. Formats are those of `lookalike dedup`.
    #[arg(long, required = true, value_name = "INPUT", num_args = 1..)]
    texts: Vec<String>,
    /// Write one JSON line per removal to FILE
    ///
    /// A line has the id, justified, the cause (similar, chained, not_similar, empty or unchecked), nearest (the id of the most similar
    /// kept document) and similarity. If the result names a document that is kept instead, the line also has named and named_similarity.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
    /// Compare N random kept documents with all documents, exactly
    #[arg(long, value_name = "N", default_value_t = 1000)]
    sample: u32,
    /// Recheck at most N removals for which candidates show no similar document
    ///
    /// These removed documents are compared with all documents, exactly. If there are more than N, a random sample is compared, and the
    /// summary shows estimates with 95 % intervals.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    recheck: u32,
    /// Show N worst cases of each kind, with the beginnings of their texts
    #[arg(long, value_name = "N", default_value_t = 3)]
    worst: usize,
    /// What the rows of RESULT are [default: recognised by their fields]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Result")]
    result: Option<KindBy>,
    /// Field of RESULT with the document's id [default: as --id-field]
    ///
    /// Without this flag, doc_id, _curator_dedup_id and similar names are recognised, too. The number 7 and the string "7" name the same
    /// document, unless the texts have both.
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    result_id: Option<String>,
    /// Field of RESULT with the cluster [default: cluster, group and similar]
    ///
    /// Documents with null or -1 are in no cluster.
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    cluster_field: Option<String>,
    /// Field of RESULT that is true if the document was kept
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    kept_field: Option<String>,
    /// Field of RESULT with the document that is kept instead
    ///
    /// It is null, or the document itself, for documents that were kept.
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    duplicate_of_field: Option<String>,
    /// RESULT numbers documents by position: 0 is the first document of the texts
    ///
    /// Positions count over all inputs in their order. Without a field of ids, a field such as __index__ has positions anyway.
    #[arg(long, help_heading = "Result")]
    by_position: bool,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Kinds of results.
#[derive(Clone, Copy, ValueEnum)]
enum KindBy {
    /// the documents that were removed
    Removed,
    /// the documents that were kept
    Kept,
    /// documents with their clusters; the first one of each cluster was kept
    Clusters,
    /// pairs of duplicates
    Pairs,
    /// documents with verdicts, or with the documents that are kept instead
    Decisions,
}

impl From<KindBy> for ResultKind {
    fn from(kind: KindBy) -> Self {
        match kind {
            KindBy::Removed => Self::Removed,
            KindBy::Kept => Self::Kept,
            KindBy::Clusters => Self::Clusters,
            KindBy::Pairs => Self::Pairs,
            KindBy::Decisions => Self::Decisions,
        }
    }
}

impl Audit {
    pub fn configs(self) -> anyhow::Result<(RunConfig, Auditing)> {
        let method = self.records.fields.of_sets(self.compare.config()?)?;
        let method = lookalike::Config {
            candidates: lookalike::Candidates::usual(method.measure),
            ..method
        };
        let inputs = InputArgs {
            inputs: self.texts,
            input_command: Vec::new(),
            records: self.records,
        };
        let result = AuditedResult {
            names: self.results,
            kind: self.result.map(ResultKind::from),
            id_field: self.result_id,
            cluster_field: self.cluster_field,
            kept_field: self.kept_field,
            representative_field: self.duplicate_of_field,
            by_position: self.by_position,
        };
        let auditing = Auditing {
            result,
            sample: self.sample,
            recheck: self.recheck,
            worst: self.worst,
        };
        Ok((run_config(&inputs, &self.run, method), auditing))
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (json, quiet, output) = (self.json, self.run.quiet, self.output.clone());
        let report = Report::new("audit")
            .inputs("result", &self.results)
            .inputs("texts", &self.texts);
        let report = report
            .output("removals", output.as_deref())
            .output("bad_lines", self.records.skip_bad.as_deref());
        let (config, auditing) = self.configs()?;
        let file = report.open(config.summary.as_deref())?;
        let bars = Bars::new(quiet);
        let done = audit(&config, &auditing, output.as_deref(), &|progress| {
            bars.observe(progress)
        });
        bars.clear();
        let summary = done?;
        warnings(&summary.unread.bad_examples, Flags::Others, quiet);
        page::warn(&summary, quiet);
        let is_taken = output.as_deref() == Some(Path::new("-"));
        match (json, is_taken) {
            (true, false) => print_data(&report.json(&summary)?)?,
            (true, true) => say(report.json(&summary)?.trim_end()),
            (false, true) if quiet => {}
            (false, true) => say(page::page(&summary, &auditing).trim_end()),
            (false, false) => print(&page::page(&summary, &auditing))?,
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::SUCCESS)
    }
}

//! The options of `dedup`, and its plan.

use std::path::PathBuf;

use lookalike::{Config, Method};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    words,
};
use lookalike_options::{
    Execution, Floor, Given, GroupSize, Inputs, Law, MoreFields, OutputFiles, References,
    ReportPage, SavedProgress, options,
};

use super::{fields, per_group};
use crate::{
    config::{OtherFields, Outputs, ReportConfig, Resume, RunConfig},
    pass::reading::reading,
    sketching::references,
};

options! {
/// The options of `dedup`.
pub struct DedupOptions {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub references: References,
    /// Compare inputs with references only, not with each other
    #[arg(long, help_heading = "References")]
    pub against_only: bool,
    /// With --measure containment: drop documents that contain a reference
    ///
    /// For example, a training text is dropped if it contains a test item. Without this flag, a document is dropped if a
    /// reference contains it.
    #[arg(long, help_heading = "References")]
    pub drop_holders: bool,
    /// Write the kept records to KEPT (- for standard output)
    ///
    /// KEPT can be an s3://, gs:// or az:// URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br. If KEPT is a
    /// folder, such as clean/, it gets one file for each input file, with the same relative name, format and compression.
    /// From folders and archives of text and HTML files, the kept files are copied.
    #[arg(long, short, value_name = "KEPT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub files: OutputFiles,
    /// Drop nothing; write all records to KEPT, with their decisions
    ///
    /// The fields cluster, verdict, representative and similarity are added after the fields of the record.
    #[arg(long)]
    pub label: bool,
    /// With --label: prefix for the names of the four fields, such as dup_
    #[arg(long, value_name = "PREFIX")]
    pub label_prefix: Option<String>,
    /// Write each decision, with its reason, to FILE
    ///
    /// FILE can be a URL, or - for standard output. Its extension selects the compression, as for -o. If FILE is a folder, each input file
    /// has its own decisions there, such as news.decisions.jsonl for news.parquet. [default: a file beside KEPT, such as
    /// kept.decisions.jsonl for kept.jsonl or kept/]
    #[arg(long, value_name = "FILE")]
    pub decisions: Option<PathBuf>,
    /// Do not write decisions beside KEPT
    #[arg(long)]
    pub no_decisions: bool,
    /// Also put all documents with their decisions in a new index, DIR
    ///
    /// DIR must not exist, or must be empty. Later documents can be added with `lookalike index add`. The inputs are read once more.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Write nothing; show what would be dropped
    ///
    /// The run still checks whether the outputs can be written.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub saved: SavedProgress,
    #[command(flatten)]
    pub page: ReportPage,
    #[command(flatten)]
    pub floor: Floor,
    #[command(flatten)]
    pub law: Law,
    /// Also require that this share of a dropped document is in its representative
    ///
    /// A document is then dropped only if it is similar, and if at least this share of its shingles is in the kept document. So a
    /// document that adds something of its own is kept, although it is similar to another one. Above 0 and at most 1.
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Comparison")]
    pub min_containment: Option<f64>,
    #[command(flatten)]
    pub more: MoreFields,
    #[command(flatten)]
    pub size: GroupSize,
    #[command(flatten)]
    pub execution: Execution,
}
}

/// A run of `dedup`.
#[derive(Debug, Clone)]
pub struct DedupPlan {
    /// How the run reads, compares and decides.
    pub run: RunConfig,
    /// What it writes.
    pub outputs: Outputs,
}

impl DedupOptions {
    /// Returns the run that these options describe. `references` says whether there are references that the options do not name, and
    /// `change` makes changes of the method that no option can describe.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(
        &self,
        references: bool,
        change: impl FnOnce(Config) -> Result<Config>,
    ) -> Result<DedupPlan> {
        let given = Given::of(self).and("against", references);
        given.check()?;
        given.required(&[("output", &["label"]), ("label", &["label_prefix"])])?;
        let method = Config {
            min_containment: self.min_containment,
            ..self.law.config()?
        };
        let method = change(self.inputs.records.fields.of_sets(method)?)?;
        let run = RunConfig {
            against_only: self.against_only,
            drop_holders: self.drop_holders,
            keep: self.law.keep(),
            keep_per_group: self.size.most(),
            resume: Resume::of(&self.saved),
            other_fields: OtherFields::of(&self.more),
            report: ReportConfig::of(&self.page, &self.floor, &method)?,
            label_field: self.page.report_by.clone(),
            output_format: self.files.output_format,
            limit: self.files.limit(),
            ..RunConfig::against(&self.references, &self.inputs, &self.execution, method)
        };
        let outputs = Outputs {
            kept: self.output.clone(),
            label: self
                .label
                .then(|| self.label_prefix.clone().unwrap_or_default()),
            decisions: self.decisions.clone(),
            dry_run: self.dry_run,
        };
        check(
            &run,
            references || run.has_references(),
            self.index.is_some(),
        )?;
        Ok(DedupPlan { run, outputs })
    }
}

/// Checks settings that do not work together. `has_references` says whether there are references, and `stored` whether an index is
/// made.
fn check(run: &RunConfig, has_references: bool, stored: bool) -> Result<()> {
    let method = Method::new(run.method.clone())?;
    per_group::check(run, stored)?;
    references::References::check(run, &method, has_references)?;
    if let Some(fields) = &run.other_fields {
        fields::check(run, fields, &method)?;
    }
    if stored {
        refuse_storing(run, has_references)?;
    }
    reading(run).map(|_| ())
}

/// Checks what cannot be stored in an index.
fn refuse_storing(run: &RunConfig, references: bool) -> Result<()> {
    let index = Setting("index");
    let (what, advice) = if references {
        let what = words![index, " stores what was not compared with references"];
        let advice = words!["leave out $against, and add documents with `lookalike index add`"];
        (what, advice)
    } else if run.allow_repeated_ids {
        let what = words!["$allow_repeated_ids: the ids of an index are unique"];
        (what, words!["make ids unique, or leave out ", index])
    } else {
        return run
            .other_fields
            .as_ref()
            .map_or(Ok(()), fields::refuse_storing);
    };
    Err(Error::new(ErrorKind::Config, what).advise(advice))
}

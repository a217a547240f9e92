//! `lookalike link`.

mod values;

mod charts;

mod pages;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike_applications::records::{LinkConfig, Linker, Verdict};
use lookalike_engine::{
    Error, LateOutput, Link as Asked, LinkOptions, RunConfig, explain_link, link, plan_link,
    read_link_config, shown_path, suggest_link,
};
use lookalike_options::Given;

use crate::{
    found::page_size,
    output::{Bars, print, print_data},
    report::Report,
};

/// Link records of the same person, company or thing
///
/// Records have fields, such as names, addresses, phone numbers and dates. A TOML configuration lists the fields and where to
/// find each in a record. For each pair of records, each field gives up to 100 points, or up to the weight that is configured for
/// the field. The score is the share of the possible points that the pair gets, and two thresholds turn the score into a match, a
/// possible match or neither. Only candidates are scored: pairs that have the same value in any one field or, if blocks
/// (conditions for candidates) are configured, pairs that satisfy one of the blocks.
///
/// With weights = "learned", the weights of the fields are estimated from the records instead, and the score is the probability of
/// a match. With weights = "labelled", they are estimated from the pairs that --label or --truth labels, and cross-validated.
///
/// Prints one JSON line per pair, in the order of the records: a, b, score, verdict, and the points of each field. With two
/// collections, A and B, only pairs of a record of A and a record of B are considered. If you give --label (a field that is equal
/// in records of the same thing) or --truth (a file of labelled pairs), tables on standard error report how many of the true pairs
/// were found, and how many another threshold would find.
///
/// The exit code is 1 if there is no pair, unless a collection is empty.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike link customers.csv --suggest -o link.toml\n  lookalike link customers.csv --config link.toml > pairs.jsonl\n  \
    lookalike link ours.jsonl theirs.csv --config link.toml --one-to-one --matches-only -o pairs.jsonl\n  \
    lookalike link people.jsonl --config link.toml --label person --clusters clusters.jsonl -o pairs.jsonl\n\n\
    A configuration:\n  match = 0.85\n  possible = 0.75\n\n  [[field]]\n  name = \"name\"\n  type = \"name\"\n\n  \
    [[field]]\n  name = \"phone\"\n  type = \"phone\"\n  weight = 50\n\n  [[block]]\n  equal = [\"phone\"]\n\n  \
    [[block]]\n  similar = \"name\""
)]
pub struct Link {
    /// Records: a file, folder, quoted glob or URL (- for standard input)
    ///
    /// The files are JSON Lines, JSON arrays or CSV, plain or compressed, or Parquet or Arrow.
    #[arg(value_name = "A")]
    a: String,
    /// Other records, to link with those of A
    #[arg(value_name = "B")]
    b: Option<String>,
    /// Configuration with fields, blocks and thresholds, in TOML
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: LinkOptions,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Link {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.options.suggest {
            return self.suggested();
        }
        let Some(path) = self.config.clone() else {
            anyhow::bail!(
                "a linkage needs a configuration; give --config FILE, or let --suggest write one"
            );
        };
        let linkage = read_link_config(&path)?;
        // This check reports errors in the configuration file. Errors that occur after it concern the flags and the inputs.
        Linker::new(linkage.clone())
            .map_err(|error| anyhow::Error::new(Error::config(error)).context(shown_path(&path)))?;
        let report = Report::new("link")
            .inputs("a", [&self.a])
            .inputs("b", &self.b);
        let report = report.inputs("config", [path.display().to_string()]);
        let report = report.inputs(
            "truth",
            self.options
                .truth
                .iter()
                .map(|path| path.display().to_string()),
        );
        let (config, asked) = self.plan(linkage)?;
        let asked = Asked {
            config_path: Some(path),
            ..asked
        };
        if let Some([a, b]) = self.options.explain.as_deref() {
            let explained = explain_link(&config, &asked, [a, b])?;
            if self.json {
                print_data(&report.json(&explained)?)?
            } else {
                print(&pages::explained(&explained))?
            }
            return Ok(ExitCode::from(u8::from(explained.verdict == Verdict::Not)));
        }
        if self.options.dry_run {
            let bars = Bars::new(self.options.execution.quiet);
            let plan = plan_link(&config, &asked, &|progress| bars.observe(progress));
            bars.clear();
            if self.json {
                print_data(&report.json(&plan?)?)?
            } else {
                print(&pages::planned(&plan?))?
            }
            return Ok(ExitCode::SUCCESS);
        }
        let (output, quiet) = (self.options.output.as_deref(), self.options.execution.quiet);
        let report = report
            .output("pairs", Some(output.unwrap_or(Path::new("-"))))
            .output("clusters", asked.clusters.as_deref())
            .output("report", self.options.page.report.as_deref());
        let run = report.begin(config.summary.as_deref(), self.json, quiet)?;
        let summary = run.observed(|observer| link(&config, &asked, output, observer))?;
        let of_a = summary.records_a.unwrap_or(summary.records);
        let is_empty = of_a == 0 || summary.records_a.is_some() && of_a == summary.records;
        run.end_on_stderr(&summary, || {
            let mut lines = vec![pages::found(&summary, self.options.details)];
            let page = summary.report.iter();
            lines.extend(page.map(|figures| format!("report: {}", page_size(figures))));
            lines.join("\n")
        })?;
        Ok(ExitCode::from(u8::from(summary.written == 0 && !is_empty)))
    }
}

impl Link {
    /// Returns the run, and the request for a linkage with this configuration.
    fn plan(&self, linkage: LinkConfig) -> anyhow::Result<(RunConfig, Asked)> {
        let given = Given::of(&self.options)
            .and("config", self.config.is_some())
            .and("json", self.json);
        let (config, asked) = self.options.plan(linkage, &given)?;
        let config = RunConfig {
            inputs: vec![self.b.as_ref().unwrap_or(&self.a).clone()],
            against: self.b.iter().map(|_| self.a.clone()).collect(),
            ..config
        };
        Ok((config, asked))
    }

    /// Suggests a configuration.
    fn suggested(self) -> anyhow::Result<ExitCode> {
        let bars = Bars::new(self.options.execution.quiet);
        let (config, _) = self.plan(LinkConfig::default())?;
        let config = RunConfig {
            label_field: None,
            ..config
        };
        let output = self
            .options
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-"));
        let file = output.map(LateOutput::create).transpose()?;
        let suggestion = suggest_link(
            &config,
            self.options.label.as_deref(),
            output,
            &|progress| bars.observe(progress),
        );
        bars.clear();
        let page = suggestion?.to_toml();
        match file {
            Some(file) => file.finish(page.as_bytes())?,
            None => print_data(&page)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

//! `lookalike apply`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike::{Config, cluster::Keep};
use lookalike_engine::{Applied, Outputs, RunConfig, Setting, apply, dedup_listed, words};

use crate::{
    args::{InputArgs, OutputArgs, PerGroupArgs, RunArgs, refuse, run_config},
    found::left_out,
    front::Flags,
    output::{BOLD, Bars, bytes, count, counted, name, print_data, say, warnings},
    report::{self, Report},
};

/// Drop documents, or cut passages, by what an earlier run found
///
/// Writes the records of INPUT whose verdict in DECISIONS is "kept". The output is byte for byte the file that
/// `lookalike dedup INPUT -o KEPT` wrote, or would have written, with these decisions. So you can first decide (dedup --label, or
/// dedup with --decisions but without -o), then review the decisions, and drop documents later. If you edit a verdict in
/// DECISIONS, the edited verdict applies.
///
/// Records and decisions are matched by id, so give the same flags under Input as for dedup. The records may be in a different
/// order than for dedup, unless ids are repeated or generated. Nothing is written unless every record has a decision and every
/// decision has a record. The input is read twice, once for the ids and once for the records. Each decision takes 32 bytes of
/// memory.
///
/// DECISIONS can also be the file that `lookalike cut --cuts` wrote. The output is then the file that `lookalike cut -o` wrote: the
/// texts without the cuts. Remove a cut from a line to keep that passage.
///
/// With --threshold, DECISIONS is a file of `lookalike pairs`. Documents are dropped as by dedup with this threshold, but only the pairs
/// of the file are candidates, and no texts are compared. Find pairs once with a low threshold, and try several higher thresholds on
/// them. A run of dedup can miss other pairs than the file, because each threshold has its own bands. Both runs find at least the
/// requested share (--recall) of the pairs at their own thresholds, and more of the pairs above them.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike dedup news.jsonl --label -o labelled.jsonl\n  \
    lookalike apply labelled.decisions.jsonl news.jsonl -o kept.jsonl\n  \
    lookalike apply cuts.jsonl pages.jsonl -o clean.jsonl\n  \
    lookalike pairs news.jsonl -t 0.6 > pairs.jsonl\n  \
    lookalike apply pairs.jsonl news.jsonl --threshold 0.9 -o kept.jsonl"
)]
pub struct Apply {
    /// The decisions of a dedup run, or the cuts of a cut run (- for standard input)
    ///
    /// DECISIONS can be JSON Lines, plain or compressed, or a Parquet or Arrow table; the file extension shows which. With --threshold,
    /// it must be JSON Lines. DECISIONS can also be a URL.
    #[arg(value_name = "DECISIONS")]
    decisions: String,
    #[command(flatten)]
    input: InputArgs,
    /// Write the kept records to KEPT (- for standard output)
    ///
    /// KEPT can be a URL or a folder, and its extension selects the compression, as for dedup.
    #[arg(long, short, value_name = "KEPT")]
    output: PathBuf,
    #[command(flatten)]
    written: OutputArgs,
    /// Decide from a file of pairs, by those with this similarity or more
    ///
    /// The similarity is the resemblance. T must not be below the threshold of the pairs run, because the file has no such pairs.
    #[arg(long, short, value_name = "T", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// With --threshold: write the decision about each document to FILE
    #[arg(long, value_name = "FILE", requires = "threshold")]
    write_decisions: Option<PathBuf>,
    /// With --threshold: the document of a group to keep [default: first]
    ///
    /// RULE is as for dedup. With --skip-bad, repeat the --keep of the dedup run, if it had one: with newest:FIELD, max:FIELD or
    /// min:FIELD, records without that field are bad lines.
    #[arg(long, value_name = "RULE", help_heading = "Grouping")]
    keep: Option<Keep>,
    #[command(flatten)]
    per_group: PerGroupArgs,
    /// Print the summary as JSON
    ///
    /// The summary is printed on standard output, or on standard error if another output is written to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunArgs,
}

impl Apply {
    /// Returns the configuration of the run.
    pub fn config(&self) -> anyhow::Result<RunConfig> {
        let mut config = run_config(
            &self.input,
            &self.run,
            self.input.records.fields.of_sets(Config::default())?,
        );
        let keep_per_group = self.per_group.most();
        if self.threshold.is_none() && self.keep.is_some() && self.input.records.skip_bad.is_none()
        {
            return Err(refuse(
                words![
                    Setting::Keep,
                    " only works with ",
                    Setting::Threshold,
                    " or ",
                    Setting::SkipBad
                ],
                "leave it out",
            ));
        }
        if self.threshold.is_none() && keep_per_group != 1 {
            let what = words![
                Setting::Drop,
                " and ",
                Setting::KeepPerGroup,
                " only work with ",
                Setting::Threshold
            ];
            return Err(refuse(what, "leave it out"));
        }
        config.method.threshold = self.threshold.unwrap_or(config.method.threshold);
        (config.keep, config.keep_per_group) = (self.keep.clone(), keep_per_group);
        self.written.apply(&mut config);
        Ok(config)
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.config()?;
        let report = self
            .input
            .report(Report::new("apply").inputs("decisions", [&self.decisions]));
        let report = report
            .output("kept", Some(&self.output))
            .output("decisions", self.write_decisions.as_deref());
        let file = report.open(config.summary.as_deref())?;
        let bars = Bars::new(self.run.quiet);
        let observer = |progress| bars.observe(progress);
        let done = match self.outputs() {
            None => apply(&self.decisions, &config, &self.output, &observer),
            Some(outputs) => dedup_listed(&self.decisions, &config, &outputs, &observer),
        };
        bars.clear();
        let applied = done?;
        warnings(&applied.unread.bad_examples, Flags::Others, self.run.quiet);
        let paths = [
            Some(&self.output),
            self.write_decisions.as_ref(),
            config.skip_bad.as_ref(),
            config.summary.as_ref(),
        ];
        let to_stdout = paths
            .into_iter()
            .flatten()
            .any(|path| path.as_os_str() == "-");
        match (self.json, to_stdout) {
            (true, false) => print_data(&report.json(&applied)?)?,
            (true, true) => say(report.json(&applied)?.trim_end()),
            (false, _) if self.run.quiet => {}
            (false, _) => say(&self.page(&applied)),
        }
        report::write(file, &report, &applied)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the outputs that the flags name, if documents are decided from pairs.
    pub fn outputs(&self) -> Option<Outputs> {
        let outputs = || Outputs {
            kept: Some(self.output.clone()),
            decisions: self.write_decisions.clone(),
            ..Outputs::default()
        };
        self.threshold.map(|_| outputs())
    }

    /// Returns the summary as text.
    fn page(&self, a: &Applied) -> String {
        let share = format!(
            "{:.1} %",
            100.0 * a.dropped as f64 / a.documents.max(1) as f64
        );
        let (documents, kept, dropped) = (
            counted(a.documents, "document"),
            count(a.kept),
            count(a.dropped),
        );
        let mut lines = vec![format!(
            "{BOLD}{documents}{BOLD:#} in = {BOLD}{kept}{BOLD:#} kept + {BOLD}{dropped}{BOLD:#} dropped ({share}), according to {}",
            name(Path::new(&self.decisions))
        )];
        lines.extend(a.pairs.map(|pairs| {
            let (used, listed) = (count(pairs.used), counted(pairs.listed, "pair"));
            format!(
                "  pairs    {used} of {listed} with a similarity of {} or more",
                pairs.threshold
            )
        }));
        if let Some(file) = self
            .input
            .records
            .skip_bad
            .as_ref()
            .filter(|_| a.unread.bad_lines > 0)
        {
            lines.push(format!(
                "  bad      {} skipped, written to {}",
                counted(a.unread.bad_lines, "line"),
                name(file)
            ));
        }
        lines.extend(left_out(&a.unread.left_out).map(|words| format!("  skipped  {words}")));
        let rate = a.bytes as f64 / 1e6 / a.seconds.max(1e-9);
        let memory = a.peak_memory.map_or(String::new(), |peak| {
            format!(", peak memory {}", bytes(peak))
        });
        lines.push(format!(
            "  time     {:.2} s for {} ({rate:.0} MB/s){memory}",
            a.seconds,
            bytes(a.bytes)
        ));
        if self.output.as_os_str() != "-" {
            lines.push(format!("  written  kept records to {}", name(&self.output)));
        }
        let decisions = self
            .write_decisions
            .as_ref()
            .filter(|path| path.as_os_str() != "-");
        lines.extend(decisions.map(|path| format!("  written  decisions to {}", name(path))));
        lines.join("\n")
    }
}

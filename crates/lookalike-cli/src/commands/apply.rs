//! `lookalike apply`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike_engine::{Applied, ApplyOptions, apply, dedup_listed};

use crate::{
    config::ConfigFile,
    found::left_out,
    front::Flags,
    output::{BOLD, bytes, count, counted, name, warnings},
    report::Report,
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
    options: ApplyOptions,
    #[command(flatten)]
    file: ConfigFile,
    /// Print the summary as JSON
    ///
    /// The summary is printed on standard output, or on standard error if another output is written to standard output.
    #[arg(long)]
    json: bool,
}

impl Apply {
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.file.fill(&mut self.options)?;
        let (config, outputs) = self.options.plan()?;
        let (quiet, decisions) = (
            self.options.execution.quiet,
            self.options.write_decisions.as_deref(),
        );
        let Some(output) = self.options.output.as_deref() else {
            anyhow::bail!("the kept records need a name; give one with -o");
        };
        let run = Report::new("apply")
            .inputs("decisions", [&self.decisions])
            .over(&self.options.inputs)
            .output("kept", Some(output))
            .output("decisions", decisions)
            .begin(config.summary.as_deref(), self.json, quiet)?;
        let applied = run.observed(|observer| match outputs {
            None => apply(&self.decisions, &config, output, observer),
            Some(outputs) => dedup_listed(&self.decisions, &config, &outputs, observer),
        })?;
        warnings(&applied.unread.bad_examples, Flags::Others, quiet);
        run.end(&applied, || self.page(&applied))?;
        Ok(ExitCode::SUCCESS)
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
            .options
            .inputs
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
        let options = &self.options;
        let named = |path: &&PathBuf| path.as_os_str() != "-";
        let written = [
            ("kept records", &options.output),
            ("decisions", &options.write_decisions),
        ];
        let written = written
            .into_iter()
            .filter_map(|(what, path)| Some((what, path.as_ref().filter(named)?)));
        lines.extend(written.map(|(what, path)| format!("  written  {what} to {}", name(path))));
        lines.join("\n")
    }
}

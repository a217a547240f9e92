//! `lookalike pairs`.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike::{Config, Verify};
use lookalike_engine::{RunConfig, pairs};

use crate::{
    args::{
        FindArgs, InputArgs, MethodBy, ReportArgs, RunArgs, ShingleArgs, VerifyBy, described,
        run_config, set_references,
    },
    found::{above, found, hints, notes, sketches},
    front::Flags,
    output::{Bars, counted, name, say, warnings},
    report::{self, Report},
};

/// List all pairs of similar documents
///
/// Prints one JSON line per pair, in input order: a, b, resemblance, containment_ab (the share of text a that text b contains),
/// containment_ba, intersection, size_a, size_b, all counted exactly. With --verify sketch, similarity is estimated from
/// sketches, and a line has a, b and the estimate: resemblance or, for containment, containment_ab and containment_ba. With
/// --verify none, all candidate pairs are listed, and a line has only a and b. Candidates are found by sketches, which miss a
/// share of the pairs; the summary reports the expected recall if it is known (see `lookalike curve`). --exact misses no pair,
/// because it compares the shingle sets themselves instead of sketches.
///
/// INPUT can also be files of sketches, which `lookalike sketch` writes. Then all similarities are estimated from the sketches, and
/// flags that concern texts are refused.
///
/// With --against, each pair consists of a reference document (a) and an input document (b).
///
/// With --nearest K, each document (a) is listed with its K most similar matches (b) that reach the threshold.
///
/// The exit code is 1 if there is no pair, unless the collection is empty.
#[derive(Args)]
pub struct Pairs {
    #[command(flatten)]
    input: InputArgs,
    /// List only pairs of a REF document and an input document
    ///
    /// A REF is named and read like an input, or is the folder of an index. The same id may occur in REF and in the inputs. All names after --against, up to
    /// the next flag, are references, so put INPUT before --against.
    #[arg(long, value_name = "REF", num_args = 1.., help_heading = "References")]
    against: Vec<String>,
    /// Write the pairs to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List the K most similar matches of each document
    ///
    /// In each line, a is the document and b is one of its neighbours (its matches). The most similar neighbours come first;
    /// equally similar ones are in input order. A pair is listed twice if each document is a neighbour of the other. With
    /// --against, the neighbours are reference documents.
    #[arg(long, value_name = "K")]
    nearest: Option<NonZeroUsize>,
    /// Find every pair by comparing shingle sets; same as --method shingle
    ///
    /// The shingle sets themselves are compared instead of sketches, so no pair is missed, but all sets must be in memory.
    #[arg(long, conflicts_with = "method")]
    exact: bool,
    /// Print the summary as JSON on standard error
    #[arg(long)]
    json: bool,
    /// Minimum similarity of a pair [default: 0.5, also with --preset]
    ///
    /// A pair is listed if its resemblance reaches T or, with --measure containment, if the containment of either text in the
    /// other reaches T.
    #[arg(
        long,
        short,
        value_name = "T",
        default_value_t = 0.5,
        hide_default_value = true,
        allow_negative_numbers = true,
        help_heading = "Comparison"
    )]
    threshold: f64,
    /// How candidate pairs are verified [default: exact; with files of sketches, sketch]
    #[arg(long, value_enum, help_heading = "Comparison")]
    verify: Option<VerifyBy>,
    #[command(flatten)]
    find: FindArgs,
    #[command(flatten)]
    shingles: ShingleArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl Pairs {
    /// Returns the configuration of the run.
    pub fn config(&self) -> anyhow::Result<RunConfig> {
        let mut find = self.find.clone();
        if self.exact {
            find.method = MethodBy::Shingle;
        }
        let (threshold, verify, fields) = (
            self.threshold,
            self.verify.map(Verify::from),
            &self.input.records.fields,
        );
        let method = Config {
            threshold,
            verify,
            ..fields.of_sets(find.config(&self.shingles)?)?
        };
        let mut config = run_config(&self.input, &self.run, method);
        set_references(&mut config, &self.against)?;
        config.nearest = self.nearest;
        self.report.apply(None, &mut config)?;
        Ok(config)
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.config()?;
        let report = self
            .input
            .report(Report::new("pairs"))
            .inputs("against", &self.against);
        let report = report.output(
            "pairs",
            Some(self.output.as_deref().unwrap_or(Path::new("-"))),
        );
        let report = report.output("report", self.report.path().map(PathBuf::as_path));
        let file = report.open(config.summary.as_deref())?;
        let bars = Bars::new(self.run.quiet);
        let done = pairs(&config, self.output.as_deref(), &|progress| {
            bars.observe(progress)
        });
        bars.clear();
        let summary = done?;
        warnings(&summary.unread.bad_examples, Flags::Others, self.run.quiet);
        if self.json {
            say(report.json(&summary)?.trim_end());
        } else if !self.run.quiet {
            let similar = match self.verify.map(Verify::from) {
                _ if summary.sketches.is_some() => ", with similarities estimated from sketches",
                None | Some(Verify::Exact) => "",
                Some(Verify::Sketch) => ", similar according to sketches",
                Some(Verify::None) => ", candidates that are not verified",
            };
            let (pairs, documents) = (
                counted(summary.pairs, "pair"),
                counted(summary.documents, "document"),
            );
            let among = match summary.references {
                None => format!("among {documents}"),
                Some(references) => format!(
                    "between {} and {documents}",
                    counted(references, "reference document")
                ),
            };
            let most = summary.nearest.map_or(String::new(), |most| {
                format!(", at most {most} per document")
            });
            say(&format!(
                "{pairs} {among}{most}{similar}; found: {}",
                found(&summary.finding, &config.method)
            ));
            summary
                .sketches
                .iter()
                .flat_map(sketches)
                .for_each(|words| say(&words));
            notes(&config.method, &summary.finding, &summary.unread)
                .iter()
                .for_each(|words| say(words));
            above(&summary.finding)
                .iter()
                .for_each(|words| say(&format!("memory: {words}")));
            hints(&summary.finding).for_each(|words| say(&format!("hint: {words}")));
            let page = self.report.path().zip(summary.report.as_ref());
            page.iter().for_each(|(path, figures)| {
                say(&format!("report: {}: {}", name(path), described(figures)))
            });
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(
            summary.pairs == 0 && summary.documents > 0,
        )))
    }
}

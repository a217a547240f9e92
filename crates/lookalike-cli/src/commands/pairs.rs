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
    args::{FindArgs, InputArgs, MethodBy, RunArgs, ShingleArgs, VerifyBy, run_config},
    found::{above, anchors, aside, found, left_out, preset, too_large},
    front::Flags,
    output::{Bars, counted, say, warnings},
    report::{self, Report},
};

/// List every pair of similar documents
///
/// One JSON line a pair, in input order: a, b, resemblance, containment_ab (the share of a found in b), containment_ba,
/// intersection, size_a, size_b, all counted exactly. With --verify sketch the pairs are those that the sketches take for
/// similar, and the line has a, b and an estimate: resemblance, or for containment containment_ab and containment_ba. With
/// --verify none they are all candidates, and the line has a and b alone. Candidates come from sketches and miss a share of the
/// pairs, which the last line tells where it is known (see `lookalike curve`); with --exact none is missed: the sets themselves
/// are joined.
///
/// With --against the pairs are those of a document of a reference, a, and one of the inputs, b.
///
/// With --nearest K each document, a, is listed with its K most similar matches, b, which reach the threshold.
///
/// Exit code 1 when there is no pair, unless the collection is empty.
#[derive(Args)]
pub struct Pairs {
    #[command(flatten)]
    input: InputArgs,
    /// List only pairs of a document of a REF and one of the inputs. Each REF is named and read as an input is; ids may be in both.
    /// Every name behind the flag up to the next one is a REF: inputs stand before it
    #[arg(long, value_name = "REF", num_args = 1.., help_heading = "References")]
    against: Vec<String>,
    /// Write the pairs to FILE, or the object of a URL, instead of standard output; .gz, .zst, .bz2, .xz, .lz4 and .br are compressed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List for each document its K most similar matches: a is the document and b its neighbour, the most similar first, ties in
    /// input order. A pair is listed twice where each is among the other's. With --against the neighbours are reference documents
    #[arg(long, value_name = "K")]
    nearest: Option<NonZeroUsize>,
    /// As --method shingle: find all pairs by an exact join of the sets, without sketches; misses nothing, and needs all sets in
    /// memory
    #[arg(long, conflicts_with = "method")]
    exact: bool,
    /// Print a summary as JSON on standard error
    #[arg(long)]
    json: bool,
    /// List pairs that reach this resemblance, or containment of either in the other [default: 0.5, also with --preset quotations]
    #[arg(
        long,
        short,
        value_name = "T",
        default_value_t = 0.5,
        hide_default_value = true,
        allow_negative_numbers = true,
        help_heading = "Comparing"
    )]
    threshold: f64,
    /// What counts as similar
    #[arg(long, value_enum, default_value_t = VerifyBy::Exact, help_heading = "Comparing")]
    verify: VerifyBy,
    #[command(flatten)]
    find: FindArgs,
    #[command(flatten)]
    shingles: ShingleArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl Pairs {
    /// The run that is asked for.
    pub fn config(&self) -> anyhow::Result<RunConfig> {
        let mut find = self.find.clone();
        if self.exact {
            find.method = MethodBy::Shingle;
        }
        let (threshold, verify, fields) = (self.threshold, Some(self.verify.into()), &self.input.records.fields);
        let method = Config { threshold, verify, ..fields.of_sets(find.config(&self.shingles)?)? };
        Ok(RunConfig { against: self.against.clone(), nearest: self.nearest, ..run_config(&self.input, &self.run, method) })
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (config, verify) = (self.config()?, Verify::from(self.verify));
        let report = self.input.report(Report::new("pairs")).inputs("against", &self.against);
        let report = report.output("pairs", Some(self.output.as_deref().unwrap_or(Path::new("-"))));
        let file = report::open(config.summary.as_deref())?;
        let bars = Bars::new(self.run.quiet);
        let done = pairs(&config, self.output.as_deref(), &|progress| bars.observe(progress));
        bars.clear();
        let summary = done?;
        warnings(&summary.bad_examples, Flags::Others, self.run.quiet);
        if self.json {
            say(report.json(&summary)?.trim_end());
        } else if !self.run.quiet {
            let similar = match verify {
                Verify::Exact => "",
                Verify::Sketch => ", similar as the sketches say",
                Verify::None => ", candidates that nobody verified",
            };
            let (pairs, documents) = (counted(summary.pairs, "pair"), counted(summary.documents, "document"));
            let among = match summary.references {
                None => format!("among {documents}"),
                Some(references) => format!("of {} and {documents}", counted(references, "reference document")),
            };
            let most = summary.nearest.map_or(String::new(), |most| format!(", at most {most} of each document"));
            say(&format!("{pairs} {among}{most}{similar}; found: {}", found(&summary.finding, &config.method)));
            preset(&config.method).iter().for_each(|words| say(&format!("preset: {words}")));
            anchors(&summary.finding).iter().for_each(|words| say(&format!("anchors: {words}")));
            aside(&summary.finding).iter().for_each(|words| say(&format!("set aside: {words}")));
            summary.left_out.iter().for_each(|left| say(&format!("left out: {}", left_out(left))));
            too_large(summary.finding.too_large).iter().for_each(|words| say(&format!("html: {words}")));
            above(&summary.finding).iter().for_each(|words| say(&format!("memory: {words}")));
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(summary.pairs == 0 && summary.documents > 0)))
    }
}

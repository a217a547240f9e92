//! `lookalike passages`.

mod page;
mod regions;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike_engine::{
    Offsets, PassagesSummary, Quoted, Quoting, ReportConfig, RunConfig, passages,
    passages_reporting,
};
use lookalike_options::{Execution, Inputs, Records, Shingling, choice, not_together};

use self::{page::Page, regions::RegionArgs};
use crate::{
    found::{left_out, page_size, too_large},
    front::Flags,
    output::{bytes, counted, print, warnings},
    report::Report,
};

/// Show the passages that texts share word for word, or changed
///
/// Compares each text of A with each text of B or, without B, the texts of A with each other. The command finds every run of at
/// least --least consecutive tokens that two of these texts share: no such run is missed in either text, however long the texts
/// are. Case, punctuation and white space are ignored, and offsets refer to the original texts. A is held in memory and B is
/// streamed, so give the smaller collection as A.
///
/// Without --json or --output, the pairs that share the most text are shown with their passages: shared text is green, and text
/// between joined runs (--gap) is red. With --json or --output, the output is one JSON line per pair: a, b, resemblance,
/// containment_ab, containment_ba, intersection, size_a and size_b (of the shingle sets, counted exactly), tokens_a and tokens_b,
/// shared_a and shared_b (how many of these tokens are in a shared run), and passages, each with a and b (start and end), tokens,
/// text_a and text_b. --tokens and --fold determine what a token is. --shingle and the other shingle flags affect resemblance and
/// containment, and therefore --threshold, but not which passages are found.
///
/// With --regions, the command finds passages that were copied and then changed: words replaced, inserted or deleted, sentences put
/// into another order. Each such passage is one region, not many runs. Regions are searched in the pairs of texts that share a run of
/// --least tokens. In the JSON lines, the passages are then regions, with density and score, and in_regions_a and in_regions_b are
/// the numbers of tokens that regions cover.
///
/// The exit code is 1 if no two texts share a passage, unless a collection is empty.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike passages essay.txt sources/\n  \
    lookalike passages essay.txt wikipedia.jsonl.zst --least 12 --json > found.jsonl\n  \
    lookalike passages essays/ --gap 3 --threshold 0.05\n  \
    lookalike passages essay.txt sources/ --regions\n  lookalike passages book.txt other.txt --full",
    mut_arg("preset", |arg| arg.hide(true)), mut_arg("set_field", |arg| arg.hide(true)))]
pub struct Passages {
    /// A text or a collection to hold in memory
    ///
    /// A can be anything that dedup accepts as an input.
    #[arg(value_name = "A")]
    a: String,
    /// Texts or collections to compare with A [default: compare A with itself]
    #[arg(value_name = "B")]
    b: Vec<String>,
    /// Write JSON Lines to FILE
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON Lines; with --output, the summary as JSON on standard error
    #[arg(long)]
    json: bool,
    /// Show the N pairs that share the most text [default: 20]
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// Show long passages in full
    #[arg(long)]
    full: bool,
    /// Leave the text of passages out of the JSON Lines
    #[arg(long)]
    no_text: bool,
    /// Unit of offsets in a text [default: bytes]
    #[arg(long, value_parser = choice::<Offsets>())]
    offsets: Option<Offsets>,
    /// Minimum length of a shared run, in tokens
    ///
    /// A run is a sequence of consecutive tokens. Tokens are words, or characters in scripts without spaces. With --tokens lines,
    /// they are lines. [default: 8; with --regions 4]
    #[arg(long, short, value_name = "N", help_heading = "Comparison")]
    least: Option<usize>,
    /// Join shared runs with at most N tokens between them in both texts
    ///
    /// With --regions, the maximum distance of neighbouring shared tokens of a region. [default: 0; with --regions 25]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Comparison"
    )]
    gap: Option<usize>,
    #[command(flatten)]
    regions: RegionArgs,
    /// Show only pairs in which one text contains this share of the other text
    #[arg(
        long,
        short,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Comparison"
    )]
    threshold: Option<f64>,
    /// Ignore runs of words that more than N texts of A have in common
    ///
    /// An example is a notice at the foot of all pages. Such runs are not used to find passages. The summary reports how many
    /// windows (runs of a fixed number of words) are excluded. [default: none]
    #[arg(long, value_name = "N", help_heading = "Comparison")]
    common: Option<u32>,
    #[command(flatten)]
    shingling: Shingling,
    #[command(flatten)]
    records: Records,
    #[command(flatten)]
    page: lookalike_options::Page,
    #[command(flatten)]
    execution: Execution,
}

impl Passages {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let is_lines = self.json || self.output.is_some();
        if is_lines && (self.pairs.is_some() || self.full) {
            let shown = if self.full { "full" } else { "pairs" };
            let other = if self.json { "json" } else { "output" };
            return Err(not_together(shown, other).into());
        }
        if self.no_text && !self.json && self.output.is_none() {
            anyhow::bail!(
                "--no-text only works with --json or --output; leave it out to show the pairs"
            );
        }
        if self.shingling.preset.is_some() {
            anyhow::bail!(
                "--preset has no effect on passages, which are runs of --least tokens; leave it out"
            );
        }
        let regions = self.regions.settings(self.gap);
        let default = Quoting {
            regions,
            ..Quoting::default()
        };
        let asked = Quoting {
            least: self.least.unwrap_or(if regions.is_some() {
                Quoting::LEAST_OF_REGIONS
            } else {
                default.least
            }),
            gap: self.gap.unwrap_or(default.gap),
            regions,
            common: self.common,
            containment: self.threshold.unwrap_or_default(),
            offsets: self.offsets.unwrap_or(Offsets::Bytes),
            // Only JSON Lines need copies of the passages, because the page reads them from the texts themselves.
            words: !self.no_text && (self.json || self.output.is_some()),
            best: Some(self.pairs.unwrap_or(20)),
        };
        let lines = self.json || self.output.is_some();
        let report = Report::new("passages")
            .inputs("a", [&self.a])
            .inputs("b", &self.b);
        let report = report.output("bad_lines", self.records.skip_bad.as_deref());
        let report = report.output(
            "pairs",
            self.output.as_deref().or(lines.then_some(Path::new("-"))),
        );
        let (inputs, against) = if self.b.is_empty() {
            (vec![self.a], Vec::new())
        } else {
            (self.b, vec![self.a])
        };
        let inputs = Inputs {
            inputs,
            records: self.records,
            ..Inputs::default()
        };
        let method = inputs.records.fields.of_sets(self.shingling.config()?)?;
        let report = report.output("report", self.page.report.as_deref());
        let config = RunConfig {
            against,
            report: ReportConfig::at(&self.page),
            ..RunConfig::of(&inputs, &self.execution, method)
        };
        let quiet = self.execution.quiet;
        let run = report.begin(
            config.summary.as_deref(),
            self.json && self.output.is_some(),
            quiet,
        )?;
        let mut page = Page::new(self.full);
        let summary = run.observed(|observer| {
            if lines {
                return passages(&config, &asked, self.output.as_deref(), observer);
            }
            let mut tell = |quoted: &Quoted| {
                page.take(quoted);
                Ok(())
            };
            passages_reporting(&config, &asked, &mut tell, observer)
        })?;
        if !lines {
            print(&page.text(summary.pairs))?;
        }
        warnings(&summary.unread.bad_examples, Flags::Others, quiet);
        run.end_on_stderr(&summary, || words(&summary, config.against.is_empty()))?;
        Ok(ExitCode::from(u8::from(
            summary.pairs == 0 && summary.texts_a.min(summary.texts_b) > 0,
        )))
    }
}

/// Returns the summary as text.
fn words(summary: &PassagesSummary, among: bool) -> String {
    let texts = if among {
        format!("among {}", counted(summary.texts_a, "text"))
    } else {
        format!(
            "between {} and {}",
            counted(summary.texts_a, "text"),
            counted(summary.texts_b, "other")
        )
    };
    let least = counted(summary.least as u64, "token");
    let found = if summary.regions.is_some() {
        "region"
    } else {
        "passage"
    };
    let mut words = format!(
        "{} {texts} share {}; ",
        counted(summary.pairs, "pair"),
        counted(summary.passages, found)
    );
    words += &match (summary.windows_aside, &summary.regions) {
        (excluded, Some(regions)) => {
            let aside = match excluded {
                0 => String::new(),
                excluded => format!(
                    " without --common: {} excluded",
                    counted(excluded, "window")
                ),
            };
            format!(
                "regions of {} or more are searched in pairs that share a run of {least}{aside}",
                counted(regions.tokens as u64, "token")
            )
        }
        (0, None) if summary.pairs == 0 => format!(
            "every shared run of {least} or more is found, but none in shorter texts, even if they are equal; lower --least"
        ),
        (0, None) => format!("every shared run of {least} or more is found"),
        (excluded, None) => format!(
            "every shared run of {least} or more is found, unless --common excludes all of its windows: {} excluded",
            counted(excluded, "window")
        ),
    };
    if summary.pairs_left_out > 0 {
        words += &format!(
            "\nbelow --threshold: {} that share passages",
            counted(summary.pairs_left_out, "pair")
        );
    }
    if summary.unread.bad_lines > 0 {
        words += &format!(
            "\nbad: {} skipped",
            counted(summary.unread.bad_lines, "line")
        );
    }
    if let Some(left) = left_out(&summary.unread.left_out) {
        words += &format!("\nskipped: {left}");
    }
    if let Some(pages) = too_large(summary.too_large) {
        words += &format!("\nhtml: {pages}");
    }
    if let Some(page) = &summary.report {
        words += &format!("\nreport: {}", page_size(page));
    }
    if summary.above_memory > 0 {
        words += &format!("\nmemory: {} above --memory", bytes(summary.above_memory));
    }
    words
}

//! `lookalike passages`.

mod page;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike_engine::{Offsets, PassagesSummary, Quoted, Quoting, RunConfig, passages, passages_told};

use self::page::Page;
use crate::{
    args::{InputArgs, RecordArgs, RunArgs, ShingleArgs, run_config},
    found::{left_out, too_large},
    front::Flags,
    output::{Bars, bytes, counted, print, say, warnings},
    report::{self, Report},
};

/// Show the passages that texts share word for word, and where they stand
///
/// Compares each text of A with each of B, or without B the texts of A with each other, and finds every run of --least tokens or
/// more that two of them share, however long the texts: none is missed, on either side. Case, punctuation and white space make no
/// difference, and places are those of the untouched texts. A is held in memory, B is read through: name the smaller one first.
///
/// Without --json or --output, the pairs that share most are shown with their passages: green is shared, red stands between shared
/// runs (--gap). With, there is one JSON line a pair: a, b, resemblance, containment_ab, containment_ba, intersection, size_a and size_b
/// (of shingle sets, counted exactly), tokens_a and tokens_b, shared_a and shared_b (how many of them stand in a run that both have), and
/// passages: a and b (from where to where), tokens, text_a and text_b. --tokens and --fold say what a token is; --shingle and the other
/// flags of shingles change only what resemblance and containment are, and so --threshold, not what is found.
///
/// Exit code 1 when no two texts share a passage, unless a collection is empty.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike passages essay.txt sources/\n  \
    lookalike passages essay.txt wikipedia.jsonl.zst --least 12 --json > found.jsonl\n  \
    lookalike passages essays/ --gap 3 --threshold 0.05\n  lookalike passages book.txt other.txt --full")]
pub struct Passages {
    /// A text, or a collection, that is held in memory; named and read as inputs of dedup are
    #[arg(value_name = "A")]
    a: String,
    /// A text or a collection that is compared with it; several may be named [default: the texts of A with each other]
    #[arg(value_name = "B")]
    b: Vec<String>,
    /// Write JSON lines to FILE, or the object of a URL; .gz, .zst, .bz2, .xz, .lz4 and .br are compressed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON lines; with --output, the summary as JSON on standard error
    #[arg(long)]
    json: bool,
    /// Show so many pairs, those that share most
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with_all = ["json", "output"])]
    pairs: usize,
    /// Show long passages whole
    #[arg(long, conflicts_with_all = ["json", "output"])]
    full: bool,
    /// Leave the words of passages out of JSON lines: of --json and --output
    #[arg(long)]
    no_text: bool,
    /// What places in a text count
    #[arg(long, value_enum, default_value_t = OffsetsBy::Bytes)]
    offsets: OffsetsBy,
    /// The least length of a shared run, in tokens: words, characters of scripts without spaces, or with --tokens lines lines
    #[arg(long, short, value_name = "N", default_value_t = Quoting::default().least, help_heading = "Comparing")]
    least: usize,
    /// Join runs that at most N tokens separate in both texts
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, help_heading = "Comparing")]
    gap: usize,
    /// Only pairs of which one text is contained to this share in the other
    #[arg(
        long,
        short,
        value_name = "T",
        default_value_t = 0.0,
        hide_default_value = true,
        allow_negative_numbers = true,
        help_heading = "Comparing"
    )]
    threshold: f64,
    /// Find no passage by words that more than N texts of A have in common, such as a notice at the foot of all pages; how many are
    /// set aside is told [default: none are]
    #[arg(long, value_name = "N", help_heading = "Comparing")]
    common: Option<u32>,
    #[command(flatten)]
    shingles: ShingleArgs,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// What places in a text count.
#[derive(Clone, Copy, ValueEnum)]
enum OffsetsBy {
    /// bytes of UTF-8
    Bytes,
    /// Unicode characters, as Python's strings
    Chars,
}

impl Passages {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.no_text && !self.json && self.output.is_none() {
            anyhow::bail!("--no-text goes with --json or --output: people are shown the words");
        }
        if self.shingles.preset.is_some() {
            anyhow::bail!("--preset: passages are runs of --least tokens whatever the preset is; leave it out");
        }
        let asked = Quoting {
            least: self.least,
            gap: self.gap,
            common: self.common,
            containment: self.threshold,
            offsets: match self.offsets {
                OffsetsBy::Bytes => Offsets::Bytes,
                OffsetsBy::Chars => Offsets::Chars,
            },
            // People are shown the texts themselves.
            words: !self.no_text && (self.json || self.output.is_some()),
            best: Some(self.pairs),
        };
        let lines = self.json || self.output.is_some();
        let report = Report::new("passages").inputs("a", [&self.a]).inputs("b", &self.b);
        let report = report.output("bad_lines", self.records.skip_bad.as_deref());
        let report = report.output("pairs", self.output.as_deref().or(lines.then_some(Path::new("-"))));
        let (inputs, against) = if self.b.is_empty() { (vec![self.a], Vec::new()) } else { (self.b, vec![self.a]) };
        let input = InputArgs { inputs, input_command: Vec::new(), records: self.records };
        let method = input.records.fields.of_sets(self.shingles.config()?)?;
        let config = RunConfig { against, ..run_config(&input, &self.run, method) };
        let file = report::open(config.summary.as_deref())?;
        let bars = Bars::new(self.run.quiet);
        let observer = |progress| bars.observe(progress);
        let (summary, page) = if lines {
            (passages(&config, &asked, self.output.as_deref(), &observer), None)
        } else {
            let mut page = Page::new(self.full);
            let mut tell = |quoted: &Quoted| {
                page.take(quoted);
                Ok(())
            };
            (passages_told(&config, &asked, &mut tell, &observer), Some(page))
        };
        bars.clear();
        let summary = summary?;
        if let Some(page) = page {
            print(&page.text(summary.pairs))?;
        }
        warnings(&summary.bad_examples, Flags::Others, self.run.quiet);
        match (self.json && self.output.is_some(), self.run.quiet) {
            (true, _) => say(report.json(&summary)?.trim_end()),
            (false, false) => say(&words(&summary, config.against.is_empty())),
            (false, true) => {}
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(summary.pairs == 0 && summary.texts_a.min(summary.texts_b) > 0)))
    }
}

/// What was found, in words.
fn words(summary: &PassagesSummary, among: bool) -> String {
    let texts = match among {
        true => format!("among {}", counted(summary.texts_a, "text")),
        false => format!("of {} and {}", counted(summary.texts_a, "text"), counted(summary.texts_b, "other")),
    };
    let least = counted(summary.least as u64, "token");
    let mut words = format!("{} {texts} share {}; ", counted(summary.pairs, "pair"), counted(summary.passages, "passage"));
    words += &match summary.windows_aside {
        0 => format!("every shared run of {least} or more is found"),
        aside => format!(
            "every shared run of {least} or more is found that has one of the windows that are not common: {} set aside",
            counted(aside, "window")
        ),
    };
    if summary.pairs_left_out > 0 {
        words += &format!("\nleft out: {} that share passages, below --threshold", counted(summary.pairs_left_out, "pair"));
    }
    if summary.bad_lines > 0 {
        words += &format!("\nset aside: {} as no records", counted(summary.bad_lines, "line"));
    }
    if let Some(left) = &summary.left_out {
        words += &format!("\nleft out: {}", left_out(left));
    }
    if let Some(pages) = too_large(summary.too_large) {
        words += &format!("\nhtml: {pages}");
    }
    if summary.above_memory > 0 {
        words += &format!("\nmemory: {} above what was asked", bytes(summary.above_memory));
    }
    words
}

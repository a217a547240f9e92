//! `lookalike cut`.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, ValueEnum};
use lookalike::{
    Config,
    cluster::Keep,
    cut::{CutConfig, Unit, Within},
    text::TokensBy,
};
use lookalike_engine::{CutSummary, Cutting, RunConfig, cut};

use crate::{
    args::{
        FoldArgs, InputArgs, OutputArgs, PageArgs, ResumeArgs, RunArgs, page_size, resumed,
        run_config, set_references,
    },
    found::left_out,
    front::Flags,
    output::{BOLD, Bars, DIM, bytes, count, counted, name, print_data, quiet, say, warnings},
    report::{self, Report},
};

/// Cut repeated passages out of texts, and keep one copy of each
///
/// Notices, menus, licence headers and quoted articles repeat inside documents that are otherwise different. The first occurrence
/// of a passage is kept, in input order or in the order of --keep. All others are cut, including those in the same text. Comparison
/// ignores case, punctuation and white space. Every cut leads to a place in the output, or in a reference, that has the same words.
/// A second run in the same order cuts nothing.
///
/// By default, a passage is a run of 50 tokens or more, wherever it starts and ends. With --unit, whole lines, paragraphs or sentences
/// are cut. Cutting a passage joins what is before and after it; if the joined text is a repetition itself, it is cut too.
///
/// Records are written with the remaining texts, and with all other fields unchanged. With --html, all texts are written as visible text.
/// Texts are written only with -o, and cuts only with --cuts, --dolma or --mark. The file of --cuts has one JSON line per document, in
/// input order: id, verdict (kept, cut or dropped), and cuts. Each cut has start and end (in characters of the original text),
/// start_byte and end_byte, insert (what replaces these characters, if not nothing), tokens, source (the id of the document that keeps
/// the passage), and source_start to source_end_byte, its place in the original text of that document.
///
/// With --mark, nothing is cut or dropped. Every record is written with its whole text and two more fields, which state what would be
/// cut: cut_verdict (kept, cut or dropped) and cut_spans, a list with the fields of cuts, except the places in bytes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike cut pages.jsonl.zst -o clean.jsonl.zst\n  \
    lookalike cut pages.jsonl --unit lines -o clean.jsonl --cuts cuts.jsonl\n  \
    lookalike cut news.parquet --unit sentences --window 3 -o clean.parquet\n  \
    lookalike cut train.jsonl --against tests/ --window 13 -o clean.jsonl\n  \
    lookalike cut pages.jsonl --mark -o marked.jsonl\n  \
    lookalike cut code.jsonl --unit lines --min-tokens 10 --verbatim -o clean.jsonl",
    mut_arg("set_field", |arg| arg.hide(true))
)]
pub struct Cut {
    #[command(flatten)]
    input: InputArgs,
    /// Also cut passages that occur in REF
    ///
    /// References are read like inputs, come before them, and are not written. Nothing is cut out of them. All names after --against,
    /// up to the next flag, are references, so put INPUT before --against.
    #[arg(long, value_name = "REF", num_args = 1.., help_heading = "References")]
    against: Vec<String>,
    /// Write the records with the remaining texts to FILE (- for standard output)
    ///
    /// FILE can be an s3://, gs:// or az:// URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br. If FILE is a
    /// folder, such as clean/, it gets one file for each input file, with the same relative name, format and compression.
    /// From folders and archives of text files, the texts are written as files.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    written: OutputArgs,
    /// Cut nothing; write all records with what would be cut
    ///
    /// The fields cut_verdict and cut_spans are added after the fields of the record. In CSV, the spans are JSON.
    #[arg(long, requires = "output")]
    mark: bool,
    /// With --mark: prefix for the names of the two fields [default: cut_]
    #[arg(
        long,
        value_name = "PREFIX",
        requires = "mark",
        default_value = "cut_",
        hide_default_value = true
    )]
    mark_prefix: String,
    /// Write the places of all cuts and of their sources to FILE
    ///
    /// The file is JSON Lines, compressed as for -o; - is standard output.
    #[arg(long, value_name = "FILE")]
    cuts: Option<PathBuf>,
    /// Write the places of all cuts to FILE, as attributes for Dolma
    ///
    /// The file is JSON Lines with one line per document, in input order. The attribute lookalike__cut has the spans in characters that are
    /// cut, each with the score 1, and lookalike__dropped has the whole text if the document is dropped.
    #[arg(long, value_name = "FILE")]
    dolma: Option<PathBuf>,
    /// What is compared and cut
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = UnitBy::Runs)]
    unit: UnitBy,
    /// Units in the shortest passage that is cut [default: 50 for runs, else 1]
    #[arg(long, value_name = "N")]
    window: Option<usize>,
    /// Cut a passage only if at least K earlier documents contain it
    ///
    /// The first K documents with the passage keep it. The document itself counts as one of K if it has the passage before.
    #[arg(long, value_name = "K", default_value_t = 1)]
    more_than: usize,
    /// Compare a document with all documents, itself, or its group
    ///
    /// One of all, document and group:FIELD. Documents with the same value of FIELD are a group, and so are documents without a
    /// value.
    #[arg(long, value_name = "WHERE", default_value = "all", value_parser = within)]
    within: WithinBy,
    /// Minimum number of tokens in a passage [default: 5; none for runs]
    ///
    /// If single tokens were cut, every repeated } or "return" would be.
    #[arg(long, value_name = "N")]
    min_tokens: Option<usize>,
    /// Drop a document if fewer than N tokens are left after a cut
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_left: usize,
    /// Cut only if the original bytes are equal too
    ///
    /// With --unit runs, the separators after a token are compared too.
    #[arg(long)]
    verbatim: bool,
    /// With --unit runs: cut only lines that are completely in repeated runs
    #[arg(long)]
    whole_lines: bool,
    /// Which copy to keep: first, longest, newest:FIELD, max:FIELD or min:FIELD
    ///
    /// Documents are processed in this order, and the first one that contains a passage keeps it.
    #[arg(long, value_name = "ORDER", default_value = "first")]
    keep: Keep,
    /// Print the summary as JSON
    ///
    /// The summary is printed on standard output, or on standard error if another output is written to standard output.
    #[arg(long)]
    json: bool,
    /// What a token is
    #[arg(long, value_enum, default_value_t = TokensOf::Auto, help_heading = "Comparison")]
    tokens: TokensOf,
    #[command(flatten)]
    folds: FoldArgs,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    resume: ResumeArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Units.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitBy {
    /// runs of tokens, which may start and end anywhere
    Runs,
    /// lines
    Lines,
    /// paragraphs, which blank lines separate
    Paragraphs,
    /// sentences
    Sentences,
}

impl From<UnitBy> for Unit {
    fn from(unit: UnitBy) -> Self {
        match unit {
            UnitBy::Runs => Self::Runs,
            UnitBy::Lines => Self::Lines,
            UnitBy::Paragraphs => Self::Paragraphs,
            UnitBy::Sentences => Self::Sentences,
        }
    }
}

/// Tokens.
#[derive(Clone, Copy, ValueEnum)]
enum TokensOf {
    /// words; characters in scripts without spaces, such as Chinese, Japanese, Thai and Javanese
    Auto,
    /// words in every script
    Words,
    /// characters, without what separates words
    Chars,
    /// like auto, but Chinese is split into the words of a dictionary
    Jieba,
}

impl From<TokensOf> for TokensBy {
    fn from(tokens: TokensOf) -> Self {
        match tokens {
            TokensOf::Auto => Self::Auto,
            TokensOf::Words => Self::Words,
            TokensOf::Chars => Self::Chars,
            TokensOf::Jieba => Self::Jieba,
        }
    }
}

/// Which documents are compared.
#[derive(Clone)]
enum WithinBy {
    All,
    Document,
    Group(String),
}

fn within(given: &str) -> Result<WithinBy, String> {
    match (given, given.strip_prefix("group:")) {
        ("all", _) => Ok(WithinBy::All),
        ("document", _) => Ok(WithinBy::Document),
        (_, Some(field)) if !field.is_empty() => Ok(WithinBy::Group(field.into())),
        _ => Err("give all, document, or group:FIELD, such as group:site".into()),
    }
}

impl Cut {
    pub fn config(&self) -> anyhow::Result<(RunConfig, Cutting)> {
        if self.input.records.fields.set_field.is_some() {
            anyhow::bail!(
                "--set-field: a set has no passages; leave it out, or use `lookalike dedup`"
            );
        }
        if !self.against.is_empty() && !matches!(self.within, WithinBy::All) {
            anyhow::bail!(
                "--within: references are compared with all documents; leave out --within, or cut in two runs"
            );
        }
        let method = Config {
            tokens: self.tokens.into(),
            folds: self.folds.folds(),
            ..Config::default()
        };
        let mut config = run_config(&self.input, &self.run, method);
        (config.keep, config.report) = (Some(self.keep.clone()), self.page.config());
        config.resume = self.resume.settings();
        self.written.apply(&mut config);
        set_references(&mut config, &self.against)?;
        if let WithinBy::Group(field) = &self.within {
            config.label_field = Some(field.clone());
        }
        let settings = CutConfig {
            unit: self.unit.into(),
            window: self.window,
            more_than: self.more_than,
            within: if matches!(self.within, WithinBy::Document) {
                Within::Document
            } else {
                Within::All
            },
            min_tokens: self.min_tokens,
            min_left: self.min_left,
            verbatim: self.verbatim,
            whole_lines: self.whole_lines,
            ..CutConfig::default()
        };
        let (texts, cuts, attributes) =
            (self.output.clone(), self.cuts.clone(), self.dolma.clone());
        let mark = self.mark.then(|| self.mark_prefix.clone());
        Ok((
            config,
            Cutting {
                cut: settings,
                texts,
                mark,
                cuts,
                attributes,
            },
        ))
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (config, asked) = self.config()?;
        let report = self
            .input
            .report(Report::new("cut"))
            .inputs("against", &self.against);
        let outputs = [
            ("texts", &asked.texts),
            ("cuts", &asked.cuts),
            ("attributes", &asked.attributes),
        ];
        let report = outputs.into_iter().fold(report, |report, (name, path)| {
            report.output(name, path.as_deref())
        });
        let report = report.output("report", self.page.report.as_deref());
        let file = report.open(config.summary.as_deref())?;
        let bars = Bars::new(self.run.quiet);
        let done = cut(&config, &asked, &|progress| bars.observe(progress));
        bars.clear();
        let summary = done?;
        warnings(&summary.unread.bad_examples, Flags::Cut, self.run.quiet);
        let paths = [
            &asked.texts,
            &asked.cuts,
            &asked.attributes,
            &self.page.report,
            &config.skip_bad,
            &config.summary,
        ];
        let to_stdout = paths
            .into_iter()
            .flatten()
            .any(|path| path.as_os_str() == "-");
        match (self.json, to_stdout) {
            (true, false) => print_data(&report.json(&summary)?)?,
            (true, true) => say(report.json(&summary)?.trim_end()),
            (false, _) if self.run.quiet => {}
            (false, _) => say(&page(&summary, &asked, &self.resume)),
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the summary as text.
fn page(s: &CutSummary, asked: &Cutting, resume: &ResumeArgs) -> String {
    let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / s.tokens.max(1) as f64);
    let mut lines = vec![
        format!(
            "{BOLD}{}{BOLD:#} in = {} unchanged + {BOLD}{}{BOLD:#} cut + {} dropped",
            counted(s.documents, "document"),
            count(s.unchanged),
            count(s.cut),
            count(s.dropped)
        ),
        format!(
            "  tokens   {} in = {} kept + {BOLD}{}{BOLD:#} cut ({}) + {} dropped",
            count(s.tokens),
            count(s.tokens_kept),
            count(s.tokens_cut),
            share(s.tokens_cut),
            count(s.tokens_dropped)
        ),
    ];
    let unit = match s.settings.unit {
        Unit::Runs => "token",
        Unit::Lines => "line",
        Unit::Paragraphs => "paragraph",
        Unit::Sentences => "sentence",
    };
    let least = if s.min_tokens > 0 {
        format!(" with at least {}", counted(s.min_tokens as u64, "token"))
    } else {
        String::new()
    };
    lines.push(format!(
        "  cuts     {}, of passages of at least {}{least}",
        counted(s.cuts, "cut"),
        counted(s.window as u64, unit)
    ));
    if asked.mark.is_some() {
        lines.push("  marked   nothing was cut or dropped: the numbers say what would be".into());
    }
    if s.references > 0 {
        lines.push(format!("  against  {}", counted(s.references, "reference")));
    }
    let rate = s.bytes as f64 / 1e6 / s.seconds.max(1e-9);
    let peak = s.peak_memory.map_or(String::new(), |peak| {
        format!(", peak memory {}", bytes(peak))
    });
    lines.push(format!(
        "  time     {:.2} s for {} ({rate:.0} MB/s){peak}",
        s.seconds,
        bytes(s.bytes)
    ));
    if s.above_memory > 0 {
        let why = "the index of repeated passages cannot be spilled to files";
        lines.push(format!(
            "  memory   {} above --memory: {why}",
            bytes(s.above_memory)
        ));
    }
    if s.unread.bad_lines > 0 {
        lines.push(format!(
            "  skipped  {}",
            counted(s.unread.bad_lines, "bad line")
        ));
    }
    lines.extend(left_out(&s.unread.left_out).map(|words| format!("  skipped  {words}")));
    lines.extend(s.resumed.as_ref().map(resumed));
    let records = if asked.mark.is_some() {
        "all records, marked,"
    } else {
        "records"
    };
    let written = [
        (records, &asked.texts),
        ("cuts", &asked.cuts),
        ("attributes", &asked.attributes),
    ];
    for (what, path) in written
        .into_iter()
        .filter_map(|(what, path)| Some((what, path.as_deref()?)))
    {
        lines.push(format!("  written  {what} to {}", name(path)));
    }
    lines.extend(
        s.report
            .iter()
            .map(|figures| format!("  report   {}", page_size(figures))),
    );
    lines.extend(resume.removed());
    if !s.largest.is_empty() {
        lines.push(format!(
            "\n{BOLD}   tokens  documents  passage and document that keeps it{BOLD:#}"
        ));
        for source in &s.largest {
            let id = quiet(source.id.get());
            lines.push(format!(
                "{:>9}  {:>9}  {} {DIM}{id}{DIM:#}",
                count(source.tokens),
                count(source.documents),
                quiet(&source.text)
            ));
        }
    }
    lines.join("\n")
}

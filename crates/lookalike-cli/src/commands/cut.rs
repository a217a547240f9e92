//! `lookalike cut`.

use std::process::ExitCode;

use clap::Args;
use lookalike::cut::Unit;
use lookalike_engine::{CutOptions, CutSummary, Cutting, cut};
use lookalike_indexing::open_references;
use lookalike_options::SavedProgress;

use crate::{
    config::ConfigFile,
    found::{left_out, page_size, removed, resumed},
    front::Flags,
    output::{BOLD, DIM, bytes, count, counted, name, quiet, warnings},
    report::Report,
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
    lookalike cut code.jsonl --unit lines --min-tokens 10 --verbatim -o clean.jsonl"
)]
pub struct Cut {
    #[command(flatten)]
    options: CutOptions,
    #[command(flatten)]
    file: ConfigFile,
    /// Print the summary as JSON
    ///
    /// The summary is printed on standard output, or on standard error if another output is written to standard output.
    #[arg(long)]
    json: bool,
}

impl Cut {
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.file.fill(&mut self.options)?;
        let (mut config, asked) = self.options.plan(false)?;
        open_references(&mut config)?;
        let (page, quiet) = (&self.options.page.report, self.options.execution.quiet);
        let run = Report::new("cut")
            .over(&self.options.inputs)
            .inputs("against", &self.options.references.against)
            .output("texts", asked.texts.as_deref())
            .output("cuts", asked.cuts.as_deref())
            .output("attributes", asked.attributes.as_deref())
            .output("report", page.as_deref())
            .begin(config.summary.as_deref(), self.json, quiet)?;
        let summary = run.observed(|observer| cut(&config, &asked, observer))?;
        warnings(&summary.unread.bad_examples, Flags::Cut, quiet);
        run.end(&summary, || shown(&summary, &asked, &self.options.saved))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the summary as text.
fn shown(s: &CutSummary, asked: &Cutting, saved: &SavedProgress) -> String {
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
    lines.extend(removed(saved));
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

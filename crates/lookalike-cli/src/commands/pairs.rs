//! `lookalike pairs`.

use std::{path::Path, process::ExitCode};

use clap::Args;
use lookalike::Verify;
use lookalike_engine::{PairsOptions, pairs};
use lookalike_indexing::open_references;

use crate::{
    config::ConfigFile,
    found::{above, described, found, hints, notes, sketches},
    front::Flags,
    output::{counted, name, warnings},
    report::Report,
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
    options: PairsOptions,
    #[command(flatten)]
    file: ConfigFile,
    /// Print the summary as JSON on standard error
    #[arg(long)]
    json: bool,
}

impl Pairs {
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.file.fill(&mut self.options)?;
        let options = &self.options;
        let mut config = options.plan(false)?;
        open_references(&mut config)?;
        let (page, quiet) = (options.page.report.as_deref(), options.execution.quiet);
        let output = options.output.as_deref();
        let run = Report::new("pairs")
            .over(&options.inputs)
            .inputs("against", &options.references.against)
            .output("pairs", Some(output.unwrap_or(Path::new("-"))))
            .output("report", page)
            .begin(config.summary.as_deref(), self.json, quiet)?;
        let summary = run.observed(|observer| pairs(&config, output, observer))?;
        warnings(&summary.unread.bad_examples, Flags::Others, quiet);
        run.end_on_stderr(&summary, || {
            let similar = match options.verify {
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
            let mut lines = vec![format!(
                "{pairs} {among}{most}{similar}; found: {}",
                found(&summary.finding, &config.method)
            )];
            lines.extend(summary.sketches.iter().flat_map(sketches));
            lines.extend(notes(&config.method, &summary.finding, &summary.unread));
            lines.extend(above(&summary.finding).map(|words| format!("memory: {words}")));
            lines.extend(hints(&summary.finding).map(|words| format!("hint: {words}")));
            let page = page.zip(summary.report.as_ref());
            lines.extend(
                page.map(|(path, figures)| {
                    format!("report: {}: {}", name(path), described(figures))
                }),
            );
            lines.join("\n")
        })?;
        Ok(ExitCode::from(u8::from(
            summary.pairs == 0 && summary.documents > 0,
        )))
    }
}

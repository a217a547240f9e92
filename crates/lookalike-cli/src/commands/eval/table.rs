//! The results as text tables.

use lookalike::{sketch::Estimate, verify::Measure};

use super::{judge::Judged, report::Report};
use crate::{
    output::{BOLD, DIM, count, counted},
    shares::{NOTHING, share, within},
};

/// A function that formats one cell in the line of a run.
type Cell = fn(&Judged) -> String;

/// Columns for how well pairs are found.
const PAIRS: [(&str, Cell); 4] = [
    ("precision", |run| percent(run.pairs.precision)),
    ("recall", |run| percent(run.pairs.recall)),
    ("F1", |run| share(run.pairs.f1)),
    ("whole", |run| percent(run.partners.complete_share)),
];

/// Columns for the quality of the groups.
const CLUSTERS: [(&str, Cell); 4] = [
    ("B³ P", |run| {
        share(
            run.clusters
                .as_ref()
                .and_then(|clusters| Some(clusters.b_cubed?.precision)),
        )
    }),
    ("B³ R", |run| {
        share(
            run.clusters
                .as_ref()
                .and_then(|clusters| Some(clusters.b_cubed?.recall)),
        )
    }),
    ("B³ F", |run| {
        share(
            run.clusters
                .as_ref()
                .and_then(|clusters| Some(clusters.b_cubed?.f)),
        )
    }),
    ("ARI", |run| {
        run.clusters.as_ref().map_or(NOTHING.into(), |clusters| {
            format!("{:.3}", clusters.adjusted_rand_index)
        })
    }),
];

/// Columns for how well pairs are found, estimated from a sample.
const SAMPLED: [(&str, Cell); 4] = [
    ("precision", |run| within(run.pairs.precision)),
    ("recall", |run| within(run.pairs.recall)),
    ("F1", |run| share(run.pairs.f1)),
    ("whole", |run| within(run.partners.complete_share)),
];

/// Columns for the dropped documents, and for the cost.
const DEEDS: [(&str, Cell); 7] = [
    ("dropped", |run| count(run.dropped)),
    ("wrong", |run| count(run.drops.counts.wrong)),
    ("missed", |run| count(run.drops.counts.missed)),
    ("doubled", |run| count(run.drops.counts.doubled)),
    ("candidates", |run| count(run.pairs_met)),
    ("s", |run| format!("{:.2}", run.seconds)),
    ("MB", |run| {
        run.peak_memory
            .map_or(NOTHING.into(), |bytes| format!("{:.0}", bytes as f64 / 1e6))
    }),
];

pub fn page(report: &Report) -> String {
    let truth = &report.truth;
    let similar = match truth.measure {
        Measure::Resemblance => "with resemblance",
        Measure::Containment => "with containment in either direction",
    };
    let pairs = counted(truth.pairs, "pair");
    let (documents, judged, partner) = (
        counted(truth.documents, "document"),
        count(truth.judged),
        count(truth.with_partner),
    );
    let about = match truth.kind {
        "labels" => {
            format!("{pairs} with the same label; {partner} of {documents} are in such a pair")
        }
        "sample" => format!(
            "{pairs} {similar} >= {}; {partner} of {judged} sampled documents are in such a pair; {documents} in total",
            truth.threshold
        ),
        _ => format!(
            "{pairs} with similarity >= {}; {partner} of {documents} are in such a pair",
            truth.threshold
        ),
    };
    let (quality, of) = if truth.judged < truth.documents {
        (
            SAMPLED.to_vec(),
            format!("{DIM}wrong, missed, doubled: among the sampled documents{DIM:#}\n"),
        )
    } else {
        ([PAIRS, CLUSTERS].concat(), String::new())
    };
    let (quality, deeds) = (
        table("% of pairs", &report.runs, &quality),
        table("documents", &report.runs, &DEEDS),
    );
    format!("{BOLD}truth{BOLD:#}    {about}\n\n{quality}\n{deeds}{of}")
}

/// Formats a table with one line per run. Numbers are aligned to the right of their column, with their decimals below each other.
fn table(corner: &str, runs: &[Judged], columns: &[(&str, Cell)]) -> String {
    let wide = |words: &str| words.chars().count();
    let labels = runs
        .iter()
        .map(|run| wide(&run.label))
        .chain([wide(corner)])
        .max()
        .unwrap_or(0);
    let cells: Vec<Vec<String>> = columns
        .iter()
        .map(|(_, cell)| runs.iter().map(cell).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .zip(&cells)
        .map(|((name, _), cells)| {
            cells
                .iter()
                .map(|cell| wide(cell))
                .chain([wide(name)])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |first: &str, row: &mut dyn Iterator<Item = &str>| {
        let mut line = format!("{first:<labels$}");
        row.zip(&widths)
            .for_each(|(cell, width)| line += &format!("  {cell:>width$}"));
        line
    };
    let mut page = format!(
        "{BOLD}{}{BOLD:#}\n",
        line(corner, &mut columns.iter().map(|column| column.0))
    );
    for (i, run) in runs.iter().enumerate() {
        page += &line(
            &run.label,
            &mut cells.iter().map(|column| column[i].as_str()),
        );
        page.push('\n');
    }
    page
}

fn percent(estimate: Option<Estimate>) -> String {
    share(estimate.map(|estimate| estimate.value))
}

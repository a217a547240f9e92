//! Charts for the terminal: the share found at each similarity or, for truths without similarities, recall and precision as bars.

use lookalike::eval::Step;

use super::{judge::Judged, report::Report};
use crate::{
    output::{BOLD, DIM, count},
    shares::share,
};

/// The characters for shares from 0 to 1: blocks of growing height.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Block characters that are filled by 0 to 7 eighths, from the left.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The number of block characters in a full bar.
const FULL: usize = 30;

pub fn page(report: &Report) -> String {
    let wide = |run: &Judged| run.label.chars().count();
    let labels = report
        .runs
        .iter()
        .map(wide)
        .max()
        .unwrap_or(0)
        .max("pairs".len());
    match report
        .runs
        .first()
        .and_then(|run| run.by_similarity.as_deref())
    {
        Some(steps) => by_similarity(&report.runs, steps, report.truth.threshold, labels),
        None => bars(&report.runs, labels),
    }
}

fn by_similarity(runs: &[Judged], steps: &[Step], threshold: f64, labels: usize) -> String {
    let width = steps
        .iter()
        .map(|step| count(step.pairs).len())
        .max()
        .unwrap_or(0)
        .max(4);
    let cells = |cell: &dyn Fn(&Step) -> String| {
        steps
            .iter()
            .map(|step| format!(" {:>width$}", cell(step)))
            .collect::<String>()
    };
    let mut page = format!(
        "\n{BOLD}share found, by similarity{BOLD:#} {DIM}(true pairs: {threshold} or higher; █ all, ▁ few or none){DIM:#}\n{BOLD}{:labels$}{}{BOLD:#}\n",
        "from",
        cells(&|step| format!("{:.2}", step.from))
    );
    page += &format!(
        "{DIM}{:labels$}{}{DIM:#}\n",
        "pairs",
        cells(&|step| count(step.pairs))
    );
    for run in runs {
        let of_run: String = run
            .by_similarity
            .iter()
            .flatten()
            .map(|step| format!(" {}", block(*step).repeat(width)))
            .collect();
        page += &format!("{:labels$}{of_run}\n", run.label);
    }
    page
}

fn block(step: Step) -> String {
    // Only a share of 1 is shown as a full block.
    step.share()
        .map_or(' ', |share| BLOCKS[(share * 7.0) as usize])
        .into()
}

fn bars(runs: &[Judged], labels: usize) -> String {
    let mut page = String::new();
    for (name, of_run) in [
        (
            "recall",
            (|run| run.pairs.recall) as fn(&Judged) -> Option<lookalike::sketch::Estimate>,
        ),
        ("precision", |run| run.pairs.precision),
    ] {
        page += &format!("\n{BOLD}{name}{BOLD:#}\n");
        for run in runs {
            let value = of_run(run).map(|estimate| estimate.value);
            let eighths = (value.unwrap_or(0.0) * (8 * FULL) as f64) as usize;
            let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
            page += &format!("{:labels$}  {bar:FULL$}  {:>5}\n", run.label, share(value));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_shares() {
        let of = |found, pairs| {
            block(Step {
                from: 0.5,
                pairs,
                found,
            })
        };
        assert_eq!(
            [of(0, 0), of(0, 9), of(1, 2), of(99, 100), of(9, 9)],
            [" ", "▁", "▄", "▇", "█"]
        );
    }
}

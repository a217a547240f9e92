//! `lookalike curve`.

use std::process::ExitCode;

use clap::Args;
use lookalike::{
    Config,
    lsh::{Curve as SCurve, Shape},
};
use serde::Serialize;
use textplots::{Chart, Plot, Shape as Line};

use crate::output::{BOLD, DIM, print};

/// Show which share of the similar pairs is found
///
/// Two documents become candidates when all rows of one band of their signatures agree: P(found) = 1 − (1 − sʳ)ᵇ at
/// similarity s. The threshold and the recall that you ask for choose b bands of r rows; or give them and see what they find.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike curve --threshold 0.7 --recall 0.995\n  \
    lookalike curve --bands 20 --rows 5 --at 0.3 --at 0.8")]
pub struct Curve {
    /// Similarity from which two documents are roughly the same
    #[arg(long, short, value_name = "T", default_value_t = Config::default().threshold, allow_negative_numbers = true)]
    threshold: f64,
    /// Share of the pairs at the threshold that must be found
    #[arg(long, value_name = "P", default_value_t = Config::default().recall, allow_negative_numbers = true)]
    recall: f64,
    /// Show the curve of these bands
    #[arg(long, value_name = "B", requires = "rows")]
    bands: Option<usize>,
    /// Show the curve of these rows
    #[arg(long, value_name = "R", requires = "bands")]
    rows: Option<usize>,
    /// Print P(found) at this similarity; may be given several times
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    at: Vec<f64>,
    /// Print all as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    threshold: f64,
    /// The asked recall, where it chose the bands.
    recall: Option<f64>,
    bands: usize,
    rows: usize,
    slots: usize,
    found_at_threshold: f64,
    midpoint: f64,
    false_negative_area: f64,
    false_positive_area: f64,
    found: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    similarity: f64,
    found: f64,
}

impl Curve {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // Bands and rows that are given are shown for what they are; only the chosen ones owe the recall.
        let (curve, recall) = match (self.bands, self.rows) {
            (Some(bands), Some(rows)) => {
                Shape::check(self.threshold, self.recall)?;
                (SCurve::new(bands, rows)?, None)
            }
            _ => (Shape::choose(self.threshold, self.recall)?.curve(), Some(self.recall)),
        };
        if let Some(wrong) = self.at.iter().find(|s| !(0.0..=1.0).contains(*s)) {
            anyhow::bail!("--at {wrong}: a similarity is a number from 0 to 1");
        }
        let steps = (1..=20).map(|i| f64::from(i) / 20.0);
        let similarities: Vec<f64> = if self.at.is_empty() { steps.collect() } else { self.at.clone() };
        let report = Report {
            threshold: self.threshold,
            recall,
            bands: curve.bands,
            rows: curve.rows,
            slots: curve.bands * curve.rows,
            found_at_threshold: curve.found(self.threshold),
            midpoint: curve.midpoint(),
            false_negative_area: curve.false_negative_area(self.threshold),
            false_positive_area: curve.false_positive_area(self.threshold),
            found: similarities.into_iter().map(|similarity| Point { similarity, found: curve.found(similarity) }).collect(),
        };
        let page = match (self.json, self.at.is_empty()) {
            (true, _) => serde_json::to_string_pretty(&report)? + "\n",
            (false, true) => page(&report, curve),
            (false, false) => report.found.iter().map(point).collect(),
        };
        print(&page)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn point(point: &Point) -> String {
    format!("{:.4}  {:.6}\n", point.similarity, point.found)
}

fn page(r: &Report, curve: SCurve) -> String {
    let chosen = r.recall.map_or(String::new(), |recall| format!(" (asked: {recall})"));
    let mut page = format!(
        "{BOLD}{} bands of {} rows{BOLD:#} ({} slots) find {BOLD}{:.4}{BOLD:#} of the pairs at {}{chosen}\n\
         steepest about (1/b)^(1/r)   {:.4}\n\
         false negative area          {:.6}  {DIM}over the curve above {}{DIM:#}\n\
         false positive area          {:.6}  {DIM}under the curve below {}: candidates to verify and refuse{DIM:#}\n\n\
         {BOLD}similarity  P(found){BOLD:#}\n",
        r.bands,
        r.rows,
        r.slots,
        r.found_at_threshold,
        r.threshold,
        r.midpoint,
        r.false_negative_area,
        r.threshold,
        r.false_positive_area,
        r.threshold
    );
    for p in &r.found {
        let mark = if (p.similarity - r.threshold).abs() < 1e-9 { "  ← threshold" } else { "" };
        page += &format!("      {:.2}  {:.6}{mark}\n", p.similarity, p.found);
    }
    let found = Line::Continuous(Box::new(|s| curve.found(f64::from(s)) as f32));
    let mut chart = Chart::new_with_y_range(120, 48, 0.0, 1.0, 0.0, 1.0);
    let chart = chart.lineplot(&found);
    chart.axis();
    chart.figures();
    format!("{page}\n{chart}\n")
}

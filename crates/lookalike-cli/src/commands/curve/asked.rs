//! The flags that apply to every question that `lookalike curve` answers, and the functions that show the answers.

use lookalike::{Method, lsh::Promise};
use serde::Serialize;
use textplots::{Chart, Plot, Shape as Line};

use crate::{
    output::{BOLD, DIM, count},
    report::Report as Header,
};

/// The flags that apply to every question that `lookalike curve` answers.
pub(super) struct Asked {
    pub(super) threshold: f64,
    pub(super) recall: f64,
    /// Whether bands or rows were given.
    pub(super) are_bands: bool,
    pub(super) at: Vec<f64>,
    pub(super) json: bool,
}

/// The sizes of texts for which P(found) is shown, in shingles.
const SIZES: [usize; 9] = [4, 5, 9, 10, 20, 50, 100, 200, 1000];

/// The lowest P(found) of pairs at the threshold, by the number of shingles of the smaller text.
#[derive(Serialize)]
pub(super) struct OfSize {
    pub(super) shingles: usize,
    pub(super) found: f64,
}

/// Returns a lower bound of P(found) for pairs at the threshold, for each of the [`SIZES`].
pub(super) fn by_size(method: &Method) -> Vec<OfSize> {
    let found = method.found_at_threshold_of_sizes();
    found
        .iter()
        .flat_map(|found| {
            SIZES.map(|shingles| OfSize {
                shingles,
                found: found(shingles),
            })
        })
        .collect()
}

pub(super) fn size_table(sizes: &[OfSize]) -> String {
    let head = format!(
        "{BOLD}shingles  P(found){BOLD:#}  {DIM}shingles of the smaller text; P(found) is a lower bound{DIM:#}\n"
    );
    let lines = sizes
        .iter()
        .map(|of| format!("{:>8}  {:.6}\n", count(of.shingles as u64), of.found));
    head + &lines.collect::<String>()
}

/// Describes the promised recall: the lowest P(found), and the sizes of texts that it is valid for.
pub(super) fn promised(Promise { found, from }: Promise) -> String {
    let texts = if from == 1 {
        "all texts".into()
    } else {
        format!("texts of {} shingles or more", count(from as u64))
    };
    format!("for {texts}: {BOLD}{found:.4}{BOLD:#} or more")
}

/// A point of a curve.
#[derive(Serialize)]
pub(super) struct Point {
    pub(super) similarity: f64,
    pub(super) found: f64,
}

impl Asked {
    /// Returns P(found) at the given similarities, or along the whole curve.
    pub(super) fn points(&self, found: impl Fn(f64) -> f64) -> Vec<Point> {
        let steps = (1..=20).map(|i| f64::from(i) / 20.0);
        let similarities: Vec<f64> = if self.at.is_empty() {
            steps.collect()
        } else {
            self.at.clone()
        };
        similarities
            .into_iter()
            .map(|similarity| Point {
                similarity,
                found: found(similarity),
            })
            .collect()
    }

    /// Returns a curve's report: as JSON with --json; only the points with --at; otherwise `head`, then a table and a chart.
    pub(super) fn page(
        &self,
        report: &impl Serialize,
        head: &str,
        points: &[Point],
        found: impl Fn(f64) -> f64,
    ) -> anyhow::Result<String> {
        if self.json {
            return json(report);
        }
        if !self.at.is_empty() {
            return Ok(points
                .iter()
                .map(|point| format!("{:.4}  {:.6}\n", point.similarity, point.found))
                .collect());
        }
        let mut page = format!("{head}\n{BOLD}similarity  P(found){BOLD:#}\n");
        for p in points {
            let mark = if (p.similarity - self.threshold).abs() < 1e-9 {
                "  ← threshold"
            } else {
                ""
            };
            page += &format!("      {:.2}  {:.6}{mark}\n", p.similarity, p.found);
        }
        let found = Line::Continuous(Box::new(|s| found(f64::from(s)) as f32));
        let mut chart = Chart::new_with_y_range(120, 48, 0.0, 1.0, 0.0, 1.0);
        let chart = chart.lineplot(&found);
        chart.axis();
        chart.figures();
        Ok(format!("{page}\n{chart}\n"))
    }
}

pub(super) fn json(report: &impl Serialize) -> anyhow::Result<String> {
    Header::new("curve").json(report)
}

/// Formats a probability or a difference so that even a small one has significant digits.
pub(super) fn small(number: f64) -> String {
    if number == 0.0 || number >= 0.001 {
        format!("{number:.6}")
    } else {
        format!("{number:.1e}")
    }
}

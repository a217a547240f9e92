//! The S-curve: the share of pairs that have a band of their signatures in common.

use clap::Args;
use lookalike::lsh::{Curve as SCurve, Shape};
use serde::Serialize;

use super::asked::{Asked, Point};
use crate::output::{BOLD, DIM};

#[derive(Args)]
pub(super) struct Bands {
    /// Show the curve for this number of bands; requires --rows
    #[arg(long, value_name = "B", requires = "rows", conflicts_with_all = ["sample_size", "degree", "distance", "matrix", "files"])]
    bands: Option<usize>,
    /// Show the curve for this number of rows per band; requires --bands
    #[arg(long, value_name = "R", requires = "bands", conflicts_with_all = ["sample_size", "degree", "distance", "matrix", "files"])]
    rows: Option<usize>,
}

#[derive(Serialize)]
struct Report {
    threshold: f64,
    /// The requested recall, if it determined the bands.
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

impl Bands {
    pub(super) fn are_given(&self) -> bool {
        self.bands.is_some()
    }

    pub(super) fn page(&self, asked: &Asked) -> anyhow::Result<String> {
        let threshold = asked.threshold;
        // Bands and rows that the user chooses are shown unchanged. Only bands and rows that the program chooses must reach the
        // recall.
        let (curve, recall) = match (self.bands, self.rows) {
            (Some(bands), Some(rows)) => {
                Shape::check(threshold, asked.recall)?;
                (SCurve::new(bands, rows)?, None)
            }
            _ => (
                Shape::choose(threshold, asked.recall)?.curve(),
                Some(asked.recall),
            ),
        };
        let report = Report {
            threshold,
            recall,
            bands: curve.bands,
            rows: curve.rows,
            slots: curve.bands * curve.rows,
            found_at_threshold: curve.found(threshold),
            midpoint: curve.midpoint(),
            false_negative_area: curve.false_negative_area(threshold),
            false_positive_area: curve.false_positive_area(threshold),
            found: asked.points(|s| curve.found(s)),
        };
        asked.page(&report, &head(&report), &report.found, |s| curve.found(s))
    }
}

fn head(r: &Report) -> String {
    let chosen = r
        .recall
        .map_or(String::new(), |recall| format!(" (requested: {recall})"));
    format!(
        "{BOLD}{} bands of {} rows{BOLD:#} ({} slots) find {BOLD}{:.4}{BOLD:#} of the pairs at {}{chosen}\n\
         steepest near (1/b)^(1/r)    {:.4}\n\
         false negative area          {:.6}  {DIM}above the curve, from {} up: missed pairs{DIM:#}\n\
         false positive area          {:.6}  {DIM}under the curve, below {}: candidates that verification rejects{DIM:#}\n",
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
    )
}

//! What the sketches in a file find, and how accurately they estimate.

use std::fmt::Write;

use clap::Args;
use lookalike::{
    Config, Method,
    lsh::Curve,
    stored::{Accuracy, SketchParameters, Sketching},
};
use lookalike_engine::{RunConfig, shown_name, sketch_parameters};
use serde::Serialize;

use super::asked::{Asked, json};
use crate::output::{BOLD, DIM};

#[derive(Args)]
pub(super) struct Sketches {
    /// Show what the sketches in FILE find, and how accurate they are
    ///
    /// FILE was written by `lookalike sketch`. For each similarity, P(candidate) is the probability that a pair shares a band,
    /// P(listed) the probability that `pairs` lists it at the threshold, and the standard error that of the estimated resemblance.
    #[arg(id = "files", long = "sketches", value_name = "FILE")]
    files: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    parameters: SketchParameters,
    threshold: f64,
    /// The requested recall, which determines the bands.
    recall: f64,
    bands: Option<usize>,
    rows: Option<usize>,
    standard_error: Option<f64>,
    /// The resemblance from which at least 99 % of the pairs are listed.
    listed_from: Option<f64>,
    /// The resemblance up to which at most 1 % of the pairs are listed.
    rarely_listed_to: Option<f64>,
    similarities: Vec<At>,
}

#[derive(Serialize)]
struct At {
    similarity: f64,
    candidate: Option<f64>,
    standard_error: f64,
    listed: f64,
}

impl Sketches {
    pub(super) fn are_named(&self) -> bool {
        !self.files.is_empty()
    }

    pub(super) fn page(&self, asked: &Asked) -> anyhow::Result<String> {
        let config = RunConfig {
            inputs: self.files.clone(),
            ..RunConfig::default()
        };
        let Some(parameters) = sketch_parameters(&config)? else {
            let names: Vec<String> = self.files.iter().map(|name| shown_name(name)).collect();
            anyhow::bail!(
                "{} is not a file of sketches; make one with `lookalike sketch`",
                names.join(", ")
            );
        };
        let (threshold, recall) = (asked.threshold, asked.recall);
        let method = Method::of_sketches(
            &parameters,
            Config {
                threshold,
                recall,
                ..Config::default()
            },
        )?;
        let curve = method.shape().map(|shape| shape.curve());
        let Some(accuracy) = Accuracy::of(&Sketching::new(&parameters)?) else {
            anyhow::bail!(
                "the accuracy of these sketches ({}) depends on the texts, or they estimate nothing; compare two documents with \
                 `lookalike compare` to see an interval",
                parameters.kind()
            );
        };
        let at = |similarity: f64| At {
            similarity,
            candidate: curve.map(|curve| curve.found(similarity)),
            standard_error: accuracy.standard_error(similarity),
            listed: accuracy.listed(similarity, threshold, curve),
        };
        let report = Report {
            threshold,
            recall,
            bands: curve.map(|curve| curve.bands),
            rows: curve.map(|curve| curve.rows),
            standard_error: Some(accuracy.standard_error(threshold)),
            listed_from: Some(accuracy.listed_from(threshold, curve, 0.99)),
            rarely_listed_to: Some(accuracy.reached_from(threshold, 0.01)),
            similarities: asked
                .points(|_| 0.0)
                .into_iter()
                .map(|point| at(point.similarity))
                .collect(),
            parameters,
        };
        if asked.json {
            json(&report)
        } else {
            Ok(page(&report, curve))
        }
    }
}

fn page(report: &Report, curve: Option<Curve>) -> String {
    let Report {
        parameters,
        threshold,
        recall,
        ..
    } = report;
    let mut page = format!(
        "{BOLD}{}{BOLD:#}, seed {}\n",
        parameters.kind(),
        parameters.seed
    );
    if let Some(Curve { bands, rows }) = curve {
        let _ = writeln!(
            page,
            "{bands} bands of {rows} rows, chosen for recall {recall} at similarity {threshold}"
        );
    }
    if let (Some(from), Some(to)) = (report.listed_from, report.rarely_listed_to) {
        let _ = writeln!(
            page,
            "at threshold {threshold}, pairs lists at least 99 % of the pairs from {from:.3} up, and at most 1 % of those up to {to:.3}"
        );
    }
    let _ = writeln!(
        page,
        "\n{BOLD}similarity  P(candidate)  P(listed)  standard error{BOLD:#}"
    );
    for at in &report.similarities {
        let mark = if (at.similarity - threshold).abs() < 1e-9 {
            "  ← threshold"
        } else {
            ""
        };
        let candidate = at
            .candidate
            .map_or("-".into(), |found| format!("{found:.6}"));
        let _ = writeln!(
            page,
            "      {:.2}  {candidate:>12}   {:.6}        {:.6}{mark}",
            at.similarity, at.listed, at.standard_error
        );
    }
    page + &format!(
        "{DIM}P(listed) is a lower bound: the pair is a candidate and its estimate reaches the threshold{DIM:#}\n"
    )
}

//! The page to look at, with all methods side by side.

use lookalike::{Method, lsh::Shape};
use lookalike_report::Page;
use serde::Serialize;

use super::report::Report;

/// The data of the page; `web/src/views/eval.tsx` has the same types.
#[derive(Serialize)]
struct Data<'a> {
    program: &'static str,
    command: &'static str,
    inputs: &'a [String],
    report: &'a Report,
    /// The S-curve of the default bands: resemblances, and the probability that a pair of this resemblance is found.
    curve: Vec<[f64; 2]>,
}

/// Returns the HTML file.
pub(super) fn page(report: &Report) -> anyhow::Result<String> {
    let inputs = &report.parameters.inputs;
    let shape = Method::new(report.parameters.method.clone())
        .ok()
        .and_then(|method| method.shape());
    let curve = shape.map(Shape::points).unwrap_or_default();
    let data = Data {
        program: env!("CARGO_PKG_VERSION"),
        command: "eval",
        inputs,
        report,
        curve,
    };
    let mut page = Page::new();
    page.add("report", &data)?;
    Ok(page.html(&format!("{} – lookalike eval", inputs.join(", "))))
}

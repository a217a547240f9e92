//! Executes the jobs that compare sites and crawls. They write JSON Lines into a folder, from which [`Lines`](super::Lines) reads
//! them.

use std::path::{Path, PathBuf};

use lookalike_engine::{Crawl, Following, Mirroring, RunConfig};
use pyo3::{prelude::*, types::PyDict};

use super::{
    options::of_mirrors,
    texts::{Named, tables},
    watch::watched,
};
use crate::config::to_python;

/// Finds pairs of sites, and returns the summary. Writes `sites.jsonl`, `pages.jsonl` and `unmatched.jsonl` into the folder.
#[pyfunction]
pub fn mirrors<'py>(
    py: Python<'py>,
    a: Option<Named<'py>>,
    b: Option<Named<'py>>,
    options: &Bound<'py, PyDict>,
    folder: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut config, asked) = of_mirrors(options, true)?;
    config.against_tables = tables(a)?;
    config.tables = tables(b)?;
    let summary = watched(py, progress.as_ref(), move |observer| {
        let path = |name: &str| folder.join(name);
        let (sites, pages, unmatched) = (
            path("sites.jsonl"),
            path("pages.jsonl"),
            path("unmatched.jsonl"),
        );
        let outputs = lookalike_engine::MirrorOutputs {
            sites: Some(&*sites),
            pages: Some(&*pages),
            unmatched: Some(&*unmatched),
        };
        lookalike_engine::mirrors(&config, &asked, outputs, observer)
    })?;
    to_python(py, &summary)
}

/// Follows pages through crawls, and returns the summary. Each crawl has names or texts in memory. Writes the histories to `output`.
#[pyfunction]
pub fn history<'py>(
    py: Python<'py>,
    crawls: Vec<(Vec<String>, Option<Named<'py>>)>,
    options: &Bound<'py, PyDict>,
    output: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (config, Mirroring { sites, changed, .. }): (RunConfig, _) = of_mirrors(options, true)?;
    let crawl = |(inputs, texts): (Vec<String>, Option<Named<'_>>)| {
        Ok(Crawl {
            inputs,
            tables: tables(texts)?,
        })
    };
    let crawls = crawls
        .into_iter()
        .map(crawl)
        .collect::<PyResult<Vec<_>>>()?;
    let asked = Following { sites, changed };
    let run = move |observer: lookalike_engine::Observer<'_>| {
        lookalike_engine::history(&config, &crawls, &asked, Some(Path::new(&output)), observer)
    };
    to_python(py, &watched(py, progress.as_ref(), run)?)
}

//! Executes the job that audits a result, over named inputs or texts in memory.

use std::path::PathBuf;

use pyo3::{prelude::*, types::PyDict};

use super::{
    options::of_audit,
    texts::{Named, tables},
    watch::watched,
};
use crate::config::to_python;

/// Audits a result, which the options name, and returns the summary. A line for each removed document is written to `output`.
#[pyfunction]
pub fn audit<'py>(
    py: Python<'py>,
    texts: Option<Named<'py>>,
    options: &Bound<'py, PyDict>,
    output: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut config, asked) = of_audit(options)?;
    config.tables = tables(texts)?;
    let run = move |observer: lookalike_engine::Observer<'_>| {
        lookalike_engine::audit(&config, &asked, Some(&output), observer)
    };
    to_python(py, &watched(py, progress.as_ref(), run)?)
}

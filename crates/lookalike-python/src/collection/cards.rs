//! Executes the job that ranks pairs of fingerprint cards, over named inputs or prints in memory.

use std::path::PathBuf;

use lookalike_engine::Print;
use pyo3::{prelude::*, types::PyDict};

use super::{options::of_minutiae, watch::watched};
use crate::{config::to_python, error::raise};

/// The id of a print as JSON, its minutiae, the value that prints must share to be compared, and its label.
type Given = (String, Vec<Vec<f64>>, Option<String>, Option<String>);

/// Ranks pairs of prints, and returns the summary. The best pairs are written to `output`. `prints` has a name for errors; if it is
/// given, no inputs are read.
#[pyfunction]
pub fn minutiae<'py>(
    py: Python<'py>,
    prints: Option<(String, Vec<Given>)>,
    options: &Bound<'py, PyDict>,
    output: PathBuf,
) -> PyResult<Bound<'py, PyAny>> {
    let (config, asked) = of_minutiae(options)?;
    let prints = match prints {
        Some((name, prints)) => Some((
            name,
            prints
                .into_iter()
                .map(print)
                .collect::<PyResult<Vec<_>>>()?,
        )),
        None => None,
    };
    let summary = watched(py, None, move |_| match prints {
        Some((name, prints)) => {
            lookalike_engine::cards_among(&config, &asked, &name, prints, &output)
        }
        None => lookalike_engine::cards(&config, &asked, Some(&output)),
    })?;
    to_python(py, &summary)
}

fn print((id, minutiae, within, label): Given) -> PyResult<Print> {
    let id =
        serde_json::from_str(&id).map_err(|error| raise("InternalError", error.to_string()))?;
    Ok(Print {
        id,
        minutiae,
        within,
        label,
    })
}

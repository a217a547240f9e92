//! A run over what is in memory and what is named, told to where Python looks at it.

use lookalike_engine::{Outputs, RunConfig, dedup_told, pairs_told};
use pyo3::{prelude::*, types::PyDict};

use super::{
    decisions::{self, Decisions},
    ids::Ids,
    matches::{self, Pairs},
    options::Options,
    texts::Texts,
    watch::watched,
};
use crate::config::to_python;

/// Deduplicates, and gives the decisions and the summary. `texts` have a name for messages.
#[pyfunction]
pub fn dedup<'py>(
    py: Python<'py>,
    texts: Option<(String, PyRef<'py, Texts>)>,
    options: &Bound<'py, PyDict>,
    method: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Decisions, Bound<'py, PyAny>)> {
    let options = Options::of(options)?;
    let (config, ids) = config("dedup", &options, method, texts)?;
    let outputs = Outputs { kept: options.output.clone(), decisions: options.decisions.clone(), ..Outputs::default() };
    let mut store = decisions::Store::new(ids, config.method.measure);
    let (store, summary) = watched(py, progress.as_ref(), move |observer| {
        let mut tell = |decided: &lookalike_engine::Decided<'_>| {
            store.push(decided);
            Ok(())
        };
        let summary = dedup_told(&config, &outputs, &mut tell, observer)?;
        Ok((store, summary))
    })?;
    Ok((Decisions::of(store), to_python(py, &summary)?))
}

/// Finds similar pairs, and gives them and the summary.
#[pyfunction]
pub fn pairs<'py>(
    py: Python<'py>,
    texts: Option<(String, PyRef<'py, Texts>)>,
    options: &Bound<'py, PyDict>,
    method: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Pairs, Bound<'py, PyAny>)> {
    let options = Options::of(options)?;
    let (config, ids) = config("pairs", &options, method, texts)?;
    let mut store = matches::Store::new(matches!(ids, Ids::Rows));
    let (store, summary) = watched(py, progress.as_ref(), move |observer| {
        let mut tell = |pair: &lookalike_engine::Pair<'_>, numbers| {
            store.push(pair, numbers);
            Ok(())
        };
        let summary = pairs_told(&config, &mut tell, observer)?;
        Ok((store, summary))
    })?;
    Ok((Pairs::of(store), to_python(py, &summary)?))
}

/// The run's configuration, and what its documents will be called.
fn config(
    of: &str,
    options: &Options,
    method: &Bound<'_, PyDict>,
    texts: Option<(String, PyRef<'_, Texts>)>,
) -> PyResult<(RunConfig, Ids)> {
    let mut config = options.run(of, method)?;
    let mut ids = Ids::given();
    if let Some((name, texts)) = texts {
        config.tables = vec![texts.input(&name)?];
        if texts.is_numbered() {
            ids = Ids::Rows;
        }
    }
    Ok((config, ids))
}

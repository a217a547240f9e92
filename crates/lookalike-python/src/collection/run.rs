//! Executes a run over texts in memory and named inputs, and collects the results for Python.

use std::path::PathBuf;

use lookalike::regions::RegionSettings;
use lookalike_engine::{
    DedupPlan, Observer, Offsets, Quoted, Quoting, RunConfig, dedup_listed, dedup_reporting,
    pairs_reporting, passages_reporting,
};
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    types::{PyBytes, PyDict},
};

use super::{
    decisions::{self, Decisions},
    ids::Ids,
    matches::{self, Pairs},
    options::{of_apply, of_dedup, of_pairs},
    texts::{Named, tables},
    watch::watched,
};
use crate::config::to_python;

/// Deduplicates a collection, and returns the decisions and the summary. The in-memory `references` come after the references
/// that are named in `options`.
#[pyfunction]
pub fn dedup<'py>(
    py: Python<'py>,
    texts: Option<Named<'py>>,
    references: Vec<Named<'py>>,
    options: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Decisions, Bound<'py, PyAny>)> {
    let DedupPlan { run, outputs } = of_dedup(options, !references.is_empty())?;
    let Asked {
        config,
        ids,
        against,
    } = asked(run, texts, references)?;
    let mut store = decisions::Store::new(ids, config.method.measure, against);
    let (store, summary) = watched(py, progress.as_ref(), move |observer| {
        let mut tell = |decided: &lookalike_engine::Decided<'_>| {
            store.push(decided);
            Ok(())
        };
        let summary = dedup_reporting(&config, &outputs, &mut tell, observer)?;
        Ok((store, summary))
    })?;
    Ok((Decisions::of(store), to_python(py, &summary)?))
}

/// Finds similar pairs, and returns them and the summary.
#[pyfunction]
pub fn pairs<'py>(
    py: Python<'py>,
    texts: Option<Named<'py>>,
    references: Vec<Named<'py>>,
    options: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Pairs, Bound<'py, PyAny>)> {
    let Asked {
        config,
        ids,
        against,
    } = asked(
        of_pairs(options, !references.is_empty())?,
        texts,
        references,
    )?;
    // If the run has references, one document of each pair is a reference. With `nearest`, it is the second document, because the
    // neighbours are the references. Without `nearest`, it is the first document.
    let reference = against.then_some(usize::from(config.nearest.is_some()));
    let mut store = matches::Store::new(matches!(ids, Ids::Rows), reference);
    let (store, summary) = watched(py, progress.as_ref(), move |observer| {
        let mut tell = |pair: &lookalike_engine::Pair<'_>, numbers| {
            store.push(pair, numbers);
            Ok(())
        };
        let summary = pairs_reporting(&config, &mut tell, observer)?;
        store.ends(summary.references.unwrap_or(0));
        Ok((store, summary))
    })?;
    Ok((Pairs::of(store), to_python(py, &summary)?))
}

/// The conditions for passages: the minimum length of a run, the gap over which runs are joined, `common` and the containment.
type Conditions = (usize, usize, Option<u32>, f64);

/// Finds the passages that texts share or, with `regions` (gap, tokens, density and score), the regions. Returns the lines that the
/// command writes, and the summary. Positions are in characters.
#[pyfunction]
pub fn passages_among<'py>(
    py: Python<'py>,
    texts: Option<Named<'py>>,
    references: Vec<Named<'py>>,
    options: &Bound<'py, PyDict>,
    conditions: Conditions,
    regions: Option<(usize, usize, f64, f64)>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyAny>)> {
    let Asked { config, .. } = asked(
        of_pairs(options, !references.is_empty())?,
        texts,
        references,
    )?;
    let (least, gap, common, containment) = conditions;
    let regions = regions.map(|(gap, tokens, density, score)| RegionSettings {
        gap,
        tokens,
        density,
        score,
    });
    let quoting = Quoting {
        least,
        gap,
        regions,
        common,
        containment,
        offsets: Offsets::Chars,
        words: true,
        best: None,
    };
    let (lines, summary) = watched(py, progress.as_ref(), move |observer| {
        let mut lines = Vec::new();
        let mut written = Ok(());
        let mut tell = |quoted: &Quoted<'_>| {
            if written.is_ok() {
                written = serde_json::to_writer(&mut lines, quoted).map(|()| lines.push(b'\n'));
            }
            Ok(())
        };
        let summary = passages_reporting(&config, &quoting, &mut tell, observer)?;
        Ok((written.map(|()| lines), summary))
    })?;
    let lines = lines.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((PyBytes::new(py, &lines), to_python(py, &summary)?))
}

/// Writes those documents of named inputs that the decisions keep, or that are kept by the law over a list of pairs, and returns the
/// summary.
#[pyfunction]
pub fn apply<'py>(
    py: Python<'py>,
    decisions: String,
    output: PathBuf,
    options: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (config, outputs) = of_apply(options)?;
    let run = move |observer: Observer<'_>| match &outputs {
        None => lookalike_engine::apply(&decisions, &config, &output, observer),
        Some(outputs) => dedup_listed(&decisions, &config, outputs, observer),
    };
    let summary = watched(py, progress.as_ref(), run)?;
    to_python(py, &summary)
}

/// The request for a run.
pub(super) struct Asked {
    pub(super) config: RunConfig,
    /// The ids of its documents.
    pub(super) ids: Ids,
    /// Whether there are references.
    pub(super) against: bool,
}

/// Returns the request for a run over texts in memory, if there are any, and over named inputs.
pub(super) fn asked(
    mut config: RunConfig,
    texts: Option<Named<'_>>,
    references: Vec<Named<'_>>,
) -> PyResult<Asked> {
    let mut ids = Ids::given();
    if let Some((name, texts)) = texts {
        config.tables = vec![texts.input(&name)?];
        if texts.is_numbered() {
            ids = Ids::Rows;
        }
    }
    config.against_tables = tables(references)?;
    let against = !config.against.is_empty()
        || !config.against_tables.is_empty()
        || !config.against_stored.is_empty();
    Ok(Asked {
        config,
        ids,
        against,
    })
}

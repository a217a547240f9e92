//! Cuts repeated passages out of the texts of a collection. The places of all cuts are columns, and the remaining texts of a collection
//! in memory take the places of its own.

mod places;

mod texts;

use lookalike_engine::{CutDocument, cut_reporting};
use pyo3::{prelude::*, types::PyDict};

use self::places::Store;
pub use self::{
    places::Cuts,
    texts::{CutRows, CutTexts, with_texts},
};
use super::{
    options::of_cut,
    run::{Asked, asked},
    texts::Named,
    watch::watched,
};
use crate::config::to_python;

/// Cuts passages out of the texts of a collection, and returns the cuts, the remaining texts and the summary. The texts are those of
/// documents in memory that are not unchanged. The in-memory `references` come after the references that are named in `options`.
#[pyfunction]
pub fn cut_texts<'py>(
    py: Python<'py>,
    texts: Option<Named<'py>>,
    references: Vec<Named<'py>>,
    options: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Cuts, CutTexts, Bound<'py, PyAny>)> {
    let in_memory = texts.is_some();
    let (run, cutting) = of_cut(options, !references.is_empty())?;
    let Asked {
        config,
        ids,
        against,
    } = asked(run, texts, references)?;
    let mut store = Store::new(&ids, against);
    let (store, texts, summary) = watched(py, progress.as_ref(), move |observer| {
        let mut texts = CutTexts::default();
        let mut tell = |document: &CutDocument<'_>| {
            store.push(document);
            if let (true, Some(text)) = (in_memory, document.text) {
                texts.push(document.row, text);
            }
            Ok(())
        };
        let summary = cut_reporting(&config, &cutting, &mut tell, observer)?;
        Ok((store, texts, summary))
    })?;
    Ok((Cuts::of(store), texts, to_python(py, &summary)?))
}

//! An in-memory index of texts that finds the texts similar to a query text.

use std::{
    path::PathBuf,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use lookalike::{Config, ErrorKind, Scratch, shown::cut};
use lookalike_index::{Error, LshIndex as Core, Sketched, load, save};
use pyo3::{
    exceptions::{PyKeyError, PyTypeError, PyValueError},
    prelude::*,
    pybacked::PyBackedStr,
    types::{PyBytes, PyDict, PyString},
};

use crate::{
    config::{self, INDEX},
    error::{of_file, raise, refused},
    items::sound,
    parallel, sets,
};

/// The id of a document.
#[derive(Debug, Clone, PartialEq, FromPyObject, IntoPyObject)]
pub enum Id {
    #[pyo3(transparent)]
    Text(String),
    #[pyo3(transparent)]
    Number(i64),
}

impl From<Id> for lookalike_index::Id {
    fn from(id: Id) -> Self {
        match id {
            Id::Text(text) => Self::Text(text),
            Id::Number(number) => Self::Number(number),
        }
    }
}

impl From<lookalike_index::Id> for Id {
    fn from(id: lookalike_index::Id) -> Self {
        match id {
            lookalike_index::Id::Text(text) => Self::Text(text),
            lookalike_index::Id::Number(number) => Self::Number(number),
            // Ids of Python are never of this kind.
            lookalike_index::Id::Written(number) => Self::Text(number),
        }
    }
}

/// Converts an error of the index to an exception.
fn failed(error: Error) -> PyErr {
    match error {
        Error::Config(error) => refused(error),
        Error::Taken(id) => {
            let shown =
                Python::attach(|py| Id::from(id).into_pyobject(py)?.repr()?.extract::<String>())
                    .unwrap_or_default();
            PyValueError::new_err(format!(
                "id {} is already in the index; remove it first or use another id",
                cut(&shown)
            ))
        }
        Error::Unlike { left, right } => refused(ErrorKind::UnlikeSketches { left, right }.into()),
        Error::File { path, source } => of_file(&path, &source),
        Error::NoKeys => raise("ConfigError", error.to_string()),
        error => raise("FormatError", error.to_string()),
    }
}

/// A document of the index that is similar to the query text.
#[pyclass(frozen, eq, get_all, module = "lookalike")]
#[derive(PartialEq)]
pub struct Match {
    /// The document's id.
    id: Id,
    /// The similarity: the exact resemblance, or the sketches' estimate if `verify` is `"sketch"`.
    similarity: f64,
}

#[pymethods]
impl Match {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let id = self.id.clone().into_pyobject(py)?.repr()?;
        Ok(format!("Match(id={id}, similarity={:?})", self.similarity))
    }
}

/// An in-memory index that returns the stored texts similar to a query text, using the same rule as dedup. A text that shares a
/// key with the query (by default a band of the MinHash signature) is a candidate. A candidate matches if its exact similarity
/// reaches the threshold.
///
/// If the texts of a batch are queried one by one, and each is inserted only if nothing matches, the index keeps what `lookalike
/// dedup` keeps.
///
/// - Keywords: `threshold`, `recall`, `candidates` (by bands, SimHash or sentences), `verify`, and the settings of shingles:
///   `tokens`, `fold`, `shingle`, `anchors`, `occurrences`, `fingerprint`, `seed`; see `Config`.
/// - With `tokens="items"` the index stores sets. Pass lists, tuples or sets of strings and numbers, or JSON arrays of them, in
///   place of texts. Items are compared by value and type: 1 and 1.0 are equal, 1 and "1" differ.
/// - Ids are `str` or `int` (64 bits). An empty text can be inserted and matches nothing.
///
/// Memory per text: 4 bytes per band, 128 bytes of sketch, and 8 bytes per shingle. Shingles are not stored if `verify` is
/// `"sketch"` or `"none"`. Several threads can insert and query concurrently.
///
/// Raises a `lookalike.errors` exception if the configuration is invalid.
#[pyclass(frozen, module = "lookalike")]
pub struct LshIndex {
    /// The settings, which never change.
    config: Config,
    index: RwLock<Core>,
}

impl LshIndex {
    fn of(index: Core) -> Self {
        Self {
            config: index.config().clone(),
            index: RwLock::new(index),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Core> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Core> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn sketch_all(&self, texts: &[PyBackedStr], threads: usize) -> PyResult<Vec<Sketched>> {
        let method = self.read().method().clone();
        let mut out: Vec<Sketched> = texts.iter().map(|_| Sketched::default()).collect();
        parallel::fill(
            &mut out,
            64,
            parallel::threads(threads),
            Scratch::default,
            |scratch, first, out| {
                for (text, out) in texts[first..].iter().zip(out) {
                    *out = Sketched::of(&method, text, scratch);
                }
            },
        )?;
        Ok(out)
    }

    fn batch(&self, texts: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
        if texts.is_instance_of::<PyString>() {
            Err(PyTypeError::new_err(
                "expected a batch of texts, not one text; give a list",
            ))
        } else {
            sound("texts", texts)?
                .try_iter()?
                .map(|text| sets::text(&self.config, &text?))
                .collect()
        }
    }
}

fn matches(found: Vec<lookalike_index::Match>) -> Vec<Match> {
    found
        .into_iter()
        .map(|found| Match {
            id: found.id.into(),
            similarity: found.similarity,
        })
        .collect()
}

#[pymethods]
impl LshIndex {
    #[new]
    #[pyo3(signature = (**config), text_signature = "(**config)")]
    fn new(config: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Core::new(config::config("LshIndex", INDEX, config)?)
            .map(Self::of)
            .map_err(failed)
    }

    /// Returns all settings, as a dictionary.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        config::to_python(py, &self.config)
    }

    /// Adds a text under an id.
    ///
    /// Raises `ValueError` if the id is already in the index.
    #[pyo3(signature = (id, text, /))]
    fn insert(&self, py: Python<'_>, id: Id, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = sets::text(&self.config, text)?;
        py.detach(|| {
            let sketched = Sketched::of(self.read().method(), &text, &mut Scratch::default());
            self.write().insert_sketched(id.into(), sketched)
        })
        .map_err(failed)
    }

    /// Adds many texts. If it raises, no text is added.
    ///
    /// `threads`: 0 means one per core. Raises `ValueError` if an id is already in the index or occurs twice in the batch, or if
    /// the number of ids differs from the number of texts.
    #[pyo3(signature = (ids, texts, /, threads = 0))]
    fn insert_many(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        texts: &Bound<'_, PyAny>,
        threads: usize,
    ) -> PyResult<()> {
        let (ids, texts): (Vec<Id>, _) = (sound("ids", ids)?.extract()?, self.batch(texts)?);
        if ids.len() != texts.len() {
            return Err(PyValueError::new_err(format!(
                "got {} ids for {} texts; give one id for each text",
                ids.len(),
                texts.len()
            )));
        }
        py.detach(|| {
            let sketched = self.sketch_all(&texts, threads)?;
            let documents = ids.into_iter().map(Into::into).zip(sketched).collect();
            self.write().insert_all(documents).map_err(failed)
        })
    }

    /// Returns the documents similar to a text, the most similar first. Equally similar documents are in the order of insertion.
    #[pyo3(signature = (text, /))]
    fn query(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<Match>> {
        let text = sets::text(&self.config, text)?;
        Ok(matches(py.detach(|| self.read().query(&text))))
    }

    /// Returns the matches for each of many texts, as one list per text. `threads`: 0 means one per core.
    #[pyo3(signature = (texts, /, threads = 0))]
    fn query_many(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        threads: usize,
    ) -> PyResult<Vec<Vec<Match>>> {
        let texts = self.batch(texts)?;
        let found = py.detach(|| {
            let mut out: Vec<Vec<lookalike_index::Match>> =
                texts.iter().map(|_| Vec::new()).collect();
            let index = self.read();
            parallel::fill(
                &mut out,
                64,
                parallel::threads(threads),
                Scratch::default,
                |scratch, first, out| {
                    for (text, out) in texts[first..].iter().zip(out) {
                        *out = index.query_sketched(&Sketched::of(index.method(), text, scratch));
                    }
                },
            )?;
            Ok::<_, PyErr>(out)
        })?;
        Ok(found.into_iter().map(matches).collect())
    }

    /// Removes a document.
    ///
    /// Raises `KeyError` if the id is not in the index.
    #[pyo3(signature = (id, /))]
    fn remove(&self, py: Python<'_>, id: Id) -> PyResult<()> {
        if py.detach(|| self.write().remove(&id.clone().into())) {
            Ok(())
        } else {
            Err(PyKeyError::new_err(id))
        }
    }

    /// Adds all documents of another index, in their order of insertion. If it raises, no document is added.
    ///
    /// Raises `UnlikeSketchesError` if the other index has a different configuration; its message shows both. Raises `ValueError`
    /// if an id is in both indexes.
    #[pyo3(signature = (other, /))]
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.read()
            .refuse_unlike(None, &other.config)
            .map_err(failed)?;
        py.detach(|| {
            // Copy first, so that two indexes that are merged into each other concurrently do not deadlock.
            let documents = other.read().documents().cloned().collect();
            self.write().insert_all(documents)
        })
        .map_err(failed)
    }

    /// Returns the ids, in the order of insertion.
    fn ids(&self, py: Python<'_>) -> Vec<Id> {
        py.detach(|| {
            self.read()
                .documents()
                .map(|(id, _)| id.clone().into())
                .collect()
        })
    }

    /// Writes the index to a file. The file appears only when it is complete: the index is written under another name in the same
    /// directory, synced, and renamed. An existing file at `path` is replaced.
    ///
    /// Raises `OSError`.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save(&self.read(), &path)).map_err(failed)
    }

    /// Reads an index from a file that `save` wrote. If settings are given, they must equal those of the file.
    ///
    /// Raises `OSError`; `FormatError` if the file is not an index, has a different version, or is damaged; `UnlikeSketchesError`
    /// if its settings differ from the given ones, with a message that shows both.
    #[staticmethod]
    #[pyo3(signature = (path, /, **config), text_signature = "(path, /, **config)")]
    fn load(py: Python<'_>, path: PathBuf, config: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let index = py.detach(|| load(&path)).map_err(failed)?;
        if config.is_some_and(|config| !config.is_empty()) {
            let asked = config::config("LshIndex.load", INDEX, config)?;
            index
                .refuse_unlike(Some(&path.display().to_string()), &asked)
                .map_err(failed)?;
        }
        Ok(Self::of(index))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().len())
    }

    fn __contains__(&self, py: Python<'_>, id: Id) -> bool {
        py.detach(|| self.read().contains(&id.into()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "<LshIndex of {} documents by {}>",
            self.__len__(py),
            self.read().method().found_by()
        )
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = py.detach(|| self.read().encode()).map_err(failed)?;
        Ok((
            py.get_type::<Self>().getattr("_from_bytes")?,
            (PyBytes::new(py, &bytes),),
        ))
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Core::decode(bytes, "pickled index")
            .map(Self::of)
            .map_err(failed)
    }
}

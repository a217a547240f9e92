//! An index in memory: texts in, and for a text those that it resembles.

use std::{
    path::PathBuf,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use lookalike::{Config, ErrorKind, Scratch, shown::cut};
use lookalike_index::{Error, Index, Sketched, load, save};
use pyo3::{
    exceptions::{PyKeyError, PyTypeError, PyValueError},
    prelude::*,
    pybacked::PyBackedStr,
    types::{PyBytes, PyDict, PyString},
};

use crate::{
    config::{self, INDEX},
    error::{of_file, raise, refused},
    parallel, sets,
};

/// What a document is called.
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
        }
    }
}

/// The exception of what an index refuses.
fn failed(error: Error) -> PyErr {
    match error {
        Error::Config(error) => refused(error),
        Error::Taken(id) => {
            let shown = Python::attach(|py| Id::from(id).into_pyobject(py)?.repr()?.extract::<String>()).unwrap_or_default();
            PyValueError::new_err(format!("id {} is already in the index; remove it first or use another id", cut(&shown)))
        }
        Error::Unlike { left, right } => refused(ErrorKind::UnlikeSketches { left, right }.into()),
        Error::File { path, source } => of_file(&path, &source),
        Error::NoKeys => raise("ConfigError", error.to_string()),
        error => raise("FormatError", error.to_string()),
    }
}

/// A document of the index that a text is similar to.
#[pyclass(frozen, eq, get_all, module = "lookalike")]
#[derive(PartialEq)]
pub struct Match {
    /// The document's id.
    id: Id,
    /// How similar: the exact resemblance, or what the sketches say where `verify` is `"sketch"`.
    similarity: f64,
}

#[pymethods]
impl Match {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let id = self.id.clone().into_pyobject(py)?.repr()?;
        Ok(format!("Match(id={id}, similarity={:?})", self.similarity))
    }
}

/// An index in memory of texts that can be asked for those that resemble a text, by the project's law: what shares a key with it
/// (a band of the MinHash signature by default) is a candidate, and what reaches the threshold is a match, measured exactly.
///
/// A batch that is fed to it text by text, each inserted only when nothing matches, keeps what `lookalike dedup` keeps.
///
/// - keywords: `threshold`, `recall`, `candidates` (by bands, SimHash or sentences), `verify`, and those of shingles: `tokens`,
///   `fold`, `shingle`, `anchors`, `occurrences`, `fingerprint`, `seed`; see `Config`.
/// - With `tokens="items"` it holds sets: lists, tuples or sets of strings and numbers, or JSON arrays of them, given wherever a text
///   is. Items are compared as they are: 1 and 1.0 are one, 1 and "1" are two.
/// - Ids are `str` or `int` (of 64 bits). An empty text may be inserted and matches nothing.
///
/// Memory: for each text 4 bytes a band, 128 bytes of sketch, and 8 bytes a shingle, these last unless `verify` is `"sketch"` or
/// `"none"`. Reading and asking may be done by many threads at once.
///
/// Raises the exception of the kind of whatever the configuration asks in vain.
#[pyclass(frozen, module = "lookalike")]
pub struct LshIndex {
    /// Its settings, which never change.
    config: Config,
    index: RwLock<Index>,
}

impl LshIndex {
    fn of(index: Index) -> Self {
        Self { config: index.config().clone(), index: RwLock::new(index) }
    }

    fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn sketch_all(&self, texts: &[PyBackedStr], threads: usize) -> PyResult<Vec<Sketched>> {
        let method = self.read().method().clone();
        let mut out: Vec<Sketched> = texts.iter().map(|_| Sketched::default()).collect();
        parallel::fill(&mut out, 64, parallel::threads(threads), Scratch::default, |scratch, first, out| {
            for (text, out) in texts[first..].iter().zip(out) {
                *out = Sketched::of(&method, text, scratch);
            }
        })?;
        Ok(out)
    }

    fn batch(&self, texts: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
        match texts.is_instance_of::<PyString>() {
            true => Err(PyTypeError::new_err("a batch of texts is expected, not one text: give a list")),
            false => texts.try_iter()?.map(|text| sets::text(&self.config, &text?)).collect(),
        }
    }
}

fn matches(found: Vec<lookalike_index::Match>) -> Vec<Match> {
    found.into_iter().map(|found| Match { id: found.id.into(), similarity: found.similarity }).collect()
}

#[pymethods]
impl LshIndex {
    #[new]
    #[pyo3(signature = (**config), text_signature = "(**config)")]
    fn new(config: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Index::new(config::config("LshIndex", INDEX, config)?).map(Self::of).map_err(failed)
    }

    /// All settings, as a dictionary.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        config::to_python(py, &self.config)
    }

    /// Adds a text under an id.
    ///
    /// Raises `ValueError` when the id is there already.
    #[pyo3(signature = (id, text, /))]
    fn insert(&self, py: Python<'_>, id: Id, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = sets::text(&self.config, text)?;
        py.detach(|| {
            let sketched = Sketched::of(self.read().method(), &text, &mut Scratch::default());
            self.write().insert_sketched(id.into(), sketched)
        })
        .map_err(failed)
    }

    /// Adds many texts; all of them, or none when it raises.
    ///
    /// `threads`: 0 is one a core. Raises `ValueError` when an id is there already or twice in the batch, or when there are not as
    /// many ids as texts.
    #[pyo3(signature = (ids, texts, /, threads = 0))]
    fn insert_many(&self, py: Python<'_>, ids: Vec<Id>, texts: &Bound<'_, PyAny>, threads: usize) -> PyResult<()> {
        let texts = self.batch(texts)?;
        if ids.len() != texts.len() {
            return Err(PyValueError::new_err(format!("{} ids for {} texts: give one for each", ids.len(), texts.len())));
        }
        py.detach(|| {
            let sketched = self.sketch_all(&texts, threads)?;
            let documents = ids.into_iter().map(Into::into).zip(sketched).collect();
            self.write().insert_all(documents).map_err(failed)
        })
    }

    /// The documents that a text is similar to, the most similar first; those that are equally similar in the order in which they
    /// were inserted.
    #[pyo3(signature = (text, /))]
    fn query(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<Match>> {
        let text = sets::text(&self.config, text)?;
        Ok(matches(py.detach(|| self.read().query(&text))))
    }

    /// The same of many texts: a list of matches for each. `threads`: 0 is one a core.
    #[pyo3(signature = (texts, /, threads = 0))]
    fn query_many(&self, py: Python<'_>, texts: &Bound<'_, PyAny>, threads: usize) -> PyResult<Vec<Vec<Match>>> {
        let texts = self.batch(texts)?;
        let found = py.detach(|| {
            let mut out: Vec<Vec<lookalike_index::Match>> = texts.iter().map(|_| Vec::new()).collect();
            let index = self.read();
            parallel::fill(&mut out, 64, parallel::threads(threads), Scratch::default, |scratch, first, out| {
                for (text, out) in texts[first..].iter().zip(out) {
                    *out = index.query_sketched(&Sketched::of(index.method(), text, scratch));
                }
            })?;
            Ok::<_, PyErr>(out)
        })?;
        Ok(found.into_iter().map(matches).collect())
    }

    /// Takes a document out.
    ///
    /// Raises `KeyError` when the id is not there.
    #[pyo3(signature = (id, /))]
    fn remove(&self, py: Python<'_>, id: Id) -> PyResult<()> {
        match py.detach(|| self.write().remove(&id.clone().into())) {
            true => Ok(()),
            false => Err(PyKeyError::new_err(id)),
        }
    }

    /// Adds all documents of another index, in the order in which they came into it; all of them, or none when it raises.
    ///
    /// Raises `UnlikeSketchesError`, which names both sides, when the other has another configuration, and `ValueError` when both
    /// have an id.
    #[pyo3(signature = (other, /))]
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.read().refuse_unlike(None, &other.config).map_err(failed)?;
        py.detach(|| {
            // Copied first: two indexes that are merged into each other at once must not wait for each other.
            let documents = other.read().documents().cloned().collect();
            self.write().insert_all(documents)
        })
        .map_err(failed)
    }

    /// The ids, in the order in which they were inserted.
    fn ids(&self, py: Python<'_>) -> Vec<Id> {
        py.detach(|| self.read().documents().map(|(id, _)| id.clone().into()).collect())
    }

    /// Writes the index to a file, which appears only when it is whole: it is written under another name beside it, synced, and
    /// renamed. An older file of the name is replaced.
    ///
    /// Raises `OSError`.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| save(&self.read(), &path)).map_err(failed)
    }

    /// Reads an index from a file that `save` wrote. Settings may be given, and must then be those of the file.
    ///
    /// Raises `OSError`; `FormatError` when the file is no index, of another version, or damaged; `UnlikeSketchesError`, which names
    /// both sides, when it has other settings than the given ones.
    #[staticmethod]
    #[pyo3(signature = (path, /, **config), text_signature = "(path, /, **config)")]
    fn load(py: Python<'_>, path: PathBuf, config: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let index = py.detach(|| load(&path)).map_err(failed)?;
        if config.is_some_and(|config| !config.is_empty()) {
            let asked = config::config("LshIndex.load", INDEX, config)?;
            index.refuse_unlike(Some(&path.display().to_string()), &asked).map_err(failed)?;
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
        format!("<LshIndex of {} documents by {}>", self.__len__(py), self.read().method().found_by())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = py.detach(|| self.read().encode()).map_err(failed)?;
        Ok((py.get_type::<Self>().getattr("_from_bytes")?, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Index::decode(bytes, "pickled index").map(Self::of).map_err(failed)
    }
}

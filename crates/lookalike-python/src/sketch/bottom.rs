//! Bottom sketches.

use lookalike::{GreedyBy, Method, Scratch, sketch};
use numpy::PyArray1;
use pyo3::{prelude::*, types::PyDict};

use super::{Estimate, ascends};
use crate::{
    config,
    error::refused,
    items::{self, Item},
    pickles::{Pickled, pickled, unpickled},
};

/// A factory of bottom sketches: MIN_s, the s smallest numbers of a permuted shingle set, or MIN_s of MOD_m, the s smallest of
/// those numbers that are divisible by m = 2^level.
///
/// - `s`: the maximum number of elements in a sketch, at least 1. The default is the core's, 200.
/// - `level`: 0 to 63. Only elements divisible by 2^level are sampled, so level 0 samples all.
/// - Keywords: `tokens`, `folds`, `shingle`, `occurrences`, `fingerprint`, `seed`, see `Config`.
///
/// Raises `EmptySampleError`, `LevelError`. Source: Broder 1997, sections 3 and 4.1.
#[pyclass(frozen, module = "lookalike")]
pub struct Bottom {
    method: Method,
    bottom: sketch::Bottom,
}

#[pymethods]
impl Bottom {
    #[new]
    #[pyo3(signature = (s = None, level = 0, **config), text_signature = "(s=None, level=0, **config)")]
    fn new(s: Option<usize>, level: u32, config: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let method = config::shingles(config::config("Bottom", &[], config)?)?;
        let s = s.unwrap_or(GreedyBy::default().sample);
        let bottom = sketch::Bottom::of_modulo(s, level, method.config().seed).map_err(refused)?;
        Ok(Self { method, bottom })
    }

    /// The maximum number of elements in a sketch.
    #[getter]
    fn s(&self) -> usize {
        self.bottom.s()
    }

    fn __repr__(&self) -> String {
        format!("Bottom(s={}, seed={})", self.s(), self.method.config().seed)
    }

    /// Returns the sketch of a text, or of the fingerprints of a text.
    ///
    /// Cost: about 5 ns per shingle, in addition to reading the text.
    #[pyo3(signature = (item, /))]
    fn sketch(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<BottomSketch> {
        let item = Item::new(item)?;
        Ok(BottomSketch(py.detach(|| {
            self.bottom
                .sketch(items::bag(&self.method, &item, &mut Scratch::default()))
        })))
    }

    /// Returns the sketches of many texts. `threads`: 0 means one per core.
    #[pyo3(signature = (items, /, threads = 0))]
    fn sketches(&self, items: &Bound<'_, PyAny>, threads: usize) -> PyResult<Vec<BottomSketch>> {
        items::each(items, threads, |item, scratch| {
            BottomSketch(self.bottom.sketch(items::bag(&self.method, item, scratch)))
        })
    }
}

/// A bottom sketch: a sample of a shingle set, drawn without replacement.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(PartialEq)]
pub struct BottomSketch(sketch::BottomSketch);

#[pymethods]
impl BottomSketch {
    /// The sampled permuted elements, in ascending order: a numpy array of uint64, at most `s`.
    #[getter]
    fn sample<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, self.0.sample())
    }

    /// The maximum number of elements in the sketch.
    #[getter]
    fn s(&self) -> usize {
        self.0.s()
    }

    /// The level i; the modulus is 2^i.
    #[getter]
    fn level(&self) -> u32 {
        self.0.level()
    }

    /// The seed of the permutation.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// Whether no element was omitted. On level 0, the sketch is then the whole set.
    #[getter]
    fn is_whole(&self) -> bool {
        self.0.is_whole()
    }

    /// Returns the estimated resemblance (Broder 1997, section 3). It is exact if both sketches contain their whole sets. Cost:
    /// O(s).
    ///
    /// Raises `UnlikeSketchesError` if the two sketches differ in s, level or seed.
    #[pyo3(signature = (other, /))]
    fn resemblance(&self, other: &Self) -> PyResult<Estimate> {
        Ok(self.0.resemblance(&other.0).map_err(refused)?.into())
    }

    /// Returns the sketch of the union of both sets.
    ///
    /// Raises `UnlikeSketchesError` if the two sketches differ in s, level or seed.
    #[pyo3(signature = (other, /))]
    fn merge(&self, other: &Self) -> PyResult<Self> {
        Ok(Self(self.0.merge(&other.0).map_err(refused)?))
    }

    /// Returns the estimated number of distinct shingles: a count, not a share (Bar-Yossef et al. 2002; Beyer et al. 2007).
    fn distinct(&self) -> Estimate {
        self.0.distinct().into()
    }

    fn __len__(&self) -> usize {
        self.0.sample().len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<BottomSketch of {} elements of up to {}, level {}, seed {}>",
            self.__len__(),
            self.s(),
            self.level(),
            self.seed()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &self.0)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(unpickled(bytes, |sketch: &sketch::BottomSketch| {
            let (kept, s) = (sketch.sample().len(), sketch.s());
            s > 0
                && kept <= s
                && (kept == s || sketch.is_whole())
                && sketch.level() <= sketch::MAX_LEVEL
                && ascends(sketch.sample())
        })?))
    }
}

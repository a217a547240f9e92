//! MOD_m sketches.

use lookalike::{Method, Scratch, sketch};
use numpy::PyArray1;
use pyo3::{prelude::*, types::PyDict};

use super::{Estimate, ascends};
use crate::{
    config,
    error::refused,
    items::{self, Item},
    pickles::{Pickled, pickled, unpickled},
};

/// A factory of MOD_m sketches: the permuted shingles that are divisible by m = 2^i. These sketches grow with the text, so they
/// also estimate containment.
///
/// - `modulus`: `{"kind": "growing", "least": 100}` (the core's default: 100 to 200 elements are expected for every long text),
///   `{"kind": "fixed", "level": i}`, or `{"kind": "capped", "least": n, "level": i}`.
/// - Keywords: `tokens`, `folds`, `shingle`, `occurrences`, `fingerprint`, `seed`, see `Config`.
///
/// Raises `EmptySampleError`, `LevelError`. Source: Broder 1997, section 3.
#[pyclass(frozen, module = "lookalike")]
pub struct Modulo {
    method: Method,
    modulo: sketch::Modulo,
}

#[pymethods]
impl Modulo {
    #[new]
    #[pyo3(signature = (modulus = None, **config), text_signature = "(modulus=None, **config)")]
    fn new(
        modulus: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let method = config::shingles(config::config("Modulo", &[], config)?)?;
        let modulus = match modulus {
            Some(given) => config::piece("modulus", given)?,
            None => sketch::Modulus::default(),
        };
        let modulo = sketch::Modulo::new(modulus, method.config().seed).map_err(refused)?;
        Ok(Self { method, modulo })
    }

    /// Returns the sketch of a text, or of the fingerprints of a text.
    #[pyo3(signature = (item, /))]
    fn sketch(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<ModuloSketch> {
        let item = Item::new(item)?;
        Ok(ModuloSketch(py.detach(|| {
            self.modulo
                .sketch(items::bag(&self.method, &item, &mut Scratch::default()))
        })))
    }

    /// Returns the sketches of many texts. `threads`: 0 means one per core.
    #[pyo3(signature = (items, /, threads = 0))]
    fn sketches(&self, items: &Bound<'_, PyAny>, threads: usize) -> PyResult<Vec<ModuloSketch>> {
        items::each(items, threads, |item, scratch| {
            ModuloSketch(self.modulo.sketch(items::bag(&self.method, item, scratch)))
        })
    }
}

/// A MOD_m sketch: the elements of a shingle set that are divisible by m = 2^level. Larger sets have larger sketches, and the
/// sketch of an excerpt is a subset of the sketch of the whole.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(PartialEq)]
pub struct ModuloSketch(sketch::ModuloSketch);

#[pymethods]
impl ModuloSketch {
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

    /// The permuted elements that are divisible by 2^level, in ascending order: a numpy array of uint64.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, self.0.elements())
    }

    /// Returns the sketch on a higher level, which is a subset of this one.
    ///
    /// Raises `LevelError` if the level is below the level of this sketch or above 63.
    #[pyo3(signature = (level, /))]
    fn at_level(&self, level: u32) -> PyResult<Self> {
        Ok(Self(self.0.at_level(level).map_err(refused)?))
    }

    /// Returns the estimated resemblance, on the higher of the two levels (Broder 1997, section 3).
    ///
    /// Raises `UnlikeSketchesError` if the two sketches have different seeds.
    #[pyo3(signature = (other, /))]
    fn resemblance(&self, other: &Self) -> PyResult<Estimate> {
        Ok(self.0.resemblance(&other.0).map_err(refused)?.into())
    }

    /// Returns the estimated containment of this text in the other: the share of this text's shingles that the other text also
    /// has.
    ///
    /// Raises `UnlikeSketchesError` if the two sketches have different seeds.
    #[pyo3(signature = (other, /))]
    fn containment(&self, other: &Self) -> PyResult<Estimate> {
        Ok(self.0.containment(&other.0).map_err(refused)?.into())
    }

    /// Returns the sketch of the union of both sets, on the higher of the two levels.
    ///
    /// Raises `UnlikeSketchesError` if the two sketches have different seeds.
    #[pyo3(signature = (other, /))]
    fn merge(&self, other: &Self) -> PyResult<Self> {
        Ok(Self(self.0.merge(&other.0).map_err(refused)?))
    }

    fn __len__(&self) -> usize {
        self.0.elements().len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<ModuloSketch of {} elements, level {}, seed {}>",
            self.__len__(),
            self.level(),
            self.seed()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &self.0)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(unpickled(bytes, |sketch: &sketch::ModuloSketch| {
            sketch.level() <= sketch::MAX_LEVEL
                && ascends(sketch.elements())
                && sketch
                    .elements()
                    .iter()
                    .all(|element| element.trailing_zeros() >= sketch.level())
        })?))
    }
}

//! SimHash.

use lookalike::{Features, Method, Scratch, SimHashBy, sketch};
use numpy::PyArray2;
use pyo3::{prelude::*, types::PyDict};

use super::Estimate;
use crate::{
    config,
    error::refused,
    items::{self, Item},
    pickles::{Pickled, pickled, unpickled},
};

/// A factory of SimHashes: similar texts get hashes that differ in few bits.
///
/// - `bits`: 64 (the core's default) or 128.
/// - `features`: the features that are hashed, weighted by frequency: `"shingles"` (the default) or `"tokens"`.
/// - Keywords: `tokens`, `folds`, `shingle`, `occurrences`, `fingerprint`, `seed`, see `Config`.
///
/// Raises `SimHashBitsError`. Sources: Charikar 2002, section 3; Manku, Jain, Das Sarma 2007, section 2.
#[pyclass(frozen, module = "lookalike")]
pub struct SimHash {
    method: Method,
    simhash: sketch::SimHash,
    features: Features,
}

#[derive(Default)]
struct Buffers {
    scratch: Scratch,
    tokens: (lookalike::text::Tokens, Vec<u64>),
}

impl SimHash {
    fn features<'a>(&self, item: &'a Item, buffers: &'a mut Buffers) -> &'a [u64] {
        match (item, self.features) {
            (Item::Text(text), Features::Tokens) => {
                items::tokens(&self.method, text, &mut buffers.tokens);
                &buffers.tokens.1
            }
            _ => items::bag(&self.method, item, &mut buffers.scratch),
        }
    }
}

#[pymethods]
impl SimHash {
    #[new]
    #[pyo3(signature = (bits = None, features = None, **config), text_signature = "(bits=None, features=None, **config)")]
    fn new(
        bits: Option<u32>,
        features: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let method = config::shingles(config::config("SimHash", &[], config)?)?;
        let default = SimHashBy::default();
        let width = match bits {
            Some(bits) => sketch::Width::try_from(bits).map_err(refused)?,
            None => default.bits,
        };
        let features = match features {
            Some(given) => config::piece("features", given)?,
            None => default.features,
        };
        let simhash = sketch::SimHash::new(width, method.config().seed);
        Ok(Self {
            method,
            simhash,
            features,
        })
    }

    /// The number of bits in a hash: 64 or 128.
    #[getter]
    fn bits(&self) -> u32 {
        self.simhash.width().bits()
    }

    fn __repr__(&self) -> String {
        format!(
            "SimHash(bits={}, seed={})",
            self.bits(),
            self.method.config().seed
        )
    }

    /// Returns the hash of a text, or of the fingerprints of a text.
    ///
    /// Cost: 2.5 ns per shingle for 64 bits, 5 ns for 128, in addition to reading the text.
    #[pyo3(signature = (item, /))]
    fn sketch(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<SimHashSketch> {
        let item = Item::new(item)?;
        Ok(SimHashSketch(py.detach(|| {
            self.simhash
                .sketch(self.features(&item, &mut Buffers::default()))
        })))
    }

    /// Returns the hashes of many texts: a numpy array of uint64 of shape (texts, bits / 64), the lower half first.
    ///
    /// The hash of an empty text is 0, which has no meaning. `threads`: 0 means one per core.
    #[pyo3(signature = (items, /, threads = 0))]
    fn hashes<'py>(
        &self,
        items: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let row = |buffers: &mut Buffers, item: &_, out: &mut [u64]| {
            let hash = self.simhash.hash(self.features(item, buffers));
            for (half, out) in out.iter_mut().enumerate() {
                *out = (hash >> (64 * half)) as u64;
            }
        };
        items::table(items, self.bits() as usize / 64, threads, row)
    }
}

/// A SimHash, with the settings that a comparison needs.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(PartialEq)]
pub struct SimHashSketch(sketch::SimHashSketch);

#[pymethods]
impl SimHashSketch {
    /// The bits, as one number.
    #[getter]
    fn bits(&self) -> u128 {
        self.0.bits()
    }

    /// Returns the number of bits in which the two hashes differ. An empty text has the maximum distance to everything.
    ///
    /// Raises `UnlikeSketchesError` if the two sketches differ in width or seed.
    #[pyo3(signature = (other, /))]
    fn distance(&self, other: &Self) -> PyResult<u32> {
        self.0.distance(&other.0).map_err(refused)
    }

    /// Returns the estimated cosine of the two frequency vectors (Charikar 2002, section 3).
    ///
    /// Raises `UnlikeSketchesError` if the two sketches differ in width or seed.
    #[pyo3(signature = (other, /))]
    fn cosine(&self, other: &Self) -> PyResult<Estimate> {
        Ok(self.0.cosine(&other.0).map_err(refused)?.into())
    }

    /// Returns the estimated resemblance of two sets of about the same size.
    ///
    /// Raises `UnlikeSketchesError` if the two sketches differ in width or seed.
    #[pyo3(signature = (other, /))]
    fn resemblance(&self, other: &Self) -> PyResult<Estimate> {
        Ok(self.0.resemblance(&other.0).map_err(refused)?.into())
    }

    fn __repr__(&self) -> String {
        format!("<SimHashSketch {:#x}>", self.0.bits())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &self.0)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(unpickled(bytes, |_| true)?))
    }
}

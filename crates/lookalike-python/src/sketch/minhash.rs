//! MinHash.

use lookalike::{
    Method, Permutations, Scratch,
    lsh::{DEFAULT_SLOTS, MAX_SLOTS},
    sketch::{self, BITS_SLOTS},
};
use numpy::{PyArray1, PyArray2};
use pyo3::{prelude::*, types::PyDict};

use super::Estimate;
use crate::{
    config,
    error::{raise, refused},
    items::{self, Item},
    pickles::{Pickled, pickled, unpickled},
};

/// A factory of MinHash signatures.
///
/// Two signatures from one factory agree in a slot with probability |A ∩ B| / |A ∪ B|, the resemblance of the two shingle sets.
/// So the share of slots that agree is an unbiased estimate of the resemblance. With 128 slots and a resemblance near 0.8, the
/// estimate is within ± 0.07 of the resemblance nineteen times in twenty.
///
/// - `slots`: the length of a signature, 1 to 4096. The default is the core's, 128.
/// - `permutations`: `"one"` (the default: one for all slots, several times faster on long texts and never less accurate) or
///   `"many"` (one per slot).
/// - Keywords: `tokens`, `folds`, `shingle`, `occurrences`, `fingerprint`, `seed`, see `Config`.
///
/// Factories are immutable and can be shared between threads. Sources: Broder 1997, section 3; Li, Owen, Zhang 2012; Dahlgaard,
/// Knudsen, Thorup 2017.
#[pyclass(frozen, module = "lookalike")]
pub struct MinHash {
    method: Method,
    family: Family,
    permutations: Permutations,
}

enum Family {
    Many(sketch::MinHash),
    One(sketch::OnePermutation),
}

impl MinHash {
    fn minima(&self, item: &Item, scratch: &mut Scratch, minima: &mut Vec<u32>) {
        let fingerprints = items::bag(&self.method, item, scratch);
        match &self.family {
            Family::Many(family) => family.minima(fingerprints, minima),
            Family::One(family) => family.minima(fingerprints, minima),
        }
    }
}

#[pymethods]
impl MinHash {
    #[new]
    #[pyo3(signature = (slots = None, permutations = None, **config), text_signature = "(slots=None, permutations=None, **config)")]
    fn new(
        slots: Option<usize>,
        permutations: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let method = config::shingles(config::config("MinHash", &[], config)?)?;
        let slots = slots.unwrap_or(DEFAULT_SLOTS);
        if !(1..=MAX_SLOTS).contains(&slots) {
            let words = format!(
                "a signature must have from 1 to {MAX_SLOTS} slots, got {slots}; 128 is usual"
            );
            return Err(raise("ConfigError", words));
        }
        let permutations = match permutations {
            Some(given) => config::piece("permutations", given)?,
            None => Permutations::default(),
        };
        let seed = method.config().seed;
        let family = match permutations {
            Permutations::Many => Family::Many(sketch::MinHash::new(slots, seed)),
            Permutations::One => Family::One(sketch::OnePermutation::new(slots, seed)),
        };
        Ok(Self {
            method,
            family,
            permutations,
        })
    }

    /// The number of slots in a signature.
    #[getter]
    fn slots(&self) -> usize {
        match &self.family {
            Family::Many(family) => family.slots(),
            Family::One(family) => family.slots(),
        }
    }

    /// The number of random permutations per signature: "one" or "many".
    #[getter]
    fn permutations(&self) -> &'static str {
        match self.permutations {
            Permutations::Many => "many",
            Permutations::One => "one",
        }
    }

    /// The seed of the random choices.
    #[getter]
    fn seed(&self) -> u64 {
        self.method.config().seed
    }

    /// Returns the signature of a text, or of the fingerprints of a text that the function `fingerprints` returned.
    ///
    /// Cost: about a nanosecond per byte of a long text, and about 5 ns per slot.
    #[pyo3(signature = (item, /))]
    fn signature(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<Signature> {
        let item = Item::new(item)?;
        Ok(Signature(py.detach(|| {
            let mut scratch = Scratch::default();
            let fingerprints = items::bag(&self.method, &item, &mut scratch);
            match &self.family {
                Family::Many(family) => family.signature(fingerprints),
                Family::One(family) => family.signature(fingerprints),
            }
        })))
    }

    /// Returns the signatures of many texts: a numpy array of uint32 of shape (texts, slots).
    ///
    /// Each row equals `signature(text).slots`. The row of an empty text has 4294967295 in each slot and counts as equal to no
    /// other row. `threads`: 0 means one per core; the result is the same for any number. The interpreter is released during the
    /// computation.
    #[pyo3(signature = (items, /, threads = 0))]
    fn signatures<'py>(
        &self,
        items: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let row = |(scratch, minima): &mut _, item: &_, row: &mut [u32]| {
            self.minima(item, scratch, minima);
            row.copy_from_slice(minima);
        };
        items::table(items, self.slots(), threads, row)
    }

    /// Returns the b-bit sketches of many texts (Li & König 2010): a numpy array of uint8 of shape (texts, 128), with 8 mixed
    /// bits of each of the first 128 slots.
    ///
    /// Two slots with different values have the same byte once in 256 times. If `equal` is the fraction of positions at which two
    /// rows have the same byte, `(256*equal-1)/255` is an estimate of the resemblance. `threads`: 0 means one per core. Raises
    /// `ConfigError` if a signature has fewer than 128 slots.
    #[pyo3(signature = (items, /, threads = 0))]
    fn bits<'py>(
        &self,
        items: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        if self.slots() < BITS_SLOTS {
            let words = format!(
                "b-bit sketches need {BITS_SLOTS} slots, got {}; use more slots",
                self.slots()
            );
            return Err(raise("ConfigError", words));
        }
        let row = |(scratch, minima): &mut _, item: &_, row: &mut [u8]| {
            self.minima(item, scratch, minima);
            row.copy_from_slice(&sketch::bits(minima));
        };
        items::table(items, BITS_SLOTS, threads, row)
    }

    fn __repr__(&self) -> String {
        format!(
            "MinHash(slots={}, permutations='{}', seed={})",
            self.slots(),
            self.permutations(),
            self.seed()
        )
    }
}

/// A MinHash signature: its slots, and the settings that produced them.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(PartialEq)]
pub struct Signature(sketch::Signature);

#[pymethods]
impl Signature {
    /// The slots: a numpy array of uint32.
    #[getter]
    fn slots<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, self.0.slots())
    }

    /// Returns the estimated resemblance: the share of slots that agree (Broder 1997, section 3), with Wilson's interval. An
    /// empty text resembles nothing, not even itself.
    ///
    /// Raises `UnlikeSketchesError` if the two signatures differ in family, length or seed; its message shows both settings.
    #[pyo3(signature = (other, /))]
    fn resemblance(&self, other: &Self) -> PyResult<Estimate> {
        Ok(self.0.resemblance(&other.0).map_err(refused)?.into())
    }

    fn __len__(&self) -> usize {
        self.0.slots().len()
    }

    fn __repr__(&self) -> String {
        format!("<Signature of {} slots>", self.0.slots().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &self.0)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(unpickled(bytes, |_| true)?))
    }
}

//! The core's sketches. A maker holds the settings of texts and sketches, a sketch what it needs to be compared.

mod estimate;

mod bottom;

mod minhash;

mod modulo;

mod simhash;

pub use bottom::{Bottom, BottomSketch};
pub use estimate::Estimate;
pub use minhash::{MinHash, Signature};
pub use modulo::{Modulo, ModuloSketch};
use pyo3::{prelude::*, types::PyBytes};
use serde::{Serialize, de::DeserializeOwned};
pub use simhash::{SimHash, SimHashSketch};

use crate::error::raise;

/// A sketch as bytes, for pickle.
fn to_bytes<'py>(py: Python<'py>, sketch: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = serde_json::to_vec(sketch).map_err(|error| raise("InternalError", error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// A sketch from such bytes.
fn from_bytes<T: DeserializeOwned>(bytes: &[u8], fits: impl Fn(&T) -> bool) -> PyResult<T> {
    match serde_json::from_slice(bytes) {
        Ok(sketch) if fits(&sketch) => Ok(sketch),
        _ => Err(raise("FormatError", "these bytes are no sketch: unpickle what was pickled by the same class".into())),
    }
}

/// Whether numbers ascend.
fn ascends(numbers: &[u64]) -> bool {
    numbers.is_sorted_by(|a, b| a < b)
}

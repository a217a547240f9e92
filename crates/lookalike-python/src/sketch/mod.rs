//! The core's sketches. A factory holds the settings of texts and sketches; a sketch holds what a comparison needs.

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

/// Returns a sketch as bytes, for pickle.
fn to_bytes<'py>(py: Python<'py>, sketch: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let bytes =
        serde_json::to_vec(sketch).map_err(|error| raise("InternalError", error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Reads a sketch from the bytes that [`to_bytes`] returns.
fn from_bytes<T: DeserializeOwned>(bytes: &[u8], fits: impl Fn(&T) -> bool) -> PyResult<T> {
    match serde_json::from_slice(bytes) {
        Ok(sketch) if fits(&sketch) => Ok(sketch),
        _ => Err(raise(
            "FormatError",
            "these bytes are not a sketch; unpickle data that the same class pickled".into(),
        )),
    }
}

/// Returns whether the numbers are strictly ascending.
fn ascends(numbers: &[u64]) -> bool {
    numbers.is_sorted_by(|a, b| a < b)
}

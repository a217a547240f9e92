//! Pickle support for sketches and the results of a run.

use pyo3::{PyTypeInfo, prelude::*, types::PyBytes};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::raise;

/// The value of `__reduce__`: the class's `_from_bytes`, and the serialised content.
pub type Pickled<'py> = PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))>;

/// Returns the value of `__reduce__` for an object of the class `C`.
pub fn pickled<'py, C: PyTypeInfo>(
    py: Python<'py>,
    store: &(impl Serialize + Sync),
) -> Pickled<'py> {
    let bytes = py
        .detach(|| serde_json::to_vec(store))
        .map_err(|error| raise("InternalError", error.to_string()))?;
    Ok((
        py.get_type::<C>().getattr("_from_bytes")?,
        (PyBytes::new(py, &bytes),),
    ))
}

/// Reads the content back from the bytes that [`pickled`] made.
///
/// # Errors
/// Fails with `FormatError` if the bytes are anything else.
pub fn unpickled<S: DeserializeOwned>(bytes: &[u8], is_whole: impl Fn(&S) -> bool) -> PyResult<S> {
    let store = serde_json::from_slice(bytes).ok().filter(is_whole);
    store.ok_or_else(|| {
        raise(
            "FormatError",
            "this pickle is damaged or from another release; create it again".into(),
        )
    })
}

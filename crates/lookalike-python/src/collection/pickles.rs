//! Pickle support for the results of a run.

use pyo3::{PyTypeInfo, prelude::*, types::PyBytes};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::raise;

/// Returns the value of `__reduce__`: the class's `_from_bytes`, and the serialised content.
pub fn pickled<'py, C: PyTypeInfo>(
    py: Python<'py>,
    store: &(impl Serialize + Sync),
) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
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

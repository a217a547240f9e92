//! Ids of documents as Python objects.

use lookalike_index::Id;
use pyo3::{
    prelude::*,
    types::{PyBool, PyFloat, PyInt},
};
use xxhash_rust::xxh3::xxh3_128;

use crate::{collection::ids::named, error::raise};

/// Returns the id that a Python object is.
///
/// # Errors
/// Fails with `RecordError` for anything other than a string or a finite number.
pub fn id_of(given: &Bound<'_, PyAny>) -> PyResult<Id> {
    if let Ok(text) = given.extract::<String>() {
        return Ok(Id::Text(text));
    }
    if !given.is_instance_of::<PyBool>() {
        if let Ok(number) = given.extract::<i64>() {
            return Ok(Id::Number(number));
        }
        if given.is_instance_of::<PyInt>() || given.is_instance_of::<PyFloat>() {
            let json: String = given.repr()?.extract()?;
            if let Some(id) = Id::from_json(&json) {
                return Ok(id);
            }
        }
    }
    let kind = given.get_type().name()?;
    Err(raise(
        "RecordError",
        format!("an id is a string or a finite number, not of the type {kind}"),
    ))
}

/// Returns an id as a Python object.
pub fn object<'py>(py: Python<'py>, id: &Id) -> PyResult<Bound<'py, PyAny>> {
    named(py, &id.to_json())
}

/// Returns a number that identifies an id.
pub fn key(id: &Id) -> u128 {
    xxh3_128(id.to_json().as_bytes())
}

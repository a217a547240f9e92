//! Converts sets to texts. A set is a Python object (a list, tuple, set or array) or a string with a JSON array.

use lookalike::{
    Config,
    text::{TokensBy, why_not_a_set},
};
use pyo3::{prelude::*, pybacked::PyBackedStr};

use crate::error::raise;

/// Returns the given text, or the JSON array of a given set.
///
/// # Errors
/// Fails with `TypeError` if a text is expected and the argument is not a string, and with `RecordError` if a set is expected and
/// the argument is not a valid set.
pub fn text(config: &Config, given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    if config.tokens != TokensBy::Items {
        return given.extract();
    }
    let array = given
        .py()
        .import("lookalike.kinds.sets")?
        .call_method1("array", (given,))?;
    let array: PyBackedStr = array.extract()?;
    match why_not_a_set(&array) {
        Some(what) => Err(raise("RecordError", format!("the set {what}"))),
        None => Ok(array),
    }
}

//! Sets given as Python has them: lists, tuples, sets, arrays; or as JSON arrays, which are strings.

use lookalike::{
    Config,
    text::{TokensBy, no_set},
};
use pyo3::{prelude::*, pybacked::PyBackedStr};

use crate::error::raise;

/// A text as it is given; of a set the JSON array.
///
/// # Errors
/// `TypeError` for what is no text, `RecordError` for what is no set.
pub fn text(config: &Config, given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    if config.tokens != TokensBy::Items {
        return given.extract();
    }
    let array = given.py().import("lookalike.kinds.sets")?.call_method1("array", (given,))?;
    let array: PyBackedStr = array.extract()?;
    match no_set(&array) {
        Some(what) => Err(raise("RecordError", format!("the set {what}"))),
        None => Ok(array),
    }
}

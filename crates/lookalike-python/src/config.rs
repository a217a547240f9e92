//! Keyword arguments → the core's configuration, by the core's names and with its defaults, which exist once.

use lookalike::{Candidates, Config, Method};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};
use serde_json::{Map, Value};

use crate::error::{raise, refused};

/// What decides the shingles of a text.
pub const SHINGLES: &[&str] = &["tokens", "folds", "shingle", "occurrences", "fingerprint", "seed"];

/// What decides an index.
pub const INDEX: &[&str] =
    &["tokens", "folds", "shingle", "occurrences", "fingerprint", "seed", "threshold", "recall", "candidates", "verify"];

/// The configuration of the given keywords; `of` names who takes them.
///
/// # Errors
/// `TypeError` for a keyword that is not among `known`, `ConfigError` for a value that does not fit.
pub fn config(of: &str, known: &[&str], keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
    let Some(keywords) = keywords else { return Ok(Config::default()) };
    let mut fields = object(keywords)?;
    if let Some(unknown) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        let words = format!("{of}() got an unexpected keyword argument '{unknown}': it takes {}", known.join(", "));
        return Err(PyTypeError::new_err(words));
    }
    // A kind that needs nothing else may be given by its name alone.
    for field in ["candidates", "fingerprint"] {
        if let Some(kind @ Value::String(_)) = fields.get_mut(field) {
            *kind = serde_json::json!({ "kind": kind.take() });
        }
    }
    from_value(Value::Object(fields))
}

/// A piece of configuration given as Python values.
pub fn from_value<T: serde::de::DeserializeOwned>(value: Value) -> PyResult<T> {
    serde_json::from_value(value).map_err(|error| raise("ConfigError", error.to_string()))
}

/// A Python value as JSON.
pub fn value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let json: String = value.py().import("json")?.call_method1("dumps", (value,))?.extract()?;
    from_value(serde_json::from_str(&json).map_err(|error| raise("ConfigError", error.to_string()))?)
}

fn object(keywords: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    from_value(value(keywords)?)
}

/// JSON as a Python value.
pub fn to_python<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value).map_err(|error| raise("Error", error.to_string()))?;
    py.import("json")?.call_method1("loads", (json,))
}

/// What makes fingerprints of a text: a method that makes no sketch.
pub fn shingles(config: Config) -> PyResult<Method> {
    Method::new(Config { candidates: Candidates::Exact, ..config }).map_err(refused)
}

/// All settings with the core's defaults, as a dictionary.
///
/// The keys are the keyword arguments that the package's functions and classes take (each takes those that concern it),
/// `Config` describes them.
#[pyfunction]
pub fn default_config(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &Config::default())
}

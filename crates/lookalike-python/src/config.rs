//! Keyword arguments → the core's configuration, by the core's names and with its defaults, which exist once.

use lookalike::{Candidates, Config, Method, text::TokensBy};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{raise, refused};

/// What decides the shingles of a text: all that is configured takes these.
const SHINGLES: &[&str] = &["tokens", "folds", "shingle", "anchors", "occurrences", "fingerprint", "seed"];

/// Who takes sets, `tokens="items"`; whatever sketches takes the fingerprints of one.
const OF_SETS: [&str; 4] = ["dedup", "pairs", "compare", "fingerprints"];

/// What decides an index besides.
pub const INDEX: &[&str] = &["threshold", "recall", "candidates", "verify"];

/// The configuration of the given keywords; `of` names who takes them, those of shingles and `more`.
///
/// # Errors
/// `TypeError` for a keyword that is not taken, `ConfigError` for a value that does not fit, `SetError` for sets where texts are
/// taken.
pub fn config(of: &str, more: &[&str], keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
    let Some(keywords) = keywords else { return Ok(Config::default()) };
    let mut fields = object(keywords)?;
    let known = [SHINGLES, more].concat();
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
    let config: Config = keyed(fields)?;
    if config.tokens == TokensBy::Items && !OF_SETS.contains(&of) {
        let words =
            format!("{of}() takes texts, no sets; give it what fingerprints(items, tokens=\"items\") gives, if it takes that");
        return Err(raise("SetError", words));
    }
    Ok(config)
}

/// What keywords say, each by itself of a type that can be left out.
///
/// # Errors
/// `ConfigError` with the name of the keyword whose value does not fit.
pub fn keyed<T: DeserializeOwned>(fields: Map<String, Value>) -> PyResult<T> {
    let read = |fields: Map<String, Value>| serde_json::from_value::<T>(Value::Object(fields));
    read(fields.clone()).map_err(|error| {
        let alone = |(name, value): (String, Value)| {
            let error = read(Map::from_iter([(name.clone(), value)])).err()?;
            Some(format!("{name}= {error}"))
        };
        raise("ConfigError", fields.into_iter().find_map(alone).unwrap_or_else(|| error.to_string()))
    })
}

/// A piece of configuration given as a Python value; `name` is the keyword.
///
/// # Errors
/// `ConfigError` for a value that does not fit.
pub fn piece<T: DeserializeOwned>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<T> {
    serde_json::from_value(value(name, given)?).map_err(|error| raise("ConfigError", format!("{name}= {error}")))
}

/// Keywords as JSON.
///
/// # Errors
/// `ConfigError` for a value that no JSON is.
pub fn object(keywords: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let field = |(name, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.extract::<String>()?;
        let given = value(&name, &given)?;
        Ok((name, given))
    };
    keywords.iter().map(field).collect()
}

/// A Python value as JSON; scalars of numpy's are the numbers that they are.
fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = given.py();
    let options = PyDict::new(py);
    options.set_item("allow_nan", false)?;
    options.set_item("default", py.import("operator")?.call_method1("methodcaller", ("item",))?)?;
    let json = py.import("json")?.call_method("dumps", (given,), Some(&options)).and_then(|json| json.extract::<String>());
    let read = json.ok().and_then(|json| serde_json::from_str(&json).ok());
    read.ok_or_else(|| {
        let shown = given.repr().map_or_else(|_| "…".to_owned(), |shown| shown.to_string());
        let kind = given.get_type().name().map_or_else(|_| "object".to_owned(), |kind| kind.to_string());
        raise(
            "ConfigError",
            format!("{name}= cannot be {shown}, of the type {kind}: give a finite number, a string or a dictionary"),
        )
    })
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

//! Converts keyword arguments to the core's configuration. Keywords that are flags of the command are parsed by the command's own
//! parser, so that their names, values and defaults are defined only once. Values in the form of the core's own configuration,
//! such as a dictionary with a kind, are applied afterwards and override the flags.

use std::ffi::OsString;

use lookalike::{Candidates, Config, Method, text::TokensBy};
use lookalike_cli::asked::{self, Refused};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{failed, raise, refused, refused_option};

/// Keywords that determine the shingles of a text. Every function with a configuration accepts them.
const SHINGLES: &[&str] = &[
    "preset",
    "tokens",
    "fold",
    "folds",
    "shingle",
    "anchors",
    "occurrences",
    "fingerprint",
    "degree",
    "seed",
];

/// The functions that take sets (`tokens="items"`). Sketch classes take the fingerprints of a set instead.
const OF_SETS: [&str; 4] = ["compare", "fingerprints", "LshIndex", "LshIndex.load"];

/// The additional keywords of an index.
pub const INDEX: &[&str] = &[
    "threshold",
    "recall",
    "candidates",
    "verify",
    "method",
    "bands",
    "rows",
    "permutations",
    "bits",
    "features",
    "distance",
    "blocks",
    "longest",
    "digest",
];

/// Flags that select how candidates are found, or that set part of a configuration. Values such as `candidates={"kind": …}` set
/// the same things, so they cannot be combined with these flags.
const INSTEAD: [(&str, &[&str]); 4] = [
    (
        "candidates",
        &[
            "method",
            "exact",
            "bands",
            "rows",
            "permutations",
            "modulus",
            "common",
            "run_length",
            "bits",
            "features",
            "distance",
            "blocks",
            "longest",
            "digest",
        ],
    ),
    ("folds", &["fold"]),
    ("fingerprint", &["degree"]),
    ("cluster", &["representative", "sample"]),
];

/// Returns the configuration for the given keywords. `of` is the name of the function that was called. This function accepts the
/// keywords in `SHINGLES` and those in `more`.
///
/// # Errors
/// Fails with `TypeError` if a keyword is unknown. Fails with `ConfigError` if a value is invalid, or if documents are sets and
/// the function takes only texts.
pub fn config(of: &str, more: &[&str], keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Config> {
    let Some(keywords) = keywords else {
        return Ok(Config::default());
    };
    let fields = object(keywords)?;
    let known = [SHINGLES, more].concat();
    if let Some(unknown) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        let words = format!(
            "{of}() got an unexpected keyword argument '{unknown}'; it takes {}",
            known.join(", ")
        );
        return Err(PyTypeError::new_err(words));
    }
    // A comparison takes microseconds, and building the command's definition takes longer. So the definition is built only if
    // necessary.
    let config = if is_own(&fields) {
        keyed(with_kinds(fields))?
    } else {
        let (flags, own) = parted(fields)?;
        laid_over(asked::method(flags).map_err(not_asked)?, own)?
    };
    if config.tokens == TokensBy::Items && !OF_SETS.contains(&of) {
        let words = format!(
            "{of}() takes texts, not sets; pass it the result of fingerprints(items, tokens=\"items\"), if it accepts \
                     fingerprints"
        );
        return Err(refused_option("tokens", words));
    }
    Ok(config)
}

/// Returns whether all keywords are fields of the core's configuration, in a form that it accepts.
fn is_own(fields: &Map<String, Value>) -> bool {
    let is_flag = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        ("candidates", Value::String(own)) => own == "super",
        ("fingerprint" | "cluster", Value::String(own)) => matches!(&**own, "rabin" | "greedy"),
        ("anchors", Value::String(_)) => true,
        // The command defines the settings of a preset and lets other keywords override them.
        ("preset", Value::String(_)) => true,
        (name, _) => INSTEAD.iter().any(|(_, others)| others.contains(&name)),
    };
    !fields.iter().any(is_flag)
}

/// Replaces each string that names a kind, such as `"exact"`, by an object, such as `{"kind": "exact"}`. Users may give a string
/// for a kind that needs no further settings.
fn with_kinds(mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.retain(|_, value| !value.is_null());
    for field in ["candidates", "fingerprint"] {
        if let Some(kind @ Value::String(_)) = fields.get_mut(field) {
            *kind = serde_json::json!({ "kind": kind.take() });
        }
    }
    fields
}

/// Splits keywords into flags of the command and fields in the form of the core's configuration.
///
/// # Errors
/// Fails with `ConfigError` if a flag and a field set the same thing, or if a keyword has a value that no flag can have.
pub fn parted(mut fields: Map<String, Value>) -> PyResult<(Vec<OsString>, Map<String, Value>)> {
    fields.retain(|_, value| !value.is_null());
    let by_name = asked::flags("");
    let is_flag = |name: &str, value: &Value| match (name, value) {
        ("folds", _) | (_, Value::Object(_)) => false,
        ("tokens", Value::String(own)) => own != "items",
        ("candidates", Value::String(own)) => by_name
            .iter()
            .any(|flag| flag.name == name && flag.values.contains(own)),
        ("candidates", _) => false,
        _ => true,
    };
    let (mut flags, mut own) = (Vec::new(), Map::new());
    for (name, value) in fields.clone() {
        match is_flag(&name, &value) {
            true => flags.extend(flag(&name, &value)?),
            false => drop(own.insert(name, value)),
        }
    }
    for (name, others) in INSTEAD {
        if let (true, Some(other)) = (
            own.contains_key(name),
            others.iter().find(|other| fields.contains_key(**other)),
        ) {
            let words = format!(
                "{other}= and {name}={} are two forms of the same setting; leave out one of the two",
                own[name]
            );
            return Err(refused_option(name, words));
        }
    }
    Ok((flags, with_kinds(own)))
}

/// Returns a keyword as the flag of that name, or `None` for a switch that is off and for an empty list.
fn flag(name: &str, value: &Value) -> PyResult<Option<OsString>> {
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let given = match value {
        Value::Bool(false) => return Ok(None),
        Value::Array(several) if several.is_empty() => return Ok(None),
        Value::Bool(true) => Some(String::new()),
        Value::Array(several) => several
            .iter()
            .map(plain)
            .collect::<Option<Vec<_>>>()
            .map(|several| format!("={}", several.join(","))),
        one => plain(one).map(|one| format!("={one}")),
    };
    let given = given.ok_or_else(|| {
        refused_option(
            name,
            format!("{name}= cannot be {value}; see help(lookalike.dedup)"),
        )
    })?;
    Ok(Some(format!("--{}{given}", name.replace('_', "-")).into()))
}

/// Returns a configuration with some fields replaced by the given ones.
///
/// # Errors
/// Fails with `ConfigError`, which names the keyword, if a value is invalid.
pub fn laid_over(config: Config, own: Map<String, Value>) -> PyResult<Config> {
    if own.is_empty() {
        return Ok(config);
    }
    // First convert the given fields without the rest of the configuration, so that an error names the invalid field.
    keyed::<Config>(own.clone())?;
    let mut whole =
        serde_json::to_value(config).map_err(|error| raise("InternalError", error.to_string()))?;
    if let Value::Object(fields) = &mut whole {
        fields.extend(own);
    }
    serde_json::from_value(whole).map_err(|error| raise("ConfigError", error.to_string()))
}

/// Returns the matching exception for keywords that the command would refuse as flags.
pub fn not_asked(why: Refused) -> PyErr {
    match why {
        Refused::Value { flag, value, words } => {
            let name = keyword(&flag);
            refused_option(&name, format!("{name}={value:?}: {words}"))
        }
        Refused::Together { flag, other } => {
            let name = keyword(&flag);
            let words = format!(
                "{name}= and {}= cannot be combined; leave out one of the two",
                keyword(&other)
            );
            refused_option(&name, words)
        }
        Refused::Other(error) => match error.downcast::<lookalike_engine::Error>() {
            Ok(error) => failed(error),
            Err(error) => match error.downcast::<lookalike::Error>() {
                Ok(error) => refused(error),
                Err(error) => raise("ConfigError", error.to_string()),
            },
        },
    }
}

/// Returns the keyword for a flag.
pub fn keyword(flag: &str) -> String {
    match flag {
        "text-field" => "text".into(),
        "id-field" => "id".into(),
        other => other.replace('-', "_"),
    }
}

/// Returns the flags of a command (`dedup`, `pairs` or `apply`): the keyword, whether it takes a value, and the list of possible
/// values, if it has one.
#[pyfunction]
pub fn flags(command: &str) -> Vec<(String, bool, Vec<String>)> {
    asked::flags(command)
        .into_iter()
        .map(|flag| (keyword(&flag.name), flag.has_value, flag.values))
        .collect()
}

/// Reads keywords as a type whose fields are all optional.
///
/// # Errors
/// Fails with `ConfigError`, which names the keyword, if a value is invalid.
pub fn keyed<T: DeserializeOwned>(fields: Map<String, Value>) -> PyResult<T> {
    let read = |fields: Map<String, Value>| serde_json::from_value::<T>(Value::Object(fields));
    read(fields.clone()).map_err(|error| {
        let alone = |(name, value): (String, Value)| {
            let error = read(Map::from_iter([(name.clone(), value)])).err()?;
            Some(refused_option(&name, format!("{name}= {error}")))
        };
        fields
            .into_iter()
            .find_map(alone)
            .unwrap_or_else(|| raise("ConfigError", error.to_string()))
    })
}

/// Reads one part of a configuration from a Python value. `name` is the keyword.
///
/// # Errors
/// Fails with `ConfigError` if the value is invalid.
pub fn piece<T: DeserializeOwned>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<T> {
    serde_json::from_value(value(name, given)?)
        .map_err(|error| refused_option(name, format!("{name}= {error}")))
}

/// Converts keywords to JSON.
///
/// # Errors
/// Fails with `ConfigError` if JSON cannot represent a value.
pub fn object(keywords: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let field = |(name, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.extract::<String>()?;
        let given = value(&name, &given)?;
        Ok((name, given))
    };
    keywords.iter().map(field).collect()
}

/// Converts a Python value to JSON. numpy scalars become plain numbers.
fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = given.py();
    let options = PyDict::new(py);
    options.set_item("allow_nan", false)?;
    options.set_item(
        "default",
        py.import("operator")?
            .call_method1("methodcaller", ("item",))?,
    )?;
    let json = py
        .import("json")?
        .call_method("dumps", (given,), Some(&options))
        .and_then(|json| json.extract::<String>());
    let read = json.ok().and_then(|json| serde_json::from_str(&json).ok());
    read.ok_or_else(|| {
        let shown = given.repr().map_or_else(|_| "…".to_owned(), |shown| shown.to_string());
        let kind = given.get_type().name().map_or_else(|_| "object".to_owned(), |kind| kind.to_string());
        let words = format!("{name}= cannot be {shown}, of the type {kind}; give a finite number, a string or a dictionary");
        refused_option(name, words)
    })
}

/// Converts JSON to a Python value.
pub fn to_python<'py>(
    py: Python<'py>,
    value: &impl serde::Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let json =
        serde_json::to_string(value).map_err(|error| raise("InternalError", error.to_string()))?;
    py.import("json")?.call_method1("loads", (json,))
}

/// Returns a method that computes fingerprints of a text but no sketch.
pub fn shingles(config: Config) -> PyResult<Method> {
    Method::new(Config {
        candidates: Candidates::Exact,
        ..config
    })
    .map_err(refused)
}

/// Returns all settings with the core's defaults, as a dictionary.
///
/// The keys are the keyword arguments of the package's functions and classes. Each function or class accepts only the keywords
/// that it uses. `Config` describes them.
#[pyfunction]
pub fn default_config(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &Config::default())
}

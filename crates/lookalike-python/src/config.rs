//! Converts keyword arguments to the core's configuration. Keywords that are options have the options' names, values and defaults.
//! Values in the form of the core's own configuration, such as a dictionary with a kind, are applied afterwards and override them.

use lookalike::{Candidates, Choice, Config, Method, text::TokensBy};
use lookalike_engine::{
    ApplyOptions, AuditOptions, CutOptions, DedupOptions, LinkOptions, MirrorsOptions, PairsOptions,
};
use lookalike_indexing::{AddOptions, CreateOptions};
use lookalike_options::{CandidatesBy, Flag, Invalid, Law, Layer, of_table};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{failed, keyword_of, raise, refused, refused_option};

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

/// Options that select how candidates are found, or that set part of a configuration. Values such as `candidates={"kind": …}` set
/// the same things, so they cannot be combined with these options.
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
    let table = Table::of(fields)?;
    let config = table.over(table.options::<Law>()?.config().map_err(failed)?)?;
    if config.tokens == TokensBy::Items && !OF_SETS.contains(&of) {
        let words = format!(
            "{of}() takes texts, not sets; pass it the result of fingerprints(items, tokens=\"items\"), if it accepts \
                     fingerprints"
        );
        return Err(refused_option("tokens", words));
    }
    Ok(config)
}

/// Replaces each string that names a kind, such as `"exact"`, by an object, such as `{"kind": "exact"}`. Users may give a string
/// for a kind that needs no further settings.
fn with_kinds(mut fields: Map<String, Value>) -> Map<String, Value> {
    for field in ["candidates", "fingerprint"] {
        if let Some(kind @ Value::String(_)) = fields.get_mut(field) {
            *kind = serde_json::json!({ "kind": kind.take() });
        }
    }
    fields
}

/// Keywords as a table of options, and those in the form of the core's configuration.
pub struct Table {
    options: Map<String, Value>,
    own: Map<String, Value>,
}

impl Table {
    /// Divides keywords.
    ///
    /// # Errors
    /// Fails with `ConfigError` if an option and a field of the configuration set the same thing.
    pub fn of(mut fields: Map<String, Value>) -> PyResult<Self> {
        // `skip_bad=False` skips nothing; every other switch is an option.
        fields.retain(|name, value| !value.is_null() && (name != "skip_bad" || value != false));
        let is_option = |name: &str, value: &Value| match (name, value) {
            ("folds", _) | (_, Value::Object(_)) => false,
            ("tokens", Value::String(own)) => own != TokensBy::Items.name(),
            ("candidates", Value::String(own)) => CandidatesBy::named(own).is_some(),
            _ => true,
        };
        let (options, own): (Map<_, _>, Map<_, _>) = fields
            .into_iter()
            .partition(|(name, value)| is_option(name, value));
        for (name, others) in INSTEAD {
            if let (Some(value), Some(other)) = (
                own.get(name),
                others.iter().find(|other| options.contains_key(**other)),
            ) {
                let words = format!(
                    "{other}= and {name}={value} are two forms of the same setting; leave out one of the two"
                );
                return Err(refused_option(name, words));
            }
        }
        Ok(Self {
            options,
            own: with_kinds(own),
        })
    }

    /// Returns the options.
    ///
    /// # Errors
    /// Fails with `ConfigError`, which names the keyword, if an option cannot have its value.
    pub fn options<T: Layer>(&self) -> PyResult<T> {
        of_table(self.options.clone()).map_err(|Invalid { name, value, words }| {
            let name = keyword_of(&name);
            let words = value.map_or_else(
                || format!("{name}= is not a setting of this function"),
                |value| format!("{name}={value}: {words}"),
            );
            refused_option(name, words)
        })
    }

    /// Returns a configuration with those fields that are given in its own form.
    ///
    /// # Errors
    /// Fails with `ConfigError`, which names the keyword, if a value is invalid.
    pub fn over(&self, config: Config) -> PyResult<Config> {
        if self.own.is_empty() {
            return Ok(config);
        }
        // First convert the given fields without the rest of the configuration, so that an error names the invalid field.
        keyed::<Config>(self.own.clone())?;
        let mut whole = serde_json::to_value(config)
            .map_err(|error| raise("InternalError", error.to_string()))?;
        if let Value::Object(fields) = &mut whole {
            fields.extend(self.own.clone());
        }
        serde_json::from_value(whole).map_err(|error| raise("ConfigError", error.to_string()))
    }

    /// Refuses fields in the form of the core's configuration, which this function does not take.
    ///
    /// # Errors
    /// Fails with `ConfigError`, which names the keyword.
    pub fn only_options(&self, function: &str) -> PyResult<()> {
        self.own.iter().next().map_or(Ok(()), |(name, value)| {
            let words = format!("{name}= cannot be {value}; see help(lookalike.{function})");
            Err(refused_option(name, words))
        })
    }
}

/// Returns the options of a function: the keyword, whether it takes a value, and the list of possible values, if it has one.
#[pyfunction]
pub fn flags(function: &str) -> Vec<(String, bool, Vec<String>)> {
    use lookalike_options::flags;
    let flags = match function {
        "dedup" => flags::<DedupOptions>(),
        "pairs" => flags::<PairsOptions>(),
        "apply" => flags::<ApplyOptions>(),
        "cut" => flags::<CutOptions>(),
        "audit" => flags::<AuditOptions>(),
        "mirrors" => flags::<MirrorsOptions>(),
        "link" => flags::<LinkOptions>(),
        "index create" => flags::<CreateOptions>(),
        "index add" => flags::<AddOptions>(),
        _ => flags::<Law>(),
    };
    let of = |Flag {
                  name,
                  has_value,
                  values,
              }: Flag| match name.as_str() {
        "set_field" => (name, has_value, values),
        _ => (keyword_of(&name).into(), has_value, values),
    };
    flags.into_iter().map(of).collect()
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

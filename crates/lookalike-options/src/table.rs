//! Options from tables: keywords, or a file of TOML.

use std::{collections::BTreeMap, fmt, fs, ops::Range, path::Path};

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, ErrorKind, Place, Result, Setting},
    store::{refuse_url, shown_name, shown_path},
};
use serde_json::{Map, Value};
use toml::Spanned;

use crate::Layer;

/// Why a value of a table is not an option.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The name in the table.
    pub name: String,
    /// The value; none if no option has this name.
    pub value: Option<Value>,
    /// What is wrong.
    pub words: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", cut(&shown_name(&self.name)), self.words)
    }
}

impl std::error::Error for Invalid {}

/// Reads options from a table. A value that is null is not given.
///
/// # Errors
/// Fails if no option has one of the names, or if it cannot have the value.
pub fn of_table<T: Layer>(table: Map<String, Value>) -> std::result::Result<T, Invalid> {
    let mut options = T::default();
    for (name, value) in table {
        if !value.is_null() {
            put(&mut options, &name, value)?;
        }
    }
    Ok(options)
}

fn put<T: Layer>(options: &mut T, name: &str, value: Value) -> std::result::Result<(), Invalid> {
    match options.put("", name, &value) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Invalid {
            name: name.into(),
            value: None,
            words: "there is no such setting; leave it out".into(),
        }),
        Err(words) => Err(Invalid {
            name: name.into(),
            value: Some(value),
            words,
        }),
    }
}

/// Reads options from a file of TOML.
///
/// # Errors
/// Fails if the file cannot be read or is not TOML, or in the same cases as [`of_table`]. The error names the line.
pub fn of_file<T: Layer>(path: &Path) -> Result<T> {
    let (text, table) = table_of(path)?;
    let mut options = T::default();
    for (name, value) in table {
        put(&mut options, name.get_ref(), value)
            .map_err(|invalid| in_toml(path, &text, Some(name.span()), &invalid.to_string()))?;
    }
    Ok(options)
}

/// A table, and the text that it was read from.
type Read = (String, BTreeMap<Spanned<String>, Value>);

fn table_of(path: &Path) -> Result<Read> {
    let text = read_toml(path, "name a TOML file with settings")?;
    let table = toml::from_str(&text)
        .map_err(|error| in_toml(path, &text, error.span(), error.message()))?;
    Ok((text, table))
}

/// Reads the text of a file of TOML. `advice` says what to name instead of a file that does not exist.
///
/// # Errors
/// Fails if the file cannot be read, or is not UTF-8.
pub fn read_toml(path: &Path, advice: &'static str) -> Result<String> {
    refuse_url(Setting("config"), "file", path)?;
    fs::read_to_string(path).map_err(|error| {
        let (what, advice) = match error.kind() {
            std::io::ErrorKind::NotFound => ("no such file".into(), advice),
            std::io::ErrorKind::InvalidData => {
                ("is not UTF-8".into(), "save the configuration as UTF-8")
            }
            _ => (
                format!("cannot be read: {error}"),
                "name a file that can be read",
            ),
        };
        Error::new(ErrorKind::Config, what)
            .at(shown_path(path))
            .advise(advice)
    })
}

/// Returns an error about a place in a file of TOML.
pub fn in_toml(path: &Path, text: &str, place: Option<Range<usize>>, what: &str) -> Error {
    let before = text.get(..place.unwrap_or_default().start).unwrap_or(text);
    let line = 1 + before.matches('\n').count() as u64;
    Error::new(ErrorKind::Config, what.trim_end().replace('\n', ", "))
        .at_place(Place::line(shown_path(path), line))
}

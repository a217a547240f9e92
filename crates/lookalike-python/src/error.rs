//! Converts errors to exceptions of `lookalike.errors`, with the known details as attributes.

use std::{borrow::Cow, io, path::Path};

use lookalike::shown;
use lookalike_engine::{Error, ErrorKind, Front, Setting};
use pyo3::{
    PyErr, Python,
    exceptions::PyOSError,
    prelude::*,
    types::{IntoPyDict, PyString},
};

/// Returns the keyword of a setting: its name in the configuration, unless Python calls it otherwise.
pub fn keyword_of(name: &str) -> &str {
    match name {
        // The text and the set are both named by the keyword argument `text`. Which of the two it means depends on `tokens=`.
        "text_field" | "set_field" => "text",
        "id_field" => "id",
        "label_field" => "labels",
        "containment" => "threshold",
        "result" => "kind",
        name => name,
    }
}

/// Renders messages in which each setting is shown as the keyword argument of the Python package, such as `text=`.
pub struct Keywords;

impl Front for Keywords {
    fn setting(&self, setting: Setting) -> Cow<'static, str> {
        format!("{}=", keyword_of(setting.name())).into()
    }

    fn with_value(&self, setting: Setting, value: &str) -> String {
        let keyword = keyword_of(setting.name());
        // Show a number without quotes, as it is written in Python.
        if value.parse::<f64>().is_ok() {
            format!("{keyword}={value}")
        } else {
            format!("{keyword}={value:?}")
        }
    }
}

/// The details of an error, in addition to its message.
#[derive(Default)]
pub struct Known<'a> {
    pub path: Option<&'a str>,
    pub line: Option<u64>,
    pub field: Option<&'a str>,
    pub option: Option<&'a str>,
    /// The system's error number.
    pub number: Option<i32>,
}

/// Converts an error of the core: an invalid configuration, or two sketches that were made differently.
pub fn refused(error: lookalike::Error) -> PyErr {
    let option = error.kind().field().map(keyword_of);
    raise_with(
        "ConfigError",
        error.to_string(),
        &Known {
            option,
            ..Known::default()
        },
    )
}

/// Converts the failure of a run.
pub fn failed(error: Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Config => "ConfigError",
        ErrorKind::Input => "InputError",
        ErrorKind::Record => "RecordError",
        ErrorKind::Output | ErrorKind::BrokenPipe | ErrorKind::Temporary => "OutputError",
        ErrorKind::Interrupted => "Interrupted",
        ErrorKind::Internal => "InternalError",
        _ => "Error",
    };
    let cause =
        std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<io::Error>());
    let place = error.place();
    let known = Known {
        path: place.path.as_deref(),
        line: place.line,
        field: place.field.as_deref(),
        option: error.option().map(|option| keyword_of(option.name())),
        number: cause.and_then(io::Error::raw_os_error),
    };
    raise_with(class, error.rendered(&Keywords), &known)
}

/// Returns a message that is safe to print: it is on one line, control characters of data are escaped, and its length is limited.
#[pyfunction]
pub fn message(words: &str) -> String {
    shown::message(words).into_owned()
}

/// Returns data on one line, for a message or for a report in a notebook. Long data is cut: the result then consists of its
/// beginning and its length.
#[pyfunction]
pub fn cut(data: &str) -> String {
    shown::cut(data).into_owned()
}

/// Creates an exception of a class in `lookalike.errors`.
pub fn raise(class: &str, words: String) -> PyErr {
    raise_with(class, words, &Known::default())
}

/// Creates the exception for an invalid value of a keyword.
pub fn refused_option(option: &str, words: String) -> PyErr {
    raise_with(
        "ConfigError",
        words,
        &Known {
            option: Some(option),
            ..Known::default()
        },
    )
}

/// Creates an exception of a class in `lookalike.errors`, with all known details.
pub fn raise_with(class: &str, words: String, known: &Known) -> PyErr {
    let Known {
        path,
        line,
        field,
        option,
        number,
    } = *known;
    Python::attach(|py| {
        let made = || {
            let texts = [("path", path), ("field", field), ("option", option)];
            let known = texts
                .map(|(name, text)| (name, text.map(|text| PyString::new(py, text))))
                .into_py_dict(py)?;
            known.set_item("line", line)?;
            let exception = py
                .import("lookalike.errors")?
                .getattr(class)?
                .call((words,), Some(&known))?;
            if let (Some(number), true) = (number, exception.is_instance_of::<PyOSError>()) {
                exception.setattr("errno", number)?;
            }
            Ok(exception)
        };
        made().map_or_else(|error: PyErr| error, PyErr::from_value)
    })
}

/// Converts a system error about a file to an `OSError` with the same error number. For example, Python then raises
/// `FileNotFoundError` for a missing file.
pub fn of_file(path: &Path, error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            // Python adds the number to the message.
            let words = error.to_string();
            let words = words.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((number, words.to_string(), path.to_path_buf()))
        }
        // Without a number, the error kind still determines the exception.
        None => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
    }
}

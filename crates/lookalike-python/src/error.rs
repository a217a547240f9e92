//! Refusals as exceptions: the class in `lookalike.errors` that is named after the kind.

use std::{io, path::Path};

use lookalike::shown;
use pyo3::{PyErr, Python, exceptions::PyOSError, prelude::*};

/// The core's refusal, as the exception of its kind.
pub fn refused(error: lookalike::Error) -> PyErr {
    // A kind's name is how it is written in the source, up to what it carries.
    let kind = format!("{:?}", error.kind());
    let name = kind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    raise(&format!("{name}Error"), error.to_string())
}

/// A run's failure, as the exception of its kind. What a flag of the command can do, a keyword of the same name can.
pub fn failed(error: lookalike_engine::Error) -> PyErr {
    raise(&format!("{:?}Error", error.kind()), keywords(&error.to_string()))
}

/// Flags whose value may follow them in a message.
const WITH_VALUES: [&str; 7] = ["candidates", "method", "cluster", "fingerprint", "measure", "verify", "tokens"];

/// `--text-field` → `text=`, `--skip-bad` → `skip_bad=`, `--method simhash` → `method="simhash"`.
pub fn keywords(words: &str) -> String {
    let (mut said, mut rest) = (String::new(), words);
    while let Some((before, after)) = rest.split_once("--") {
        let end = after.find(|c: char| c != '-' && !c.is_ascii_lowercase()).unwrap_or(after.len());
        let (flag, behind) = after.split_at(end);
        said.push_str(before);
        // Of a file's name, or of an option within quoted words.
        if flag.is_empty() || !(said.is_empty() || said.ends_with([' ', '('])) {
            said.push_str("--");
            said.push_str(flag);
        } else {
            // Which of the two it is, tokens= says.
            let name = if flag == "set-field" { "text" } else { flag.trim_end_matches("-field") };
            said.push_str(&name.replace('-', "_"));
            said.push('=');
            let value = behind
                .strip_prefix(' ')
                .map(|after| &after[..after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len())]);
            if let Some(value) =
                value.filter(|value| WITH_VALUES.contains(&flag) && !matches!(*value, "" | "and" | "goes" | "is" | "or"))
            {
                said.push_str(&format!("{value:?}"));
                rest = &behind[1 + value.len()..];
                continue;
            }
        }
        rest = behind;
    }
    said + rest
}

/// A message as it may be printed: on one line, with control characters of data written out, and never long.
#[pyfunction]
pub fn message(words: &str) -> String {
    shown::message(words).into_owned()
}

/// Data in a message or on a page: on one line, and the beginning of what is long, with its length.
#[pyfunction]
pub fn cut(data: &str) -> String {
    shown::cut(data).into_owned()
}

/// An exception of a class in `lookalike.errors`; of the base class where there is none of this name.
pub fn raise(class: &str, words: String) -> PyErr {
    Python::attach(|py| {
        let found = py.import("lookalike.errors").and_then(|errors| errors.getattr(class).or_else(|_| errors.getattr("Error")));
        match found.and_then(|class| class.call1((words,))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

/// What the system says of a file, as the `OSError` of its number, so that a missing file is a `FileNotFoundError`.
pub fn of_file(path: &Path, error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            // Python says the number itself.
            let words = error.to_string();
            let words = words.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((number, words.to_string(), path.to_path_buf()))
        }
        // Its kind still decides the exception.
        None => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
    }
}

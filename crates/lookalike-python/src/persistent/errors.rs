//! Converts errors of an index to exceptions.

use std::path::Path;

use lookalike::shown;
use lookalike_index::Error;
use pyo3::prelude::*;

use crate::error::{Known, raise_with, refused};

/// Returns the exception for an error of an index.
pub fn failed(error: Error) -> PyErr {
    let words = error.to_string();
    let with = |class, words: String, known: &Known| raise_with(class, words, known);
    let of_setting = |option| {
        with(
            "ConfigError",
            error.to_string(),
            &Known {
                option: Some(option),
                ..Known::default()
            },
        )
    };
    let at = |class, path: &Path, words: String| {
        let path = path.display().to_string();
        raise_with(
            class,
            words,
            &Known {
                path: Some(&path),
                ..Known::default()
            },
        )
    };
    match error {
        Error::Config(error) => refused(error),
        Error::MinContainment => of_setting("min_containment"),
        Error::NoKeys | Error::DependsOnAll(_) => of_setting("candidates"),
        Error::BelowThreshold { .. } => of_setting("threshold"),
        Error::NothingToVerify => of_setting("verify"),
        Error::NoTexts => of_setting("passages"),
        Error::Taken(id) => {
            let id = shown::cut(&id.to_string()).to_string();
            let words = format!(
                "id {id} is in the index already, or occurs twice; use another id, or on_conflict=\"skip\" or \"replace\""
            );
            with(
                "RecordError",
                words,
                &Known {
                    option: Some("on_conflict"),
                    ..Known::default()
                },
            )
        }
        Error::Unknown(_) => with("UnknownIdError", words, &Known::default()),
        Error::NotThere(path) => {
            let shown = shown::path(&path.display().to_string()).to_string();
            at(
                "InputError",
                &path,
                format!("{shown}: there is no index; create one with lookalike.Index.create"),
            )
        }
        Error::Exists(path) => at("OutputError", &path, words),
        Error::Locked(path) => {
            let shown = shown::path(&path.display().to_string()).to_string();
            let words = format!(
                "{shown}: the index is open for writing already, in this or another process; close it there, or open it with \
                 readonly=True"
            );
            at("LockedError", &path, words)
        }
        Error::ReadOnly(path, _) => at("OutputError", &path, words),
        Error::File { path, source } => {
            let shown = path.display().to_string();
            let known = Known {
                path: Some(&shown),
                number: source.raw_os_error(),
                ..Known::default()
            };
            raise_with("OutputError", words, &known)
        }
        Error::Write(source) => with(
            "OutputError",
            words,
            &Known {
                number: source.raw_os_error(),
                ..Known::default()
            },
        ),
        _ => with("FormatError", words, &Known::default()),
    }
}

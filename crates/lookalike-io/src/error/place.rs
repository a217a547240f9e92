//! The place of a failure.

use std::fmt;

use lookalike::shown;
use serde::{Deserialize, Serialize};

/// A place in an input. Unknown parts are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// A file, a folder, an object's URL without its secrets, or the name of a table in memory.
    pub path: Option<String>,
    /// The number of a line or a record, from 1. For a table in memory, it is the number of a row, from 0, because the table's
    /// owner counts in this way.
    pub line: Option<u64>,
    /// A field or a column of a record.
    pub field: Option<String>,
    /// A byte of the line or of the field, from 1.
    pub byte: Option<u64>,
    /// Whether `line` is a row of a table in memory.
    pub is_row: bool,
}

impl Place {
    /// Returns the place of a whole input.
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::default()
        }
    }

    /// Returns the place of a line of an input, counted from 1.
    pub fn line(path: impl Into<String>, line: u64) -> Self {
        Self {
            line: Some(line),
            ..Self::of(path)
        }
    }

    /// Returns the place of a row of a table in memory, counted from 0.
    pub fn row(path: impl Into<String>, row: u64) -> Self {
        Self {
            is_row: true,
            ..Self::line(path, row)
        }
    }

    /// Returns the place as the beginning of a message. This is the text of [`Display`](fmt::Display), except that the path is
    /// made safe to print and is shortened if it is too long. Returns `None` if the path is unknown.
    pub(super) fn shown(&self) -> Option<String> {
        self.path
            .as_deref()
            .map(|path| self.with(&shown::path(path)))
    }

    fn with(&self, path: &str) -> String {
        match self.line {
            None => path.into(),
            Some(row) if self.is_row => format!("{path} row {row}"),
            Some(line) => format!("{path}:{line}"),
        }
    }
}

/// Writes `path`, `path:line` or `name row 3`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with(self.path.as_deref().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_by_the_known_parts() {
        assert_eq!(Place::of("a.jsonl").to_string(), "a.jsonl");
        assert_eq!(Place::line("a.jsonl", 3).to_string(), "a.jsonl:3");
        assert_eq!(Place::row("DataFrame", 0).to_string(), "DataFrame row 0");
        assert_eq!(Place::line("a\n", 3).shown().unwrap(), "a\\u000a:3");
        assert_eq!(Place::default().shown(), None);
    }
}

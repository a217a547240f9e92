//! Identifiers of documents.

use std::fmt;

use lookalike::shown::quoted;

/// A document's id: a text or a number. The text "1" and the number 1 are two ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

//! Identifiers of documents.

use std::fmt;

use lookalike::shown::quoted;
use xxhash_rust::xxh3::xxh3_64;

/// A document's id: a text or a number. The text "1" and the number 1 are two ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
}

impl Id {
    /// Returns the id as bytes: 0 and the text, or 1 and the number.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => [&[0], text.as_bytes()].concat(),
            Self::Number(number) => [&[1][..], &number.to_le_bytes()].concat(),
        }
    }

    /// Returns the size of the id in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Number(_) => size_of::<i64>(),
        }
    }

    /// Returns the key by which the id is found.
    pub(crate) fn hash(&self) -> u32 {
        hash(&self.to_bytes())
    }

    /// Returns the id that these bytes are; none if they are no id.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (0, text) => Some(Self::Text(str::from_utf8(text).ok()?.into())),
            (1, number) => Some(Self::Number(i64::from_le_bytes(number.try_into().ok()?))),
            _ => None,
        }
    }
}

/// Returns the key by which an id is found: the low half of the XXH3-64 of its [bytes](Id::to_bytes).
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
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

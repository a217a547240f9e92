//! Identifiers of documents.

use std::fmt;

use lookalike::shown::quoted;
use serde::de::IgnoredAny;
use xxhash_rust::xxh3::xxh3_64;

/// A document's id: a text or a number. The text "1" and the number 1 are two ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
    /// Any other number, such as 1.0, as it is written in JSON. 1 and 1.0 are two ids.
    Written(String),
}

impl Id {
    /// Returns the id that is written as JSON; none if it is neither a string nor a number.
    pub fn from_json(json: &str) -> Option<Self> {
        if json.starts_with('"') {
            return serde_json::from_str(json).ok().map(Self::Text);
        }
        match json.parse::<i64>() {
            Ok(number) if number.to_string() == json => Some(Self::Number(number)),
            _ => is_number(json).then(|| Self::Written(json.into())),
        }
    }

    /// Returns the id as JSON.
    pub fn to_json(&self) -> String {
        match self {
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::Number(number) => number.to_string(),
            Self::Written(number) => number.clone(),
        }
    }

    /// Returns the id as bytes: 0 and the text, 1 and the number, or 2 and the number as it is written.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => [&[0], text.as_bytes()].concat(),
            Self::Number(number) => [&[1][..], &number.to_le_bytes()].concat(),
            Self::Written(number) => [&[2], number.as_bytes()].concat(),
        }
    }

    /// Returns the size of the id in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Written(text) => text.len(),
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
            (2, number) => Some(Self::Written(str::from_utf8(number).ok()?.into())),
            _ => None,
        }
    }
}

/// Returns whether this is a number in JSON, of any size.
fn is_number(json: &str) -> bool {
    let begins = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    begins
        && !json.ends_with(char::is_whitespace)
        && serde_json::from_str::<IgnoredAny>(json).is_ok()
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
            Self::Written(number) => f.write_str(number),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_json_and_written_as_json() {
        for (json, id) in [
            ("\"a\"", Id::Text("a".into())),
            ("\"1\"", Id::Text("1".into())),
            ("1", Id::Number(1)),
            ("-9223372036854775808", Id::Number(i64::MIN)),
            (
                "9223372036854775808",
                Id::Written("9223372036854775808".into()),
            ),
            ("-0", Id::Written("-0".into())),
            ("1.0", Id::Written("1.0".into())),
            ("1e400", Id::Written("1e400".into())),
        ] {
            assert_eq!(Id::from_json(json).as_ref(), Some(&id), "{json}");
            assert_eq!(id.to_json(), json);
            assert_eq!(Id::from_bytes(&id.to_bytes()), Some(id));
        }
        assert_eq!(Id::from_json("\"\\u00e9\""), Some("é".into()));
        for json in ["", "null", "[1]", "+1", "01", "\"a", "1 ", "NaN"] {
            assert_eq!(Id::from_json(json), None, "{json}");
        }
    }
}

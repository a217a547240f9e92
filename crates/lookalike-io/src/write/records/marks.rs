//! What would be cut out of a record's text, which is added to the record as two fields.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::added::{Added, escape};

/// What would be cut out of a record's text.
#[derive(Debug, Clone)]
pub struct Mark {
    /// The same word as in the cuts file.
    pub verdict: &'static str,
    /// The spans that would be removed, in the order of the text.
    pub spans: Vec<MarkedSpan>,
}

/// A span that would be removed, in characters, and the place where the same words are kept.
#[derive(Debug, Clone, Serialize)]
pub struct MarkedSpan {
    /// The first removed character.
    pub start: usize,
    /// One past the last removed character.
    pub end: usize,
    /// The text that replaces the removed characters.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub insert: Box<str>,
    /// The number of tokens that are removed.
    pub tokens: u32,
    /// The id of the document that keeps the words, as JSON.
    pub source: Box<RawValue>,
    /// The first of these characters in the text of the source.
    pub source_start: usize,
    /// One past the last of these characters.
    pub source_end: usize,
}

impl Added for Mark {
    fn json(&self, field: usize, into: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        _ = match field {
            0 => serde_json::to_writer(into, self.verdict),
            _ => serde_json::to_writer(into, &self.spans),
        };
    }

    fn cell(&self, field: usize) -> Cow<'_, str> {
        if field == 0 {
            return self.verdict.into();
        }
        let mut spans = Vec::new();
        self.json(field, &mut spans);
        // ASCII can be written in all encodings.
        escape(&mut spans, 0);
        String::from_utf8(spans).unwrap_or_default().into()
    }
}

//! What inputs can hold.

use serde::Serialize;

/// What an input holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON Lines: an object on each line.
    Lines,
    /// One JSON array of objects.
    Array,
    /// CSV or TSV (RFC 4180): a header, and a record on each line or several.
    Delimited,
    /// Plain text: a file is a document.
    Text,
    /// A page of HTML: a file is a document.
    Html,
    /// A crawl (ISO 28500): what servers sent.
    Warc,
}

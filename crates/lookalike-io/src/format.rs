//! What inputs can hold.

use serde::{Deserialize, Serialize};

/// The mark of UTF-8, which a text may begin with; it is not a part of the text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What an input holds. Read by the names of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON Lines: an object on each line.
    #[serde(rename(deserialize = "jsonl"))]
    Lines,
    /// One JSON array of objects.
    #[serde(rename(deserialize = "json"))]
    Array,
    /// CSV or TSV (RFC 4180): a header, and a record on each line or several.
    #[serde(rename(deserialize = "csv"))]
    Delimited,
    /// Plain text: a file is a document.
    Text,
    /// A page of HTML: a file is a document.
    Html,
    /// A crawl (ISO 28500): what servers sent.
    Warc,
    /// A Parquet file.
    Parquet,
    /// Arrow IPC: a file (Feather's second version) or a stream.
    Arrow,
}

impl Format {
    /// What it is, in a message: "this is CSV".
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "JSON Lines",
            Self::Array => "a JSON array",
            Self::Delimited => "CSV",
            Self::Text => "plain text",
            Self::Html => "HTML",
            Self::Warc => "a crawl (WARC)",
            Self::Parquet => "a Parquet file",
            Self::Arrow => "an Arrow file or stream",
        }
    }
}

/// Which text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Html {
    /// All that is to be seen. A page's title is left out: it is no part of the page's area, says again what a heading says,
    /// and has the site's name behind it, by which copies on two sites would differ.
    Text,
    /// The main part, without menus, side bars and footers, as Firefox's reader view finds it; all that is to be seen where it
    /// finds none.
    Main,
}

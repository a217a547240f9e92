//! The formats of inputs.

use serde::{Deserialize, Serialize};

/// The byte order mark of UTF-8. A text may begin with it, but it is not a part of the text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format of an input. It can be parsed from a value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON Lines: an object on each line.
    #[serde(rename(deserialize = "jsonl"))]
    Lines,
    /// One JSON array of objects.
    #[serde(rename(deserialize = "json"))]
    Array,
    /// CSV or TSV (RFC 4180): a header, then records of one or more lines.
    #[serde(rename(deserialize = "csv"))]
    Delimited,
    /// Plain text: each file is a document.
    Text,
    /// A page of HTML: each file is a document.
    Html,
    /// A crawl (ISO 28500): responses of servers.
    Warc,
    /// A Parquet file.
    Parquet,
    /// Arrow IPC: a file (Feather's second version) or a stream.
    Arrow,
}

impl Format {
    /// Returns the format's description in a message, such as "CSV" in "this is CSV".
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

/// The text of a page to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Html {
    /// All visible text. The page's title is excluded, because it is shown outside the page and repeats a heading. The title also
    /// ends with the site's name, so copies on two sites would differ.
    Text,
    /// The main part without menus, side bars and footers, found as in Firefox's reader view. If a page has no main part, all its
    /// visible text is used.
    Main,
}

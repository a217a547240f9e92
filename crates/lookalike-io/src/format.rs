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
    /// Returns whether the records of this format have fields. Otherwise, each record is a text.
    pub fn has_fields(self) -> bool {
        !matches!(self, Self::Text | Self::Html | Self::Warc)
    }

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

/// The format in which records are written, if it is not that of their input. It can be parsed from a value of `--output-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// JSON Lines.
    #[serde(rename = "jsonl")]
    Lines,
    /// One JSON array of objects.
    #[serde(rename = "json")]
    Array,
    /// CSV, or TSV if the name of the output says so.
    #[serde(rename = "csv")]
    Delimited,
    /// Parquet.
    Parquet,
    /// An Arrow IPC file (Feather's second version). On standard output, it is an Arrow IPC stream, which a pipe can carry.
    Arrow,
}

impl OutputFormat {
    /// Returns the format's description in a message.
    pub fn name(self) -> &'static str {
        self.as_input().name()
    }

    /// Returns the usual file extension.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Lines => ".jsonl",
            Self::Array => ".json",
            Self::Delimited => ".csv",
            Self::Parquet => ".parquet",
            Self::Arrow => ".arrow",
        }
    }

    /// Returns the format of a file that was written in this one.
    pub(crate) fn as_input(self) -> Format {
        match self {
            Self::Lines => Format::Lines,
            Self::Array => Format::Array,
            Self::Delimited => Format::Delimited,
            Self::Parquet => Format::Parquet,
            Self::Arrow => Format::Arrow,
        }
    }

    /// Returns whether an output is a table.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
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

//! The formats of inputs.

use lookalike::choices;

/// The byte order mark of UTF-8. A text may begin with it, but it is not a part of the text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

choices! {
    /// The format of an input.
    pub enum Format {
        /// JSON Lines: one object per line
        Lines = "jsonl",
        /// one JSON array of objects
        Array = "json",
        /// CSV or TSV with a header
        ///
        /// RFC 4180: records of one or more lines.
        Delimited = "csv",
        /// plain text: each file is a document
        Text = "text",
        /// HTML: each file is a document
        Html = "html",
        /// a web crawl: each response, resource or conversion is a document, with its URL as id
        ///
        /// ISO 28500.
        Warc = "warc",
        /// a Parquet file
        Parquet = "parquet",
        /// an Arrow IPC file (Feather) or stream
        Arrow = "arrow",
    }
}

impl Format {
    /// Returns whether the records of this format have fields. Otherwise, each record is a text.
    pub fn has_fields(self) -> bool {
        !matches!(self, Self::Text | Self::Html | Self::Warc)
    }

    /// Returns the format's description in a message, such as "CSV" in "this is CSV".
    pub fn called(self) -> &'static str {
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

choices! {
    /// The format in which records are written, if it is not that of their input.
    pub enum OutputFormat {
        /// JSON Lines: one object per line
        Lines = "jsonl",
        /// one JSON array of objects
        Array = "json",
        /// CSV with a header; TSV if the name ends with .tsv
        Delimited = "csv",
        /// a Parquet file
        Parquet = "parquet",
        /// an Arrow IPC file (Feather V2), or an Arrow IPC stream on standard output
        Arrow = "arrow",
    }
}

impl OutputFormat {
    /// Returns the format's description in a message.
    pub fn called(self) -> &'static str {
        self.as_input().called()
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

choices! {
    /// The text of a page to use.
    pub enum Html {
        /// all visible text
        ///
        /// The page's title is excluded, because it is shown outside the page and repeats a heading. The title also ends with the
        /// site's name, so copies on two sites would differ.
        Text = "text",
        /// the main content, without menus, sidebars and footers
        ///
        /// Found as in Firefox's reader view. If a page has no main part, all its visible text is used.
        Main = "main",
    }
}

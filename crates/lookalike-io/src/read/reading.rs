//! The user's settings for reading inputs.

use lookalike::cluster::Keep;

use super::json::{Fields, RecordFields};
use crate::format::{Format, Html};

/// The settings for reading inputs.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The fields of a record that a run reads.
    pub fields: Fields,
    /// The field with the text in references; none for the same as in other inputs.
    pub text_of_references: Option<String>,
    /// The format of all inputs. If none, each format is detected from the input's name and bytes.
    pub format: Option<Format>,
    /// The delimiter of CSV. If none, it is detected from the header.
    pub delimiter: Option<u8>,
    /// The text to extract from HTML. If it is set, all texts are HTML; otherwise a text is HTML only if the name or the type of
    /// its input says so.
    pub html: Option<Html>,
    /// The encoding of inputs that are not UTF-8. If none, it is guessed.
    pub encoding: Option<&'static str>,
    /// The encoding of JSON Lines that are not UTF-8. Such lines are written with their original bytes. The encoding is therefore
    /// not set if the output would also contain records of other formats.
    pub line_encoding: Option<&'static str>,
}

impl Reading {
    /// Creates the settings for records with these fields, in files whose format is detected.
    pub fn of(fields: Fields) -> Self {
        Self {
            fields,
            text_of_references: None,
            format: None,
            delimiter: None,
            html: None,
            encoding: None,
            line_encoding: None,
        }
    }

    /// Returns whether texts are HTML pages.
    pub(crate) fn of_pages(&self) -> bool {
        self.html.is_some()
    }

    /// Creates the settings for reading a decisions file. The file is a table if the ending of its name is that of a table,
    /// otherwise JSON Lines.
    pub fn decisions(name: &str) -> Self {
        let Some(format) = Format::of_name(name).filter(|format| format.is_table()) else {
            return Self::lines();
        };
        let fields = Fields::new("verdict".into(), None, "id".into(), Keep::First, None);
        Self {
            format: Some(format),
            ..Self::of(fields)
        }
    }

    /// Creates the settings for reading whole records, or some of their fields, instead of documents. The format of each file is
    /// detected.
    pub fn records(fields: RecordFields) -> Self {
        Self::of(Fields {
            records: Some(fields),
            ..Fields::none()
        })
    }

    /// Creates the settings for JSON Lines that are not parsed as records.
    pub fn lines() -> Self {
        Self {
            format: Some(Format::Lines),
            ..Self::of(Fields::none())
        }
    }
}

/// A stub for builds without encodings. In other builds, the function of this name finds an encoding by its label.
///
/// # Errors
/// Always fails.
#[cfg(not(feature = "encodings"))]
pub fn encoding_named(label: &str) -> crate::error::Result<&'static str> {
    use crate::error::{Error, ErrorKind, Setting};
    let encoding = (Setting("encoding"), label.to_owned());
    let what = crate::words![
        encoding,
        ": this lookalike was built without encodings (the cargo feature `encodings`)"
    ];
    Err(Error::new(ErrorKind::Config, what))
}

/// A stub for builds without encodings, which always returns UTF-8. In other builds, the function of this name encodes a text in
/// a named encoding.
#[cfg(not(feature = "encodings"))]
pub fn encode<'a>(text: &'a str, _: Option<&str>) -> std::borrow::Cow<'a, [u8]> {
    text.as_bytes().into()
}

/// A stub for builds without encodings, in which all texts are UTF-8.
#[cfg(not(feature = "encodings"))]
pub fn is_encodable(_: &str, _: Option<&str>) -> bool {
    true
}

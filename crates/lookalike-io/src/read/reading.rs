//! How inputs are read: what the user said of them.

use lookalike::cluster::Keep;

use super::json::Fields;
use crate::format::{Format, Html};

/// How inputs are read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The fields of a record that a run reads.
    pub fields: Fields,
    /// What all inputs hold, where their names and bytes are not to decide.
    pub format: Option<Format>,
    /// Of CSV, where the header is not to decide.
    pub delimiter: Option<u8>,
    /// Which text of HTML; of what is no page by its name or type only where it is asked for.
    pub html: Option<Html>,
    /// The encoding of what is not UTF-8, where it is not to be guessed.
    pub encoding: Option<&'static str>,
    /// That of JSON Lines, which are written as they came: only where no other records are written beside them.
    pub line_encoding: Option<&'static str>,
}

impl Reading {
    /// Records with these fields, in files that say by themselves what they are.
    pub fn of(fields: Fields) -> Self {
        Self { fields, format: None, delimiter: None, html: None, encoding: None, line_encoding: None }
    }

    /// Whether texts are pages.
    pub(crate) fn of_pages(&self) -> bool {
        self.html.is_some()
    }

    /// Decisions: a table where the name says so, else JSON Lines.
    pub fn decisions(name: &str) -> Self {
        let Some(format) = Format::of_name(name).filter(|format| format.is_table()) else { return Self::lines() };
        let fields = Fields::new("verdict".into(), None, "id".into(), Keep::First, None);
        Self { format: Some(format), ..Self::of(fields) }
    }

    /// JSON Lines that are not looked at as records.
    pub fn lines() -> Self {
        let fields = Fields::new(String::new(), None, String::new(), Keep::First, None);
        Self { format: Some(Format::Lines), ..Self::of(fields) }
    }
}

/// What stands in for the names of encodings where there are none.
///
/// # Errors
/// Always.
#[cfg(not(feature = "encodings"))]
pub fn encoding_named(label: &str) -> crate::error::Result<&'static str> {
    use crate::error::{Error, ErrorKind, Setting};
    let encoding = (Setting::Encoding, label.to_owned());
    let what = crate::words![encoding, ": this lookalike was built without encodings (the cargo feature `encodings`)"];
    Err(Error::new(ErrorKind::Config, what))
}

/// What stands in for writing in an encoding where there are none: UTF-8.
#[cfg(not(feature = "encodings"))]
pub fn encode<'a>(text: &'a str, _: Option<&str>) -> std::borrow::Cow<'a, [u8]> {
    text.as_bytes().into()
}

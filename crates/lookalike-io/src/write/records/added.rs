//! Adds fields to a record, after the record's own fields, which do not change.

use std::borrow::Cow;

use lookalike::shown::quoted;
use serde_json::Value;

use super::cells::{push_cell, without_end};
use crate::{
    error::{Error, Setting, Words},
    read::{Columns, field_of},
    words,
};

/// The values of the fields that are added to a record.
pub trait Added {
    /// Appends the value of a field as JSON. Fields are numbered from 0, as in [`AddedNames`].
    fn json(&self, field: usize, into: &mut Vec<u8>);

    /// Returns the value of a field as the text of a CSV field.
    fn cell(&self, field: usize) -> Cow<'_, str>;
}

/// What is added to records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The decisions about them.
    Labels,
    /// What would be cut out of their texts.
    Marks,
}

impl Kind {
    /// Returns the setting that asks for it, the setting of its prefix, and an example of a prefix.
    fn settings(self) -> (Setting, Setting, &'static str) {
        match self {
            Self::Labels => (Setting("label"), Setting("label_prefix"), "dup_"),
            Self::Marks => (Setting("mark"), Setting("mark_prefix"), "my_"),
        }
    }
}

/// The names of the fields that are added to records, each after a prefix.
#[derive(Debug, Clone)]
pub struct AddedNames {
    kind: Kind,
    names: Vec<String>,
    /// The names as they are written in an object, such as `,"verdict":`. The first name has no comma before it.
    keys: Vec<String>,
}

impl AddedNames {
    /// Returns the names of the fields of a label: cluster, verdict, representative and similarity.
    pub fn labels(prefix: &str) -> Self {
        Self::new(
            Kind::Labels,
            &["cluster", "verdict", "representative", "similarity"],
            prefix,
        )
    }

    /// Returns the names of the fields of a mark: verdict and spans.
    pub fn marks(prefix: &str) -> Self {
        Self::new(Kind::Marks, &["verdict", "spans"], prefix)
    }

    fn new(kind: Kind, names: &[&str], prefix: &str) -> Self {
        let names: Vec<String> = names.iter().map(|name| format!("{prefix}{name}")).collect();
        let mut comma = "";
        let keys = names
            .iter()
            .map(|name| {
                format!(
                    "{}{}:",
                    std::mem::replace(&mut comma, ","),
                    Value::from(&**name)
                )
            })
            .collect();
        Self { kind, names, keys }
    }

    /// Returns what is added.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the names, in order.
    pub(crate) fn all(&self) -> &[String] {
        &self.names
    }

    /// Rejects columns that already have one of the names.
    pub fn refuse_columns(&self, columns: &Columns) -> Result<(), Error> {
        self.names
            .iter()
            .find(|name| columns.has(name))
            .map_or(Ok(()), |name| Err(self.taken("column", name)))
    }

    /// Rejects an object that already has a field with one of the names.
    pub fn refuse_object(&self, object: &[u8]) -> Result<(), Error> {
        field_of(object, &self.names).map_or(Ok(()), |name| Err(self.taken("field", name)))
    }

    /// Returns the error for a name that a record already has.
    pub(crate) fn taken(&self, what: &str, name: &str) -> Error {
        let (setting, prefix, example) = self.kind.settings();
        let wrong =
            Error::record(format!("there is already a {what} {}", quoted(name))).in_field(name);
        let advice: Words = words![
            "rename the fields of ",
            setting,
            ", for example with ",
            (prefix, example)
        ];
        wrong.advise(advice).about(prefix)
    }

    /// Adds fields to the object that begins at `start`, after its own fields. If the object is not encoded in UTF-8, characters
    /// outside ASCII are escaped. The escapes are the same in all encodings.
    pub(super) fn onto_object(
        &self,
        start: usize,
        is_encoded: bool,
        added: &dyn Added,
        into: &mut Vec<u8>,
    ) {
        let object = &into[start..];
        let inside = object.strip_suffix(b"}").unwrap_or(object).trim_ascii_end();
        let is_empty = inside.ends_with(b"{");
        let end = into.split_off(start + inside.len());
        if !is_empty {
            into.push(b',');
        }
        let start = into.len();
        for (field, key) in self.keys.iter().enumerate() {
            into.extend_from_slice(key.as_bytes());
            added.json(field, into);
        }
        if is_encoded {
            escape(into, start);
        }
        into.extend_from_slice(&end);
    }

    /// Appends fields to a record of CSV that is written without its line end.
    pub(super) fn onto_row(
        &self,
        columns: &Columns,
        encoding: Option<&'static str>,
        added: &dyn Added,
        into: &mut Vec<u8>,
    ) {
        let (delimiter, encoding) = (columns.delimiter(), columns.encoding(encoding));
        (0..self.names.len())
            .for_each(|field| push_cell(&added.cell(field), delimiter, encoding, into));
    }

    /// Appends a header of CSV, followed by the names.
    pub(crate) fn onto_header(
        &self,
        columns: &Columns,
        encoding: Option<&'static str>,
        into: &mut Vec<u8>,
    ) {
        let (header, end) = without_end(columns.header());
        let encoding = columns.encoding(encoding);
        into.extend_from_slice(header);
        self.names
            .iter()
            .for_each(|name| push_cell(name, columns.delimiter(), encoding, into));
        into.extend_from_slice(end);
    }
}

/// Escapes the characters outside ASCII in JSON, from a position on.
pub(super) fn escape(json: &mut Vec<u8>, start: usize) {
    let piece = json.split_off(start);
    for character in String::from_utf8_lossy(&piece).chars() {
        if character.is_ascii() {
            json.push(character as u8);
        } else {
            character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| json.extend_from_slice(format!("\\u{unit:04x}").as_bytes()));
        }
    }
}

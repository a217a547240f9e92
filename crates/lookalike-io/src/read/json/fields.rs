//! The fields of a record that are read, their values, and the errors of a record.

use std::sync::Arc;

use lookalike::{Occurrences, cluster::Keep, text::Text};

use super::{joined::Joined, paths::Paths};

/// The names of the fields that are read.
#[derive(Debug, Clone)]
pub struct Fields {
    pub(crate) text: String,
    /// If the text is a set (a JSON array), how an item that occurs several times is counted. None if the text is not a set.
    pub(crate) set: Option<Occurrences>,
    pub(crate) id: String,
    /// The keep order (the order in which documents are considered), with the field that it reads, if any.
    pub keep: Keep,
    /// The field with the label, if there is one.
    pub label: Option<String>,
    /// The paths to the fields above. None unless at least one of their names contains a dot, and may therefore be a path into an
    /// object.
    pub(crate) inside: Option<Arc<Inside>>,
    /// The parts of the text, if it may be put together from several fields or from the elements of arrays.
    pub(crate) joined: Option<Arc<Joined>>,
    /// The fields that a run reads if it reads records with fields instead of documents. None if it reads documents.
    #[cfg_attr(
        not(feature = "tables"),
        expect(dead_code, reason = "only tables read some of the fields")
    )]
    pub(crate) records: Option<RecordFields>,
}

/// The fields of records that a run reads. The columns of a table that have none of these fields are not read from the file.
#[derive(Debug, Clone)]
pub enum RecordFields {
    /// All fields.
    All,
    /// The fields with these names. A name may be a dotted path into objects.
    Named(Vec<String>),
}

impl Fields {
    /// Creates a set of fields without names.
    pub(crate) fn none() -> Self {
        Self::new(String::new(), None, String::new(), Keep::First, None)
    }

    /// Returns these fields with the text in another field.
    pub(crate) fn with_text(&self, text: &str) -> Self {
        let Self {
            set,
            id,
            keep,
            label,
            ..
        } = self.clone();
        Self::new(text.into(), set, id, keep, label)
    }

    /// Creates the fields from names. In JSON, a name is the exact name of a field, or else a dotted path into objects. In CSV,
    /// it is the exact name of a column. The text may have several names with commas between them, and `[]` in a path means each element
    /// of an array.
    pub fn new(
        text: String,
        set: Option<Occurrences>,
        id: String,
        keep: Keep,
        label: Option<String>,
    ) -> Self {
        let joined = if set.is_none() {
            Joined::of(&text).map(Arc::new)
        } else {
            None
        };
        let inside =
            Inside::of(&text, joined.as_deref(), &id, &keep, label.as_deref()).map(Arc::new);
        Self {
            text,
            set,
            id,
            keep,
            label,
            inside,
            joined,
            records: None,
        }
    }
}

/// The names of the fields to search for, used only if at least one of these names contains a dot, or the text has parts. This search
/// parses the whole line in one pass, while [`find`](super::lazy::find) skips most of the line.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    /// The paths, of which the first two are those of the text and the id, and the last ones those of the text's parts.
    pub(crate) paths: Paths,
    pub(crate) keep: Option<usize>,
    pub(crate) label: Option<usize>,
    /// The number of the first part's path.
    pub(crate) parts: usize,
}

impl Inside {
    /// Creates the names to search for. Returns none if no name contains a dot, and the text has no parts.
    fn of(
        text: &str,
        joined: Option<&Joined>,
        id: &str,
        keep: &Keep,
        label: Option<&str>,
    ) -> Option<Self> {
        let names = [Some(text), Some(id), keep.field(), label];
        if joined.is_none() && !names.into_iter().flatten().any(|name| name.contains('.')) {
            return None;
        }
        let number = |at: usize| names[at].map(|_| names[..at].iter().flatten().count());
        let parts = joined
            .into_iter()
            .flat_map(|joined| &joined.parts)
            .map(|part| part.paths[0].clone());
        let paths = Paths::new(names.into_iter().flatten().map(String::from).chain(parts));
        Some(Self {
            paths,
            keep: number(2),
            label: number(3),
            parts: names.iter().flatten().count(),
        })
    }
}

/// The values of a line's fields, as stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) text: Text<'a>,
    /// The number of characters that JSON escaping adds to the text.
    pub(crate) surplus: usize,
    pub(crate) id: Option<&'a str>,
    pub keep: Option<&'a str>,
    pub label: Option<&'a str>,
}

/// The reason why a line is not a usable record. The caller adds the location of the line: the name of the input and the number
/// of the record.
pub type Fault = crate::error::Error;

/// What a JSON record is in its file: messages call it a line or an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A line of JSON Lines.
    Line,
    /// An element of a JSON array.
    Element,
}

/// The kind of a value, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Shape {
    /// Returns the kind of a JSON value, by its first character.
    pub fn of(value: &str) -> Self {
        match value.as_bytes().first() {
            Some(b'"') => Self::Text,
            Some(b't' | b'f') => Self::Bool,
            Some(b'n') => Self::Null,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            _ => Self::Number,
        }
    }

    /// Returns whether a value of this kind can be an id or a label.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Text | Self::Number)
    }

    /// Returns the kind's name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Bool => "true or false",
            Self::Null => "null",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

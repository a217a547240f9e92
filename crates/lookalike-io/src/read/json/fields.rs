//! Which fields of a record are read, and what is found of them; what is wrong with a record.

use std::sync::Arc;

use lookalike::{Occurrences, cluster::Keep, text::Text};

use super::paths::Paths;

/// The names of the fields that are read.
#[derive(Debug, Clone)]
pub struct Fields {
    pub(crate) text: String,
    /// Where the text is a set, a JSON array: what an item counts that stands there several times.
    pub(crate) set: Option<Occurrences>,
    pub(crate) id: String,
    /// What keep order reads in each record.
    pub keep: Keep,
    /// The field with the label, where one is asked for.
    pub label: Option<String>,
    /// What finds fields inside of objects, if a name has a dot.
    pub(crate) inside: Option<Arc<Inside>>,
}

impl Fields {
    /// Fields of these names: of JSON the field with exactly the name, or else a dotted path into objects; of CSV exactly the name.
    pub fn new(text: String, set: Option<Occurrences>, id: String, keep: Keep, label: Option<String>) -> Self {
        let inside = Inside::of(&text, &id, &keep, label.as_deref()).map(Arc::new);
        Self { text, set, id, keep, label, inside }
    }
}

/// The names to look for. One pass that parses the whole line, where [`find`](super::lazy::find) passes over most of it.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    /// Those of the text and the id are the first two.
    pub(crate) paths: Paths,
    pub(crate) keep: Option<usize>,
    pub(crate) label: Option<usize>,
}

impl Inside {
    /// None if no name has a dot.
    fn of(text: &str, id: &str, keep: &Keep, label: Option<&str>) -> Option<Self> {
        let names = [Some(text), Some(id), keep.field(), label];
        if !names.into_iter().flatten().any(|name| name.contains('.')) {
            return None;
        }
        let number = |at: usize| names[at].map(|_| names[..at].iter().flatten().count());
        let paths = Paths::new(names.into_iter().flatten().map(String::from));
        Some(Self { paths, keep: number(2), label: number(3) })
    }
}

/// The values of a line's fields as they stand there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) text: Text<'a>,
    /// What the text has more characters as it stands than are meant.
    pub(crate) surplus: usize,
    pub(crate) id: Option<&'a str>,
    pub keep: Option<&'a str>,
    pub label: Option<&'a str>,
}

/// Why a line is no usable record; whoever knows the line adds the place.
pub type Fault = crate::error::Error;

/// What a record of JSON is in its file: what messages call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A line of JSON Lines.
    Line,
    /// An element of a JSON array.
    Element,
}

/// What a value is, for messages.
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
    /// The shape of a JSON value, by its first character.
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

    /// Whether something can be called so.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Text | Self::Number)
    }

    /// What messages call it.
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

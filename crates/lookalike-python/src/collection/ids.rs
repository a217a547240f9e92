//! Ids of documents: as JSON, exactly as written in the input, and as a column of their natural type.

use std::{borrow::Cow, ops::Range, sync::Arc};

use arrow_array::{ArrayRef, Int64Array, LargeStringArray};
use arrow_schema::{DataType, Field};
use lookalike_engine::{IdKind, JSON};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

/// The ids of all documents. They take 8 bytes per document and the bytes of the ids, or nothing if the ids are row numbers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ids {
    /// Each id is the number of the row, from 0.
    Rows,
    /// The ids as JSON, concatenated.
    Given {
        text: String,
        ends: Vec<u64>,
        kind: Option<IdKind>,
    },
}

impl Ids {
    pub fn given() -> Self {
        Self::Given {
            text: String::new(),
            ends: Vec::new(),
            kind: None,
        }
    }

    pub fn push(&mut self, id: &str) {
        let Self::Given { text, ends, kind } = self else {
            return;
        };
        text.push_str(id);
        ends.push(text.len() as u64);
        let own = IdKind::of(id);
        *kind = Some(kind.map_or(own, |kind| kind.with(own)));
    }

    /// Gives two id columns of one collection the same type.
    pub fn agree(&mut self, other: &mut Self) {
        if let (Self::Given { kind: a, .. }, Self::Given { kind: b, .. }) = (self, other)
            && a != b
        {
            (*a, *b) = (Some(IdKind::Mixed), Some(IdKind::Mixed));
        }
    }

    /// Returns a document's id as JSON. The result may borrow from `scratch`.
    pub fn json<'a>(&'a self, document: u64, scratch: &'a mut String) -> &'a str {
        match self {
            Self::Rows => {
                *scratch = document.to_string();
                scratch
            }
            Self::Given { text, ends, .. } => given(text, ends, document),
        }
    }

    /// Returns a document's id as JSON, allocated if necessary.
    pub fn written(&self, document: u64) -> Cow<'_, str> {
        match self {
            Self::Rows => Cow::Owned(document.to_string()),
            Self::Given { text, ends, .. } => Cow::Borrowed(given(text, ends, document)),
        }
    }

    /// Returns a column of the ids of some documents, with null for None.
    pub fn column(&self, documents: impl Iterator<Item = Option<u64>>) -> ArrayRef {
        match self {
            Self::Rows => Arc::new(
                documents
                    .map(|document| Some(document? as i64))
                    .collect::<Int64Array>(),
            ),
            Self::Given { .. } => column(
                self.kind(),
                documents.map(|document| Some(self.written(document?))),
            ),
        }
    }

    /// Returns a column of the ids of consecutive documents.
    pub fn range(&self, documents: Range<u64>) -> ArrayRef {
        self.column(documents.map(Some))
    }

    /// Returns whether there are no given ids.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Given { ends, .. } if ends.is_empty())
    }

    /// Returns the kind that covers all of these ids.
    pub fn kind(&self) -> IdKind {
        match self {
            Self::Rows => IdKind::Integers,
            Self::Given { kind, .. } => kind.unwrap_or(IdKind::Strings),
        }
    }

    /// Returns whether these are valid ids, one for each document; `documents` is the number of documents. Row numbers are valid
    /// ids for any number of documents.
    pub fn are(&self, documents: usize) -> bool {
        let Self::Given { text, ends, .. } = self else {
            return true;
        };
        let are_places = ends
            .iter()
            .all(|&end| usize::try_from(end).is_ok_and(|end| text.is_char_boundary(end)));
        ends.len() == documents && are_places && ends.is_sorted()
    }

    /// Returns the kind of a column that contains both these ids and `others`.
    pub fn kind_with(&self, others: &Self) -> IdKind {
        if others.is_empty() {
            self.kind()
        } else {
            self.kind().with(others.kind())
        }
    }
}

/// Returns the field of a column of ids. If the ids are of several kinds, the values are JSON.
pub fn field(name: &str, kind: IdKind, nullable: bool) -> Field {
    let field = match kind {
        IdKind::Integers => Field::new(name, DataType::Int64, nullable),
        IdKind::Strings | IdKind::Mixed => Field::new(name, DataType::LargeUtf8, nullable),
    };
    if kind == IdKind::Mixed {
        field.with_metadata([(JSON.into(), String::new())].into())
    } else {
        field
    }
}

/// Returns the values of a column of this kind from ids given as JSON, with null for None.
pub fn column<'a>(kind: IdKind, ids: impl Iterator<Item = Option<Cow<'a, str>>>) -> ArrayRef {
    match kind {
        IdKind::Integers => Arc::new(
            ids.map(|id| id?.parse::<i64>().ok())
                .collect::<Int64Array>(),
        ),
        IdKind::Strings | IdKind::Mixed => Arc::new(
            ids.map(|id| Some(shown(&id?, kind)))
                .collect::<LargeStringArray>(),
        ),
    }
}

fn given<'a>(text: &'a str, ends: &[u64], document: u64) -> &'a str {
    let start = document
        .checked_sub(1)
        .map_or(0, |before| ends[before as usize]);
    &text[start as usize..ends[document as usize] as usize]
}

/// Returns an id as a Python object.
pub fn named<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(whole) = json.parse::<i64>() {
        return Ok(whole.into_pyobject(py)?.into_any());
    }
    match json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(plain) if !plain.contains('\\') => Ok(plain.into_pyobject(py)?.into_any()),
        _ => py.import("json")?.call_method1("loads", (json,)),
    }
}

/// Returns the text of an id in a column of strings.
fn shown(json: &str, kind: IdKind) -> String {
    let plain = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|_| kind == IdKind::Strings);
    match plain {
        Some(plain) if !plain.contains('\\') => plain.into(),
        Some(_) => serde_json::from_str(json).unwrap_or_else(|_| json.into()),
        None => json.into(),
    }
}

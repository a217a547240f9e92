//! Documents' ids: as JSON, as they stood in the input, and as a column of their natural type.

use std::{borrow::Cow, ops::Range, sync::Arc};

use arrow_array::{ArrayRef, Int64Array, LargeStringArray};
use arrow_schema::DataType;
use pyo3::prelude::*;

/// Ids by document. 8 bytes a document and the ids; nothing where they are the rows' numbers.
#[derive(Debug)]
pub enum Ids {
    /// The number of the row, from 0.
    Rows,
    /// As JSON, one after the other.
    Given { text: String, ends: Vec<u64>, kind: Option<Kind> },
}

/// What all ids are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Strings: a column of these.
    Strings,
    /// Whole numbers of 64 bits: a column of these.
    Integers,
    /// Other numbers, or some of both: a column of what they are in JSON, so that 1 and "1" stay two.
    Mixed,
}

impl Ids {
    pub fn given() -> Self {
        Self::Given { text: String::new(), ends: Vec::new(), kind: None }
    }

    pub fn push(&mut self, id: &str) {
        let Self::Given { text, ends, kind } = self else { return };
        text.push_str(id);
        ends.push(text.len() as u64);
        let own = match id.starts_with('"') {
            true => Kind::Strings,
            false if id.parse::<i64>().is_ok() => Kind::Integers,
            false => Kind::Mixed,
        };
        *kind = Some(kind.map_or(own, |kind| if kind == own { own } else { Kind::Mixed }));
    }

    /// Two columns of ids of one collection have one type.
    pub fn agree(&mut self, other: &mut Self) {
        if let (Self::Given { kind: a, .. }, Self::Given { kind: b, .. }) = (self, other)
            && a != b
        {
            (*a, *b) = (Some(Kind::Mixed), Some(Kind::Mixed));
        }
    }

    /// A document's id, as JSON; `room` may hold it.
    pub fn json<'a>(&'a self, document: u64, room: &'a mut String) -> &'a str {
        match self {
            Self::Rows => {
                *room = document.to_string();
                room
            }
            Self::Given { text, ends, .. } => given(text, ends, document),
        }
    }

    /// The same, where it is worth an allocation.
    pub fn written(&self, document: u64) -> Cow<'_, str> {
        match self {
            Self::Rows => Cow::Owned(document.to_string()),
            Self::Given { text, ends, .. } => Cow::Borrowed(given(text, ends, document)),
        }
    }

    /// The type of a column of ids.
    pub fn data_type(&self) -> DataType {
        self.kind().data_type()
    }

    /// The column of some documents' ids; null where there is no document.
    pub fn column(&self, documents: impl Iterator<Item = Option<u64>>) -> ArrayRef {
        match self {
            Self::Rows => Arc::new(documents.map(|document| Some(document? as i64)).collect::<Int64Array>()),
            Self::Given { .. } => self.kind().column(documents.map(|document| Some(self.written(document?)))),
        }
    }

    /// The column of all ids of consecutive documents.
    pub fn range(&self, documents: Range<u64>) -> ArrayRef {
        self.column(documents.map(Some))
    }

    /// What all of these are.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Rows => Kind::Integers,
            Self::Given { kind, .. } => kind.unwrap_or(Kind::Strings),
        }
    }

    /// What these and others are in one column.
    pub fn kind_with(&self, others: &Self) -> Kind {
        match others {
            Self::Given { kind: None, .. } => self.kind(),
            _ if self.kind() == others.kind() => self.kind(),
            _ => Kind::Mixed,
        }
    }
}

impl Kind {
    /// The type of a column of such ids.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Integers => DataType::Int64,
            Self::Strings | Self::Mixed => DataType::LargeUtf8,
        }
    }

    /// A column of such ids, given as JSON; null where there is none.
    pub fn column<'a>(self, ids: impl Iterator<Item = Option<Cow<'a, str>>>) -> ArrayRef {
        match self {
            Self::Integers => Arc::new(ids.map(|id| id?.parse::<i64>().ok()).collect::<Int64Array>()),
            Self::Strings | Self::Mixed => Arc::new(ids.map(|id| Some(shown(&id?, self))).collect::<LargeStringArray>()),
        }
    }
}

fn given<'a>(text: &'a str, ends: &[u64], document: u64) -> &'a str {
    let start = document.checked_sub(1).map_or(0, |before| ends[before as usize]);
    &text[start as usize..ends[document as usize] as usize]
}

/// An id as Python has it.
pub fn named<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(whole) = json.parse::<i64>() {
        return Ok(whole.into_pyobject(py)?.into_any());
    }
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(plain.into_pyobject(py)?.into_any()),
        _ => py.import("json")?.call_method1("loads", (json,)),
    }
}

/// What stands in a column of strings for an id.
fn shown(json: &str, kind: Kind) -> String {
    let plain = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| kind == Kind::Strings);
    match plain {
        Some(plain) if !plain.contains('\\') => plain.into(),
        Some(_) => serde_json::from_str(json).unwrap_or_else(|_| json.into()),
        None => json.into(),
    }
}

//! Why the values of a field cannot be in one column.

use lookalike::shown::quoted;

use crate::{
    error::{Error, ErrorKind},
    read::Source,
};

/// A record, by its part and its number, from 1.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) part: u32,
    pub(crate) record: u64,
}

/// Why values cannot be in one column.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The field, with the fields around it.
    pub(super) path: String,
    pub(super) at: At,
    why: Why,
}

#[derive(Debug)]
pub(super) enum Why {
    /// The record is not valid JSON.
    Unparsed(Error),
    /// What the value is, and what to do.
    Value(String, &'static str),
    /// What the value is, what another one is, and the record of that one.
    Differs([String; 2], At),
}

pub(super) type Result<T> = std::result::Result<T, Refused>;

const OF_ONE_TYPE: &str =
    "the values of a column have one type: convert one of the two, or write JSON Lines (.jsonl)";

impl Refused {
    pub(super) fn new(at: At, why: Why) -> Self {
        Self {
            path: String::new(),
            at,
            why,
        }
    }

    /// Adds the name of a field that the value is in.
    pub(super) fn inside(self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') {
            ""
        } else {
            "."
        };
        Self {
            path: format!("{name}{dot}{}", self.path),
            ..self
        }
    }

    /// Returns the error about the record.
    pub(crate) fn error(self, source: &Source) -> Error {
        let field = quoted(&self.path);
        let place = |at: At| source.place(at.part as usize, at.record);
        let error = match self.why {
            Why::Unparsed(error) => return error.at_place(place(self.at)),
            Why::Value(what, advice) => {
                Error::new(ErrorKind::Output, format!("field {field} {what}")).advise(advice)
            }
            Why::Differs([own, other], there) => {
                let what = format!("field {field} is {own}, but {other} in {}", place(there));
                Error::new(ErrorKind::Output, what).advise(OF_ONE_TYPE)
            }
        };
        error.at_place(place(self.at)).in_field(self.path)
    }
}

pub(super) fn twice(at: At) -> Refused {
    Refused::new(
        at,
        Why::Value("occurs twice".into(), "remove or rename one of the two"),
    )
}

/// Returns the error for a value that is not one cell of CSV.
pub(crate) fn nested(what: &str, at: At) -> Refused {
    let what = format!("is {what}, which CSV cannot store");
    Refused::new(
        at,
        Why::Value(
            what,
            "leave the field out, or write JSON Lines (.jsonl) or a table (.parquet)",
        ),
    )
}

pub(super) fn unparsed(at: At, error: serde_json::Error) -> Refused {
    Refused::new(
        at,
        Why::Unparsed(Error::record(format!("cannot be parsed: {error}")).because(error)),
    )
}

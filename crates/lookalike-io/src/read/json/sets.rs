//! Documents that are sets: JSON arrays, in a record's field or in a cell.

use lookalike::{Occurrences, shown::quoted, text::no_set};

use super::fields::{Fault, Fields};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
};

/// What messages call the option that names the field.
pub(crate) fn option(set: Option<Occurrences>) -> &'static str {
    if set.is_some() { "--set-field" } else { "--text-field" }
}

/// Refuses an array of which an item is neither a string nor a number, and what is no array.
pub(crate) fn check(array: &str, fields: &Fields) -> std::result::Result<(), Fault> {
    match no_set(array) {
        Some(what) => Err(Fault(format!("field {} {what}", quoted(&fields.text)))),
        None => Ok(()),
    }
}

/// Refuses inputs that have no fields.
pub(crate) fn refuse_fieldless(name: &str, format: Format) -> Result<()> {
    let what = match format {
        Format::Text | Format::Html => "a file that is a document",
        Format::Warc => "a crawl",
        _ => return Ok(()),
    };
    let message = format!(
        "{name}: {what} has no fields, so no --set-field; give records with a JSON array each: JSON Lines, CSV, Parquet or Arrow"
    );
    Err(Error::new(ErrorKind::Input, message))
}

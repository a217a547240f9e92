//! Documents that are sets: JSON arrays in a record's field or in a cell.

use lookalike::{Occurrences, shown::quoted, text::why_not_a_set};

use super::fields::{Fault, Fields};
use crate::{
    error::{Error, ErrorKind, Result, Setting},
    format::Format,
    words,
};

/// Returns the option that names the field, for messages.
pub(crate) fn option(set: Option<Occurrences>) -> Setting {
    if set.is_some() {
        Setting("set_field")
    } else {
        Setting("text_field")
    }
}

/// Returns an error if a value is not an array, or is an array with an item that is neither a string nor a number.
pub(crate) fn check(array: &str, fields: &Fields) -> std::result::Result<(), Fault> {
    match why_not_a_set(array) {
        Some(what) => Err(
            Fault::record(format!("field {} {what}", quoted(&fields.text))).in_field(&*fields.text),
        ),
        None => Ok(()),
    }
}

/// Returns an error for an input whose records have no fields.
pub(crate) fn refuse_fieldless(name: &str, format: Format) -> Result<()> {
    let what = match format {
        Format::Text | Format::Html => "a file that is read as one document",
        Format::Warc => "a WARC file",
        _ => return Ok(()),
    };
    let refused = Error::new(
        ErrorKind::Input,
        words![what, " has no fields, so it cannot be read with $set_field"],
    )
    .at(name);
    Err(refused
        .advise("give records that each have a JSON array, as JSON Lines, CSV, Parquet or Arrow"))
}

//! Documents that are sets: JSON arrays, in a record's field or in a cell.

use lookalike::{Occurrences, shown::quoted, text::no_set};

use super::fields::{Fault, Fields};
use crate::{
    error::{Error, ErrorKind, Result, Setting},
    format::Format,
    words,
};

/// What messages call the option that names the field.
pub(crate) fn option(set: Option<Occurrences>) -> Setting {
    if set.is_some() { Setting::SetField } else { Setting::TextField }
}

/// Refuses an array of which an item is neither a string nor a number, and what is no array.
pub(crate) fn check(array: &str, fields: &Fields) -> std::result::Result<(), Fault> {
    match no_set(array) {
        Some(what) => Err(Fault::record(format!("field {} {what}", quoted(&fields.text))).in_field(&*fields.text)),
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
    let refused = Error::new(ErrorKind::Input, words![what, " has no fields, so no ", Setting::SetField]).at(name);
    Err(refused.advise("give records with a JSON array each: JSON Lines, CSV, Parquet or Arrow"))
}

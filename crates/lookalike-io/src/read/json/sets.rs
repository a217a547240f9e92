//! Documents that are sets: JSON arrays, in a record's field or in a cell.

use lookalike::{
    Occurrences,
    shown::quoted,
    text::{Folds, Tokens, TokensBy, canonicalise, items},
};

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
    match items(array).find_map(std::result::Result::err) {
        Some(what) => Err(Fault(format!("field {} {what}", quoted(&fields.text)))),
        None => Ok(()),
    }
}

/// The size of a set by which the longest is chosen: items that differ, or where occurrences count all of them.
pub(crate) fn size(array: &str, occurrences: Occurrences) -> u64 {
    let mut tokens = Tokens::new();
    canonicalise(array, TokensBy::Items, Folds::default(), &mut tokens);
    if occurrences == Occurrences::Labelled {
        return tokens.len() as u64;
    }
    let mut distinct: Vec<&[u8]> = tokens.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() as u64
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

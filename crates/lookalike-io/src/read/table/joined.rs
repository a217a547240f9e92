//! Puts the texts of rows together from several columns, or from the items of lists.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, cast::AsArray};
use arrow_schema::DataType;
use lookalike::shown::quoted;

use super::{columns::TextPart, lists};
use crate::{
    error::{Error, ErrorKind, Result, Setting},
    read::json::push,
    words,
};

/// Returns the texts of a batch. A row in which all parts are null has none.
pub(super) fn texts(batch: &RecordBatch, parts: &[TextPart]) -> Result<ArrayRef> {
    let found = parts.iter().map(|part| {
        let found = part.column.of(batch).map(|(array, _)| array.clone());
        found.ok_or_else(|| Error::failure(format!("a batch has no column {}", quoted(&part.column.name))))
    });
    let columns: Vec<ArrayRef> = found.collect::<Result<_>>()?;
    let outer: Vec<_> = parts.iter().filter_map(|part| Some(part.column.of(batch)?.1)).collect();
    let mut text = String::new();
    let texts = (0..batch.num_rows()).map(|row| {
        text.clear();
        let mut is_there = false;
        for ((part, column), outer) in parts.iter().zip(&columns).zip(&outer) {
            if outer.iter().all(|outer| outer.is_valid(row)) {
                is_there |= append(part, (column, row), &part.paths, &mut text)?;
            }
        }
        Ok(is_there.then(|| text.clone()))
    });
    let texts: LargeStringArray = texts.collect::<Result<Vec<Option<String>>>>()?.into_iter().collect();
    Ok(Arc::new(texts))
}

/// Appends the texts of a value; returns false if it is null.
fn append(part: &TextPart, (array, row): (&ArrayRef, usize), paths: &[Vec<String>], into: &mut String) -> Result<bool> {
    if array.is_null(row) {
        return Ok(false);
    }
    let Some((path, rest)) = paths.split_first() else {
        match array.data_type() {
            DataType::Utf8 => push(array.as_string::<i32>().value(row), into),
            DataType::LargeUtf8 => push(array.as_string::<i64>().value(row), into),
            DataType::Utf8View => push(array.as_string_view().value(row), into),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let key = dictionary.normalized_keys()[row];
                return append(part, (dictionary.values(), key), paths, into);
            }
            other => return Err(refused(part, "a text", other)),
        }
        return Ok(true);
    };
    let Some(items) = lists::items(array) else { return Err(refused(part, "a list", array.data_type())) };
    let mut item = items.clone();
    let mut outer = vec![];
    for name in path {
        let inside = item.as_struct_opt().and_then(|inside| inside.column_by_name(name)).cloned();
        let Some(inside) = inside else {
            return Err(refused(part, &format!("a struct with the field {}", quoted(name)), item.data_type()));
        };
        outer.push(std::mem::replace(&mut item, inside));
    }
    for at in lists::range(array, row) {
        if outer.iter().all(|outer| outer.is_valid(at)) {
            append(part, (&item, at), rest, into)?;
        }
    }
    Ok(true)
}

fn refused(part: &TextPart, wanted: &str, found: &DataType) -> Error {
    let what = format!("column {} is of the type {found}, but it must be {wanted}", quoted(&part.column.name));
    let refused = Error::new(ErrorKind::Input, what).in_field(&*part.column.name).about(Setting::TextField);
    refused.advise(words!["name other columns with ", Setting::TextField])
}

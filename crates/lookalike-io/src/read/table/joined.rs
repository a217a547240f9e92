//! Puts the texts of rows together from several columns, or from the items of lists.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, RecordBatch, StructArray, builder::LargeStringBuilder, cast::AsArray,
};
use arrow_schema::DataType;
use arrow_select::take::take;
use lookalike::shown::quoted;

use super::{columns::TextPart, lists};
use crate::{
    error::{Error, Result},
    read::json::push,
};

/// The values of a part of a text in a batch.
struct Values {
    array: ArrayRef,
    /// The structs around the values that have nulls.
    around: Vec<StructArray>,
    /// If the values are lists, what is read from their items.
    items: Option<Box<Values>>,
}

/// Returns the texts of a batch. A row in which all parts are null has none.
pub(super) fn texts(batch: &RecordBatch, parts: &[TextPart]) -> Result<ArrayRef> {
    let parts = parts.iter().map(|part| {
        let found = part
            .column
            .of(batch)
            .map(|(array, around)| (array, around.into_iter().cloned().collect()));
        let found = found.ok_or_else(|| {
            Error::failure(format!(
                "a batch has no column {}",
                quoted(&part.column.name)
            ))
        });
        let (array, around) = found?;
        Values::of(part, array, around, &part.paths)
    });
    let parts: Vec<Values> = parts.collect::<Result<_>>()?;
    let (mut texts, mut text) = (LargeStringBuilder::new(), String::new());
    for row in 0..batch.num_rows() {
        text.clear();
        let mut is_there = false;
        for part in &parts {
            is_there |= part.append(row, &mut text);
        }
        texts.append_option(is_there.then_some(&text));
    }
    Ok(Arc::new(texts.finish()))
}

impl Values {
    /// Finds the values of a part: strings, or lists in whose items the rest of the path leads to strings.
    fn of(
        part: &TextPart,
        array: &ArrayRef,
        around: Vec<StructArray>,
        paths: &[Vec<String>],
    ) -> Result<Self> {
        let array = match array.as_any_dictionary_opt() {
            Some(dictionary) => take(dictionary.values(), dictionary.keys(), None)
                .map_err(|error| Error::failure(error.to_string()))?,
            None => array.clone(),
        };
        let Some((path, rest)) = paths.split_first() else {
            return match array.data_type() {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(Self {
                    array,
                    around,
                    items: None,
                }),
                _ => Err(other(part)),
            };
        };
        let Some(items) = lists::items(&array) else {
            return Err(other(part));
        };
        let (mut item, mut outer) = (items.clone(), Vec::new());
        for name in path {
            let inside = item
                .as_struct_opt()
                .and_then(|inside| Some((inside.clone(), inside.column_by_name(name)?.clone())));
            let (whole, inside) = inside.ok_or_else(|| other(part))?;
            outer.extend(Some(whole).filter(|whole| whole.nulls().is_some()));
            item = inside;
        }
        let items = Some(Box::new(Self::of(part, &item, outer, rest)?));
        Ok(Self {
            array,
            around,
            items,
        })
    }

    /// Appends the texts of a row or an item; returns false if it is null.
    fn append(&self, row: usize, into: &mut String) -> bool {
        let Self {
            array,
            around,
            items,
        } = self;
        if array.is_null(row) || around.iter().any(|outer| outer.is_null(row)) {
            return false;
        }
        match (items, array.data_type()) {
            (Some(items), _) => {
                lists::range(array, row).for_each(|item| _ = items.append(item, into))
            }
            (None, DataType::Utf8) => push(array.as_string::<i32>().value(row), into),
            (None, DataType::LargeUtf8) => push(array.as_string::<i64>().value(row), into),
            (None, _) => push(array.as_string_view().value(row), into),
        }
        true
    }
}

/// Returns the error for a batch in which a column has another type than in the table.
fn other(part: &TextPart) -> Error {
    Error::failure(format!(
        "a batch has another type of column {}",
        quoted(&part.column.name)
    ))
}

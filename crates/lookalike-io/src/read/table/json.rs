//! Filters rows, and describes rows that cannot be written as JSON.

use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, FieldRef};
use arrow_select::filter::filter_record_batch;

use lookalike::shown::quoted;

use super::encode::{Nulls, write_json_lines};
use crate::error::{Error, ErrorKind, Result};

/// Returns the rows of a batch for which the mask is true.
///
/// # Errors
/// Fails if the mask and the batch have different lengths.
pub(super) fn filter(batch: &RecordBatch, mask: &BooleanArray) -> Result<RecordBatch> {
    filter_record_batch(batch, mask).map_err(|error| Error::failure(error.to_string()))
}

/// Returns the first row that JSON cannot represent, and the error for this row. The batch could not be written because of
/// `error`.
pub(super) fn unwritable(batch: &RecordBatch, error: &ArrowError) -> (usize, Error) {
    let (row, column, what) = unwritten(batch, error);
    let Some(name) = column else {
        let wrong = Error::new(ErrorKind::Output, format!("a row {what}"));
        return (
            row,
            wrong.advise("write a table, such as kept.parquet or kept.arrow"),
        );
    };
    let wrong = Error::new(
        ErrorKind::Output,
        format!("column {} {what}", quoted(&name)),
    )
    .in_field(name);
    (
        row,
        wrong.advise("write a table, such as kept.parquet or kept.arrow, or leave that column out"),
    )
}

/// Finds the value that JSON cannot represent. Returns its row, the name of its column, and a message that continues "column …". If no
/// single value is the cause, returns row 0, no name, and a message that continues "a row …".
pub(super) fn unwritten(
    batch: &RecordBatch,
    error: &ArrowError,
) -> (usize, Option<String>, String) {
    let fails = |row: usize, at: usize| {
        let cell = batch.slice(row, 1).project(&[at]).ok()?;
        write_json_lines(&cell, Nulls::Written, &mut Vec::new())
            .err()
            .map(|error| (row, at, error.to_string()))
    };
    let cells =
        (0..batch.num_rows()).flat_map(|row| (0..batch.num_columns()).map(move |at| (row, at)));
    let found = cells.into_iter().find_map(|(row, at)| fails(row, at));
    let Some((row, at, why)) = found else {
        return (0, None, format!("cannot be written as JSON ({error})"));
    };
    let schema = batch.schema_ref();
    let field = schema.field(at);
    let what = match field.data_type() {
        DataType::Map(pair, _) if !has_string_keys(pair) => {
            "is a map with keys that are not strings".into()
        }
        _ => format!("cannot be written as JSON ({why})"),
    };
    (row, Some(field.name().clone()), what)
}

fn has_string_keys(pair: &FieldRef) -> bool {
    let DataType::Struct(pair) = pair.data_type() else {
        return false;
    };
    let keys = pair.first().map(|keys| keys.data_type());
    matches!(
        keys,
        Some(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    )
}

//! Rows → JSON Lines, and rows that are left out.

use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_json::{WriterBuilder, writer::LineDelimited};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema};
use arrow_select::filter::filter_record_batch;

use lookalike::shown::quoted;

use super::retype::{mapped_fields, retyped};
use crate::error::{Error, ErrorKind, Result};

/// The rows of a batch for which the mask is true.
///
/// # Errors
/// A mask of another length.
pub(super) fn filter(batch: &RecordBatch, mask: &BooleanArray) -> Result<RecordBatch> {
    filter_record_batch(batch, mask).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
}

/// Appends rows as JSON Lines, all their columns, nulls among them.
///
/// # Errors
/// A type or a value that JSON cannot have: what is wrong with which, [`unwritable`] tells.
pub(super) fn write_lines(batch: &RecordBatch, out: &mut Vec<u8>) -> std::result::Result<(), ArrowError> {
    // A time is the same time in UTC, and nobody has to know what all the zones are.
    let fields = mapped_fields(batch.schema_ref().fields(), &in_utc);
    let batch = &match fields == *batch.schema_ref().fields() {
        true => batch.clone(),
        false => retyped(batch, &Arc::new(Schema::new(fields))).map_err(|error| ArrowError::SchemaError(error.to_string()))?,
    };
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(out);
    writer.write(batch).and_then(|()| writer.finish())
}

/// The first row that cannot be JSON, of rows that could not be written with this error, and what to say of it.
pub(super) fn unwritable(batch: &RecordBatch, error: &ArrowError) -> (usize, String) {
    let fails = |row: usize, at: usize| {
        let cell = batch.slice(row, 1).project(&[at]).ok()?;
        write_lines(&cell, &mut Vec::new()).err().map(|error| (row, at, error.to_string()))
    };
    let cells = (0..batch.num_rows()).flat_map(|row| (0..batch.num_columns()).map(move |at| (row, at)));
    let found = cells.into_iter().find_map(|(row, at)| fails(row, at));
    let Some((row, at, why)) = found else {
        return (0, format!("a row cannot be JSON ({error}); write a table, such as kept.parquet or kept.arrow"));
    };
    let schema = batch.schema_ref();
    let field = schema.field(at);
    let what = match field.data_type() {
        DataType::Map(pair, _) if !has_string_keys(pair) => "is a map with keys that are no strings".into(),
        _ => format!("cannot be JSON ({why})"),
    };
    let name = field.name();
    (row, format!("column {} {what}; write a table, such as kept.parquet or kept.arrow, or leave that column out", quoted(name)))
}

fn has_string_keys(pair: &FieldRef) -> bool {
    let DataType::Struct(pair) = pair.data_type() else { return false };
    let keys = pair.first().map(|keys| keys.data_type());
    matches!(keys, Some(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View))
}

/// A time zone that everybody knows.
fn in_utc(kind: &DataType) -> Option<DataType> {
    let DataType::Timestamp(unit, Some(_)) = kind else { return None };
    Some(DataType::Timestamp(*unit, Some("+00:00".into())))
}

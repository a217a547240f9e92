//! Rows → JSON Lines, and rows that are left out.

use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_json::{WriterBuilder, writer::LineDelimited};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use arrow_select::filter::filter_record_batch;

use super::retype::retyped;
use crate::error::{Error, ErrorKind, Result};

/// The rows of a batch for which the mask is true.
///
/// # Errors
/// A mask of another length.
pub(super) fn filter(batch: &RecordBatch, mask: &BooleanArray) -> Result<RecordBatch> {
    filter_record_batch(batch, mask).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
}

/// Appends rows as JSON Lines, all their columns, nulls among them.
pub(super) fn write_lines(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    // A time is the same time in UTC, and nobody has to know what all the zones are.
    let fields: Fields = batch.schema_ref().fields().iter().map(in_utc).collect();
    let batch = &match fields == *batch.schema_ref().fields() {
        true => batch.clone(),
        false => retyped(batch, &Arc::new(Schema::new(fields)))?,
    };
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(out);
    let written = writer.write(batch).and_then(|()| writer.finish());
    written.map_err(|error| {
        let message = format!("a row cannot be JSON: {error}; leave that column out, or write a table");
        Error::new(ErrorKind::Output, message)
    })
}

fn in_utc(field: &FieldRef) -> FieldRef {
    let kind = zoned_in_utc(field.data_type());
    if kind == *field.data_type() { field.clone() } else { Arc::new(Field::clone(field).with_data_type(kind)) }
}

/// A type with all its time zones UTC.
fn zoned_in_utc(kind: &DataType) -> DataType {
    match kind {
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(in_utc).collect()),
        DataType::List(item) => DataType::List(in_utc(item)),
        DataType::LargeList(item) => DataType::LargeList(in_utc(item)),
        DataType::ListView(item) => DataType::ListView(in_utc(item)),
        DataType::LargeListView(item) => DataType::LargeListView(in_utc(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(in_utc(item), *size),
        DataType::Map(item, sorted) => DataType::Map(in_utc(item), *sorted),
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(zoned_in_utc(values))),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(ends.clone(), in_utc(values)),
        other => other.clone(),
    }
}

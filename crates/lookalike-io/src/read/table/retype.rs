//! Changes the nullability, metadata and time zones in the schema of batches, without converting values other than views. It also
//! replaces some types, including nested types.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, SchemaRef};

use super::recast::recast;
use crate::error::{Error, Result};

/// Returns a batch with a new schema, which may differ from the old one only in nullability and metadata, and in strings that are
/// views. Copies only these.
///
/// # Errors
/// Fails if the schema differs in other ways, or if the batch has nulls that the schema does not allow.
pub fn retyped(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let reported =
        |error: ArrowError| Error::failure(format!("a batch does not fit its output: {error}"));
    if batch.num_columns() != schema.fields().len() {
        return Err(reported(ArrowError::SchemaError(
            "a different number of columns".into(),
        )));
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| recast(column, field.data_type()));
    let columns: Vec<ArrayRef> = columns
        .collect::<std::result::Result<_, _>>()
        .map_err(reported)?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(reported)
}

/// A function that returns the replacement of a type, if it has one.
type Change<'a> = &'a dyn Fn(&DataType) -> Option<DataType>;

/// Returns fields with some types replaced. Nested types are replaced too, except those inside unions.
pub fn mapped_fields(fields: &Fields, change: Change) -> Fields {
    fields
        .iter()
        .map(|field| mapped_field(field, change))
        .collect()
}

fn mapped_field(field: &FieldRef, change: Change) -> FieldRef {
    let kind = mapped(field.data_type(), change);
    if kind == *field.data_type() {
        field.clone()
    } else {
        Arc::new(Field::clone(field).with_data_type(kind))
    }
}

fn mapped(kind: &DataType, change: Change) -> DataType {
    if let Some(changed) = change(kind) {
        return changed;
    }
    match kind {
        DataType::Struct(fields) => DataType::Struct(mapped_fields(fields, change)),
        DataType::List(item) => DataType::List(mapped_field(item, change)),
        DataType::LargeList(item) => DataType::LargeList(mapped_field(item, change)),
        DataType::ListView(item) => DataType::ListView(mapped_field(item, change)),
        DataType::LargeListView(item) => DataType::LargeListView(mapped_field(item, change)),
        DataType::FixedSizeList(item, size) => {
            DataType::FixedSizeList(mapped_field(item, change), *size)
        }
        DataType::Map(item, sorted) => DataType::Map(mapped_field(item, change), *sorted),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(mapped(values, change)))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(ends.clone(), mapped_field(values, change))
        }
        other => other.clone(),
    }
}

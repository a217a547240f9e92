//! Batches under other names for the same: nullability, metadata, time zones.

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, SchemaRef, UnionFields};

use crate::error::{Error, ErrorKind, Result};

/// A batch under a schema that is the same but for nullability and metadata. Copies nothing.
///
/// # Errors
/// Another schema, or nulls where the schema has none.
pub fn retyped(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let told = |error: ArrowError| Error::new(ErrorKind::Internal, format!("a batch does not fit its output: {error}"));
    if batch.num_columns() != schema.fields().len() {
        return Err(told(ArrowError::SchemaError("another number of columns".into())));
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| match column.data_type() == field.data_type() {
        true => Ok(column.clone()),
        false => with_type(column.to_data(), field.data_type()).map(make_array),
    });
    let columns: Vec<ArrayRef> = columns.collect::<std::result::Result<_, _>>().map_err(told)?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(told)
}

fn with_type(data: ArrayData, kind: &DataType) -> std::result::Result<ArrayData, ArrowError> {
    let children = data.child_data().iter().cloned();
    let inner: Vec<DataType> = match kind {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type().clone()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type().clone(), values.data_type().clone()],
        DataType::Dictionary(_, values) => vec![DataType::clone(values)],
        DataType::Union(fields, _) => UnionFields::iter(fields).map(|(_, field)| field.data_type().clone()).collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.data_type().clone()],
        _ => Vec::new(),
    };
    let children: Vec<ArrayData> =
        children.zip(&inner).map(|(child, kind)| with_type(child, kind)).collect::<std::result::Result<_, _>>()?;
    data.into_builder().data_type(kind.clone()).child_data(children).build()
}

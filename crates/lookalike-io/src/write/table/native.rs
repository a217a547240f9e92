//! Replaces types that Parquet does not support by types that it supports.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef, TimeUnit};
use lookalike::shown::quoted;
use parquet::arrow::ArrowSchemaConverter;

use crate::{
    error::{Error, ErrorKind, Result, said},
    quiet::quietly,
    read::table::{mapped_fields, recast},
};

/// Returns the schema of a Parquet file with these columns. Seconds become milliseconds, and days that are stored in milliseconds
/// become plain days, as pyarrow writes them; otherwise other programs would see whole numbers. Views in a dictionary become
/// plain strings.
pub fn native(schema: &SchemaRef) -> SchemaRef {
    let change = |kind: &DataType| match kind {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            Some(DataType::Timestamp(TimeUnit::Millisecond, zone.clone()))
        }
        DataType::Date64 => Some(DataType::Date32),
        // The writer panics on dictionaries of views.
        DataType::Dictionary(keys, values) => {
            let plain = match **values {
                DataType::Utf8View => DataType::LargeUtf8,
                DataType::BinaryView => DataType::LargeBinary,
                _ => return None,
            };
            Some(DataType::Dictionary(keys.clone(), plain.into()))
        }
        _ => None,
    };
    let fields = mapped_fields(schema.fields(), &change);
    if fields == *schema.fields() {
        schema.clone()
    } else {
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    }
}

/// Returns rows with the types of `schema`.
///
/// # Errors
/// Fails if a time is too large for milliseconds.
pub fn cast(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |(column, field): (&Arc<dyn Array>, &FieldRef)| {
        recast(column, field.data_type()).map_err(|error| {
            let what = format!(
                "column {} cannot be converted to {}: {error}",
                quoted(field.name()),
                field.data_type()
            );
            Error::new(ErrorKind::Output, what)
                .in_field(field.name())
                .advise("write an Arrow file")
                .because(error)
        })
    };
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(column)
        .collect::<Result<_>>()?;
    RecordBatch::try_new(schema.clone(), columns).map_err(|error| Error::failure(error.to_string()))
}

/// Rejects columns that Parquet does not support. `name` is the name of the output.
///
/// # Errors
/// Fails with the name of the first such column.
pub fn refuse_others(name: &str, schema: &Schema) -> Result<()> {
    schema.fields().iter().try_for_each(|field| {
        let alone = Schema::new(vec![field.clone()]);
        // The converter panics on some types.
        let why = match quietly(|| ArrowSchemaConverter::new().convert(&alone)) {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => said(&*panic).into(),
        };
        let column = quoted(field.name());
        let what = format!(
            "Parquet cannot store the column {column}, which is {} ({why})",
            field.data_type()
        );
        let refused = Error::new(ErrorKind::Output, what)
            .at(name)
            .in_field(field.name());
        Err(refused.advise("write an Arrow file (.arrow), or leave the column out"))
    })
}

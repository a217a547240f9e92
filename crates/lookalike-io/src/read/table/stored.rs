//! Converts the schemas that files store.

use std::sync::Arc;

use arrow_ipc::{Type, convert::fb_to_schema, root_as_message};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use base64::prelude::{BASE64_STANDARD, Engine};
use lookalike::shown::quoted;

use crate::{
    error::{Error, ErrorKind, Result, said},
    quiet::quietly,
};

/// Returns the schema of an Arrow file or stream.
///
/// # Errors
/// Fails if a type is unknown to the converter. The converter panics on such a type, and the panic is turned into the error. The
/// message names the column, if it can be found.
pub(super) fn schema(name: &str, stored: arrow_ipc::Schema) -> Result<Schema> {
    let unknown = |panic: Box<dyn std::any::Any + Send>| {
        let mut fields = stored.fields().into_iter().flatten();
        let of_column = fields.find_map(|field| {
            let what = quietly(|| drop(Field::from(field)))
                .err()
                .map(|panic| described(field, said(&*panic)))?;
            Some(format!(
                "column {} has a type that is not supported ({what})",
                quoted(field.name().unwrap_or_default())
            ))
        });
        let what = of_column.unwrap_or_else(|| {
            format!(
                "its columns have a type that is not supported ({})",
                said(&*panic)
            )
        });
        let advice = "cast the column to Decimal, Int64 or a string before the file is written, or leave it out";
        Error::new(ErrorKind::Input, what).at(name).advise(advice)
    };
    quietly(|| fb_to_schema(stored)).map_err(unknown)
}

/// Describes, for the error message, a type that the converter does not know.
fn described(field: arrow_ipc::Field, said: &str) -> String {
    match field.type_as_int() {
        Some(int) if field.type_type() == Type::Int => {
            format!("integers of {} bits", int.bitWidth())
        }
        _ => said.into(),
    }
}

/// The key under which Parquet files store their Arrow schema.
pub(super) const ARROW_SCHEMA: &str = "ARROW:schema";

/// Returns the Arrow schema of a Parquet file, or none if it cannot be read.
///
/// # Errors
/// Fails in the same cases as [`schema`].
pub(super) fn in_parquet(name: &str, value: &str) -> Option<Result<Schema>> {
    let bytes = BASE64_STANDARD.decode(value).ok()?;
    let message = if bytes.starts_with(&[0xff; 4]) {
        bytes.get(8..)?
    } else {
        &bytes
    };
    let message = root_as_message(message).ok()?;
    Some(schema(name, message.header_as_schema()?))
}

/// Returns `fields` with the time zones of `stored`: a field that has a time zone gets that of the field with the same name in
/// `stored`. Parquet stores only whether there is a time zone. The reader takes the time zone from the Arrow schema only if the
/// units are the same, but times in seconds are stored as milliseconds in Parquet. pyarrow gives the same result.
pub(super) fn with_zones(fields: &Fields, stored: &Fields) -> Fields {
    let zoned = |field: &FieldRef| {
        let Some((_, theirs)) = stored.find(field.name()) else {
            return field.clone();
        };
        zoned(field, theirs)
    };
    fields.iter().map(zoned).collect()
}

fn zoned(field: &FieldRef, stored: &FieldRef) -> FieldRef {
    let kind = match (field.data_type(), stored.data_type()) {
        (DataType::Timestamp(unit, Some(_)), DataType::Timestamp(_, Some(zone))) => {
            DataType::Timestamp(*unit, Some(zone.clone()))
        }
        (DataType::Struct(own), DataType::Struct(theirs)) => {
            DataType::Struct(with_zones(own, theirs))
        }
        (DataType::List(own), DataType::List(theirs)) => DataType::List(zoned(own, theirs)),
        (DataType::LargeList(own), DataType::LargeList(theirs)) => {
            DataType::LargeList(zoned(own, theirs))
        }
        (DataType::FixedSizeList(own, size), DataType::FixedSizeList(theirs, _)) => {
            DataType::FixedSizeList(zoned(own, theirs), *size)
        }
        (DataType::Map(own, sorted), DataType::Map(theirs, _)) => {
            match (own.data_type(), theirs.data_type()) {
                // Programs differ in the names that they give to the keys and values of a map.
                (DataType::Struct(pair), DataType::Struct(other)) if pair.len() == other.len() => {
                    let pair = pair
                        .iter()
                        .zip(other)
                        .map(|(own, theirs)| zoned(own, theirs))
                        .collect();
                    DataType::Map(
                        Arc::new(Field::clone(own).with_data_type(DataType::Struct(pair))),
                        *sorted,
                    )
                }
                _ => return field.clone(),
            }
        }
        _ => return field.clone(),
    };
    if kind == *field.data_type() {
        field.clone()
    } else {
        Arc::new(Field::clone(field).with_data_type(kind))
    }
}

//! Writes Arrow as JSON. A row is an object in the form that arrow-json writes; the tests compare with arrow-json. Times are in
//! UTC.

mod value;

mod numbers;

mod times;

use std::ops::Range;

use arrow_array::{
    Array, ArrayRef, ListLikeArray, MapArray, RecordBatch,
    cast::AsArray,
    downcast_dictionary_array, downcast_integer, downcast_run_array,
    types::{
        Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type,
        Float64Type,
    },
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{ArrowError, DataType};
use serde_json::value::RawValue;

use self::value::{Result, Write};
use super::values::decimal_text;
use crate::input_table::JSON;

/// The treatment of a null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// The field is written as `null`.
    Written,
    /// The field is omitted.
    LeftOut,
}

/// Appends rows as JSON Lines.
///
/// # Errors
/// Fails if JSON cannot represent a type or a value: a map whose keys are not strings, a union, a time after the year 262,142.
/// Rows written before the error remain in `out`.
pub fn write_json_lines(batch: &RecordBatch, nulls: Nulls, out: &mut Vec<u8>) -> Result<()> {
    let schema = batch.schema_ref();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    write_rows(
        &Object::new(names.zip(batch.columns()), nulls)?,
        batch.num_rows(),
        out,
    )
}

/// Appends rows as JSON Lines, with nulls. Strings that are JSON already, by the metadata of their column, are written unchanged.
/// Bytes are written as a string if they are UTF-8, because some programs store strings as bytes.
///
/// # Errors
/// Fails in the same cases as [`write_json_lines`].
pub(super) fn write_objects(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    let schema = batch.schema_ref();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let mut row = Object::new(names.zip(batch.columns()), Nulls::Written)?;
    for ((field, column), (_, values)) in schema
        .fields()
        .iter()
        .zip(batch.columns())
        .zip(&mut row.fields)
    {
        macro_rules! written {
            ($array:expr, $write:path) => {{
                let array = $array;
                values.write = Box::new(move |at, out: &mut Vec<u8>| $write(array.value(at), out))
            }};
        }
        match (column.data_type(), field.metadata().contains_key(JSON)) {
            (DataType::Utf8, true) => written!(column.as_string::<i32>(), write_unchanged),
            (DataType::LargeUtf8, true) => written!(column.as_string::<i64>(), write_unchanged),
            (DataType::Utf8View, true) => written!(column.as_string_view(), write_unchanged),
            (DataType::Binary, _) => written!(column.as_binary::<i32>(), write_text),
            (DataType::LargeBinary, _) => written!(column.as_binary::<i64>(), write_text),
            (DataType::BinaryView, _) => written!(column.as_binary_view(), write_text),
            _ => {}
        }
    }
    write_rows(&row, batch.num_rows(), out)
}

fn write_rows(row: &Object<'_>, rows: usize, out: &mut Vec<u8>) -> Result<()> {
    for at in 0..rows {
        row.write(at, out)?;
        out.push(b'\n');
    }
    Ok(())
}

/// The values of an array.
struct Values<'a> {
    nulls: Option<NullBuffer>,
    write: Write<'a>,
}

impl<'a> Values<'a> {
    fn new(array: &'a dyn Array, nulls: Nulls) -> Result<Self> {
        // In a dictionary, keys that point to a null value are also null.
        Ok(Self {
            nulls: array.logical_nulls(),
            write: written(array, nulls)?,
        })
    }

    fn is_null(&self, at: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at))
    }

    fn write(&self, at: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.is_null(at) {
            out.extend_from_slice(b"null");
            return Ok(());
        }
        (self.write)(at, out)
    }
}

/// Fields with their names: a row, or a struct inside a row.
struct Object<'a> {
    /// For each field: its name as it is written (a JSON string and a colon), and its values.
    fields: Vec<(Vec<u8>, Values<'a>)>,
    nulls: Nulls,
}

impl<'a> Object<'a> {
    fn new<'n>(
        fields: impl Iterator<Item = (&'n str, &'a ArrayRef)>,
        nulls: Nulls,
    ) -> Result<Self> {
        let field = |(name, array): (&str, &'a ArrayRef)| {
            let mut own = Vec::with_capacity(name.len() + 3);
            write_string(name, &mut own)?;
            own.push(b':');
            Ok((own, Values::new(array, nulls)?))
        };
        Ok(Self {
            fields: fields.map(field).collect::<Result<_>>()?,
            nulls,
        })
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let mut before = b'{';
        for (name, values) in &self.fields {
            if self.nulls == Nulls::LeftOut && values.is_null(row) {
                continue;
            }
            out.push(before);
            out.extend_from_slice(name);
            values.write(row, out)?;
            before = b',';
        }
        out.extend_from_slice(if before == b'{' { b"{}" } else { b"}" });
        Ok(())
    }
}

/// Returns the function that writes the values of an array.
fn written<'a>(array: &'a dyn Array, nulls: Nulls) -> Result<Write<'a>> {
    macro_rules! values {
        ($array:expr, $write:path) => {{
            let array = $array;
            Box::new(move |at, out: &mut Vec<u8>| {
                $write(array.value(at), out);
                Ok(())
            })
        }};
    }
    macro_rules! strings {
        ($array:expr) => {{
            let array = $array;
            Box::new(move |at, out: &mut Vec<u8>| write_string(array.value(at), out))
        }};
    }
    macro_rules! lists {
        ($array:expr) => {{
            let array = $array;
            let items = Values::new(array.values(), nulls)?;
            Box::new(move |at, out: &mut Vec<u8>| write_items(&items, array.element_range(at), out))
        }};
    }
    macro_rules! integers {
        ($kind:ty) => {
            values!(array.as_primitive::<$kind>(), numbers::write_number)
        };
    }
    macro_rules! decimals {
        ($kind:ty) => {{
            let array = array.as_primitive::<$kind>();
            Box::new(move |at, out: &mut Vec<u8>| {
                out.extend_from_slice(decimal_text(array, at).as_bytes());
                Ok(())
            })
        }};
    }
    Ok(downcast_integer! {
        array.data_type() => (integers),
        DataType::Null => Box::new(|_, _| Ok(())),
        DataType::Boolean => values!(array.as_boolean(), write_bool),
        DataType::Float16 => {
            let array = array.as_primitive::<Float16Type>();
            Box::new(move |at, out: &mut Vec<u8>| {
                numbers::write_float(array.value(at).to_f32(), out);
                Ok(())
            })
        }
        DataType::Float32 => values!(array.as_primitive::<Float32Type>(), numbers::write_float),
        DataType::Float64 => values!(array.as_primitive::<Float64Type>(), numbers::write_float),
        DataType::Decimal32(..) => decimals!(Decimal32Type),
        DataType::Decimal64(..) => decimals!(Decimal64Type),
        DataType::Decimal128(..) => decimals!(Decimal128Type),
        DataType::Decimal256(..) => decimals!(Decimal256Type),
        DataType::Utf8 => strings!(array.as_string::<i32>()),
        DataType::LargeUtf8 => strings!(array.as_string::<i64>()),
        DataType::Utf8View => strings!(array.as_string_view()),
        DataType::Binary => values!(array.as_binary::<i32>(), write_bytes),
        DataType::LargeBinary => values!(array.as_binary::<i64>(), write_bytes),
        DataType::BinaryView => values!(array.as_binary_view(), write_bytes),
        DataType::FixedSizeBinary(_) => values!(array.as_fixed_size_binary(), write_bytes),
        DataType::List(_) => lists!(array.as_list::<i32>()),
        DataType::LargeList(_) => lists!(array.as_list::<i64>()),
        DataType::ListView(_) => lists!(array.as_list_view::<i32>()),
        DataType::LargeListView(_) => lists!(array.as_list_view::<i64>()),
        DataType::FixedSizeList(..) => lists!(array.as_fixed_size_list()),
        DataType::Struct(fields) => {
            let names = fields.iter().map(|field| field.name().as_str());
            let object = Object::new(names.zip(array.as_struct().columns()), nulls)?;
            Box::new(move |at, out| object.write(at, out))
        }
        DataType::Map(..) => map(array.as_map(), nulls)?,
        DataType::Dictionary(..) => downcast_dictionary_array! {
            array => {
                let values = Values::new(array.values(), nulls)?;
                Box::new(move |at, out: &mut Vec<u8>| values.write(array.keys().value(at).as_usize(), out))
            },
            other => return Err(unknown(other)),
        },
        DataType::RunEndEncoded(..) => downcast_run_array! {
            array => {
                let values = Values::new(array.values(), nulls)?;
                Box::new(move |at, out: &mut Vec<u8>| values.write(array.get_physical_index(at), out))
            },
            other => return Err(unknown(other)),
        },
        kind => times::written(array).ok_or_else(|| unknown(kind))?,
    })
}

fn unknown(kind: &DataType) -> ArrowError {
    ArrowError::JsonError(format!("{kind} cannot be written as JSON"))
}

/// Returns the function that writes maps. A map is written as an object whose keys are strings.
fn map(array: &MapArray, nulls: Nulls) -> Result<Write<'_>> {
    if !matches!(
        array.key_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    ) {
        return Err(ArrowError::JsonError(format!(
            "a map's keys are {}, not strings",
            array.key_type()
        )));
    }
    if array.keys().null_count() > 0 || array.entries().null_count() > 0 {
        return Err(ArrowError::JsonError("a map has a key that is null".into()));
    }
    let (keys, values) = (
        Values::new(array.keys(), nulls)?,
        Values::new(array.values(), nulls)?,
    );
    let offsets = array.offsets();
    Ok(Box::new(move |at, out| {
        let mut before = b'{';
        for entry in offsets[at].as_usize()..offsets[at + 1].as_usize() {
            if nulls == Nulls::LeftOut && values.is_null(entry) {
                continue;
            }
            out.push(before);
            keys.write(entry, out)?;
            out.push(b':');
            values.write(entry, out)?;
            before = b',';
        }
        out.extend_from_slice(if before == b'{' { b"{}" } else { b"}" });
        Ok(())
    }))
}

fn write_items(items: &Values<'_>, which: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
    let mut before = b'[';
    for at in which {
        out.push(before);
        items.write(at, out)?;
        before = b',';
    }
    out.extend_from_slice(if before == b'[' { b"[]" } else { b"]" });
    Ok(())
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn write_string(text: &str, out: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(out, text).map_err(|error| ArrowError::JsonError(error.to_string()))
}

/// Writes a string that is JSON already. A string that is not JSON is written as a JSON string.
fn write_unchanged(json: &str, out: &mut Vec<u8>) -> Result<()> {
    match serde_json::from_str::<&RawValue>(json) {
        Ok(value) if !value.get().contains('\n') => {
            out.extend_from_slice(value.get().as_bytes());
            Ok(())
        }
        _ => write_string(json, out),
    }
}

/// Writes bytes as a string or, if they are not UTF-8, as hexadecimal digits.
fn write_text(bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => write_string(text, out),
        Err(_) => {
            write_bytes(bytes, out);
            Ok(())
        }
    }
}

/// Writes bytes as hexadecimal digits.
fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    out.extend(bytes.iter().flat_map(|byte| {
        [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]
    }));
    out.push(b'"');
}

#[cfg(test)]
mod tests;

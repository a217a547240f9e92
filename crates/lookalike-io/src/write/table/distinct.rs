//! Encodes values as bytes for lookups: two values have the same bytes only if they are equal.

use arrow_array::{
    Array, ListLikeArray, cast::AsArray, downcast_dictionary_array, downcast_primitive,
    downcast_run_array,
};
use arrow_buffer::{ArrowNativeType, ToByteSlice};
use arrow_schema::{ArrowError, DataType};

/// Appends the bytes of one value. Numbers are compared by their bits.
///
/// # Errors
/// Fails if the column is a union or contains one.
pub(super) fn write_distinct(
    array: &dyn Array,
    at: usize,
    out: &mut Vec<u8>,
) -> Result<(), ArrowError> {
    let is_valid = array.is_valid(at);
    out.push(u8::from(is_valid));
    if !is_valid {
        return Ok(());
    }
    macro_rules! fixed {
        ($kind:ty) => {
            out.extend_from_slice(array.as_primitive::<$kind>().value(at).to_byte_slice())
        };
    }
    downcast_primitive! {
        array.data_type() => (fixed),
        DataType::Null => {}
        DataType::Boolean => out.push(u8::from(array.as_boolean().value(at))),
        DataType::Utf8 => measured(array.as_string::<i32>().value(at).as_bytes(), out),
        DataType::LargeUtf8 => measured(array.as_string::<i64>().value(at).as_bytes(), out),
        DataType::Utf8View => measured(array.as_string_view().value(at).as_bytes(), out),
        DataType::Binary => measured(array.as_binary::<i32>().value(at), out),
        DataType::LargeBinary => measured(array.as_binary::<i64>().value(at), out),
        DataType::BinaryView => measured(array.as_binary_view().value(at), out),
        DataType::FixedSizeBinary(_) => measured(array.as_fixed_size_binary().value(at), out),
        DataType::List(_) => items(array.as_list::<i32>(), at, out)?,
        DataType::LargeList(_) => items(array.as_list::<i64>(), at, out)?,
        DataType::ListView(_) => items(array.as_list_view::<i32>(), at, out)?,
        DataType::LargeListView(_) => items(array.as_list_view::<i64>(), at, out)?,
        DataType::FixedSizeList(..) => items(array.as_fixed_size_list(), at, out)?,
        DataType::Map(..) => {
            let (map, offsets) = (array.as_map(), array.as_map().offsets());
            each(map.entries(), offsets[at].as_usize()..offsets[at + 1].as_usize(), out)?;
        }
        DataType::Struct(_) => {
            for column in array.as_struct().columns() {
                write_distinct(column, at, out)?;
            }
        }
        DataType::Dictionary(..) => downcast_dictionary_array! {
            array => write_distinct(array.values(), array.keys().value(at).as_usize(), out)?,
            other => return Err(unknown(other)),
        },
        DataType::RunEndEncoded(..) => downcast_run_array! {
            array => write_distinct(array.values(), array.get_physical_index(at), out)?,
            other => return Err(unknown(other)),
        },
        other => return Err(unknown(other)),
    }
    Ok(())
}

fn unknown(kind: &DataType) -> ArrowError {
    ArrowError::NotYetImplemented(format!("a dictionary of {kind}"))
}

fn items(list: &impl ListLikeArray, at: usize, out: &mut Vec<u8>) -> Result<(), ArrowError> {
    each(list.values(), list.element_range(at), out)
}

fn each(
    array: &dyn Array,
    which: std::ops::Range<usize>,
    out: &mut Vec<u8>,
) -> Result<(), ArrowError> {
    out.extend_from_slice(&(which.len() as u64).to_le_bytes());
    which
        .into_iter()
        .try_for_each(|at| write_distinct(array, at, out))
}

fn measured(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

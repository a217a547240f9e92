//! Columns of lists: finds the items of a row among all items of the column.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::DataType;

/// Returns all items of a column of lists. The items may be in a different order from the rows. Returns none if the column does
/// not contain lists.
pub(super) fn items(array: &ArrayRef) -> Option<&ArrayRef> {
    Some(match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().values(),
        DataType::LargeList(_) => array.as_list::<i64>().values(),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().values(),
        DataType::ListView(_) => array.as_list_view::<i32>().values(),
        DataType::LargeListView(_) => array.as_list_view::<i64>().values(),
        _ => return None,
    })
}

/// Returns the range of a row's items among all items of the column.
pub(super) fn range(array: &ArrayRef, row: usize) -> Range<usize> {
    let of = |start: usize, length: usize| start..start + length;
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            of(
                list.value_offsets()[row] as usize,
                list.value_length(row) as usize,
            )
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            of(
                list.value_offsets()[row] as usize,
                list.value_length(row) as usize,
            )
        }
        DataType::FixedSizeList(..) => {
            let list = array.as_fixed_size_list();
            of(
                list.value_offset(row) as usize,
                list.value_length() as usize,
            )
        }
        DataType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            of(
                list.value_offset(row) as usize,
                list.value_size(row) as usize,
            )
        }
        DataType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            of(
                list.value_offset(row) as usize,
                list.value_size(row) as usize,
            )
        }
        _ => 0..0,
    }
}

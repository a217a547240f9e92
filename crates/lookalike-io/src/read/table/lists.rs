//! Columns of lists: where each row's items are among all of the column's.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::DataType;

/// All items of a column, one row's behind the other's or not; none of what is no list.
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

/// Which of them are a row's.
pub(super) fn range(array: &ArrayRef, row: usize) -> Range<usize> {
    let of = |start: usize, length: usize| start..start + length;
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            of(list.value_offsets()[row] as usize, list.value_length(row) as usize)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            of(list.value_offsets()[row] as usize, list.value_length(row) as usize)
        }
        DataType::FixedSizeList(..) => {
            let list = array.as_fixed_size_list();
            of(list.value_offset(row) as usize, list.value_length() as usize)
        }
        DataType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            of(list.value_offset(row) as usize, list.value_size(row) as usize)
        }
        DataType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            of(list.value_offset(row) as usize, list.value_size(row) as usize)
        }
        _ => 0..0,
    }
}

//! Checks that the buffers of a batch match its types. This is for batches that other programs created and passed on as pointers,
//! for example through Arrow's C interface. Arrow's functions trust offsets, lengths and UTF-8, so a batch is checked before
//! anything else reads it.
//!
//! If the size of a buffer is known, the buffer is checked against it. The C interface does not pass the sizes of buffers. There,
//! only the last offset of a string column shows how many bytes the strings have, and only the producer can check that offset.

use arrow_array::{Array, OffsetSizeTrait, RecordBatch};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ByteView, MAX_INLINE_VIEW_LEN};
use arrow_schema::{ArrowError, DataType};
use lookalike::shown::quoted;

use crate::{
    error::{Error, ErrorKind, Result, said},
    quiet::quietly,
};

/// Checks all columns of a batch. `name` is the name of the collection in messages, and `number` is the index of the batch. Cost:
/// one pass over offsets and strings; for a slice, only over its own values.
///
/// # Errors
/// Fails if the buffers of a column do not match its type.
pub fn check_batch(name: &str, number: usize, batch: &RecordBatch) -> Result<()> {
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let what = match quietly(|| check(&column.to_data())) {
            Ok(Ok(())) => continue,
            Ok(Err(ArrowError::InvalidArgumentError(what))) => what,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => said(&*panic).into(),
        };
        let what = format!(
            "column {}, batch {number} is damaged ({what})",
            quoted(field.name())
        );
        let damaged = Error::new(ErrorKind::Input, what)
            .at(name)
            .in_field(field.name());
        return Err(damaged.advise(
            "read or download it again; if its texts are not in UTF-8, decode them first",
        ));
    }
    Ok(())
}

fn check(data: &ArrayData) -> Outcome {
    // Checks sizes, first and last offsets, and the lengths of children, recursively.
    data.validate()?;
    check_values(data)
}

type Outcome = std::result::Result<(), ArrowError>;

fn check_values(data: &ArrayData) -> Outcome {
    data.validate_nulls()?;
    let is_null = |row| data.is_null(row);
    match data.data_type() {
        DataType::Utf8 => strings(offsets::<i32>(data), &data.buffers()[1], is_null)?,
        DataType::LargeUtf8 => strings(offsets::<i64>(data), &data.buffers()[1], is_null)?,
        DataType::Utf8View | DataType::BinaryView => {
            let own = &data.buffers()[0].typed_data()[data.offset()..data.offset() + data.len()];
            views(
                own,
                &data.buffers()[1..],
                *data.data_type() == DataType::Utf8View,
                is_null,
            )?;
        }
        _ => data.validate_values()?,
    }
    // Several slices may share one child array, so only the part of the child that belongs to this slice is checked.
    let child = |start: usize, len: usize| check_values(&data.child_data()[0].slice(start, len));
    match data.data_type() {
        DataType::List(_) | DataType::Map(_, _) => {
            used::<i32>(data).map_or(Ok(()), |(start, len)| child(start, len))
        }
        DataType::LargeList(_) => {
            used::<i64>(data).map_or(Ok(()), |(start, len)| child(start, len))
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            child(data.offset() * size, data.len() * size)
        }
        DataType::Struct(_) => data
            .child_data()
            .iter()
            .try_for_each(|child| check_values(&child.slice(data.offset(), data.len()))),
        _ => data.child_data().iter().try_for_each(check_values),
    }
}

/// Returns the offsets of a column's values. There is one more offset than values. If there are no values, the result is empty.
fn offsets<O: OffsetSizeTrait>(data: &ArrayData) -> &[O] {
    if data.is_empty() {
        &[]
    } else {
        &data.buffers()[0].typed_data::<O>()[data.offset()..=data.offset() + data.len()]
    }
}

/// Returns the position at which the items of lists begin in the child, and the number of these items. Returns `None` if there
/// are no lists.
fn used<O: OffsetSizeTrait>(data: &ArrayData) -> Option<(usize, usize)> {
    let offsets = offsets::<O>(data);
    let (first, last) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    Some((first, last - first))
}

/// Checks that offsets do not decrease and do not exceed the number of bytes, and that every row that is not null is UTF-8. The
/// bytes of a null row may be anything.
fn strings<O: OffsetSizeTrait>(
    offsets: &[O],
    bytes: &[u8],
    is_null: impl Fn(usize) -> bool,
) -> Outcome {
    let [first, .., last] = offsets else {
        return Ok(());
    };
    if let Some(row) = offsets.windows(2).position(|two| two[0] > two[1]) {
        return Err(invalid(format!("row {row} ends before it begins")));
    }
    let range = first.to_usize().zip(last.to_usize());
    let Some((start, bytes)) =
        range.and_then(|(first, last)| Some((first, bytes.get(first..last)?)))
    else {
        return Err(invalid(format!(
            "rows from byte {first:?} to {last:?} of {}",
            bytes.len()
        )));
    };
    if let Ok(text) = simdutf8::basic::from_utf8(bytes)
        && offsets
            .iter()
            .all(|offset| text.is_char_boundary(offset.as_usize() - start))
    {
        return Ok(());
    }
    let rows = offsets
        .windows(2)
        .map(|two| &bytes[two[0].as_usize() - start..two[1].as_usize() - start]);
    rows.enumerate()
        .filter(|(row, _)| !is_null(*row))
        .try_for_each(|(row, bytes)| utf8(row, bytes))
}

fn utf8(row: usize, bytes: &[u8]) -> Outcome {
    let not_utf8 = |error: simdutf8::compat::Utf8Error| {
        invalid(format!(
            "row {row} is not UTF-8 at byte {}",
            error.valid_up_to() + 1
        ))
    };
    simdutf8::compat::from_utf8(bytes)
        .map(|_| ())
        .map_err(not_utf8)
}

/// Checks the views of all rows that are not null. Each view must lie within its buffer, and its data must begin with its prefix.
/// If `text` is true, the data must also be UTF-8.
fn views(
    views: &[u128],
    buffers: &[Buffer],
    text: bool,
    is_null: impl Fn(usize) -> bool,
) -> Outcome {
    for (row, view) in views.iter().enumerate().filter(|(row, _)| !is_null(*row)) {
        let short = view.to_le_bytes();
        let ByteView {
            length,
            prefix,
            buffer_index,
            offset,
        } = ByteView::from(*view);
        let bytes = if length <= MAX_INLINE_VIEW_LEN {
            let (bytes, rest) = short[4..].split_at(length as usize);
            Some(bytes).filter(|_| rest.iter().all(|byte| *byte == 0))
        } else {
            let buffer = buffers.get(buffer_index as usize);
            let bytes = buffer
                .and_then(|buffer| buffer.get(offset as usize..offset as usize + length as usize));
            bytes.filter(|bytes| bytes.starts_with(&prefix.to_le_bytes()))
        };
        let bytes = bytes.ok_or_else(|| invalid(format!("row {row} does not match its view")))?;
        if text && simdutf8::basic::from_utf8(bytes).is_err() {
            utf8(row, bytes)?;
        }
    }
    Ok(())
}

fn invalid(what: String) -> ArrowError {
    ArrowError::InvalidArgumentError(what)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int8Array, ListArray, RunArray,
        StringArray, StringViewArray, StructArray,
        types::{Int8Type, Int32Type},
    };
    use arrow_schema::{Field, Schema};
    use proptest::prelude::*;

    use super::*;

    fn checked(column: ArrayRef) -> std::result::Result<(), String> {
        let schema = Schema::new(vec![Field::new("a", column.data_type().clone(), true)]);
        let batch = RecordBatch::try_new(Arc::new(schema), vec![column]).unwrap();
        check_batch("Table", 3, &batch).map_err(|error| error.to_string())
    }

    #[test]
    fn strings_are_utf8_within_their_bytes() {
        let strings = |offsets: &[i32], bytes: &[u8]| {
            strings(offsets, bytes, |_| false).map_err(|error| error.to_string())
        };
        assert_eq!(strings(&[0, 1, 3], "aé".as_bytes()), Ok(()));
        assert!(
            strings(&[0, 1, 3], b"a\xffb")
                .unwrap_err()
                .contains("row 1 is not UTF-8 at byte 1")
        );
        assert!(
            strings(&[0, 2, 3], "aé".as_bytes())
                .unwrap_err()
                .contains("row 0 is not UTF-8 at byte 2"),
            "half of a character"
        );
        assert!(
            strings(&[0, 2, 1, 3], b"abc")
                .unwrap_err()
                .contains("row 1 ends before it begins")
        );
        for offsets in [[0, 1, 4], [-1, 1, 3], [0, 1, -1], [0, -5, 3], [3, 2, 1]] {
            assert!(strings(&offsets, b"abc").is_err(), "{offsets:?}");
        }
        // Only the bytes between the first and the last offset are checked.
        assert_eq!(strings(&[2, 3], b"a\xffb"), Ok(()));
        assert_eq!(strings(&[], b""), Ok(()));
    }

    #[test]
    fn the_bytes_under_a_null_may_be_anything() {
        assert!(strings(&[0, 1, 3], b"a\xff\xff", |row| row == 1).is_ok());
        assert!(strings(&[0, 1, 3], b"a\xff\xff", |row| row == 0).is_err());
        assert!(views(&[u128::MAX, 0], &[], true, |row| row == 0).is_ok());
        assert!(views(&[u128::MAX, 0], &[], true, |row| row == 1).is_err());
    }

    #[test]
    fn views_match_their_data() {
        let bytes = "a value of more than twelve bytes: é".as_bytes();
        let view = |length: u32, buffer: u32, offset: u32, prefix: &[u8]| {
            ByteView::new(length, prefix)
                .with_buffer_index(buffer)
                .with_offset(offset)
                .as_u128()
        };
        let all = bytes.len() as u32;
        for text in [true, false] {
            let is_sound =
                |view: u128| views(&[view], &[Buffer::from(bytes)], text, |_| false).is_ok();
            assert!(is_sound(view(all, 0, 0, b"a va")) && is_sound(0));
            assert_eq!(
                is_sound(view(all - 1, 0, 0, b"a va")),
                !text,
                "half of a character"
            );
            assert_eq!(
                is_sound(u128::from_le_bytes(
                    *b"\x01\0\0\0\xff\0\0\0\0\0\0\0\0\0\0\0"
                )),
                !text
            );
            let past = [
                view(all + 1, 0, 0, b"a va"),
                view(all, 1, 0, b"a va"),
                view(all, 0, 1, b"a va"),
                view(all, 0, 0, b"b va"),
            ];
            assert!(past.into_iter().all(|view| !is_sound(view)));
            assert!(
                !is_sound(u128::from_le_bytes(*b"\x01\0\0\0ab\0\0\0\0\0\0\0\0\0\0")),
                "more than its length"
            );
        }
    }

    proptest! {
        #[test]
        fn arrays_made_by_arrow_are_sound(
            texts in proptest::collection::vec(proptest::option::of(".{0,20}"), 0..20),
            start: prop::sample::Index,
        ) {
            let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
            let bytes = texts.iter().map(|text| text.map(str::as_bytes));
            let items = |text: &str| text.bytes().map(|byte| Some(byte as i8)).collect::<Vec<_>>();
            let lists = texts.iter().map(|text| text.map(items));
            let strings: ArrayRef = Arc::new(StringArray::from(texts.clone()));
            let field = Arc::new(Field::new("a", DataType::Utf8, true));
            let mut columns: Vec<ArrayRef> = vec![
                Arc::new(StringViewArray::from(texts.clone())),
                Arc::new(BinaryArray::from_iter(bytes.clone())),
                Arc::new(BinaryViewArray::from_iter(bytes)),
                Arc::new(texts.iter().map(|text| text.map(|text| text.len() as i8)).collect::<Int8Array>()),
                Arc::new(ListArray::from_iter_primitive::<Int8Type, _, _>(lists)),
                Arc::new(texts.iter().copied().collect::<DictionaryArray<Int8Type>>()),
                Arc::new(StructArray::from(vec![(field, strings.clone())])),
                strings,
            ];
            if !texts.is_empty() {
                columns.push(Arc::new(texts.iter().copied().collect::<RunArray<Int32Type>>()));
            }
            for column in columns {
                let start = start.index(column.len() + 1);
                prop_assert_eq!(checked(column.slice(start, column.len() - start)), Ok(()));
                prop_assert_eq!(checked(column), Ok(()));
            }
        }

        #[test]
        fn strings_that_pass_the_check_are_texts(
            offsets in proptest::collection::vec(-2i32..20, 0..6),
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'a')], 0..20),
            nulls: u8,
        ) {
            let is_null = |row: usize| nulls >> row & 1 == 1;
            let mut rows = offsets.windows(2).enumerate().map(|(row, two)| {
                let bytes = usize::try_from(two[0]).ok().zip(usize::try_from(two[1]).ok()).and_then(|(start, end)| bytes.get(start..end));
                bytes.is_some_and(|bytes| is_null(row) || std::str::from_utf8(bytes).is_ok())
            });
            prop_assert_eq!(strings(&offsets, &bytes, is_null).is_ok(), rows.all(|row| row));
        }
    }
}

//! Converts arrays to other types, at any depth: the few conversions that outputs need.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray,
    cast::AsArray,
    make_array,
    types::{Date32Type, Date64Type, TimestampMillisecondType, TimestampSecondType},
};
use arrow_schema::{ArrowError, DataType, TimeUnit};

const MILLISECONDS_A_DAY: i64 = 86_400_000;

/// Returns an array with another type: seconds become milliseconds, days that are stored in milliseconds become plain days, and
/// views become arrays with offsets. Other types may differ in nullability, metadata and time zones only.
///
/// # Errors
/// Fails if a time does not fit into milliseconds, or if the types of nested values do not match.
pub(crate) fn recast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    let from = array.data_type();
    if from == to {
        return Ok(array.clone());
    }
    Ok(match (from, to) {
        (
            DataType::Timestamp(TimeUnit::Second, _),
            DataType::Timestamp(TimeUnit::Millisecond, zone),
        ) => {
            let wide = |second: i64| {
                let far = || {
                    ArrowError::CastError(format!(
                        "{second} seconds cannot be stored as milliseconds"
                    ))
                };
                second.checked_mul(1_000).ok_or_else(far)
            };
            let wide = array
                .as_primitive::<TimestampSecondType>()
                .try_unary::<_, TimestampMillisecondType, _>(wide)?;
            Arc::new(wide.with_timezone_opt(zone.clone()))
        }
        (DataType::Date64, DataType::Date32) => Arc::new(
            array
                .as_primitive::<Date64Type>()
                .unary::<_, Date32Type>(|time| (time / MILLISECONDS_A_DAY) as i32),
        ),
        (DataType::Utf8View, DataType::Utf8) => {
            Arc::new(array.as_string_view().iter().collect::<StringArray>())
        }
        (DataType::BinaryView, DataType::Binary) => {
            Arc::new(array.as_binary_view().iter().collect::<BinaryArray>())
        }
        (DataType::Utf8View, DataType::LargeUtf8) => {
            Arc::new(array.as_string_view().iter().collect::<LargeStringArray>())
        }
        (DataType::BinaryView, DataType::LargeBinary) => {
            Arc::new(array.as_binary_view().iter().collect::<LargeBinaryArray>())
        }
        _ => {
            let (data, inner) = (array.to_data(), children(to));
            if inner.len() != data.child_data().len() {
                return Err(ArrowError::CastError(format!(
                    "{from} cannot be converted to {to}"
                )));
            }
            let inner = data.child_data().iter().zip(inner);
            let inner =
                inner.map(|(child, to)| Ok(recast(&make_array(child.clone()), to)?.to_data()));
            let inner = inner.collect::<Result<Vec<_>, ArrowError>>()?;
            make_array(
                data.into_builder()
                    .data_type(to.clone())
                    .child_data(inner)
                    .build()?,
            )
        }
    })
}

/// Returns the types inside a type, in the order of their data.
fn children(kind: &DataType) -> Vec<&DataType> {
    match kind {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.data_type()],
        DataType::Dictionary(_, values) => vec![values],
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{
        DictionaryArray, Int8Array, ListArray, StringViewArray, StructArray, TimestampSecondArray,
        builder, types::Int8Type,
    };
    use arrow_buffer::OffsetBuffer;
    use arrow_cast::{CastOptions, cast_with_options};
    use arrow_schema::Field;

    use super::*;

    /// Checks that an array is converted in the same way as arrow-cast converts it.
    fn same(array: &ArrayRef, to: &DataType) {
        let strict = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        for array in [array.clone(), array.slice(1, 3)] {
            assert_eq!(
                &recast(&array, to).unwrap(),
                &cast_with_options(&array, to, &strict).unwrap()
            );
        }
    }

    #[test]
    fn times_and_views_are_converted_as_by_arrow_cast() {
        let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![
            Some(1),
            None,
            Some(-7),
            Some(9_000_000_000),
        ]));
        let millis = DataType::Timestamp(TimeUnit::Millisecond, None);
        same(&seconds, &millis);
        let berlin = TimestampSecondArray::from(vec![1, 2, 3, 4]).with_timezone("Europe/Berlin");
        same(
            &(Arc::new(berlin) as ArrayRef),
            &DataType::Timestamp(TimeUnit::Millisecond, Some("Europe/Berlin".into())),
        );
        let mut days = builder::Date64Builder::new();
        [Some(86_400_000), Some(-1), None, Some(-86_400_001)]
            .into_iter()
            .for_each(|day| days.append_option(day));
        let days: ArrayRef = Arc::new(days.finish());
        same(&days, &DataType::Date32);
        let views: ArrayRef = Arc::new(StringViewArray::from(vec![
            Some("a"),
            None,
            Some("longer than twelve bytes"),
            Some(""),
        ]));
        same(&views, &DataType::LargeUtf8);
        let keys = Int8Array::from(vec![Some(2), None, Some(0), Some(1)]);
        let dictionary: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(keys, views));
        let kind = |values| DataType::Dictionary(DataType::Int8.into(), Box::new(values));
        same(&dictionary, &kind(DataType::LargeUtf8));
        let field = |kind: &DataType| Arc::new(Field::new("item", kind.clone(), true));
        let list: ArrayRef = Arc::new(ListArray::new(
            field(seconds.data_type()),
            OffsetBuffer::from_lengths([2, 0, 1, 1]),
            seconds.clone(),
            None,
        ));
        same(&list, &DataType::List(field(&millis)));
        let object: ArrayRef = Arc::new(StructArray::from(vec![
            (field(list.data_type()), list),
            (field(days.data_type()), days),
        ]));
        let to = [DataType::List(field(&millis)), DataType::Date32];
        same(&object, &DataType::Struct(to.iter().map(field).collect()));
    }

    #[test]
    fn a_time_out_of_range_is_refused() {
        let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![None, Some(i64::MAX)]));
        let error =
            recast(&seconds, &DataType::Timestamp(TimeUnit::Millisecond, None)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("9223372036854775807 seconds cannot be stored as milliseconds"),
            "{error}"
        );
    }
}

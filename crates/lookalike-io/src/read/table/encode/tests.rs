//! Compares with arrow-json.

use std::sync::Arc;

use arrow_array::{builder::*, types::*, *};
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, OffsetBuffer, i256};
use arrow_json::{WriterBuilder, writer::LineDelimited};
use arrow_schema::{DataType, Field, Schema};
use proptest::prelude::*;

use super::{Nulls, write_json_lines};

fn lines(batch: &RecordBatch, nulls: Nulls) -> String {
    let mut out = Vec::new();
    write_json_lines(batch, nulls, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn twin(batch: &RecordBatch, nulls: Nulls) -> String {
    let builder = WriterBuilder::new().with_explicit_nulls(nulls == Nulls::Written);
    let mut writer = builder.build::<_, LineDelimited>(Vec::new());
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    String::from_utf8(writer.into_inner()).unwrap()
}

/// Checks that the output for a column equals that of arrow-json. The column is tested whole, sliced, in lists, in a struct and
/// in a map.
fn same(column: &ArrayRef) {
    let rows = column.len();
    let item = |name: &str| Arc::new(Field::new(name, column.data_type().clone(), true));
    let pairs = OffsetBuffer::from_lengths((0..rows).map(|at| if at % 3 == 2 { 0 } else { 1 }));
    let used = *pairs.last().unwrap() as usize;
    let list: ArrayRef = Arc::new(ListArray::new(
        item("item"),
        pairs.clone(),
        column.slice(0, used),
        None,
    ));
    let object: ArrayRef = Arc::new(StructArray::from(vec![(item("a \"b\""), column.clone())]));
    let keys: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..used).map(|at| format!("key\n{at}")),
    ));
    let entries = StructArray::from(vec![
        (Arc::new(Field::new("keys", DataType::Utf8, false)), keys),
        (item("values"), column.slice(0, used)),
    ]);
    let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let map: ArrayRef = Arc::new(MapArray::new(entry, pairs, entries, None, false));
    let columns = [
        ("plain", column),
        ("list", &list),
        ("object", &object),
        ("map", &map),
    ];
    let fields = columns.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch =
        RecordBatch::try_new(schema, columns.map(|(_, array)| array.clone()).to_vec()).unwrap();
    for nulls in [Nulls::Written, Nulls::LeftOut] {
        for batch in [batch.clone(), batch.slice(rows / 3, rows / 2)] {
            assert_eq!(
                lines(&batch, nulls),
                twin(&batch, nulls),
                "{}",
                column.data_type()
            );
        }
    }
}

/// Returns numbers of all sizes, some of them null.
fn whole<T: ArrowPrimitiveType>(of: impl Fn(i64) -> Option<T::Native>) -> PrimitiveArray<T> {
    let edges = [
        0,
        1,
        -1,
        12,
        -13,
        59,
        86_399,
        999,
        -1_001,
        1_234_567,
        1_600_000_000,
        -62_135_596_800,
    ];
    edges
        .into_iter()
        .map(|value| if value == 12 { None } else { of(value) })
        .collect()
}

#[test]
fn every_type() {
    macro_rules! numbers {
        ($($kind:ty),*) => { $(same(&(Arc::new(whole::<$kind>(|value| value.try_into().ok())) as ArrayRef));)* };
    }
    numbers!(
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type
    );
    numbers!(
        Date64Type,
        TimestampSecondType,
        TimestampMillisecondType,
        TimestampMicrosecondType,
        TimestampNanosecondType
    );
    numbers!(
        DurationSecondType,
        DurationMillisecondType,
        DurationMicrosecondType,
        DurationNanosecondType,
        IntervalYearMonthType
    );
    macro_rules! times {
        ($($kind:ty),*) => { $(same(&(Arc::new(whole::<$kind>(|value| (value.abs() % 86_400).try_into().ok())) as ArrayRef));)* };
    }
    same(
        &(Arc::new(whole::<Date32Type>(|value| {
            Some((value % 1_000_000) as i32)
        })) as ArrayRef),
    );
    times!(
        Time32SecondType,
        Time32MillisecondType,
        Time64MicrosecondType,
        Time64NanosecondType
    );
    macro_rules! zoned {
        ($($kind:ty),*) => { $(same(&(Arc::new(whole::<$kind>(Some).with_timezone("+00:00")) as ArrayRef));)* };
    }
    zoned!(
        TimestampSecondType,
        TimestampMillisecondType,
        TimestampMicrosecondType,
        TimestampNanosecondType
    );
    let small = |value: i64| i32::try_from(value).unwrap_or(7);
    same(
        &(Arc::new(whole::<IntervalDayTimeType>(|v| {
            Some(IntervalDayTime::new(
                small(v) % 5,
                small(v).wrapping_mul(61),
            ))
        })) as ArrayRef),
    );
    let parts = |v: i64| {
        IntervalMonthDayNano::new(
            small(v) % 7,
            small(v) % 3,
            v.wrapping_mul(3_600_000_000_007),
        )
    };
    same(&(Arc::new(whole::<IntervalMonthDayNanoType>(|v| Some(parts(v)))) as ArrayRef));
    same(
        &(Arc::new(
            whole::<Decimal32Type>(|v| v.try_into().ok())
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ) as ArrayRef),
    );
    same(
        &(Arc::new(
            whole::<Decimal64Type>(Some)
                .with_precision_and_scale(18, 18)
                .unwrap(),
        ) as ArrayRef),
    );
    same(
        &(Arc::new(
            whole::<Decimal128Type>(|v| Some(v.max(1).into()))
                .with_precision_and_scale(38, -3)
                .unwrap(),
        ) as ArrayRef),
    );
    let wide = whole::<Decimal256Type>(|v| Some(i256::from_i128(v.into())))
        .with_precision_and_scale(70, 5)
        .unwrap();
    same(&(Arc::new(wide) as ArrayRef));
    same(&(Arc::new(NullArray::new(9)) as ArrayRef));
    same(
        &(Arc::new(BooleanArray::from(vec![
            Some(true),
            None,
            Some(false),
            Some(true),
            None,
            Some(false),
        ])) as ArrayRef),
    );
    let texts = vec![
        Some("a"),
        None,
        Some("\"\\\u{8}\u{c}\n\r\t\u{1f}\u{7f}"),
        Some(""),
        Some("é \u{2028} 李 😀"),
        Some("plain"),
    ];
    same(&(Arc::new(StringArray::from(texts.clone())) as ArrayRef));
    same(&(Arc::new(LargeStringArray::from(texts.clone())) as ArrayRef));
    same(&(Arc::new(StringViewArray::from(texts.clone())) as ArrayRef));
    same(
        &(Arc::new(
            texts
                .iter()
                .copied()
                .collect::<DictionaryArray<UInt8Type>>(),
        ) as ArrayRef),
    );
    same(&(Arc::new(texts.iter().copied().collect::<RunArray<Int16Type>>()) as ArrayRef));
    let bytes = texts
        .iter()
        .map(|text| text.map(str::as_bytes))
        .collect::<Vec<_>>();
    same(&(Arc::new(BinaryArray::from(bytes.clone())) as ArrayRef));
    same(&(Arc::new(LargeBinaryArray::from(bytes.clone())) as ArrayRef));
    same(&(Arc::new(bytes.iter().copied().collect::<BinaryViewArray>()) as ArrayRef));
    let fixed = [
        Some([0u8, 255]),
        None,
        Some([16, 1]),
        Some([2, 3]),
        None,
        Some([9, 9]),
    ];
    same(
        &(Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed.into_iter(), 2).unwrap(),
        ) as ArrayRef),
    );
    let mut lists = FixedSizeListBuilder::new(Int8Builder::new(), 2);
    for row in [
        Some([Some(1), None]),
        None,
        Some([None, None]),
        Some([Some(3), Some(-4)]),
        None,
        Some([Some(0), Some(0)]),
    ] {
        row.unwrap_or([None, None])
            .into_iter()
            .for_each(|item| lists.values().append_option(item));
        lists.append(row.is_some());
    }
    same(&(Arc::new(lists.finish()) as ArrayRef));
    let rows = [
        Some(vec![Some(1u16), None]),
        None,
        Some(vec![]),
        Some(vec![Some(7); 5]),
        Some(vec![None]),
    ];
    same(
        &(Arc::new(LargeListArray::from_iter_primitive::<UInt16Type, _, _>(
            rows.clone(),
        )) as ArrayRef),
    );
    let views = ListViewArray::from(ListArray::from_iter_primitive::<UInt16Type, _, _>(rows));
    same(&(Arc::new(views) as ArrayRef));
}

/// A null among a dictionary's values is written as null; arrow-json writes an empty string.
#[test]
fn nulls_of_dictionaries() {
    let values = Arc::new(StringArray::from(vec![Some("a"), None])) as ArrayRef;
    let column = DictionaryArray::new(Int8Array::from(vec![Some(0), Some(1), None]), values);
    let batch = RecordBatch::try_from_iter([("d", Arc::new(column) as ArrayRef)]).unwrap();
    assert_eq!(
        lines(&batch, Nulls::Written),
        "{\"d\":\"a\"}\n{\"d\":null}\n{\"d\":null}\n"
    );
    assert_eq!(lines(&batch, Nulls::LeftOut), "{\"d\":\"a\"}\n{}\n{}\n");
}

/// For a zero with a negative scale, arrow-json writes `000`, which is not JSON.
#[test]
fn zero_with_a_negative_scale() {
    let column = Decimal128Array::from(vec![0, 1, -5])
        .with_precision_and_scale(10, -2)
        .unwrap();
    let batch = RecordBatch::try_from_iter([("d", Arc::new(column) as ArrayRef)]).unwrap();
    assert_eq!(
        lines(&batch, Nulls::Written),
        "{\"d\":0}\n{\"d\":100}\n{\"d\":-500}\n"
    );
}

#[test]
fn types_without_a_json_form_are_refused() {
    let refused = |column: ArrayRef| {
        let batch = RecordBatch::try_from_iter([("c", column)]).unwrap();
        write_json_lines(&batch, Nulls::Written, &mut Vec::new())
            .unwrap_err()
            .to_string()
    };
    let far = refused(Arc::new(TimestampSecondArray::from(vec![i64::MAX])));
    assert!(
        far.contains("9223372036854775807 is out of range for"),
        "{far}"
    );
    let mut map = MapBuilder::new(None, Int8Builder::new(), Int8Builder::new());
    map.keys().append_value(1);
    map.values().append_value(1);
    map.append(true).unwrap();
    let keys = refused(Arc::new(map.finish()));
    assert!(
        keys.contains("a map's keys are Int8, not strings"),
        "{keys}"
    );
}

proptest! {
    #[test]
    fn floats(bits in prop::collection::vec(any::<u64>(), 1..40), scale in -330i32..310) {
        let scaled = bits.iter().map(|&bits| (bits % 100_000) as f64 * 10f64.powi(scale));
        let doubles = bits.iter().map(|&bits| f64::from_bits(bits)).chain(scaled).chain([0.0, -0.0, 1e9, 1e10, 9_999_999_999.0, 1e-5, 1e-6, 9.9e-6]);
        let doubles = Float64Array::from_iter_values(doubles);
        let singles = Float32Array::from_iter_values(doubles.values().iter().map(|&value| value as f32));
        let halves = Float16Array::from_iter_values(bits.iter().map(|&bits| <Float16Type as ArrowPrimitiveType>::Native::from_bits(bits as u16)));
        for column in [Arc::new(doubles) as ArrayRef, Arc::new(singles), Arc::new(halves)] {
            let batch = RecordBatch::try_from_iter([("f", column)]).unwrap();
            prop_assert_eq!(lines(&batch, Nulls::Written), twin(&batch, Nulls::Written));
        }
    }
}

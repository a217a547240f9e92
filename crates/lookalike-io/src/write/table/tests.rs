//! Checks that data is read back as it was written: rows, types, metadata.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, Float64Array,
    Int64Array, LargeStringArray, ListArray, RecordBatch, StringArray, StringViewArray,
    StructArray, TimestampMicrosecondArray, types::Int32Type,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use proptest::prelude::*;

use super::*;
use crate::read::table::{Columns, Ranges, Rows, TableFile, Wanted};

/// Returns a column of a random type with random values, some of them null; the seeds are the source of randomness.
fn array(kind: u8, seeds: &[Option<u16>], depth: u8) -> ArrayRef {
    let words = || {
        seeds
            .iter()
            .map(|seed| seed.map(|seed| "né".repeat(usize::from(seed % 12)) + &seed.to_string()))
    };
    let whole = || seeds.iter().map(|seed| seed.map(i64::from));
    match kind % if depth > 0 { 13 } else { 10 } {
        0 => Arc::new(Int64Array::from_iter(whole())),
        1 => Arc::new(Float64Array::from_iter(
            whole().map(|seed| seed.map(|seed| seed as f64 / 7.0)),
        )),
        2 => Arc::new(StringArray::from_iter(words())),
        3 => Arc::new(StringViewArray::from_iter(words())),
        4 => Arc::new(LargeStringArray::from_iter(words())),
        5 => Arc::new(BinaryArray::from_iter(
            words().map(|word| word.map(String::into_bytes)),
        )),
        6 => Arc::new(TimestampMicrosecondArray::from_iter(whole()).with_timezone("Asia/Tokyo")),
        7 => {
            let values = whole().map(|seed| seed.map(|seed| i128::from(seed) - 9));
            Arc::new(
                Decimal128Array::from_iter(values)
                    .with_precision_and_scale(20, 3)
                    .unwrap(),
            )
        }
        8 => Arc::new(BooleanArray::from_iter(
            whole().map(|seed| seed.map(|seed| seed % 2 == 0)),
        )),
        9 => {
            let words: Vec<_> = seeds
                .iter()
                .map(|seed| seed.map(|seed| format!("k{}", seed % 5)))
                .collect();
            Arc::new(
                words
                    .iter()
                    .map(Option::as_deref)
                    .collect::<DictionaryArray<Int32Type>>(),
            )
        }
        10 => {
            let nulls = seeds.iter().map(Option::is_some).collect::<Vec<_>>().into();
            let lengths = seeds
                .iter()
                .map(|seed| seed.map_or(0, |seed| usize::from(seed % 4)));
            let offsets = OffsetBuffer::from_lengths(lengths);
            let inner: Vec<_> = (0..offsets.last().map_or(0, |&end| end as u16))
                .map(|at| (at % 5 != 0).then_some(at * 31))
                .collect();
            let inner = array(kind / 13, &inner, depth - 1);
            let item = Arc::new(Field::new("item", inner.data_type().clone(), true));
            Arc::new(ListArray::new(item, offsets, inner, Some(nulls)))
        }
        _ => {
            let nulls = seeds.iter().map(Option::is_some).collect::<Vec<_>>().into();
            let columns = [
                array(kind / 13, seeds, depth - 1),
                array(kind / 26, seeds, depth - 1),
            ];
            let note = HashMap::from([("note".to_owned(), "in".to_owned())]);
            let field = |name, array: &ArrayRef| {
                Field::new(name, array.data_type().clone(), true).with_metadata(note.clone())
            };
            let fields = Fields::from(vec![field("a", &columns[0]), field("b", &columns[1])]);
            Arc::new(StructArray::new(fields, columns.to_vec(), Some(nulls)))
        }
    }
}

fn table(kinds: &[u8], batches: &[Vec<Option<u16>>]) -> (SchemaRef, Vec<RecordBatch>) {
    let columns = |seeds: &[Option<u16>]| {
        let text: ArrayRef = Arc::new(StringArray::from_iter_values(
            seeds.iter().map(|seed| format!("text {seed:?}")),
        ));
        let others = kinds.iter().map(|&kind| array(kind, seeds, 2));
        std::iter::once(text).chain(others).collect::<Vec<_>>()
    };
    let first = columns(&batches[0]);
    let field = |(at, array): (usize, &ArrayRef)| {
        let field = Field::new(
            if at == 0 {
                "text".into()
            } else {
                format!("c{at}")
            },
            array.data_type().clone(),
            at > 0,
        );
        field.with_metadata(HashMap::from([("at".to_owned(), at.to_string())]))
    };
    let fields: Vec<_> = first.iter().enumerate().map(field).collect();
    let metadata = HashMap::from([
        ("huggingface".to_owned(), "{}".to_owned()),
        ("pandas".to_owned(), "é".to_owned()),
    ]);
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let batches = batches
        .iter()
        .map(|seeds| RecordBatch::try_new(schema.clone(), columns(seeds)).unwrap())
        .collect();
    (schema, batches)
}

fn write(format: Format, layout: &Layout, batches: &[RecordBatch], ahead: usize) -> Vec<u8> {
    let mut output =
        TableOutput::new(Vec::new(), "out", format, layout, &["text".into()], ahead).unwrap();
    batches
        .iter()
        .for_each(|batch| output.push(batch.clone()).unwrap());
    output.finish().unwrap()
}

fn read(bytes: Vec<u8>) -> (TableFile, RecordBatch) {
    let table = TableFile::open(Ranges::memory(bytes, "out")).unwrap();
    let columns = Columns::choose(
        "out",
        table.schema(),
        ("text", None, None),
        "id",
        &"first".parse().unwrap(),
        None,
    )
    .unwrap();
    let mut all = Vec::new();
    for part in 0..table.parts().len() {
        let mut stream = table.part(part, &columns, Wanted::All).unwrap();
        while let Some(batch) = stream.next_batch().unwrap() {
            all.push(batch);
        }
    }
    let all = arrow_select::concat::concat_batches(table.schema(), &all).unwrap();
    (table, all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(300)))]

    #[test]
    fn written_tables_are_read_back(
        kinds in proptest::collection::vec(any::<u8>(), 0..6),
        batches in proptest::collection::vec(proptest::collection::vec(proptest::option::weighted(0.8, any::<u16>()), 0..40), 1..5),
        mask in any::<u64>(),
        group_rows in proptest::option::of(1usize..50),
    ) {
        let (schema, batches) = table(&kinds, &batches);
        let columns = Columns::choose("t", &schema, ("text", None, None), "id", &lookalike::cluster::Keep::First, None).unwrap();
        let keep = |batch: &RecordBatch| {
            let mask: Vec<bool> = (0..batch.num_rows()).map(|row| mask >> (row % 64) & 1 == 1).collect();
            Rows::new(batch.clone(), &columns).unwrap().masked(&mask).unwrap()
        };
        let kept: Vec<_> = batches.iter().map(keep).collect();
        let expected = arrow_select::concat::concat_batches(&schema, &kept).unwrap();
        let dictionaries = vec![(vec!["text".into()], false)];
        let metadata = vec![("own".into(), Some("1".into()))];
        let layout = Layout { schema: schema.clone(), metadata, group_rows, types: None, dictionaries };
        for format in [Format::Parquet, Format::ArrowFile, Format::ArrowStream] {
            let bytes = write(format, &layout, &kept, 1);
            if format == Format::Parquet {
                prop_assert_eq!(&bytes, &write(format, &layout, &kept, 7));
            }
            let (table, found) = read(bytes);
            let own = table.schema();
            prop_assert_eq!(own.fields(), schema.fields());
            prop_assert!(schema.metadata().iter().all(|(key, value)| own.metadata().get(key) == Some(value)));
            let has_own = table.layout().metadata.contains(&("own".into(), Some("1".into())));
            prop_assert!(has_own || format == Format::ArrowStream);
            for (found, expected) in found.columns().iter().zip(expected.columns()) {
                prop_assert_eq!(found, expected, "{:?}", format);
            }
            let rows = group_rows.unwrap_or(usize::MAX) as u64;
            prop_assert!(format != Format::Parquet || table.parts().iter().all(|part| part.rows <= rows));
        }
    }
}

#[test]
fn one_schema_for_several_inputs() {
    let schema = |fields: Vec<Field>| Arc::new(Schema::new(fields));
    let first = schema(vec![
        Field::new("text", DataType::Utf8, false),
        Field::new("n", DataType::Int64, false),
    ]);
    let nullable = schema(vec![
        Field::new("text", DataType::Utf8, true),
        Field::new("n", DataType::Int64, false),
    ]);
    let one = one_schema(&[("a", first.clone()), ("b", nullable.clone())]).unwrap();
    assert_eq!(one, nullable);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let batch = RecordBatch::try_new(
        first.clone(),
        vec![text, Arc::new(Int64Array::from(vec![1]))],
    )
    .unwrap();
    assert_eq!(retyped(&batch, &one).unwrap().schema(), one);
    let reported = |other: SchemaRef| {
        one_schema(&[("a", first.clone()), ("b", other)])
            .unwrap_err()
            .to_string()
    };
    let large = schema(vec![
        Field::new("text", DataType::LargeUtf8, false),
        Field::new("n", DataType::Int64, false),
    ]);
    assert!(reported(large).contains("b: column \"text\" is LargeUtf8, but Utf8 in a"));
    assert!(
        reported(schema(vec![Field::new("text", DataType::Utf8, false)]))
            .contains("b: has no column \"n\"")
    );
    let swapped = schema(vec![
        Field::new("n", DataType::Int64, false),
        Field::new("text", DataType::Utf8, false),
    ]);
    assert!(reported(swapped).contains("column 1 is \"n\", but \"text\""));
    let more = schema(
        [
            first.fields().to_vec(),
            vec![Arc::new(Field::new("x", DataType::Int8, true))],
        ]
        .concat()
        .iter()
        .map(|f| Field::clone(f))
        .collect(),
    );
    assert!(reported(more).contains("has a column \"x\" that does not exist in a"));
}

#[cfg(feature = "cloud")]
#[test]
fn tables_in_stores_are_read_like_those_in_memory() {
    use crate::{input_table::InputTable, store::tests::of_a_flaky_store};
    // The Parquet file has two row groups. In each of them, the texts are too large for one request to the store; the ids are
    // small.
    let words = |row: usize| {
        let mut state = row as u64;
        let mut letter = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + ((state >> 33) % 26) as u8)
        };
        (0..3000 + row).map(|_| letter()).collect::<String>()
    };
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..1000).map(words)));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap();
    let frame = TableFile::in_memory(
        &InputTable::new("frame", batch.schema(), vec![batch.slice(0, 900)]).unwrap(),
    );
    let text = ["text".to_owned()];
    for format in [Format::Parquet, Format::ArrowFile, Format::ArrowStream] {
        let layout = Layout {
            dictionaries: vec![(text.to_vec(), false)],
            group_rows: Some(900),
            ..frame.layout().clone()
        };
        let mut output = TableOutput::new(Vec::new(), "out", format, &layout, &text, 1).unwrap();
        output.push(batch.clone()).unwrap();
        let file = output.finish().unwrap();
        assert!(file.len() > 1 << 20, "{} bytes", file.len());
        let (object, failed) = of_a_flaky_store(&file);
        let tables = [Ranges::object(object), Ranges::memory(file, "a")];
        let read = tables.map(|ranges| {
            let table = TableFile::open(ranges).unwrap();
            let columns = Columns::choose(
                "a",
                table.schema(),
                ("text", None, None),
                "id",
                &lookalike::cluster::Keep::First,
                None,
            )
            .unwrap();
            let mut all = Vec::new();
            for part in 0..table.parts().len() {
                let mut stream = table.part(part, &columns, Wanted::Chosen).unwrap();
                while let Some(batch) = stream.next_batch().unwrap() {
                    all.push(batch);
                }
            }
            all
        });
        assert_eq!(
            read[0].iter().map(RecordBatch::num_rows).sum::<usize>(),
            1000
        );
        assert!(read[0] == read[1], "{format:?}");
        assert!(failed() > 0);
    }
}

/// Checks the properties of columns that Parquet's types have and Arrow's types lack: that a column is a UUID, JSON, or a date.
#[test]
fn column_types_are_preserved() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/tables");
    let types = |table: &TableFile| {
        let types = table.layout().types.clone().unwrap();
        // Only paths and logical types are compared, because the storage of a decimal may differ.
        let leaves = types
            .columns()
            .iter()
            .map(|leaf| (leaf.path().string(), leaf.logical_type_ref().cloned()));
        leaves.collect::<Vec<_>>()
    };
    for name in [
        "pyarrow_said.parquet",
        "pyarrow_zstd.parquet",
        "polars.parquet",
    ] {
        let path = folder.join(name);
        let table = TableFile::open(Ranges::of_file(&path, name).unwrap()).unwrap();
        let columns = Columns::choose(
            name,
            table.schema(),
            ("text", None, None),
            "id",
            &lookalike::cluster::Keep::First,
            None,
        )
        .unwrap();
        let mut batches = Vec::new();
        for part in 0..table.parts().len() {
            let mut stream = table.part(part, &columns, Wanted::All).unwrap();
            while let Some(batch) = stream.next_batch().unwrap() {
                batches.push(batch);
            }
        }
        let (written, again) = read(write(Format::Parquet, table.layout(), &batches, 1));
        assert_eq!(types(&written), types(&table), "{name}");
        assert_eq!(
            again,
            arrow_select::concat::concat_batches(table.schema(), &batches).unwrap(),
            "{name}"
        );
    }
}

/// Checks the types that Parquet does not support: seconds, and days that are stored in milliseconds. They are written as pyarrow
/// converts them, also inside other types.
#[test]
fn types_that_parquet_does_not_have_are_converted() {
    use arrow_array::{Date32Array, Date64Array, TimestampMillisecondArray, TimestampSecondArray};
    use parquet::basic::LogicalType;
    let zone = Some("Europe/Berlin");
    let seconds = |values: Vec<Option<i64>>| -> ArrayRef {
        Arc::new(TimestampSecondArray::from(values).with_timezone_opt(zone))
    };
    let when = seconds(vec![Some(1_704_067_200), None]);
    let days: ArrayRef = Arc::new(Date64Array::from(vec![
        Some(19_753 * 86_400_000),
        Some(-86_400_000),
    ]));
    let inner = |array: ArrayRef| {
        let field = Field::new("when", array.data_type().clone(), true);
        let items: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![array], None));
        let item = Arc::new(Field::new("item", items.data_type().clone(), true));
        let list = ListArray::new(item, OffsetBuffer::from_lengths([1, 1]), items, None);
        Arc::new(list) as ArrayRef
    };
    let batch = |when: ArrayRef, days| {
        RecordBatch::try_from_iter_with_nullable([
            ("when", when.clone(), true),
            ("days", days, true),
            ("list", inner(when), true),
        ])
    };
    let given = batch(when, days).unwrap();
    let milliseconds = TimestampMillisecondArray::from(vec![Some(1_704_067_200_000), None])
        .with_timezone_opt(zone);
    let expected = batch(
        Arc::new(milliseconds),
        Arc::new(Date32Array::from(vec![19_753, -1])),
    )
    .unwrap();
    let layout = |batch: &RecordBatch| Layout {
        schema: batch.schema(),
        metadata: Vec::new(),
        group_rows: None,
        types: None,
        dictionaries: Vec::new(),
    };
    let bytes = write(
        Format::Parquet,
        &layout(&given),
        std::slice::from_ref(&given),
        1,
    );
    let read = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(
        bytes::Bytes::from(bytes),
    )
    .unwrap();
    let named = |leaf: &std::sync::Arc<parquet::schema::types::ColumnDescriptor>| match leaf
        .logical_type_ref()
    {
        Some(LogicalType::Timestamp(_)) => "time",
        Some(LogicalType::Date) => "date",
        _ => "number",
    };
    let types: Vec<_> = read.parquet_schema().columns().iter().map(named).collect();
    assert_eq!(types, ["time", "date", "time"]);
    assert_eq!(read.build().unwrap().next().unwrap().unwrap(), expected);
    // In Arrow files, these types do not change. A time that is too large for Parquet is reported.
    let far = batch(
        seconds(vec![Some(i64::MAX / 10), None]),
        given.column(1).clone(),
    )
    .unwrap();
    for format in [Format::ArrowFile, Format::ArrowStream] {
        let mut output = TableOutput::new(Vec::new(), "t", format, &layout(&far), &[], 1).unwrap();
        output.push(far.clone()).unwrap();
        output.finish().unwrap();
    }
    let mut output =
        TableOutput::new(Vec::new(), "t", Format::Parquet, &layout(&far), &[], 1).unwrap();
    let reported = output.push(far).unwrap_err().to_string();
    assert!(
        reported.contains("column \"when\" cannot be converted to Timestamp")
            && reported.contains("write an Arrow file"),
        "{reported}"
    );
}

#[test]
fn columns_that_parquet_does_not_support_are_refused_by_name() {
    let union = DataType::Union(
        arrow_schema::UnionFields::try_new(
            [0, 1],
            [
                Field::new("a", DataType::Int64, true),
                Field::new("b", DataType::Utf8, true),
            ],
        )
        .unwrap(),
        arrow_schema::UnionMode::Sparse,
    );
    for kind in [
        union.clone(),
        DataType::Struct(vec![Field::new("inner", union, true)].into()),
        DataType::Struct(Fields::empty()),
    ] {
        let schema = Schema::new(vec![
            Field::new("text", DataType::Utf8, true),
            Field::new("odd", kind, true),
        ]);
        let reported = refuse_others("out.parquet", &schema)
            .unwrap_err()
            .to_string();
        assert!(
            reported.starts_with("out.parquet: Parquet cannot store the column \"odd\", which is "),
            "{reported}"
        );
    }
}

/// Checks values in a dictionary, which take more bytes in a batch than in the file.
#[test]
fn large_values_are_views_until_they_are_written() {
    const ROWS: usize = 44;
    let value = |row: usize| (!row.is_multiple_of(5)).then(|| ["é", "xy"][row % 2].repeat(1 << 19));
    let texts = |rows: std::ops::Range<usize>| rows.map(value).collect::<Vec<_>>();
    let items = OffsetBuffer::from_lengths((0..ROWS).map(|row| row % 3));
    let item = Arc::new(Field::new("item", DataType::LargeUtf8, true));
    let in_lists = LargeStringArray::from_iter(texts(0..items[ROWS] as usize));
    let bytes = BinaryArray::from_iter(
        texts(0..ROWS)
            .into_iter()
            .map(|text| text.map(String::into_bytes)),
    );
    let fields = Fields::from(vec![Field::new("bytes", DataType::Binary, true)]);
    let columns: [(&str, ArrayRef); 4] = [
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                (0..ROWS).map(|row| row.to_string()),
            )),
        ),
        ("page", Arc::new(StringArray::from_iter(texts(0..ROWS)))),
        (
            "list",
            Arc::new(ListArray::new(item, items, Arc::new(in_lists), None)),
        ),
        (
            "struct",
            Arc::new(StructArray::new(fields, vec![Arc::new(bytes)], None)),
        ),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(8 << 20)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    let file = writer.into_inner().unwrap();
    assert!(file.len() < 16 << 20, "the values are not in a dictionary");
    let open = |file| TableFile::open(Ranges::memory(file, "in")).unwrap();
    let rows = |table: &TableFile, wanted| {
        let columns = Columns::of_texts("in", table.schema(), "text").unwrap();
        let of_part = |part| {
            let mut stream = table.part(part, &columns, wanted).unwrap();
            std::iter::from_fn(move || stream.next_batch().unwrap())
        };
        (0..table.parts().len())
            .flat_map(of_part)
            .collect::<Vec<_>>()
    };
    let whole = |table: &TableFile, batches: &[RecordBatch]| {
        let typed = batches
            .iter()
            .map(|batch| retyped(batch, table.schema()).unwrap());
        arrow_select::concat::concat_batches(table.schema(), &typed.collect::<Vec<_>>()).unwrap()
    };
    let table = open(file);
    let batches = rows(&table, Wanted::All);
    assert_eq!(batches[0].column(1).data_type(), &DataType::Utf8View);
    let counts = |batches: &[RecordBatch]| {
        batches
            .iter()
            .map(RecordBatch::num_rows)
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&batches), counts(&rows(&table, Wanted::Chosen)));
    assert_eq!(whole(&table, &batches).columns(), batch.columns());
    for format in [Format::Parquet, Format::ArrowFile] {
        let back = open(write(format, table.layout(), &batches, 1));
        let all = rows(&back, Wanted::All);
        assert_eq!(whole(&back, &all).columns(), batch.columns());
    }
}

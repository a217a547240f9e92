//! Tests files written by other programs, damaged files, and values of all types.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use ::parquet::{
    arrow::{ArrowWriter, arrow_writer::ArrowWriterOptions, encode_arrow_schema},
    file::{metadata::KeyValue, properties::WriterProperties},
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array,
    LargeListArray, ListArray, ListViewArray, RecordBatch, StringArray, StringViewArray,
    StructArray, TimestampMillisecondArray, UInt64Array,
    types::{Float64Type, Int8Type, Int32Type},
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use lookalike::{Occurrences, cluster::Keep};
use proptest::prelude::*;

use super::*;
use crate::{
    input_table::{InputTable, JSON},
    read::json::{Fields, Record, RecordFields, Unit},
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/tables")
}

/// Returns the expected ids and texts. The script that wrote the tables also wrote the expected rows, as JSON Lines.
fn expected() -> Vec<(String, String)> {
    let rows = std::fs::read_to_string(folder().join("rows.jsonl")).unwrap();
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        (
            row["id"].to_string(),
            row["text"].as_str().unwrap().to_owned(),
        )
    };
    rows.lines().map(row).collect()
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending != "jsonl"));
    files.sort();
    assert!(files.len() >= 27, "{files:?}");
    files
}

fn open(path: &Path) -> TableFile {
    TableFile::open(Ranges::of_file(path, path.to_str().unwrap()).unwrap()).unwrap()
}

fn choose(
    table: &TableFile,
    text: &str,
    keep: &str,
    label: Option<&str>,
) -> Result<Columns, String> {
    let keep: Keep = keep.parse().unwrap();
    Columns::choose(
        table.name(),
        table.schema(),
        (text, None, None),
        "id",
        &keep,
        label,
    )
    .map_err(|error| error.to_string())
}

fn batches(table: &TableFile, columns: &Columns, wanted: Wanted) -> Vec<RecordBatch> {
    let mut all = Vec::new();
    for (number, part) in table.parts().iter().enumerate() {
        let (mut rows, mut stream) = (0, table.part(number, columns, wanted).unwrap());
        while let Some(batch) = stream.next_batch().unwrap() {
            rows += batch.num_rows() as u64;
            all.push(batch);
        }
        assert_eq!(rows, part.rows);
    }
    all
}

fn ids_and_texts(table: &TableFile, columns: &Columns, wanted: Wanted) -> Vec<(String, String)> {
    let (mut all, mut id) = (Vec::new(), String::new());
    for batch in batches(table, columns, wanted) {
        let rows = Rows::new(batch, columns).unwrap();
        for row in 0..rows.len() {
            rows.id(row, &mut id).unwrap();
            all.push((id.clone(), rows.text(row).unwrap().to_owned()));
        }
    }
    all
}

#[test]
fn tables_of_other_writers_are_read_correctly() {
    let expected = expected();
    for path in files() {
        let table = open(&path);
        let columns = choose(&table, "text", "first", None).unwrap();
        assert_eq!(table.rows(), 60, "{path:?}");
        let mut split = open(&path);
        split.split(&columns, 200);
        for wanted in [Wanted::Chosen, Wanted::All] {
            assert_eq!(
                ids_and_texts(&table, &columns, wanted),
                expected,
                "{path:?} {wanted:?}"
            );
            assert_eq!(
                ids_and_texts(&split, &columns, wanted),
                expected,
                "{path:?} {wanted:?}"
            );
        }
        let chosen = batches(&table, &columns, Wanted::Chosen);
        assert!(
            chosen.iter().all(|batch| batch.num_columns() == 2),
            "{path:?}"
        );
        let rows = |wanted| {
            batches(&table, &columns, wanted)
                .iter()
                .map(RecordBatch::num_rows)
                .collect::<Vec<_>>()
        };
        assert_eq!(rows(Wanted::Chosen), rows(Wanted::All), "{path:?}");
    }
}

#[test]
fn texts_inside_structs_are_decoded_without_the_other_fields() {
    let expected = expected();
    for path in files() {
        let table = open(&path);
        let columns = choose(&table, "meta.text", "max:meta.n", Some("kind")).unwrap();
        for wanted in [Wanted::Chosen, Wanted::All] {
            let mut at = 0;
            for batch in batches(&table, &columns, wanted) {
                if wanted == Wanted::Chosen && table.layout().types.is_some() {
                    let meta = batch.column_by_name("meta").unwrap();
                    assert_eq!(
                        arrow_array::cast::AsArray::as_struct(meta).num_columns(),
                        2,
                        "{path:?}"
                    );
                }
                let rows = Rows::new(batch, &columns).unwrap();
                for row in 0..rows.len() {
                    let (mut scratch, mut label) = (String::new(), String::new());
                    match rows.text(row) {
                        Ok(text) => {
                            assert_eq!(text, expected[at].1);
                            let key = rows.key(row, text, &mut scratch).unwrap();
                            assert_eq!(key, lookalike::cluster::number_key(at as f64));
                        }
                        Err(fault) => {
                            assert_eq!(at % 11, 0);
                            assert!(
                                fault
                                    .to_string()
                                    .contains("\"meta.text\" is null, not a text"),
                                "{fault}"
                            );
                            assert!(
                                rows.key(row, "", &mut scratch)
                                    .unwrap_err()
                                    .to_string()
                                    .contains("is null")
                            );
                        }
                    }
                    rows.label(row, &mut label).unwrap();
                    assert_eq!(
                        label,
                        ["\"news\"", "\"web\"", "", "\"book\""][at % 4],
                        "{path:?}"
                    );
                    at += 1;
                }
            }
            assert_eq!(at, 60);
        }
    }
}

#[test]
fn rows_as_json_lines_equal_the_rows() {
    for path in files() {
        let table = open(&path);
        let columns = choose(&table, "text", "newest:when", None).unwrap();
        let mut lines = Vec::new();
        for batch in batches(&table, &columns, Wanted::All) {
            let (mut one_by_one, mut at_once) = (Vec::new(), Vec::new());
            let rows = Rows::new(batch, &columns).unwrap();
            rows.masked_lines(&vec![true; rows.len()], &mut at_once)
                .unwrap();
            (0..rows.len()).for_each(|row| rows.json_line(row, &mut one_by_one).unwrap());
            assert_eq!(one_by_one, at_once);
            lines.extend(at_once);
        }
        let fields = Fields::new(
            "text".into(),
            None,
            "id".into(),
            "newest:when".parse().unwrap(),
            None,
        );
        let lines = String::from_utf8(lines).unwrap();
        for (number, (line, (id, text))) in lines.lines().zip(expected()).enumerate() {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(
                json.as_object().unwrap().len() >= 7 && json["kind"].is_null() == (number % 4 == 2),
                "{line}"
            );
            // In `pyarrow_binary.parquet`, texts are stored as bytes. In JSON, bytes can only be written as hexadecimal digits,
            // so the JSON value differs from the expected text.
            if !path.ends_with("pyarrow_binary.parquet") {
                assert_eq!(json["text"].as_str().unwrap(), text, "{path:?}");
            }
            let mut scratch = String::new();
            let record = Record::read(line.as_bytes(), Unit::Line, &fields, &mut scratch).unwrap();
            assert_eq!(record.id, id);
            let start = jiff::Timestamp::from_second(1_706_702_400 + 3600 * number as i64).unwrap();
            assert_eq!(
                record.key,
                lookalike::cluster::time_key(start.as_nanosecond() as i64),
                "{line}"
            );
        }
    }
}

#[test]
fn long_rows_are_cut_into_batches() {
    let texts = StringArray::from_iter_values((0..100).map(|row| "x".repeat(20_000 + row)));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", Arc::new(texts) as _)]).unwrap();
    let table = TableFile::in_memory(
        &InputTable::new(
            "frame",
            batch.schema(),
            vec![batch.clone(), batch.slice(3, 0), batch],
        )
        .unwrap(),
    );
    let columns = choose(&table, "text", "first", None).unwrap();
    let read = batches(&table, &columns, Wanted::Chosen);
    assert_eq!(read.len(), 8);
    assert_eq!(
        table.parts()[2],
        Part {
            before: 100,
            ..table.parts()[0]
        }
    );
    assert!(table.part(3, &columns, Wanted::All).is_err());
}

fn column(array: ArrayRef) -> TableFile {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"; array.len()]));
    let batch =
        RecordBatch::try_from_iter_with_nullable([("text", text, false), ("id", array, true)])
            .unwrap();
    TableFile::in_memory(&InputTable::new("frame", batch.schema(), vec![batch]).unwrap())
}

fn ids(array: ArrayRef) -> Vec<Result<String, String>> {
    let table = column(array);
    let columns = choose(&table, "text", "first", None).unwrap();
    let rows = Rows::new(
        batches(&table, &columns, Wanted::Chosen).remove(0),
        &columns,
    )
    .unwrap();
    let mut id = String::new();
    (0..rows.len())
        .map(|row| {
            rows.id(row, &mut id)
                .map(|()| id.clone())
                .map_err(|fault| fault.to_string())
        })
        .collect()
}

#[test]
fn ids_of_all_types() {
    let one = |array: ArrayRef| ids(array).remove(0).unwrap();
    assert_eq!(
        one(Arc::new(UInt64Array::from(vec![u64::MAX]))),
        "18446744073709551615"
    );
    assert_eq!(one(Arc::new(Float64Array::from(vec![1.0]))), "1.0");
    assert_eq!(
        one(Arc::new(Date32Array::from(vec![19_753]))),
        "\"2024-01-31\""
    );
    let time = TimestampMillisecondArray::from(vec![1_706_702_400_500]);
    assert_eq!(one(Arc::new(time.clone())), "\"2024-01-31T12:00:00.5\"");
    assert_eq!(
        one(Arc::new(time.with_timezone("Europe/Berlin"))),
        "\"2024-01-31T12:00:00.5Z\""
    );
    let price = Decimal128Array::from(vec![-1250])
        .with_precision_and_scale(9, 2)
        .unwrap();
    assert_eq!(one(Arc::new(price)), "-12.50");
    let faults = ids(Arc::new(Float64Array::from(vec![Some(f64::NAN), None])));
    assert!(
        faults[0]
            .as_ref()
            .unwrap_err()
            .contains("\"id\" is NaN; an id must be")
    );
    assert!(
        faults[1]
            .as_ref()
            .unwrap_err()
            .contains("\"id\" is null; an id must be a string or a number")
    );
    assert!(
        ids(Arc::new(TimestampMillisecondArray::from(vec![i64::MAX])))[0]
            .as_ref()
            .unwrap_err()
            .contains("beyond the year")
    );
}

#[test]
fn ids_that_are_json_already() {
    let of = |name: &str| {
        let metadata = HashMap::from([(name.to_owned(), String::new())]);
        let fields = [
            Field::new("text", DataType::Utf8, false),
            Field::new("id", DataType::Utf8, true).with_metadata(metadata),
        ];
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"; 4]));
        let id: ArrayRef = Arc::new(StringArray::from(vec![
            Some("1"),
            Some("\"1\""),
            Some("12e400"),
            None,
        ]));
        let batch =
            RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), vec![text, id]).unwrap();
        let table =
            TableFile::in_memory(&InputTable::new("frame", batch.schema(), vec![batch]).unwrap());
        let columns = choose(&table, "text", "first", None).unwrap();
        let rows = Rows::new(
            batches(&table, &columns, Wanted::Chosen).remove(0),
            &columns,
        )
        .unwrap();
        let mut id = String::new();
        let reported = (0..3)
            .map(|row| rows.id(row, &mut id).map(|()| id.clone()).unwrap())
            .collect::<Vec<_>>();
        assert!(
            rows.id(3, &mut id)
                .unwrap_err()
                .to_string()
                .contains("is null")
        );
        reported
    };
    assert_eq!(of(JSON), ["1", "\"1\"", "12e400"]);
    assert_eq!(of("another"), ["\"1\"", "\"\\\"1\\\"\"", "\"12e400\""]);
}

/// Reads the rows as objects that have these fields.
fn objects(table: &TableFile, fields: &RecordFields) -> Vec<serde_json::Value> {
    let columns = Columns::of_records(table.schema(), fields);
    let (mut all, batches) = (Vec::new(), batches(table, &columns, Wanted::Chosen));
    for batch in batches {
        let objects = Objects::new(batch);
        // The order in which rows are asked for does not matter.
        let rows: Vec<_> = (0..objects.len())
            .rev()
            .map(|row| objects.object(row).unwrap())
            .collect();
        all.extend(
            rows.into_iter()
                .rev()
                .map(|row| serde_json::from_slice::<serde_json::Value>(row).unwrap()),
        );
    }
    all
}

#[test]
fn records_have_the_columns_that_their_fields_need() {
    let expected = expected();
    let names = [
        "id",
        "text",
        "meta.deep.x",
        "map.a",
        "none",
        "kind.none",
        "meta.text.none",
    ]
    .map(String::from);
    for path in files() {
        let table = open(&path);
        let (all, some) = (
            objects(&table, &RecordFields::All),
            objects(&table, &RecordFields::Named(names.to_vec())),
        );
        assert_eq!((all.len(), some.len()), (60, 60), "{path:?}");
        let in_parquet = table.layout().types.is_some();
        for (row, (all, some)) in all.iter().zip(&some).enumerate() {
            assert_eq!(
                (some["id"].to_string(), some["text"].as_str().unwrap()),
                (expected[row].0.clone(), &*expected[row].1)
            );
            let mut own: Vec<_> = some
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            own.sort_unstable();
            // `kind` is a string, but the row of another table could have an object there.
            let mut needed = vec!["id", "kind", "map", "meta", "text"];
            needed.retain(|name| table.schema().field_with_name(name).is_ok());
            assert_eq!(own, needed, "{path:?}");
            assert_eq!(
                (&some["map"], &some["meta"]["deep"]),
                (&all["map"], &all["meta"]["deep"]),
                "{path:?}"
            );
            // The other fields of a struct are not decoded from Parquet.
            assert_eq!(
                some["meta"]["n"].is_null(),
                in_parquet || row % 11 == 0,
                "{path:?}"
            );
            assert_eq!(
                all["meta"]["n"].as_u64(),
                (row % 11 > 0).then_some(row as u64),
                "{path:?}"
            );
        }
        assert!(
            objects(&table, &RecordFields::Named(vec!["none".into()]))
                .iter()
                .all(|row| row.as_object().unwrap().is_empty()),
            "{path:?}"
        );
    }
}

#[test]
fn values_of_records_are_json() {
    let is_json = HashMap::from([(JSON.to_owned(), String::new())]);
    let texts = |values: Vec<Option<&'static str>>| Arc::new(StringArray::from(values)) as ArrayRef;
    let columns: [(&str, ArrayRef, bool); 5] = [
        (
            "json",
            texts(vec![Some("1"), Some("{\"a\":[1]}"), Some("no json"), None]),
            true,
        ),
        (
            "text",
            texts(vec![Some("1"), Some("a\nb"), Some(""), None]),
            false,
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from(vec![
                Some("é".as_bytes()),
                Some(b"\xff"),
                Some(b""),
                None,
            ])),
            false,
        ),
        (
            "float",
            Arc::new(Float64Array::from(vec![
                Some(1.0),
                Some(f64::NAN),
                Some(f64::INFINITY),
                None,
            ])),
            false,
        ),
        ("a.b", texts(vec![Some("x"); 4]), false),
    ];
    let field = |(name, array, json): &(&str, ArrayRef, bool)| {
        let field = Field::new(*name, array.data_type().clone(), true);
        if *json {
            field.with_metadata(is_json.clone())
        } else {
            field
        }
    };
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(
        schema.clone(),
        columns.iter().map(|(_, array, _)| array.clone()).collect(),
    )
    .unwrap();
    let rows = Objects::new(batch.clone());
    let lines: Vec<_> = (0..4)
        .map(|row| std::str::from_utf8(rows.object(row).unwrap()).unwrap())
        .collect();
    let expected = [
        r#"{"json":1,"text":"1","bytes":"é","float":1.0,"a.b":"x"}"#,
        r#"{"json":{"a":[1]},"text":"a\nb","bytes":"ff","float":null,"a.b":"x"}"#,
        r#"{"json":"no json","text":"","bytes":"","float":null,"a.b":"x"}"#,
        r#"{"json":null,"text":null,"bytes":null,"float":null,"a.b":"x"}"#,
    ];
    assert_eq!(lines, expected);
    let table = TableFile::in_memory(&InputTable::new("frame", schema, vec![batch]).unwrap());
    assert_eq!(
        objects(&table, &RecordFields::Named(vec!["a.b".into(), "a".into()]))[0],
        serde_json::json!({"a.b": "x"})
    );
    // A value that JSON does not have is reported with its column; the rows before it are read.
    let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![
        Some(0),
        Some(i64::MAX),
    ]));
    let rows = Objects::new(RecordBatch::try_from_iter([("when", times)]).unwrap());
    assert_eq!(
        rows.object(0).unwrap(),
        b"{\"when\":\"1970-01-01T00:00:00\"}"
    );
    let wrong = rows.object(1).unwrap_err();
    assert!(
        wrong
            .to_string()
            .contains("column \"when\" cannot be written as JSON"),
        "{wrong}"
    );
    assert_eq!(wrong.place().field.as_deref(), Some("when"));
}

#[test]
fn unsupported_columns_are_refused_with_advice() {
    let refused =
        |array: ArrayRef, text: &str| choose(&column(array), text, "first", None).unwrap_err();
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some([
        Some(1),
    ])]));
    assert!(
        refused(list.clone(), "id").contains("is a list")
            && refused(list, "id").contains("join its items")
    );
    let bytes: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[0u8; 16]].iter()).unwrap());
    assert!(refused(bytes, "text").contains("write it as a string first"));
    assert!(
        refused(Arc::new(BooleanArray::from(vec![true])), "text")
            .contains("is true or false; an id must be")
    );
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert!(
        refused(number.clone(), "id").contains("is of the type Int64; a text must be a string")
    );
    let absent = refused(number.clone(), "body");
    assert!(
        absent.contains("no column \"body\"; the table has the columns \"text\", \"id\"")
            && absent.contains("text_field"),
        "{absent}"
    );
    assert!(
        choose(&column(number.clone()), "text", "max:size", None)
            .unwrap_err()
            .contains("no column \"size\"")
    );
    let twice = RecordBatch::try_from_iter([("text", number.clone()), ("text", number)]).unwrap();
    let twice =
        TableFile::in_memory(&InputTable::new("frame", twice.schema(), vec![twice]).unwrap());
    assert!(
        choose(&twice, "text", "first", None)
            .unwrap_err()
            .contains("duplicate column \"text\"")
    );
}

/// Tests that lists of all kinds are read as sets. Their items are strings, and numbers of several types.
#[test]
fn lists_are_sets() {
    let items: [(ArrayRef, [&str; 6]); 6] = [
        (
            Arc::new(Int64Array::from(vec![1, -2, 3, 4, i64::MAX, 0])),
            ["1", "-2", "3", "4", "9223372036854775807", "0"],
        ),
        (
            Arc::new(UInt64Array::from(vec![1, 2, 3, 4, u64::MAX, 0])),
            ["1", "2", "3", "4", "18446744073709551615", "0"],
        ),
        (
            Arc::new(Float32Array::from(vec![0.1, 2.5, 3.0, -0.0, 1e9, 7.0])),
            ["0.1", "2.5", "3.0", "-0.0", "1000000000.0", "7.0"],
        ),
        (
            Arc::new(StringArray::from(vec!["a", "b c", "\\", "é\n", "", "1"])),
            [
                r#""a""#,
                r#""b c""#,
                r#""\\""#,
                r#""é\n""#,
                r#""""#,
                r#""1""#,
            ],
        ),
        (
            Arc::new(StringViewArray::from(vec!["a", "b", "c", "d", "e", "f"])),
            [r#""a""#, r#""b""#, r#""c""#, r#""d""#, r#""e""#, r#""f""#],
        ),
        (
            Arc::new(DictionaryArray::<Int8Type>::from_iter([
                "x", "y", "x", "y", "x", "z",
            ])),
            [r#""x""#, r#""y""#, r#""x""#, r#""y""#, r#""x""#, r#""z""#],
        ),
    ];
    let fields = Fields::new(
        "s".into(),
        Some(Occurrences::Once),
        "id".into(),
        Keep::Longest,
        None,
    );
    let there = Some(NullBuffer::from(vec![true, true, false, true]));
    let offsets = |offsets: Vec<i32>| OffsetBuffer::new(offsets.into());
    let large = OffsetBuffer::new(vec![1i64, 1, 3, 3, 4].into());
    for (values, json) in &items {
        let item = || Arc::new(Field::new("item", values.data_type().clone(), true));
        let lists: [(ArrayRef, [&[usize]; 4]); 4] = [
            (
                Arc::new(ListArray::new(
                    item(),
                    offsets(vec![0, 3, 3, 4, 6]),
                    values.clone(),
                    there.clone(),
                )),
                [&[0, 1, 2], &[], &[], &[4, 5]],
            ),
            (
                Arc::new(LargeListArray::new(
                    item(),
                    large.clone(),
                    values.clone(),
                    there.clone(),
                )),
                [&[], &[1, 2], &[], &[3]],
            ),
            (
                Arc::new(FixedSizeListArray::new(
                    item(),
                    1,
                    values.slice(1, 4),
                    there.clone(),
                )),
                [&[1], &[2], &[], &[4]],
            ),
            (
                Arc::new(ListViewArray::new(
                    item(),
                    vec![4, 0, 0, 0].into(),
                    vec![2, 1, 0, 6].into(),
                    values.clone(),
                    there.clone(),
                )),
                [&[4, 5], &[0], &[], &[0, 1, 2, 3, 4, 5]],
            ),
        ];
        for (list, expected) in lists {
            let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4));
            let batch = RecordBatch::try_from_iter_with_nullable([
                ("id", ids, false),
                ("s", list.clone(), true),
            ])
            .unwrap();
            let halves = vec![batch.slice(0, 1), batch.slice(1, 3)];
            let mut tables = vec![TableFile::in_memory(
                &InputTable::new("frame", batch.schema(), halves).unwrap(),
            )];
            // Parquet has no list views.
            if !matches!(list.data_type(), DataType::ListView(_)) {
                let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
                writer.write(&batch).unwrap();
                tables.push(
                    TableFile::open(Ranges::memory(writer.into_inner().unwrap(), "t")).unwrap(),
                );
            }
            for table in &tables {
                let columns = Columns::choose(
                    "t",
                    table.schema(),
                    ("s", None, fields.set),
                    "id",
                    &fields.keep,
                    None,
                )
                .unwrap();
                let mut at = 0;
                for batch in batches(table, &columns, Wanted::Chosen) {
                    let rows = Rows::new(batch, &columns).unwrap();
                    for row in 0..rows.len() {
                        let (mut scratch, mut key_scratch) = (String::new(), String::new());
                        match rows.set(row, &mut scratch, &fields) {
                            Ok(set) => {
                                let items: Vec<&str> =
                                    expected[at].iter().map(|&item| json[item]).collect();
                                assert_eq!(set, format!("[{}]", items.join(",")));
                                let distinct = items
                                    .iter()
                                    .collect::<std::collections::BTreeSet<_>>()
                                    .len();
                                assert_eq!(
                                    rows.key(row, set, &mut key_scratch).unwrap(),
                                    distinct as u64
                                );
                                assert!(rows.text_len(row) >= 8 * items.len());
                            }
                            Err(fault) => {
                                assert_eq!(at, 2);
                                assert!(
                                    fault
                                        .to_string()
                                        .contains("field \"s\" is null, not a set; give a list"),
                                    "{fault}"
                                );
                            }
                        }
                        at += 1;
                    }
                }
                assert_eq!(at, 4);
            }
        }
    }
}

#[test]
fn invalid_sets_are_reported() {
    let table = |list: ArrayRef| {
        let batch = RecordBatch::try_from_iter_with_nullable([("s", list, true)]).unwrap();
        TableFile::in_memory(&InputTable::new("frame", batch.schema(), vec![batch]).unwrap())
    };
    let set = Some(Occurrences::Once);
    let fields = Fields::new("s".into(), set, "id".into(), Keep::First, None);
    let reported = |list: ArrayRef| {
        let table = table(list);
        let columns = match Columns::choose(
            "t",
            table.schema(),
            ("s", None, set),
            "id",
            &Keep::First,
            None,
        ) {
            Ok(columns) => columns,
            Err(error) => return error.to_string(),
        };
        let rows = Rows::new(
            batches(&table, &columns, Wanted::Chosen).remove(0),
            &columns,
        )
        .unwrap();
        rows.set(0, &mut String::new(), &fields)
            .unwrap_err()
            .to_string()
    };
    let list =
        |items: Vec<Option<i32>>| ListArray::from_iter_primitive::<Int32Type, _, _>([Some(items)]);
    assert!(
        reported(Arc::new(list(vec![Some(1), None])))
            .contains("field \"s\" has null as item 2; the items of a set")
    );
    let floats = ListArray::from_iter_primitive::<Float64Type, _, _>([Some([Some(f64::NAN)])]);
    assert!(reported(Arc::new(floats)).contains("has NaN as item 1"));
    let inside: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let nested = StructArray::from(vec![(
        Arc::new(Field::new("a", DataType::Int64, true)),
        inside.clone(),
    )]);
    let inner = DataType::Struct(nested.fields().clone());
    let item = Arc::new(Field::new("item", inner, true));
    let refused = reported(Arc::new(ListArray::new(
        item,
        OffsetBuffer::new(vec![0, 1].into()),
        Arc::new(nested),
        None,
    )));
    assert!(
        refused.contains("t: column \"s\" is a list")
            && refused.contains("a set must be a list of strings"),
        "{refused}"
    );
    assert!(reported(inside).contains("column \"s\" is of the type Int64; a set must be a list"));
    // These strings contain JSON arrays.
    assert!(
        reported(Arc::new(StringArray::from(vec!["[1,[]]"])))
            .contains("field \"s\" has an array as item 2")
    );
    let as_text = choose(&table(Arc::new(list(vec![Some(1)]))), "s", "first", None).unwrap_err();
    assert!(
        as_text.contains("name a list of strings or numbers with set_field"),
        "{as_text}"
    );
}

/// The test files are like those from pyarrow: times in seconds are stored as milliseconds in Parquet, and only the Arrow schema
/// has the time zone.
#[test]
fn time_zones_are_those_of_the_arrow_schema() {
    let zoned = |unit| DataType::Timestamp(unit, Some("Europe/Berlin".into()));
    let inside = |kind: DataType| DataType::Struct(vec![Field::new("at", kind, true)].into());
    let schema = |unit| {
        let fields = [
            ("at", zoned(unit)),
            ("deep", inside(zoned(unit))),
            ("plain", DataType::Timestamp(unit, None)),
        ];
        Schema::new(
            fields
                .map(|(name, kind)| Field::new(name, kind, true))
                .into_iter()
                .chain([Field::new("text", DataType::Utf8, false)])
                .collect::<Vec<_>>(),
        )
    };
    let time = TimestampMillisecondArray::from(vec![Some(1_706_702_400_000), None]);
    let at: ArrayRef = Arc::new(time.clone().with_timezone("Europe/Berlin"));
    let milliseconds = Arc::new(schema(TimeUnit::Millisecond));
    let DataType::Struct(fields) = milliseconds.field(1).data_type().clone() else {
        panic!()
    };
    let columns: Vec<ArrayRef> = vec![
        at.clone(),
        Arc::new(StructArray::new(fields, vec![at], None)),
        Arc::new(time),
        Arc::new(StringArray::from(vec!["a", "b"])),
    ];
    let batch = RecordBatch::try_new(milliseconds.clone(), columns).unwrap();
    for unit in [
        TimeUnit::Second,
        TimeUnit::Nanosecond,
        TimeUnit::Millisecond,
    ] {
        let stored = KeyValue::new("ARROW:schema".into(), encode_arrow_schema(&schema(unit)));
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(vec![stored]))
            .build();
        let options = ArrowWriterOptions::new()
            .with_skip_arrow_metadata(true)
            .with_properties(properties);
        let mut writer =
            ArrowWriter::try_new_with_options(Vec::new(), milliseconds.clone(), options).unwrap();
        writer.write(&batch).unwrap();
        let table = TableFile::open(Ranges::memory(writer.into_inner().unwrap(), "t")).unwrap();
        assert_eq!(table.schema().fields(), milliseconds.fields(), "{unit:?}");
        let columns = choose(&table, "text", "newest:at", None).unwrap();
        assert_eq!(
            batches(&table, &columns, Wanted::All),
            std::slice::from_ref(&batch),
            "{unit:?}"
        );
        assert_eq!(batches(&table, &columns, Wanted::Chosen)[0].num_rows(), 2);
    }
}

fn refusal(bytes: Vec<u8>) -> String {
    TableFile::open(Ranges::memory(bytes, "t.parquet"))
        .err()
        .unwrap()
        .to_string()
}

#[test]
fn files_that_are_not_tables_are_reported() {
    let file = std::fs::read(folder().join("pyarrow_zstd.parquet")).unwrap();
    assert!(refusal(b"{\"text\":1}\n".into()).contains("is neither a Parquet file nor an Arrow"));
    assert!(refusal(Vec::new()).contains("is neither a Parquet file"));
    assert!(
        refusal(file[..file.len() / 2].into())
            .contains("t.parquet: begins like a Parquet file, but has no footer: it is truncated")
    );
    let mut encrypted = file.clone();
    let tail = encrypted.len() - 1;
    encrypted[tail] = b'E';
    assert!(refusal(encrypted).contains("is encrypted"));
    let arrow = std::fs::read(folder().join("pyarrow_zstd.arrow")).unwrap();
    assert!(refusal(arrow[..arrow.len() / 2].into()).contains("it is truncated"));
    let stream = std::fs::read(folder().join("pyarrow_stream.arrows")).unwrap();
    assert!(refusal(stream[..stream.len() / 2].into()).contains("the file is truncated"));
}

#[test]
fn damaged_pages_are_reported_with_their_column() {
    let mut file = std::fs::read(folder().join("pyarrow_zstd.parquet")).unwrap();
    let table = TableFile::open(Ranges::memory(file.clone(), "t")).unwrap();
    let columns = choose(&table, "text", "first", None).unwrap();
    let place = table.chunk_place(1, &["text".into()]).unwrap();
    for byte in &mut file[place.start + 40..place.end] {
        *byte ^= 0x5a;
    }
    let table = TableFile::open(Ranges::memory(file, "t")).unwrap();
    let read = |part| {
        table
            .part(part, &columns, Wanted::Chosen)
            .and_then(|mut stream| stream.next_batch())
    };
    assert!(read(0).is_ok() && read(2).is_ok());
    let reported = read(1).unwrap_err().to_string();
    assert!(
        reported.contains("t: is damaged (row group 1, column \"text\""),
        "{reported}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(400)))]

    #[test]
    fn strings_are_written_as_serde_writes_them(text in any::<String>(), more in "[\\x00-\\x7f]{0,40}") {
        for text in [&text, &more] {
            let mut out = String::new();
            values::write_string(text, &mut out);
            prop_assert_eq!(out, serde_json::to_string(text).unwrap());
        }
    }

    #[test]
    fn damaged_files_never_panic_and_never_hang(file in any::<prop::sample::Index>(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<Option<prop::sample::Index>>()) {
        let files = files();
        let mut bytes = std::fs::read(file.get(&files)).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() * 4));
        }
        if let Ok(mut table) = TableFile::open(Ranges::memory(bytes, "t")) && let Ok(columns) = choose(&table, "text", "first", None) {
            table.split(&columns, 100);
            for part in 0..table.parts().len() {
                let Ok(mut stream) = table.part(part, &columns, Wanted::Chosen) else { continue };
                while let Ok(Some(batch)) = stream.next_batch() {
                    let rows = Rows::new(batch, &columns).unwrap();
                    (0..rows.len()).for_each(|row| _ = rows.text(row));
                }
            }
        }
    }
}

//! Tests of records that are converted: JSON Lines, JSON arrays, CSV, Parquet and Arrow into each other.

use std::{collections::BTreeMap, fs, io::Write as _, process::Stdio};

use serde_json::{Value, json};

use crate::{
    Place, Ran,
    resume::{Random, kill_after},
    testdata,
};

const LOOSE: &str = "--shingle 1 --threshold 0.6";
const ENDINGS: [&str; 4] = ["parquet", "arrow", "arrows", "feather"];

fn done(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

fn refused(place: &Place, arguments: &str, words: &[&str]) {
    let before = place.names();
    let ran = place.run(arguments);
    assert!(
        ran.code == 2 && words.iter().all(|word| ran.err.contains(word)),
        "{arguments}: {} {}",
        ran.code,
        ran.err
    );
    assert_eq!(place.names(), before, "{arguments}");
}

fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns a file's records as they are written to standard output as JSON Lines.
fn shown(place: &Place, name: &str) -> Vec<Value> {
    objects(
        &done(
            place,
            &format!("apply all.why.jsonl {name} -o - --output-format jsonl --quiet"),
        )
        .out,
    )
}

fn bytes(place: &Place, name: &str) -> Vec<u8> {
    fs::read(place.path(name)).unwrap()
}

/// Records with values of all types. No text is like another one, and the last fields occur only once, far from the beginning.
fn varied(records: u32) -> Vec<Value> {
    let text = |at: u32| {
        (0..20)
            .map(|word| format!("w{at}x{word} "))
            .collect::<String>()
    };
    let record = |at: u32| {
        let mut record = json!({
            "id": at,
            "text": text(at),
            "number": if at.is_multiple_of(5) { json!(null) } else { json!(f64::from(at) / 8.0) },
            "whole": -i64::from(at) * 1_000_000_007,
            "large": u64::MAX - u64::from(at),
            "flag": at.is_multiple_of(2),
            "tags": (0..at % 4).map(|tag| format!("tag {tag}\n\"é\"")).collect::<Vec<_>>(),
            "meta": {"a": {"b": at}, "list": [[{"x": at}, {}], []]},
        });
        if at == records - 1 {
            record["rare"] = json!({"late": true});
            record["meta"]["late"] = json!("late");
        }
        record
    };
    (0..records).map(record).collect()
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Returns a record as it is after a table: with null in each field that it does not have.
fn with_nulls(record: &Value, like: &Value) -> Value {
    match (record, like) {
        (Value::Object(own), Value::Object(all)) => all
            .iter()
            .map(|(name, like)| {
                (
                    name.clone(),
                    with_nulls(own.get(name).unwrap_or(&Value::Null), like),
                )
            })
            .collect(),
        (Value::Array(items), Value::Array(all)) if !all.is_empty() => {
            items.iter().map(|item| with_nulls(item, &all[0])).collect()
        }
        _ => record.clone(),
    }
}

/// Returns a record with all fields, for [`with_nulls`].
fn whole(records: &[Value]) -> Value {
    let mut all = records[records.len() - 1].clone();
    all["meta"]["list"] = json!([[{"x": 0}]]);
    all
}

/// Decisions that keep all records.
fn keep_all(place: &Place, name: &str) {
    done(
        place,
        &format!("dedup {name} --decisions all.why.jsonl --method exact"),
    );
}

#[test]
fn json_lines_become_tables_and_back() {
    let place = Place::new();
    let records = varied(3000);
    place.write("in.jsonl", lines(&records));
    keep_all(&place, "in.jsonl");
    let expected: Vec<Value> = records
        .iter()
        .map(|record| with_nulls(record, &whole(&records)))
        .collect();
    for ending in ENDINGS {
        done(
            &place,
            &format!("dedup in.jsonl -o kept.{ending} --no-decisions"),
        );
        assert_eq!(
            shown(&place, &format!("kept.{ending}")),
            expected,
            "{ending}"
        );
        // The bytes depend neither on the number of threads nor on the pass that writes.
        done(
            &place,
            &format!("dedup in.jsonl -o other.{ending} --no-decisions --threads 1 --memory 64M"),
        );
        done(
            &place,
            &format!("apply all.why.jsonl in.jsonl -o applied.{ending}"),
        );
        assert!(
            bytes(&place, &format!("other.{ending}")) == bytes(&place, &format!("kept.{ending}")),
            "{ending}"
        );
        assert!(
            bytes(&place, &format!("applied.{ending}")) == bytes(&place, &format!("kept.{ending}")),
            "{ending}"
        );
    }
    // Compressed input, an array, and a pipe have the same records.
    place.write(
        "in.json",
        format!(
            "[{}]",
            records
                .iter()
                .map(|record| format!("{record:#}"))
                .collect::<Vec<_>>()
                .join(",\n ")
        ),
    );
    done(&place, "dedup in.json -o array.parquet --no-decisions");
    assert!(bytes(&place, "array.parquet") == bytes(&place, "kept.parquet"));
    let input = fs::File::open(place.path("in.jsonl")).unwrap();
    let piped = place
        .command("dedup - -o piped.parquet --no-decisions --quiet")
        .stdin(input)
        .status()
        .unwrap();
    assert!(piped.success() && bytes(&place, "piped.parquet") == bytes(&place, "kept.parquet"));
}

#[test]
fn columns_are_those_of_all_records_also_of_those_that_are_dropped() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"id\":1,\"text\":\"a b c\"}\n\n{\"text\":\"a b c\",\"id\":2,\"only\":1}\n",
    );
    done(&place, "dedup in.jsonl -o kept.csv");
    assert_eq!(place.read("kept.csv"), "id,text,only\n1,a b c,\n");
    done(&place, "dedup in.jsonl -o kept.parquet");
    assert_eq!(
        done(&place, "dedup kept.parquet -o - --quiet").out,
        "{\"id\":1,\"text\":\"a b c\",\"only\":null}\n"
    );
    // Without documents, the columns are those that a run needs, so that the output can be read.
    place.write("none.jsonl", "");
    for (fields, header) in [
        ("", "id,text\n"),
        ("--id-field key --text-field body", "key,body\n"),
    ] {
        done(&place, &format!("dedup none.jsonl {fields} -o none.csv"));
        assert_eq!(place.read("none.csv"), header);
        done(
            &place,
            &format!("dedup none.jsonl {fields} -o none.parquet"),
        );
        for output in ["none.csv", "none.parquet"] {
            let ran = done(&place, &format!("dedup {output} {fields} -o again.csv"));
            assert!(
                ran.err.starts_with("0 documents in") && place.read("again.csv") == header,
                "{}",
                ran.err
            );
        }
    }
    done(&place, "dedup none.jsonl --text-field a.b -o none.csv");
    assert_eq!(place.read("none.csv"), "");
    // A bad line is no document, so its fields do not count.
    place.write(
        "in.jsonl",
        "{\"id\":1,\"text\":\"a b c\"}\n{\"id\":2,\"bad\":1}\n",
    );
    done(&place, "dedup in.jsonl -o kept.csv --skip-bad bad.jsonl");
    assert_eq!(place.read("kept.csv"), "id,text\n1,a b c\n");
}

#[test]
fn tables_become_csv_and_json() {
    let place = Place::new();
    place.write(
        "in.csv",
        "id,text,\"a \"\"b\"\"\"\n01,\"one, two\nthree\",\n2,other words,x\n",
    );
    keep_all(&place, "in.csv");
    // All columns of CSV are strings, so nothing changes on the way.
    for ending in ["parquet", "arrow", "jsonl", "json.gz"] {
        let json = if ending == "json.gz" {
            "--output-format json"
        } else {
            ""
        };
        done(
            &place,
            &format!("dedup in.csv -o kept.{ending} --no-decisions {json}"),
        );
        done(
            &place,
            &format!("dedup kept.{ending} -o again.csv --no-decisions"),
        );
        assert_eq!(
            place.read("again.csv"),
            "id,text,\"a \"\"b\"\"\"\n01,\"one, two\nthree\",\n2,other words,x\n",
            "{ending}"
        );
    }
    let expected = [
        json!({"id": "01", "text": "one, two\nthree", "a \"b\"": ""}),
        json!({"id": "2", "text": "other words", "a \"b\"": "x"}),
    ];
    assert_eq!(shown(&place, "kept.parquet"), expected);
    done(
        &place,
        "dedup kept.parquet -o kept.json --output-format json --no-decisions",
    );
    assert_eq!(
        serde_json::from_str::<Value>(&place.read("kept.json")).unwrap(),
        json!(expected)
    );
    done(&place, "dedup kept.parquet -o again.tsv --no-decisions");
    assert_eq!(
        place.read("again.tsv"),
        "id\ttext\t\"a \"\"b\"\"\"\n01\t\"one, two\nthree\"\t\n2\tother words\tx\n"
    );
    place.write("in.jsonl", "{\"id\":7,\"text\":\"a \\u00e9\",\"n\":1.50,\"t\":true,\"z\":null}\n{\"id\":\"x\",\"text\":\"\"}\n");
    done(&place, "dedup in.jsonl -o kept.csv --no-decisions");
    assert_eq!(
        place.read("kept.csv"),
        "id,text,n,t,z\n7,a é,1.50,true,\nx,,,,\n"
    );
    // All types of a table that JSON Lines have, in the same form.
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    done(
        &place,
        &format!("dedup {table} -o rows.jsonl --no-decisions {LOOSE}"),
    );
    done(
        &place,
        &format!("dedup {table} -o rows.json --output-format json --no-decisions {LOOSE}"),
    );
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&place.read("rows.json")).unwrap(),
        objects(&place.read("rows.jsonl"))
    );
    refused(
        &place,
        &format!("dedup {table} -o rows.csv {LOOSE}"),
        &["column \"tags\" is List", "which CSV cannot store"],
    );
}

#[test]
fn values_that_fit_no_column_are_reported() {
    let place = Place::new();
    place.write("one.jsonl", "{\"id\":1,\"text\":\"a\",\"m\":{}}\n");
    place.write("in.jsonl", "{\"id\":1,\"text\":\"a\",\"m\":{\"n\":[1]}}\n\n{\"id\":2,\"text\":\"b\",\"m\":{\"n\":[1,\"x\"]}}\n");
    place.write("more.jsonl", "{\"id\":3,\"text\":\"c\",\"m\":7}\n");
    place.write(
        "half.jsonl",
        "{\"id\":1,\"text\":\"a\",\"h\":\"\\ud800\"}\n",
    );
    place.write("twice.jsonl", "{\"id\":1,\"text\":\"a\",\"h\":1,\"h\":2}\n");
    place
        .write("ids.csv", "id,text\n1,a b\n")
        .write("header.csv", "id,text,x,x\n1,a,b,c\n");
    place.write("empty.jsonl", "{\"id\":1,\"text\":\"a\",\"e\":{}}\n");
    place.write(
        "label.jsonl",
        "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"b\",\"verdict\":1}\n",
    );
    let one_type = "the values of a column have one type: convert one of the two, or write JSON Lines (.jsonl)";
    for (arguments, words) in [
        (
            "dedup in.jsonl -o x.parquet",
            &[
                "in.jsonl:3: field \"m.n[]\" is a string, but a number in in.jsonl:1",
                one_type,
            ][..],
        ),
        (
            "dedup in.jsonl more.jsonl -o x.arrow",
            &["in.jsonl:3: field \"m.n[]\""],
        ),
        (
            "dedup more.jsonl one.jsonl -o x.arrow",
            &["one.jsonl:1: field \"m\" is an object, but a number in more.jsonl:1"],
        ),
        (
            "cut in.jsonl -o x.parquet",
            &["in.jsonl:3: field \"m.n[]\""],
        ),
        (
            "dedup in.jsonl -o x.csv",
            &["in.jsonl:1: field \"m\" is an object, which CSV cannot store; leave the field out"],
        ),
        (
            "dedup in.jsonl -o x-{}.csv --rows-per-file 1",
            &["field \"m\" is an object"],
        ),
        (
            "dedup half.jsonl -o x.parquet",
            &["half.jsonl:1: field \"h\" has an escape that is half of a surrogate pair"],
        ),
        (
            "dedup half.jsonl -o x.csv",
            &["half.jsonl:1: field \"h\" has an escape that is half of a surrogate pair"],
        ),
        (
            "dedup twice.jsonl -o x.csv",
            &["twice.jsonl:1: field \"h\" occurs twice; remove or rename"],
        ),
        (
            "dedup header.csv -o x.parquet",
            &["header.csv:1: field \"x\" occurs twice"],
        ),
        (
            "dedup ids.csv more.jsonl -o x.parquet --allow-repeated-ids",
            &["more.jsonl:1: field \"id\" is a number, but a string in ids.csv:1"],
        ),
        (
            "dedup empty.jsonl -o x.parquet",
            &[
                "x.parquet: Parquet cannot store the column \"e\"",
                "write an Arrow file",
            ],
        ),
        (
            "dedup label.jsonl --label -o x.parquet",
            &["there is already a field \"verdict\"", "--label-prefix"],
        ),
        (
            "dedup label.jsonl --label -o x.csv",
            &["there is already a field \"verdict\"", "--label-prefix"],
        ),
    ] {
        refused(&place, arguments, words);
    }
    // An Arrow file can have a column of objects without fields.
    done(&place, "dedup empty.jsonl -o x.arrow");
}

#[test]
fn names_and_formats_that_contradict_are_refused() {
    let place = Place::new();
    place
        .write("in.jsonl", "{\"id\":1,\"text\":\"a b\"}\n")
        .write("in.csv", "id,text\n2,x y\n");
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    for (arguments, words) in [
        (
            "dedup in.jsonl -o kept.csv --output-format parquet",
            &[
                "kept.csv: --output-format asks for a Parquet file, but its name says another format; give a name that ends with .parquet",
            ][..],
        ),
        (
            "dedup in.jsonl -o kept.parquet.gz",
            &["a table is compressed inside"],
        ),
        (
            "dedup in.jsonl -o kept.gz --output-format arrow",
            &["a table is compressed inside"],
        ),
        (
            "dedup in.jsonl -o kept.html",
            &["HTML and WARC files cannot be written"],
        ),
        ("dedup in.jsonl --output-format csv", &["--output"]),
        (
            "dedup - -o kept.csv",
            &[
                "whether stdin is CSV is known only when it is read; declare its format, such as --format csv",
            ],
        ),
        (
            "dedup - -o - --output-format json",
            &["whether stdin is a JSON array is known only when it is read"],
        ),
        (
            "stage plan work --shards 2 -- in.jsonl in.csv -o kept-{}.csv",
            &["kept-{}.csv: a job array writes CSV only if all inputs are CSV"],
        ),
        (
            "stage plan work --shards 2 -- in.jsonl -o kept-{}.jsonl --output-format jsonl",
            &["--output-format does not work in a job array"],
        ),
    ] {
        refused(&place, arguments, words);
    }
    refused(
        &place,
        &format!("dedup in.jsonl {table} -o kept.parquet {LOOSE}"),
        &[
            "kept.parquet: a table has the records of tables (Parquet or Arrow), or of other formats, but not of both",
            "-o kept/",
        ],
    );
    // A format that the name already says, and names without a format.
    done(
        &place,
        "dedup in.jsonl -o kept.parquet --output-format parquet --no-decisions",
    );
    done(
        &place,
        "dedup in.jsonl -o kept --output-format parquet --no-decisions",
    );
    assert!(bytes(&place, "kept") == bytes(&place, "kept.parquet"));
    done(&place, "dedup in.jsonl in.csv -o kept.csv --no-decisions");
    assert_eq!(place.read("kept.csv"), "id,text\n1,a b\n2,x y\n");
}

#[test]
fn standard_output_has_the_format_that_is_asked_for() {
    let place = Place::new();
    let records = varied(50);
    place.write("in.jsonl", lines(&records));
    keep_all(&place, "in.jsonl");
    for format in ["parquet", "arrow"] {
        let out = place
            .command(&format!(
                "dedup in.jsonl -o - --quiet --output-format {format}"
            ))
            .output()
            .unwrap();
        assert!(out.status.success(), "{format}");
        // A pipe gets an Arrow stream, which needs no footer.
        assert!(
            out.stdout.starts_with(if format == "arrow" {
                &[0xff; 4]
            } else {
                b"PAR1"
            }),
            "{format}"
        );
        place.write(&format!("out.{format}"), &out.stdout);
        assert_eq!(
            shown(&place, &format!("out.{format}")).len(),
            50,
            "{format}"
        );
    }
    let out = done(&place, "dedup in.jsonl -o - --quiet --output-format json").out;
    assert_eq!(serde_json::from_str::<Vec<Value>>(&out).unwrap(), records);
}

#[test]
fn divided_outputs_have_one_schema_and_the_records_of_one_output() {
    let place = Place::new();
    let records = varied(3000);
    place.write("in.jsonl", lines(&records));
    keep_all(&place, "in.jsonl");
    done(&place, "dedup in.jsonl -o one.parquet --no-decisions");
    done(&place, "dedup in.jsonl -o one.arrow --no-decisions");
    let expected = shown(&place, "one.parquet");
    fs::create_dir(place.path("out")).unwrap();
    for (limit, ending) in [
        ("--rows-per-file 700", "parquet"),
        ("--bytes-per-file 300kB", "arrow"),
        ("--rows-per-file 999", "feather"),
    ] {
        done(
            &place,
            &format!("dedup in.jsonl -o out/{{:03}}.{ending} --no-decisions {limit}"),
        );
        let count = fs::read_dir(place.path("out")).unwrap().count();
        assert!(count > 1, "{count}");
        // All of them have the fields that only the last record has, so they can be written to one table.
        done(
            &place,
            &format!("apply all.why.jsonl out -o again.{ending}"),
        );
        assert_eq!(
            shown(&place, &format!("again.{ending}")),
            expected,
            "{ending}"
        );
        fs::remove_dir_all(place.path("out")).unwrap();
        fs::create_dir(place.path("out")).unwrap();
    }
    place.write(
        "flat.jsonl",
        lines(
            &records
                .iter()
                .map(|record| json!({"id": record["id"], "text": record["text"]}))
                .collect::<Vec<_>>(),
        ),
    );
    done(&place, "dedup flat.jsonl -o one.csv --no-decisions");
    done(
        &place,
        "dedup flat.jsonl -o out/{:03}.csv --no-decisions --rows-per-file 500",
    );
    let mut all = String::from("id,text\n");
    for part in 0..6 {
        let text = place.read(&format!("out/{part:03}.csv"));
        all += text.strip_prefix("id,text\n").unwrap();
        assert_eq!(text.lines().count(), 501);
    }
    assert_eq!(all, place.read("one.csv"));
    done(
        &place,
        "dedup flat.jsonl -o out/{:03}.json --output-format json --no-decisions --rows-per-file 2999",
    );
    let parts = [0, 1].map(|part| {
        serde_json::from_str::<Vec<Value>>(&place.read(&format!("out/{part:03}.json"))).unwrap()
    });
    assert_eq!(parts.concat(), objects(&place.read("flat.jsonl")));
}

#[test]
fn a_folder_gets_converted_outputs() {
    let place = Place::new();
    fs::create_dir_all(place.path("in/deep")).unwrap();
    place
        .write("in/a.jsonl", "{\"id\":1,\"text\":\"a b c\"}\n")
        .write("in/deep/none.jsonl", "");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(b"{\"id\":2,\"text\":\"d e f\",\"more\":[1]}\n")
        .unwrap();
    fs::write(place.path("in/deep/b.jsonl.gz"), encoder.finish().unwrap()).unwrap();
    place.write("in/a.csv", "id,text,own\n3,g h i,x\n");
    fs::copy(
        testdata("formats/tables/pyarrow_zstd.parquet"),
        place.path("in/t.parquet"),
    )
    .unwrap();
    let names = |folder: &str| {
        let mut found = BTreeMap::new();
        for (inside, prefix) in [("", ""), ("/deep", "deep/")] {
            for entry in fs::read_dir(place.path(&format!("{folder}{inside}")))
                .into_iter()
                .flatten()
                .map(Result::unwrap)
            {
                if entry.path().is_file() {
                    found.insert(
                        format!("{prefix}{}", entry.file_name().to_str().unwrap()),
                        fs::read(entry.path()).unwrap(),
                    );
                }
            }
        }
        found
    };
    done(
        &place,
        "dedup in -o out/ --output-format parquet --decisions why.jsonl --allow-repeated-ids",
    );
    let out = names("out");
    // `a.csv` comes before `a.jsonl`, whose output gets a longer name.
    let expected = [
        "a.jsonl.parquet",
        "a.parquet",
        "deep/b.parquet",
        "deep/none.parquet",
        "t.parquet",
    ];
    assert_eq!(out.keys().collect::<Vec<_>>(), expected);
    done(
        &place,
        "apply why.jsonl in -o applied/ --output-format parquet --allow-repeated-ids",
    );
    assert!(names("applied") == out);
    // Files of JSON have the columns of all of them. Those of CSV and of tables have their own.
    let row = |name: &str| done(&place, &format!("dedup out/{name} -o - --quiet")).out;
    assert_eq!(
        row("a.jsonl.parquet"),
        "{\"id\":1,\"text\":\"a b c\",\"more\":null}\n"
    );
    assert_eq!(
        row("deep/b.parquet"),
        "{\"id\":2,\"text\":\"d e f\",\"more\":[1]}\n"
    );
    assert_eq!(
        row("a.parquet"),
        "{\"id\":\"3\",\"text\":\"g h i\",\"own\":\"x\"}\n"
    );
    assert_eq!(row("deep/none.parquet"), "");
    done(
        &place,
        "dedup in/a.jsonl in/deep in/a.csv -o lines/ --output-format jsonl --no-decisions",
    );
    assert_eq!(
        names("lines").keys().collect::<Vec<_>>(),
        ["a.csv.jsonl", "a.jsonl", "b.jsonl.gz", "none.jsonl"]
    );
    assert_eq!(place.read("lines/a.jsonl"), place.read("in/a.jsonl"));
    refused(
        &place,
        "dedup in -o csv/ --output-format csv --allow-repeated-ids",
        &["which CSV cannot store"],
    );
}

#[test]
fn documents_and_crawls_become_tables() {
    let place = Place::new();
    fs::create_dir(place.path("docs")).unwrap();
    place
        .write("docs/a.txt", "one two, three\n")
        .write("docs/b.html", "<title>T</title><p>four <b>five</b></p>");
    for ending in ["parquet", "csv"] {
        done(
            &place,
            &format!("dedup docs -o kept.{ending} --no-decisions"),
        );
    }
    assert_eq!(
        place.read("kept.csv"),
        "id,text\na.txt,\"one two, three\n\"\nb.html,four five\n"
    );
    let rows = done(&place, "dedup kept.parquet -o - --quiet").out;
    assert_eq!(
        objects(&rows)[1],
        json!({"id": "b.html", "text": "four five"})
    );
    let record = |uri: &str, text: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    place.write(
        "in.warc",
        record("http://a/1", "one two three") + &record("http://a/2", "four five six"),
    );
    done(&place, "dedup in.warc -o crawl.parquet --no-decisions");
    let rows = done(&place, "dedup crawl.parquet -o - --quiet").out;
    assert_eq!(
        objects(&rows)[0],
        json!({"id": "http://a/1", "text": "one two three", "date": "2026-01-02T03:04:05Z"})
    );
    // A record without a URL and without an id of its own.
    place.write(
        "in.warc",
        "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\none two\r\n\r\n",
    );
    assert_eq!(
        done(&place, "dedup in.warc -o - --quiet").out,
        "{\"text\":\"one two\"}\n"
    );
    done(&place, "dedup in.warc -o crawl.csv");
    assert_eq!(place.read("crawl.csv"), "id,text,date\n,one two,\n");
}

#[test]
fn labels_and_marks_become_columns() {
    let place = Place::new();
    let text = "a b c d e f g h i j k l m n o p q r s t u v w x y z a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1 m1 n1 o1 p1 q1 r1 s1 t1 u1 v1 w1 x1 y1 z1";
    let line = |id: Value, text: &str| format!("{}\n", json!({"id": id, "text": text}));
    place.write("in.jsonl", line(json!(1), text) + &line(json!(7), text));
    place.write(
        "strings.jsonl",
        line(json!("1"), text) + &line(json!("x"), text),
    );
    // The ids need 64 bits without a sign.
    place.write(
        "large.jsonl",
        line(json!(1u64 << 63), text) + &line(json!(u64::MAX), text),
    );
    for input in ["in.jsonl", "strings.jsonl", "large.jsonl"] {
        for run in ["dedup --label", "cut --mark"] {
            let (command, flag) = run.split_once(' ').unwrap();
            done(&place, &format!("{command} {input} {flag} -o lines.jsonl"));
            for ending in ENDINGS {
                done(
                    &place,
                    &format!("{command} {input} {flag} -o kept.{ending}"),
                );
                let back = objects(
                    &done(
                        &place,
                        &format!("dedup kept.{ending} -o - --quiet --label --label-prefix its_"),
                    )
                    .out,
                );
                let expected = objects(&place.read("lines.jsonl"));
                assert_eq!(back.len(), 2);
                for (mut back, mut expected) in back.into_iter().zip(expected) {
                    back.as_object_mut()
                        .unwrap()
                        .retain(|name, _| !name.starts_with("its_"));
                    // The spans in a table have all fields.
                    for spans in [&mut back, &mut expected]
                        .map(|record| record.pointer_mut("/cut_spans"))
                        .into_iter()
                        .flatten()
                    {
                        spans.as_array_mut().unwrap().iter_mut().for_each(|span| {
                            span.as_object_mut()
                                .unwrap()
                                .retain(|_, value| !value.is_null());
                        });
                    }
                    assert_eq!(back, expected, "{input} {run} {ending}");
                }
            }
        }
    }
    done(&place, "cut in.jsonl --mark -o kept.csv");
    let csv = place.read("kept.csv");
    assert!(
        csv.starts_with("id,text,cut_verdict,cut_spans\n1,")
            && csv.contains(",kept,[]\n")
            && csv.contains(",\"[{\"\"start\"\":0,"),
        "{csv}"
    );
    // A representative may be a reference, whose id has another type.
    place.write("ref.jsonl", line(json!("r"), text));
    done(
        &place,
        "dedup in.jsonl --label --against ref.jsonl -o kept.parquet",
    );
    let back =
        objects(&done(&place, "dedup kept.parquet -o - --quiet --method exact --id-field none --label --label-prefix its_").out);
    assert_eq!(
        (
            &back[0]["id"],
            &back[0]["cluster"],
            &back[0]["representative"]
        ),
        (&json!(1), &json!("r"), &json!("r"))
    );
}

#[test]
fn texts_that_were_cut_are_converted() {
    let place = Place::new();
    let shared = "this very passage is in both of these documents and it is rather long";
    place.write(
        "in.csv",
        format!("id,text,n\n1,\"{shared}, and one\",01\n2,\"two has {shared}\",\n"),
    );
    for ending in ["parquet", "jsonl"] {
        done(
            &place,
            &format!("cut in.csv --window 5 -o kept.{ending} --cuts cuts.jsonl"),
        );
        done(
            &place,
            &format!("apply cuts.jsonl in.csv -o applied.{ending}"),
        );
        assert!(
            bytes(&place, &format!("applied.{ending}")) == bytes(&place, &format!("kept.{ending}"))
        );
    }
    let rows = objects(&done(&place, "dedup kept.parquet -o - --quiet").out);
    assert_eq!(rows, objects(&place.read("kept.jsonl")));
    assert_eq!(
        (
            &rows[0]["n"],
            &rows[1]["n"],
            rows[1]["text"].as_str().unwrap().trim()
        ),
        (&json!("01"), &json!(""), "two has")
    );
}

#[test]
fn lines_in_other_encodings_become_utf8() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        b"{\"id\":1,\"text\":\"caf\xe9 one\",\"m\xe9ta\":\"\xfc\"}\n",
    );
    for (ending, json) in [
        ("parquet", ""),
        ("csv", ""),
        ("json", "--output-format json"),
    ] {
        done(
            &place,
            &format!("dedup in.jsonl -o kept.{ending} --encoding latin1 --no-decisions {json}"),
        );
        let rows = objects(
            &done(
                &place,
                &format!("dedup kept.{ending} -o - --quiet --output-format jsonl"),
            )
            .out,
        );
        assert_eq!(
            (&rows[0]["text"], &rows[0]["méta"]),
            (&json!("café one"), &json!("ü")),
            "{ending}"
        );
    }
    // A byte order mark is not a part of the first record.
    place.write("in.jsonl", "\u{feff}{\"id\":1,\"text\":\"one\"}\r\n");
    done(&place, "dedup in.jsonl -o kept.csv --no-decisions");
    assert_eq!(place.read("kept.csv"), "id,text\n1,one\n");
}

/// Kills runs that convert records at random times; the next run has the same bytes.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn killed_runs_resume_with_the_same_bytes() {
    let place = Place::new();
    place.write("in.jsonl", lines(&varied(8000)));
    for flags in [
        "dedup in.jsonl -o kept.parquet --no-decisions",
        "cut in.jsonl -o kept.arrow --window 20",
    ] {
        let output = flags.split_whitespace().nth(3).unwrap();
        let start = |more: &str| {
            let mut command = place.command(&format!("{flags} --quiet {more}"));
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let began = std::time::Instant::now();
        assert!(start("").wait().unwrap().success());
        let (usual, expected) = (began.elapsed(), bytes(&place, output));
        let (mut random, mut killed) = (Random(11), 0);
        while killed < 12 {
            fs::remove_file(place.path(output)).unwrap();
            for attempt in 0.. {
                let time = (attempt < 5).then(|| usual.mul_f64(random.below(1100) as f64 / 1000.0));
                match kill_after(start("--resume state --resume-part 100000"), time) {
                    Some(status) => {
                        assert!(status.success());
                        break;
                    }
                    None => killed += 1,
                }
            }
            assert!(bytes(&place, output) == expected, "{flags}");
        }
    }
}

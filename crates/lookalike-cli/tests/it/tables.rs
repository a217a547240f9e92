//! Tests of Parquet and Arrow: the kept rows have all their columns and types, and the decisions are the same as for these rows
//! written as JSON Lines.

use serde_json::Value;

use crate::{Place, testdata};

/// Options that drop many of the rows.
const LOOSE: &str = "--shingle 1 --threshold 0.6";

fn tables() -> Vec<String> {
    let folder = testdata("formats/tables");
    let names = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with(".jsonl")).collect();
    names.sort();
    assert!(names.len() >= 27, "{names:?}");
    names
        .into_iter()
        .map(|name| format!("{folder}/{name}"))
        .collect()
}

fn done(place: &Place, arguments: &str) {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
}

fn objects(place: &Place, name: &str) -> Vec<Value> {
    place
        .read(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn ids(objects: &[Value]) -> Vec<Value> {
    objects.iter().map(|object| object["id"].clone()).collect()
}

#[test]
fn every_table_gives_the_decisions_of_its_rows() {
    let place = Place::new();
    let rows = testdata("formats/tables/rows.jsonl");
    done(
        &place,
        &format!("dedup {rows} -o expected.jsonl --decisions expected.why.jsonl {LOOSE}"),
    );
    let (expected, why) = (
        objects(&place, "expected.jsonl"),
        place.read("expected.why.jsonl"),
    );
    assert!(
        expected.len() > 10 && expected.len() < 50,
        "{}",
        expected.len()
    );
    done(
        &place,
        &format!("dedup {rows} -o longest.jsonl --keep longest {LOOSE}"),
    );
    let longest = ids(&objects(&place, "longest.jsonl"));
    assert_ne!(longest, ids(&expected));
    for table in tables() {
        done(
            &place,
            &format!("dedup {table} -o kept.jsonl --decisions why.jsonl {LOOSE}"),
        );
        assert_eq!(place.read("why.jsonl"), why, "{table}");
        let kept = objects(&place, "kept.jsonl");
        assert_eq!(ids(&kept), ids(&expected), "{table}");
        // The rows are written as a table and converted back to lines. They are the same rows, with all their columns.
        let ending = table.rsplit('.').next().unwrap();
        done(
            &place,
            &format!("dedup {table} -o kept.{ending} --decisions why.jsonl {LOOSE} --threads 1"),
        );
        assert_eq!(place.read("why.jsonl"), why, "{table}");
        done(
            &place,
            &format!("dedup kept.{ending} -o again.jsonl {LOOSE}"),
        );
        assert_eq!(objects(&place, "again.jsonl"), kept, "{table}");
        // With another keep order, a separate pass writes the rows.
        done(
            &place,
            &format!("dedup {table} -o longest.{ending} --keep longest --no-decisions {LOOSE}"),
        );
        done(
            &place,
            &format!("dedup longest.{ending} -o again.jsonl {LOOSE}"),
        );
        assert_eq!(ids(&objects(&place, "again.jsonl")), longest, "{table}");
    }
}

#[test]
fn all_columns_are_kept() {
    let place = Place::new();
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    done(
        &place,
        &format!("dedup {table} -o kept.parquet --decisions why.jsonl {LOOSE} --keep newest:when"),
    );
    let why = objects(&place, "why.jsonl");
    assert!(why.iter().any(|line| line["verdict"] == "dropped"));
    done(&place, &format!("dedup kept.parquet -o kept.jsonl {LOOSE}"));
    for object in objects(&place, "kept.jsonl") {
        let row = object["id"].as_i64().unwrap() - 1000;
        assert_eq!(object.as_object().unwrap().len(), 8);
        assert_eq!(
            object["price"],
            Value::from((row * 25 - 300) as f64 / 100.0)
        );
        let (n, x) = (&object["meta"]["n"], &object["meta"]["deep"]["x"]);
        assert_eq!(
            (n.as_i64(), x.as_f64()),
            if row % 11 == 0 {
                (None, None)
            } else {
                (Some(row), Some(row as f64 / 4.0))
            }
        );
    }
}

/// Returns the rows of a table of decisions as the corresponding JSON lines.
fn as_lines(place: &Place, table: &str) -> Vec<Value> {
    done(
        place,
        &format!(
            "dedup {table} -o rows.jsonl --no-decisions --label --label-prefix its_ --text-field verdict"
        ),
    );
    let mut rows = objects(place, "rows.jsonl");
    for row in rows.iter_mut().map(|row| row.as_object_mut().unwrap()) {
        row.retain(|name, _| !name.starts_with("its_"));
        if row["estimated"] == false {
            row.remove("estimated");
        }
        if row.get("reference") == Some(&Value::Null) {
            row.remove("reference");
        }
    }
    rows
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn decisions_may_be_a_table() {
    let place = Place::new();
    let line = |id: &str, text: &str| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
    let texts = [
        "a b c d e f",
        "a b c d e f g",
        "x y z",
        "x  y z",
        "",
        "q",
        "a b c d e f",
    ];
    let all = |ids: &[&str]| {
        ids.iter()
            .zip(texts)
            .map(|(id, text)| line(id, text))
            .collect::<String>()
    };
    place.write(
        "strings.jsonl",
        all(&[
            "\"a\"", "\"1\"", "\"\\\"\"", "\"é\"", "\"\\n\"", "\"\"", "\"z\"",
        ]),
    );
    place.write(
        "integers.jsonl",
        all(&["1", "-2", "3", "4", "5", "6", "9223372036854775807"]),
    );
    place.write(
        "mixed.jsonl",
        all(&[
            "1",
            "\"1\"",
            "1.5",
            "18446744073709551615",
            "\"a\\\\b\"",
            "\"null\"",
            "-0",
        ]),
    );
    place.write(
        "reference.jsonl",
        &(line("\"of it\"", "x y z") + &line("\"7\"", "nothing alike")),
    );
    for ids in ["strings", "integers", "mixed"] {
        for options in [
            "",
            "--against reference.jsonl",
            "--verify sketch",
            "--threads 1 --memory 64M",
        ] {
            let run = format!("dedup {ids}.jsonl --shingle 1 --threshold 0.8 {options}");
            done(
                &place,
                &format!("{run} -o kept.jsonl --decisions why.jsonl"),
            );
            let expected = objects(&place, "why.jsonl");
            assert!(expected.iter().any(|line| line["verdict"] == "dropped"));
            for ending in ["parquet", "arrow", "arrows"] {
                done(&place, &format!("{run} --decisions why.{ending}"));
                let mut rows = as_lines(&place, &format!("why.{ending}"));
                // Ids of different types are written as JSON.
                let unwrap = |value: &mut Value| {
                    *value = value
                        .as_str()
                        .map_or(Value::Null, |id| serde_json::from_str(id).unwrap())
                };
                if ids == "mixed" {
                    rows.iter_mut().for_each(|row| unwrap(&mut row["id"]));
                }
                if ids == "mixed" || ids == "integers" && options.contains("against") {
                    rows.iter_mut()
                        .for_each(|row| unwrap(&mut row["representative"]));
                }
                assert_eq!(rows, expected, "{ids} {ending} {options}");
                done(
                    &place,
                    &format!("apply why.{ending} {ids}.jsonl -o applied.jsonl"),
                );
                assert_eq!(
                    place.read("applied.jsonl"),
                    place.read("kept.jsonl"),
                    "{ids} {ending} {options}"
                );
            }
        }
    }
    done(
        &place,
        "dedup strings.jsonl --against reference.jsonl --decisions one.parquet",
    );
    done(
        &place,
        "dedup strings.jsonl --against reference.jsonl --decisions other.parquet --threads 1",
    );
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("one.parquet"), bytes("other.parquet"));
}

#[test]
fn invalid_tables_of_decisions_are_reported() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"a\"}\n",
    );
    let reported = |arguments: &str, what: &str| {
        let ran = place.run(arguments);
        assert!(
            ran.code != 0 && ran.err.contains(what),
            "{arguments}: {}",
            ran.err
        );
    };
    reported(
        "dedup in.jsonl --decisions why.parquet.zst",
        "why.parquet.zst: a table is compressed inside",
    );
    reported(
        "dedup in.jsonl --decisions why.csv",
        "why.csv: decisions are written as JSON Lines or a table; give a name that ends with .jsonl",
    );
    done(&place, "dedup in.jsonl --decisions why.parquet");
    place.write("other.jsonl", "{\"id\":1,\"text\":\"a\"}\n");
    reported(
        "apply why.parquet other.jsonl -o kept.jsonl",
        "why.parquet:2: the input has no document for the decision about 2",
    );
    place.write(
        "other.jsonl",
        "{\"id\":\"1\",\"text\":\"a\"}\n{\"id\":2,\"text\":\"a\"}\n",
    );
    reported(
        "apply why.parquet other.jsonl -o kept.jsonl",
        "other.jsonl:1: ",
    );
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    reported(
        &format!("apply {table} in.jsonl -o kept.jsonl"),
        "pyarrow_zstd.parquet: is not a table of decisions, which has the columns \"id\"",
    );
    // This table's id column has no metadata, because all ids are strings: `1` and `"1"`. The decisions about `mixed.jsonl` would
    // have the same strings as ids, but with metadata which says that the strings are JSON.
    place.write(
        "mixed.jsonl",
        "{\"id\":1,\"text\":\"a\"}\n{\"id\":\"1\",\"text\":\"b\"}\n",
    );
    place.write(
        "strings.jsonl",
        "{\"id\":\"1\",\"text\":\"a\"}\n{\"id\":\"\\\"1\\\"\",\"text\":\"b\"}\n",
    );
    done(&place, "dedup strings.jsonl --decisions lost.parquet");
    reported(
        "apply lost.parquet mixed.jsonl -o kept.jsonl",
        "mixed.jsonl:1: there is no decision about 1, but there is one about \"1\"; ids must",
    );
    assert!(!place.path("kept.jsonl").exists());
}

#[test]
fn several_tables_in_one_run() {
    let place = Place::new();
    let [parquet, arrow, lines] = ["pyarrow_zstd.parquet", "pyarrow_zstd.arrow", "rows.jsonl"]
        .map(|name| testdata(&format!("formats/tables/{name}")));
    let flags = format!("{LOOSE} --allow-repeated-ids --no-decisions");
    done(
        &place,
        &format!("dedup {parquet} {arrow} -o both.parquet {flags}"),
    );
    done(&place, &format!("dedup {parquet} -o one.parquet {flags}"));
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    let kept = |name: &str| {
        done(&place, &format!("dedup {name} -o shown.jsonl {flags}"));
        ids(&objects(&place, "shown.jsonl"))
    };
    // All rows of the second table are also in the first. So the only rows that are kept from the second table are those with
    // texts without a word, because such texts are always kept.
    let empty = [1007, 1027, 1047].map(Value::from);
    let one = kept("one.parquet");
    assert!(empty.iter().all(|id| one.contains(id)));
    assert_eq!(kept("both.parquet"), [&one, &empty[..]].concat());
    done(
        &place,
        &format!("dedup {arrow} {lines} {parquet} -o all.jsonl {flags}"),
    );
    done(&place, &format!("dedup {arrow} -o arrow.jsonl {flags}"));
    let all = objects(&place, "all.jsonl");
    assert_eq!(ids(&all), [&one, &empty[..], &empty].concat());
    assert!(
        place
            .read("all.jsonl")
            .starts_with(&place.read("arrow.jsonl"))
    );
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::copy(&parquet, place.path("folder/b.parquet")).unwrap();
    std::fs::copy(&arrow, place.path("folder/a.data")).unwrap();
    std::fs::copy(&arrow, place.path("folder/a.feather")).unwrap();
    done(&place, &format!("dedup folder -o folder.jsonl {flags}"));
    assert!(
        place
            .read("folder.jsonl")
            .starts_with(&place.read("arrow.jsonl"))
    );
    assert_eq!(kept("folder"), kept("both.parquet"));
    // Without an extension, the output has the format of the inputs; a pipe gets JSON Lines.
    done(&place, &format!("dedup {parquet} -o kept {flags}"));
    assert!(bytes("kept") == bytes("one.parquet"));
    let piped = place.run(&format!("dedup folder/a.data -o - {flags}"));
    assert_eq!(piped.out, place.read("arrow.jsonl"));
}

#[test]
fn rows_that_are_not_documents_are_skipped_unchanged() {
    let place = Place::new();
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    let ran = place.run(&format!("dedup {table} --text-field meta.text"));
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("pyarrow_zstd.parquet:1: field \"meta.text\" is null"),
        "{}",
        ran.err
    );
    let ran = place.run(&format!(
        "dedup {table} --text-field meta.text --skip-bad bad.jsonl -o kept.parquet {LOOSE}"
    ));
    assert!(
        ran.code == 0 && ran.err.contains("6 lines skipped, written to bad.jsonl"),
        "{}",
        ran.err
    );
    let bad = objects(&place, "bad.jsonl");
    assert_eq!(
        ids(&bad),
        [1000, 1011, 1022, 1033, 1044, 1055].map(Value::from)
    );
    assert!(
        bad.iter()
            .all(|row| row["text"].is_string() && row.as_object().unwrap().len() == 8)
    );
    // A row without an id gets its row number, counted across row groups.
    done(
        &place,
        &format!("dedup {table} --id-field none --decisions why.jsonl"),
    );
    let why = place.read("why.jsonl");
    assert!(
        why.lines()
            .last()
            .unwrap()
            .contains("pyarrow_zstd.parquet:60\""),
        "{why}"
    );
}

#[test]
fn labels_are_columns_and_decisions_are_applied_later() {
    let place = Place::new();
    for (name, int) in [
        ("pyarrow_zstd.parquet", true),
        ("pyarrow_stream.arrows", true),
        ("polars.arrow", true),
    ] {
        let (table, ending) = (
            testdata(&format!("formats/tables/{name}")),
            name.rsplit('.').next().unwrap(),
        );
        done(
            &place,
            &format!("dedup {table} -o kept.{ending} --decisions why.jsonl {LOOSE}"),
        );
        done(
            &place,
            &format!("dedup {table} -o labelled.{ending} --decisions again.jsonl --label {LOOSE}"),
        );
        assert_eq!(place.read("again.jsonl"), place.read("why.jsonl"));
        done(
            &place,
            &format!("dedup {table} -o labelled.jsonl --no-decisions --label {LOOSE}"),
        );
        // Method `exact` drops only exact duplicates, so most of the labelled rows are kept and can be checked.
        done(
            &place,
            &format!("dedup labelled.{ending} -o shown.jsonl --method exact --no-decisions"),
        );
        let (labelled, shown) = (
            objects(&place, "labelled.jsonl"),
            objects(&place, "shown.jsonl"),
        );
        assert_eq!(labelled.len(), 60);
        let why = objects(&place, "why.jsonl");
        for (why, labelled) in why.iter().zip(&labelled) {
            assert_eq!(
                (&why["verdict"], &why["representative"]),
                (&labelled["verdict"], &labelled["representative"])
            );
            assert_eq!(why["resemblance"], labelled["similarity"]);
            let cluster = if why["representative"].is_null() {
                &why["id"]
            } else {
                &why["representative"]
            };
            assert_eq!(
                (cluster, int),
                (&labelled["cluster"], labelled["cluster"].is_i64())
            );
        }
        let of_id = |id: &Value| labelled.iter().find(|row| row["id"] == *id).unwrap();
        assert!(shown.len() > 40 && shown.iter().all(|row| row == of_id(&row["id"])));
        done(
            &place,
            &format!("apply why.jsonl {table} -o applied.{ending}"),
        );
        let bytes = |name: &str| std::fs::read(place.path(&format!("{name}.{ending}"))).unwrap();
        assert!(bytes("applied") == bytes("kept"), "{name}");
    }
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    done(&place, &format!("dedup {table} -o once.parquet --label"));
    let ran = place.run("dedup once.parquet -o twice.parquet --label");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("once.parquet: there is already a column \"cluster\""),
        "{}",
        ran.err
    );
    done(
        &place,
        "dedup once.parquet -o twice.parquet --label --label-prefix dup_",
    );
    // Generated ids are strings.
    done(
        &place,
        &format!("dedup {table} --id-field none -o none.parquet --label"),
    );
    done(&place, "dedup none.parquet -o none.jsonl --method exact");
    assert!(
        objects(&place, "none.jsonl")[0]["cluster"]
            .as_str()
            .unwrap()
            .ends_with("pyarrow_zstd.parquet:1")
    );
}

#[test]
fn references_may_be_tables() {
    let place = Place::new();
    let [table, rows] = ["pyarrow_zstd.parquet", "rows.jsonl"]
        .map(|name| testdata(&format!("formats/tables/{name}")));
    for (input, reference) in [(&table, &rows), (&rows, &table)] {
        // The documents of references do not need the field that `--keep` names.
        let keep = if input == &rows {
            ""
        } else {
            "--keep newest:when"
        };
        done(
            &place,
            &format!(
                "dedup {input} --against {reference} -o kept.jsonl --decisions why.jsonl {keep}"
            ),
        );
        let why = objects(&place, "why.jsonl");
        let dropped: Vec<&Value> = why
            .iter()
            .filter(|line| line["verdict"] == "dropped")
            .collect();
        assert_eq!(
            (why.len(), dropped.len()),
            (60, 57),
            "all but those without a word"
        );
        assert!(dropped.iter().all(|line| {
            line["reference"]
                .as_str()
                .unwrap()
                .starts_with(&format!("{reference}:"))
        }));
    }
    // References may have another schema, because they are not written.
    let other = testdata("formats/tables/pyarrow_view.arrow");
    for reference in [&rows, &other] {
        done(
            &place,
            &format!("dedup {table} --against {reference} -o kept.parquet"),
        );
        done(&place, "dedup kept.parquet -o kept.jsonl");
        assert_eq!(
            ids(&objects(&place, "kept.jsonl")),
            [1007, 1027, 1047].map(Value::from)
        );
    }
    done(
        &place,
        &format!("dedup {table} -o some.parquet --label --no-decisions"),
    );
    done(
        &place,
        &format!("dedup {table} --against some.parquet -o kept.parquet"),
    );
    done(&place, "dedup kept.parquet -o kept.jsonl");
    assert_eq!(
        ids(&objects(&place, "kept.jsonl")),
        [1007, 1027, 1047].map(Value::from)
    );
}

#[test]
fn types_that_are_not_supported_are_reported_without_a_panic() {
    let place = Place::new();
    for name in ["int128.parquet", "int128.arrow", "int128.arrows"] {
        let table = testdata(&format!("formats/unsupported/{name}"));
        let ran = place.run(&format!("dedup {table} -o kept.jsonl"));
        let reported = format!(
            "error: {table}: column \"n\" has a type that is not supported (integers of 128 bits); cast the column to Decimal, Int64 \
             or a string before the file is written, or leave it out\n"
        );
        assert_eq!((ran.code, &*ran.err), (2, &*reported));
    }
}

#[test]
fn rows_that_cannot_be_json_are_reported_with_their_place() {
    let place = Place::new();
    let table = testdata("formats/unsupported/maps.parquet");
    let words = format!(
        "{table}:1: column \"m\" is a map with keys that are not strings; write a table, such as kept.parquet"
    );
    for asked in [
        "-o kept.jsonl",
        "-o kept.jsonl --label",
        "-o - --keep longest",
    ] {
        let ran = place.run(&format!("dedup {table} {asked}"));
        assert!(
            ran.code == 2 && ran.err.contains(&words),
            "{asked}: {}",
            ran.err
        );
    }
    done(&place, &format!("dedup {table} -o kept.parquet"));
    for keep in ["max:score", "min:score", "newest:score"] {
        let ran = place.run(&format!("dedup {table} --keep {keep}"));
        let words = format!("{table}:2: field \"score\" is NaN; --keep {keep} needs");
        assert!(
            ran.code == 2 && ran.err.contains(&words),
            "{keep}: {}",
            ran.err
        );
    }
    let empty = place.run(&format!(
        "dedup {}",
        testdata("formats/unsupported/empty.parquet")
    ));
    assert!(
        empty.code == 0 && empty.err.starts_with("0 documents in = 0 kept"),
        "{}",
        empty.err
    );
}

#[test]
fn invalid_tables_are_reported() {
    let place = Place::new();
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    let file = std::fs::read(&table).unwrap();
    place
        .write("cut.parquet", &file[..file.len() / 2])
        .write("fake.parquet", "{\"text\":1}\n");
    place.write("packed.parquet.zst", zstd::encode_all(&*file, 1).unwrap());
    place
        .write("in.jsonl", "{\"text\":\"a\"}\n")
        .write("in.parquet", &file);
    for (arguments, parts) in [
        (
            "dedup cut.parquet",
            &[
                "cut.parquet: begins like a Parquet file, but has no footer",
                "truncated",
            ][..],
        ),
        (
            "dedup fake.parquet",
            &["fake.parquet: is neither a Parquet file", "--format"],
        ),
        (
            "dedup packed.parquet.zst",
            &[
                "packed.parquet.zst: is compressed as a whole",
                "decompress it first",
            ],
        ),
        (
            "dedup in.jsonl --format parquet",
            &["in.jsonl: is neither a Parquet file"],
        ),
        (
            "dedup in.parquet --text-field body",
            &[
                "in.parquet: no column \"body\"; the table has",
                "\"text\"",
                "--text-field",
            ],
        ),
        (
            "dedup in.parquet --text-field tags",
            &["column \"tags\" is a list", "join its items"],
        ),
        (
            "dedup in.parquet in.jsonl -o kept.parquet",
            &[
                "kept.parquet: a table has the records of tables (Parquet or Arrow), or of other formats",
            ],
        ),
        (
            "dedup in.parquet -o kept.parquet.zst",
            &["kept.parquet.zst: a table is compressed inside"],
        ),
        (
            "pairs in.parquet -o pairs.parquet",
            &["pairs.parquet: pairs are written as JSON Lines"],
        ),
        (
            "pairs in.parquet -o pairs.csv",
            &["pairs.csv: pairs are written as JSON Lines"],
        ),
        (
            "dedup in.parquet -o in.parquet",
            &["would overwrite the input"],
        ),
        (
            "dedup --input-command cat\u{a0}in.parquet",
            &["command:1: is a table", "save it to a file"],
        ),
    ] {
        let mut command = place.command("");
        command.args(
            arguments
                .split(' ')
                .map(|argument| argument.replace('\u{a0}', " ")),
        );
        let ran = super::Ran::of(command.output().unwrap());
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        assert!(
            parts.iter().all(|part| ran.err.contains(part)),
            "{arguments}: {}",
            ran.err
        );
    }
    assert!(!place.path("kept.parquet").exists());
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn every_table_can_be_written_as_every_other() {
    let place = Place::new();
    for table in tables() {
        done(
            &place,
            &format!("dedup {table} -o expected.jsonl --no-decisions {LOOSE}"),
        );
        let expected = ids(&objects(&place, "expected.jsonl"));
        for ending in ["parquet", "arrow", "arrows"] {
            done(
                &place,
                &format!("dedup {table} -o kept.{ending} --no-decisions {LOOSE}"),
            );
            done(
                &place,
                &format!("dedup kept.{ending} -o again.jsonl --no-decisions {LOOSE}"),
            );
            assert_eq!(
                ids(&objects(&place, "again.jsonl")),
                expected,
                "{table} {ending}"
            );
        }
    }
}

/// Whatever bytes are damaged, a run that reads all columns ends with an answer or with an error message.
#[test]
fn damaged_tables_are_refused_with_a_message() {
    let place = Place::new();
    let mut seed = 1u64;
    let mut draw = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let (mut answered, mut refused) = (0, 0);
    for table in tables() {
        let (whole, ending) = (
            std::fs::read(&table).unwrap(),
            table.rsplit('.').next().unwrap(),
        );
        for options in [
            "-o kept.jsonl",
            "-o kept.parquet --keep longest",
            "-o kept.arrow --label",
        ] {
            let mut bytes = whole.clone();
            for _ in 0..=draw(4) {
                let at = draw(bytes.len());
                bytes[at] ^= 1 << draw(8);
            }
            std::fs::write(place.path(&format!("in.{ending}")), bytes).unwrap();
            let ran = place.run(&format!("dedup in.{ending} {options} {LOOSE}"));
            let of_ours = ran.err.contains("panicked") || ran.err.contains("please report");
            assert!(
                !of_ours && matches!(ran.code, 0 | 2),
                "{table} {options}: {} {}",
                ran.code,
                ran.err
            );
            *if ran.code == 0 {
                &mut answered
            } else {
                &mut refused
            } += 1;
        }
    }
    assert!(
        answered > 5 && refused > 20,
        "{answered} answered, {refused} refused"
    );
}

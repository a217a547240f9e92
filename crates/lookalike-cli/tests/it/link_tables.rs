//! Records in Parquet and Arrow are linked as the same records in JSON Lines and CSV.

use serde_json::Value;

use crate::{Place, testdata};

/// A configuration for the rows of `testdata/formats/tables`.
const CONFIG: &str = r#"match = 0.7
possible = 0.4

[[field]]
name = "text"
type = "text"

[[field]]
name = "kind"
type = "exact"
missing = 0.5

[[field]]
name = "when"
type = "date"
weight = 20

[[block]]
equal = "kind"
"#;

/// Fields of all other types that these rows have.
const NESTED: &str = r#"match = 0.7
possible = 0.4

[[field]]
name = "text"
type = "text"

[[field]]
name = "price"
type = "number"

[[field]]
name = "n"
from = "meta.n"
type = "number"
within = 20

[[field]]
name = "x"
from = ["meta.deep.x"]
type = "number"
within = 5

[[block]]
equal = "n"

[[block]]
similar = "text"
threshold = 0.2
"#;

/// Returns the pairs and the clusters of a run.
fn linked(place: &Place, arguments: &str) -> (String, String) {
    let ran = place.run(&format!("link {arguments} --clusters clusters.jsonl"));
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    (ran.out, place.read("clusters.jsonl"))
}

fn tables() -> Vec<String> {
    let folder = testdata("formats/tables");
    let names = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with(".jsonl")).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| format!("{folder}/{name}"))
        .collect()
}

#[test]
fn every_table_gives_the_links_of_its_rows() {
    let place = Place::new();
    place.write("link.toml", CONFIG);
    let rows = testdata("formats/tables/rows.jsonl");
    let expected = linked(&place, &format!("{rows} --config link.toml"));
    assert!(expected.0.lines().count() > 20, "{}", expected.0);
    for table in tables() {
        for options in ["", "--threads 1 --memory 64M"] {
            assert_eq!(
                linked(&place, &format!("{table} --config link.toml {options}")),
                expected,
                "{table} {options}"
            );
        }
    }
}

#[test]
fn nested_columns_numbers_and_suggestions_are_those_of_lines() {
    let place = Place::new();
    place.write("nested.toml", NESTED);
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    for name in ["rows.jsonl", "rows.parquet", "rows.arrow", "rows.arrows"] {
        let ran = place.run(&format!(
            "dedup {table} -o {name} --no-decisions --threshold 1"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let expected = linked(&place, "rows.jsonl --config nested.toml --right-by id");
    assert!(
        expected.0.lines().count() > 20 && expected.0.contains("\"n\":null"),
        "{}",
        expected.0
    );
    let suggested = place.run("link rows.jsonl --suggest").out;
    assert!(
        suggested.contains("meta.deep.x") || suggested.contains("meta.n"),
        "{suggested}"
    );
    let ids: Vec<&str> = expected
        .0
        .lines()
        .next()
        .unwrap()
        .split([':', ','])
        .collect();
    let explained = place
        .run(&format!(
            "link rows.jsonl --config nested.toml --explain {} {}",
            ids[1], ids[3]
        ))
        .out;
    assert!(
        explained.contains("of 400 points") || explained.contains("points, score"),
        "{explained}"
    );
    for name in ["rows.parquet", "rows.arrow", "rows.arrows"] {
        assert_eq!(
            linked(
                &place,
                &format!("{name} --config nested.toml --right-by id")
            ),
            expected,
            "{name}"
        );
        assert_eq!(
            place.run(&format!("link {name} --suggest")).out,
            suggested,
            "{name}"
        );
        let ran = place.run(&format!(
            "link {name} --config nested.toml --explain {} {}",
            ids[1], ids[3]
        ));
        assert_eq!(ran.out, explained, "{name}");
    }
}

#[test]
fn two_collections_may_have_different_formats() {
    let place = Place::new();
    place.write("link.toml", format!("one_to_one = false\n{CONFIG}"));
    let rows = std::fs::read_to_string(testdata("formats/tables/rows.jsonl")).unwrap();
    let quoted = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => format!("\"{}\"", text.replace('"', "\"\"")),
        other => other.to_string(),
    };
    let cells = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        ["id", "text", "kind", "when"]
            .map(|field| quoted(&object[field]))
            .join(",")
    };
    let csv: Vec<String> = rows.lines().map(cells).collect();
    place.write(
        "rows.csv",
        format!("id,text,kind,when\n{}\n", csv.join("\n")),
    );
    place.write("a.jsonl", &rows).write("b.jsonl", &rows);
    let table = |name: &str| testdata(&format!("formats/tables/{name}"));
    let (parquet, arrow) = (table("pyarrow_zstd.parquet"), table("polars.arrow"));
    let expected = linked(&place, "a.jsonl b.jsonl --config link.toml");
    assert!(expected.0.lines().count() > 60, "{}", expected.0);
    for both in [
        format!("{parquet} {arrow}"),
        format!("{arrow} b.jsonl"),
        format!("a.jsonl {parquet}"),
    ] {
        assert_eq!(
            linked(&place, &format!("{both} --config link.toml")),
            expected,
            "{both}"
        );
    }
    // CSV has no numbers, so its ids are strings.
    let as_strings = |name: &str| {
        let with = |line: &str| {
            let (before, rest) = line.split_once(&format!("\"{name}\":")).unwrap();
            let (id, rest) = rest.split_once(',').unwrap();
            format!("{before}\"{name}\":\"{id}\",{rest}\n")
        };
        expected.0.lines().map(with).collect::<String>()
    };
    assert_eq!(
        linked(&place, &format!("rows.csv {parquet} --config link.toml")).0,
        as_strings("a")
    );
    assert_eq!(
        linked(&place, &format!("{arrow} rows.csv --config link.toml")).0,
        as_strings("b")
    );
}

#[test]
fn problems_of_tables_are_named() {
    let place = Place::new();
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    place.write("none.toml", CONFIG.replace("\"kind\"", "\"sort\""));
    place.write(
        "list.toml",
        CONFIG.replace("type = \"date\"", "type = \"date\"\nfrom = \"meta\""),
    );
    place.write("link.toml", CONFIG);
    for (arguments, parts) in [
        // The message lists the columns that were not read, too.
        (
            "--config none.toml",
            &[
                "no record has \"sort\"",
                "the first record has \"id\", \"text\", \"kind\"",
                "\"price\"",
            ][..],
        ),
        (
            "--config list.toml",
            &["pyarrow_zstd.parquet:2: field \"meta\" is an object"],
        ),
        (
            "--config link.toml --label person",
            &["--label person: this field is missing or empty in all records"],
        ),
        (
            "--config link.toml --id-field kind",
            &["already used", "pyarrow_zstd.parquet:"],
        ),
        ("--config link.toml --format csv", &["pyarrow_zstd.parquet"]),
    ] {
        let ran = place.run(&format!("link {table} {arguments}"));
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{arguments}: {}",
            ran.err
        );
        for part in parts {
            assert!(
                ran.err.contains(part),
                "{arguments}: no {part:?} in {}",
                ran.err
            );
        }
    }
    // A row without an id is named by its file and its number.
    let ran = place.run(&format!(
        "link {table} --config link.toml --id-field nothing"
    ));
    assert!(
        ran.code == 0 && ran.out.contains("pyarrow_zstd.parquet:"),
        "{}{}",
        ran.out,
        ran.err
    );
}

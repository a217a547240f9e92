//! Tests of `lookalike cut --mark`: records with their whole texts, and with what would be cut out of them.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{Place, Ran, testdata};

const NOTICE: &str = "No part of this page may be copied without asking.";

fn done(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

fn objects(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A page with a notice, one that repeats it, and one that is nothing else.
fn place() -> Place {
    let place = Place::new();
    let texts = [
        format!("Rain. {NOTICE}"),
        format!("é {NOTICE} Sun."),
        NOTICE.to_uppercase(),
    ];
    let line =
        |(id, text): (usize, &String)| format!("{{\"id\":{id}, \"text\": {}}}\n", json!(text));
    place.write(
        "in.jsonl",
        texts.iter().enumerate().map(line).collect::<String>(),
    );
    place.write(
        "in.csv",
        format!(
            "id;text\r\na;{}\r\nb;{}\r\nc;{}",
            texts[0], texts[1], texts[2]
        ),
    );
    place
}

/// Makes the cuts of marked records, and returns the records without their marks.
fn applied(marked: &str, prefix: &str) -> Vec<Value> {
    let mut left = Vec::new();
    for mut record in objects(marked) {
        let fields = record.as_object_mut().unwrap();
        let [verdict, spans] =
            ["verdict", "spans"].map(|name| fields.remove(&format!("{prefix}{name}")).unwrap());
        let text: Vec<char> = fields["text"].as_str().unwrap().chars().collect();
        let spans = spans.as_array().unwrap();
        assert!((verdict == "kept") == spans.is_empty() || verdict == "dropped");
        let (mut remaining, mut before) = (String::new(), 0);
        for span in spans {
            let [start, end] = ["start", "end"].map(|name| span[name].as_u64().unwrap() as usize);
            remaining.extend(&text[before..start]);
            remaining += span["insert"].as_str().unwrap_or_default();
            before = end;
        }
        remaining.extend(&text[before..]);
        fields["text"] = remaining.into();
        if verdict != "dropped" {
            left.push(record);
        }
    }
    left
}

#[test]
fn records_are_written_whole_with_what_would_be_cut() {
    let place = place();
    assert_snapshot!(done(&place, "cut in.jsonl --window 5 --mark -o marked.jsonl").shown(), @"
    exit 0
    --- stdout
    --- stderr
    3 documents in = 1 unchanged + 1 cut + 1 dropped
      tokens   33 in = 13 kept + 20 cut (60.6 %) + 0 dropped
      cuts     2 cuts, of passages of at least 5 tokens
      marked   nothing was cut or dropped: the numbers say what would be
      written  all records, marked, to marked.jsonl

       tokens  documents  passage and document that keeps it
           20          2  No part of this page may be copied without asking 0
    ");
    assert_snapshot!(place.read("marked.jsonl"), @r#"
    {"id":0, "text": "Rain. No part of this page may be copied without asking.","cut_verdict":"kept","cut_spans":[]}
    {"id":1, "text": "é No part of this page may be copied without asking. Sun.","cut_verdict":"cut","cut_spans":[{"start":2,"end":53,"tokens":10,"source":0,"source_start":6,"source_end":55}]}
    {"id":2, "text": "NO PART OF THIS PAGE MAY BE COPIED WITHOUT ASKING.","cut_verdict":"dropped","cut_spans":[{"start":0,"end":50,"tokens":10,"source":0,"source_start":6,"source_end":55}]}
    "#);
    // The spans are also those of the cuts file.
    done(
        &place,
        "cut in.jsonl --window 5 --mark --mark-prefix x -o other.jsonl --cuts cuts.jsonl",
    );
    for (cuts, record) in objects(&place.read("cuts.jsonl"))
        .into_iter()
        .zip(objects(&place.read("other.jsonl")))
    {
        assert_eq!(cuts["verdict"], record["xverdict"]);
        for (cut, span) in cuts["cuts"]
            .as_array()
            .unwrap()
            .iter()
            .zip(record["xspans"].as_array().unwrap())
        {
            span.as_object()
                .unwrap()
                .iter()
                .for_each(|(name, value)| assert_eq!(&cut[name], value));
        }
    }
    assert_snapshot!(done(&place, "cut in.csv --window 5 --mark -o -").out, @r#"
    id;text;cut_verdict;cut_spans
    a;Rain. No part of this page may be copied without asking.;kept;[]
    b;é No part of this page may be copied without asking. Sun.;cut;"[{""start"":2,""end"":53,""tokens"":10,""source"":""a"",""source_start"":6,""source_end"":55}]"
    c;NO PART OF THIS PAGE MAY BE COPIED WITHOUT ASKING.;dropped;"[{""start"":0,""end"":50,""tokens"":10,""source"":""a"",""source_start"":6,""source_end"":55}]"
    "#);
}

/// Removing the spans from real texts gives the texts that the command writes without marks.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn the_spans_give_the_remaining_texts() {
    let (place, all) = (Place::new(), testdata("licenses.jsonl.zst"));
    let whole = place
        .run(&format!("cut {all} --more-than 1000000 -o -"))
        .out;
    for options in [
        "--window 10",
        "--unit lines --keep longest --threads 3",
        "--min-left 200 --memory 64M",
    ] {
        done(
            &place,
            &format!("cut {all} {options} -o clean.jsonl --cuts cuts.jsonl"),
        );
        let cuts = place.read("cuts.jsonl");
        done(
            &place,
            &format!("cut {all} {options} --mark -o marked.jsonl --cuts cuts.jsonl"),
        );
        assert!(cuts == place.read("cuts.jsonl"), "{options}");
        let (marked, clean) = (
            place.read("marked.jsonl"),
            objects(&place.read("clean.jsonl")),
        );
        assert!(applied(&marked, "cut_") == clean, "{options}");
        let fields =
            |line: &str| line.rsplit_once(r#","cut_verdict""#).unwrap().0.to_owned() + "}\n";
        assert!(
            marked.lines().map(fields).collect::<String>() == whole,
            "other fields are unchanged"
        );
    }
}

#[test]
fn marks_in_every_format() {
    let place = place();
    let records = objects(&place.read("in.jsonl"));
    place.write("in.json", serde_json::to_string_pretty(&records).unwrap());
    done(&place, "cut in.jsonl --window 5 --mark -o marked.jsonl");
    let expected = objects(&place.read("marked.jsonl"));
    done(&place, "cut in.json --window 5 --mark -o marked.json");
    let elements: Vec<Value> = serde_json::from_str(&place.read("marked.json")).unwrap();
    assert_eq!(elements, expected);
    // HTML pages are written as the texts to which the spans belong.
    let pages =
        records.iter().map(|record| json!({"id": record["id"], "text": format!("<p>{}</p>", record["text"].as_str().unwrap())}));
    place.write(
        "pages.jsonl",
        pages.map(|page| format!("{page}\n")).collect::<String>(),
    );
    done(
        &place,
        "cut pages.jsonl --html text --window 5 -o clean.jsonl",
    );
    done(
        &place,
        "cut pages.jsonl --html text --window 5 --mark -o marked.jsonl",
    );
    assert_eq!(
        applied(&place.read("marked.jsonl"), "cut_"),
        objects(&place.read("clean.jsonl"))
    );
    // A text in another encoding.
    place.write(
        "big5.jsonl",
        [&b"{\"id\":\"\xa4\xa4\",\"text\":\"a b c d e f\"}\n{\"id\":\"\xa4\xe5\",\"text\":\"\xa4\xe5 a b c d e f\"}\n"[..]]
            .concat(),
    );
    done(
        &place,
        "cut big5.jsonl --encoding big5 --window 5 --mark -o marked.jsonl",
    );
    let marked = std::fs::read(place.path("marked.jsonl")).unwrap();
    let end = &br#","cut_verdict":"cut","cut_spans":[{"start":1,"end":13,"tokens":6,"source":"\u4e2d","source_start":0,"source_end":11}]}"#[..];
    assert!(
        marked.ends_with(&[end, b"\n"].concat()),
        "{}",
        String::from_utf8_lossy(&marked)
    );
}

#[test]
fn marks_of_tables() {
    let place = Place::new();
    for (table, out) in [
        ("pyarrow_zstd.parquet", "marked.parquet"),
        ("pyarrow_dictionary.arrow", "marked.arrow"),
        ("polars.arrows", "marked.arrows"),
        ("pyarrow_zstd.parquet", "marked.jsonl"),
    ] {
        let table = testdata(&format!("formats/tables/{table}"));
        done(&place, &format!("cut {table} --window 3 -o clean.jsonl"));
        done(&place, &format!("cut {table} --window 3 --mark -o {out}"));
        done(
            &place,
            &format!("cut {out} --more-than 1000 --window 1000 -o rows.jsonl"),
        );
        let rows = place.read("rows.jsonl");
        assert!(rows.contains(r#""cut_verdict":"cut""#), "{rows}");
        assert_eq!(
            applied(&rows, "cut_"),
            objects(&place.read("clean.jsonl")),
            "{out}"
        );
    }
}

#[test]
fn names_of_marks_that_exist_are_refused() {
    let place = place();
    place
        .write("taken.jsonl", "{\"text\":\"a\",\"cut_spans\":1}\n")
        .write("taken.csv", "text,cut_verdict\na,b\n");
    place.write(
        "later.jsonl",
        format!(
            "{}{}",
            "{\"text\":\"a\"}\n".repeat(30_000),
            "{\"text\":\"a\",\"cut_spans\":1}\n"
        ),
    );
    let words = "rename the fields of --mark, for example with --mark-prefix my_";
    for (name, place_of) in [
        ("taken.jsonl", "taken.jsonl:1: there is already a field"),
        ("taken.csv", "taken.csv:1: there is already a column"),
        ("later.jsonl", "later.jsonl:30001: "),
    ] {
        let ran = place.run(&format!("cut {name} --min-left 0 --mark -o out"));
        assert!(
            ran.code == 2 && ran.err.contains(place_of) && ran.err.contains(words),
            "{}",
            ran.err
        );
        done(
            &place,
            &format!("cut {name} --min-left 0 --mark --mark-prefix my_ -o -"),
        );
    }
    let ran = place.run("cut in.jsonl --mark");
    assert!(ran.code == 2 && ran.err.contains("--output"), "{}", ran.err);
    let ran = place.run("cut in.jsonl --mark-prefix x -o out");
    assert!(ran.code == 2 && ran.err.contains("--mark"), "{}", ran.err);
    assert!(!place.names().contains(&"out".to_string()));
}

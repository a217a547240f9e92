//! Tests of `lookalike cut`.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use lookalike::cut::{Cut, Unit};
use serde_json::{Value, json};

use crate::{Place, testdata};

const NOTICE: &str =
    "No part of this page may be copied. Ask the owner of this page first, and wait for an answer.";

/// Four pages: a notice in the first three, and the menu of the first page in the last.
fn pages() -> [(&'static str, String); 4] {
    [
        (
            "a",
            format!("Home | News | About us | Contact\nRain in the north.\n{NOTICE}\n"),
        ),
        (
            "b",
            format!("Sun in the south. {NOTICE}\nHail in the east.\n"),
        ),
        ("c", NOTICE.to_uppercase()),
        (
            "d",
            "Snow in the west.\n\nhome, news, about us, contact\n".into(),
        ),
    ]
}

fn place() -> Place {
    let place = Place::new();
    let line = |(id, text): &(&str, String)| {
        json!({"id": id, "n": 1.50, "text": text, "more": [text.len()]}).to_string() + "\n"
    };
    place.write("pages.jsonl", pages().iter().map(line).collect::<String>());
    place
}

/// A folder with 500 licences. Nothing is cut out of them, because too many texts would have to contain it.
fn licenses() -> Place {
    let place = Place::new();
    let all = place.run(&format!(
        "cut {} -o - -q --more-than 1000000",
        testdata("licenses.jsonl.zst")
    ));
    let lines: Vec<&str> = all.out.lines().take(500).collect();
    place.write("all.jsonl", lines.join("\n"));
    place
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn threads_and_memory_change_no_byte() {
    let place = Place::new();
    let all = testdata("licenses.jsonl.zst");
    for options in [
        "",
        "--window 12 --keep longest",
        "--unit lines --keep longest",
        "--unit sentences --window 2 --more-than 2",
    ] {
        let expected = place
            .run(&format!(
                "cut {all} {options} -o - --cuts cuts.jsonl -q --threads 1"
            ))
            .out;
        let cuts = place.read("cuts.jsonl");
        for threads in [1, 2, 7] {
            // So little memory does not suffice for what the texts may share.
            let run = place.run(&format!(
                "cut {all} {options} -o - --cuts cuts.jsonl -v --threads {threads} --memory 64M"
            ));
            assert!(
                run.err.contains("repeated passages are found first"),
                "{}",
                run.err
            );
            assert!(
                run.out == expected && place.read("cuts.jsonl") == cuts,
                "{options} --threads {threads}"
            );
        }
    }
}

#[test]
fn passages_are_cut_and_their_sources_are_named() {
    let place = place();
    assert_snapshot!(place.run("cut pages.jsonl --window 5 -o clean.jsonl --cuts cuts.jsonl").shown(), @r#"
    exit 0
    --- stdout
    --- stderr
    4 documents in = 1 unchanged + 2 cut + 1 dropped
      tokens   86 in = 41 kept + 45 cut (52.3 %) + 0 dropped
      cuts     3 cuts, of passages of at least 5 tokens
      written  records to clean.jsonl
      written  cuts to cuts.jsonl

       tokens  documents  passage and document that keeps it
           40          2  No part of this page may be copied. Ask the owner of this page first, and wait f… "a"
            5          1  Home | News | About us | Contact "a"
    "#);
    assert_snapshot!(place.read("clean.jsonl"), @r#"
    {"id":"a","more":[146],"n":1.5,"text":"Home | News | About us | Contact\nRain in the north.\nNo part of this page may be copied. Ask the owner of this page first, and wait for an answer.\n"}
    {"id":"b","more":[130],"n":1.5,"text":"Sun in the south. Hail in the east.\n"}
    {"id":"d","more":[49],"n":1.5,"text":"Snow in the west.\n\n"}
    "#);
    assert_snapshot!(place.read("cuts.jsonl"), @r#"
    {"id":"a","verdict":"kept","cuts":[]}
    {"id":"b","verdict":"cut","cuts":[{"start":18,"end":112,"start_byte":18,"end_byte":112,"tokens":20,"source":"a","source_start":52,"source_end":144,"source_start_byte":52,"source_end_byte":144}]}
    {"id":"c","verdict":"dropped","cuts":[{"start":0,"end":93,"start_byte":0,"end_byte":93,"tokens":20,"source":"a","source_start":52,"source_end":144,"source_start_byte":52,"source_end_byte":144}]}
    {"id":"d","verdict":"cut","cuts":[{"start":19,"end":49,"start_byte":19,"end_byte":49,"tokens":5,"source":"a","source_start":0,"source_end":32,"source_start_byte":0,"source_end_byte":32}]}
    "#);
    // A second run cuts nothing, and writes the same bytes.
    let again = place.run("cut clean.jsonl --window 5 -o again.jsonl --json");
    let summary: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(
        (&summary["tokens_cut"], &summary["cut"]),
        (&0.into(), &0.into())
    );
    assert_eq!(place.read("again.jsonl"), place.read("clean.jsonl"));
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn each_cut_leads_to_the_same_words_in_the_output() {
    let place = licenses();
    for options in [
        "",
        " --unit lines",
        " --unit sentences --window 2",
        " --keep longest --window 20",
    ] {
        assert_eq!(
            place
                .run(&format!(
                    "cut all.jsonl{options} -o clean.jsonl --cuts cuts.jsonl -q"
                ))
                .err,
            ""
        );
        let texts = |name: &str| -> Vec<Value> {
            place
                .read(name)
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        let by_id = |lines: &str| -> BTreeMap<String, String> {
            let records = lines
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            records
                .map(|record| {
                    (
                        record["id"].to_string(),
                        record["text"].as_str().unwrap().to_owned(),
                    )
                })
                .collect()
        };
        let original = by_id(&place.read("all.jsonl"));
        let clean = by_id(&place.read("clean.jsonl"));
        let words = |text: &str| {
            let mut tokens = lookalike::text::Tokens::new();
            lookalike::text::canonicalise(
                text,
                Default::default(),
                Default::default(),
                &mut tokens,
            );
            tokens.iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        let (mut cuts, mut kept) = (0, 0);
        for line in texts("cuts.jsonl") {
            let own = &original[&line["id"].to_string()];
            kept += usize::from(line["verdict"] != "dropped");
            // The output is the text without the cuts.
            let mut left = String::new();
            let mut before = 0;
            for cut in line["cuts"].as_array().unwrap() {
                left += &own[before..cut["start_byte"].as_u64().unwrap() as usize];
                left += cut["insert"].as_str().unwrap_or_default();
                before = cut["end_byte"].as_u64().unwrap() as usize;
            }
            left += &own[before..];
            let written = clean.get(&line["id"].to_string());
            assert_eq!(written.is_some(), line["verdict"] != "dropped");
            assert!(written.is_none_or(|written| *written == left), "{line}");
            for cut in line["cuts"].as_array().unwrap() {
                cuts += 1;
                let at = |name: &str| cut[name].as_u64().unwrap() as usize;
                let source = &original[&cut["source"].to_string()];
                let (start, end) = (at("start_byte"), at("end_byte"));
                let (from, to) = (at("source_start_byte"), at("source_end_byte"));
                assert_eq!(words(&own[start..end]), words(&source[from..to]));
                assert_eq!(words(&own[start..end]).len(), at("tokens"));
                let characters = |text: &str, from: usize, to: usize| {
                    text.chars().skip(from).take(to - from).collect::<String>()
                };
                assert_eq!(characters(own, at("start"), at("end")), own[start..end]);
                assert_eq!(
                    characters(source, at("source_start"), at("source_end")),
                    source[from..to]
                );
            }
        }
        assert!(cuts > 100, "{cuts}");
        assert_eq!(clean.len(), kept);
        let again = place.run(&format!("cut clean.jsonl{options} -o again.jsonl --json"));
        let summary: Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(summary["tokens_cut"], 0, "{options}");
        assert!(
            place.read("again.jsonl") == place.read("clean.jsonl"),
            "{options}"
        );
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn the_command_agrees_with_the_library() {
    let place = licenses();
    let texts = |name: &str| -> Vec<String> {
        let text = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["text"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        place.read(name).lines().map(text).collect()
    };
    let original = texts("all.jsonl");
    for (options, cut) in [
        ("--threads 1 --memory 64M", Cut::new()),
        ("--window 10 --threads 7", Cut::new().window(10)),
        (
            "--window 12 --more-than 3 --min-left 30",
            Cut::new().window(12).more_than(3).min_left(30),
        ),
        (
            "--unit lines --min-tokens 2",
            Cut::new().unit(Unit::Lines).min_tokens(2),
        ),
        ("--unit paragraphs", Cut::new().unit(Unit::Paragraphs)),
        (
            "--window 20 --whole-lines",
            Cut::new().window(20).whole_lines(true),
        ),
        (
            "--unit lines --verbatim",
            Cut::new().unit(Unit::Lines).verbatim(true),
        ),
        (
            "--within document --window 8",
            Cut::new()
                .window(8)
                .within(lookalike::cut::Within::Document),
        ),
    ] {
        place.run(&format!("cut all.jsonl {options} -o cut.jsonl -q"));
        let expected: Vec<String> = cut
            .run(&original)
            .unwrap()
            .into_iter()
            .filter(|cut| !cut.is_dropped)
            .map(|cut| cut.text)
            .collect();
        assert!(texts("cut.jsonl") == expected, "{options}");
    }
}

#[test]
fn every_format_keeps_its_other_fields() {
    let place = place();
    let run = |arguments: &str| {
        let ran = place.run(&format!("cut {arguments} --window 5 -q"));
        assert_eq!((ran.code, &*ran.err), (0, ""), "{arguments}");
        ran.out
    };
    // JSON arrays.
    let records: Vec<String> = place
        .read("pages.jsonl")
        .lines()
        .map(String::from)
        .collect();
    place.write("pages.json", format!("[\n  {}\n]\n", records.join(",\n  ")));
    run("pages.json -o clean.json");
    assert_snapshot!(place.read("clean.json"), @r#"
    [
    {"id":"a","more":[146],"n":1.5,"text":"Home | News | About us | Contact\nRain in the north.\nNo part of this page may be copied. Ask the owner of this page first, and wait for an answer.\n"},
    {"id":"b","more":[130],"n":1.5,"text":"Sun in the south. Hail in the east.\n"},
    {"id":"d","more":[49],"n":1.5,"text":"Snow in the west.\n\n"}
    ]
    "#);
    // CSV, with quotes.
    let cell = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows: String = pages()
        .iter()
        .map(|(id, text)| format!("{id},{},\"x, \"\"y\"\"\"\r\n", cell(text)))
        .collect();
    place.write("pages.csv", format!("id,text,note\r\n{rows}"));
    run("pages.csv -o clean.csv");
    assert_snapshot!(place.read("clean.csv"), @r#"
    id,text,note
    a,"Home | News | About us | Contact
    Rain in the north.
    No part of this page may be copied. Ask the owner of this page first, and wait for an answer.
    ","x, ""y"""
    b,"Sun in the south. Hail in the east.
    ","x, ""y"""
    d,"Snow in the west.

    ","x, ""y"""
    "#);
    assert_eq!(run("pages.csv -o -"), place.read("clean.csv"));
    // Files that are documents.
    for (id, text) in pages() {
        place.write(&format!("{id}.txt"), text);
    }
    assert_snapshot!(run("a.txt b.txt c.txt d.txt -o -"), @r#"
    {"id":"a.txt","text":"Home | News | About us | Contact\nRain in the north.\nNo part of this page may be copied. Ask the owner of this page first, and wait for an answer.\n"}
    {"id":"b.txt","text":"Sun in the south. Hail in the east.\n"}
    {"id":"d.txt","text":"Snow in the west.\n\n"}
    "#);
    // A text that is left empty in a file of one column, and a character that its encoding does not have.
    place.write("one.csv", "text\na b c d e f\na b c d e f\nx\n");
    assert_eq!(
        run("one.csv --min-left 0 --text-field text -o -")
            .lines()
            .nth(2),
        Some("\"\"")
    );
    place.write(
        "hk.csv",
        [
            &b"id,text\n1,a b c d e f\n2,"[..],
            &[0x88, 0x62],
            b" a b c d e f\n",
        ]
        .concat(),
    );
    let ran = place.run("cut hk.csv --window 5 --encoding big5 -o hk.out.csv");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("hk.csv:3: the remaining text cannot be written as Big5"),
        "{}",
        ran.err
    );
    // A nested field, an escaped name, and an encoding.
    place.write(
        "nested.jsonl",
        format!(
            "{}\n{}\n",
            json!({"p": {"body": NOTICE, "n": 1}}),
            json!({"p": {"n": 2, "body": format!("x {NOTICE}")}})
        ),
    );
    assert_snapshot!(run("nested.jsonl --text-field p.body -o -"), @r#"
    {"p":{"body":"No part of this page may be copied. Ask the owner of this page first, and wait for an answer.","n":1}}
    {"p":{"body":"x","n":2}}
    "#);
    place.write(
        "escaped.jsonl",
        format!(
            "{{\"text\":{0:?}}}\n{{\"te\\u0078t\":\"\\u00e9 {1}\"}}\n",
            NOTICE, NOTICE
        ),
    );
    assert_snapshot!(run("escaped.jsonl -o -"), @r#"
    {"text":"No part of this page may be copied. Ask the owner of this page first, and wait for an answer."}
    {"te\u0078t":"é"}
    "#);
}

#[test]
fn cuts_are_attributes_of_dolma() {
    let place = place();
    let run = place.run("cut pages.jsonl --window 5 -o clean.jsonl --dolma cuts.jsonl");
    assert!(
        run.err.contains("written  attributes to cuts.jsonl"),
        "{}",
        run.err
    );
    assert_snapshot!(place.read("cuts.jsonl"), @r#"
    {"id":"a","attributes":{"lookalike__cut":[],"lookalike__dropped":[]}}
    {"id":"b","attributes":{"lookalike__cut":[[18,112,1.0]],"lookalike__dropped":[]}}
    {"id":"c","attributes":{"lookalike__cut":[[0,93,1.0]],"lookalike__dropped":[[0,93,1.0]]}}
    {"id":"d","attributes":{"lookalike__cut":[[19,49,1.0]],"lookalike__dropped":[]}}
    "#);
    let kept: BTreeMap<String, Value> = place
        .read("clean.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .map(|line: Value| (line["id"].as_str().unwrap().into(), line["text"].clone()))
        .collect();
    // Removing the spans gives the texts that the command writes.
    for ((id, text), line) in pages().iter().zip(place.read("cuts.jsonl").lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let mut left: Vec<char> = text.chars().collect();
        for span in line["attributes"]["lookalike__cut"]
            .as_array()
            .unwrap()
            .iter()
            .rev()
        {
            let [start, end] = [0, 1].map(|at| span[at].as_u64().unwrap() as usize);
            left.drain(start..end);
        }
        let is_dropped = !line["attributes"]["lookalike__dropped"]
            .as_array()
            .unwrap()
            .is_empty();
        assert_eq!(
            (line["id"].as_str().unwrap(), !kept.contains_key(*id)),
            (*id, is_dropped)
        );
        assert_eq!(
            left.into_iter().collect::<String>(),
            kept.get(*id).map_or("", |text| text.as_str().unwrap())
        );
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn cuts_are_applied_later() {
    let place = licenses();
    place.run("cut all.jsonl --window 12 -o clean.jsonl --cuts cuts.jsonl -q");
    assert_snapshot!(place.run("apply cuts.jsonl all.jsonl -o applied.jsonl").shown(), @"
    exit 0
    --- stdout
    --- stderr
    500 documents in = 489 kept + 11 dropped (2.2 %), according to cuts.jsonl
      written  kept records to applied.jsonl
    ");
    assert!(place.read("applied.jsonl") == place.read("clean.jsonl"));
    // Lines in another order; and a cut that was removed by hand.
    let cuts = place.read("cuts.jsonl");
    let mut lines: Vec<&str> = cuts.lines().collect();
    lines.reverse();
    place.write("other.jsonl", lines.join("\n"));
    assert_eq!(
        place
            .run("apply other.jsonl all.jsonl -o other.out.jsonl -q")
            .err,
        ""
    );
    assert!(place.read("other.out.jsonl") == place.read("clean.jsonl"));
    let edited: String = cuts
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["cuts"] = json!([]);
            line["verdict"] = "kept".into();
            format!("{line}\n")
        })
        .collect();
    place.write("none.jsonl", edited);
    assert_eq!(
        place
            .run("apply none.jsonl all.jsonl -o none.out.jsonl -q")
            .err,
        ""
    );
    assert_eq!(
        place.read("none.out.jsonl").trim_end(),
        place.read("all.jsonl")
    );
    // Cuts of another text.
    place.write("wrong.jsonl", json!({"id": "x", "text": "é"}).to_string());
    let cut = |end: usize| {
        json!({"id": "x", "verdict": "cut", "cuts": [{"start_byte": 0, "end_byte": end}]})
            .to_string()
    };
    for end in [1, 3] {
        place.write("cut.jsonl", cut(end));
        let ran = place.run("apply cut.jsonl wrong.jsonl -o wrong.out.jsonl");
        assert!(
            ran.code == 2
                && ran
                    .err
                    .contains("wrong.jsonl:1: the cuts do not fit the text"),
            "{}",
            ran.err
        );
    }
    assert!(!place.names().contains(&"wrong.out.jsonl".to_string()));
}

#[test]
fn a_character_of_several_tokens_is_removed_once() {
    let place = Place::new();
    let texts = ["株", "会", "社", "㍿ z", "½漢½½"];
    place.write(
        "in.jsonl",
        texts
            .map(|text| json!({"id": text, "text": text}).to_string() + "\n")
            .concat(),
    );
    place.run("cut in.jsonl --window 1 -o out.jsonl --cuts cuts.jsonl -q");
    assert_eq!(
        place
            .run("apply cuts.jsonl in.jsonl -o applied.jsonl -q")
            .err,
        ""
    );
    assert_eq!(place.read("applied.jsonl"), place.read("out.jsonl"));
}

#[test]
fn references_are_cut_out_and_stay_whole() {
    let place = place();
    place.write(
        "test.jsonl",
        json!({"id": 1, "text": "ask the owner of this page first"}).to_string(),
    );
    assert_snapshot!(place.run("cut pages.jsonl --window 5 --against test.jsonl -o - --cuts cuts.jsonl").shown(), @r#"
    exit 0
    --- stdout
    {"id":"a","more":[146],"n":1.5,"text":"Home | News | About us | Contact\nRain in the north.\nNo part of this page may be copied. and wait for an answer.\n"}
    {"id":"b","more":[130],"n":1.5,"text":"Sun in the south. Hail in the east.\n"}
    {"id":"d","more":[49],"n":1.5,"text":"Snow in the west.\n\n"}
    --- stderr
    4 documents in = 0 unchanged + 3 cut + 1 dropped
      tokens   86 in = 34 kept + 52 cut (60.5 %) + 0 dropped
      cuts     8 cuts, of passages of at least 5 tokens
      against  1 reference
      written  records to -
      written  cuts to cuts.jsonl

       tokens  documents  passage and document that keeps it
           21          3  ask the owner of this page first 1
           16          2  No part of this page may be copied "a"
           10          2  and wait for an answer "a"
            5          1  Home | News | About us | Contact "a"
    "#);
    assert_snapshot!(place.read("cuts.jsonl").lines().next().unwrap(), @r#"{"id":"a","verdict":"cut","cuts":[{"start":88,"end":122,"start_byte":88,"end_byte":122,"tokens":7,"source":1,"source_start":0,"source_end":32,"source_start_byte":0,"source_end_byte":32}]}"#);
}

#[test]
fn groups_are_compared_separately() {
    let place = Place::new();
    let lines =
        ["a", "a", "b"].map(|site| json!({"site": site, "text": NOTICE}).to_string() + "\n");
    place.write("sites.jsonl", lines.concat());
    let left = |options: &str| {
        place
            .run(&format!(
                "cut sites.jsonl --window 5 --min-left 0 {options} -o - -q"
            ))
            .out
            .matches("copied")
            .count()
    };
    assert_eq!(
        [
            left(""),
            left("--within group:site"),
            left("--within document")
        ],
        [1, 2, 3]
    );
    // Only the text of a value counts, not its type.
    let lines = [json!("7"), json!(7), json!("8")]
        .map(|site| json!({"site": site, "text": NOTICE}).to_string() + "\n");
    place.write(
        "sites.jsonl",
        lines.concat() + &format!("{{\"site\":\"\\u0037\",\"text\":\"{NOTICE}\"}}\n"),
    );
    assert_eq!(left("--within group:site"), 2);
    place.write(
        "sites.csv",
        format!("site,text\n7,{0:?}\n8,{0:?}\n", NOTICE),
    );
    let ran = place
        .run("cut sites.jsonl sites.csv --window 5 --min-left 0 --within group:site -q --cuts -");
    assert_eq!(ran.out.matches("\"kept\"").count(), 2, "{}", ran.out);
}

#[test]
fn messages_about_groups_name_the_flag() {
    let place = Place::new();
    place.write(
        "sites.jsonl",
        json!({"site": [1], "text": NOTICE}).to_string(),
    );
    let ran = place.run("cut sites.jsonl --within group:site");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("write one, or name another field with --within group:FIELD"),
        "{}",
        ran.err
    );
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let place = place();
    for (arguments, part) in [
        ("pages.jsonl --window 0", "from 1 to 1000 units, got 0"),
        ("pages.jsonl --more-than 0", "got 0"),
        (
            "pages.jsonl --unit lines --whole-lines",
            "only runs of tokens",
        ),
        (
            "pages.jsonl --within group:",
            "give all, document, or group:FIELD",
        ),
        ("pages.jsonl --set-field text", "a set has no passages"),
        (
            "pages.jsonl --within document --more-than 2",
            "a text is not compared with others",
        ),
        (
            "pages.jsonl --within document --against pages.jsonl",
            "leave out --within",
        ),
        (
            "pages.jsonl --within group:nope",
            "no document has the field \"nope\"",
        ),
        ("pages.jsonl -o pages.jsonl", "would overwrite"),
        (
            "pages.jsonl --text-field body -o x.jsonl",
            "no field \"body\"",
        ),
        ("pages.jsonl --cuts x.parquet", "x.parquet"),
    ] {
        let ran = place.run(&format!("cut {arguments}"));
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        assert!(ran.err.contains(part), "{arguments}: {}", ran.err);
    }
    assert_eq!(place.names(), ["pages.jsonl"]);
}

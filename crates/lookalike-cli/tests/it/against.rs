//! Tests of `--against`: new documents are compared with references, which are never dropped.

use std::{fs, io::Write, process::Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use crate::{Place, Ran, testdata};

/// Returns a text of `count` words. Texts that are made with different values of `number` have no word in common.
fn words(number: usize, count: usize) -> String {
    (0..count)
        .map(|word| format!("n{number}w{word}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the texts as JSON Lines, with ids from 0.
fn jsonl(texts: &[String]) -> String {
    texts
        .iter()
        .enumerate()
        .map(|(id, text)| serde_json::json!({"id": id, "text": text}).to_string() + "\n")
        .collect()
}

fn decisions(place: &Place, name: &str) -> Vec<Value> {
    place
        .read(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Writes an old crawl and today's crawl. Today's crawl has an old page in capital letters, a new page, a copy of the new page,
/// an old page with a small change, and a page of two words.
fn crawls(place: &Place) {
    let [first, second, new] = [0, 1, 2].map(|number| words(number, 30));
    // References are never dropped, so the third one remains although it is a copy of the first.
    place.write(
        "old.jsonl",
        jsonl(&[
            first.clone(),
            second.clone(),
            first.clone(),
            format!("{first} once more"),
        ]),
    );
    place.write(
        "today.jsonl",
        jsonl(&[
            first.to_uppercase(),
            new.clone(),
            new,
            format!("{second} changed"),
            words(3, 2),
        ]),
    );
}

#[test]
fn documents_of_an_earlier_crawl_are_dropped() {
    let place = Place::new();
    crawls(&place);
    assert_snapshot!(place.run("dedup today.jsonl --against old.jsonl -o new.jsonl").shown(), @"
    exit 0
    --- stdout
    --- stderr
    5 documents in = 2 kept + 3 dropped (60.0 %)
      against  4 reference documents: 2 dropped as matches of a reference, 1 as matches of a kept document
      dropped  2 exact duplicates (after normalisation), 1 near-duplicate (verified similarity >= 0.8)
      kept     1 represents dropped duplicates (largest group 2), 1 unique, 0 empty
      found    expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
      pairs    1 candidate pair verified
      written  kept records to new.jsonl
      written  decisions to new.decisions.jsonl
    ");
    assert_snapshot!(place.read("new.decisions.jsonl"), @r#"
    {"id":0,"verdict":"dropped","reason":"exact","representative":0,"resemblance":1.0,"containment":1.0,"containment_of_representative":1.0,"cluster_size":2,"reference":"old.jsonl:1"}
    {"id":1,"verdict":"kept","reason":"representative","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":2}
    {"id":2,"verdict":"dropped","reason":"exact","representative":1,"resemblance":1.0,"containment":1.0,"containment_of_representative":1.0,"cluster_size":2}
    {"id":3,"verdict":"dropped","reason":"near","representative":1,"resemblance":0.9629629629629629,"containment":0.9629629629629629,"containment_of_representative":1.0,"cluster_size":2,"reference":"old.jsonl:2"}
    {"id":4,"verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    "#);
    let today = place.read("today.jsonl");
    let lines: Vec<&str> = today.lines().collect();
    assert_eq!(
        place.read("new.jsonl"),
        format!("{}\n{}\n", lines[1], lines[4])
    );
    assert_eq!(
        place.names(),
        [
            "new.decisions.jsonl",
            "new.jsonl",
            "old.jsonl",
            "today.jsonl"
        ]
    );
    // Give the flags in another order and with another keep order. Then read the inputs from sources that cannot be read twice.
    let ran =
        place.run("dedup --against old.jsonl --keep longest -o again.jsonl today.jsonl --quiet");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(place.read("again.jsonl"), place.read("new.jsonl"));
    assert_eq!(
        place.read("again.decisions.jsonl"),
        place.read("new.decisions.jsonl")
    );
    let mut child = place
        .command("dedup - --against old.jsonl -o -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(today.as_bytes())
        .unwrap();
    assert_eq!(
        Ran::of(child.wait_with_output().unwrap()).out,
        place.read("new.jsonl")
    );
    let mut command = place.command("dedup --against old.jsonl -o - -q");
    assert_eq!(
        Ran::of(
            command
                .args(["--input-command", "cat today.jsonl"])
                .output()
                .unwrap()
        )
        .out,
        place.read("new.jsonl")
    );
    // References can come from standard input.
    let mut child = place
        .command("dedup today.jsonl --against - -o -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(place.read("old.jsonl").as_bytes())
        .unwrap();
    assert_eq!(
        Ran::of(child.wait_with_output().unwrap()).out,
        place.read("new.jsonl")
    );
}

#[test]
fn similar_documents_are_kept_if_only_references_are_compared() {
    let place = Place::new();
    crawls(&place);
    let ran = place.run("dedup today.jsonl --against old.jsonl --against-only -o new.jsonl");
    assert!(
        ran.err.contains(
            "4 reference documents: 2 dropped as matches of a reference, inputs were not compared"
        ),
        "{}",
        ran.err
    );
    assert_eq!(place.read("new.jsonl").lines().count(), 3);
    let verdicts: Vec<_> = decisions(&place, "new.decisions.jsonl")
        .iter()
        .map(|line| line["reason"].to_string())
        .collect();
    assert_eq!(
        verdicts,
        [
            "\"exact\"",
            "\"unique\"",
            "\"unique\"",
            "\"near\"",
            "\"unique\""
        ]
    );
    let dry = place.run("dedup today.jsonl --against old.jsonl --against-only --dry-run --json");
    let summary: Value = serde_json::from_str(&dry.out).unwrap();
    assert_eq!(
        summary["against"],
        serde_json::json!({"documents": 4, "dropped": 2, "only": true, "holders": false})
    );
    assert_eq!(
        (&summary["documents"], &summary["kept"]),
        (&5.into(), &3.into())
    );
}

#[test]
fn a_training_set_is_cleaned_of_test_items() {
    let place = Place::new();
    fs::create_dir(place.path("tests")).unwrap();
    // The test sets have two formats. Their items have the same ids, and one item is shorter than a shingle.
    place.write("tests/a.jsonl", jsonl(&[words(0, 40), words(1, 40)]));
    place.write(
        "tests/b.csv",
        format!("id,text\n0,{}\n1,what now\n", words(2, 40)),
    );
    let train = [
        format!("{} {} {}", words(10, 300), words(1, 40), words(11, 300)),
        words(12, 500),
        format!("{} {}", words(2, 38), words(13, 200)),
        words(0, 35),
        "What now?".into(),
        format!("{} what now", words(14, 50)),
        words(12, 500),
    ];
    place.write("train.jsonl", jsonl(&train));
    let command = "dedup train.jsonl --against tests --against-only --measure containment --drop-holders --modulus 1";
    let ran = place.run(&format!("{command} -o clean.jsonl"));
    assert_snapshot!(ran.shown(), @"
    exit 0
    --- stdout
    --- stderr
    7 documents in = 3 kept + 4 dropped (57.1 %)
      against  4 reference documents: 4 dropped as matches of a reference, inputs were not compared with each other
      dropped  1 exact duplicate (after normalisation), 3 containing a reference (verified containment >= 0.8)
      kept     0 represent dropped duplicates (largest group 1), 3 unique, 0 empty
      found    expected recall 100.00 % at similarity 0.8, higher above it (one shingle in 1 sampled)
      pairs    3 candidate pairs verified
      written  kept records to clean.jsonl
      written  decisions to clean.decisions.jsonl
    ");
    let shown: Vec<String> = decisions(&place, "clean.decisions.jsonl")
        .iter()
        .map(|line| {
            [
                "id",
                "reason",
                "representative",
                "reference",
                "containment_of_representative",
            ]
            .map(|field| line[field].to_string())
            .join(" ")
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    0 "holds" 1 "tests/a.jsonl:2" 1.0
    1 "unique" null null null
    2 "holds" "0" "tests/b.csv:2" 0.9444444444444444
    3 "holds" 0 "tests/a.jsonl:1" 0.8611111111111112
    4 "exact" "1" "tests/b.csv:3" 1.0
    5 "unique" null null null
    6 "unique" null null null
    "#);
    // Test the other direction: documents that are contained in a reference are dropped.
    let ran = place.run("dedup train.jsonl --against tests --against-only --measure containment --modulus 1 -o other.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let dropped: Vec<_> = decisions(&place, "other.decisions.jsonl")
        .into_iter()
        .filter(|line| line["verdict"] == "dropped")
        .map(|line| (line["id"].clone(), line["reason"].clone()))
        .collect();
    assert_eq!(
        dropped,
        [(3.into(), "contained".into()), (4.into(), "exact".into())]
    );
}

#[test]
fn ids_may_occur_in_both_and_repeat_in_references() {
    let place = Place::new();
    place
        .write("a.jsonl", jsonl(&[words(0, 20), words(1, 20)]))
        .write("b.jsonl", jsonl(&[words(2, 20), words(3, 20)]));
    place.write(
        "in.jsonl",
        jsonl(&[words(3, 20), words(4, 20), words(4, 20)]),
    );
    let ran = place.run("dedup in.jsonl --against a.jsonl b.jsonl -o out.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = decisions(&place, "out.decisions.jsonl");
    let shown = |at: usize| {
        (
            lines[at]["representative"].clone(),
            lines[at].get("reference").cloned(),
        )
    };
    assert_eq!(shown(0), (1.into(), Some("b.jsonl:2".into())));
    assert_eq!(shown(2), (1.into(), None));
    // The ids of the inputs must still be unique.
    place.write("more.jsonl", jsonl(&[words(9, 20)]));
    let ran = place.run("dedup in.jsonl more.jsonl --against a.jsonl b.jsonl -o out.jsonl");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("more.jsonl:1: id 0 was already used at in.jsonl:1"),
        "{}",
        ran.err
    );
    assert_eq!(
        place
            .run("dedup in.jsonl more.jsonl --against a.jsonl --allow-repeated-ids -o out.jsonl")
            .code,
        0
    );
}

#[test]
fn a_reference_may_be_empty_but_must_exist() {
    let place = Place::new();
    crawls(&place);
    place.write("empty.jsonl", "");
    let ran = place.run("dedup today.jsonl --against empty.jsonl -o new.jsonl");
    assert!(
        ran.code == 0
            && ran.err.contains("0 reference documents: 0 dropped as matches of a reference, 1 as matches of a kept document"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("dedup today.jsonl -o alone.jsonl").code, 0);
    assert_eq!(
        place.read("new.decisions.jsonl"),
        place.read("alone.decisions.jsonl")
    );
    let ran = place.run("dedup today.jsonl --against empty.jsonl --against-only -o new.jsonl");
    assert!(
        ran.code == 0 && place.read("new.jsonl") == place.read("today.jsonl"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup empty.jsonl --against today.jsonl -o nothing.jsonl");
    assert!(
        ran.code == 0 && ran.err.contains("0 documents in = 0 kept"),
        "{}",
        ran.err
    );
    fs::create_dir(place.path("folder")).unwrap();
    place.write("folder/picture.png", "x");
    for (reference, message) in [
        ("gone.jsonl", "gone.jsonl: no such file"),
        ("'gone*.jsonl'", "no file matches"),
        ("folder", "in this folder"),
        (
            "today.jsonl",
            "today.jsonl: given twice, as an input and as a reference",
        ),
        ("./today.jsonl", "leave out one of the two"),
        (
            "old.jsonl old.jsonl",
            "old.jsonl: given twice (first as old.jsonl)",
        ),
        (
            "none.jsonl",
            "none.jsonl: would overwrite the input none.jsonl",
        ),
    ] {
        if reference == "none.jsonl" {
            place.write("none.jsonl", jsonl(&[words(0, 9)]));
        }
        let ran = place.run(&format!(
            "dedup today.jsonl --against {} -o none.jsonl",
            reference.replace('\'', "")
        ));
        assert!(
            ran.code == 2 && ran.err.contains(message),
            "{reference}: {}",
            ran.err
        );
    }
}

#[test]
fn options_that_conflict_with_references_are_refused() {
    let place = Place::new();
    crawls(&place);
    for (flags, message) in [
        (
            "--against old.jsonl --cluster components",
            "--against only works with --cluster law",
        ),
        (
            "--against old.jsonl --cluster greedy",
            "--against only works with --cluster law",
        ),
        (
            "--against old.jsonl --against-only --keep longest",
            "--against-only does not compare inputs with each other",
        ),
        (
            "--against old.jsonl --drop-holders",
            "--drop-holders only works with --measure containment",
        ),
        (
            "--against old.jsonl --drop-holders --measure containment --verify sketch",
            "leave out --verify",
        ),
        (
            "--against-only",
            "--against-only only works with --against; name the references",
        ),
        (
            "--drop-holders",
            "--drop-holders only works with --against; name the references",
        ),
    ] {
        let ran = place.run(&format!("dedup today.jsonl {flags} -o none.jsonl"));
        assert!(
            ran.code == 2 && ran.err.contains(message),
            "{flags}: {}",
            ran.err
        );
        assert_eq!(place.names(), ["old.jsonl", "today.jsonl"]);
    }
}

#[test]
fn bad_lines_of_references_are_skipped_too() {
    let place = Place::new();
    crawls(&place);
    place.write(
        "old.jsonl",
        format!("no record\n{}", place.read("old.jsonl")),
    );
    let ran = place.run("dedup today.jsonl --against old.jsonl -o new.jsonl");
    assert!(
        ran.code == 2 && ran.err.contains("old.jsonl:1: not JSON"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup today.jsonl --against old.jsonl -o new.jsonl --skip-bad bad.txt");
    assert!(
        ran.code == 0 && ran.err.contains("1 line skipped, written to bad.txt"),
        "{}",
        ran.err
    );
    assert_eq!(place.read("bad.txt"), "no record\n");
    assert_eq!(
        decisions(&place, "new.decisions.jsonl")[3]["reference"],
        "old.jsonl:3"
    );
}

#[test]
fn references_do_not_need_the_fields_for_output_and_keep_order() {
    let place = Place::new();
    place.write("old.jsonl", jsonl(&[words(0, 20)]));
    let csv = format!(
        "id,date,text\n1,2020-01-01,{0}\n2,2021-01-01,{1}\n3,2022-01-01,{1}\n",
        words(0, 20),
        words(1, 20)
    );
    place.write("today.csv", &csv);
    let ran = place.run("dedup today.csv --against old.jsonl --keep newest:date -o new.csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        place.read("new.csv"),
        format!("id,date,text\n3,2022-01-01,{}\n", words(1, 20))
    );
    place.write("old.csv", format!("number,text\n7,{}\n", words(0, 20)));
    let ran = place.run("dedup today.csv --against old.csv --keep newest:date -o again.csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.read("again.csv"), place.read("new.csv"));
}

#[test]
fn a_state_is_valid_only_for_its_references() {
    let place = Place::new();
    crawls(&place);
    // A bad line ends the run after it has started to save its state.
    let ended = |flags: &str| {
        let ran = place.run(&format!(
            "dedup today.jsonl {flags} -o new.jsonl --resume state --resume-part 1"
        ));
        (ran.code, ran.err)
    };
    place.write("today.jsonl", place.read("today.jsonl") + "no record\n");
    let (code, err) = ended("--against old.jsonl");
    assert!(
        code == 2 && err.contains("today.jsonl:6: not JSON"),
        "{err}"
    );
    for flags in ["", "--against old.jsonl --against-only"] {
        let (code, err) = ended(flags);
        assert!(
            code == 2 && err.contains("the state in state is from a run with against"),
            "{flags}: {err}"
        );
    }
    place.write("old.jsonl", place.read("old.jsonl") + "\n");
    let (code, err) = ended("--against old.jsonl");
    assert!(
        code == 2 && err.contains("old.jsonl: ") && err.contains("restore the earlier file"),
        "{err}"
    );
}

#[test]
fn pairs_of_references_and_inputs_only() {
    let place = Place::new();
    crawls(&place);
    let listed = |flags: &str| {
        let ran = place.run(&format!("pairs today.jsonl --against old.jsonl {flags}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let ids = |line: &str| {
            let pair: Value = serde_json::from_str(line).unwrap();
            format!("{}-{}", pair["a"], pair["b"])
        };
        (
            ran.out.lines().map(ids).collect::<Vec<_>>().join(" "),
            ran.err,
        )
    };
    let (pairs, err) = listed("");
    assert_eq!(pairs, "0-0 1-3 2-0 3-0");
    assert!(
        err.starts_with("4 pairs between 4 reference documents and 5 documents; found"),
        "{err}"
    );
    assert_eq!(listed("--exact").0, pairs);
    assert_eq!(listed("--measure containment").0, pairs);
}

/// Cuts a real collection into two parts, and runs `dedup` on the second part with the first part as reference. A document of the
/// second part is dropped if and only if it is similar to a document of the first part. A run over the whole collection drops no
/// other documents as duplicates of a document in the first part, but it may drop fewer: if it drops a document of the first
/// part, it drops no document as a duplicate of that one. References are never dropped, so every document that is similar to any
/// of them is dropped.
#[test]
fn halves_of_a_real_collection() {
    let place = Place::new();
    let whole = testdata("licenses.jsonl.zst");
    let lines = place.run(&format!("pairs {whole} -t 0.8")).out;
    let unpacked = zstd::decode_all(fs::File::open(&whole).unwrap()).unwrap();
    let all = String::from_utf8(unpacked).unwrap();
    let (first, second): (Vec<&str>, Vec<&str>) = {
        let lines: Vec<&str> = all.lines().collect();
        (lines[..1200].to_vec(), lines[1200..].to_vec())
    };
    place
        .write("first.jsonl", first.join("\n"))
        .write("second.jsonl", second.join("\n"));
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].clone();
    let references: std::collections::HashSet<String> =
        first.iter().map(|line| id(line).to_string()).collect();
    let mut similar = std::collections::BTreeSet::new();
    for line in lines.lines() {
        let pair: Value = serde_json::from_str(line).unwrap();
        if references.contains(&pair["a"].to_string())
            && !references.contains(&pair["b"].to_string())
        {
            similar.insert(pair["b"].to_string());
        }
    }
    let ran = place.run("dedup second.jsonl --against first.jsonl --against-only -o kept.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let dropped = decisions(&place, "kept.decisions.jsonl");
    let dropped: std::collections::BTreeSet<String> = dropped
        .iter()
        .filter(|line| line["verdict"] == "dropped")
        .map(|line| line["id"].to_string())
        .collect();
    assert!(dropped.len() > 20);
    assert_eq!(dropped, similar);
}

#[test]
fn labels_have_the_figure_that_reached_the_threshold() {
    let place = Place::new();
    // A reference may have a field with the name of a label, because references get no labels.
    place.write(
        "tests.jsonl",
        jsonl(&[words(7, 30)]).replace("{\"id\"", "{\"cluster\":1,\"id\""),
    );
    place.write(
        "train.jsonl",
        jsonl(&[
            format!("{} {} {}", words(1, 60), words(7, 30), words(2, 60)),
            words(3, 30),
        ]),
    );
    let flags = "--against tests.jsonl --measure containment --drop-holders --threshold 0.9";
    let ran = place.run(&format!(
        "dedup train.jsonl -o labelled.jsonl --label {flags}"
    ));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let labelled = decisions(&place, "labelled.jsonl");
    assert_eq!(
        (&labelled[0]["verdict"], &labelled[0]["similarity"]),
        (&"dropped".into(), &1.0.into())
    );
    assert_eq!(
        (&labelled[1]["verdict"], &labelled[1]["similarity"]),
        (&"kept".into(), &Value::Null)
    );
}

/// References whose text has another name are compared as if it had the name of the inputs' field, in all formats.
#[test]
fn the_text_of_references_may_have_another_name() {
    let place = Place::new();
    let text = "What is the capital of the country with the most inhabitants in Europe?";
    let other = "Which river flows through the largest city of the oldest democracy?";
    let line =
        |id: u32, field: &str, text: &str| format!("{{\"id\":\"{id}\",\"{field}\":\"{text}\"}}\n");
    let inputs = line(1, "text", text) + &line(2, "text", other);
    place
        .write("train.jsonl", &inputs)
        .write("same.jsonl", line(7, "text", text))
        .write("test.jsonl", line(7, "question", text))
        .write("test.csv", format!("id,question\n7,\"{text}\"\n"));
    for (command, output) in [
        ("dedup train.jsonl -o", "kept.jsonl"),
        ("pairs train.jsonl -o", "pairs.jsonl"),
        ("cut train.jsonl --window 5 -o", "cut.jsonl"),
    ] {
        let ran = place.run(&format!("{command} {output} --against same.jsonl"));
        assert_eq!(ran.code, 0, "{command}: {}", ran.err);
        let expected = place.read(output);
        assert!(!expected.is_empty(), "{command}");
        for references in ["test.jsonl", "test.csv"] {
            let ran = place.run(&format!(
                "{command} {output} --against {references} --against-text-field question"
            ));
            assert_eq!(ran.code, 0, "{command} {references}: {}", ran.err);
            assert_eq!(place.read(output), expected, "{command} {references}");
        }
    }
    let refused = |arguments: &str, words: &str| {
        let ran = place.run(arguments);
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{arguments}: {}",
            ran.err
        );
    };
    refused(
        "dedup train.jsonl --against test.jsonl --against-text-field prompt",
        "test.jsonl:1: no field \"prompt\"; the record has the fields \"id\", \"question\"; name the field with the text with --against-text-field",
    );
    refused(
        "pairs train.jsonl --against test.csv --against-text-field prompt",
        "--against-text-field",
    );
    for (texts, sketches) in [
        ("train.jsonl", "train.sketches"),
        ("same.jsonl", "same.sketches"),
    ] {
        let ran = place.run(&format!("sketch {texts} -o {sketches}.jsonl"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    refused(
        "pairs train.sketches.jsonl --against same.sketches.jsonl --against-text-field question",
        "--against-text-field is for inputs with texts, but these inputs are files of sketches",
    );
    refused(
        "dedup train.jsonl --against-text-field question",
        "--against-text-field only works with --against",
    );
    refused(
        "dedup train.jsonl --against test.jsonl --against-text-field id",
        "--against-text-field: field \"id\" cannot be both the text and the id",
    );
}

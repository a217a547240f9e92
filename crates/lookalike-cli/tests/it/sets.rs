//! Tests of documents that are sets already, such as the films that a user saw, or k-mers.

use std::{collections::BTreeSet, fmt::Write};

use insta::assert_snapshot;

use crate::{Place, errors::refused};

/// Users and the films they saw (after *Mining of Massive Datasets*, section 3.1.3: customers are similar if they buy the same
/// things, and a resemblance of 20 % already means a lot).
const FILMS: &str = r#"{"user": "ann", "films": ["Alien", "Heat", "Ran", "Jaws", "Up"], "since": 2019}
{"user": "bob", "films": ["Ran", "Alien", "Up", "Heat", "Jaws", "Ran"]}
{"user": "cid", "films": ["Alien", "Heat", "Ran", "Cars"]}
{"user": "dot", "films": []}
{"user": "eve", "films": [ ]}
{"user": "fay", "films": ["alien", "heat", "ran"]}
{"user": "gus", "films": ["Cars", "Frozen", "\u0055p", "Jaws", 7]}
{"user": "hal", "films": ["7"]}
"#;

const OPTIONS: &str = "--set-field films --id-field user";

#[test]
fn users_with_the_same_films() {
    let place = Place::new();
    place.write("users.jsonl", FILMS);
    assert_snapshot!(place.run(&format!("pairs users.jsonl {OPTIONS} --threshold 0.2 --method shingle")).shown(), @r#"
    exit 0
    --- stdout
    {"a":"ann","b":"bob","resemblance":1.0,"containment_ab":1.0,"containment_ba":1.0,"intersection":5,"size_a":5,"size_b":5}
    {"a":"ann","b":"cid","resemblance":0.5,"containment_ab":0.6,"containment_ba":0.75,"intersection":3,"size_a":5,"size_b":4}
    {"a":"ann","b":"gus","resemblance":0.25,"containment_ab":0.4,"containment_ba":0.4,"intersection":2,"size_a":5,"size_b":5}
    {"a":"bob","b":"cid","resemblance":0.5,"containment_ab":0.6,"containment_ba":0.75,"intersection":3,"size_a":5,"size_b":4}
    {"a":"bob","b":"gus","resemblance":0.25,"containment_ab":0.4,"containment_ba":0.4,"intersection":2,"size_a":5,"size_b":5}
    --- stderr
    5 pairs among 8 documents; found: all pairs with similarity 0.2 or higher, by an exact join of all sets
    "#);
    assert_snapshot!(place.run(&format!("dedup users.jsonl {OPTIONS} --threshold 0.5 -o kept.jsonl")).shown(), @"
    exit 0
    --- stdout
    --- stderr
    8 documents in = 6 kept + 2 dropped (25.0 %)
      dropped  1 exact duplicate (after normalisation), 1 near-duplicate (verified similarity >= 0.5)
      kept     1 represents dropped duplicates (largest group 3), 3 unique, 2 empty
      found    expected recall 99.63 % at similarity 0.5, higher above it (42 bands of 3 rows)
      pairs    2 candidate pairs verified
      written  kept records to kept.jsonl
      written  decisions to kept.decisions.jsonl
    ");
    // The kept lines are the same as in the input, byte for byte.
    assert_snapshot!(place.read("kept.jsonl"), @r#"
    {"user": "ann", "films": ["Alien", "Heat", "Ran", "Jaws", "Up"], "since": 2019}
    {"user": "dot", "films": []}
    {"user": "eve", "films": [ ]}
    {"user": "fay", "films": ["alien", "heat", "ran"]}
    {"user": "gus", "films": ["Cars", "Frozen", "\u0055p", "Jaws", 7]}
    {"user": "hal", "films": ["7"]}
    "#);
    assert_snapshot!(place.read("kept.decisions.jsonl"), @r#"
    {"id":"ann","verdict":"kept","reason":"representative","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":3}
    {"id":"bob","verdict":"dropped","reason":"exact","representative":"ann","resemblance":1.0,"containment":1.0,"containment_of_representative":1.0,"cluster_size":3}
    {"id":"cid","verdict":"dropped","reason":"near","representative":"ann","resemblance":0.5,"containment":0.75,"containment_of_representative":0.6,"cluster_size":3}
    {"id":"dot","verdict":"kept","reason":"empty","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    {"id":"eve","verdict":"kept","reason":"empty","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    {"id":"fay","verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    {"id":"gus","verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    {"id":"hal","verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    "#);
    // An item that occurs twice counts once, unless --occurrences labelled is given.
    let labelled = place
        .run(&format!(
            "pairs users.jsonl {OPTIONS} --threshold 0.8 --occurrences labelled"
        ))
        .out;
    assert!(
        labelled.contains(r#""intersection":5,"size_a":5,"size_b":6"#),
        "{labelled}"
    );
    // For containment, the largest set is kept by default, and repeated items do not count.
    let contained = place
        .run(&format!(
            "dedup users.jsonl {OPTIONS} --measure containment -t 0.75 --decisions -"
        ))
        .out;
    assert!(
        contained.contains(
            r#"{"id":"cid","verdict":"dropped","reason":"contained","representative":"ann""#
        ),
        "{contained}"
    );
    assert!(
        contained
            .contains(r#"{"id":"bob","verdict":"dropped","reason":"exact","representative":"ann""#),
        "{contained}"
    );
}

#[test]
fn two_sets_are_compared_item_by_item() {
    let place = Place::new();
    place
        .write("users.jsonl", FILMS)
        .write("a.json", "[\"a\", \"b c\", 1e1, \"d\"]\n")
        .write("b.json", "[10,\n \"b c\", \"D\"]");
    assert_snapshot!(place.run(&format!("compare ann cid --in users.jsonl {OPTIONS}")).shown(), @r#"
    exit 0
    --- stdout
    resemblance            0.5000  3 of 6 items shared                sketch: 0.500 (0.415 to 0.585)
    containment of A in B  0.6000  3 of A's 5                         sketch: 0.600 (0.528 to 0.665)
    containment of B in A  0.7500  3 of B's 4                         sketch: 0.750 (0.660 to 0.831)
    sketch: estimates from 128 slots; the intervals contain the true value 95 times in 100

    A: ann  shared not shared
    ["Alien", "Heat", "Ran", "Jaws", "Up"]

    B: cid  shared not shared
    ["Alien", "Heat", "Ran", "Cars"]
    --- stderr
    "#);
    let ran = place.run("compare a.json b.json --sets --json");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["resemblance"], 0.4);
    assert_eq!(
        report["passages_b"],
        serde_json::json!([{"start": 0, "end": 13, "shared": true}, {"start": 13, "end": 17, "shared": false}])
    );
    let sketches = place.run("compare a.json b.json --sets --sketches").out;
    assert!(
        sketches.contains("2 of 5 items shared")
            && sketches.contains("SimHash")
            && !sketches.contains("sentences")
    );
    refused(
        &place,
        "compare a.json b.json --set-field films",
        &["--set-field names a field of the records of --in"],
    );
    place.write("c.json", "[1, {}]");
    refused(
        &place,
        "compare a.json c.json --sets",
        &["c.json: has an object as item 2", "strings and numbers"],
    );
}

/// Returns sets of numbers, many of them similar, generated from a seed.
fn collection() -> Vec<Vec<u32>> {
    let mut state = 7u64;
    let mut next = move |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for number in 0..400u64 {
        let mut set: Vec<u32> = match number % 4 {
            0 => (0..5 + next(40)).map(|_| next(5000) as u32).collect(),
            _ => sets[next(sets.len() as u64) as usize].clone(),
        };
        for _ in 0..next(8) {
            let at = next(set.len() as u64) as usize;
            set[at] = next(5000) as u32;
        }
        let turn = next(set.len() as u64) as usize;
        set.rotate_left(turn);
        sets.push(set);
    }
    sets
}

#[test]
fn every_format_gives_the_same_exact_result() {
    let place = Place::new();
    let (mut lines, mut array, mut csv) = (
        String::new(),
        String::from("["),
        String::from("n;items;id\r\n"),
    );
    let sets = collection();
    for (number, set) in sets.iter().enumerate() {
        let _ = writeln!(lines, r#"{{"id": "u{number}", "items": {set:?}}}"#);
        // Use unusual spellings of names and numbers, so that the parser must decode them.
        let comma = if number == 0 { "" } else { ",\n" };
        let items = set
            .iter()
            .map(|item| format!("{item}.0"))
            .collect::<Vec<_>>()
            .join(" , ");
        let _ = write!(
            array,
            r#"{comma}{{"it\u0065ms": [{items}], "id": "u{number}"}}"#
        );
        let _ = write!(csv, "{number};\"{set:?}\";u{number}\r\n");
    }
    place
        .write("in.jsonl", &lines)
        .write("in.json", array + "]")
        .write("in.csv", csv);
    let run = |arguments: &str| {
        let ran = place.run(&format!("{arguments} --set-field items -q"));
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
        ran.out
    };
    // Count all pairs, without lookalike.
    let distinct: Vec<BTreeSet<u32>> = sets
        .iter()
        .map(|set| set.iter().copied().collect())
        .collect();
    let mut expected = 0;
    for (a, set) in distinct.iter().enumerate() {
        let alike = |other: &&BTreeSet<u32>| {
            let both = set.intersection(other).count();
            both as f64 / (set.len() + other.len() - both) as f64 >= 0.4
        };
        expected += distinct[a + 1..].iter().filter(alike).count();
    }
    assert!(expected > 300, "{expected}");
    assert_eq!(
        run("pairs in.jsonl --threshold 0.4 --exact")
            .lines()
            .count(),
        expected
    );
    assert_eq!(
        run("pairs in.jsonl --threshold 0.4").lines().count(),
        expected
    );
    for options in [
        "-t 0.4",
        "-t 0.6 --keep longest",
        "-t 0.7 --measure containment",
        "-t 0.8 --method simhash",
        "--cluster greedy",
    ] {
        let decisions = run(&format!("dedup in.jsonl {options} --decisions -"));
        assert!(decisions.contains("\"dropped\""), "{options}");
        for other in ["in.jsonl --threads 1", "in.json", "in.csv"] {
            assert_eq!(
                run(&format!("dedup {other} {options} --decisions -")),
                decisions,
                "{other} {options}"
            );
        }
    }
    let kept = run("dedup in.jsonl -t 0.5 -o - --no-decisions");
    let of_csv = run("dedup in.csv -t 0.5 -o - --no-decisions");
    assert!(of_csv.starts_with("n;items;id\r\n0;\"["), "{of_csv}");
    assert_eq!(of_csv.lines().count(), kept.lines().count() + 1);
    // Label the documents, and drop the duplicates later.
    run("dedup in.jsonl -t 0.5 --label -o labelled.jsonl");
    run("apply labelled.decisions.jsonl in.jsonl -o applied.jsonl");
    assert_eq!(place.read("applied.jsonl"), kept);
    let judged = place.run("eval in.jsonl --set-field items --sample 400 -t 0.4 --json");
    assert_eq!(judged.code, 0, "{}", judged.err);
    let runs = serde_json::from_str::<serde_json::Value>(&judged.out).unwrap()["runs"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(runs, 7, "all ways but sentences and super-shingles");
}

/// Reads of DNA are similar if they share k-mers. It makes no difference which strand a read comes from if each k-mer is replaced
/// by its reverse complement whenever that comes first in alphabetical order.
#[test]
fn reads_with_the_same_k_mers() {
    const READ: &str = "ACGTTGCATGCCATTAGGCATCGGATCTTAGACCATGTTGACCGTAAGCTTGCA";
    let complement = |read: &str| -> String {
        let base = |c| match c {
            'A' => 'T',
            'T' => 'A',
            'C' => 'G',
            _ => 'C',
        };
        read.chars().rev().map(base).collect()
    };
    let k_mers = |read: &str| {
        let canonical = |at: usize| {
            read[at..at + 8]
                .to_string()
                .min(complement(&read[at..at + 8]))
        };
        serde_json::to_string(&(0..read.len() - 7).map(canonical).collect::<Vec<_>>()).unwrap()
    };
    let other: String = READ
        .chars()
        .map(|c| if c == 'A' { 'C' } else { c })
        .collect();
    let reads = [
        READ.into(),
        complement(READ),
        READ.replacen("GCATC", "GCTTC", 1),
        other,
    ];
    let lines: String = reads
        .iter()
        .map(|read| format!("{{\"kmers\":{}}}\n", k_mers(read)))
        .collect();
    let place = Place::new();
    place.write("reads.jsonl", lines);
    let decisions = place
        .run("dedup reads.jsonl --set-field kmers --threshold 0.6 --decisions - -q")
        .out;
    let reason =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["reason"].clone();
    assert_eq!(
        decisions.lines().map(reason).collect::<Vec<_>>(),
        ["representative", "exact", "near", "unique"]
    );
}

#[test]
fn invalid_sets_are_reported_with_their_place() {
    let place = Place::new();
    let table: [(&str, &[&str]); 12] = [
        (
            r#"{"items": [1, null]}"#,
            &[
                "in.jsonl:2: field \"items\" has null as item 2, but the items of a set must be strings and numbers",
            ],
        ),
        (
            r#"{"items": ["a", "b", ["c"]]}"#,
            &[
                "has an array as item 3",
                "leave it out, or write it as a string",
            ],
        ),
        (
            r#"{"items": [{"name": "a"}]}"#,
            &["has an object as item 1"],
        ),
        (r#"{"items": [true]}"#, &["has true as item 1"]),
        (
            r#"{"items": ["\ud83d"]}"#,
            &["field \"items\" has half of a character", "in item 1"],
        ),
        (
            r#"{"items": [1e1234567890123456789]}"#,
            &["has a number with more than 18 digits in its exponent as item 1"],
        ),
        (
            r#"{"items": "a b"}"#,
            &["field \"items\" is a string, not a set", "--set-field"],
        ),
        (
            r#"{"items": 7}"#,
            &["field \"items\" is a number, not a set"],
        ),
        (
            r#"{"items": null}"#,
            &["field \"items\" is null, not a set"],
        ),
        (
            r#"{"tags": []}"#,
            &[
                "no field \"items\"; the record has the fields \"tags\"; name the field with the set with --set-field",
            ],
        ),
        (
            r#"{"items": [1], "items": [2]}"#,
            &["duplicate field \"items\""],
        ),
        (r#"{"items": [1,]}"#, &["in.jsonl:2: not JSON"]),
    ];
    for (line, parts) in table {
        place.write("in.jsonl", format!("{{\"items\": [1, \"a\"]}}\n{line}\n"));
        refused(
            &place,
            "dedup in.jsonl --set-field items -o kept.jsonl",
            parts,
        );
        let ran = place.run("dedup in.jsonl --set-field items --skip-bad - -q");
        assert_eq!((ran.code, ran.out.trim_end()), (0, line), "{}", ran.err);
    }
    place
        .write("in.csv", "id,items\n1,\"[1, 2]\"\n2,a b\n")
        .write("bad.csv", "id,items\n1,\"[1, 2\"\n");
    refused(
        &place,
        "dedup in.csv --set-field items",
        &[
            "in.csv:3: field \"items\" is not a JSON array",
            "[\"a\", 7], and an empty set is []",
        ],
    );
    refused(
        &place,
        "dedup in.csv --set-field tags",
        &["no column \"tags\"", "name one with --set-field"],
    );
    refused(
        &place,
        "dedup bad.csv --set-field items",
        &["field \"items\" is not valid JSON at byte 6, after 2 whole items"],
    );
}

#[test]
fn text_options_are_refused_for_sets() {
    let place = Place::new();
    place
        .write("in.jsonl", "{\"id\": 1, \"items\": [1]}\n")
        .write("a.txt", "[1]\n")
        .write("a.html", "<p>[1]</p>");
    let refuse = |options: &str, part: &str| {
        refused(
            &place,
            &format!("dedup in.jsonl --set-field items {options}"),
            &[part],
        )
    };
    refuse(
        "--tokens words",
        "--tokens: the items of a set are compared as they are, each separately; leave it out",
    );
    refuse("--fold accents", "each separately; leave out the folds");
    refuse("--shingle 2", "leave out shingles of several items");
    refuse("--anchors en", "leave out the languages whose stop words");
    refuse("--fingerprint rabin", "leave out Rabin's fingerprints");
    refuse("--method sentences", "leave out the sentences");
    refuse("--html text", "--html: a set is not a page");
    refuse(
        "--text-field text",
        "--text-field and --set-field cannot be combined: leave out one of the two",
    );
    for command in [
        "pairs in.jsonl",
        "sketch in.jsonl -o s.jsonl",
        "eval in.jsonl --sample 2",
    ] {
        refused(
            &place,
            &format!("{command} --set-field items --text-field text"),
            &["--text-field and --set-field cannot be combined"],
        );
    }
    refuse(
        "--id-field items",
        "cannot be both the set and the id; check --set-field and --id-field",
    );
    refuse(
        "--keep max:items",
        "the set cannot be the field that decides",
    );
    assert_eq!(
        place
            .run("dedup in.jsonl --set-field items --shingle 1 -q")
            .code,
        0
    );
    refused(
        &place,
        "passages in.jsonl --set-field items",
        &["a set has no order and therefore no passages"],
    );
    for (file, what) in [
        ("a.txt", "a file that is read as one document"),
        ("a.html", "a file that is read as one document"),
    ] {
        refused(
            &place,
            &format!("dedup {file} --set-field items"),
            &[
                file,
                what,
                "has no fields, so it cannot be read with --set-field",
            ],
        );
    }
    #[cfg(feature = "full")]
    {
        let crawl = crate::testdata("formats/crawl.warc.gz");
        refused(
            &place,
            &format!("dedup {crawl} --set-field items"),
            &["a WARC file has no fields, so it cannot be read with --set-field"],
        );
    }
}

//! Tests of the steps from characters to shingles: presets, lines, marks.

use crate::{Place, errors::refused};

fn json(place: &Place, command: &str) -> serde_json::Value {
    let ran = place.run(command);
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{command}: {}", ran.err))
}

const QUOTATIONS: &str = "\
    {\"id\": 1, \"text\": \"山有木兮木有枝，心悦君兮君不知。\"}\n\
    {\"id\": 2, \"text\": \"山有木兮木有枝，心说君兮君不知。\"}\n\
    {\"id\": 3, \"text\": \"In the beginning God created the heaven and the earth.\"}\n\
    {\"id\": 4, \"text\": \"In the beginning God made the heaven and the earth.\"}\n\
    {\"id\": 5, \"text\": \"In the beginning was the Word, and the Word was with God.\"}\n";

#[test]
fn a_preset_finds_variants_of_quotations_and_flags_override_it() {
    let place = Place::new();
    place.write("in.jsonl", QUOTATIONS);
    let dropped = |flags: &str| {
        json(&place, &format!("dedup in.jsonl --dry-run --json {flags}"))["dropped"]
            .as_u64()
            .unwrap()
    };
    assert_eq!((dropped(""), dropped("--preset quotations")), (0, 2));
    assert_eq!(dropped("--preset quotations -t 0.8"), 0);
    assert_eq!(dropped("--preset quotations --shingle 5"), 0);
    let summary = json(
        &place,
        "dedup in.jsonl --dry-run --json --preset quotations",
    );
    assert_eq!(summary["preset"], "quotations");
    assert!(
        json(&place, "dedup in.jsonl --dry-run --json")
            .get("preset")
            .is_none()
    );
    let method = &summary["method"];
    assert_eq!(
        (&method["preset"], &method["shingle"], &method["threshold"]),
        (&"quotations".into(), &2.into(), &0.5.into())
    );
    let err = place
        .run("dedup in.jsonl --dry-run --preset quotations")
        .err;
    assert!(
        err.contains("  preset   quotations: shingles of 2 tokens, threshold 0.5"),
        "{err}"
    );
    let pairs = place.run("pairs in.jsonl --preset quotations");
    assert!(
        pairs.out.lines().count() == 2 && pairs.err.contains("preset: quotations"),
        "{}",
        pairs.err
    );
    let compared = |flags: &str| {
        json(&place, &format!("compare 1 2 --in in.jsonl --json {flags}"))["resemblance"].clone()
    };
    assert_eq!(compared("--preset quotations"), compared("--shingle 2"));
    let truth = json(
        &place,
        "eval in.jsonl --sample 5 --preset quotations --json --run --shingle=5",
    );
    assert_eq!(
        (&truth["truth"]["threshold"], &truth["truth"]["pairs"]),
        (&0.5.into(), &2.into())
    );
}

#[test]
fn unsupported_uses_of_a_preset_are_refused() {
    let place = Place::new();
    place
        .write("in.jsonl", "{\"text\": \"a\", \"set\": [1]}\n")
        .write("a.txt", "a b c");
    refused(
        &place,
        "dedup in.jsonl --set-field set --preset quotations",
        &["leave out the preset"],
    );
    refused(
        &place,
        "passages a.txt --preset quotations",
        &["--preset", "leave it out"],
    );
    refused(
        &place,
        "dedup in.jsonl --anchors en --tokens lines",
        &["whole words", "leave out tokens of whole lines"],
    );
}

#[test]
fn lines_are_compared_whole() {
    let place = Place::new();
    let code = "fn main() {\n    let x = 1;\n    print(x);\n}\n";
    place.write("a.rs.txt", code).write(
        "b.rs.txt",
        code.replace("    ", "\t")
            .replace('\n', "\r\n")
            .replace("print", "show"),
    );
    let report = json(
        &place,
        "compare a.rs.txt b.rs.txt --tokens lines --shingle 1 --json",
    );
    assert_eq!(
        (
            &report["intersection"],
            &report["size_a"],
            &report["size_b"]
        ),
        (&2.into(), &3.into(), &3.into())
    );
    let shared: Vec<&str> = (report["passages_a"].as_array().unwrap().iter())
        .filter(|passage| passage["shared"] == true)
        .map(|passage| {
            &code[passage["start"].as_u64().unwrap() as usize
                ..passage["end"].as_u64().unwrap() as usize]
        })
        .collect();
    assert_eq!(shared, ["fn main() {\n    let x = 1;\n    "]);
    let line = place
        .run("passages a.rs.txt b.rs.txt --tokens lines --least 2 --json")
        .out;
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&line["tokens_a"], &line["passages"][0]["tokens"]),
        (&3.into(), &2.into())
    );
    assert_eq!(line["passages"][0]["text_a"], "fn main() {\n    let x = 1");
    // The default is two lines per shingle.
    let sizes = |flags: &str| {
        json(
            &place,
            &format!("compare a.rs.txt b.rs.txt --tokens lines --json {flags}"),
        )["size_a"]
            .clone()
    };
    assert_eq!((sizes(""), sizes("--shingle 3")), (2.into(), 1.into()));
}

#[test]
fn vowel_marks_count_unless_folded_and_stretched_words_are_equal() {
    let place = Place::new();
    place
        .write("a.txt", "مُحَمَّدٌ رَسُولُ اللهِ")
        .write("b.txt", "محمد رسول الله")
        .write("c.txt", "محـــمد رســـول الله");
    let resemblance = |pair: &str, flags: &str| {
        json(
            &place,
            &format!("compare {pair} --shingle 1 --json {flags}"),
        )["resemblance"]
            .clone()
    };
    assert_eq!(resemblance("a.txt b.txt", ""), 0.0);
    assert_eq!(resemblance("a.txt b.txt", "--fold marks"), 1.0);
    assert_eq!(resemblance("b.txt c.txt", ""), 1.0);
}

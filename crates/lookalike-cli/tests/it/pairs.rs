//! Tests of `lookalike pairs`.

use insta::assert_snapshot;

use crate::{Place, SMALL, testdata};

#[test]
fn one_line_per_pair() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    assert_snapshot!(place.run("pairs in.jsonl").shown(), @r#"
    exit 0
    --- stdout
    {"a":"first","b":"in.jsonl:3","resemblance":0.9285714285714286,"containment_ab":1.0,"containment_ba":0.9285714285714286,"intersection":13,"size_a":13,"size_b":14}
    --- stderr
    1 pair among 3 documents; found: expected recall 99.63 % at similarity 0.5, higher above it (42 bands of 3 rows)
    "#);
    assert_snapshot!(place.run("pairs in.jsonl --exact --threshold 0.95").shown(), @"
    exit 1
    --- stdout
    --- stderr
    0 pairs among 3 documents; found: all pairs with similarity 0.95 or higher, by an exact join of all sets
    ");
}

#[test]
fn estimates_of_sketches_have_no_counts() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    assert_snapshot!(place.run("pairs in.jsonl --verify sketch").shown(), @r#"
    exit 0
    --- stdout
    {"a":"first","b":"in.jsonl:3","resemblance":0.9058823529411765}
    --- stderr
    1 pair among 3 documents, similar according to sketches; found: expected recall 99.63 % at similarity 0.5, higher above it (42 bands of 3 rows)
    "#);
    assert_snapshot!(place.run("pairs in.jsonl --verify none --measure containment -t 0.8").shown(), @r#"
    exit 0
    --- stdout
    {"a":"first","b":"in.jsonl:3"}
    --- stderr
    1 pair among 3 documents, candidates that are not verified; found: expected recall 99.04 % at similarity 0.8, higher above it (one shingle in 8 sampled in long texts); lower for 3 texts with fewer than 43 shingles: 65.63 % for those with 9
    "#);
    assert_eq!(
        place
            .run("pairs in.jsonl --verify sketch --measure containment -q")
            .out,
        "{\"a\":\"first\",\"b\":\"in.jsonl:3\",\"containment_ab\":1.0,\"containment_ba\":0.9285714285714286}\n"
    );
}

#[test]
fn copies_are_pairs_too_and_empty_texts_are_not() {
    let place = Place::new();
    let line = |id: u32, text: &str| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
    place.write(
        "in.jsonl",
        [
            line(1, "one two"),
            line(2, ""),
            line(3, "ONE, two"),
            line(4, ""),
            line(5, "one two!"),
        ]
        .concat(),
    );
    for how in ["", "--exact"] {
        let ran = place.run(&format!("pairs in.jsonl -q {how}"));
        let pairs: Vec<(u64, u64)> = ran
            .out
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|p| (p["a"].as_u64().unwrap(), p["b"].as_u64().unwrap()))
            .collect();
        assert_eq!(pairs, [(1, 3), (1, 5), (3, 5)]);
    }
}

#[test]
fn the_exact_method_uses_no_sketches() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    assert_eq!(place.run("pairs in.jsonl --exact -t 0.0001 -q").code, 0);
    let ran = place.run("pairs in.jsonl --exact --bands 1 --rows 1");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("--bands only works with --candidates bands, not with --method shingle"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("pairs in.jsonl --bands 1 --rows 1 -q").code, 2);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn sketches_find_the_share_of_exact_pairs_that_the_curve_predicts() {
    let place = Place::new();
    for name in ["licenses", "zh_tang", "ota_versions"] {
        let input = testdata(&format!("{name}.jsonl.zst"));
        for threshold in ["0.8", "0.5"] {
            let exact = place
                .run(&format!("pairs {input} -q --exact -t {threshold}"))
                .out;
            let found = place
                .run(&format!("pairs {input} -q -t {threshold} --threads 2"))
                .out;
            let exact: std::collections::BTreeSet<&str> = exact.lines().collect();
            let found: std::collections::BTreeSet<&str> = found.lines().collect();
            assert!(
                found.is_subset(&exact),
                "{name} at {threshold}: the same line, figure for figure"
            );
            assert!(
                found.len() * 100 >= exact.len() * 99,
                "{name} at {threshold}: {} of {}",
                found.len(),
                exact.len()
            );
        }
    }
}

#[test]
fn the_nearest_of_each_document() {
    let place = Place::new();
    let texts = [
        "a b c d",
        "a b c d e",
        "A B C D!",
        "x y z",
        "x y z a b c d e",
    ];
    let lines: String = texts
        .iter()
        .enumerate()
        .map(|(id, text)| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n"))
        .collect();
    place.write("in.jsonl", lines);
    let ids = |ran: &crate::Ran| -> Vec<[u64; 2]> {
        let ids = |line: &str| {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            ["a", "b"].map(|name| pair[name].as_u64().unwrap())
        };
        ran.out.lines().map(ids).collect()
    };
    let ran = place.run("pairs in.jsonl --shingle 1 -t 0.3 --nearest 2");
    // 0 and 2 are copies, and 1 is equally similar to both. 4 resembles 1 by 5/8, the copies by 4/8, and 3 by 3/8.
    assert_eq!(
        ids(&ran),
        [
            [0, 2],
            [0, 1],
            [1, 0],
            [1, 2],
            [2, 0],
            [2, 1],
            [3, 4],
            [4, 1],
            [4, 0]
        ],
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .starts_with("9 pairs among 5 documents, at most 2 per document; found: "),
        "{}",
        ran.err
    );
    place.write("one.jsonl", "{\"id\":9,\"text\":\"a b c d\"}\n");
    let ran = place.run("pairs one.jsonl --against in.jsonl --shingle 1 -t 0.3 --nearest 3");
    assert_eq!(ids(&ran), [[9, 0], [9, 2], [9, 1]], "{}", ran.err);
    for (asked, part) in [
        ("--nearest 0", "--nearest"),
        ("--nearest 2 --verify none", "--verify none measures none"),
    ] {
        let ran = place.run(&format!("pairs in.jsonl {asked}"));
        assert!(ran.code == 2 && ran.err.contains(part), "{}", ran.err);
    }
}

/// Copies and similar texts, whose matches do not fit into the memory of the second run.
#[test]
fn pairs_do_not_depend_on_memory_and_threads() {
    let place = Place::new();
    let common: String = (0..40).map(|word| format!("w{word} ")).collect();
    let line = |number: u32| {
        format!(
            "{{\"id\":{number},\"text\":\"{common}u{}\"}}\n",
            number % 350
        )
    };
    place.write("in.jsonl", (0..500).map(line).collect::<String>());
    let run = |limits: &str| place.run(&format!("pairs in.jsonl -t 0.7 -o - -v {limits}"));
    let expected = run("--memory 1G --threads 1");
    assert_eq!(expected.out.lines().count(), 500 * 499 / 2);
    assert!(!expected.err.contains("memory is full"), "{}", expected.err);
    let spilled = run("--memory 64M --threads 3");
    assert!(spilled.err.contains("memory is full"), "{}", spilled.err);
    assert!(spilled.out == expected.out);
}

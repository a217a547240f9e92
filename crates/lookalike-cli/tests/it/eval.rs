//! Tests of `lookalike eval`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::{Place, SMALL, testdata};

/// The resemblance by words is 4/5 for the documents `a` and `b`, 5/6 for `b` and `c`, and 4/6 for `a` and `c`. The texts of `d`
/// and `e` are equal.
const CHAIN: &str = r#"{"id":"a","page":1,"text":"a b c d"}
{"id":"b","page":1,"text":"a b c d e"}
{"id":"c","page":1,"text":"a b c d e f"}
{"id":"d","page":"x","text":"x y z"}
{"id":"e","page":"x","text":"x y z"}
{"id":6,"page":null,"text":"q"}
"#;

/// The truth has pairs that name the later document first, a repeated pair, a blank line, and a pair below the threshold.
const TRUTH: &str = r#"{"a":"a","b":"b","jaccard":0.8}
{"a":"c","b":"b","resemblance":0.8333}

{"b":"d","a":"e","similarity":1}
{"a":"a","b":"c","jaccard":0.6667}
{"a":"b","b":"a","jaccard":0.8}
"#;

fn chain() -> Place {
    let place = Place::new();
    place.write("in.jsonl", CHAIN).write("truth.jsonl", TRUTH);
    place
}

/// Runs `eval` with these `--run` options.
fn eval(place: &Place, arguments: &str, runs: &[&str]) -> crate::Ran {
    let mut command = place.command(&format!("eval {arguments}"));
    runs.iter().for_each(|run| _ = command.args(["--run", run]));
    crate::Ran::of(command.output().unwrap())
}

fn report(place: &Place, arguments: &str, runs: &[&str]) -> Value {
    let ran = eval(place, &format!("{arguments} --json"), runs);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    serde_json::from_str(&ran.out).unwrap()
}

/// Returns the printed tables without the time and memory of the runs.
fn page(place: &Place, arguments: &str, runs: &[&str]) -> String {
    let ran = eval(place, arguments, runs);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let mut until = None;
    let shown = |line: &str| {
        let header = line
            .starts_with("documents")
            .then(|| line.find("candidates"))
            .flatten();
        until = match (header, line.is_empty()) {
            (Some(at), _) => Some(at + "candidates".len()),
            (None, true) => None,
            _ => until,
        };
        let line: String = line.chars().take(until.unwrap_or(usize::MAX)).collect();
        line.trim_end().to_string() + "\n"
    };
    ran.out.lines().map(shown).collect()
}

#[test]
fn figures_by_hand() {
    let place = chain();
    // By default, `a` and `c` are kept, and `b` is dropped as a duplicate of `a`. With `--cluster components`, `c` is also
    // dropped as a duplicate of `a`, although only `b` is similar to `c`.
    let runs = [
        "--method shingle",
        "--method exact",
        "--method shingle --cluster components",
    ];
    assert_snapshot!(page(&place, "in.jsonl --truth truth.jsonl --shingle 1", &runs), @"
    truth    3 pairs with similarity >= 0.8; 5 of 6 documents are in such a pair

    % of pairs                    precision  recall     F1  whole   B³ P   B³ R   B³ F    ARI
    shingle                           100.0   100.0  100.0  100.0  100.0   77.8   87.5  0.595
    exact                             100.0    33.3   50.0   40.0  100.0   66.7   80.0  0.328
    shingle --cluster components      100.0   100.0  100.0  100.0  100.0  100.0  100.0  1.000

    documents                     dropped  wrong  missed  doubled  candidates
    shingle                             2      0       0        0           1
    exact                               1      0       2        3           0
    shingle --cluster components        3      1       0        0           2

    share found, by similarity (true pairs: 0.8 or higher; █ all, ▁ few or none)
    from                         0.65 0.70 0.75 0.80 0.85 0.90 0.95 1.00
    pairs                           1    0    0    2    0    0    0    1
    shingle                      ▁▁▁▁           ████                ████
    exact                        ▁▁▁▁           ▁▁▁▁                ████
    shingle --cluster components ▁▁▁▁           ████                ████
    ");
    let report = report(
        &place,
        "in.jsonl --truth truth.jsonl --shingle 1 --repeat 3",
        &runs,
    );
    let [law, exact, components] = [0, 1, 2].map(|i| &report["runs"][i]);
    let close = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().unwrap() - expected).abs() < 1e-12,
            "{value} {expected}"
        )
    };
    close(
        &law["clusters"]["b_cubed"]["recall"],
        (2.0 / 3.0 + 2.0 / 3.0 + 1.0 / 3.0 + 3.0) / 6.0,
    );
    // Of all 15 pairs, 2 are within a found cluster, 4 are within a true cluster, and 2 are within both.
    close(
        &law["clusters"]["adjusted_rand_index"],
        (2.0 - 8.0 / 15.0) / (3.0 - 8.0 / 15.0),
    );
    close(&components["clusters"]["adjusted_rand_index"], 1.0);
    close(&exact["pairs"]["recall"]["value"], 1.0 / 3.0);
    close(&exact["pairs"]["f1"], 0.5);
    close(&exact["partners"]["complete_share"]["value"], 0.4);
    // Nothing was sampled, so no result has an error margin.
    assert_eq!(
        exact["pairs"]["recall"]["low"],
        exact["pairs"]["recall"]["high"]
    );
    close(&components["drops"]["wrong_share"]["value"], 1.0 / 3.0);
    assert_eq!(law["seconds_of_each"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&report["truth"]["pairs"], &report["truth"]["with_partner"]),
        (&3.into(), &5.into())
    );
}

#[test]
fn labels_are_clusters_and_null_is_a_singleton() {
    let place = chain();
    assert_snapshot!(page(&place, "in.jsonl --labels page --shingle 1", &["--method shingle", ""]), @"
    truth    4 pairs with the same label; 5 of 6 documents are in such a pair

    % of pairs  precision  recall    F1  whole   B³ P  B³ R  B³ F    ARI
    shingle         100.0    75.0  85.7   60.0  100.0  77.8  87.5  0.595
    minhash         100.0    75.0  85.7   60.0  100.0  77.8  87.5  0.595

    documents  dropped  wrong  missed  doubled  candidates
    shingle          2      0       1        2           1
    minhash          2      0       1        2           1

    recall
    shingle  ██████████████████████▌          75.0
    minhash  ██████████████████████▌          75.0

    precision
    shingle  ██████████████████████████████  100.0
    minhash  ██████████████████████████████  100.0
    ");
}

#[test]
fn a_truth_without_numbers_is_all_true() {
    let place = chain();
    place.write(
        "truth.jsonl",
        "{\"a\":\"a\",\"b\":\"c\"}\n{\"a\":\"d\",\"b\":\"e\"}\n",
    );
    let report = report(
        &place,
        "in.jsonl --truth truth.jsonl --shingle 1",
        &["--method shingle"],
    );
    let run = &report["runs"][0];
    assert_eq!(
        (
            &run["pairs"]["found_true"],
            &run["pairs"]["found"],
            &run["pairs"]["truth"]
        ),
        (&1.into(), &3.into(), &2.into())
    );
    // Document `b` was dropped as a duplicate of `a`, but `b` has no true partner. Documents `a` and `c` are true partners, but
    // both were kept.
    assert_eq!(
        (
            &run["drops"]["wrong"],
            &run["drops"]["missed"],
            &run["drops"]["doubled"]
        ),
        (&1.into(), &1.into(), &2.into())
    );
    assert!(run["by_similarity"].is_null());
}

#[test]
fn runs_inherit_the_settings_of_eval_unless_overridden() {
    let place = chain();
    let runs = [
        "--method shingle",
        "--method shingle --threshold 0.6",
        "--method shingle --fold accents --shingle 5",
        "--cluster greedy",
    ];
    let report = report(
        &place,
        "in.jsonl --truth truth.jsonl --shingle 1 --fold digits",
        &runs,
    );
    let found = |i: usize| report["runs"][i]["pairs"]["found"].as_u64().unwrap();
    assert_eq!([found(0), found(1), found(2), found(3)], [3, 4, 1, 2]);
    let flags = report["runs"][2]["flags"].as_array().unwrap();
    let value = |flag: &str| {
        flags[flags.iter().position(|word| word == flag).unwrap() + 1]
            .as_str()
            .unwrap()
    };
    assert_eq!(
        (value("--fold"), value("--shingle"), value("--threshold")),
        ("accents", "5", "0.8")
    );
    let labels: Vec<&str> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["label"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels[1..],
        [
            "shingle --threshold 0.6",
            "shingle --fold accents --shingle 5",
            "minhash --cluster greedy"
        ]
    );
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_sample_of_all_is_the_whole_truth() {
    let place = Place::new();
    let input = testdata("zh_tang.jsonl.zst");
    assert_eq!(
        place
            .run(&format!(
                "pairs {input} --exact -t 0.5 -q -o truth.jsonl.gz"
            ))
            .code,
        0
    );
    for measure in ["resemblance", "containment"] {
        let exact = place.run(&format!(
            "pairs {input} --exact -t 0.5 --measure {measure} -q -o truth.jsonl.gz"
        ));
        assert_eq!(exact.code, 0);
        let how = format!("{input} --measure {measure} --threshold 0.7");
        let runs = ["", "--method exact"];
        let mut reports = ["--truth truth.jsonl.gz", "--sample 1000000"]
            .map(|truth| report(&place, &format!("{how} {truth}"), &runs));
        for report in &mut reports {
            assert!(
                report["truth"]["pairs"].as_u64().unwrap() > 300,
                "{}",
                report["truth"]
            );
            for run in report["runs"].as_array_mut().unwrap() {
                ["seconds", "seconds_of_each", "peak_memory"]
                    .iter()
                    .for_each(|took| _ = run[*took].take());
            }
        }
        assert_eq!(reports[0]["runs"], reports[1]["runs"]);
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn every_method_on_a_sample_of_a_real_collection() {
    let place = Place::new();
    let report = report(
        &place,
        &format!("{} --sample 200", testdata("licenses.jsonl.zst")),
        &[],
    );
    let runs = report["runs"].as_array().unwrap();
    let labels: Vec<&str> = runs
        .iter()
        .map(|run| run["label"].as_str().unwrap())
        .collect();
    let expected = [
        "minhash",
        "minhash --permutations many",
        "shared",
        "super",
        "simhash",
        "simhash --bits 128",
        "sentences",
        "exact",
        "shingle",
    ];
    assert_eq!(labels, expected);
    let recall = |label: &str| {
        let at = labels.iter().position(|other| *other == label).unwrap();
        runs[at]["pairs"]["recall"]["value"].as_f64().unwrap()
    };
    assert!(
        report["truth"]["pairs"].as_u64().unwrap() > 80,
        "{}",
        report["truth"]
    );
    assert_eq!(recall("shingle"), 1.0);
    assert!(recall("minhash") >= 0.99 && recall("minhash --permutations many") >= 0.99);
    for run in runs {
        let pairs = &run["pairs"];
        assert!(pairs["recall"]["low"].as_f64() <= pairs["recall"]["value"].as_f64());
        assert!(run["clusters"].is_null() && run["peak_memory"].as_u64() > Some(1_000_000));
        // Methods that count exactly have precision 1, and drop no document without a true partner.
        if !run["label"].as_str().unwrap().starts_with("simhash") {
            assert_eq!(
                (&pairs["precision"]["value"], &run["drops"]["wrong"]),
                (&1.0.into(), &0.into()),
                "{run}"
            );
        }
    }
    let steps = runs[0]["by_similarity"].as_array().unwrap();
    assert_eq!(
        (steps.len(), &steps[0]["from"], &steps[10]["from"]),
        (11, &0.5.into(), &1.0.into())
    );
}

#[test]
fn invalid_truths_and_runs_are_reported_with_their_place() {
    let place = chain();
    let good = "{\"a\":\"a\",\"b\":\"b\"}\n\n";
    for (line, part) in [
        (r#"{"a":"a"}"#, "missing field `b`"),
        (r#"{"a":"a","b":"zz"}"#, "no document has the id \"zz\""),
        (
            r#"{"a":"a","b":"6"}"#,
            "no document has the id \"6\" (a string)",
        ),
        (r#"{"a":"a","b":"a"}"#, "the pair has \"a\" twice"),
        (
            r#"{"a":"a","b":"b","jaccard":1.5}"#,
            "1.5 is not a similarity",
        ),
        (
            r#"{"a":"a","b":"b","containment":0.9}"#,
            "by a different measure",
        ),
        (r#"{"a":true,"b":"b"}"#, "true is not an id"),
        ("[1]", "not a JSON object"),
        ("hello", "not a JSON object"),
    ] {
        place.write("bad.jsonl", format!("{good}{line}\n"));
        let ran = eval(&place, "in.jsonl --truth bad.jsonl", &[""]);
        assert!(
            ran.code == 2 && ran.err.contains("bad.jsonl:3: ") && ran.err.contains(part),
            "{line}: {}",
            ran.err
        );
    }
    for (run, part) in [
        ("--method simhsh", "'simhsh'"),
        ("--bits 64", "--bits only works with --method simhash"),
        ("--nonsense", "'--nonsense'"),
        ("shingle", "'shingle'"),
        (
            "--threshold 2",
            "threshold must be above 0 and at most 1, got 2",
        ),
        ("--sample 9", "--cluster greedy"),
        ("--method shingle --verify sketch", "no sketches"),
        ("-o kept.jsonl", "'-o'"),
    ] {
        let ran = eval(&place, "in.jsonl --labels page", &["", run]);
        assert!(
            ran.code == 2
                && ran.err.contains(&format!("--run {run:?}: "))
                && ran.err.contains(part),
            "{run}: {}",
            ran.err
        );
        assert!(!ran.err.contains("Usage"), "{}", ran.err);
    }
    let ran = eval(&place, "in.jsonl --labels page", &["--keep newest:date"]);
    assert!(
        ran.code == 2
            && ran.err.contains(
                "the run minhash --keep newest:date: dedup failed: in.jsonl:1: field \"date\""
            ),
        "{}",
        ran.err
    );
    for (arguments, part) in [
        ("- --sample 3", "-: can be read only once"),
        ("/dev/stdin --sample 3", "/dev/stdin: can be read only once"),
        ("in.jsonl", "--sample"),
        ("in.jsonl --sample 0", "--sample"),
        (
            "in.jsonl --labels nothing",
            "--labels nothing: no two documents",
        ),
        ("in.jsonl --labels text", "the text cannot be the label"),
        (
            "in.jsonl --truth nothing.jsonl",
            "nothing.jsonl: no such file",
        ),
        ("nothing.jsonl --sample 3", "nothing.jsonl: no such file"),
        (
            "in.jsonl --sample 3 --threshold 0",
            "threshold must be above 0 and at most 1, got 0",
        ),
        ("in.jsonl --sample 3 --temp-dir nowhere", "--temp-dir"),
    ] {
        let ran = eval(&place, arguments, &[]);
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{arguments}: {}",
            ran.err
        );
    }
    assert_eq!(place.names(), ["bad.jsonl", "in.jsonl", "truth.jsonl"]);
}

#[test]
fn bad_lines_are_skipped_once_and_ids_may_be_generated() {
    let place = Place::new();
    place.write("in.jsonl", format!("{SMALL}oops\n"));
    let ran = eval(
        &place,
        "in.jsonl --sample 3 --skip-bad bad.txt",
        &["", "--method shingle"],
    );
    assert!(
        ran.code == 0 && ran.err.contains("in.jsonl:4: not JSON"),
        "{}",
        ran.err
    );
    assert_eq!(place.read("bad.txt"), "oops\n");
    assert!(
        ran.out.contains(
            "1 pair with resemblance >= 0.8; 2 of 3 sampled documents are in such a pair"
        ),
        "{}",
        ran.out
    );
}

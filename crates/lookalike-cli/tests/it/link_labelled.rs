//! Links records by weights that are learned from labelled pairs, and looks at other thresholds.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::{
    Place,
    link_learned::{CONFIG, people},
};

fn labelled() -> String {
    CONFIG.replace("\"learned\"", "\"labelled\"")
}

fn summary(place: &Place, line: &str) -> Value {
    let ran = place.run(&format!("link people.jsonl {line} --json -o pairs.jsonl"));
    serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{line}: {}", ran.err))
}

/// Returns labelled pairs: of each person that occurs twice, and of neighbours in the list, which are different people.
pub fn pairs(people: &str, share: usize, with_others: bool) -> String {
    let ids: Vec<String> = people
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let (mut lines, mut matches) = (String::new(), 0);
    for two in ids.windows(2) {
        let is_match = two[1] == format!("{}b", two[0]);
        matches += usize::from(is_match);
        if is_match && matches % share == 0 {
            writeln!(lines, r#"{{"a":"{}","b":"{}"}}"#, two[0], two[1]).unwrap();
        } else if !is_match && with_others && !two[0].ends_with('b') {
            writeln!(
                lines,
                r#"{{"a":"{}","b":"{}","match":false}}"#,
                two[0], two[1]
            )
            .unwrap();
        }
    }
    lines
}

#[test]
fn weights_are_learned_from_labels_and_cross_validated() {
    let place = Place::new();
    place
        .write("people.jsonl", people(600))
        .write("link.toml", labelled());
    let found = summary(&place, "--config link.toml --label who");
    assert!(found["judged"]["f1"].as_f64().unwrap() >= 0.98, "{found}");
    let labels = &found["learned"]["labels"];
    assert_eq!(labels["matches"], found["judged"]["candidates"]);
    assert_eq!(
        labels["matches"].as_u64().unwrap() + labels["others"].as_u64().unwrap(),
        found["candidates"].as_u64().unwrap()
    );
    assert_eq!(labels["folds"], 5);
    let thresholds = &found["thresholds"];
    assert_eq!(thresholds["by"], "held_out");
    assert_eq!(thresholds["current"]["threshold"], 0.5);
    let f1 = |at: &Value| at["f1"].as_f64().unwrap();
    assert!(
        f1(&thresholds["current"]) >= 0.95 && f1(&thresholds["best"]) >= f1(&thresholds["current"]),
        "{thresholds}"
    );
    let pairs = place.read("pairs.jsonl");
    for flags in ["--threads 1", "--threads 3 --memory 64M --temp-dir ."] {
        let other = summary(&place, &format!("--config link.toml --label who {flags}"));
        assert_eq!(place.read("pairs.jsonl"), pairs, "{flags}");
        assert_eq!(other["thresholds"], *thresholds, "{flags}");
    }
    let explained = place.run("link people.jsonl --config link.toml --label who --explain 0 0b");
    assert!(
        explained.code == 0 && explained.out.contains(" bits for any pair "),
        "{}{}",
        explained.out,
        explained.err
    );
}

#[test]
fn some_labelled_pairs_are_enough() {
    let place = Place::new();
    let people = people(600);
    place
        .write("people.jsonl", &people)
        .write("link.toml", labelled());
    place
        .write("all.jsonl", pairs(&people, 1, false))
        .write("some.jsonl", pairs(&people, 4, true));
    let (all, some) = (
        summary(&place, "--config link.toml --truth all.jsonl"),
        summary(&place, "--config link.toml --truth some.jsonl"),
    );
    let by_label = summary(&place, "--config link.toml --label who");
    assert_eq!(
        all["learned"], by_label["learned"],
        "without \"match\": false, other pairs are no matches"
    );
    let labels = |of: &Value| of["learned"]["labels"]["matches"].as_u64().unwrap();
    assert!(
        labels(&some) * 3 < labels(&all) && labels(&some) >= 10,
        "{some}"
    );
    // The matches that have no label are expected, too, and found.
    let expected = |of: &Value| of["learned"]["expected"].as_f64().unwrap();
    assert!(
        (expected(&some) / expected(&all) - 1.0).abs() < 0.1,
        "{} {}",
        expected(&some),
        expected(&all)
    );
    assert!(
        (some["matches"].as_f64().unwrap() / all["matches"].as_f64().unwrap() - 1.0).abs() < 0.05,
        "{some}"
    );
    assert!(
        some["judged"]["unlabelled"].as_u64().unwrap() > 100
            && all["judged"].get("unlabelled").is_none(),
        "{some}"
    );
    assert_eq!(
        some["judged"]["truth"].as_u64().unwrap() as usize,
        pairs(&people, 4, false).lines().count()
    );
}

#[test]
fn labels_that_are_not_enough_are_refused() {
    let place = Place::new();
    let people = people(600);
    let few: String = pairs(&people, 1, false)
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    let pair = few.lines().next().unwrap();
    place
        .write("people.jsonl", &people)
        .write("link.toml", labelled())
        .write("few.jsonl", &few);
    place.write(
        "both.jsonl",
        format!("{pair}\n{}\n", pair.replace('}', ",\"match\":false}")),
    );
    place.write("wrong.jsonl", pair.replace('}', ",\"match\":\"no\"}"));
    let mut all = String::new();
    for flags in [
        "",
        "--truth few.jsonl",
        "--truth both.jsonl",
        "--truth wrong.jsonl",
        "--explain 0 0b",
    ] {
        let ran = place.run(&format!("link people.jsonl --config link.toml {flags}"));
        assert_eq!(ran.code, 2, "{flags}: {}", ran.out);
        all += &ran.err;
    }
    assert_snapshot!(all, @r#"
    error: weights = "labelled" needs labelled pairs; give --label or --truth, or set weights = "learned"
    error: weights cannot be learned from labels: only 3 candidates are labelled as matches; label at least 10, add blocks that make more candidates, or set weights = "learned"
    error: both.jsonl: the pair of "0" and "0b" is a match and no match; remove one of the two lines
    error: wrong.jsonl:1: cannot be parsed: invalid type: string "no", expected a boolean; each line must be one JSON object: {"a": "one id", "b": "another"}
    error: weights = "labelled" needs labelled pairs; give --label or --truth, or set weights = "learned"
    "#);
}

#[test]
fn thresholds_are_shown_by_labels_or_as_the_model_expects_them() {
    let place = Place::new();
    place
        .write("people.jsonl", people(600))
        .write("link.toml", CONFIG);
    let by_labels = summary(&place, "--config link.toml --label who");
    let expected = summary(&place, "--config link.toml");
    let (labels, model) = (&by_labels["thresholds"], &expected["thresholds"]);
    assert_eq!(
        (&labels["by"], &model["by"]),
        (&Value::from("labels"), &Value::from("model"))
    );
    for figure in ["precision", "recall", "f1"] {
        assert_eq!(
            labels["current"][figure], by_labels["judged"][figure],
            "{figure}"
        );
        let of = |thresholds: &Value| thresholds["current"][figure].as_f64().unwrap();
        assert!(
            (of(labels) - of(model)).abs() < 0.03,
            "{figure}: {labels} {model}"
        );
    }
    assert_eq!(labels["current"]["pairs"], by_labels["matches"]);
    // The recommended threshold gives what was said.
    let best = &labels["best"];
    place.write(
        "best.toml",
        format!("match = {}\npossible = 0.001\n{CONFIG}", best["threshold"]),
    );
    let then = summary(&place, "--config best.toml --label who");
    assert_eq!(
        (&then["judged"]["f1"], &then["matches"]),
        (&best["f1"], &best["pairs"])
    );
    let text = place
        .run("link people.jsonl --config link.toml -o pairs.jsonl")
        .err;
    assert!(
        text.contains("match       pairs  precision  recall      F1  expected by the model\n"),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|line| line.starts_with("0.5 ") && line.contains("  now")),
        "{text}"
    );
}

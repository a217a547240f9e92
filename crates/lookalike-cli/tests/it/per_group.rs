//! Tests of keeping no document of a group, or several. A naive reading of the decisions of a usual run says which documents these are.

use std::collections::HashMap;

use serde_json::Value;

use crate::{Place, labels::done, testdata};

/// The records that a run keeps of each group, found from the decisions of the usual run. `order` has the lines of the input in keep
/// order.
fn expected(records: &[&str], decisions: &[Value], order: &[usize], most: usize) -> String {
    let head = |at: usize| match &decisions[at]["representative"] {
        Value::Null => decisions[at]["id"].clone(),
        other => other.clone(),
    };
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    order
        .iter()
        .for_each(|&at| groups.entry(head(at).to_string()).or_default().push(at));
    let kept = |at: usize| {
        let group = &groups[&head(at).to_string()];
        group.len() == 1
            || group
                .iter()
                .position(|&other| other == at)
                .is_some_and(|place| place < most)
    };
    (0..records.len())
        .filter(|&at| kept(at))
        .map(|at| format!("{}\n", records[at]))
        .collect()
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn groups_keep_as_many_documents_as_wanted() {
    let place = Place::new();
    let licenses = testdata("licenses.jsonl.zst");
    done(&place, &format!("dedup {licenses} -t 1 -o all.jsonl"));
    let all = place.read("all.jsonl");
    let records: Vec<&str> = all.lines().collect();
    for keep in ["first", "longest"] {
        done(
            &place,
            &format!("dedup all.jsonl -t 0.6 --keep {keep} -o one.jsonl"),
        );
        let decisions: Vec<Value> = place
            .read("one.decisions.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut order: Vec<usize> = (0..records.len()).collect();
        if keep == "longest" {
            let length = |at: &usize| {
                let record: Value = serde_json::from_str(records[*at]).unwrap();
                record["text"].as_str().unwrap().chars().count()
            };
            order.sort_by_key(|at| std::cmp::Reverse(length(at)));
        }
        for (flag, most) in [
            ("--drop all", 0),
            ("--drop duplicates", 1),
            ("--keep-per-group 2", 2),
            ("--keep-per-group 5", 5),
        ] {
            let ran = done(
                &place,
                &format!(
                    "dedup all.jsonl -t 0.6 --keep {keep} {flag} -o kept.jsonl --summary summary.json"
                ),
            );
            let kept = place.read("kept.jsonl");
            assert_eq!(
                kept,
                expected(&records, &decisions, &order, most),
                "{keep} {flag}"
            );
            let (lines, dropped) = (kept.lines().count(), records.len() - kept.lines().count());
            assert!(lines > 0 && dropped > 0);
            let summary: Value = serde_json::from_str(&place.read("summary.json")).unwrap();
            let number =
                |name: &str| summary.pointer(name).and_then(Value::as_u64).unwrap_or(0) as usize;
            assert_eq!(
                [number("/documents"), number("/kept"), number("/dropped")],
                [records.len(), lines, dropped],
                "{}",
                ran.err
            );
            let parts = number("/dropped_exact")
                + number("/dropped_near")
                + number("/per_group/dropped_too");
            assert_eq!(parts, dropped);
            // Everything except the verdict is as in the usual run.
            let mut verdicts = HashMap::new();
            for (line, usual) in place.read("kept.decisions.jsonl").lines().zip(&decisions) {
                let mut own: Value = serde_json::from_str(line).unwrap();
                *verdicts
                    .entry(own["verdict"].take().to_string())
                    .or_insert(0) += 1;
                let mut usual = usual.clone();
                usual["verdict"].take();
                assert_eq!(own, usual);
            }
            assert_eq!(verdicts["\"kept\""], lines);
            done(
                &place,
                "apply kept.decisions.jsonl all.jsonl -o applied.jsonl",
            );
            assert_eq!(place.read("applied.jsonl"), kept);
            done(
                &place,
                &format!("dedup all.jsonl -t 0.6 --keep {keep} {flag} --label -o labelled.jsonl"),
            );
            let labelled = place.read("labelled.jsonl");
            let labelled = labelled
                .lines()
                .filter(|line| line.contains("\"verdict\":\"kept\""))
                .count();
            assert_eq!(labelled, lines);
            done(
                &place,
                &format!(
                    "dedup all.jsonl -t 0.6 --keep {keep} {flag} -o part-{{}}.jsonl --rows-per-file 700"
                ),
            );
            let parts: String = (0..=(lines - 1) / 700)
                .map(|part| place.read(&format!("part-{part}.jsonl")))
                .collect();
            assert_eq!(parts, kept);
            let numbered = place
                .names()
                .into_iter()
                .filter(|name| name.starts_with("part-"));
            numbered.for_each(|name| std::fs::remove_file(place.path(&name)).unwrap());
        }
    }
}

#[test]
fn a_reference_counts_as_a_document_of_its_group() {
    let place = Place::new();
    let text = "The river rose above the old stone bridge during the night and flooded the lower streets of the town";
    place.write(
        "old.jsonl",
        format!("{{\"id\":\"old\",\"text\":\"{text}\"}}\n"),
    );
    let line = |id: usize| {
        format!(
            "{{\"id\":{id},\"text\":\"{text}{}\"}}\n",
            if id == 2 { " today" } else { "" }
        )
    };
    place.write("in.jsonl", (0..4).map(line).collect::<String>());
    for (flag, kept) in [
        ("--drop all", vec![]),
        ("--keep-per-group 2", vec![0]),
        ("--keep-per-group 4", vec![0, 1, 2]),
    ] {
        let ran = done(
            &place,
            &format!("dedup in.jsonl {flag} -o kept.jsonl --against old.jsonl"),
        );
        assert_eq!(
            place.read("kept.jsonl"),
            kept.iter().map(|&id| line(id)).collect::<String>(),
            "{flag}: {}",
            ran.err
        );
    }
    // Without pairs among the inputs, only a reference has a group.
    let ran = done(
        &place,
        "dedup in.jsonl --drop all -o kept.jsonl --against old.jsonl --against-only",
    );
    assert_eq!(place.read("kept.jsonl"), "", "{}", ran.err);
}

#[test]
fn a_report_and_an_index_show_what_the_law_keeps() {
    let place = Place::new();
    place.write("in.jsonl", "{\"id\":1,\"text\":\"one\"}\n");
    for (flags, why) in [
        (
            "--drop all --report page.html",
            "a report shows groups with one kept document, which is not what --drop all keeps",
        ),
        (
            "--keep-per-group 3 --index new",
            "an index has groups with one kept document, which is not what --keep-per-group keeps",
        ),
        (
            "--keep-per-group 3 --drop all",
            "--drop and --keep-per-group cannot be combined",
        ),
        ("--keep-per-group 0", "give a whole number of 1 or more"),
    ] {
        let ran = place.run(&format!("dedup in.jsonl -o kept.jsonl {flags}"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
        assert_eq!(place.names(), ["in.jsonl"]);
    }
}

//! Tests of decisions that are made from a file of pairs, compared with a naive reading of the file and with runs of dedup.

use std::collections::HashMap;

use serde_json::Value;

use crate::{Place, labels::done, testdata};

fn lines(place: &Place, name: &str) -> Vec<Value> {
    place
        .read(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The representative of each dropped document by the law over all pairs, in the order of the documents.
fn by_the_law(documents: &[String], pairs: &[Value], threshold: f64) -> HashMap<String, String> {
    let mut similarity: HashMap<(String, String), f64> = HashMap::new();
    for pair in pairs {
        let [a, b] = ["a", "b"].map(|name| pair[name].to_string());
        let value = pair["resemblance"].as_f64().unwrap();
        if value >= threshold {
            similarity.insert((a.clone(), b.clone()), value);
            similarity.insert((b, a), value);
        }
    }
    let (mut kept, mut dropped): (Vec<&String>, HashMap<String, String>) = Default::default();
    for document in documents {
        let mut best: Option<(f64, &String)> = None;
        for &other in &kept {
            let Some(&value) = similarity.get(&(document.clone(), other.clone())) else {
                continue;
            };
            if best.is_none_or(|best| value > best.0) {
                best = Some((value, other));
            }
        }
        match best {
            Some((_, other)) => _ = dropped.insert(document.clone(), other.clone()),
            None => kept.push(document),
        }
    }
    dropped
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn pairs_are_applied_by_the_law() {
    let place = Place::new();
    let licenses = testdata("licenses.jsonl.zst");
    done(&place, &format!("dedup {licenses} -t 1 -o all.jsonl"));
    done(&place, "pairs all.jsonl -t 0.5 -o pairs.jsonl");
    let (records, pairs) = (lines(&place, "all.jsonl"), lines(&place, "pairs.jsonl"));
    let input: Vec<String> = records
        .iter()
        .map(|record| record["id"].to_string())
        .collect();
    let length = |at: &usize| records[*at]["text"].as_str().unwrap().chars().count();
    let mut longest: Vec<usize> = (0..records.len()).collect();
    longest.sort_by_key(|at| std::cmp::Reverse(length(at)));
    let longest: Vec<String> = longest.into_iter().map(|at| input[at].clone()).collect();
    for (keep, order) in [("first", &input), ("longest", &longest)] {
        for threshold in [0.5, 0.7, 0.9, 1.0] {
            let flags = format!("--threshold {threshold} --keep {keep}");
            let applied = format!(
                "apply pairs.jsonl all.jsonl {flags} --write-decisions why.jsonl -o kept.jsonl"
            );
            let ran = done(&place, &applied);
            let expected = by_the_law(order, &pairs, threshold);
            let decisions = lines(&place, "why.jsonl");
            for (decision, id) in decisions.iter().zip(&input) {
                assert_eq!(decision["id"].to_string(), *id);
                let representative = expected.get(id).cloned();
                assert_eq!(
                    (!decision["representative"].is_null())
                        .then(|| decision["representative"].to_string()),
                    representative
                );
            }
            let is_kept = |line: &&str| {
                let record: Value = serde_json::from_str(line).unwrap();
                !expected.contains_key(&record["id"].to_string())
            };
            let all = place.read("all.jsonl");
            let kept: Vec<&str> = all.lines().filter(is_kept).collect();
            assert_eq!(
                place.read("kept.jsonl").lines().collect::<Vec<_>>(),
                kept,
                "{}",
                ran.err
            );
            // These pairs have been found with a lower threshold, and include those that dedup finds. Equal texts are called
            // near-duplicates here, because the file does not say that their canonical forms are equal.
            done(&place, &format!("dedup all.jsonl {flags} -o direct.jsonl"));
            let mut direct = lines(&place, "direct.decisions.jsonl");
            direct
                .iter_mut()
                .filter(|line| line["reason"] == "exact")
                .for_each(|line| line["reason"] = "near".into());
            direct
                .iter_mut()
                .filter(|line| line["reason"] == "empty")
                .for_each(|line| line["reason"] = "unique".into());
            assert_eq!(decisions, direct, "{flags}");
        }
    }
    done(
        &place,
        "apply pairs.jsonl all.jsonl -t 0.8 --drop all --write-decisions why.parquet -o kept.jsonl",
    );
    done(&place, "dedup all.jsonl -t 0.8 --drop all -o direct.jsonl");
    assert_eq!(place.read("kept.jsonl"), place.read("direct.jsonl"));
    done(&place, "apply why.parquet all.jsonl -o again.jsonl");
    assert_eq!(place.read("again.jsonl"), place.read("direct.jsonl"));
}

#[test]
fn pairs_of_other_tools() {
    let place = Place::new();
    place.write("in.csv", "id,text\na,one\nb,two\nc,three\n7,four\n");
    place.write(
        "pairs.jsonl",
        "{\"a\":\"c\",\"b\":\"a\",\"jaccard\":0.9}\n\n{\"a\":\"7\",\"b\":\"c\",\"similarity\":1}\n",
    );
    let ran = done(
        &place,
        "apply pairs.jsonl in.csv -t 0.9 -o kept.csv --write-decisions why.jsonl",
    );
    assert_eq!(place.read("kept.csv"), "id,text\na,one\nb,two\n7,four\n");
    assert!(
        ran.err
            .contains("  pairs    2 of 2 pairs with a similarity of 0.9 or more\n"),
        "{}",
        ran.err
    );
    let dropped = "{\"id\":\"c\",\"verdict\":\"dropped\",\"reason\":\"near\",\"representative\":\"a\",\"resemblance\":0.9,\
         \"containment\":null,\"containment_of_representative\":null,\"cluster_size\":2,\"estimated\":true}";
    assert_eq!(place.read("why.jsonl").lines().nth(2), Some(dropped));
}

#[test]
fn invalid_pairs_are_refused() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"text\":\"two\"}\n",
    );
    let apply = "apply pairs.jsonl in.jsonl -o kept.jsonl";
    for (pairs, flags, why) in [
        (
            "{\"a\":\"a\",\"b\":\"c\",\"resemblance\":1}",
            "-t 0.8",
            "pairs.jsonl:1: no document has the id \"c\"; name the inputs",
        ),
        (
            "{\"a\":\"a\",\"b\":\"a\",\"resemblance\":1}",
            "-t 0.8",
            "pairs.jsonl:1: the pair has \"a\" twice",
        ),
        (
            "{\"a\":\"a\",\"b\":\"b\"}",
            "-t 0.8",
            "pairs.jsonl:1: the pair has no resemblance; list pairs with",
        ),
        (
            "{\"a\":\"a\",\"b\":\"b\",\"containment_ab\":1}",
            "-t 0.8",
            "pairs.jsonl:1: the pair has no resemblance",
        ),
        (
            "{\"a\":\"a\",\"b\":\"b\",\"jaccard\":2}",
            "-t 0.8",
            "pairs.jsonl:1: 2 is not a similarity",
        ),
        (
            "{\"a\":\"a\",\"b\":null,\"jaccard\":1}",
            "-t 0.8",
            "pairs.jsonl:1: null is not an id",
        ),
        (
            "{\"a\":\"a\",\"b\":\"b\",\"intersection\":5,\"size_a\":4,\"size_b\":6}",
            "-t 0.8",
            "5 shingles cannot be shared",
        ),
        ("[1]", "-t 0.8", "pairs.jsonl:1: not a JSON object"),
        (
            "{\"id\":\"a\",\"verdict\":\"kept\"}",
            "-t 0.8",
            "pairs.jsonl:1: cannot be parsed: missing field `a`",
        ),
        (
            "",
            "-t 1.5",
            "threshold must be above 0 and at most 1, got 1.5",
        ),
        (
            "",
            "--keep longest",
            "--keep only works with --threshold or --skip-bad",
        ),
        (
            "",
            "--drop all",
            "--drop and --keep-per-group only work with --threshold",
        ),
        (
            "",
            "-t 0.8 --allow-repeated-ids",
            "the documents of pairs cannot be found if ids are repeated",
        ),
        ("", "-t 0.8 --write-decisions pairs.jsonl", "pairs.jsonl"),
        ("", "--write-decisions why.jsonl", "--threshold"),
    ] {
        place.write("pairs.jsonl", format!("{pairs}\n"));
        let ran = place.run(&format!("{apply} {flags}"));
        assert_ne!(ran.code, 0, "{flags} {pairs}");
        assert!(ran.err.contains(why), "{flags} {pairs}: {}", ran.err);
        assert_eq!(place.names(), ["in.jsonl", "pairs.jsonl"]);
    }
    let ran = place.run("apply pairs.parquet in.jsonl -o kept.jsonl -t 0.8");
    assert!(
        ran.err
            .contains("must be a file of pairs in JSON Lines, and it is a table"),
        "{}",
        ran.err
    );
}

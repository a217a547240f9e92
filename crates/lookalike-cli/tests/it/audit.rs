//! Tests of `lookalike audit`.

use std::{collections::BTreeSet, fmt::Write as _};

use insta::assert_snapshot;
use lookalike::fingerprint::SplitMix64;
use serde_json::{Value, json};

use crate::{Place, testdata};

/// By words, `b` resembles `a` and `c` by 4/5 and 5/6, `a` resembles `c` by 4/6, and `d` and `e` are equal. `f` has no text.
const CHAIN: &str = r#"{"id": "a", "text": "a b c d"}
{"id": "b", "text": "a b c d e"}
{"id": "c", "text": "a b c d e f"}
{"id": "d", "text": "x y z"}
{"id": "e", "text": "X, y: z!"}
{"id": "f", "text": " ... "}
{"id": 7, "text": "q r s"}
"#;

fn chain() -> Place {
    let place = Place::new();
    place.write("in.jsonl", CHAIN);
    place
}

fn summary(place: &Place, arguments: &str) -> Value {
    let ran = place.run(&format!("audit {arguments} --json"));
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Returns the counts of a summary: justified, chained, not similar and empty removals, and kept documents with a kept near-duplicate.
fn counts(summary: &Value) -> Value {
    let removals = &summary["removals"];
    json!([
        removals["justified"],
        removals["chained"],
        removals["not_similar"],
        removals["empty"],
        summary["missed"]["similar"]
    ])
}

#[test]
fn a_chained_cluster_by_hand() {
    let place = chain();
    place.write(
        "clusters.csv",
        "id,cluster\na,1\nb,1\nc,1\n7,1\nd,2\ne,3\nf,\n",
    );
    let ran = place.run("audit clusters.csv --texts in.jsonl --shingle 1 -o lines.jsonl");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    result    clusters.csv: 7 ids with clusters, of which the first document is kept
    texts     7 documents: 4 kept, 3 removed
    removed   3 documents with text, of which
              1 (33.3 %) justified: similar to a kept document (similarity 0.8 or higher)
              1 (33.3 %) chained: similar only to other removed documents
              1 (33.3 %) not similar to any document
              1 of 3 similar to the document that the result keeps instead
    missed    2 of 3 kept documents (66.7 %) have a near-duplicate that was kept, too
              1 pair with similarity 0.8 or higher
    clusters  3, of which 2 have one document
              "a" and 3 others: 33.3 % of the pairs similar

    similarity  removed  missed pairs
    1.00              0             1
    0.80              1             0
    0.65              1             0
    0.00              1             0
    removed: by similarity to the nearest kept document

    removals with the lowest similarity to a kept document
    7: nothing in common with a kept document (not similar to any document)
      q r s
    "c": 0.667 to "a" (chained)
      a b c d e f
      a b c d
    "b": 0.800 to "a" (justified)
      a b c d e
      a b c d

    most similar pairs of which both documents were kept
    "d" and "e": 1.000
      x y z
      X, y: z!
    --- stderr
    "#);
    assert_snapshot!(place.read("lines.jsonl"), @r#"
    {"id":"b","justified":true,"cause":"similar","nearest":"a","similarity":0.8,"named":"a","named_similarity":0.8}
    {"id":"c","justified":false,"cause":"chained","nearest":"a","similarity":0.6666666666666666,"named":"a","named_similarity":0.6666666666666666}
    {"id":7,"justified":false,"cause":"not_similar","nearest":null,"similarity":0.0,"named":"a","named_similarity":0.0}
    "#);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn our_own_decisions_are_justified() {
    let place = Place::new();
    let texts = testdata("licenses.jsonl.zst");
    for (name, more) in [
        ("a.jsonl", ""),
        ("b.parquet", ""),
        ("c.arrow", "--threshold 0.6"),
        ("d.jsonl", "--measure containment"),
    ] {
        assert_eq!(
            place
                .run(&format!(
                    "dedup {texts} --decisions {name} -o kept.jsonl --quiet {more}"
                ))
                .code,
            0
        );
        let by_decisions = summary(&place, &format!("{name} --texts {texts} {more}"));
        let removed = by_decisions["removed"].as_u64().unwrap();
        assert!(removed > 100);
        assert_eq!(by_decisions["removals"]["justified"], removed);
        assert_eq!(
            by_decisions["removals"]["named"],
            json!({"removed": removed, "similar": removed, "removed_too": 0})
        );
        // The law promises that nearly all pairs are found.
        assert!(
            by_decisions["missed"]["similar"].as_u64().unwrap() <= 5,
            "{}",
            by_decisions["missed"]
        );
        let by_records = summary(
            &place,
            &format!("kept.jsonl --result kept --texts {texts} {more}"),
        );
        assert_eq!(counts(&by_records), counts(&by_decisions));
    }
}

#[test]
fn the_kind_of_a_result_is_recognised() {
    let place = chain();
    // In each result, b and e are removed.
    let results = [
        ("ids.txt", "b\ne\n", ""),
        ("ids.jsonl", "\"b\"\n\"e\"\n", ""),
        ("ids.json", "[\"b\", \"e\"]", ""),
        ("rows.jsonl", "{\"id\": \"b\"}\n{\"id\": \"e\"}\n", ""),
        ("curator.csv", "_curator_dedup_id\nb\ne\n", ""),
        ("positions.txt", "1\n4\n", "--by-position"),
        ("kept.txt", "a\nc\nd\nf\n7\n", "--result kept"),
        (
            "kept.csv",
            "id,text\na,x\nc,x\nd,x\nf,x\n7,x\n",
            "--result kept",
        ),
        (
            "clusters.jsonl",
            "{\"__INDEX__\": 4, \"__CLUSTER__\": 3}\n{\"__INDEX__\": 3, \"__CLUSTER__\": 3}\n{\"__INDEX__\": 0, \"__CLUSTER__\": 0}\n{\"__INDEX__\": 1, \"__CLUSTER__\": 0}\n",
            "",
        ),
        (
            "groups.csv",
            "name;part\na;1\nb;1\nc;-1\nd;2\ne;2\n",
            "--result-id name --cluster-field part --result clusters",
        ),
        (
            "pairs.jsonl",
            "{\"a\": \"e\", \"b\": \"d\"}\n{\"a\": \"a\", \"b\": \"b\"}\n",
            "",
        ),
        (
            "of.jsonl",
            "{\"id\": \"a\"}\n{\"id\": \"b\", \"duplicate_of\": \"a\"}\n{\"id\": \"e\", \"duplicate_of\": \"d\"}\n",
            "",
        ),
        (
            "flags.csv",
            "id,is_duplicate\na,False\nb,True\nc,0\nd,0\ne,1\nf,0\n7,0\n",
            "",
        ),
        (
            "own.csv",
            "id,mine\na,true\nb,false\nc,true\nd,true\ne,false\nf,true\n7,true\n",
            "--kept-field mine",
        ),
    ];
    for (name, text, more) in results {
        place.write(name, text);
        let found = summary(
            &place,
            &format!("{name} --texts in.jsonl --shingle 1 {more}"),
        );
        assert_eq!(
            (counts(&found), &found["removed"]),
            (json!([2, 0, 0, 0, 0]), &json!(2)),
            "{name}"
        );
        assert_eq!(found["result"]["unknown"], 0, "{name}");
    }
    // Several files of the same kind are one result.
    place
        .write("one.txt", "b\n")
        .write("two.jsonl", "{\"id\": \"e\"}\n");
    assert_eq!(
        place.run("audit one.txt two.jsonl --texts in.jsonl").code,
        2
    );
    place.write("two.txt", "e\n");
    assert_eq!(
        summary(&place, "one.txt two.txt --texts in.jsonl --shingle 1")["removed"],
        2
    );
}

#[test]
fn numbers_and_strings_name_the_same_document_unless_both_exist() {
    let place = Place::new();
    place.write("in.jsonl", "{\"id\": 1, \"text\": \"a\"}\n{\"id\": \"2\", \"text\": \"a\"}\n{\"id\": 3, \"text\": \"b\"}\n");
    place
        .write("ids.jsonl", "\"1\"\n2\n")
        .write("ids.txt", "1\n2\n")
        .write("ids.csv", "id\n1\n2\n");
    for name in ["ids.jsonl", "ids.txt", "ids.csv"] {
        assert_eq!(
            summary(&place, &format!("{name} --texts in.jsonl"))["removed"],
            2,
            "{name}"
        );
    }
    place.write(
        "both.jsonl",
        "{\"id\": 1, \"text\": \"a\"}\n{\"id\": \"1\", \"text\": \"a\"}\n",
    );
    place.write("one.jsonl", "\"1\"\n");
    let found = summary(&place, "one.jsonl --texts both.jsonl --worst 1");
    assert_eq!(
        (&found["removed"], &found["worst_removals"][0]["id"]),
        (&json!(1), &json!("1"))
    );
}

#[test]
fn odd_results_are_explained() {
    let place = chain();
    place
        .write("unknown.txt", "b\nnope\nb\nno pe\n")
        .write(
            "clusters.jsonl",
            "{\"id\": \"x\", \"cluster\": 1}\n{\"id\": \"a\", \"cluster\": 2}\n",
        )
        .write(
            "decisions.jsonl",
            "{\"id\": \"b\", \"verdict\": \"dropped\", \"representative\": \"gone\"}\n",
        );
    assert_snapshot!(place.run("audit unknown.txt --texts in.jsonl --quiet --json").err, @"");
    for name in ["unknown.txt", "clusters.jsonl", "decisions.jsonl"] {
        place.write(
            "warnings",
            place
                .run(&format!("audit {name} --texts in.jsonl --shingle 1"))
                .err,
        );
        match name {
            "unknown.txt" => assert_snapshot!(place.read("warnings"), @r#"
            warning: 2 rows of the result name no document of the texts, such as "nope", "no pe"
            warning: 1 row of the result names a document that an earlier row names
            "#),
            "clusters.jsonl" => assert_snapshot!(place.read("warnings"), @r#"
            warning: 1 row of the result names no document of the texts, such as "x"
            warning: 1 cluster has no document of the texts
            "#),
            _ => assert_snapshot!(place.read("warnings"), @"
            warning: the document that is kept instead of 1 removed document is not in the texts
            warning: the result has no decision about 6 documents, which count as kept
            "),
        }
    }
}

#[test]
fn what_is_no_result_is_refused() {
    let place = chain();
    let twice = CHAIN.to_string() + "{\"id\": \"a\", \"text\": \"again\"}\n";
    place
        .write("twice.jsonl", twice)
        .write("all-unknown.txt", "one\ntwo\n")
        .write("records.jsonl", "{\"id\": \"a\", \"text\": \"x\"}\n")
        .write("names.csv", "name,size\na,1\n")
        .write("contradiction.csv", "id,cluster\na,1\nb,2\na,2\n")
        .write("verdict.csv", "id,verdict\na,maybe\n")
        .write(
            "reference.jsonl",
            "{\"id\": \"a\", \"verdict\": \"dropped\", \"reference\": \"r\"}\n",
        )
        .write("ids.txt", "a\n")
        .write("far.txt", "0\n1.5\n")
        .write("broken.jsonl", "{\"id\": \"a\"}\n{\"id\": \n")
        .write("nested.jsonl", "{\"id\": [1]}\n")
        .write("lacks.jsonl", "{\"id\": \"a\"}\n{\"name\": \"b\"}\n");
    let mut said = String::new();
    for arguments in [
        "all-unknown.txt --texts in.jsonl",
        "records.jsonl --texts in.jsonl",
        "names.csv --texts in.jsonl",
        "contradiction.csv --texts in.jsonl",
        "verdict.csv --texts in.jsonl",
        "reference.jsonl --texts in.jsonl",
        "ids.txt --result clusters --texts in.jsonl",
        "far.txt --by-position --texts in.jsonl",
        "broken.jsonl --texts in.jsonl",
        "nested.jsonl --texts in.jsonl",
        "lacks.jsonl --texts in.jsonl",
        "ids.txt --texts twice.jsonl",
        "ids.txt --texts twice.jsonl --allow-repeated-ids",
        "ids.txt --texts twice.jsonl --by-position",
        "far.txt --by-position --texts in.jsonl --skip-bad bad.jsonl",
        "missing.txt --texts in.jsonl",
        "ids.txt --texts in.jsonl -o ids.txt",
        "ids.txt --texts in.jsonl -o lines.parquet",
        "ids.txt --texts in.jsonl --threshold 2",
    ] {
        let ran = place.run(&format!("audit {arguments}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments}");
        writeln!(said, "{arguments}\n  {}", ran.err.trim_end()).unwrap();
    }
    assert_snapshot!(said, @r#"
    all-unknown.txt --texts in.jsonl
      error: all-unknown.txt: no row names a document of the texts; the first ids are "one", "two"; check --result-id and --id-field, or give --by-position if documents are numbered by their position
    records.jsonl --texts in.jsonl
      error: records.jsonl: the records have the field "text", and nothing says whether they were kept or removed; give --result kept or --result removed
    names.csv --texts in.jsonl
      error: names.csv: no field has the ids of documents; name the field with --result-id; the fields are "name", "size"
    contradiction.csv --texts in.jsonl
      error: contradiction.csv:4: an earlier row says something else about "a"; each document must have one verdict and one cluster
    verdict.csv --texts in.jsonl
      error: verdict.csv:2: "maybe" is not a verdict; a verdict must be kept or dropped
    reference.jsonl --texts in.jsonl
      error: reference.jsonl:1: the document was dropped as a duplicate of the reference document "r"; audit the decisions of a run without --against
    ids.txt --result clusters --texts in.jsonl
      error: ids.txt: a list of ids names no clusters, pairs or verdicts; give --result removed or --result kept
    far.txt --by-position --texts in.jsonl
      error: far.txt:2: 1.5 is not a position; positions are whole numbers and count from 0
    broken.jsonl --texts in.jsonl
      error: broken.jsonl:2: cannot be parsed: EOF while parsing a value
    nested.jsonl --texts in.jsonl
      error: nested.jsonl:1: [1] is not an id; an id must be a string or a number
    lacks.jsonl --texts in.jsonl
      error: lacks.jsonl:2: the row has no id; name the field with --result-id
    ids.txt --texts twice.jsonl
      error: twice.jsonl:8: id "a" was already used at twice.jsonl:1; make ids unique, or allow repeated ids with --allow-repeated-ids
    ids.txt --texts twice.jsonl --allow-repeated-ids
      error: ids.txt:1: several documents of the texts have the id "a"; make ids unique, or give --by-position if the result numbers documents by position
    ids.txt --texts twice.jsonl --by-position
      error: ids.txt:1: "a" is not a position; positions are whole numbers and count from 0
    far.txt --by-position --texts in.jsonl --skip-bad bad.jsonl
      error: --skip-bad: documents are numbered by position, and skipped lines would change the positions; repair the lines, or name documents by their ids
    missing.txt --texts in.jsonl
      error: missing.txt: no such file; check the name, or give a folder or a quoted glob
    ids.txt --texts in.jsonl -o ids.txt
      error: ids.txt: would overwrite the input ids.txt; give another name
    ids.txt --texts in.jsonl -o lines.parquet
      error: lines.parquet: the removals are written as JSON Lines; give a name that ends with .jsonl
    ids.txt --texts in.jsonl --threshold 2
      error: threshold must be above 0 and at most 1, got 2; for example 0.8
    "#);
    // Other ids and positions are unambiguous.
    place.write("position.txt", "7\n");
    assert_eq!(
        summary(
            &place,
            "position.txt --texts twice.jsonl --allow-repeated-ids"
        )["removed"],
        1
    );
    assert_eq!(
        summary(&place, "position.txt --texts twice.jsonl --by-position")["removed"],
        1
    );
}

#[test]
fn extremes() {
    let place = chain();
    place
        .write("none.txt", "")
        .write("none.jsonl", "")
        .write("header.csv", "id\n")
        .write("all.txt", "a\nb\nc\nd\ne\nf\n7\n");
    place
        .write("singles.csv", "id,cluster\na,1\nb,2\nc,3\n")
        .write("empty.jsonl", "");
    for name in ["none.txt", "none.jsonl", "header.csv", "singles.csv"] {
        let found = summary(&place, &format!("{name} --texts in.jsonl --shingle 1"));
        assert_eq!(
            (&found["removed"], &found["removals"]["justified_share"]),
            (&json!(0), &Value::Null),
            "{name}"
        );
        // All are kept, so a, b, c, d and e have near-duplicates that were kept, too.
        assert_eq!(
            (counts(&found), &found["missed"]["pairs"]),
            (json!([0, 0, 0, 0, 5]), &json!(3)),
            "{name}"
        );
    }
    let found = summary(
        &place,
        "none.txt --result kept --texts in.jsonl --shingle 1",
    );
    assert_eq!(counts(&found), json!([0, 5, 1, 1, 0]));
    assert_eq!(
        (&found["missed"]["share"], &found["missed"]["kept"]),
        (&Value::Null, &json!(0))
    );
    assert_eq!(
        counts(&summary(&place, "all.txt --texts in.jsonl --shingle 1")),
        json!([0, 5, 1, 1, 0])
    );
    assert_eq!(
        summary(&place, "none.txt --texts empty.jsonl")["documents"],
        0
    );
    let found = summary(
        &place,
        "all.txt --texts in.jsonl --shingle 1 --recheck 0 --sample 0 --worst 0",
    );
    assert_eq!(
        (&found["removals"]["unchecked"], &found["worst_removals"]),
        (&json!(6), &json!([]))
    );
    let page = place.run("audit none.txt --texts in.jsonl --sample 0");
    assert!(
        page.out.contains("removed   nothing\n") && page.out.contains("--sample is 0"),
        "{}",
        page.out
    );
}

#[test]
fn large_clusters_and_samples() {
    let place = Place::new();
    let mut random = SplitMix64::new(3);
    let (mut texts, mut clusters) = (String::new(), "id,cluster\n".to_string());
    for id in 0..10_000 {
        let words: Vec<String> = (0..20)
            .map(|_| format!("w{}", random.next_u64() % 100_000))
            .collect();
        writeln!(texts, "{{\"id\": {id}, \"text\": \"{}\"}}", words.join(" ")).unwrap();
        writeln!(clusters, "{id},giant").unwrap();
    }
    place
        .write("in.jsonl", texts)
        .write("clusters.csv", clusters);
    let found = summary(&place, "clusters.csv --texts in.jsonl --recheck 100000");
    assert_eq!(counts(&found), json!([0, 0, 9999, 0, 0]));
    let largest = &found["clusters"]["largest"][0];
    assert_eq!(
        (
            &largest["size"],
            &largest["first"],
            &largest["similar"],
            &largest["pairs"]
        ),
        (&json!(10_000), &json!(0), &json!(0), &json!(1000))
    );
    // A sample gives an estimate with an interval, and says how many were not checked.
    let found = summary(&place, "clusters.csv --texts in.jsonl --recheck 100");
    let removals = &found["removals"];
    assert_eq!(
        (
            &removals["not_similar"],
            &removals["unchecked"],
            &removals["unmatched"]
        ),
        (&json!(100), &json!(9899), &json!(9999))
    );
    assert_eq!(removals["not_similar_share"]["value"], 1.0);
    assert!(removals["not_similar_share"]["low"].as_f64().unwrap() < 0.99);
    assert!(removals["justified_share"]["high"].as_f64().unwrap() > 0.01);
}

/// A random collection and a random result, judged by comparing all pairs of word sets.
struct Twin {
    sets: Vec<BTreeSet<u64>>,
    removed: Vec<bool>,
    containment: bool,
    threshold: f64,
}

impl Twin {
    fn similarity(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.sets[a], &self.sets[b]);
        let shared = a.intersection(b).count();
        let whole = if self.containment {
            a.len()
        } else {
            a.union(b).count()
        };
        if whole == 0 {
            0.0
        } else {
            shared as f64 / whole as f64
        }
    }

    /// Returns the counts of a summary, the missed pairs, and the removals and missed pairs by similarity.
    fn judge(&self) -> Value {
        let all = 0..self.sets.len();
        let others = |d: usize, removed: bool| {
            all.clone()
                .filter(move |&other| other != d && self.removed[other] == removed)
        };
        let (mut justified, mut chained, mut not_similar, mut empty, mut similar, mut pairs) =
            (0, 0, 0, 0, 0, 0);
        let (mut bars, mut missed_bars) = (vec![0u64; 21], vec![0u64; 21]);
        let step = |similarity: f64| (similarity * 20.0 + 1e-9) as usize;
        for d in all.clone() {
            if self.removed[d] {
                if self.sets[d].is_empty() {
                    empty += 1;
                    continue;
                }
                let best = others(d, false)
                    .map(|other| self.similarity(d, other))
                    .fold(0.0, f64::max);
                bars[step(best)] += 1;
                if best >= self.threshold {
                    justified += 1;
                } else if others(d, true).any(|other| self.similarity(d, other) >= self.threshold) {
                    chained += 1;
                } else {
                    not_similar += 1;
                }
            } else {
                let near = |other: usize| self.similarity(d, other).max(self.similarity(other, d));
                let missed: Vec<usize> = others(d, false)
                    .filter(|&other| near(other) >= self.threshold)
                    .collect();
                similar += u64::from(!missed.is_empty());
                pairs += missed.iter().filter(|&&other| other > d).count();
                missed
                    .iter()
                    .filter(|&&other| other > d)
                    .for_each(|&other| missed_bars[step(near(other))] += 1);
            }
        }
        json!([
            [justified, chained, not_similar, empty, similar],
            pairs,
            bars,
            missed_bars[step(self.threshold)..]
        ])
    }
}

#[test]
fn counts_equal_those_of_a_naive_twin() {
    let place = Place::new();
    let mut random = SplitMix64::new(11);
    for case in 0..60 {
        let mut below = |bound: u64| random.next_u64() % bound;
        let documents = 1 + below(60) as usize;
        let mut sets: Vec<BTreeSet<u64>> = Vec::new();
        for _ in 0..documents {
            // A document is a new one, or a changed copy of an earlier one.
            let mut set: BTreeSet<u64> = match sets.is_empty() || below(3) == 0 {
                true => (0..below(12)).map(|_| below(1000)).collect(),
                false => sets[below(sets.len() as u64) as usize].clone(),
            };
            (0..below(3)).for_each(|_| _ = set.insert(below(1000)));
            if below(3) == 0 {
                set.pop_first();
            }
            sets.push(set);
        }
        let (containment, threshold) = (case % 4 == 3, [0.8, 0.5, 0.9, 0.6][case % 4]);
        let words = |set: &BTreeSet<u64>| {
            set.iter()
                .map(|word| format!("w{word}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let texts: String = sets
            .iter()
            .enumerate()
            .map(|(id, set)| format!("{{\"id\": \"d{id}\", \"text\": \"{}\"}}\n", words(set)))
            .collect();
        place.write("in.jsonl", texts);
        let groups: Vec<u64> = (0..documents).map(|_| below(documents as u64)).collect();
        let (removed, name, flags) = match case % 3 {
            0 => {
                let removed: Vec<bool> = (0..documents).map(|_| below(2) == 0).collect();
                let ids = (0..documents)
                    .filter(|&d| removed[d])
                    .fold(String::new(), |all, d| all + &format!("d{d}\n"));
                place.write("removed.txt", ids);
                (removed, "removed.txt", "")
            }
            1 => {
                let rows = (0..documents)
                    .rev()
                    .fold("id,cluster\n".to_string(), |all, d| {
                        all + &format!("d{d},{}\n", groups[d])
                    });
                place.write("clusters.csv", rows);
                let removed = (0..documents)
                    .map(|d| groups[..d].contains(&groups[d]))
                    .collect();
                (removed, "clusters.csv", "")
            }
            _ => {
                let removed: Vec<bool> = (0..documents).map(|_| below(4) == 0).collect();
                let rows = (0..documents).fold(String::new(), |all, d| {
                    all + &format!("{{\"row\": {d}, \"kept\": {}}}\n", !removed[d])
                });
                place.write("kept.jsonl", rows);
                (removed, "kept.jsonl", "--by-position")
            }
        };
        let measure = if containment {
            "--measure containment"
        } else {
            ""
        };
        let arguments =
            format!("{name} --texts in.jsonl --shingle 1 -t {threshold} {measure} {flags}");
        let found = summary(&place, &arguments);
        let bars = |of: &Value| {
            of["by_similarity"]
                .as_array()
                .unwrap()
                .iter()
                .map(|bar| bar["count"].clone())
                .collect::<Vec<_>>()
        };
        let own = json!([
            counts(&found),
            found["missed"]["pairs"],
            bars(&found["removals"]),
            bars(&found["missed"])
        ]);
        let twin = Twin {
            sets,
            removed,
            containment,
            threshold,
        };
        assert_eq!(
            own,
            twin.judge(),
            "case {case}: {arguments}\n{}",
            place.read("in.jsonl")
        );
        if case % 10 == 0 {
            let outputs = |threads: u32| {
                let ran =
                    place.run(&format!("audit {arguments} --threads {threads} --recheck 5 --sample 7 --json -o lines.jsonl"));
                (ran.out, place.read("lines.jsonl"))
            };
            assert_eq!(outputs(1), outputs(4));
        }
    }
}

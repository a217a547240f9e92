//! Tests of documents that are compared by several fields. A naive reference compares all pairs of documents, as sets of strings.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::{Place, labels::done, resume::Random};

const FIELDS: [&str; 3] = ["title", "body", "note"];

/// A record with a text for each field.
type Texts = [String; 3];

fn shingles(text: &str) -> BTreeSet<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.len() {
        0 => BTreeSet::new(),
        1 => [words].into(),
        _ => words.windows(2).map(<[&str]>::to_vec).collect(),
    }
}

fn resemblance(a: &str, b: &str) -> f64 {
    let (a, b) = (shingles(a), shingles(b));
    match a.union(&b).count() {
        0 => 0.0,
        all => a.intersection(&b).count() as f64 / all as f64,
    }
}

/// What the reference decides: the representative of each document and their similarity; `None` if it is kept.
fn expected(
    texts: &[Texts],
    order: &[usize],
    (references, only): (usize, bool),
    fields: usize,
    flag: &str,
) -> Vec<Option<(usize, f64)>> {
    let mut decided: Vec<Option<(usize, f64)>> = vec![None; texts.len()];
    let mut kept: Vec<usize> = (0..references).collect();
    for &document in order.iter().filter(|&&document| document >= references) {
        let mut best: Option<(usize, f64)> = None;
        for &other in &kept {
            // A field counts if it reaches the threshold.
            let of =
                (0..fields).map(|field| resemblance(&texts[document][field], &texts[other][field]));
            let of: Vec<f64> = of
                .map(|similarity| if similarity >= 0.6 { similarity } else { 0.0 })
                .collect();
            let similarity = of
                .into_iter()
                .reduce(if flag == "--and-field" {
                    f64::min
                } else {
                    f64::max
                })
                .unwrap();
            if similarity > 0.0 && best.is_none_or(|best| similarity > best.1) {
                best = Some((other, similarity));
            }
        }
        decided[document] = best;
        if best.is_none() && !only {
            kept.push(document);
        }
    }
    decided
}

/// Returns a text that is often similar to others, and sometimes equal or empty.
fn text(random: &mut Random) -> String {
    let versions = random.below(3) as usize;
    let base: Vec<String> = (0..[3, 6, 12][versions])
        .map(|word| format!("w{versions}{word}"))
        .collect();
    match random.below(8) {
        0 => String::new(),
        1 => base[..1 + random.below(2) as usize].join(" "),
        2..=4 => base.join(" "),
        _ => {
            let mut words = base;
            for _ in 0..1 + random.below(2) {
                let at = random.below(words.len() as u64) as usize;
                words[at] = format!("x{}", random.below(5));
            }
            words.join("  ").to_uppercase()
        }
    }
}

fn record(id: usize, texts: &Texts) -> String {
    let fields: Vec<String> = FIELDS
        .iter()
        .zip(texts)
        .map(|(name, text)| format!("\"{name}\":\"{text}\""))
        .collect();
    format!("{{\"id\":{id},{}}}\n", fields.join(","))
}

#[test]
fn decisions_are_those_of_a_naive_reference() {
    let mut random = Random(7);
    let (mut dropped, mut exact) = (0, 0);
    for round in 0..40 {
        let place = Place::new();
        let documents = 4 + random.below(60) as usize;
        let texts: Vec<Texts> = (0..documents)
            .map(|_| [(); 3].map(|()| text(&mut random)))
            .collect();
        let references = if round % 3 == 0 { documents / 4 } else { 0 };
        let lines: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(id, texts)| record(id, texts))
            .collect();
        place
            .write("in.jsonl", lines[references..].concat())
            .write("old.jsonl", lines[..references].concat());
        let lower: Vec<Texts> = texts
            .iter()
            .map(|texts| texts.clone().map(|text| text.to_lowercase()))
            .collect();
        let (fields, flag) = (2 + round % 2, ["--and-field", "--or-field"][round / 2 % 2]);
        let keep = if round % 6 == 0 {
            "first"
        } else {
            ["first", "longest"][round / 4 % 2]
        };
        let mut order: Vec<usize> = (0..documents).collect();
        if keep == "longest" {
            order.sort_by_key(|&at| {
                (
                    at >= references,
                    if at < references {
                        0
                    } else {
                        usize::MAX - texts[at][0].len()
                    },
                )
            });
        }
        let others: String = FIELDS[1..fields]
            .iter()
            .map(|field| format!(" {flag} {field}"))
            .collect();
        let only = round % 6 == 0;
        let against = match (references > 0, only) {
            (true, true) => " --against old.jsonl --against-only",
            (true, false) => " --against old.jsonl",
            (false, _) => "",
        };
        let keep = if references > 0 && only {
            String::new()
        } else {
            format!("--keep {keep}")
        };
        let method = ["", " --method shingle"][usize::from(round > 7)];
        done(
            &place,
            &format!(
                "dedup in.jsonl --text-field title{others} --shingle 2 -t 0.6 {keep}{method} --recall 0.9999 -o kept.jsonl{against}"
            ),
        );
        let expected = expected(
            &lower,
            &order,
            (references, only && references > 0),
            fields,
            flag,
        );
        let mut kept = String::new();
        for (at, line) in (references..).zip(place.read("kept.decisions.jsonl").lines()) {
            let decision: Value = serde_json::from_str(line).unwrap();
            let found = decision["representative"]
                .as_u64()
                .map(|id| (id as usize, decision["resemblance"].as_f64().unwrap()));
            assert_eq!(found, expected[at], "round {round}: {line}\n{lines:?}");
            let is_empty = lower[at][..fields]
                .iter()
                .all(|text| text.trim().is_empty());
            assert_eq!(decision["reason"] == "empty", is_empty);
            if let Some((other, _)) = found {
                dropped += 1;
                let equal =
                    |field: usize| shingles(&lower[at][field]) == shingles(&lower[other][field]);
                let all_equal = (0..fields).all(equal);
                exact += usize::from(all_equal && flag == "--and-field");
                assert!(
                    flag != "--and-field" || all_equal || decision["reason"] == "near",
                    "{line}"
                );
            } else {
                kept += &lines[at];
            }
        }
        assert_eq!(place.read("kept.jsonl"), kept);
    }
    assert!(dropped > 100 && exact > 0, "{dropped} {exact}");
}

#[test]
fn only_references_represent_if_inputs_are_not_compared() {
    let place = Place::new();
    let title = "one two three four five six seven";
    place.write(
        "old.csv",
        format!("id,title,body\nold,{title},alpha beta gamma delta epsilon zeta\n"),
    );
    place.write(
        "in.csv",
        format!("id,title,body\na,{title},nothing\nb,{title},nothing\nc,x,Alpha Beta gamma delta epsilon zeta\n"),
    );
    let flags = "--text-field title --or-field body --against old.csv --against-only";
    let ran = done(&place, &format!("dedup in.csv -o kept.csv {flags}"));
    assert_eq!(place.read("kept.csv"), "id,title,body\n", "{}", ran.err);
    // Documents are not compared with each other, although no reference matches.
    place.write("other.csv", "id,title,body\nother,x y z,u v w\n");
    for flag in ["--or-field", "--and-field"] {
        let flags = flags
            .replace("--or-field", flag)
            .replace("old.csv", "other.csv");
        done(&place, &format!("dedup in.csv -o kept.csv {flags}"));
        assert_eq!(place.read("kept.csv"), place.read("in.csv"));
    }
    let flags = flags.replace("--or-field", "--and-field");
    let ran = done(&place, &format!("dedup in.csv -o kept.csv {flags}"));
    assert_eq!(place.read("kept.csv").lines().count(), 4, "{}", ran.err);
    assert!(
        ran.err
            .contains("  found    in \"body\": expected recall 99."),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("  found    in \"title\": expected recall 99.")
            && ran.err.contains("  found    together: expected recall 99."),
        "{}",
        ran.err
    );
}

/// The titles of all documents are similar, so they have millions of pairs. The bodies have few, and only these are compared.
#[test]
fn a_field_with_many_similar_texts_costs_nothing_if_another_has_few() {
    let place = Place::new();
    let body = |number: usize| {
        (0..20)
            .map(|word| format!("b{number}x{word} "))
            .collect::<String>()
    };
    let title = |number: usize| {
        format!("the daily news of our town and of all its people, number {number}")
    };
    let record = |number: usize| {
        let of_body = if number % 10 == 9 { number - 5 } else { number };
        format!(
            "{}\n",
            serde_json::json!({"id": number, "title": title(number), "body": body(of_body)})
        )
    };
    place.write("in.jsonl", (0..20_000).map(record).collect::<String>());
    for (text, other) in [("title", "body"), ("body", "title")] {
        let ran = done(
            &place,
            &format!(
                "dedup in.jsonl --text-field {text} --and-field {other} --shingle 2 -t 0.7 -o kept.jsonl --json"
            ),
        );
        let summary: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (&summary["dropped"], &summary["dropped_exact"]),
            (&2000.into(), &0.into())
        );
        assert_eq!(place.read("kept.jsonl").lines().count(), 18_000);
        assert!(
            summary["peak_memory"].as_u64().unwrap() < 300 << 20,
            "{}",
            summary["peak_memory"]
        );
    }
    // Each title is similar to the first one, which is the only one that is kept, so each is compared once or twice.
    let ran = done(
        &place,
        "dedup in.jsonl --text-field title --or-field body --shingle 2 -t 0.7 -o kept.jsonl --memory 64M --json",
    );
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary["kept"], 1);
    assert!(summary["pairs_met"].as_u64().unwrap() < 60_000, "{summary}");
    assert!(
        summary["peak_memory"].as_u64().unwrap() < 200 << 20,
        "{}",
        summary["peak_memory"]
    );
}

#[test]
fn outputs_and_threads() {
    let mut random = Random(3);
    let place = Place::new();
    let line = |id| record(id, &[(); 3].map(|()| text(&mut random)));
    place.write("in.jsonl", (0..900).map(line).collect::<String>());
    let flags = "--text-field title --and-field body -t 0.6 --shingle 2";
    done(
        &place,
        &format!("dedup in.jsonl {flags} -o kept.jsonl --threads 1"),
    );
    let (kept, why) = (place.read("kept.jsonl"), place.read("kept.decisions.jsonl"));
    done(
        &place,
        &format!("dedup in.jsonl {flags} -o again.jsonl --threads 3 --memory 64M"),
    );
    assert_eq!(
        (
            place.read("again.jsonl"),
            place.read("again.decisions.jsonl")
        ),
        (kept.clone(), why.clone())
    );
    done(
        &place,
        "apply kept.decisions.jsonl in.jsonl -o applied.jsonl --text-field title",
    );
    assert_eq!(place.read("applied.jsonl"), kept);
    done(
        &place,
        &format!("dedup in.jsonl {flags} --label -o labelled.jsonl --input-command true"),
    );
    assert_eq!(place.read("labelled.decisions.jsonl"), why);
    assert_eq!(place.read("labelled.jsonl").lines().count(), 900);
    done(
        &place,
        &format!(
            "dedup in.jsonl {flags} --keep-per-group 2 -o part-{{}}.jsonl --rows-per-file 100"
        ),
    );
    let decisions: HashMap<String, usize> = why.lines().fold(HashMap::new(), |mut groups, line| {
        let decision: Value = serde_json::from_str(line).unwrap();
        let head = if decision["representative"].is_null() {
            &decision["id"]
        } else {
            &decision["representative"]
        };
        *groups.entry(head.to_string()).or_default() += 1;
        groups
    });
    let expected: usize = decisions.values().map(|&size| size.min(2)).sum();
    let parts = place
        .names()
        .into_iter()
        .filter(|name| name.starts_with("part-") && !name.contains("decisions"));
    assert_eq!(
        parts
            .map(|name| place.read(&name).lines().count())
            .sum::<usize>(),
        expected
    );
}

#[test]
fn what_does_not_work_is_refused() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"id\":1,\"title\":\"one\",\"body\":\"two\"}\n{\"id\":2,\"title\":\"one\"}\n",
    );
    for (flags, why) in [
        (
            "--and-field body",
            "in.jsonl:2: no field \"body\"; the record has the fields \"id\", \"title\"; name the field with the text with --and-field",
        ),
        (
            "--and-field title",
            "--and-field: the field \"title\" is named twice; name each field once",
        ),
        (
            "--or-field body --or-field body",
            "--or-field: the field \"body\" is named twice",
        ),
        (
            "--or-field body --and-field text",
            "--and-field and --or-field cannot be combined",
        ),
        (
            "--and-field body --bands 16 --rows 6",
            "or use 18 bands of 6 rows, or lower the recall to 0.99; this is the recall of one field; 2 fields with it find 0.99 of the",
        ),
        (
            "--or-field id",
            "field \"id\" cannot be both the text and the id",
        ),
        (
            "--and-field body --skip-bad bad.txt",
            "--and-field does not work with --skip-bad; leave out one of the two",
        ),
        (
            "--and-field body --resume state",
            "--and-field does not work with --resume",
        ),
        (
            "--or-field body --report page.html",
            "--or-field does not work with --report",
        ),
        (
            "--or-field body --cluster components",
            "--or-field does not work with --cluster",
        ),
        (
            "--or-field body --verify sketch",
            "--or-field does not work with --verify",
        ),
        (
            "--or-field body --method simhash",
            "--or-field does not work with this --method, whose similarities are estimates",
        ),
        (
            "--or-field body --candidates shared",
            "--or-field does not work with --candidates shared",
        ),
        (
            "--or-field body --measure containment",
            "--or-field does not work with --measure containment",
        ),
        (
            "--or-field body --min-containment 0.9",
            "--or-field does not work with --min-containment",
        ),
        (
            "--or-field body --index new",
            "an index compares documents by one field, so it does not work with --or-field",
        ),
    ] {
        let ran = place.run(&format!(
            "dedup in.jsonl --text-field title -o kept.jsonl {flags}"
        ));
        assert_ne!(ran.code, 0, "{flags}");
        assert!(ran.err.contains(why), "{flags}: {}", ran.err);
        assert_eq!(place.names(), ["in.jsonl"], "{flags}");
    }
    place.write("page.txt", "one two");
    let ran = place.run("dedup in.jsonl page.txt --text-field title --or-field body -o kept.jsonl");
    assert!(
        ran.err.contains(
            "--or-field compares fields of records, and an input is plain text, which has none"
        ),
        "{}",
        ran.err
    );
    let ran = place.run("dedup - --text-field title --or-field body -o kept.jsonl");
    assert!(
        ran.err
            .contains("can be read only once, but --or-field reads the inputs once for each field"),
        "{}",
        ran.err
    );
}

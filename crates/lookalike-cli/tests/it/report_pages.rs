//! Tests of `--report`: the data in the page. The page itself is tested in a browser (`web/tests`).

use std::{collections::BTreeMap, fs::File, io::Read};

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::DeflateDecoder;
use serde_json::Value;

use crate::{Place, Ran, SMALL, testdata};

/// Returns a block of data in a report.
fn block(html: &str, name: &str) -> Value {
    let mark = format!("<script type=\"text/plain\" id=\"{name}\">");
    let start = html
        .find(&mark)
        .unwrap_or_else(|| panic!("no block {name}"))
        + mark.len();
    let end = start + html[start..].find('<').unwrap();
    let mut json = String::new();
    DeflateDecoder::new(&*STANDARD.decode(&html[start..end]).unwrap())
        .read_to_string(&mut json)
        .unwrap();
    serde_json::from_str(&json).unwrap()
}

/// Returns the texts in a report, by the numbers of their documents.
fn texts(html: &str) -> BTreeMap<u64, String> {
    let report = block(html, "report");
    let mut documents = report["texts"]["documents"].as_array().unwrap().iter();
    let mut found = BTreeMap::new();
    for number in 0..report["texts"]["counts"].as_array().unwrap().len() {
        for text in block(html, &format!("texts-{number}")).as_array().unwrap() {
            found.insert(
                documents.next().unwrap().as_u64().unwrap(),
                text.as_str().unwrap().to_string(),
            );
        }
    }
    assert!(documents.next().is_none());
    found
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Compares the decisions in a report with the decisions file.
fn assert_same_decisions(html: &str, decisions: &str) {
    let report = block(html, "report");
    let documents = &report["documents"];
    let references = documents["references"].as_u64().unwrap() as usize;
    let ids: Vec<&str> = documents["id"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    let reasons: Vec<char> = documents["reason"].as_str().unwrap().chars().collect();
    let plain = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_string);
    let decisions = lines(decisions);
    assert_eq!(ids.len(), references + decisions.len());
    for (at, decision) in (references..).zip(&decisions) {
        assert_eq!(ids[at], plain(&decision["id"]));
        let reason = match decision["reason"].as_str().unwrap() {
            "exact" => 'x',
            name => name.chars().next().unwrap(),
        };
        assert_eq!(reasons[at], reason, "{decision}");
        let representative = documents["representative"][at].as_i64().unwrap();
        let named = usize::try_from(representative)
            .ok()
            .map(|at| ids[at].to_string());
        assert_eq!(
            named,
            Some(&decision["representative"])
                .filter(|id| !id.is_null())
                .map(plain)
        );
        let (shared, own) = (
            documents["shared"][at].as_f64().unwrap(),
            documents["shingles"][at].as_f64().unwrap(),
        );
        if shared >= 0.0 {
            let other = documents["shingles"][representative as usize]
                .as_f64()
                .unwrap();
            assert_eq!(
                decision["resemblance"].as_f64().unwrap(),
                shared / (own + other - shared),
                "{decision}"
            );
        }
    }
}

#[test]
fn a_report_says_what_its_tokens_are() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"text\": \"one two three four five six seven eight\"}\n".repeat(2),
    );
    for command in ["dedup", "pairs", "passages"] {
        for tokens in ["auto", "words", "lines"] {
            let least = if command == "passages" {
                "--least 1"
            } else {
                ""
            };
            place.run(&format!(
                "{command} in.jsonl --tokens {tokens} {least} --report report.html"
            ));
            let report = block(&place.read("report.html"), "report");
            assert_eq!(report["settings"]["tokens"], tokens, "{command}");
        }
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_report_has_the_decisions_of_the_run() {
    let place = Place::new();
    place.write(
        "old.jsonl",
        "{\"id\": \"old\", \"text\": \"One small text about nothing in particular at all.\"}\n",
    );
    let licenses = testdata("licenses.jsonl.zst");
    for flags in [
        licenses.clone(),
        format!("{licenses} --keep longest"),
        format!("{licenses} --threshold 0.5 --cluster components"),
        format!("{licenses} --method shingle"),
        format!(
            "{} --against {licenses}",
            testdata("ota_versions.jsonl.zst")
        ),
        format!("{licenses} --memory 64M --threads 1"),
    ] {
        let ran = place.run(&format!(
            "dedup {flags} --decisions why.jsonl --report report.html"
        ));
        assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
        assert_same_decisions(&place.read("report.html"), &place.read("why.jsonl"));
    }
}

#[test]
fn inputs_of_all_kinds_are_read_again_for_the_texts() {
    let place = Place::new();
    let records = lines(SMALL);
    let csv: String = records
        .iter()
        .map(|one| format!("{},{}\n", one["id"], one["text"]))
        .collect();
    place
        .write("in.jsonl", SMALL)
        .write("in.csv", format!("id,text\n{}", csv.replace("null,", ",")));
    place.write(
        "bad.jsonl",
        format!("no record\n{SMALL}\n\n{{\"id\": 1}}\n"),
    );
    let mut found = Vec::new();
    for flags in [
        "in.jsonl",
        "in.csv",
        "bad.jsonl --skip-bad skipped.txt",
        "--input-command cat${IFS}in.jsonl",
    ] {
        let ran = place.run(&format!(
            "dedup {flags} --decisions why.jsonl --report report.html"
        ));
        assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
        let html = place.read("report.html");
        assert_same_decisions(&html, &place.read("why.jsonl"));
        found.push(texts(&html));
    }
    let input = File::open(place.path("in.jsonl")).unwrap();
    let ran = Ran::of(
        place
            .command("dedup - --decisions why.jsonl --report report.html")
            .stdin(input)
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    found.push(texts(&place.read("report.html")));
    assert!(!found[0].is_empty());
    for (at, text) in &found[0] {
        assert_eq!(records[*at as usize]["text"].as_str().unwrap(), text);
    }
    for other in &found {
        assert_eq!(other, &found[0]);
    }
}

#[test]
fn documents_are_counted_by_input_and_field() {
    let place = Place::new();
    let record = |id: u32, kind: &str| {
        format!(
            "{{\"id\": {id}, \"text\": \"one text {}\", \"kind\": \"{kind}\"}}\n",
            id % 3
        )
    };
    place.write(
        "a.jsonl",
        (0..6).map(|id| record(id, "x")).collect::<String>(),
    );
    place.write(
        "b.jsonl",
        (6..9).map(|id| record(id, "<y>")).collect::<String>()
            + "{\"id\": 9, \"text\": \"another\"}\n",
    );
    assert_eq!(
        place
            .run("dedup a.jsonl b.jsonl --report report.html --report-by kind")
            .code,
        0
    );
    let report = block(&place.read("report.html"), "report");
    let expected = serde_json::json!([
        {"field": null, "values": ["a.jsonl", "b.jsonl"], "kept": [3, 1], "dropped": [3, 3], "others": [0, 0]},
        {"field": "kind", "values": ["x", "<y>", ""], "kept": [3, 0, 1], "dropped": [3, 3, 0], "others": [0, 0]},
    ]);
    assert_eq!(report["counts"], expected);
}

/// Returns the pairs of a report, as ids, and the pairs of the output, each once.
fn reported_and_listed(place: &Place) -> [BTreeMap<[String; 2], f64>; 2] {
    let report = block(&place.read("report.html"), "report");
    let id = |at: &Value| {
        report["documents"]["id"][at.as_u64().unwrap() as usize]
            .as_str()
            .unwrap()
            .to_string()
    };
    let sorted = |mut ids: [String; 2]| {
        ids.sort();
        ids
    };
    let column = |name: &str| report["pairs"][name].as_array().unwrap().iter();
    let pairs = column("a").zip(column("b")).zip(column("similarity"));
    let reported: Vec<_> = pairs
        .map(|((a, b), similarity)| (sorted([id(a), id(b)]), similarity.as_f64().unwrap_or(-1.0)))
        .collect();
    let plain = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_string);
    let listed = lines(&place.read("pairs.jsonl"));
    let listed = listed.iter().map(|pair| {
        let figure = |name: &str| pair[name].as_f64();
        let containment = || Some(figure("containment_ab")?.max(figure("containment_ba")?));
        let similarity = match report["settings"]["measure"].as_str() {
            Some("containment") => containment(),
            _ => figure("resemblance"),
        };
        (
            sorted(["a", "b"].map(|side| plain(&pair[side]))),
            similarity.unwrap_or(-1.0),
        )
    });
    let count = reported.len();
    let reported: BTreeMap<_, _> = reported.into_iter().collect();
    assert_eq!(reported.len(), count);
    [reported, listed.collect()]
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_report_of_pairs_has_the_pairs_of_the_output() {
    let place = Place::new();
    let licenses = testdata("licenses.jsonl.zst");
    for (flags, least) in [
        ("--threshold 0.7", 1000),
        ("--measure containment --threshold 0.9", 1000),
        ("--threshold 0.7 --verify sketch", 1000),
        ("--threshold 0.7 --verify none", 1000),
        ("--threshold 0.7 --nearest 2", 500),
    ] {
        let ran = place.run(&format!(
            "pairs {licenses} {flags} -o pairs.jsonl --report report.html"
        ));
        assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
        let [reported, listed] = reported_and_listed(&place);
        assert!(listed.len() > least, "{flags}: {}", listed.len());
        assert_eq!(reported, listed, "{flags}");
    }
}

#[test]
fn a_report_of_pairs_with_references_has_no_pair_of_two_references() {
    let place = Place::new();
    let record = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let text = "one two three four five six seven eight nine ten";
    let other = format!("{text} eleven");
    place.write(
        "old.jsonl",
        record("r1", text) + &record("r2", &other) + &record("r3", text),
    );
    place.write(
        "new.jsonl",
        record("d1", &other)
            + &record("d2", text)
            + &record("d3", "something else entirely, of no account"),
    );
    let ran = place.run("pairs new.jsonl --against old.jsonl -o pairs.jsonl --report report.html");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let [reported, listed] = reported_and_listed(&place);
    assert_eq!(listed.len(), 6);
    assert_eq!(reported, listed);
}

#[test]
fn a_report_is_written_completely_or_not_at_all() {
    let place = Place::new();
    place
        .write("in.jsonl", SMALL)
        .write("bad.jsonl", "no record\n");
    for (flags, message) in [
        ("dedup in.jsonl --report in.jsonl", "in.jsonl"),
        ("dedup in.jsonl --report no/report.html", "no/report.html"),
        ("dedup bad.jsonl --report report.html", "bad.jsonl:1"),
        (
            "dedup in.jsonl --report report.html --report-floor 0.9",
            "--report-floor must be above 0 and at most the threshold 0.8",
        ),
        ("dedup in.jsonl --report-floor 0.5", "--report"),
        ("pairs in.jsonl --report in.jsonl", "in.jsonl"),
        (
            "stage plan work --shards 1 -- in.jsonl -o kept-{}.jsonl --report report.html",
            "--report does not work",
        ),
    ] {
        let ran = place.run(flags);
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(message), "{flags}: {}", ran.err);
        assert!(!place.path("report.html").exists(), "{flags}");
    }
    assert_eq!(place.read("in.jsonl"), SMALL);
    assert_eq!(
        place
            .run("dedup in.jsonl --report report.html --dry-run")
            .code,
        0
    );
    assert!(!place.path("report.html").exists());
    let ran = place.run("dedup in.jsonl -o kept.jsonl --report report.html");
    assert!(ran.err.contains("  report   report.html: "), "{}", ran.err);
    let to_stdout = place.run("dedup in.jsonl --report -");
    assert!(
        to_stdout.out.starts_with("<!doctype html>") && to_stdout.out == place.read("report.html")
    );
}

/// Returns the documents in a report of `cut`, by their ids.
fn cut_documents(html: &str) -> BTreeMap<String, Value> {
    let blocks = block(html, "report")["counts"].as_array().unwrap().len();
    let all = (0..blocks).flat_map(|number| {
        block(html, &format!("documents-{number}"))
            .as_array()
            .unwrap()
            .clone()
    });
    all.map(|document| (document["id"].as_str().unwrap().to_owned(), document))
        .collect()
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_report_of_cuts_has_the_cuts_of_the_run() {
    let place = Place::new();
    let licenses = testdata("licenses.jsonl.zst");
    for flags in [
        "",
        "--window 10 --keep longest --memory 64M",
        "--unit lines --min-left 100",
    ] {
        let ran = place.run(&format!(
            "cut {licenses} {flags} --threads 1 --cuts cuts.jsonl --report report.html --json"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let summary: Value = serde_json::from_str(&ran.out).unwrap();
        let html = place.read("report.html");
        let (report, documents) = (block(&html, "report"), cut_documents(&html));
        assert_eq!(summary["report"]["bytes"], html.len());
        for name in ["documents", "cut", "dropped", "tokens_cut", "largest"] {
            assert_eq!(report["summary"][name], summary[name], "{name}");
        }
        let changed = summary["cut"].as_u64().unwrap() + summary["dropped"].as_u64().unwrap();
        assert_eq!(
            documents.len() as u64 + summary["report"]["without_text"].as_u64().unwrap(),
            changed
        );
        // The documents have the cuts of the cuts file, at the places of JavaScript.
        let mut compared = 0;
        for line in lines(&place.read("cuts.jsonl")) {
            let Some(document) = documents.get(line["id"].as_str().unwrap()) else {
                continue;
            };
            assert_eq!(document["verdict"], line["verdict"]);
            let text: Vec<u16> = document["text"].as_str().unwrap().encode_utf16().collect();
            for (own, cut) in document["cuts"]
                .as_array()
                .unwrap()
                .iter()
                .zip(line["cuts"].as_array().unwrap())
            {
                for name in ["tokens", "source", "source_start", "source_end"] {
                    assert_eq!(own[name], cut[name]);
                }
                let [start, end] =
                    ["start", "end"].map(|name| own[name].as_u64().unwrap() as usize);
                let removed = String::from_utf16(&text[start..end]).unwrap();
                let is_whole = document["whole"].is_null();
                let characters = cut["end"].as_u64().unwrap() - cut["start"].as_u64().unwrap();
                assert!(!is_whole || removed.chars().count() as u64 == characters);
                let words = |text: &str| -> Vec<String> {
                    let words = text
                        .split(|c: char| !c.is_alphanumeric())
                        .filter(|word| !word.is_empty());
                    words.map(str::to_lowercase).collect()
                };
                let quote = own["quote"][1].as_str().unwrap();
                let quoted = words(quote.trim_end_matches('…'));
                // The last word of a long quote may be cut.
                let known = if quote.ends_with('…') {
                    quoted.len() - 1
                } else {
                    quoted.len()
                };
                assert!(
                    !is_whole || quoted[..known] == words(&removed)[..known],
                    "{quote:?} {removed:?}"
                );
                if let Some(passage) = own["passage"].as_u64() {
                    assert_eq!(report["passages"][passage as usize]["id"], own["source"]);
                }
                compared += 1;
            }
        }
        assert!(compared > 200, "{compared}");
        let passages = report["passages"].as_array().unwrap();
        assert!(passages.len() == 100 && report["other_passages"].as_u64().unwrap() > 0);
        for (passage, largest) in passages.iter().zip(summary["largest"].as_array().unwrap()) {
            assert_eq!(
                (&passage["id"], &passage["tokens"]),
                (&largest["id"], &largest["tokens"])
            );
            assert!(passage["bytes"].as_u64() >= passage["tokens"].as_u64());
        }
        assert_eq!(
            place
                .run(&format!(
                    "cut {licenses} {flags} --threads 3 --report again.html -q"
                ))
                .err,
            ""
        );
        assert!(
            place.read("again.html") == html,
            "reports are equal from run to run"
        );
    }
}

#[test]
fn a_report_of_cuts_without_cuts_and_with_references() {
    let place = Place::new();
    place
        .write("in.jsonl", SMALL)
        .write("reference.txt", "The bank was robbed at dawn today.");
    let ran = place.run("cut in.jsonl --report report.html");
    assert!(
        ran.code == 0 && ran.err.contains("  report   "),
        "{}",
        ran.err
    );
    let html = place.read("report.html");
    assert!(
        cut_documents(&html).is_empty()
            && block(&html, "report")["passages"]
                .as_array()
                .unwrap()
                .is_empty()
    );
    place.write(
        "in.jsonl",
        "{\"id\":12345678901234567891,\"text\":\"😀 the bank was robbed at dawn today, again\"}\n",
    );
    place.run("cut in.jsonl --against reference.txt --window 3 --report report.html");
    let documents = cut_documents(&place.read("report.html"));
    let document = &documents["12345678901234567891"];
    let cut = &document["cuts"][0];
    assert_eq!(
        (&cut["start"], &cut["source"], &cut["quote"][1]),
        (
            &3.into(),
            &"reference.txt".into(),
            &"The bank was robbed at dawn today".into()
        )
    );
    assert!(
        cut["reference"].as_str().unwrap().contains("reference.txt"),
        "{cut}"
    );
}

//! Tests of `lookalike mirrors`: the second round, which pairs pages that changed a lot, and histories of several crawls.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    Place,
    mirrors::{folder, text},
};

/// Writes three crawls of a manual. Pages are the same, moved, changed a little, rewritten, removed, new, or missing for a while.
fn crawls(place: &Place) {
    let part = |number: usize, words: usize| text(number, words);
    let [same, other, third, moved, gone, late] = [0, 1, 2, 3, 4, 5].map(|number| part(number, 60));
    folder(
        place,
        &[
            ("march/guide/same.html", same.clone()),
            ("march/guide/other.html", other.clone()),
            ("march/guide/third.html", third.clone()),
            ("march/guide/install.html", moved.clone()),
            ("march/guide/options.html", part(10, 60)),
            ("march/guide/tutorial.html", part(12, 60)),
            ("march/guide/faq.html", part(14, 60)),
            ("march/guide/gone.html", gone),
            ("april/guide/same.html", same.clone()),
            ("april/guide/other.html", format!("{other} and a few words")),
            ("april/guide/third.html", third.clone()),
            ("april/guide/setup/linux.html", moved.clone()),
            (
                "april/guide/options.html",
                format!("{} {}", part(10, 40), part(11, 20)),
            ),
            (
                "april/guide/learn.html",
                format!("{} {}", part(12, 40), part(13, 20)),
            ),
            ("april/guide/news.html", late.clone()),
            ("may/guide/same.html", same),
            ("may/guide/other.html", other),
            ("may/guide/third.html", third),
            ("may/guide/setup/linux.html", moved),
            ("may/guide/options.html", part(20, 60)),
            (
                "may/guide/learn.html",
                format!("{} {}", part(12, 40), part(13, 20)),
            ),
            ("may/guide/faq.html", part(14, 60)),
            ("may/api/news.html", late),
        ],
    );
}

#[test]
fn the_second_round_pairs_pages_that_changed_a_lot() {
    let place = Place::new();
    crawls(&place);
    let ran = place.run("mirrors march april --changed --pages pages.jsonl --unmatched gone.jsonl");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    {"a":"guide","b":"guide","pages_a":8,"pages_b":7,"matched_a":4,"matched_b":4,"share_a":0.5,"share_b":0.5714285714285714,"counterparts":4,"same_path":3,"changed":2}
    --- stderr
    1 pair of sites among 8 pages of 1 site against 7 pages of 1 site; 4 pairs of pages matched one to one, 3 of them at the same path; 3 pages without a counterpart
    second round: 2 pairs of pages that changed a lot, 0 of them only at the same path

    a      b        pages a    pages b  share a  share b  one to one  same path
    guide  guide          8          7   50.0 %   57.1 %           4          3

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    assert_snapshot!(place.read("pages.jsonl"), @r#"
    {"a":"guide/install.html","b":"guide/setup/linux.html","site_a":"guide","site_b":"guide","resemblance":1.0,"same_path":false,"by":"match"}
    {"a":"guide/options.html","b":"guide/options.html","site_a":"guide","site_b":"guide","resemblance":0.47368421052631576,"same_path":true,"by":"similarity"}
    {"a":"guide/other.html","b":"guide/other.html","site_a":"guide","site_b":"guide","resemblance":0.9333333333333333,"same_path":true,"by":"match"}
    {"a":"guide/same.html","b":"guide/same.html","site_a":"guide","site_b":"guide","resemblance":1.0,"same_path":true,"by":"match"}
    {"a":"guide/third.html","b":"guide/third.html","site_a":"guide","site_b":"guide","resemblance":1.0,"same_path":true,"by":"match"}
    {"a":"guide/tutorial.html","b":"guide/learn.html","site_a":"guide","site_b":"guide","resemblance":0.47368421052631576,"same_path":false,"by":"similarity"}
    "#);
    assert_snapshot!(place.read("gone.jsonl"), @r#"
    {"id":"guide/faq.html","of":"a","site":"guide","mirror":"guide","alike":false}
    {"id":"guide/gone.html","of":"a","site":"guide","mirror":"guide","alike":false}
    {"id":"guide/news.html","of":"b","site":"guide","mirror":"guide","alike":false}
    "#);
    // Without the second round, nothing else changes.
    let first = place.run("mirrors march april --pages first.jsonl");
    assert_eq!(
        first
            .out
            .replace("\"same_path\":3}", "\"same_path\":3,\"changed\":2}"),
        ran.out
    );
    let matches: String = place
        .read("pages.jsonl")
        .lines()
        .filter(|line| line.contains("\"match\""))
        .map(|line| line.to_owned() + "\n")
        .collect();
    assert_eq!(
        matches.replace(",\"by\":\"match\"", ""),
        place.read("first.jsonl")
    );
    // All matches are written, and then the pairs of the second round.
    let all = place.run("mirrors march april --changed=0.6 --pages all.jsonl --all-pairs --unmatched alone.jsonl -q");
    assert!(all.out.ends_with("\"changed\":1}\n"), "{}", all.out);
    assert!(
        place
            .read("all.jsonl")
            .ends_with("\"same_path\":true,\"by\":\"path\"}\n")
    );
    assert!(!place.read("alone.jsonl").contains("options"));
    for threads in [1, 3] {
        let again = place.run(&format!(
            "mirrors march april --changed --pages again.jsonl --threads {threads} --memory 64M"
        ));
        assert_eq!(
            (again.out, place.read("again.jsonl")),
            (ran.out.clone(), place.read("pages.jsonl"))
        );
    }
}

#[test]
fn histories_of_three_crawls() {
    let place = Place::new();
    crawls(&place);
    let ran = place.run("mirrors march april may");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    {"id":"guide/faq.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/faq.html"},{"crawl":2,"event":"disappeared"},{"crawl":3,"event":"returned","id":"guide/faq.html"}]}
    {"id":"guide/gone.html","first":1,"last":1,"events":[{"crawl":1,"event":"appeared","id":"guide/gone.html"},{"crawl":2,"event":"disappeared"}]}
    {"id":"guide/setup/linux.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/install.html"},{"crawl":2,"event":"moved","id":"guide/setup/linux.html","resemblance":1.0,"by":"match"},{"crawl":3,"event":"unchanged","id":"guide/setup/linux.html","resemblance":1.0,"by":"match"}]}
    {"id":"guide/options.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/options.html"},{"crawl":2,"event":"changed","id":"guide/options.html","resemblance":0.47368421052631576,"by":"similarity"},{"crawl":3,"event":"changed","id":"guide/options.html","resemblance":0.0,"by":"path"}]}
    {"id":"guide/other.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/other.html"},{"crawl":2,"event":"changed","id":"guide/other.html","resemblance":0.9333333333333333,"by":"match"},{"crawl":3,"event":"changed","id":"guide/other.html","resemblance":0.9333333333333333,"by":"match"}]}
    {"id":"guide/same.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/same.html"},{"crawl":2,"event":"unchanged","id":"guide/same.html","resemblance":1.0,"by":"match"},{"crawl":3,"event":"unchanged","id":"guide/same.html","resemblance":1.0,"by":"match"}]}
    {"id":"guide/third.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/third.html"},{"crawl":2,"event":"unchanged","id":"guide/third.html","resemblance":1.0,"by":"match"},{"crawl":3,"event":"unchanged","id":"guide/third.html","resemblance":1.0,"by":"match"}]}
    {"id":"guide/learn.html","first":1,"last":3,"events":[{"crawl":1,"event":"appeared","id":"guide/tutorial.html"},{"crawl":2,"event":"moved","id":"guide/learn.html","resemblance":0.47368421052631576,"by":"similarity"},{"crawl":3,"event":"unchanged","id":"guide/learn.html","resemblance":1.0,"by":"match"}]}
    {"id":"api/news.html","first":2,"last":3,"events":[{"crawl":2,"event":"appeared","id":"guide/news.html"},{"crawl":3,"event":"moved","id":"api/news.html","resemblance":1.0,"by":"match"}]}
    --- stderr
    9 pages in 3 crawls; 6 in all crawls, 2 of them unchanged

    crawl        pages     appeared     returned    unchanged      changed        moved  disappeared
    march            8            8            0            0            0            0            0
    april            7            1            0            2            2            2            2
    may              8            0            1            4            2            1            0

    second round: 3 pages that changed a lot, 1 of them only at the same address

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    for threads in [1, 3] {
        let again = place.run(&format!(
            "mirrors march april may -q --threads {threads} --memory 64M"
        ));
        assert_eq!(again.out, ran.out);
    }
    // With two crawls, histories must be asked for.
    let two = place.run("mirrors march april --history -o two.jsonl --json");
    let summary: Value = serde_json::from_str(&two.err).unwrap();
    assert_eq!(
        (
            &summary["command"],
            &summary["histories"],
            &summary["in_all"]
        ),
        (&json!("mirrors history"), &json!(9), &json!(6))
    );
    assert_eq!(place.read("two.jsonl").lines().count(), 9);
    // With a higher threshold for the second round, only the address shows that the options are the same page.
    let strict = place
        .run("mirrors march april --history --changed=0.9 -q")
        .out;
    let line = strict
        .lines()
        .find(|line| line.contains("options"))
        .unwrap();
    assert!(
        line.contains("\"event\":\"changed\"") && line.contains("\"by\":\"path\""),
        "{line}"
    );
    assert!(
        strict.contains("\"id\":\"guide/learn.html\",\"first\":2,"),
        "{strict}"
    );
}

/// Crawls may be records of any format; pages without text are the same page if they have the same address.
#[test]
fn histories_of_hosts_and_of_pages_without_text() {
    let place = Place::new();
    let record = |url: &str, text: &str| json!({"id": url, "text": text}).to_string() + "\n";
    place.write(
        "1.jsonl",
        record("http://a.example/x", &text(1, 40))
            + &record("http://a.example/empty", "")
            + "bad\n",
    );
    place.write(
        "2.jsonl",
        record("http://www.a.example/x", &text(1, 40)) + &record("http://a.example/empty", ""),
    );
    place.write("3.jsonl", "");
    place.write(
        "4.jsonl",
        record("http://a.example/x/index.html", &text(2, 40))
            + &record("http://a.example/x", &text(3, 40)),
    );
    let ran = place.run("mirrors 1.jsonl 2.jsonl 3.jsonl 4.jsonl --fold-www --skip-bad bad.txt");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    {"id":"http://a.example/x","first":1,"last":4,"events":[{"crawl":1,"event":"appeared","id":"http://a.example/x"},{"crawl":2,"event":"unchanged","id":"http://www.a.example/x","resemblance":1.0,"by":"match"},{"crawl":3,"event":"disappeared"},{"crawl":4,"event":"returned","id":"http://a.example/x"}]}
    {"id":"http://a.example/empty","first":1,"last":2,"events":[{"crawl":1,"event":"appeared","id":"http://a.example/empty"},{"crawl":2,"event":"unchanged","id":"http://a.example/empty","resemblance":1.0,"by":"match"},{"crawl":3,"event":"disappeared"}]}
    {"id":"http://a.example/x/index.html","first":4,"last":4,"events":[{"crawl":4,"event":"appeared","id":"http://a.example/x/index.html"}]}
    --- stderr
    warning: 1.jsonl:3: not JSON: expected value at byte 1 of the line; each line must be one whole JSON object
    3 pages in 4 crawls; 0 in all crawls, 0 of them unchanged

    crawl          pages     appeared     returned    unchanged      changed        moved  disappeared
    1.jsonl            2            2            0            0            0            0            0
    2.jsonl            2            0            0            2            0            0            0
    3.jsonl            0            0            0            0            0            0            2
    4.jsonl            2            1            1            0            0            0            0

    empty: 2 pages have no text to compare
    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    assert_eq!(place.read("bad.txt"), "bad\n");
}

#[test]
fn flags_of_site_pairs_are_refused_for_histories() {
    let place = Place::new();
    crawls(&place);
    place.write("twice.jsonl", "{\"id\":\"a/1\",\"text\":\"x\"}\n".repeat(2));
    let before = place.names();
    for (arguments, expected) in [
        (
            "mirrors march --history",
            "--history needs two collections or more",
        ),
        (
            "mirrors march april march",
            "march: is given twice; name each crawl once",
        ),
        ("mirrors march april march/guide", "given twice"),
        (
            "mirrors march april may --pages pages.jsonl",
            "--pages is about pairs of sites",
        ),
        (
            "mirrors march april may --share 0.5",
            "--share is about pairs of sites",
        ),
        (
            "mirrors march april may --share-of both",
            "--share-of is about pairs of sites",
        ),
        (
            "mirrors march april may --report report.html",
            "--report is about pairs of sites",
        ),
        (
            "mirrors march april may --changed=0",
            "--changed must be above 0 and at most 1, got 0",
        ),
        (
            "mirrors march april --changed=1.5",
            "--changed must be above 0 and at most 1, got 1.5",
        ),
        (
            "mirrors march april may --skip-bad -",
            "--skip-bad -: histories already use standard output",
        ),
        (
            "mirrors march april may -o history.parquet",
            "history.parquet",
        ),
        (
            "mirrors march april may --by host",
            "--by host takes the site from it",
        ),
        (
            "mirrors march april may --by field:text",
            "the text cannot identify the site",
        ),
        (
            "mirrors march twice.jsonl may",
            "twice.jsonl:2: id \"a/1\" was already used at twice.jsonl:1",
        ),
        ("mirrors march april missing", "missing: no such file"),
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{arguments}: {}", ran.err);
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
    }
    assert_eq!(place.names(), before);
}

/// A generator of numbers for made-up edits.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Replaces a share of the words of a text with words of another text, in runs of 12 words.
    fn edited(&mut self, text: &str, other: &str, percent: usize) -> String {
        let others: Vec<&str> = other.split_whitespace().collect();
        let words: Vec<&str> = text.split_whitespace().collect();
        let runs =
            words.chunks(12).map(
                |run| match self.below(100) < percent && !others.is_empty() {
                    true => (0..run.len())
                        .map(|at| others[(self.below(others.len()) + at) % others.len()])
                        .collect::<Vec<_>>()
                        .join(" "),
                    false => run.join(" "),
                },
            );
        runs.collect::<Vec<_>>().join(" ")
    }
}

/// Makes crawls from real texts: in each crawl, some pages are edited a little or a lot, some of these move, some are removed, some
/// come back and some are new. The true page of each address is known. Returns the crawls: address → (page, text).
fn made_up(texts: &[String]) -> Vec<BTreeMap<String, (usize, String)>> {
    let mut draw = Draw(7);
    let address = |page: usize, version: usize| {
        format!("http://site{}.example/{version}/{page}.html", page % 7)
    };
    let mut crawl: BTreeMap<String, (usize, String)> = (0..1200)
        .map(|page| (address(page, 0), (page, texts[page].clone())))
        .collect();
    let (mut crawls, mut next) = (vec![crawl.clone()], 1200);
    for version in 1..4 {
        let mut later = BTreeMap::new();
        for (at, (page, text)) in &crawl {
            let other = &texts[draw.below(texts.len())];
            let edited = match draw.below(10) {
                0..=4 => text.clone(),
                5 | 6 => draw.edited(text, other, 5),
                7 => draw.edited(text, other, 30),
                8 => draw.edited(text, other, 50),
                _ => draw.edited(text, other, 70),
            };
            match draw.below(20) {
                0 => {}
                1 | 2 => drop(later.insert(address(*page, version), (*page, edited))),
                _ => drop(later.insert(at.clone(), (*page, edited))),
            }
        }
        for _ in 0..60 {
            later.insert(address(next, version), (next, texts[next].clone()));
            next += 1;
        }
        crawl = later.clone();
        crawls.push(later);
    }
    crawls
}

/// The required figures are a little below the measured ones, which are in `docs/mirrors.md`.
#[test]
fn recall_on_made_up_crawls_of_real_texts() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("LOOKALIKE_DATA")
        .map_or(here, PathBuf::from)
        .join("newsgroups20.jsonl.zst");
    if !path.exists() {
        // Write directly to standard error: the test runner hides what a passing test prints.
        let words = format_args!(
            "skipped: {} is not there; set LOOKALIKE_DATA\n",
            path.display()
        )
        .to_string();
        drop(std::io::Write::write_all(
            &mut std::io::stderr(),
            words.as_bytes(),
        ));
        return;
    }
    let lines =
        BufReader::new(zstd::Decoder::new(std::fs::File::open(path).unwrap()).unwrap()).lines();
    let texts = lines.map(|line| {
        serde_json::from_str::<Value>(&line.unwrap()).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_string()
    });
    let long = texts.filter(|text| (60..2000).contains(&text.split_whitespace().count()));
    // Cross-posts would be the same page twice.
    let mut seen = BTreeSet::new();
    let texts: Vec<String> = long
        .filter(|text| seen.insert(text.clone()))
        .take(2000)
        .collect();
    let (place, crawls) = (Place::new(), made_up(&texts));
    let names = ["1.jsonl", "2.jsonl", "3.jsonl", "4.jsonl"];
    for (name, crawl) in names.iter().zip(&crawls) {
        let lines = crawl
            .iter()
            .map(|(url, (_, text))| json!({"id": url, "text": text}).to_string() + "\n");
        place.write(name, lines.collect::<String>());
    }
    let figures = |found: &BTreeSet<(String, String)>, step: usize, changed: bool| {
        let (old, new) = (&crawls[step], &crawls[step + 1]);
        let of_page: BTreeMap<usize, &String> =
            new.iter().map(|(url, (page, _))| (*page, url)).collect();
        let truth = old.iter().filter_map(|(url, (page, text))| {
            let later = *of_page.get(page)?;
            // The pages that changed a lot share fewer than 60 % of their words.
            let words = |text: &str| {
                text.split_whitespace()
                    .map(String::from)
                    .collect::<Vec<_>>()
            };
            let (before, after) = (words(text), words(&new[later].1));
            let same = before.iter().zip(&after).filter(|(a, b)| a == b).count();
            (!changed || 10 * same < 6 * before.len()).then(|| (url.clone(), later.clone()))
        });
        let truth: BTreeSet<(String, String)> = truth.collect();
        let right = found.intersection(&truth).count();
        (right, truth.len(), found.len())
    };
    let pages = |flags: &str| {
        let ran = place.run(&format!(
            "mirrors 1.jsonl 2.jsonl -q --pages pages.jsonl -o sites.jsonl {flags}"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let read = place.read("pages.jsonl");
        let line = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            (
                line["a"].as_str().unwrap().to_string(),
                line["b"].as_str().unwrap().to_string(),
            )
        };
        read.lines().map(line).collect::<BTreeSet<_>>()
    };
    let mut shown = String::new();
    for flags in ["", "--changed=0.5", "--changed=0.3", "--changed=0.1"] {
        let found = pages(flags);
        let ((right, all, given), (lot, lots, _)) =
            (figures(&found, 0, false), figures(&found, 0, true));
        shown += &format!(
            "{flags:>14}: {right} of {all} pairs, {given} reported; changed a lot: {lot} of {lots}\n"
        );
    }
    let histories = place.run(&format!("mirrors {} -q", names.join(" ")));
    assert_eq!(histories.code, 0, "{}", histories.err);
    let mut steps = vec![BTreeSet::new(); 3];
    for line in histories.out.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let events = line["events"].as_array().unwrap();
        for two in events.windows(2) {
            if let (Some(a), Some(b)) = (two[0]["id"].as_str(), two[1]["id"].as_str()) {
                steps[two[1]["crawl"].as_u64().unwrap() as usize - 2]
                    .insert((a.to_string(), b.to_string()));
            }
        }
    }
    for (step, found) in steps.iter().enumerate() {
        let ((right, all, given), (lot, lots, _)) =
            (figures(found, step, false), figures(found, step, true));
        shown += &format!(
            "history step {step}: {right} of {all} pairs, {given} reported; changed a lot: {lot} of {lots}\n"
        );
    }
    assert_snapshot!(shown, @r"
                  : 754 of 1136 pairs, 754 reported; changed a lot: 0 of 213
     --changed=0.5: 1109 of 1136 pairs, 1109 reported; changed a lot: 195 of 213
     --changed=0.3: 1119 of 1136 pairs, 1119 reported; changed a lot: 196 of 213
     --changed=0.1: 1132 of 1136 pairs, 1133 reported; changed a lot: 209 of 213
    history step 0: 1119 of 1136 pairs, 1119 reported; changed a lot: 196 of 213
    history step 1: 1117 of 1140 pairs, 1117 reported; changed a lot: 186 of 209
    history step 2: 1129 of 1146 pairs, 1129 reported; changed a lot: 217 of 234
    ");
}

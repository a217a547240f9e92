//! Passages must equal those that are found by comparing all stretches (runs of tokens) of all pairs of texts. This must hold for
//! any number of threads, for texts in memory and on disk, and for one collection and two.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use lookalike_engine::{Offsets, Quoting, RunConfig, UNOBSERVED, passages, passages_reporting};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// Returns a word written in one of several ways, which have the same canonical form.
fn written(word: usize, way: usize) -> String {
    let plain = ["straße", "CAFÉ", "two", "漢", "five", "Ⅷ"][word % 6];
    match way {
        0 => plain.into(),
        1 => plain.to_uppercase(),
        2 => format!("“{}”,", plain.to_lowercase()),
        _ => format!("\u{ad}{plain}\n"),
    }
}

/// Generates texts made of pieces, some of which occur in several texts.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::collection::vec(0usize..6, 1..9);
    (
        prop::collection::vec(piece, 1..5),
        prop::collection::vec(prop::collection::vec((0usize..7, 0usize..4), 0..6), 2..7),
    )
        .prop_map(|(pieces, texts)| {
            let text = |text: Vec<(usize, usize)>| -> String {
                let words = text.iter().flat_map(|&(piece, way)| {
                    let piece = pieces.get(piece).cloned().unwrap_or_else(|| vec![piece]);
                    piece
                        .into_iter()
                        .map(move |word| written(word, way) + " ")
                        .collect::<Vec<_>>()
                });
                words.collect()
            };
            texts.into_iter().map(text).collect()
        })
}

/// Adds copies of some texts of collection `a` to either collection. In the copies, "two" is written in capitals.
fn with_copies(
    (mut a, mut b, copies): (Vec<String>, Vec<String>, Vec<(usize, usize)>),
) -> (Vec<String>, Vec<String>) {
    for (from, to) in copies {
        let copy = a[from % a.len()].replace("two", "TWO");
        let into = if from % 2 == 0 { &mut a } else { &mut b };
        into.insert(to % into.len(), copy);
    }
    (a, b)
}

/// Returns the tokens of a generated text: each Han character is a token, and so is each other word.
fn tokens(text: &str) -> Vec<String> {
    let folded = text
        .replace('\u{ad}', "")
        .replace(['Ⅷ', 'ⅷ'], "viii")
        .to_lowercase()
        .replace('ß', "ss");
    folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(String::from)
        .collect()
}

/// Returns the positions of the tokens of `text` that are in a shared stretch. A shared stretch has `least` tokens and also
/// occurs in `other`.
fn shared(text: &[String], other: &[String], least: usize) -> BTreeSet<usize> {
    let windows: BTreeSet<&[String]> = other.windows(least).collect();
    let starts = (0..(text.len() + 1).saturating_sub(least))
        .filter(|&at| windows.contains(&text[at..at + least]));
    starts.flat_map(|at| at..at + least).collect()
}

fn jsonl(texts: &[String], name: &str) -> String {
    texts
        .iter()
        .enumerate()
        .map(|(i, text)| {
            serde_json::json!({"id": format!("{name}{i}"), "text": text}).to_string() + "\n"
        })
        .collect()
}

fn config(folder: &Path, two: bool) -> RunConfig {
    let name = |name: &str| vec![folder.join(name).display().to_string()];
    RunConfig {
        inputs: name(if two { "b" } else { "a" }),
        against: if two { name("a") } else { Vec::new() },
        ..RunConfig::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(60)))]
    #[test]
    fn exactly_the_shared_runs_are_found_on_both_sides(
        (a, b) in (texts(), texts(), prop::collection::vec((0usize..9, 0usize..9), 0..5)).prop_map(with_copies),
        least in 1usize..6,
        gap in 0usize..3,
        most in 0usize..6,
    ) {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("a"), jsonl(&a, "a")).unwrap();
        fs::write(folder.path().join("b"), jsonl(&b, "b")).unwrap();
        for (two, names) in [(true, ["a", "b"]), (false, ["a", "a"])] {
            let asked = Quoting { least, gap, ..Quoting::default() };
            let out = folder.path().join("out.jsonl");
            let mut bytes = None;
            for (threads, memory) in [(1, None), (3, Some(64_000_000))] {
                let config = RunConfig { threads, memory, ..config(folder.path(), two) };
                let summary = passages(&config, &asked, Some(&out), UNOBSERVED).unwrap();
                let written = fs::read_to_string(&out).unwrap();
                prop_assert_eq!(summary.pairs as usize, written.lines().count());
                prop_assert_eq!(bytes.get_or_insert_with(|| written.clone()), &written);
            }
            let lines: Vec<Value> = bytes.unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let mut found: BTreeMap<(String, String), &Value> = BTreeMap::new();
            let mut order = Vec::new();
            for line in &lines {
                let [a, b] = ["a", "b"].map(|side| line[side].as_str().unwrap().to_string());
                order.push((b[1..].parse::<usize>().unwrap(), a[1..].parse::<usize>().unwrap()));
                prop_assert!(found.insert((a, b), line).is_none());
            }
            prop_assert!(order.is_sorted());
            // Only the best pairs are reported, in the order in which a list of all pairs would be sorted.
            let mut best: Vec<&Value> = lines.iter().collect();
            best.sort_by_key(|line| std::cmp::Reverse(line["shared_a"].as_u64().max(line["shared_b"].as_u64())));
            let expected: Vec<String> = best.iter().take(most).map(|line| line.to_string()).collect();
            let mut reported = Vec::new();
            let mut tell = |quoted: &lookalike_engine::Quoted| {
                reported.push(serde_json::to_value(quoted).unwrap().to_string());
                Ok(())
            };
            let config = RunConfig { threads: 2, ..config(folder.path(), two) };
            let summary = passages_reporting(&config, &Quoting { best: Some(most), ..asked.clone() }, &mut tell, UNOBSERVED).unwrap();
            prop_assert_eq!((reported, summary.pairs as usize), (expected, lines.len()));
            let others = if two { &b } else { &a };
            for (i, one) in a.iter().enumerate() {
                for (j, other) in others.iter().enumerate().skip(if two { 0 } else { i + 1 }) {
                    let both = [tokens(one), tokens(other)];
                    let expected = [shared(&both[0], &both[1], least), shared(&both[1], &both[0], least)];
                    let line = found.remove(&(format!("{}{i}", names[0]), format!("{}{j}", names[1])));
                    prop_assert_eq!(line.is_some(), !expected[0].is_empty());
                    let Some(line) = line else { continue };
                    prop_assert_eq!([&line["shared_a"], &line["shared_b"]], [expected[0].len(), expected[1].len()]);
                    prop_assert_eq!([&line["tokens_a"], &line["tokens_b"]], both.each_ref().map(|tokens| tokens.len()));
                    for passage in line["passages"].as_array().unwrap() {
                        for (side, text) in [("a", one), ("b", other)] {
                            let [start, end] = [0, 1].map(|at| passage[side][at].as_u64().unwrap() as usize);
                            prop_assert_eq!(&text[start..end], passage[format!("text_{side}")].as_str().unwrap());
                        }
                        if gap == 0 {
                            let [of_a, of_b] = ["text_a", "text_b"].map(|side| tokens(passage[side].as_str().unwrap()));
                            prop_assert_eq!(&of_a, &of_b);
                            prop_assert!(of_a.len() >= least && of_a.len() as u64 == passage["tokens"].as_u64().unwrap());
                        }
                    }
                }
            }
            prop_assert!(found.is_empty(), "{found:?}");
        }
    }
}

#[test]
fn positions_are_counted_in_bytes_or_characters() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("a"),
        jsonl(&["Straße é one two three Ⅷ".into()], "a"),
    )
    .unwrap();
    fs::write(
        folder.path().join("b"),
        jsonl(&["é; ONE, two (three) viii!".into()], "b"),
    )
    .unwrap();
    let places = |offsets| {
        let mut places = Vec::new();
        let asked = Quoting {
            least: 3,
            offsets,
            words: false,
            ..Quoting::default()
        };
        let mut tell = |quoted: &lookalike_engine::Quoted| {
            let passage = &quoted.shares.passages[0];
            places.push((
                passage.a.start,
                passage.a.end,
                passage.b.start,
                passage.b.end,
                passage.text_a.clone(),
            ));
            Ok(())
        };
        passages_reporting(&config(folder.path(), true), &asked, &mut tell, UNOBSERVED).unwrap();
        places
    };
    assert_eq!(places(Offsets::Bytes), [(8, 28, 0, 25, None)]);
    assert_eq!(places(Offsets::Chars), [(7, 24, 0, 24, None)]);
    // The character ½ becomes three characters when it is normalised, so its tokens have the place of the whole ½. The bracket
    // before ½ must not become part of the passage.
    fs::write(folder.path().join("a"), jsonl(&["x (½) y z".into()], "a")).unwrap();
    fs::write(folder.path().join("b"), jsonl(&["½ y z".into()], "b")).unwrap();
    assert_eq!(places(Offsets::Bytes), [(3, 10, 0, 6, None)]);
}

#[test]
fn one_long_and_many_short_texts_take_the_memory_of_one() {
    let folder = TempDir::new().unwrap();
    let words: Vec<String> = (0..300_000).map(|word| format!("w{word} ")).collect();
    fs::write(folder.path().join("a"), jsonl(&[words.concat()], "a")).unwrap();
    let quotes: Vec<String> = (0..3000)
        .map(|at| words[97 * at..97 * at + 20].concat())
        .collect();
    fs::write(folder.path().join("b"), jsonl(&quotes, "b")).unwrap();
    let mut found = 0;
    let mut tell = |quoted: &lookalike_engine::Quoted| {
        assert_eq!(quoted.shares.shared_b, 20);
        found += 1;
        Ok(())
    };
    passages_reporting(
        &config(folder.path(), true),
        &Quoting::default(),
        &mut tell,
        UNOBSERVED,
    )
    .unwrap();
    assert_eq!(found, 3000);
    // Each of the 3,000 results would take 2 MB if it had its own copy of the text. Together they would take 6 GB.
    assert!(lookalike_engine::peak_memory().is_none_or(|peak| peak < 2 << 30));
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn held_texts_are_read_back_from_disk() {
    // The tokens take a hundred megabytes, which is more than the minimum memory limit.
    let folder = TempDir::new().unwrap();
    let words = |from: u64, count: u64| {
        (from..from + count)
            .map(|word| format!("w{word} "))
            .collect::<String>()
    };
    let a: Vec<String> = (0..60)
        .map(|number| words(number * 1_000_000, 200_000))
        .collect();
    let b = [
        words(5_100_000, 50),
        words(59_000_000, 20),
        words(59_199_990, 30),
    ];
    fs::write(folder.path().join("a"), jsonl(&a, "a")).unwrap();
    fs::write(folder.path().join("b"), jsonl(&b, "b")).unwrap();
    let mut found = Vec::new();
    let config = RunConfig {
        memory: Some(64_000_000),
        temp_dir: folder.path().into(),
        ..config(folder.path(), true)
    };
    let mut tell = |quoted: &lookalike_engine::Quoted| {
        found.push((
            quoted.a.get().to_string(),
            quoted.b.get().to_string(),
            quoted.shares.shared_b,
        ));
        Ok(())
    };
    passages_reporting(
        &config,
        &Quoting {
            least: 10,
            ..Quoting::default()
        },
        &mut tell,
        UNOBSERVED,
    )
    .unwrap();
    let expected = [
        ("\"a5\"", "\"b0\"", 50),
        ("\"a59\"", "\"b1\"", 20),
        ("\"a59\"", "\"b2\"", 10),
    ];
    assert_eq!(
        found,
        expected.map(|(a, b, shared)| (a.into(), b.into(), shared))
    );
}

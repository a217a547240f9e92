//! Tests files of sketches: what a run finds in them must equal what a naive loop over all pairs finds, which sketches the texts in
//! memory with the core. And the union of sketches in files must be the sketch of the union.

use std::{fs, io::Read, ops::ControlFlow, path::Path};

use lookalike::{
    Config, Features, Method, Permutations, Scratch,
    fingerprint::DigestBy,
    sketch::{Modulus, Width},
    stored::{SketchBy, SketchParameters, Sketching, StoredSketch},
    text::TokensBy,
    verify::Measure,
};
use lookalike_engine::{Progress, RunConfig, merge_sketches, pairs, sketch};
use serde_json::{Value, json};

fn silent(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Some licence texts, each followed by a version of it with some words changed; a copy, and texts without words.
fn texts() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/licenses.jsonl.zst");
    let mut lines = String::new();
    zstd::Decoder::new(fs::File::open(path).unwrap())
        .unwrap()
        .read_to_string(&mut lines)
        .unwrap();
    let text = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_string()
    };
    let mut texts: Vec<String> = lines.lines().step_by(25).map(text).collect();
    let changed = |(number, text): (usize, &String)| {
        let step = 20 + 37 * (number % 5);
        let word = |(at, word): (usize, &str)| {
            if at % step == step - 1 {
                format!("changed{at}")
            } else {
                word.into()
            }
        };
        text.split_whitespace()
            .enumerate()
            .map(word)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let versions: Vec<String> = texts.iter().enumerate().map(changed).collect();
    texts.extend(versions);
    texts.extend([
        texts[3].to_uppercase(),
        String::new(),
        "...".into(),
        "two words".into(),
        "TWO words!".into(),
    ]);
    texts
}

fn kinds() -> [(SketchBy, f64); 9] {
    let minhash = |slots, bits, permutations| SketchBy::MinHash {
        slots,
        bits,
        permutations,
    };
    [
        (SketchBy::default(), 0.8),
        (minhash(64, 32, Permutations::Many), 0.6),
        (minhash(512, 8, Permutations::One), 0.5),
        (SketchBy::Bottom { size: 40 }, 0.5),
        (
            SketchBy::Modulo {
                modulus: Modulus::Growing { least: 20 },
            },
            0.6,
        ),
        (
            SketchBy::Modulo {
                modulus: Modulus::Fixed { level: 3 },
            },
            0.7,
        ),
        (
            SketchBy::SimHash {
                bits: Width::W64,
                features: Features::Shingles,
            },
            0.9,
        ),
        (
            SketchBy::SimHash {
                bits: Width::W128,
                features: Features::Shingles,
            },
            0.8,
        ),
        (
            SketchBy::Sentences {
                longest: 1,
                digest: DigestBy::Xxh3,
            },
            0.8,
        ),
    ]
}

fn run(inputs: &[&Path], method: Config) -> RunConfig {
    let inputs = inputs
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    RunConfig {
        inputs,
        method,
        ..RunConfig::default()
    }
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Lists pairs by their definition: all pairs are compared that share a key or, for samples, all pairs.
fn twin(parameters: &SketchParameters, threshold: f64, texts: &[String]) -> Vec<Value> {
    let method = Method::of_sketches(
        parameters,
        Config {
            threshold,
            ..Config::default()
        },
    )
    .unwrap();
    let sketching = Sketching::new(parameters).unwrap();
    let made: Vec<(Scratch, StoredSketch)> = texts
        .iter()
        .map(|text| {
            let mut scratch = Scratch::default();
            method.sketch(&**text, &mut scratch);
            let stored = method.stored(&scratch);
            (scratch, stored)
        })
        .collect();
    let mut found = Vec::new();
    for (a, (keys_a, sketch_a)) in made.iter().enumerate() {
        for (b, (keys_b, sketch_b)) in made.iter().enumerate().skip(a + 1) {
            let compared = sketching.compare(sketch_a, sketch_b).unwrap();
            let is_candidate = method.keeps_samples()
                || keys_a.keys.iter().zip(&keys_b.keys).any(|(a, b)| a == b)
                    && method.agree(&keys_a.bits, &keys_b.bits);
            let is_empty = sketch_a.is_empty() || sketch_b.is_empty();
            let is_listed = match parameters.sketch {
                // Few bits differ, or the longest sentences are the same.
                SketchBy::SimHash { .. } | SketchBy::Sentences { .. } => is_candidate,
                _ => is_candidate && compared.resemblance.unwrap().value >= threshold,
            };
            if is_empty || !is_listed && compared.same != Some(true) {
                continue;
            }
            let mut line = json!({"a": a, "b": b});
            if let Some(resemblance) = compared.resemblance {
                line["resemblance"] = resemblance.value.into();
            }
            found.push(line);
        }
    }
    found
}

#[test]
fn pairs_of_files_are_the_pairs_of_all_sketches_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let texts = texts();
    let text = |(id, text): (usize, &String)| json!({"id": id, "text": text}).to_string() + "\n";
    fs::write(
        path("texts.jsonl"),
        texts.iter().enumerate().map(text).collect::<String>(),
    )
    .unwrap();
    for (kind, threshold) in kinds() {
        let parameters = SketchParameters::new(
            &Config {
                seed: 3,
                ..Config::default()
            },
            kind,
        )
        .unwrap();
        let method = Config {
            seed: 3,
            ..Config::default()
        };
        let mut expected = twin(&parameters, threshold, &texts);
        assert!(expected.len() > 20, "{kind:?}: {}", expected.len());
        let mut bytes = Vec::new();
        for (threads, name) in [
            (1, "sketches.parquet"),
            (2, "sketches.parquet"),
            (7, "sketches.arrow"),
            (2, "sketches.jsonl.zst"),
        ] {
            let config = RunConfig {
                threads,
                ..run(&[&path("texts.jsonl")], method.clone())
            };
            let summary = sketch(&config, &parameters, &path(name), &silent).unwrap();
            assert_eq!((summary.documents, summary.empty), (texts.len() as u64, 2));
            if name.ends_with(".parquet") {
                bytes.push(fs::read(path(name)).unwrap());
            }
            let config = RunConfig {
                threads,
                ..run(
                    &[&path(name)],
                    Config {
                        threshold,
                        ..Config::default()
                    },
                )
            };
            let summary = pairs(&config, Some(&path("pairs.jsonl")), &silent).unwrap();
            let mut found = lines(&path("pairs.jsonl"));
            if matches!(kind, SketchBy::Sentences { .. }) {
                // Such sketches estimate nothing, but the copies of a text are known to be equal to it.
                [&mut found, &mut expected]
                    .into_iter()
                    .flatten()
                    .for_each(|line| _ = line.as_object_mut().unwrap().remove("resemblance"));
            }
            assert_eq!(found, expected, "{kind:?} {name}");
            assert_eq!(summary.sketches.unwrap().parameters, parameters);
        }
        assert!(
            bytes[0] == bytes[1],
            "{kind:?}: the bytes do not depend on threads"
        );
    }
}

#[test]
fn containment_of_samples_is_found_in_both_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let texts = texts();
    let parts: Vec<String> = texts
        .iter()
        .map(|text| {
            text.split_whitespace()
                .skip(30)
                .take(200)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let all: Vec<&String> = texts.iter().chain(&parts).collect();
    let text = |(id, text): (usize, &&String)| json!({"id": id, "text": text}).to_string() + "\n";
    fs::write(
        path("texts.jsonl"),
        all.iter().enumerate().map(text).collect::<String>(),
    )
    .unwrap();
    let kind = SketchBy::Modulo {
        modulus: Modulus::Capped {
            least: 30,
            level: 3,
        },
    };
    let parameters = SketchParameters::new(&Config::default(), kind).unwrap();
    sketch(
        &run(&[&path("texts.jsonl")], Config::default()),
        &parameters,
        &path("s.parquet"),
        &silent,
    )
    .unwrap();
    let method = Config {
        threshold: 0.9,
        measure: Measure::Containment,
        ..Config::default()
    };
    pairs(
        &run(&[&path("s.parquet")], method),
        Some(&path("pairs.jsonl")),
        &silent,
    )
    .unwrap();

    let (making, sketching) = (
        Method::sketching(&parameters).unwrap(),
        Sketching::new(&parameters).unwrap(),
    );
    let sketches: Vec<StoredSketch> = all
        .iter()
        .map(|text| {
            let mut scratch = Scratch::default();
            making.sketch(&***text, &mut scratch);
            making.stored(&scratch)
        })
        .collect();
    let mut expected = Vec::new();
    for a in 0..all.len() {
        for b in a + 1..all.len() {
            let compared = sketching.compare(&sketches[a], &sketches[b]).unwrap();
            let [ab, ba] = [compared.containment_ab, compared.containment_ba]
                .map(|estimate| estimate.unwrap().value);
            if ab.max(ba) >= 0.9 {
                expected.push(json!({"a": a, "b": b, "containment_ab": ab, "containment_ba": ba}));
            }
        }
    }
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(lines(&path("pairs.jsonl")), expected);
}

#[test]
fn against_lists_only_pairs_of_a_reference_and_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let texts = texts();
    let half = texts.len() / 2;
    let parameters = SketchParameters::new(&Config::default(), SketchBy::default()).unwrap();
    for (name, range) in [("old", 0..half), ("new", half..texts.len())] {
        let line = |id: usize| json!({"id": id, "text": texts[id]}).to_string() + "\n";
        fs::write(path("texts.jsonl"), range.map(line).collect::<String>()).unwrap();
        sketch(
            &run(&[&path("texts.jsonl")], Config::default()),
            &parameters,
            &path(name).with_extension("jsonl"),
            &silent,
        )
        .unwrap();
    }
    let config = run(&[&path("new.jsonl")], Config::default());
    let against = vec![path("old.jsonl").display().to_string()];
    pairs(
        &RunConfig { against, ..config },
        Some(&path("pairs.jsonl")),
        &silent,
    )
    .unwrap();
    let mut expected = twin(&parameters, 0.8, &texts);
    expected.retain(|line| {
        line["a"].as_u64().unwrap() < half as u64 && line["b"].as_u64().unwrap() >= half as u64
    });
    assert!(expected.len() > 20);
    assert_eq!(lines(&path("pairs.jsonl")), expected);
}

#[test]
fn united_files_are_the_sketches_of_the_united_sets() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let method = Config {
        tokens: TokensBy::Items,
        ..Config::default()
    };
    // The sets of each document in three files; some documents are only in one file, and some sets are empty.
    let set = |file: u32, id: u32| -> Vec<u32> {
        if id % 7 == file {
            Vec::new()
        } else {
            (0..20 + 13 * (id % 5))
                .map(|i| (i * (file + 2) + id * 31) % 300)
                .collect()
        }
    };
    let has = |file: u32, id: u32| id % 3 != file || id.is_multiple_of(2);
    let ids = 0..60u32;
    for (kind, ending) in [
        (SketchBy::default(), "parquet"),
        (
            SketchBy::MinHash {
                slots: 100,
                bits: 32,
                permutations: Permutations::Many,
            },
            "arrow",
        ),
        (SketchBy::Bottom { size: 16 }, "jsonl"),
        (
            SketchBy::Modulo {
                modulus: Modulus::Fixed { level: 1 },
            },
            "parquet",
        ),
    ] {
        let parameters = SketchParameters::new(&method, kind).unwrap();
        let config = |name: &str| RunConfig {
            text_field: "set".into(),
            ..run(&[&path(name)], method.clone())
        };
        let mut files = Vec::new();
        for file in 0..3 {
            let own = ids.clone().filter(|&id| has(file, id));
            let lines: String = own
                .map(|id| json!({"id": id, "set": set(file, id)}).to_string() + "\n")
                .collect();
            fs::write(path("sets.jsonl"), lines).unwrap();
            files.push(path(&format!("{file}.{ending}")));
            sketch(
                &config("sets.jsonl"),
                &parameters,
                &files[file as usize],
                &silent,
            )
            .unwrap();
        }
        let merging = run(
            &files.iter().map(|file| &**file).collect::<Vec<_>>(),
            Config::default(),
        );
        let refused = merge_sketches(&merging, false, &path("merged.jsonl"), &silent)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("was already used at") && refused.contains("0."),
            "{refused}"
        );
        let summary = merge_sketches(&merging, true, &path("merged.jsonl"), &silent).unwrap();
        assert_eq!((summary.documents, summary.merged), (60, Some(3)));

        // The documents are in the order in which they first occur.
        let mut order: Vec<u32> = Vec::new();
        (0..3)
            .flat_map(|file| ids.clone().filter(move |&id| has(file, id)))
            .for_each(|id| {
                if !order.contains(&id) {
                    order.push(id);
                }
            });
        let united = |&id: &u32| -> Vec<u32> {
            (0..3)
                .filter(|&file| has(file, id))
                .flat_map(|file| set(file, id))
                .collect()
        };
        let lines: String = order
            .iter()
            .map(|id| json!({"id": id, "set": united(id)}).to_string() + "\n")
            .collect();
        fs::write(path("sets.jsonl"), lines).unwrap();
        sketch(
            &config("sets.jsonl"),
            &parameters,
            &path("whole.jsonl"),
            &silent,
        )
        .unwrap();
        let rows = |name: &str| {
            let rows = self::lines(&path(name)).into_iter().skip(1);
            rows.map(|row| (row["id"].clone(), row["sketch"].clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(rows("merged.jsonl"), rows("whole.jsonl"), "{kind:?}");
    }
}

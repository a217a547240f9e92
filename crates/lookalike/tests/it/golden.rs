//! `testdata/golden/sketches.json` is the reference for both this crate and the Python package; this crate writes the file. If a
//! number changes, the format has changed, and every stored sketch and index would be invalid. Numbers of 64 bits and more are in
//! hexadecimal, because not all JSON parsers read them exactly.
//!
//! `LOOKALIKE_WRITE=1 cargo test --workspace by_hand_write -- --ignored` rewrites this file.

use std::{fs, path::PathBuf};

use lookalike::{
    Candidates, Config, FingerprintBy, Method, Occurrences, Scratch,
    sketch::{Bottom, MinHash, Modulo, Modulus, OnePermutation, SimHash, Width},
    text::{Folds, TokensBy},
    verify::{Figures, Overlap},
};
use serde_json::{Value, json};

const TEXTS: [&str; 8] = [
    "",
    "a",
    "A rose is a rose is a rose!",
    "internationalisation, eight-by1",
    "かきがき 漢字 Straße",
    "한국어 naïve ½",
    "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.",
    "The quick brown fox jumps over the sleeping dog and runs away into the dark, green wood of Act 12.",
];

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/sketches.json")
}

fn hex(numbers: &[u64]) -> Vec<String> {
    numbers
        .iter()
        .map(|number| format!("{number:016x}"))
        .collect()
}

/// Returns a configuration, and for each text the sketches that this configuration gives.
fn case(config: &Config) -> Value {
    let method = Method::new(Config {
        candidates: Candidates::Exact,
        ..config.clone()
    })
    .unwrap();
    let sets = TEXTS.map(|text| {
        let mut scratch = Scratch::default();
        method.set(text, &mut scratch);
        scratch.fingerprints
    });
    let (seed, mut scratch) = (config.seed, Scratch::default());
    let texts: Vec<Value> = TEXTS
        .iter()
        .zip(&sets)
        .map(|(text, set)| {
            method.sketch(*text, &mut scratch);
            let bag = &scratch.fingerprints;
            let modulo = Modulo::new(Modulus::Fixed { level: 1 }, seed)
                .unwrap()
                .sketch(bag);
            json!({
                "text": text,
                "fingerprints": hex(set),
                "signature_one": OnePermutation::new(16, seed).signature(bag).slots(),
                "signature_many": MinHash::new(16, seed).signature(bag).slots(),
                "bottom_4": hex(Bottom::new(4, seed).unwrap().sketch(bag).sample()),
                "modulo_level_1": hex(modulo.elements()),
                "simhash_64": format!("{:016x}", SimHash::new(Width::W64, seed).hash(bag)),
                "simhash_128": format!("{:032x}", SimHash::new(Width::W128, seed).hash(bag)),
            })
        })
        .collect();
    let pairs: Vec<Value> = [(2, 3), (6, 7), (7, 6), (6, 6), (0, 0), (0, 6)]
        .into_iter()
        .map(|(a, b): (usize, usize)| json!({ "a": a, "b": b, "figures": Figures::from(Overlap::of(&sets[a], &sets[b])) }))
        .collect();
    let Config {
        tokens,
        folds,
        occurrences,
        fingerprint,
        seed,
        ..
    } = config;
    json!({
        "config": {
            "tokens": tokens, "folds": folds, "shingle": config.k(), "occurrences": occurrences, "fingerprint": fingerprint, "seed": seed,
        },
        "texts": texts,
        "pairs": pairs,
    })
}

fn golden() -> String {
    let default = Config::default();
    let cases: Vec<Value> = [
        default.clone(),
        Config {
            shingle: Some(2),
            seed: 7,
            ..default.clone()
        },
        Config {
            tokens: TokensBy::Chars,
            shingle: Some(8),
            occurrences: Occurrences::Labelled,
            ..default.clone()
        },
        Config {
            folds: Folds {
                accents: true,
                digits: true,
                ..Folds::default()
            },
            tokens: TokensBy::Words,
            ..default.clone()
        },
        Config {
            fingerprint: FingerprintBy::Rabin { degree: 40 },
            ..default.clone()
        },
    ]
    .iter()
    .map(case)
    .collect();
    serde_json::to_string_pretty(&json!({ "default_config": default, "cases": cases })).unwrap()
        + "\n"
}

#[test]
fn results_match_the_record() {
    let recorded: Value = serde_json::from_str(&fs::read_to_string(path()).unwrap()).unwrap();
    let made: Value = serde_json::from_str(&golden()).unwrap();
    assert_eq!(recorded, made);
}

#[test]
#[ignore = "writes the file, if LOOKALIKE_WRITE is set"]
fn by_hand_write() {
    if std::env::var_os("LOOKALIKE_WRITE").is_some() {
        fs::write(path(), golden()).unwrap();
    }
}

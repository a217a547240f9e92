//! Real collections, added in random chunks, with some documents deleted again, have the decisions of the batch.

use std::{collections::BTreeSet, fs, path::Path};

use crate::common::{Held, batch};
use lookalike::{Config, fingerprint::finish};
use lookalike_index::{Id, Index, NewDocument, OnConflict, Settings, Store};
use lookalike_testing::folder;

/// Returns the texts of a collection, at most `most`.
fn texts(name: &str, most: usize) -> Vec<String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/{name}.jsonl.zst"));
    let lines = zstd::decode_all(fs::File::open(path).unwrap()).unwrap();
    let text = |line: &[u8]| {
        serde_json::from_slice::<serde_json::Value>(line).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_string()
    };
    lines
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .take(most)
        .map(text)
        .collect()
}

fn fed(name: &str, longest: bool, seed: u64) {
    let folder = folder();
    let settings = Settings {
        config: Config::default(),
        store: Store::Texts,
        keep: "first".into(),
    };
    // Segments are written and merged several times.
    let index = Index::create(&folder.path().join("index"), settings)
        .unwrap()
        .with_memory(300_000);
    let all: Held = (0..)
        .zip(texts(name, 3000))
        .map(|(id, text)| {
            let key = if longest {
                text.chars().count() as u64
            } else {
                0
            };
            (id, text, key)
        })
        .collect();
    let (mut held, mut at, mut changed) = (Held::new(), 0, 0);
    while at < all.len() {
        let random = finish(seed * 1_000_003 + at as u64);
        let chunk = &all[at..all
            .len()
            .min(at + 1 + random as usize % [1, 10, 300][(random >> 20) as usize % 3])];
        at += chunk.len();
        let new: Vec<NewDocument> = chunk
            .iter()
            .map(|(id, text, key)| NewDocument {
                id: (*id).into(),
                text,
                key: *key,
            })
            .collect();
        index.add(&new, OnConflict::Fail).unwrap();
        held.extend_from_slice(chunk);
        // One document in ten is deleted, some time after it was added.
        let gone: BTreeSet<i64> = held
            .iter()
            .map(|(id, ..)| *id)
            .filter(|&id| finish(id as u64 ^ seed).is_multiple_of(10) && id % 7 == at as i64 % 7)
            .collect();
        changed += index
            .delete(&gone.iter().copied().map(Id::Number).collect::<Vec<_>>())
            .unwrap()
            .len()
            - gone.len();
        held.retain(|(id, ..)| !gone.contains(id));
    }
    let expected = batch(&Config::default(), &held);
    assert_eq!(index.decisions().unwrap(), expected, "{name}");
    index.compact().unwrap();
    assert_eq!(index.decisions().unwrap(), expected, "{name}");
    let dropped = expected
        .iter()
        .filter(|decision| !decision.is_kept())
        .count();
    println!(
        "{name}: {} of {} documents remain, {dropped} dropped; deletions changed {changed} other decisions",
        held.len(),
        all.len()
    );
    assert!(
        held.len() < all.len() && dropped > 50 && changed > 0,
        "{name}: {dropped} {changed}"
    );
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn real_collections_in_chunks_have_the_decisions_of_the_batch() {
    for (seed, name) in (1..).zip(["licenses", "ota_versions", "zh_tang"]) {
        fed(name, false, seed);
        fed(name, true, seed + 10);
    }
}

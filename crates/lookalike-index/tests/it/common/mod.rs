//! What the tests of histories have in common: random texts, and the answers of the batch. With a larger `PROPTEST_CASES`, histories
//! are more and longer.

use std::{collections::BTreeMap, fs, path::Path};

use lookalike::{
    Candidates, Config, Doc, Features, Reason, SentencesBy, SimHashBy, Verify, decide,
    verify::Measure,
};
use lookalike_index::{Decided, Decision, Id, Likeness};
use proptest::prelude::*;

pub mod script;

/// Returns the names and contents of a folder's files.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    named.collect()
}

/// The documents that a collection holds, in the order in which they were added.
pub type Held = Vec<(i64, String, u64)>;

pub fn configs() -> impl Strategy<Value = Config> {
    let plain = Config {
        shingle: Some(1),
        threshold: 0.5,
        ..Config::default()
    };
    prop_oneof![
        6 => Just(plain.clone()),
        1 => Just(Config { threshold: 0.3, ..plain.clone() }),
        1 => Just(Config { verify: Some(Verify::Sketch), ..plain.clone() }),
        1 => Just(Config { verify: Some(Verify::None), ..plain.clone() }),
        1 => Just(Config { candidates: Candidates::Exact, ..plain.clone() }),
        1 => Just(Config { candidates: Candidates::SimHash(SimHashBy { features: Features::Shingles, ..SimHashBy::default() }), ..plain.clone() }),
        1 => Just(Config { candidates: Candidates::Sentences(SentencesBy::default()), ..plain.clone() }),
        1 => Just(Config { candidates: Candidates::Sentences(SentencesBy::default()), verify: Some(Verify::Exact), ..plain }),
    ]
}

/// Returns a text of few words, so that many are similar, some are copies, and some are empty.
pub fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "red", "green", "blue", "white", "black", "grey", "Red", "pink.",
    ]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

/// Decides about the documents by the batch.
pub fn batch(config: &Config, held: &Held) -> Vec<Decision> {
    let docs: Vec<Doc> = held
        .iter()
        .map(|(_, text, key)| Doc { text, key: *key })
        .collect();
    let id = |at: usize| Id::Number(held[at].0);
    let decided = decide(&docs, config.clone()).unwrap();
    let decision = |(at, decision): (usize, &lookalike::Decision)| Decision {
        id: id(at),
        reason: decision.reason,
        representative: decision.representative.map(id),
        similarity: decision.similarity,
        likeness: match (decision.overlap, decision.similarity) {
            _ if decision.is_kept() || decision.reason == Reason::Exact => Likeness::Same,
            (Some(overlap), _) => Likeness::Counted(overlap),
            (None, Some(similarity)) => Likeness::Estimated(Measure::Resemblance, similarity),
            (None, None) => Likeness::Unknown,
        },
        cluster_size: decision.cluster_size as u32,
    };
    decided.iter().enumerate().map(decision).collect()
}

/// Returns what changed between two states, as a comparison of all decisions finds it.
pub fn differences(
    before: &BTreeMap<Id, Decided>,
    after: &BTreeMap<Id, Decided>,
) -> BTreeMap<Id, (Option<Decided>, Option<Decided>)> {
    let ids = before.keys().chain(after.keys());
    let both = ids.map(|id| {
        (
            id.clone(),
            (before.get(id).cloned(), after.get(id).cloned()),
        )
    });
    both.filter(|(_, (before, after))| before != after)
        .collect()
}

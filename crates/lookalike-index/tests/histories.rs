//! Compares a collection with the batch after every operation of random histories.

use std::collections::BTreeMap;

use lookalike::{Candidates, Config, Doc, Features, SentencesBy, SimHashBy, Verify, decide};
use lookalike_index::{Change, Collection, Decided, Error, Id, NewDocument};
use proptest::prelude::*;

/// The documents that a collection holds, in the order in which they were added.
type Held = Vec<(i64, String, u64)>;

fn configs() -> impl Strategy<Value = Config> {
    let plain = Config { shingle: Some(1), threshold: 0.5, ..Config::default() };
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

#[derive(Debug, Clone)]
enum Operation {
    Add(Vec<(String, u64)>),
    Replace(usize, String, u64),
    Delete(Vec<usize>),
}

/// Returns a text of few words, so that many are similar, some are copies, and some are empty.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["red", "green", "blue", "white", "black", "grey", "Red", "pink."]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

fn operation() -> impl Strategy<Value = Operation> {
    let key = || prop_oneof![3 => Just(0), 2 => 0u64..4];
    prop_oneof![
        4 => prop::collection::vec((text(), key()), 1..5).prop_map(Operation::Add),
        1 => (any::<prop::sample::Index>(), text(), key()).prop_map(|(at, text, key)| Operation::Replace(at.index(1 << 16), text, key)),
        2 => prop::collection::vec(0usize..1 << 16, 1..3).prop_map(Operation::Delete),
    ]
}

/// Decides about the documents by the batch.
fn batch(config: &Config, held: &Held) -> Vec<(Id, Decided, lookalike::Reason)> {
    let docs: Vec<Doc> = held.iter().map(|(_, text, key)| Doc { text, key: *key }).collect();
    let id = |at: usize| Id::Number(held[at].0);
    let decided = decide(&docs, config.clone()).unwrap();
    decided
        .iter()
        .enumerate()
        .map(|(at, decision)| match decision.representative {
            None => (id(at), Decided::Kept, decision.reason),
            Some(representative) => (
                id(at),
                Decided::Dropped { representative: id(representative), similarity: decision.similarity },
                decision.reason,
            ),
        })
        .collect()
}

/// Returns what changed between two states, as a comparison of all decisions finds it.
fn differences(
    before: &BTreeMap<Id, Decided>,
    after: &BTreeMap<Id, Decided>,
) -> BTreeMap<Id, (Option<Decided>, Option<Decided>)> {
    let ids = before.keys().chain(after.keys());
    let both = ids.map(|id| (id.clone(), (before.get(id).cloned(), after.get(id).cloned())));
    both.filter(|(_, (before, after))| before != after).collect()
}

fn now(collection: &Collection) -> BTreeMap<Id, Decided> {
    collection.decisions().into_iter().map(|(id, decided, _)| (id, decided)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_state_of_a_history_is_that_of_the_batch(config in configs(), operations in prop::collection::vec(operation(), 1..40)) {
        let mut collection = Collection::new(config.clone()).unwrap();
        let (mut held, mut next): (Held, i64) = (Vec::new(), 0);
        for operation in operations {
            let before = now(&collection);
            let changes: Vec<Change> = match operation {
                Operation::Add(texts) => {
                    let first = held.len();
                    for (text, key) in texts {
                        held.push((next, text, key));
                        next += 1;
                    }
                    let new: Vec<NewDocument> =
                        held[first..].iter().map(|(id, text, key)| NewDocument { id: (*id).into(), text, key: *key }).collect();
                    collection.add(&new).unwrap()
                }
                Operation::Replace(at, text, key) if !held.is_empty() => {
                    let (id, ..) = held.remove(at % held.len());
                    held.push((id, text.clone(), key));
                    collection.replace(&[NewDocument { id: id.into(), text: &text, key }]).unwrap()
                }
                Operation::Delete(places) if !held.is_empty() => {
                    let mut ids: Vec<i64> = places.iter().map(|at| held[at % held.len()].0).collect();
                    held.retain(|(id, ..)| !ids.contains(id));
                    ids.push(next + 1);
                    let ids: Vec<Id> = ids.into_iter().map(Id::Number).collect();
                    collection.delete(&ids).unwrap()
                }
                _ => continue,
            };
            prop_assert_eq!(collection.len(), held.len());
            prop_assert_eq!(collection.decisions(), batch(&config, &held));
            let count = changes.len();
            let changes: BTreeMap<Id, _> = changes.into_iter().map(|change| (change.id, (change.before, change.after))).collect();
            prop_assert_eq!(changes.len(), count);
            prop_assert_eq!(changes, differences(&before, &now(&collection)));
        }
        for (id, text, _) in &held {
            let found = collection.query(text);
            let is_empty = collection.method().token_spans(text).is_empty();
            prop_assert_eq!(found.iter().any(|found| found.id == Id::Number(*id) && found.similarity == 1.0), !is_empty);
        }
    }
}

#[test]
fn a_replacement_is_one_change() {
    let mut collection = Collection::new(Config { shingle: Some(1), ..Config::default() }).unwrap();
    let new = |id: &str, text: &'static str| NewDocument { id: id.into(), text, key: 0 };
    let text = "one two three four five six seven eight nine ten";
    collection.add(&[new("a", text), new("b", text), new("c", text)]).unwrap();
    let dropped = |representative: &str| Decided::Dropped { representative: representative.into(), similarity: Some(1.0) };
    assert_eq!(collection.get(&"c".into()), Some(dropped("a")));
    let changes = collection.replace(&[new("a", text)]).unwrap();
    let change = |id: &str, before, after| Change { id: id.into(), before: Some(before), after: Some(after) };
    let expected = [
        change("b", dropped("a"), Decided::Kept),
        change("c", dropped("a"), dropped("b")),
        change("a", Decided::Kept, dropped("b")),
    ];
    assert_eq!(changes, expected);
    assert!(collection.replace(&[new("d", text), new("d", text)]).is_err());
    assert!(matches!(collection.add(&[new("e", text), new("a", text)]), Err(Error::Taken(id)) if id == "a".into()));
    assert_eq!(collection.len(), 3);
}

#[test]
fn a_long_chain_of_versions_changes_completely() {
    const VERSIONS: usize = 3000;
    // Each version shares three quarters of its words with the next one, and less than the threshold with the one after it.
    let words = |version: usize| (version * 5..version * 5 + 40).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
    let config = Config { shingle: Some(1), threshold: 0.75, ..Config::default() };
    let mut collection = Collection::new(config.clone()).unwrap();
    let held: Held = (0..VERSIONS).map(|version| (version as i64, words(version), 0)).collect();
    let new: Vec<NewDocument> = held.iter().map(|(id, text, key)| NewDocument { id: (*id).into(), text, key: *key }).collect();
    collection.add(&new).unwrap();
    let changes = collection.delete(&[Id::Number(0)]).unwrap();
    assert!(changes.len() > VERSIONS / 2, "{}", changes.len());
    assert_eq!(collection.decisions(), batch(&config, &held[1..].to_vec()));
}

#[test]
fn methods_that_depend_on_all_documents_are_refused() {
    for candidates in [Candidates::All, Candidates::Shared(lookalike::Shared::default())] {
        let error = Collection::new(Config { candidates, ..Config::default() }).unwrap_err();
        assert!(error.to_string().contains("use bands, simhash or sentences"), "{error}");
    }
}

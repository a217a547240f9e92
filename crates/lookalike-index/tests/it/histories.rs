//! Compares a collection with the batch after every operation of random histories.

use std::collections::BTreeMap;

use crate::common::{Held, batch, configs, differences, text};
use lookalike::{Candidates, Config};
use lookalike_index::{Change, Collection, Decided, Error, Id, NewDocument};
use lookalike_testing::cases;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Operation {
    Add(Vec<(String, u64)>),
    Replace(usize, String, u64),
    Delete(Vec<usize>),
}

fn operation() -> impl Strategy<Value = Operation> {
    let key = || prop_oneof![3 => Just(0), 2 => 0u64..4];
    prop_oneof![
        4 => prop::collection::vec((text(), key()), 1..5).prop_map(Operation::Add),
        1 => (any::<prop::sample::Index>(), text(), key()).prop_map(|(at, text, key)| Operation::Replace(at.index(1 << 16), text, key)),
        2 => prop::collection::vec(0usize..1 << 16, 1..3).prop_map(Operation::Delete),
    ]
}

fn now(collection: &Collection) -> BTreeMap<Id, Decided> {
    collection
        .decisions()
        .unwrap()
        .into_iter()
        .map(|decision| (decision.id.clone(), decision.decided()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(2000)))]

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
            prop_assert_eq!(collection.decisions().unwrap(), batch(&config, &held));
            let count = changes.len();
            let changes: BTreeMap<Id, _> = changes.into_iter().map(|change| (change.id, (change.before, change.after))).collect();
            prop_assert_eq!(changes.len(), count);
            prop_assert_eq!(changes, differences(&before, &now(&collection)));
        }
        for (id, text, _) in &held {
            let found = collection.query(text).unwrap();
            let is_empty = collection.method().token_spans(text).is_empty();
            prop_assert_eq!(found.iter().any(|found| found.id == Id::Number(*id) && found.similarity == 1.0), !is_empty);
        }
    }
}

#[test]
fn a_replacement_is_one_change() {
    let mut collection = Collection::new(Config {
        shingle: Some(1),
        ..Config::default()
    })
    .unwrap();
    let new = |id: &str, text: &'static str| NewDocument {
        id: id.into(),
        text,
        key: 0,
    };
    let text = "one two three four five six seven eight nine ten";
    collection
        .add(&[new("a", text), new("b", text), new("c", text)])
        .unwrap();
    let dropped = |representative: &str| Decided::Dropped {
        representative: representative.into(),
        similarity: Some(1.0),
    };
    assert_eq!(collection.get(&"c".into()).unwrap(), Some(dropped("a")));
    let changes = collection.replace(&[new("a", text)]).unwrap();
    let change = |id: &str, before, after| Change {
        id: id.into(),
        before: Some(before),
        after: Some(after),
    };
    let expected = [
        change("b", dropped("a"), Decided::Kept),
        change("c", dropped("a"), dropped("b")),
        change("a", Decided::Kept, dropped("b")),
    ];
    assert_eq!(changes, expected);
    assert!(
        collection
            .replace(&[new("d", text), new("d", text)])
            .is_err()
    );
    assert!(
        matches!(collection.add(&[new("e", text), new("a", text)]), Err(Error::Taken(id)) if id == "a".into())
    );
    assert_eq!(collection.len(), 3);
}

#[test]
fn a_long_chain_of_versions_changes_completely() {
    const VERSIONS: usize = 3000;
    // Each version shares three quarters of its words with the next one, and less than the threshold with the one after it.
    let words = |version: usize| {
        (version * 5..version * 5 + 40)
            .map(|word| format!("w{word}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let config = Config {
        shingle: Some(1),
        threshold: 0.75,
        ..Config::default()
    };
    let mut collection = Collection::new(config.clone()).unwrap();
    let held: Held = (0..VERSIONS)
        .map(|version| (version as i64, words(version), 0))
        .collect();
    let new: Vec<NewDocument> = held
        .iter()
        .map(|(id, text, key)| NewDocument {
            id: (*id).into(),
            text,
            key: *key,
        })
        .collect();
    collection.add(&new).unwrap();
    let changes = collection.delete(&[Id::Number(0)]).unwrap();
    assert!(changes.len() > VERSIONS / 2, "{}", changes.len());
    assert_eq!(
        collection.decisions().unwrap(),
        batch(&config, &held[1..].to_vec())
    );
}

#[test]
fn methods_that_depend_on_all_documents_are_refused() {
    for candidates in [
        Candidates::All,
        Candidates::Shared(lookalike::Shared::default()),
    ] {
        let error = Collection::new(Config {
            candidates,
            ..Config::default()
        })
        .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("use bands, simhash or sentences"),
            "{error}"
        );
    }
}

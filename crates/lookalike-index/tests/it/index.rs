//! Compares an index with the core: the index must find what a comparison of all pairs of sketches finds, even after it was
//! written and read back.

use std::collections::BTreeMap;

use lookalike::{Candidates, Config, Method, Scratch, SimHashBy, Verify};
use lookalike_index::{Error, Id, LshIndex, load, save};
use lookalike_testing::{cases, folder};
use proptest::prelude::*;

fn configs() -> impl Strategy<Value = Config> {
    let plain = Config {
        shingle: Some(1),
        threshold: 0.5,
        ..Config::default()
    };
    prop_oneof![
        Just(plain.clone()),
        Just(Config {
            verify: Some(Verify::Sketch),
            ..plain.clone()
        }),
        Just(Config {
            candidates: Candidates::SimHash(SimHashBy::default()),
            ..plain
        }),
    ]
}

/// Returns texts of few words, so that many are similar and some are empty.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["red", "green", "blue", "white", "black", "grey"]);
    prop::collection::vec(
        prop::collection::vec(word, 0..6).prop_map(|words| words.join(" ")),
        1..24,
    )
}

/// Returns the documents that a text is similar to, by comparing it with every document.
fn naive(method: &Method, held: &BTreeMap<usize, String>, text: &str) -> Vec<(usize, f64)> {
    let sketch = |text: &str| {
        let mut scratch = Scratch::default();
        method.sketch(text, &mut scratch);
        let (keys, bits, empty) = (
            scratch.keys.clone(),
            scratch.bits.clone(),
            scratch.fingerprints.is_empty(),
        );
        method.make_set(&mut scratch);
        (keys, bits, empty, scratch.fingerprints.clone())
    };
    let (keys, bits, empty, set) = sketch(text);
    let mut found: Vec<(usize, f64)> = Vec::new();
    for (&number, other) in held {
        let (others, other_bits, other_empty, other_set) = sketch(other);
        let share = keys.iter().zip(&others).any(|(a, b)| a == b);
        if empty || other_empty || !share || !method.agree(&bits, &other_bits) {
            continue;
        }
        let shared = set
            .iter()
            .filter(|fingerprint| other_set.contains(fingerprint))
            .count() as f64;
        let resemblance = shared / (set.len() + other_set.len()) as f64;
        let resemblance = resemblance / (1.0 - resemblance);
        let (similarity, least) = match method.verify() {
            Verify::Exact => (resemblance, 0.5),
            _ => (method.estimate(&bits, &other_bits), method.least()),
        };
        if similarity >= least - 1e-12 {
            found.push((number, similarity));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    #[test]
    fn the_index_finds_the_same_as_a_full_scan(config in configs(), texts in texts(), removed in prop::collection::vec(any::<bool>(), 24)) {
        let method = Method::new(config.clone()).unwrap();
        let mut index = LshIndex::new(config).unwrap();
        let mut held = BTreeMap::new();
        for (number, text) in texts.iter().enumerate() {
            index.insert(number as i64, text).unwrap();
            held.insert(number, text.clone());
        }
        for number in (0..texts.len()).filter(|&number| removed[number]) {
            prop_assert!(index.remove(&Id::Number(number as i64)));
            held.remove(&number);
        }
        let again = LshIndex::decode(&index.encode().unwrap(), "bytes").unwrap();
        prop_assert_eq!((index.len(), again.len()), (held.len(), held.len()));
        for text in &texts {
            let expected = naive(&method, &held, text);
            for index in [&index, &again] {
                let found: Vec<(Id, f64)> = index.query(text).into_iter().map(|found| (found.id, found.similarity)).collect();
                let ids: Vec<Id> = expected.iter().map(|&(number, _)| Id::Number(number as i64)).collect();
                prop_assert_eq!(found.iter().map(|found| found.0.clone()).collect::<Vec<_>>(), ids, "{}", text);
                prop_assert!(found.iter().zip(&expected).all(|(a, b)| (a.1 - b.1).abs() < 1e-12), "{found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn damage_is_reported(texts in texts(), at in any::<prop::sample::Index>(), cut in any::<bool>(), bit in 0..8u32) {
        let mut index = LshIndex::new(Config::default()).unwrap();
        for (number, text) in texts.iter().enumerate() {
            index.insert(format!("id {number}"), text).unwrap();
        }
        let mut bytes = index.encode().unwrap();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        let error = LshIndex::decode(&bytes, "it").unwrap_err();
        prop_assert!(matches!(error, Error::NoIndex(_) | Error::Version { .. } | Error::Damaged(_)), "{error}");
        prop_assert!(error.to_string().starts_with("it: "), "{error}");
    }
}

#[test]
fn ids_are_unique_and_all_or_none_are_inserted() {
    let mut index = LshIndex::new(Config::default()).unwrap();
    index.insert("1", "a text").unwrap();
    index.insert(1, "a text").unwrap();
    assert_eq!(
        index.insert(1, "another").unwrap_err().to_string(),
        "id 1 is already in the index; remove it first or use another id"
    );
    let sketched = || index.documents().next().unwrap().1.clone();
    let (a, b) = (sketched(), sketched());
    for documents in [
        vec![("new".into(), a.clone()), (1.into(), b.clone())],
        vec![("new".into(), a), ("new".into(), b)],
    ] {
        assert!(matches!(index.insert_all(documents), Err(Error::Taken(_))));
        assert_eq!(index.len(), 2);
    }
    assert!(matches!(
        LshIndex::new(Config {
            candidates: Candidates::All,
            ..Config::default()
        }),
        Err(Error::NoKeys)
    ));
}

#[test]
fn files_contain_the_saved_index() {
    let folder = folder();
    let path = folder.path().join("index");
    assert!(matches!(load(&path), Err(Error::File { .. })));
    let mut index = LshIndex::new(Config::default()).unwrap();
    index
        .insert("a", "some words of a text that is long enough")
        .unwrap();
    save(&index, &path).unwrap();
    index.insert("b", "some other words").unwrap();
    save(&index, &path).unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!((loaded.len(), loaded.config()), (2, index.config()));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing is left beside it"
    );
    let other = Config {
        threshold: 0.9,
        ..Config::default()
    };
    assert!(matches!(
        loaded.refuse_unlike(Some("a file"), &other),
        Err(Error::Unlike { .. })
    ));
}

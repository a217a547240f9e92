//! Compares a persistent index with the batch after every operation of random histories.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::common::{Held, batch, configs, differences, files, text};
use lookalike::{Config, Verify};
use lookalike_index::{
    Ask, Change, Decided, Decision, Error, Id, Index, Merges, NewDocument, OnConflict, Settings,
    Store,
};
use lookalike_testing::{cases, folder};
use proptest::prelude::*;
use rayon::prelude::*;

#[derive(Debug, Clone)]
enum Operation {
    Add(Vec<(String, u64)>),
    Replace(Vec<usize>, String, u64),
    Skip(usize, String),
    Delete(Vec<usize>),
    Compact,
    Snapshot,
    Reopen,
    /// Stops without closing, with a part of a record at the end of the log.
    Crash(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    let key = || prop_oneof![3 => Just(0), 2 => 0u64..4];
    let at = || 0usize..1 << 16;
    prop_oneof![
        8 => prop::collection::vec((text(), key()), 1..5).prop_map(Operation::Add),
        1 => prop::collection::vec((text(), key()), 64..80).prop_map(Operation::Add),
        3 => (prop::collection::vec(at(), 1..3), text(), key()).prop_map(|(at, text, key)| Operation::Replace(at, text, key)),
        1 => (at(), text()).prop_map(|(at, text)| Operation::Skip(at, text)),
        5 => prop::collection::vec(at(), 1..3).prop_map(Operation::Delete),
        1 => prop::collection::vec(at(), 20..60).prop_map(Operation::Delete),
        1 => Just(Operation::Compact),
        1 => Just(Operation::Snapshot),
        2 => Just(Operation::Reopen),
        2 => (0usize..100).prop_map(Operation::Crash),
    ]
}

fn stores(config: &Config) -> Vec<Store> {
    match config.verify {
        Some(Verify::Sketch | Verify::None) => vec![Store::Texts, Store::Sketches],
        _ if !matches!(config.candidates, lookalike::Candidates::Bands(_)) => vec![Store::Texts],
        _ => vec![Store::Texts, Store::Sets],
    }
}

fn by_id(decisions: Vec<Decision>) -> BTreeMap<Id, Decided> {
    decisions
        .into_iter()
        .map(|decision| (decision.id.clone(), decision.decided()))
        .collect()
}

/// Returns the names and contents of the files, apart from the change feed, the log, whose name depends on it, and the lock.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    files.retain(|name, _| {
        name != "lock"
            && !["changes-", "log-"]
                .iter()
                .any(|kind| name.starts_with(kind))
    });
    // The manifest lists the feed, and has the number of the next change.
    let manifest = files.get_mut("manifest").unwrap();
    let json = manifest.split(|&byte| byte == b'\n').next().unwrap();
    let mut value: serde_json::Value = serde_json::from_slice(json).unwrap();
    for field in ["changes", "feed"] {
        assert!(value.as_object_mut().unwrap().remove(field).is_some());
    }
    *manifest = value.to_string().into_bytes();
    files
}

/// Returns the path of the log.
fn log(folder: &Path) -> PathBuf {
    let mut paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .find(|path| path.to_str().unwrap().contains("/log-"))
        .unwrap()
}

fn new(document: &(i64, String, u64)) -> NewDocument<'_> {
    NewDocument {
        id: document.0.into(),
        text: &document.1,
        key: document.2,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(150)))]

    #[test]
    fn every_state_of_a_history_is_that_of_the_batch(
        config in configs(),
        which: prop::sample::Index,
        budget in prop_oneof![Just(1usize), Just(3_000), Just(usize::MAX)],
        merges in prop_oneof![Just(Merges::InBackground), Just(Merges::AtOnce)],
        operations in prop::collection::vec(operation(), 1..=cases(60).clamp(20, 300) as usize),
    ) {
        let folders = folder();
        let mut folder = folders.path().join("index");
        let choices = stores(&config);
        let settings = Settings { config: config.clone(), store: *which.get(&choices), keep: "first".into() };
        let mut index = Index::create(&folder, settings.clone()).unwrap().with_memory(budget).with_merges(merges);
        let (mut held, mut next): (Held, i64) = (Vec::new(), 0);
        let mut feed: Vec<Change> = Vec::new();
        let mut before = BTreeMap::new();
        for (step, operation) in operations.into_iter().enumerate() {
            let changes = match operation {
                Operation::Add(texts) => {
                    let first = held.len();
                    for (text, key) in texts {
                        held.push((next, text, key));
                        next += 1;
                    }
                    index.add(&held[first..].iter().map(new).collect::<Vec<_>>(), OnConflict::Fail).unwrap()
                }
                Operation::Replace(places, text, key) if !held.is_empty() => {
                    let mut ids: Vec<i64> = places.iter().map(|at| held[at % held.len()].0).collect();
                    ids.sort_unstable();
                    ids.dedup();
                    held.retain(|(id, ..)| !ids.contains(id));
                    let first = held.len();
                    held.extend(ids.iter().map(|&id| (id, format!("{text} {}", id % 3), key)));
                    index.add(&held[first..].iter().map(new).collect::<Vec<_>>(), OnConflict::Replace).unwrap()
                }
                Operation::Skip(at, text) if !held.is_empty() => {
                    let taken = (held[at % held.len()].0, "something else".to_string(), 0);
                    prop_assert!(matches!(index.add(&[new(&taken)], OnConflict::Fail), Err(Error::Taken(_))));
                    held.push((next, text, 1));
                    next += 1;
                    let fresh = held.last().unwrap();
                    index.add(&[new(&taken), new(fresh), new(fresh)], OnConflict::Skip).unwrap()
                }
                Operation::Delete(places) if !held.is_empty() => {
                    let mut ids: Vec<i64> = places.iter().map(|at| held[at % held.len()].0).collect();
                    held.retain(|(id, ..)| !ids.contains(id));
                    ids.push(next + 1);
                    index.delete(&ids.into_iter().map(Id::Number).collect::<Vec<_>>()).unwrap()
                }
                Operation::Compact => {
                    index.compact().unwrap();
                    Vec::new()
                }
                Operation::Snapshot => {
                    // The history goes on in the snapshot.
                    let to = folders.path().join(format!("snapshot {step}"));
                    index.snapshot(&to).unwrap();
                    folder = to;
                    index = Index::open(&folder).unwrap().with_memory(budget).with_merges(merges);
                    Vec::new()
                }
                Operation::Reopen => {
                    drop(index);
                    index = Index::open(&folder).unwrap().with_memory(budget).with_merges(merges);
                    Vec::new()
                }
                Operation::Crash(left) => {
                    drop(index);
                    // A record of which only a part was written.
                    let log = log(&folder);
                    let mut whole = fs::read(&log).unwrap();
                    let end = whole.iter().rposition(|&byte| byte != 0).unwrap().max(1535) + 1;
                    if end > 1536 {
                        let part = left.min(end - 1537).min(15);
                        whole.copy_within(1536..1536 + part, end);
                        fs::write(&log, whole).unwrap();
                    }
                    fs::write(folder.join("segment.new"), "half").unwrap();
                    fs::write(folder.join("merged.new"), "half").unwrap();
                    let unused = folder.join(format!("segment-{:032x}", 123));
                    fs::write(&unused, "unused").unwrap();
                    fs::write(folder.join("mine.new"), "of another program").unwrap();
                    index = Index::open(&folder).unwrap().with_memory(budget).with_merges(merges);
                    prop_assert!(!unused.exists() && fs::remove_file(folder.join("mine.new")).is_ok());
                    Vec::new()
                }
                _ => continue,
            };
            prop_assert_eq!(index.len(), held.len() as u64);
            let decisions = index.decisions().unwrap();
            prop_assert_eq!(&decisions, &batch(&config, &held));
            let after = by_id(decisions);
            let count = changes.len();
            feed.extend(changes.iter().cloned());
            let changes: BTreeMap<Id, _> = changes.into_iter().map(|change| (change.id, (change.before, change.after))).collect();
            prop_assert_eq!(changes.len(), count);
            prop_assert_eq!(changes, differences(&before, &after));
            before = after;
        }
        prop_assert_eq!(index.check(true).unwrap().decisions, held.len() as u64);
        let numbered: Vec<(u64, Change)> = (1..).zip(feed).collect();
        prop_assert_eq!(&index.changes(0, usize::MAX).unwrap(), &numbered);
        let middle = numbered.len() / 2;
        prop_assert_eq!(&index.changes(middle as u64, 3).unwrap(), &numbered[middle..(middle + 3).min(numbered.len())]);
        let read = Index::open_to_read(&folder).unwrap();
        prop_assert_eq!(read.decisions().unwrap(), index.decisions().unwrap());
        prop_assert_eq!(&read.changes(0, usize::MAX).unwrap(), &numbered);
        for (id, text, _) in &held {
            let found = index.query(&Ask::text(text)).unwrap();
            let stored = index.show(&Id::Number(*id)).unwrap().unwrap();
            prop_assert_eq!(stored.text.as_ref(), Some(text).filter(|_| settings.store == Store::Texts));
            let is_empty = lookalike::Method::new(config.clone()).unwrap().token_spans(text).is_empty();
            prop_assert_eq!(found.iter().any(|found| found.id == Id::Number(*id) && found.similarity == 1.0), !is_empty);
            let others: Vec<_> = found.into_iter().filter(|found| found.id != Id::Number(*id)).collect();
            prop_assert_eq!(index.query(&Ask::document(Id::Number(*id))).unwrap(), others);
        }
        // Another index that gets the same documents at once has the same files.
        index.compact().unwrap();
        let other = folders.path().join("other");
        let again = Index::create(&other, settings).unwrap();
        again.add(&held.iter().map(new).collect::<Vec<_>>(), OnConflict::Fail).unwrap();
        again.compact().unwrap();
        prop_assert!(content(&folder) == content(&other));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(60)))]

    /// The candidates of many documents are searched at once.
    #[test]
    fn large_changes_are_decided_as_the_batch_decides(
        config in configs(),
        budget in prop_oneof![Just(1usize), Just(usize::MAX)],
        changes in prop::collection::vec((prop::collection::vec((text(), text()), 60..130), 0u64..3, any::<u64>()), 1..6),
    ) {
        let folder = folder();
        let settings = Settings { config: config.clone(), store: Store::Texts, keep: "first".into() };
        let index = Index::create(&folder.path().join("index"), settings).unwrap().with_memory(budget);
        let (mut held, mut next): (Held, i64) = (Vec::new(), 0);
        for (texts, keys, removed) in changes {
            let first = held.len();
            for (one, other) in texts {
                // Longer texts, so that not all are similar.
                held.push((next, format!("{one} {other} {}", next % 40), if keys == 0 { 0 } else { next as u64 % 3 * (keys - 1) }));
                next += 1;
            }
            index.add(&held[first..].iter().map(new).collect::<Vec<_>>(), OnConflict::Fail).unwrap();
            prop_assert_eq!(index.decisions().unwrap(), batch(&config, &held));
            let gone = held.remove(removed as usize % held.len()).0;
            index.delete(&[Id::Number(gone)]).unwrap();
            prop_assert_eq!(index.decisions().unwrap(), batch(&config, &held));
        }
        index.check(true).unwrap();
    }
}

/// A copy that becomes the first one of its class while newer segments are merged without its own.
#[test]
fn what_changed_in_a_segment_outlives_merges_of_others() {
    let folder = folder();
    let config = Config {
        shingle: Some(1),
        ..Config::default()
    };
    let settings = Settings {
        config,
        store: Store::Texts,
        keep: "first".into(),
    };
    let index = Index::create(&folder.path().join("index"), settings).unwrap();
    let index = index.with_memory(4_000).with_merges(Merges::AtOnce);
    let add = |range: std::ops::Range<i64>| {
        for id in range {
            let text = if id < 2 {
                "two copies of one text".into()
            } else {
                format!("{id}a {id}b {id}c {id}d ").repeat(20)
            };
            index
                .add(
                    &[NewDocument {
                        id: id.into(),
                        text: &text,
                        key: 0,
                    }],
                    OnConflict::Fail,
                )
                .unwrap();
        }
    };
    add(0..200);
    index.delete(&[Id::Number(0)]).unwrap();
    assert_eq!(index.get(&Id::Number(1)).unwrap(), Some(Decided::Kept));
    let count = || index.stats().unwrap().segments;
    let merged_apart = |id: i64| {
        let before = count();
        add(id..id + 1);
        (2..before).contains(&count())
    };
    assert!((200..1000).any(merged_apart));
    index.check(true).unwrap();
    add(1000..1001);
    let copy = NewDocument {
        id: Id::Number(7000),
        text: "Two copies of one text.",
        key: 0,
    };
    let changes = index.add(&[copy], OnConflict::Fail).unwrap();
    let dropped = Decided::Dropped {
        representative: Id::Number(1),
        similarity: Some(1.0),
    };
    assert_eq!(
        changes,
        [Change {
            id: Id::Number(7000),
            before: None,
            after: Some(dropped)
        }]
    );
}

/// A worker of a thread pool that waits for its own work does other work of the pool meanwhile, which can use the same index.
#[test]
fn workers_of_a_thread_pool_can_use_an_index() {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let folder = folder();
        let settings = Settings {
            config: Config::default(),
            store: Store::Texts,
            keep: "first".into(),
        };
        let index = Index::create(&folder.path().join("index"), settings)
            .unwrap()
            .with_memory(20_000);
        (0..48i64).into_par_iter().for_each(|chunk| {
            let texts: Held = (0..80)
                .map(|at| {
                    (
                        100 * chunk + at,
                        format!("{chunk} {at} ").repeat(10 + at as usize),
                        0,
                    )
                })
                .collect();
            index
                .add(&texts.iter().map(new).collect::<Vec<_>>(), OnConflict::Fail)
                .unwrap();
            assert!(!index.query(&Ask::text(&texts[70].1)).unwrap().is_empty());
            assert!(index.decisions().unwrap().len() >= 80);
        });
        done.send(index.len()).unwrap();
    });
    assert_eq!(
        is_done.recv_timeout(std::time::Duration::from_secs(120)),
        Ok(48 * 80)
    );
}

#[test]
fn queries_are_answered_while_segments_are_written() {
    let folder = folder();
    let folder = folder.path().join("index");
    let settings = Settings {
        config: Config::default(),
        store: Store::Texts,
        keep: "first".into(),
    };
    let index = Index::create(&folder, settings).unwrap();
    index
        .add(
            &[
                new(&(1, "a text".into(), 0)),
                new(&(2, "another text".into(), 0)),
            ],
            OnConflict::Fail,
        )
        .unwrap();
    let is_written = || {
        fs::read_dir(&folder).unwrap().any(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("segment-")
        })
    };
    std::thread::scope(|scope| {
        let mut compacting = None;
        let mut seen = 0;
        // While this runs, the index is read.
        let mut give = |_| {
            seen += 1;
            compacting.get_or_insert_with(|| scope.spawn(|| index.compact()));
            let is_in_time = (0..3_000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                is_written()
            });
            assert!(is_in_time, "the compaction waits for a query");
            Ok(())
        };
        index.each_decision(0, &mut give).unwrap();
        compacting.unwrap().join().unwrap().unwrap();
        assert_eq!(seen, 2);
    });
    assert_eq!((index.len(), index.stats().unwrap().segments), (2, 1));
}

#[test]
fn a_segment_of_which_much_was_removed_is_written_again() {
    let folder = folder();
    let settings = Settings {
        config: Config::default(),
        store: Store::Texts,
        keep: "first".into(),
    };
    let index = Index::create(&folder.path().join("index"), settings).unwrap();
    let index = index.with_memory(2_000).with_merges(Merges::AtOnce);
    let word = |id: i64, at: i64| {
        format!(
            "{:x}",
            lookalike::fingerprint::finish((1000 * id + at) as u64)
        )
    };
    let text = |id: i64| {
        (0..100)
            .map(|at| word(id, at))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let texts: Held = (0..400).map(|id| (id, text(id), 0)).collect();
    index
        .add(&texts.iter().map(new).collect::<Vec<_>>(), OnConflict::Fail)
        .unwrap();
    index.compact().unwrap();
    let before = index.stats().unwrap();
    for ids in (0..380).collect::<Vec<i64>>().chunks(10) {
        index
            .delete(&ids.iter().copied().map(Id::Number).collect::<Vec<_>>())
            .unwrap();
        let stats = index.stats().unwrap();
        assert!(
            stats.removed <= (stats.documents + stats.removed) / 4 + 100,
            "{stats:?}"
        );
    }
    let after = index.stats().unwrap();
    assert!(
        after.documents == 20 && after.bytes < before.bytes / 2,
        "{before:?} {after:?}"
    );
    index.check(true).unwrap();
}

/// Changes that add nothing make the log longer, too.
#[test]
fn deletes_do_not_make_the_log_longer_without_end() {
    let folder = folder();
    let folder = folder.path().join("index");
    let settings = Settings {
        config: Config::default(),
        store: Store::Texts,
        keep: "first".into(),
    };
    let index = Index::create(&folder, settings).unwrap().with_memory(4_000);
    let texts: Held = (0..400).map(|id| (id, format!("a text {id}"), 0)).collect();
    index
        .add(&texts.iter().map(new).collect::<Vec<_>>(), OnConflict::Fail)
        .unwrap();
    for id in 0..400 {
        index.delete(&[Id::Number(id)]).unwrap();
        let bytes = fs::read(log(&folder)).unwrap();
        let end = bytes.iter().rposition(|&byte| byte != 0).unwrap();
        assert!(end < 1536 + 4_100, "{id}");
    }
    assert_eq!(index.changes(0, usize::MAX).unwrap().len(), 800);
}

/// The log of a manifest can remain when the manifest is replaced, and later there can be an equal manifest.
#[test]
fn the_log_of_an_equal_manifest_is_not_continued() {
    let folder = folder();
    let folder = folder.path().join("index");
    let settings = Settings {
        config: Config::default(),
        store: Store::Texts,
        keep: "first".into(),
    };
    let index = Index::create(&folder, settings).unwrap();
    let document = |id: i64| (id, format!("the only text with the number {id}"), 0);
    let replace = |id: i64| {
        assert_eq!(
            index
                .add(&[new(&document(id))], OnConflict::Replace)
                .unwrap(),
            []
        )
    };
    index
        .add(&[new(&document(1)), new(&document(2))], OnConflict::Fail)
        .unwrap();
    index.compact().unwrap();
    let manifest = || fs::read(folder.join("manifest")).unwrap();
    let first = manifest();
    replace(1);
    let log = log(&folder);
    let content = fs::read(&log).unwrap();
    index.compact().unwrap();
    assert_ne!(manifest(), first);
    replace(2);
    fs::write(&log, content).unwrap();
    index.compact().unwrap();
    assert_eq!(manifest(), first);
    drop(index);
    let index = Index::open(&folder).unwrap();
    let ids: Vec<Id> = index
        .decisions()
        .unwrap()
        .into_iter()
        .map(|decision| decision.id)
        .collect();
    assert_eq!(ids, [1.into(), 2.into()]);
}

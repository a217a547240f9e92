//! Counts the reads of operations on large classes of copies: they must be in proportion to the copies, not to their square.

use std::time::Instant;

use crate::common::{Held, batch};
use lookalike::Config;
use lookalike_index::{Id, Index, NewDocument, OnConflict, Settings, Store};
use lookalike_io::disk::{Operation, faults};
use lookalike_testing::{alone, cases, folder};

#[test]
fn the_work_on_a_class_of_copies_is_in_proportion_to_its_size() {
    alone!();
    // Without the remedies, each of these operations reads at least half of this for each document.
    const MOST: u64 = 30;
    let copies = i64::from(cases(1200));
    let folder = folder();
    let folder = folder.path().join("index");
    let config = Config {
        shingle: Some(1),
        ..Config::default()
    };
    let settings = Settings {
        config: config.clone(),
        store: Store::Texts,
        keep: "first".into(),
    };
    let index = Index::create(&folder, settings).unwrap();
    let mut held: Held = (0..copies)
        .map(|id| (id, "one page that has many copies".into(), 0))
        .collect();
    let new: Vec<NewDocument> = held
        .iter()
        .map(|(id, text, key)| NewDocument {
            id: (*id).into(),
            text,
            key: *key,
        })
        .collect();
    index.add(&new, OnConflict::Fail).unwrap();
    // All documents are in a segment now.
    index.compact().unwrap();
    let limited = |what: &str, work: &mut dyn FnMut()| {
        let plan = faults::count();
        let start = Instant::now();
        work();
        let reads = plan.operations(Operation::Read);
        println!(
            "{what}: {:.1} reads per copy, {:.2?}",
            reads as f64 / copies as f64,
            start.elapsed()
        );
        assert!(reads < MOST * copies as u64, "{what}: {reads} reads");
    };
    let mut changes = 0;
    limited("a delete of the first copy", &mut || {
        changes = index.delete(&[Id::Number(0)]).unwrap().len()
    });
    assert_eq!(changes, copies as usize);
    held.remove(0);
    assert_eq!(index.decisions().unwrap(), batch(&config, &held));
    limited("a check", &mut || {
        assert_eq!(index.check(true).unwrap().decisions, held.len() as u64)
    });
    drop(index);
    let mut index = None;
    limited("opening", &mut || {
        index = Some(Index::open(&folder).unwrap())
    });
    let index = index.unwrap();
    limited("a chunk of copies", &mut || {
        let new: Vec<NewDocument> = (0..100)
            .map(|id| NewDocument {
                id: (copies + id).into(),
                text: &held[0].1,
                key: 0,
            })
            .collect();
        index.add(&new, OnConflict::Fail).unwrap();
    });
    let all: Vec<Id> = (0..copies + 100).map(Id::Number).collect();
    limited("a delete of all copies", &mut || {
        changes = index.delete(&all).unwrap().len()
    });
    assert_eq!((changes, index.len()), (copies as usize + 99, 0));
    limited("a check of nothing", &mut || {
        assert_eq!(index.check(true).unwrap().documents, 0)
    });
}

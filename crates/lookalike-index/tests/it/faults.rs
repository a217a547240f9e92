//! Every operation on a file fails once. Whatever was acknowledged remains, and nothing else is half there.

use std::{fs, io::Write, path::Path};

use crate::common::{
    Held, batch,
    script::{BUDGET, Step, follow, perform, settings, step},
};
use lookalike_index::{Error, Index, Merges};
use lookalike_io::disk::{
    Operation,
    faults::{self, Fault},
};
use lookalike_testing::{alone, cases, folder, is_full, spread};

// The fewest steps with a compaction, a snapshot, and several deletes and openings.
const STEPS: u64 = 30;
const SEED: u64 = 142;
const IO_ERROR: i32 = 5;
const DISK_FULL: i32 = 28;

/// Runs the script until an operation fails. Returns the documents that were acknowledged, and those if the failed step counts.
fn run(folder: &Path, merges: Merges) -> (Held, Option<Held>) {
    let mut held = Held::new();
    let Ok(index) = Index::create(folder, settings()) else {
        return (held, None);
    };
    let mut index = index.with_memory(BUDGET).with_merges(merges);
    for at in 0..STEPS {
        if at % 13 == 12 {
            drop(index);
            match Index::open(folder) {
                Ok(opened) => index = opened.with_memory(BUDGET).with_merges(merges),
                Err(_) => return (held, None),
            }
        }
        let step = step(SEED, at, &held);
        let snapshot = folder.with_file_name(format!("snapshot {at}"));
        let done = perform(&step, &index, &snapshot);
        let mut next = held.clone();
        follow(&step, &mut next);
        match done {
            Ok(_) => held = next,
            Err(_) => {
                // What can be read is what was acknowledged, or nothing can be read.
                if let Ok(decisions) = index.decisions() {
                    assert!(
                        [&held, &next]
                            .iter()
                            .any(|held| decisions == batch(&settings().config, held))
                    );
                }
                return (held, Some(next));
            }
        }
        if matches!(step, Step::Snapshot) {
            // While a plan exists, this is a part of the script too.
            if let Ok(copy) = Index::open_to_read(&snapshot) {
                assert_eq!(
                    copy.decisions()
                        .unwrap_or_else(|_| batch(&settings().config, &held)),
                    batch(&settings().config, &held)
                );
            }
        }
    }
    (held, None)
}

/// A snapshot is complete, or it is not there and can be made again.
fn verify_snapshots(folder: &Path, index: &Index, what: &str) {
    let names = || -> Vec<String> {
        let entries = fs::read_dir(folder.parent().unwrap()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "index")
            .collect()
    };
    for name in names() {
        if let Some((name, _)) = name
            .strip_prefix('.')
            .and_then(|name| name.split_once(".unfinished-"))
        {
            index
                .snapshot(&folder.with_file_name(name))
                .unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
    for name in names() {
        let snapshot = Index::open_to_read(&folder.with_file_name(name))
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        snapshot
            .check(true)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

fn verify(folder: &Path, (held, next): (Held, Option<Held>), what: &str) {
    let index = match Index::open(folder) {
        Ok(index) => index,
        // The index was never created.
        Err(Error::NotThere(_)) if held.is_empty() => return,
        Err(error) => panic!("{what}: {error}"),
    };
    let decisions = index.decisions().unwrap();
    let is_right = |held: &Held| decisions == batch(&settings().config, held);
    assert!(
        is_right(&held) || next.as_ref().is_some_and(is_right),
        "{what}: documents are missing or changed"
    );
    index
        .check(true)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    // The index can be used as before.
    let last = index
        .changes(0, usize::MAX)
        .unwrap()
        .last()
        .map_or(0, |(number, _)| *number);
    let step = Step::Add(vec![(-1, "one more text".into(), 0)]);
    assert_eq!(perform(&step, &index, folder).unwrap().len(), 1);
    assert_eq!(
        index.changes(last, usize::MAX).unwrap()[0].0,
        last + 1,
        "{what}"
    );
    verify_snapshots(folder, &index, what);
    let unfinished = fs::read_dir(folder).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with(".new")
    });
    assert_eq!(unfinished.count(), 0, "{what}");
}

#[test]
fn an_operation_that_fails_loses_nothing() {
    alone!();
    let kinds = [
        Operation::Open,
        Operation::Create,
        Operation::Read,
        Operation::Write,
        Operation::Sync,
        Operation::Rename,
        Operation::Link,
        Operation::Remove,
    ];
    let counts = {
        let folder = folder();
        let plan = faults::count();
        let done = run(&folder.path().join("index"), Merges::AtOnce);
        assert!(done.1.is_none());
        let counts = kinds.map(|kind| plan.operations(kind));
        drop(plan);
        verify(&folder.path().join("index"), done, "no fault");
        counts
    };
    for (kind, count) in kinds.into_iter().zip(counts) {
        assert!(count > 0, "{kind:?}");
        let most = if kind == Operation::Read { 150 } else { count };
        for nth in spread(count, most) {
            let errno = if kind == Operation::Write {
                DISK_FULL
            } else {
                IO_ERROR
            };
            let folder = folder();
            let plan = faults::fail(kind, nth, Fault::Errno(errno));
            let done = run(&folder.path().join("index"), Merges::AtOnce);
            // Two threads may read the same block before one of them has it, so there may be fewer reads than were counted.
            let may_be_missing = kind == Operation::Read && nth + count / 100 >= count;
            assert!(plan.met() || may_be_missing, "{kind:?} {nth}");
            drop(plan);
            verify(
                &folder.path().join("index"),
                done,
                &format!("{kind:?} {nth} of {count}"),
            );
        }
    }
}

/// The operations of a merge are at other places in each run, so some of the faults do not happen.
#[test]
fn an_operation_that_fails_while_segments_are_merged_loses_nothing() {
    alone!();
    let mut failures = 0;
    for kind in [
        Operation::Create,
        Operation::Write,
        Operation::Sync,
        Operation::Rename,
    ] {
        for nth in spread(60, 60) {
            let folder = folder();
            let plan = faults::fail(kind, nth, Fault::Errno(DISK_FULL));
            let done = run(&folder.path().join("index"), Merges::InBackground);
            failures += u32::from(plan.met());
            drop(plan);
            verify(
                &folder.path().join("index"),
                done,
                &format!("{kind:?} {nth}"),
            );
        }
    }
    let least = if is_full() { 120 } else { 8 };
    assert!(failures > least, "{failures}");
}

#[test]
fn operations_that_move_fewer_bytes_are_continued() {
    alone!();
    for kind in [Operation::Read, Operation::Write] {
        for nth in spread(400, 57) {
            let folder = folder();
            let plan = faults::fail(kind, nth, Fault::Short);
            let done = run(&folder.path().join("index"), Merges::AtOnce);
            drop(plan);
            assert!(done.1.is_none(), "{kind:?} {nth}");
            verify(
                &folder.path().join("index"),
                done,
                &format!("{kind:?} {nth}"),
            );
        }
    }
}

#[test]
fn after_a_failed_write_the_index_is_read_only_until_it_is_opened_again() {
    alone!();
    let folder = folder();
    let folder = folder.path().join("index");
    let index = Index::create(&folder, settings()).unwrap();
    let add = |id: i64| {
        perform(
            &Step::Add(vec![(id, format!("text number {id}"), 0)]),
            &index,
            &folder,
        )
    };
    add(1).unwrap();
    let plan = faults::fail(Operation::Sync, 0, Fault::Errno(DISK_FULL));
    let failed = add(2).unwrap_err().to_string();
    drop(plan);
    assert!(failed.contains("No space left on device"), "{failed}");
    let refused = add(3).unwrap_err().to_string();
    assert!(
        refused.contains("read-only: a write failed") && refused.contains("No space left"),
        "{refused}"
    );
    assert_eq!((index.len(), index.get(&2.into()).unwrap()), (1, None));
    assert!(index.get(&1.into()).unwrap().is_some());
    drop(index);
    let index = Index::open(&folder).unwrap();
    assert_eq!(index.len(), 1);
    perform(&Step::Add(vec![(4, "another".into(), 0)]), &index, &folder).unwrap();
}

/// Returns an index with ten documents in a segment.
fn in_a_segment(folder: &Path) -> Index {
    let index = Index::create(folder, settings()).unwrap();
    perform(&Step::Add((0..10).map(numbered).collect()), &index, folder).unwrap();
    index.compact().unwrap();
    index
}

fn numbered(id: i64) -> (i64, String, u64) {
    (id, format!("text number {id}"), 0)
}

#[test]
fn after_a_panic_in_a_change_nothing_of_it_is_there() {
    alone!();
    let mut panics = 0;
    for kind in [Operation::Read, Operation::Write, Operation::Sync] {
        for nth in 0.. {
            let folders = folder();
            let folder = folders.path().join("index");
            let index = in_a_segment(&folder);
            let add = |id: i64| perform(&Step::Add(vec![numbered(id)]), &index, &folder);
            let plan = faults::fail(kind, nth, Fault::Panic);
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| add(100).is_ok()));
            let met = plan.met();
            drop(plan);
            assert_eq!(done.is_err(), met, "{kind:?} {nth}");
            if !met {
                break;
            }
            panics += 1;
            assert!(
                matches!(add(101), Err(Error::ReadOnly(..))),
                "{kind:?} {nth}"
            );
            assert_eq!(index.len(), 10);
            drop(index);
            let index = Index::open(&folder).unwrap();
            assert_eq!(index.check(true).unwrap().documents, 10, "{kind:?} {nth}");
            perform(&Step::Add(vec![numbered(102)]), &index, &folder).unwrap();
            drop(index);
            assert_eq!(Index::open(&folder).unwrap().len(), 11, "{kind:?} {nth}");
        }
    }
    assert!(panics > 4, "{panics}");
}

/// A large change is not written to the log first.
#[test]
fn a_large_change_that_fails_is_not_in_the_feed() {
    alone!();
    // Without tokens, it is sketched quickly.
    let large = " ".repeat(33 << 20);
    let mut failures = 0;
    for nth in 0.. {
        let folders = folder();
        let folder = folders.path().join("index");
        let index = in_a_segment(&folder);
        let plan = faults::fail(Operation::Rename, nth, Fault::Errno(DISK_FULL));
        let done = perform(&Step::Add(vec![(100, large.clone(), 0)]), &index, &folder);
        let met = plan.met();
        drop(plan);
        assert_eq!(done.is_err(), met);
        if !met {
            break;
        }
        failures += 1;
        drop(index);
        let index = Index::open(&folder).unwrap();
        assert_eq!(index.changes(0, usize::MAX).unwrap().len(), 10, "{nth}");
        let parts = fs::read_dir(&folder).unwrap().filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("changes-")
        });
        assert_eq!(parts.count(), 1);
        perform(&Step::Add(vec![numbered(101)]), &index, &folder).unwrap();
        index.compact().unwrap();
        assert_eq!(
            index
                .changes(10, usize::MAX)
                .unwrap()
                .iter()
                .map(|(number, change)| (*number, change.id.clone()))
                .collect::<Vec<_>>(),
            [(11, 101.into())]
        );
        index.check(true).unwrap();
    }
    // The segment, the part of the feed, the log, and the manifest.
    assert_eq!(failures, 4);
}

#[test]
fn a_change_that_cannot_be_looked_up_fails_alone() {
    alone!();
    let folders = folder();
    let folder = folders.path().join("index");
    let index = in_a_segment(&folder);
    let plan = faults::fail(Operation::Read, 0, Fault::Errno(IO_ERROR));
    assert!(matches!(index.delete(&[5.into()]), Err(Error::File { .. })));
    drop(plan);
    assert_eq!(index.delete(&[5.into()]).unwrap().len(), 1);
}

#[test]
fn what_cannot_be_read_again_after_a_failed_write_is_not_shown() {
    alone!();
    let folders = folder();
    let folder = folders.path().join("index");
    let index = in_a_segment(&folder);
    let segment = || {
        fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.to_str().unwrap().contains("segment"))
    };
    let segment = segment().unwrap();
    fs::rename(&segment, folder.with_file_name("away")).unwrap();
    let plan = faults::fail(Operation::Sync, 0, Fault::Errno(DISK_FULL));
    perform(&Step::Add(vec![numbered(100)]), &index, &folder).unwrap_err();
    drop(plan);
    assert!(matches!(index.get(&100.into()), Err(Error::Unreadable(..))));
    assert!(matches!(index.changes(0, 1), Err(Error::Unreadable(..))));
    let message = index.stats().unwrap_err().to_string();
    assert!(
        message.contains("can no longer be read") && message.contains("Open it again"),
        "{message}"
    );
    assert!(matches!(
        index.delete(&[1.into()]),
        Err(Error::ReadOnly(..))
    ));
    fs::rename(folder.with_file_name("away"), segment).unwrap();
    drop(index);
    assert_eq!(
        Index::open(&folder).unwrap().check(true).unwrap().documents,
        10
    );
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    alone!();
    let folder = folder();
    let folder = folder.path().join("index");
    let index = Index::create(&folder, settings()).unwrap();
    assert!(matches!(Index::open(&folder), Err(Error::Locked(_))));
    assert!(matches!(
        Index::create(&folder, settings()),
        Err(Error::Exists(_))
    ));
    let read = Index::open_to_read(&folder).unwrap();
    assert!(matches!(read.delete(&[]), Err(Error::ReadOnly(..))));
    drop(index);
    Index::open(&folder).unwrap();
    assert!(matches!(
        Index::open(&folder.join("nothing")),
        Err(Error::NotThere(_))
    ));
    fs::write(folder.with_file_name("file"), "").unwrap();
    assert!(Index::create(&folder.with_file_name("file"), settings()).is_err());
}

/// Each changed bit of each file is detected, or changes no answer.
#[test]
fn a_changed_bit_is_detected_or_has_no_effect() {
    alone!();
    let folders = folder();
    let folder = folders.path().join("index");
    let (held, _) = run(&folder, Merges::AtOnce);
    let expected = batch(&settings().config, &held);
    let feed = Index::open_to_read(&folder)
        .unwrap()
        .changes(0, usize::MAX)
        .unwrap();
    let files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.metadata().unwrap().len() > 0)
        .collect();
    assert!(files.len() > 4);
    let cases = u64::from(cases(1500));
    let mut detected = 0;
    for case in 0..cases {
        let random = lookalike::fingerprint::finish(case);
        let path = &files[random as usize % files.len()];
        let mut bytes = fs::read(path).unwrap();
        let bit = (random >> 8) as usize % (8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(path, &bytes).unwrap();
        let answer = Index::open_to_read(&folder).and_then(|index| {
            index.check(true)?;
            Ok((index.decisions()?, index.changes(0, usize::MAX)?))
        });
        match answer {
            Ok((decisions, changes)) => {
                assert_eq!(decisions, expected, "bit {bit} of {}", path.display());
                assert_eq!(changes, feed, "bit {bit} of {}", path.display());
            }
            Err(Error::Damaged(_) | Error::Version { .. } | Error::NotThere(_)) => detected += 1,
            Err(error) => panic!("bit {bit} of {}: {error}", path.display()),
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::File::create(path).unwrap().write_all(&bytes).unwrap();
    }
    println!("{detected} of {cases} changed bits were detected; the others changed no answer");
    assert!(detected > cases / 2);
}

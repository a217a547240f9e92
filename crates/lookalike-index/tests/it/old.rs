//! An index that an earlier version of the format wrote can still be read and changed.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::common::{
    Held, batch,
    script::{BUDGET, Step, follow, perform, settings, step},
};
use lookalike_index::Index;
use lookalike_testing::folder;

const SEED: u64 = 11;
const STEPS: u64 = 70;

/// Returns the documents of the old index.
fn held() -> Held {
    let mut held = Held::new();
    (0..STEPS).for_each(|at| follow(&step(SEED, at, &held), &mut held));
    held
}

/// The current version of the format.
const VERSION: u32 = 2;

fn old(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/old/index-{version}"))
}

fn version(folder: &Path) -> u64 {
    let manifest = fs::read_to_string(folder.join("manifest")).unwrap();
    let json: serde_json::Value = serde_json::from_str(manifest.lines().next().unwrap()).unwrap();
    json["version"].as_u64().unwrap()
}

/// Writes the old index, when a new version of the format begins. Without the variable, this is not a test.
#[test]
fn an_old_index_is_written() {
    if env::var("LOOKALIKE_WRITE_OLD").is_err() {
        return;
    }
    let snapshots = folder();
    let index = Index::create(&old(VERSION), settings())
        .unwrap()
        .with_memory(BUDGET);
    let mut held = Held::new();
    for at in 0..STEPS {
        let step = step(SEED, at, &held);
        perform(&step, &index, &snapshots.path().join(at.to_string())).unwrap();
        follow(&step, &mut held);
    }
}

#[test]
fn an_old_index_is_read_and_changed() {
    (1..=VERSION).for_each(is_read_and_changed);
}

fn is_read_and_changed(of: u32) {
    let folders = folder();
    let folder = folders.path().join("index");
    fs::create_dir(&folder).unwrap();
    let mut kinds: Vec<String> = Vec::new();
    for entry in fs::read_dir(old(of)).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        kinds.push(name.split('-').next().unwrap().into());
        fs::copy(entry.path(), folder.join(name)).unwrap();
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(
        kinds,
        ["changed", "changes", "lock", "log", "manifest", "segment"]
    );
    let mut held = held();
    let read = Index::open_to_read(&folder).unwrap();
    assert_eq!(read.decisions().unwrap(), batch(&settings().config, &held));
    assert_eq!(read.check(true).unwrap().documents, held.len() as u64);
    let changes = read.changes(0, usize::MAX).unwrap();
    assert!(
        changes.len() > held.len()
            && changes
                .iter()
                .zip(1..)
                .all(|((number, _), expected)| *number == expected)
    );
    let index = Index::open(&folder).unwrap();
    assert_eq!(index.decisions().unwrap(), batch(&settings().config, &held));
    assert_eq!(version(&folder), u64::from(of));
    let delete = Step::Delete(held.iter().step_by(3).map(|(id, ..)| *id).collect());
    perform(&delete, &index, &folder).unwrap();
    follow(&delete, &mut held);
    assert_eq!(version(&folder), u64::from(VERSION));
    assert_eq!(index.decisions().unwrap(), batch(&settings().config, &held));
    let number_of_changes = changes.len();
    drop(index);
    let index = Index::open(&folder).unwrap();
    assert!(index.changes(0, usize::MAX).unwrap().len() > number_of_changes);
    index.check(true).unwrap();
    index.compact().unwrap();
    assert_eq!(index.decisions().unwrap(), batch(&settings().config, &held));
}

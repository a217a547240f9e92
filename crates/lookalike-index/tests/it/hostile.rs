//! Indexes of which files are lost, cut, exchanged or forged. No reader crashes, hangs, writes over a file, or returns less than there is.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::common::{
    Held, batch, files,
    script::{BUDGET, Step, follow, perform, settings, step},
};
use lookalike::fingerprint::finish;
use lookalike_index::{Change, Decision, Index, References, Result};
use lookalike_io::read::StoredRecords;
use lookalike_testing::{cases, folder};
use serde_json::{Value, json};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The content of each file of a folder.
type Files = BTreeMap<String, Vec<u8>>;

fn write(folder: &Path, files: &Files) {
    fs::create_dir(folder).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

/// What each way to read an index returns.
#[derive(Debug, PartialEq)]
struct Content {
    decisions: Vec<Decision>,
    changes: Vec<(u64, Change)>,
    texts: String,
}

impl Content {
    fn of(index: &Index) -> Result<Self> {
        index.check(true)?;
        let mut texts = String::new();
        References::open(index.folder(), "the index")?
            .open("id", "text", false)
            .map(|mut lines| lines.read_to_string(&mut texts).unwrap())
            .unwrap();
        Ok(Self {
            decisions: index.decisions()?,
            changes: index.changes(0, usize::MAX)?,
            texts,
        })
    }
}

/// Reads an index in all ways.
fn read(folder: &Path, to: &Path) -> [Result<Content>; 3] {
    [
        Index::open_to_read(folder).and_then(|index| Content::of(&index)),
        Index::open(folder).and_then(|index| Content::of(&index)),
        Index::open(folder)
            .and_then(|index| index.snapshot(to))
            .and_then(|()| Content::of(&Index::open_to_read(to)?)),
    ]
}

/// Returns an index with several segments and parts of the feed, changes of segments, and a log; and its documents.
fn index(folder: &Path, seed: u64) -> (Files, Held) {
    let folder = folder.join(format!("intact {seed}"));
    let index = Index::create(&folder, settings())
        .unwrap()
        .with_memory(BUDGET);
    let mut held = Held::new();
    let kinds = |files: &Files| {
        let count = |kind: &str| files.keys().filter(|name| name.starts_with(kind)).count();
        ["segment-", "changes-", "changed-"].map(count)
    };
    for at in 0.. {
        let step = step(seed, at, &held);
        if matches!(step, Step::Add(_) | Step::Delete(_)) {
            perform(&step, &index, &folder).unwrap();
            follow(&step, &mut held);
        }
        let [segments, changes, changed] = kinds(&files(&folder));
        let has_log = index.stats().unwrap().in_memory > 0;
        if at > 40 && segments > 1 && changes > 1 && changed == 1 && has_log {
            break;
        }
    }
    drop(index);
    (files(&folder), held)
}

/// Returns a log without records.
fn empty_log(manifest: u64) -> Vec<u8> {
    let mut bytes = vec![0; 1536 + (1 << 20)];
    bytes[..8].copy_from_slice(b"\x89LKALOG\n");
    bytes[8] = 2;
    bytes[16..24].copy_from_slice(&manifest.to_le_bytes());
    let sum = xxh3_64(&bytes[..24]);
    bytes[24..32].copy_from_slice(&sum.to_le_bytes());
    let size = [1, 1536 + (1u64 << 20)].map(u64::to_le_bytes).concat();
    bytes[512..528].copy_from_slice(&size);
    bytes[528..536].copy_from_slice(&xxh3_64_with_seed(&size, manifest).to_le_bytes());
    bytes
}

/// Replaces the manifest, and makes a log for it.
fn forge(files: &mut Files, manifest: &Value) {
    let json = manifest.to_string();
    let hash = xxh3_64(json.as_bytes());
    files.retain(|name, _| !name.starts_with("log-"));
    if manifest["version"] == 2 {
        files.insert(format!("log-{hash:016x}"), empty_log(hash));
    }
    files.insert(
        "manifest".into(),
        format!("{json}\n{hash:016x}\n").into_bytes(),
    );
}

fn manifest(files: &Files) -> Value {
    let bytes = &files["manifest"];
    serde_json::from_slice(bytes.split(|&byte| byte == b'\n').next().unwrap()).unwrap()
}

#[test]
fn lost_and_cut_files_are_damage() {
    let folders = folder();
    let mut tried = 0;
    for seed in 0..u64::from(cases(16)).max(2) {
        let (intact, held) = index(folders.path(), seed);
        let (other, _) = index(folders.path(), seed + 1000);
        let damaged = folders.path().join("damaged");
        let to = folders.path().join("copy");
        write(&damaged, &intact);
        let expected = Content::of(&Index::open_to_read(&damaged).unwrap()).unwrap();
        assert_eq!(expected.decisions, batch(&settings().config, &held));
        fs::remove_dir_all(&damaged).unwrap();
        let mut each = |files: &Files, what: &str| {
            write(&damaged, files);
            for content in read(&damaged, &to).into_iter().flatten() {
                assert_eq!(content, expected, "{what}");
            }
            fs::remove_dir_all(&damaged).unwrap();
            drop(fs::remove_dir_all(&to));
            tried += 1;
        };
        for (name, bytes) in intact.iter().filter(|(name, _)| *name != "lock") {
            let mut lost = intact.clone();
            lost.remove(name);
            each(&lost, &format!("without {name}"));
            let random = finish(seed) as usize % bytes.len();
            for length in [0, 1, 16, 600, 1536, random, bytes.len() - 1] {
                let mut cut = intact.clone();
                let length = length.min(bytes.len() - 1);
                cut.get_mut(name).unwrap().truncate(length);
                each(
                    &cut,
                    &format!("{name} has {length} of {} bytes", bytes.len()),
                );
            }
            // A file of another index under this one's name.
            let kind = name.split_once('-').map(|(kind, _)| format!("{kind}-"));
            let theirs = other
                .iter()
                .filter(|(other, _)| kind.as_ref().is_some_and(|kind| other.starts_with(kind)));
            for (_, bytes) in theirs.filter(|(_, theirs)| *theirs != bytes) {
                let mut exchanged = intact.clone();
                exchanged.insert(name.clone(), bytes.clone());
                each(&exchanged, &format!("another {name}"));
            }
        }
    }
    assert!(tried >= if cases(16) >= 16 { 300 } else { 100 }, "{tried}");
}

/// Changes one value of a manifest.
fn mutate(manifest: &mut Value, random: u64, outside: &str) {
    let pick = |count: usize, shift: u32| (random >> shift) as usize % count;
    let digits = &"0123456789abcdef0123456789abcdef"[..30];
    let names = [
        outside.to_string(),
        "../../outside".into(),
        format!("segment-/../../outside{digits}"),
        format!("segment-{digits}/"),
        format!("segment-../{}", &digits[1..]),
        format!("segment-{digits}00\0"),
        "manifest".into(),
        String::new(),
        format!("segment-{digits}00"),
        format!("changed-{digits}00"),
        format!("changes-{:020}", 0),
        format!("changes-{}", u64::MAX),
        format!("log-{}", &digits[..16]),
    ];
    let numbers = [0, 1, 7, 1 << 40, (1 << 63) - 1, 1 << 63, u64::MAX];
    let list = ["segments", "feed"][pick(2, 0)];
    let is_old = manifest["version"] == 1;
    let name = json!(names[pick(names.len(), 8)]);
    let number = json!(numbers[pick(numbers.len(), 8)]);
    let Some(files) = manifest[list].as_array_mut() else {
        manifest["segments"][0] = name;
        return;
    };
    let at = pick(files.len(), 16);
    match pick(10, 4) {
        0..=2 if is_old => files[at] = name,
        0..=2 => files[at]["name"] = name,
        3 => files.push(files[at].clone()),
        4 => drop(files.remove(at)),
        5 => files.reverse(),
        6 if !is_old => files[at][["size", "sum"][pick(2, 20)]] = number,
        7 => manifest["next"] = number,
        8 => manifest["changes"] = number,
        _ if is_old => manifest["changed"] = name,
        _ => manifest["changed"]["name"] = name,
    }
}

#[test]
fn forged_manifests_do_no_harm() {
    let folders = folder();
    let (intact, _) = index(folders.path(), 1);
    let outside = folders.path().join("outside");
    let (mut refused, all) = (0, u64::from(cases(300)));
    for random in (0..all).map(finish) {
        let mut files = intact.clone();
        let mut forged = manifest(&files);
        if random % 4 == 0 {
            // The names alone, as in version 1.
            let name = |listed: &Value| listed["name"].clone();
            let segments = forged["segments"].as_array().unwrap();
            forged["segments"] = segments.iter().map(name).collect();
            forged["changed"] = name(&forged["changed"]);
            forged["version"] = json!(1);
            forged.as_object_mut().unwrap().remove("feed");
        }
        mutate(&mut forged, random >> 8, outside.to_str().unwrap());
        forge(&mut files, &forged);
        fs::write(&outside, "of another program").unwrap();
        let folder = folders.path().join("forged/index");
        fs::create_dir(folder.parent().unwrap()).unwrap();
        write(&folder, &files);
        let to = folder.with_file_name("copy");
        let read = read(&folder, &to);
        refused += u64::from(read.iter().all(Result::is_err));
        for (name, bytes) in crate::common::files(&folder) {
            // A snapshot of an old index writes its manifest again.
            let is_written = name == "manifest" && forged["version"] == 1;
            let is_same = files.get(&name).is_none_or(|own| *own == bytes);
            assert!(is_written || is_same, "{name}: {forged}");
        }
        assert_eq!(
            fs::read(&outside).unwrap(),
            b"of another program",
            "{forged}"
        );
        let beside: Vec<PathBuf> = fs::read_dir(folder.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(
            beside.iter().all(|path| [&folder, &to].contains(&path)),
            "{beside:?}"
        );
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }
    // The others have a next number that is too large by some, or fewer parts of the feed.
    assert!(refused > all * 3 / 4 && refused < all, "{refused} of {all}");
}

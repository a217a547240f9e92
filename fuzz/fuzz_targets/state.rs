//! Checks that a run over damaged `--resume` files ends with an error message or with the answer of an undisturbed run. If even
//! the checksums were forged, the answer may differ, but nothing else may go wrong.
#![no_main]

use std::{collections::BTreeMap, fs, ops::ControlFlow, path::Path, sync::Mutex, sync::OnceLock};

use libfuzzer_sys::fuzz_target;
use lookalike::{Candidates, Cluster, Config, Shared, SimHashBy, cluster::Keep};
use lookalike_engine::{ErrorKind, Observer, Outputs, Resume, RunConfig, UNOBSERVED, dedup};
use lookalike_fuzz::file;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const MANIFEST: &str = "manifest.json";
const PROGRESS: &str = "progress.json";
const JOURNALS: [&str; 2] = ["sketches", "verdicts"];

/// The files of a state, by name.
type Files = BTreeMap<String, Vec<u8>>;

/// A run, the successive contents of its `--resume` folder, and its result.
struct Case {
    config: RunConfig,
    moments: Vec<Files>,
    answer: Vec<Vec<u8>>,
}

fn outputs() -> Outputs {
    Outputs {
        kept: Some(file::folder().join("kept")),
        decisions: Some(file::folder().join("decisions")),
        ..Outputs::default()
    }
}

fn written() -> Vec<Vec<u8>> {
    ["kept", "decisions", "bad"]
        .map(|name| fs::read(file::folder().join(name)).expect("an output"))
        .into()
}

fn files(folder: &Path) -> Files {
    let names = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a name").file_name());
    let names = names
        .map(|name| name.into_string().expect("a name of ours"))
        .filter(|name| name != "lock");
    names
        .map(|name| {
            (
                name.clone(),
                fs::read(folder.join(name)).expect("a file of the state"),
            )
        })
        .collect()
}

/// Returns five small inputs with unique texts, copies, similar texts, an empty text, invalid lines and records without an id.
fn inputs() -> Vec<String> {
    let text = |n: u32| {
        (0..40)
            .map(|i| format!("w{} ", i * 7 % 40 + n * 40))
            .collect::<String>()
    };
    let record = |id: u32, text: &str| format!("{{\"id\":\"d{id}\",\"text\":\"{text}\"}}\n");
    let blocks = (0..5).map(|b| {
        let alike = text(1).replace("w47 ", &format!("x{b} "));
        let own = record(10 * b, &text(b + 2))
            + &record(10 * b + 1, &text(0))
            + &record(10 * b + 2, &alike);
        let rest = [
            "\n",
            "no record\n",
            "{\"text\":\"one two\"}\n",
            "{\"id\":\"e\",\"text\":\"\"}\n",
            "",
        ][b as usize];
        file::write(&format!("input-{b}"), (own + rest).as_bytes())
            .display()
            .to_string()
    });
    blocks.collect()
}

fn case(config: Config, keep: Option<Keep>) -> Case {
    let folder = file::folder();
    let config = RunConfig {
        inputs: inputs(),
        method: config,
        keep,
        skip_bad: Some(folder.join("bad")),
        threads: 1,
        // The run has so little memory that each round (blocks of the input that are decided together) has only one block.
        memory: Some(1),
        temp_dir: folder.clone(),
        resume: Some(Resume {
            folder: folder.join("state"),
            part: 1,
        }),
        ..RunConfig::default()
    };
    let moments = Mutex::new(Vec::new());
    let observer: Observer = &|_| {
        let mut moments = moments.lock().expect("the lock is not poisoned");
        let now = files(&folder.join("state"));
        if moments.last() != Some(&now) {
            moments.push(now);
        }
        ControlFlow::Continue(())
    };
    dedup(&config, &outputs(), observer).expect("an undisturbed run");
    Case {
        config,
        moments: moments.into_inner().expect("the lock is not poisoned"),
        answer: written(),
    }
}

fn cases() -> &'static [Case; 4] {
    static CASES: OnceLock<[Case; 4]> = OnceLock::new();
    CASES.get_or_init(|| {
        let simhash = Candidates::SimHash(SimHashBy::default());
        let shared = Candidates::Shared(Shared::default());
        [
            case(Config::default(), None),
            case(
                Config {
                    candidates: shared,
                    ..Config::default()
                },
                None,
            ),
            case(Config::default(), Some(Keep::Longest)),
            case(
                Config {
                    candidates: simhash,
                    cluster: Cluster::Components,
                    ..Config::default()
                },
                None,
            ),
        ]
    })
}

/// Damages a file as `edit` describes; `rest` is the input after `edit`.
fn damage(case: &Case, files: &mut Files, edit: &[u8; 5], rest: &[u8]) {
    let [what, low, high, value, more] = *edit;
    let name = [MANIFEST, PROGRESS, "sketches.journal", "verdicts.journal"][usize::from(what & 3)];
    let bytes = files.entry(name.into()).or_default();
    let at = usize::from(u16::from_le_bytes([low, high])) % (bytes.len() + 1);
    match what >> 2 & 7 {
        0 => bytes[at..]
            .iter_mut()
            .take(1)
            .for_each(|byte| *byte ^= 1 << (value & 7)),
        1 => bytes[at..]
            .iter_mut()
            .take(usize::from(more) % 9)
            .for_each(|byte| *byte = value),
        2 => bytes.truncate(at),
        3 => drop(bytes.splice(at..at, std::iter::repeat_n(value, more.into()))),
        4 => drop(bytes.drain(at..(at + usize::from(value)).min(bytes.len()))),
        5 => drop(files.remove(name)),
        6 => {
            let other = case.moments[usize::from(value) % case.moments.len()].get(name);
            other.into_iter().for_each(|other| bytes.clone_from(other));
        }
        _ => *bytes = rest.to_vec(),
    }
}

/// Makes the checksums match the contents of the journals, up to the first place in each journal that cannot be read as a record.
fn forge(files: &mut Files) {
    let mut progress = serde_json::Map::new();
    for name in JOURNALS {
        let journal = files.entry(format!("{name}.journal")).or_default();
        let (mut records, mut at, mut checksum) = (0, 0, 0);
        while let Some((head, rest)) = journal[at..].split_at_mut_checked(16) {
            let length = u64::from_le_bytes(std::array::from_fn(|i| head[i]));
            let Some(record) = usize::try_from(length)
                .ok()
                .and_then(|length| rest.get(..length))
            else {
                break;
            };
            checksum = xxh3_64_with_seed(record, checksum);
            head[8..].copy_from_slice(&checksum.to_le_bytes());
            (records, at) = (records + 1, at + 16 + record.len());
        }
        progress.insert(
            name.into(),
            serde_json::json!({ "records": records, "bytes": at, "checksum": checksum }),
        );
    }
    files.insert(
        PROGRESS.into(),
        serde_json::to_vec(&progress).expect("numbers"),
    );
}

fuzz_target!(|bytes: &[u8]| {
    let [choice, moment, edits @ ..] = bytes else {
        return;
    };
    let case = &cases()[usize::from(choice % 4)];
    let mut files = case.moments[usize::from(*moment) % case.moments.len()].clone();
    let mut rest = edits;
    while let Some((edit, after)) = rest.split_first_chunk() {
        damage(case, &mut files, edit, after);
        rest = after;
    }
    let forged = choice & 4 != 0;
    if forged {
        forge(&mut files);
    }
    let folder = file::folder().join("state");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder for the state");
    files.iter().for_each(|(name, bytes)| {
        fs::write(folder.join(name), bytes).expect("a file of the state")
    });
    let config = RunConfig {
        memory: (choice & 8 != 0).then_some(1),
        ..case.config.clone()
    };
    match dedup(&config, &outputs(), UNOBSERVED) {
        Ok(summary) => {
            assert_eq!(summary.documents, summary.kept + summary.dropped);
            assert!(forged || written() == case.answer, "another answer");
            assert!(files.is_empty() || !folder.exists(), "a state is left");
        }
        Err(error) => {
            assert!(
                matches!(
                    error.kind(),
                    ErrorKind::Config | ErrorKind::Input | ErrorKind::Temporary
                ) || forged,
                "{error}"
            );
            assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
        }
    }
});

//! Injects a fault at every file operation of a run, one at a time. The result must be either a clear error and no leftover files
//! or, if the operation can be retried, the same bytes as those of an undisturbed run.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{Read, Write},
    num::NonZeroU64,
    ops::ControlFlow,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread::JoinHandle,
};

use lookalike::cut::CutConfig;
use lookalike_engine::{
    Cutting, ErrorKind, Limit, Outputs, Result, Resume, Resumed, RunConfig, UNOBSERVED, cut, dedup,
    faults::{Fault, Operation, count, fail},
};
use lookalike_testing::{alone, is_full, spread};
use tempfile::TempDir;

const EIO: i32 = 5;
const EINTR: i32 = 4;
const EINVAL: i32 = 22;
const ENOSPC: i32 = 28;

const ALL: [Operation; 8] = [
    Operation::Open,
    Operation::Create,
    Operation::Read,
    Operation::Write,
    Operation::Sync,
    Operation::Rename,
    Operation::Link,
    Operation::Remove,
];

/// The number of lines of the largest input, which has 300 kB.
const LINES: usize = 75;

/// Names and contents of a folder's files.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let file = |entry: std::io::Result<fs::DirEntry>| entry.unwrap();
    let regular = fs::read_dir(folder)
        .unwrap()
        .map(file)
        .filter(|entry| entry.file_type().unwrap().is_file());
    regular
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// A folder that contains all kinds of inputs, a folder for outputs, and a folder for temporary files.
struct Place {
    folder: TempDir,
    config: RunConfig,
    outputs: Outputs,
    /// What is cut, for a run that cuts instead of deduplicating.
    cut: Option<CutConfig>,
    piped: Vec<u8>,
    /// The outputs that exist before a run, with their content.
    old: Files,
}

/// Returns lines, some of which are alike. Each line has so much data in addition to its text that the kept lines bypass the page
/// cache.
fn lines(name: &str, number: usize, padding: usize) -> Vec<u8> {
    let mut lines = Vec::new();
    for i in 0..number {
        let base = if i % 3 == 2 { i - 1 } else { i };
        let text: String = (0..30).map(|w| format!("{name}{base}w{w} ")).collect();
        let tail = if i % 3 == 2 { "and more" } else { "" };
        let padding = format!("{i:07}").repeat(padding / 7);
        writeln!(
            lines,
            r#"{{"id":"{name}-{i}","text":"{text}{tail}","more":"{padding}"}}"#
        )
        .unwrap();
        if i % 40 == 7 {
            writeln!(lines, "no record {i} {}", "x".repeat(200)).unwrap();
        }
    }
    lines
}

impl Place {
    /// Creates a place on the disk, because outputs in memory cannot bypass the page cache before Linux 6.6.
    fn new(kept: &str, decisions: &str, bad: &str, old: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["in", "out", "temp"] {
            fs::create_dir(path(name)).unwrap();
        }
        fs::write(path("in/a.jsonl"), lines("a", LINES, 4000)).unwrap();
        fs::write(
            path("in/b.jsonl.zst"),
            zstd::encode_all(&lines("b", 200, 100)[..], 1).unwrap(),
        )
        .unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&lines("c", 200, 100)).unwrap();
        fs::write(path("in/c.jsonl.gz"), gzip.finish().unwrap()).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(path("pipe"))
                .status()
                .unwrap()
                .success()
        );
        let config = RunConfig {
            inputs: ["in", "pipe"]
                .iter()
                .map(|name| path(name).display().to_string())
                .collect(),
            skip_bad: Some(path("out").join(bad)),
            threads: 2,
            // With this limit, everything that can spill does so immediately.
            memory: Some(64 << 10),
            temp_dir: path("temp"),
            ..RunConfig::default()
        };
        let outputs = Outputs {
            kept: Some(path("out").join(kept)),
            decisions: Some(path("out").join(decisions)),
            ..Outputs::default()
        };
        let old = old
            .iter()
            .map(|name| (name.to_string(), format!("the old {name}").into_bytes()))
            .collect();
        Self {
            folder,
            config,
            outputs,
            cut: None,
            piped: lines("d", 60, 300),
            old,
        }
    }

    /// Makes an input so long, if all cases run, that the kept lines have 5.6 MB, because outputs bypass the page cache after 4 MiB.
    fn with_long_output(self) -> Self {
        if is_full() {
            fs::write(self.path("in/a.jsonl"), lines("a", 28 * LINES, 4000)).unwrap();
        }
        self
    }

    /// Creates a place for runs that cut.
    fn of_cuts() -> Self {
        let mut place = Self::new("texts.jsonl", "cuts.jsonl", "bad.txt", &[]);
        place.config.inputs.pop();
        place.cut = Some(CutConfig {
            window: Some(10),
            ..CutConfig::default()
        });
        place
    }

    /// Creates a folder of tables, and an output that is a table.
    fn of_tables() -> Self {
        let mut place = Self::new("kept.parquet", "why.jsonl", "bad.txt", &[]);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats/tables");
        fs::remove_dir_all(place.path("in")).unwrap();
        fs::create_dir(place.path("in")).unwrap();
        for name in [
            "pyarrow_zstd.parquet",
            "pyarrow_snappy.parquet",
            "pyarrow_zstd.arrow",
        ] {
            fs::copy(source.join(name), place.path("in").join(name)).unwrap();
        }
        place.config.inputs.pop();
        place.config.text_field = "meta.text".into();
        place.config.allow_repeated_ids = true;
        place.config.method.shingle = Some(1);
        place.config.method.threshold = 0.6;
        place
    }

    /// Creates a folder of documents, of which the kept ones are copied.
    fn of_documents() -> Self {
        let mut place = Self::new("", "why.jsonl", "bad.txt", &[]);
        fs::remove_dir_all(place.path("in")).unwrap();
        fs::create_dir(place.path("in")).unwrap();
        for number in 0..40 {
            let text: String = (0..30)
                .map(|word| format!("{}w{word} ", number % 25))
                .collect();
            fs::write(place.path("in").join(format!("{number}.txt")), text).unwrap();
        }
        place.config.inputs.pop();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes to the pipe that the run reads.
    fn feed(&self) -> JoinHandle<()> {
        let (pipe, bytes) = (self.path("pipe"), self.piped.clone());
        // If the run fails before it reads, writing to the pipe fails. That error is ignored.
        std::thread::spawn(move || {
            drop(
                OpenOptions::new()
                    .write(true)
                    .open(pipe)
                    .and_then(|mut pipe| pipe.write_all(&bytes)),
            )
        })
    }

    /// Returns where the run resumed.
    fn run(&self) -> Result<Option<Resumed>> {
        fs::remove_dir_all(self.path("out")).unwrap();
        fs::create_dir(self.path("out")).unwrap();
        self.old
            .iter()
            .for_each(|(name, bytes)| fs::write(self.path("out").join(name), bytes).unwrap());
        let feed = self.feed();
        let Outputs {
            kept, decisions, ..
        } = self.outputs.clone();
        let done = match self.cut.clone() {
            None => dedup(&self.config, &self.outputs, UNOBSERVED).map(|summary| summary.resumed),
            Some(settings) => {
                let cutting = Cutting {
                    cut: settings,
                    texts: kept,
                    cuts: decisions,
                    ..Cutting::default()
                };
                cut(&self.config, &cutting, UNOBSERVED).map(|summary| summary.resumed)
            }
        };
        self.let_go(feed);
        done
    }

    /// Waits until the thread that feeds the pipe has ended. The thread cannot end while the pipe has no reader, so this function
    /// reads the rest of the data itself.
    fn let_go(&self, feed: JoinHandle<()>) {
        let mut rest = OpenOptions::new()
            .read(true)
            .custom_flags(nonblocking())
            .open(self.path("pipe"))
            .unwrap();
        while !feed.is_finished() {
            drop(rest.read(&mut [0; 1 << 16]));
            std::thread::yield_now();
        }
        feed.join().unwrap();
    }

    /// Checks that a failed run left no trace.
    fn is_untouched(&self, inputs: &Files, what: &str) {
        assert!(
            files(&self.path("in")) == *inputs,
            "{what}: the inputs were changed"
        );
        assert_eq!(
            files(&self.path("temp")).keys().collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "{what}"
        );
        let out = files(&self.path("out"));
        let all = fs::read_dir(self.path("out")).unwrap().count();
        assert!(
            out == self.old && all == out.len(),
            "{what}: left {:?}",
            out.keys()
        );
    }
}

fn nonblocking() -> i32 {
    rustix::fs::OFlags::NONBLOCK.bits() as i32
}

/// Returns the maximum number of kinds of faults for one kind of operation.
fn kinds() -> usize {
    if is_full() { usize::MAX } else { 3 }
}

fn every_operation(place: &Place) {
    let inputs = files(&place.path("in"));
    let plan = count();
    place.run().unwrap();
    let counts = ALL.map(|operation| plan.operations(operation));
    drop(plan);
    let expected = files(&place.path("out"));
    assert!(expected.len() >= 3);
    // A second undisturbed run must give the same bytes.
    let plan = count();
    place.run().unwrap();
    drop(plan);
    assert!(files(&place.path("out")) == expected);
    println!(
        "operations: {:?}",
        ALL.iter().zip(counts).collect::<Vec<_>>()
    );
    let mut struck = 0;
    for (operation, all) in ALL.into_iter().zip(counts) {
        let mut faults = vec![Fault::Errno(EIO), Fault::Errno(EINTR)];
        match operation {
            Operation::Write => faults.extend([
                Fault::Errno(ENOSPC),
                Fault::Errno(EINVAL),
                Fault::Short,
                Fault::Panic,
            ]),
            Operation::Read => faults.extend([Fault::Short, Fault::Panic]),
            Operation::Open | Operation::Remove => {}
            _ => faults.push(Fault::Errno(ENOSPC)),
        }
        faults.truncate(kinds());
        for fault in faults {
            for nth in spread(all, 24) {
                let what = format!("{operation:?} {nth} of {all}: {fault:?}");
                let plan = fail(operation, nth, fault);
                let done = place.run();
                let met = plan.met();
                drop(plan);
                struck += u64::from(met);
                let harmless = matches!(fault, Fault::Errno(EINTR) | Fault::Short) || !met;
                let out = files(&place.path("out"));
                match done {
                    Ok(_) => {
                        // If a write bypasses the page cache, EINVAL means that it has to be repeated through the page cache.
                        let passed_by =
                            fault == Fault::Errno(EINVAL) && operation == Operation::Write;
                        // Without former files, only the hidden folder of copies is removed, and its removal is tried twice.
                        let repeated = operation == Operation::Remove && place.old.is_empty();
                        assert!(harmless || passed_by || repeated, "{what}: was not noticed");
                        let all = fs::read_dir(place.path("out")).unwrap().count();
                        assert!(
                            out == expected && all == out.len(),
                            "{what}: other bytes or files"
                        );
                    }
                    Err(error) => {
                        let message = error.to_string();
                        assert!(!harmless, "{what}: {message}");
                        let named = message.contains(&place.folder.path().display().to_string());
                        let panicked = fault == Fault::Panic;
                        assert!(
                            (named || panicked) && message.contains(';'),
                            "{what}: {message}"
                        );
                        // A panic in the decoder of tables is reported as damage, because damage is its most likely cause.
                        let reported = message.contains("report it")
                            || message.contains("is damaged (a planned panic)");
                        assert!(!panicked || reported, "{what}: {message}");
                        if operation == Operation::Remove {
                            // A run removes only files that its outputs replaced. So if one removal fails, exactly one replaced
                            // file is left.
                            let left: Vec<_> = out
                                .keys()
                                .filter(|name| !expected.contains_key(*name))
                                .collect();
                            assert!(
                                left.len() == 1 && message.contains(left[0].as_str()),
                                "{what}: {message}, {left:?}"
                            );
                            assert!(
                                expected.iter().all(|(name, bytes)| out[name] == *bytes),
                                "{what}"
                            );
                        } else {
                            place.is_untouched(&inputs, &what);
                        }
                        let disk_full =
                            fault != Fault::Errno(ENOSPC) || message.contains("no space left");
                        assert!(disk_full, "{what}: {message}");
                    }
                }
            }
        }
    }
    println!("{struck} faults met");
    assert!(struck >= if is_full() { 200 } else { 40 }, "{struck}");
}

#[test]
fn plain_outputs() {
    alone!();
    every_operation(&Place::new("kept.jsonl", "why.jsonl", "bad.txt", &[]).with_long_output());
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn packed_outputs_over_old_ones() {
    alone!();
    every_operation(&Place::new(
        "kept.jsonl.gz",
        "why.jsonl.zst",
        "bad.txt.gz",
        &["bad.txt.gz", "why.jsonl.zst"],
    ));
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn numbered_outputs() {
    alone!();
    let mut place = Place::new("{:02}.jsonl", "why-{:02}.jsonl", "bad.txt", &[]);
    place.config.limit = NonZeroU64::new(100).map(Limit::Records);
    every_operation(&place);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn an_output_for_each_input() {
    alone!();
    let mut place = Place::new("", "why.jsonl", "bad.txt", &["b.jsonl.zst", "other.txt"]);
    place.config.inputs.pop();
    every_operation(&place);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn copies_of_documents() {
    alone!();
    every_operation(&Place::of_documents());
}

#[test]
fn tables() {
    alone!();
    every_operation(&Place::of_tables());
}

/// Data that several threads compress must be one stream, which is the same for any number of threads.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn threads_change_no_byte_of_packed_outputs() {
    alone!();
    let mut place = Place::new("kept.jsonl.gz", "why.jsonl.zst", "bad.txt", &[]);
    place.config.inputs.pop();
    fs::write(place.path("in/a.jsonl"), lines("a", 3000, 4000)).unwrap();
    let plan = count();
    let mut first = None;
    for threads in [1, 2, 5] {
        place.config.threads = threads;
        place.run().unwrap();
        let out = files(&place.path("out"));
        for (name, bytes) in first.get_or_insert_with(|| out.clone()) {
            assert!(out[name] == *bytes, "{name}, {threads} threads");
        }
    }
    let packed: Files = first.unwrap();
    let mut kept = Vec::new();
    // This reader reads only the first member of a file, so the file must have only one member.
    flate2::read::GzDecoder::new(&packed["kept.jsonl.gz"][..])
        .read_to_end(&mut kept)
        .unwrap();
    let why = zstd::decode_all(&packed["why.jsonl.zst"][..]).unwrap();
    place.outputs = Outputs {
        kept: Some(place.path("out/kept")),
        decisions: Some(place.path("out/why")),
        ..Outputs::default()
    };
    place.run().unwrap();
    let plain = files(&place.path("out"));
    assert!(plain["kept"] == kept && plain["why"] == why && kept.len() > 6 << 20);
    drop(plan);
}

/// With a state folder, a run that was ended by a fault can be resumed by the next run, whichever operation failed. The result
/// must have the bytes of an undisturbed run, and no files may be left over.
#[test]
fn a_run_ended_by_a_fault_is_resumed() {
    alone!();
    let mut place = Place::new("kept.jsonl", "why.jsonl", "bad.txt", &[]).with_long_output();
    place.config.inputs.pop();
    continued(place, if is_full() { 2 << 20 } else { 64 << 10 });
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_run_over_tables_is_resumed() {
    alone!();
    continued(Place::of_tables(), 1);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_run_that_cuts_is_resumed() {
    alone!();
    continued(Place::of_cuts(), 64 << 10);
}

fn continued(mut place: Place, part: u64) {
    let plan = count();
    place.run().unwrap();
    drop(plan);
    let expected = files(&place.path("out"));
    let state = place.path("state");
    place.config.resume = Some(Resume {
        folder: state.clone(),
        part,
    });
    let plan = count();
    place.run().unwrap();
    let counts = ALL.map(|operation| plan.operations(operation));
    drop(plan);
    assert!(files(&place.path("out")) == expected && !state.exists());
    println!(
        "operations: {:?}",
        ALL.iter().zip(counts).collect::<Vec<_>>()
    );
    let (mut struck, mut continued) = (0, 0);
    for (operation, all) in ALL.into_iter().zip(counts) {
        let mut faults = vec![Fault::Errno(EIO)];
        match operation {
            Operation::Write => faults.extend([
                Fault::Errno(ENOSPC),
                Fault::Errno(EINTR),
                Fault::Short,
                Fault::Panic,
            ]),
            Operation::Read => faults.extend([Fault::Errno(EINTR), Fault::Short, Fault::Panic]),
            Operation::Sync | Operation::Create => faults.push(Fault::Errno(ENOSPC)),
            _ => {}
        }
        faults.truncate(kinds());
        for fault in faults {
            for nth in spread(all, 12) {
                let what = format!("{operation:?} {nth} of {all}: {fault:?}");
                let plan = fail(operation, nth, fault);
                let done = place.run();
                struck += u64::from(plan.met());
                let harmless = matches!(fault, Fault::Errno(EINTR) | Fault::Short) || !plan.met();
                drop(plan);
                assert_eq!(done.is_ok(), harmless, "{what}: {done:?}");
                if let Err(error) = done {
                    let message = error.to_string();
                    let named = message.contains(&place.folder.path().display().to_string());
                    assert!(
                        named && message.contains(';') || fault == Fault::Panic,
                        "{what}: {message}"
                    );
                    assert!(
                        fault != Fault::Errno(ENOSPC) || message.contains("no space left"),
                        "{what}: {message}"
                    );
                    let plan = count();
                    let again = place.run();
                    drop(plan);
                    let again = again.unwrap_or_else(|error| panic!("{what}: then {error}"));
                    continued += u64::from(again.is_some());
                }
                assert!(files(&place.path("out")) == expected, "{what}: other bytes");
                assert!(!state.exists(), "{what}: left {:?}", files(&state).keys());
            }
        }
    }
    println!("{struck} faults met, {continued} runs continued");
    let least = if is_full() { (100, 30) } else { (20, 5) };
    assert!(
        struck >= least.0 && continued >= least.1,
        "{struck} {continued}"
    );
}

/// If a file system does not support unnamed files, an output has a hidden name until it is complete.
#[test]
fn outputs_with_hidden_names() {
    alone!();
    const EOPNOTSUPP: i32 = 95;
    let place = Place::new("kept.jsonl", "why.jsonl", "bad.txt", &["why.jsonl"]);
    let plan = count();
    place.run().unwrap();
    drop(plan);
    let expected = files(&place.path("out"));
    for nth in 0..3 {
        let plan = fail(Operation::Create, nth, Fault::Errno(EOPNOTSUPP));
        place.run().unwrap();
        assert!(plan.met() && files(&place.path("out")) == expected);
    }
}

#[test]
fn folders_are_removed_in_mid_run() {
    alone!();
    let place = Place::new("kept.jsonl", "why.jsonl", "bad.txt", &[]);
    for (gone, kind, parts) in [
        (
            "out",
            ErrorKind::Output,
            ["cannot be written", "its folder does not exist"],
        ),
        (
            "temp",
            ErrorKind::Temporary,
            ["temporary files in", "temp_dir"],
        ),
    ] {
        let plan = count();
        let feed = place.feed();
        let once = std::sync::Once::new();
        let observer = |_| {
            once.call_once(|| fs::remove_dir(place.path(gone)).unwrap());
            ControlFlow::Continue(())
        };
        let error = dedup(&place.config, &place.outputs, &observer).unwrap_err();
        let message = error.to_string();
        assert!(
            error.kind() == kind && parts.iter().all(|part| message.contains(part)),
            "{gone}: {message}"
        );
        assert!(
            message.contains(&place.path(gone).display().to_string()),
            "{message}"
        );
        place.let_go(feed);
        fs::create_dir(place.path(gone)).unwrap();
        drop(plan);
    }
}

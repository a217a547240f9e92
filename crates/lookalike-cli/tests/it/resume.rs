//! Tests of runs that resume after another run was ended.

use std::{
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use lookalike_testing::{cases, is_full};
use serde_json::Value;

use crate::{Place, Ran, SMALL, testdata};

/// Marsaglia's xorshift, so that every run of the test has the same kills, as far as clocks allow.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Returns several thousand documents in several languages: originals, copies of originals with a new id, texts with a few
/// changed words, short similar texts, records without an id, blank lines, and invalid lines.
pub(crate) fn collection(place: &Place) -> Vec<String> {
    let mut originals: Vec<String> = Vec::new();
    for (name, most) in [("licenses", 2_000_000), ("zh_tang", 400_000)] {
        assert_eq!(
            place
                .run(&format!(
                    "dedup {} --method exact -o some.jsonl",
                    testdata(&format!("{name}.jsonl.zst"))
                ))
                .code,
            0
        );
        let mut bytes = 0;
        for line in place.read("some.jsonl").lines() {
            bytes += line.len();
            originals.extend((bytes < most).then(|| line.to_string()));
        }
    }
    ["some.jsonl", "some.decisions.jsonl"]
        .iter()
        .for_each(|name| fs::remove_file(place.path(name)).unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut lines = Vec::new();
    for round in 0..5 {
        for (number, original) in originals.iter().enumerate() {
            let Value::Object(mut record) = serde_json::from_str(original).unwrap() else {
                panic!("{original}")
            };
            let text = record["text"].as_str().unwrap().to_string();
            record.insert("id".into(), format!("{round}-{number}").into());
            match random.below(10) {
                0 => _ = record.remove("id"),
                1..5 => {
                    _ = record.insert(
                        "text".into(),
                        format!("{text} changed words {} here", random.below(99)).into(),
                    )
                }
                5 => _ = record.insert("text".into(), text.to_uppercase().into()),
                6 => {
                    _ = record.insert(
                        "text".into(),
                        format!("page {number} of the notes on {}", random.below(30)).into(),
                    )
                }
                _ if round > 0 => {
                    _ = record.insert(
                        "text".into(),
                        format!("{number} {round} {text} {}", "x y z ".repeat(99)).into(),
                    )
                }
                _ => {}
            }
            lines.push(serde_json::to_string(&record).unwrap());
            match random.below(200) {
                0 => lines.push("  ".into()),
                1 => lines.push(format!("no record {number}")),
                _ => {}
            }
        }
    }
    lines
}

pub(crate) fn with_lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The command and its options for one case.
struct Case {
    flags: &'static str,
    command: Option<&'static str>,
}

const CASES: [Case; 7] = [
    Case {
        flags: "dedup a.jsonl b.jsonl --skip-bad bad.txt",
        command: None,
    },
    Case {
        flags: "dedup a.jsonl b.jsonl.zst --skip-bad bad.txt --label --label-prefix dup_",
        command: None,
    },
    Case {
        flags: "dedup a.jsonl.gz c.jsonl b.jsonl.zst --skip-bad bad.txt",
        command: None,
    },
    Case {
        flags: "dedup b.jsonl --skip-bad bad.txt",
        command: Some("cat a.jsonl"),
    },
    Case {
        flags: "dedup a.jsonl b.jsonl --skip-bad bad.txt --candidates shared",
        command: None,
    },
    Case {
        flags: "dedup a.jsonl b.jsonl.zst --skip-bad bad.txt --keep longest",
        command: None,
    },
    Case {
        flags: "dedup a.jsonl.gz b.jsonl --skip-bad bad.txt --method simhash --cluster components",
        command: None,
    },
];

/// The minimum number of kills per case, if all cases run.
const KILLS: u32 = 20;

/// Scales the minimum number of kills of a case; `all` is the number when all cases run. It is at least four: one kill in each of the
/// three stages, and one more.
pub(crate) fn least_kills(all: u32) -> u32 {
    cases(all).max(4)
}

impl Case {
    /// Kills runs and resumes them, until there were enough kills. Returns three numbers: the kills before anything was
    /// saved, the kills after blocks of the first pass were saved, and the kills after rounds of the second pass were saved.
    fn kill_and_compare(&self, inputs: &Place) -> [u32; 3] {
        let place = Place::new();
        for name in inputs.names() {
            fs::copy(inputs.path(&name), place.path(&name)).unwrap();
        }
        assert!(
            self.start(&place, "").wait().unwrap().success(),
            "{}: {}",
            self.flags,
            place.read("said")
        );
        let expected = outputs(&place);
        let started = Instant::now();
        assert!(
            self.start(&place, "--resume state --resume-part 300000")
                .wait()
                .unwrap()
                .success(),
            "{}",
            place.read("said")
        );
        assert!(
            outputs(&place) == expected,
            "{}: other bytes where nothing was killed",
            self.flags
        );
        let usual = started.elapsed();
        assert!(
            expected.iter().all(|bytes| bytes.len() > 100),
            "{}",
            self.flags
        );
        let (mut random, mut kills) = (Random(7 + self.flags.len() as u64), [0; 3]);
        while kills.iter().sum::<u32>() < least_kills(KILLS) {
            for name in ["kept.jsonl", "kept.decisions.jsonl", "bad.txt"] {
                fs::remove_file(place.path(name)).unwrap();
            }
            for attempt in 0u32.. {
                // The size of parts, the number of threads and the memory limit may differ from those of the run that is resumed.
                let part = [1, 300_000, 300_000, 300_000][random.below(4) as usize];
                let memory = ["", "--memory 64M"][random.below(2) as usize];
                let flags = format!(
                    "--resume state --resume-part {part} --threads {} {memory}",
                    1 + random.below(3)
                );
                let child = self.start(&place, &flags);
                // After twelve attempts, the next run is not killed.
                let pause = usual.mul_f64(random.below(300) as f64 / 1000.0);
                let kill = (attempt < 12).then_some((attempt % 3, pause));
                let Some(status) = kill_in_stage(child, &place, kill) else {
                    match safe(&place) {
                        None | Some((0, _)) => kills[0] += 1,
                        Some((_, 0)) => kills[1] += 1,
                        Some(_) => kills[2] += 1,
                    }
                    continue;
                };
                assert!(
                    status.success(),
                    "{}: {status} {}",
                    self.flags,
                    place.read("said")
                );
                break;
            }
            assert!(
                outputs(&place) == expected,
                "{}: other bytes after kills: {kills:?}",
                self.flags
            );
            assert!(!place.path("state").exists());
        }
        kills
    }

    fn start(&self, place: &Place, flags: &str) -> Child {
        let mut command = place.command(&format!("{} -o kept.jsonl {flags}", self.flags));
        self.command
            .iter()
            .for_each(|line| _ = command.args(["--input-command", line]));
        command
            .stdout(Stdio::null())
            .stderr(File::create(place.path("said")).unwrap())
            .spawn()
            .unwrap()
    }
}

fn outputs(place: &Place) -> Vec<Vec<u8>> {
    ["kept.jsonl", "kept.decisions.jsonl", "bad.txt"]
        .map(|name| fs::read(place.path(name)).unwrap())
        .into()
}

/// Returns the number of blocks and of rounds that are saved in the state folder.
pub(crate) fn safe(place: &Place) -> Option<(u64, u64)> {
    let progress: Value =
        serde_json::from_str(&fs::read_to_string(place.path("state/progress.json")).ok()?).unwrap();
    let records = |journal: &str| progress[journal]["records"].as_u64().unwrap();
    Some((records("sketches"), records("verdicts")))
}

/// Kills a run after the given time, if any. Returns its exit status if it had ended before.
pub(crate) fn kill_after(mut child: Child, time: Option<Duration>) -> Option<ExitStatus> {
    if let Some(time) = time {
        std::thread::sleep(time);
        child.kill().unwrap();
    }
    Some(child.wait().unwrap()).filter(|status| status.signal() != Some(9))
}

/// Kills a run after a pause in a stage: at its start (0), when blocks of the first pass are saved (1), or when results of a later
/// pass are saved (2). Returns its exit status if it had ended before.
pub(crate) fn kill_in_stage(
    mut child: Child,
    place: &Place,
    kill: Option<(u32, Duration)>,
) -> Option<ExitStatus> {
    let (stage, pause) = kill.unzip();
    let is_there = |stage: u32| match (stage, safe(place)) {
        (0, _) => true,
        (1, Some((blocks, _))) => blocks > 0,
        (_, Some((_, rounds))) => rounds > 0,
        (_, None) => false,
    };
    while stage.is_some_and(|stage| !is_there(stage)) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_after(child, pause)
}

#[test]
fn a_repeatedly_killed_run_gives_the_same_bytes() {
    let place = Place::new();
    let lines = collection(&place);
    let (a, b) = lines.split_at(lines.len() * 2 / 3);
    place
        .write("a.jsonl", with_lines(a))
        .write("b.jsonl", with_lines(b))
        .write(
            "c.jsonl",
            "{\"id\":\"c\",\"text\":\"one\"}\n".to_string() + &"no record\n".repeat(20),
        );
    for (name, packed) in [("a", "a.jsonl.gz"), ("b", "b.jsonl.zst")] {
        // The purpose of this run is only to compress the file. The run compares ids, which all differ, so it keeps all records
        // that have an id.
        let ran = place.run(&format!(
            "dedup {name}.jsonl --text-field id --id-field none --method exact --skip-bad /dev/null -o {packed} --no-decisions"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    assert!(lines.iter().map(String::len).sum::<usize>() > 20 * 300_000);
    let some = if is_full() { CASES.len() } else { 2 };
    let midway = in_parallel(&CASES[..some], |case| case.kill_and_compare(&place));
    let kills: u32 = midway.iter().flatten().sum();
    println!("{kills} kills: before, in and behind the first pass {midway:?}");
    let of_stage = |stage: usize| midway.iter().map(|of_case| of_case[stage]).sum::<u32>();
    assert!(kills >= least_kills(KILLS) * some as u32, "{midway:?}");
    assert!(
        !is_full() || (1..3).all(|stage| of_stage(stage) >= 5),
        "{midway:?}"
    );
}

/// Runs cases in two threads, because runs mostly wait for the disk.
pub(crate) fn in_parallel<T: Sync>(
    cases: &[T],
    run: impl Fn(&T) -> [u32; 3] + Sync,
) -> Vec<[u32; 3]> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(cases.len().div_ceil(2))
            .map(|some| scope.spawn(|| some.iter().map(&run).collect::<Vec<_>>()))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// Returns a folder with the state of a run that ended at a bad last line, and the arguments of that run.
fn ended_at_a_bad_line() -> (Place, &'static str) {
    let place = Place::new();
    let line = |n: u32| {
        format!(
            "{{\"id\":{n},\"text\":\"{}\"}}\n",
            format!("words {n} ").repeat(300)
        )
    };
    place
        .write(
            "in.jsonl",
            (0..600).map(line).collect::<String>() + "oops\n",
        )
        .write("other.jsonl", SMALL);
    let asked = "dedup in.jsonl other.jsonl -o kept.jsonl --resume state --resume-part 1";
    let ran = place.run(asked);
    assert!(
        ran.code == 2 && ran.err.contains("in.jsonl:601: not JSON"),
        "{}",
        ran.err
    );
    assert!(safe(&place).unwrap().0 > 1);
    (place, asked)
}

pub(crate) fn refused(ran: &Ran, words: &[&str]) {
    assert!(
        ran.code == 2 && words.iter().all(|word| ran.err.contains(word)),
        "{} {}",
        ran.code,
        ran.err
    );
}

#[test]
fn another_configuration_is_refused_with_both_sides_named() {
    let (place, asked) = ended_at_a_bad_line();
    for (flags, words) in [
        (
            "--threshold 0.7",
            "the state in state is from a run with threshold 0.8, but this run has 0.7; give the same options, or another folder",
        ),
        (
            "--bands 20 --rows 6",
            "with candidates.bands null, but this run has 20;",
        ),
        ("--candidates shared", "with candidates {"),
        (
            "--min-containment 0.9",
            "with min_containment null, but this run has 0.9;",
        ),
        (
            "--keep longest",
            "with keep \"first\", but this run has \"longest\";",
        ),
        (
            "--text-field body",
            "with text_field \"text\", but this run has \"body\";",
        ),
        (
            "--skip-bad bad.txt",
            "with skip_bad false, but this run has true;",
        ),
        (
            "--input-command ls",
            "from a run over 2 inputs, but this run has 3 inputs; give the same inputs, or another folder",
        ),
    ] {
        refused(&place.run(&format!("{asked} {flags}")), &[words]);
    }
    let swapped = place.run("dedup other.jsonl in.jsonl --resume state");
    refused(
        &swapped,
        &[
            "is from a run with the input in.jsonl, but this run has other.jsonl; give the same inputs in the same order",
        ],
    );
    // Options that do not affect the answer may differ: the run resumes, and ends at the same bad line.
    let ran = place
        .run("dedup in.jsonl other.jsonl --resume state --threads 1 --memory 64M --temp-dir .");
    refused(&ran, &["in.jsonl:601: not JSON"]);
}

#[test]
fn changed_inputs_are_refused_with_both_sides_named() {
    let (place, asked) = ended_at_a_bad_line();
    let path = place.path("in.jsonl");
    let (bytes, time) = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    let change = |bytes: &[u8], time| {
        fs::write(&path, bytes).unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    let before = format!(
        "in.jsonl: changed since the state in state was saved, from {} bytes (modified ",
        bytes.len()
    );
    change(&bytes[..bytes.len() - 5], time);
    let now = format!(" to {} bytes (modified ", bytes.len() - 5);
    refused(
        &place.run(asked),
        &[
            &before,
            &now,
            "restore the earlier file, or start again in another folder",
        ],
    );
    change(&bytes, time + Duration::from_nanos(1));
    refused(
        &place.run(asked),
        &[&before, &format!(" to {} bytes (modified ", bytes.len())],
    );
    for (at, end) in [(20, "first"), (bytes.len() - 20, "last")] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        change(&changed, time);
        refused(
            &place.run(asked),
            &[
                "in.jsonl: changed since the state in state was saved",
                &format!(" of its {end} 64 KiB to "),
            ],
        );
    }
    change(&bytes, time);
    refused(&place.run(asked), &["in.jsonl:601: not JSON"]);
    fs::remove_file(path).unwrap();
    refused(&place.run(asked), &["in.jsonl: no such file"]);
}

#[test]
fn a_command_with_different_output_in_the_resumed_run_is_refused() {
    let place = Place::new();
    let lines = |what: &str| {
        (0..6000)
            .map(|n| {
                format!(
                    "{{\"id\":{n},\"text\":\"{what} {n} {}\"}}\n",
                    "and so on ".repeat(9)
                )
            })
            .collect()
    };
    let (some, others): (String, String) = (lines("words"), lines("other"));
    place.write("a.jsonl", format!("{some}oops\n"));
    let mut command = place.command("dedup -o kept.jsonl --resume state --resume-part 1");
    command.args(["--input-command", "cat a.jsonl"]);
    refused(
        &Ran::of(command.output().unwrap()),
        &["command:1:6001: not JSON"],
    );
    place.write("a.jsonl", format!("{others}oops\n"));
    refused(
        &Ran::of(command.output().unwrap()),
        &["command:1 (cat …): printed different data when it was run again"],
    );
    place.write("a.jsonl", &some[..300_000]);
    refused(
        &Ran::of(command.output().unwrap()),
        &["command:1 (cat …): printed different data when it was run again"],
    );
    // The part of the data that the first run read is unchanged, and the rest is now valid.
    place.write("a.jsonl", &some);
    let ran = Ran::of(command.output().unwrap());
    assert!(
        ran.code == 0 && ran.err.contains("  resumed  within the first pass\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .ends_with("  state    no longer needed, removed from state\n"),
        "{}",
        ran.err
    );
    let kept = place.read("kept.jsonl");
    assert_eq!(place.run("dedup a.jsonl -o again.jsonl").code, 0);
    assert!(kept == place.read("again.jsonl") && !place.path("state").exists());
}

/// A command line may contain a password, so the state and the messages contain only the name of its program.
#[test]
fn the_state_stores_only_a_digest_of_a_command() {
    let place = Place::new();
    place.write("a.jsonl", format!("{SMALL}oops\n"));
    let run = |line: &str| {
        let mut command = place.command("dedup --resume state --resume-part 1");
        Ran::of(command.args(["--input-command", line]).output().unwrap())
    };
    let first = "PASS=hunter2 cat a.jsonl # hunter2";
    refused(&run(first), &["command:1:"]);
    for (line, part) in [
        (
            "cat a.jsonl # hunter2",
            "command:1: the state in state is from a run with a different command; give the same",
        ),
        (first, ": not JSON"),
        ("exit 3 # hunter2", "a different command"),
    ] {
        let ran = run(line);
        refused(&ran, &[part]);
        assert!(
            !ran.err.contains("hunter2") && !ran.out.contains("hunter2"),
            "{}",
            ran.err
        );
    }
    for entry in fs::read_dir(place.path("state")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        assert!(
            !bytes.windows(7).any(|part| part == b"hunter2"),
            "{}",
            path.display()
        );
    }
}

/// Damages each of these files of the state in three ways.
pub(crate) fn damaged_files_are_refused(place: &Place, asked: &str, names: &[&str]) {
    for name in names {
        let path = place.path("state").join(name);
        let bytes = fs::read(&path).unwrap();
        for wrong in [
            &bytes[..bytes.len() / 2],
            &[b"x", &bytes[1..]].concat(),
            b"",
        ] {
            fs::write(&path, wrong).unwrap();
            refused(
                &place.run(asked),
                &[
                    &format!("state/{name} is damaged: "),
                    "remove state and start again",
                ],
            );
        }
        fs::write(&path, &bytes).unwrap();
    }
}

#[test]
fn damage_is_reported_with_its_file() {
    let (place, asked) = ended_at_a_bad_line();
    damaged_files_are_refused(
        &place,
        asked,
        &["manifest.json", "progress.json", "sketches.journal"],
    );
    let manifest = place.read("state/manifest.json");
    fs::write(
        place.path("state/manifest.json"),
        manifest.replace("\"threshold\":0.8", "\"threshold\":0.9"),
    )
    .unwrap();
    refused(&place.run(asked), &["state/manifest.json is damaged: "]);
    fs::write(place.path("state/manifest.json"), manifest).unwrap();
    // Bytes that were appended after the last part are ignored.
    let path = place.path("state/sketches.journal");
    fs::write(
        &path,
        [&*fs::read(&path).unwrap(), b"a torn write"].concat(),
    )
    .unwrap();
    refused(&place.run(asked), &["in.jsonl:601: not JSON"]);
    fs::write(
        place.path("state/manifest.json"),
        place
            .read("state/manifest.json")
            .replace("\"format\": 7", "\"format\": 0"),
    )
    .unwrap();
    refused(
        &place.run(asked),
        &[
            "the state in state was written by lookalike ",
            "(format 0, ",
            "but this is lookalike ",
            "(format 7, ",
        ],
    );
    // A manifest of format 0 contains command lines, so only the user may remove it.
    refused(
        &place.run(asked),
        &[
            "or give another folder; remove the state in state if you do not need it, because it contains command lines",
        ],
    );
    assert!(place.path("state/manifest.json").exists());
}

/// A folder of another program is not changed, whatever the names of its files.
#[test]
fn a_foreign_manifest_is_not_changed() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    fs::create_dir(place.path("app")).unwrap();
    for content in ["{\"name\": \"app\"}", "no JSON", "{\"state\": \"on\"}", ""] {
        place.write("app/manifest.json", content);
        let ran = place.run("dedup in.jsonl --resume app");
        refused(
            &ran,
            &["app: contains a manifest.json that is not lookalike's; give --resume a new folder"],
        );
        assert!(!ran.err.contains("remove"), "{}", ran.err);
        assert_eq!(
            (
                place.read("app/manifest.json"),
                fs::read_dir(place.path("app")).unwrap().count()
            ),
            (content.into(), 1)
        );
    }
}

/// The state folder may be a symbolic link to a folder, for example on another disk. When a run completes, the link and the
/// folder that it points to remain, for the next run.
#[test]
fn a_link_to_a_folder_works_like_the_folder() {
    let place = Place::new();
    fs::create_dir(place.path("disk")).unwrap();
    std::os::unix::fs::symlink("disk", place.path("state")).unwrap();
    for name in ["state", "state/", "./state//"] {
        place.write("in.jsonl", format!("{SMALL}oops\n"));
        let asked = format!("dedup in.jsonl -o kept.jsonl --resume {name} --resume-part 1");
        refused(&place.run(&asked), &["in.jsonl:4: not JSON"]);
        assert!(place.path("disk/manifest.json").exists());
        fs::remove_dir_all(place.path("disk")).unwrap();
        fs::create_dir(place.path("disk")).unwrap();
        place.write("in.jsonl", SMALL);
        let ran = place.run(&asked);
        assert_eq!(
            (ran.code, place.read("kept.jsonl").lines().count()),
            (0, 2),
            "{name}: {}",
            ran.err
        );
        assert!(
            place.path("state").is_symlink()
                && fs::read_dir(place.path("disk")).unwrap().count() == 0,
            "{name}"
        );
    }
}

#[test]
fn a_state_that_others_could_read_becomes_private() {
    use std::os::unix::fs::PermissionsExt;
    let (place, asked) = ended_at_a_bad_line();
    let set = |name: &str, mode| {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap()
    };
    let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    let files = [
        "state/manifest.json",
        "state/progress.json",
        "state/sketches.journal",
        "state/verdicts.journal",
        "state/lock",
    ];
    let loosen = || {
        set("state", 0o755);
        files.iter().for_each(|name| set(name, 0o644));
    };
    loosen();
    refused(&place.run(asked), &["in.jsonl:601: not JSON"]);
    assert_eq!((mode("state"), files.map(mode)), (0o700, [0o600; 5]));
    // If the folder also has other files, its permissions do not change, because other users may need those files.
    loosen();
    place.write("state/notes", "");
    set("state/notes", 0o644);
    refused(&place.run(asked), &["in.jsonl:601: not JSON"]);
    assert_eq!(
        (mode("state"), files.map(mode), mode("state/notes")),
        (0o755, [0o600; 5], 0o644)
    );
    // An existing empty folder is treated like a new one.
    fs::create_dir(place.path("empty")).unwrap();
    set("empty", 0o755);
    refused(
        &place.run("dedup in.jsonl --resume empty --resume-part 1"),
        &["in.jsonl:601: not JSON"],
    );
    assert_eq!(mode("empty"), 0o700);
}

#[test]
fn folders_without_a_state_are_refused() {
    let place = Place::new();
    place.write("in.jsonl", SMALL).write("file", "");
    fs::create_dir_all(place.path("mine/inner")).unwrap();
    refused(
        &place.run("dedup in.jsonl --resume mine"),
        &["mine: is not empty and contains no state of lookalike; give --resume a new"],
    );
    refused(
        &place.run("dedup in.jsonl --resume file"),
        &["file is not a directory; give --resume the name of a new folder"],
    );
    let piped = |name: &str| {
        Command::new("sh")
            .arg("-c")
            .arg(format!(
                "cat in.jsonl | {} dedup {name} --resume new",
                env!("CARGO_BIN_EXE_lookalike")
            ))
            .current_dir(place.path(""))
            .output()
            .unwrap()
    };
    for name in ["-", "/dev/stdin"] {
        refused(
            &Ran::of(piped(name)),
            &[
                "can be read only once, so --resume could not continue with it; save it to a file first",
            ],
        );
    }
    assert_eq!(place.names(), ["file", "in.jsonl", "mine"]);
    // A dry run would use up the progress that another run saved, so the two flags exclude each other.
    refused(
        &place.run("dedup in.jsonl --dry-run --resume new"),
        &["--dry-run", "--resume"],
    );
    // An empty folder is treated like a new one; other files in the state folder remain.
    fs::create_dir(place.path("empty")).unwrap();
    assert_eq!(place.run("dedup in.jsonl --resume empty").code, 0);
    assert_eq!(place.names(), ["file", "in.jsonl", "mine"]);
    assert_eq!(
        place
            .run("dedup in.jsonl --resume new/inner -o new/inner/kept.jsonl")
            .code,
        0
    );
    assert_eq!(fs::read_dir(place.path("new/inner")).unwrap().count(), 2);
}

#[test]
fn two_runs_do_not_share_a_folder_and_a_finished_one_leaves_none() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let mut first = place.command("dedup --resume state");
    let mut first = first
        .args([
            "--input-command",
            "cat in.jsonl; echo > ready; while [ -e ready ]; do sleep 0.1; done",
        ])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !place.path("ready").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut second = place.command("dedup --resume state");
    let second = second
        .args([
            "--input-command",
            "cat in.jsonl; echo > ready; while [ -e ready ]; do sleep 0.1; done",
        ])
        .output()
        .unwrap();
    refused(
        &Ran::of(second),
        &["state: another run is using it; wait until that run ends, or give another folder"],
    );
    first.kill().unwrap();
    first.wait().unwrap();
    fs::remove_dir_all(place.path("state")).unwrap();
    for _ in 0..2 {
        let ran = place.run("dedup in.jsonl -o kept.jsonl --resume state --json");
        assert!(
            ran.code == 0 && !ran.out.contains("resumed") && !place.path("state").exists(),
            "{}",
            ran.err
        );
    }
}

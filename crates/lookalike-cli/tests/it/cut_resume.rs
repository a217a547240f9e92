//! Tests of runs that cut and resume after another run was ended.

use std::{
    fmt::Write,
    fs::{self, File},
    process::{Child, Stdio},
    time::Instant,
};

use lookalike_testing::is_full;
use serde_json::json;

use crate::{
    Place, Ran,
    resume::{
        Random, collection, damaged_files_are_refused, in_parallel, kill_in_stage, least_kills,
        refused, safe, with_lines,
    },
};

/// Returns the documents of [`collection`], with notices in the middle of some. What is before and after the notice is one passage of
/// another document, so cutting joins what is elsewhere.
fn lines(place: &Place) -> Vec<String> {
    let words = |name: &str, number: usize, count: usize| {
        (0..count)
            .map(|word| format!("{name}{number}x{word} "))
            .collect::<String>()
    };
    let mut lines = Vec::new();
    for (number, line) in collection(place).into_iter().enumerate() {
        lines.push(line);
        if number % 7 == 0 {
            let notice = if number % 2 == 0 {
                words("notice", number % 5, 60)
            } else {
                String::new()
            };
            let text = format!(
                "{}{notice}{}",
                words("p", number / 14, 15),
                words("q", number / 14, 15)
            );
            lines.push(
                json!({"id": format!("n{number}"), "site": number % 3, "text": text}).to_string(),
            );
        }
    }
    lines
}

/// The options of each case, and an input command.
const CASES: [(&str, Option<&str>); 6] = [
    ("cut a.jsonl b.jsonl --window 20", None),
    ("cut a.jsonl b.jsonl.zst --window 20 --memory 64M", None),
    ("cut b.jsonl.zst a.jsonl --unit lines --keep longest", None),
    (
        "cut b.jsonl --window 25 --more-than 2 --memory 64M",
        Some("cat a.jsonl"),
    ),
    ("cut a.jsonl --unit sentences --within group:site", None),
    (
        "cut a.jsonl --against b.jsonl.zst --allow-repeated-ids --window 30 --memory 64M",
        None,
    ),
];

/// The minimum number of kills per case, if all cases run.
const KILLS: u32 = 16;

/// Kills runs and resumes them, until there were enough kills. Returns three numbers: the kills before anything was saved, the
/// kills after blocks of the first pass were saved, and the kills after a later pass was saved.
fn kill_and_compare((flags, command): (&str, Option<&str>), inputs: &Place) -> [u32; 3] {
    let place = Place::new();
    for name in inputs.names() {
        fs::copy(inputs.path(&name), place.path(&name)).unwrap();
    }
    let start = |more: &str| -> Child {
        let outputs = "--skip-bad bad.txt -o texts.jsonl --cuts cuts.jsonl --dolma spans.jsonl";
        let mut child = place.command(&format!("{flags} {outputs} {more}"));
        command
            .iter()
            .for_each(|line| _ = child.args(["--input-command", line]));
        child
            .stdout(Stdio::null())
            .stderr(File::create(place.path("said")).unwrap())
            .spawn()
            .unwrap()
    };
    assert!(
        start("").wait().unwrap().success(),
        "{flags}: {}",
        place.read("said")
    );
    let expected = outputs(&place);
    let started = Instant::now();
    assert!(
        start("--resume state --resume-part 300000")
            .wait()
            .unwrap()
            .success(),
        "{}",
        place.read("said")
    );
    assert!(
        outputs(&place) == expected,
        "{flags}: other bytes where nothing was killed"
    );
    let usual = started.elapsed();
    assert!(expected.iter().all(|bytes| bytes.len() > 100), "{flags}");
    let (mut random, mut kills) = (Random(7 + flags.len() as u64), [0; 3]);
    while kills.iter().sum::<u32>() < least_kills(KILLS) {
        for attempt in 0u32.. {
            NAMES
                .iter()
                .for_each(|name| drop(fs::remove_file(place.path(name))));
            // The size of parts, the number of threads and the memory limit may differ from those of the run that is resumed.
            let part = [1, 300_000, 300_000, 300_000][random.below(4) as usize];
            let memory = if flags.contains("--memory") {
                ""
            } else {
                ["", "--memory 64M"][random.below(2) as usize]
            };
            let threads = [1, 2, 7][random.below(3) as usize];
            let child = start(&format!(
                "--resume state --resume-part {part} --threads {threads} {memory}"
            ));
            // After twelve attempts, the next run is not killed.
            let pause = usual.mul_f64(random.below(300) as f64 / 1000.0);
            let kill = (attempt < 12).then_some((attempt % 3, pause));
            let Some(status) = kill_in_stage(child, &place, kill) else {
                // An output has its name only if it is complete. Some have it if the run was killed at its very end.
                for (name, expected) in NAMES.iter().zip(&expected) {
                    assert!(
                        fs::read(place.path(name)).map_or(true, |bytes| bytes == *expected),
                        "{flags}: a part of {name}"
                    );
                }
                match safe(&place) {
                    None | Some((0, _)) => kills[0] += 1,
                    Some((_, 0)) => kills[1] += 1,
                    Some(_) => kills[2] += 1,
                }
                continue;
            };
            assert!(status.success(), "{flags}: {status} {}", place.read("said"));
            break;
        }
        assert!(
            outputs(&place) == expected,
            "{flags}: other bytes after kills: {kills:?}"
        );
        assert!(!place.path("state").exists());
    }
    kills
}

const NAMES: [&str; 4] = ["texts.jsonl", "cuts.jsonl", "spans.jsonl", "bad.txt"];

fn outputs(place: &Place) -> [Vec<u8>; 4] {
    NAMES.map(|name| fs::read(place.path(name)).unwrap())
}

#[test]
fn a_repeatedly_killed_run_gives_the_same_bytes() {
    let place = Place::new();
    let lines = lines(&place);
    let (a, b) = lines.split_at(lines.len() * 2 / 3);
    place
        .write("a.jsonl", with_lines(a))
        .write("b.jsonl", with_lines(b));
    fs::write(
        place.path("b.jsonl.zst"),
        zstd::encode_all(with_lines(b).as_bytes(), 3).unwrap(),
    )
    .unwrap();
    let some = if is_full() { CASES.len() } else { 1 };
    let midway = in_parallel(&CASES[..some], |&case| kill_and_compare(case, &place));
    println!("kills before, in and after the first pass: {midway:?}");
    let of_stage = |stage: usize| midway.iter().map(|of_case| of_case[stage]).sum::<u32>();
    assert!(
        !is_full() || (1..3).all(|stage| of_stage(stage) >= 5),
        "{midway:?}"
    );
}

/// Returns a folder with the state of a run that ended in its last pass, since the remaining text of a document cannot be written in the
/// encoding of its file. The second value is the arguments of the run without its outputs.
fn ended_in_the_last_pass() -> (Place, &'static str) {
    let place = Place::new();
    let mut rows = String::from("id,text\n1,a b c d e f\n");
    (2..40).for_each(|id| writeln!(rows, "{id},words of row {id} and a b c d e f").unwrap());
    place.write(
        "hk.csv",
        [rows.as_bytes(), b"40,", &[0x88, 0x62], b" a b c d e f\n"].concat(),
    );
    let asked = "cut hk.csv --window 5 --encoding big5 --resume state --cuts cuts.jsonl";
    let ran = place.run(&format!("{asked} -o clean.csv"));
    refused(
        &ran,
        &["hk.csv:41: the remaining text cannot be written as Big5"],
    );
    assert_eq!(place.names(), ["hk.csv", "state"]);
    (place, asked)
}

#[test]
fn finished_passes_are_not_repeated() {
    let (place, asked) = ended_in_the_last_pass();
    // Outputs are not part of the state. This one can have the text.
    let ran = place.run(&format!("{asked} -o clean.jsonl"));
    assert!(
        ran.code == 0 && ran.err.contains("  resumed  before the last pass\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("  state    no longer needed, removed from state\n"),
        "{}",
        ran.err
    );
    let cuts = place.read("cuts.jsonl");
    assert_eq!(
        place
            .run("cut hk.csv --window 5 --encoding big5 -o at-once.jsonl --cuts cuts.jsonl -q")
            .err,
        ""
    );
    assert_eq!(
        (place.read("clean.jsonl"), cuts),
        (place.read("at-once.jsonl"), place.read("cuts.jsonl"))
    );
    assert_eq!(
        place.names(),
        ["at-once.jsonl", "clean.jsonl", "cuts.jsonl", "hk.csv"]
    );
}

#[test]
fn another_run_is_refused_with_both_sides_named() {
    let (place, asked) = ended_in_the_last_pass();
    place.write("other.csv", "id,text\n1,a b c d e f\n");
    for (flags, words) in [
        (
            "--min-left 2",
            "is from a run with cut.min_left 1, but this run has 2; give the same options, or another folder",
        ),
        (
            "--unit lines",
            "with cut.unit \"runs\", but this run has \"lines\";",
        ),
        (
            "--keep longest",
            "with keep \"first\", but this run has \"longest\";",
        ),
        (
            "--within group:id",
            "with label_field null, but this run has \"id\";",
        ),
        (
            "--skip-bad bad.txt",
            "with skip_bad false, but this run has true;",
        ),
        ("--against other.csv", "with against 0, but this run has 1;"),
    ] {
        refused(
            &place.run(&format!("{asked} {flags}")),
            &["the state in state is from a run ", words],
        );
    }
    let other =
        "the state in state is from a run of cut, but this is a run of dedup; give another folder";
    refused(
        &place.run("dedup hk.csv --encoding big5 --resume state"),
        &[other],
    );
    place.write("in.jsonl", "{\"text\":\"one\"}\noops\n");
    refused(
        &place.run("dedup in.jsonl --resume other --resume-part 1"),
        &["in.jsonl:2: not JSON"],
    );
    refused(
        &place.run("cut in.jsonl --resume other"),
        &["is from a run of dedup, but this is a run of cut"],
    );
    refused(&place.run(&format!("{asked} --window 6")), &["--window"]);
    place.write("hk.csv", "id,text\n1,a\n");
    refused(
        &place.run(asked),
        &["hk.csv: changed since the state in state was saved"],
    );
}

#[test]
fn damage_is_reported_with_its_file() {
    let (place, asked) = ended_in_the_last_pass();
    damaged_files_are_refused(
        &place,
        asked,
        &[
            "manifest.json",
            "progress.json",
            "sketches.journal",
            "verdicts.journal",
        ],
    );
    let ran: Ran = place.run(&format!("{asked} -o clean.jsonl"));
    assert_eq!(ran.code, 0, "{}", ran.err);
}

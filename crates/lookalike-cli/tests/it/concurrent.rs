//! Tests of several runs that write the same outputs in parallel, of a locked output folder, and of the permissions of outputs
//! and of the state.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use crate::{Place, Ran, SMALL};

/// The number of runs in parallel.
const RUNS: usize = 16;

#[test]
fn concurrent_runs_succeed_and_the_outputs_come_from_one_run() {
    let place = Place::new();
    for run in 0..RUNS {
        let lines: String = (0..50)
            .map(|n| format!("{{\"id\":\"{run}-{n}\",\"text\":\"run {run} words {n}\"}}\n"))
            .collect();
        place.write(&format!("{run}.jsonl"), lines);
    }
    fs::create_dir(place.path("out")).unwrap();
    for round in 0..6 {
        let start = |run| {
            let asked = format!(
                "dedup {run}.jsonl -o out/kept.jsonl --decisions out/why.jsonl --threads 1 -t 1"
            );
            place
                .command(&asked)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let runs: Vec<_> = (0..RUNS).map(start).collect();
        for run in runs {
            let ran = Ran::of(run.wait_with_output().unwrap());
            assert_eq!(ran.code, 0, "round {round}: {}", ran.err);
        }
        let names: Vec<_> = fs::read_dir(place.path("out"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
        let kept = place.read("out/kept.jsonl");
        let winner = (0..RUNS).find(|run| place.read(&format!("{run}.jsonl")) == kept);
        let winner = winner.unwrap_or_else(|| panic!("not one run's: {kept}"));
        let why = place.read("out/why.jsonl");
        assert!(
            why.lines().count() == 50
                && why
                    .lines()
                    .all(|line| line.starts_with(&format!("{{\"id\":\"{winner}-"))),
            "{why}"
        );
    }
}

/// Without the lock, the outputs of two runs could be mixed. The error is reported before any work is done.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_permanently_locked_folder_is_refused() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let locked = fs::File::open(place.path(".")).unwrap();
    locked.lock().unwrap();
    let ran = place.run("dedup in.jsonl -o kept.jsonl");
    let reported = "error: kept.jsonl: cannot be written: its folder . has been locked for 5 seconds by another program, such as flock or a \
                run that writes there; end that program, let flock lock a file instead, or write to another folder";
    assert!(
        ran.code == 2 && ran.err.starts_with(reported),
        "{}",
        ran.err
    );
    assert_eq!(place.names(), ["in.jsonl"]);
    // A run waits for a lock that is released in time.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(500));
            locked.unlock().unwrap();
        });
        assert_eq!(place.run("dedup in.jsonl -o kept.jsonl").code, 0);
    });
    assert_eq!(
        place.names(),
        ["in.jsonl", "kept.decisions.jsonl", "kept.jsonl"]
    );
}

#[test]
fn outputs_have_default_permissions_and_the_state_is_private() {
    let place = Place::new();
    place.write("in.jsonl", format!("{SMALL}oops\n"));
    let run = |asked: &str| {
        let line = format!(
            "umask 027; exec '{}' {asked}",
            env!("CARGO_BIN_EXE_lookalike")
        );
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(place.path("."))
            .stdin(Stdio::null())
            .output();
        Ran::of(output.unwrap())
    };
    let mode = |name: &str| {
        format!(
            "{:o}",
            place.path(name).metadata().unwrap().permissions().mode() & 0o777
        )
    };
    assert_eq!(
        run("dedup in.jsonl -o kept.jsonl --resume new/state --resume-part 1").code,
        2
    );
    assert_eq!([mode("new"), mode("new/state")], ["750", "700"]);
    for entry in fs::read_dir(place.path("new/state")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert_eq!(mode(&format!("new/state/{name}")), "600", "{name}");
    }
    place.write("in.jsonl", SMALL);
    assert_eq!(run("dedup in.jsonl -o kept.jsonl").code, 0);
    assert_eq!(
        [mode("kept.jsonl"), mode("kept.decisions.jsonl")],
        ["640", "640"]
    );
}

//! A process that writes an index is killed at random moments.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{
    Held, batch,
    script::{BUDGET, follow, perform, settings, step},
};
use lookalike::fingerprint::finish;
use lookalike_index::Index;
use lookalike_testing::{cases, folder};

/// The variable with the folder of the index that the killed process writes.
const FOLDER: &str = "LOOKALIKE_KILLED";
const STEPS: u64 = 2_000;

/// Returns the documents after some steps.
fn after(seed: u64, steps: u64) -> Held {
    let mut held = Held::new();
    (0..steps).for_each(|at| follow(&step(seed, at, &held), &mut held));
    held
}

/// The process that is killed: continues the script, and prints a line after each step. Without the variable, this is not a test.
#[test]
fn writes_until_it_is_killed() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let (folder, plan) = folder.split_once('\n').unwrap();
    let (seed, from) = plan.split_once(' ').unwrap();
    let (seed, from): (u64, u64) = (seed.parse().unwrap(), from.parse().unwrap());
    let index = Index::open(Path::new(folder)).unwrap().with_memory(BUDGET);
    let mut held = after(seed, from);
    for at in from..STEPS {
        let step = step(seed, at, &held);
        perform(
            &step,
            &index,
            &Path::new(folder).with_file_name(format!("snapshot {at} {}", std::process::id())),
        )
        .unwrap();
        follow(&step, &mut held);
        // One write, so that no line is printed in parts.
        std::io::stderr()
            .write_all(format!("done {at}\n").as_bytes())
            .unwrap();
    }
}

#[test]
fn whatever_was_acknowledged_remains_after_a_kill() {
    if env::var(FOLDER).is_ok() {
        return;
    }
    let kills = u64::from(cases(40));
    let (mut killed, mut further, mut snapshots) = (0, 0, 0);
    for seed in 0.. {
        if killed >= kills {
            break;
        }
        let folders = folder();
        let folder = folders.path().join("index");
        drop(Index::create(&folder, settings()).unwrap());
        // The same index is killed several times.
        let mut from = 0;
        for round in 0..10 {
            let mut child = Command::new(env::current_exe().unwrap())
                .args(["kills::writes_until_it_is_killed", "--exact", "--nocapture"])
                .env(FOLDER, format!("{}\n{seed} {from}", folder.display()))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // It is killed some time after a number of steps, so that the machine's speed does not matter.
            let random = finish(seed * 100 + round);
            let (steps, pause) = (random % 60, (random >> 32) % 3_000);
            let mut last = None;
            for (at, line) in BufReader::new(child.stderr.take().unwrap())
                .lines()
                .enumerate()
            {
                let line = line.unwrap();
                let step = line
                    .strip_prefix("done ")
                    .and_then(|at| at.parse::<u64>().ok());
                last = Some(step.unwrap_or_else(|| panic!("{line}")));
                if at as u64 == steps {
                    thread::sleep(Duration::from_micros(pause));
                    child.kill().unwrap();
                    killed += 1;
                }
            }
            child.wait().unwrap();
            let acknowledged = last.map_or(from, |at| at + 1);
            let index = Index::open(&folder).unwrap();
            let decisions = index.decisions().unwrap();
            let is_after = |steps: u64| decisions == batch(&settings().config, &after(seed, steps));
            // The step that was killed is done, or it is not.
            from = match (is_after(acknowledged), is_after(acknowledged + 1)) {
                (true, _) => acknowledged,
                (false, true) => {
                    further += 1;
                    acknowledged + 1
                }
                (false, false) => {
                    panic!("seed {seed}: not the documents after {acknowledged} steps")
                }
            };
            index.check(true).unwrap();
            for entry in fs::read_dir(folders.path())
                .unwrap()
                .map(|entry| entry.unwrap())
            {
                let name = entry.file_name().into_string().unwrap();
                assert!(
                    name == "index"
                        || name.starts_with("snapshot")
                        || name.starts_with(".snapshot"),
                    "{name}"
                );
                if name.starts_with("snapshot") {
                    assert!(Index::open_to_read(&entry.path()).is_ok(), "{name}");
                    snapshots += 1;
                    fs::remove_dir_all(entry.path()).unwrap();
                }
            }
            if from >= STEPS - 1 {
                break;
            }
        }
    }
    assert!(snapshots > 0);
    println!(
        "{killed} kills and {snapshots} complete snapshots; after {further}, the last step was done but not acknowledged"
    );
}

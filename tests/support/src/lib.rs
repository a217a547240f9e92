//! What the tests of several crates share: how many cases they run, folders, and processes of their own.

use std::{collections::BTreeSet, env, path::Path, process::Command};

use rustix::fs::statvfs;
use tempfile::TempDir;

/// The number of cases of a property that says nothing else. `.cargo/config.toml` sets a smaller one.
const USUAL: u64 = 256;

/// The variable that makes a test run instead of starting a process.
const ALONE: &str = "LOOKALIKE_ALONE";

/// Scales a number of cases. `all` is the number for `make test-all`; `make test`, and cargo without other settings, run an
/// eighth. As for the properties that say nothing else, the variable `PROPTEST_CASES` changes the number: it is 256 for all, and
/// a larger one means more than all.
pub fn cases(all: u32) -> u32 {
    let wanted = env::var("PROPTEST_CASES").ok();
    let wanted: u64 = wanted.and_then(|text| text.parse().ok()).unwrap_or(USUAL);
    u32::try_from(u64::from(all) * wanted / USUAL).map_or(u32::MAX, |scaled| scaled.max(1))
}

/// Returns whether at least all cases run.
pub fn is_full() -> bool {
    cases(USUAL as u32) >= USUAL as u32
}

/// Returns the numbers of the operations that a test disturbs, of `all` operations of a kind: at most about `most` of them, spread
/// evenly, or four if not all cases run.
pub fn spread(all: u64, most: u64) -> Vec<u64> {
    if !is_full() {
        let thirds = (0..4).map(|at| at * all.saturating_sub(1) / 3);
        return BTreeSet::from_iter(thirds.filter(|&nth| nth < all))
            .into_iter()
            .collect();
    }
    let step = all.div_ceil(most).max(1);
    // The first and the last operations are on different kinds of files, so all of these are included.
    (0..all)
        .filter(|nth| nth % step == 0 || *nth < 6 || nth + 6 >= all)
        .collect()
}

/// Returns a folder for a test that syncs thousands of small files, and tests nothing that a disk does. If the system has a
/// folder in memory with enough space, it is there, because syncing files on a disk takes most of the time of such a test.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let free = statvfs(memory).map_or(0, |space| space.f_bavail * space.f_frsize);
    let in_memory = (free > 2 << 30).then(|| TempDir::new_in(memory).ok());
    in_memory
        .flatten()
        .unwrap_or_else(|| TempDir::new().expect("a folder for temporary files"))
}

/// Makes the test that begins with `alone!();` run in a process of its own, because it plans faults, counts operations or is
/// killed, which applies to a whole process. In the first process, the macro returns when the other one has ended.
#[macro_export]
macro_rules! alone {
    () => {
        fn here() {}
        if $crate::ran_alone(std::any::type_name_of_val(&here)) {
            return;
        }
    };
}

/// Runs a test in a process of its own, unless this is that process. Returns whether it ran. `here` is the path of a function in
/// the test function.
///
/// # Panics
/// Panics with the output of the process if the test fails there.
#[doc(hidden)]
pub fn ran_alone(here: &str) -> bool {
    if env::var_os(ALONE).is_some() {
        return false;
    }
    let test = here
        .split_once("::")
        .and_then(|(_, path)| path.rsplit_once("::"));
    let (test, _) = test.expect("the path of a function in a test");
    let program = env::current_exe().expect("the path of this program");
    let mut command = Command::new(program);
    command
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(ALONE, "1");
    let done = command.output().expect("this program can be started again");
    let printed = [done.stdout, done.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    // If the name is wrong, no test runs, and none fails.
    let passed = done.status.success() && printed.contains("1 passed");
    assert!(
        passed,
        "{test}, in a process of its own: {}\n{printed}",
        done.status
    );
    print!("{printed}");
    true
}

//! Tests that the examples run and print the expected output. `cargo test` builds them.

use std::{env, path::PathBuf, process::Command};

/// Returns the output of an example.
fn printed(example: &str) -> String {
    // The paths are target/PROFILE/deps/this-test and target/PROFILE/examples/dedup.
    let mut program: PathBuf = env::current_exe()
        .unwrap()
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples")
        .join(example);
    program.set_extension(env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is not built: run `cargo test` or `cargo build --examples` first",
        program.display()
    );
    let output = Command::new(program).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn dedup() {
    assert_eq!(
        printed("dedup"),
        "keep [0, 1, 3, 4]
  0 kept: it represents 1 dropped duplicate
  1 kept: it has no duplicate
  2 dropped: exact duplicate of 0
  3 kept: it has no duplicate
  4 kept: it is empty
keep [1, 3, 4]
  3 represents [0, 2]
"
    );
}

#[test]
fn compare() {
    let printed = printed("compare");
    assert!(
        printed.starts_with(
            "resemblance of 5-word shingles 0.273\nresemblance of 3-word shingles 0.333\n"
        ),
        "{printed}"
    );
    assert!(
        printed.contains("= to use, copy and modify this software for any purpose, \n"),
        "{printed}"
    );
}

#[test]
fn sketch_and_estimate() {
    let printed = printed("sketch_and_estimate");
    // Of the 1100 sentences, 900 are in both texts. So nearly the same proportion of the shingles is in both: a few shingles at
    // the boundaries between common and other sentences make the difference.
    assert!(
        printed.starts_with("exact                0.81"),
        "{printed}"
    );
    for (line, from, to) in [(1, 0.70, 0.90), (2, 0.75, 0.88)] {
        let estimate: f64 = printed.lines().nth(line).unwrap()[21..26].parse().unwrap();
        assert!((from..to).contains(&estimate), "{printed}");
    }
    assert!(
        printed.contains("seed 1") && printed.contains("seed 2"),
        "{printed}"
    );
}

#[test]
fn index() {
    let printed = printed("index");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..2], ["first: new", "other: new"]);
    assert!(lines[2].starts_with("edited: like first 0."), "{printed}");
    assert!(
        lines[3].starts_with("copy: like first 1.00, edited 0."),
        "{printed}"
    );
}

#[test]
fn custom_pipeline() {
    let printed = printed("custom_pipeline");
    assert!(
        printed.contains("0 and 1 resemble each other by 1.00"),
        "{printed}"
    );
    assert!(
        printed.ends_with("3 templates: [[0, 1], [2, 3], [4]]\n"),
        "{printed}"
    );
}

//! Tests the output of `-v`, the program's version information and the man pages. `-v` must not change any other output.

use std::fs;

use crate::{Place, SMALL};

#[test]
fn log_lines_are_written_to_standard_error_and_change_nothing_else() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let plain = place.run("dedup in.jsonl -o - --decisions why.jsonl --threads 1");
    let decisions = place.read("why.jsonl");
    for command in [
        "dedup in.jsonl -o - --decisions why.jsonl --threads 1 -v",
        "-v dedup in.jsonl -o - --decisions why.jsonl --threads 1",
        "dedup in.jsonl -o - --decisions why.jsonl --threads 1 --verbose --verbose",
    ] {
        let ran = place.run(command);
        assert_eq!(
            (ran.code, &ran.out, place.read("why.jsonl")),
            (0, &plain.out, decisions.clone()),
            "{command}"
        );
        let (logged, rest): (Vec<&str>, Vec<&str>) =
            ran.err.lines().partition(|line| line.starts_with('['));
        let is_timed = |line: &&str| !line.starts_with("  time ");
        let said: Vec<&str> = plain.err.lines().filter(is_timed).collect();
        assert_eq!(
            rest.into_iter().filter(is_timed).collect::<Vec<_>>(),
            said,
            "{command}"
        );
        let words: Vec<&str> = logged
            .iter()
            .map(|line| line.split_once("] ").unwrap().1)
            .collect();
        for part in [
            "inputs: 1, references: 0; ",
            "threads: 1; memory: ",
            "sketching started",
            "sketching: ",
            "documents: 3",
            // Two steps for each of 21 bands.
            "pairing: 42 steps in ",
            "deciding: ",
            "written: why.jsonl",
            "exit code 0",
        ] {
            assert!(
                words.iter().any(|line| line.starts_with(part)),
                "{command}: {part} in {words:#?}"
            );
        }
        assert_eq!(
            words.iter().any(|line| line.starts_with("input in.jsonl")),
            command.contains("--verbose"),
            "{words:#?}"
        );
        let begun = words
            .iter()
            .filter(|line| line.ends_with(" started"))
            .count();
        assert_eq!(
            words.iter().filter(|line| line.contains(" in 0.")).count(),
            begun,
            "each pass that begins ends: {words:#?}"
        );
    }
    assert!(!plain.err.contains("sketching"), "{}", plain.err);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn log_lines_report_full_memory() {
    let place = Place::new();
    let line = |n: u64| {
        let words: Vec<String> = (0..300)
            .map(|word| format!("w{}", (n * 7919 + word * word * 31) % 10007))
            .collect();
        format!("{{\"id\": {n}, \"text\": \"{}\"}}\n", words.join(" "))
    };
    place.write("in.jsonl", (0..20_000).map(line).collect::<String>());
    let ran = place.run("pairs in.jsonl --exact --memory 64M --threads 1 -o /dev/null -v");
    assert!(ran.code < 2, "{}", ran.err);
    assert!(
        ran.err
            .contains("] memory is full; further data goes to temporary files in "),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains(" MB went to temporary files"),
        "{}",
        ran.err
    );
}

#[test]
fn quiet_and_verbose_are_refused_together() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for command in ["dedup in.jsonl -q -v", "-v pairs in.jsonl --quiet"] {
        let ran = place.run(command);
        assert!(
            ran.code == 2 && ran.err.contains("--quiet and --verbose"),
            "{}",
            ran.err
        );
        assert!(ran.out.is_empty());
    }
}

#[test]
fn the_version_is_one_line_or_has_details_for_a_bug_report() {
    let place = Place::new();
    let version = format!("lookalike {}\n", env!("CARGO_PKG_VERSION"));
    for command in ["--version", "-V"] {
        assert_eq!(
            (place.run(command).code, place.run(command).out),
            (0, version.clone())
        );
    }
    for command in ["--version --verbose", "--verbose --version", "-vV", "-Vv"] {
        let ran = place.run(command);
        assert!(
            ran.code == 0 && ran.err.is_empty() && ran.out.starts_with(&version),
            "{command}: {} {}",
            ran.out,
            ran.err
        );
        let names: Vec<&str> = ran
            .out
            .lines()
            .skip(1)
            .map(|line| line.split_once(": ").unwrap().0)
            .collect();
        assert_eq!(
            names,
            ["commit", "target", "built", "features", "kernels"],
            "{command}"
        );
        assert!(
            ran.out.contains(std::env::consts::ARCH) && ran.out.contains(std::env::consts::OS),
            "{}",
            ran.out
        );
        let of = |name: &str| {
            ran.out
                .lines()
                .find_map(|line| line.strip_prefix(&format!("{name}: ")))
                .unwrap()
                .to_string()
        };
        assert_eq!(
            of("features").split(' ').any(|feature| feature == "cloud"),
            cfg!(feature = "full"),
            "{}",
            ran.out
        );
        assert_eq!(
            of("kernels") == "portable",
            cfg!(feature = "portable") || !cfg!(target_arch = "x86_64"),
            "{}",
            ran.out
        );
    }
}

#[test]
fn every_command_has_a_man_page() {
    let place = Place::new();
    fs::create_dir(place.path("man")).unwrap();
    assert_eq!(place.run("man man").code, 0);
    let mut names: Vec<String> = fs::read_dir(place.path("man"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let commands_of = |help: &str| -> Vec<String> {
        let commands = help
            .split("Commands:\n")
            .nth(1)
            .unwrap()
            .split("\n\n")
            .next()
            .unwrap();
        let command = |line: &str| {
            line.strip_prefix("  ")
                .filter(|line| !line.starts_with(' '))
                .map(|line| line.split(' ').next().unwrap().to_string())
        };
        commands
            .lines()
            .filter_map(command)
            .filter(|name| name != "help")
            .collect()
    };
    let mut expected = vec!["lookalike.1".to_string()];
    expected.extend(
        commands_of(&place.run("--help").out)
            .iter()
            .map(|name| format!("lookalike-{name}.1")),
    );
    expected.extend(
        commands_of(&place.run("index --help").out)
            .iter()
            .map(|name| format!("lookalike-index-{name}.1")),
    );
    expected.sort();
    assert_eq!(names, expected);
    let page = place.read("man/lookalike-dedup.1");
    assert!(
        page.contains("\\-\\-threshold") && page.contains("\\-\\-resume"),
        "all flags: {page}"
    );
    let ran = place.run("man nowhere");
    assert!(
        ran.code == 2 && ran.err.contains("nowhere: man pages cannot be written"),
        "{}",
        ran.err
    );
}

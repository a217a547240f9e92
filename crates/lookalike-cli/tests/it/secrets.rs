//! Tests that no message, page or summary shows the secret of a URL, whichever option it was given to.

use std::{collections::BTreeSet, fs};

use crate::{Place, Ran, SMALL};

const SECRET: &str = "hunter2";

/// URLs with the secret in the usual places. In some of them, the secret is not escaped as it should be.
const URLS: [&str; 6] = [
    "https://user:hunter2@127.0.0.1:1/x.jsonl?X-Amz-Signature=hunter2",
    "https://user:pa/hunter2@host.example/x.jsonl",
    "https://user:hunter2/ss@host.example/x.jsonl",
    "s3://bucket/x.jsonl?X-Amz-Signature=hunter2",
    "s3://AKIA:hun/hunter2@bucket/x.jsonl",
    "ftp://user:hunter2@host.example/x.jsonl",
];

/// For each command: a valid command line, the options of the command that take a path, and command lines in which a URL replaces
/// one of the arguments.
const COMMANDS: [(&str, &[&str], &[&str]); 12] = [
    (
        "dedup in.jsonl",
        &[
            "config",
            "output",
            "decisions",
            "resume",
            "against",
            "skip-bad",
            "temp-dir",
            "summary",
            "report",
        ],
        &["dedup URL"],
    ),
    (
        "apply why.jsonl in.jsonl -o kept.jsonl",
        &[
            "config",
            "output",
            "write-decisions",
            "skip-bad",
            "temp-dir",
            "summary",
        ],
        &[
            "apply URL in.jsonl -o kept.jsonl",
            "apply why.jsonl URL -o kept.jsonl",
        ],
    ),
    (
        "pairs in.jsonl",
        &[
            "config", "output", "against", "skip-bad", "temp-dir", "summary", "report",
        ],
        &["pairs URL"],
    ),
    (
        "compare 2 2",
        &["in"],
        &[
            "compare URL in.jsonl",
            "compare in.jsonl URL",
            "compare in.jsonl in.jsonl URL",
            "compare URL URL --in in.jsonl",
        ],
    ),
    (
        "passages in.jsonl",
        &["output", "skip-bad", "temp-dir", "summary", "report"],
        &["passages URL", "passages in.jsonl URL"],
    ),
    (
        "eval in.jsonl --run=",
        &["truth", "skip-bad", "temp-dir", "summary", "report"],
        &["eval URL --sample 2 --run="],
    ),
    (
        "audit ids.txt --texts in.jsonl",
        &[
            "config", "texts", "output", "skip-bad", "temp-dir", "summary",
        ],
        &[
            "audit URL --texts in.jsonl",
            "audit ids.txt --texts URL",
            "audit URL --texts URL",
        ],
    ),
    (
        "sketch in.jsonl -o s.jsonl",
        &["output", "skip-bad", "temp-dir", "summary"],
        &["sketch URL -o s.jsonl"],
    ),
    (
        "curve --hash x+1%5",
        &["matrix", "sketches"],
        &["curve URL", "curve --threshold URL", "curve --bands=URL"],
    ),
    (
        "mirrors in.jsonl in2.jsonl",
        &[
            "config",
            "output",
            "pages",
            "unmatched",
            "skip-bad",
            "temp-dir",
            "summary",
            "report",
        ],
        &["mirrors URL", "mirrors in.jsonl URL", "mirrors URL URL"],
    ),
    (
        "link in.jsonl --config=link.toml",
        &[
            "config", "output", "clusters", "truth", "temp-dir", "summary", "report",
        ],
        &["link URL -c link.toml", "link in.jsonl URL -c link.toml"],
    ),
    (
        "minutiae prints.jsonl",
        &["output", "summary"],
        &["minutiae URL"],
    ),
];

/// Returns the options that take one or several paths, according to the help.
fn options(place: &Place, command: &str) -> BTreeSet<String> {
    let help = place.run(&format!("{command} --help")).out;
    let option = |line: &str| {
        let (_, rest) = line
            .trim_start()
            .strip_prefix('-')?
            .split_once("--")
            .or(line.trim_start().split_once("--"))?;
        let (flag, value) = rest.split_once(" <")?;
        ["FILE>", "FOLDER>", "KEPT>", "INPUT>", "REF>", "PAIRS>"]
            .iter()
            .any(|path| value.starts_with(path))
            .then(|| flag.into())
    };
    help.lines().filter_map(option).collect()
}

#[test]
fn no_secret_of_a_url_is_shown() {
    let place = Place::new();
    place.write("in.jsonl", SMALL).write("in2.jsonl", SMALL).write(
        "link.toml",
        "match = 0.9\npossible = 0.8\n[[field]]\nname = \"text\"\ntype = \"text\"\n[[block]]\nsimilar = \"text\"\n",
    );
    place.write("ids.txt", "2\n");
    place.write("prints.jsonl", "{\"id\": 1, \"minutiae\": [[1, 2, 3]]}\n");
    assert_eq!(place.run("dedup in.jsonl --decisions why.jsonl").code, 0);
    let before = place.names();
    let refused = |asked: &[String], url: &str| {
        let mut command = place.command("");
        // The run has no credentials, and must not request them from the machine's metadata service.
        for name in [
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_PROFILE",
            "AWS_ENDPOINT_URL",
            "HTTPS_PROXY",
            "https_proxy",
        ] {
            command.env_remove(name);
        }
        command
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_REGION", "us-east-1")
            .env("HOME", place.path("home"));
        // This run prints all log lines.
        let ran = Ran::of(command.arg("-vv").args(asked).output().unwrap());
        assert!(
            !ran.out.contains(SECRET) && !ran.err.contains(SECRET),
            "{asked:?}: {} {}",
            ran.out,
            ran.err
        );
        assert_eq!(ran.code, 2, "{asked:?}: {} {}", ran.out, ran.err);
        let scheme = url.split("//").next().unwrap();
        let bad_value =
            ran.err.contains("invalid value") || ran.err.contains("unexpected argument");
        assert!(
            bad_value || ran.err.contains(scheme),
            "{asked:?}: {}",
            ran.err
        );
        assert_eq!(place.names(), before, "{asked:?}");
    };
    std::thread::scope(|scope| {
        for (command, flags, arguments) in COMMANDS {
            let name = command.split(' ').next().unwrap();
            assert_eq!(
                options(&place, name),
                flags.iter().map(ToString::to_string).collect(),
                "{name}"
            );
            for url in URLS {
                let refused = &refused;
                // Most of the time is spent waiting for a server that does not answer.
                scope.spawn(move || {
                    for flag in flags {
                        // If `--config` is the tested option, leave it out of the arguments that the command needs, so that it is
                        // not given twice.
                        let needed =
                            |word: &&str| !(word.starts_with("--config") && *flag == "config");
                        let words = command.split(' ').filter(needed).map(String::from);
                        let words: Vec<String> = match (name, *flag) {
                            ("apply", "output") => {
                                ["apply", "why.jsonl", "in.jsonl"].map(String::from).into()
                            }
                            ("apply", "write-decisions") => {
                                words.chain(["-t".into(), "0.9".into()]).collect()
                            }
                            ("sketch", "output") => ["sketch", "in.jsonl"].map(String::from).into(),
                            ("curve", "sketches") => vec!["curve".into()],
                            ("mirrors", "unmatched" | "pages") => {
                                words.chain(["-o".into(), "sites.jsonl".into()]).collect()
                            }
                            ("eval", "skip-bad" | "temp-dir" | "summary" | "report") => {
                                words.chain(["--sample".into(), "2".into()]).collect()
                            }
                            _ => words.collect(),
                        };
                        refused(
                            &[words, vec![format!("--{flag}"), url.into()]].concat(),
                            url,
                        );
                    }
                    for line in arguments {
                        let words: Vec<String> = line
                            .split(' ')
                            .map(|word| word.replace("URL", url))
                            .collect();
                        refused(&words, url);
                    }
                });
            }
        }
    });
}

/// Folders that a run uses internally, and small files that it reads, must be local.
#[test]
fn state_and_temporary_folders_must_be_local() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for (flag, what) in [("--resume", "folder"), ("--temp-dir", "folder")] {
        let ran = place.run(&format!("dedup in.jsonl {flag} s3://bucket/folder"));
        let reported = format!(
            "error: {flag} s3://bucket/folder: must be a local {what}, not a URL; give a path on this machine"
        );
        assert!(
            ran.code == 2 && ran.err.starts_with(&reported),
            "{}",
            ran.err
        );
    }
    for asked in [
        "link in.jsonl --config",
        "curve --hash x+1%5 --matrix",
        "eval in.jsonl --truth",
    ] {
        let ran = place.run(&format!("{asked} s3://bucket/file"));
        assert!(
            ran.code == 2
                && ran
                    .err
                    .contains("s3://bucket/file: must be a local file, not a URL"),
            "{}",
            ran.err
        );
    }
    assert_eq!(fs::read_dir(place.path("")).unwrap().count(), 1);
}

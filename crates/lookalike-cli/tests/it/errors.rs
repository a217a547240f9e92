//! Tests of bad input and bad flags: the message says what is wrong, where, and what to do. The exit code is 2, and no
//! half-written file has its final name.

use std::io::Write;

use crate::{Place, SMALL, testdata};

/// Runs a command, and expects it to fail with all these parts in the message and without a new file.
pub(crate) fn refused(place: &Place, arguments: &str, parts: &[&str]) {
    let before = place.names();
    let ran = place.run(arguments);
    assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
    for part in parts {
        assert!(
            ran.err.contains(part),
            "{arguments}: no {part:?} in {}",
            ran.err
        );
    }
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    assert_eq!(
        (ran.out.as_str(), place.names()),
        ("", before),
        "{arguments}"
    );
}

#[test]
fn bad_line_errors_name_file_line_field_and_remedy() {
    let good = "{\"id\":1,\"text\":\"a b c\"}\n";
    let table: &[(&[u8], &[&str])] = &[
        (
            b"hello\n",
            &["in.jsonl:2: not JSON", "byte 1", "one whole JSON object"],
        ),
        (b"{\"id\":2,\"text\":\"cut\n", &["in.jsonl:2: not JSON"]),
        (b"[\"id\", 2]\n", &["in.jsonl:2: not a JSON object"]),
        (b"null\n", &["in.jsonl:2: not a JSON object"]),
        (
            b"{\"id\":2,\"body\":\"x\",\"title\":\"y\"}\n",
            &[
                "in.jsonl:2: no field \"text\"",
                "\"id\", \"body\", \"title\"",
                "--text-field",
            ],
        ),
        (
            b"{\"id\":2,\"text\":17}\n",
            &["in.jsonl:2: field \"text\" is a number", "--text-field"],
        ),
        (
            b"{\"id\":2,\"text\":null}\n",
            &["in.jsonl:2: field \"text\" is null"],
        ),
        (
            b"{\"id\":null,\"text\":\"x\"}\n",
            &["in.jsonl:2: field \"id\" is null", "--id-field"],
        ),
        (
            b"{\"id\":{\"a\":1},\"text\":\"x\"}\n",
            &["in.jsonl:2: field \"id\" is an object"],
        ),
        (
            b"{\"id\":true,\"text\":\"x\"}\n",
            &["in.jsonl:2: field \"id\" is true or false"],
        ),
        (
            b"{\"id\":2,\"text\":\"\xff\xfe\"}\n",
            &["in.jsonl:2: invalid UTF-8 at byte 17", "iconv"],
        ),
        (
            br#"{"id":2,"text":"cut \ud83d"}"#,
            &[
                "in.jsonl:2: half of a character",
                "lone surrogate",
                "byte 27",
            ],
        ),
        (
            br#"{"id":2,"text":"cut \ud83d\u0041"}"#,
            &["in.jsonl:2: half of a character", "lone surrogate"],
        ),
        (
            b"{\"id\":1,\"text\":\"x\"}\n",
            &[
                "in.jsonl:2: id 1 was already used at in.jsonl:1",
                "--allow-repeated-ids",
            ],
        ),
    ];
    for (line, parts) in table {
        let place = Place::new();
        place.write(
            "in.jsonl",
            [good.as_bytes(), line, b"\n", b"{\"id\":9,\"text\":\"z\"}\n"].concat(),
        );
        refused(
            &place,
            "dedup in.jsonl -o kept.jsonl --decisions why.jsonl",
            parts,
        );
    }
}

#[test]
fn bad_lines_can_be_skipped_and_none_is_lost() {
    let place = Place::new();
    let bad = [
        &b"hello\n"[..],
        b"{\"id\":5}\n",
        b"{\"id\":7,\"text\":\"\xff\"}\n",
        b"[]\n",
    ];
    let mut input = SMALL.as_bytes().to_vec();
    for (line, good) in bad.iter().zip(0..) {
        input.extend_from_slice(line);
        input.extend_from_slice(
            format!("{{\"id\":\"g{good}\",\"text\":\"good {good}\"}}\n").as_bytes(),
        );
    }
    place.write("in.jsonl", &input);
    let ran = place.run("dedup in.jsonl -o kept.jsonl --decisions why.jsonl --skip-bad bad.txt");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(std::fs::read(place.path("bad.txt")).unwrap(), bad.concat());
    assert!(
        ran.err.contains("4 lines skipped, written to bad.txt")
            && ran.err.contains("in.jsonl:6: no field"),
        "{}",
        ran.err
    );
    assert_eq!(
        (
            place.read("why.jsonl").lines().count(),
            place.read("kept.jsonl").lines().count()
        ),
        (7, 6)
    );
    assert!(
        place
            .read("why.jsonl")
            .contains("\"id\":\"in.jsonl:3\",\"verdict\":\"dropped\"")
    );
}

#[test]
fn repeated_ids_pass_on_request() {
    let place = Place::new();
    place
        .write(
            "in.jsonl",
            "{\"id\":\"é\",\"text\":\"a\"}\n{\"id\":\"\\u00e9\",\"text\":\"b\"}\n",
        )
        .write(
            "two.jsonl",
            "{\"id\":1,\"text\":\"a\"}\n{\"id\":\"1\",\"text\":\"b\"}\n",
        );
    refused(
        &place,
        "dedup in.jsonl",
        &["in.jsonl:2: id \"\\u00e9\" was already used at in.jsonl:1"],
    );
    assert_eq!(place.run("dedup in.jsonl --allow-repeated-ids").code, 0);
    assert_eq!(
        place.run("dedup two.jsonl").code,
        0,
        "a number and a string are two ids"
    );
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_line_of_200_megabytes() {
    let place = Place::new();
    let long = "x1 ".repeat(70_000_000);
    place
        .write(
            "bad.jsonl",
            format!("{{\"id\":1,\"text\":\"a\"}}\n{long}\n"),
        )
        .write(
            "good.jsonl",
            format!("{{\"id\":1,\"text\":\"{long}\"}}\n{{\"id\":2,\"text\":\"b\"}}\n"),
        );
    refused(
        &place,
        "dedup bad.jsonl -o kept.jsonl",
        &["bad.jsonl:2: not JSON"],
    );
    assert!(place.run("dedup bad.jsonl").err.len() < 300);
    let ran = place.run("dedup good.jsonl -o kept.jsonl");
    assert!(
        ran.code == 0 && ran.err.contains("2 documents in = 2 kept"),
        "{}",
        ran.err
    );
}

#[test]
fn nothing_to_read() {
    let place = Place::new();
    place.write("notes", "x");
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("folder/picture.png", "x");
    refused(
        &place,
        "dedup missing.jsonl -o kept.jsonl",
        &["missing.jsonl: no such file"],
    );
    refused(
        &place,
        "dedup *.nothing -o kept.jsonl",
        &["*.nothing: no file matches"],
    );
    refused(&place, "dedup folder -o kept.jsonl", &["folder: no .jsonl"]);
    refused(&place, "dedup notes ./notes", &["./notes: given twice"]);
    refused(&place, "dedup notes", &["notes:1: not JSON"]);
    refused(&place, "dedup", &["no input; name a file"]);
}

#[test]
fn damaged_and_foreign_files() {
    let place = Place::new();
    let whole = std::fs::read(testdata("licenses.jsonl.zst")).unwrap();
    place
        .write("cut.jsonl.zst", &whole[..whole.len() / 2])
        .write("in.jsonl", SMALL);
    refused(
        &place,
        "dedup cut.jsonl.zst -o kept.jsonl",
        &[
            "cut.jsonl.zst: the compressed data ends in the middle",
            "truncated",
        ],
    );
    assert_eq!(place.run("dedup in.jsonl -o whole.jsonl.gz -q").code, 0);
    let packed = std::fs::read(place.path("whole.jsonl.gz")).unwrap();
    place.write("cut.jsonl.gz", &packed[..packed.len() - 9]);
    refused(
        &place,
        "dedup cut.jsonl.gz -o kept.jsonl",
        &[
            "cut.jsonl.gz: the compressed data ends in the middle",
            "truncated",
        ],
    );
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8].fill(0xaa);
    place
        .write("damaged.jsonl.gz", damaged)
        .write("fake.jsonl.gz", SMALL)
        .write("fake.jsonl.xz", SMALL)
        .write("a.parquet", "PAR1....");
    refused(
        &place,
        "dedup damaged.jsonl.gz",
        &["damaged.jsonl.gz: the compressed data is damaged"],
    );
    refused(
        &place,
        "dedup fake.jsonl.gz",
        &["fake.jsonl.gz: named .gz but contains no gzip data"],
    );
    refused(
        &place,
        "dedup fake.jsonl.xz",
        &["fake.jsonl.xz: named .xz but contains no xz data"],
    );
    refused(
        &place,
        "dedup a.parquet",
        &["a.parquet: begins like a Parquet file, but has no footer"],
    );
}

#[test]
fn invalid_outputs() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    std::fs::create_dir(place.path("folder")).unwrap();
    std::os::unix::fs::symlink(place.path("in.jsonl"), place.path("link.jsonl")).unwrap();
    refused(
        &place,
        "dedup in.jsonl -o nowhere/kept.jsonl",
        &[
            "nowhere/kept.jsonl: cannot be written",
            "folder does not exist",
        ],
    );
    refused(
        &place,
        "pairs in.jsonl -o folder",
        &["folder: cannot be written", "give the name of a file"],
    );
    refused(
        &place,
        "dedup in.jsonl -o in.jsonl",
        &["in.jsonl: would overwrite the input in.jsonl"],
    );
    refused(
        &place,
        "dedup in.jsonl -o ./folder/../in.jsonl",
        &["would overwrite the input"],
    );
    refused(
        &place,
        "dedup in.jsonl --decisions link.jsonl",
        &["link.jsonl: would overwrite the input"],
    );
    refused(
        &place,
        "dedup in.jsonl --skip-bad in.jsonl",
        &["would overwrite the input"],
    );
    refused(
        &place,
        "dedup in.jsonl -o x --decisions x",
        &["x: would overwrite the output x"],
    );
    refused(
        &place,
        "pairs in.jsonl -o in.jsonl",
        &["would overwrite the input"],
    );
    refused(
        &place,
        "dedup in.jsonl -o /dev/full",
        &["/dev/full: cannot be written: no space left"],
    );
    refused(
        &place,
        "dedup in.jsonl --decisions /dev/full -o kept.jsonl",
        &["/dev/full", "no space left"],
    );
    assert_eq!(place.read("in.jsonl"), SMALL);
}

#[test]
fn standard_streams_that_cannot_be_written() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    for arguments in [
        "dedup in.jsonl --json",
        "dedup in.jsonl -o -",
        "pairs in.jsonl",
        "curve",
        "compare in.jsonl in.jsonl --json",
        "completions bash",
        "--help",
        "dedup -h",
        "--version",
    ] {
        let ran = crate::Ran::of(place.command(arguments).stdout(full()).output().unwrap());
        assert!(
            ran.code == 2 && ran.err.contains("cannot be written"),
            "{arguments}: {} {}",
            ran.code,
            ran.err
        );
    }
    // A failed write to standard error cannot be reported; the exit code still reports how the run itself ended.
    let code = |arguments: &str| {
        place
            .command(arguments)
            .stderr(full())
            .status()
            .unwrap()
            .code()
    };
    assert_eq!(
        (
            code("dedup in.jsonl -o kept.jsonl"),
            code("dedup nowhere.jsonl")
        ),
        (Some(0), Some(2))
    );
}

#[test]
fn long_values_are_quoted_shortened() {
    let place = Place::new();
    place.write("in.jsonl", SMALL).write(
        "link.toml",
        "[[field]]\nname = \"text\"\ntype = \"text\"\n[[block]]\nequal = \"text\"\n",
    );
    place.write("rows.txt", "1 0\n");
    let long = "é".repeat(50_000);
    let cut = format!("{}…", "é".repeat(90));
    for asked in [
        "dedup in.jsonl --text-field LONG --id-field LONG",
        "dedup in.jsonl --threshold LONG",
        "dedup in.jsonl --method LONG",
        "dedup in.jsonl LONG",
        "dedup in.jsonl -o LONG",
        "dedup in.jsonl -o LONG/kept.jsonl",
        "dedup in.jsonl --temp-dir LONG",
        "dedup in.jsonl --resume LONG",
        "dedup in.jsonl --keep max:LONG --text-field LONG",
        "dedup in.jsonl --LONG",
        "dedup in.jsonl --json=LONG",
        "LONG",
        "compare in.jsonl LONG",
        "compare in.jsonl in.jsonl LONG",
        "curve --hash LONG --matrix rows.txt",
        "curve --permutation LONG --matrix rows.txt",
        "curve --bands LONG",
        "eval in.jsonl --labels LONG",
        "eval in.jsonl --labels LONG --text-field LONG",
        "eval in.jsonl --sample 2 --run=--LONG",
        "link in.jsonl -c link.toml --label LONG",
        "link in.jsonl -c link.toml --right-by LONG",
        "link in.jsonl -c LONG",
        "mirrors in.jsonl --by field:LONG",
        "mirrors in.jsonl --by field:LONG --text-field LONG",
        "minutiae in.jsonl --columns LONG",
        "minutiae in.jsonl --minutiae-field LONG",
    ] {
        let ran = place.run(&asked.replace("LONG", &long));
        let length = ran.err.chars().count();
        assert!(
            ran.code == 2 && ran.err.contains(&cut) && length < 1000,
            "{asked}: {} {length} {:.3000}",
            ran.code,
            ran.err
        );
    }
    assert_eq!(place.names(), ["in.jsonl", "link.toml", "rows.txt"]);
}

#[test]
fn errors_for_invalid_numbers_say_which_are_accepted() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for (asked, words) in [
        (
            "pairs in.jsonl --nearest 0",
            "invalid value '0' for '--nearest <K>': give a whole number of 1 or more",
        ),
        (
            "pairs in.jsonl --nearest x",
            "invalid value 'x' for '--nearest <K>': give a whole number in digits, such as 1000",
        ),
        (
            "curve --sample-size --documents 1e9",
            "'--documents <N>': give a whole number in digits, such as 1000",
        ),
        (
            "curve --sample-size --documents 0",
            "'--documents <N>': give a whole number of 1 or more",
        ),
        (
            "eval in.jsonl --sample 2 --repeat 0",
            "'--repeat <R>': give a whole number from 1 to 1000",
        ),
        (
            "dedup in.jsonl --threads 99999999999999999999",
            "too large; give a smaller number",
        ),
        (
            "dedup in.jsonl --threshold high",
            "'--threshold <T>': give a number, such as 0.8",
        ),
        (
            "eval in.jsonl --sample 2 --run=--bands=x",
            "'--bands <B>': give a whole number in digits, such as 1000",
        ),
    ] {
        refused(&place, asked, &[words]);
    }
}

/// With a shell's `>>`, `/dev/stdout` is an open file that already has content. The output is appended to this file; earlier
/// versions wrote a new file and renamed it over this one.
#[test]
fn an_open_descriptor_is_appended_to() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for out in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"] {
        place.write("all.txt", "header\n");
        let all = std::fs::OpenOptions::new()
            .append(true)
            .open(place.path("all.txt"))
            .unwrap();
        assert!(
            place
                .command(&format!("dedup in.jsonl -q -o {out}"))
                .stdout(all)
                .status()
                .unwrap()
                .success()
        );
        let all = place.read("all.txt");
        assert!(
            all.starts_with("header\n{") && all.lines().count() == 3,
            "{out}: {all}"
        );
    }
}

#[test]
fn links_and_permissions_of_outputs_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.write("in.jsonl", SMALL).write("private.jsonl", "old");
    std::fs::create_dir(place.path("there")).unwrap();
    symlink("there/new.jsonl", place.path("dangling.jsonl")).unwrap();
    symlink("private.jsonl", place.path("link.jsonl")).unwrap();
    std::fs::set_permissions(
        place.path("private.jsonl"),
        std::fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    assert_eq!(
        place
            .run("dedup in.jsonl -o dangling.jsonl --decisions link.jsonl")
            .code,
        0
    );
    assert_eq!(place.read("there/new.jsonl").lines().count(), 2);
    assert_eq!(place.read("private.jsonl").lines().count(), 3);
    assert_eq!(
        place
            .path("private.jsonl")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
    assert!(place.path("link.jsonl").is_symlink() && place.path("dangling.jsonl").is_symlink());
    std::fs::set_permissions(
        place.path("private.jsonl"),
        std::fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    refused(
        &place,
        "dedup in.jsonl -o private.jsonl",
        &["private.jsonl: cannot be written: permission denied"],
    );
}

#[test]
fn redirections_over_an_input_are_detected() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let input = std::fs::File::open(place.path("in.jsonl")).unwrap();
    let ran = crate::Ran::of(
        place
            .command("dedup - -o in.jsonl")
            .stdin(input)
            .output()
            .unwrap(),
    );
    assert!(
        ran.code == 2 && ran.err.contains("would overwrite the input stdin"),
        "{}",
        ran.err
    );
    let append = std::fs::OpenOptions::new()
        .append(true)
        .open(place.path("in.jsonl"))
        .unwrap();
    let ran = crate::Ran::of(
        place
            .command("dedup in.jsonl -o -")
            .stdout(append)
            .output()
            .unwrap(),
    );
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("standard output: would overwrite the input in.jsonl"),
        "{}",
        ran.err
    );
    assert_eq!(place.read("in.jsonl"), SMALL);
    refused(
        &place,
        "dedup in.jsonl -o - --decisions -",
        &["standard output: would overwrite the output standard output"],
    );
}

/// A run that is killed at any moment leaves no files, because its files have no names until they are complete.
#[test]
fn a_killed_run_leaves_nothing() {
    let place = Place::new();
    let input = testdata("licenses.jsonl.zst");
    for wait in [5, 20, 50, 90] {
        let mut child = place
            .command(&format!(
                "dedup {input} -o kept.jsonl --decisions why.jsonl -q --threads 1"
            ))
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = place.names();
        assert!(
            left.iter().all(|name| !name.contains("unfinished")),
            "{left:?}"
        );
        if let Some(name) = left.iter().find(|name| *name == "kept.jsonl") {
            assert_eq!(place.read(name).lines().count(), 2222);
            std::fs::remove_file(place.path(name)).unwrap();
        }
    }
}

/// An input that is rewritten while a pass reads it is refused: the kept lines would be neither the old nor the new ones.
#[test]
fn an_input_that_changes_during_the_run_is_refused() {
    use std::io::Read;
    let place = Place::new();
    // Write 30 blocks of a mebibyte, which is more than a run buffers while it waits for the reader.
    let padding = "0123456789".repeat(100);
    let line = |i: u32, letter: char| {
        format!("{{\"id\":{i},\"text\":\"{letter}{i}\",\"more\":\"{padding}\"}}\n")
    };
    let lines = |letter: char| (0..30_000).map(|i| line(i, letter)).collect::<String>();
    place.write("in.jsonl", lines('a'));
    assert!(
        std::process::Command::new("mkfifo")
            .arg(place.path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let child = place
        .command("dedup in.jsonl -o pipe -q")
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = std::fs::File::open(place.path("pipe")).unwrap();
    pipe.read_exact(&mut [0; 1000]).unwrap();
    place.write("in.jsonl", lines('b'));
    std::io::copy(&mut pipe, &mut std::io::sink()).unwrap();
    let ran = crate::Ran::of(child.wait_with_output().unwrap());
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("in.jsonl: changed while it was being read"),
        "{} {}",
        ran.code,
        ran.err
    );
}

/// Earlier versions renamed the outputs one after another: if the last one failed, the others remained.
#[test]
fn no_output_is_renamed_before_all_are_complete() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    refused(
        &place,
        "dedup in.jsonl -o /dev/full --decisions why.jsonl --skip-bad bad.txt",
        &["/dev/full", "no space left"],
    );
    refused(
        &place,
        "dedup in.jsonl -o kept.jsonl --decisions /dev/full --skip-bad bad.txt",
        &["/dev/full", "no space left"],
    );
    refused(
        &place,
        "pairs in.jsonl -o new/",
        &["new/: cannot be written", "give the name of a file"],
    );
}

#[test]
fn a_dry_run_counts_bad_lines_but_writes_none() {
    let place = Place::new();
    place.write("in.jsonl", format!("{SMALL}oops\n"));
    let ran = place.run("dedup in.jsonl --dry-run --skip-bad bad.txt -o kept.jsonl");
    assert!(
        ran.code == 0
            && ran
                .err
                .contains("1 line skipped, would be written to bad.txt"),
        "{}",
        ran.err
    );
    assert_eq!(place.names(), ["in.jsonl"]);
}

#[test]
fn a_failed_run_leaves_the_old_output_unchanged() {
    let place = Place::new();
    place
        .write("in.jsonl", format!("{SMALL}oops\n"))
        .write("kept.jsonl", "old\n");
    refused(&place, "dedup in.jsonl -o kept.jsonl", &["in.jsonl:4"]);
    assert_eq!(place.read("kept.jsonl"), "old\n");
}

#[test]
fn no_space_for_temporary_files() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let mut child = place
        .command("dedup - --temp-dir nowhere")
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    let ran = crate::Ran::of(child.wait_with_output().unwrap());
    assert!(
        ran.code == 2
            && ran.err.contains("temporary files in nowhere")
            && ran.err.contains("--temp-dir"),
        "{}",
        ran.err
    );
    // The folder is checked at the start, even though the first temporary file may be needed only hours later.
    refused(
        &place,
        "dedup in.jsonl -o kept.jsonl --temp-dir nowhere",
        &["temporary files in nowhere", "--temp-dir"],
    );
}

/// A small separate file system, mounted until this value is dropped.
struct Mounted(std::path::PathBuf);

impl Mounted {
    /// Mounts the file system; returns `None` if this user may not mount.
    fn new(folder: std::path::PathBuf, options: &str) -> Option<Self> {
        std::fs::create_dir(&folder).unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(&folder)
            .output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(folder));
        }
        // Write directly to standard error: the test runner hides what a passing test prints.
        drop(writeln!(
            std::io::stderr(),
            "skipped: a file system cannot be mounted here"
        ));
        None
    }

    fn names(&self) -> Vec<std::ffi::OsString> {
        std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(
            std::process::Command::new("umount")
                .arg("--lazy")
                .arg(&self.0)
                .status(),
        );
    }
}

/// Returns lines that no compressor makes much smaller.
fn noise(lines: u64) -> String {
    let mut state = 1u64;
    let mut word = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        format!("{:08x}", state >> 32)
    };
    (0..lines)
        .map(|id| {
            format!(
                "{{\"id\":{id},\"text\":\"{}\"}}\n",
                (0..120).map(|_| word() + " ").collect::<String>()
            )
        })
        .collect()
}

/// Runs a command with this input on its standard input.
fn fed(place: &Place, arguments: &str, input: &str) -> crate::Ran {
    use std::process::Stdio;
    let mut child = place
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The run may end before it has read everything.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    crate::Ran::of(child.wait_with_output().unwrap())
}

/// Tests a disk that is really full, for outputs of all kinds and for temporary files. The disk has room for a few bytes of each
/// output.
#[test]
fn a_full_disk() {
    let place = Place::new();
    let input = noise(6000);
    place.write("in.jsonl", &input);
    let Some(disk) = Mounted::new(place.path("disk"), "size=512k") else {
        return;
    };
    for name in ["kept.jsonl", "kept.jsonl.gz", "kept.jsonl.zst"] {
        refused(
            &place,
            &format!("dedup in.jsonl -o disk/{name}"),
            &["disk/kept", "cannot be written: no space left", "elsewhere"],
        );
        assert!(disk.names().is_empty(), "{name}: left {:?}", disk.names());
    }
    // If the disk of one output is full, no output gets its final name, not even an output on a disk with room, and an existing
    // file does not change.
    place.write("kept.jsonl", "old\n");
    refused(
        &place,
        "dedup in.jsonl -o kept.jsonl --decisions disk/why.jsonl --skip-bad bad.txt",
        &["disk/why.jsonl", "no space"],
    );
    assert_eq!(place.read("kept.jsonl"), "old\n");
    let ran = fed(&place, "dedup - -o other.jsonl --temp-dir disk", &input);
    assert!(
        ran.code == 2 && ran.err.contains("temporary files in disk: no space left"),
        "{} {}",
        ran.code,
        ran.err
    );
    assert!(
        ran.err.contains("--temp-dir") && !ran.err.contains("damaged"),
        "{}",
        ran.err
    );
    assert_eq!(
        (place.names(), disk.names().len()),
        (
            vec!["disk".into(), "in.jsonl".into(), "kept.jsonl".into()],
            0
        )
    );
    assert_eq!(place.read("in.jsonl"), input);
}

#[test]
fn folders_that_cannot_be_written() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let ran = fed(&place, "dedup - -o kept.jsonl --temp-dir in.jsonl", SMALL);
    assert!(
        ran.code == 2
            && ran.err.contains("temporary files in in.jsonl")
            && ran.err.contains("--temp-dir"),
        "{}",
        ran.err
    );
    let Some(_disk) = Mounted::new(place.path("disk"), "ro") else {
        return;
    };
    refused(
        &place,
        "dedup in.jsonl -o disk/kept.jsonl",
        &["disk/kept.jsonl: cannot be written: the file system is read-only"],
    );
    let ran = fed(&place, "dedup - -o kept.jsonl --temp-dir disk", SMALL);
    assert!(
        ran.code == 2 && ran.err.contains("temporary files in disk: "),
        "{} {}",
        ran.code,
        ran.err
    );
    assert!(
        ran.err.contains("choose another folder with --temp-dir"),
        "{}",
        ran.err
    );
    assert_eq!(place.names(), ["disk", "in.jsonl"]);
}

#[test]
fn invalid_flags() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for t in ["0", "1.5", "nan", "-1", "inf"] {
        refused(
            &place,
            &format!("dedup in.jsonl --threshold {t}"),
            &["threshold", "above 0 and at most 1"],
        );
        refused(
            &place,
            &format!("curve --threshold {t}"),
            &["threshold", "above 0 and at most 1"],
        );
    }
    refused(&place, "dedup in.jsonl --threshold high", &["--threshold"]);
    refused(
        &place,
        "dedup in.jsonl --recall 1",
        &["recall must be above 0 and below 1, got 1"],
    );
    refused(
        &place,
        "dedup in.jsonl --bands 9 --rows 13",
        &[
            "9 bands of 13 rows find 0.3988",
            "82 bands of 13 rows",
            "lower the recall to 0.39",
        ],
    );
    refused(
        &place,
        "dedup in.jsonl --bands 20",
        &["bands and rows must be given together"],
    );
    refused(
        &place,
        "dedup in.jsonl --bands 0 --rows 1",
        &["got 0 bands of 1 rows"],
    );
    refused(
        &place,
        "dedup in.jsonl --shingle 0",
        &["a shingle must have from 1 to 64 tokens, got 0"],
    );
    refused(
        &place,
        "dedup in.jsonl --keep best",
        &["\"best\" is not a keep order"],
    );
    refused(&place, "dedup in.jsonl --keep newest", &["newest:FIELD"]);
    refused(
        &place,
        "dedup in.jsonl --keep max:score",
        &["in.jsonl:1: field \"score\" is missing", "--keep max:score"],
    );
    refused(
        &place,
        "dedup in.jsonl --text-field id --id-field id",
        &["cannot be both"],
    );
    refused(&place, "curve --at 2", &["--at 2"]);
    refused(
        &place,
        "dedup in.jsonl --threads 100000",
        &["100000 threads", "at most 512"],
    );
    refused(
        &place,
        "dedup in.jsonl --dry-run -o nowhere/kept.jsonl",
        &["nowhere/kept.jsonl: cannot be written"],
    );
    refused(
        &place,
        "dedup in.jsonl --dry-run -o in.jsonl",
        &["would overwrite the input"],
    );
    refused(
        &place,
        "compare in.jsonl in.jsonl -t -0.5",
        &["threshold must be above 0 and at most 1, got -0.5"],
    );
    refused(
        &place,
        "compare nowhere.txt in.jsonl",
        &["nowhere.txt: no such file", "--in"],
    );
    refused(
        &place,
        "compare - -",
        &["standard input can be only one of the two texts"],
    );
    refused(
        &place,
        "compare first 3 --in in.jsonl",
        &["no document has the id \"3\""],
    );
}

//! Tests of inputs that are the output of a command.

use crate::{Place, Ran, SMALL, testdata};

fn run(place: &Place, arguments: &str, lines: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    lines
        .iter()
        .for_each(|line| _ = command.args(["--input-command", line]));
    Ran::of(command.output().unwrap())
}

#[test]
fn the_output_of_a_command_is_read_like_a_file() {
    let place = Place::new();
    let input = testdata("licenses.jsonl.zst");
    let lines = |i: u32| {
        format!(
            "{{\"id\":{i},\"text\":\"{}\"}}\n",
            "one of many words ".repeat(1 + i as usize % 7)
        )
    };
    place.write("plain.jsonl", (0..9000).map(lines).collect::<String>());
    for (file, line, threads) in [
        (&*input, &*format!("cat {input}"), 2),
        ("plain.jsonl", "cat plain.jsonl", 1),
        ("plain.jsonl", "gzip -1 < plain.jsonl", 3),
    ] {
        assert_eq!(place.run(&format!("dedup {file} -o kept.jsonl")).code, 0);
        let ran = run(
            &place,
            &format!("dedup -o again.jsonl --threads {threads}"),
            &[line],
        );
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(
            place.read("again.jsonl") == place.read("kept.jsonl"),
            "{line}"
        );
        assert!(
            place.read("again.decisions.jsonl") == place.read("kept.decisions.jsonl"),
            "{line}"
        );
    }
}

#[test]
fn commands_come_after_files_and_are_numbered() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let lines = [r#"echo '{"text":"one"}'"#, r#"echo; echo '{"text":"two"}'"#];
    let ran = run(&place, "dedup in.jsonl -o - --decisions why.jsonl", &lines);
    assert!(
        ran.code == 0
            && ran
                .out
                .ends_with("{\"text\":\"one\"}\n{\"text\":\"two\"}\n"),
        "{} {}",
        ran.out,
        ran.err
    );
    let why = place.read("why.jsonl");
    assert!(
        why.contains(r#""in.jsonl:3""#)
            && why.contains(r#""command:1:1""#)
            && why.contains(r#""command:2:2""#),
        "{why}"
    );
    let ran = run(&place, "dedup", &["echo oops"]);
    assert!(
        ran.code == 2 && ran.err.contains("command:1:1: not JSON"),
        "{}",
        ran.err
    );
    let ran = run(&place, "dedup", &["true"]);
    assert!(
        ran.code == 0 && ran.err.contains("0 documents in"),
        "{}",
        ran.err
    );
    let ran = run(&place, "dedup", &["echo 1", "echo 1"]);
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("command:2: given twice (first as command:1)"),
        "{}",
        ran.err
    );
}

#[test]
fn a_failed_command_is_reported_with_its_status_and_messages() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for (line, program, status) in [
        (
            "cat in.jsonl; echo its words >&2; exit 3",
            "cat",
            "exit status: 3",
        ),
        (
            "cat in.jsonl | gzip; echo its words >&2; exit 3",
            "cat",
            "exit status: 3",
        ),
        ("echo its words >&2; exit 1", "echo", "exit status: 1"),
        ("echo its words >&2; kill -9 $$", "echo", "signal: 9"),
    ] {
        let ran = run(&place, "dedup -o kept.jsonl", &[line]);
        assert!(
            ran.code == 2 && ran.err.contains("its words"),
            "{} {}",
            ran.code,
            ran.err
        );
        assert!(
            ran.err
                .contains(&format!("command:1 ({program} …): ended with {status}")),
            "{}",
            ran.err
        );
    }
    let ran = run(&place, "dedup -o kept.jsonl", &["no-such-program"]);
    assert!(
        ran.code == 2 && ran.err.contains("exit status: 127"),
        "{}",
        ran.err
    );
    assert_eq!(place.names(), ["in.jsonl"]);
}

#[test]
fn a_command_with_different_output_in_the_next_pass_is_refused() {
    let place = Place::new();
    place
        .write("a.jsonl", SMALL)
        .write("b.jsonl", SMALL.replace("fox", "box"))
        .write("c.jsonl", format!("{SMALL}{{}}\n"));
    place.write("d.jsonl", "");
    for other in ["b", "c", "d"] {
        let line = format!("cat a.jsonl; mv {other}.jsonl a.jsonl; true");
        let ran = run(&place, "dedup -o kept.jsonl", &[&line]);
        let reported = "command:1 (cat …): printed different data when it was run again";
        assert!(
            ran.code == 2 && ran.err.contains(reported),
            "{} {}",
            ran.code,
            ran.err
        );
        place.write("a.jsonl", SMALL);
    }
}

#[test]
fn a_command_with_more_output_than_needed_is_stopped() {
    let place = Place::new();
    let line = r#"yes '{"text":"yes"}' | head -n 1000"#;
    let ran = run(&place, "dedup -o kept.jsonl", &[line]);
    assert!(
        ran.code == 0 && place.read("kept.jsonl").lines().count() == 1,
        "{}",
        ran.err
    );
    let ran = run(
        &place,
        "dedup -o kept.jsonl",
        &[r#"echo '{"text":"a"}'; kill -13 $$"#],
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    // This command prints an invalid line, and then prints valid lines without end.
    let ran = run(
        &place,
        "dedup -o kept.jsonl",
        &["echo $$ > pid; echo oops; exec yes '{\"text\":\"yes\"}'"],
    );
    assert!(
        ran.code == 2 && ran.err.contains("command:1:1: not JSON"),
        "{}",
        ran.err
    );
    let process = format!("/proc/{}", place.read("pid").trim());
    assert!(!std::path::Path::new(&process).exists());
}

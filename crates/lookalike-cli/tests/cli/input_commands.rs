//! Inputs that are what a command prints.

use crate::{Place, Ran, SMALL, testdata};

fn run(place: &Place, arguments: &str, lines: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    lines.iter().for_each(|line| _ = command.args(["--input-command", line]));
    Ran::of(command.output().unwrap())
}

#[test]
fn what_a_command_prints_is_as_good_as_a_file() {
    let place = Place::new();
    let input = testdata("licenses.jsonl.zst");
    let lines = |i: u32| format!("{{\"id\":{i},\"text\":\"{}\"}}\n", "one of many words ".repeat(1 + i as usize % 7));
    place.write("plain.jsonl", (0..9000).map(lines).collect::<String>());
    for (file, line, threads) in [
        (&*input, &*format!("cat {input}"), 2),
        ("plain.jsonl", "cat plain.jsonl", 1),
        ("plain.jsonl", "gzip -1 < plain.jsonl", 3),
    ] {
        assert_eq!(place.run(&format!("dedup {file} -o kept.jsonl")).code, 0);
        let ran = run(&place, &format!("dedup -o again.jsonl --threads {threads}"), &[line]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(place.read("again.jsonl") == place.read("kept.jsonl"), "{line}");
        assert!(place.read("again.decisions.jsonl") == place.read("kept.decisions.jsonl"), "{line}");
    }
}

#[test]
fn commands_come_behind_files_and_have_numbers() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let lines = [r#"echo '{"text":"one"}'"#, r#"echo; echo '{"text":"two"}'"#];
    let ran = run(&place, "dedup in.jsonl -o - --decisions why.jsonl", &lines);
    assert!(ran.code == 0 && ran.out.ends_with("{\"text\":\"one\"}\n{\"text\":\"two\"}\n"), "{} {}", ran.out, ran.err);
    let why = place.read("why.jsonl");
    assert!(why.contains(r#""in.jsonl:3""#) && why.contains(r#""command:1:1""#) && why.contains(r#""command:2:2""#), "{why}");
    let ran = run(&place, "dedup", &["echo oops"]);
    assert!(ran.code == 2 && ran.err.contains("command:1:1: not JSON"), "{}", ran.err);
    let ran = run(&place, "dedup", &["true"]);
    assert!(ran.code == 0 && ran.err.contains("0 documents in"), "{}", ran.err);
    let ran = run(&place, "dedup", &["echo 1", "echo 1"]);
    assert!(ran.code == 2 && ran.err.contains("command:2: given twice (first as command:1)"), "{}", ran.err);
}

#[test]
fn a_command_that_fails_is_told_with_its_status_and_its_words() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    for (line, program, status) in [
        ("cat in.jsonl; echo its words >&2; exit 3", "cat", "exit status: 3"),
        ("cat in.jsonl | gzip; echo its words >&2; exit 3", "cat", "exit status: 3"),
        ("echo its words >&2; exit 1", "echo", "exit status: 1"),
        ("echo its words >&2; kill -9 $$", "echo", "signal: 9"),
    ] {
        let ran = run(&place, "dedup -o kept.jsonl", &[line]);
        assert!(ran.code == 2 && ran.err.contains("its words"), "{} {}", ran.code, ran.err);
        assert!(ran.err.contains(&format!("command:1 ({program} …): ended with {status}")), "{}", ran.err);
    }
    let ran = run(&place, "dedup -o kept.jsonl", &["no-such-program"]);
    assert!(ran.code == 2 && ran.err.contains("exit status: 127"), "{}", ran.err);
    assert_eq!(place.names(), ["in.jsonl"]);
}

#[test]
fn a_command_that_prints_other_data_the_next_time_is_refused() {
    let place = Place::new();
    place.write("a.jsonl", SMALL).write("b.jsonl", SMALL.replace("fox", "box")).write("c.jsonl", format!("{SMALL}{{}}\n"));
    place.write("d.jsonl", "");
    for other in ["b", "c", "d"] {
        let line = format!("cat a.jsonl; mv {other}.jsonl a.jsonl; true");
        let ran = run(&place, "dedup -o kept.jsonl", &[&line]);
        let told = "command:1 (cat …): gave other data when it was run again";
        assert!(ran.code == 2 && ran.err.contains(told), "{} {}", ran.code, ran.err);
        place.write("a.jsonl", SMALL);
    }
}

#[test]
fn a_command_that_has_more_than_is_wanted_is_ended() {
    let place = Place::new();
    let line = r#"yes '{"text":"yes"}' | head -n 1000"#;
    let ran = run(&place, "dedup -o kept.jsonl", &[line]);
    assert!(ran.code == 0 && place.read("kept.jsonl").lines().count() == 1, "{}", ran.err);
    let ran = run(&place, "dedup -o kept.jsonl", &[r#"echo '{"text":"a"}'; kill -13 $$"#]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    // One that never ends, behind a line that is none.
    let ran = run(&place, "dedup -o kept.jsonl", &["echo $$ > pid; echo oops; exec yes '{\"text\":\"yes\"}'"]);
    assert!(ran.code == 2 && ran.err.contains("command:1:1: not JSON"), "{}", ran.err);
    let process = format!("/proc/{}", place.read("pid").trim());
    assert!(!std::path::Path::new(&process).exists());
}

//! Tests that no record is lost, and that input without documents takes no memory.

use super::{Place, labels::gzip};

const LINE: &str = "{\"id\":1,\"text\":\"a b c\"}\n";

#[test]
fn input_without_documents_takes_no_memory() {
    let place = Place::new();
    let newlines = [LINE, &"\n".repeat(48 << 20), "{\"id\":2,\"text\":7}"].concat();
    let bad = ["{\"id\":2,\"text\":\"d e f\"}\n", &"x\n".repeat(1 << 20)].concat();
    let space = format!(
        "[{},{}{}]",
        LINE.trim_end(),
        " ".repeat(100 << 20),
        LINE.replace('1', "2")
    );
    place
        .write("newlines.jsonl.gz", gzip(newlines.as_bytes()))
        .write("bad.jsonl.gz", gzip(bad.as_bytes()));
    place.write("space.json.gz", gzip(space.as_bytes()));
    let ran = place.run("dedup space.json.gz -o kept.json --memory 64M --threads 2");
    assert!(
        ran.code == 0 && !ran.err.contains("above --memory"),
        "{}",
        ran.err
    );
    assert_eq!(
        place.read("kept.json"),
        format!("[\n{}\n]\n", LINE.trim_end())
    );
}

/// A line of text is held as a whole, in a buffer that doubles when it is full. This test has two lines of 400 MiB of white space
/// each. If such a line were text, the buffer would exceed the test's memory limit, and the run would fail.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_line_of_white_space_takes_no_memory() {
    let place = Place::new();
    let lines = [
        &" ".repeat(400 << 20),
        "\n",
        LINE,
        &"\t".repeat(400 << 20),
        "\r\n{",
    ]
    .concat();
    place
        .write("line.jsonl.gz", gzip(lines.as_bytes()))
        .write("line.jsonl", lines);
    for input in ["line.jsonl.gz", "line.jsonl", "- < line.jsonl"] {
        let mut command = std::process::Command::new("sh");
        let asked =
            format!("dedup {input} -o kept.jsonl --memory 64M --threads 2 --skip-bad bad.txt");
        command.arg("-c").arg(format!(
            "ulimit -v 700000 && exec {} {asked}",
            env!("CARGO_BIN_EXE_lookalike")
        ));
        let ran = super::Ran::of(command.current_dir(place.path("")).output().unwrap());
        assert!(
            ran.code == 0 && !ran.err.contains("above --memory"),
            "{input}: {}",
            ran.err
        );
        assert!(ran.err.contains(":4: "), "{input}: {}", ran.err);
        assert_eq!(
            (
                place.read("kept.jsonl").as_str(),
                place.read("bad.txt").as_str()
            ),
            (LINE, "{\n"),
            "{input}"
        );
    }
}

/// The names of a user's fields and columns may be arbitrary.
#[test]
fn long_names_in_messages_are_shortened_and_control_characters_escaped() {
    let place = Place::new();
    let name = format!("\u{1b}[2J{}", "x".repeat(5000));
    let shown = format!("\"\\u001b[2J{}…\" (5004 characters)", "x".repeat(96));
    let record = serde_json::json!({"id": 1, "text": "a b c", &name: {"a": 1}});
    place
        .write("in.jsonl", format!("{record}\n"))
        .write("in.csv", format!("id,text,\"{name}\"\n1,a b c,d\n"));
    for asked in [
        "in.jsonl --text-field",
        "in.jsonl --id-field",
        "in.jsonl --keep",
        "in.jsonl --encoding",
        "in.csv --encoding",
    ] {
        let mut command = place.command(&format!("dedup {asked}"));
        let keep = if asked.ends_with("--keep") {
            "max:"
        } else {
            ""
        };
        let ran = super::Ran::of(command.arg(format!("{keep}{name}")).output().unwrap());
        assert!(
            ran.code == 2 && ran.err.contains(&shown),
            "{asked}: {}",
            ran.err
        );
    }
    let ran = super::Ran::of(
        place
            .command("dedup in.csv --text-field")
            .arg(name.clone() + "y")
            .output()
            .unwrap(),
    );
    assert!(
        ran.code == 2 && ran.err.contains(&shown.replace("5004", "5005")),
        "{}",
        ran.err
    );
}

/// Returns a crawl record: a response with this body.
fn response(uri: &str, coding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{coding}\r\n");
    let length = head.len() + body.len();
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nContent-Length: {length}\r\n\r\n{head}"
    );
    [warc.as_bytes(), body, b"\r\n\r\n"].concat()
}

#[test]
fn a_page_above_the_size_limit_is_a_bad_record() {
    let place = Place::new();
    let long = response(
        "http://a.example/long",
        "Content-Encoding: gzip\r\n",
        &gzip(&vec![b' '; (256 << 20) + 1]),
    );
    let crawl = [
        response("http://a.example/1", "", b"one two three"),
        long.clone(),
    ]
    .concat();
    place.write("crawl.warc", crawl);
    let ran = place.run("dedup crawl.warc -o kept.jsonl");
    let bytes = long.len() - long.windows(4).position(|at| at == b"HTTP").unwrap() - 4;
    let reported = format!(
        "error: crawl.warc:2: http://a.example/long: its {bytes} bytes decompress to more than the limit of \
         256 MiB; skip the record with --skip-bad"
    );
    assert!(ran.code == 2 && ran.err.contains(&reported), "{}", ran.err);
    let ran = place.run("dedup crawl.warc -o kept.jsonl --skip-bad bad.warc");
    assert!(
        ran.code == 0
            && ran
                .err
                .contains("bad      1 line skipped, written to bad.warc"),
        "{}",
        ran.err
    );
    assert_eq!(
        place.read("kept.jsonl"),
        "{\"id\":\"http://a.example/1\",\"text\":\"one two three\"}\n"
    );
    assert!(
        std::fs::read(place.path("bad.warc"))
            .unwrap()
            .starts_with(&long)
    );
}

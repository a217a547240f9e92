//! Nothing is lost without a word: what is read, left out and bad adds up to what is there, and a reader that closes its pipe stops
//! no other output.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Place, Ran, SMALL, labels::gzip};

/// Returns a record of a crawl.
fn record(kind: &str, content_type: &str, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}

/// Returns a response with this head, after which comes an empty line.
fn response(head: &str, body: &[u8]) -> Vec<u8> {
    let content = [head.as_bytes(), b"\r\n\r\n", body].concat();
    record("response", "application/http; msgtype=response", &content)
}

/// The head of a response that is a page.
const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html";

fn page(name: &str) -> Vec<u8> {
    let html = format!("<html><body><p>The harbour master of {name} counted nine grey boats.");
    html.into_bytes()
}

/// Responses with status lines that are not quite as the standard has them.
fn odd_status_lines() -> Vec<Vec<u8>> {
    let lines = [
        "HTTP/1.1 200 OK",
        "ICY 200 OK",
        "http/1.1 200 OK",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 OK",
        "\r\nHTTP/1.1 200 OK",
        "HTTP/1.1\t200 OK",
        "HTTP/1.1 206 Partial Content",
        "HTTP 200 OK",
    ];
    let headed = lines.iter().zip('a'..).map(|(line, name)| {
        response(
            &format!("{line}\r\nContent-Type: text/html"),
            &page(&name.to_string()),
        )
    });
    let bare = record("response", "application/http; msgtype=response", &page("j"));
    headed.chain([bare]).collect()
}

/// Records that are no documents.
fn no_documents() -> Vec<Vec<u8>> {
    let dns = record(
        "response",
        "text/dns",
        b"20260101000000\r\na.example. 60 IN A 1.2.3.4",
    );
    vec![
        record("warcinfo", "application/warc-fields", b"software: x\r\n"),
        record(
            "request",
            "application/http; msgtype=request",
            b"GET / HTTP/1.1\r\n\r\n",
        ),
        record(
            "request",
            "application/http; msgtype=request",
            b"GET /a HTTP/1.1\r\n\r\n",
        ),
        response(
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/html",
            &page("x"),
        ),
        response("HTTP/1.1 301 Moved\r\nContent-Type: text/html", b""),
        response("HTTP/1.1 503 \r\nContent-Type: text/html", &page("y")),
        response(
            "HTTP/1.1 200 OK\r\nContent-Type: image/png",
            b"\x89PNG\r\n\x1a\n",
        ),
        response("HTTP/1.1 200 OK\r\nContent-Type: application/json", b"{}"),
        record(
            "revisit",
            "application/http; msgtype=response",
            b"HTTP/1.1 200 OK\r\n\r\n",
        ),
        record("continuation", "text/plain", b"more"),
        record("conversation", "text/plain", b"what is this"),
        dns,
    ]
}

/// Bodies of other kinds than their types say.
fn binary() -> Vec<Vec<u8>> {
    let noise: Vec<u8> = (0..2000u32)
        .map(|n| (n.wrapping_mul(2_654_435_769) >> 24) as u8)
        .collect();
    let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain";
    let utf16: Vec<u8> = "Привет, мир. "
        .repeat(9)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    vec![
        response(PAGE, b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type/Catalog>> endobj stream \0\x01\x02 endstream"),
        response(text, b"\x89PNG\r\n\x1a\n\0\x01\x02\x03"),
        response(text, &noise),
        response(PAGE, &noise),
        // The page is compressed, but the response does not say that.
        response(PAGE, &gzip(&page("x").repeat(9))),
        // These are texts.
        response(&format!("{text}; charset=utf-16"), &utf16),
        response(text, b"a form feed\x0c, a bell\x07 and \x1b[1mbold\x1b[0m letters are in texts of terminals"),
        response(text, b"GIF89a is the name of a format."),
    ]
}

/// Bodies that are cut off.
fn cut_off() -> Vec<Vec<u8>> {
    let text = (0..999).map(|n| format!("{n} boats, ")).collect::<String>();
    let packed = gzip(text.as_bytes());
    let coded = |coding: &str, body: &[u8]| response(&format!("{PAGE}\r\n{coding}"), body);
    let chunked = format!("{:x}\r\n{text}\r\n", text.len());
    vec![
        coded("Content-Encoding: gzip", &packed),
        coded("Content-Encoding: gzip", &packed[..packed.len() / 2]),
        coded("Content-Encoding: gzip", &packed[..packed.len() - 4]),
        coded(
            "Transfer-Encoding: chunked",
            format!("{chunked}0\r\n\r\n").as_bytes(),
        ),
        coded("Transfer-Encoding: chunked", chunked.as_bytes()),
        coded("Transfer-Encoding: chunked", &chunked.as_bytes()[..99]),
        // A program has joined the chunks and decompressed them, but has not changed the head.
        coded(
            "Content-Encoding: gzip\r\nTransfer-Encoding: chunked",
            &page("z"),
        ),
    ]
}

/// Checks that the documents of a crawl, what is left out, and the bad records are all of its records.
fn adds_up(records: &[Vec<u8>], documents: u64, left_out: &[(&str, u64)], bad: u64) {
    let place = Place::new();
    place.write("in.warc", records.concat());
    let ran = place.run(
        "dedup in.warc -o k.jsonl --skip-bad bad.warc --summary s.json --no-decisions --allow-repeated-ids",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let summary: Value = serde_json::from_str(&place.read("s.json")).unwrap();
    assert_eq!(summary["documents"], documents, "{}", ran.err);
    assert_eq!(
        (&summary["bad_lines"], &summary["blank_lines"]),
        (&bad.into(), &0.into())
    );
    let reasons: BTreeMap<String, u64> =
        serde_json::from_value(summary["left_out"]["reasons"].clone()).unwrap_or_default();
    let wanted = left_out
        .iter()
        .map(|&(name, count)| (name.to_owned(), count));
    assert_eq!(reasons, wanted.collect());
    let all = documents + bad + reasons.values().sum::<u64>();
    assert_eq!(all, records.len() as u64);
    for (name, count) in &reasons {
        assert!(ran.err.contains(&format!("{count} {name}")), "{}", ran.err);
    }
    let ran = place.run("dedup in.warc -o k.jsonl --allow-repeated-ids");
    assert_eq!(ran.code, if bad > 0 { 2 } else { 0 }, "{}", ran.err);
}

const NO_DOCUMENTS: [(&str, u64); 8] = [
    ("continuation", 1),
    ("metadata", 1),
    ("not HTTP", 1),
    ("not text", 2),
    ("request", 2),
    ("revisit", 1),
    ("status", 3),
    ("unknown type", 1),
];

#[test]
fn odd_status_lines_are_read() {
    adds_up(&odd_status_lines(), 10, &[], 0);
}

#[test]
fn records_that_are_no_documents_are_counted_by_reason() {
    adds_up(&no_documents(), 0, &NO_DOCUMENTS, 0);
}

#[test]
fn binary_data_is_no_text() {
    adds_up(&binary(), 3, &[], 5);
}

#[test]
fn bodies_that_are_cut_off_are_bad_records() {
    adds_up(&cut_off(), 3, &[], 4);
}

/// All of them, in many blocks.
#[test]
fn a_crawl_with_all_faults_adds_up() {
    let all = [odd_status_lines(), no_documents(), binary(), cut_off()].concat();
    let many: Vec<Vec<u8>> = (0..40).flat_map(|_| all.clone()).collect();
    let left_out = NO_DOCUMENTS.map(|(name, count)| (name, 40 * count));
    adds_up(&many, 40 * 16, &left_out, 40 * 9);
}

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:665232916d127eb726be0e4a8ea09109f6739e74ce72c70d813ce1b31d8abe8e\nsize 146946961\n";

/// Git LFS pointers among inputs are left out and counted; as references they are refused by name.
#[test]
fn pointers_of_git_lfs_are_no_documents() {
    let place = Place::new();
    for folder in ["texts", "records", "only"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    place
        .write("texts/a.txt", "one two three four five")
        .write("texts/b.txt", POINTER)
        .write("texts/c.md", POINTER)
        .write(
            "texts/about.txt",
            format!("{POINTER}\nis how a pointer looks."),
        )
        .write("records/a.jsonl", SMALL)
        .write("records/b.jsonl", POINTER)
        .write("records/c.parquet", POINTER)
        .write("records/d.csv.zst", POINTER)
        .write("only/a.jsonl", POINTER)
        .write("p.warc", POINTER)
        .write("p.zip", POINTER)
        .write("one.jsonl", SMALL);
    let zip = std::process::Command::new("tar")
        .args(["cf", "texts.tar", "texts"])
        .current_dir(place.path("."))
        .status();
    assert!(zip.unwrap().success());
    for (input, documents, left) in [
        ("texts", 2, 2),
        ("texts.tar", 2, 2),
        ("records", 3, 3),
        ("records/*", 3, 3),
    ] {
        let ran = place.run(&format!("dedup {input} -o k.jsonl --summary s.json"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let summary: Value = serde_json::from_str(&place.read("s.json")).unwrap();
        assert_eq!(
            (&summary["documents"], &summary["left_out"]["files"]),
            (&documents.into(), &left.into()),
            "{input}"
        );
        assert!(
            ran.err
                .contains(&format!("skipped  {left} Git LFS pointer")),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("(run git lfs pull)"), "{}", ran.err);
    }
    for (reference, name) in [
        ("texts", "texts/b.txt"),
        ("texts.tar", "texts.tar/texts/"),
        ("texts/b.txt", "texts/b.txt"),
        ("records", "records/b.jsonl"),
        ("records/b.jsonl", "records/b.jsonl"),
        ("records/c.parquet", "records/c.parquet"),
        ("records/d.csv.zst", "records/d.csv.zst"),
        ("records/*", "records/b.jsonl"),
        ("only", "only/a.jsonl"),
        ("p.warc", "p.warc"),
        ("p.zip", "p.zip"),
    ] {
        for job in [
            "dedup one.jsonl -o k.jsonl --skip-bad bad.jsonl",
            "pairs one.jsonl",
        ] {
            let ran = place.run(&format!("{job} --against {reference}"));
            assert!(
                ran.code == 2 && ran.err.contains(name) && ran.err.contains("git lfs pull"),
                "{reference}: {}",
                ran.err
            );
        }
    }
    let ran = place.run("dedup only -o k.jsonl");
    assert!(
        ran.code == 2 && ran.err.contains("is a Git LFS pointer"),
        "{}",
        ran.err
    );
}

#[test]
fn empty_references_are_warned_about() {
    let place = Place::new();
    place.write("one.jsonl", SMALL).write("none.jsonl", "\n");
    let warning = "warning: the references have no documents";
    for job in ["dedup one.jsonl -o k.jsonl", "pairs one.jsonl -o p.jsonl"] {
        let ran = place.run(&format!("{job} --against none.jsonl"));
        assert!(ran.code < 2 && ran.err.contains(warning), "{}", ran.err);
        let ran = place.run(&format!("{job} --against none.jsonl --quiet"));
        assert_eq!(&*ran.err, "");
    }
}

/// Runs a command with a standard output whose reader has closed it.
fn closed(place: &Place, arguments: &str) -> Ran {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Ran::of(place.command(arguments).stdout(writer).output().unwrap())
}

#[test]
fn a_closed_pipe_stops_no_other_output() {
    let place = Place::new();
    let lines: String = (0..300)
        .map(|n| {
            format!(
                "{{\"id\":{n},\"text\":\"one two three four five six {}\"}}\n",
                n / 2
            )
        })
        .collect();
    let long: String = (0..99).map(|n| format!(" word{n}")).collect();
    place
        .write("in.jsonl", lines)
        .write(
            "long.jsonl",
            format!("{{\"id\":1,\"text\":\"a{long}\"}}\n{{\"id\":2,\"text\":\"b{long}\"}}\n"),
        )
        .write("b.txt", "one two three four five six seven");
    assert_eq!(place.run("index create index").code, 0);
    assert_eq!(place.run("index add index in.jsonl -q").code, 0);
    for (command, others) in [
        ("dedup in.jsonl -o - --decisions d.jsonl", &["d.jsonl"][..]),
        ("dedup in.jsonl --decisions - -o k.jsonl", &["k.jsonl"]),
        (
            "dedup in.jsonl -o - --keep longest --decisions d.parquet --report r.html",
            &["d.parquet", "r.html"],
        ),
        (
            "dedup in.jsonl -o k.jsonl --no-decisions --json",
            &["k.jsonl"],
        ),
        ("pairs in.jsonl -o - --skip-bad bad.jsonl", &["bad.jsonl"]),
        ("cut in.jsonl -o - --cuts cuts.jsonl", &["cuts.jsonl"]),
        ("passages long.jsonl --report r.html", &["r.html"]),
        (
            "index query index in.jsonl --skip-bad bad.jsonl",
            &["bad.jsonl"],
        ),
    ] {
        let ran = closed(&place, &format!("{command} --summary s.json -q"));
        assert_eq!(ran.code, 0, "{command}: {}", ran.err);
        for name in others.iter().chain(&["s.json"]) {
            std::fs::remove_file(place.path(name)).unwrap_or_else(|_| panic!("{command}: {name}"));
        }
        let said = ran.err.contains("the reader of an output closed it");
        assert!(
            said && ran.err.lines().count() == 1,
            "{command}: {}",
            ran.err
        );
    }
    // If there is no other output, the run ends in silence.
    for command in [
        "dedup in.jsonl -o - -q",
        "pairs in.jsonl -q",
        "compare b.txt b.txt",
        "index query index in.jsonl -q",
        "index show index",
        "index changes index",
    ] {
        let ran = closed(&place, command);
        assert_eq!((ran.code, &*ran.err), (0, ""), "{command}");
    }
}

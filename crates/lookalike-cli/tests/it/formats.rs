//! Tests of inputs other than JSON Lines: the kept records have the format of the input or are converted to JSON Lines, and the
//! decisions are the same for all formats.

use serde_json::Value;

use super::{Place, labels::gzip, testdata};

/// The documents that the tests write as JSON Lines, as an array, and as CSV.
const TEXTS: [(&str, &str, &str); 4] = [
    (
        "a",
        "The quick brown fox jumps over the lazy dog\nnear the old river bank at dawn today.",
        "x",
    ),
    (
        "b",
        "Something else entirely: a \"note\" about nothing, in particular; written for no one.",
        "",
    ),
    (
        "c",
        "the quick brown fox, jumps over the lazy dog near the old river bank at dawn today",
        "z",
    ),
    ("d", "", "é"),
];

fn object((id, text, note): (&str, &str, &str)) -> Value {
    serde_json::json!({"id": id, "text": text, "note": note})
}

fn lines() -> String {
    TEXTS.map(|row| format!("{}\n", object(row))).concat()
}

fn csv(delimiter: &str) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows = TEXTS.map(|(id, text, note)| [id, &*quoted(text), note].join(delimiter) + "\r\n");
    ["id", "text", "note"].join(delimiter) + "\r\n" + &rows.concat()
}

fn kept_objects(place: &Place, name: &str) -> Vec<Value> {
    place
        .read(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_format_gives_the_same_decisions() {
    let place = Place::new();
    place
        .write("in.jsonl", lines())
        .write("in.csv", csv(","))
        .write("in.tsv", csv("\t"))
        .write("semi.csv", csv(";"));
    place.write(
        "in.json",
        serde_json::to_string_pretty(&TEXTS.map(object)).unwrap(),
    );
    place.write("data", csv("|"));
    for (input, flags) in [
        ("in.jsonl", ""),
        ("in.csv", ""),
        ("in.tsv", ""),
        ("semi.csv", ""),
        ("in.json", ""),
        ("data", "--format csv"),
        ("data", "--format csv --delimiter |"),
        ("in.json", "--format json --threads 1"),
        ("in.csv", "--keep longest"),
    ] {
        let ran = place.run(&format!(
            "dedup {input} -o kept.jsonl --decisions why.jsonl {flags}"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let why: Vec<Value> = kept_objects(&place, "why.jsonl");
        let dropped: Vec<&Value> = why
            .iter()
            .filter(|line| line["verdict"] == "dropped")
            .map(|line| &line["id"])
            .collect();
        assert_eq!(
            (why.len(), dropped),
            (4, vec![&Value::from("c")]),
            "{input} {flags}"
        );
        assert_eq!(
            kept_objects(&place, "kept.jsonl"),
            [object(TEXTS[0]), object(TEXTS[1]), object(TEXTS[3])],
            "{input}"
        );
    }
}

#[test]
fn kept_records_are_unchanged() {
    let place = Place::new();
    place
        .write("in.csv", csv(",").trim_end())
        .write("more.csv", csv(",").replace("\r\n", "\n"));
    let pretty = serde_json::to_string_pretty(&TEXTS.map(object)).unwrap();
    place.write("in.json", &pretty).write("in.jsonl", lines());
    assert_eq!(place.run("dedup in.csv -o kept.csv").code, 0);
    let all = csv(",");
    let rows: Vec<&str> = all.split_inclusive("\r\n").collect();
    // The last row of the file had no line end: it gets the same line end as the other rows.
    assert_eq!(
        place.read("kept.csv"),
        [rows[0], rows[1], rows[2], rows[4]].concat()
    );
    let ran = place.run("dedup in.csv -o - --label --no-decisions");
    assert!(
        ran.out.ends_with(",d,kept,,\r\n") && !ran.out.replace("\r\n", "").contains('\r'),
        "{}",
        ran.out
    );
    place.write("cr.csv", "id,text\ra,one\rb,two");
    assert_eq!(
        place.run("dedup cr.csv -o - --no-decisions").out,
        "id,text\ra,one\rb,two\r"
    );
    assert!(place.path("kept.decisions.jsonl").exists());
    let both = place.run("dedup in.csv more.csv -o - --allow-repeated-ids --no-decisions");
    assert_eq!(
        (both.code, both.out.matches("id,text,note").count()),
        (0, 1),
        "one header: {}",
        both.err
    );
    assert_eq!(place.run("dedup in.json -o kept.json").code, 0);
    let kept: Vec<Value> = serde_json::from_str(&place.read("kept.json")).unwrap();
    assert_eq!(kept, [object(TEXTS[0]), object(TEXTS[1]), object(TEXTS[3])]);
    let element = &pretty[pretty.find('{').unwrap()..=pretty.find('}').unwrap()];
    assert!(
        place
            .read("kept.json")
            .starts_with(&format!("[\n{element},\n")),
        "{}",
        place.read("kept.json")
    );
    // Inputs of several formats are written as JSON Lines.
    let mixed = place.run("dedup in.jsonl in.csv in.json -o kept.jsonl --allow-repeated-ids");
    assert_eq!(
        (mixed.code, kept_objects(&place, "kept.jsonl").len()),
        (0, 5),
        "the empty ones stay: {}",
        mixed.err
    );
}

/// Encodes a text in UTF-16, with half a surrogate pair for each `?`.
fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| {
            order(if unit == u16::from(b'?') {
                0xd83d
            } else {
                unit
            })
        })
        .collect()
}

#[test]
fn csv_in_utf16_is_read_and_written_unchanged() {
    let place = Place::new();
    let rows = csv(",")
        .replace("\"\"note\"\"", "?")
        .replace("note", "😀\u{3000}");
    let mut lines: Vec<&str> = rows.split_inclusive("\r\n").collect();
    let whole: String = lines.concat();
    let dropped = lines.remove(3);
    assert!(dropped.starts_with("c,"));
    let kept: String = lines.concat();
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        for mark in ["\u{feff}", ""] {
            place.write("in.csv", utf16(&format!("{mark}{whole}"), order));
            place.write(
                "packed.csv.gz",
                gzip(&utf16(&format!("{mark}{}", whole.trim_end()), order)),
            );
            for (input, flags) in [
                ("in.csv", ""),
                ("in.csv", "--encoding utf-16 --threads 1"),
                ("in.csv", "--encoding gbk --keep longest"),
                ("packed.csv.gz", ""),
            ] {
                let ran = place.run(&format!(
                    "dedup {input} -o kept.csv --decisions why.jsonl {flags}"
                ));
                assert_eq!(ran.code, 0, "{input} {flags}: {}", ran.err);
                assert!(
                    place
                        .read("why.jsonl")
                        .contains(r#"{"id":"c","verdict":"dropped""#)
                );
                let written = std::fs::read(place.path("kept.csv")).unwrap();
                assert_eq!(
                    written,
                    utf16(&format!("{mark}{kept}"), order),
                    "{input} {flags} {mark:?}"
                );
            }
            assert_eq!(
                place
                    .run("dedup in.csv -o kept.jsonl --encoding utf-16")
                    .code,
                0
            );
            let line = "{\"id\":\"b\",\"text\":\"Something else entirely: a \u{fffd} about nothing, in particular; written for no one.\",\"😀\u{3000}\":\"\"}\n";
            assert!(
                place.read("kept.jsonl").contains(line),
                "{}",
                place.read("kept.jsonl")
            );
            assert_eq!(
                place
                    .run("dedup in.csv -o label.csv --label --encoding gbk")
                    .code,
                0
            );
            let written = std::fs::read(place.path("label.csv")).unwrap();
            let label = utf16(",z,a,dropped,a,", order);
            assert!(
                written.windows(label.len()).any(|part| part == label)
                    && written.ends_with(&utf16(",é,d,kept,,\r\n", order))
            );
        }
    }
}

#[test]
fn unsupported_utf16_is_reported() {
    let place = Place::new();
    let whole = csv(",");
    let [little, big] =
        [u16::to_le_bytes, u16::to_be_bytes].map(|order| utf16(&format!("\u{feff}{whole}"), order));
    place
        .write("le.csv", &little)
        .write("be.csv", &big)
        .write("cut.csv", &little[..little.len() - 3])
        .write("utf8.csv", &whole);
    for (name, order) in [
        ("le", u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("be", u16::to_be_bytes),
    ] {
        place.write(
            &format!("{name}.jsonl"),
            utf16(&format!("\u{feff}{}", lines()), order),
        );
        place.write(&format!("{name}.json"), utf16("[{\"text\":\"a\"}]", order));
    }
    place.write(
        "utf32.csv",
        whole.chars().fold(vec![0xff, 0xfe, 0, 0], |all, c| {
            [all, u32::from(c).to_le_bytes().into()].concat()
        }),
    );
    let json = "the file is UTF-16, but JSON must be UTF-8; convert it, for instance with iconv -f UTF-16 -t UTF-8";
    for (asked, words) in [
        (
            "le.csv be.csv -o kept.csv --allow-repeated-ids",
            "(delimiter ',', UTF-16BE), but those of le.csv are",
        ),
        (
            "utf8.csv be.csv -o kept.csv --allow-repeated-ids",
            "UTF-16BE), but those of utf8.csv are",
        ),
        (
            "cut.csv",
            "cut.csv: ends in the middle of a character (UTF-16LE): the file is truncated",
        ),
        (
            "utf32.csv",
            "utf32.csv: is UTF-32, which cannot be read; write it as UTF-8, as with: iconv",
        ),
        ("le.jsonl", json),
        ("be.jsonl", json),
        (
            "le.json",
            "not a JSON array; if the file is UTF-16LE, convert it, for instance with iconv -f UTF-16LE -t UTF-8",
        ),
        (
            "be.json",
            "the file is UTF-16BE, but JSON must be UTF-8; convert it, for instance with iconv -f UTF-16BE -t UTF-8",
        ),
        (
            "be.json --format json",
            "not a JSON array; if the file is UTF-16BE, convert it, for instance with iconv -f UTF-16BE",
        ),
        (
            "le.jsonl --format json",
            "not a JSON array; if the file is UTF-16, convert it",
        ),
    ] {
        let ran = place.run(&format!("dedup {asked}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
        assert!(!place.path("kept.csv").exists());
    }
    let ran = place.run("dedup le.csv be.csv utf8.csv -o kept.jsonl --allow-repeated-ids");
    assert!(
        ran.code == 0 && ran.err.contains("12 documents in"),
        "{}",
        ran.err
    );
}

#[test]
fn skipped_files_in_folders_are_reported() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("mixed/deep")).unwrap();
    for name in ["a.txt", "b.txt", "deep/c.md", ".hidden.rst", "picture.png"] {
        place.write(
            &format!("mixed/{name}"),
            format!("a text that stands in the file {name} alone"),
        );
    }
    let advice = "if a folder has files of records, only these are read; to read documents too, name them, for example with the quoted glob";
    // If a folder has no record files, its documents are read. Files that are neither records nor documents are reported.
    let ran = place.run("dedup mixed -o kept.jsonl");
    assert!(
        ran.err.contains("3 documents in")
            && ran
                .err
                .contains("  skipped  1 .png, such as mixed/picture.png: from a folder")
    );
    place
        .write("mixed/deep/in.jsonl", lines())
        .write("mixed/old.decisions.jsonl", "{}\n");
    let ran = place.run("dedup mixed -o kept.jsonl");
    let reported =
        format!("  skipped  1 .md, 1 .png, 2 .txt, such as mixed/a.txt: {advice} 'mixed/*.txt'\n");
    assert!(
        ran.err.contains("4 documents in") && ran.err.contains(&reported),
        "{}",
        ran.err
    );
    let reported: Value = serde_json::from_str(&place.run("dedup mixed --json").out).unwrap();
    assert_eq!(
        (
            &reported["left_out"]["files"],
            &reported["left_out"]["example"]
        ),
        (&4.into(), &"mixed/a.txt".into()),
        "{reported}"
    );
    assert!(
        place
            .run("pairs mixed")
            .err
            .contains("skipped: 1 .md, 1 .png, 2 .txt, such as mixed/a.txt")
    );
    // Files that are named on the command line are always read.
    let ran = place.run("dedup mixed ./mixed/*.txt mixed/picture.png --format text -o kept.jsonl");
    assert!(
        ran.code == 2 && ran.err.contains("given twice"),
        "all of them are documents then: {}",
        ran.err
    );
    let ran = place.run("dedup mixed ./mixed/*.txt ./mixed/deep/*.md -o kept.jsonl");
    assert!(
        ran.err.contains("7 documents in")
            && ran
                .err
                .contains("  skipped  1 .png, such as mixed/picture.png"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup mixed --format text -o kept.jsonl");
    assert!(
        ran.err.contains("6 documents in") && !ran.err.contains("skipped"),
        "{}",
        ran.err
    );
    let reported: Value =
        serde_json::from_str(&place.run("dedup mixed/deep/in.jsonl --json").out).unwrap();
    assert!(reported.get("left_out").is_none());
}

#[test]
fn splits_of_a_data_set_are_read_together_on_request_only() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("set/data")).unwrap();
    std::fs::create_dir_all(place.path("texts")).unwrap();
    let [a, b, c, d] = TEXTS.map(|row| format!("{}\n", object(row)));
    place
        .write("set/data/train-00000-of-00001.jsonl", [a, b].concat())
        .write("set/data/test-00000-of-00001.jsonl", [c, d].concat());
    place.write("set/readme.md", "a data set");
    place
        .write("texts/test-report.txt", "one two")
        .write("texts/train-timetable.txt", "three four");
    let reported = "error: set: contains several splits of a dataset, train (1 file), test (1 file); if they were read as one \
                collection, documents of one split could match documents of another; name a single split; to find documents of train that are similar to test, name 'set/data/train*.jsonl' as the \
                input and 'set/data/test*.jsonl' with --against (dedup, pairs); to read all of them as one collection, give --all-splits";
    place.write(
        "link.toml",
        "match = 0.8\n[[field]]\nname = \"text\"\ntype = \"text\"\n[[block]]\nequal = [\"text\"]\n",
    );
    let also = [
        "eval set --sample 2",
        "link set --config link.toml",
        "minutiae set",
    ];
    for command in ["dedup set -o kept.jsonl", "pairs set", "dedup set/data"]
        .into_iter()
        .chain(also)
    {
        let ran = place.run(command);
        assert!(
            ran.code == 2
                && ran.err.contains(
                    "contains several splits of a dataset, train (1 file), test (1 file)"
                ),
            "{}",
            ran.err
        );
    }
    assert!(place.run("dedup set -o kept.jsonl").err.contains(reported));
    let ran = place.run("dedup set/data/train*.jsonl --against set/data/test*.jsonl -o kept.jsonl");
    assert!(
        ran.code == 0 && kept_objects(&place, "kept.jsonl") == [object(TEXTS[1])],
        "{}",
        ran.err
    );
    let ran = place.run("dedup set --all-splits -o kept.jsonl");
    assert!(
        ran.code == 0 && ran.err.contains("4 documents in"),
        "{}",
        ran.err
    );
    for command in also {
        let ran = place.run(&format!("{command} --all-splits"));
        assert!(!ran.err.contains("splits"), "{command}: {}", ran.err);
    }
    // A folder with the name of a split is a split, whatever it contains.
    for (path, text) in [
        ("review/train/pos/1.txt", "one two"),
        ("review/test/neg/1.txt", "three four"),
    ] {
        std::fs::create_dir_all(place.path(path).parent().unwrap()).unwrap();
        place.write(path, text);
    }
    let ran = place.run("dedup review -o kept.jsonl");
    let names = "name 'review/train' as the input and 'review/test' with --against";
    assert!(
        ran.code == 2
            && ran.err.contains("train (1 file), test (1 file)")
            && ran.err.contains(names),
        "{}",
        ran.err
    );
    assert_eq!(
        place
            .run("dedup review/train --against review/test -o kept.jsonl")
            .code,
        0
    );
    assert_eq!(place.run("dedup review --all-splits -o kept.jsonl").code, 0);
    // References are all kept, so duplicates in their splits do not matter. The folder `texts` has files named like titles, not
    // like splits.
    place.write("in.jsonl", lines());
    for command in [
        "dedup in.jsonl --against set --allow-repeated-ids",
        "dedup texts",
        "dedup set/data/*.jsonl",
    ] {
        let ran = place.run(&format!("{command} -o kept.jsonl"));
        assert_eq!(ran.code, 0, "{command}: {}", ran.err);
    }
}

/// If the advice about a folder with splits is pasted into a shell, the command reads each of the files once, and no other file.
#[cfg(unix)]
#[test]
fn advice_about_splits_can_be_run_unchanged() {
    let place = Place::new();
    let text = |at: usize| {
        format!(
            "{}\n",
            serde_json::json!({"id": format!("{at}"), "text": format!("text {at} of its own")})
        )
    };
    for (folder, files, trained, references) in [
        (
            "h[1]",
            &["train-0.jsonl", "test-0.jsonl", "dev.jsonl"][..],
            1,
            2,
        ),
        (
            "it's",
            &["train-0.jsonl", "training-1.jsonl", "test-[1]/0.jsonl"],
            2,
            1,
        ),
        (
            "more",
            &[
                "train_data.jsonl",
                "trainer.jsonl",
                "test.jsonl",
                "testing.jsonl",
            ],
            1,
            2,
        ),
        (
            "past",
            &[
                "train.jsonl",
                "train.decisions.jsonl",
                "test.jsonl",
                "test.decisions.jsonl",
            ],
            1,
            1,
        ),
        (
            "apart",
            &[
                "a/train/0.jsonl",
                "b/train/1.jsonl",
                "train.jsonl",
                "test.jsonl",
            ],
            3,
            1,
        ),
    ] {
        for (at, file) in files.iter().enumerate() {
            let path = format!("{folder}/{file}");
            std::fs::create_dir_all(place.path(&path).parent().unwrap()).unwrap();
            place.write(&path, text(at));
        }
        let reported = place.run(&format!("dedup {folder}")).err;
        let names = reported
            .split_once(", name ")
            .and_then(|(_, rest)| rest.split_once(" with --against"))
            .map(|(names, _)| names);
        let (input, against) = names
            .and_then(|names| names.split_once(" as the input and "))
            .expect(&reported);
        let line = format!(
            "{} dedup {input} --against {against} --json",
            env!("CARGO_BIN_EXE_lookalike")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &line])
            .current_dir(place.path("."))
            .output()
            .unwrap();
        let reported: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{line}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(
            (&reported["documents"], &reported["against"]["documents"]),
            (&trained.into(), &references.into()),
            "{line}"
        );
    }
    // A manual with pages named `train` and `test` is not a data set.
    std::fs::create_dir(place.path("docs")).unwrap();
    for name in ["train", "test", "install"] {
        place.write(&format!("docs/{name}.md"), name);
    }
    assert_eq!(place.run("dedup docs").code, 0);
}

#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    std::fs::create_dir_all(place.path("all/of/it")).unwrap();
    std::fs::create_dir(place.path("beside")).unwrap();
    place.write("all/of/it/z.jsonl", lines()).write(
        "beside/b.jsonl",
        lines().replace("\"id\":\"", "\"id\":\"beside "),
    );
    symlink("..", place.path("all/of/back")).unwrap();
    symlink(".", place.path("all/here")).unwrap();
    symlink("of/it", place.path("all/a")).unwrap();
    symlink("of/it/z.jsonl", place.path("all/b.jsonl")).unwrap();
    symlink("../beside", place.path("all/beside")).unwrap();
    let ran = place.run("dedup all --decisions -");
    assert!(
        ran.code == 0 && ran.err.contains("8 documents in") && !ran.err.contains("skipped"),
        "{}",
        ran.err
    );
    std::fs::remove_file(place.path("beside/b.jsonl")).unwrap();
    place.write("beside/of.txt", "another text");
    let ran = place.run("dedup all --id-field none --decisions -");
    assert!(
        ran.out.starts_with("{\"id\":\"all/of/it/z.jsonl:1\""),
        "called by its own name: {} {}",
        ran.out,
        ran.err
    );
    symlink("nothing.jsonl", place.path("all/c.jsonl")).unwrap();
    let ran = place.run("dedup all");
    assert!(
        ran.code == 2 && ran.err.contains("all/c.jsonl: is a broken link; remove it"),
        "{}",
        ran.err
    );
}

#[test]
fn a_pipe_needs_a_declared_format() {
    let place = Place::new();
    place.write("in.csv", csv(",")).write(
        "in.arrows",
        std::fs::read(testdata("formats/tables/pyarrow_stream.arrows")).unwrap(),
    );
    for (from, asked, words) in [
        (
            "in.csv",
            "- -o kept.csv",
            "kept.csv: whether stdin is CSV is known only when it is read; declare its format, such as --format csv",
        ),
        (
            "in.arrows",
            "- -o kept.arrows",
            "stdin: is a table (Parquet or Arrow), which needs random access; save it to a file first",
        ),
        (
            "in.arrows",
            "- -o kept.jsonl",
            "stdin: is a table (Parquet or Arrow), which needs random access; save it to a file first",
        ),
        (
            "in.arrows",
            "- -o kept.arrows --format arrow",
            "stdin: is a table (Parquet or Arrow)",
        ),
    ] {
        let stdin = std::fs::File::open(place.path(from)).unwrap();
        let ran = crate::Ran::of(
            place
                .command(&format!("dedup {asked}"))
                .stdin(stdin)
                .output()
                .unwrap(),
        );
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
    }
    let stdin = std::fs::File::open(place.path("in.csv")).unwrap();
    assert!(
        place
            .command("dedup - -o kept.csv --format csv -q")
            .stdin(stdin)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(place.read("kept.csv").lines().next(), Some("id,text,note"));
    let ran = place.run("dedup in.arrows -o kept.arrows");
    assert!(
        ran.code == 0
            && std::fs::read(place.path("kept.arrows"))
                .unwrap()
                .starts_with(&[0xff; 4]),
        "{}",
        ran.err
    );
}

#[test]
fn errors_are_reported_with_their_place() {
    let place = Place::new();
    place
        .write("ragged.csv", "id,text\n1,a\n2,b,c\n")
        .write("quote.csv", "id,text\n1,a\n2,\"b\n3,c\n");
    place
        .write("names.csv", "id,body\n1,a\n")
        .write("other.csv", "id,text,more\n1,a,b\n")
        .write("good.csv", "id,text\n1,a\n");
    place
        .write("latin.csv", b"id,text\n1,caf\xe9\n")
        .write("cut.json", "[{\"text\":\"a\"},\n{\"text\":");
    place
        .write("numbers.json", "[{\"text\":\"a\"},\n 7\n]")
        .write("lines.jsonl", lines());
    place
        .write(
            "layout.json",
            "[{\"text\":\"a\"},\n\n{bad},\n{\"text\":\"b\"}]",
        )
        .write("pretty.json", "[{\n\"a\":?\n}]");
    for (asked, words) in [
        (
            "ragged.csv",
            "ragged.csv:3: the row has 3 fields, but the header has 2; quote fields",
        ),
        (
            "quote.csv",
            "quote.csv:3: a quote opens here and never closes",
        ),
        (
            "names.csv",
            "names.csv:1: no column \"text\"; the columns are \"id\", \"body\"; name one with --text-field",
        ),
        (
            "latin.csv",
            "latin.csv:2: field \"text\" is not UTF-8 at byte 4; name the file's encoding with --encoding",
        ),
        ("cut.json", "cut.json:2: the file ends inside element 2"),
        (
            "numbers.json",
            "numbers.json:2: not a JSON object (invalid type: integer `7`, expected an object); each element of the array must be one object",
        ),
        (
            "layout.json",
            "layout.json:2: not JSON: key must be a string at byte 2 of the element; each element of the array must be one whole JSON object\n",
        ),
        (
            "pretty.json --text-field a.b",
            "pretty.json:1: not JSON: expected value at byte 5 of line 2 of the element; each element",
        ),
        (
            "good.csv other.csv --allow-repeated-ids -o kept.csv",
            "other.csv: its columns are \"id\", \"text\", \"more\"",
        ),
        ("good.csv --delimiter ab", "give one ASCII character"),
    ] {
        let ran = place.run(&format!("dedup {asked}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
        assert!(!place.path("kept.csv").exists());
    }
    assert_eq!(
        place
            .run("dedup latin.csv -o kept.jsonl --encoding latin1")
            .code,
        0
    );
    // Names of columns are in the file's encoding too: 编号 and 正文 in GB18030.
    place.write(
        "gb.csv",
        b"\xb1\xe0\xba\xc5,\xd5\xfd\xce\xc4\n1,\xba\xba\xd3\xef\n2,\xba\xba\xd3\xef\n",
    );
    let ran = place.run("dedup gb.csv -o kept.csv --encoding gb18030 --id-field \u{7f16}\u{53f7} --text-field \u{6b63}\u{6587}");
    assert!(
        ran.code == 0 && ran.err.starts_with("2 documents in = 1 kept"),
        "{}",
        ran.err
    );
    assert_eq!(
        std::fs::read(place.path("kept.csv")).unwrap(),
        b"\xb1\xe0\xba\xc5,\xd5\xfd\xce\xc4\n1,\xba\xba\xd3\xef\n"
    );
    assert_eq!(
        place.read("kept.jsonl"),
        "{\"id\":\"1\",\"text\":\"café\"}\n"
    );
    let ran = place.run("dedup latin.csv --encoding windows-1522");
    assert!(
        ran.code == 2 && ran.err.contains("windows-1522"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup ragged.csv --skip-bad bad.csv -o kept.csv");
    assert_eq!(
        (ran.code, &*place.read("bad.csv"), &*place.read("kept.csv")),
        (0, "2,b,c\n", "id,text\n1,a\n"),
        "{}",
        ran.err
    );
}

/// Tests values that are not objects, in an array and on lines.
#[test]
fn elements_that_are_not_objects_are_skipped_like_bad_lines() {
    let place = Place::new();
    let bad = [
        "null",
        "3",
        "\"x, ]\"",
        "[1,{\"a\":\"]\"}]",
        "true",
        "-1.5e+3",
        "{\"id\":2}",
        "falsy",
    ];
    let text = |id: u32| format!("{{\"id\":{id},\"text\":\"a text that is here\"}}");
    let values: Vec<String> = bad
        .iter()
        .zip(3..)
        .flat_map(|(bad, id)| [text(id), bad.to_string()])
        .collect();
    place
        .write("lines.jsonl", values.join("\n"))
        .write("array.json", format!("[{}]", values.join(" ,\n")));
    place.write(
        "tight.json.gz",
        gzip(format!("[{}]", values.join(",")).as_bytes()),
    );
    let mut reported = Vec::new();
    for input in ["lines.jsonl", "array.json", "tight.json.gz"] {
        let ran = place.run(&format!(
            "dedup {input} -o kept.jsonl --decisions why.jsonl --skip-bad bad.out"
        ));
        assert!(
            ran.code == 0 && ran.err.contains("8 lines skipped, written to bad.out"),
            "{input}: {}",
            ran.err
        );
        assert_eq!(place.read("bad.out"), bad.join("\n") + "\n", "{input}");
        assert_eq!(place.read("kept.jsonl"), text(3) + "\n", "{input}");
        reported.push(place.read("why.jsonl"));
        let ran = place.run(&format!("dedup {input}"));
        assert!(
            ran.code == 2
                && ran
                    .err
                    .contains(":2: not a JSON object (invalid type: null"),
            "{input}: {}",
            ran.err
        );
    }
    assert!(
        reported.iter().all(|one| *one == reported[0]),
        "{reported:?}"
    );
}

#[test]
fn columns_decide_keep_order_and_ids() {
    let place = Place::new();
    let text = "the same words in all of these three documents and nothing else in them";
    place.write("in.csv", format!("name,text,score,day\nx,{text},9,2024-01-31\ny,{text},10,2023-01-31\n,{text},2,2025-01-01\n"));
    for (keep, kept) in [
        ("max:score", "y"),
        ("min:score", ""),
        ("newest:day", ""),
        ("first", "x"),
    ] {
        let ran = place.run(&format!(
            "dedup in.csv -o - --keep {keep} --id-field name --no-decisions"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let line = ran.out.lines().nth(1).unwrap();
        assert_eq!(line.split(',').next().unwrap(), kept, "{keep}");
    }
    let ran = place.run("dedup in.csv --decisions - --id-field name");
    assert!(
        ran.out
            .lines()
            .last()
            .unwrap()
            .starts_with("{\"id\":\"in.csv:4\","),
        "named by its line: {}",
        ran.out
    );
}

#[test]
fn a_name_with_dots_is_a_field_or_a_path() {
    let place = Place::new();
    let nested = |(id, text, _): (&str, &str, &str), n: u32| {
        let mut record =
            serde_json::json!({"a": {"text": "not this", "é": 1}, "m": {"id": id, "n": n}});
        // The record with `n` = 1 has a single field that is named `a.text`, with the dot in its name.
        record[if n == 1 { "a.text" } else { "a" }] = if n == 1 {
            text.into()
        } else {
            serde_json::json!({"text": text})
        };
        record
    };
    let records = [
        nested(TEXTS[0], 1),
        nested(TEXTS[2], 2),
        nested(TEXTS[1], 0),
    ];
    place.write(
        "in.jsonl",
        records
            .each_ref()
            .map(|record| format!("{record}\n"))
            .concat(),
    );
    place.write("in.json", serde_json::to_string_pretty(&records).unwrap());
    place.write(
        "in.csv",
        "a.text,m.id,m.n\none two three,1,1\none two three,2,2\n",
    );
    let asked = "--text-field a.text --id-field m.id";
    for (input, keep, kept) in [
        ("in.jsonl", "first", "a b"),
        ("in.jsonl", "max:m.n", "c b"),
        ("in.json", "max:m.n", "c b"),
        ("in.csv", "max:m.n", "2"),
    ] {
        let ran = place.run(&format!(
            "dedup {input} {asked} --keep {keep} -o kept.jsonl --decisions why.jsonl"
        ));
        assert_eq!(ran.code, 0, "{input}: {}", ran.err);
        let decided = kept_objects(&place, "why.jsonl");
        let ids = decided
            .iter()
            .filter(|line| line["verdict"] == "kept")
            .map(|line| line["id"].as_str().unwrap());
        assert_eq!(ids.collect::<Vec<_>>().join(" "), kept, "{input} {keep}");
    }
    place.write("flat.csv", "a,m.id\none,1\n");
    let ran = place.run(&format!("dedup flat.csv {asked}"));
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("no column \"a.text\"; the columns are \"a\", \"m.id\""),
        "{}",
        ran.err
    );
    let ran = place.run("dedup in.jsonl --text-field a.words");
    let reported = "in.jsonl:1: no field \"a.words\"; the record has the fields \"a.text\", ";
    assert!(
        ran.code == 2 && ran.err.contains(reported) && ran.err.contains("\"m.id\""),
        "{}",
        ran.err
    );
}

#[test]
fn files_that_are_documents() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("texts/deep")).unwrap();
    let text = "Ein Text über Gärten, Häuser und Flüsse, den niemand sonst so geschrieben hat, und der hier zweimal steht.";
    let latin: Vec<u8> = text.chars().map(|c| u32::from(c) as u8).collect();
    place
        .write("texts/b.txt", text)
        .write("texts/deep/a.md", latin)
        .write("texts/.hidden.txt", text);
    place.write(
        "texts/page.html",
        format!("<html><title>T</title><script>x()</script><p>{text}</p></html>"),
    );
    place.write("texts/empty.txt", "").write(
        "texts/code.py",
        "print('something else entirely, in a file of another kind')",
    );
    let ran = place.run("dedup texts -o kept.jsonl");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ids: Vec<Value> = kept_objects(&place, "kept.jsonl")
        .into_iter()
        .map(|kept| kept["id"].clone())
        .collect();
    assert_eq!(
        ids,
        ["b.txt", "empty.txt"],
        "in the order of names: {}",
        ran.err
    );
    assert_eq!(kept_objects(&place, "kept.jsonl")[0]["text"], text);
    let why = place.read("kept.decisions.jsonl");
    assert!(
        why.contains(
            r#"{"id":"deep/a.md","verdict":"dropped","reason":"exact","representative":"b.txt""#
        ),
        "{why}"
    );
    assert!(
        why.contains(
            r#"{"id":"page.html","verdict":"dropped","reason":"exact","representative":"b.txt""#
        ),
        "{why}"
    );
    let ran = place.run("dedup texts --format text -o all.jsonl");
    assert!(
        ran.code == 0 && place.read("all.jsonl").contains("code.py"),
        "{}",
        ran.err
    );
    // If files are given by name, their ids are these names.
    let ran = place.run("dedup texts/b.txt texts/deep/a.md --decisions -");
    assert!(
        ran.out.starts_with(r#"{"id":"texts/b.txt""#)
            && ran
                .out
                .contains(r#"{"id":"texts/deep/a.md","verdict":"dropped""#)
    );
    let ran = place.run("dedup texts -o kept.jsonl --keep max:size");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("texts/b.txt: --keep max:size: there is no field \"size\""),
        "{}",
        ran.err
    );
    let ran = place.run("dedup texts texts/b.txt");
    assert!(
        ran.code == 2 && ran.err.contains("texts/b.txt: given twice"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup texts -o texts/b.txt");
    assert!(
        ran.code == 2 && ran.err.contains("would overwrite the input texts/b.txt"),
        "{}",
        ran.err
    );
}

#[test]
fn pages_in_records() {
    let place = Place::new();
    let words = "some words that make a paragraph of a page, long enough to be compared with those of another page";
    let page = |menu: &str| {
        format!(
            "<html><body><nav><a href='/'>{menu}</a></nav><article><p>{words}</p></article></body></html>"
        )
    };
    let line =
        |id: u32, menu: &str| format!("{}\n", serde_json::json!({"id": id, "text": page(menu)}));
    let menus = [
        "Home, about us, contact, jobs and all the rest",
        "Startseite und Impressum und noch viel mehr davon",
    ];
    place.write(
        "in.jsonl",
        menus
            .iter()
            .zip(1..)
            .map(|(menu, id)| line(id, menu))
            .collect::<String>(),
    );
    for (flags, kept) in [
        ("", 2),
        ("--html text", 2),
        ("--html text --threshold 0.4", 1),
    ] {
        let ran = place.run(&format!("dedup in.jsonl -o kept.jsonl {flags}"));
        assert_eq!(
            (ran.code, place.read("kept.jsonl").lines().count()),
            (0, kept),
            "{flags}: {}",
            ran.err
        );
    }
    assert!(
        place
            .read("in.jsonl")
            .starts_with(&place.read("kept.jsonl")),
        "written as they came"
    );
}

#[test]
fn crawls() {
    let place = Place::new();
    let plain = testdata("formats/crawl.warc.gz");
    for name in ["formats/crawl.warc.gz", "formats/crawl.warc.zst"] {
        let ran = place.run(&format!(
            "dedup {} -o {}.jsonl --allow-repeated-ids",
            testdata(name),
            name.replace('/', "-")
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let [gz, zst] = [
        "formats-crawl.warc.gz.jsonl",
        "formats-crawl.warc.zst.jsonl",
    ]
    .map(|name| place.read(name));
    assert!(!gz.is_empty() && gz == zst);
    let first = kept_objects(&place, "formats-crawl.warc.gz.jsonl").remove(0);
    assert!(
        first["id"].as_str().unwrap().starts_with("http")
            && first["date"].is_string()
            && first["text"].is_string(),
        "{first}"
    );
    let ran = place.run(&format!("dedup {plain} -o kept.warc --allow-repeated-ids"));
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("kept.warc: HTML and WARC files cannot be written"),
        "{}",
        ran.err
    );
}

#[test]
fn folders_exclude_git_ignored_files_on_request() {
    let place = Place::new();
    for folder in ["docs", "docs/build", "docs/.git"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    place
        .write("docs/a.md", "one")
        .write("docs/build/b.md", "two")
        .write("docs/draft.txt", "three")
        .write("docs/.git/c.txt", "four");
    place
        .write("docs/.gitignore", "build/\ndraft*\n!keep.txt\n")
        .write(".gitignore", "later.txt\n")
        .write("docs/later.txt", "five");
    let read = |flags: &str| {
        let ran = place.run(&format!("dedup docs -o kept.jsonl {flags}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        kept_objects(&place, "kept.jsonl")
            .iter()
            .map(|line| line["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(read(""), ["a.md", "build/b.md", "draft.txt", "later.txt"]);
    assert_eq!(read("--gitignore"), ["a.md"]);
    // An input that is named on the command line is read, even if `.gitignore` excludes it.
    assert_eq!(
        place.run("dedup docs/build -o kept.jsonl --gitignore").code,
        0
    );
    assert_eq!(kept_objects(&place, "kept.jsonl")[0]["id"], "b.md");
}

#[test]
fn compressed_arrays_are_detected_for_any_block_size() {
    let place = Place::new();
    let mut number = 7u64;
    let mut word = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        format!("{number:x} ")
    };
    let texts: Vec<Value> =
        (0..3).map(|id| serde_json::json!({"id": id, "text": (0..9000).map(|_| word()).collect::<String>()})).collect();
    place.write("in.json", serde_json::to_string(&texts).unwrap());
    for packed in [
        "in.json",
        "in.json.zst",
        "in.json.gz",
        "in.json.bz2",
        "in.json.xz",
        "in.json.lz4",
        "in.json.br",
    ] {
        let ran = place.run(&format!(
            "dedup in.json -o {packed}.again.{} --no-decisions",
            packed.trim_start_matches("in.")
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let again = format!("{packed}.again.{}", packed.trim_start_matches("in."));
        let ran = place.run(&format!("dedup {again} -o kept.jsonl --no-decisions"));
        assert_eq!(
            (ran.code, kept_objects(&place, "kept.jsonl")),
            (0, texts.clone()),
            "{again}: {}",
            ran.err
        );
    }
}

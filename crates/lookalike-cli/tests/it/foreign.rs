//! Tests of files in formats that are not read, and of limits of the system: the error message names the format or the limit, and
//! says what to do.

use std::process::{Command, Stdio};

use super::{Place, Ran, SMALL, labels::gzip};

#[test]
fn the_actual_kind_of_a_file_is_reported() {
    let place = Place::new();
    let mut tar = vec![b'a'; 1024];
    tar[257..263].copy_from_slice(b"ustar\0");
    let utf32: Vec<u8> = "\u{feff}{\"text\":1}\n"
        .chars()
        .flat_map(|c| u32::from(c).to_le_bytes())
        .collect();
    place
        .write("a.pdf", "%PDF-1.7\n%\u{e2}\n1 0 obj")
        .write("data.jsonl", "%PDF-1.7\n1 0 obj")
        .write("a.docx", b"PK\x03\x04\x14\0")
        .write("a.xlsx", b"PK\x03\x04\x14\0")
        .write("table.csv", b"PK\x03\x04\x14\0")
        .write(
            "sheet.csv",
            b"PK\x03\x04\x14\0\x06\0[Content_Types].xml  PK\x03\x04xl/workbook.xml",
        )
        .write("printed.parquet", "%PDF-1.7\n1 0 obj")
        .write(
            "sheet.arrow",
            b"PK\x03\x04\x14\0\x06\0[Content_Types].xml  PK\x03\x04xl/workbook.xml",
        )
        .write("program", b"\x7fELF\x02\x01\x01\0")
        .write("program.txt", b"\x7fELF\x02\x01\x01\0")
        .write("a.cpio.gz", gzip(&tar))
        .write("utf32.jsonl", &utf32)
        .write("utf32.txt", &utf32)
        .write("pretty.json", "{\n  \"id\": 1,\n  \"text\": \"x\"\n}\n")
        .write("one.txt", "one two three");
    for (asked, words) in [
        (
            "a.pdf",
            "a.pdf: is a PDF file, which cannot be read; extract its text first, as with pdftotext",
        ),
        ("data.jsonl", "data.jsonl: is a PDF file"),
        (
            "a.docx",
            "a.docx: is a Word document, which cannot be read; save it as text, as with pandoc -t plain",
        ),
        (
            "a.xlsx",
            "a.xlsx: is an Excel workbook, which cannot be read; save the sheet as CSV",
        ),
        (
            "table.csv",
            "table.csv: is a zip archive, which cannot be read; if it has documents, save it to a local file whose name ends with .zip",
        ),
        ("table.csv --format csv", "table.csv: is a zip archive"),
        (
            "sheet.csv",
            "sheet.csv: is an Excel workbook, which cannot be read; save the sheet as CSV",
        ),
        (
            "printed.parquet",
            "printed.parquet: is a PDF file, which cannot be read; extract its text first",
        ),
        (
            "sheet.arrow",
            "sheet.arrow: is an Excel workbook, which cannot be read",
        ),
        (
            "program",
            "program: is a program (ELF), which cannot be read",
        ),
        (
            "program.txt",
            "program.txt: is a program (ELF), which cannot be read",
        ),
        (
            "a.cpio.gz",
            "a.cpio.gz: is a tar archive, which cannot be read; if it has documents, save it to a local file whose name ends with .zip or .tar",
        ),
        (
            "hf://datasets/user/name/data/*.parquet",
            "files on the Hugging Face Hub are not read from there; download them with `hf download user/name --repo-type dataset \
             --include 'data/*.parquet' --local-dir name`, and name the folder; or pass the dataset in Python: \
             lookalike.dedup(datasets.load_dataset(\"user/name\", split=\"train\"))",
        ),
        (
            "utf32.jsonl",
            "utf32.jsonl: is UTF-32, which cannot be read; write it as UTF-8, as with: iconv -f UTF-32 -t UTF-8",
        ),
        (
            "utf32.jsonl --format jsonl",
            "utf32.jsonl:1: the file is UTF-32, but JSON must be UTF-8; convert it",
        ),
        ("utf32.txt", "utf32.txt: is UTF-32, which cannot be read"),
        (
            "pretty.json",
            "pretty.json:1: not JSON: EOF while parsing an object at byte 1 of the line; each line must be one whole JSON object; put an object that spans several lines on one line, for example with jq -c . FILE",
        ),
        (
            "a.pdf one.txt --format text",
            "a.pdf: is a PDF file, which cannot be read; extract its text first",
        ),
    ] {
        let ran = place.run(&format!("dedup {asked} -o kept.jsonl"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
    }
    // A document that is not a text is a bad record.
    let ran = place.run("dedup a.pdf one.txt --format text -o kept.jsonl --skip-bad bad");
    assert!(
        ran.code == 0 && ran.err.contains("bad      1 line skipped, written to bad"),
        "{}",
        ran.err
    );
}

#[test]
fn a_text_to_compare_may_be_compressed_but_must_be_text() {
    let place = Place::new();
    place
        .write("a.txt", "one two three four five six")
        .write("b.txt.gz", gzip(b"one two three four five six"));
    assert_eq!(place.run("compare a.txt b.txt.gz -t 1").code, 0);
    place.write("a.pdf", "%PDF-1.7\n");
    let ran = place.run("compare a.txt a.pdf");
    assert!(
        ran.code == 2 && ran.err.contains("a.pdf: is a PDF file"),
        "{}",
        ran.err
    );
    let ran = place.run("compare a.txt s3://");
    assert!(
        ran.code == 2 && !ran.err.contains("No such file"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn limits_of_the_system_are_named() {
    let place = Place::new();
    let line = |n: u32| {
        format!(
            "{{\"id\":{n},\"text\":\"{}\"}}\n",
            format!("words {n} ").repeat(300)
        )
    };
    place
        .write("in.jsonl", SMALL)
        .write("long.jsonl", (0..100).map(line).collect::<String>());
    let limited = |limit: &str, arguments: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!(
            "ulimit {limit} && exec {} {arguments}",
            env!("CARGO_BIN_EXE_lookalike")
        ));
        Ran::of(
            command
                .current_dir(place.path(""))
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    };
    let ran = limited("-n 4", "dedup in.jsonl -o kept.jsonl");
    assert!(
        ran.code == 2
            && ran.err.contains(
                "too many files are open; raise the limit, for example with ulimit -n 4096"
            ),
        "{}",
        ran.err
    );
    let ran = limited("-f 8", "dedup long.jsonl -o kept.jsonl");
    let words = ": cannot be written: the file is larger than the system allows; raise the limit (ulimit -f)";
    assert!(
        ran.code == 2 && ran.err.contains(words),
        "{} {}",
        ran.code,
        ran.err
    );
    assert_eq!(place.names(), ["in.jsonl", "long.jsonl"]);
    let ran = limited("-f 8", "dedup long.jsonl -o kept.jsonl --resume state");
    let words = "the state in state: the file is larger than the system allows; raise the limit (ulimit -f), or write to another disk; then \
                 run the same command again, which continues from there";
    assert!(
        ran.code == 2 && ran.err.contains(words),
        "{} {}",
        ran.code,
        ran.err
    );
    assert_eq!(
        place
            .run("dedup long.jsonl -o kept.jsonl --resume state")
            .code,
        0
    );
}

#[test]
fn the_delimiter_that_excel_declares_is_used() {
    let place = Place::new();
    let rows =
        "sep=;\r\nid;text\r\na;one, two, three, four\r\nb;five, six\r\nc;one, two, three, four\r\n";
    place
        .write("in.csv", rows)
        .write("tab.csv", rows.replace(';', "\t"))
        .write("mark.csv", format!("\u{feff}{rows}"));
    let utf16: Vec<u8> = format!("\u{feff}{rows}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    place.write("utf16.csv", utf16);
    for name in ["in.csv", "tab.csv", "mark.csv", "utf16.csv"] {
        let ran = place.run(&format!("dedup {name} -o kept.csv --decisions why.jsonl"));
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        let all = std::fs::read(place.path(name)).unwrap();
        let kept = std::fs::read(place.path("kept.csv")).unwrap();
        assert!(
            all.starts_with(&kept)
                && place
                    .read("why.jsonl")
                    .contains(r#"{"id":"c","verdict":"dropped""#),
            "{name}"
        );
    }
    let ran = place.run("dedup in.csv -o kept.csv --label --no-decisions");
    assert!(
        place
            .read("kept.csv")
            .starts_with("sep=;\r\nid;text;cluster;verdict;"),
        "{} {}",
        ran.err,
        place.read("kept.csv")
    );
    // Lines are counted as in an editor.
    place.write("bad.csv", "sep=;\nid;text\na;b;c\n");
    let ran = place.run("dedup bad.csv");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("bad.csv:3: the row has 3 fields, but the header has 2"),
        "{}",
        ran.err
    );
}

/// Each character has two bytes, and the second byte can be that of a backslash or a brace.
#[test]
fn lines_in_another_encoding_are_read_and_written_unchanged() {
    let place = Place::new();
    let line = |id: &[u8], text: &[u8]| {
        [&b"{\"id\":\""[..], id, b"\",\"text\":\"", text, b"\"}\n"].concat()
    };
    let text: &[u8] = b"\xb4\xba\xc3\xdf\xb2\xbb\xbe\xf5\xcf\xfe \xb4\xa6\xb4\xa6\xce\xc5\xcc\xe4\xc4\xf1 \xd5\x5c";
    let lines = [
        line(b"\xd6\xd0", text),
        line(b"2", "plain, in UTF-8: \u{e9}\u{4e2d}".as_bytes()),
        line(b"\xce\xc4\x81\x7d", text),
    ];
    place
        .write("in.jsonl", lines.concat())
        .write("packed.jsonl.gz", gzip(&lines.concat()));
    for asked in [
        "in.jsonl --encoding gb18030",
        "packed.jsonl.gz --encoding gbk --keep longest",
    ] {
        let ran = place.run(&format!(
            "dedup {asked} -o kept.jsonl --decisions why.jsonl"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(
            std::fs::read(place.path("kept.jsonl")).unwrap(),
            lines[..2].concat()
        );
        let why = place.read("why.jsonl");
        assert!(
            why.contains(r#""verdict":"dropped","reason":"exact","representative":"中""#),
            "{why}"
        );
    }
    // The label that is added to a line is ASCII, which has the same bytes in GB18030 as in UTF-8.
    let ran = place.run("dedup in.jsonl --encoding gb18030 -o label.jsonl --label --no-decisions");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let labelled = std::fs::read(place.path("label.jsonl")).unwrap();
    let last = [
        &lines[2][..lines[2].len() - 2],
        br#","cluster":"\u4e2d","verdict":"dropped","representative":"\u4e2d","similarity":1.0}"#,
        b"\n",
    ]
    .concat();
    assert!(
        labelled.ends_with(&last),
        "{}",
        String::from_utf8_lossy(&labelled)
    );
    assert_eq!(
        place
            .run("dedup label.jsonl --encoding gb18030 -o again.jsonl")
            .code,
        0
    );
    // Records that are not UTF-8 are refused if their encoding is not named, if they are in a JSON array, or if the same run also
    // reads inputs of another format. A run that reads several formats writes all records in UTF-8.
    place.write("in.csv", "id,text\n7,seven\n").write(
        "in.json",
        [&b"["[..], &line(b"\xd6\xd0", b"\xb4\xba"), b"]"].concat(),
    );
    place.write(
        "link.toml",
        "match = 0.8\n[[field]]\nname = \"text\"\ntype = \"text\"\n[[block]]\nequal = [\"text\"]\n",
    );
    for (asked, advice) in [
        (
            "dedup in.jsonl",
            "of the line; convert the file to UTF-8, for instance with iconv, or name its encoding with --encoding",
        ),
        (
            "dedup in.json --encoding gb18030",
            "of the record; a JSON array must be UTF-8; convert the file",
        ),
        (
            "pairs in.json",
            "of the record; a JSON array must be UTF-8; convert the file",
        ),
        (
            "dedup in.jsonl in.csv --encoding gb18030",
            "--encoding works only for JSON Lines that are not read together with other formats; convert",
        ),
        (
            "dedup in.jsonl --encoding utf-16le",
            "of the line; JSON Lines cannot be read as UTF-16LE; convert the file to UTF-8, for instance with iconv, or name its encoding",
        ),
        (
            "dedup in.jsonl --encoding utf-8",
            "of the line; convert the file to UTF-8, for instance with iconv, or name its encoding",
        ),
        (
            "eval in.jsonl --sample 2",
            "or name its encoding with --encoding",
        ),
        (
            "compare 1 2 --in in.jsonl",
            "or name its encoding with --encoding",
        ),
        (
            "link in.jsonl --config link.toml",
            "or name its encoding with --encoding",
        ),
        (
            "minutiae in.jsonl --minutiae-field text",
            "or name its encoding with --encoding",
        ),
    ] {
        let ran = place.run(asked);
        assert!(
            ran.code == 2 && ran.err.contains("invalid UTF-8 at byte ") && ran.err.contains(advice),
            "{asked}: {}",
            ran.err
        );
    }
    let ran = place.run("compare 中 2 --in in.jsonl --encoding gb18030 --json");
    assert!(
        ran.code == 0 && ran.out.contains("\"resemblance\""),
        "{} {}",
        ran.out,
        ran.err
    );
    let ran = place.run("eval in.jsonl --encoding gb18030 --sample 3 --run= --json");
    assert!(
        ran.code == 0 && ran.out.contains("\"documents\": 3"),
        "{} {}",
        ran.out,
        ran.err
    );
    assert_eq!(
        place
            .run("link in.jsonl --config link.toml --encoding gb18030")
            .code,
        0
    );
    place.write("bad.jsonl", b"{\"id\":1,\"text\":\"\xff\xff\"}\n");
    let ran = place.run("dedup bad.jsonl --encoding gb18030");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("bad.jsonl:1: is neither UTF-8 nor gb18030"),
        "{}",
        ran.err
    );
}

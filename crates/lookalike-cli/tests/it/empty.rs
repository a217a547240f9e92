//! Tests that an empty collection is a valid collection.

use std::{fs, process::Stdio};

use crate::{Place, Ran, testdata};

const TEXT: &str = "one two three four five six seven eight nine ten";

/// Writes inputs without documents: empty files, files with only blank lines, only a header or only an empty array, a table
/// without rows, and an empty folder. Also writes one input with a document, and a configuration for `link`.
fn place() -> Place {
    let place = Place::new();
    place
        .write("in.jsonl", "")
        .write("blank.jsonl", "\n \n")
        .write("head.csv", "id,text,more\r\n")
        .write("in.csv", "")
        .write("blank.tsv", "id\ttext\n\n")
        .write("in.json", "[]")
        .write("none.json", "")
        .write("mark.csv", "\u{feff}")
        .write("newlines.csv", "\n\r\n\n")
        .write("sep.csv", "sep=;\r\n")
        .write("sep_alone.csv", "\u{feff}sep=;")
        .write("full.jsonl", format!("{{\"id\":1,\"text\":\"{TEXT}\"}}\n"))
        .write("link.toml", "match = 0.8\n[[field]]\nname = \"name\"\ntype = \"name\"\n[[block]]\nequal = [\"name\"]\n");
    fs::create_dir(place.path("folder")).unwrap();
    fs::copy(
        testdata("formats/unsupported/empty.parquet"),
        place.path("rows.parquet"),
    )
    .unwrap();
    place
}

#[test]
fn dedup_writes_an_empty_file_of_each_format() {
    let place = place();
    for (input, kept, content) in [
        ("in.jsonl", "kept.jsonl", ""),
        ("blank.jsonl", "kept.jsonl", ""),
        ("in.csv", "kept.csv", ""),
        ("head.csv", "kept.csv", "id,text,more\r\n"),
        ("blank.tsv", "kept.tsv", "id\ttext\n"),
        ("head.csv", "kept.jsonl", ""),
        ("in.json", "kept.json", "[]\n"),
        ("in.json", "kept.jsonl", ""),
        ("folder", "kept.jsonl", ""),
        ("in.jsonl folder in.json", "kept.jsonl", ""),
        ("none.json", "kept.json", "[]\n"),
        ("folder", "kept.json", "[]\n"),
        ("in.jsonl", "kept.json", "[]\n"),
        ("none.json in.json", "kept.json", "[]\n"),
        ("mark.csv", "kept.csv", "\u{feff}"),
        ("mark.csv", "kept.jsonl", ""),
        ("newlines.csv", "kept.csv", ""),
        ("sep.csv", "kept.csv", "sep=;\r\n"),
        ("sep_alone.csv --label", "kept.csv", "\u{feff}sep=;"),
        ("mark.csv sep.csv head.csv", "kept.csv", "id,text,more\r\n"),
        ("in.jsonl --format json", "kept.json", "[]\n"),
        ("in.jsonl --against full.jsonl", "kept.jsonl", ""),
        ("in.jsonl --against in.json", "kept.jsonl", ""),
        ("in.jsonl --keep longest", "kept.jsonl", ""),
        ("in.jsonl --candidates shared", "kept.jsonl", ""),
        ("in.jsonl --cluster components", "kept.jsonl", ""),
        ("in.jsonl --resume state", "kept.jsonl", ""),
        ("in.jsonl --label", "kept.jsonl", ""),
        (
            "head.csv --label",
            "kept.csv",
            "id,text,more,cluster,verdict,representative,similarity\r\n",
        ),
    ] {
        let ran = place.run(&format!("dedup {input} -o {kept} --decisions why.jsonl"));
        assert!(
            ran.code == 0
                && ran
                    .err
                    .contains("0 documents in = 0 kept + 0 dropped (0.0 %)\n"),
            "{input}: {}",
            ran.err
        );
        assert!(
            ran.err.contains("(largest group 0)"),
            "{input}: {}",
            ran.err
        );
        assert_eq!(place.read(kept), content, "{input} to {kept}");
        assert_eq!(place.read("why.jsonl"), "", "{input}");
    }
    let ran = place.run("dedup rows.parquet -o kept.parquet --decisions why.parquet");
    assert!(
        ran.code == 0 && ran.err.starts_with("0 documents in"),
        "{}",
        ran.err
    );
    // Tables without rows still have their columns, so that a command can read them.
    for (table, flags) in [
        ("kept.parquet", ""),
        ("why.parquet", "--text-field verdict"),
    ] {
        let ran = place.run(&format!("dedup {table} {flags}"));
        assert!(
            ran.code == 0 && ran.err.starts_with("0 documents in"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_csv_output_without_kept_documents_has_its_header() {
    let place = Place::new();
    place
        .write("a.csv", format!("id,text\n1,{TEXT}\n"))
        .write("b.csv", format!("id,text\n2,{TEXT}\n"));
    let ran = place.run("dedup a.csv --against b.csv -o kept.csv");
    assert!(
        ran.code == 0 && place.read("kept.csv") == "id,text\n",
        "{}",
        ran.err
    );
}

#[test]
fn every_command_takes_an_empty_collection() {
    let place = place();
    for (asked, said) in [
        ("pairs in.jsonl", "0 pairs among 0 documents"),
        ("pairs head.csv --exact", "0 pairs among 0 documents"),
        (
            "pairs in.json --against full.jsonl",
            "0 pairs between 1 reference document and 0 documents",
        ),
        ("pairs rows.parquet", "0 pairs among 0 documents"),
        (
            "apply in.jsonl blank.jsonl -o kept.jsonl",
            "0 documents in = 0 kept",
        ),
        (
            "passages in.jsonl",
            "0 pairs among 0 texts share 0 passages",
        ),
        (
            "passages in.jsonl full.jsonl",
            "0 pairs between 0 texts and 1 other share 0 passages",
        ),
        (
            "passages full.jsonl in.jsonl",
            "0 pairs between 1 text and 0 others share 0 passages",
        ),
        (
            "mirrors in.jsonl",
            "0 pairs of sites among 0 pages of 0 sites",
        ),
        (
            "mirrors folder full.jsonl",
            "0 pairs of sites among 0 pages of 0 sites against 1 page",
        ),
        (
            "mirrors full.jsonl folder",
            "0 pairs of sites among 1 page of 1 site against 0 pages of 0 sites",
        ),
        (
            "link in.jsonl --config link.toml",
            "0 matches and 0 possible ones among 0 records",
        ),
        (
            "link head.csv in.jsonl --config link.toml",
            "0 matches and 0 possible ones among 0 and 0 records",
        ),
        (
            "minutiae in.json",
            "0 pairs written, out of 0 among 0 prints",
        ),
        (
            "minutiae folder",
            "0 pairs written, out of 0 among 0 prints",
        ),
        (
            "link newlines.csv --config link.toml",
            "0 matches and 0 possible ones among 0 records",
        ),
        ("pairs mark.csv", "0 pairs among 0 documents"),
    ] {
        let ran = place.run(asked);
        assert!(
            ran.code == 0 && ran.out.is_empty() && ran.err.contains(said),
            "{asked}: {} {} {}",
            ran.code,
            ran.out,
            ran.err
        );
    }
    for (asked, advice) in [
        (
            "mirrors in.jsonl",
            "the collection has no pages, so there is nothing to match: name files or folders with pages",
        ),
        (
            "mirrors full.jsonl folder",
            "the second collection has no pages, so",
        ),
        (
            "mirrors folder full.jsonl",
            "the first collection has no pages, so",
        ),
        (
            "mirrors folder in.jsonl",
            "both collections have no pages, so",
        ),
    ] {
        let ran = place.run(asked);
        assert!(
            ran.err.contains(advice) && !ran.err.contains("--threshold"),
            "{asked}: {}",
            ran.err
        );
    }
    let ran = place.run("audit in.jsonl --texts in.jsonl");
    assert!(
        ran.code == 0 && ran.out.contains("0 documents"),
        "{} {}",
        ran.out,
        ran.err
    );
    let ran = place.run("eval in.jsonl --sample 10");
    assert!(
        ran.code == 0 && ran.out.contains("0 documents"),
        "{} {}",
        ran.out,
        ran.err
    );
}

#[test]
fn an_empty_pipe_is_an_empty_collection() {
    let place = Place::new();
    for asked in [
        "dedup - -o -",
        "pairs -",
        "dedup - -o kept.json --format json --no-decisions",
    ] {
        let mut run = place
            .command(asked)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(run.stdin.take());
        let ran = Ran::of(run.wait_with_output().unwrap());
        assert!(
            ran.code == 0 && ran.out.is_empty() && ran.err.contains("0 documents"),
            "{asked}: {} {}",
            ran.out,
            ran.err
        );
    }
    assert_eq!(place.read("kept.json"), "[]\n");
}

#[test]
fn a_missing_input_is_not_an_empty_collection() {
    let place = place();
    place
        .write("folder/picture.png", "x")
        .write("none.json.gz", "")
        .write("none.parquet", "")
        .write("late.csv", "\n\nid,text\n");
    for (input, part) in [
        ("missing.jsonl", "missing.jsonl: no such file"),
        ("*.nothing", "*.nothing: no file matches"),
        ("folder", "folder: no .jsonl, "),
        ("late.csv", "late.csv:1: no header"),
        ("none.parquet", "none.parquet: "),
        ("head.csv --text-field body", "no column \"body\""),
    ] {
        let ran = place.run(&format!("dedup {input} -o kept.jsonl"));
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{input}: {} {}",
            ran.code,
            ran.err
        );
    }
}

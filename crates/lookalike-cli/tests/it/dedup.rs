//! Tests of `lookalike dedup`, from the user's point of view.

use std::io::{Read, Write};

use insta::assert_snapshot;

use crate::{Place, Ran, SMALL, testdata};

#[test]
fn a_summary_that_a_person_understands() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    assert_snapshot!(place.run("dedup in.jsonl -o kept.jsonl --decisions why.jsonl").shown(), @"
    exit 0
    --- stdout
    --- stderr
    3 documents in = 2 kept + 1 dropped (33.3 %)
      dropped  0 exact duplicates (after normalisation), 1 near-duplicate (verified similarity >= 0.8)
      kept     1 represents dropped duplicates (largest group 2), 1 unique, 0 empty
      found    expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
      pairs    1 candidate pair verified
      written  kept records to kept.jsonl
      written  decisions to why.jsonl
    ");
    assert_snapshot!(place.read("why.jsonl"), @r#"
    {"id":"first","verdict":"kept","reason":"representative","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":2}
    {"id":2,"verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    {"id":"in.jsonl:3","verdict":"dropped","reason":"near","representative":"first","resemblance":0.9285714285714286,"containment":0.9285714285714286,"containment_of_representative":1.0,"cluster_size":2}
    "#);
    assert_eq!(
        place.read("kept.jsonl"),
        SMALL
            .lines()
            .take(2)
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    );
}

#[test]
fn without_an_output_nothing_is_written() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    assert_eq!(place.run("dedup in.jsonl").code, 0);
    assert_eq!(
        place
            .run("dedup in.jsonl -o kept.jsonl --decisions why.jsonl --dry-run")
            .code,
        0
    );
    assert_eq!(place.names(), ["in.jsonl"]);
}

#[test]
fn standard_output_contains_only_kept_lines() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    let ran = place.run("dedup in.jsonl -o -");
    assert_eq!(ran.out.lines().count(), 2);
    assert!(ran.err.contains("3 documents in = 2 kept + 1 dropped"));
    let quiet = place.run("dedup in.jsonl -o - --quiet");
    assert_eq!((quiet.out, quiet.err), (ran.out, String::new()));
}

#[test]
fn standard_input_is_an_input() {
    let place = Place::new();
    let mut child = place
        .command("dedup - -o - --decisions why.jsonl")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(SMALL.as_bytes())
        .unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.out.lines().count()), (0, 2));
    assert!(place.read("why.jsonl").contains(r#""id":"stdin:3""#));
}

#[test]
fn outputs_are_compressed_by_file_extension() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    assert_eq!(place.run("dedup in.jsonl -o a.jsonl").code, 0);
    let magics: [(&str, &[u8]); 6] = [
        (".gz", b"\x1f\x8b"),
        (".zst", b"\x28\xb5\x2f\xfd"),
        (".bz2", b"BZh9"),
        (".xz", b"\xfd7zXZ\0"),
        (".lz4", b"\x04\x22\x4d\x18"),
        (".br", b""),
    ];
    for (ending, magic) in magics {
        let packed = format!("a.jsonl{ending}");
        assert_eq!(place.run(&format!("dedup in.jsonl -o {packed}")).code, 0);
        let bytes = std::fs::read(place.path(&packed)).unwrap();
        assert!(
            bytes.starts_with(magic) && bytes != place.read("a.jsonl").as_bytes(),
            "{packed}: {bytes:?}"
        );
        assert!(
            place
                .names()
                .contains(&format!("a.decisions.jsonl{ending}"))
        );
        assert_eq!(place.run(&format!("dedup {packed} -o again.jsonl")).code, 0);
        assert_eq!(place.read("again.jsonl"), place.read("a.jsonl"));
        // If a folder is read instead of the file itself, the file's extension still identifies its format.
        std::fs::create_dir(place.path("folder")).unwrap();
        std::fs::copy(place.path(&packed), place.path(&format!("folder/{packed}"))).unwrap();
        assert_eq!(
            place.run("dedup folder -o - -q").out,
            place.read("a.jsonl"),
            "{packed}"
        );
        std::fs::remove_dir_all(place.path("folder")).unwrap();
        // A brotli stream has no magic number, so the truncated file needs the same extension as the complete one.
        std::fs::write(place.path("cut"), &bytes[..bytes.len() - 1]).unwrap();
        std::fs::rename(place.path("cut"), place.path(&packed)).unwrap();
        let ran = place.run(&format!("dedup {packed} -o again.jsonl"));
        assert!(
            ran.code == 2 && ran.err.contains("is truncated"),
            "{packed}: {}",
            ran.err
        );
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn packed_outputs_are_the_same_for_any_number_of_threads() {
    let place = Place::new();
    let lines = |number: u64| -> String {
        let words = |n| (0..30).map(move |w| format!("w{} ", n * 31 + w * w));
        let line = |n| {
            format!(
                "{{\"id\":{n},\"text\":\"{}\"}}\n",
                words(n).collect::<String>()
            )
        };
        (0..number).map(line).collect()
    };
    for ending in ["gz", "zst", "bz2", "xz", "lz4", "br"] {
        // Several blocks: those of xz have 6 MiB.
        let lines = lines(if ending == "xz" { 60_000 } else { 15_000 });
        place.write("in.jsonl", &lines);
        let packed = |threads: usize| {
            let name = format!("{threads}.jsonl.{ending}");
            let ran = place.run(&format!(
                "dedup in.jsonl -o {name} --no-decisions --threads {threads}"
            ));
            assert_eq!(ran.code, 0, "{}", ran.err);
            std::fs::read(place.path(&name)).unwrap()
        };
        let one = packed(1);
        assert!(one == packed(3), "{ending}");
        let ran = place.run(&format!(
            "dedup 1.jsonl.{ending} -o again.jsonl --no-decisions"
        ));
        assert!(
            ran.code == 0 && place.read("again.jsonl") == lines,
            "{ending}: {}",
            ran.err
        );
    }
}

#[test]
fn keep_orders() {
    let place = Place::new();
    let text = "one two three four five six seven eight nine ten eleven twelve";
    let lines = [
        format!(r#"{{"id":"a","text":"{text}","date":"2020-05-01","score":7}}"#),
        format!(r#"{{"id":"b","text":"{text} x","date":"2021-05-01T00:00:00Z","score":-1}}"#),
        format!(r#"{{"id":"c","text":"{text}","date":"1999","score":9.5}}"#),
    ];
    place.write("in.jsonl", lines.join("\n"));
    for (keep, kept) in [
        ("first", "a"),
        ("longest", "b"),
        ("newest:date", "b"),
        ("max:score", "c"),
        ("min:score", "b"),
    ] {
        let ran = place.run(&format!("dedup in.jsonl -o - --quiet --keep {keep}"));
        assert!(
            ran.out.contains(&format!(r#""id":"{kept}""#)) && ran.out.lines().count() == 1,
            "{keep}: {}{}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn other_fields_and_tokens() {
    let place = Place::new();
    place.write("in.jsonl", "{\"key\":1,\"body\":\"かきくけこさしすせそ\"}\n{\"key\":2,\"body\":\"がきくけこさしすせそ\"}\n{\"key\":3,\"body\":\"かきくけこ、さしすせそ。\"}\n");
    let ran =
        place.run("dedup in.jsonl -o - --text-field body --id-field key --quiet --tokens auto");
    assert_eq!(
        ran.out.lines().count(),
        2,
        "か is not が, and punctuation does not count"
    );
    let words =
        place.run("dedup in.jsonl -o - --text-field body --id-field key --quiet --tokens words");
    assert_eq!(
        words.out.lines().count(),
        3,
        "as words, the comma makes two of one"
    );
}

#[test]
fn components_join_documents_that_the_law_keeps() {
    let place = Place::new();
    let text = |changed: usize| {
        (0..41)
            .map(|i| {
                if i < changed * 5 {
                    format!("x{i} ")
                } else {
                    format!("y{i} ")
                }
            })
            .collect::<String>()
    };
    place.write(
        "in.jsonl",
        (0..9)
            .map(|i| format!("{{\"id\":{i},\"text\":\"{}\"}}\n", text(i)))
            .collect::<String>(),
    );
    assert_eq!(
        place
            .run("dedup in.jsonl -o - -q -t 0.6")
            .out
            .lines()
            .count(),
        5
    );
    assert_eq!(
        place
            .run("dedup in.jsonl -o - -q -t 0.6 --cluster components")
            .out
            .lines()
            .count(),
        1
    );
}

#[test]
fn the_summary_as_json_counts_everything() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        format!("{SMALL}\n{{\"id\":4,\"text\":\"...\"}}\nnot json\n"),
    );
    let ran = place.run("dedup in.jsonl -o kept.jsonl --json --skip-bad bad.txt");
    let summary: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    for (field, value) in [
        ("documents", 4),
        ("kept", 3),
        ("dropped", 1),
        ("dropped_near", 1),
        ("empty", 1),
        ("representatives", 1),
        ("bad_lines", 1),
        ("blank_lines", 1),
    ] {
        assert_eq!(summary[field], value, "{field}");
    }
    assert_eq!(place.read("bad.txt"), "not json\n");
    assert!(ran.err.contains("in.jsonl:6: not JSON"), "{}", ran.err);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let place = Place::new();
    let input = testdata("licenses.jsonl.zst");
    let mut seen = None;
    for threads in [1, 2, 2, 3] {
        let ran = place.run(&format!(
            "dedup {input} -o kept.jsonl --decisions why.jsonl --threads {threads} -q"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let now = (place.read("kept.jsonl"), place.read("why.jsonl"));
        assert!(*seen.get_or_insert_with(|| now.clone()) == now);
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let place = Place::new();
    let mut child = place
        .command(&format!("dedup {} -o - -q", testdata("licenses.jsonl.zst")))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

/// The reader of the kept lines may close the pipe; the decisions are still written.
#[test]
fn a_closed_output_pipe_does_not_remove_the_decisions() {
    let place = Place::new();
    let command = format!(
        "dedup {} -o - --decisions why.jsonl -q",
        testdata("licenses.jsonl.zst")
    );
    let mut child = place
        .command(&command)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(place.read("why.jsonl").lines().count(), 2598);
}

#[test]
fn a_folder_is_read_without_the_decisions_of_an_earlier_run() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("in.jsonl", SMALL);
    assert_eq!(place.run("dedup in.jsonl -o folder/kept.jsonl").code, 0);
    assert!(place.path("folder/kept.decisions.jsonl").exists());
    assert!(
        place
            .run("dedup folder")
            .err
            .contains("2 documents in = 2 kept")
    );
}

#[test]
fn byte_order_marks_foreign_newlines_and_unterminated_lines_are_accepted() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "\u{feff}{\"id\":1,\"text\":\"a\"}\r\n \t\r\n{\"id\":2,\"text\":\"b\"}",
    );
    let ran = place.run("dedup in.jsonl -o -  -q");
    assert_eq!(
        ran.out,
        "{\"id\":1,\"text\":\"a\"}\r\n{\"id\":2,\"text\":\"b\"}\n"
    );
    // A carriage return alone does not end a line.
    place
        .write("in.jsonl", "{\"id\":1,\"text\":\"a\"}\r")
        .write("more.jsonl", "{\"id\":2,\"text\":\"b\"}\n");
    let ran = place.run("dedup in.jsonl more.jsonl -o - -q");
    assert_eq!(
        ran.out,
        "{\"id\":1,\"text\":\"a\"}\r\n{\"id\":2,\"text\":\"b\"}\n"
    );
}

//! Tests of `lookalike sketch`, and of the commands that read files of sketches.

use insta::assert_snapshot;
use serde_json::Value;

use crate::{Place, SMALL, testdata};

/// A folder with texts and with sketches of them, as a table and as lines.
fn place() -> Place {
    let place = Place::new();
    place.write(
        "in.jsonl",
        format!("{SMALL}{{\"id\": \"empty\", \"text\": \"...\"}}\n"),
    );
    for name in ["s.parquet", "s.jsonl"] {
        assert_eq!(place.run(&format!("sketch in.jsonl -o {name} -q")).code, 0);
    }
    place
}

/// Returns the error message of a command that fails.
fn refused(place: &Place, command: &str) -> String {
    let ran = place.run(command);
    assert_eq!((ran.code, &*ran.out), (2, ""), "{command}: {}", ran.err);
    ran.err
}

#[test]
fn a_file_of_sketches_has_its_parameters_and_a_row_per_document() {
    let place = place();
    assert_snapshot!(place.run("sketch in.jsonl -o - --sketch simhash").shown(), @r#"
    exit 0
    --- stdout
    {"lookalike:sketches":{"format":1,"parameters":{"tokens":"auto","folds":{"simplified":false,"accents":false,"digits":false},"shingle":5,"anchors":[],"occurrences":"once","fingerprint":{"kind":"rolling"},"seed":1,"sketch":{"kind":"simhash","bits":64,"features":"shingles"}}}}
    {"id":"first","shingles":13,"digest":"ee3d445f338fcfa2fcc5629189155f68","sketch":"261a6d9c44919fd5"}
    {"id":2,"shingles":9,"digest":"baa00329a4a0767fb797c1540311a997","sketch":"d5301e018ebffdd5"}
    {"id":"in.jsonl:3","shingles":14,"digest":"427bfe99ca05660315fbbc4e3cc639fe","sketch":"22126d9c04908995"}
    {"id":"empty","shingles":0,"digest":"99aa06d3014798d86001c324468d497f","sketch":"0000000000000000"}
    --- stderr
    4 documents sketched, 1 text without words
    sketches: SimHash of 64 bits of shingles, seed 1
    size: 32 B of sketches, 8 bytes per document
    estimates: standard error 0.146 at resemblance 0.5, 0.104 at resemblance 0.8, 0.069 at resemblance 0.9
    "#);
    assert_snapshot!(place.run("sketch in.jsonl -o s.arrow").shown(), @"
    exit 0
    --- stdout
    --- stderr
    4 documents sketched, 1 text without words
    sketches: MinHash of 128 slots of 32 bits, one permutation, seed 1
    size: 2.1 kB of sketches, 528 bytes per document
    estimates: standard error 0.044 at resemblance 0.5, 0.035 at resemblance 0.8, 0.027 at resemblance 0.9
    ");
}

#[test]
fn pairs_of_sketches_are_estimates_and_the_summary_says_how_good() {
    let place = place();
    assert_snapshot!(place.run("pairs s.parquet -t 0.7").shown(), @r#"
    exit 0
    --- stdout
    {"a":"first","b":"in.jsonl:3","resemblance":0.90625}
    --- stderr
    1 pair among 4 documents, with similarities estimated from sketches; found: expected recall 51.26 % at similarity 0.7, higher above it (32 bands of 4 rows of the stored signatures)
    sketches: MinHash of 128 slots of 32 bits, one permutation, seed 1
    estimates: standard error 0.041 at the threshold; at least 99 % of the pairs from 0.79 up are listed, and at most 1 % of those up to 0.60
    "#);
    let by_table = place.run("pairs s.parquet -t 0.5").out;
    assert!(!by_table.is_empty());
    for input in [
        "s.jsonl",
        "s.parquet --threads 1",
        "s.parquet --threads 7",
        "s.parquet --nearest 3 --against s.jsonl",
    ] {
        let out = place.run(&format!("pairs {input} -t 0.5")).out;
        assert_eq!(
            out == by_table,
            !input.contains("nearest"),
            "{input}: {out}"
        );
    }
}

#[test]
fn a_file_that_an_earlier_version_wrote_is_readable() {
    let place = Place::new();
    // Five documents: a text, a version, a copy, a text that no other resembles, and one without words.
    let pairs = |name: &str| {
        place
            .run(&format!(
                "pairs {} -t 0.5",
                testdata(&format!("golden/sketches/{name}"))
            ))
            .out
    };
    for name in ["minhash.arrow", "minhash.jsonl"] {
        assert_eq!(pairs(name), pairs("minhash.parquet"), "{name}");
    }
    assert_snapshot!(pairs("minhash.parquet"), @r#"
    {"a":"sketch","b":2,"resemblance":0.65625}
    {"a":"sketch","b":"copy","resemblance":1.0}
    {"a":2,"b":"copy","resemblance":0.65625}
    "#);
    assert_snapshot!(pairs("modulo.jsonl"), @r#"
    {"a":"sketch","b":2,"resemblance":0.7}
    {"a":"sketch","b":"copy","resemblance":1.0}
    {"a":2,"b":"copy","resemblance":0.7}
    "#);
    // The sketches of the same texts have not changed.
    for (flags, name) in [
        ("", "minhash.jsonl"),
        ("--sketch modulo --size 4", "modulo.jsonl"),
    ] {
        assert_eq!(
            place
                .run(&format!(
                    "sketch {} -o s.jsonl {flags}",
                    testdata("golden/sketches/texts.jsonl")
                ))
                .code,
            0
        );
        let golden = std::fs::read_to_string(testdata(&format!("golden/sketches/{name}"))).unwrap();
        assert_eq!(place.read("s.jsonl"), golden, "{name}");
    }
}

#[test]
fn two_documents_are_compared_by_their_sketches() {
    let place = place();
    assert_snapshot!(place.run("compare first in.jsonl:3 --in s.parquet").shown(), @"
    exit 0
    --- stdout
    resemblance            0.906 (0.843 to 0.946)
    containment of A in B  0.987 (0.950 to 1.000)
    containment of B in A  0.917 (0.882 to 0.937)
    exact duplicates       no
    size of A              13 shingles
    size of B              14 shingles
    estimated from stored sketches: MinHash of 128 slots of 32 bits, one permutation, seed 1; the intervals contain the true value 95 times in 100
    --- stderr
    ");
    assert_snapshot!(place.run("compare first empty --in s.jsonl").shown(), @"
    exit 0
    --- stdout
    resemblance            0.0000, certain
    containment of A in B  0.0000, certain
    containment of B in A  0.0000, certain
    exact duplicates       no
    size of A              13 shingles
    size of B              0 shingles
    estimated from stored sketches: MinHash of 128 slots of 32 bits, one permutation, seed 1; the intervals contain the true value 95 times in 100
    --- stderr
    ");
    assert_eq!(
        place
            .run("compare first in.jsonl:3 --in s.jsonl --threshold 0.99")
            .code,
        1
    );
    place
        .write("one.jsonl", SMALL.lines().next().unwrap())
        .write("two.jsonl", SMALL.lines().nth(2).unwrap());
    for name in ["one", "two"] {
        assert_eq!(
            place
                .run(&format!(
                    "sketch {name}.jsonl -o {name}.parquet -q --sketch bottom"
                ))
                .code,
            0
        );
    }
    // The texts have fewer shingles than a sketch, so the sketches are the sets.
    assert_snapshot!(place.run("compare one.parquet two.parquet").shown(), @"
    exit 0
    --- stdout
    resemblance            0.9286, certain
    containment of A in B  1.0000, certain
    containment of B in A  0.9286, certain
    exact duplicates       no
    size of A              13 shingles
    size of B              14 shingles
    estimated from stored sketches: the 100 smallest elements, seed 1; the intervals contain the true value 95 times in 100
    --- stderr
    ");
    assert!(
        refused(&place, "compare s.parquet s.jsonl")
            .contains("has the sketches of 4 documents, but one is needed")
    );
    assert!(
        refused(&place, "compare first 2 --in s.jsonl --longest 3")
            .contains("--longest and --digest needs the texts")
    );
    assert!(
        refused(&place, "compare first 3 --in s.jsonl")
            .contains("no document has the id \"3\" in s.jsonl")
    );
}

#[test]
fn the_curve_of_a_file_shows_what_its_sketches_find() {
    let place = place();
    assert_snapshot!(place.run("curve --sketches s.parquet --threshold 0.8 --at 0.7 --at 0.8 --at 0.9").out, @"
    MinHash of 128 slots of 32 bits, one permutation, seed 1
    21 bands of 6 rows, chosen for recall 0.99 at similarity 0.8
    at threshold 0.8, pairs lists at least 99 % of the pairs from 0.873 up, and at most 1 % of those up to 0.710

    similarity  P(candidate)  P(listed)  standard error
          0.70      0.927811   0.000000        0.040505
          0.80      0.998312   0.498367        0.035355  ← threshold
          0.90      1.000000   0.999639        0.026517
    P(listed) is a lower bound: the pair is a candidate and its estimate reaches the threshold
    ");
    assert!(
        refused(&place, "curve --sketches in.jsonl").contains("in.jsonl is not a file of sketches")
    );
}

#[test]
fn files_are_merged_and_documents_united() {
    let place = place();
    place
        .write("more.jsonl", "{\"id\": \"first\", \"text\": \"a b c d e f g h\"}\n{\"id\": \"fifth\", \"text\": \"one more\"}\n");
    assert_eq!(place.run("sketch more.jsonl -o more.arrow -q").code, 0);
    assert_snapshot!(refused(&place, "sketch --merge s.parquet more.arrow -o all.parquet"), @r#"error: more.arrow:1: id "first" was already used at s.parquet:1; make ids unique, or unite the documents with the same id with --union"#);
    assert!(!place.names().contains(&"all.parquet".into()));
    assert_snapshot!(place.run("sketch --merge s.parquet more.arrow -o all.parquet --union").shown(), @"
    exit 0
    --- stdout
    --- stderr
    5 documents of 2 files merged, 1 text without words, 1 of them united from several
    sketches: MinHash of 128 slots of 32 bits, one permutation, seed 1
    size: 2.6 kB of sketches, 528 bytes per document
    estimates: standard error 0.044 at resemblance 0.5, 0.035 at resemblance 0.8, 0.027 at resemblance 0.9
    ");
    assert!(
        place
            .run("compare first fifth --in all.parquet")
            .out
            .contains("unknown (a union)")
    );
    // Merging one file changes nothing but its format.
    assert_eq!(
        place.run("sketch --merge s.parquet -o again.jsonl -q").code,
        0
    );
    assert_eq!(place.read("again.jsonl"), place.read("s.jsonl"));

    assert_eq!(
        place
            .run("sketch more.jsonl -o bits.parquet -q --bits 8")
            .code,
        0
    );
    let error = refused(&place, "sketch --merge bits.parquet -o x.parquet --union");
    assert!(
        error.contains("these sketches cannot be united: of each slot, only 8 bits are stored"),
        "{error}"
    );
}

#[test]
fn incompatible_files_are_refused_and_both_are_named() {
    let place = place();
    assert_eq!(
        place
            .run("sketch in.jsonl -o other.arrow -q --seed 2 --shingle 4")
            .code,
        0
    );
    let reason = "error: s.parquet and other.arrow: these sketches cannot be compared: one is seed 1, shingles of 5 tokens, the other seed \
                  2, shingles of 4 tokens; sketch both with the same settings\n";
    for command in [
        "pairs s.parquet other.arrow",
        "sketch --merge s.parquet other.arrow -o x.jsonl",
    ] {
        assert_eq!(refused(&place, command), reason, "{command}");
    }
    assert!(
        refused(&place, "pairs s.parquet --against other.arrow")
            .starts_with("error: other.arrow and s.parquet: ")
    );
    let mixed = refused(&place, "pairs s.parquet in.jsonl");
    assert!(
        mixed.starts_with(
            "error: in.jsonl: is not a file of sketches; make one with `lookalike sketch`"
        ),
        "{mixed}"
    );
}

#[test]
fn flags_that_need_texts_are_refused_with_the_reason() {
    let place = place();
    for (flags, reason) in [
        (
            "--exact",
            "compares whole sets, which a file of sketches does not have",
        ),
        (
            "--verify exact",
            "--verify exact needs the texts, but these inputs are files of sketches",
        ),
        (
            "--verify none",
            "would list pairs that the sketches already rule out",
        ),
        (
            "--shingle 3",
            "--shingle: the file of sketches says how its texts were sketched",
        ),
        ("--tokens chars", "--tokens: the file of sketches says"),
        ("--seed 2", "the seed: the file of sketches says"),
        ("--text-field body", "--text-field is for inputs with texts"),
        ("--skip-bad bad.txt", "--skip-bad is for inputs with texts"),
        ("--report r.html", "a report shows texts"),
        (
            "--method simhash",
            "which determines how candidate pairs are found",
        ),
        (
            "--candidates shared --modulus 8",
            "which determines how candidate pairs are found",
        ),
        (
            "--measure containment",
            "MinHash signatures find texts that resemble each other",
        ),
        (
            "--threshold 0.02",
            "128 slots find at most 0.9247 of the pairs at similarity 0.02",
        ),
        (
            "--bands 30 --rows 5 --recall 0.5",
            "30 bands of 5 rows need 150 slots, but the signatures have 128",
        ),
    ] {
        let error = refused(&place, &format!("pairs s.parquet {flags}"));
        assert!(error.contains(reason), "{flags}: {error}");
    }
    assert_eq!(
        place
            .run("pairs s.parquet --bands 64 --rows 2 --threshold 0.7")
            .code,
        0
    );
    for (flags, reason) in [
        (
            "--sketch bottom --slots 3",
            "--slots only works with --sketch minhash, not with --sketch bottom",
        ),
        ("--bits 4", "8, 16 or 32 bits can be stored, got 4"),
        ("--slots 0", "from 1 to 4096 slots, got 0"),
        ("--sketch bottom --size 0", "at least 1 element"),
        (
            "--sketch modulo --modulus 3",
            "--modulus 3 is not a power of two",
        ),
        (
            "--merge --slots 64",
            "--merge copies sketches with the parameters of their files",
        ),
    ] {
        let error = refused(&place, &format!("sketch in.jsonl -o x.parquet {flags}"));
        assert!(error.contains(reason), "{flags}: {error}");
    }
    assert!(
        refused(&place, "sketch in.jsonl -o x.csv")
            .contains("sketches are written as JSON Lines or a table")
    );
}

#[test]
fn a_damaged_file_is_reported_with_its_place() {
    let place = place();
    let lines = place.read("s.jsonl");
    let rows: Vec<&str> = lines.lines().collect();
    for (name, bad, reason) in [
        (
            "short",
            rows[2].replace("\"sketch\":\"", "\"sketch\":\"00"),
            ":3: the bytes are not a sketch with these parameters: 528 bytes",
        ),
        (
            "odd",
            rows[2].replace("\"sketch\":\"", "\"sketch\":\"0"),
            ":3: \"sketch\" is not hexadecimal digits of whole bytes",
        ),
        (
            "digest",
            rows[2].replace("\"digest\":\"", "\"digest\":\"00"),
            ":3: \"digest\" is not hexadecimal digits",
        ),
        (
            "joined",
            rows[0].to_string(),
            ":3: a header is not the first line; merge files with `lookalike sketch --merge`",
        ),
        (
            "text",
            "{\"id\": 1, \"text\": \"a\"}".into(),
            ":3: cannot be parsed: missing field `sketch`",
        ),
    ] {
        let name = format!("{name}.jsonl");
        place.write(&name, [rows[0], rows[1], &bad].join("\n"));
        for command in [
            format!("pairs {name}"),
            format!("sketch --merge {name} -o x.jsonl"),
            format!("compare 1 2 --in {name}"),
        ] {
            if name == "short.jsonl" && command.starts_with("compare") {
                continue;
            }
            let error = refused(&place, &command);
            assert!(
                error.contains(&format!("{name}{reason}")),
                "{command}: {error}"
            );
        }
    }
    place.write(
        "newer.jsonl",
        lines.replacen("\"format\":1", "\"format\":2", 1),
    );
    assert!(
        refused(&place, "pairs newer.jsonl")
            .contains("format 2, but this lookalike reads format 1")
    );
}

#[test]
fn bad_lines_are_skipped_as_in_pairs() {
    let place = Place::new();
    place.write("in.jsonl", format!("{SMALL}not json\n"));
    assert!(refused(&place, "sketch in.jsonl -o s.jsonl").contains("in.jsonl:4"));
    assert!(!place.names().contains(&"s.jsonl".into()));
    let ran = place.run("sketch in.jsonl -o s.jsonl --skip-bad bad.txt --json");
    let summary: Value = serde_json::from_str(&ran.err[ran.err.find("{\n").unwrap()..]).unwrap();
    assert_eq!(
        (
            &summary["documents"],
            &summary["bad_lines"],
            &summary["sketch_bytes"]
        ),
        (&3.into(), &1.into(), &1584.into())
    );
    assert_eq!(place.read("bad.txt"), "not json\n");
}

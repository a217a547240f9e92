//! Tests of `lookalike index`: an index has the decisions of one `dedup` over its documents.

use std::{fs, io::Write, os::unix::fs::PermissionsExt, process::Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use crate::{Place, Ran, SMALL, testdata};

/// Returns the lines of a collection.
fn lines(name: &str) -> Vec<String> {
    let bytes = zstd::decode_all(fs::File::open(testdata(name)).unwrap()).unwrap();
    String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| format!("{line}\n"))
        .collect()
}

fn id(line: &str) -> String {
    serde_json::from_str::<Value>(line).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_string()
}

/// Runs the command, which must succeed.
fn run(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

#[test]
fn the_help_of_create_offers_no_value_that_is_always_refused() {
    let place = Place::new();
    let help = run(&place, "index create --help").out;
    let (mut flag, mut tried) = ("", 0);
    for line in help.lines().map(str::trim) {
        if line.starts_with('-') && !line.starts_with("- ") {
            let name = line.split(' ').find(|word| word.starts_with("--"));
            flag = name.unwrap().trim_end_matches("...");
        } else if let Some((value, _)) = line.strip_prefix("- ").and_then(|of| of.split_once(':')) {
            let with = match (flag, value) {
                ("--store", "sketches") => "--verify sketch",
                ("--features", _) => "--method simhash --distance 3",
                ("--digest", _) => "--method sentences",
                _ => "",
            };
            run(
                &place,
                &format!("index create {tried} {flag} {value} {with}"),
            );
            tried += 1;
        }
    }
    assert!(tried > 15, "{tried} values");
    for method in ["minhash", "simhash", "sentences", "exact"] {
        assert!(help.contains(method));
        run(&place, &format!("index create {method} --method {method}"));
    }
    for (flag, words) in [
        (
            "--measure containment",
            "decisions by containment depend on all documents",
        ),
        (
            "--method shingle",
            "exact joins of all sets depend on all documents",
        ),
        (
            "--cluster components",
            "connected components depend on all documents",
        ),
    ] {
        let ran = place.run(&format!("index create other {flag}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{flag}: {}",
            ran.err
        );
    }
}

#[test]
fn documents_are_added_searched_and_deleted() {
    let place = Place::new();
    place.write("in.jsonl", SMALL).write(
        "more.jsonl",
        SMALL.replace("first", "later").lines().next().unwrap(),
    );
    assert_snapshot!(place.run("index create known --threshold 0.7").shown(), @"
    exit 0
    --- stdout
    --- stderr
    known: created an empty index of texts, threshold 0.7, keeps the first of similar documents
    ");
    assert_snapshot!(place.run("index add known in.jsonl --decisions -").shown(), @r#"
    exit 0
    --- stdout
    {"id":"first","verdict":"kept","reason":"representative","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":2}
    {"id":2,"verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    {"id":"in.jsonl:3","verdict":"dropped","reason":"near","representative":"first","resemblance":0.9285714285714286,"containment":0.9285714285714286,"containment_of_representative":1.0,"cluster_size":2}
    --- stderr
    3 documents in = 3 added + 0 skipped
      index    3 documents in known = 2 kept + 1 dropped
    "#);
    assert_snapshot!(place.run("index add known more.jsonl in.jsonl --on-conflict skip --changes -").shown(), @r#"
    exit 0
    --- stdout
    {"change":4,"id":"later","before":null,"after":{"verdict":"dropped","representative":"first","similarity":1.0}}
    --- stderr
    4 documents in = 1 added + 3 skipped
      index    4 documents in known = 2 kept + 2 dropped
    "#);
    assert_snapshot!(place.run("index delete known first --changes -").shown(), @r#"
    exit 0
    --- stdout
    {"change":5,"id":"first","before":{"verdict":"kept"},"after":null}
    {"change":6,"id":"in.jsonl:3","before":{"verdict":"dropped","representative":"first","similarity":0.9285714285714286},"after":{"verdict":"kept"}}
    {"change":7,"id":"later","before":{"verdict":"dropped","representative":"first","similarity":1.0},"after":{"verdict":"dropped","representative":"in.jsonl:3","similarity":0.9285714285714286}}
    --- stderr
    1 document deleted; 2 decisions about other documents changed; 3 documents in known
    "#);
    assert_eq!(
        run(&place, "index changes known --after 5 --limit 1")
            .out
            .lines()
            .count(),
        1
    );
    assert_snapshot!(place.run("index query known --id later --passages").shown(), @r#"
    exit 0
    --- stdout
    {"query":"later","id":"in.jsonl:3","verdict":"kept","similarity":0.9285714285714286,"resemblance":0.9285714285714286,"containment":1.0,"containment_of_document":0.9285714285714286,"passages":[{"query":[0,81],"document":[0,81],"tokens":17,"text":"The quick brown fox jumps over the lazy dog near the old river bank at dawn today"}]}
    --- stderr
    1 document similar to 1 text
    "#);
    // A number is an id as it is written in JSON.
    assert_snapshot!(run(&place, "index show known 2 later").out, @r#"
    {"id":2,"verdict":"kept","representative":null,"similarity":null,"copies":[],"represents":[],"text":"Something else entirely: a note about nothing in particular, written for no one."}
    {"id":"later","verdict":"dropped","representative":"in.jsonl:3","similarity":0.9285714285714286,"copies":[],"represents":[],"text":"The quick brown fox jumps over the lazy dog near the old river bank at dawn today."}
    "#);
    let found = run(&place, "index query known in.jsonl --kept --nearest 1").out;
    let pairs: Vec<(Value, Value)> = found
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| (line["query"].clone(), line["id"].clone()))
        .collect();
    assert_eq!(
        pairs,
        [
            ("first", "in.jsonl:3".into()),
            ("2", 2.into()),
            ("in.jsonl:3", "in.jsonl:3".into())
        ]
        .map(|(query, id): (&str, Value)| {
            (
                query
                    .parse::<u64>()
                    .map_or_else(|_| Value::from(query), Value::from),
                id,
            )
        })
    );
    let nothing = place.run("index query known --text nothing");
    assert_eq!(
        (nothing.code, nothing.err.as_str()),
        (1, "0 documents similar to 1 text\n")
    );
    assert_snapshot!(place.run("index replace known in.jsonl --changes changes.jsonl").shown(), @"
    exit 0
    --- stdout
    --- stderr
    3 documents in = 3 added + 0 skipped
      replaced 2 of them had an id of the index
      changed  1 decision about earlier documents changes too; see --changes
      index    4 documents in known = 2 kept + 2 dropped
      written  changes to changes.jsonl
    ");
    run(&place, "index check known --decisions");
    run(&place, "index compact known");
    run(&place, "index snapshot known copy");
    assert_eq!(
        run(&place, "index show copy").out,
        run(&place, "index show known").out
    );
    assert_snapshot!(run(&place, "index stats copy").out.lines().take(3).collect::<Vec<_>>().join("\n"), @"
    4 documents in copy
      decisions 2 kept + 2 dropped; 0 empty
      settings  threshold 0.7, keeps first, stores texts
    ");
}

/// Adds a collection in parts, deletes some documents, and adds some of these again. The index must have the decisions of `dedup`, to
/// the byte.
fn equals_dedup(name: &str, flags: &str, keep: &str) {
    let (place, all) = (Place::new(), lines(name));
    run(&place, &format!("index create index {flags} {keep}"));
    let mut held: Vec<String> = Vec::new();
    let third = all.len() / 3;
    for (number, part) in all.chunks(third + 1).enumerate() {
        place.write("part.jsonl", part.concat());
        run(
            &place,
            &format!("index add index part.jsonl --decisions decisions-{number}.jsonl"),
        );
        held.extend_from_slice(part);
        let (gone, left): (Vec<String>, Vec<String>) =
            (0..)
                .zip(held)
                .fold(Default::default(), |(mut gone, mut left), (at, line)| {
                    if at % 10 == number {
                        &mut gone
                    } else {
                        &mut left
                    }
                    .push(line);
                    (gone, left)
                });
        held = left;
        // Ids are named in JSON lines, or one per line.
        let ids: Vec<String> = gone
            .iter()
            .map(|line| {
                if number == 0 {
                    line.clone()
                } else {
                    id(line) + "\n"
                }
            })
            .collect();
        place.write("gone", ids.concat());
        run(&place, "index delete index --ids gone");
        if number == 1 {
            place.write("again.jsonl", gone.concat());
            run(&place, "index add index again.jsonl");
            held.extend(gone);
            run(&place, "index compact index");
        }
    }
    place.write("all.jsonl", held.concat());
    run(
        &place,
        &format!("dedup all.jsonl {flags} {keep} --decisions expected.jsonl"),
    );
    let expected = place.read("expected.jsonl");
    assert_eq!(
        run(&place, "index show index").out,
        expected,
        "{name} {flags} {keep}"
    );
    assert!(
        expected.contains("\"near\"") && expected.contains("\"exact\""),
        "{name} {flags} {keep}"
    );
    run(&place, "index check index --decisions");
}

#[test]
fn an_index_has_the_decisions_of_dedup_to_the_byte() {
    equals_dedup("licenses.jsonl.zst", "", "");
    equals_dedup("licenses.jsonl.zst", "--verify sketch", "--keep longest");
    equals_dedup("licenses.jsonl.zst", "--method simhash", "");
    equals_dedup(
        "ota_versions.jsonl.zst",
        "--threshold 0.6 --fold digits",
        "--keep longest",
    );
}

#[test]
fn all_formats_can_be_added() {
    let place = Place::new();
    run(&place, "index create index");
    place
        .write("a.csv", "id,text\n1,one text in a table of five columns\n")
        .write("b.txt", "a document that is a file of its own");
    place.write(
        "c.json",
        r#"[{"key": "c", "body": "an element of an array of objects"}]"#,
    );
    run(&place, "index add index a.csv b.txt");
    run(
        &place,
        "index add index c.json --text-field body --id-field key",
    );
    let mut command = place.command("index add index -");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"id\": 1.50, \"text\": \"a number as an id\"}\n")
        .unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let shown = run(&place, "index show index").out;
    let ids: Vec<String> = shown
        .lines()
        .map(|line| line.split(",\"verdict").next().unwrap().to_string())
        .collect();
    assert_eq!(
        ids,
        [
            r#"{"id":"1""#,
            r#"{"id":"b.txt""#,
            r#"{"id":"c""#,
            r#"{"id":1.50"#
        ]
    );
    run(&place, "index delete index 1.50 1 c");
    assert_eq!(run(&place, "index show index").out.lines().count(), 1);

    // Sets, and a keep order by a field.
    run(
        &place,
        "index create sets --sets --threshold 0.5 --keep newest:date",
    );
    place.write("sets.jsonl", "{\"id\": 1, \"films\": [\"a\", \"b\", 3], \"date\": \"2020-01-01\"}\n{\"id\": 2, \"films\": [\"a\", \"b\", 3, 4], \"date\": \"2021-01-01\"}\n");
    run(&place, "index add sets sets.jsonl --set-field films");
    run(
        &place,
        "dedup sets.jsonl --set-field films --threshold 0.5 --keep newest:date --decisions expected.jsonl",
    );
    assert_eq!(
        run(&place, "index show sets").out,
        place.read("expected.jsonl")
    );
}

#[test]
fn mistakes_are_reported_with_advice() {
    let place = Place::new();
    place
        .write("in.jsonl", SMALL)
        .write(
            "bad.jsonl",
            "{\"id\": \"new\", \"text\": \"a new text\"}\nno record\n",
        )
        .write("file", "");
    run(&place, "index create index");
    run(&place, "index add index in.jsonl");
    fs::create_dir(place.path("empty")).unwrap();
    let mut said = String::new();
    for arguments in [
        "index create index",
        "index create other --measure containment",
        "index create other --candidates shared",
        "index create other --cluster components",
        "index create other --store sketches",
        "index create other --threshold 2",
        "index create s3://bucket/index",
        "index add empty in.jsonl",
        "index add nowhere in.jsonl",
        "index add file in.jsonl",
        "index add index in.jsonl",
        "index add index bad.jsonl",
        "index add index in.jsonl --set-field text",
        "index add index in.jsonl --allow-repeated-ids",
        "index add index",
        "index query index",
        "index query index --text a --threshold 0.5",
        "index query index --id unknown",
        "index show index unknown",
        "index delete index first unknown",
        "index delete index --ids in.jsonl --id-field missing",
        "index snapshot index empty/..",
        "index snapshot index index/inside",
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        said += &format!(
            "{arguments}\n    {}\n",
            ran.err.lines().next().unwrap_or_default()
        );
    }
    assert_snapshot!(said, @r#"
    index create index
        error: index: the folder exists and is not empty; give another name for the new index
    index create other --measure containment
        error: decisions by containment depend on all documents, so an index cannot keep their decisions up to date; use bands, simhash or sentences
    index create other --candidates shared
        error: candidates that share sampled shingles depend on all documents, so an index cannot keep their decisions up to date; use bands, simhash or sentences
    index create other --cluster components
        error: connected components depend on all documents, so an index cannot keep their decisions up to date; use bands, simhash or sentences
    index create other --store sketches
        error: an index that stores only sketches cannot compare texts exactly; set verify to sketch, or store texts or sets
    index create other --threshold 2
        error: threshold must be above 0 and at most 1, got 2; for example 0.8
    index create s3://bucket/index
        error: the index s3://bucket/index: must be a local folder, not a URL; give a path on this machine
    index add empty in.jsonl
        error: empty: there is no index; create one with create, or give the folder of one
    index add nowhere in.jsonl
        error: nowhere: there is no index; create one with create, or give the folder of one
    index add file in.jsonl
        error: file: not a folder; give the folder of an index
    index add index in.jsonl
        error: id "first" is already in the index; remove it first or use another id, or give --on-conflict skip or replace
    index add index bad.jsonl
        error: bad.jsonl:2: not JSON: expected ident at byte 2 of the line; each line must be one whole JSON object
    index add index in.jsonl --set-field text
        error: --set-field: the index has texts; name the field with the text, with --text-field
    index add index in.jsonl --allow-repeated-ids
        error: --allow-repeated-ids: the ids of an index are unique; make ids unique, or use --on-conflict skip
    index add index
        error: no input; name a file, a folder, a quoted glob, a URL, or - for standard input
    index query index
        error: the following required arguments were not provided:
    index query index --text a --threshold 0.5
        error: the threshold 0.5 is below that of the index, 0.8, which finds only documents that are at least so similar
    index query index --id unknown
        error: id "unknown" is not in the index
    index show index unknown
        error: id "unknown" is not in the index
    index delete index first unknown
        error: id "unknown" is not in the index; nothing was deleted. Correct it, or give --ignore-missing
    index delete index --ids in.jsonl --id-field missing
        error: in.jsonl:1: field "missing" is missing, or is neither a string nor a number; name another field with --id-field
    index snapshot index empty/..
        error: empty/..: the folder exists and is not empty; give another name for the new index
    index snapshot index index/inside
        error: index/inside: a copy cannot be inside the index; name another folder
    "#);
    let skipped = run(&place, "index add index bad.jsonl --skip-bad skipped.txt").err;
    assert!(
        skipped.contains("1 document in = 1 added + 0 skipped")
            && skipped.contains("1 line skipped"),
        "{skipped}"
    );
    assert_eq!(place.read("skipped.txt"), "no record\n");
}

#[test]
fn outputs_replace_no_input_and_no_file_of_the_index() {
    let place = Place::new();
    place.write("in.jsonl", SMALL).write("gone.txt", "first\n");
    run(&place, "index create index");
    run(&place, "index add index in.jsonl");
    let files = || {
        let mut all: Vec<_> = std::fs::read_dir(place.path("index"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .chain([place.path("in.jsonl")])
            .collect();
        all.sort();
        all.into_iter()
            .map(|path| (std::fs::read(&path).unwrap(), path))
            .collect::<Vec<_>>()
    };
    std::os::unix::fs::symlink("index/manifest", place.path("link")).unwrap();
    let before = files();
    for (arguments, what) in [
        (
            "query index in.jsonl -o in.jsonl",
            "would overwrite the input",
        ),
        (
            "query index in.jsonl -o x --summary x",
            "would overwrite the output",
        ),
        (
            "query index in.jsonl -o x --skip-bad x",
            "would overwrite the output",
        ),
        (
            "query index --text a -o x --summary x",
            "would overwrite the output",
        ),
        (
            "query index --text a -o index/manifest",
            "in the folder of the index",
        ),
        ("query index --text a -o link", "in the folder of the index"),
        (
            "query index --text a --summary index/manifest",
            "in the folder of the index",
        ),
        (
            "query index in.jsonl --summary index/new",
            "in the folder of the index",
        ),
        (
            "query index in.jsonl --skip-bad index/lock",
            "in the folder of the index",
        ),
        (
            "add index in.jsonl --decisions in.jsonl",
            "would overwrite the input",
        ),
        (
            "add index in.jsonl --decisions x --changes x",
            "would overwrite the output",
        ),
        (
            "add index in.jsonl --changes index/manifest",
            "in the folder of the index",
        ),
        (
            "replace index in.jsonl --decisions in.jsonl",
            "would overwrite the input",
        ),
        (
            "replace index in.jsonl --summary index/manifest",
            "in the folder of the index",
        ),
        (
            "delete index --ids gone.txt --changes gone.txt",
            "would overwrite the input",
        ),
        (
            "delete index first --changes index/manifest",
            "in the folder of the index",
        ),
        ("show index -o index/manifest", "in the folder of the index"),
        (
            "changes index -o index/manifest",
            "in the folder of the index",
        ),
    ] {
        let ran = place.run(&format!("index {arguments}"));
        assert!(
            ran.code == 2 && ran.err.contains(what),
            "{arguments}: {}",
            ran.err
        );
        assert!(
            !place.path("x").exists() && files() == before,
            "{arguments}"
        );
    }
    // Texts that are searched for may have the same id.
    place.write("twice.jsonl", format!("{SMALL}{SMALL}"));
    run(&place, "index query index twice.jsonl --allow-repeated-ids");
}

#[test]
fn one_process_writes_and_others_read() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    run(&place, "index create index");
    let writer = lookalike_index::Index::open(&place.path("index")).unwrap();
    for arguments in [
        "index add index in.jsonl",
        "index delete index 1",
        "index compact index",
        "index snapshot index copy",
    ] {
        let ran = place.run(arguments);
        assert!(
            ran.code == 2
                && ran.err.contains(
                    "index: another process writes this index; wait until it has finished"
                ),
            "{}",
            ran.err
        );
    }
    let new = lookalike_index::NewDocument {
        id: "last".into(),
        text: "the last text",
        key: 0,
    };
    writer
        .add(&[new], lookalike_index::OnConflict::Fail)
        .unwrap();
    assert_eq!(run(&place, "index show index last").out.lines().count(), 1);
    assert!(
        run(&place, "index stats index")
            .out
            .starts_with("1 document in index\n")
    );
    run(&place, "index check index --decisions");
    drop(writer);
    run(&place, "index add index in.jsonl");
}

#[test]
fn a_log_that_is_cut_or_lost_is_reported() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    run(&place, "index create index");
    run(&place, "index add index in.jsonl");
    let mut files = fs::read_dir(place.path("index"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let log = files
        .find(|path| path.to_str().unwrap().contains("/log-"))
        .unwrap();
    let whole = fs::read(&log).unwrap();
    for left in [Some(whole.len() - 1), Some(0), None] {
        match left {
            Some(left) => fs::write(&log, &whole[..left]).unwrap(),
            None => fs::remove_file(&log).unwrap(),
        }
        for arguments in [
            "index check index",
            "index stats index",
            "index add index in.jsonl --on-conflict skip",
            "index snapshot index copy",
            "dedup in.jsonl --against index --decisions -",
        ] {
            let ran = place.run(arguments);
            let is_reported = ran.err.contains("damaged or truncated");
            assert!(ran.code != 0 && is_reported, "{arguments}: {}", ran.err);
        }
    }
    fs::write(&log, &whole).unwrap();
    run(&place, "index check index --decisions");
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn documents_are_compared_with_those_of_an_index() {
    let (place, all) = (Place::new(), lines("licenses.jsonl.zst"));
    let (old, new) = all.split_at(all.len() / 2);
    // Ids and texts with everything that JSON escapes.
    let odd = "{\"id\": \"\\\"\\u0001\\\\é\", \"text\": \"an odd text with \\\"quotes\\\", \\u0007 and \\ud83d\\ude00 in it\"}\n";
    place
        .write("old.jsonl", old.concat() + odd)
        .write("new.jsonl", new.concat() + &odd.replace("an odd", "An odd"));
    // An index also has the documents that it dropped, and some were deleted or replaced.
    place.write("first.jsonl", old[..700].concat());
    run(&place, "index create index");
    run(&place, "index add index first.jsonl");
    run(&place, &format!("index delete index {}", id(&old[3])));
    place.write("late.jsonl", old[3].clone()).write(
        "old.jsonl",
        old[..3].concat() + &old[4..].concat() + odd + &old[3],
    );
    run(&place, "index add index old.jsonl --on-conflict skip");
    for flags in [
        "dedup new.jsonl --decisions out.jsonl",
        "dedup new.jsonl --against-only --keep first --threshold 0.6 --decisions out.jsonl",
        "pairs new.jsonl -o out.jsonl",
        "pairs new.jsonl --nearest 1 --text-field text -o out.jsonl --threads 1",
    ] {
        let flags = if flags.contains("only") {
            flags.replace(" --keep first", "")
        } else {
            flags.into()
        };
        run(&place, &format!("{flags} --against old.jsonl"));
        let expected = place
            .read("out.jsonl")
            .replace("\"reference\":\"old.jsonl:", "\"reference\":\"index:");
        run(&place, &format!("{flags} --against index"));
        assert_eq!(place.read("out.jsonl"), expected, "{flags}");
        assert!(expected.lines().count() > 10);
    }
    // Other names of fields, and other references before the index.
    place
        .write("body.jsonl", all[0].replace("\"text\":", "\"body\":"))
        .write("other.jsonl", all[5].replace("\"text\":", "\"body\":"));
    let ran = run(
        &place,
        "dedup body.jsonl --text-field body --against index other.jsonl --decisions -",
    );
    assert!(
        ran.out.contains("\"verdict\":\"dropped\"")
            && ran.err.contains("1,301 reference documents"),
        "{}",
        ran.err
    );
    run(&place, "index create sets --sets");
    let refused = place.run("dedup new.jsonl --against sets");
    assert_eq!(
        refused.err.lines().next().unwrap(),
        "error: sets: the index has sets, and this run compares texts; name an index of texts"
    );
    run(&place, "index create private --store sets");
    let refused = place.run("pairs new.jsonl --against private");
    assert_eq!(
        refused.err.lines().next().unwrap(),
        "error: private: this index does not store texts; create one that stores texts"
    );
    run(
        &place,
        "dedup new.jsonl --against index --resume state -o kept.jsonl",
    );
}

#[test]
fn dedup_puts_its_documents_in_an_index() {
    let (place, all) = (Place::new(), lines("licenses.jsonl.zst"));
    place.write("in.jsonl", all.concat() + "no record\n");
    let ran = run(
        &place,
        "dedup in.jsonl --keep longest --threshold 0.7 --index index --decisions out.jsonl --skip-bad bad.txt",
    );
    assert!(
        ran.err
            .contains("written  an index of all documents to index"),
        "{}",
        ran.err
    );
    assert_eq!(place.read("out.jsonl"), run(&place, "index show index").out);
    assert_eq!(place.read("bad.txt"), "no record\n");
    assert_eq!(place.names(), ["bad.txt", "in.jsonl", "index", "out.jsonl"]);
    let mode = place.path("index").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "as of `index create`");
    for (arguments, words) in [
        (
            "dedup in.jsonl --skip-bad bad.txt --index index",
            "the folder exists and is not empty",
        ),
        (
            "dedup in.jsonl --against bad.txt --index other",
            "leave out --against",
        ),
        ("dedup in.jsonl --index other", "not JSON"),
        (
            "dedup in.jsonl --skip-bad bad.txt --index other --measure containment",
            "decisions by containment depend on all documents",
        ),
        (
            "dedup in.jsonl --skip-bad bad.txt --index other --cluster components",
            "connected components depend on all documents",
        ),
    ] {
        let ran = place.run(arguments);
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{arguments}: {}",
            ran.err
        );
        assert_eq!(
            place.names(),
            ["bad.txt", "in.jsonl", "index", "out.jsonl"],
            "{arguments}"
        );
    }
    run(
        &place,
        "dedup in.jsonl --skip-bad bad.txt --index other --dry-run",
    );
    assert!(!place.path("other").exists());
    // Standard input is read once more, too.
    let mut command = place.command("dedup - --index piped --keep longest --threshold 0.7");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(all.concat().as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert_eq!(run(&place, "index show piped").out, place.read("out.jsonl"));
}

/// Returns the names of an index's segments, which depend on their contents alone.
fn segments(place: &Place, index: &str) -> Vec<String> {
    let names = fs::read_dir(place.path(index))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("segment-")).collect();
    names.sort();
    names
}

/// An index that takes the decisions of `dedup` is the same as one that decides about each document itself.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn an_index_that_dedup_fills_is_the_same_as_any_other() {
    for (name, flags, keep) in [
        ("licenses.jsonl.zst", "", "longest"),
        ("ota_versions.jsonl.zst", "", "first"),
        ("ota_versions.jsonl.zst", "--verify sketch", "longest"),
        ("ota_versions.jsonl.zst", "--method simhash", "first"),
        (
            "ota_versions.jsonl.zst",
            "--method exact --fold digits",
            "longest",
        ),
    ] {
        let (place, all) = (Place::new(), lines(name));
        let split = all.len() / 2;
        place
            .write("first.jsonl", all[..split].concat())
            .write("second.jsonl", all[split..].concat());
        run(&place, &format!("index create added {flags} --keep {keep}"));
        run(&place, "index add added first.jsonl second.jsonl");
        // Documents are added in several steps.
        run(
            &place,
            &format!(
                "dedup first.jsonl second.jsonl {flags} --keep {keep} --index filled --memory 64MB"
            ),
        );
        run(&place, "index check filled --decisions");
        assert_eq!(
            run(&place, "index show filled").out,
            run(&place, "index show added").out,
            "{name} {flags}"
        );
        if keep == "first" {
            // The changes are the same, too, because no decision was made twice.
            assert_eq!(
                run(&place, "index changes filled").out,
                run(&place, "index changes added").out,
                "{name} {flags}"
            );
        }
        for index in ["filled", "added"] {
            run(&place, &format!("index compact {index}"));
        }
        assert_eq!(
            segments(&place, "filled"),
            segments(&place, "added"),
            "{name} {flags}"
        );
        // Documents that are added later are decided alike.
        place.write(
            "more.jsonl",
            all[split..]
                .concat()
                .replace("\"id\": \"", "\"id\": \"more "),
        );
        for index in ["filled", "added"] {
            run(&place, &format!("index add {index} more.jsonl"));
        }
        assert_eq!(
            run(&place, "index show filled").out,
            run(&place, "index show added").out,
            "{name} {flags}"
        );
    }
}

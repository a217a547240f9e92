//! Tests of `-o FOLDER/` with documents: the kept files are copied.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    process::Stdio,
    time::Instant,
};

use serde_json::Value;

use crate::{
    Place, Ran,
    archives::{put, tar, zip},
    resume::{Random, kill_after},
    several_outputs::{files, packed},
};

fn done(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

fn text(number: usize) -> String {
    (0..60).map(|word| format!("w{number}x{word} ")).collect()
}

/// Documents in several folders, encodings and formats. Many of them are alike.
fn documents(place: &Place) {
    let mut all: Vec<(String, String)> = (0..200)
        .map(|n| (format!("in/{}/{n}.txt", n % 7), text(n % 90)))
        .collect();
    all.push((
        "in/page.html".into(),
        format!("<title>t</title>\r\n<p>{}</p>", text(300)),
    ));
    all.push((
        "in/copy.html".into(),
        format!("<title>t</title>\r\n<p>{} &amp; more</p>", text(300)),
    ));
    all.push((
        "in/ünïcode 名.md".into(),
        format!("\u{feff}{}\r\n", text(301)),
    ));
    all.push(("in/empty.txt".into(), String::new()));
    put(place, &all);
    fs::write(
        place.path("in/latin.txt"),
        [text(302).as_bytes(), b"caf\xe9"].concat(),
    )
    .unwrap();
    fs::write(place.path("in/packed.txt.gz"), packed(&text(303))).unwrap();
    fs::write(place.path("in/packed_copy.txt.gz"), packed(&text(1))).unwrap();
}

/// Returns the ids of the documents that are kept.
fn kept(place: &Place, decisions: &str) -> BTreeSet<String> {
    let lines = place.read(decisions);
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["verdict"] == "kept")
        .map(|line| line["id"].as_str().unwrap().into())
        .collect()
}

/// Checks that a folder has exactly the kept files of another folder, byte for byte.
fn check(place: &Place, folder: &str, from: &str, kept: &BTreeSet<String>) {
    let (copies, mut originals) = (files(&place.path(folder)), files(&place.path(from)));
    originals.retain(|name, _| kept.contains(name));
    assert_eq!(
        copies.keys().collect::<Vec<_>>(),
        originals.keys().collect::<Vec<_>>(),
        "{folder}"
    );
    for (name, bytes) in &copies {
        let plain = |bytes: &[u8]| match name.ends_with(".gz") {
            true => {
                let mut plain = Vec::new();
                flate2::read::GzDecoder::new(bytes)
                    .read_to_end(&mut plain)
                    .unwrap();
                plain
            }
            false => bytes.to_vec(),
        };
        assert!(plain(bytes) == plain(&originals[name]), "{folder}/{name}");
    }
}

#[test]
fn the_kept_documents_are_copied() {
    let place = Place::new();
    documents(&place);
    let ran = done(&place, "dedup in -o new/kept/");
    assert!(ran.err.contains("kept records to new/kept/"), "{}", ran.err);
    let expected = kept(&place, "new/kept.decisions.jsonl");
    assert!(
        expected.len() > 90 && expected.len() < 100,
        "{}",
        expected.len()
    );
    check(&place, "new/kept", "in", &expected);
    // The same for another number of threads, an empty folder, an order that needs another pass, and from decisions.
    fs::create_dir(place.path("empty")).unwrap();
    place.write("empty/.keep", "");
    for (arguments, folder) in [
        ("dedup in -o empty --threads 1 --no-decisions", "empty"),
        ("apply new/kept.decisions.jsonl in -o applied/", "applied"),
        ("dedup in -o longest/ --keep longest", "longest"),
        ("dedup in -o single/ --drop all --memory 64M", "single"),
    ] {
        done(&place, arguments);
        let decisions = place.path(&format!("{folder}.decisions.jsonl"));
        let expected = if decisions.exists() {
            kept(&place, decisions.to_str().unwrap())
        } else {
            expected.clone()
        };
        let _ = fs::remove_file(place.path(&format!("{folder}/.keep")));
        check(&place, folder, "in", &expected);
    }
    done(&place, "dedup in/1 --against in/0 -o rest/");
    check(
        &place,
        "rest",
        "in/1",
        &kept(&place, "rest.decisions.jsonl"),
    );
    // If nothing is kept, the folder is empty.
    done(
        &place,
        "dedup in/0/0.txt --against in/0/7.txt in/6/90.txt -o none/./",
    );
    assert!(place.path("none").read_dir().unwrap().next().is_none());
    // Members of archives, and files that are named themselves.
    let names: Vec<String> = files(&place.path("in")).into_keys().collect();
    place.write(
        "names",
        names
            .iter()
            .map(|name| format!("{name}\n"))
            .collect::<String>(),
    );
    tar(&place, "-czf a.tar.gz -C in -T names");
    done(&place, "dedup a.tar.gz -o from_tar/ --decisions why.jsonl");
    let inside: BTreeSet<String> = kept(&place, "why.jsonl")
        .iter()
        .map(|id| id.replace("a.tar.gz/", ""))
        .collect();
    check(&place, "from_tar", "in", &inside);
    done(
        &place,
        "dedup in/0/0.txt in/0/7.txt in/6/90.txt in/1/1.txt -o some/ --decisions why.jsonl",
    );
    assert_eq!(
        files(&place.path("some")).into_keys().collect::<Vec<_>>(),
        ["0.txt", "1.txt", "7.txt"]
    );
    done(&place, "dedup in/0 a.tar.gz -o both/ --decisions why.jsonl");
    let both = files(&place.path("both"));
    assert!(
        both.contains_key("0.txt")
            && !both.contains_key("0/0.txt")
            && both.contains_key("copy.html")
    );
    assert_eq!(both.len(), kept(&place, "why.jsonl").len());
}

#[test]
fn texts_that_are_cut_are_written_and_others_copied() {
    let place = Place::new();
    let notice = text(99);
    put(
        &place,
        &[
            (
                "in/a.txt".into(),
                format!("{} {notice} {}", text(1), text(2)),
            ),
            ("in/b/c.md".into(), format!("é {} {notice}", text(3))),
            ("in/d.txt".into(), format!("{notice}\n")),
        ],
    );
    fs::write(
        place.path("in/latin.txt"),
        [text(5).as_bytes(), b"caf\xe9\r\n"].concat(),
    )
    .unwrap();
    done(&place, "cut in -o one.jsonl --window 20 --cuts cuts.jsonl");
    let expected: BTreeMap<String, String> = place
        .read("one.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| {
            (
                line["id"].as_str().unwrap().to_owned(),
                line["text"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    for arguments in [
        "cut in -o shorter/ --window 20",
        "apply cuts.jsonl in -o shorter/",
    ] {
        done(&place, arguments);
        let found = files(&place.path("shorter"));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        assert_eq!(
            found["latin.txt"],
            fs::read(place.path("in/latin.txt")).unwrap()
        );
        for (name, bytes) in found.iter().filter(|(name, _)| *name != "latin.txt") {
            assert_eq!(
                std::str::from_utf8(bytes).unwrap(),
                expected[name],
                "{name}"
            );
        }
        assert!(
            !String::from_utf8_lossy(&found["b/c.md"]).contains("w99x")
                && !found.contains_key("d.txt")
        );
        fs::remove_dir_all(place.path("shorter")).unwrap();
    }
    place.write("in/page.html", format!("<p>{notice}"));
    for arguments in [
        "cut in -o shorter/ --window 20",
        "apply cuts.jsonl in -o shorter/",
    ] {
        let ran = place.run(arguments);
        let is_refused = ran.code == 2
            && (arguments.starts_with("apply") || ran.err.contains("page.html: is HTML"));
        assert!(is_refused && !place.path("shorter").exists(), "{}", ran.err);
    }
}

#[test]
fn copies_that_cannot_be_made_are_refused_before_the_run() {
    let place = Place::new();
    documents(&place);
    place.write("a.jsonl", "{\"id\":1,\"text\":\"one\"}\n");
    put(&place, &[("full/other.txt".into(), "other".into())]);
    let evil = [("../../evil.txt", "a"), ("b.txt", "b")];
    place.write("evil.zip", zip(&evil));
    place.write(
        "twice.zip",
        zip(&[("a.txt", "a"), ("x//a.txt", "b"), ("x/a.txt", "c")]),
    );
    place.write("inside.zip", zip(&[("a.txt", "a"), ("a.txt/b.txt", "b")]));
    let before = files(&place.path("."));
    for (arguments, words) in [
        (
            "dedup in -o full/",
            &[
                "full/other.txt: already exists",
                "give a new or an empty folder",
            ][..],
        ),
        (
            "dedup in -o in/",
            &["already exists", "give a new or an empty folder"],
        ),
        (
            "dedup in a.jsonl -o out/",
            &["a.jsonl: has records, but other inputs are files"],
        ),
        (
            "dedup in -o out/ --label",
            &["have no fields", "give a name that ends with .jsonl"],
        ),
        ("dedup in -o out/ --label --dry-run", &["have no fields"]),
        (
            "dedup in -o out/ --report out/page.html",
            &["out/page.html: has the name of a document"],
        ),
        (
            "dedup in -o out/ --decisions ./out/1/1.txt",
            &["has the name of a document that may be copied to the same folder"],
        ),
        (
            "dedup in -o out/ --skip-bad out/page.html/bad.txt",
            &["has the name of a document"],
        ),
        (
            "cut in -o out/",
            &["in/copy.html: is HTML, and its text cannot be replaced inside the page"],
        ),
        (
            "dedup in -o s3://bucket/out/",
            &["copied to a local folder only"],
        ),
        (
            "dedup evil.zip -o out/",
            &["evil.zip: \"evil.zip/../../evil.txt\" cannot be the name of a copy"],
        ),
        (
            "dedup twice.zip -o out/",
            &["twice.zip: the copy of \"x/a.txt\" would have the same name as that of a document"],
        ),
        (
            "dedup inside.zip -o out/",
            &["inside.zip: the copy of \"a.txt/b.txt\" would be in a folder that has the name of"],
        ),
        ("dedup in/0 in/1/1.txt in/0/0.txt -o out/", &["given twice"]),
        (
            "dedup in -o out/ --decisions why/",
            &["in: has documents, and the decisions about them have one output"],
        ),
    ] {
        let ran = place.run(arguments);
        assert!(
            ran.code == 2 && words.iter().all(|word| ran.err.contains(word)),
            "{arguments}: {} {}",
            ran.code,
            ran.err
        );
        assert!(
            files(&place.path(".")) == before && !place.path("out").exists(),
            "{arguments}: files have changed"
        );
    }
}

/// A run that is killed before its end leaves only hidden files, which the next run removes.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn killed_runs_leave_no_copies() {
    let place = Place::new();
    documents(&place);
    let start = || {
        let mut command = place.command("dedup in -o out/ --no-decisions --quiet");
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let began = Instant::now();
    assert!(start().wait().unwrap().success());
    let (usual, whole) = (began.elapsed(), files(&place.path("out")));
    let (mut random, mut killed) = (Random(7), 0);
    fs::remove_dir_all(place.path("out")).unwrap();
    while killed < 20 {
        let ended = kill_after(
            start(),
            Some(usual.mul_f64(random.below(1200) as f64 / 1000.0)),
        );
        killed += usize::from(ended.is_none());
        let named: BTreeMap<_, _> = files(&place.path("out"))
            .into_iter()
            .filter(|(name, _)| !name.starts_with('.'))
            .collect();
        // A run that is killed while it names the files leaves some of them, but they are complete.
        assert!(
            named
                .iter()
                .all(|(name, bytes)| whole.get(name) == Some(bytes)),
            "{:?}",
            named.keys()
        );
        if !named.is_empty() {
            fs::remove_dir_all(place.path("out")).unwrap();
        }
    }
    assert!(start().wait().unwrap().success());
    assert!(files(&place.path("out")) == whole);
}

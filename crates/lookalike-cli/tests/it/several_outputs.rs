//! Tests of several outputs: a folder with an output for each input, and numbered outputs of limited size. Together they have the same
//! records as one output.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    Place, Ran, SMALL,
    resume::{Random, kill_after},
    testdata,
};

fn done(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

fn refused(place: &Place, arguments: &str, words: &[&str]) {
    let before = files(place.path(".").as_path());
    let ran = place.run(arguments);
    assert!(
        ran.code == 2 && words.iter().all(|word| ran.err.contains(word)),
        "{arguments}: {} {}",
        ran.code,
        ran.err
    );
    assert!(
        files(place.path(".").as_path()) == before,
        "{arguments}: files have changed"
    );
}

/// The bytes of files by their relative names.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Returns all files below a folder, with their bytes, by their relative names.
pub(crate) fn files(folder: &Path) -> Files {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(&inside).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().display().to_string();
                    found.insert(name, fs::read(path).unwrap());
                }
            }
        }
    }
    found
}

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().collect()
}

pub(crate) fn packed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn lines(ids: &[(u32, u32)]) -> String {
    ids.iter()
        .map(|(id, text)| {
            format!(
                "{}\n",
                json!({"id": id, "text": text_of(*text), "n": [id, 2.50]})
            )
        })
        .collect()
}

fn text_of(number: u32) -> String {
    (0..40)
        .map(|word| format!("word{number}x{word} "))
        .collect()
}

/// Writes a folder of inputs in several formats. Texts 1 and 2 occur several times.
fn mixed(place: &Place) {
    fs::create_dir_all(place.path("in/en/deep")).unwrap();
    place.write("in/a.jsonl", lines(&[(1, 1), (2, 2), (3, 3)]));
    place.write("in/en/a.jsonl.gz", packed(&lines(&[(4, 1), (5, 5)])));
    place.write("in/en/deep/only_copies.jsonl", lines(&[(6, 1), (7, 2)]));
    place.write("in/empty.jsonl", "");
    place.write("in/header.csv", "id,text\n");
    place.write(
        "in/rows.csv",
        format!(
            "id,text\n8,\"{}\n{}\"\n9,{}\n10,{}\n",
            text_of(8),
            text_of(80),
            text_of(2),
            text_of(10)
        ),
    );
    place.write("in/copies.csv", format!("id,text\n18,{}\n", text_of(1)));
    fs::copy(
        testdata("formats/tables/pyarrow_zstd.parquet"),
        place.path("in/table.parquet"),
    )
    .unwrap();
}

/// Returns what one output for one of the inputs has, by the decisions about it.
fn alone(place: &Place, input: &str, decisions: &str) -> Vec<u8> {
    let name = input.rsplit('/').next().unwrap();
    done(
        place,
        &format!("apply {decisions} in/{input} -o alone-{name}"),
    );
    let bytes = fs::read(place.path(&format!("alone-{name}"))).unwrap();
    fs::remove_file(place.path(&format!("alone-{name}"))).unwrap();
    bytes
}

#[test]
fn a_folder_gets_an_output_for_each_input() {
    let place = Place::new();
    mixed(&place);
    let ran = done(&place, "dedup in -o out/new/ --decisions why/");
    assert!(
        ran.err.contains("kept records to out/new/") && ran.err.contains("decisions to why/"),
        "{}",
        ran.err
    );
    let (outputs, inputs) = (files(&place.path("out/new")), names(&place.path("in")));
    assert_eq!(outputs.keys().cloned().collect::<Vec<_>>(), inputs);
    assert_eq!(names(&place.path("why")).len(), inputs.len());
    for input in &inputs {
        let stem = input.trim_end_matches(".gz").rsplit_once('.').unwrap().0;
        let why = format!(
            "why/{stem}.decisions.jsonl{}",
            if input.ends_with(".gz") { ".gz" } else { "" }
        );
        assert!(alone(&place, input, &why) == outputs[input], "{input}");
    }
    assert_eq!(outputs["en/deep/only_copies.jsonl"], b"");
    assert_eq!(
        (&outputs["header.csv"][..], &outputs["copies.csv"][..]),
        (&b"id,text\n"[..], &b"id,text\n"[..])
    );
    assert!(
        outputs["rows.csv"].starts_with(b"id,text\n8,\"")
            && !String::from_utf8_lossy(&outputs["rows.csv"]).contains("\n9,")
    );
    // Together they have what one output has.
    done(
        &place,
        "dedup in -o one.jsonl --decisions one.decisions.jsonl",
    );
    let kept = |name: &str| {
        place
            .read(name)
            .lines()
            .filter(|line| line.contains("\"verdict\":\"kept\""))
            .count()
    };
    done(&place, "dedup out/new -o again.jsonl --no-decisions");
    assert_eq!(place.read("again.jsonl"), place.read("one.jsonl"));
    assert_eq!(
        kept("one.decisions.jsonl"),
        place.read("one.jsonl").lines().count()
    );
    // An existing folder needs no slash, outputs replace those of an earlier run, and other files remain.
    place.write("out/new/other.txt", "other");
    done(&place, "dedup in -o out/new --threads 1 --memory 64M");
    assert!(place.path("out/new.decisions.jsonl").exists());
    let mut again = files(&place.path("out/new"));
    assert_eq!(again.remove("other.txt"), Some(b"other".to_vec()));
    assert!(again == outputs);
}

#[test]
fn labels_cuts_and_marks_are_written_for_each_input() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    let notice = text_of(99);
    let with = |id: u32, text: u32| json!({"id": id, "text": format!("{} {notice} {}", text_of(text), text_of(text + 50))});
    place.write(
        "in/a.jsonl",
        format!("{}\n{}\n", with(9001, 1), with(9002, 2)),
    );
    place.write(
        "in/b.jsonl",
        format!("{}\n{}\n", with(9003, 3), with(9004, 1)),
    );
    fs::copy(
        testdata("formats/tables/pyarrow_zstd.parquet"),
        place.path("in/c.parquet"),
    )
    .unwrap();
    let joined = |folder: &str, names: [&str; 2]| {
        names
            .map(|name| place.read(&format!("{folder}/{name}")))
            .concat()
    };
    for (command, more) in [
        ("dedup", "--label"),
        ("cut", "--window 20"),
        ("cut", "--window 20 --mark"),
    ] {
        done(&place, &format!("{command} in -o out/ {more}"));
        // The table alone cannot show which values its rows get, because they depend on the other inputs.
        done(
            &place,
            &format!("{command} in/a.jsonl in/b.jsonl in/c.parquet -o one.jsonl {more}"),
        );
        assert!(
            place
                .read("one.jsonl")
                .starts_with(&joined("out", ["a.jsonl", "b.jsonl"])),
            "{command} {more}"
        );
        assert!(
            fs::read(place.path("out/c.parquet"))
                .unwrap()
                .starts_with(b"PAR1")
        );
    }
    done(
        &place,
        "cut in -o out/ --window 20 --cuts cuts/ --dolma dolma/",
    );
    done(
        &place,
        "cut in -o one.jsonl --window 20 --cuts cuts.jsonl --dolma dolma.jsonl",
    );
    assert_eq!(
        names(&place.path("cuts")),
        ["a.cuts.jsonl", "b.cuts.jsonl", "c.cuts.jsonl"]
    );
    assert_eq!(
        names(&place.path("dolma")),
        ["a.jsonl", "b.jsonl", "c.jsonl"]
    );
    let all = |folder: &str| {
        files(&place.path(folder))
            .into_values()
            .collect::<Vec<_>>()
            .concat()
    };
    assert!(all("cuts") == fs::read(place.path("cuts.jsonl")).unwrap());
    assert!(all("dolma") == fs::read(place.path("dolma.jsonl")).unwrap());
    assert!(place.read("cuts/b.cuts.jsonl").contains("\"source\":9001"));
}

/// Checks that numbered outputs have the records of one output, in order, and as many as the limit permits.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn numbered_outputs_are_limited() {
    let place = Place::new();
    let ids: Vec<(u32, u32)> = (0..1000)
        .map(|id| (id, if id % 3 == 0 { 7 } else { id }))
        .collect();
    place.write("in.jsonl", lines(&ids));
    let records: Vec<Value> = lines(&ids)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    place.write("in.json", serde_json::to_string_pretty(&records).unwrap());
    let mut csv = String::from("id,text\r\n");
    ids.iter()
        .for_each(|(id, text)| csv += &format!("{id},\"{}\n\"\"{id}\"\"\"\r\n", text_of(*text)));
    place.write("in.csv", csv.trim_end());
    for ending in ["jsonl", "json", "csv"] {
        for (number, (limit, threads)) in [
            ("--rows-per-file 100", 1),
            ("--bytes-per-file 30kB", 2),
            ("--rows-per-file 1", 3),
        ]
        .iter()
        .enumerate()
        {
            let folder = format!("{ending}{number}");
            fs::create_dir(place.path(&folder)).unwrap();
            done(&place, &format!("dedup in.{ending} -o one.{ending}"));
            done(
                &place,
                &format!(
                    "dedup in.{ending} -o {folder}/part-{{:04}}.{ending} {limit} --threads {threads}"
                ),
            );
            let (mut kept, mut why) = (Vec::new(), String::new());
            for (name, bytes) in files(&place.path(&folder)) {
                let text = String::from_utf8(bytes).unwrap();
                if name.contains(".decisions.") {
                    let count = text.lines().count();
                    assert!(
                        count > 0 && (!limit.contains("rows") || count <= 100),
                        "{name}"
                    );
                    why += &text;
                    continue;
                }
                assert_eq!(name, format!("part-{:04}.{ending}", kept.len()));
                assert!(
                    !limit.contains("bytes") || text.len() < 30_100,
                    "{name} has {} bytes",
                    text.len()
                );
                kept.push(text);
            }
            assert_eq!(why, place.read("one.decisions.jsonl"));
            assert!(kept.len() > 5, "{}", kept.len());
            if *limit == "--rows-per-file 100" {
                assert_eq!(kept.len(), 7);
            }
            let one = place.read(&format!("one.{ending}"));
            let joined: String = match ending {
                "jsonl" => kept.concat(),
                "json" => {
                    let inside = |text: &String| {
                        text.strip_prefix("[\n")
                            .and_then(|text| text.strip_suffix("\n]\n"))
                            .unwrap()
                            .to_owned()
                    };
                    format!(
                        "[\n{}\n]\n",
                        kept.iter().map(inside).collect::<Vec<_>>().join(",\n")
                    )
                }
                _ => {
                    let rows = |text: &String| text.strip_prefix("id,text\r\n").unwrap().to_owned();
                    format!("id,text\r\n{}", kept.iter().map(rows).collect::<String>())
                }
            };
            assert!(joined == one, "{folder}");
            // Decisions are applied in the same way.
            fs::create_dir(place.path("applied")).unwrap();
            done(
                &place,
                &format!(
                    "apply one.decisions.jsonl in.{ending} -o applied/part-{{:04}}.{ending} {limit}"
                ),
            );
            let applied: Vec<String> = files(&place.path("applied"))
                .into_values()
                .map(|bytes| String::from_utf8(bytes).unwrap())
                .collect();
            assert!(applied == kept, "{folder}");
            fs::remove_dir_all(place.path("applied")).unwrap();
        }
    }
}

#[test]
fn numbered_tables_labels_and_cuts() {
    let place = Place::new();
    let table = testdata("formats/tables/pyarrow_zstd.parquet");
    done(&place, &format!("dedup {table} -o one.jsonl"));
    let rows = place.read("one.jsonl").lines().count();
    for (folder, limit, least) in [
        ("rows", "--rows-per-file 7", rows / 7),
        ("bytes", "--bytes-per-file 1kB", 2),
    ] {
        fs::create_dir(place.path(folder)).unwrap();
        done(
            &place,
            &format!(
                "dedup {table} -o {folder}/{{:03}}.parquet --decisions {folder}/why-{{}}.parquet {limit}"
            ),
        );
        let found = names(&place.path(folder));
        let parts: Vec<&String> = found
            .iter()
            .filter(|name| !name.starts_with("why"))
            .collect();
        assert!(
            parts.len() >= least && parts[0] == "000.parquet",
            "{found:?}"
        );
        parts.iter().for_each(|name| {
            fs::create_dir_all(place.path(&format!("{folder}/parts"))).unwrap();
            fs::rename(
                place.path(&format!("{folder}/{name}")),
                place.path(&format!("{folder}/parts/{name}")),
            )
            .unwrap();
        });
        done(
            &place,
            &format!("dedup {folder}/parts -o again.jsonl --no-decisions"),
        );
        assert_eq!(place.read("again.jsonl"), place.read("one.jsonl"));
        done(
            &place,
            &format!("dedup {table} -o {folder}/{{:03}}.jsonl --no-decisions {limit} --label"),
        );
        let labelled: Vec<String> = files(&place.path(folder))
            .into_iter()
            .filter(|(name, _)| name.ends_with(".jsonl"))
            .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
            .collect();
        done(&place, &format!("dedup {table} -o labelled.jsonl --label"));
        assert_eq!(labelled.concat(), place.read("labelled.jsonl"));
    }
    let licenses = testdata("licenses.jsonl.zst");
    fs::create_dir(place.path("cut")).unwrap();
    done(
        &place,
        &format!(
            "cut {licenses} -o cut/x-{{}}.jsonl --cuts cut/cuts-{{:02}}.jsonl --bytes-per-file 1MB"
        ),
    );
    done(
        &place,
        &format!("cut {licenses} -o cut.jsonl --cuts cuts.jsonl"),
    );
    let all = |start: &str| {
        let mut found: Vec<(usize, Vec<u8>)> = files(&place.path("cut"))
            .into_iter()
            .filter_map(|(name, bytes)| {
                Some((
                    name.strip_prefix(start)?
                        .strip_suffix(".jsonl")?
                        .parse()
                        .unwrap(),
                    bytes,
                ))
            })
            .collect();
        found.sort();
        assert!(
            found.len() > 1
                && found.iter().all(|(_, bytes)| bytes.len() <= 1_000_000
                    || bytes.iter().filter(|byte| **byte == b'\n').count() == 1)
        );
        found
            .into_iter()
            .flat_map(|(_, bytes)| bytes)
            .collect::<Vec<_>>()
    };
    assert!(all("x-") == fs::read(place.path("cut.jsonl")).unwrap());
    assert!(all("cuts-") == fs::read(place.path("cuts.jsonl")).unwrap());
}

#[test]
fn names_that_cannot_be_meant_are_refused() {
    let place = Place::new();
    fs::create_dir_all(place.path("in/b")).unwrap();
    place
        .write("in/a.jsonl", SMALL)
        .write("in/b/a.jsonl", SMALL.replace("first", "other"));
    fs::create_dir(place.path("texts")).unwrap();
    fs::create_dir(place.path("there")).unwrap();
    place.write("texts/a.txt", "one two three");
    for (arguments, words) in [
        (
            "dedup in/a.jsonl -o part-{:05}.jsonl",
            &[
                "the name has a number",
                "--rows-per-file or --bytes-per-file",
            ][..],
        ),
        (
            "dedup in/a.jsonl -o part.jsonl --rows-per-file 3",
            &[
                "part.jsonl: with --rows-per-file, the name of the outputs needs a number",
                "part-{:05}.jsonl",
            ],
        ),
        (
            "dedup in/a.jsonl -o part-{:x}.jsonl --rows-per-file 3",
            &["needs a number"],
        ),
        (
            "dedup in/a.jsonl -o part-{:99}.jsonl --rows-per-file 3",
            &["\"{:99}\" is not a place for a number", "at most 18 digits"],
        ),
        (
            "dedup in/a.jsonl -o x-{}.jsonl --decisions y-{:5}.jsonl --rows-per-file 3",
            &["\"{:5}\" is not a place for a number"],
        ),
        (
            "dedup in/a.jsonl -o part-{}-{:02}.jsonl --rows-per-file 3",
            &["the name has two places for the number"],
        ),
        (
            "dedup in/a.jsonl -o kept.tar.gz",
            &["kept.tar.gz: is the name of a tar archive, which is not written"],
        ),
        (
            "cut in/a.jsonl -o kept.XLSX",
            &["kept.XLSX: is the name of an Excel workbook, which is not written"],
        ),
        (
            "dedup in/a.jsonl -o kept.jsonl --decisions why.zip",
            &["why.zip: is the name of a zip archive"],
        ),
        (
            "cut in/a.jsonl -o kept.jsonl --cuts why.db",
            &["why.db: is the name of a database"],
        ),
        (
            "dedup in/a.jsonl -o out/ --bytes-per-file 3MB",
            &["out/: with --bytes-per-file, the name of the outputs needs a number"],
        ),
        (
            "dedup in/a.jsonl -o {}.jsonl --bytes-per-file 0",
            &["give a size such as 500MB"],
        ),
        ("dedup in/a.jsonl --rows-per-file 3", &["--output"]),
        (
            "dedup - -o out/",
            &[
                "stdin: is not one file of records",
                "give the name of one output",
            ],
        ),
        (
            "dedup texts -o out/ --output-format csv",
            &[
                "texts: has documents, which are copied to a folder as they are, so --output-format does not work",
            ],
        ),
        (
            "dedup texts -o out/ --decisions why/",
            &[
                "texts: has documents, and the decisions about them have one output",
                "decisions.jsonl",
            ],
        ),
        (
            "cut texts -o out/ --cuts why/",
            &[
                "texts: has documents, and what is cut out of them has one output",
                "cuts.jsonl",
            ],
        ),
        (
            "dedup texts -o kept.txt",
            &[
                "kept.txt: one output with several documents cannot be a text file",
                "such as kept/",
            ],
        ),
        (
            "dedup texts -o texts/a.txt/kept/",
            &["there is a file where a folder is needed"],
        ),
        (
            "dedup in/a.jsonl in/b/a.jsonl -o out/",
            &[
                "in/b/a.jsonl: its output would be out/a.jsonl, like that of in/a.jsonl",
                "contains both",
            ],
        ),
        (
            "dedup in -o in/",
            &["in/a.jsonl: would overwrite the input in/a.jsonl"],
        ),
        ("cut in -o in", &["would overwrite the input"]),
        (
            "dedup in/a.jsonl -o there/ --summary there/a.jsonl",
            &["there/a.jsonl: would overwrite the output there/a.jsonl"],
        ),
        (
            "dedup in/a.jsonl -o x-{}.jsonl --decisions x-{}.jsonl --rows-per-file 2",
            &["is the name of two different outputs"],
        ),
        (
            "dedup in/a.jsonl -o x-{}.jsonl --summary x-7.jsonl --rows-per-file 2",
            &["x-7.jsonl: has the name of a numbered output"],
        ),
        (
            "dedup in/a.jsonl -o x-{}.csv --rows-per-file 2",
            &["field \"extra\" is an array, which CSV cannot store"],
        ),
    ] {
        refused(&place, arguments, words);
    }
    done(&place, "dedup in/a.jsonl -o x-{}.jsonl --rows-per-file 2");
    refused(
        &place,
        "dedup in/a.jsonl -o x-{}.jsonl --rows-per-file 2",
        &["x-0.jsonl: exists", "remove the numbered files"],
    );
    // A run without documents has one output.
    fs::write(place.path("none.jsonl"), "").unwrap();
    done(
        &place,
        "dedup none.jsonl -o none-{}.jsonl --rows-per-file 2",
    );
    assert!(place.read("none-0.jsonl").is_empty() && !place.path("none-1.jsonl").exists());
    // A dry run checks the same, and writes nothing.
    done(&place, "dedup in/a.jsonl -o dry/ --dry-run");
    assert!(!place.path("dry").exists());
}

#[test]
fn links_in_a_folder_of_outputs_are_replaced_and_pipes_are_refused() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    for folder in ["in", "out", "why", "elsewhere"] {
        fs::create_dir(place.path(folder)).unwrap();
    }
    place
        .write("in/a.jsonl", lines(&[(1, 1)]))
        .write("in/b.jsonl", lines(&[(2, 2)]))
        .write("victim", "old\n")
        .write("other", "old\n");
    symlink("../victim", place.path("out/a.jsonl")).unwrap();
    symlink("../new", place.path("out/b.jsonl")).unwrap();
    // A link among the folders is followed.
    fs::remove_dir(place.path("why")).unwrap();
    symlink("elsewhere", place.path("why")).unwrap();
    symlink("../other", place.path("why/a.decisions.jsonl")).unwrap();
    done(&place, "dedup in -o out/ --decisions why/");
    assert_eq!(place.read("victim") + &place.read("other"), "old\nold\n");
    assert!(!place.path("new").exists());
    for name in ["out/a.jsonl", "out/b.jsonl", "elsewhere/a.decisions.jsonl"] {
        let there = place.path(name).symlink_metadata().unwrap();
        assert!(there.is_file() && there.len() > 0, "{name}");
    }
    assert_eq!(names(&place.path("out")), ["a.jsonl", "b.jsonl"]);
    // The pipe would be opened last.
    fs::remove_file(place.path("out/b.jsonl")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("out/b.jsonl"))
        .status();
    assert!(made.unwrap().success());
    let ran = place.run("dedup in -o out/");
    assert!(
        ran.code == 2 && ran.err.contains("out/b.jsonl: is a pipe or a device"),
        "{}",
        ran.err
    );
}

#[test]
fn different_spellings_of_a_name_are_one_name() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        lines(&(0..20).map(|id| (id, id)).collect::<Vec<_>>()),
    );
    for (arguments, words) in [
        (
            "dedup in.jsonl -o p-{}.jsonl --decisions ./p-{}.jsonl --rows-per-file 5",
            "is the name of two different outputs",
        ),
        (
            "dedup in.jsonl -o p-{}.jsonl --decisions p-{:03}.jsonl --rows-per-file 5",
            "is the name of two different outputs",
        ),
        (
            "dedup in.jsonl -o p-{}.jsonl --summary ./p-1.jsonl --rows-per-file 5",
            "has the name of a numbered output",
        ),
    ] {
        refused(&place, arguments, &[words]);
    }
    // A link is noticed only when the files get their names.
    std::os::unix::fs::symlink(place.path("."), place.path("link")).unwrap();
    let ran =
        place.run("dedup in.jsonl -o p-{}.jsonl --decisions link/p-{}.jsonl --rows-per-file 5");
    assert!(
        ran.code == 2 && ran.err.contains("is the name of two different outputs"),
        "{}",
        ran.err
    );
    assert_eq!(place.names(), ["in.jsonl", "link"]);
    fs::create_dir_all(place.path("in/x")).unwrap();
    place
        .write("in/x/a.jsonl", lines(&[(1, 1)]))
        .write("in/a.jsonl", lines(&[(2, 2)]))
        .write("in/a.csv", "id,text\n3,one two three\n");
    done(&place, "dedup ./in/* ./in/x -o out/ --decisions why/");
    assert_eq!(names(&place.path("out")), ["a.csv", "a.jsonl", "x/a.jsonl"]);
    assert_eq!(
        names(&place.path("why")),
        [
            "a.decisions.jsonl",
            "a.jsonl.decisions.jsonl",
            "x/a.decisions.jsonl"
        ]
    );
    done(&place, "apply why in -o applied/");
    assert!(files(&place.path("applied")) == files(&place.path("out")));
}

#[test]
fn decisions_without_a_number_are_one_file() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        lines(&(0..20).map(|id| (id, id / 2)).collect::<Vec<_>>()),
    );
    fs::create_dir(place.path("out")).unwrap();
    done(&place, "dedup in.jsonl -o out/{}.jsonl --rows-per-file 3");
    done(
        &place,
        "dedup in.jsonl -o x-{}.jsonl --decisions why.jsonl --rows-per-file 3",
    );
    done(&place, "apply why.jsonl in.jsonl -o one.jsonl");
    done(
        &place,
        "apply out/*.decisions.jsonl in.jsonl -o other.jsonl",
    );
    assert_eq!(place.read("one.jsonl"), place.read("other.jsonl"));
    assert_eq!(place.read("one.jsonl").lines().count(), 10);
}

/// Runs with the same numbered names do not mix their outputs: one of them fails.
#[test]
fn runs_at_the_same_time_do_not_mix_their_outputs() {
    for _ in 0..5 {
        let place = Place::new();
        place.write(
            "in.jsonl",
            lines(&(0..3000).map(|id| (id, id)).collect::<Vec<_>>()),
        );
        fs::create_dir(place.path("out")).unwrap();
        let start = |rows: u32| {
            let arguments = format!(
                "dedup in.jsonl -o out/{{}}.jsonl --no-decisions --quiet --rows-per-file {rows}"
            );
            place
                .command(&arguments)
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let started = [start(100), start(700)];
        let done = started.map(|mut run| run.wait().unwrap().success());
        assert!(done.contains(&true));
        let rows: usize = files(&place.path("out"))
            .values()
            .map(|bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
            .sum();
        assert_eq!(rows, 3000, "{done:?}");
    }
}

#[test]
fn many_outputs_take_little_memory() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    for file in 0..800 {
        place.write(&format!("in/{file:03}.jsonl"), lines(&[(file, file)]));
    }
    let ran = done(
        &place,
        "dedup in -o out/ --decisions why/ --memory 64M --json",
    );
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(
        summary["peak_memory"]
            .as_u64()
            .is_none_or(|peak| peak < 300 << 20),
        "{}",
        summary["peak_memory"]
    );
    assert_eq!(
        (
            names(&place.path("out")).len(),
            names(&place.path("why")).len()
        ),
        (800, 800)
    );
}

/// Kills runs at random times. No output is incomplete, and the next run has the same bytes. Outputs appear when all are complete, so
/// most killed runs leave none.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn killed_runs_leave_no_incomplete_outputs() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    for file in 0..40 {
        let ids: Vec<(u32, u32)> = (0..200)
            .map(|at| (file * 1000 + at, (file * 200 + at) % 5000))
            .collect();
        place.write(&format!("in/{file:02}.jsonl"), lines(&ids));
    }
    for (flags, folder) in [
        ("dedup in -o out/ --decisions why/", true),
        (
            "cut in --window 20 -o out/part-{}.jsonl --rows-per-file 99",
            false,
        ),
    ] {
        let clean = || {
            ["out", "why"]
                .iter()
                .for_each(|name| drop(fs::remove_dir_all(place.path(name))))
        };
        let all = || [files(&place.path("out")), files(&place.path("why"))];
        let start = |more: &str| {
            let mut command = place.command(&format!("{flags} --quiet {more}"));
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        clean();
        let began = Instant::now();
        assert!(start("").wait().unwrap().success());
        let (usual, expected) = (began.elapsed(), all());
        assert!(
            expected[0].len()
                == if folder {
                    40
                } else {
                    expected[0].len().max(41)
                }
        );
        let (mut random, mut killed, mut left) = (Random(5), 0, 0);
        while killed < 20 {
            clean();
            for attempt in 0.. {
                let time = (attempt < 8).then(|| {
                    usual
                        .mul_f64(random.below(1200) as f64 / 1000.0)
                        .max(Duration::from_millis(1))
                });
                match kill_after(start("--resume state --resume-part 50000"), time) {
                    Some(status) => {
                        assert!(status.success());
                        break;
                    }
                    None => {
                        killed += 1;
                        let found = all();
                        left += usize::from(found.iter().any(|files| !files.is_empty()));
                        let is_whole = |(found, expected): (&Files, &Files)| {
                            found.iter().all(|(name, bytes)| {
                                name.ends_with(".unfinished") || expected.get(name) == Some(bytes)
                            })
                        };
                        assert!(
                            found.iter().zip(&expected).all(is_whole),
                            "{:?}",
                            names(&place.path("out"))
                        );
                        clean();
                    }
                }
            }
            assert!(all() == expected, "{flags}");
        }
        assert!(left < killed / 2, "{left} of {killed}");
    }
}

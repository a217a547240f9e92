//! Tests of deciding first and dropping later: `dedup --label` writes every record with its decision, and `apply` drops documents
//! according to decisions. The tests parse the outputs of both in a naive way, and check that the label of a record agrees with
//! its decision, and that `apply` drops the same documents as a single `dedup` run.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{Place, Ran, SMALL, resume::Random, testdata};

/// A line of decisions, with its values exactly as written.
#[derive(Deserialize)]
struct Decision {
    id: Box<RawValue>,
    verdict: String,
    representative: Option<Box<RawValue>>,
    resemblance: Option<Box<RawValue>>,
    containment: Option<Box<RawValue>>,
}

impl Decision {
    /// Returns cluster, verdict, representative and similarity, as JSON.
    fn label(&self, by_containment: bool) -> [String; 4] {
        let text =
            |value: Option<&RawValue>| value.map_or("null".to_string(), |value| value.get().into());
        let similarity = if by_containment {
            &self.containment
        } else {
            &self.resemblance
        };
        let cluster = self
            .representative
            .as_ref()
            .unwrap_or(&self.id)
            .get()
            .into();
        [
            cluster,
            format!("\"{}\"", self.verdict),
            text(self.representative.as_deref()),
            text(similarity.as_deref()),
        ]
    }

    /// Returns the fields that are added to a JSON object.
    fn fragment(&self, by_containment: bool) -> String {
        let [cluster, verdict, representative, similarity] = self.label(by_containment);
        format!(
            r#","cluster":{cluster},"verdict":{verdict},"representative":{representative},"similarity":{similarity}"#
        )
    }
}

fn decisions(place: &Place, name: &str) -> Vec<Decision> {
    place
        .read(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn done(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

/// Removes from each object the label that follows from its decision, which restores the original records.
fn without_labels(labelled: &str, decisions: &[Decision], by_containment: bool) -> String {
    let (mut rest, mut records) = (labelled, String::new());
    for decision in decisions {
        let fragment = decision.fragment(by_containment);
        let (before, after) = rest
            .split_once(&fragment)
            .unwrap_or_else(|| panic!("no {fragment} in {rest}"));
        assert!(after.trim_start().starts_with('}'), "{after}");
        records += before;
        rest = after;
    }
    records + rest
}

#[test]
fn every_record_is_written_with_its_decision() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        SMALL.replacen("bank at dawn today.\"}", "bank at dawn today.\" } ", 1) + "\n\r\n",
    );
    let ran = done(&place, "dedup in.jsonl --label -o out.jsonl");
    assert!(
        ran.err.contains("3 documents in = 2 kept + 1 dropped"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("  written  all records, labelled, to out.jsonl\n"),
        "{}",
        ran.err
    );
    let lines = SMALL.replacen(
        ".\"}",
        r#".","cluster":"first","verdict":"kept","representative":null,"similarity":null } "#,
        1,
    );
    let lines = lines.replacen(
        "2.50]}",
        r#"2.50],"cluster":2,"verdict":"kept","representative":null,"similarity":null}"#,
        1,
    );
    let last = r#"yes","cluster":"first","verdict":"dropped","representative":"first","similarity":0.9285714285714286}"#;
    assert_eq!(place.read("out.jsonl"), lines.replacen("yes\"}", last, 1));
    let why = place.read("out.decisions.jsonl");
    done(&place, "dedup in.jsonl -o kept.jsonl");
    assert_eq!(
        why,
        place.read("kept.decisions.jsonl"),
        "the same decisions, labelled or not"
    );
    done(
        &place,
        "apply out.decisions.jsonl in.jsonl -o applied.jsonl",
    );
    assert_eq!(place.read("applied.jsonl"), place.read("kept.jsonl"));
    // This run writes to standard output, and creates no file.
    let ran = done(&place, "dedup in.jsonl --label -o - -q");
    assert_eq!(ran.out, place.read("out.jsonl"));
    assert_eq!(
        done(&place, "apply out.decisions.jsonl in.jsonl -o - -q").out,
        place.read("kept.jsonl")
    );
    assert_eq!(
        place.run("dedup in.jsonl --label").code,
        2,
        "labels need an output"
    );
}

/// Uses real texts to test every way of making decisions, including ways that keep a document other than the first of its group.
#[test]
fn labels_agree_with_the_decisions() {
    let place = Place::new();
    let input = testdata("licenses.jsonl.zst");
    done(&place, &format!("dedup {input} --label -o all.jsonl"));
    let all: Vec<Value> = place
        .read("all.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let values = |name: &str| all.iter().filter(|record| !record[name].is_null()).count();
    assert!(values("cluster") == all.len() && (1..all.len()).contains(&values("similarity")));
    let records = without_labels(
        &place.read("all.jsonl"),
        &decisions(&place, "all.decisions.jsonl"),
        false,
    );
    place.write("in.jsonl", &records);
    assert_eq!(
        records,
        String::from_utf8(zstd::decode_all(fs::File::open(&input).unwrap()).unwrap()).unwrap()
    );
    for flags in [
        "--keep longest",
        "--cluster components",
        "--measure containment --candidates shared",
        "--method simhash",
        "--verify sketch --threshold 0.6",
        "--verify none",
        "--method exact --memory 64M --threads 3",
        "--resume state --resume-part 100000",
    ] {
        done(&place, &format!("dedup in.jsonl -o kept.jsonl {flags}"));
        let why = place.read("kept.decisions.jsonl");
        done(
            &place,
            &format!("dedup in.jsonl --label -o labelled.jsonl {flags}"),
        );
        assert!(why == place.read("labelled.decisions.jsonl"), "{flags}");
        let by_containment = flags.contains("containment");
        let reported = without_labels(
            &place.read("labelled.jsonl"),
            &decisions(&place, "kept.decisions.jsonl"),
            by_containment,
        );
        assert!(reported == records, "{flags}");
        done(
            &place,
            "apply kept.decisions.jsonl in.jsonl -o applied.jsonl --threads 2",
        );
        assert!(
            place.read("applied.jsonl") == place.read("kept.jsonl"),
            "{flags}"
        );
    }
}

/// The last pass of a resumed run writes the labels of all records, including those that an earlier run decided.
#[test]
fn labels_of_a_resumed_run() {
    let place = Place::new();
    let line = |n: u32| {
        format!(
            "{{\"id\":{n},\"text\":\"{}\"}}\n",
            format!("words {} ", n / 2).repeat(300)
        )
    };
    let good: String = (0..600).map(line).collect();
    place
        .write("in.jsonl", format!("{good}oops\n"))
        .write("good.jsonl", &good);
    let mut command =
        place.command("dedup --label -o labelled.jsonl --resume state --resume-part 1");
    command.args(["--input-command", "cat in.jsonl"]);
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    place.write("in.jsonl", &good);
    let ran = Ran::of(command.output().unwrap());
    assert!(
        ran.code == 0 && ran.err.contains("  resumed  within the first pass\n"),
        "{}",
        ran.err
    );
    let why = decisions(&place, "labelled.decisions.jsonl");
    assert!(why.iter().any(|decision| decision.verdict == "dropped"));
    assert_eq!(
        without_labels(&place.read("labelled.jsonl"), &why, false),
        good
    );
}

/// A random collection with similar texts, copies and empty texts, and with ids that are strings, numbers, missing or repeated.
struct Collection {
    /// The id as JSON, the text, and another field.
    records: Vec<(Option<String>, String, String)>,
}

impl Collection {
    fn new(random: &mut Random, file: usize, repeated: bool, made_up: bool) -> Self {
        let most = 1 + random.below(40);
        let records = (0..most).map(|number| {
            let subject = random.below(6);
            let mut words: Vec<String> = (0..30).map(|at| format!("w{subject}x{at}")).collect();
            match random.below(5) {
                0 => {
                    words = (0..random.below(4))
                        .map(|_| format!("q{}", random.below(1000)))
                        .collect()
                }
                1 => words[random.below(30) as usize] = "other".into(),
                2 => words.truncate(25),
                3 => words
                    .iter_mut()
                    .for_each(|word| *word = word.to_uppercase()),
                _ => {}
            }
            let id = match random.below(6) {
                0 if made_up => None,
                1 if repeated => Some("\"same\"".into()),
                2 => Some(format!("{}", number + 1000 * file as u64)),
                3 => Some(format!("\"é, \\\"{file}-{number}\\\"\"")),
                _ => Some(format!("\"{file};{number}\"")),
            };
            (
                id,
                words.join([" ", "  ", ", "][random.below(3) as usize]),
                ["", "a \"b\"", "{}}", "x\ny"][random.below(4) as usize].into(),
            )
        });
        Self {
            records: records.collect(),
        }
    }

    fn lines(&self, random: &mut Random, bad: bool) -> String {
        let mut lines = String::new();
        for (id, text, note) in &self.records {
            let [text, note] = [text, note].map(|value| Value::from(value.as_str()).to_string());
            let id = id
                .as_ref()
                .map_or(String::new(), |id| format!("\"id\":{id},"));
            lines += &match random.below(4) {
                0 => format!("{{{id}\"text\":{text},\"note\":{note}}}"),
                1 => format!(" {{ {id} \"note\" : {note} , \"text\": {text}\t}} "),
                2 => format!("{{\"note\":{{\"a}}\":[{{}},{note}]}},{id}\"text\":{text}}}"),
                _ => format!("{{{id}\"text\":{text}}}"),
            };
            lines += ["\n", "\r\n", "\n\n", "\n \t\n"][random.below(4) as usize];
            if bad && random.below(8) == 0 {
                lines += ["no record\n", "{\"id\":1}\n", "[]\n"][random.below(3) as usize];
            }
        }
        if random.below(3) == 0 {
            lines.trim_end().into()
        } else {
            lines
        }
    }

    fn array(&self, random: &mut Random) -> String {
        let objects = self.records.iter().map(|(id, text, note)| {
            let mut object = serde_json::json!({"text": text, "note": note});
            if let Some(id) = id {
                object["id"] = serde_json::from_str(id).unwrap();
            }
            object
        });
        let all: Vec<Value> = objects.collect();
        if random.below(2) == 0 {
            serde_json::to_string(&all)
        } else {
            serde_json::to_string_pretty(&all)
        }
        .unwrap()
    }

    fn csv(&self, random: &mut Random, delimiter: char) -> String {
        let end = ["\n", "\r\n"][random.below(2) as usize];
        let mut rows = ["note", "id", "text"].join(&delimiter.to_string()) + end;
        for (id, text, note) in &self.records {
            let id = id
                .as_ref()
                .map(|id| serde_json::from_str::<String>(id).unwrap_or_else(|_| id.clone()));
            let cells = [note, &id.unwrap_or_default(), text].map(|cell| {
                let must = cell.contains(['"', '\n', '\r', delimiter]);
                if must || random.below(3) == 0 {
                    format!("\"{}\"", cell.replace('"', "\"\""))
                } else {
                    cell.clone()
                }
            });
            rows += &(cells.join(&delimiter.to_string()) + end);
        }
        if random.below(3) == 0 {
            rows.trim_end_matches(['\r', '\n']).into()
        } else {
            rows
        }
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Writes a random input; returns its name.
fn random_input(
    place: &Place,
    random: &mut Random,
    file: usize,
    kind: u64,
    [repeated, made_up, bad]: [bool; 3],
) -> String {
    let collection = Collection::new(random, file, repeated, made_up);
    let (mut name, bytes) = match kind {
        0 => (format!("{file}.jsonl"), collection.lines(random, bad)),
        1 => (format!("{file}.json"), collection.array(random)),
        2 => (format!("{file}.csv"), collection.csv(random, ',')),
        3 => (format!("{file}.tsv"), collection.csv(random, '\t')),
        _ => {
            let folder = format!("texts{file}");
            fs::create_dir(place.path(&folder)).unwrap();
            for (number, (_, text, note)) in collection.records.iter().enumerate() {
                place.write(&format!("{folder}/{number}.txt"), format!("{text} {note}"));
            }
            return folder;
        }
    };
    let packed = random.below(3) == 0;
    name += if packed { ".gz" } else { "" };
    place.write(
        &name,
        if packed {
            gzip(bytes.as_bytes())
        } else {
            bytes.into()
        },
    );
    name
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn apply_gives_the_same_output_as_dedup() {
    let mut random = Random(0x5eed_1abe_15f1_7575);
    let (mut dropped, mut shapes) = (0, [0; 3]);
    for round in 0..120 {
        let place = Place::new();
        let flags = [
            random.below(2) == 0,
            random.below(2) == 0,
            random.below(3) == 0,
        ];
        let [_, _, bad] = flags;
        let (files, one_kind) = (1 + random.below(3) as usize, random.below(5));
        let mixed = random.below(2) == 0;
        let kinds: Vec<u64> = (0..files)
            .map(|_| if mixed { random.below(5) } else { one_kind })
            .collect();
        let inputs = kinds
            .iter()
            .enumerate()
            .map(|(file, &kind)| random_input(&place, &mut random, file, kind, flags));
        let inputs = inputs.collect::<Vec<_>>().join(" ");
        let shape = match kinds[0] {
            _ if kinds.iter().any(|&kind| kind != kinds[0]) => 0,
            1 => 1,
            2 | 3 => 2,
            _ => 0,
        };
        shapes[shape] += 1;
        let ending = [
            ".jsonl",
            ".json",
            if kinds[0] == 2 { ".csv" } else { ".tsv" },
        ][shape];
        // Two folders may have files of the same name.
        let repeated = flags[0] || kinds.iter().filter(|&&kind| kind == 4).count() > 1;
        let (repeated, skip) = (
            if repeated { "--allow-repeated-ids" } else { "" },
            bad && kinds.contains(&0),
        );
        let skip = |file: &str| {
            if skip {
                format!("--skip-bad {file}")
            } else {
                String::new()
            }
        };
        let threads = 1 + random.below(3);
        done(
            &place,
            &format!(
                "dedup {inputs} -o kept{ending} --decisions why.jsonl.zst {repeated} {}",
                skip("bad")
            ),
        );
        done(
            &place,
            &format!(
                "dedup {inputs} --label -o labelled{ending} --decisions why.jsonl {repeated} {}",
                skip("bad2")
            ),
        );
        let apply = format!(
            "apply why.jsonl.zst {inputs} -o applied{ending} --threads {threads} {}",
            skip("bad3")
        );
        let ran = done(&place, &apply);
        assert!(
            place.read(&format!("applied{ending}")) == place.read(&format!("kept{ending}")),
            "{round}: {apply}\n{}",
            ran.err
        );
        if !skip("").is_empty() {
            assert_eq!(place.read("bad"), place.read("bad3"));
            assert_eq!(place.read("bad"), place.read("bad2"));
        }
        let why = decisions(&place, "why.jsonl");
        dropped += why
            .iter()
            .filter(|decision| decision.verdict == "dropped")
            .count();
        let labelled = place.read(&format!("labelled{ending}"));
        // If `apply` keeps all documents, its output is that of `dedup --label` without the labels.
        let all: String = place
            .read("why.jsonl")
            .replace("\"verdict\":\"dropped\"", "\"verdict\":\"kept\"");
        place.write("all.jsonl", all);
        done(
            &place,
            &format!("apply all.jsonl {inputs} -o whole{ending} {}", skip("bad4")),
        );
        let whole = place.read(&format!("whole{ending}"));
        if shape == 2 {
            labelled_rows(
                &labelled,
                &whole,
                &why,
                if ending == ".csv" { b',' } else { b'\t' },
            );
        } else {
            assert_eq!(
                without_labels(&labelled, &why, false),
                whole,
                "{round}: {inputs}"
            );
        }
    }
    assert!(
        dropped > 200 && shapes.iter().all(|&rounds| rounds >= 10),
        "{dropped} {shapes:?}"
    );
}

/// Compares labelled CSV records with decisions, both read with a CSV parser.
fn labelled_rows(labelled: &str, whole: &str, why: &[Decision], delimiter: u8) {
    // No label has a line end here, so each labelled record begins with the unchanged bytes of the original record.
    let read = |text: &str| -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .from_reader(text.as_bytes());
        reader
            .records()
            .map(|record| record.unwrap().iter().map(String::from).collect())
            .collect()
    };
    let (labelled_rows, rows) = (read(labelled), read(whole));
    assert_eq!(
        (labelled_rows.len(), rows.len()),
        (why.len() + 1, why.len() + 1)
    );
    assert_eq!(
        labelled_rows[0],
        [
            &rows[0][..],
            &["cluster", "verdict", "representative", "similarity"].map(String::from)
        ]
        .concat()
    );
    let plain = |json: String| match serde_json::from_str(&json).unwrap() {
        Value::String(text) => text,
        Value::Null => String::new(),
        _ => json,
    };
    for ((row, labelled), decision) in rows[1..].iter().zip(&labelled_rows[1..]).zip(why) {
        assert_eq!(
            *labelled,
            [&row[..], &decision.label(false).map(plain)].concat()
        );
    }
    // The bytes of each record are unchanged, and its label and line end follow them.
    let mut rest = labelled;
    for record in records(whole) {
        let (body, end) = record.split_at(record.trim_end_matches(['\r', '\n']).len());
        assert!(rest.starts_with(body), "{body:?} in {rest:?}");
        let line = rest[body.len()..].find('\n').unwrap() + 1;
        assert!(rest[..body.len() + line].ends_with(end));
        rest = &rest[body.len() + line..];
    }
    assert_eq!(rest, "");
}

/// Returns the records of a CSV file, with their line ends.
fn records(text: &str) -> Vec<&str> {
    let (mut records, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        quoted ^= byte == b'"';
        if byte == b'\n' && !quoted {
            records.push(&text[std::mem::replace(&mut start, at + 1)..=at]);
        }
    }
    records
}

#[test]
fn csv_has_four_additional_columns() {
    let place = Place::new();
    let text = "some words that stand in both of these records and nowhere else in the world";
    place.write(
        "in.csv",
        format!("id;text\r\n\"a;1\";{text}\r\nb;\"{text}\"\r\n\r\nc;x"),
    );
    done(
        &place,
        "dedup in.csv --label --label-prefix dup_ -o out.csv",
    );
    let expected = format!(
        "id;text;dup_cluster;dup_verdict;dup_representative;dup_similarity\r\n\"a;1\";{text};\"a;1\";kept;;\r\n\
         b;\"{text}\";\"a;1\";dropped;\"a;1\";1.0\r\nc;x;c;kept;;\r\n"
    );
    assert_eq!(place.read("out.csv"), expected);
    // The label is in the encoding of the file.
    place.write(
        "latin.csv",
        [
            b"id,text\n\xe9,".as_slice(),
            text.as_bytes(),
            b"\nb,",
            text.as_bytes(),
            b"\n",
        ]
        .concat(),
    );
    done(
        &place,
        "dedup latin.csv --encoding latin1 --label -o out.csv",
    );
    let out = fs::read(place.path("out.csv")).unwrap();
    assert!(
        out.ends_with(b",\xe9,dropped,\xe9,1.0\n")
            && !out.windows(2).any(|pair| pair == "é".as_bytes()),
        "{out:?}"
    );
    done(
        &place,
        "apply out.decisions.jsonl latin.csv --encoding latin1 -o kept.csv",
    );
    assert_eq!(
        fs::read(place.path("kept.csv")).unwrap(),
        [b"id,text\n\xe9,".as_slice(), text.as_bytes(), b"\n"].concat()
    );
    // This run writes the CSV records in the format JSON Lines.
    done(&place, "dedup in.csv --label -o out.jsonl --no-decisions");
    let line = format!(
        r#"{{"id":"b","text":"{text}","cluster":"a;1","verdict":"dropped","representative":"a;1","similarity":1.0}}"#
    );
    assert_eq!(place.read("out.jsonl").lines().nth(1), Some(&*line));
}

#[test]
fn existing_column_names_are_refused_before_the_run_if_possible() {
    let place = Place::new();
    let good = "{\"id\":1,\"text\":\"x\"}\n";
    let many: String = (0..20_000)
        .map(|id| format!("{{\"id\":{id},\"text\":\"a text of its own {id}\"}}\n"))
        .collect();
    place
        .write("in.csv", "id,text,verdict\n1,a,b\n")
        .write("good.jsonl", good)
        .write(
            "first.jsonl",
            format!("{good}{{\"id\":2,\"text\":\"x\",\"similarity\":0}}\n"),
        )
        .write(
            "escaped.jsonl",
            "{\"id\":2,\"text\":\"x\",\"cl\\u0075ster\":0}\n",
        )
        .write(
            "last.jsonl",
            format!("{many}{{\"id\":\"z\",\"representative\":1,\"text\":\"x\"}}\n"),
        )
        .write(
            "inside.jsonl",
            "{\"id\":2,\"text\":\"\\\"cluster\\\":\",\"more\":{\"cluster\":1}}\n",
        );
    let before = place.names();
    for (inputs, words) in [
        (
            "in.csv",
            "in.csv:1: there is already a column \"verdict\"; rename the fields of --label",
        ),
        (
            "good.jsonl in.csv",
            "in.csv:1: there is already a column \"verdict\"",
        ),
        (
            "first.jsonl",
            "first.jsonl:2: there is already a field \"similarity\"; rename the fields of --label, for example with --label-prefix dup_",
        ),
        (
            "escaped.jsonl",
            "escaped.jsonl:1: there is already a field \"cluster\"",
        ),
        (
            "good.jsonl escaped.jsonl --allow-repeated-ids",
            "escaped.jsonl:1: there is already a field \"cluster\"",
        ),
        (
            "last.jsonl",
            "last.jsonl:20001: there is already a field \"representative\"",
        ),
    ] {
        let ran = place.run(&format!("dedup {inputs} --label -o out.jsonl"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{inputs}: {}",
            ran.err
        );
        assert_eq!(
            (ran.out.as_str(), place.names()),
            ("", before.clone()),
            "{inputs}"
        );
        done(
            &place,
            &format!("dedup {inputs} --label --label-prefix dup_ -o - --no-decisions -q"),
        );
    }
    done(&place, "dedup inside.jsonl --label -o out.jsonl");
    let ran = place.run("dedup good.jsonl --label-prefix dup_ -o out.jsonl");
    assert!(ran.code == 2 && ran.err.contains("--label"), "{}", ran.err);
}

#[test]
fn decisions_may_be_edited_and_have_additional_fields() {
    let place = Place::new();
    place.write("in.jsonl", SMALL);
    done(&place, "dedup in.jsonl -o kept.jsonl");
    let why = place.read("kept.decisions.jsonl");
    let lines: Vec<&str> = SMALL.split_inclusive('\n').collect();
    place.write(
        "changed.jsonl",
        why.replacen("\"verdict\":\"kept\"", "\"verdict\":\"dropped\"", 1),
    );
    assert_eq!(
        done(&place, "apply changed.jsonl in.jsonl -o - -q").out,
        lines[1]
    );
    place.write(
        "changed.jsonl",
        why.replace("\"dropped\"", "\"kept\"")
            .replace('}', ",\"by\":{\"hand\":[1]}}"),
    );
    assert_eq!(
        done(&place, "apply changed.jsonl in.jsonl -o - -q").out,
        SMALL
    );
    // A decision needs only an id and a verdict. It is valid to drop all documents.
    place.write("changed.jsonl", "{\"verdict\":\"dropped\",\"id\":2}\n\n{\"id\":\"in.jsonl:3\",\"verdict\":\"dropped\"}\r\n{\"verdict\":\"dropped\",\"id\":\"f\\u0069rst\"}");
    let ran = done(&place, "apply changed.jsonl in.jsonl -o none.jsonl");
    assert!(
        place.read("none.jsonl").is_empty() && ran.err.contains("0 kept + 3 dropped (100.0 %)"),
        "{}",
        ran.err
    );
    // If the decisions are in a different order, they are found by id.
    let words = (0..40).map(|word| format!("w{word} ")).collect::<String>();
    let text = |id: usize| format!("{{\"id\":{id},\"text\":\"{words}{id}\"}}\n");
    place
        .write("in.jsonl", (0..9).map(text).collect::<String>())
        .write("back.jsonl", (0..9).rev().map(text).collect::<String>());
    done(&place, "dedup in.jsonl -o kept.jsonl");
    assert_eq!(
        done(&place, "apply kept.decisions.jsonl back.jsonl -o - -q").out,
        place.read("kept.jsonl")
    );
    assert_eq!(place.read("kept.jsonl"), text(0));
}

#[test]
fn decisions_for_other_inputs_are_refused_and_nothing_is_written() {
    let place = Place::new();
    place.write("in.jsonl", SMALL).write(
        "more.jsonl",
        format!("{SMALL}{{\"id\":\"new\",\"text\":\"x\"}}\n"),
    );
    place
        .write("fewer.jsonl", SMALL.lines().next().unwrap())
        .write("empty.jsonl", "\n");
    let two: String = SMALL.split_inclusive('\n').take(2).collect();
    place.write("bad.jsonl", format!("{two}oops\n"));
    done(&place, "dedup in.jsonl -o why --decisions why.jsonl");
    let why = place.read("why.jsonl");
    place
        .write("cut.jsonl", &why[..why.len() - 20])
        .write("short.jsonl", &why[..why.rfind("{\"id\"").unwrap()]);
    place
        .write("null.jsonl", "{\"id\":null,\"verdict\":\"kept\"}\n")
        .write("maybe.jsonl", "{\"id\":1,\"verdict\":\"maybe\"}\n");
    place.write("twice.jsonl", format!("{why}{why}")).write(
        "same.jsonl",
        format!("{SMALL}{}", SMALL.lines().next().unwrap()),
    );
    place.write("packed.jsonl.gz", &gzip(why.as_bytes())[..50]);
    let before = place.names();
    for (asked, words) in [
        (
            "why.jsonl more.jsonl",
            "more.jsonl:3: there is no decision about \"more.jsonl:3\"; a record without an id is identified by its file name",
        ),
        (
            "why.jsonl more.jsonl in.jsonl",
            "more.jsonl:3: there is no decision about",
        ),
        (
            "why.jsonl fewer.jsonl",
            "why.jsonl:2: the input has no document for the decision about 2, nor for 1 more;",
        ),
        (
            "short.jsonl in.jsonl",
            "in.jsonl:3: there is no decision about \"in.jsonl:3\"",
        ),
        ("cut.jsonl in.jsonl", "cut.jsonl:3: cannot be parsed: "),
        (
            "in.jsonl in.jsonl",
            "in.jsonl:1: cannot be parsed: missing field `verdict`; each line must be one JSON object: a decision",
        ),
        ("null.jsonl in.jsonl", "null.jsonl:1: null is not an id"),
        (
            "maybe.jsonl in.jsonl",
            "maybe.jsonl:1: cannot be parsed: unknown variant `maybe`, expected one of `kept`, `cut`, `dropped`",
        ),
        (
            "empty.jsonl in.jsonl",
            "in.jsonl:1: there is no decision about \"first\"",
        ),
        ("none.jsonl in.jsonl", "none.jsonl: no such file"),
        (
            "packed.jsonl.gz in.jsonl",
            "packed.jsonl.gz: the compressed data ends in the middle",
        ),
        (
            "twice.jsonl in.jsonl",
            "twice.jsonl:4: the input has no document for the decision about \"first\", nor for 2 more",
        ),
        (
            "why.jsonl same.jsonl",
            "same.jsonl:3: there is no decision about",
        ),
        ("why.jsonl bad.jsonl", "bad.jsonl:3: not JSON"),
        (
            "why.jsonl in.jsonl --text-field body",
            "in.jsonl:1: no field \"body\"",
        ),
        (
            "- -",
            "standard input cannot be both the decisions and an input",
        ),
        (
            ". in.jsonl",
            ".: no file in this folder has decisions; such a file is called NAME.decisions.jsonl",
        ),
    ] {
        for output in ["out.jsonl", "-"] {
            let ran = place.run(&format!("apply {asked} -o {output}"));
            assert!(
                ran.code == 2 && ran.err.contains(words),
                "{asked}: {}",
                ran.err
            );
            assert_eq!(
                (ran.out.as_str(), place.names()),
                ("", before.clone()),
                "{asked}"
            );
        }
    }
    for (asked, words) in [
        (
            "why.jsonl in.jsonl -o why.jsonl",
            "why.jsonl: would overwrite the input why.jsonl",
        ),
        (
            "why.jsonl in.jsonl -o in.jsonl",
            "in.jsonl: would overwrite the input in.jsonl",
        ),
        (
            "why.jsonl in.jsonl -o kept.csv",
            "in.jsonl:2: field \"extra\" is an array, which CSV cannot store",
        ),
        (
            "why.jsonl in.jsonl",
            "the kept records need a name; give one with -o",
        ),
    ] {
        let ran = place.run(&format!("apply {asked}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
        assert_eq!(place.names(), before, "{asked}");
    }
    // Two records have the same id, and there is only one decision about it.
    place
        .write("one.jsonl", "{\"id\":1,\"text\":\"a\"}\n")
        .write("two.jsonl", "{\"id\":1,\"text\":\"a\"}\n".repeat(2));
    done(&place, "dedup one.jsonl --decisions d.jsonl");
    let ran = place.run("apply d.jsonl two.jsonl -o out.jsonl");
    assert!(
        ran.code == 2 && ran.err.contains("two.jsonl:2: there are more records with this id than decisions about it in d.jsonl"),
        "{}",
        ran.err
    );
}

#[test]
fn pipes_crawls_and_summaries() {
    let place = Place::new();
    place
        .write(
            "in.jsonl",
            "{\"id\":1,\"text\":\"a b c\"}\n{\"id\":2,\"text\":\"A B C\"}\n",
        )
        .write("bad.jsonl", "oops\n");
    done(&place, "dedup in.jsonl -o kept.jsonl.zst");
    let piped = |line: &str| {
        let program = env!("CARGO_BIN_EXE_lookalike");
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(line.replace("lookalike", program))
            .current_dir(place.path(""))
            .stdin(Stdio::null());
        Ran::of(command.output().unwrap())
    };
    let kept = "{\"id\":1,\"text\":\"a b c\"}\n";
    assert_eq!(
        piped("cat in.jsonl | lookalike apply kept.decisions.jsonl.zst - -o - -q").out,
        kept
    );
    assert_eq!(
        piped("cat kept.decisions.jsonl.zst | lookalike apply - in.jsonl -o - -q").out,
        kept
    );
    let ran = done(
        &place,
        "apply kept.decisions.jsonl.zst in.jsonl bad.jsonl -o out.jsonl --skip-bad aside --json",
    );
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    for (field, value) in [
        ("documents", 2),
        ("kept", 1),
        ("dropped", 1),
        ("bad_lines", 1),
        ("bytes", 48),
    ] {
        assert_eq!(summary[field], value, "{field}");
    }
    assert!(
        ran.err.contains("bad.jsonl:1: not JSON") && place.read("aside") == "oops\n",
        "{}",
        ran.err
    );
    // These records were bad only because they lacked the field that `--keep` names.
    place.write("keep.jsonl", "{\"id\":1,\"text\":\"x y z\",\"n\":1}\n{\"id\":2,\"text\":\"x y\"}\n{\"id\":1,\"text\":\"x\"}\n");
    done(
        &place,
        "dedup keep.jsonl --keep max:n --skip-bad aside -o kept.jsonl",
    );
    done(
        &place,
        "apply kept.decisions.jsonl keep.jsonl --keep max:n --skip-bad aside2 -o out.jsonl",
    );
    assert_eq!(
        (place.read("out.jsonl"), place.read("aside2")),
        (place.read("kept.jsonl"), place.read("aside"))
    );
    let crawl = testdata("formats/crawl.warc.gz");
    done(
        &place,
        &format!("dedup {crawl} -o kept.jsonl --allow-repeated-ids"),
    );
    done(
        &place,
        &format!("dedup {crawl} --label -o labelled.jsonl --allow-repeated-ids"),
    );
    done(
        &place,
        &format!("apply kept.decisions.jsonl {crawl} -o applied.jsonl"),
    );
    assert_eq!(place.read("applied.jsonl"), place.read("kept.jsonl"));
    let first: Value =
        serde_json::from_str(place.read("labelled.jsonl").lines().next().unwrap()).unwrap();
    assert!(
        first["text"].is_string() && first["date"].is_string() && first["cluster"] == first["id"],
        "{first}"
    );
}

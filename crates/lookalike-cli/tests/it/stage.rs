//! Tests of `stage`: a job array gives the bytes of one run, also if its tasks are killed.

use std::{
    fs,
    process::{Child, Command, Stdio},
    time::Duration,
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{Place, resume::Random, testdata};

const STAGES: [&str; 6] = ["sketch", "pair", "join", "place", "decide", "emit"];

/// Writes documents to files of many formats. Some documents are copies or small changes of others, some are empty, and some
/// have no id.
fn write_collection(place: &Place) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut texts: Vec<String> = Vec::new();
    for number in 0..600 {
        let text = match random.below(10) {
            0 => String::new(),
            1..5 if number > 10 => texts[random.below(number) as usize].clone(),
            5..8 if number > 10 => format!(
                "{} and a word {number}",
                texts[random.below(number) as usize]
            ),
            _ => (0..random.below(40) + 10)
                .map(|_| format!("w{} ", random.below(5000)))
                .collect(),
        };
        texts.push(text);
    }
    fs::create_dir(place.path("in")).unwrap();
    for file in 0..20 {
        let lines: String = (30 * file..30 * file + 30)
            .map(|number| {
                let (text, size) = (&texts[number], (number * 7919) % 600);
                let day = format!("2026-{:02}-{:02}", 1 + size % 12, 1 + size % 28);
                let mut record =
                    json!({"id": format!("é{number}"), "text": text, "size": size, "day": day, "films": [size, number % 40]});
                if number % 7 == 0 {
                    record.as_object_mut().unwrap().remove("id");
                }
                format!("{record}\n")
            })
            .collect();
        place.write(&format!("in/{file:02}.jsonl"), lines);
    }
    let records: Vec<Value> =
        (0..30).map(|n| json!({"id": n, "text": texts[n * 3], "size": n, "day": "2026-05-05", "films": [n]})).collect();
    // The array of `films` has several lines in this file.
    place.write(
        "in/20.json",
        serde_json::to_string_pretty(&records).unwrap(),
    );
    let cells: String = (0..30)
        .map(|n| {
            format!(
                "c{n},\"{} \"\"quoted\"\"\",{n}.5,2026-06-06,[{n}]\n",
                texts[n * 5]
            )
        })
        .collect();
    place.write("cells.csv", format!("id,text,size,day,films\n{cells}"));
    let old: String = (0..40)
        .map(|n| {
            json!({"id": format!("é{}", n * 9), "text": texts[n * 9], "films": [n, 1]}).to_string()
                + "\n"
        })
        .collect();
    place.write(
        "old1.jsonl",
        &old[..old.len() / 2 + old[old.len() / 2..].find('\n').unwrap() + 1],
    );
    place.write(
        "old2.jsonl",
        &old[old.len() / 2 + old[old.len() / 2..].find('\n').unwrap() + 1..],
    );
}

/// Returns the content of the files of all tasks.
fn together(place: &Place, folder: &str, ending: &str) -> String {
    let mut names: Vec<_> = fs::read_dir(place.path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.retain(|path| path.to_str().unwrap().ends_with(ending));
    names.sort();
    names
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

fn tasks(stage: &str, shards: usize) -> usize {
    if stage == "join" { 1 } else { shards }
}

fn task(stage: &str, folder: &str, shard: usize, shards: usize) -> String {
    if stage == "join" {
        format!("stage join {folder}")
    } else {
        format!("stage {stage} {folder} --shard {shard}/{shards}")
    }
}

fn all_stages(place: &Place, folder: &str, shards: usize) {
    for stage in STAGES {
        for shard in 0..tasks(stage, shards) {
            let ran = place.run(&task(stage, folder, shard, shards));
            assert_eq!(ran.code, 0, "{stage} {shard}: {}", ran.err);
        }
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_job_array_gives_the_bytes_of_one_run() {
    let place = Place::new();
    write_collection(&place);
    let inputs = "in/*.jsonl in/20.json";
    let renamed = place
        .read("in/00.jsonl")
        .replace("\"text\":", "\"question\":");
    place.write("old3.jsonl", renamed);
    for (number, (shards, flags)) in [
        (16, ""),
        (1, "--keep longest"),
        (5, "--keep max:size --threshold 0.6"),
        (30, "--keep min:size --method sentences"),
        (4, "--keep newest:day --cluster components"),
        (3, "--against old1.jsonl old2.jsonl"),
        (6, "--against old1.jsonl old2.jsonl --against-only"),
        (4, "--against old3.jsonl --against-text-field question"),
        (4, "--set-field films --threshold 0.5"),
        (4, "--method simhash"),
        (3, "--method exact --no-decisions"),
    ]
    .into_iter()
    .enumerate()
    {
        let one = format!("one{number}");
        let dedup = |output: &str| format!("{inputs} {flags} -o {output}.jsonl");
        let ran = place.run(&format!("dedup {}", dedup(&one)));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let (folder, output) = (format!("work{number}"), format!("out{number}"));
        fs::create_dir(place.path(&output)).unwrap();
        let ran = place.run(&format!(
            "stage plan {folder} --shards {shards} -- {}",
            dedup(&format!("{output}/kept-{{}}"))
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        all_stages(&place, &folder, shards);
        let ending = format!("-of-{shards:05}.jsonl");
        assert_eq!(
            together(&place, &output, &ending),
            place.read(&format!("{one}.jsonl")),
            "{flags}"
        );
        if !flags.contains("--no-decisions") {
            assert_eq!(
                together(&place, &output, ".decisions.jsonl"),
                place.read(&format!("{one}.decisions.jsonl")),
                "{flags}"
            );
        }
        let status: Value =
            serde_json::from_str(&place.run(&format!("stage status {folder} --json")).out).unwrap();
        assert_eq!(
            status["kept"],
            place.read(&format!("{one}.jsonl")).lines().count(),
            "{flags}"
        );
    }
}

#[test]
fn csv_shards_have_a_header_each() {
    let place = Place::new();
    write_collection(&place);
    let cells = place.read("cells.csv");
    let (header, rows) = cells.split_once('\n').unwrap();
    place.write(
        "a.csv",
        format!("{header}\n{}", &rows[..rows.find("c15,").unwrap()]),
    );
    place.write(
        "b.csv",
        format!("{header}\n{}", &rows[rows.find("c15,").unwrap()..]),
    );
    assert_eq!(place.run("dedup a.csv b.csv -o one.csv").code, 0);
    assert_eq!(
        place
            .run("stage plan work --shards 2 -- a.csv b.csv -o kept-{}.csv")
            .code,
        0
    );
    all_stages(&place, "work", 2);
    let all = [0, 1].map(|shard| place.read(&format!("kept-0000{shard}-of-00002.csv")));
    let rows = all.map(|file| {
        file.strip_prefix(header)
            .unwrap()
            .strip_prefix('\n')
            .unwrap()
            .to_string()
    });
    assert_eq!(
        format!("{header}\n{}", rows.concat()),
        place.read("one.csv")
    );
}

#[test]
fn bad_lines_are_written_once() {
    let place = Place::new();
    write_collection(&place);
    place.write(
        "in/03.jsonl",
        format!("{}not JSON\n\n{{\"id\": 4}}\n", place.read("in/03.jsonl")),
    );
    assert_eq!(
        place
            .run("dedup in/*.jsonl -o one.jsonl --skip-bad bad.txt")
            .code,
        0
    );
    let plan = "stage plan work --shards 4 -- in/*.jsonl -o kept-{}.jsonl --skip-bad bad-{}";
    assert_eq!(place.run(plan).code, 0);
    all_stages(&place, "work", 4);
    assert_eq!(
        together(&place, ".", "-of-00004.jsonl"),
        place.read("one.jsonl")
    );
    assert_eq!(
        (0..4)
            .map(|shard| place.read(&format!("bad-0000{shard}-of-00004")))
            .collect::<String>(),
        place.read("bad.txt")
    );
}

#[test]
fn what_is_skipped_is_counted() {
    let place = Place::new();
    place.write(
        "bad.jsonl",
        "{\"id\": 1, \"text\": \"one two\"}\nnot JSON\n",
    );
    let given = format!(
        "bad.jsonl {} --allow-repeated-ids --skip-bad",
        testdata("formats/crawl.warc.gz")
    );
    let ran = place.run(&format!("dedup {given} bad.txt -o one.jsonl --json"));
    let one: Value = serde_json::from_str(&ran.out).unwrap();
    let plan = format!("stage plan work --shards 2 -- {given} bad-{{}} -o kept-{{}}.jsonl");
    assert_eq!(place.run(&plan).code, 0);
    all_stages(&place, "work", 2);
    let status: Value = serde_json::from_str(&place.run("stage status work --json").out).unwrap();
    assert_eq!(one["bad_lines"], 1);
    assert!(one["left_out"]["reasons"]["revisit"] == 1, "{one}");
    for field in ["documents", "bad_lines", "left_out"] {
        assert_eq!(status[field], one[field], "{field}");
    }
    let shown = place.run("stage status work").out;
    assert!(
        shown.contains("skipped  1 bad line") && shown.contains(" 1 revisit"),
        "{shown}"
    );
}

/// Starts tasks in any order, several at a time and some twice, and kills most of them at any moment, until all are done.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn tasks_that_are_killed_can_be_run_again() {
    let place = Place::new();
    let poems = zstd::decode_all(fs::File::open(testdata("zh_tang.jsonl.zst")).unwrap()).unwrap();
    let poems = String::from_utf8(poems).unwrap();
    let lines: Vec<&str> = poems.split_inclusive('\n').collect();
    for (file, lines) in lines.chunks(lines.len().div_ceil(16)).enumerate() {
        place.write(&format!("in{file:02}.jsonl"), lines.concat());
    }
    assert_eq!(place.run("dedup in*.jsonl -o one.jsonl").code, 0);
    assert_eq!(
        place
            .run("stage plan work --shards 16 -- in*.jsonl -o kept-{}.jsonl --threads 1")
            .code,
        0
    );
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut kills, mut runs) = (0, 0);
    let start = |stage: &str, shard: usize| -> Child {
        let mut command: Command = place.command(&task(stage, "work", shard, 16));
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    for stage in STAGES {
        let mut rest: Vec<usize> = (0..tasks(stage, 16)).collect();
        while !rest.is_empty() {
            // Two tasks at a time, which may be the same one.
            let some = [0, 1].map(|_| rest[random.below(rest.len() as u64) as usize]);
            let mut children = some.map(|shard| (shard, start(stage, shard)));
            if random.below(3) > 0 {
                std::thread::sleep(Duration::from_millis(random.below(25)));
                children
                    .iter_mut()
                    .for_each(|(_, child)| child.kill().unwrap());
            }
            for (shard, mut child) in children {
                let ended = child.wait().unwrap();
                runs += 1;
                if ended.success() {
                    rest.retain(|&one| one != shard);
                } else {
                    // No task fails for another reason than the kill.
                    assert_eq!(ended.code(), None, "{stage} {shard}");
                    kills += 1;
                }
            }
        }
    }
    // How many tasks are done before they are killed depends on the machine.
    assert!(kills >= 8, "{kills} kills in {runs} runs");
    assert_eq!(
        together(&place, ".", "-of-00016.jsonl"),
        place.read("one.jsonl")
    );
    assert_eq!(
        together(&place, ".", "-of-00016.decisions.jsonl"),
        place.read("one.decisions.jsonl")
    );
    for shard in 0..16 {
        assert!(
            place
                .run(&task("decide", "work", shard, 16))
                .err
                .contains("was done before")
        );
    }
    // A kill at the moment when a file gets its name can leave a file that is not finished; the next run of the task removes it.
    let mut left = Vec::new();
    for stage in STAGES {
        for folder in fs::read_dir(place.path(&format!("work/{stage}"))).unwrap() {
            left.extend(
                fs::read_dir(folder.unwrap().path())
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap()),
            );
        }
    }
    left.retain(|name| !name.ends_with(".unfinished"));
    assert_eq!(left.len(), 5 * 16 + 1, "{left:?}");
    assert_eq!(
        left.iter().filter(|name| *name == "sections").count(),
        4 * 16 + 1,
        "{left:?}"
    );
}

#[test]
fn what_cannot_work_is_refused() {
    let place = Place::new();
    write_collection(&place);
    let plan = |arguments: &str| place.run(&format!("stage plan work --shards 3 -- {arguments}"));
    let shown: String = [
        "in/*.jsonl -o kept.jsonl",
        "in/*.jsonl -o kept-{}.jsonl --decisions why.jsonl",
        "in/*.jsonl -o kept-{}.jsonl --decisions why-{}.parquet",
        "in/*.jsonl -o kept-{}.jsonl --skip-bad bad",
        "in/*.jsonl -o kept-{}.jsonl --label",
        "in/*.jsonl --threshold 0.9",
        "- -o kept-{}.jsonl",
        "--input-command true -o kept-{}.jsonl",
        "in/*.jsonl -o kept-{}.jsonl --cluster greedy",
        "in/*.jsonl -o kept-{}.jsonl --measure containment",
        "in/*.jsonl -o kept-{}.jsonl --no-such-flag",
        "none.jsonl -o kept-{}.jsonl",
        "in/*.jsonl -o none/kept-{}.jsonl",
    ]
    .map(|arguments| format!("{arguments}\n  {}", plan(arguments).err))
    .concat();
    assert_snapshot!(shown, @r#"
    in/*.jsonl -o kept.jsonl
      error: kept.jsonl: each task writes a file of its own for the kept records; give a name with one {}, such as clean/kept-{}.jsonl; each task puts its shard there
    in/*.jsonl -o kept-{}.jsonl --decisions why.jsonl
      error: why.jsonl: each task writes a file of its own for the decisions; give a name with one {}, such as clean/kept-{}.jsonl; each task puts its shard there
    in/*.jsonl -o kept-{}.jsonl --decisions why-{}.parquet
      error: why-{}.parquet: the decisions of a job array are written as lines, not as a table; give a name that ends with .jsonl
    in/*.jsonl -o kept-{}.jsonl --skip-bad bad
      error: bad: each task writes a file of its own for the bad lines; give a name with one {}, such as clean/kept-{}.jsonl; each task puts its shard there
    in/*.jsonl -o kept-{}.jsonl --label
      error: --label does not work in a job array; run `lookalike dedup` on one machine to label records
    in/*.jsonl --threshold 0.9
      error: the kept records need a name; give one with -o, such as -o 'clean/kept-{}.jsonl'
    - -o kept-{}.jsonl
      error: stdin: the tasks of a job array cannot read a pipe; write it to a file, and name the file
    --input-command true -o kept-{}.jsonl
      error: command:1: the tasks of a job array cannot read the output of a command; write it to a file, and name the file
    in/*.jsonl -o kept-{}.jsonl --cluster greedy
      error: greedy clusters are not divided over machines, because each document is compared with all clusters; use candidates that are found by keys, such as bands
    in/*.jsonl -o kept-{}.jsonl --measure containment
      error: candidates that share sampled shingles are not divided over machines, because they depend on how many documents of the whole collection have a shingle; use candidates that are found by keys, such as bands
    in/*.jsonl -o kept-{}.jsonl --no-such-flag
      error: after --: unexpected argument '--no-such-flag' found; see lookalike dedup --help
    none.jsonl -o kept-{}.jsonl
      error: none.jsonl: no such file; check the name, or give a folder or a quoted glob
    in/*.jsonl -o none/kept-{}.jsonl
      error: none/kept-{}.jsonl: its folder does not exist; create it first
    "#);
    assert!(!place.path("work").exists());
    assert_eq!(plan("in/*.jsonl -o kept-{}.jsonl").code, 0);
    // The same plan again changes nothing.
    assert_eq!(plan("in/*.jsonl -o kept-{}.jsonl").code, 0);
    let shown: String = [
        "stage plan work --shards 4 -- in/*.jsonl -o kept-{}.jsonl",
        "stage plan work --shards 0 -- in/*.jsonl -o kept-{}.jsonl",
        "stage plan work -- in/*.jsonl -o kept-{}.jsonl",
        "stage sketch work",
        "stage sketch work --shard 3/3",
        "stage sketch work --shard 1/4",
        "stage join work --shard 0/3",
        "stage join work",
        "stage pair work --shard 0/3",
        "stage sketch elsewhere --shard 0/3",
        "stage emit work --shard 0/3 --json",
        "stage emit work --shard 0/3 -- in",
    ]
    .map(|arguments| format!("{arguments}\n  {}", place.run(arguments).err))
    .concat();
    assert_snapshot!(shown, @r#"
    stage plan work --shards 4 -- in/*.jsonl -o kept-{}.jsonl
      error: work: has the plan of another run, or one of its inputs has changed; give a new folder
    stage plan work --shards 0 -- in/*.jsonl -o kept-{}.jsonl
      error: 0 shards: there can be 1 to 10000
    stage plan work -- in/*.jsonl -o kept-{}.jsonl
      error: a plan needs the number of tasks and the arguments of dedup; for instance: lookalike stage plan work --shards 16 -- 'crawl/*.jsonl' -o 'clean/kept-{}.jsonl'
    stage sketch work
      error: which task? Give one of 0/3 to 2/3 with --shard
    stage sketch work --shard 3/3
      error: invalid value '3/3' for '--shard <I/N>': write the task, counted from 0, and the number of tasks, such as 3/16

    For more information, try '--help'.
    stage sketch work --shard 1/4
      error: --shard: the plan has 3 tasks, not 4; write --shard I/3
    stage join work --shard 0/3
      error: --shard works only with sketch, pair, place, decide and emit; leave it out
    stage join work
      error: work: join needs all 3 tasks of pair, but these have not finished: 0, 1, 2; run them first
    stage pair work --shard 0/3
      error: work: pair needs all 3 tasks of sketch, but these have not finished: 0, 1, 2; run them first
    stage sketch elsewhere --shard 0/3
      error: elsewhere: there is no plan; write one with `lookalike stage plan`
    stage emit work --shard 0/3 --json
      error: --json works only with status; leave it out
    stage emit work --shard 0/3 -- in
      error: -- with arguments of dedup works only with plan; leave it out
    "#);
    let status = place.run("stage status work");
    assert_snapshot!(status.out, @r#"
    0 documents in = 0 kept + 0 dropped (0.0 %) so far, in work
      sketch   0 of 3 done
      pair     0 of 3 done
      join     0 of 1 done
      place    0 of 3 done
      decide   0 of 3 done
      emit     0 of 3 done
    "#);
}

#[test]
fn inputs_that_change_and_damaged_results_are_noticed() {
    let place = Place::new();
    write_collection(&place);
    assert_eq!(
        place
            .run("stage plan work --shards 2 -- in/*.jsonl -o kept-{}.jsonl")
            .code,
        0
    );
    for shard in 0..2 {
        assert_eq!(
            place
                .run(&format!("stage sketch work --shard {shard}/2"))
                .code,
            0
        );
    }
    // A result of another run.
    assert_eq!(
        place
            .run("stage plan other --shards 2 -- in/*.jsonl -o kept-{}.jsonl --threshold 0.9")
            .code,
        0
    );
    let sketched = place.path("work/sketch/00001-of-00002/sections");
    assert_eq!(place.run("stage sketch other --shard 0/2").code, 0);
    fs::create_dir_all(place.path("other/sketch/00001-of-00002")).unwrap();
    fs::copy(
        &sketched,
        place.path("other/sketch/00001-of-00002/sections"),
    )
    .unwrap();
    let mut shown = place.run("stage pair other --shard 0/2").err;
    // A result of another task, an incomplete result, and one with another byte.
    let bytes = fs::read(&sketched).unwrap();
    fs::copy(place.path("work/sketch/00000-of-00002/sections"), &sketched).unwrap();
    shown += &place.run("stage pair work --shard 0/2").err;
    for length in [0, bytes.len() - 1] {
        fs::write(&sketched, &bytes[..length]).unwrap();
        shown += &place.run("stage pair work --shard 0/2").err;
    }
    fs::write(&sketched, [&[bytes[0] ^ 1], &bytes[1..]].concat()).unwrap();
    shown += &place.run("stage pair work --shard 0/2").err;
    // A task whose result is incomplete is run again.
    fs::write(&sketched, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(
        place.run("stage sketch work --shard 1/2").err,
        "sketch 1 of 2: done\n"
    );
    assert!(fs::read(&sketched).unwrap() == bytes);
    for stage in [
        "stage pair work --shard 0/2",
        "stage pair work --shard 1/2",
        "stage join work",
    ] {
        assert_eq!(place.run(stage).code, 0);
    }
    let first = place.read("in/00.jsonl");
    place.write("in/00.jsonl", first.replace("2026", "2025"));
    shown += place
        .run("stage place work --shard 0/2")
        .err
        .split(", from")
        .next()
        .unwrap();
    place.write("in/99.jsonl", first);
    shown += "\n";
    shown += &place.run("stage place work --shard 1/2").err;
    assert_snapshot!(shown, @r#"
    error: other: pair needs all 2 tasks of sketch, but these have not finished: 1; run them first
    error: work: pair needs all 2 tasks of sketch, but these have not finished: 1; run them first
    error: work: pair needs all 2 tasks of sketch, but these have not finished: 1; run them first
    error: work: pair needs all 2 tasks of sketch, but these have not finished: 1; run them first
    error: work/sketch/00001-of-00002/sections: is damaged; remove it, and run the task that wrote it again
    error: in/00.jsonl: changed since the plan in work was saved
    error: work: there are other inputs than those that were planned; start the task in the folder in which the plan was made, and do not add or remove inputs; or plan again in a new folder
    "#);
}

#[test]
fn repeated_ids_are_noticed_across_tasks() {
    let place = Place::new();
    let line = |id: &str, text: &str| json!({"id": id, "text": text}).to_string() + "\n";
    place.write(
        "a.jsonl",
        line("one", "a text") + &line("two", "another text"),
    );
    place.write(
        "b.jsonl",
        line("three", "a third text") + &line("one", "some text of no other document"),
    );
    assert_eq!(
        place
            .run("stage plan work --shards 2 -- a.jsonl b.jsonl -o kept-{}.jsonl")
            .code,
        0
    );
    for shard in 0..2 {
        assert_eq!(
            place
                .run(&format!("stage sketch work --shard {shard}/2"))
                .code,
            0
        );
    }
    let errors: String = (0..2)
        .map(|shard| place.run(&format!("stage pair work --shard {shard}/2")).err)
        .collect();
    assert_snapshot!(errors.lines().filter(|line| line.starts_with("error")).collect::<String>(), @"error: b.jsonl:2: the id was already used at a.jsonl:1; make ids unique, or allow repeated ids with --allow-repeated-ids");
    let flags = "a.jsonl b.jsonl --allow-repeated-ids";
    assert_eq!(place.run(&format!("dedup {flags} -o one.jsonl")).code, 0);
    assert_eq!(
        place
            .run(&format!(
                "stage plan again --shards 2 -- {flags} -o kept-{{}}.jsonl"
            ))
            .code,
        0
    );
    all_stages(&place, "again", 2);
    assert_eq!(
        together(&place, ".", ".decisions.jsonl"),
        place.read("one.decisions.jsonl").repeat(2)
    );
}

/// Why parts are closed: the second version is dropped because of the first, so it drops nothing itself. A task that decides only the
/// documents that have a key in common with the third version does not know this, and drops the third version.
#[test]
fn what_drops_a_document_may_share_no_key_with_the_documents_it_is_compared_with() {
    let place = Place::new();
    let mut words: Vec<String> = (0..60).map(|word| format!("word{word}")).collect();
    for (version, changed) in [(1, 10), (2, 30), (3, 50)] {
        words[changed] = format!("changed{version}");
        place.write(
            &format!("{version}.jsonl"),
            json!({"id": version, "text": words.join(" ")}).to_string() + "\n",
        );
    }
    let dropped = |decisions: &str| -> Vec<(u64, u64)> {
        let decided = decisions
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        decided
            .filter_map(|one| Some((one["id"].as_u64()?, one["representative"].as_u64()?)))
            .collect()
    };
    assert_eq!(
        place
            .run("dedup 2.jsonl 3.jsonl --decisions part.jsonl")
            .code,
        0
    );
    assert_eq!(dropped(&place.read("part.jsonl")), [(3, 2)]);
    assert_eq!(
        place
            .run("stage plan work --shards 3 -- 1.jsonl 2.jsonl 3.jsonl -o kept-{}.jsonl")
            .code,
        0
    );
    all_stages(&place, "work", 3);
    assert_eq!(
        dropped(&together(&place, ".", ".decisions.jsonl")),
        [(2, 1)]
    );
}

#[test]
fn outputs_that_would_overwrite_something_are_refused_by_the_plan() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    for shard in 0..2 {
        place.write(
            &format!("in/x-0000{shard}-of-00002.jsonl"),
            crate::SMALL.replace("first", &format!("first {shard}")),
        );
    }
    for (outputs, message) in [
        ("-o in/x-{}.jsonl", "would overwrite the input"),
        (
            "-o kept-{}.jsonl --decisions kept-{}.jsonl",
            "would overwrite",
        ),
        (
            "-o kept-{}.jsonl --skip-bad kept-{}.jsonl",
            "would overwrite",
        ),
        (
            "-o kept-{}.jsonl --recall 0.00001 --bands 256 --rows 16",
            "256 keys per document are too many",
        ),
    ] {
        let ran = place.run(&format!("stage plan work --shards 2 -- in {outputs}"));
        assert_eq!(ran.code, 2, "{outputs}: {}", ran.err);
        assert!(ran.err.contains(message), "{outputs}: {}", ran.err);
        assert!(!place.path("work").exists());
    }
    // Another task than the first one.
    fs::rename(
        place.path("in/x-00000-of-00002.jsonl"),
        place.path("in/a.jsonl"),
    )
    .unwrap();
    let ran = place.run("stage plan work --shards 2 -- in -o in/x-{}.jsonl");
    assert!(
        ran.code == 2 && ran.err.contains("would overwrite the input"),
        "{}",
        ran.err
    );
}

/// Tests that `emit` can merge the files of more tasks than a process may open by default.
#[test]
#[ignore = "slow: `make test-all` runs it"]
#[cfg(unix)]
fn there_can_be_more_tasks_than_open_files() {
    let place = Place::new();
    place.write("in.jsonl", crate::SMALL);
    fs::create_dir(place.path("out")).unwrap();
    let lookalike = env!("CARGO_BIN_EXE_lookalike");
    let script = format!(
        "ulimit -Sn 32; {lookalike} stage plan work --shards 60 -- in.jsonl -o 'out/kept-{{}}.jsonl' --quiet || exit
        for stage in sketch pair; do for i in $(seq 0 59); do {lookalike} stage $stage work --shard $i/60 || exit; done; done
        {lookalike} stage join work || exit
        for stage in place decide emit; do for i in $(seq 0 59); do {lookalike} stage $stage work --shard $i/60 || exit; done; done
        cat out/kept-000??-of-00060.jsonl > all.jsonl && {lookalike} dedup in.jsonl -o one.jsonl --quiet"
    );
    let ran = Command::new("bash")
        .args(["-c", &script])
        .current_dir(place.path("."))
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(place.read("all.jsonl"), place.read("one.jsonl"));
}

/// Tests that documents that change between the stages are noticed, even if the file looks as before.
#[test]
fn documents_that_change_between_stages_are_noticed() {
    let place = Place::new();
    // So large that the plan, which hashes the ends of files, does not see a change in the middle.
    let lines: Vec<String> = (0..8000)
        .map(|number| {
            json!({"id": number, "text": format!("a text of some words about the number {} and a little more than that", number / 2)}).to_string() + "\n"
        })
        .collect();
    let path = place.path("in.jsonl");
    let change = |lines: &[String]| {
        let modified = fs::metadata(&path).and_then(|there| there.modified());
        fs::write(&path, lines.concat()).unwrap();
        if let Ok(modified) = modified {
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(modified)
                .unwrap();
        }
    };
    change(&lines);
    assert!(lines.concat().len() > 4 * (64 << 10));
    assert_eq!(
        place
            .run("stage plan work --shards 1 -- in.jsonl -o kept-{}.jsonl")
            .code,
        0
    );
    let mut swapped = lines.clone();
    swapped.swap(4000, 4002);
    let mut other_text = lines.clone();
    other_text[4000] = other_text[4000].replace("some", "same");
    for stage in STAGES {
        for changed in [&swapped, &other_text]
            .into_iter()
            .filter(|_| ["place", "emit"].contains(&stage))
        {
            change(changed);
            let ran = place.run(&task(stage, "work", 0, 1));
            assert!(
                ran.code != 0 && ran.err.contains("in.jsonl: "),
                "{stage}: {}",
                ran.err
            );
            change(&lines);
        }
        assert_eq!(place.run(&task(stage, "work", 0, 1)).code, 0);
    }
    assert_eq!(place.run("dedup in.jsonl -o one.jsonl").code, 0);
    assert_eq!(
        place.read("kept-00000-of-00001.jsonl"),
        place.read("one.jsonl")
    );
}

#[test]
fn results_of_an_earlier_plan_in_the_same_folder_do_not_count() {
    let place = Place::new();
    write_collection(&place);
    let plan = |flags: &str| {
        drop(fs::remove_file(place.path("work/plan.json")));
        assert_eq!(
            place
                .run(&format!(
                    "stage plan work --shards 2 -- in/*.jsonl -o kept-{{}}.jsonl {flags}"
                ))
                .code,
            0
        );
    };
    plan("--threshold 0.9");
    all_stages(&place, "work", 2);
    plan("--threshold 0.5");
    let status: Value = serde_json::from_str(&place.run("stage status work --json").out).unwrap();
    assert_eq!(
        (&status["documents"], &status["stages"][5]["missing"]),
        (&json!(0), &json!([0, 1]))
    );
    all_stages(&place, "work", 2);
    assert_eq!(
        place
            .run("dedup in/*.jsonl --threshold 0.5 -o one.jsonl")
            .code,
        0
    );
    assert_eq!(
        together(&place, ".", "-of-00002.jsonl"),
        place.read("one.jsonl")
    );
    // Files that a crash of the system left empty.
    for result in [
        "emit/00000-of-00002/counts.json",
        "emit/00001-of-00002/counts.json",
        "join/00000-of-00001/sections",
    ] {
        place.write(&format!("work/{result}"), "");
    }
    let shown: String = [
        "status work",
        "decide work --shard 0/2",
        "place work --shard 1/2",
        "emit work --shard 0/2",
    ]
    .map(|stage| {
        let ran = place.run(&format!("stage {stage}"));
        ran.out + &ran.err
    })
    .concat();
    assert_snapshot!(shown, @r#"
    0 documents in = 0 kept + 0 dropped (0.0 %) so far, in work
      sketch   2 of 2 done
      pair     2 of 2 done
      join     0 of 1 done
      place    2 of 2 done
      decide   2 of 2 done
      emit     0 of 2 done
    decide 0 of 2: was done before
    place 1 of 2: was done before
    emit 0 of 2: done
    "#);
    assert_eq!(
        together(&place, ".", "-of-00002.jsonl"),
        place.read("one.jsonl")
    );
}

#[test]
fn the_format_of_outputs_is_that_of_all_inputs() {
    let place = Place::new();
    let lines: String = (0..4)
        .map(|n| json!({"id": n, "text": format!("text number {n}")}).to_string() + "\n")
        .collect();
    place.write("a.jsonl", &lines);
    place.write(
        "b.json",
        serde_json::to_string(&[json!({"id": "b", "text": "of an array"})]).unwrap(),
    );
    place.write("c.csv", "id,text\n1,of a table\n");
    place.write("d.csv", "id,text,more\n2,of another table,1\n");
    let plan = |arguments: &str| place.run(&format!("stage plan work --shards 2 -- {arguments}"));
    let shown: String = [
        "a.jsonl -o kept-{}.parquet",
        "a.jsonl c.csv -o kept-{}.csv",
        "c.csv d.csv -o kept-{}.csv",
    ]
    .map(|arguments| plan(arguments).err)
    .concat();
    assert_snapshot!(shown, @r#"
    error: kept-{}.parquet: a job array writes a table only if all inputs are tables (Parquet or Arrow); give a name that ends with .jsonl
    error: kept-{}.csv: a job array writes CSV only if all inputs are CSV; give a name that ends with .jsonl
    error: d.csv: its columns are "id", "text", "more" (delimiter ','), but those of c.csv are "id", "text" (delimiter ','), so one CSV file cannot hold the records of both; write .jsonl
    "#);
    // The second task has only an array.
    assert_eq!(plan("a.jsonl b.json -o kept-{}.json").code, 0);
    all_stages(&place, "work", 2);
    assert_eq!(place.run("dedup a.jsonl b.json -o one.json").code, 0);
    assert_eq!(
        together(&place, ".", "-of-00002.json"),
        place.read("one.json")
    );
    assert_eq!(
        place
            .run("stage plan csv --shards 2 -- c.csv -o kept-{}.csv")
            .code,
        0
    );
    all_stages(&place, "csv", 2);
    assert_eq!(place.read("kept-00001-of-00002.csv"), "id,text\n");
    // A table without rows has the columns of the others.
    fs::copy(
        testdata("formats/tables/pyarrow_none.parquet"),
        place.path("films.parquet"),
    )
    .unwrap();
    assert_eq!(
        place
            .run("stage plan tables --shards 2 -- films.parquet -o kept-{}.parquet")
            .code,
        0
    );
    all_stages(&place, "tables", 2);
    let both =
        place.run("dedup kept-00000-of-00002.parquet kept-00001-of-00002.parquet -o both.parquet");
    assert_eq!(both.code, 0, "{}", both.err);
}

#[test]
fn outputs_that_later_tasks_would_not_find_or_would_read_are_refused() {
    let place = Place::new();
    fs::create_dir_all(place.path("in")).unwrap();
    fs::create_dir_all(place.path("out")).unwrap();
    place.write("in/a.jsonl", crate::SMALL);
    let root = place
        .path(".")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    let shown: String = [
        "work --shards 2 -- in -o in/kept-{}.jsonl",
        "work --shards 2 -- in/*.jsonl -o out/kept-{}.jsonl --decisions in/why-{}.jsonl",
        "in/work --shards 2 -- in -o out/kept-{}.jsonl",
        "in/a.jsonl --shards 2 -- in -o out/kept-{}.jsonl",
        "work --shards 2 -- ROOT/in -o out/kept-{}.jsonl",
        "work --shards 2 -- ROOT/in -o ROOT/out/kept-{}.jsonl --skip-bad bad-{}",
    ]
    .map(|arguments| {
        place
            .run(&format!("stage plan {}", arguments.replace("ROOT", &root)))
            .err
    })
    .concat();
    assert!(!place.path("work").exists());
    assert_snapshot!(shown.replace(&root, "ROOT"), @r#"
    error: in/kept-00000-of-00002.jsonl: the input in includes this output, so later tasks would read it; choose another folder
    error: in/why-00000-of-00002.jsonl: the input in/*.jsonl includes this output, so later tasks would read it; choose another folder
    error: in/work: the input in includes the folder of the plan, so later tasks would read its files; choose another folder
    error: in/a.jsonl: the input in includes the folder of the plan, so later tasks would read its files; choose another folder
    error: out/kept-{}.jsonl: is relative to the folder in which a task is started, but the inputs are not; give its absolute path
    error: bad-{}: is relative to the folder in which a task is started, but the inputs are not; give its absolute path
    "#);
    for (file, content) in [("plan.json", "{}"), ("plan.json", "")] {
        fs::create_dir_all(place.path("damaged")).unwrap();
        place.write(&format!("damaged/{file}"), content);
        let ran = place.run("stage sketch damaged --shard 0/2");
        assert!(
            ran.code != 0 && ran.err.contains("plan again in a new folder"),
            "{}",
            ran.err
        );
    }
    assert_eq!(
        place
            .run("stage plan work --shards 3 -- in -o out/kept-{}.jsonl")
            .code,
        0
    );
    let plan = place.read("work/plan.json");
    let edited = plan.replace("\"first_inputs\": [\n    1,", "\"first_inputs\": [\n    7,");
    assert_ne!(plan, edited);
    place.write("work/plan.json", edited);
    let ran = place.run("stage sketch work --shard 0/3");
    assert!(
        ran.code == 2 && ran.err.contains("plan again in a new folder"),
        "{}",
        ran.err
    );
}

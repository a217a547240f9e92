//! Tests of summaries as JSON: their first fields, and the summary file, which is either complete or not there.

use std::io::Read;

use serde_json::{Value, json};

use crate::{Place, Ran, SMALL};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Writes texts, and also records, prints and a configuration for the commands that do not read texts.
fn place() -> Place {
    let place = Place::new();
    place
        .write("in.jsonl", SMALL)
        .write("old.jsonl", "{\"id\": \"old\", \"text\": \"Something else entirely: a note about nothing in particular.\"}\n")
        .write("removed.txt", "first\n")
        .write("people.jsonl", "{\"id\": 1, \"name\": \"Ann Lee\"}\n{\"id\": 2, \"name\": \"Anne Lee\"}\n")
        .write(
            "link.toml",
            "match = 0.9\npossible = 0.5\n[[field]]\nname = \"name\"\ntype = \"name\"\n[[block]]\nsimilar = \"name\"\n",
        )
        .write("prints.jsonl", "{\"id\": 1, \"minutiae\": [[1, 2, 3]]}\n{\"id\": 2, \"minutiae\": [[1, 2, 3]]}\n");
    assert_eq!(place.run("dedup in.jsonl --decisions why.jsonl").code, 0);
    place
}

/// Removes the fields that differ from run to run.
fn without_measures(mut summary: Value) -> Value {
    let fields = summary.as_object_mut().unwrap();
    ["seconds", "peak_memory", "above_memory", "runs"]
        .iter()
        .for_each(|name| _ = fields.remove(*name));
    summary
}

#[test]
fn a_summary_file_equals_the_json_output() {
    let place = place();
    for (command, asked, inputs, outputs) in [
        (
            "dedup",
            "in.jsonl --against old.jsonl -o kept.jsonl",
            json!([{"role": "input", "name": "in.jsonl"}, {"role": "against", "name": "old.jsonl"}]),
            json!([{"role": "kept", "name": "kept.jsonl"}, {"role": "decisions", "name": "kept.decisions.jsonl"}]),
        ),
        (
            "apply",
            "why.jsonl in.jsonl -o applied.jsonl",
            json!([{"role": "decisions", "name": "why.jsonl"}, {"role": "input", "name": "in.jsonl"}]),
            json!([{"role": "kept", "name": "applied.jsonl"}]),
        ),
        (
            "pairs",
            "in.jsonl --skip-bad bad.jsonl -o pairs.jsonl",
            json!([{"role": "input", "name": "in.jsonl"}]),
            json!([{"role": "bad_lines", "name": "bad.jsonl"}, {"role": "pairs", "name": "pairs.jsonl"}]),
        ),
        (
            "passages",
            "in.jsonl old.jsonl --least 3 -o passages.jsonl",
            json!([{"role": "a", "name": "in.jsonl"}, {"role": "b", "name": "old.jsonl"}]),
            json!([{"role": "pairs", "name": "passages.jsonl"}]),
        ),
        (
            "audit",
            "removed.txt --texts in.jsonl -o removals.jsonl",
            json!([{"role": "result", "name": "removed.txt"}, {"role": "texts", "name": "in.jsonl"}]),
            json!([{"role": "removals", "name": "removals.jsonl"}]),
        ),
        (
            "eval",
            "in.jsonl --sample 2 --run=",
            json!([{"role": "input", "name": "in.jsonl"}]),
            json!([]),
        ),
        (
            "mirrors",
            "in.jsonl old.jsonl -o sites.jsonl --pages pages.jsonl",
            json!([{"role": "a", "name": "in.jsonl"}, {"role": "b", "name": "old.jsonl"}]),
            json!([{"role": "sites", "name": "sites.jsonl"}, {"role": "pages", "name": "pages.jsonl"}]),
        ),
        (
            "link",
            "people.jsonl -c link.toml -o links.jsonl",
            json!([{"role": "a", "name": "people.jsonl"}, {"role": "config", "name": "link.toml"}]),
            json!([{"role": "pairs", "name": "links.jsonl"}]),
        ),
        (
            "minutiae",
            "prints.jsonl -o prints.pairs.jsonl",
            json!([{"role": "input", "name": "prints.jsonl"}]),
            json!([{"role": "pairs", "name": "prints.pairs.jsonl"}]),
        ),
    ] {
        let ran = place.run(&format!("{command} {asked} --json --summary summary.json"));
        assert!(ran.code < 2, "{command}: {}", ran.err);
        let (printed, written) = (
            format!("{}{}", ran.out, ran.err),
            place.read("summary.json"),
        );
        let (printed, written) = (parsed(&printed), parsed(&written));
        assert_eq!(printed, written, "{command}");
        assert_eq!(
            (&written["schema"], &written["version"]),
            (&json!(1), &json!(env!("CARGO_PKG_VERSION")))
        );
        assert_eq!(
            (&written["command"], &written["inputs"], &written["outputs"]),
            (&json!(command), &inputs, &outputs)
        );
        // A run without `--summary` prints the same summary as the one in the file.
        let again = place.run(&format!("{command} {asked} --json"));
        assert_eq!(
            without_measures(parsed(&format!("{}{}", again.out, again.err))),
            without_measures(written),
            "{command}"
        );
    }
}

#[test]
fn a_failed_run_leaves_the_old_summary() {
    let place = Place::new();
    place
        .write("in.jsonl", "{\"text\": 1}\n")
        .write("summary.json", "old");
    let before = place.names();
    for command in ["dedup in.jsonl -o kept.jsonl", "pairs in.jsonl"] {
        assert_eq!(
            place.run(&format!("{command} --summary summary.json")).code,
            2
        );
        assert_eq!(
            (place.names(), place.read("summary.json")),
            (before.clone(), "old".into()),
            "{command}"
        );
    }
    // The error is reported before any input is read.
    let ran = place.run("dedup in.jsonl --summary no/summary.json");
    assert!(
        ran.code == 2 && ran.err.contains("no/summary.json"),
        "{}",
        ran.err
    );
    place.write("in.jsonl", SMALL);
    assert_eq!(
        place
            .run("dedup in.jsonl -o kept.jsonl --dry-run --summary summary.json")
            .code,
        0
    );
    assert_eq!(
        (place.names(), place.read("summary.json")),
        (before, "old".into())
    );
}

#[test]
fn a_summary_does_not_overwrite_files_of_the_run() {
    let place = place();
    for command in [
        "dedup in.jsonl --summary in.jsonl",
        "dedup in.jsonl -o kept.jsonl --summary kept.jsonl",
        "dedup in.jsonl -o kept.jsonl --summary kept.decisions.jsonl",
        "dedup in.jsonl -o - --summary -",
        "apply why.jsonl in.jsonl -o kept.jsonl --summary why.jsonl",
        "pairs in.jsonl --summary -",
        "passages in.jsonl old.jsonl -o found.jsonl --summary found.jsonl",
        "audit removed.txt --texts in.jsonl --summary removed.txt",
        "audit removed.txt --texts in.jsonl --summary in.jsonl",
        "audit removed.txt --texts in.jsonl -o in.jsonl",
        "eval in.jsonl --sample 2 --run= --summary in.jsonl",
        "mirrors in.jsonl old.jsonl --summary old.jsonl",
        "link people.jsonl -c link.toml --summary link.toml",
        "minutiae prints.jsonl --summary prints.jsonl",
    ] {
        let before: Vec<(String, String)> = place
            .names()
            .into_iter()
            .map(|name| (name.clone(), place.read(&name)))
            .collect();
        let ran = place.run(command);
        assert!(
            ran.code == 2 && ran.err.contains("would overwrite"),
            "{command}: {}",
            ran.err
        );
        let after: Vec<(String, String)> = place
            .names()
            .into_iter()
            .map(|name| (name.clone(), place.read(&name)))
            .collect();
        assert_eq!(before, after, "{command}");
    }
}

#[test]
fn a_summary_is_written_to_standard_output_or_compressed_by_extension() {
    let place = place();
    let ran = place.run("dedup in.jsonl -o kept.jsonl --quiet --summary -");
    assert_eq!((ran.code, parsed(&ran.out)["kept"].clone()), (0, json!(2)));
    assert_eq!(
        place
            .run("dedup in.jsonl -o kept.jsonl --quiet --summary summary.json.gz")
            .code,
        0
    );
    let mut text = String::new();
    let packed = std::fs::File::open(place.path("summary.json.gz")).unwrap();
    flate2::read::MultiGzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(parsed(&text)["command"], "dedup");
}

#[test]
fn a_summary_does_not_show_command_lines() {
    let place = place();
    let mut command = place.command("dedup --input-command");
    let ran = Ran::of(
        command
            .args(["cat in.jsonl # hunter2", "--json", "-vv"])
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        parsed(&ran.out)["inputs"],
        json!([{"role": "command", "name": "command:1"}])
    );
    assert!(
        !ran.out.contains("hunter2") && !ran.err.contains("hunter2"),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn reports_without_a_run_have_the_same_header() {
    let place = place();
    for (command, inputs) in [
        ("curve --json", json!([])),
        (
            "compare in.jsonl old.jsonl --json",
            json!([{"role": "a", "name": "in.jsonl"}, {"role": "b", "name": "old.jsonl"}]),
        ),
        (
            "minutiae --model --squares 1000 --trials 10 --json",
            json!([]),
        ),
        (
            "link people.jsonl -c link.toml --explain 1 2 --json",
            json!([{"role": "a", "name": "people.jsonl"}, {"role": "config", "name": "link.toml"}]),
        ),
    ] {
        let report = parsed(&place.run(command).out);
        assert_eq!(
            (&report["schema"], &report["outputs"], &report["inputs"]),
            (&json!(1), &json!([]), &inputs),
            "{command}"
        );
    }
}

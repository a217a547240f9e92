//! Settings from a file of TOML.

use crate::Place;

const TEXTS: &str = concat!(
    "{\"id\":1,\"body\":\"The quick brown fox jumps over the lazy dog and runs away.\"}\n",
    "{\"id\":2,\"body\":\"The quick brown fox jumps over the lazy dog and runs off.\"}\n",
    "{\"id\":3,\"body\":\"Something else, about which the others never speak at all.\"}\n",
);

/// The settings of a file give the result of the flags with these names, and flags win.
#[test]
fn settings_of_a_file_are_those_of_the_flags() {
    let place = Place::new();
    place.write("in.jsonl", TEXTS).write(
        "run.toml",
        "# How documents are compared.\ninputs = [\"in.jsonl\"]\ntext_field = \"body\"\nthreshold = 0.5\nshingle = 2\nfold = [\"accents\"]\nmemory = \"100M\"\nno_decisions = true\n",
    );
    let flags = "in.jsonl --text-field body --threshold 0.5 --shingle 2 --fold accents --memory 100M --no-decisions";
    for (file, same) in [
        (
            "dedup --config run.toml -o kept.jsonl",
            format!("dedup {flags} -o kept.jsonl"),
        ),
        (
            "dedup --config run.toml -o kept.jsonl --threshold 0.95",
            format!("dedup {} -o kept.jsonl", flags.replace("0.5", "0.95")),
        ),
    ] {
        let ran = place.run(file);
        assert_eq!(ran.code, 0, "{file}: {}", ran.err);
        let kept = place.read("kept.jsonl");
        let ran = place.run(&same);
        assert_eq!(ran.code, 0, "{same}: {}", ran.err);
        assert_eq!(kept, place.read("kept.jsonl"), "{file}");
        assert!(!place.names().contains(&"kept.decisions.jsonl".to_string()));
    }
    place.write(
        "pairs.toml",
        "text_field = \"body\"\nshingle = 2\nexact = true\n",
    );
    let ran = place.run("pairs in.jsonl --config pairs.toml");
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{}", ran.err);
}

#[test]
fn a_wrong_file_is_refused_with_its_line_and_the_name() {
    let place = Place::new();
    place.write("in.jsonl", TEXTS);
    for (toml, words) in [
        (
            "seed = 2\nthreshhold = 0.5\n",
            "run.toml:2: threshhold: there is no such setting; leave it out",
        ),
        (
            "\nthreshold = \"high\"\n",
            "run.toml:2: threshold: give a number, such as 0.8",
        ),
        (
            "measure = \"overlap\"\n",
            "run.toml:1: measure: takes resemblance or containment",
        ),
        (
            "keep = \"best\"\n",
            "run.toml:1: keep: \"best\" is not a keep order",
        ),
        ("memory = \"1k\"\n", "run.toml:1: memory: give 64M or more"),
        ("threshold = \n", "run.toml:1: "),
        ("bands = 20\n", "bands and rows must be given together"),
        (
            "label_prefix = \"a\"\n",
            "--label-prefix only works with --label",
        ),
    ] {
        place.write("run.toml", toml);
        let ran = place.run("dedup in.jsonl --text-field body --config run.toml");
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{toml}: {}",
            ran.err
        );
        assert_eq!(place.names(), ["in.jsonl", "run.toml"], "{toml}");
    }
    place.write("run.toml", "\"https://u:secret@host/x\" = 1\n");
    let ran = place.run("dedup in.jsonl --config run.toml");
    assert!(!ran.err.contains("secret"), "{}", ran.err);
    let ran = place.run("dedup in.jsonl --config none.toml");
    assert!(
        ran.err
            .contains("none.toml: no such file; name a TOML file"),
        "{}",
        ran.err
    );
}

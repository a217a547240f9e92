//! Tests of `lookalike passages`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::Place;

const ESSAY: &str = "As we all know, the quick brown fox jumps over the lazy dog near the old river bank.\n\nI think that foxes are \
    clever; nobody who has seen one at night would doubt that they know what they are about, and dogs are not.\n";
const SOURCE: &str = "A fable. The Quick Brown Fox jumps over the lazy dog - near the old river bank - and is gone. Nobody who has ever \
    seen one at night would doubt that they know what they are about.";

fn place() -> Place {
    let place = Place::new();
    place
        .write("essay.txt", ESSAY)
        .write("source.txt", SOURCE)
        .write(
            "other.txt",
            "Nothing of all this is said in here by anybody at all.",
        );
    place
}

#[test]
fn two_texts_are_shown_with_their_shared_passages() {
    assert_snapshot!(place().run("passages essay.txt source.txt").shown(), @r#"
    exit 0
    --- stdout
    A: "essay.txt"  B: "source.txt"
    27 of A's 44 tokens and 27 of B's 36 in 2 passages; containment of A in B 0.4750, of B in A 0.5938, resemblance 0.3585

      14 tokens
      A 16..83  As we all know, the quick brown fox jumps over the lazy dog near the old river bank.  I think that foxes are clever;
      B 9..78  A fable. The Quick Brown Fox jumps over the lazy dog - near the old river bank - and is gone. Nobody who has ever

      13 tokens
      A 132..196  that foxes are clever; nobody who has seen one at night would doubt that they know what they are about, and dogs are not.
      B 114..178  - and is gone. Nobody who has ever seen one at night would doubt that they know what they are about.
    --- stderr
    1 pair between 1 text and 1 other share 2 passages; every shared run of 8 tokens or more is found
    "#);
    assert_snapshot!(place().run("passages essay.txt source.txt other.txt --gap 2 --least 4").shown(), @r#"
    exit 0
    --- stdout
    A: "essay.txt"  B: "source.txt"
    27 of A's 44 tokens and 27 of B's 36 in 2 passages; containment of A in B 0.4750, of B in A 0.5938, resemblance 0.3585

      14 tokens
      A 16..83  As we all know, the quick brown fox jumps over the lazy dog near the old river bank.  I think that foxes are clever;
      B 9..78  A fable. The Quick Brown Fox jumps over the lazy dog - near the old river bank - and is gone. Nobody who has ever

      13 tokens
      A 132..196  that foxes are clever; nobody who has seen one at night would doubt that they know what they are about, and dogs are not.
      B 114..178  - and is gone. Nobody who has ever seen one at night would doubt that they know what they are about.
    --- stderr
    1 pair between 1 text and 2 others share 2 passages; every shared run of 4 tokens or more is found
    "#);
}

#[test]
fn json_lines_contain_the_positions_of_passages() {
    let place = place();
    assert_snapshot!(place.run("passages essay.txt source.txt --json").shown(), @r#"
    exit 0
    --- stdout
    {"a":"essay.txt","b":"source.txt","resemblance":0.3584905660377358,"containment_ab":0.475,"containment_ba":0.59375,"intersection":19,"size_a":40,"size_b":32,"tokens_a":44,"tokens_b":36,"shared_a":27,"shared_b":27,"passages":[{"a":[16,83],"b":[9,78],"tokens":14,"text_a":"the quick brown fox jumps over the lazy dog near the old river bank","text_b":"The Quick Brown Fox jumps over the lazy dog - near the old river bank"},{"a":[132,196],"b":[114,178],"tokens":13,"text_a":"seen one at night would doubt that they know what they are about","text_b":"seen one at night would doubt that they know what they are about"}]}
    --- stderr
    1 pair between 1 text and 1 other share 2 passages; every shared run of 8 tokens or more is found
    "#);
    let ran = place.run("passages essay.txt source.txt other.txt --json --no-text -o found.jsonl");
    let summary: Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        (
            ran.code,
            &summary["texts_a"],
            &summary["texts_b"],
            &summary["passages"]
        ),
        (0, &1.into(), &2.into(), &2.into())
    );
    assert_snapshot!(place.read("found.jsonl"), @r#"
    {"a":"essay.txt","b":"source.txt","resemblance":0.3584905660377358,"containment_ab":0.475,"containment_ba":0.59375,"intersection":19,"size_a":40,"size_b":32,"tokens_a":44,"tokens_b":36,"shared_a":27,"shared_b":27,"passages":[{"a":[16,83],"b":[9,78],"tokens":14},{"a":[132,196],"b":[114,178],"tokens":13}]}
    "#);
}

#[test]
fn texts_of_one_collection_are_compared_with_each_other() {
    let place = place();
    let lines: String = [("a", ESSAY), ("b", "short"), ("c", SOURCE), ("d", ESSAY)]
        .map(|(id, text)| serde_json::json!({"id": id, "text": text}).to_string() + "\n")
        .concat();
    place.write("all.jsonl", lines);
    let pairs = |arguments: &str| {
        let ran = place.run(&format!("passages all.jsonl --json {arguments}"));
        let pair = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            format!(
                "{}{}",
                line["a"].as_str().unwrap(),
                line["b"].as_str().unwrap()
            )
        };
        (
            ran.code,
            ran.out.lines().map(pair).collect::<Vec<_>>().join(" "),
            ran.err,
        )
    };
    assert_eq!(pairs("-q"), (0, "ac ad cd".into(), String::new()));
    let (code, found, words) = pairs("--threshold 0.9");
    assert!(
        code == 0
            && found == "ad"
            && words.contains("below --threshold: 2 pairs that share passages"),
        "{words}"
    );
    assert_eq!(pairs("-q --least 30").1, "ad");
    assert_eq!(pairs("-q --least 300"), (1, String::new(), String::new()));
    // With `--common 2`, the pair of texts `a` and `c` is not found, because every window that these two texts share also occurs
    // in text `d`.
    let (code, found, words) = pairs("--common 2");
    assert!(
        code == 0 && found == "ad" && words.contains("windows excluded"),
        "{found} {words}"
    );
}

#[test]
fn pairs_that_share_most_are_shown_first() {
    let place = place();
    let ran = place.run("passages essay.txt source.txt other.txt essay.txt --pairs 1");
    assert!(
        ran.code == 2 && ran.err.contains("essay.txt: given twice"),
        "{}",
        ran.err
    );
    place.write("copy.txt", ESSAY);
    let ran = place.run("passages essay.txt source.txt copy.txt --pairs 1");
    assert!(
        ran.out.starts_with("A: \"essay.txt\"  B: \"copy.txt\"")
            && ran.out.contains("\n1 more pair with less in common"),
        "{}",
        ran.out
    );
}

#[test]
fn texts_cannot_send_terminal_escapes() {
    let place = place();
    place.write("evil.txt", format!("{SOURCE}\u{1b}[2J\u{7}"));
    let ran = place.run("passages source.txt evil.txt");
    assert!(
        ran.code == 0 && !ran.out.contains(['\u{1b}', '\u{7}']),
        "{:?}",
        ran.out
    );
}

#[test]
fn invalid_inputs_and_options_are_reported() {
    let place = place();
    place
        .write("bad.jsonl", "{\"id\":1,\"text\":[\"a\"]}\n")
        .write("twice.jsonl", "{\"id\":1,\"text\":\"a\"}\n".repeat(2));
    for (arguments, part) in [
        (
            "essay.txt source.txt --least 0",
            "the minimum length of a passage must be from 1 to 1000 tokens, got 0",
        ),
        (
            "essay.txt source.txt --threshold 2",
            "--threshold must be from 0 to 1, got 2",
        ),
        ("essay.txt nowhere.txt", "nowhere.txt"),
        (
            "essay.txt bad.jsonl",
            "bad.jsonl:1: field \"text\" is an array",
        ),
        (
            "essay.txt twice.jsonl",
            "twice.jsonl:2: id 1 was already used",
        ),
        (
            "twice.jsonl essay.txt",
            "twice.jsonl:2: id 1 was already used at",
        ),
        (
            "essay.txt source.txt --no-text",
            "--no-text only works with --json or --output",
        ),
        (
            "essay.txt source.txt --gap -1",
            "invalid value '-1' for '--gap <N>'",
        ),
        ("essay.txt source.txt -o essay.txt", "essay.txt"),
        (
            "essay.txt source.txt -o found.csv",
            "passages are written as JSON Lines",
        ),
        (
            "essay.txt source.txt --json --pairs 3",
            "--pairs and --json cannot be combined",
        ),
    ] {
        let ran = place.run(&format!("passages {arguments}"));
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{arguments}: {} {}",
            ran.code,
            ran.err
        );
        assert_eq!(place.read("essay.txt"), ESSAY);
    }
    place.write(
        "half.jsonl",
        format!("x\n{}\n", serde_json::json!({"text": SOURCE})),
    );
    let ran = place.run("passages essay.txt half.jsonl --skip-bad bad.out");
    assert!(
        ran.code == 0 && ran.err.contains("bad: 1 line skipped"),
        "{}",
        ran.err
    );
}

/// A source and an essay that copied its sentences in another order, with some words replaced.
fn copied() -> Place {
    let source = "The committee met in Geneva in the spring of 1921 and discussed the partition of the harbour. Delegates from \
        eleven coastal states objected to the tariff schedule that the treasury had drafted. A compromise was signed after nine \
        days of stubborn negotiation, and the fishing fleets returned to their usual grounds.";
    let essay = "Nothing in my own family history prepared me for this topic. Emissaries from eleven coastal states objected to the \
        customs schedule that the treasury had written. A deal was signed after nine long days of stubborn negotiation, and the \
        fishing boats returned to their usual grounds. The committee met in Geneva during the spring of 1921 and discussed the \
        partition of the harbour. My grandmother never talked about any of it when we were children.";
    let place = Place::new();
    place.write("source.txt", source).write("essay.txt", essay);
    place
}

#[test]
fn a_passage_that_was_changed_is_one_region() {
    let place = copied();
    assert_snapshot!(place.run("passages essay.txt source.txt --regions").shown(), @r#"
    exit 0
    --- stdout
    A: "essay.txt"  B: "source.txt"
    51 of A's 75 tokens and 51 of B's 51 in 1 region; containment of A in B 0.2254, of B in A 0.3404, resemblance 0.1569

      45 tokens; density 0.86, score 36.9
      A 72..378  prepared me for this topic. Emissaries from eleven coastal states objected to the customs schedule that the treasury had written. A deal was signed after nine long days of stubborn negotiation, and the fishing boats returned to their usual grounds. The committee met in Geneva during the spring of 1921 and discussed the partition of the harbour. My grandmother never talked about any
      B 0..313  The committee met in Geneva in the spring of 1921 and discussed the partition of the harbour. Delegates from eleven coastal states objected to the tariff schedule that the treasury had drafted. A compromise was signed after nine days of stubborn negotiation, and the fishing fleets returned to their usual grounds.
    --- stderr
    1 pair between 1 text and 1 other share 1 region; regions of 20 tokens or more are searched in pairs that share a run of 4 tokens
    "#);
    let ran = place.run("passages essay.txt source.txt --regions --json --no-text");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    {"a":"essay.txt","b":"source.txt","resemblance":0.1568627450980392,"containment_ab":0.22535211267605634,"containment_ba":0.3404255319148936,"intersection":16,"size_a":71,"size_b":47,"tokens_a":75,"tokens_b":51,"shared_a":44,"shared_b":44,"in_regions_a":51,"in_regions_b":51,"passages":[{"a":[72,378],"b":[0,313],"tokens":45,"density":0.8601220289591112,"score":36.89453125}]}
    --- stderr
    1 pair between 1 text and 1 other share 1 region; regions of 20 tokens or more are searched in pairs that share a run of 4 tokens
    "#);
    let ran = place.run("passages essay.txt source.txt --regions --json --offsets chars -q");
    let pair: Value = serde_json::from_str(&ran.out).unwrap();
    let region = &pair["passages"][0];
    let within = |name: &str, field: &str| {
        let range: Vec<usize> = region[field]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| at.as_u64().unwrap() as usize)
            .collect();
        place
            .read(name)
            .chars()
            .skip(range[0])
            .take(range[1] - range[0])
            .collect::<String>()
    };
    assert_eq!(region["text_a"], within("essay.txt", "a"));
    assert_eq!(region["text_b"], within("source.txt", "b"));
}

#[test]
fn regions_obey_their_flags() {
    let place = copied();
    for (flags, code, found) in [
        ("--density 0.95", 1, ""),
        ("--score 100", 1, ""),
        ("--min-tokens 100", 1, ""),
        // No run is as long as this, so the texts are not compared.
        ("--least 20", 1, ""),
        ("--gap 40 --min-tokens 10 --least 2", 0, "share 1 region;"),
    ] {
        let ran = place.run(&format!("passages essay.txt source.txt --regions {flags}"));
        assert!(
            ran.code == code && ran.err.contains(found),
            "{flags}: {} {}",
            ran.code,
            ran.err
        );
    }
    for (flags, part) in [
        ("--density 0.5", "--regions"),
        (
            "--regions --density 2",
            "the density of regions must be from 0 to 1, got 2",
        ),
        (
            "--regions --score -1",
            "the score of regions must be 0 or more, got -1",
        ),
        (
            "--regions --min-tokens 0",
            "the length of regions must be at least 1 token, got 0",
        ),
        (
            "--regions --gap 0",
            "the gap of regions must be from 1 to 1000 tokens, got 0",
        ),
        (
            "--regions --gap 2000",
            "the gap of regions must be from 1 to 1000 tokens, got 2000",
        ),
    ] {
        let ran = place.run(&format!("passages essay.txt source.txt {flags}"));
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{flags}: {} {}",
            ran.code,
            ran.err
        );
    }
}

#[test]
fn a_report_of_regions_is_written() {
    let place = copied();
    let ran = place.run("passages essay.txt source.txt --regions --report report.html -q");
    assert!(
        ran.code == 0 && place.read("report.html").starts_with("<!"),
        "{}",
        ran.err
    );
}

//! `lookalike curve`, `lookalike compare`, `lookalike completions`.

use insta::assert_snapshot;

use crate::{Place, SMALL, testdata};

#[test]
fn the_curve_shows_what_the_sources_say() {
    let place = Place::new();
    assert_snapshot!(place.run("curve --bands 100 --rows 3 --at 0.4").out, @"0.4000  0.998659");
    assert_snapshot!(place.run("curve --bands 20 --rows 5 --at 0.8 --at 0.3").out, @"
    0.8000  0.999644
    0.3000  0.047494
    ");
    let page = place.run("curve").out;
    assert!(page.contains("21 bands of 6 rows") && page.contains("0.9983") && page.contains("← threshold"), "{page}");
    let json: serde_json::Value = serde_json::from_str(&place.run("curve -t 0.5 --json").out).unwrap();
    assert_eq!((&json["bands"], &json["rows"]), (&42.into(), &3.into()));
    assert!(json["found_at_threshold"].as_f64().unwrap() >= 0.99);
}

#[test]
fn two_texts_side_by_side() {
    let place = Place::new();
    place
        .write("a.txt", "one two three four five six seven eight")
        .write("b.txt", "ONE two, three four five six 7 eight")
        .write("in.jsonl", SMALL);
    assert_snapshot!(place.run("compare a.txt b.txt --shingle 3").shown(), @"
    exit 0
    --- stdout
    resemblance            0.5000  4 of 8 shingles shared             sketch: 0.602 (0.515 to 0.682)
    containment of A in B  0.6667  4 of A's 6                         sketch: 0.751 (0.680 to 0.811)
    containment of B in A  0.6667  4 of B's 6                         sketch: 0.751 (0.680 to 0.811)
    sketch: estimates from 128 slots; their intervals hold the truth 95 times in 100

    A: a.txt  shared not shared
    one two three four five six seven eight

    B: b.txt  shared not shared
    ONE two, three four five six 7 eight
    --- stderr
    ");
    assert_eq!(place.run("compare a.txt b.txt --threshold 0.9").code, 1);
    assert_eq!(place.run("compare a.txt a.txt --threshold 0.9").code, 0);
    let ran = place.run("compare first in.jsonl:3 --in in.jsonl --json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["intersection"], &json["size_a"], &json["size_b"]), (&13.into(), &13.into(), &14.into()));
    assert_eq!(json["passages_b"].as_array().unwrap().len(), 2);
    assert_eq!(place.run("compare --in in.jsonl 2 2 -t 1").code, 0);
    assert_eq!(place.run("compare \"first\" 2 --in in.jsonl -t 1").code, 1, "an id may be written as it stands in its line");
}

#[test]
fn of_a_repeated_id_the_first_counts() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"id\":2,\"text\":\"first two\"}\n{\"id\":3,\"text\":\"three\"}\n{\"id\":2,\"text\":\"second two\"}\nnot json\n",
    );
    let ran = place.run("compare 2 3 --in in.jsonl");
    assert!(ran.code == 0 && ran.out.contains("first two") && !ran.out.contains("second two"), "{}{}", ran.out, ran.err);
}

#[test]
fn passages_are_coloured_where_colours_are_wanted() {
    let place = Place::new();
    let ran = crate::Ran::of(
        place
            .command(&format!("compare scancode/mit scancode/mit-0 --in {}", testdata("licenses.jsonl.zst")))
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap(),
    );
    assert!(ran.out.contains("\u{1b}[32m") && ran.out.contains("\u{1b}[31m"));
    let plain = place.run(&format!("compare scancode/mit scancode/mit-0 --in {}", testdata("licenses.jsonl.zst")));
    assert!(!plain.out.contains('\u{1b}') && plain.out.contains("130 of 163 shingles shared"), "{}", plain.out);
}

#[test]
fn completions_and_help_are_there_for_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.run(&format!("completions {shell}")).out.contains("dedup"));
    }
    for command in ["dedup", "pairs", "compare", "curve", "completions"] {
        let ran = place.run(&format!("{command} --help"));
        assert!(ran.code == 0 && ran.out.contains("Usage:"), "{command}");
    }
}

//! Tests of shingles that begin with stop words: they find articles among menus and advertisements.

use crate::{Place, errors::refused};

const FLOOD: &str = "The river rose in the night, and by the morning it was in the streets of the old town. The mayor said that \
    the people who live at the harbour should leave their houses before the evening.";
const MATCH: &str = "A goal in the last minute of the game was enough for the team from the north, which had lost all of its \
    matches since the spring. The coach said that he was glad but not surprised.";
const TIMES: &str = "Home World Politics Business Tech Science Health Sports Arts Books Style Food Travel Magazine Real Estate \
    Jobs Weather Subscribe Log In Search Newsletters Podcasts Crossword Cooking Games Shop Sudzo Detergent Save Twenty Percent Today \
    Most Popular Editors Picks Trending Video Live Briefing Quiz Archive Site Map Accessibility Help Privacy Policy Careers";
const HERALD: &str = "News Local Region Nation Opinion Obituaries Classifieds Autos Homes Rentals Contact Advertise E-Edition \
    Archives Privacy Terms Copyright Reserved Buy Two Tyres Free Fitting Weekend Sale Cheap Flights Lisbon Porto Madrid \
    Read Next Sponsored Content Partner Offers Garden Furniture Solar Panels Hearing Aids Insurance Quotes Mortgage Rates";

fn page(article: &str, around: &str) -> String {
    let (head, foot) = around.split_at(around.len() / 2);
    format!("{head}\n\n{article}\n\n{foot}")
}

fn resemblance(place: &Place, pair: &str, flags: &str) -> f64 {
    let ran = place.run(&format!("compare {pair} {flags} --json"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["resemblance"]
        .as_f64()
        .unwrap()
}

#[test]
fn articles_are_compared_without_their_surroundings() {
    let place = Place::new();
    place
        .write("a.txt", page(FLOOD, TIMES))
        .write("b.txt", page(FLOOD, HERALD))
        .write("c.txt", page(MATCH, TIMES));
    let (article, around) = ("a.txt b.txt", "a.txt c.txt");
    // With all shingles, the surrounding text affects the resemblance more than the article does.
    assert!(resemblance(&place, article, "") < resemblance(&place, around, ""));
    let (same, other) = (
        resemblance(&place, article, "--anchors en"),
        resemblance(&place, around, "--anchors en"),
    );
    assert!(same > 0.8 && other < 0.1, "{same} {other}");
    // With `--anchors`, a shingle has three words by default. Adding the stop words of other languages changes the resemblance
    // little.
    assert_eq!(
        resemblance(&place, article, "--anchors en --shingle 3"),
        same
    );
    assert!(resemblance(&place, article, "--anchors en,de,fr") > 0.8);
    // The coloured passages are those of the anchored shingles, because only these shingles are compared.
    let json = place.run("compare a.txt b.txt --anchors en --json").out;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let text = page(FLOOD, TIMES);
    let shared: String = (report["passages_a"].as_array().unwrap().iter())
        .filter(|passage| passage["shared"] == true)
        .map(|passage| {
            &text[passage["start"].as_u64().unwrap() as usize
                ..passage["end"].as_u64().unwrap() as usize]
        })
        .collect();
    assert!(
        shared.contains("The river rose in the night") && !shared.contains("Politics"),
        "{shared}"
    );
}

#[test]
fn one_copy_of_each_article_is_kept() {
    let place = Place::new();
    let line =
        |id: &str, text: String| serde_json::json!({"id": id, "text": text}).to_string() + "\n";
    let lines = [
        line("flood", page(FLOOD, TIMES)),
        line("match", page(MATCH, TIMES)),
        line("flood too", page(FLOOD, HERALD)),
    ];
    place.write(
        "news.jsonl",
        lines.concat()
            + &line("advertisement", "Buy Sudzo".into())
            + &line("again", "buy sudzo!".into()),
    );
    assert!(
        place
            .run("dedup news.jsonl -o kept.jsonl")
            .err
            .contains("5 documents in = 4 kept + 1 dropped")
    );
    let err = place.run("dedup news.jsonl -o kept.jsonl --anchors en").err;
    assert!(err.contains("5 documents in = 3 kept + 2 dropped"), "{err}");
    assert!(
        err.contains("anchors  2 documents have few stop words: compared by all their shingles"),
        "{err}"
    );
    assert_eq!(
        place.read("kept.jsonl"),
        lines[..2].concat() + &line("advertisement", "Buy Sudzo".into())
    );
    let ran = place.run("eval news.jsonl --sample 5 --anchors en --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// Each note has one shingle that starts with a stop word, and this shingle is the same in all notes.
#[test]
fn short_notes_of_different_firms_are_kept() {
    let place = Place::new();
    let note = |firm: &str, dividend: &str, days: &str| {
        format!("{firm} IN PAYOUT Qtly div {dividend} prior {days} Reuter")
    };
    let notes = [
        note(
            "ATLAS STEEL CORP INCREASES",
            "44 cts vs 44 cts",
            "Pay June One Record May Eight",
        ),
        note(
            "HUDSON FOODS INC INCREASES",
            "12 cts vs 10 cts",
            "Pay April 15 Record March 30",
        ),
        note(
            "Atlas Steel Corp increases",
            "44 cts vs 44 cts",
            "Pay June One, record May Eight",
        ),
    ];
    let lines = |texts: &[String]| {
        texts
            .iter()
            .map(|text| serde_json::json!({"text": text}).to_string() + "\n")
            .collect::<String>()
    };
    place
        .write("notes.jsonl", lines(&notes))
        .write("a.txt", &notes[0])
        .write("b.txt", &notes[1]);
    let summary =
        |command: &str| serde_json::from_str::<serde_json::Value>(&place.run(command).out).unwrap();
    let deduped = summary("dedup notes.jsonl --anchors en --json");
    assert_eq!(
        (
            &deduped["dropped_exact"],
            &deduped["dropped_near"],
            &deduped["few_anchors"]
        ),
        (&1.into(), &0.into(), &3.into())
    );
    assert!(
        summary("dedup notes.jsonl --json")
            .get("few_anchors")
            .is_none()
    );
    let compared = summary("compare a.txt b.txt --anchors en --json");
    assert!(
        compared["resemblance"].as_f64().unwrap() < 0.2,
        "{compared}"
    );
    assert_eq!(compared["few_anchors"], serde_json::json!([true, true]));
    let page = place.run("compare a.txt b.txt --anchors en").out;
    assert!(
        page.contains("B has few stop words: compared by all its shingles"),
        "{page}"
    );
    assert!(
        place
            .run("pairs notes.jsonl --anchors en -o pairs.jsonl")
            .err
            .contains("anchors: 3 documents have few stop words")
    );
}

#[test]
fn texts_with_too_few_anchors_are_reported() {
    let place = Place::new();
    place.write("in.jsonl", "{\"text\": \"the rose\"}\n");
    refused(
        &place,
        "dedup in.jsonl --anchors english",
        &["\"english\"", "ISO 639-1 codes such as en, de"],
    );
    refused(
        &place,
        "dedup in.jsonl --anchors en --tokens chars",
        &["whole words", "leave out tokens of one character"],
    );
    refused(
        &place,
        "dedup in.jsonl --anchors en --fingerprint rabin",
        &["leave out Rabin's fingerprints"],
    );
}

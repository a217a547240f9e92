//! Shingles that begin with stop words: articles among menus and advertisements.

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
    serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["resemblance"].as_f64().unwrap()
}

#[test]
fn articles_count_and_what_is_around_them_does_not() {
    let place = Place::new();
    place.write("a.txt", page(FLOOD, TIMES)).write("b.txt", page(FLOOD, HERALD)).write("c.txt", page(MATCH, TIMES));
    let (article, around) = ("a.txt b.txt", "a.txt c.txt");
    // By all shingles what is around decides.
    assert!(resemblance(&place, article, "") < resemblance(&place, around, ""));
    let (same, other) = (resemblance(&place, article, "--anchors en"), resemblance(&place, around, "--anchors en"));
    assert!(same > 0.8 && other < 0.1, "{same} {other}");
    // Three words unless it is said; a language more changes little.
    assert_eq!(resemblance(&place, article, "--anchors en --shingle 3"), same);
    assert!(resemblance(&place, article, "--anchors en,de,fr") > 0.8);
    // Colours show the shingles that count.
    let json = place.run("compare a.txt b.txt --anchors en --json").out;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let text = page(FLOOD, TIMES);
    let shared: String = (report["passages_a"].as_array().unwrap().iter())
        .filter(|passage| passage["shared"] == true)
        .map(|passage| &text[passage["start"].as_u64().unwrap() as usize..passage["end"].as_u64().unwrap() as usize])
        .collect();
    assert!(shared.contains("The river rose in the night") && !shared.contains("Politics"), "{shared}");
}

#[test]
fn one_of_each_article_stays() {
    let place = Place::new();
    let line = |id: &str, text: String| serde_json::json!({"id": id, "text": text}).to_string() + "\n";
    let lines = [line("flood", page(FLOOD, TIMES)), line("match", page(MATCH, TIMES)), line("flood too", page(FLOOD, HERALD))];
    place.write("news.jsonl", lines.concat() + &line("advertisement", "Buy Sudzo".into()) + &line("again", "buy sudzo!".into()));
    assert!(place.run("dedup news.jsonl -o kept.jsonl").err.contains("5 documents in = 4 kept + 1 dropped"));
    assert!(place.run("dedup news.jsonl -o kept.jsonl --anchors en").err.contains("5 documents in = 3 kept + 2 dropped"));
    assert_eq!(place.read("kept.jsonl"), lines[..2].concat() + &line("advertisement", "Buy Sudzo".into()));
    let ran = place.run("eval news.jsonl --sample 5 --anchors en --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_cannot_be_anchored_is_told() {
    let place = Place::new();
    place.write("in.jsonl", "{\"text\": \"the rose\"}\n");
    refused(&place, "dedup in.jsonl --anchors english", &["\"english\"", "ISO 639-1 codes such as en, de"]);
    refused(&place, "dedup in.jsonl --anchors en --tokens chars", &["whole words", "leave out tokens of one character"]);
    refused(&place, "dedup in.jsonl --anchors en --fingerprint rabin", &["leave out Rabin's fingerprints"]);
}

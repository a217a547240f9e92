//! Measures how well several extractors find the main text of HTML pages. Input is JSON Lines with `id`, `text` (the page) and
//! `expected_html` (the gold standard for its main part). Texts are compared as multisets of words, and all extractors process
//! each page in turn.
//!
//! Prints one JSON object per line: the results for an extractor or, with `--pages`, for an extractor and a page.

use std::{
    collections::HashMap,
    hint::black_box,
    io::{self, BufRead},
    panic, process,
    time::Instant,
};

use dom_query::{Document, NodeRef};
use lookalike_engine::{Extractor, Html};

type Extract = fn(&str) -> Option<String>;

const EXTRACTORS: [(&str, Extract); 12] = [
    ("lookalike, main", |page| Some(ours(page, Html::Main))),
    ("lookalike, text", |page| Some(ours(page, Html::Text))),
    ("dom_smoothie 0.19", |page| {
        smoothie(page, dom_smoothie::Config::default())
    }),
    ("dom_smoothie 0.19, its own candidates", |page| {
        let candidate_select_mode = dom_smoothie::CandidateSelectMode::DomSmoothie;
        smoothie(
            page,
            dom_smoothie::Config {
                candidate_select_mode,
                ..dom_smoothie::Config::default()
            },
        )
    }),
    ("dom_smoothie 0.19, no metadata of JSON-LD", |page| {
        smoothie(
            page,
            dom_smoothie::Config {
                disable_json_ld: true,
                ..dom_smoothie::Config::default()
            },
        )
    }),
    ("legible 0.5", |page| {
        Some(text_of(&legible::parse(page, None, None).ok()?.content))
    }),
    ("libreadability 0.3", |page| {
        Some(text_of(&libreadability::extract(page, None).ok()?.content))
    }),
    ("readabilityrs 0.1", |page| {
        Some(text_of(
            &readabilityrs::Readability::new(page, None, None)
                .ok()?
                .parse()?
                .content?,
        ))
    }),
    ("trafilatura 0.6", |page| {
        Some(
            trafilatura::extract(
                page,
                &trafilatura::Options::default().with_exclude_comments(true),
            )
            .ok()?
            .content_text,
        )
    }),
    ("trafilatura 0.6, no fallback", |page| {
        let options = trafilatura::Options::default()
            .with_exclude_comments(true)
            .with_fallback(false);
        Some(trafilatura::extract(page, &options).ok()?.content_text)
    }),
    ("rs-trafilatura 0.2", |page| {
        Some(rs_trafilatura::extract(page).ok()?.content_text)
    }),
    ("all text", |page| Some(text_of(page))),
];

fn ours(page: &str, mode: Html) -> String {
    Extractor::new(mode)
        .extract(page.as_bytes(), Some("utf-8"), &mut String::new())
        .to_owned()
}

fn smoothie(page: &str, config: dom_smoothie::Config) -> Option<String> {
    let article = dom_smoothie::Readability::new(page, None, Some(config))
        .ok()?
        .parse()
        .ok()?;
    Some(text_of(&article.content))
}

/// Returns the text of an HTML document; every element that is not inline separates words.
fn text_of(html: &str) -> String {
    const INLINE: &[&str] = &[
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
        "em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small",
        "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    ];
    const HIDDEN: &[&str] = &["head", "script", "style", "noscript", "template"];
    fn walk(node: &NodeRef, into: &mut String) {
        for child in node.children() {
            if child.is_text() {
                into.push_str(&child.text());
            } else if let Some(name) = child.node_name() {
                if HIDDEN.contains(&&*name) {
                    continue;
                }
                let apart = !INLINE.contains(&&*name);
                into.push_str(if apart { "\n" } else { "" });
                walk(&child, into);
                into.push_str(if apart { "\n" } else { "" });
            }
        }
    }
    let mut text = String::new();
    walk(&Document::from(html).root(), &mut text);
    text
}

/// Counts the occurrences of each word. A word is a maximal run of letters and digits, in lower case.
fn words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    counts
}

/// Returns precision, recall and F1. The precision is 1 if the extractor returned nothing.
fn judge(given: &str, gold: &str) -> [f64; 3] {
    let (given, gold) = (words(given), words(gold));
    let shared: usize = given
        .iter()
        .map(|(word, &count)| count.min(gold.get(word).copied().unwrap_or(0)))
        .sum();
    let [of_given, of_gold] = [given, gold].map(|words| words.values().sum::<usize>());
    let share = |of: usize| {
        if of == 0 {
            1.0
        } else {
            shared as f64 / of as f64
        }
    };
    [
        share(of_given),
        share(of_gold),
        2.0 * shared as f64 / ((of_given + of_gold) as f64).max(1.0),
    ]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Returns pages of about a megabyte each that are designed to slow down or break an extractor.
fn hostile() -> Vec<(&'static str, String)> {
    let page = |begin: &str, count: usize, piece: fn(usize) -> String| {
        begin
            .chars()
            .map(String::from)
            .chain((0..count).map(piece))
            .collect()
    };
    vec![
        ("divs in divs", page("", 200_000, |_| "<div>".into())),
        (
            "divs in divs, text in each",
            page("", 20_000, |i| {
                format!("<div>some words, in a sentence, number {i}.")
            }),
        ),
        (
            "a million divs in divs",
            page("", 1_000_000, |_| "<div>".into()),
        ),
        ("bold in bold in paragraphs", {
            let open: String = (0..20_000).map(|i| format!("<b id={i}>")).collect();
            format!("<p>{open}{}", "<p>x".repeat(20_000))
        }),
        (
            "links never closed",
            page("", 50_000, |i| format!("<a href={i}><p>words, more")),
        ),
        (
            "tables in tables",
            page("", 40_000, |_| "<table><tr><td>a".into()),
        ),
        (
            "attributes of one element",
            page("<p ", 150_000, |i| format!("a{i} ")),
        ),
        (
            "paragraphs beside paragraphs",
            page("", 20_000, |i| {
                format!("<p>some words, in a sentence, number {i}.</p>")
            }),
        ),
        ("breaks", page("<div>", 200_000, |_| "a<br>".into())),
        (
            "spans beside spans",
            page("<div>", 60_000, |_| "<span>word</span> ".into()),
        ),
        (
            "items never closed",
            page("<ul>", 100_000, |_| "<li>word".into()),
        ),
        ("list in list", page("", 100_000, |_| "<ul><li>".into())),
        (
            "fonts",
            page("", 60_000, |_| "<font size=1>a</font>".into()),
        ),
        ("headings", page("", 60_000, |i| format!("<h2>{i}, a</h2>"))),
        ("no tag", "word ".repeat(200_000)),
        ("nothing but <", "<".repeat(1_000_000)),
        ("references", "&amp;&notin".repeat(100_000)),
        ("comments never closed", "<!--".repeat(250_000)),
        ("images", page("", 50_000, |i| format!("<img src={i}.png>"))),
        (
            "divs of one paragraph",
            page("", 30_000, |i| {
                format!("<div><p>some words, in {i}</p></div>")
            }),
        ),
    ]
}

/// Runs each extractor on each hostile page, in a separate process with a time limit of five seconds.
fn withstand() {
    let program = std::env::current_exe().expect("a program");
    for which in HOSTILE_RUNS {
        for (number, (name, page)) in hostile().iter().enumerate() {
            let start = Instant::now();
            let mut child = process::Command::new("sh")
                .args([
                    "-c",
                    "ulimit -v 8000000; exec timeout 5 \"$@\" 2>/dev/null",
                    "sh",
                ])
                .arg(&program)
                .args(["--hostile", &which.to_string(), &number.to_string()])
                .spawn()
                .expect("a process");
            let status = child.wait().expect("an end");
            let ended = match status.code() {
                Some(0) => "well",
                Some(101) => "by a panic",
                Some(124) => "after 5 seconds, by force",
                _ => "by a crash",
            };
            let seconds = rounded(start.elapsed().as_secs_f64());
            println!(
                "{}",
                serde_json::json!({ "extractor": EXTRACTORS[which].0, "hostile": name, "bytes": page.len(), "ended": ended, "seconds": seconds })
            );
        }
    }
}

/// The indices of the extractors that are run on the hostile pages. The other extractors are not worth considering.
const HOSTILE_RUNS: [usize; 4] = [0, 2, 5, 8];

#[derive(serde::Deserialize)]
struct Page {
    id: String,
    text: String,
    expected_html: String,
}

#[derive(Default)]
struct Figures {
    scores: [Vec<f64>; 3],
    nothing: usize,
    panics: usize,
    /// The time of the fastest run on each page, summed over all pages, in seconds.
    seconds: f64,
    slowest: f64,
    digest: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--hostile"] => return withstand(),
        ["--hostile", which, number] => {
            let [which, number] =
                [which, number].map(|number| number.parse::<usize>().expect("a number"));
            black_box(EXTRACTORS[which].1(&hostile()[number].1));
            return;
        }
        _ => {}
    }
    panic::set_hook(Box::new(|_| {}));
    let each_page = arguments.iter().any(|argument| argument == "--pages");
    let pages: Vec<Page> = io::stdin()
        .lock()
        .lines()
        .map(|line| serde_json::from_str(&line.expect("a line")).expect("a page"))
        .collect();
    let mut figures: [Figures; EXTRACTORS.len()] = Default::default();
    for page in &pages {
        let gold = text_of(&page.expected_html);
        for ((name, extract), figures) in EXTRACTORS.iter().zip(&mut figures) {
            let mut fastest = f64::INFINITY;
            let mut given = Ok(None);
            for _ in 0..3 {
                let start = Instant::now();
                given = panic::catch_unwind(|| black_box(extract(&page.text)));
                fastest = fastest.min(start.elapsed().as_secs_f64());
            }
            figures.seconds += fastest;
            figures.slowest = figures.slowest.max(fastest);
            figures.panics += usize::from(given.is_err());
            let given = given.unwrap_or_default().unwrap_or_default();
            figures.nothing += usize::from(given.trim().is_empty());
            let scores = judge(&given, &gold);
            for (all, score) in figures.scores.iter_mut().zip(scores) {
                all.push(score);
            }
            // FNV-1a: if two runs have different digests, they extracted different texts.
            figures.digest = given
                .bytes()
                .fold(figures.digest ^ 0xcbf2_9ce4_8422_2325, |digest, byte| {
                    (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
            if each_page {
                println!(
                    "{}",
                    serde_json::json!({ "page": page.id, "extractor": name, "scores": scores.map(rounded) })
                );
            }
        }
    }
    let megabytes = pages.iter().map(|page| page.text.len()).sum::<usize>() as f64 / 1e6;
    for (
        (name, _),
        Figures {
            scores,
            nothing,
            panics,
            seconds,
            slowest,
            digest,
        },
    ) in EXTRACTORS.iter().zip(figures)
    {
        let [precision, recall, f1] = scores.map(|all| [rounded(mean(&all)), rounded(median(all))]);
        let figures = serde_json::json!({
            "extractor": name,
            "pages": pages.len(),
            "precision": { "mean": precision[0], "median": precision[1] },
            "recall": { "mean": recall[0], "median": recall[1] },
            "f1": { "mean": f1[0], "median": f1[1] },
            "nothing": nothing,
            "panics": panics,
            "megabytes_per_second": rounded(megabytes / seconds),
            "slowest_page_seconds": rounded(slowest),
            "digest": format!("{digest:016x}"),
        });
        println!("{figures}");
    }
}

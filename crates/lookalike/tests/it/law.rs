//! Tests the law (the rule in `docs/how.md` that decides which documents are kept) as properties. On every small collection, the
//! fast in-memory implementation makes the same decisions as the naive implementation in `twin`, and the properties that follow
//! from the law hold. The collections have many near copies, chains, copies of dropped documents, and short and empty texts.

use crate::twin::Twin;
use lookalike::{
    Bands, Candidates, Cluster, Config, Doc, Features, FingerprintBy, GreedyBy, Method,
    Occurrences, Permutations, Reason, SentencesBy, Shared, SimHashBy, Verify,
    cluster::Representative,
    decide,
    fingerprint::DigestBy,
    sketch::Modulus,
    text::{Folds, TokensBy},
    verify::Measure,
};
use proptest::prelude::*;

/// Generates texts, many of which are edits of earlier edits. Each text is new, or an earlier text with a word changed, added or
/// removed, or a copy of an earlier text. Every third text is in capitals, with other separators.
fn collection() -> impl Strategy<Value = Vec<String>> {
    let step = (any::<prop::sample::Index>(), 0u8..8, any::<u16>());
    prop::collection::vec(step, 1..40).prop_map(|steps| {
        let mut texts: Vec<Vec<String>> = Vec::new();
        let word = |n: usize| match n {
            n if n.is_multiple_of(5) => "漢字".to_string(),
            n if n.is_multiple_of(3) => ["the", "of", "a"][n % 7 % 3].to_string(),
            n => format!("w{}", n % 50),
        };
        for (from, kind, number) in steps {
            let number = usize::from(number);
            let mut words = if texts.is_empty() {
                Vec::new()
            } else {
                texts[from.index(texts.len())].clone()
            };
            let at = if words.is_empty() {
                0
            } else {
                number % words.len()
            };
            match kind {
                // Some texts are long enough to be compared only by the shingles that begin with a stop word.
                0 => {
                    words = (0..number % if number % 8 == 7 { 120 } else { 30 })
                        .map(|i| word(number / 7 + i * i))
                        .collect()
                }
                1 | 2 if !words.is_empty() => words[at] = word(number),
                3 => words.insert(at, word(number)),
                4 if !words.is_empty() => {
                    words.remove(at);
                }
                5 => words.push(word(number)),
                _ => {}
            }
            texts.push(words);
        }
        // Each line has four words.
        let style = |(i, words): (usize, &Vec<String>)| {
            let lines: Vec<String> = words
                .chunks(4)
                .map(|line| line.join(if i % 3 == 0 { ", " } else { " " }))
                .collect();
            if i % 3 == 0 {
                lines.join("\r\n").to_uppercase()
            } else {
                lines.join("\n")
            }
        };
        texts.iter().enumerate().map(style).collect()
    })
}

fn config() -> impl Strategy<Value = Config> {
    let threshold = prop::sample::select(vec![0.3, 0.5, 0.7, 0.8, 0.9, 1.0]);
    let tokens = prop::sample::select(vec![
        TokensBy::Auto,
        TokensBy::Words,
        TokensBy::Chars,
        TokensBy::Lines,
    ]);
    let occurrences = prop::sample::select(vec![Occurrences::Once, Occurrences::Labelled]);
    // Words here have at most eight bytes, so the units of Rabin's fingerprint (pieces of tokens of up to eight bytes) are the
    // tokens.
    let fingerprint = prop::sample::select(vec![
        FingerprintBy::Rolling,
        FingerprintBy::Rabin { degree: 61 },
    ]);
    let folds = any::<(bool, bool, bool)>().prop_map(|(accents, marks, digits)| Folds {
        accents,
        marks,
        digits,
        ..Folds::default()
    });
    let anchored = prop::bool::weighted(if cfg!(feature = "stop-words") {
        0.2
    } else {
        0.0
    });
    (
        threshold,
        (tokens, folds),
        (occurrences, fingerprint),
        (1usize..6, anchored),
        finding(),
        0u64..4,
    )
        .prop_map(
            |(
                threshold,
                (tokens, folds),
                (occurrences, fingerprint),
                (shingle, anchored),
                (candidates, measure, recall),
                seed,
            )| {
                // A line has several words, so it is longer than a unit of Rabin's fingerprint.
                let fingerprint = if tokens == TokensBy::Lines {
                    FingerprintBy::Rolling
                } else {
                    fingerprint
                };
                Config {
                    // Super-shingles require texts of about the same size.
                    threshold: if matches!(
                        candidates,
                        Candidates::Shared(Shared {
                            super_shingles: true,
                            ..
                        })
                    ) {
                        f64::max(threshold, 0.5)
                    } else {
                        threshold
                    },
                    tokens,
                    folds,
                    occurrences,
                    fingerprint,
                    shingle: Some(shingle),
                    anchors: match fingerprint {
                        FingerprintBy::Rolling
                            if anchored && !matches!(tokens, TokensBy::Chars | TokensBy::Lines) =>
                        {
                            vec!["en".parse().unwrap()]
                        }
                        _ => Vec::new(),
                    },
                    min_containment: (measure == Measure::Resemblance && seed == 3).then_some(0.9),
                    candidates,
                    measure,
                    recall,
                    seed,
                    // The naive implementation in `twin` measures sets; the estimates of sketches are tested separately.
                    verify: Some(Verify::Exact),
                    ..Config::default()
                }
            },
        )
}

/// Kinds of candidates, each with a measure that it supports and a recall that it guarantees.
fn finding() -> impl Strategy<Value = (Candidates, Measure, f64)> {
    // With a low recall and few bands, many matches are not candidates: the law must be valid for the candidates that are found.
    let bands = |bands, rows| {
        Candidates::Bands(Bands {
            bands: Some(bands),
            rows: Some(rows),
            ..Bands::default()
        })
    };
    let permutations = Candidates::Bands(Bands {
        permutations: Permutations::Many,
        ..Bands::default()
    });
    let shared = |modulus, common| {
        Candidates::Shared(Shared {
            modulus,
            common,
            ..Shared::default()
        })
    };
    let simhash = |distance, blocks, features| {
        Candidates::SimHash(SimHashBy {
            distance,
            blocks,
            features,
            ..SimHashBy::default()
        })
    };
    prop::sample::select(vec![
        (Candidates::default(), Measure::Resemblance, 0.99),
        (permutations, Measure::Resemblance, 0.99),
        (bands(4, 2), Measure::Resemblance, 1e-9),
        (bands(2, 8), Measure::Resemblance, 1e-9),
        (bands(40, 1), Measure::Resemblance, 1e-9),
        (shared(None, 1000), Measure::Resemblance, 0.99),
        (
            shared(Some(Modulus::Fixed { level: 1 }), 5),
            Measure::Resemblance,
            1e-9,
        ),
        // With these settings, the samples of small texts are on several levels.
        (
            shared(Some(Modulus::Growing { least: 3 }), 1000),
            Measure::Resemblance,
            1e-9,
        ),
        (
            shared(Some(Modulus::Growing { least: 4 }), 4),
            Measure::Resemblance,
            0.5,
        ),
        (shared(None, 1000), Measure::Containment, 0.99),
        (
            shared(Some(Modulus::Fixed { level: 0 }), 4),
            Measure::Containment,
            1e-9,
        ),
        (
            shared(Some(Modulus::Capped { least: 3, level: 2 }), 6),
            Measure::Containment,
            1e-9,
        ),
        (
            Candidates::Shared(Shared {
                super_shingles: true,
                ..Shared::default()
            }),
            Measure::Resemblance,
            0.99,
        ),
        (
            simhash(None, None, Features::Shingles),
            Measure::Resemblance,
            0.99,
        ),
        (
            simhash(Some(3), Some(6), Features::Tokens),
            Measure::Resemblance,
            0.99,
        ),
        (
            Candidates::Sentences(SentencesBy::default()),
            Measure::Resemblance,
            0.99,
        ),
        (
            Candidates::Sentences(SentencesBy {
                longest: 1,
                digest: DigestBy::Md5,
            }),
            Measure::Containment,
            0.99,
        ),
        (Candidates::Exact, Measure::Resemblance, 0.99),
        (Candidates::All, Measure::Resemblance, 0.99),
        (Candidates::All, Measure::Containment, 0.99),
    ])
}

/// Generates the collections of [`collection`], with each text converted to a set. The words become items. Some items are
/// repeated, and some are numbers in several forms. Every third set has its items in reverse order, so the order of items differs
/// between some copies.
fn sets() -> impl Strategy<Value = Vec<String>> {
    collection().prop_map(|texts| {
        let item = |(at, word): (usize, &str)| match word
            .to_lowercase()
            .strip_prefix('w')
            .and_then(|n| n.parse::<u32>().ok())
        {
            Some(n) if n % 2 == 0 => format!("\"{n}\""),
            Some(n) if at % 3 == 0 => format!("{n}.0"),
            Some(n) => n.to_string(),
            None => format!("\"{}\"", word.to_lowercase()),
        };
        let set = |text: &String| {
            let mut items: Vec<String> = text
                .split([' ', ',', '\r', '\n'])
                .filter(|word| !word.is_empty())
                .enumerate()
                .map(item)
                .collect();
            if text.contains(',') {
                items.reverse();
            }
            format!("[{}]", items.join(", "))
        };
        texts.iter().map(set).collect()
    })
}

fn config_of_sets() -> impl Strategy<Value = Config> {
    config().prop_map(|config| Config {
        tokens: TokensBy::Items,
        folds: Folds::default(),
        shingle: None,
        anchors: Vec::new(),
        fingerprint: FingerprintBy::Rolling,
        candidates: match config.candidates {
            Candidates::Sentences(_) => Candidates::All,
            candidates => candidates,
        },
        ..config
    })
}

fn docs<'a>(texts: &'a [String], keys: &[u8]) -> Vec<Doc<'a>> {
    texts
        .iter()
        .zip(keys.iter().cycle())
        .map(|(text, &key)| Doc {
            text,
            key: u64::from(key % 4),
        })
        .collect()
}

fn order(docs: &[Doc]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..docs.len()).collect();
    order.sort_by_key(|&d| (u64::MAX - docs[d].key, d));
    order
}

fn twin_of(docs: &[Doc], config: &Config) -> Twin {
    let texts: Vec<&str> = docs.iter().map(|doc| doc.text).collect();
    Twin::new(&texts, &Method::new(config.clone()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(1500)))]

    #[test]
    fn the_fast_method_agrees_with_the_naive_one(texts in collection(), keys in prop::collection::vec(any::<u8>(), 1..9), config in config()) {
        let docs = docs(&texts, &keys);
        let expected = twin_of(&docs, &config).law(&order(&docs), config.threshold);
        let found: Vec<_> = decide(&docs, config).unwrap().iter().map(|d| d.representative.zip(d.similarity)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn components_agree_with_the_naive_ones(texts in collection(), keys in prop::collection::vec(any::<u8>(), 1..9), config in config()) {
        let (docs, config) = (docs(&texts, &keys), Config { min_containment: None, ..config });
        let expected = twin_of(&docs, &config).components(&order(&docs), config.threshold);
        let decisions = decide(&docs, Config { cluster: Cluster::Components, ..config }).unwrap();
        let found: Vec<_> = decisions.iter().enumerate().map(|(d, decision)| decision.representative.unwrap_or(d)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn law_1_every_dropped_document_names_a_kept_one_at_the_threshold(texts in collection(), config in config()) {
        let docs = docs(&texts, &[0]);
        let twin = twin_of(&docs, &config);
        let decisions = decide(&docs, config.clone()).unwrap();
        for (d, decision) in decisions.iter().enumerate() {
            if let Some(r) = decision.representative {
                prop_assert!(decisions[r].is_kept());
                prop_assert_eq!(decision.similarity, Some(twin.similarity(d, r)));
                prop_assert!(twin.similarity(d, r) >= config.threshold);
            }
        }
    }

    #[test]
    fn law_2_no_two_kept_candidates_are_similar(texts in collection(), config in config()) {
        let docs = docs(&texts, &[0]);
        let twin = twin_of(&docs, &config);
        let decisions = decide(&docs, config.clone()).unwrap();
        let kept: Vec<usize> = (0..docs.len()).filter(|&d| decisions[d].is_kept()).collect();
        for (i, &a) in kept.iter().enumerate() {
            for &b in &kept[i + 1..] {
                prop_assert!(!twin.is_candidate(a, b) || twin.similarity(b, a) < config.threshold);
            }
        }
    }

    #[test]
    fn law_3_the_kept_are_the_first_maximal_independent_set(texts in collection(), config in config()) {
        let docs = docs(&texts, &[0]);
        let twin = twin_of(&docs, &config);
        let decisions = decide(&docs, config.clone()).unwrap();
        // A document is kept if and only if it matches no earlier kept document. This rule defines the lexicographically first
        // maximal independent set.
        for (d, decision) in decisions.iter().enumerate() {
            let held_back = (0..d).any(|k| decisions[k].is_kept() && twin.is_candidate(d, k) && twin.similarity(d, k) >= config.threshold);
            prop_assert_eq!(decision.is_kept(), !held_back);
        }
    }

    #[test]
    fn law_5_all_are_counted_and_empty_texts_are_kept(texts in collection(), config in config()) {
        let docs = docs(&texts, &[0]);
        let twin = twin_of(&docs, &config);
        let near = if config.measure == Measure::Containment { Reason::Contained } else { Reason::Near };
        let decisions = decide(&docs, config).unwrap();
        prop_assert_eq!(decisions.len(), docs.len());
        for (d, decision) in decisions.iter().enumerate() {
            prop_assert_eq!(decision.reason == Reason::Empty, twin.is_empty(d));
            let group = decision.representative.unwrap_or(d);
            let size = decisions.iter().enumerate().filter(|(e, other)| other.representative.unwrap_or(*e) == group).count();
            prop_assert_eq!(decision.cluster_size, size);
            let expected = match decision.representative {
                None if twin.is_empty(d) => Reason::Empty,
                None if size == 1 => Reason::Unique,
                None => Reason::Representative,
                Some(r) if twin.are_the_same(d, r) => Reason::Exact,
                Some(_) => near,
            };
            prop_assert_eq!(decision.reason, expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(1000)))]

    #[test]
    fn sets_obey_the_law(sets in sets(), keys in prop::collection::vec(any::<u8>(), 1..9), config in config_of_sets()) {
        let docs = docs(&sets, &keys);
        let twin = twin_of(&docs, &config);
        let decisions = decide(&docs, config.clone()).unwrap();
        let found: Vec<_> = decisions.iter().map(|d| d.representative.zip(d.similarity)).collect();
        prop_assert_eq!(found, twin.law(&order(&docs), config.threshold));
        for (d, decision) in decisions.iter().enumerate() {
            prop_assert_eq!(decision.reason == Reason::Empty, twin.is_empty(d));
            let exact = decision.representative.is_some_and(|r| twin.are_the_same(d, r));
            prop_assert_eq!(decision.reason == Reason::Exact, exact);
        }
        let symmetric = Config { min_containment: None, ..config.clone() };
        let components = decide(&docs, Config { cluster: Cluster::Components, ..symmetric.clone() }).unwrap();
        let groups: Vec<_> = components.iter().enumerate().map(|(d, decision)| decision.representative.unwrap_or(d)).collect();
        prop_assert_eq!(groups, twin_of(&docs, &symmetric).components(&order(&docs), config.threshold));
    }
}

proptest! {
    /// The clustering of sketches is tested in its own module. This test checks that the clusters become correct decisions.
    #[test]
    fn greedy_clusters_keep_their_first_and_lose_nothing(texts in collection(), keys in prop::collection::vec(any::<u8>(), 1..9), popular: bool, threshold in 0.3f64..1.0) {
        let docs = docs(&texts, &keys);
        let representative = if popular { Representative::Popular } else { Representative::FirstMember };
        let config = Config { threshold, cluster: Cluster::Greedy(GreedyBy { representative, sample: 16 }), ..Config::default() };
        let twin = twin_of(&docs, &Config { threshold, ..Config::default() });
        let decisions = decide(&docs, config).unwrap();
        let order = order(&docs);
        let rank = |d: usize| order.iter().position(|&o| o == d);
        for (d, decision) in decisions.iter().enumerate() {
            prop_assert_eq!(decision.reason == Reason::Empty, twin.is_empty(d));
            if let Some(r) = decision.representative {
                prop_assert!(decisions[r].is_kept() && rank(r) < rank(d));
                prop_assert_eq!(decision.similarity, Some(twin.similarity(d, r)));
            }
            // Copies must be in one group.
            let copy = (0..docs.len()).find(|&e| !twin.is_empty(d) && docs[e].text == docs[d].text).unwrap_or(d);
            prop_assert_eq!(decision.representative.unwrap_or(d), decisions[copy].representative.unwrap_or(copy));
        }
    }
}

#[test]
fn a_chain_does_not_join_its_ends() {
    // Each text has 41 words. In the second text the first five words are changed, in the third the first ten, and so on.
    // Neighbours resemble each other by at least 28/46, texts two steps apart by at most 27/47, and the two ends hardly at all.
    let text = |changed: usize| {
        (0..41)
            .map(|i| {
                if i < changed * 5 {
                    format!("x{i} ")
                } else {
                    format!("y{i} ")
                }
            })
            .collect::<String>()
    };
    let texts: Vec<String> = (0..9).map(text).collect();
    let docs = docs(&texts, &[0]);
    let law = decide(
        &docs,
        Config {
            threshold: 0.6,
            ..Config::default()
        },
    )
    .unwrap();
    assert_eq!(
        law.iter().filter(|d| d.is_kept()).count(),
        5,
        "every second link is kept"
    );
    let components = decide(
        &docs,
        Config {
            threshold: 0.6,
            cluster: Cluster::Components,
            ..Config::default()
        },
    )
    .unwrap();
    assert_eq!(
        components.iter().filter(|d| d.is_kept()).count(),
        1,
        "one giant cluster"
    );
    assert!(components[8].similarity.unwrap() < 0.1);
}

#[test]
fn a_copy_of_a_dropped_text_may_have_a_better_representative() {
    let words = |range: std::ops::Range<u32>| range.map(|i| format!("w{i} ")).collect::<String>();
    // `b` is dropped because it is similar to `a` (they share 36 of 46 shingles). `c` is kept, and it comes between `b` and the
    // copy of `b`. With `c`, the copy shares 40 of 46 shingles, which is more than with `a`.
    let (a, b, c) = (words(0..44), words(4..50), words(6..54));
    let texts = [&*a, &*b, &*c, &*b];
    let decisions = decide(
        &texts.map(Doc::from),
        Config {
            threshold: 0.75,
            ..Config::default()
        },
    )
    .unwrap();
    let representatives: Vec<_> = decisions.iter().map(|d| d.representative).collect();
    assert_eq!(representatives, [None, Some(0), None, Some(2)]);
}

#[test]
fn short_and_empty_texts_are_not_accidental_duplicates() {
    let texts = ["", "", "...", "a", "b", "a!", "a b", "👍", "👎"];
    let decisions = decide(&texts.map(Doc::from), Config::default()).unwrap();
    let dropped: Vec<usize> = (0..texts.len())
        .filter(|&d| !decisions[d].is_kept())
        .collect();
    assert_eq!(dropped, [5]);
    assert_eq!(decisions[5].reason, Reason::Exact);
}

#[test]
fn invalid_sets_are_empty_and_kept() {
    let texts = [
        r#"["a", 1]"#,
        r#"[1.0, "a", "a"]"#,
        "[]",
        "[ ]",
        "[1, null]",
        "[1, null]",
        "a text",
        r#"["a", "1"]"#,
    ];
    let config = Config {
        tokens: TokensBy::Items,
        ..Config::default()
    };
    let reasons: Vec<_> = decide(&texts.map(Doc::from), config)
        .unwrap()
        .iter()
        .map(|d| d.reason)
        .collect();
    use Reason::{Empty, Exact, Representative, Unique};
    assert_eq!(
        reasons,
        [
            Representative,
            Exact,
            Empty,
            Empty,
            Empty,
            Empty,
            Empty,
            Unique
        ]
    );
}

#[test]
fn text_options_are_refused_for_sets() {
    let items = Config {
        tokens: TokensBy::Items,
        ..Config::default()
    };
    assert_eq!(
        (
            items.k(),
            Method::new(items.clone()).unwrap().shingling().k()
        ),
        (1, 1)
    );
    assert!(
        Method::new(Config {
            shingle: Some(1),
            ..items.clone()
        })
        .is_ok()
    );
    for (config, what) in [
        (
            Config {
                shingle: Some(2),
                ..items.clone()
            },
            "leave out shingles of several items",
        ),
        (
            Config {
                folds: Folds {
                    digits: true,
                    ..Folds::default()
                },
                ..items.clone()
            },
            "leave out the folds",
        ),
        (
            Config {
                fingerprint: FingerprintBy::Rabin { degree: 64 },
                ..items.clone()
            },
            "leave out Rabin's fingerprints",
        ),
        (
            Config {
                candidates: Candidates::Sentences(SentencesBy::default()),
                ..items.clone()
            },
            "leave out the sentences",
        ),
    ] {
        let refusal = Method::new(config).unwrap_err().to_string();
        assert!(refusal.contains(what), "{refusal}");
    }
}

#[test]
fn estimates_and_unverified_candidates_only_on_request() {
    let words = |range: std::ops::Range<u32>| range.map(|i| format!("w{i} ")).collect::<String>();
    let texts = [words(0..200), words(10..200), words(60..260)];
    let docs: Vec<Doc> = texts.iter().map(|text| Doc::from(text.as_str())).collect();
    let sketched = decide(
        &docs,
        Config {
            verify: Some(Verify::Sketch),
            ..Config::default()
        },
    )
    .unwrap();
    assert_eq!(sketched[1].representative, Some(0));
    assert!(
        (sketched[1].similarity.unwrap() - 186.0 / 196.0).abs() < 0.08
            && sketched[1].overlap.is_none()
    );
    let unverified = decide(
        &docs,
        Config {
            verify: Some(Verify::None),
            threshold: 0.5,
            ..Config::default()
        },
    )
    .unwrap();
    assert_eq!(
        (unverified[2].representative, unverified[2].similarity),
        (Some(0), None)
    );
}

//! The engine must make the same decisions as the crate `lookalike`, which decides in memory and is itself checked against a
//! naive implementation. This must hold for any number of threads, any compression and any way of splitting the input into files,
//! and for real collections.

use std::{
    fs,
    io::Write,
    num::NonZeroUsize,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use lookalike::{
    Bands, Candidates, Cluster, Config, Doc, GreedyBy, Occurrences, Permutations, SentencesBy,
    Shared, SimHashBy, Verify,
    cluster::{Keep, Representative, UnionFind},
    decide as in_memory,
    sketch::{Modulus, Width},
    verify::Measure,
};
use lookalike_engine::{
    ErrorKind, Outputs, Progress, Resume, RunConfig, Stage, Summary, UNOBSERVED, dedup, pairs,
};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// Greedy clusters, with sketches that are so small that they make errors.
const GREEDY: Cluster = Cluster::Greedy(GreedyBy {
    representative: Representative::Popular,
    sample: 12,
});

struct Answer {
    summary: Summary,
    kept: Vec<u8>,
    decisions: Vec<u8>,
}

fn run(config: &RunConfig, folder: &Path) -> Answer {
    let outputs = Outputs {
        kept: Some(folder.join("kept")),
        decisions: Some(folder.join("decisions")),
        ..Outputs::default()
    };
    let summary = dedup(config, &outputs, UNOBSERVED).unwrap();
    Answer {
        summary,
        kept: fs::read(folder.join("kept")).unwrap(),
        decisions: fs::read(folder.join("decisions")).unwrap(),
    }
}

fn config(inputs: &[&Path]) -> RunConfig {
    RunConfig {
        inputs: inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        ..RunConfig::default()
    }
}

/// Memory limits. With a limit of 0, everything goes to temporary files.
const MEMORY: [Option<u64>; 3] = [None, Some(0), Some(1 << 16)];

/// Returns the size of blocks for a memory limit. If the limit is 0, a block has only one or two lines. With so little memory, the
/// blocks are also decided in several rounds, a few blocks at a time.
fn block(memory: Option<u64>) -> Option<usize> {
    (memory == Some(0)).then_some(512)
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

fn jsonl(texts: &[String]) -> String {
    texts
        .iter()
        .enumerate()
        .map(|(i, text)| serde_json::json!({"n": i % 7, "id": i, "text": text}).to_string() + "\n")
        .collect()
}

/// Returns the decisions file that is expected, according to the core's decisions.
fn expected(texts: &[String], keys: &[u64], config: Config) -> Vec<Value> {
    let docs: Vec<Doc> = texts
        .iter()
        .zip(keys)
        .map(|(text, &key)| Doc { text, key })
        .collect();
    let measured = config.measure;
    let decisions = in_memory(&docs, config).unwrap();
    let estimated = |measure, d: &lookalike::Decision| d.similarity.filter(|_| measure == measured);
    let line = |(id, d): (usize, &lookalike::Decision)| {
        let mut line = serde_json::json!({
            "id": id,
            "verdict": if d.is_kept() { "kept" } else { "dropped" },
            "reason": d.reason,
            "representative": d.representative,
            "resemblance": d.overlap.map(|o| o.resemblance()).or(estimated(Measure::Resemblance, d)),
            "containment": d.overlap.map(|o| o.containment()).or(estimated(Measure::Containment, d)),
            "containment_of_representative": d.overlap.map(|o| o.swapped().containment()),
            "cluster_size": d.cluster_size,
        });
        if d.overlap.is_none() && d.similarity.is_some() {
            line["estimated"] = true.into();
        }
        line
    };
    decisions.iter().enumerate().map(line).collect()
}

/// Generates texts, many of which are similar to earlier ones.
fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec((0usize..6, 0usize..40, 0usize..40, 0usize..4), 1..60).prop_map(|all| {
        all.into_iter()
            .map(|(base, cut, change, kind)| {
                let words = (0..40 - cut / 4).filter(|i| *i != change);
                let text = words.map(|i| format!("b{base}w{i} ")).collect::<String>();
                [
                    text.clone(),
                    text.to_uppercase(),
                    format!("{text} tail{change}"),
                    "  ".into(),
                ][kind]
                    .clone()
            })
            .collect()
    })
}

/// Returns the recall to request. If a modulus is given, the requested recall is nearly zero, because a modulus that does not
/// reach the requested recall is an error.
fn promised(candidates: &Candidates) -> f64 {
    if matches!(
        candidates,
        Candidates::Shared(Shared {
            modulus: Some(_),
            ..
        })
    ) {
        1e-9
    } else {
        0.99
    }
}

/// Returns ways of finding candidates, each with a measure and a kind of verification.
fn finding() -> Vec<(Candidates, Measure, Option<Verify>)> {
    let shared = |modulus, common| {
        Candidates::Shared(Shared {
            modulus,
            common,
            ..Shared::default()
        })
    };
    vec![
        (shared(None, 1000), Measure::Resemblance, None),
        (
            shared(Some(Modulus::Fixed { level: 2 }), 6),
            Measure::Resemblance,
            Some(Verify::Sketch),
        ),
        // With these samples, even small texts differ in the modulus by which their fingerprints are sampled.
        (
            shared(Some(Modulus::Growing { least: 3 }), 1000),
            Measure::Resemblance,
            None,
        ),
        (
            shared(Some(Modulus::Growing { least: 5 }), 6),
            Measure::Resemblance,
            Some(Verify::Sketch),
        ),
        (shared(None, 1000), Measure::Containment, None),
        (
            shared(Some(Modulus::Capped { least: 4, level: 2 }), 9),
            Measure::Containment,
            None,
        ),
        (
            shared(Some(Modulus::Fixed { level: 0 }), 6),
            Measure::Containment,
            Some(Verify::None),
        ),
        (
            shared(Some(Modulus::Fixed { level: 1 }), 1000),
            Measure::Containment,
            Some(Verify::Sketch),
        ),
        (
            Candidates::Shared(Shared {
                super_shingles: true,
                ..Shared::default()
            }),
            Measure::Resemblance,
            None,
        ),
        (
            Candidates::SimHash(SimHashBy::default()),
            Measure::Resemblance,
            None,
        ),
        (
            Candidates::SimHash(SimHashBy {
                bits: Width::W128,
                distance: Some(9),
                ..SimHashBy::default()
            }),
            Measure::Resemblance,
            Some(Verify::Exact),
        ),
        (
            Candidates::Sentences(SentencesBy {
                longest: 1,
                ..SentencesBy::default()
            }),
            Measure::Resemblance,
            None,
        ),
        (
            Candidates::Sentences(SentencesBy {
                longest: 1,
                ..SentencesBy::default()
            }),
            Measure::Containment,
            Some(Verify::Sketch),
        ),
        (
            Candidates::Bands(Bands {
                permutations: Permutations::Many,
                ..Bands::default()
            }),
            Measure::Resemblance,
            None,
        ),
        (Candidates::default(), Measure::Resemblance, None),
        (
            Candidates::default(),
            Measure::Resemblance,
            Some(Verify::Sketch),
        ),
        (
            Candidates::default(),
            Measure::Resemblance,
            Some(Verify::None),
        ),
        (Candidates::Exact, Measure::Resemblance, None),
        (Candidates::All, Measure::Resemblance, None),
        (Candidates::All, Measure::Containment, None),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(800)))]

    #[test]
    fn the_engine_gives_the_decisions_of_the_core(
        texts in texts(),
        threshold in prop::sample::select(vec![0.5, 0.7, 0.8, 0.9]),
        finding in prop::sample::select(finding()),
        occurrences in prop::sample::select(vec![Occurrences::Once, Occurrences::Labelled]),
        cluster in prop::sample::select(vec![Cluster::Law, Cluster::Law, Cluster::Components, GREEDY]),
        keep in prop::sample::select(vec![Keep::First, Keep::Longest, Keep::Max("n".into()), Keep::Min("n".into())]),
        threads in 1usize..4,
        memory in prop::sample::select(MEMORY.to_vec()),
    ) {
        let folder = TempDir::new().unwrap();
        let input = folder.path().join("in.jsonl");
        let records = jsonl(&texts);
        fs::write(&input, &records).unwrap();
        let (candidates, measure, verify) = if cluster == GREEDY { (Candidates::default(), Measure::Resemblance, finding.2.filter(|v| *v != Verify::None)) } else { finding };
        let recall = promised(&candidates);
        let method = Config { threshold, candidates, measure, verify, occurrences, cluster, recall, ..Config::default() };
        let config = RunConfig { method: method.clone(), keep: Some(keep.clone()), threads, memory, block: block(memory), ..config(&[&input]) };
        let answer = run(&config, folder.path());
        let keys: Vec<u64> = texts.iter().enumerate().map(|(i, text)| match keep {
            Keep::Longest => text.chars().count() as u64,
            Keep::Max(_) => i as u64 % 7,
            Keep::Min(_) => 7 - i as u64 % 7,
            _ => 0,
        }).collect();
        prop_assert_eq!(lines(&answer.decisions), expected(&texts, &keys, method));
        let kept: String = records.lines().zip(lines(&answer.decisions)).filter(|(_, d)| d["verdict"] == "kept").map(|(line, _)| format!("{line}\n")).collect();
        prop_assert_eq!(String::from_utf8(answer.kept).unwrap(), kept);
        prop_assert_eq!(answer.summary.documents, answer.summary.kept + answer.summary.dropped);
        prop_assert_eq!(answer.summary.documents, texts.len() as u64);
    }
}

/// Generates texts from two templates. Each text also has words that are not in its template. The number of these words is chosen
/// so that any two texts made from the same template have a resemblance of about `threshold`. Some texts share these additional
/// words with other texts, and some texts are copies. No text contains a word twice.
fn of_templates(threshold: f64) -> impl Strategy<Value = Vec<String>> {
    let text = (0usize..10, 20usize..40, 0.0f64..1.2, 0usize..12, 0usize..30);
    prop::collection::vec(text, 1..90).prop_map(move |all| {
        let text = |(i, &(template, words, share, shared, kind)): (
            usize,
            &(usize, usize, f64, usize, usize),
        )| {
            let template = usize::from(template == 0);
            let words = if kind % 5 == 0 { words } else { 36 };
            let own = (share * words as f64 * (1.0 - threshold) / threshold / 2.0).round() as usize;
            let contents = if kind < 6 { shared } else { 100 + i };
            let of_template = (0..words).map(|word| format!("t{template}w{word} "));
            of_template
                .chain((0..own).map(|word| format!("o{contents}w{word} ")))
                .collect::<String>()
        };
        let mut texts: Vec<String> = all.iter().enumerate().map(text).collect();
        for (i, row) in all.iter().enumerate().filter(|(_, row)| row.4 == 29) {
            texts[i] = texts[row.1 * i / 40].to_uppercase();
        }
        texts
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(500)))]

    /// The decisions must be the same whether candidates are found in an index or in buckets. The crowd size (the number of kept
    /// documents at which a bucket gets an index) is so small that indexes are made, shared and rebuilt.
    #[test]
    fn crowds_do_not_change_decisions(
        (threshold, texts) in prop::sample::select(vec![0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95]).prop_flat_map(|t| (Just(t), of_templates(t))),
        crowd in 1usize..6,
        keep in prop::sample::select(vec![Keep::First, Keep::First, Keep::Longest]),
        [threads, others] in [1usize..4, 1usize..4],
        [memory, anothers] in [prop::sample::select(MEMORY.to_vec()), prop::sample::select(MEMORY.to_vec())],
    ) {
        let folder = TempDir::new().unwrap();
        let input = folder.path().join("in.jsonl");
        let method = Config { threshold, shingle: Some(1), ..Config::default() };
        fs::write(&input, jsonl(&texts)).unwrap();
        let run = |threads, memory| {
            let config = RunConfig { method: method.clone(), keep: Some(keep.clone()), crowd, threads, memory, block: block(memory), ..config(&[&input]) };
            run(&config, folder.path())
        };
        let answer = run(threads, memory);
        let keys: Vec<u64> = texts.iter().map(|text| if keep == Keep::First { 0 } else { text.chars().count() as u64 }).collect();
        prop_assert_eq!(lines(&answer.decisions), expected(&texts, &keys, method.clone()));
        // The candidate pairs must depend only on the documents.
        let again = run(others, anothers);
        prop_assert_eq!(again.decisions, answer.decisions);
        let met = |answer: &Summary| (answer.finding.pairs_met, answer.finding.pairs_refused);
        prop_assert_eq!(met(&again.summary), met(&answer.summary));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(500)))]

    /// Lists of all pairs and connected components must also be the same whether or not large buckets have indexes. `crowd`, the
    /// size at which a bucket gets an index, is so small that indexes are made.
    #[test]
    fn large_buckets_do_not_change_pairs(
        (threshold, texts) in prop::sample::select(vec![0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95]).prop_flat_map(|t| (Just(t), of_templates(t))),
        crowd in 1usize..12,
        [threads, others] in [1usize..4, 1usize..4],
        [memory, anothers] in [prop::sample::select(vec![None, Some(0), Some(1 << 16)]), prop::sample::select(vec![None, Some(0)])],
    ) {
        let folder = TempDir::new().unwrap();
        let input = folder.path().join("in.jsonl");
        fs::write(&input, jsonl(&texts)).unwrap();
        let method = Config { threshold, shingle: Some(1), cluster: Cluster::Components, ..Config::default() };
        let with = |crowd, threads, memory| RunConfig { method: method.clone(), crowd, threads, memory, ..config(&[&input]) };
        let file = folder.path().join("pairs");
        let list = |config: &RunConfig| {
            let summary = pairs(config, Some(&file), UNOBSERVED).unwrap();
            (fs::read_to_string(&file).unwrap(), summary.finding)
        };
        let [(all, one_by_one), (found, finding), (again, of_others)] =
            [with(usize::MAX, 1, None), with(crowd, threads, memory), with(crowd, others, anothers)].map(|config| list(&config));
        prop_assert_eq!(&found, &all);
        prop_assert_eq!(&again, &all);
        let met = |finding: &lookalike_engine::Finding| (finding.pairs_met, finding.pairs_refused);
        prop_assert_eq!(met(&of_others), met(&finding));
        // Each pair is examined once, however many large buckets its documents share.
        prop_assert!(finding.pairs_met <= one_by_one.pairs_met);
        let answer = run(&with(crowd, threads, memory), folder.path());
        prop_assert_eq!(lines(&answer.decisions), expected(&texts, &vec![0; texts.len()], method.clone()));
        let again = run(&with(crowd, others, anothers), folder.path());
        prop_assert_eq!(again.decisions, answer.decisions);
        prop_assert_eq!(met(&again.summary.finding), met(&answer.summary.finding));
    }
}

/// Returns the nearest documents of each document, from the list of all pairs. They are sorted by similarity, and then by input
/// order.
fn nearest_of_all(
    pairs: &[serde_json::Value],
    documents: std::ops::Range<u64>,
    most: usize,
    measure: Measure,
) -> Vec<(u64, u64)> {
    let of = |pair: &serde_json::Value, name: &str| pair[name].as_f64().unwrap();
    let similarity = |pair: &serde_json::Value| match measure {
        Measure::Resemblance => of(pair, "resemblance"),
        Measure::Containment => of(pair, "containment_ab").max(of(pair, "containment_ba")),
    };
    let ids = |pair: &serde_json::Value| [&pair["a"], &pair["b"]].map(|id| id.as_u64().unwrap());
    documents
        .flat_map(|document| {
            let mut near: Vec<(f64, u64)> = pairs
                .iter()
                .filter_map(|pair| match ids(pair) {
                    [a, b] if a == document => Some((-similarity(pair), b)),
                    [a, b] if b == document => Some((-similarity(pair), a)),
                    _ => None,
                })
                .collect();
            near.sort_by(|a, b| a.partial_cmp(b).unwrap());
            near.into_iter()
                .take(most)
                .map(move |(_, other)| (document, other))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(300)))]

    #[test]
    fn the_nearest_are_the_first_of_all_pairs(
        texts in prop::collection::vec("([a-d] ){0,7}", 1..40),
        references in 0usize..12,
        (most, threads, memory) in (1usize..6, 1usize..4, prop::sample::select(vec![None, Some(0)])),
        (measure, candidates) in prop::sample::select(vec![
            (Measure::Resemblance, Candidates::default()),
            (Measure::Resemblance, Candidates::All),
            (Measure::Containment, Candidates::All),
        ]),
        crowd in 1usize..12,
    ) {
        let folder = TempDir::new().unwrap();
        let [input, against, file] = ["in.jsonl", "against.jsonl", "pairs"].map(|name| folder.path().join(name));
        let lines = |texts: &[String], first: usize| -> String {
            texts.iter().zip(first..).map(|(text, id)| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n")).collect()
        };
        let references = references.min(texts.len() - 1);
        let (others, own) = texts.split_at(references);
        fs::write(&against, lines(others, 0)).unwrap();
        fs::write(&input, lines(own, references)).unwrap();
        let method = Config { threshold: 0.3, shingle: Some(1), measure, candidates, ..Config::default() };
        let against = if references > 0 { vec![against.display().to_string()] } else { Vec::new() };
        let with = |nearest, threads| RunConfig {
            against: against.clone(), method: method.clone(), nearest, threads, memory, crowd, ..config(&[&input])
        };
        let list = |config: &RunConfig| -> Vec<serde_json::Value> {
            let summary = pairs(config, Some(&file), UNOBSERVED).unwrap();
            let listed: Vec<_> =
                fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(listed.len() as u64, summary.pairs);
            listed
        };
        let all = list(&with(None, 1));
        let near = list(&with(NonZeroUsize::new(most), threads));
        let expected = nearest_of_all(&all, references as u64..texts.len() as u64, most, measure);
        let ids = |pair: &serde_json::Value| (pair["a"].as_u64().unwrap(), pair["b"].as_u64().unwrap());
        prop_assert_eq!(near.iter().map(ids).collect::<Vec<_>>(), expected);
        // A pair in `near` may be in the list of all pairs with its two documents in the opposite order. Then the figures for `a`
        // and `b` must be exchanged before they are compared.
        for pair in &near {
            let (a, b) = ids(pair);
            let same = all.iter().find(|other| ids(other) == (a, b) || ids(other) == (b, a)).unwrap();
            let turned = ids(same) != (a, b);
            let name = |name: &'static str, other: &'static str| if turned { other } else { name };
            prop_assert_eq!(&pair["resemblance"], &same["resemblance"]);
            prop_assert_eq!(&pair["containment_ab"], &same[name("containment_ab", "containment_ba")]);
            prop_assert_eq!(&pair["size_b"], &same[name("size_b", "size_a")]);
        }
    }
}

/// Returns texts made from one template. One text in twenty is a copy of another text plus one word; all other texts are kept.
/// Each text has 31 to 75 words of its own in addition to the template's 240, so any two kept texts have a resemblance of 0.61 to
/// 0.795.
fn of_one_template(texts: usize) -> Vec<String> {
    let text = |i: usize| {
        let (own, more) = if i % 20 == 19 {
            (i - 10, "more")
        } else {
            (i, "")
        };
        let template = (0..240).map(|word| format!("template{word} "));
        template
            .chain((0..31 + own * 7 % 45).map(|word| format!("own{own}x{word} ")))
            .chain([more.into()])
            .collect::<String>()
    };
    (0..texts).map(text).collect()
}

#[test]
fn a_large_bucket_is_joined_by_its_rare_words() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, jsonl(&of_one_template(1000))).unwrap();
    let file = folder.path().join("pairs");
    let method = Config {
        shingle: Some(1),
        threshold: 0.8,
        cluster: Cluster::Components,
        ..Config::default()
    };
    let [without, with] = [usize::MAX, 64].map(|crowd| {
        let config = RunConfig {
            method: method.clone(),
            crowd,
            ..config(&[&input])
        };
        let summary = pairs(&config, Some(&file), UNOBSERVED).unwrap();
        assert_eq!(summary.pairs, 50);
        (
            fs::read(&file).unwrap(),
            run(&config, folder.path()).decisions,
            summary.finding.pairs_met,
        )
    });
    assert!(with.0 == without.0 && with.1 == without.1);
    assert!(with.2 * 20 < without.2, "{} {}", with.2, without.2);
}

/// The summary must report the memory that a run uses above its limit for data that cannot be spilled.
#[test]
fn memory_that_is_not_kept_is_reported() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, jsonl(&of_one_template(600))).unwrap();
    let file = folder.path().join("pairs");
    for (memory, is_above) in [(0, true), (1 << 40, false)] {
        let method = Config {
            shingle: Some(1),
            threshold: 0.8,
            ..Config::default()
        };
        let config = RunConfig {
            method,
            crowd: 16,
            memory: Some(memory),
            ..config(&[&input])
        };
        let of_dedup = run(&config, folder.path()).summary.finding;
        let of_pairs = pairs(&config, Some(&file), UNOBSERVED).unwrap().finding;
        for finding in [of_dedup, of_pairs] {
            assert_eq!(finding.above_memory > 0, is_above, "{memory}");
        }
    }
}

/// A run is interrupted in the middle of many texts made from one template, and resumed. The documents that were kept before the
/// interruption must be in crowds (buckets with an index) as soon as the run resumes.
#[test]
fn a_resumed_run_has_its_crowds() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, jsonl(&of_one_template(4000))).unwrap();
    let resume = Some(Resume {
        folder: folder.path().join("state"),
        part: 1,
    });
    let method = Config {
        shingle: Some(1),
        threshold: 0.8,
        ..Config::default()
    };
    let config = RunConfig {
        method,
        crowd: 64,
        threads: 2,
        memory: Some(0),
        ..config(&[&input])
    };
    let whole = run(&config, folder.path());
    let config = RunConfig { resume, ..config };
    let outputs = Outputs {
        kept: Some(folder.path().join("kept")),
        decisions: Some(folder.path().join("decisions")),
        ..Outputs::default()
    };
    for share in [0.3, 0.6, 0.8] {
        let decided = std::sync::atomic::AtomicU64::new(0);
        let end = |progress: Progress| {
            if progress.stage == Stage::Streaming {
                let rounds = decided.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if rounds as f64 >= share * 12.0 {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        };
        let ended = dedup(&config, &outputs, &end).unwrap_err();
        assert_eq!(ended.kind(), ErrorKind::Interrupted, "{ended}");
    }
    let continued = run(&config, folder.path());
    assert_eq!(
        continued.summary.resumed.map(|resumed| resumed.stage),
        Some(Stage::Streaming)
    );
    assert!(continued.kept == whole.kept && continued.decisions == whole.decisions);
    let met = [&whole, &continued].map(|answer| answer.summary.finding.pairs_met);
    println!("{met:?}");
    assert!(met[1] < 2 * met[0], "{met:?}");
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_crowd_is_found_by_its_rare_words() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, jsonl(&of_one_template(2000))).unwrap();
    let with = |crowd| {
        run(
            &RunConfig {
                method: Config {
                    shingle: Some(1),
                    ..Config::default()
                },
                crowd,
                ..config(&[&input])
            },
            folder.path(),
        )
    };
    let (without, [few, usual]) = (with(usize::MAX), [16, RunConfig::default().crowd].map(with));
    for (with, fewer) in [(few, 20), (usual, 3)] {
        assert!(with.kept == without.kept && with.decisions == without.decisions);
        assert_eq!((with.summary.kept, with.summary.dropped), (1900, 100));
        let met = [&with, &without].map(|answer| answer.summary.finding.pairs_met);
        assert!(met[0] * fewer < met[1], "{met:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(300)))]

    /// `pairs` must list all pairs that count as similar, for every definition of similarity. The components must be the groups
    /// of documents that these pairs connect.
    #[test]
    fn the_listed_pairs_connect_the_components(
        texts in texts(),
        threshold in prop::sample::select(vec![0.5, 0.7, 0.9]),
        finding in prop::sample::select(finding()),
    ) {
        let folder = TempDir::new().unwrap();
        let input = folder.path().join("in.jsonl");
        fs::write(&input, jsonl(&texts)).unwrap();
        let (candidates, measure, verify) = finding;
        let verify = verify.unwrap_or(candidates.verify());
        let says_only_yes = matches!(candidates, Candidates::Sentences(_)) && verify == Verify::Sketch;
        let recall = promised(&candidates);
        let method = Config { recall,  threshold, candidates, measure, verify: Some(verify), cluster: Cluster::Components, ..Config::default() };
        let config = RunConfig { method, keep: Some(Keep::First), ..config(&[&input]) };
        let file = folder.path().join("pairs");
        pairs(&config, Some(&file), UNOBSERVED).unwrap();
        let listed = lines(&fs::read(&file).unwrap());
        let mut groups = UnionFind::new(texts.len());
        for pair in &listed {
            let [a, b] = ["a", "b"].map(|side| pair[side].as_u64().unwrap() as u32);
            prop_assert!(a < b);
            groups.join(a, b);
            let figures = ["resemblance", "containment_ab", "containment_ba", "intersection"].map(|figure| !pair[figure].is_null());
            let expected = match (verify, measure) {
                (Verify::Exact, _) => [true; 4],
                (Verify::Sketch, Measure::Resemblance) => [true, false, false, false],
                (Verify::Sketch, Measure::Containment) => [false, true, true, false],
                (Verify::None, _) => [false; 4],
            };
            prop_assert!(figures == expected || says_only_yes && figures == [false; 4], "{}", pair);
        }
        let firsts: Vec<u64> = (0..texts.len() as u32).map(|d| groups.find(d).into()).collect();
        let representatives = lines(&run(&config, folder.path()).decisions);
        let representatives: Vec<u64> = representatives.iter().map(|d| d["representative"].as_u64().or(d["id"].as_u64()).unwrap()).collect();
        prop_assert_eq!(representatives, firsts);
    }
}

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name)
}

/// Returns the path of one of the larger collections, which are absent in a plain clone.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LOOKALIKE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if !path.exists() {
        // The message is written directly to standard error, because the test runner hides what a passing test prints.
        drop(writeln!(
            std::io::stderr(),
            "skipped: {} is not there; set LOOKALIKE_DATA",
            path.display()
        ));
        return None;
    }
    Some(path)
}

fn texts_of(path: &Path) -> Vec<String> {
    let bytes = zstd::decode_all(fs::File::open(path).unwrap()).unwrap();
    lines(&bytes)
        .iter()
        .map(|record| record["text"].as_str().unwrap().to_string())
        .collect()
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn real_collections_get_the_decisions_of_the_core() {
    let shared = |super_shingles| {
        Candidates::Shared(Shared {
            super_shingles,
            ..Shared::default()
        })
    };
    let contained = Config {
        measure: Measure::Containment,
        candidates: shared(false),
        ..Config::default()
    };
    let by = |candidates| Config {
        candidates,
        ..Config::default()
    };
    for (name, method, dropped) in [
        ("licenses.jsonl.zst", Config::default(), 300),
        ("licenses.jsonl.zst", by(shared(false)), 300),
        ("licenses.jsonl.zst", by(shared(true)), 300),
        ("licenses.jsonl.zst", contained.clone(), 250),
        (
            "licenses.jsonl.zst",
            by(Candidates::SimHash(SimHashBy::default())),
            300,
        ),
        (
            "licenses.jsonl.zst",
            by(Candidates::Sentences(SentencesBy::default())),
            150,
        ),
        ("zh_tang.jsonl.zst", Config::default(), 900),
        ("zh_tang.jsonl.zst", contained, 900),
        ("ota_versions.jsonl.zst", Config::default(), 250),
        ("ota_versions.jsonl.zst", by(shared(false)), 250),
    ] {
        let folder = TempDir::new().unwrap();
        let texts = texts_of(&testdata(name));
        let config = RunConfig {
            method: method.clone(),
            keep: Some(Keep::First),
            ..config(&[&testdata(name)])
        };
        let answer = run(&config, folder.path());
        let expected = expected(&texts, &vec![0; texts.len()], method.clone());
        // The expected decisions identify documents by position, but the engine's decisions have the collection's ids. So the
        // positions are replaced by the ids.
        let ids: Vec<Value> = lines(&answer.decisions)
            .iter()
            .map(|d| d["id"].clone())
            .collect();
        for (found, mut expected) in lines(&answer.decisions).into_iter().zip(expected) {
            expected["id"] = ids[expected["id"].as_u64().unwrap() as usize].clone();
            if let Some(representative) = expected["representative"].as_u64() {
                expected["representative"] = ids[representative as usize].clone();
            }
            assert_eq!(found, expected, "{name}, {method:?}");
        }
        assert!(
            answer.summary.dropped > dropped,
            "{name}, {method:?}: {:?}",
            answer.summary
        );
    }
}

#[test]
fn threads_compression_and_pipes_change_no_byte() {
    let plain = zstd::decode_all(fs::File::open(testdata("licenses.jsonl.zst")).unwrap()).unwrap();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("in.jsonl");
    fs::write(&path, &plain).unwrap();
    let gz = folder.path().join("in2.jsonl.gz");
    let mut encoder =
        flate2::write::GzEncoder::new(fs::File::create(&gz).unwrap(), flate2::Compression::fast());
    encoder.write_all(&plain).unwrap();
    encoder.finish().unwrap();
    let first = run(&config(&[&path]), folder.path());
    for (input, threads) in [
        (&path, 1),
        (&path, 2),
        (&path, 5),
        (&gz, 2),
        (&testdata("licenses.jsonl.zst"), 1),
    ] {
        let again = run(
            &RunConfig {
                threads,
                ..config(&[input])
            },
            folder.path(),
        );
        assert!(
            again.kept == first.kept && again.decisions == first.decisions,
            "{} with {threads} threads",
            input.display()
        );
    }
    // A pipe can be read only once, so the later passes read a spooled copy of it.
    let pipe = folder.path().join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let feed = std::thread::spawn({
        let (pipe, plain) = (pipe.clone(), plain.clone());
        move || fs::write(pipe, plain).unwrap()
    });
    let piped = run(&config(&[&pipe]), folder.path());
    feed.join().unwrap();
    assert!(piped.kept == first.kept && piped.decisions == first.decisions);
}

#[test]
fn a_cut_into_files_changes_no_verdict() {
    let plain = zstd::decode_all(fs::File::open(testdata("zh_tang.jsonl.zst")).unwrap()).unwrap();
    let folder = TempDir::new().unwrap();
    let whole = folder.path().join("whole.jsonl");
    fs::write(&whole, &plain).unwrap();
    let parts = folder.path().join("parts");
    fs::create_dir(&parts).unwrap();
    let all: Vec<&[u8]> = plain.split_inclusive(|b| *b == b'\n').collect();
    for (i, part) in all.chunks(701).enumerate() {
        // The last line of each part has no newline, and there are blank lines between parts. Neither may produce a document.
        fs::write(
            parts.join(format!("{i:03}.jsonl")),
            [&b"\n"[..], part.concat().trim_ascii_end()].concat(),
        )
        .unwrap();
    }
    let one = run(&config(&[&whole]), folder.path());
    let many = run(&config(&[&parts]), folder.path());
    let glob = run(&config(&[&parts.join("*.jsonl")]), folder.path());
    assert!(one.kept == many.kept && one.decisions == many.decisions && many.kept == glob.kept);
    assert_eq!(many.summary.blank_lines, all.len().div_ceil(701) as u64);
}

/// The ground truth is a list of pairs with their exact similarities, which another program found. At most 1 % of the pairs with
/// a similarity of at least 0.8 may consist of two kept documents. The ground truth must list every dropped document as a pair
/// with its representative. The similarity of such a pair may be below 0.8 for at most one document in a thousand.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn recall_and_precision_against_the_independent_truth() {
    for name in [
        "licenses",
        "newsgroups20",
        "zh_mingju",
        "zh_tang",
        "ja_aozora_dev",
        "winps_docs",
        "ota_us_versions",
    ] {
        let (Some(input), Some(truth)) = (
            shared(&format!("{name}.jsonl.zst")),
            shared(&format!("{name}.pairs.jsonl.zst")),
        ) else {
            return;
        };
        let folder = TempDir::new().unwrap();
        let decisions = lines(&run(&config(&[&input]), folder.path()).decisions);
        let kept: std::collections::HashSet<&str> = decisions
            .iter()
            .filter(|d| d["verdict"] == "kept")
            .map(|d| d["id"].as_str().unwrap())
            .collect();
        let truth = lines(&zstd::decode_all(fs::File::open(truth).unwrap()).unwrap());
        let similar: std::collections::HashMap<(&str, &str), f64> = truth
            .iter()
            .map(|p| {
                (
                    (p["a"].as_str().unwrap(), p["b"].as_str().unwrap()),
                    p["jaccard"].as_f64().unwrap(),
                )
            })
            .collect();
        let at_threshold = similar.iter().filter(|(_, j)| **j >= 0.8);
        let left = at_threshold
            .clone()
            .filter(|((a, b), _)| kept.contains(a) && kept.contains(b))
            .count();
        assert!(
            left * 100 <= at_threshold.clone().count(),
            "{name}: {left} pairs with both kept"
        );
        // Law 2: no two kept documents that are candidates of each other are similar. Law 5: no document is lost.
        let pairs_file = folder.path().join("pairs");
        let at_0_8 = Config::default();
        pairs(
            &RunConfig {
                method: at_0_8,
                ..config(&[&input])
            },
            Some(&pairs_file),
            UNOBSERVED,
        )
        .unwrap();
        let listed = lines(&fs::read(pairs_file).unwrap());
        assert!(
            listed
                .iter()
                .all(|p| !(kept.contains(p["a"].as_str().unwrap())
                    && kept.contains(p["b"].as_str().unwrap()))),
            "{name}"
        );
        let found: std::collections::HashSet<(&str, &str)> = listed
            .iter()
            .map(|p| (p["a"].as_str().unwrap(), p["b"].as_str().unwrap()))
            .collect();
        let missed = at_threshold
            .clone()
            .filter(|(pair, _)| !found.contains(*pair))
            .count();
        assert!(
            missed * 100 <= at_threshold.count(),
            "{name}: {missed} pairs not listed"
        );
        assert_eq!(
            decisions.len(),
            decisions
                .iter()
                .map(|d| d["id"].as_str().unwrap())
                .collect::<std::collections::HashSet<_>>()
                .len()
        );
        // The canonical form of the ground truth is a little simpler than lookalike's, so its figures for a few Chinese texts
        // with Latin letters differ from lookalike's.
        let mut unlike = 0;
        for d in decisions.iter().filter(|d| d["verdict"] == "dropped") {
            let (id, r) = (
                d["id"].as_str().unwrap(),
                d["representative"].as_str().unwrap(),
            );
            assert!(kept.contains(r));
            let exact = similar
                .get(&(id, r))
                .or_else(|| similar.get(&(r, id)))
                .unwrap_or_else(|| panic!("{name}: {id} and {r} are unlike"));
            unlike += usize::from(*exact < 0.8);
        }
        assert!(unlike * 1000 <= decisions.len(), "{name}: {unlike}");
    }
}

/// Returns the pairs of a ground truth, each with the ids of its two documents and their similarities.
fn truth_of(path: &Path) -> Vec<Value> {
    lines(&zstd::decode_all(fs::File::open(path).unwrap()).unwrap())
}

/// Returns the ids of all pairs that the engine lists with this method.
fn listed(input: &Path, method: Config) -> std::collections::HashSet<(String, String)> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pairs");
    pairs(
        &RunConfig {
            method,
            ..config(&[input])
        },
        Some(&file),
        UNOBSERVED,
    )
    .unwrap();
    lines(&fs::read(file).unwrap()).iter().map(ids_of).collect()
}

fn ids_of(pair: &Value) -> (String, String) {
    (
        pair["a"].as_str().unwrap().into(),
        pair["b"].as_str().unwrap().into(),
    )
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn bands_find_99_in_100_at_every_threshold_on_every_set() {
    let sets = [
        "licenses",
        "newsgroups20",
        "zh_mingju",
        "zh_tang",
        "ja_aozora_dev",
        "winps_docs",
        "ota_us_versions",
        "clough_stevenson",
    ];
    for name in sets {
        let (Some(input), Some(truth)) = (
            shared(&format!("{name}.jsonl.zst")),
            shared(&format!("{name}.pairs.jsonl.zst")),
        ) else {
            return;
        };
        let truth = truth_of(&truth);
        for threshold in [0.5, 0.7, 0.8, 0.9] {
            let found = listed(
                &input,
                Config {
                    threshold,
                    ..Config::default()
                },
            );
            let similar = || {
                truth
                    .iter()
                    .filter(|pair| pair["jaccard"].as_f64().unwrap() >= threshold)
            };
            let missed = similar()
                .filter(|pair| !found.contains(&ids_of(pair)))
                .count();
            assert!(
                missed * 100 <= similar().count(),
                "{name} at {threshold}: {missed} of {}",
                similar().count()
            );
        }
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn containment_of_nine_tenths_is_found_on_every_set() {
    for name in [
        "licenses",
        "newsgroups20",
        "zh_tang",
        "ja_aozora_dev",
        "winps_docs",
        "ota_us_versions",
        "clough_stevenson",
    ] {
        let files = ["jsonl", "pairs.jsonl", "containment.jsonl"]
            .map(|kind| shared(&format!("{name}.{kind}.zst")));
        let [Some(input), Some(alike), Some(contained)] = files else {
            return;
        };
        // One file has the pairs whose resemblance is at least a half. The other file has the pairs whose resemblance is lower,
        // but in which one document contains the other.
        let truth: Vec<Value> = [truth_of(&alike), truth_of(&contained)].concat();
        let size = |pair: &Value, side: &str| pair[side].as_f64().unwrap();
        let smaller = |pair: &Value| size(pair, "na").min(size(pair, "nb"));
        let wanted = truth
            .iter()
            .filter(|pair| smaller(pair) >= 50.0 && size(pair, "inter") / smaller(pair) >= 0.9);
        let method = Config {
            threshold: 0.9,
            measure: Measure::Containment,
            candidates: Candidates::Shared(Shared::default()),
            ..Config::default()
        };
        let found = listed(&input, method);
        let missed = wanted
            .clone()
            .filter(|pair| !found.contains(&ids_of(pair)))
            .count();
        assert!(
            missed * 20 <= wanted.clone().count(),
            "{name}: {missed} of {}",
            wanted.count()
        );
    }
}

/// Suppose a text was dropped because it is similar to `first`, and `kept`, which is more similar to the text, was kept later.
/// Copies of the text that come after `kept` must have `kept` as their representative, and not `first`. This must hold for any
/// distance between the text and its copies in the input.
#[test]
fn a_copy_finds_documents_kept_after_its_first_copy() {
    let words = |numbers: &[(u32, u32)]| -> String {
        numbers
            .iter()
            .flat_map(|&(a, b)| a..b)
            .map(|n| format!("word{n} "))
            .collect()
    };
    let first = words(&[(1, 11)]);
    // The resemblance of this text to `first` is 7/13, and its resemblance to `kept` is 7/12. The resemblance of `kept` to
    // `first` is only 4/15.
    let dropped = words(&[(1, 8), (21, 24)]);
    let kept = words(&[(4, 8), (21, 24), (31, 33)]);
    let texts = [
        first,
        dropped.clone(),
        kept,
        words(&[(41, 51)]),
        dropped.clone(),
        dropped,
    ];
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.jsonl");
    for candidates in [Candidates::default(), Candidates::Shared(Shared::default())] {
        fs::write(&input, jsonl(&texts)).unwrap();
        // With the smaller number, each line has a block of its own.
        for block in [None, Some(16)] {
            let method = Config {
                shingle: Some(1),
                threshold: 0.5,
                candidates: candidates.clone(),
                ..Config::default()
            };
            let config = RunConfig {
                method: method.clone(),
                threads: 1,
                memory: Some(0),
                block,
                ..config(&[&input])
            };
            let decisions = lines(&run(&config, folder.path()).decisions);
            assert_eq!(decisions, expected(&texts, &[0; 6], method));
            assert_eq!(
                [1, 4, 5].map(|d: usize| decisions[d]["representative"].as_u64()),
                [Some(0), Some(2), Some(2)]
            );
        }
    }
}

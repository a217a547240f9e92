//! Tests documents against references: the engine's decisions must equal those of a naive loop over all pairs, which implements
//! the definition of the law (the rule for what is dropped).

use std::{
    collections::BTreeSet,
    fs,
    ops::ControlFlow,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use lookalike::{
    Bands, Candidates, Config, Method, Permutations, Scratch, Shared, SimHashBy, Verify,
    cluster::Keep,
    lsh::Sample,
    sketch::{Modulus, Width},
    verify::{Measure, Overlap},
};
use lookalike_engine::{ErrorKind, Outputs, Progress, Resume, RunConfig, Summary, dedup, pairs};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

fn silent(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The data that the naive loop has about a document.
struct Known {
    scratch: Scratch,
    set: BTreeSet<u64>,
    is_reference: bool,
    id: Value,
    place: String,
    key: u64,
}

/// A naive implementation of the law (the rule for what is dropped) for runs with references, in two loops.
struct Twin<'a> {
    method: &'a Method,
    documents: Vec<Known>,
    only: bool,
    holders: bool,
}

impl Twin<'_> {
    fn same(&self, a: &Known, b: &Known) -> bool {
        self.method.same(
            (a.scratch.digest, &a.scratch.bits),
            (b.scratch.digest, &b.scratch.bits),
        )
    }

    fn are_candidates(&self, a: &Known, b: &Known) -> bool {
        let met = match self.method.config().candidates {
            Candidates::All => true,
            Candidates::Shared(_) => {
                let [a, b] = [a, b].map(|known| Sample {
                    level: known.scratch.level,
                    elements: &known.scratch.elements,
                });
                a.elements
                    .iter()
                    .any(|element| b.elements.contains(element))
                    && self.method.share_enough(a, b)
            }
            _ => a
                .scratch
                .keys
                .iter()
                .zip(&b.scratch.keys)
                .any(|(a, b)| a == b),
        };
        met && self.method.agree(&a.scratch.bits, &b.scratch.bits)
    }

    fn overlap(a: &Known, b: &Known) -> Overlap {
        let shared = a.set.intersection(&b.set).count() as u64;
        Overlap {
            shared,
            a: a.set.len() as u64,
            b: b.set.len() as u64,
        }
    }

    /// Returns how similar a document is to a kept document; `None` if the document may not be dropped for the kept one.
    /// Identical texts rank above all others.
    fn similarity(&self, document: &Known, kept: &Known) -> Option<f64> {
        if document.set.is_empty() || kept.set.is_empty() {
            return None;
        }
        if document.scratch.digest == kept.scratch.digest {
            return Some(f64::INFINITY);
        }
        if !self.are_candidates(document, kept) {
            return None;
        }
        let overlap = Self::overlap(document, kept);
        let (measure, threshold) = (self.method.config().measure, self.method.config().threshold);
        let similarity = match self.method.verify() {
            Verify::Exact if self.holders && kept.is_reference => measure.of(overlap.swapped()),
            Verify::Exact => measure.of(overlap),
            Verify::Sketch => self
                .method
                .estimate(&document.scratch.bits, &kept.scratch.bits),
            Verify::None => return Some(1.0),
        };
        (similarity >= threshold).then_some(similarity)
    }

    /// Returns the documents of the inputs, in input order, each with its representative; `None` if the document is kept.
    fn decide(&self) -> Vec<(usize, Option<usize>)> {
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        order.sort_by_key(|&d| {
            let known = &self.documents[d];
            (
                !known.is_reference,
                if known.is_reference {
                    0
                } else {
                    u64::MAX - known.key
                },
            )
        });
        let (mut kept, mut decided): (Vec<usize>, Vec<_>) = (Vec::new(), Vec::new());
        for d in order {
            let document = &self.documents[d];
            if document.is_reference {
                kept.push(d);
                continue;
            }
            let mut best: Option<(usize, f64)> = None;
            for &other in &kept {
                if let Some(similarity) = self.similarity(document, &self.documents[other])
                    && best.is_none_or(|(_, least)| similarity > least)
                {
                    best = Some((other, similarity));
                }
            }
            if best.is_none() && !self.only {
                kept.push(d);
            }
            decided.push((d, best.map(|(other, _)| other)));
        }
        decided.sort_unstable();
        decided
    }

    /// Compares every reference document with every document of the inputs. Returns the pairs that are similar in at least one
    /// direction, with their resemblance.
    fn pairs(&self) -> Vec<Value> {
        let are = |reference: bool| {
            self.documents
                .iter()
                .filter(move |known| known.is_reference == reference)
        };
        let all = are(true).flat_map(|a| are(false).map(move |b| (a, b)));
        let similar =
            all.filter(|(a, b)| self.similarity(a, b).or(self.similarity(b, a)).is_some());
        similar
            .map(|(a, b)| json!([a.id, b.id, Self::overlap(a, b).resemblance()]))
            .collect()
    }

    /// Returns the lines of the decisions file.
    fn lines(&self) -> Vec<Value> {
        let decided = self.decide();
        let size = |of: usize| 1 + decided.iter().filter(|row| row.1 == Some(of)).count();
        let line = |&(d, representative): &(usize, Option<usize>)| {
            let document = &self.documents[d];
            let Some(r) = representative else {
                let reason = match size(d) {
                    _ if document.set.is_empty() => "empty",
                    1 => "unique",
                    _ => "representative",
                };
                return json!({
                    "id": document.id, "verdict": "kept", "reason": reason, "representative": null, "resemblance": null,
                    "containment": null, "containment_of_representative": null, "cluster_size": size(d),
                });
            };
            let kept = &self.documents[r];
            let (measure, same) = (self.method.config().measure, self.same(document, kept));
            let reason = match measure {
                _ if same => "exact",
                Measure::Resemblance => "near",
                Measure::Containment if self.holders && kept.is_reference => "holds",
                Measure::Containment => "contained",
            };
            let estimated = !same && self.method.verify() == Verify::Sketch;
            let overlap = Self::overlap(document, kept);
            let counted = [
                overlap.resemblance(),
                overlap.containment(),
                overlap.swapped().containment(),
            ]
            .map(Some);
            let [resemblance, containment, of_representative] = match self.method.verify() {
                _ if same => [Some(1.0); 3],
                Verify::Exact => counted,
                Verify::Sketch => [
                    Some(
                        self.method
                            .estimate(&document.scratch.bits, &kept.scratch.bits),
                    ),
                    None,
                    None,
                ],
                Verify::None => [None; 3],
            };
            let mut line = json!({
                "id": document.id, "verdict": "dropped", "reason": reason, "representative": kept.id, "resemblance": resemblance,
                "containment": containment, "containment_of_representative": of_representative, "cluster_size": size(r),
            });
            if estimated {
                line["estimated"] = true.into();
            }
            if kept.is_reference {
                line["reference"] = kept.place.clone().into();
            }
            line
        };
        decided.iter().map(line).collect()
    }
}

/// Generates texts, many of which are alike. Some contain others, some are copies in capitals, some share only a template's
/// words, some have fewer words than a shingle, and some have no words.
fn texts(most: usize) -> impl Strategy<Value = Vec<String>> {
    let one = (0usize..5, 0usize..40, 0usize..40, 0usize..12);
    prop::collection::vec(one, 0..most).prop_map(|all| {
        let text = |(base, cut, change, kind): (usize, usize, usize, usize)| {
            let words = |base: usize| {
                (0..40 - cut / 4)
                    .filter(move |i| *i != change)
                    .map(move |i| format!("b{base}w{i} "))
            };
            let text: String = words(base).collect();
            match kind {
                0 => text.to_uppercase(),
                1 => format!("{text} tail{change}"),
                2 => "  ".into(),
                3 => format!("short{base} {}", change % 3),
                4 => text + &words((base + 1) % 5).collect::<String>(),
                5 => words(base).take(12).collect(),
                // If shingles are single words, this text has the same set of shingles as `text`.
                6 => format!("{text}{text}"),
                7 | 8 => (0..24)
                    .map(|i| format!("t{i} "))
                    .chain((0..8).map(|i| format!("o{base}x{change}x{i} ")))
                    .collect(),
                _ => text,
            }
        };
        all.into_iter().map(text).collect()
    })
}

/// Returns ways of finding candidates, each with a measure and a kind of verification.
fn finding() -> Vec<(Candidates, Measure, Option<Verify>)> {
    let shared = |modulus| {
        Candidates::Shared(Shared {
            modulus,
            ..Shared::default()
        })
    };
    vec![
        (Candidates::default(), Measure::Resemblance, None),
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
        (
            Candidates::Bands(Bands {
                permutations: Permutations::Many,
                ..Bands::default()
            }),
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
        (Candidates::Exact, Measure::Resemblance, None),
        (Candidates::All, Measure::Resemblance, None),
        (Candidates::All, Measure::Containment, None),
        (shared(None), Measure::Resemblance, None),
        (shared(None), Measure::Containment, None),
        (
            shared(Some(Modulus::Capped { least: 4, level: 2 })),
            Measure::Containment,
            None,
        ),
        (
            shared(Some(Modulus::Growing { least: 3 })),
            Measure::Resemblance,
            None,
        ),
    ]
}

/// Returns a JSON line for each text. Ids are unique only within one input, and occasionally a line has no id. Lines that are not
/// references have a field for `keep`.
fn jsonl(texts: &[String], is_reference: bool) -> String {
    let line = |(i, text): (usize, &String)| {
        let mut record = json!({"text": text});
        if i % 5 > 0 {
            record["id"] = i.into();
        }
        if !is_reference {
            record["n"] = (i % 7).into();
        }
        record.to_string() + "\n"
    };
    texts.iter().enumerate().map(line).collect()
}

struct Answer {
    summary: Summary,
    kept: String,
    decisions: String,
}

fn run(
    config: &RunConfig,
    folder: &Path,
    observer: impl Fn(Progress) -> ControlFlow<()> + Sync,
) -> Option<Answer> {
    let outputs = Outputs {
        kept: Some(folder.join("kept")),
        decisions: Some(folder.join("decisions")),
        ..Outputs::default()
    };
    let summary = match dedup(config, &outputs, &observer) {
        Ok(summary) => summary,
        Err(error) if error.kind() == ErrorKind::Interrupted => return None,
        Err(error) => panic!("{error}"),
    };
    let read = |name| fs::read_to_string(folder.join(name)).unwrap();
    Some(Answer {
        summary,
        kept: read("kept"),
        decisions: read("decisions"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(1500)))]

    #[test]
    fn references_are_the_first_in_keep_order_and_all_are_kept(
        references in texts(30),
        texts in texts(40).prop_filter("there are documents", |texts| !texts.is_empty()),
        threshold in prop::sample::select(vec![0.5, 0.7, 0.8, 0.9]),
        shingle in prop::sample::select(vec![1, 1, 5]),
        (candidates, measure, verify) in prop::sample::select(finding()),
        [only, holders] in any::<[bool; 2]>(),
        keep in prop::sample::select(vec![None, None, Some(Keep::Longest), Some(Keep::Max("n".into()))]),
        [threads, others] in [1usize..4, 1usize..4],
        // With a memory limit of 0, everything goes to temporary files.
        memory in prop::sample::select(vec![None, Some(0), Some(1 << 16)]),
        crowd in prop::sample::select(vec![1, 2, 4, 256]),
        [cut, ends] in [0usize..30, 0usize..12],
    ) {
        let folder = TempDir::new().unwrap();
        // If the memory limit is 0, a block has only one or two lines. With so little memory, the blocks are also decided in several
        // rounds, a few blocks at a time.
        let block = (memory == Some(0)).then_some(512);
        let cut = cut.min(references.len());
        let files = [("r1", &references[..cut], true), ("r2", &references[cut..], true), ("in", &texts[..], false)];
        let path = |name: &str| folder.path().join(format!("{name}.jsonl"));
        for (name, texts, is_reference) in files {
            fs::write(path(name), jsonl(texts, is_reference)).unwrap();
        }
        let recall = if matches!(candidates, Candidates::Shared(Shared { modulus: Some(_), .. })) { 1e-9 } else { 0.99 };
        let method = Config { threshold, shingle: Some(shingle), candidates, measure, verify, recall, ..Config::default() };
        let holders = holders && measure == Measure::Containment;
        let shown = |name: &str| path(name).display().to_string();
        let config = RunConfig {
            inputs: vec![shown("in")], against: vec![shown("r1"), shown("r2")], against_only: only, drop_holders: holders,
            method: method.clone(), keep: keep.clone().filter(|_| !only), threads, memory, crowd, block, ..RunConfig::default()
        };
        let answer = run(&config, folder.path(), silent).unwrap();

        let method = Method::new(method).unwrap();
        let mut documents = Vec::new();
        for (name, texts, is_reference) in files {
            for (i, text) in texts.iter().enumerate() {
                let mut scratch = Scratch::default();
                method.set(text.as_str(), &mut scratch);
                let set = scratch.fingerprints.iter().copied().collect();
                method.sketch(text.as_str(), &mut scratch);
                let place = format!("{}:{}", shown(name), i + 1);
                let id = if i % 5 > 0 { json!(i) } else { json!(place) };
                let key = match config.keep() {
                    Keep::Longest => text.chars().count() as u64,
                    Keep::Max(_) => i as u64 % 7,
                    _ => 0,
                };
                documents.push(Known { scratch, set, is_reference, id, place, key });
            }
        }
        let mut twin = Twin { method: &method, documents, only, holders };
        let expected = twin.lines();
        let lines: Vec<Value> = answer.decisions.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&lines, &expected);
        let all = jsonl(&texts, false);
        let is = |line: &Value, field: &str, value: &str| line[field] == value;
        let kept: String =
            all.lines().zip(&lines).filter(|(_, line)| is(line, "verdict", "kept")).map(|(line, _)| format!("{line}\n")).collect();
        prop_assert_eq!(&answer.kept, &kept);

        let count = |what: &dyn Fn(&&Value) -> bool| lines.iter().filter(what).count() as u64;
        let (s, dropped) = (&answer.summary, count(&|line| is(line, "verdict", "dropped")));
        let against = s.against.unwrap();
        prop_assert_eq!((s.documents, s.kept, s.dropped), (texts.len() as u64, texts.len() as u64 - dropped, dropped));
        prop_assert_eq!((against.documents, against.only, against.holders), (references.len() as u64, only, holders));
        prop_assert_eq!(against.dropped, count(&|line| line.get("reference").is_some()));
        prop_assert_eq!(s.dropped_exact, count(&|line| is(line, "reason", "exact")));
        prop_assert_eq!(s.representatives, count(&|line| is(line, "reason", "representative")));
        prop_assert_eq!(s.empty, count(&|line| is(line, "reason", "empty")));
        let sizes = lines.iter().filter(|line| is(line, "verdict", "kept")).map(|line| line["cluster_size"].as_u64().unwrap());
        prop_assert_eq!(s.largest_group, sizes.max().unwrap_or(0));

        // Run again with a different number of threads and with less or more memory; the run is also interrupted somewhere, and
        // resumed.
        let resume = Some(Resume { folder: folder.path().join("state"), part: 1 });
        let other = RunConfig { threads: others, memory: memory.map_or(Some(0), |_| None), resume, ..config.clone() };
        let calls = AtomicUsize::new(0);
        run(&other, folder.path(), |_| match calls.fetch_add(1, Ordering::Relaxed) < ends {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        });
        let again = run(&other, folder.path(), silent).unwrap();
        prop_assert_eq!((again.decisions, again.kept), (answer.decisions, answer.kept));
        let met = |s: &Summary| (s.finding.pairs_met, s.finding.pairs_refused);
        prop_assert_eq!(met(&again.summary), met(&answer.summary));

        if method.verify() == Verify::Exact {
            let file = folder.path().join("pairs");
            let summary = pairs(&RunConfig { against_only: false, drop_holders: false, ..config }, Some(&file), &silent).unwrap();
            let listed = fs::read_to_string(&file).unwrap();
            let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let shown: Vec<Value> = listed.iter().map(|pair| json!([pair["a"], pair["b"], pair["resemblance"]])).collect();
            twin.holders = false;
            prop_assert_eq!(shown, twin.pairs());
            prop_assert_eq!((summary.documents, summary.references), (texts.len() as u64, Some(references.len() as u64)));
        }
    }
}

//! Documents that are compared by several fields get the decisions of a naive twin, which compares every pair of documents.

use std::{fs, path::Path};

use lookalike::{
    Bands, Candidates, Config, Method, Permutations, Scratch, SentencesBy, SimHashBy, Verify,
    cluster::Keep, sketch::Width, verify::Overlap,
};
use lookalike_engine::{OtherFields, Outputs, RunConfig, SimilarIn, Summary, UNOBSERVED, dedup};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the twin knows about one field of a document.
struct Field {
    sketch: Scratch,
    set: Vec<u64>,
}

type Document = Vec<Field>;

struct Twin {
    method: Method,
    similar: SimilarIn,
    documents: Vec<Document>,
}

impl Field {
    fn new(method: &Method, text: &str) -> Self {
        let [mut sketch, mut of_set] = [(); 2].map(|()| Scratch::default());
        method.sketch(text, &mut sketch);
        method.set(text, &mut of_set);
        Self {
            sketch,
            set: of_set.fingerprints.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    fn is_equal(&self, other: &Self) -> bool {
        !self.is_empty() && self.sketch.digest == other.sketch.digest
    }
}

impl Twin {
    /// Returns the overlap of two fields that match: they are candidates, and their similarity reaches the threshold.
    fn of_field(&self, a: &Field, b: &Field) -> Option<Overlap> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let shared = || {
            a.sketch
                .keys
                .iter()
                .zip(&b.sketch.keys)
                .any(|(a, b)| a == b)
        };
        let is_candidate = a.is_equal(b)
            || self.method.config().candidates == Candidates::All
            || shared() && self.method.agree(&a.sketch.bits, &b.sketch.bits);
        Some(Overlap::of(&a.set, &b.set))
            .filter(|o| is_candidate && o.resemblance() >= self.method.config().threshold)
    }

    fn overlap(&self, a: usize, b: usize) -> Option<Overlap> {
        let fields = self.documents[a].iter().zip(&self.documents[b]);
        let found: Vec<Option<Overlap>> = fields.map(|(a, b)| self.of_field(a, b)).collect();
        let figure = |o: &Overlap| o.resemblance();
        let more = |a: &Overlap, b: &Overlap| (a.shared, a.a).cmp(&(b.shared, b.a));
        let order = |a: &Overlap, b: &Overlap| figure(a).total_cmp(&figure(b));
        match self.similar {
            SimilarIn::Each if found.contains(&None) => None,
            SimilarIn::Each => {
                let found = found.into_iter().flatten();
                found.min_by(|a, b| order(a, b).then_with(|| more(b, a)))
            }
            SimilarIn::Any => {
                let found = found.into_iter().flatten();
                found.max_by(|a, b| order(a, b).then_with(|| more(a, b)))
            }
        }
    }

    fn is_exact(&self, a: usize, b: usize) -> bool {
        let fields = self.documents[a].iter().zip(&self.documents[b]);
        let mut equal = fields.map(|(a, b)| a.is_equal(b));
        match self.similar {
            SimilarIn::Each => equal.all(|equal| equal),
            SimilarIn::Any => equal.any(|equal| equal),
        }
    }

    /// Returns the decisions about the documents, of which the first are references.
    fn decisions(&self, order: &[usize], (references, only): (usize, bool)) -> Vec<Value> {
        let mut kept: Vec<usize> = (0..references).collect();
        let mut of_dropped = vec![None; self.documents.len()];
        for &document in order.iter().filter(|&&document| document >= references) {
            let mut best: Option<(usize, Overlap)> = None;
            for &other in &kept {
                if let Some(own) = self.overlap(document, other)
                    && best.is_none_or(|(_, best)| own.resemblance() > best.resemblance())
                {
                    best = Some((other, own));
                }
            }
            of_dropped[document] = best;
            if best.is_none() && !only {
                kept.push(document);
            }
        }
        let mut sizes = vec![1; self.documents.len()];
        for (representative, _) in of_dropped.iter().flatten() {
            sizes[*representative] += 1;
        }
        let line = |document: usize| match of_dropped[document] {
            Some((other, overlap)) => {
                let is_exact = self.is_exact(document, other);
                let figures = match is_exact {
                    true => [1.0; 3],
                    false => [
                        overlap.resemblance(),
                        overlap.containment(),
                        overlap.swapped().containment(),
                    ],
                };
                let reason = if is_exact { "exact" } else { "near" };
                json!([document, reason, other, figures, sizes[other]])
            }
            None => {
                let is_empty = self.documents[document].iter().all(Field::is_empty);
                let reason = match sizes[document] {
                    _ if is_empty => "empty",
                    1 => "unique",
                    _ => "representative",
                };
                json!([document, reason, null, [null, null, null], sizes[document]])
            }
        };
        (references..self.documents.len()).map(line).collect()
    }
}

struct Answer {
    kept: String,
    decisions: String,
    summary: Summary,
}

fn run(config: &RunConfig, folder: &Path) -> Answer {
    let outputs = Outputs {
        kept: Some(folder.join("kept.jsonl")),
        decisions: Some(folder.join("decisions.jsonl")),
        ..Outputs::default()
    };
    let summary = dedup(config, &outputs, UNOBSERVED).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    Answer {
        kept: read("kept.jsonl"),
        decisions: read("decisions.jsonl"),
        summary,
    }
}

/// Returns what the twin knows of a line of decisions.
fn known(line: &str) -> Value {
    let line: Value = serde_json::from_str(line).unwrap();
    let figures = [
        "resemblance",
        "containment",
        "containment_of_representative",
    ];
    let figures = figures.map(|figure| line[figure].clone());
    json!([
        line["id"],
        line["reason"],
        line["representative"],
        figures,
        line["cluster_size"]
    ])
}

/// Generates a text that is often similar to others, and sometimes equal or empty.
fn text() -> impl Strategy<Value = String> {
    (
        0usize..5,
        0usize..12,
        prop::collection::vec((0usize..14, 0usize..4), 0..4),
    )
        .prop_map(|(template, kind, changes)| {
            let words = [14, 14, 9, 5, 1][template];
            let mut words: Vec<String> = (0..words).map(|at| format!("t{template}w{at}")).collect();
            for (at, other) in changes {
                let at = at % words.len();
                words[at] = format!("o{other}");
            }
            match kind {
                0 => String::new(),
                1 => words.join("  ").to_uppercase(),
                2 => words[..words.len().div_ceil(2)].join(" "),
                _ => words.join(" "),
            }
        })
}

fn methods() -> Vec<Candidates> {
    let simhash = SimHashBy {
        bits: Width::W128,
        distance: Some(20),
        ..SimHashBy::default()
    };
    let one = Bands {
        permutations: Permutations::One,
        ..Bands::default()
    };
    vec![
        Candidates::default(),
        Candidates::default(),
        Candidates::Bands(one),
        Candidates::SimHash(simhash),
        Candidates::Sentences(SentencesBy::default()),
        Candidates::Exact,
        Candidates::All,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(60)))]

    /// Neither threads, nor the memory limit, nor indexes of large buckets, nor the field that is enumerated first change a byte.
    #[test]
    fn the_decisions_are_those_of_a_naive_twin(
        texts in prop::collection::vec([text(), text(), text()], 1..50),
        fields in 2usize..4,
        similar in prop::sample::select(vec![SimilarIn::Each, SimilarIn::Any]),
        threshold in prop::sample::select(vec![0.3, 0.5, 0.7, 0.8, 1.0]),
        recall in prop::sample::select(vec![0.05, 0.3, 0.9, 0.99]),
        candidates in prop::sample::select(methods()),
        keep in prop::sample::select(vec![None, Some(Keep::Longest)]),
        [references, only] in [0usize..20, 0usize..2],
        [threads, crowd] in [1usize..4, 1usize..9],
        memory in prop::sample::select(vec![None, Some(0), Some(1 << 16)]),
    ) {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let references = references.saturating_sub(10).min(texts.len());
        let only = only == 1 && references > 0;
        let names = ["title", "body", "note"];
        let record = |(id, of): (usize, &[String; 3])| {
            json!({"id": id, "title": of[0], "body": of[1], "note": of[2]}).to_string() + "\n"
        };
        let records: Vec<String> = texts.iter().enumerate().map(record).collect();
        fs::write(path("old.jsonl"), records[..references].concat()).unwrap();
        fs::write(path("in.jsonl"), records[references..].concat()).unwrap();
        let of_run = Config { threshold, recall, candidates, shingle: Some(2), verify: Some(Verify::Exact), ..Config::default() };
        let keep = keep.filter(|_| !only);
        let others = OtherFields { names: names[1..fields].iter().map(ToString::to_string).collect(), similar, enumerated: None };
        let config = RunConfig {
            inputs: vec![path("in.jsonl")],
            against: (references > 0).then(|| path("old.jsonl")).into_iter().collect(),
            against_only: only,
            text_field: names[0].into(),
            method: of_run.clone(),
            keep: keep.clone(),
            other_fields: Some(others.clone()),
            threads: 1,
            ..RunConfig::default()
        };
        let answer = run(&config, folder.path());

        let recall = match similar {
            SimilarIn::Each => recall.powf(1.0 / fields as f64),
            SimilarIn::Any => recall,
        };
        let method = Method::new(Config { recall, ..of_run }).unwrap();
        let documents = texts.iter().map(|of| of[..fields].iter().map(|text| Field::new(&method, text)).collect());
        let twin = Twin { documents: documents.collect(), method, similar };
        let mut order: Vec<usize> = (0..texts.len()).collect();
        if keep.is_some() {
            order.sort_by_key(|&at| std::cmp::Reverse(texts[at][0].len()));
        }
        let expected = twin.decisions(&order, (references, only));
        let found: Vec<Value> = answer.decisions.lines().map(known).collect();
        prop_assert_eq!(&found, &expected);
        let is_kept = |line: &Value| line[2].is_null();
        let kept = records[references..].iter().zip(&found).filter(|(_, line)| is_kept(line));
        prop_assert_eq!(&answer.kept, &kept.map(|(record, _)| record.clone()).collect::<String>());
        let share = answer.summary.finding.found_at_threshold;
        prop_assert!(twin.method.shape().is_none() || share.unwrap() >= config.method.recall - 1e-9);

        for enumerated in (0..fields).map(Some) {
            let others = Some(OtherFields { enumerated, ..others.clone() });
            let block = (memory == Some(0)).then_some(512);
            let other = RunConfig { other_fields: others, threads, memory, crowd, block, ..config.clone() };
            let again = run(&other, folder.path());
            prop_assert_eq!((&again.decisions, &again.kept), (&answer.decisions, &answer.kept));
        }
    }
}

//! `lookalike compare`.

use std::{fmt::Write, process::ExitCode};

use anyhow::Context;
use clap::Args;
use lookalike::{
    Config, Method, Scratch,
    fingerprint::fingerprint_set,
    lsh::{DEFAULT_SLOTS, Shape},
    sketch::{Estimate, MinHash},
    verify::{Figures, Overlap, Passage, passages},
};
use lookalike_engine::{RunConfig, find_texts};
use serde::Serialize;

use crate::{
    args::{FieldArgs, ShingleArgs},
    output::{BOLD, DIM, GREEN, RED, count, counted, print},
};

/// Compare two texts, and show what they share
///
/// A and B are two text files or, with --in, the ids of two documents of a collection. Prints the exact resemblance and the
/// containment both ways, what a sketch of each would have estimated, with the interval that holds the truth 95 times in
/// 100, and both texts with the shared passages in green and the others in red.
///
/// With --threshold, exit code 1 when the resemblance is below it.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike compare old.txt new.txt\n  \
    lookalike compare mit apache-2.0 --in licenses.jsonl.zst --full")]
pub struct Compare {
    /// A text file, or an id
    a: String,
    /// Another
    b: String,
    /// Look for A and B as ids in this file, folder or quoted glob; may be given several times. An id is written without its
    /// quotes; of a number and a string that look alike, the string is meant when it is written with its quotes
    #[arg(long = "in", value_name = "INPUT")]
    collection: Vec<String>,
    #[command(flatten)]
    fields: FieldArgs,
    #[command(flatten)]
    shingles: ShingleArgs,
    /// Say no (exit code 1) when the resemblance is below T
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparing")]
    threshold: Option<f64>,
    /// Print long passages whole
    #[arg(long)]
    full: bool,
    /// Print all figures and the passages' places (in bytes) as JSON
    #[arg(long)]
    json: bool,
}

/// All that is known of the pair.
#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    #[serde(flatten)]
    figures: Figures,
    sketch: Sketched,
    passages_a: Vec<Place>,
    passages_b: Vec<Place>,
}

/// What MinHash signatures of the two would have said.
#[derive(Serialize)]
struct Sketched {
    slots: usize,
    resemblance: Estimate,
    containment_ab: Estimate,
    containment_ba: Estimate,
}

#[derive(Serialize)]
struct Place {
    start: usize,
    end: usize,
    shared: bool,
}

impl Compare {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let method = Method::new(self.shingles.config()?)?;
        if let Some(threshold) = self.threshold {
            Shape::check(threshold, method.config().recall)?;
        }
        let texts = self.texts()?;
        let mut scratch = Scratch::default();
        let sets = texts.each_ref().map(|text| {
            method.set(text, &mut scratch);
            scratch.fingerprints.clone()
        });
        let overlap = Overlap::of(&sets[0], &sets[1]);
        // What is shown is the shingles that both have, however their occurrences are counted and their numbers made.
        let Config { tokens, folds, .. } = *method.config();
        let plain = texts.each_ref().map(|text| fingerprint_set(text, tokens, folds, method.shingling()));
        let passages =
            [(0, 1), (1, 0)].map(|(own, other)| passages(&texts[own], &plain[other], tokens, folds, method.shingling()));
        let report = self.report(&method, &sets, overlap, &passages)?;
        if self.json {
            print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
        } else {
            print(&self.page(&report, &texts, &passages))?;
        }
        Ok(ExitCode::from(u8::from(self.threshold.is_some_and(|t| report.figures.resemblance < t))))
    }

    fn texts(&self) -> anyhow::Result<[String; 2]> {
        if self.collection.is_empty() {
            let read = |path: &String| {
                let bytes = std::fs::read(path)
                    .with_context(|| format!("{path}: cannot be read; name a text file, or a collection with --in for ids"))?;
                String::from_utf8(bytes).map_err(|error| {
                    let at = error.utf8_error().valid_up_to() + 1;
                    anyhow::anyhow!("{path}: invalid UTF-8 at byte {at}; convert the file to UTF-8, for instance with iconv")
                })
            };
            return Ok([read(&self.a)?, read(&self.b)?]);
        }
        let config = RunConfig {
            inputs: self.collection.clone(),
            text_field: self.fields.text_field.clone(),
            id_field: self.fields.id_field.clone(),
            ..RunConfig::default()
        };
        let texts = find_texts(&config, &[&self.a, &self.b])?;
        texts.try_into().map_err(|_| anyhow::anyhow!("two documents were asked for"))
    }

    fn report(
        &self,
        method: &Method,
        sets: &[Vec<u64>; 2],
        overlap: Overlap,
        cut: &[Vec<Passage>; 2],
    ) -> anyhow::Result<Report<'_>> {
        let minhash = MinHash::new(DEFAULT_SLOTS, method.config().seed);
        let signatures = sets.each_ref().map(|set| minhash.signature(set));
        let resemblance = signatures[0].resemblance(&signatures[1])?;
        // |A ∩ B| = r / (1 + r) · (|A| + |B|), so containment grows with r.
        let both = (overlap.a + overlap.b) as f64;
        let containment = |size: u64| resemblance.map(|r| (r / (1.0 + r) * both / size.max(1) as f64).min(1.0));
        let places =
            |cut: &[Passage]| cut.iter().map(|p| Place { start: p.span.start, end: p.span.end, shared: p.shared }).collect();
        Ok(Report {
            a: &self.a,
            b: &self.b,
            figures: overlap.into(),
            sketch: Sketched {
                slots: minhash.slots(),
                resemblance,
                containment_ab: containment(overlap.a),
                containment_ba: containment(overlap.b),
            },
            passages_a: places(&cut[0]),
            passages_b: places(&cut[1]),
        })
    }

    /// What a person sees.
    fn page(&self, r: &Report, texts: &[String; 2], cut: &[Vec<Passage>; 2]) -> String {
        let mut page = String::new();
        let interval = |e: &Estimate| format!("{:.3} ({:.3} to {:.3})", e.value, e.low, e.high);
        let mut line = |what: &str, value: f64, words: String, estimate: &Estimate| {
            let _ = writeln!(page, "{what:<22} {BOLD}{value:.4}{BOLD:#}  {words:<34} {DIM}sketch: {}{DIM:#}", interval(estimate));
        };
        let either = r.figures.size_a + r.figures.size_b - r.figures.intersection;
        line(
            "resemblance",
            r.figures.resemblance,
            format!("{} of {} shared", count(r.figures.intersection), counted(either, "shingle")),
            &r.sketch.resemblance,
        );
        line(
            "containment of A in B",
            r.figures.containment_ab,
            format!("{} of A's {}", count(r.figures.intersection), count(r.figures.size_a)),
            &r.sketch.containment_ab,
        );
        line(
            "containment of B in A",
            r.figures.containment_ba,
            format!("{} of B's {}", count(r.figures.intersection), count(r.figures.size_b)),
            &r.sketch.containment_ba,
        );
        let _ = writeln!(
            page,
            "{DIM}sketch: estimates from {} slots; their intervals hold the truth 95 times in 100{DIM:#}",
            r.sketch.slots
        );
        for ((which, name), (text, cut)) in [("A", r.a), ("B", r.b)].into_iter().zip(texts.iter().zip(cut)) {
            let _ = writeln!(page, "\n{BOLD}{which}: {name}{BOLD:#}  {GREEN}shared{GREEN:#} {RED}not shared{RED:#}");
            for passage in cut {
                let style = if passage.shared { GREEN } else { RED };
                let _ = write!(page, "{style}{}{style:#}", self.shown(&text[passage.span.start..passage.span.end]));
            }
            page.push('\n');
        }
        page
    }

    /// A passage; of a long one, unless all is asked for, its two ends.
    fn shown(&self, passage: &str) -> String {
        const END: usize = 200;
        let count = passage.chars().count();
        if self.full || count <= 2 * END + 40 {
            return passage.into();
        }
        let at = |n: usize| passage.char_indices().nth(n).map_or(passage.len(), |(at, _)| at);
        format!("{} […{} characters…] {}", &passage[..at(END)], count - 2 * END, &passage[at(count - END)..])
    }
}

//! Compares the decisions on a `make-web` collection with its truth.
//!
//! Both files are read in input order, in one pass; one bit per document is held in memory. A copy whose resemblance to its
//! original is at least the threshold must be dropped; *recall* is the share of such copies that are dropped. Every dropped
//! document must truly resemble the document that its decision names, and that document must be kept; otherwise the drop is
//! *wrong*. If the truth does not show that their resemblance reaches the threshold, both texts are composed again and measured
//! by the core. In addition, one in a thousand lines of the truth is checked by measuring the resemblance in the same way.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, bail, ensure};
use clap::Parser;
use lookalike::{
    fingerprint::fingerprint_set,
    shingle::Shingling,
    text::{Folds, TokensBy},
    verify::Overlap,
};
use lookalike_bench::web::{Composer, Plan, Pool};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Check the decisions on a make-web collection
#[derive(Parser)]
struct Arguments {
    /// The file that make-web --truth wrote
    truth: PathBuf,
    /// The file that lookalike dedup --decisions wrote
    decisions: PathBuf,
    /// The value of --data that was given to make-web
    #[arg(long)]
    data: PathBuf,
    /// The value of --documents that was given to make-web
    #[arg(long)]
    documents: u64,
    /// The value of --seed that was given to make-web
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 0.8)]
    threshold: f64,
    /// Measure one of every SAMPLE lines of the truth
    #[arg(long, default_value_t = 1000)]
    sample: u64,
}

#[derive(Deserialize)]
struct Decision<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    verdict: &'a str,
    #[serde(borrow)]
    representative: Option<&'a RawValue>,
}

/// The number of copies whose resemblance to their original is at least the threshold, and how many of them are dropped.
#[derive(Debug, Default, Serialize)]
struct Found {
    of: u64,
    dropped: u64,
}

impl Found {
    fn count(&mut self, dropped: bool) {
        self.of += 1;
        self.dropped += u64::from(dropped);
    }
}

#[derive(Debug, Default, Serialize)]
struct Verdict {
    documents: u64,
    kept: u64,
    dropped: u64,
    recall: f64,
    wrong_drops: u64,
    identical: Found,
    /// Copies by resemblance, in four equal ranges from the threshold to 1. At a threshold of 0.8, the ranges end at 0.85, 0.9,
    /// 0.95 and 1.
    similar: [Found; 4],
    /// Copies with so many edits that they fall below the threshold, and how many of them are dropped, for whatever reason.
    below: Found,
    /// The number of dropped documents whose resemblance to the kept document was measured, because the truth does not show that
    /// it reaches the threshold.
    measured_drops: u64,
    /// The number of lines of the truth that were checked by measuring the resemblance. All of these lines are right, because the
    /// program ends with an error at the first wrong one.
    measured_truth: u64,
    seconds: f64,
}

struct Truth {
    place: u64,
    original: u64,
    copy: bool,
    overlap: (u64, u64),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let composer = Composer::new(
        Plan::new(arguments.documents, arguments.seed),
        Pool::load(&arguments.data)?,
    );
    let mut judge = Judge {
        composer,
        threshold: arguments.threshold,
        kept: Vec::new(),
        verdict: Verdict::default(),
    };
    judge
        .kept
        .resize(arguments.documents.div_ceil(64) as usize, 0);
    judge.all(&arguments)?;
    let mut verdict = judge.verdict;
    let similar =
        |f: fn(&Found) -> u64| verdict.similar.iter().map(f).sum::<u64>() + f(&verdict.identical);
    verdict.recall =
        similar(|found| found.dropped) as f64 / similar(|found| found.of).max(1) as f64;
    verdict.seconds = started.elapsed().as_secs_f64();
    println!("{}", serde_json::to_string_pretty(&verdict)?);
    Ok(())
}

struct Judge {
    composer: Composer,
    threshold: f64,
    kept: Vec<u64>,
    verdict: Verdict,
}

impl Judge {
    fn all(&mut self, arguments: &Arguments) -> anyhow::Result<()> {
        let mut truths = lines(&arguments.truth)?;
        let mut decisions = lines(&arguments.decisions)?;
        let (mut line, mut scratch) = (Vec::new(), Vec::new());
        let (mut coming, mut reported) = (next_truth(&mut truths, &mut scratch)?, 0u64);
        while read_line(&mut decisions, &mut line)? {
            let place = self.verdict.documents;
            let decision: Decision =
                serde_json::from_slice(&line).with_context(|| format!("decision {place}"))?;
            ensure!(
                number(decision.id.get()) == Some(place),
                "decision {place} is on {}",
                decision.id.get()
            );
            let truth = coming.take_if(|truth| truth.place == place);
            if let Some(truth) = &truth {
                if reported % arguments.sample == 0 {
                    self.check(truth)?;
                }
                reported += 1;
                coming = next_truth(&mut truths, &mut scratch)?;
            }
            self.one(place, &decision, truth)?;
        }
        ensure!(
            coming.is_none(),
            "the truth has more documents than the decisions"
        );
        ensure!(
            self.verdict.documents == arguments.documents,
            "{} decisions",
            self.verdict.documents
        );
        Ok(())
    }

    fn one(&mut self, place: u64, decision: &Decision, truth: Option<Truth>) -> anyhow::Result<()> {
        let dropped = match decision.verdict {
            "kept" => false,
            "dropped" => true,
            other => bail!("decision {place} is {other:?}"),
        };
        self.verdict.documents += 1;
        *(if dropped {
            &mut self.verdict.dropped
        } else {
            &mut self.verdict.kept
        }) += 1;
        self.kept[place as usize / 64] |= u64::from(!dropped) << (place % 64);
        let mut expected = None;
        if let Some(truth) = truth {
            let resemblance = truth.overlap.0 as f64 / truth.overlap.1 as f64;
            match () {
                () if resemblance < self.threshold => self.verdict.below.count(dropped),
                () => {
                    let share = (resemblance - self.threshold) / (1.0 - self.threshold);
                    let similar = &mut self.verdict.similar[((4.0 * share) as usize).min(3)];
                    (if truth.copy {
                        &mut self.verdict.identical
                    } else {
                        similar
                    })
                    .count(dropped);
                    expected = Some(truth.original);
                }
            }
        }
        if dropped {
            let named = decision.representative.and_then(|id| number(id.get()));
            let Some(representative) = named.filter(|&r| r < place) else {
                bail!("{place} is dropped for {named:?}")
            };
            let is_kept = self.kept[representative as usize / 64] >> (representative % 64) & 1 == 1;
            // A drop that the plan expects is not measured again, because the truth contains its resemblance.
            let right = is_kept
                && (expected == Some(representative) || self.measured(place, representative)?);
            self.verdict.wrong_drops += u64::from(!right);
        }
        Ok(())
    }

    fn measured(&mut self, a: u64, b: u64) -> anyhow::Result<bool> {
        self.verdict.measured_drops += 1;
        Ok(self.overlap(a, b)?.resemblance() >= self.threshold)
    }

    fn check(&mut self, truth: &Truth) -> anyhow::Result<()> {
        let overlap = self.overlap(truth.place, truth.original)?;
        let counted = (overlap.shared, overlap.a + overlap.b - overlap.shared);
        // If an original contains the same window twice, it has fewer shingles than the plan counts. One window in ten million is
        // repeated.
        ensure!(
            counted == truth.overlap,
            "{} and {}: {counted:?}, not {:?}",
            truth.place,
            truth.original,
            truth.overlap
        );
        self.verdict.measured_truth += 1;
        Ok(())
    }

    fn overlap(&self, a: u64, b: u64) -> anyhow::Result<Overlap> {
        Ok(Overlap::of(&self.set(a)?, &self.set(b)?))
    }

    fn set(&self, place: u64) -> anyhow::Result<Vec<u64>> {
        #[derive(Deserialize)]
        struct Record {
            text: String,
        }
        let mut line = Vec::new();
        self.composer.line(place, &mut line);
        let record: Record = serde_json::from_slice(&line)?;
        Ok(fingerprint_set(
            &record.text,
            TokensBy::Auto,
            Folds::default(),
            Shingling::new(5)?,
        ))
    }
}

fn lines(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

fn read_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> anyhow::Result<bool> {
    line.clear();
    Ok(lines.read_until(b'\n', line)? > 0)
}

fn next_truth(lines: &mut impl BufRead, scratch: &mut Vec<u8>) -> anyhow::Result<Option<Truth>> {
    if !read_line(lines, scratch)? {
        return Ok(None);
    }
    let line = str::from_utf8(scratch)?;
    let fields: Vec<&str> = line.split_whitespace().collect();
    let &[place, original, kind, shared, union] = &fields[..] else {
        bail!("no line of truth: {line}")
    };
    Ok(Some(Truth {
        place: place.parse()?,
        original: original.parse()?,
        copy: kind == "copy",
        overlap: (shared.parse()?, union.parse()?),
    }))
}

/// Returns the place of a document in the collection, which is the number at the end of its id.
fn number(id: &str) -> Option<u64> {
    let end = id.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = id[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + 1);
    id[start..end].parse().ok()
}

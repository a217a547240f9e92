//! Holds the decisions on a collection of `make-web` against its truth.
//!
//! Both are read in input order, in one pass; what is held is a bit a document. A copy whose resemblance to its original is at
//! least the threshold must be dropped: *recall* is how many are. Whatever else is dropped must be so for a kept document that
//! it truly resembles: both texts are made again and measured by the core, and *wrong drops* are those below the threshold. Of
//! the truth itself one line in a thousand is measured so, too.

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

/// Judge the decisions on a collection of make-web
#[derive(Parser)]
struct Arguments {
    /// What make-web --truth wrote
    truth: PathBuf,
    /// What lookalike dedup --decisions wrote
    decisions: PathBuf,
    /// As make-web had it
    #[arg(long)]
    data: PathBuf,
    /// As make-web had it
    #[arg(long)]
    documents: u64,
    /// As make-web had it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 0.8)]
    threshold: f64,
    /// One line of the truth in this many is measured
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

/// Copies that resemble their original by the threshold or more, and how many of them are dropped.
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
    /// Resemblance from the threshold to 0.85, 0.9, 0.95, 1.
    similar: [Found; 4],
    /// Copies edited so much that they fall below the threshold, and how many of them are dropped, for whatever reason.
    below: Found,
    /// Drops that the plan does not ask for, each measured.
    measured_drops: u64,
    /// Lines of the truth that were measured, all exact.
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
    let composer = Composer::new(Plan::new(arguments.documents, arguments.seed), Pool::load(&arguments.data)?);
    let mut judge = Judge { composer, threshold: arguments.threshold, kept: Vec::new(), verdict: Verdict::default() };
    judge.kept.resize(arguments.documents.div_ceil(64) as usize, 0);
    judge.all(&arguments)?;
    let mut verdict = judge.verdict;
    let similar = |f: fn(&Found) -> u64| verdict.similar.iter().map(f).sum::<u64>() + f(&verdict.identical);
    verdict.recall = similar(|found| found.dropped) as f64 / similar(|found| found.of).max(1) as f64;
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
        let (mut line, mut room) = (Vec::new(), Vec::new());
        let (mut coming, mut told) = (next_truth(&mut truths, &mut room)?, 0u64);
        while read_line(&mut decisions, &mut line)? {
            let place = self.verdict.documents;
            let decision: Decision = serde_json::from_slice(&line).with_context(|| format!("decision {place}"))?;
            ensure!(number(decision.id.get()) == Some(place), "decision {place} is on {}", decision.id.get());
            let truth = coming.take_if(|truth| truth.place == place);
            if let Some(truth) = &truth {
                if told % arguments.sample == 0 {
                    self.check(truth)?;
                }
                told += 1;
                coming = next_truth(&mut truths, &mut room)?;
            }
            self.one(place, &decision, truth)?;
        }
        ensure!(coming.is_none(), "the truth is of more documents than the decisions");
        ensure!(self.verdict.documents == arguments.documents, "{} decisions", self.verdict.documents);
        Ok(())
    }

    fn one(&mut self, place: u64, decision: &Decision, truth: Option<Truth>) -> anyhow::Result<()> {
        let dropped = match decision.verdict {
            "kept" => false,
            "dropped" => true,
            other => bail!("decision {place} is {other:?}"),
        };
        self.verdict.documents += 1;
        *(if dropped { &mut self.verdict.dropped } else { &mut self.verdict.kept }) += 1;
        self.kept[place as usize / 64] |= u64::from(!dropped) << (place % 64);
        let mut expected = None;
        if let Some(truth) = truth {
            let resemblance = truth.overlap.0 as f64 / truth.overlap.1 as f64;
            match () {
                () if resemblance < self.threshold => self.verdict.below.count(dropped),
                () => {
                    let share = (resemblance - self.threshold) / (1.0 - self.threshold);
                    let similar = &mut self.verdict.similar[((4.0 * share) as usize).min(3)];
                    (if truth.copy { &mut self.verdict.identical } else { similar }).count(dropped);
                    expected = Some(truth.original);
                }
            }
        }
        if dropped {
            let named = decision.representative.and_then(|id| number(id.get()));
            let Some(representative) = named.filter(|&r| r < place) else { bail!("{place} is dropped for {named:?}") };
            let is_kept = self.kept[representative as usize / 64] >> (representative % 64) & 1 == 1;
            // What the plan expects was measured with the truth.
            let right = is_kept && (expected == Some(representative) || self.measured(place, representative)?);
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
        // An original with a repeated window has fewer than the plan counts; that is once in ten million windows.
        ensure!(counted == truth.overlap, "{} and {}: {counted:?}, not {:?}", truth.place, truth.original, truth.overlap);
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
        Ok(fingerprint_set(&record.text, TokensBy::Auto, Folds::default(), Shingling::new(5)?))
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

fn next_truth(lines: &mut impl BufRead, room: &mut Vec<u8>) -> anyhow::Result<Option<Truth>> {
    if !read_line(lines, room)? {
        return Ok(None);
    }
    let line = str::from_utf8(room)?;
    let fields: Vec<&str> = line.split_whitespace().collect();
    let &[place, original, kind, shared, union] = &fields[..] else { bail!("no line of truth: {line}") };
    Ok(Some(Truth {
        place: place.parse()?,
        original: original.parse()?,
        copy: kind == "copy",
        overlap: (shared.parse()?, union.parse()?),
    }))
}

/// The place in an id: its last digits.
fn number(id: &str) -> Option<u64> {
    let end = id.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = id[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    id[start..end].parse().ok()
}

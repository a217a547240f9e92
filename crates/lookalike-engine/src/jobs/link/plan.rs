//! Says what a run would take, without scoring all candidates: `--dry-run`.

use std::{hint::black_box, time::Instant};

use lookalike_applications::records::Block;
use lookalike_io::{
    error::{Result, without_panic},
    pool::{install, par_map},
};
use serde::Serialize;

use super::{
    asked::Link,
    beginning::{Begun, begin, check},
    looking::clusters::Weakest,
    pairing::{
        candidates::{Wanted, candidates, count, is_zero},
        matched::FoundPairs,
        numbered::pair_at,
    },
    reading::records::Gathered,
};
use crate::config::{Observer, RunConfig, Stage};

/// If blocks make more pairs than this, it is not counted how many of them several blocks make.
const COUNTED: u64 = 50_000_000;

/// The number of pairs that are scored to measure the time; up to twice as many are.
const TIMED: usize = 20_000;

/// What a run would take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkPlan {
    /// Records read.
    pub records: u64,
    /// Records of the first collection, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records_a: Option<u64>,
    /// The number of all pairs of records. If there are two collections, only pairs of records from different collections count.
    pub possible_pairs: u64,
    /// The pairs that each block makes.
    pub blocks: Vec<BlockPlan>,
    /// The pairs that would be scored.
    pub candidates: u64,
    /// Whether this is the exact number. If not, it is an upper bound: pairs that several blocks make are counted several times.
    pub is_exact: bool,
    /// Pairs that were scored to measure the time.
    pub timed: u64,
    /// The estimated time of a run in seconds, without writing the output. It differs from one dry run to the next; all other figures
    /// depend only on the records.
    pub seconds: f64,
    /// Bytes of memory that records, their keys, the model and the clusters need, and that cannot be spilled. Everything else is
    /// limited by the memory limit.
    pub memory: u64,
}

/// The pairs that a block makes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockPlan {
    /// What the block requires of a pair.
    pub block: String,
    /// Pairs that meet it, also if an earlier block makes them, too. If the block uses bands, this is an upper bound, because a pair is
    /// counted for each band that it shares.
    pub pairs: u64,
    /// Whether the number of pairs is an upper bound.
    pub is_bound: bool,
    /// Candidate pairs that no earlier block makes; `None` if they were not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u64>,
    /// Values that would be skipped because too many records have them (`at_most`).
    #[serde(skip_serializing_if = "is_zero")]
    pub values_passed_over: u64,
    /// Pairs of records that share a skipped value, as in [`BlockFigures`](super::pairing::candidates::BlockFigures).
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_passed_over: u64,
}

/// Reads records, learns weights if the configuration says so, counts the pairs of each block and scores some of them, to say how long a
/// run takes and how much memory it needs. Writes nothing.
///
/// # Errors
/// Fails for the same reasons as [`link`](crate::jobs::link::link), except for those that concern outputs.
pub fn plan_link(config: &RunConfig, asked: &Link, observer: Observer) -> Result<LinkPlan> {
    without_panic(|| {
        let started = Instant::now();
        let linker = check(config, asked)?;
        let Begun {
            pool,
            gathered,
            budget,
            taught,
            size,
            ..
        } = begin(config, asked, linker, &[], observer)?;
        let linker = taught.linker;
        let prepared = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let mut sample = Sample::default();
        let counted = count(&gathered, &linker, (&budget, &pool), |bucket, pairs| {
            sample.take(bucket, pairs, &gathered)
        })?;
        let mut making = started.elapsed().as_secs_f64();
        let bound: u64 = counted.iter().map(|block| block.pairs).sum();
        let exact = (bound <= COUNTED).then(|| {
            let started = Instant::now();
            let means = (&budget, &pool);
            let none = |_, _| None::<()>;
            let found = candidates(
                (&gathered, &linker),
                Wanted::All,
                means,
                (observer, Stage::Scoring),
                none,
                |()| Ok(()),
            );
            making = started.elapsed().as_secs_f64();
            found
        });
        let exact = exact.transpose()?;
        let pairs = exact.as_ref().map_or(bound, |found| {
            found.iter().map(|block| block.candidates).sum()
        });

        let started = Instant::now();
        let least = linker.least();
        let score = |&(a, b): &(u32, u32)| {
            black_box(linker.score_from(&gathered.records, a, b, least));
        };
        install(&pool, || par_map(&sample.pairs, score));
        let each = started.elapsed().as_secs_f64() / sample.pairs.len().max(1) as f64;

        let columns: usize = linker.blocks().iter().map(Block::keys).sum();
        let of_model = if linker.model().is_some() {
            4 * gathered.records.fields()
        } else {
            0
        };
        let of_matching = if linker.is_one_to_one() {
            FoundPairs::SIZE
        } else {
            0
        };
        let for_each = 4 * columns + of_model + of_matching + 4 + Weakest::SIZE;
        let blocks = counted
            .into_iter()
            .enumerate()
            .map(|(at, block)| BlockPlan {
                block: block.figures.block,
                pairs: block.pairs,
                is_bound: block.figures.in_bands,
                candidates: exact.as_ref().map(|found| found[at].candidates),
                values_passed_over: block.figures.values_passed_over,
                pairs_passed_over: block.figures.pairs_passed_over,
            });
        Ok(LinkPlan {
            records: gathered.records.len() as u64,
            records_a: gathered.second().map(u64::from),
            possible_pairs: gathered.pairs(),
            blocks: blocks.collect(),
            candidates: pairs,
            is_exact: exact.is_some(),
            timed: sample.pairs.len() as u64,
            seconds: ((prepared + making + each * pairs as f64) * 1000.0).round() / 1000.0,
            memory: (size + linker.size_of_counts() + for_each * gathered.records.len()) as u64,
        })
    })
}

/// Pairs at equal distances among the pairs of all buckets.
#[derive(Default)]
struct Sample {
    pairs: Vec<(u32, u32)>,
    /// The pairs that have passed, and how often every second pair was left out.
    seen: u64,
    halved: u32,
}

impl Sample {
    /// Takes some of a bucket's pairs.
    fn take(&mut self, bucket: &[u32], pairs: u64, gathered: &Gathered) {
        let first = gathered
            .are_two()
            .then(|| bucket.partition_point(|&record| record < gathered.split) as u64);
        let end = self.seen + pairs;
        loop {
            let next = (self.pairs.len() as u64) << self.halved;
            if next >= end {
                break;
            }
            let (a, b) = pair_at(next - self.seen, first, bucket.len() as u64);
            self.pairs.push((bucket[a], bucket[b]));
            if self.pairs.len() >= 2 * TIMED {
                let mut at = 0;
                self.pairs.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.halved += 1;
            }
        }
        self.seen = end;
    }
}

//! Records → candidates, each pair once and scored as it comes.
//!
//! A block gives each record one key or several: columns. A column's records are sorted by key, so that each value is a bucket, and the
//! pairs of a bucket are candidates; but those that an earlier column has made, which two looks at its keys tell, are not made again.
//! Four bytes a record and column stay.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::records::{Linker, NO_KEY, Scored};
use rayon::{ThreadPool, prelude::*};
use serde::Serialize;

use super::{gathering::Gathered, judging::Truth};
use crate::config::{Observer, Progress, Stage};

/// What came of a block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockFigures {
    /// What it asks for.
    pub block: String,
    /// Candidates that no earlier block made.
    pub candidates: u64,
    /// Whether it is of bands: then values are buckets of one, a value may be in several, and so may a pair.
    #[serde(skip)]
    pub in_bands: bool,
    /// Values passed over because too many records have them (`at_most`).
    #[serde(skip_serializing_if = "is_zero")]
    pub values_passed_over: u64,
    /// Pairs of records with these values, of bands counted in each, so that they are at most so many; other blocks may have made
    /// some of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_passed_over: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What was found among the candidates.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Pairs of at least the least score, sorted.
    pub(super) pairs: Vec<Scored>,
    pub(super) blocks: Vec<BlockFigures>,
    /// Candidates that are true pairs.
    pub(super) right: u64,
}

/// A key of each record; 0 where it has none, and where its value was passed over.
struct Column {
    block: usize,
    keys: Vec<u32>,
}

impl Column {
    /// Not 0: what falls together is told apart where it matters.
    fn key(key: u64) -> u32 {
        if key == NO_KEY { 0 } else { (key as u32).max(1) }
    }
}

/// Records of one key each, one behind the other; each with the end of its bucket.
#[derive(Default)]
struct Buckets {
    records: Vec<u32>,
    ends: Vec<u32>,
    /// Pairs that they make.
    pairs: u64,
}

impl Buckets {
    fn push(&mut self, bucket: &[u32], gathered: &Gathered) {
        self.pairs += pairs_among(bucket, gathered);
        self.records.extend_from_slice(bucket);
        self.ends.resize(self.records.len(), self.records.len() as u32);
    }
}

/// Records whose keys are made at once.
const AT_A_TIME: usize = 4096;

/// Scores all candidates that reach `least`, on all threads; which they are, and in what order they come, does not depend on threads.
pub(super) fn candidates(
    gathered: &Gathered,
    linker: &Linker,
    truth: Option<&Truth>,
    least: f64,
    pool: &ThreadPool,
    observer: Observer,
) -> Found {
    let (mut found, mut columns) = (Found::default(), Vec::<Column>::new());
    let all: Vec<u32> = (0..gathered.records.len() as u32).collect();
    for (number, block) in linker.blocks().iter().enumerate() {
        let mut figures = BlockFigures {
            block: block.name().into(),
            candidates: 0,
            in_bands: block.has_bands(),
            values_passed_over: 0,
            pairs_passed_over: 0,
        };
        let width = block.keys();
        let made: Vec<Vec<u64>> = pool.install(|| {
            let keys = |some: &[u32]| {
                let mut keys = Vec::with_capacity(some.len() * width);
                some.iter().for_each(|&record| block.write_keys(&gathered.records, record, &mut keys));
                keys
            };
            all.par_chunks(AT_A_TIME).map(keys).collect()
        });
        for at in 0..width {
            let keys = || made.iter().flat_map(|piece| piece.iter().skip(at).step_by(width)).copied();
            let mut column = Column { block: number, keys: keys().map(Column::key).collect() };
            let mut rows: Vec<(u64, u32)> = keys().zip(0..).filter(|&(key, _)| key != NO_KEY).collect();
            let buckets = pool.install(|| {
                rows.par_sort_unstable();
                bucketed(&rows, gathered, linker, &mut column, &mut figures)
            });
            drop(rows);
            let tally = pool.install(|| scored(&buckets, gathered, linker, &columns, (truth, least), observer));
            figures.candidates += tally.candidates;
            found.right += tally.right;
            found.pairs.extend(tally.pairs);
            columns.push(column);
        }
        found.blocks.push(figures);
    }
    pool.install(|| found.pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b)));
    found
}

/// Rows sorted by key → buckets of two records or more that have the very same values; what is too common is passed over.
fn bucketed(
    rows: &[(u64, u32)],
    gathered: &Gathered,
    linker: &Linker,
    column: &mut Column,
    figures: &mut BlockFigures,
) -> Buckets {
    let mut buckets = Buckets::default();
    let block = &linker.blocks()[column.block];
    let mut take = |bucket: &[u32]| {
        if block.at_most().is_some_and(|most| bucket.len() > most as usize) {
            figures.values_passed_over += 1;
            figures.pairs_passed_over += pairs_among(bucket, gathered);
            bucket.iter().for_each(|&record| column.keys[record as usize] = 0);
        } else if bucket.len() > 1 {
            buckets.push(bucket, gathered);
        }
    };
    let mut members = Vec::new();
    for bucket in rows.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
        members.clear();
        members.extend(bucket.iter().map(|row| row.1));
        // Two values with one hash, once in 2⁶⁴: those of the first record's value are taken out until none is left.
        while let Some(&first) = members.first() {
            let same = |&record: &u32| block.confirms(&gathered.records, first, record);
            if members[1..].iter().all(same) {
                take(&members);
                break;
            }
            let (own, others): (Vec<u32>, Vec<u32>) = members.iter().partition(|&&record| record == first || same(&record));
            take(&own);
            members = others;
        }
    }
    buckets
}

/// Pairs of a bucket's records; of two collections those across.
fn pairs_among(bucket: &[u32], gathered: &Gathered) -> u64 {
    let (first, all) = (bucket.partition_point(|&record| record < gathered.split) as u64, bucket.len() as u64);
    if gathered.are_two() { first * (all - first) } else { all * (all - 1) / 2 }
}

#[derive(Default)]
struct Tally {
    pairs: Vec<Scored>,
    candidates: u64,
    right: u64,
}

impl Tally {
    fn and(mut self, mut other: Self) -> Self {
        self.pairs.append(&mut other.pairs);
        Self { pairs: self.pairs, candidates: self.candidates + other.candidates, right: self.right + other.right }
    }
}

/// Pairs after which it is told how many are done.
const TOLD: u64 = 1 << 16;

/// Scores the pairs of a column's buckets that no earlier column has.
fn scored(
    buckets: &Buckets,
    gathered: &Gathered,
    linker: &Linker,
    earlier: &[Column],
    (truth, least): (Option<&Truth>, f64),
    observer: Observer,
) -> Tally {
    let records = &gathered.records;
    let done = AtomicU64::new(0);
    let met = |a: u32, b: u32| {
        earlier.iter().any(|column| {
            let key = column.keys[a as usize];
            key != 0 && key == column.keys[b as usize] && linker.blocks()[column.block].confirms(records, a, b)
        })
    };
    let of_one = |mut tally: Tally, at: usize| {
        let a = buckets.records[at];
        let others = &buckets.records[at + 1..buckets.ends[at] as usize];
        let others = match gathered.are_two() {
            true if a >= gathered.split => &[],
            true => &others[others.partition_point(|&record| record < gathered.split)..],
            false => others,
        };
        for &b in others {
            if met(a, b) {
                continue;
            }
            tally.candidates += 1;
            tally.right += u64::from(truth.is_some_and(|truth| truth.has(a, b)));
            if let Some(score) = linker.score_from(records, a, b, least) {
                tally.pairs.push(Scored { a, b, score });
            }
        }
        let before = done.fetch_add(others.len() as u64, Ordering::Relaxed);
        let after = before + others.len() as u64;
        if before / TOLD != after / TOLD {
            observer(Progress::new(Stage::Scoring, after, buckets.pairs));
        }
        tally
    };
    (0..buckets.records.len()).into_par_iter().fold(Tally::default, of_one).reduce(Tally::default, Tally::and)
}

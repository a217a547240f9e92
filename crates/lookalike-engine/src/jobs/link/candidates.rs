//! Records → candidates, each pair once and scored as it comes.
//!
//! A block gives each record one key or several: columns. A column's records are sorted by key, so that each value is a bucket, and the
//! pairs of a bucket are candidates, except those that an earlier column has made, which two looks at its keys show. Keys, rows and pairs
//! are streams that go to temporary files when memory is short; four bytes a record and column stay.

use std::sync::Arc;

use lookalike_applications::records::{Block, Linker, NO_KEY, Scored};
use lookalike_io::{
    error::Result,
    spill::{Budget, Sorter, Spill},
};
use rayon::{ThreadPool, prelude::*};
use serde::Serialize;

use super::{records::Gathered, truth::Truth};
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

/// Records whose keys are made by one worker at once, and by all of them.
const BY_ONE: usize = 1 << 10;
const AT_A_TIME: usize = 1 << 16;

/// Sorters that are at work at the same time: one of a column's rows, one of the pairs that are found.
pub(super) const SORTERS: usize = 2;

/// Scores all candidates and gives those that reach `least`, in an order that depends on nothing but the records.
pub(super) fn candidates(
    gathered: &Gathered,
    linker: &Linker,
    (truth, least): (Option<&Truth>, f64),
    (budget, pool): (&Arc<Budget>, &ThreadPool),
    observer: Observer,
    mut give: impl FnMut(Scored) -> Result<()>,
) -> Result<Found> {
    let (mut found, mut columns) = (Found::default(), Vec::<Column>::new());
    for (number, block) in linker.blocks().iter().enumerate() {
        let mut figures = BlockFigures {
            block: block.name().into(),
            candidates: 0,
            in_bands: block.has_bands(),
            values_passed_over: 0,
            pairs_passed_over: 0,
        };
        for keys in keys(block, gathered, budget, pool)? {
            let mut column = Column { block: number, keys: Vec::with_capacity(gathered.records.len()) };
            budget.hold(4 * gathered.records.len());
            let mut rows = Sorter::<[u64; 2]>::new(budget, SORTERS, pool);
            keys.each_piece(1, |first, keys| {
                column.keys.extend(keys.iter().copied().map(Column::key));
                let keyed = keys.iter().zip(first..).filter(|&(&key, _)| key != NO_KEY);
                keyed.map(|(&key, record)| [key, record]).try_for_each(|row| rows.push(row))
            })?;
            drop(keys);
            let scoring = Scoring { gathered, linker, earlier: &columns, truth, least, pool };
            let mut batch = Batch::default();
            let mut done = 0;
            each_bucket(rows, &mut column, gathered, linker, &mut figures, |bucket| {
                Progress::new(Stage::Scoring, done, gathered.records.len() as u64).tell(observer)?;
                done += bucket.len() as u64;
                scoring.bucket(bucket, &mut batch, &mut give)
            })?;
            scoring.score(&mut batch, &mut give)?;
            figures.candidates += batch.candidates;
            found.right += batch.right;
            columns.push(column);
        }
        found.blocks.push(figures);
    }
    columns.iter().for_each(|column| budget.release(4 * column.keys.len()));
    Ok(found)
}

/// The keys of all records, by column.
fn keys(block: &Block, gathered: &Gathered, budget: &Arc<Budget>, pool: &ThreadPool) -> Result<Vec<Spill<u64>>> {
    let (records, width) = (gathered.records.len(), block.keys());
    let mut columns: Vec<Spill<u64>> = (0..width).map(|_| Spill::new(budget)).collect();
    let of_some = |start: usize| {
        let mut keys = Vec::with_capacity(BY_ONE.min(records - start) * width);
        (start..records.min(start + BY_ONE)).for_each(|record| block.write_keys(&gathered.records, record as u32, &mut keys));
        keys
    };
    let mut column = Vec::with_capacity(BY_ONE);
    for first in (0..records).step_by(AT_A_TIME) {
        let starts: Vec<usize> = (first..records.min(first + AT_A_TIME)).step_by(BY_ONE).collect();
        let made: Vec<Vec<u64>> = pool.install(|| starts.into_par_iter().map(of_some).collect());
        for piece in made {
            for (at, store) in columns.iter_mut().enumerate() {
                column.clear();
                column.extend(piece.iter().skip(at).step_by(width));
                store.append(&column)?;
            }
        }
    }
    Ok(columns)
}

/// Gives each bucket of two records or more that share a key. Those that are too large are counted, and their keys taken back.
fn each_bucket(
    rows: Sorter<[u64; 2]>,
    column: &mut Column,
    gathered: &Gathered,
    linker: &Linker,
    figures: &mut BlockFigures,
    mut give: impl FnMut(&[u32]) -> Result<()>,
) -> Result<()> {
    let block = &linker.blocks()[column.block];
    let mut take = |bucket: &[u32]| -> Result<()> {
        if block.at_most().is_some_and(|most| bucket.len() > most as usize) {
            figures.values_passed_over += 1;
            figures.pairs_passed_over += pairs_among(bucket, gathered);
            bucket.iter().for_each(|&record| column.keys[record as usize] = 0);
        } else if bucket.len() > 1 {
            give(bucket)?;
        }
        Ok(())
    };
    let (mut members, mut of) = (Vec::new(), NO_KEY);
    // No row has this key, so that the last bucket ends.
    for row in rows.sorted()?.chain([Ok([NO_KEY, 0])]) {
        let [key, record] = row?;
        if key != of {
            // Two values with one hash, once in 2⁶⁴: those of the first record's value are taken out until none is left.
            while let [first, _, ..] = *members {
                let same = |&record: &u32| block.confirms(&gathered.records, first, record);
                if members[1..].iter().all(same) {
                    take(&members)?;
                    break;
                }
                let (own, others): (Vec<u32>, Vec<u32>) = members.iter().partition(|&&record| record == first || same(&record));
                take(&own)?;
                members = others;
            }
            members.clear();
            of = key;
        }
        members.push(record as u32);
    }
    Ok(())
}

/// Pairs of a bucket's records; of two collections those across.
fn pairs_among(bucket: &[u32], gathered: &Gathered) -> u64 {
    let (first, all) = (bucket.partition_point(|&record| record < gathered.split) as u64, bucket.len() as u64);
    if gathered.are_two() { first * (all - first) } else { all * (all - 1) / 2 }
}

/// Pairs that are scored at once, and by one worker.
const PAIRS_AT_ONCE: usize = 1 << 19;
const PAIRS_BY_ONE: usize = 1 << 12;

/// Pairs that wait to be scored, and what came of those that were.
#[derive(Default)]
struct Batch {
    /// The records of some buckets, one bucket after the other.
    records: Vec<u32>,
    /// A record's place among them, and those of some records after it in its bucket.
    units: Vec<(usize, std::ops::Range<usize>)>,
    pairs: usize,
    candidates: u64,
    right: u64,
}

/// One worker's share.
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

/// What pairs are scored by.
struct Scoring<'a> {
    gathered: &'a Gathered,
    linker: &'a Linker,
    /// Columns whose pairs have been made.
    earlier: &'a [Column],
    truth: Option<&'a Truth>,
    least: f64,
    pool: &'a ThreadPool,
}

impl Scoring<'_> {
    /// Adds a bucket's pairs, and scores what has come together when it is enough: of a large bucket a part at a time.
    fn bucket(&self, bucket: &[u32], batch: &mut Batch, give: &mut impl FnMut(Scored) -> Result<()>) -> Result<()> {
        if batch.units.is_empty() {
            batch.records.clear();
        }
        let first = batch.records.len();
        batch.records.extend_from_slice(bucket);
        let second = first + bucket.partition_point(|&record| record < self.gathered.split);
        let end = batch.records.len();
        let (firsts, across) = if self.gathered.are_two() { (first..second, Some(second)) } else { (first..end, None) };
        for at in firsts {
            let mut from = across.unwrap_or(at + 1);
            while from < end {
                let to = end.min(from + PAIRS_BY_ONE);
                batch.units.push((at, from..to));
                batch.pairs += to - from;
                from = to;
                if batch.pairs >= PAIRS_AT_ONCE {
                    self.score(batch, give)?;
                }
            }
        }
        Ok(())
    }

    /// Scores the pairs of a batch that no earlier column has, and gives those that are good enough.
    fn score(&self, batch: &mut Batch, give: &mut impl FnMut(Scored) -> Result<()>) -> Result<()> {
        let of_one = |tally, (at, others): &(usize, std::ops::Range<usize>)| {
            self.record(batch.records[*at], &batch.records[others.clone()], tally)
        };
        let units = || batch.units.par_iter().fold(Tally::default, of_one).reduce(Tally::default, Tally::and);
        let tally = self.pool.install(units);
        batch.units.clear();
        batch.pairs = 0;
        batch.candidates += tally.candidates;
        batch.right += tally.right;
        tally.pairs.into_iter().try_for_each(give)
    }

    fn record(&self, a: u32, others: &[u32], mut tally: Tally) -> Tally {
        let records = &self.gathered.records;
        for &b in others {
            if self.earlier.iter().any(|column| self.shares(column, a, b)) {
                continue;
            }
            tally.candidates += 1;
            tally.right += u64::from(self.truth.is_some_and(|truth| truth.has(a, b)));
            if let Some(score) = self.linker.score_from(records, a, b, self.least) {
                tally.pairs.push(Scored { a, b, score });
            }
        }
        tally
    }

    /// Whether a column makes two records candidates.
    fn shares(&self, column: &Column, a: u32, b: u32) -> bool {
        let key = column.keys[a as usize];
        key != 0 && key == column.keys[b as usize] && self.linker.blocks()[column.block].confirms(&self.gathered.records, a, b)
    }
}

//! Finds candidate pairs of records, each pair once, and scores each pair immediately.
//!
//! A block (a rule for which records are compared) gives each record one or several keys. The first keys of all records form a
//! column, the second keys form another column, and so on. A column's records are sorted by key, so that the records with the
//! same value form a bucket. The pairs in a bucket are candidates, except those that an earlier column has already made. To check
//! this, both records' keys are looked up in the earlier column. Keys, rows and pairs are streamed, and go to temporary files
//! when memory is short. Four bytes per record and column remain in memory.

use std::sync::Arc;

use lookalike::fingerprint::finish;
use lookalike_applications::records::{Block, Linker, NO_KEY};
use lookalike_io::{
    error::Result,
    pool::{install, par_map, par_pieces},
    spill::{Budget, Sorter, Spill},
};
use rayon::ThreadPool;
use serde::Serialize;

use super::progress::Bar;
use crate::{
    config::{Observer, Stage},
    jobs::link::reading::records::Gathered,
};

/// The results of a block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockFigures {
    /// What the block requires of a pair.
    pub block: String,
    /// Candidate pairs that no earlier block produced.
    pub candidates: u64,
    /// Whether the block uses bands of a MinHash signature. If so, each bucket of a band counts as a value of the block, and a
    /// record or a pair may be in several buckets.
    #[serde(skip)]
    pub in_bands: bool,
    /// Values that were skipped because too many records have them (`at_most`).
    #[serde(skip_serializing_if = "is_zero")]
    pub values_passed_over: u64,
    /// Pairs of records that share a skipped value. For bands, pairs are counted in each bucket, so this number is an upper
    /// bound. Some of these pairs may be candidates because of other blocks.
    #[serde(skip_serializing_if = "is_zero")]
    pub pairs_passed_over: u64,
}

impl BlockFigures {
    fn new(block: &Block) -> Self {
        Self {
            block: block.name().into(),
            candidates: 0,
            in_bands: block.has_bands(),
            values_passed_over: 0,
            pairs_passed_over: 0,
        }
    }
}

pub(in crate::jobs::link) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A key for each record; 0 if the record has no key or if its value was skipped.
struct Column {
    block: usize,
    keys: Vec<u32>,
}

impl Column {
    /// Makes a column, and its rows: the key and the number of each record that has a key.
    fn of<'p>(
        number: usize,
        block: &Block,
        keys: &Spill<u64>,
        wanted: Wanted,
        gathered: &Gathered,
        (budget, pool): (&Arc<Budget>, &'p ThreadPool),
    ) -> Result<(Self, Sorter<'p, [u64; 2]>)> {
        let mut column = Self {
            block: number,
            keys: Vec::with_capacity(gathered.records.len()),
        };
        let mut rows = Sorter::<[u64; 2]>::new(budget, SORTERS, pool);
        keys.each_piece(1, |first, keys| {
            column.keys.extend(keys.iter().copied().map(Self::key));
            let keyed = keys
                .iter()
                .zip(first..)
                .filter(|&(&key, _)| key != NO_KEY && wanted.needs(block, key));
            keyed
                .map(|(&key, record)| [key, record])
                .try_for_each(|row| rows.push(row))
        })?;
        Ok((column, rows))
    }

    /// Shortens a key to 32 bits. The result is 0 only if there is no key. Different values may have the same short key, so two
    /// records with equal short keys are also compared by their values, except for bands, in which equal keys are enough.
    fn key(key: u64) -> u32 {
        if key == NO_KEY {
            0
        } else {
            (key as u32).max(1)
        }
    }
}

/// The number of records whose keys are made by one worker in one step, and the number for all workers together.
const BY_ONE: usize = 1 << 10;
const AT_A_TIME: usize = 1 << 16;

/// The number of sorters that are in use at the same time: one for a column's rows, and one for the pairs that are found.
pub(in crate::jobs::link) const SORTERS: usize = 2;

/// Which candidates are wanted.
#[derive(Clone, Copy)]
pub(in crate::jobs::link) enum Wanted {
    /// All.
    All,
    /// A random sample: the pairs whose first common value is in a random 2⁻ⁿ of the values, where n is this number.
    Sample(u32),
}

impl Wanted {
    /// Returns the share of the candidates that are wanted, about.
    fn share(self) -> f64 {
        match self {
            Self::All => 1.0,
            Self::Sample(halved) => 0.5f64.powi(halved as i32),
        }
    }

    fn has(self, key: u64) -> bool {
        match self {
            Self::All => true,
            Self::Sample(halved) => finish(key).leading_zeros() >= halved,
        }
    }

    /// Returns whether the rows of a key are needed. In a block with `at_most`, all are, because they show which values are skipped.
    fn needs(self, block: &Block, key: u64) -> bool {
        block.at_most().is_some() || self.has(key)
    }
}

/// Calls `score` with each candidate, on all threads, and `give` with what this returns, in an order that depends only on the records.
pub(in crate::jobs::link) fn candidates<T: Send>(
    (gathered, linker): (&Gathered, &Linker),
    wanted: Wanted,
    (budget, pool): (&Arc<Budget>, &ThreadPool),
    (observer, stage): (Observer, Stage),
    score: impl Fn(u32, u32) -> Option<T> + Sync,
    mut give: impl FnMut(T) -> Result<()>,
) -> Result<Vec<BlockFigures>> {
    let (mut blocks, mut columns) = (Vec::new(), Vec::<Column>::new());
    let mut bar = Bar::new(
        gathered,
        linker.blocks(),
        wanted.share(),
        pool,
        (observer, stage),
    );
    for (number, block) in linker.blocks().iter().enumerate() {
        let mut figures = BlockFigures::new(block);
        for keys in keys(block, gathered, budget, pool)? {
            budget.hold(4 * gathered.records.len());
            let (mut column, rows) =
                Column::of(number, block, &keys, wanted, gathered, (budget, pool))?;
            drop(keys);
            let scoring = Scoring {
                gathered,
                linker,
                earlier: &columns,
                pool,
                score: &score,
            };
            let mut batch = Batch::default();
            each_bucket(
                rows,
                wanted,
                &mut column,
                (gathered, linker),
                &mut figures,
                |bucket| scoring.bucket(bucket, &mut batch, &mut bar, &mut give),
            )?;
            scoring.score(&mut batch, &mut bar, &mut give)?;
            bar.next_column()?;
            figures.candidates += batch.candidates;
            columns.push(column);
        }
        blocks.push(figures);
    }
    bar.finish(
        blocks
            .iter()
            .map(|block: &BlockFigures| block.candidates)
            .sum(),
    )?;
    columns
        .iter()
        .for_each(|column| budget.release(4 * column.keys.len()));
    Ok(blocks)
}

/// The number of pairs that share a value of a block.
pub(in crate::jobs::link) struct Counted {
    pub(in crate::jobs::link) figures: BlockFigures,
    /// Pairs that share a value. If the block uses bands, a pair is counted for each band that it shares.
    pub(in crate::jobs::link) pairs: u64,
}

/// Counts the pairs of each block without making them. `each` gets every bucket and the number of its pairs.
pub(in crate::jobs::link) fn count(
    gathered: &Gathered,
    linker: &Linker,
    (budget, pool): (&Arc<Budget>, &ThreadPool),
    mut each: impl FnMut(&[u32], u64),
) -> Result<Vec<Counted>> {
    let mut counted = Vec::new();
    for (number, block) in linker.blocks().iter().enumerate() {
        let mut of_block = Counted {
            figures: BlockFigures::new(block),
            pairs: 0,
        };
        for keys in keys(block, gathered, budget, pool)? {
            let (mut column, rows) =
                Column::of(number, block, &keys, Wanted::All, gathered, (budget, pool))?;
            each_bucket(
                rows,
                Wanted::All,
                &mut column,
                (gathered, linker),
                &mut of_block.figures,
                |bucket| {
                    let pairs = pairs_among(bucket, gathered);
                    of_block.pairs += pairs;
                    each(bucket, pairs);
                    Ok(())
                },
            )?;
        }
        counted.push(of_block);
    }
    Ok(counted)
}

/// Computes the keys of all records, by column.
fn keys(
    block: &Block,
    gathered: &Gathered,
    budget: &Arc<Budget>,
    pool: &ThreadPool,
) -> Result<Vec<Spill<u64>>> {
    let (records, width) = (gathered.records.len(), block.keys());
    let mut columns: Vec<Spill<u64>> = (0..width).map(|_| Spill::new(budget)).collect();
    let of_some = |start: usize| {
        let mut keys = Vec::with_capacity(BY_ONE.min(records - start) * width);
        (start..records.min(start + BY_ONE))
            .for_each(|record| block.write_keys(&gathered.records, record as u32, &mut keys));
        keys
    };
    let mut column = Vec::with_capacity(BY_ONE);
    for first in (0..records).step_by(AT_A_TIME) {
        let starts = (first..records.min(first + AT_A_TIME)).step_by(BY_ONE);
        let made: Vec<Vec<u64>> = install(pool, || par_map(starts, of_some));
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

/// Passes each wanted bucket to `give`. A bucket consists of two or more records that share a key. Buckets that are too large are only
/// counted, and their keys are removed.
fn each_bucket(
    rows: Sorter<[u64; 2]>,
    wanted: Wanted,
    column: &mut Column,
    (gathered, linker): (&Gathered, &Linker),
    figures: &mut BlockFigures,
    mut give: impl FnMut(&[u32]) -> Result<()>,
) -> Result<()> {
    let block = &linker.blocks()[column.block];
    let mut take = |bucket: &[u32], key: u64| -> Result<()> {
        if block
            .at_most()
            .is_some_and(|most| bucket.len() > most as usize)
        {
            figures.values_passed_over += 1;
            figures.pairs_passed_over += pairs_among(bucket, gathered);
            bucket
                .iter()
                .for_each(|&record| column.keys[record as usize] = 0);
        } else if bucket.len() > 1 && wanted.has(key) {
            give(bucket)?;
        }
        Ok(())
    };
    let (mut members, mut of) = (Vec::new(), NO_KEY);
    // This extra row has a key that no other row has, so it ends the last bucket.
    for row in rows.sorted()?.chain([Ok([NO_KEY, 0])]) {
        let [key, record] = row?;
        if key != of {
            // Two different values have the same hash once in 2⁶⁴ cases, so a bucket may contain several values. The records with
            // the same value as the first record are taken out, repeatedly, until no record is left.
            while let [first, _, ..] = *members {
                let same = |&record: &u32| block.confirms(&gathered.records, first, record);
                if members[1..].iter().all(same) {
                    take(&members, of)?;
                    break;
                }
                let (own, others): (Vec<u32>, Vec<u32>) = members
                    .iter()
                    .partition(|&&record| record == first || same(&record));
                take(&own, of)?;
                members = others;
            }
            members.clear();
            of = key;
        }
        members.push(record as u32);
    }
    Ok(())
}

/// Returns the number of pairs of a bucket's records. With two collections, only pairs of records from different collections
/// count.
fn pairs_among(bucket: &[u32], gathered: &Gathered) -> u64 {
    gathered.pairs_of(
        bucket.partition_point(|&record| record < gathered.split) as u64,
        bucket.len() as u64,
    )
}

/// The number of pairs that are scored together, and the number that one worker scores in one step.
const PAIRS_AT_ONCE: usize = 1 << 19;
const PAIRS_BY_ONE: usize = 1 << 12;

/// Pairs that wait to be scored, and the results of the pairs that were scored.
#[derive(Default)]
struct Batch {
    /// The records of some buckets, concatenated.
    records: Vec<u32>,
    /// The index of a record in `records`, and the range of indexes that the later records in its bucket have.
    units: Vec<(usize, std::ops::Range<usize>)>,
    pairs: usize,
    candidates: u64,
}

/// The results of one worker.
struct Tally<T> {
    pairs: Vec<T>,
    candidates: u64,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            candidates: 0,
        }
    }
}

impl<T> Tally<T> {
    fn and(mut self, mut other: Self) -> Self {
        self.pairs.append(&mut other.pairs);
        Self {
            pairs: self.pairs,
            candidates: self.candidates + other.candidates,
        }
    }
}

/// The data needed to score pairs.
struct Scoring<'a, F> {
    gathered: &'a Gathered,
    linker: &'a Linker,
    /// The columns whose pairs have already been made.
    earlier: &'a [Column],
    pool: &'a ThreadPool,
    score: &'a F,
}

impl<T: Send, F: Fn(u32, u32) -> Option<T> + Sync> Scoring<'_, F> {
    /// Adds a bucket's pairs, and scores the batch when it is large enough; a large bucket is scored in parts.
    fn bucket(
        &self,
        bucket: &[u32],
        batch: &mut Batch,
        bar: &mut Bar,
        give: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        if batch.units.is_empty() {
            batch.records.clear();
        }
        let first = batch.records.len();
        batch.records.extend_from_slice(bucket);
        let second = first + bucket.partition_point(|&record| record < self.gathered.split);
        let end = batch.records.len();
        let (firsts, across) = if self.gathered.are_two() {
            (first..second, Some(second))
        } else {
            (first..end, None)
        };
        for at in firsts {
            let mut from = across.unwrap_or(at + 1);
            while from < end {
                let to = end.min(from + PAIRS_BY_ONE);
                batch.units.push((at, from..to));
                batch.pairs += to - from;
                from = to;
                if batch.pairs >= PAIRS_AT_ONCE {
                    self.score(batch, bar, give)?;
                }
            }
        }
        Ok(())
    }

    /// Scores the pairs of a batch, except pairs that an earlier column has already made. Calls `give` with each value that `score`
    /// returns.
    fn score(
        &self,
        batch: &mut Batch,
        bar: &mut Bar,
        give: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let of_one = |tally, (at, others): &(usize, std::ops::Range<usize>)| {
            self.record(batch.records[*at], &batch.records[others.clone()], tally)
        };
        let of_some = |_, units: Vec<_>| units.into_iter().fold(Tally::default(), of_one);
        let tallies = install(self.pool, || par_pieces(&batch.units, of_some));
        let tally = tallies.into_iter().reduce(Tally::and).unwrap_or_default();
        batch.units.clear();
        bar.advance(std::mem::take(&mut batch.pairs) as u64)?;
        batch.candidates += tally.candidates;
        tally.pairs.into_iter().try_for_each(give)
    }

    fn record(&self, a: u32, others: &[u32], mut tally: Tally<T>) -> Tally<T> {
        for &b in others {
            if self.earlier.iter().any(|column| self.shares(column, a, b)) {
                continue;
            }
            tally.candidates += 1;
            tally.pairs.extend((self.score)(a, b));
        }
        tally
    }

    /// Returns whether a column makes two records candidates.
    fn shares(&self, column: &Column, a: u32, b: u32) -> bool {
        let key = column.keys[a as usize];
        key != 0
            && key == column.keys[b as usize]
            && self.linker.blocks()[column.block].confirms(&self.gathered.records, a, b)
    }
}

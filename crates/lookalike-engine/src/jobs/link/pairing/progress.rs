//! How many pairs the blocks make, estimated before they are made, so that the remaining time is known.

use lookalike_applications::records::{Block, NO_KEY};
use lookalike_io::{
    error::Result,
    pool::{install, par_map},
};
use rayon::ThreadPool;

use crate::{
    config::{Observer, Progress, Stage},
    jobs::link::reading::records::Gathered,
};

/// The number of records whose keys are looked at.
const SAMPLE: usize = 10_000;

/// The progress of a stage that makes pairs column by column.
pub(in crate::jobs::link) struct Bar<'a> {
    observer: Observer<'a>,
    stage: Stage,
    /// The expected number of pairs of each column.
    expected: Vec<f64>,
    column: usize,
    /// The pairs of this column so far.
    done: u64,
}

impl<'a> Bar<'a> {
    /// Estimates the number of pairs from the keys of a sample of the records. `share` is the share of the pairs that are wanted.
    pub(in crate::jobs::link) fn new(
        gathered: &Gathered,
        blocks: &[Block],
        share: f64,
        pool: &ThreadPool,
        (observer, stage): (Observer<'a>, Stage),
    ) -> Self {
        let step = (gathered.records.len() / SAMPLE).max(1);
        let of_block = |block: &Block| -> Vec<f64> {
            sampled(gathered, block, step, pool)
                .iter()
                .map(|pairs| pairs * share)
                .collect()
        };
        Self {
            observer,
            stage,
            expected: blocks.iter().flat_map(of_block).collect(),
            column: 0,
            done: 0,
        }
    }

    /// Reports that some pairs of this column were made.
    pub(in crate::jobs::link) fn advance(&mut self, pairs: u64) -> Result<()> {
        self.done += pairs;
        self.tell()
    }

    /// Reports that the next column begins.
    pub(in crate::jobs::link) fn next_column(&mut self) -> Result<()> {
        self.column += 1;
        self.done = 0;
        self.tell()
    }

    /// Reports that all is done: `pairs` pairs were wanted.
    pub(in crate::jobs::link) fn finish(&self, pairs: u64) -> Result<()> {
        Progress::new(self.stage, pairs, pairs).tell(self.observer)
    }

    fn tell(&self) -> Result<()> {
        let before: f64 = self.expected.iter().take(self.column).sum();
        let of_this = self.expected.get(self.column).copied().unwrap_or(0.0);
        let done = before + of_this.min(self.done as f64);
        let total: f64 = self.expected.iter().sum();
        Progress::new(self.stage, done as u64, total as u64).tell(self.observer)
    }
}

/// Estimates the number of pairs of each column of a block from every `step`th record. A pair is in this sample with the probability
/// 1 / `step`².
fn sampled(gathered: &Gathered, block: &Block, step: usize, pool: &ThreadPool) -> Vec<f64> {
    let records: Vec<u32> = (0..gathered.records.len() as u32).step_by(step).collect();
    let of_some = |records: &[u32]| {
        let mut keys = Vec::with_capacity(records.len() * block.keys());
        records
            .iter()
            .for_each(|&record| block.write_keys(&gathered.records, record, &mut keys));
        keys
    };
    let keys = install(pool, || par_map(records.chunks(256), of_some)).concat();
    let of_column = |column: usize| {
        let mut keyed: Vec<(u64, u32)> = records
            .iter()
            .zip(keys.iter().skip(column).step_by(block.keys()))
            .filter(|(_, key)| **key != NO_KEY)
            .map(|(record, key)| (*key, *record))
            .collect();
        keyed.sort_unstable();
        let pairs = |bucket: &[(u64, u32)]| {
            let all = bucket.len();
            if block
                .at_most()
                .is_some_and(|most| all * step > most as usize)
            {
                return 0;
            }
            let first = bucket.partition_point(|(_, record)| *record < gathered.split);
            gathered.pairs_of(first as u64, all as u64)
        };
        keyed.chunk_by(|a, b| a.0 == b.0).map(pairs).sum::<u64>() as f64 * (step * step) as f64
    };
    (0..block.keys()).map(of_column).collect()
}

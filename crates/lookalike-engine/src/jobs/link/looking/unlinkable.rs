//! Records that cannot match any record, because they have too few values.

use lookalike_applications::records::{Linker, Verdict};
use lookalike_io::{
    error::Result,
    pool::{install, par_pieces},
};
use rayon::ThreadPool;
use serde::Serialize;

use super::records::NamedRecord;
use crate::jobs::link::reading::records::Gathered;

/// The number of examples.
const EXAMPLES: usize = 10;

/// Records that are not even a match of themselves: the values that they have are too few, or too common, to reach the threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unlinkable {
    /// Their number.
    pub records: u64,
    /// Their share of all records.
    pub share: f64,
    /// The first of them.
    pub examples: Vec<UnlinkableRecord>,
}

/// A record that is not a match of itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnlinkableRecord {
    /// The record.
    #[serde(flatten)]
    pub record: NamedRecord,
    /// The score that the record has with itself; `None` if it has no value.
    pub score: Option<f64>,
    /// The fields that have a value.
    pub fields: Vec<String>,
}

impl Unlinkable {
    /// Compares each record with itself. Cost: as for scoring as many pairs as there are records.
    pub(in crate::jobs::link) fn find(
        gathered: &Gathered,
        linker: &Linker,
        pool: &ThreadPool,
    ) -> Result<Self> {
        let records = &gathered.records;
        let with_itself = |record: u32| linker.score(records, record, record);
        let is_match =
            |score: Option<f64>| score.is_some_and(|score| linker.verdict(score) == Verdict::Match);
        let cannot = |record: &u32| !is_match(with_itself(*record));
        // A collection that is empty has no threshold that was learned.
        if gathered.pairs() == 0 {
            return Ok(Self {
                records: 0,
                share: 0.0,
                examples: Vec::new(),
            });
        }
        let some = |_, some: Vec<u32>| some.into_iter().filter(cannot).collect::<Vec<u32>>();
        let found = install(pool, || par_pieces(0..records.len() as u32, some)).concat();
        let example = |&record: &u32| {
            let fields = linker.config().fields.iter().enumerate();
            let has_value = fields.filter(|(at, _)| !records.get(record, *at).is_empty());
            Ok(UnlinkableRecord {
                record: NamedRecord::new(gathered, record)?,
                score: with_itself(record).map(|score| linker.share(score)),
                fields: has_value.map(|(_, field)| field.name.clone()).collect(),
            })
        };
        let examples = found
            .iter()
            .take(EXAMPLES)
            .map(example)
            .collect::<Result<_>>()?;
        Ok(Self {
            records: found.len() as u64,
            share: found.len() as f64 / records.len() as f64,
            examples,
        })
    }
}

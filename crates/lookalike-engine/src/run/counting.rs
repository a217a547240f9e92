//! Shared elements, counted by external sort and merge (Broder, Glassman, Manasse, Zweig 1997, section 4).

use lookalike::{
    Method,
    lsh::{Common, each_count, each_shared_pair},
};
use rayon::ThreadPool;

use super::{lists::Lists, pairing::Pairing};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    error::Result,
    spill::Sorter,
};

/// Rows, and after them pairs, that are kept in memory; more are sorted in runs and merged.
const ROWS_IN_MEMORY: usize = 256 << 20;

/// The candidate pairs, and what was set aside on the way.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Each pair once, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Elements in too many documents.
    pub(crate) aside: Vec<Common>,
    /// Documents of which every element was set aside: they are nobody's candidates.
    pub(crate) lost: u64,
}

/// Counts what the contenders share, and keeps the pairs that are candidates.
pub(crate) fn count(
    config: &RunConfig,
    method: &Method,
    lists: &Lists,
    pairing: &Pairing,
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Counted> {
    let mut room = Vec::new();
    let mut rows = Sorter::new(ROWS_IN_MEMORY, config.temp_dir.clone(), pool);
    let total = pairing.contenders.len() as u64;
    for (&document, done) in pairing.contenders.iter().zip(0..) {
        if done % 4096 == 0 {
            observer(Progress { stage: Stage::Counting, done, total });
        }
        for &element in lists.sample(document, &mut room)?.elements {
            rows.push([(element >> 32) as u32, element as u32, document])?;
        }
    }
    let rows = rows.sorted()?.map(|row| row.map(|[high, low, document]| (u64::from(high) << 32 | u64::from(low), document)));
    let mut shared = Sorter::new(ROWS_IN_MEMORY, config.temp_dir.clone(), pool);
    let mut counted = Counted::default();
    each_shared_pair(rows, method.common(), &mut counted.aside, |a, b| shared.push([a, b]))?;
    let mut other = Vec::new();
    let Counted { pairs, aside, lost } = &mut counted;
    each_count(shared.sorted()?.map(|pair| pair.map(|[a, b]| (a, b))), |a, b, count| {
        let (sample_a, sample_b) = (lists.sample(a, &mut room)?, lists.sample(b, &mut other)?);
        if method.is_candidate(count, sample_a, sample_b, aside) {
            pairs.push((a, b));
        }
        Ok(())
    })?;
    if !aside.is_empty() {
        let is_aside = |element: &u64| aside.binary_search_by_key(element, |common| common.fingerprint).is_ok();
        for &document in &pairing.contenders {
            let elements = lists.sample(document, &mut room)?.elements;
            *lost += u64::from(!elements.is_empty() && elements.iter().all(is_aside));
        }
    }
    Ok(counted)
}

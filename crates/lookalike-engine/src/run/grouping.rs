//! Equal keys, found in bounded memory: a column of keys, one a document, is read once or, when its rows are too many for the
//! memory that is free, once for each range of keys.

use std::ops::RangeInclusive;

use rayon::{ThreadPool, prelude::*};

use super::sieve::Sieve;
use crate::{
    error::Result,
    spill::{Budget, Spill},
};

/// A key that is spread evenly over its values.
pub(crate) trait Key: bytemuck::Pod + Ord + Send + Sync {
    /// Its first byte: which of 256 ranges it is in.
    fn range(self) -> u8;
    /// Its last eight.
    fn end(self) -> u64;
}

impl Key for u64 {
    fn range(self) -> u8 {
        (self >> 56) as u8
    }

    fn end(self) -> u64 {
        self
    }
}

impl Key for u128 {
    fn range(self) -> u8 {
        (self >> 120) as u8
    }

    fn end(self) -> u64 {
        self as u64
    }
}

/// Cuts the 256 ranges of keys into the fewest stretches of which each has about `at_most` of `rows` rows.
pub(crate) fn stretches(rows: u64, at_most: usize) -> impl Iterator<Item = RangeInclusive<u8>> {
    let passes = rows.div_ceil(at_most.max(1) as u64).clamp(1, 256) as usize;
    (0..passes).map(move |pass| (pass * 256 / passes) as u8..=((pass + 1) * 256 / passes - 1) as u8)
}

/// Gives each group of documents with equal keys, two or more, as (key, place), sorted. `place_of` says what stands for a
/// document; those without a place are left out. Cost: keys are read twice, and those that come again sorted, a stretch a thread.
pub(crate) fn each_group<K: Key>(
    keys: &Spill<K>,
    budget: &Budget,
    pool: &ThreadPool,
    place_of: impl Fn(u64) -> Option<u64> + Sync,
    mut give: impl FnMut(&[(K, u64)]) -> Result<()>,
) -> Result<()> {
    // What grows has up to half its room to spare, and four bytes are the sieve's.
    let row = 2 * size_of::<(K, u64)>() + 4;
    let threads = pool.current_num_threads();
    let at_most = (budget.room() / row / threads).min(keys.len().div_ceil(threads as u64) as usize);
    let stretches: Vec<_> = stretches(keys.len(), at_most).collect();
    for together in stretches.chunks(threads) {
        let rows: Result<Vec<_>> =
            pool.install(|| together.par_iter().map(|stretch| repeated(keys, stretch, &place_of)).collect());
        for rows in rows? {
            rows.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1).try_for_each(&mut give)?;
        }
    }
    Ok(())
}

/// The keys of a stretch that may have come twice, with their places, sorted.
fn repeated<K: Key>(
    keys: &Spill<K>,
    stretch: &RangeInclusive<u8>,
    place_of: impl Fn(u64) -> Option<u64>,
) -> Result<Vec<(K, u64)>> {
    let (mut sieve, mut rows) = (Sieve::default(), Vec::new());
    sieve.clear((keys.len() * stretch.len() as u64).div_ceil(256) as usize);
    keys.each_piece(1, |_, piece| {
        piece.iter().filter(|key| stretch.contains(&key.range())).for_each(|key| sieve.insert(key.end()));
        Ok(())
    })?;
    keys.each_piece(1, |first, piece| {
        let inside = (first..).zip(piece).filter(|(_, key)| stretch.contains(&key.range()) && sieve.twice(key.end()));
        rows.extend(inside.filter_map(|(document, key)| place_of(document).map(|place| (*key, place))));
        Ok(())
    })?;
    rows.sort_unstable();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_are_those_of_a_map_whatever_the_memory(keys in prop::collection::vec(0u64..40, 0..200), passes in 1u64..300) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            let budget = Budget::of(1 << 20, 0, &std::env::temp_dir());
            let mut column = Spill::new(&budget);
            let keys: Vec<u64> = keys.iter().map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            column.append(&keys).unwrap();
            let mut expected: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            (0u64..).zip(&keys).filter(|(d, _)| d % 5 > 0).for_each(|(d, &key)| expected.entry(key).or_default().push(d));
            expected.retain(|_, group| group.len() > 1);
            let mut found = BTreeMap::new();
            each_group(&column, &budget, &pool, |d| (d % 5 > 0).then_some(d), |group| {
                found.insert(group[0].0, group.iter().map(|row| row.1).collect::<Vec<_>>());
                Ok(())
            }).unwrap();
            prop_assert_eq!(found, expected);
            let cut: Vec<_> = stretches(1000, 1000usize.div_ceil(passes as usize)).collect();
            prop_assert!(cut.iter().cloned().flatten().eq(0..=255));
        }
    }
}

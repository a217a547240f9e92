//! Finds equal keys in bounded memory. A column of keys, one per document, is read twice: once to fill a [`Sieve`], which shows
//! the keys that may be repeated, and once to collect these keys. Each thread reads the column for its own ranges of keys. If
//! memory cannot hold the data of all ranges, the keys are divided into more ranges than there are threads.

use std::ops::{Range, RangeInclusive};

use rayon::ThreadPool;

use super::sieve::Sieve;
use crate::{
    error::Result,
    pool::{install, try_par_map},
    spill::{Budget, Spill},
};

/// A key with uniformly distributed values.
pub trait Key: bytemuck::Pod + Ord + Send + Sync {
    /// Returns its first byte, which selects one of 256 ranges.
    fn range(self) -> u8;
    /// Returns its last eight bytes.
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

/// Divides the 256 ranges of keys into as few stretches (groups of consecutive ranges) as possible, so that each contains at most
/// about `at_most` of the `rows` rows.
pub fn stretches(rows: u64, at_most: usize) -> impl Iterator<Item = RangeInclusive<u8>> {
    cut(0..256, rows.div_ceil(at_most.max(1) as u64) as usize)
}

/// Divides ranges of keys into `stretches` stretches, each of at least one range. If there are fewer ranges than `stretches`,
/// each range is a stretch.
fn cut(ranges: Range<usize>, stretches: usize) -> impl Iterator<Item = RangeInclusive<u8>> {
    let (start, length) = (ranges.start, ranges.len());
    let stretches = stretches.clamp(1, length);
    let end = move |number| start + number * length / stretches;
    (0..stretches).map(move |number| end(number) as u8..=(end(number + 1) - 1) as u8)
}

/// The largest number of bytes per key in a sieve.
const SIEVE: usize = 4;

/// Passes each group of two or more documents with equal keys to `give`, as sorted (key, place) pairs. `place_of` returns the
/// place of a document, which is a number that the caller chooses; documents without a place are skipped. Cost: two passes over
/// the keys, and a sort of the repeated keys.
pub fn each_group<K: Key>(
    keys: &Spill<K>,
    budget: &Budget,
    pool: &ThreadPool,
    place_of: impl Fn(u64) -> Option<u64> + Sync,
    mut give: impl FnMut(&[(K, u64)]) -> Result<()>,
) -> Result<()> {
    // One half of the free memory is for sieves, and the other half is for rows of repeated keys.
    let (half, threads) = (budget.left() / 2, pool.current_num_threads());
    let a_thread = keys.len().div_ceil(threads as u64) as usize;
    let stretches: Vec<_> = stretches(keys.len(), (half / SIEVE / threads).min(a_thread)).collect();
    let keys_each = keys.len().div_ceil(stretches.len() as u64) as usize;
    let at_once = (half / (SIEVE * keys_each).max(1)).clamp(1, threads);
    for together in stretches.chunks(at_once) {
        let sift = |stretch| Sifted::of(keys, stretch, keys_each);
        let sifted = install(pool, || try_par_map(together, sift))?;
        let at_most = half / at_once / size_of::<(K, u64)>();
        let repeating = sifted.iter().filter(|sifted| sifted.again > 0);
        let parts: Vec<_> = repeating
            .flat_map(|sifted| sifted.parts(at_most).map(move |part| (sifted, part)))
            .collect();
        for some in parts.chunks(at_once) {
            let collect = |(sifted, part): &(&Sifted, _)| sifted.rows(keys, part, &place_of);
            for rows in install(pool, || try_par_map(some, collect))? {
                rows.chunk_by(|a, b| a.0 == b.0)
                    .filter(|group| group.len() > 1)
                    .try_for_each(&mut give)?;
            }
        }
    }
    Ok(())
}

/// A stretch, with a sieve that shows which of its keys may have occurred twice.
struct Sifted {
    stretch: RangeInclusive<u8>,
    sieve: Sieve,
    /// The number of keys whose bit was already set when they were inserted. The number of keys that the sieve reports as
    /// possibly repeated is at most twice this number.
    again: usize,
}

impl Sifted {
    fn of<K: Key>(keys: &Spill<K>, stretch: &RangeInclusive<u8>, about: usize) -> Result<Self> {
        let (mut sieve, mut again) = (Sieve::default(), 0);
        sieve.clear(about);
        keys.each_piece(1, |_, piece| {
            let inside = piece.iter().filter(|key| stretch.contains(&key.range()));
            inside.for_each(|key| again += usize::from(sieve.insert(key.end())));
            Ok(())
        })?;
        Ok(Self {
            stretch: stretch.clone(),
            sieve,
            again,
        })
    }

    /// Returns the stretch in parts of about `at_most` rows.
    fn parts(&self, at_most: usize) -> impl Iterator<Item = RangeInclusive<u8>> {
        let start = usize::from(*self.stretch.start());
        cut(
            start..start + self.stretch.len(),
            (2 * self.again).div_ceil(at_most.max(1)),
        )
    }

    /// Returns the keys of a part, sorted and with their places, but only those keys that may have occurred twice.
    fn rows<K: Key>(
        &self,
        keys: &Spill<K>,
        part: &RangeInclusive<u8>,
        place_of: impl Fn(u64) -> Option<u64>,
    ) -> Result<Vec<(K, u64)>> {
        let mut rows = Vec::new();
        keys.each_piece(1, |first, piece| {
            let inside = (first..)
                .zip(piece)
                .filter(|(_, key)| part.contains(&key.range()) && self.sieve.twice(key.end()));
            rows.extend(
                inside.filter_map(|(document, key)| place_of(document).map(|place| (*key, place))),
            );
            Ok(())
        })?;
        rows.sort_unstable();
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_equal_those_of_a_map_at_any_memory_limit(
            keys in prop_oneof![prop::collection::vec(0u64..40, 0..200), prop::collection::vec(0u64..5000, 0..4000)],
            memory in prop::sample::select(vec![0, 1 << 16, 1 << 20]),
            passes in 1u64..300,
        ) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            let budget = Budget::of(memory, 0, &std::env::temp_dir());
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

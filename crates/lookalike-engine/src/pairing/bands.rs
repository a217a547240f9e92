//! Band keys to buckets, a band at a time.

use lookalike_io::{
    error::Result,
    spill::{Budget, Spill, grouping::stretches, sieve::Sieve},
};

/// Bits of a row that hold the place: more than 10¹² documents have one.
const PLACE: u32 = 40;

/// The most documents that can be told apart in a row.
pub(crate) const MOST_DOCUMENTS: u64 = 1 << PLACE;

/// Rows up to which sorting by comparison is faster than by digits.
const FEW: usize = 1 << 9;

/// Room for sorting a band, used again for the next.
pub(crate) struct Room {
    /// Rows by the first byte of their keys.
    ranges: Vec<Vec<u64>>,
    other: Vec<u64>,
    sieve: Sieve,
    places: Vec<u64>,
}

impl Default for Room {
    fn default() -> Self {
        Self { ranges: vec![Vec::new(); 256], other: Vec::new(), sieve: Sieve::default(), places: Vec::new() }
    }
}

/// Gives each bucket of a band, two places or more, ascending; places stand for documents (`place_of`), and those without one
/// are left out. Buckets come in the order of their keys.
///
/// A row is a key's lower 24 bits and a place; the upper eight say which of 256 lists it goes to. With `at_most` bytes of memory
/// the column is read as often as is needed. Cost: 8 bytes a row, three passes, and a sort of the keys that came again.
pub(crate) fn each_bucket(
    column: &Spill<u32>,
    at_most: usize,
    room: &mut Room,
    place_of: impl Fn(u64) -> Option<u64>,
    mut give: impl FnMut(&mut [u64]) -> Result<()>,
) -> Result<()> {
    // Half for rows, half for the one list that is being sorted and what lists have room for.
    for stretch in stretches(column.len(), at_most / (2 * size_of::<u64>())) {
        column.each_piece(1, |first, keys| {
            for (document, &key) in (first..).zip(keys) {
                let range = (key >> 24) as u8;
                if stretch.contains(&range)
                    && let Some(place) = place_of(document)
                {
                    room.ranges[usize::from(range)].push(u64::from(key) << PLACE | place);
                }
            }
            Ok(())
        })?;
        for range in stretch {
            let rows = &mut room.ranges[usize::from(range)];
            sift(rows, &mut room.sieve);
            sort(rows, &mut room.other);
            for bucket in rows.chunk_by(|a, b| a >> PLACE == b >> PLACE).filter(|bucket| bucket.len() > 1) {
                room.places.clear();
                room.places.extend(bucket.iter().map(|row| row & (MOST_DOCUMENTS - 1)));
                give(&mut room.places)?;
            }
            rows.clear();
        }
    }
    Ok(())
}

/// Leaves only rows whose keys may stand in others too: most do not, and looking at a key twice is a third of a sort.
fn sift(rows: &mut Vec<u64>, sieve: &mut Sieve) {
    sieve.clear(rows.len());
    rows.iter().for_each(|row| _ = sieve.insert(row >> PLACE));
    let mut left = 0;
    // Not `retain`: whether a row stays cannot be foretold.
    for i in 0..rows.len() {
        let row = rows[i];
        rows[left] = row;
        left += usize::from(sieve.twice(row >> PLACE));
    }
    rows.truncate(left);
}

/// Sorts rows. Where places already ascend, as in input order, the keys' three bytes are all that is to be sorted.
fn sort(rows: &mut Vec<u64>, other: &mut Vec<u64>) {
    if rows.len() <= FEW || !rows.is_sorted_by_key(|row| row & (MOST_DOCUMENTS - 1)) {
        rows.sort_unstable();
        return;
    }
    other.resize(rows.len(), 0);
    for digit in 0..3 {
        let byte = |row: u64| (row >> (PLACE + 8 * digit)) as u8 as usize;
        let mut starts = [0usize; 256];
        rows.iter().for_each(|&row| starts[byte(row)] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += std::mem::replace(start, end);
        }
        for &row in rows.iter() {
            let start = &mut starts[byte(row)];
            other[*start] = row;
            *start += 1;
        }
        std::mem::swap(rows, other);
    }
}

/// Buckets in the order in which they were found: their places one after the other, the first of each marked.
pub(crate) struct Buckets {
    places: Spill<u64>,
}

const FIRST: u64 = 1 << 63;

impl Buckets {
    pub(crate) fn new(budget: &std::sync::Arc<Budget>) -> Self {
        Self { places: Spill::new(budget) }
    }

    pub(crate) fn push(&mut self, bucket: &mut [u64]) -> Result<()> {
        bucket[0] |= FIRST;
        let pushed = self.places.append(bucket);
        bucket[0] &= !FIRST;
        pushed
    }

    /// Gives each bucket.
    pub(crate) fn each(&self, mut give: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let mut bucket = Vec::new();
        self.places.each_piece(1, |_, places| {
            for &place in places {
                if place & FIRST != 0 && !bucket.is_empty() {
                    give(&bucket)?;
                    bucket.clear();
                }
                bucket.push(place & !FIRST);
            }
            Ok(())
        })?;
        if bucket.is_empty() { Ok(()) } else { give(&bucket) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn buckets_are_equal_keys_and_never_of_one(
            keys in prop::collection::vec(any::<u8>(), 0..300),
            spread in 0u32..25,
            at_most in 0usize..3000,
            reversed: bool,
        ) {
            let budget = Budget::of(1 << 20, 0, &std::env::temp_dir());
            let mut column = Spill::new(&budget);
            let keys: Vec<u32> = keys.iter().map(|&key| u32::from(key) << spread).collect();
            column.append(&keys).unwrap();
            let place = |d: u64| (!d.is_multiple_of(3)).then_some(if reversed { 300 - d } else { d });
            let mut expected: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            (0u64..).zip(&keys).for_each(|(d, &key)| expected.entry(key).or_default().extend(place(d)));
            expected.values_mut().for_each(|bucket| bucket.sort_unstable());
            let expected: Vec<Vec<u64>> = expected.into_values().filter(|bucket| bucket.len() > 1).collect();
            let mut buckets = Buckets::new(&budget);
            each_bucket(&column, at_most, &mut Room::default(), place, |bucket| buckets.push(bucket)).unwrap();
            let mut found = Vec::new();
            buckets
                .each(|bucket| {
                    found.push(bucket.to_vec());
                    Ok(())
                })
                .unwrap();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn sorting_by_digits_is_sorting() {
        let mut rows: Vec<u64> =
            (0..3 * FEW as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> PLACE << PLACE) | i).collect();
        let mut expected = rows.clone();
        expected.sort_unstable();
        sort(&mut rows, &mut Vec::new());
        assert_eq!(rows, expected);
    }
}

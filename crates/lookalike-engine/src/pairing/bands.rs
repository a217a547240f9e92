//! Groups band keys into buckets, one band at a time. Most keys occur only once. A filter
//! ([`Sieve`]) removes most of these, and only the remaining keys are sorted.

use lookalike_io::{
    error::Result,
    spill::{Budget, Spill, grouping::stretches, sieve::Sieve},
};

/// The number of bits of a row that hold the place, which is a document's number. 40 bits are enough for more than 10¹²
/// documents.
const PLACE: u32 = 40;

/// The maximum number of documents that a row can distinguish.
pub(crate) const MOST_DOCUMENTS: u64 = 1 << PLACE;

/// The maximum number of rows for which sorting by comparison is faster than sorting by digits.
const FEW: usize = 1 << 9;

/// Scratch buffers for sorting a band, reused for the next band.
pub(crate) struct Scratch {
    /// Rows in 256 lists. The upper eight bits of a row's key determine its list.
    ranges: Vec<Vec<u64>>,
    other: Vec<u64>,
    sieve: Sieve,
    places: Vec<u64>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            ranges: vec![Vec::new(); 256],
            other: Vec::new(),
            sieve: Sieve::default(),
            places: Vec::new(),
        }
    }
}

/// Passes each bucket of a band to `give`, as two or more ascending places. `place_of` returns the place of a document, which is
/// the number that identifies the document in buckets. Documents without a place are left out. Buckets are in the order of their
/// keys.
///
/// A row consists of a key's lower 24 bits and a place. The key's upper eight bits determine which of 256 lists the row goes to.
/// If `at_most` bytes of memory cannot hold the rows, the column is read several times, each time for one part of the keys. Cost:
/// 8 bytes per row, three passes, and a sort of the keys that occur repeatedly.
pub(crate) fn each_bucket(
    column: &Spill<u32>,
    at_most: usize,
    scratch: &mut Scratch,
    place_of: impl Fn(u64) -> Option<u64>,
    mut give: impl FnMut(&mut [u64]) -> Result<()>,
) -> Result<()> {
    // Half of the memory is for rows. The other half is for the one list that is being sorted, and for the spare capacity of
    // lists.
    for stretch in stretches(column.len(), at_most / (2 * size_of::<u64>())) {
        column.each_piece(1, |first, keys| {
            for (document, &key) in (first..).zip(keys) {
                let range = (key >> 24) as u8;
                if stretch.contains(&range)
                    && let Some(place) = place_of(document)
                {
                    scratch.ranges[usize::from(range)].push(u64::from(key) << PLACE | place);
                }
            }
            Ok(())
        })?;
        for range in stretch {
            let rows = &mut scratch.ranges[usize::from(range)];
            sift(rows, &mut scratch.sieve);
            sort(rows, &mut scratch.other);
            for bucket in rows
                .chunk_by(|a, b| a >> PLACE == b >> PLACE)
                .filter(|bucket| bucket.len() > 1)
            {
                scratch.places.clear();
                scratch
                    .places
                    .extend(bucket.iter().map(|row| row & (MOST_DOCUMENTS - 1)));
                give(&mut scratch.places)?;
            }
            rows.clear();
        }
    }
    Ok(())
}

/// Removes rows whose keys certainly occur in no other row. Most keys occur only once, and looking at each key twice takes only a
/// third of the time of a sort.
fn sift(rows: &mut Vec<u64>, sieve: &mut Sieve) {
    sieve.clear(rows.len());
    rows.iter().for_each(|row| _ = sieve.insert(row >> PLACE));
    let mut left = 0;
    // `retain` would be slower, because its branch on whether a row is kept is unpredictable.
    for i in 0..rows.len() {
        let row = rows[i];
        rows[left] = row;
        left += usize::from(sieve.twice(row >> PLACE));
    }
    rows.truncate(left);
}

/// Sorts rows. If their places already ascend, as they do in input order, only the three bytes of the keys have to be sorted.
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

/// Buckets in the order in which they were found. Their places are concatenated, and the first place of each bucket is marked.
pub(crate) struct Buckets {
    places: Spill<u64>,
}

const FIRST: u64 = 1 << 63;

impl Buckets {
    pub(crate) fn new(budget: &std::sync::Arc<Budget>) -> Self {
        Self {
            places: Spill::new(budget),
        }
    }

    pub(crate) fn push(&mut self, bucket: &mut [u64]) -> Result<()> {
        bucket[0] |= FIRST;
        let pushed = self.places.append(bucket);
        bucket[0] &= !FIRST;
        pushed
    }

    /// Passes each bucket to `give`.
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
        if bucket.is_empty() {
            Ok(())
        } else {
            give(&bucket)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn buckets_have_equal_keys_and_at_least_two_documents(
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
            each_bucket(&column, at_most, &mut Scratch::default(), place, |bucket| buckets.push(bucket)).unwrap();
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
    fn radix_sort_sorts() {
        let mut rows: Vec<u64> = (0..3 * FEW as u64)
            .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> PLACE << PLACE) | i)
            .collect();
        let mut expected = rows.clone();
        expected.sort_unstable();
        sort(&mut rows, &mut Vec::new());
        assert_eq!(rows, expected);
    }
}

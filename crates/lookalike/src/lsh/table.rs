//! Band keys → buckets.
//!
//! A band is one column of 32-bit numbers, a document its row. A column's keys are replaced in place by bucket numbers, or
//! [`NONE`] where a document is alone with its key: most documents of most collections are alone in every band, and from
//! here on cost nothing.

/// No bucket; no document.
pub const NONE: u32 = u32::MAX;

/// The documents of one band sorted by (key, document): what buckets are cut from. Eight bytes each.
pub fn sorted_rows(column: &[u32], documents: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut rows: Vec<u64> = documents.map(|d| u64::from(column[d as usize]) << 32 | u64::from(d)).collect();
    rows.sort_unstable();
    rows
}

/// The buckets of one band: the stretches of its sorted rows with equal keys, each of at least two documents.
pub fn buckets(rows: &[u64]) -> impl Iterator<Item = &[u64]> {
    rows.chunk_by(|a, b| a >> 32 == b >> 32).filter(|bucket| bucket.len() > 1)
}

/// The document of a sorted row.
#[inline]
pub fn document(row: u64) -> u32 {
    row as u32
}

/// Replaces the keys of the documents in `rows` by bucket numbers from 0, and all else in `column` by [`NONE`]. Gives the
/// number of buckets.
pub fn label_buckets(column: &mut [u32], rows: &[u64]) -> u32 {
    column.fill(NONE);
    let mut count = 0;
    for bucket in buckets(rows) {
        for &row in bucket {
            column[document(row) as usize] = count;
        }
        count += 1;
    }
    count
}

/// Whether two documents already met in a band before `band`: so that a pair is looked at once, in its first shared band.
pub fn share_earlier_band(columns: &[Vec<u32>], band: usize, a: u32, b: u32) -> bool {
    columns[..band].iter().any(|column| column[a as usize] == column[b as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_equal_keys_and_never_of_one() {
        let mut column = vec![5, 9, 5, 7, 9, 5, 9];
        let rows = sorted_rows(&column, [0, 1, 2, 3, 4, 6].into_iter());
        assert_eq!(label_buckets(&mut column, &rows), 2);
        assert_eq!(column, [0, 1, 0, NONE, 1, NONE, 1]);
    }
}

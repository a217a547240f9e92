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

/// Replaces the keys of `documents` in `column` by bucket numbers from 0, and all else by [`NONE`]. Gives the number of
/// buckets, each of at least two documents.
pub fn label_buckets(column: &mut [u32], documents: impl Iterator<Item = u32>) -> u32 {
    let rows = sorted_rows(column, documents);
    column.fill(NONE);
    let mut buckets = 0;
    for bucket in rows.chunk_by(|a, b| a >> 32 == b >> 32).filter(|bucket| bucket.len() > 1) {
        for row in bucket {
            column[*row as u32 as usize] = buckets;
        }
        buckets += 1;
    }
    buckets
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
        assert_eq!(label_buckets(&mut column, [0, 1, 2, 3, 4, 6].into_iter()), 2);
        assert_eq!(column, [0, 1, 0, NONE, 1, NONE, 1]);
    }
}

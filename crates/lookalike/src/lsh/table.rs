//! Converts band keys to buckets.
//!
//! A band is one column of 32-bit numbers, and a document is a row. The keys of a column are replaced in place by bucket numbers,
//! or by [`NONE`] if a document is alone with its key. Most documents of most collections are alone in every band, and cost
//! nothing in the later steps.

/// No bucket, or no document.
pub const NONE: u32 = u32::MAX;

/// Returns the documents of one band, sorted by (key, document), so that they can be cut into buckets. They take eight bytes per
/// document.
pub fn sorted_rows(column: &[u32], documents: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut rows: Vec<u64> = documents
        .map(|d| u64::from(column[d as usize]) << 32 | u64::from(d))
        .collect();
    rows.sort_unstable();
    rows
}

/// Returns the buckets of one band: the ranges of its sorted rows with equal keys, each of at least two documents.
pub fn buckets(rows: &[u64]) -> impl Iterator<Item = &[u64]> {
    rows.chunk_by(|a, b| a >> 32 == b >> 32)
        .filter(|bucket| bucket.len() > 1)
}

/// Returns the document of a sorted row.
#[inline]
pub fn document(row: u64) -> u32 {
    row as u32
}

/// Replaces the keys of the documents in `rows` by bucket numbers from 0, and all other values in `column` by [`NONE`]. Returns
/// the number of buckets.
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

/// Returns whether two documents share a band before `band`. This check ensures that a pair is examined only once, in its first
/// shared band.
pub fn share_earlier_band(columns: &[Vec<u32>], band: usize, a: u32, b: u32) -> bool {
    columns[..band]
        .iter()
        .any(|column| column[a as usize] == column[b as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_have_equal_keys_and_at_least_two_documents() {
        let mut column = vec![5, 9, 5, 7, 9, 5, 9];
        let rows = sorted_rows(&column, [0, 1, 2, 3, 4, 6].into_iter());
        assert_eq!(label_buckets(&mut column, &rows), 2);
        assert_eq!(column, [0, 1, 0, NONE, 1, NONE, 1]);
    }
}

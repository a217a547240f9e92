//! Finds exact duplicates by their digests, so that copies do not go through the whole pipeline.
//!
//! In keep order (the order in which documents are considered), the first of several equal documents is their *first copy*; the
//! others are copies. If the first copy is kept, it represents the copies: they equal it, and no document that was kept earlier
//! is similar to it. If the first copy was dropped, each copy is dropped too, because the representative of the first copy also
//! precedes the copy. But a document that comes after the first copy and before a later copy in keep order may be kept, and may
//! be a better representative of that later copy. So a copy of a dropped first copy is compared too, but only with the documents
//! that come between its first copy and itself in keep order. A copy is never kept, so copies need no buckets and have no effect
//! on other documents.

use crate::fingerprint::Digest;

/// Returns, for each document, its first copy: the first document in keep order that equals it. If no earlier document equals it,
/// this is the document itself. `order` is keep order.
pub fn first_copies(digests: &[Digest], order: &[u32]) -> Vec<u32> {
    let mut rows: Vec<(Digest, u32)> = order
        .iter()
        .enumerate()
        .map(|(rank, &d)| (digests[d as usize], rank as u32))
        .collect();
    rows.sort_unstable();
    let mut first_copies = vec![0; digests.len()];
    for same in rows.chunk_by(|a, b| a.0 == b.0) {
        let first_copy = order[same[0].1 as usize];
        for (_, rank) in same {
            first_copies[order[*rank as usize] as usize] = first_copy;
        }
    }
    first_copies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_copy_is_the_first_in_keep_order() {
        assert_eq!(first_copies(&[7, 8, 7, 7], &[0, 1, 2, 3]), [0, 1, 0, 0]);
        assert_eq!(first_copies(&[7, 8, 7, 7], &[3, 2, 1, 0]), [3, 1, 3, 3]);
    }
}

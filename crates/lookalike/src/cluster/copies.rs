//! Exact duplicates leave the pipeline at their digest.
//!
//! The first of equal documents in keep order is their *leader*; the others are copies. If the leader is kept, it is the
//! copies' representative: they resemble it wholly, and no kept document before it can. If the leader was dropped, so is
//! each copy, since what the leader was dropped for comes before both; but a copy's representative may be a document kept
//! *between* the two, so copies of dropped leaders look at those, and only at those. A copy is never kept, so copies need
//! no buckets and decide nothing for others.

use crate::fingerprint::Digest;

/// Each document's leader; its own number for a leader. `order` is keep order.
pub fn leaders(digests: &[Digest], order: &[u32]) -> Vec<u32> {
    let mut rows: Vec<(Digest, u32)> = order.iter().enumerate().map(|(rank, &d)| (digests[d as usize], rank as u32)).collect();
    rows.sort_unstable();
    let mut leaders = vec![0; digests.len()];
    for same in rows.chunk_by(|a, b| a.0 == b.0) {
        let leader = order[same[0].1 as usize];
        for (_, rank) in same {
            leaders[order[*rank as usize] as usize] = leader;
        }
    }
    leaders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leader_is_the_first_in_keep_order() {
        assert_eq!(leaders(&[7, 8, 7, 7], &[0, 1, 2, 3]), [0, 1, 0, 0]);
        assert_eq!(leaders(&[7, 8, 7, 7], &[3, 2, 1, 0]), [3, 1, 3, 3]);
    }
}

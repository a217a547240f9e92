//! Collects the candidate links between the contenders of one window (consecutive documents that are decided together).

use std::ops::Range;

use lookalike::{
    cluster::{Buckets, Links, Listed},
    lsh::NONE,
};

/// The links between the contenders of one window.
pub(super) enum Groups {
    Buckets {
        /// The positions of documents in the window, sorted into groups. A group has the positions of two or more documents that
        /// share a bucket, in ascending order. The groups follow each other.
        members: Vec<u32>,
        /// For each position in the window: one entry for each group that contains the position. An entry has the index in
        /// `members` where the group has this position, and the index in `members` where the group ends.
        of_place: Vec<Vec<(u32, u32)>>,
    },
    /// For each position, the linked positions after it, ascending.
    Listed(Vec<Vec<u32>>),
}

impl Groups {
    /// Collects the links of a window. `some_closed` tells whether any buckets are closed. Closed buckets, whose documents are
    /// found with an index, are left out.
    pub(super) fn of(window: Range<u32>, links: &Links, some_closed: bool) -> Self {
        match links {
            Links::Buckets(buckets) => Self::of_buckets(window, buckets, some_closed),
            Links::Listed(listed) => Self::of_listed(window, listed),
        }
    }

    fn of_buckets(window: Range<u32>, buckets: &Buckets, some_closed: bool) -> Self {
        let mut rows: Vec<(u64, u32)> = Vec::new();
        for (place, document) in (0u32..).zip(window.clone()) {
            let of_bands = (0usize..)
                .zip(buckets.buckets_of(document))
                .filter(|(_, bucket)| *bucket != NONE);
            let open = of_bands
                .filter(|&(band, bucket)| !(some_closed && buckets.is_closed(band, bucket)));
            rows.extend(
                open.map(|(band, bucket)| ((band as u64) << 32 | u64::from(bucket), place)),
            );
        }
        rows.sort_unstable();
        let (mut members, mut of_place) = (Vec::new(), vec![Vec::new(); window.len()]);
        for group in rows
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| group.len() > 1)
        {
            let end = (members.len() + group.len()) as u32;
            for (_, place) in group {
                of_place[*place as usize].push((members.len() as u32, end));
                members.push(*place);
            }
        }
        Self::Buckets { members, of_place }
    }

    fn of_listed(window: Range<u32>, listed: &Listed) -> Self {
        let after = |document: u32| {
            let neighbours = listed.of(document);
            let start = neighbours.partition_point(|&other| other <= document);
            neighbours[start..]
                .iter()
                .take_while(|&&other| other < window.end)
                .map(|other| other - window.start)
                .collect()
        };
        Self::Listed(window.clone().map(after).collect())
    }

    /// Returns the positions after `place` that are linked to it, ascending, each once.
    pub(super) fn after(&self, place: usize, into: &mut Vec<u32>) {
        into.clear();
        match self {
            Self::Buckets { members, of_place } => {
                for &(at, end) in &of_place[place] {
                    into.extend_from_slice(&members[at as usize + 1..end as usize]);
                }
                into.sort_unstable();
                into.dedup();
            }
            Self::Listed(after) => into.extend_from_slice(&after[place]),
        }
    }

    /// Returns whether two positions are linked.
    pub(super) fn linked(&self, a: usize, b: usize) -> bool {
        match self {
            Self::Buckets { of_place, .. } => {
                let of_b = &of_place[b];
                of_place[a]
                    .iter()
                    .any(|(_, end)| of_b.iter().any(|(_, other)| other == end))
            }
            Self::Listed(after) => after[a.min(b)].binary_search(&(a.max(b) as u32)).is_ok(),
        }
    }
}

//! Who of a window of contenders is linked to whom of it.

use std::ops::Range;

use lookalike::{
    cluster::{Buckets, Links, Listed},
    lsh::NONE,
};

/// Who of a window is linked to whom of it.
pub(super) enum Groups {
    Buckets {
        /// Places in the window, group after group, ascending in each; groups of at least two.
        members: Vec<u32>,
        /// For each place, where in `members` it stands, group by group, and where that group ends.
        of_place: Vec<Vec<(u32, u32)>>,
    },
    /// For each place the linked places behind it, ascending.
    Listed(Vec<Vec<u32>>),
}

impl Groups {
    /// Closed buckets are left out, where there are any.
    pub(super) fn of(window: Range<u32>, links: &Links, some_closed: bool) -> Self {
        match links {
            Links::Buckets(buckets) => Self::of_buckets(window, buckets, some_closed),
            Links::Listed(listed) => Self::of_listed(window, listed),
        }
    }

    fn of_buckets(window: Range<u32>, buckets: &Buckets, some_closed: bool) -> Self {
        let mut rows: Vec<(u64, u32)> = Vec::new();
        for (place, document) in (0u32..).zip(window.clone()) {
            let of_bands = (0usize..).zip(buckets.buckets_of(document)).filter(|(_, bucket)| *bucket != NONE);
            let open = of_bands.filter(|&(band, bucket)| !(some_closed && buckets.is_closed(band, bucket)));
            rows.extend(open.map(|(band, bucket)| ((band as u64) << 32 | u64::from(bucket), place)));
        }
        rows.sort_unstable();
        let (mut members, mut of_place) = (Vec::new(), vec![Vec::new(); window.len()]);
        for group in rows.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let end = (members.len() + group.len()) as u32;
            for (_, place) in group {
                of_place[*place as usize].push((members.len() as u32, end));
                members.push(*place);
            }
        }
        Self::Buckets { members, of_place }
    }

    fn of_listed(window: Range<u32>, listed: &Listed) -> Self {
        let behind = |document: u32| {
            let neighbours = listed.of(document);
            let start = neighbours.partition_point(|&other| other <= document);
            neighbours[start..].iter().take_while(|&&other| other < window.end).map(|other| other - window.start).collect()
        };
        Self::Listed(window.clone().map(behind).collect())
    }

    /// The places behind `place` that are linked to it, ascending, each once.
    pub(super) fn behind(&self, place: usize, into: &mut Vec<u32>) {
        into.clear();
        match self {
            Self::Buckets { members, of_place } => {
                for &(at, end) in &of_place[place] {
                    into.extend_from_slice(&members[at as usize + 1..end as usize]);
                }
                into.sort_unstable();
                into.dedup();
            }
            Self::Listed(behind) => into.extend_from_slice(&behind[place]),
        }
    }

    /// Whether two places are linked.
    pub(super) fn linked(&self, a: usize, b: usize) -> bool {
        match self {
            Self::Buckets { of_place, .. } => {
                let of_b = &of_place[b];
                of_place[a].iter().any(|(_, end)| of_b.iter().any(|(_, other)| other == end))
            }
            Self::Listed(behind) => behind[a.min(b)].binary_search(&(a.max(b) as u32)).is_ok(),
        }
    }
}

//! The clusters that a page shows: the largest ones, and those with the weakest links.

use std::{cmp::Reverse, collections::BTreeSet};

use lookalike_applications::records::Linker;
use lookalike_io::{error::Result, write::plain};
use serde::Serialize;

use super::clusters::{Link, Weakest, chosen};
use crate::jobs::link::reading::records::Gathered;

/// The numbers of largest clusters, and of clusters with the weakest links; and of records of a cluster.
const LARGEST: usize = 150;
const WEAKEST: usize = 150;
const RECORDS: usize = 50;

/// A cluster.
pub(in crate::jobs::link) struct Group {
    size: u32,
    weakest: Link,
    /// Its first records.
    records: Vec<u32>,
}

/// Returns the clusters to show, the largest one first. `sizes` has the size of each cluster at its first record.
pub(in crate::jobs::link) fn groups(
    sizes: &[u32],
    representatives: &[u32],
    weakest: &Weakest,
) -> Vec<Group> {
    let largest = chosen(sizes, LARGEST, |cluster| Reverse(sizes[cluster as usize]));
    let weak = chosen(sizes, WEAKEST, |cluster| weakest.link(cluster)[2]);
    let shown: BTreeSet<u32> = largest.into_iter().chain(weak).collect();
    let shown: Vec<u32> = shown.into_iter().collect();
    let mut groups: Vec<Group> = shown
        .iter()
        .map(|&cluster| Group {
            size: sizes[cluster as usize],
            weakest: weakest.link(cluster),
            records: Vec::new(),
        })
        .collect();
    for (record, cluster) in (0..).zip(representatives) {
        if let Ok(at) = shown.binary_search(cluster)
            && groups[at].records.len() < RECORDS
        {
            groups[at].records.push(record);
        }
    }
    groups.sort_by_key(|group| Reverse(group.size));
    groups
}

/// A cluster as the page reads it. Ids are strings, because JavaScript would round long numbers.
#[derive(Serialize)]
pub(in crate::jobs::link) struct GroupData<'a> {
    size: u32,
    weakest: WeakestData,
    records: Vec<RecordData<'a>>,
}

#[derive(Serialize)]
struct WeakestData {
    a: String,
    b: String,
    score: f64,
}

#[derive(Serialize)]
struct RecordData<'a> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    /// The normal forms of its values, in the order of the fields.
    values: Vec<&'a str>,
}

impl Group {
    /// Returns the pair of the weakest link.
    pub(in crate::jobs::link) fn weakest(&self) -> (u32, u32) {
        (self.weakest[0], self.weakest[1])
    }

    /// Returns the cluster as the page reads it.
    pub(in crate::jobs::link) fn shown<'a>(
        &self,
        gathered: &'a Gathered,
        linker: &Linker,
    ) -> Result<GroupData<'a>> {
        let [a, b, rank] = self.weakest;
        let id = |record: u32| plain(gathered.id(record)).into_owned();
        let record = |&record: &u32| RecordData {
            id: id(record),
            of: gathered.collection_of(record),
            values: (0..gathered.records.fields())
                .map(|field| gathered.records.get(record, field))
                .collect(),
        };
        Ok(GroupData {
            size: self.size,
            weakest: WeakestData {
                a: id(a),
                b: id(b),
                score: linker.share(linker.score_of(rank)),
            },
            records: self.records.iter().map(record).collect(),
        })
    }
}

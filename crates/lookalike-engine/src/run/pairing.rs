//! Band keys to buckets; copies and loners are settled on the way.

use lookalike::{
    cluster::{self, Buckets},
    lsh::label_buckets,
};
use rayon::{ThreadPool, prelude::*};

use super::sketching::Table;
use crate::config::{Observer, Progress, Stage};

/// Keep order, and who has to be compared at all.
pub(crate) struct Pairing {
    /// The documents in keep order.
    pub(crate) order: Vec<u32>,
    /// Each document's place in keep order.
    pub(crate) ranks: Vec<u32>,
    /// Each document's leader: the first in keep order with its digest.
    pub(crate) leaders: Vec<u32>,
    /// Leaders that share a band with another leader, in keep order.
    pub(crate) contenders: Vec<u32>,
    /// The leader of the empty texts, which are nobody's copies.
    empty: Option<u32>,
}

impl Pairing {
    /// Puts documents in keep order and finds leaders. Cost: a sort of digests.
    pub(crate) fn new(table: &Table) -> Self {
        let documents = table.documents();
        let order = if table.keys.is_empty() { (0..documents).collect() } else { cluster::keep_order(&table.keys) };
        let mut ranks = vec![0; documents as usize];
        order.iter().zip(0..).for_each(|(&d, rank)| ranks[d as usize] = rank);
        let leaders = cluster::leaders(&table.digests, &order);
        let contenders = order.iter().copied().filter(|&d| leaders[d as usize] == d && !table.is_empty_text(d)).collect();
        let empty = order.iter().copied().find(|&d| table.is_empty_text(d));
        Self { order, ranks, leaders, contenders, empty }
    }

    /// Whether a document has no token.
    pub(crate) fn is_empty(&self, document: u32) -> bool {
        self.empty == Some(self.leaders[document as usize])
    }

    /// Labels the buckets, band by band in parallel, and keeps as contenders only those with company.
    pub(crate) fn bucket(&mut self, columns: Vec<Vec<u32>>, pool: &ThreadPool, observer: Observer) -> Buckets {
        let total = columns.len() as u64;
        let done = std::sync::atomic::AtomicU64::new(0);
        let contenders = &self.contenders;
        let label = |mut column: Vec<u32>| {
            let buckets = label_buckets(&mut column, contenders.iter().copied());
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            observer(Progress { stage: Stage::Pairing, done, total });
            (column, buckets)
        };
        let buckets = Buckets::of_labelled(pool.install(|| columns.into_par_iter().map(label).collect()));
        self.contenders.retain(|&d| buckets.has_company(d));
        buckets
    }
}

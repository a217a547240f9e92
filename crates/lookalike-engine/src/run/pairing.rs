//! Band keys to buckets; copies and loners are settled on the way.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lookalike::{
    Method,
    cluster::{self, Buckets},
    fingerprint, lsh,
    text::Tokens,
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
    /// Leaders that may have a candidate among the other leaders, in keep order.
    pub(crate) contenders: Vec<u32>,
    /// The leader of the empty texts, which are nobody's copies.
    empty: Option<u32>,
}

impl Pairing {
    /// Puts documents in keep order and finds leaders. Cost: a sort of digests.
    pub(crate) fn new(table: &Table) -> Self {
        let documents = table.documents();
        let order = if table.keys.is_empty() { (0..documents).collect() } else { cluster::keep_order(&table.keys) };
        let ranks = cluster::ranks(&order);
        let leaders = cluster::leaders(&table.digests, &order);
        // All empty texts have one digest, and so one leader.
        let nothing = fingerprint::digest(&Tokens::new());
        let is_empty = |&d: &u32| table.digests[d as usize] == nothing;
        let empty = order.iter().copied().find(is_empty);
        let contenders = order.iter().copied().filter(|&d| leaders[d as usize] == d && Some(d) != empty).collect();
        Self { order, ranks, leaders, contenders, empty }
    }

    /// Keeps as contenders only those that are in a group with another.
    pub(crate) fn keep_grouped(&mut self, first_of: &[u32]) {
        let mut sizes = vec![0u32; first_of.len()];
        self.contenders.iter().for_each(|&d| sizes[first_of[d as usize] as usize] += 1);
        self.contenders.retain(|&d| sizes[first_of[d as usize] as usize] > 1);
    }

    /// Whether a document has no token.
    pub(crate) fn is_empty(&self, document: u32) -> bool {
        self.empty == Some(self.leaders[document as usize])
    }

    /// Labels the buckets, band by band in parallel.
    pub(crate) fn label(&self, columns: Vec<Vec<u32>>, pool: &ThreadPool) -> Buckets {
        let label = |column| Buckets::label(column, &self.contenders);
        Buckets::of_labelled(pool.install(|| columns.into_par_iter().map(label).collect()))
    }

    /// Keeps as contenders only those that share a band with a document whose b-bit sketch agrees with theirs: nobody else
    /// has a candidate. In many collections most of those that share a band do not.
    pub(crate) fn keep_likely(&mut self, table: &Table, method: &Method, pool: &ThreadPool, observer: Observer) {
        let likely: Vec<AtomicBool> = table.digests.iter().map(|_| AtomicBool::new(false)).collect();
        let total = table.columns.len() as u64;
        let done = AtomicU64::new(0);
        let band = |column: &Vec<u32>| {
            let rows = lsh::sorted_rows(column, self.contenders.iter().copied());
            lsh::buckets(&rows).for_each(|bucket| mark_likely(bucket, table, method, &likely));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer(Progress { stage: Stage::Pairing, done, total });
        };
        pool.install(|| table.columns.par_iter().for_each(band));
        self.contenders.retain(|&d| likely[d as usize].load(Ordering::Relaxed));
    }
}

/// Documents that are looked at before a document of a large bucket is taken as likely anyway: it costs a set that may not be
/// needed, where looking on would cost the square of the bucket.
const LOOKS: usize = 64;

/// Marks the documents of a bucket that agree with another one of it.
fn mark_likely(bucket: &[u64], table: &Table, method: &Method, likely: &[AtomicBool]) {
    let mark = |d: u32| likely[d as usize].store(true, Ordering::Relaxed);
    for (i, &row) in bucket.iter().enumerate() {
        let d = lsh::document(row);
        if likely[d as usize].load(Ordering::Relaxed) {
            continue;
        }
        let others = bucket[i + 1..].iter().chain(&bucket[..i]).map(|&row| lsh::document(row));
        match others.take(LOOKS).find(|&other| method.agree(table.bits.get(d), table.bits.get(other))) {
            Some(other) => {
                mark(d);
                mark(other);
            }
            None if bucket.len() > LOOKS + 1 => mark(d),
            None => {}
        }
    }
}

//! The whole way in memory: texts in, decisions out. Start reading here; everything larger is judged by this.
//!
//! > Documents are put in keep order. Going down that order, a document is dropped when a document already kept is its
//! > candidate and is at least t similar to it; otherwise it is kept. A dropped document's representative is the most
//! > similar of the kept candidates that reach t; ties go to the first in keep order.

use crate::{
    cluster::{Best, Buckets, Company, UnionFind, keep_order, leaders, ranks},
    error::Result,
    lsh::{self, share_earlier_band, sorted_rows},
    method::{Cluster, Config, Method, Scratch, Verify},
    sketch::{self, Bits},
    verify::Overlap,
};

/// A document: its text, and the key that puts it in keep order (largest first, ties by input order).
#[derive(Debug, Clone, Copy)]
pub struct Doc<'a> {
    /// The text as it came.
    pub text: &'a str,
    /// 0 for all keeps the first.
    pub key: u64,
}

impl<'a> From<&'a str> for Doc<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, key: 0 }
    }
}

/// Why a document was kept or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Kept: nothing was dropped for it.
    Unique,
    /// Kept: others were dropped for it.
    Representative,
    /// Kept: it has no token, and is nobody's duplicate.
    Empty,
    /// Dropped: its representative has the same canonical form.
    Exact,
    /// Dropped: its representative is similar.
    Near,
}

/// What was decided about one document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Why.
    pub reason: Reason,
    /// For a dropped document, the kept one that stands for it.
    pub representative: Option<usize>,
    /// For a dropped document, its resemblance to its representative: exact or the sketch's, as asked; none if not verified.
    pub resemblance: Option<f64>,
    /// For a dropped document, the overlap of its set (`a`) with its representative's, if it was counted.
    pub overlap: Option<Overlap>,
    /// Documents in its group, itself among them.
    pub cluster_size: usize,
}

impl Decision {
    /// Whether the document stays.
    pub fn is_kept(&self) -> bool {
        self.representative.is_none()
    }
}

/// Decides about every document; the answer is in input order.
///
/// # Errors
/// Those of [`Method::new`]. Texts are never refused.
pub fn dedup(docs: &[Doc], config: Config) -> Result<Vec<Decision>> {
    let method = Method::new(config)?;
    let collection = Collection::sketch(docs, &method);
    let order = keep_order(&docs.iter().map(|doc| doc.key).collect::<Vec<_>>());
    let representatives = match method.config().cluster {
        Cluster::Law => collection.law(&order),
        Cluster::Components => collection.components(&order),
    };
    Ok(collection.decisions(&representatives))
}

/// The sketches and sets of all documents.
struct Collection<'a> {
    method: &'a Method,
    digests: Vec<u128>,
    bits: Vec<Bits>,
    columns: Vec<Vec<u32>>,
    sets: Vec<Vec<u64>>,
}

impl<'a> Collection<'a> {
    fn sketch(docs: &[Doc], method: &'a Method) -> Self {
        let columns = vec![Vec::new(); method.shape().curve().bands];
        let mut all = Self { method, digests: Vec::new(), bits: Vec::new(), columns, sets: Vec::new() };
        let mut scratch = Scratch::default();
        for doc in docs {
            method.sketch(doc.text, &mut scratch);
            all.digests.push(scratch.digest);
            all.bits.push(scratch.bits);
            all.columns.iter_mut().zip(method.keys(&scratch)).for_each(|(column, key)| column.push(key));
            method.set(doc.text, &mut scratch);
            all.sets.push(scratch.fingerprints.clone());
        }
        all
    }

    /// The law, by the law's own loop: each document's representative, or none where it is kept.
    fn law(&self, order: &[u32]) -> Vec<Option<u32>> {
        let leaders = leaders(&self.digests, order);
        let ranks = ranks(order);
        let mut buckets = Buckets::new(self.columns.clone(), &self.contenders(order, &leaders));
        let mut representatives: Vec<Option<u32>> = vec![None; order.len()];
        let (mut company, mut best) = (Company::default(), None);
        for &d in order.iter().filter(|&&d| !self.sets[d as usize].is_empty()) {
            let leader = leaders[d as usize];
            if leader != d && representatives[leader as usize].is_none() {
                representatives[d as usize] = Some(leader);
                continue;
            }
            // A copy of a dropped leader has the leader's sketch, and so the leader's candidates, and those kept since.
            buckets.kept_company(leader, &mut company);
            best.take();
            for &kept in &company.members {
                if let Some(similarity) = self.similarity(d, kept) {
                    Best::improve(&mut best, Best { document: kept, rank: ranks[kept as usize], similarity });
                }
            }
            match best {
                Some(found) => representatives[d as usize] = Some(found.document),
                None => buckets.keep(d),
            }
        }
        representatives
    }

    /// Connected components of all matches; each keeps its first in keep order.
    fn components(&self, order: &[u32]) -> Vec<Option<u32>> {
        let leaders = leaders(&self.digests, order);
        let contenders = self.contenders(order, &leaders);
        let mut groups = UnionFind::new(order.len());
        for (band, column) in self.columns.iter().enumerate() {
            for bucket in lsh::buckets(&sorted_rows(column, contenders.iter().copied())) {
                for (i, &a) in bucket.iter().enumerate() {
                    for (a, b) in bucket[i + 1..].iter().map(|&b| (lsh::document(a), lsh::document(b))) {
                        if !share_earlier_band(&self.columns, band, a, b) && self.similarity(a, b).is_some() {
                            groups.join(a, b);
                        }
                    }
                }
            }
        }
        let mut firsts: Vec<Option<u32>> = vec![None; order.len()];
        let mut representatives = vec![None; order.len()];
        for &d in order.iter().filter(|&&d| !self.sets[d as usize].is_empty()) {
            let first = firsts[groups.find(leaders[d as usize]) as usize].get_or_insert(d);
            representatives[d as usize] = Some(*first).filter(|&first| first != d);
        }
        representatives
    }

    fn contenders(&self, order: &[u32], leaders: &[u32]) -> Vec<u32> {
        order.iter().copied().filter(|&d| leaders[d as usize] == d && !self.sets[d as usize].is_empty()).collect()
    }

    /// The similarity of two documents that share a band, if they are candidates and it reaches the threshold.
    fn similarity(&self, a: u32, b: u32) -> Option<f64> {
        let (a, b) = (a as usize, b as usize);
        let threshold = self.method.config().threshold;
        if !self.method.agree(&self.bits[a], &self.bits[b]) {
            return None;
        }
        match self.method.config().verify {
            Verify::Exact => Overlap::at_least(&self.sets[a], &self.sets[b], threshold).map(Overlap::resemblance),
            Verify::Sketch => Some(estimate(&self.bits[a], &self.bits[b])).filter(|&r| r >= threshold),
            Verify::None => Some(1.0),
        }
    }

    fn decisions(&self, representatives: &[Option<u32>]) -> Vec<Decision> {
        let mut sizes = vec![1usize; representatives.len()];
        representatives.iter().flatten().for_each(|&r| sizes[r as usize] += 1);
        let decide = |(d, representative): (usize, &Option<u32>)| {
            let Some(r) = representative.map(|r| r as usize) else {
                let reason = match sizes[d] {
                    _ if self.sets[d].is_empty() => Reason::Empty,
                    1 => Reason::Unique,
                    _ => Reason::Representative,
                };
                return Decision { reason, representative: None, resemblance: None, overlap: None, cluster_size: sizes[d] };
            };
            let exact = self.digests[d] == self.digests[r];
            let counted = self.method.config().verify == Verify::Exact || exact;
            let overlap = counted.then(|| Overlap::of(&self.sets[d], &self.sets[r]));
            let estimated = (self.method.config().verify == Verify::Sketch).then(|| estimate(&self.bits[d], &self.bits[r]));
            Decision {
                reason: if exact { Reason::Exact } else { Reason::Near },
                representative: Some(r),
                resemblance: overlap.map(Overlap::resemblance).or(estimated),
                overlap,
                cluster_size: sizes[r],
            }
        };
        representatives.iter().enumerate().map(decide).collect()
    }
}

fn estimate(a: &Bits, b: &Bits) -> f64 {
    sketch::agreement_resemblance(sketch::agreement(a, b))
}

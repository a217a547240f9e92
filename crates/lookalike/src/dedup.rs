//! The whole way in memory: texts in, decisions out. Start reading here; everything larger is judged by this.
//!
//! > Documents are put in keep order. Going down that order, a document is dropped when a document already kept is its
//! > candidate and is at least t similar to it; otherwise it is kept. A dropped document's representative is the most
//! > similar of the kept candidates that reach t; ties go to the first in keep order.

use crate::{
    cluster::{Best, Buckets, Company, GreedyClusters, Links, Listed, UnionFind, keep_order, leaders, ranks},
    config::{Candidates, Cluster, Config, GreedyBy, Verify},
    error::Result,
    lsh::{self, Sample, share_earlier_band, sorted_rows},
    method::{Method, Scratch},
    sketch::Sketches,
    verify::{Measure, Overlap},
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    /// Dropped: its representative roughly contains it.
    Contained,
    /// Dropped: it roughly contains its representative, which has to stay. Only where somebody asks for it of references that
    /// documents are compared with: nothing here drops a whole for its part.
    Holds,
}

/// What was decided about one document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Why.
    pub reason: Reason,
    /// For a dropped document, the kept one that stands for it.
    pub representative: Option<usize>,
    /// For a dropped document, how similar it is to its representative, by what was asked to be measured: exactly or as the
    /// sketches say; none if nothing was verified.
    pub similarity: Option<f64>,
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
        Cluster::Greedy(by) => collection.greedy(&order, by)?,
    };
    Ok(collection.decisions(&representatives))
}

/// The sketches and sets of all documents.
struct Collection<'a> {
    method: &'a Method,
    digests: Vec<u128>,
    bits: Sketches,
    columns: Vec<Vec<u32>>,
    /// What each document lists, and the level of its sample.
    lists: Vec<Vec<u64>>,
    levels: Vec<u32>,
    sets: Vec<Vec<u64>>,
}

impl<'a> Collection<'a> {
    fn sketch(docs: &[Doc], method: &'a Method) -> Self {
        let (columns, bits) = (vec![Vec::new(); method.columns()], Sketches::new(method.stride()));
        let (lists, levels) = (Vec::new(), Vec::new());
        let mut all = Self { method, digests: Vec::new(), bits, columns, lists, levels, sets: Vec::new() };
        let mut scratch = Scratch::default();
        for doc in docs {
            method.sketch(doc.text, &mut scratch);
            all.digests.push(scratch.digest);
            all.bits.push(&scratch.bits);
            all.columns.iter_mut().zip(&scratch.keys).for_each(|(column, &key)| column.push(key));
            all.lists.push(scratch.elements.clone());
            all.levels.push(scratch.level);
            method.set(doc.text, &mut scratch);
            all.sets.push(scratch.fingerprints.clone());
        }
        all
    }

    /// The law, by the law's own loop: each document's representative, or none where it is kept.
    fn law(&self, order: &[u32]) -> Vec<Option<u32>> {
        let leaders = leaders(&self.digests, order);
        let ranks = ranks(order);
        let contenders = self.contenders(order, &leaders);
        let mut links = match self.listed(&contenders) {
            Some(pairs) => Links::Listed(Listed::new(&pairs, &ranks)),
            None => Links::Buckets(Buckets::new(self.columns.clone(), &contenders)),
        };
        let mut representatives: Vec<Option<u32>> = vec![None; order.len()];
        let (mut company, mut best) = (Company::default(), None);
        for &d in order.iter().filter(|&&d| !self.sets[d as usize].is_empty()) {
            let leader = leaders[d as usize];
            if leader != d && representatives[leader as usize].is_none() {
                representatives[d as usize] = Some(leader);
                continue;
            }
            // A copy of a dropped leader has the leader's sketch, and so the leader's candidates, and those kept since.
            links.kept_company(leader, &mut company);
            best.take();
            for &kept in &company.members {
                if let Some(similarity) = self.similarity(d, kept) {
                    Best::improve(&mut best, Best { document: kept, rank: ranks[kept as usize], similarity });
                }
            }
            match best {
                Some(found) => representatives[d as usize] = Some(found.document),
                None => links.keep(d),
            }
        }
        representatives
    }

    /// Connected components of all pairs of which one is similar to the other; each keeps its first in keep order.
    fn components(&self, order: &[u32]) -> Vec<Option<u32>> {
        let leaders = leaders(&self.digests, order);
        let contenders = self.contenders(order, &leaders);
        let pairs = self.listed(&contenders).unwrap_or_else(|| self.sharing_a_band(&contenders));
        let mut groups = UnionFind::new(order.len());
        for (a, b) in pairs {
            if self.similarity(a, b).or_else(|| self.similarity(b, a)).is_some() {
                groups.join(a, b);
            }
        }
        let mut firsts = vec![None; order.len()];
        let mut representatives = vec![None; order.len()];
        for &d in order.iter().filter(|&&d| !self.sets[d as usize].is_empty()) {
            let first = firsts[groups.find(leaders[d as usize]) as usize].get_or_insert(d);
            representatives[d as usize] = Some(*first).filter(|&first| first != d);
        }
        representatives
    }

    /// Greedy clusters of the sketches in keep order; each keeps its first. Copies go with their leader.
    fn greedy(&self, order: &[u32], by: GreedyBy) -> Result<Vec<Option<u32>>> {
        let leaders = leaders(&self.digests, order);
        let mut clusters = GreedyClusters::new(by.sample, self.method.config().threshold, by.representative)?;
        let mut firsts: Vec<u32> = Vec::new();
        let mut first_of = vec![0; order.len()];
        for d in self.contenders(order, &leaders) {
            let cluster = clusters.add(&self.lists[d as usize])? as usize;
            if cluster == firsts.len() {
                firsts.push(d);
            }
            first_of[d as usize] = firsts[cluster];
        }
        let representative = |d: u32| match self.sets[d as usize].is_empty() {
            true => None,
            false => Some(first_of[leaders[d as usize] as usize]).filter(|&first| first != d),
        };
        Ok((0..order.len() as u32).map(representative).collect())
    }

    fn contenders(&self, order: &[u32], leaders: &[u32]) -> Vec<u32> {
        order.iter().copied().filter(|&d| leaders[d as usize] == d && !self.sets[d as usize].is_empty()).collect()
    }

    /// Candidate pairs, where they are listed and not found by bands.
    fn listed(&self, contenders: &[u32]) -> Option<Vec<(u32, u32)>> {
        let sets = || contenders.iter().map(|&d| self.sets[d as usize].clone()).collect::<Vec<_>>();
        let of_places = |(a, b): (u32, u32)| (contenders[a as usize], contenders[b as usize]);
        match self.method.config().candidates {
            Candidates::All => Some(self.method.join(&sets()).iter().map(|pair| of_places((pair.a, pair.b))).collect()),
            Candidates::Shared(_) => Some(self.sharing(contenders)),
            Candidates::Bands(_) | Candidates::SimHash(_) | Candidates::Sentences(_) | Candidates::Exact => None,
        }
    }

    /// Pairs that share enough of what they list.
    fn sharing(&self, contenders: &[u32]) -> Vec<(u32, u32)> {
        let lists: Vec<Vec<u64>> = contenders.iter().map(|&d| self.lists[d as usize].clone()).collect();
        let (counts, _) = lsh::shared_counts(&lists, self.method.common());
        let candidate = |(a, b, _): (u32, u32, u32)| {
            let (a, b) = (contenders[a as usize], contenders[b as usize]);
            self.method.share_enough(self.sample(a), self.sample(b)).then_some((a, b))
        };
        counts.into_iter().filter_map(candidate).collect()
    }

    fn sample(&self, d: u32) -> Sample<'_> {
        Sample { level: self.levels[d as usize], elements: &self.lists[d as usize] }
    }

    fn sharing_a_band(&self, contenders: &[u32]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (band, column) in self.columns.iter().enumerate() {
            for bucket in lsh::buckets(&sorted_rows(column, contenders.iter().copied())) {
                for (i, &a) in bucket.iter().enumerate() {
                    let behind = bucket[i + 1..].iter().map(|&b| (lsh::document(a), lsh::document(b)));
                    pairs.extend(behind.filter(|&(a, b)| !share_earlier_band(&self.columns, band, a, b)));
                }
            }
        }
        pairs
    }

    /// The similarity of a document to one that it is linked to, if they are candidates and it reaches the threshold.
    fn similarity(&self, d: u32, other: u32) -> Option<f64> {
        let Config { threshold, measure, .. } = *self.method.config();
        if !self.method.agree(self.bits.get(d), self.bits.get(other)) {
            return None;
        }
        match self.method.verify() {
            Verify::Exact => {
                let overlap = measure.at_least(&self.sets[d as usize], &self.sets[other as usize], threshold);
                overlap.map(|overlap| measure.of(overlap))
            }
            Verify::Sketch => Some(self.estimate(d, other)).filter(|&similarity| similarity >= self.method.least()),
            Verify::None => Some(1.0),
        }
    }

    fn estimate(&self, a: u32, b: u32) -> f64 {
        match self.method.lists() {
            true => self.method.estimate_samples(self.sample(a), self.sample(b)),
            false => self.method.estimate(self.bits.get(a), self.bits.get(b)),
        }
    }

    fn decisions(&self, representatives: &[Option<u32>]) -> Vec<Decision> {
        let mut sizes = vec![1usize; representatives.len()];
        representatives.iter().flatten().for_each(|&r| sizes[r as usize] += 1);
        let near = match self.method.config().measure {
            Measure::Resemblance => Reason::Near,
            Measure::Containment => Reason::Contained,
        };
        let decide = |(d, representative): (usize, &Option<u32>)| {
            let Some(r) = *representative else {
                let reason = match sizes[d] {
                    _ if self.sets[d].is_empty() => Reason::Empty,
                    1 => Reason::Unique,
                    _ => Reason::Representative,
                };
                return Decision { reason, representative: None, similarity: None, overlap: None, cluster_size: sizes[d] };
            };
            let same = |d: u32| (self.digests[d as usize], self.bits.get(d));
            let exact = self.method.same(same(d as u32), same(r));
            let counted = self.method.verify() == Verify::Exact || exact;
            let overlap = counted.then(|| Overlap::of(&self.sets[d], &self.sets[r as usize]));
            let estimated =
                (self.method.verify() == Verify::Sketch && self.method.estimates()).then(|| self.estimate(d as u32, r));
            Decision {
                reason: if exact { Reason::Exact } else { near },
                representative: Some(r as usize),
                similarity: overlap.map(|overlap| self.method.config().measure.of(overlap)).or(estimated),
                overlap,
                cluster_size: sizes[r as usize],
            }
        };
        representatives.iter().enumerate().map(decide).collect()
    }
}

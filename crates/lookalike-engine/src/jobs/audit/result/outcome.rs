//! What a result says about each document.

use std::collections::BTreeMap;

use lookalike::cluster::UnionFind;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::jobs::audit::asked::ResultKind;

/// Marks a document without a cluster, or a removed document for which no kept one is named.
pub(in crate::jobs::audit) const NONE: u32 = u32::MAX;

/// What a result says about each document. Memory: 10 bytes per document.
pub(in crate::jobs::audit) struct Outcome {
    /// Whether each document was removed.
    pub(in crate::jobs::audit) removed: Vec<bool>,
    /// The cluster of each document; empty if the result has no clusters.
    pub(in crate::jobs::audit) clusters: Vec<u32>,
    /// For each removed document, the document that the result keeps instead; empty if the result names none.
    pub(in crate::jobs::audit) named: Vec<u32>,
    pub(in crate::jobs::audit) figures: ResultFigures,
}

/// What was read from a result.
#[derive(Debug, Clone, Serialize)]
pub struct ResultFigures {
    /// What the rows are.
    pub kind: ResultKind,
    /// Whether documents are numbered by position.
    pub by_position: bool,
    /// The number of rows.
    pub rows: u64,
    /// Rows that name no document of the inputs.
    pub unknown: u64,
    /// The first ids that no document of the inputs has.
    pub unknown_examples: Vec<Box<RawValue>>,
    /// Rows whose removed document duplicates a document that is not in the inputs.
    pub unknown_representatives: u64,
    /// Rows that name a document that an earlier row named, and say the same about it.
    pub repeated: u64,
    /// Documents of the inputs that no row names; `None` if the result need not name all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_listed: Option<u64>,
    /// Clusters without a document of the inputs; `None` if the result has no column of clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_clusters: Option<u64>,
}

/// What one row says about a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Said {
    pub(super) removed: bool,
    /// The cluster as a hash.
    pub(super) cluster: Option<u128>,
    pub(super) named: Option<u32>,
}

/// The rows that were read so far.
pub(super) struct Gathering {
    kind: ResultKind,
    listed: Vec<bool>,
    removed: Vec<bool>,
    clusters: Vec<u32>,
    named: Vec<u32>,
    /// The number of each cluster, and whether it has a document.
    numbers: BTreeMap<u128, (u32, bool)>,
    joined: Option<UnionFind>,
    pub(super) figures: ResultFigures,
}

/// The maximum number of unknown ids that are reported.
const EXAMPLES: usize = 5;

impl Gathering {
    pub(super) fn new(kind: ResultKind, by_position: bool, documents: u32) -> Self {
        let all = documents as usize;
        let of = |wanted: bool| if wanted { vec![NONE; all] } else { Vec::new() };
        let figures = ResultFigures {
            kind,
            by_position,
            rows: 0,
            unknown: 0,
            unknown_examples: Vec::new(),
            unknown_representatives: 0,
            repeated: 0,
            not_listed: None,
            empty_clusters: None,
        };
        let has_groups = matches!(kind, ResultKind::Clusters | ResultKind::Decisions);
        Self {
            kind,
            listed: vec![false; all],
            removed: vec![false; all],
            clusters: of(has_groups),
            named: of(kind == ResultKind::Decisions),
            numbers: BTreeMap::new(),
            joined: (kind == ResultKind::Pairs).then(|| UnionFind::new(all)),
            figures,
        }
    }

    /// Notes that a row names no document. `id` is JSON, and `cluster` the hash of the cluster, if there is one.
    pub(super) fn unknown(&mut self, id: &str, cluster: Option<u128>) {
        self.figures.unknown += 1;
        if self.figures.unknown_examples.len() < EXAMPLES {
            self.figures
                .unknown_examples
                .extend(RawValue::from_string(id.into()));
        }
        if let Some(cluster) = cluster {
            self.number(cluster, false);
        }
    }

    /// Notes that a row names a representative that is not in the inputs.
    pub(super) fn unknown_representative(&mut self) {
        self.figures.unknown_representatives += 1;
    }

    /// Takes what a row says about a document. Returns false if an earlier row said something else.
    pub(super) fn take(&mut self, document: u32, said: Said) -> bool {
        let at = document as usize;
        let cluster = said
            .cluster
            .map_or(NONE, |cluster| self.number(cluster, true));
        let named = said.named.unwrap_or(NONE);
        if self.listed[at] {
            self.figures.repeated += 1;
            return self.removed[at] == said.removed
                && self
                    .clusters
                    .get(at)
                    .is_none_or(|&earlier| earlier == cluster)
                && self.named.get(at).is_none_or(|&earlier| earlier == named);
        }
        self.listed[at] = true;
        self.removed[at] = said.removed;
        if let Some(into) = self.clusters.get_mut(at) {
            *into = cluster;
        }
        if let Some(into) = self.named.get_mut(at) {
            *into = named;
        }
        true
    }

    /// Takes a pair of duplicates.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        self.listed[a as usize] = true;
        self.listed[b as usize] = true;
        self.joined.iter_mut().for_each(|joined| joined.join(a, b));
    }

    fn number(&mut self, cluster: u128, has_document: bool) -> u32 {
        let next = self.numbers.len() as u32;
        let (number, has) = self.numbers.entry(cluster).or_insert((next, false));
        *has |= has_document;
        *number
    }

    /// Completes what the rows say together.
    pub(super) fn finish(self) -> Outcome {
        let Self {
            kind,
            listed,
            mut removed,
            mut clusters,
            mut named,
            numbers,
            joined,
            mut figures,
        } = self;
        match kind {
            ResultKind::Removed => removed = listed,
            ResultKind::Kept => removed = listed.iter().map(|listed| !listed).collect(),
            ResultKind::Pairs => {
                clusters = vec![NONE; listed.len()];
                connect(&mut clusters, joined);
                first_is_kept(&clusters, &mut removed, &mut named);
            }
            ResultKind::Clusters => {
                figures.not_listed = Some(listed.iter().filter(|listed| !**listed).count() as u64);
                figures.empty_clusters =
                    Some(numbers.values().filter(|(_, has)| !has).count() as u64);
                first_is_kept(&clusters, &mut removed, &mut named);
            }
            ResultKind::Decisions => {
                figures.not_listed = Some(listed.iter().filter(|listed| !**listed).count() as u64);
                let has_names = named.iter().any(|&named| named != NONE);
                if numbers.is_empty() {
                    // Without a column of clusters, a cluster consists of the documents that are connected by what they duplicate.
                    let mut groups = UnionFind::new(named.len());
                    (0u32..)
                        .zip(&named)
                        .filter(|(_, named)| **named != NONE)
                        .for_each(|(one, &other)| groups.join(one, other));
                    connect(&mut clusters, has_names.then_some(groups));
                } else {
                    figures.empty_clusters =
                        Some(numbers.values().filter(|(_, has)| !has).count() as u64);
                    if !has_names {
                        name_kept(&clusters, &removed, &mut named);
                    }
                }
            }
        }
        if clusters.iter().all(|&cluster| cluster == NONE) {
            clusters = Vec::new();
        }
        if named.iter().all(|&named| named == NONE) {
            named = Vec::new();
        }
        Outcome {
            removed,
            clusters,
            named,
            figures,
        }
    }
}

/// Makes a cluster of each set with several documents.
fn connect(clusters: &mut [u32], joined: Option<UnionFind>) {
    let Some(mut joined) = joined else { return };
    for document in 0..clusters.len() as u32 {
        // A set is named by its smallest document, which is therefore seen before the others.
        let first = joined.find(document);
        if first != document {
            (clusters[first as usize], clusters[document as usize]) = (first, first);
        }
    }
}

/// Removes all documents of each cluster but the first.
fn first_is_kept(clusters: &[u32], removed: &mut [bool], named: &mut Vec<u32>) {
    let mut first: BTreeMap<u32, u32> = BTreeMap::new();
    *named = vec![NONE; clusters.len()];
    for (document, &cluster) in (0u32..)
        .zip(clusters)
        .filter(|(_, cluster)| **cluster != NONE)
    {
        let kept = *first.entry(cluster).or_insert(document);
        if kept != document {
            removed[document as usize] = true;
            named[document as usize] = kept;
        }
    }
}

/// Names the first kept document of its cluster for each removed document.
fn name_kept(clusters: &[u32], removed: &[bool], named: &mut [u32]) {
    let mut kept: BTreeMap<u32, u32> = BTreeMap::new();
    let of_clusters = || {
        (0u32..)
            .zip(clusters)
            .filter(|(_, cluster)| **cluster != NONE)
    };
    for (document, &cluster) in of_clusters().filter(|&(document, _)| !removed[document as usize]) {
        kept.entry(cluster).or_insert(document);
    }
    for (document, cluster) in of_clusters().filter(|&(document, _)| removed[document as usize]) {
        named[document as usize] = kept.get(cluster).copied().unwrap_or(NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(removed: bool, cluster: Option<u128>, named: Option<u32>) -> Said {
        Said {
            removed,
            cluster,
            named,
        }
    }

    #[test]
    fn the_first_document_of_a_cluster_is_kept() {
        let mut rows = Gathering::new(ResultKind::Clusters, false, 6);
        for (document, cluster) in [
            (4, Some(9)),
            (1, Some(9)),
            (2, Some(5)),
            (3, None),
            (5, Some(9)),
        ] {
            assert!(rows.take(document, said(false, cluster, None)));
        }
        assert!(rows.take(1, said(false, Some(9), None)));
        assert!(!rows.take(1, said(false, Some(5), None)));
        rows.unknown("\"x\"", Some(77));
        let outcome = rows.finish();
        assert_eq!(outcome.removed, [false, false, false, false, true, true]);
        assert_eq!(outcome.named, [NONE, NONE, NONE, NONE, 1, 1]);
        assert_eq!(outcome.clusters, [NONE, 0, 1, NONE, 0, 0]);
        let ResultFigures {
            unknown,
            repeated,
            not_listed,
            empty_clusters,
            ..
        } = outcome.figures;
        assert_eq!(
            (unknown, repeated, not_listed, empty_clusters),
            (1, 2, Some(1), Some(1))
        );
    }

    #[test]
    fn pairs_are_connected() {
        let mut rows = Gathering::new(ResultKind::Pairs, false, 5);
        [(4, 2), (2, 1)]
            .into_iter()
            .for_each(|(a, b)| rows.join(a, b));
        let outcome = rows.finish();
        assert_eq!(outcome.removed, [false, false, true, false, true]);
        assert_eq!(outcome.clusters, [NONE, 1, 1, NONE, 1]);
    }

    #[test]
    fn decisions_name_what_was_kept() {
        let mut rows = Gathering::new(ResultKind::Decisions, false, 4);
        assert!(rows.take(0, said(false, None, None)) && rows.take(2, said(true, None, Some(0))));
        assert!(rows.take(3, said(true, None, Some(2))));
        let outcome = rows.finish();
        assert_eq!(
            (outcome.clusters, outcome.named),
            (vec![0, NONE, 0, 0], vec![NONE, NONE, 0, 2])
        );
        // With a column of clusters and without names, the first kept document of the cluster is named.
        let mut rows = Gathering::new(ResultKind::Decisions, false, 4);
        for (document, removed) in [(0, true), (1, false), (2, false), (3, true)] {
            rows.take(document, said(removed, Some(8), None));
        }
        assert_eq!(rows.finish().named, [1, NONE, NONE, 1]);
        let mut rows = Gathering::new(ResultKind::Kept, false, 3);
        rows.take(1, said(false, None, None));
        let outcome = rows.finish();
        assert_eq!(
            (outcome.removed, outcome.named, outcome.clusters),
            (vec![true, false, true], vec![], vec![])
        );
    }
}

//! Judges the kept documents: does a random one have a similar document that was kept, too?

use std::{cmp::Reverse, collections::BTreeSet};

use lookalike::{
    eval::{Drops, choose_sample},
    sketch::Estimate,
};
use serde::Serialize;

use super::{
    bars::{Bars, SimilarityBar},
    comparing::Missed,
    matching::Found,
    result::Outcome,
};

/// A random sample of the kept documents, and what was found about them.
pub(super) struct KeptSample {
    /// The number of kept documents with text.
    kept: u64,
    /// The sampled documents, sorted.
    pub(super) documents: Vec<u32>,
    /// For each sampled document, whether a similar document was kept.
    has_similar: Vec<bool>,
    pairs: u64,
    bars: Bars,
    /// The most similar pairs: similarity as bits, and the two documents in input order.
    worst: BTreeSet<(Reverse<u64>, u32, u32)>,
    most_worst: usize,
}

impl KeptSample {
    pub(super) fn new(
        outcome: &Outcome,
        found: &Found,
        (size, most_worst): (u32, usize),
        seed: u64,
    ) -> Self {
        let is_kept = |document: &u32| {
            !outcome.removed[*document as usize] && !found.empty[*document as usize]
        };
        let kept: Vec<u32> = (0..outcome.removed.len() as u32).filter(is_kept).collect();
        let sample = choose_sample(kept.len() as u32, size, seed);
        let documents: Vec<u32> = sample.into_iter().map(|at| kept[at as usize]).collect();
        let has_similar = vec![false; documents.len()];
        Self {
            kept: kept.len() as u64,
            documents,
            has_similar,
            pairs: 0,
            bars: Bars::default(),
            worst: BTreeSet::new(),
            most_worst,
        }
    }

    /// Takes a pair of a sampled document and a similar kept one. A pair of two sampled documents is given twice.
    pub(super) fn take(&mut self, sampled: u32, found: Missed) {
        let Ok(at) = self.documents.binary_search(&sampled) else {
            return;
        };
        self.has_similar[at] = true;
        if found.document < sampled && self.documents.binary_search(&found.document).is_ok() {
            return;
        }
        self.pairs += 1;
        self.bars.add(found.similarity);
        let (a, b) = (sampled.min(found.document), sampled.max(found.document));
        self.worst
            .insert((Reverse(found.similarity.to_bits()), a, b));
        if self.worst.len() > self.most_worst {
            self.worst.pop_last();
        }
    }

    pub(super) fn figures(&self, threshold: f64) -> KeptFigures {
        let similar = self.has_similar.iter().filter(|has| **has).count() as u64;
        let sampled = self.documents.len() as u64;
        let share = Drops {
            kept: sampled,
            doubled: similar,
            ..Drops::default()
        }
        .doubled_share();
        KeptFigures {
            kept: self.kept,
            sampled,
            similar,
            share: if sampled == self.kept {
                share.map(|share| Estimate::exact(share.value))
            } else {
                share
            },
            pairs: self.pairs,
            by_similarity: self.bars.from(threshold),
        }
    }

    /// Returns the most similar pairs, the most similar one first.
    pub(super) fn worst(&self) -> Vec<(u32, u32, f64)> {
        self.worst
            .iter()
            .map(|&(Reverse(similarity), a, b)| (a, b, f64::from_bits(similarity)))
            .collect()
    }
}

/// How many kept documents have a similar document that was kept, too.
#[derive(Debug, Clone, Serialize)]
pub struct KeptFigures {
    /// Kept documents that have text.
    pub kept: u64,
    /// The number of these that were drawn at random and compared with all documents, exactly.
    pub sampled: u64,
    /// Sampled documents for which a similar document was kept, too.
    pub similar: u64,
    /// The share of the kept documents for which a similar document was kept, too. `None` if no document was sampled.
    pub share: Option<Estimate>,
    /// Missed pairs: pairs of a sampled document and a similar document that was kept, too.
    pub pairs: u64,
    /// Missed pairs by their similarity.
    pub by_similarity: Vec<SimilarityBar>,
}

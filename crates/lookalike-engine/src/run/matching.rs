//! Candidate → match, on the engine's stores.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::{Method, Verify, sketch::Sketches, verify::Overlap};

use super::{lists::Lists, loading::Sets, sketching::Table};
use crate::error::Result;

/// Tells whether two documents that share a band match, and counts what that took.
pub(crate) struct Matcher<'a> {
    pub(crate) method: &'a Method,
    pub(crate) bits: &'a Sketches,
    pub(crate) lists: &'a Lists,
    pub(crate) sets: &'a Sets,
    /// Pairs that met.
    pub(crate) met: AtomicU64,
    /// Of these, pairs that their fixed-size sketches refused.
    pub(crate) refused: AtomicU64,
}

/// How alike a matching pair is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Likeness {
    pub(crate) similarity: f64,
    /// The counted overlap, where sets were compared; `a` is the document at hand.
    pub(crate) overlap: Option<Overlap>,
}

impl Likeness {
    /// The same pair with the other document at hand.
    pub(crate) fn swapped(self) -> Self {
        Self { overlap: self.overlap.map(Overlap::swapped), ..self }
    }
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(method: &'a Method, table: &'a Table, sets: &'a Sets) -> Self {
        let Table { bits, lists, .. } = table;
        Self { method, bits, lists, sets, met: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// Keeps of `company`, which met a document, its candidates. `document_of` tells what a member stands for.
    pub(crate) fn keep_candidates(&self, document: u32, company: &mut Vec<u32>, document_of: impl Fn(u32) -> u32) {
        let met = company.len();
        let own = self.bits.get(document);
        company.retain(|&other| self.method.agree(own, self.bits.get(document_of(other))));
        self.met.fetch_add(met as u64, Ordering::Relaxed);
        self.refused.fetch_add((met - company.len()) as u64, Ordering::Relaxed);
    }

    /// Of pairs that met, those that are candidates.
    pub(crate) fn candidates(&self, pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let agree = |&&(a, b): &&(u32, u32)| self.method.agree(self.bits.get(a), self.bits.get(b));
        let candidates: Vec<_> = pairs.iter().filter(agree).copied().collect();
        self.met.fetch_add(pairs.len() as u64, Ordering::Relaxed);
        self.refused.fetch_add((pairs.len() - candidates.len()) as u64, Ordering::Relaxed);
        candidates
    }

    /// The likeness of a document, whose set is `set`, to a candidate, if it is at least `least`. `other_set` is room.
    pub(crate) fn likeness(
        &self,
        document: u32,
        set: &[u64],
        other: u32,
        least: f64,
        other_set: &mut Vec<u64>,
    ) -> Result<Option<Likeness>> {
        let measure = self.method.config().measure;
        Ok(match self.method.verify() {
            Verify::Exact => {
                if measure.needed(set.len() as u64, self.sets.len(other) as u64, least).is_none() {
                    return Ok(None);
                }
                self.sets.read(other, other_set)?;
                let counted = measure.at_least(set, other_set, least);
                counted.map(|overlap| Likeness { similarity: measure.of(overlap), overlap: Some(overlap) })
            }
            Verify::Sketch => {
                let similarity = self.estimate(document, other)?;
                (similarity >= least).then_some(Likeness { similarity, overlap: None })
            }
            Verify::None => Some(Likeness { similarity: 1.0, overlap: None }),
        })
    }

    /// The sketches' estimate of two documents' similarity.
    pub(crate) fn estimate(&self, a: u32, b: u32) -> Result<f64> {
        if !self.method.lists() {
            return Ok(self.method.estimate(self.bits.get(a), self.bits.get(b)));
        }
        let (mut room_a, mut room_b) = (Vec::new(), Vec::new());
        Ok(self.method.estimate_samples(self.lists.sample(a, &mut room_a)?, self.lists.sample(b, &mut room_b)?))
    }
}

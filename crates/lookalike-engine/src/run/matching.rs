//! Candidate → match, on the engine's stores.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::{Method, Verify, sketch, sketch::Bits, verify::Overlap};

use super::loading::Sets;
use crate::error::Result;

/// Tells whether two documents that share a band match, and counts what that took.
pub(crate) struct Matcher<'a> {
    pub(crate) method: &'a Method,
    pub(crate) bits: &'a [Bits],
    pub(crate) sets: &'a Sets,
    /// Pairs that shared a band.
    pub(crate) met: AtomicU64,
    /// Pairs that their b-bit sketches refused.
    pub(crate) refused: AtomicU64,
}

/// How alike a matching pair is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Likeness {
    pub(crate) similarity: f64,
    /// The counted overlap, where sets were compared; `a` is the document at hand.
    pub(crate) overlap: Option<Overlap>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(method: &'a Method, bits: &'a [Bits], sets: &'a Sets) -> Self {
        Self { method, bits, sets, met: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// Keeps of `company`, which share a band with a document, its candidates. `document_of` tells what a member stands for.
    pub(crate) fn keep_candidates(&self, document: u32, company: &mut Vec<u32>, document_of: impl Fn(u32) -> u32) {
        let met = company.len();
        let own = &self.bits[document as usize];
        company.retain(|&other| self.method.agree(own, &self.bits[document_of(other) as usize]));
        self.met.fetch_add(met as u64, Ordering::Relaxed);
        self.refused.fetch_add((met - company.len()) as u64, Ordering::Relaxed);
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
        Ok(match self.method.config().verify {
            Verify::Exact => {
                if Overlap::needed(set.len() as u64, self.sets.len(other) as u64, least).is_none() {
                    return Ok(None);
                }
                self.sets.read(other, other_set)?;
                let counted = Overlap::at_least(set, other_set, least);
                counted.map(|overlap| Likeness { similarity: overlap.resemblance(), overlap: Some(overlap) })
            }
            Verify::Sketch => {
                let similarity = self.estimate(document, other);
                (similarity >= least).then_some(Likeness { similarity, overlap: None })
            }
            Verify::None => Some(Likeness { similarity: 1.0, overlap: None }),
        })
    }

    /// The sketches' estimate of two documents' resemblance.
    pub(crate) fn estimate(&self, a: u32, b: u32) -> f64 {
        sketch::agreement_resemblance(sketch::agreement(&self.bits[a as usize], &self.bits[b as usize]))
    }
}

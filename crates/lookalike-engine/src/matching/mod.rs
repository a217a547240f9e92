//! Candidate → match, on the engine's stores. Documents are contenders, by number.

pub(crate) mod finding;
pub(crate) mod sets;

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::{Method, Verify, verify::Overlap};
use lookalike_io::error::Result;

use self::sets::Sets;
use crate::{
    numbers::Contender,
    pairing::Pairing,
    sketching::{references::References, sampled::Lists},
};

/// Tells whether two documents that share a band match, and counts what that took.
pub(crate) struct Matcher<'a> {
    pub(crate) method: &'a Method,
    pub(crate) pairing: &'a Pairing,
    lists: &'a Lists,
    /// The first contenders, which are references.
    pub(crate) references: u32,
    numbered: References,
    /// Contenders of the same class are not compared; [`u32::MAX`] is none.
    apart: Option<Vec<u32>>,
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

/// Buffers for what has to be read.
#[derive(Debug, Default)]
pub(crate) struct Room {
    own: Vec<u8>,
    other: Vec<u8>,
    set: Vec<u64>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(method: &'a Method, lists: &'a Lists, pairing: &'a Pairing) -> Self {
        let (references, numbered) = (pairing.reference_numbers(), pairing.numbered_references());
        Self { method, pairing, lists, references, numbered, apart: None, met: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// The same for contenders of which two of one class are not compared; [`u32::MAX`] is none.
    pub(crate) fn apart(self, classes: Option<Vec<u32>>) -> Self {
        Self { apart: classes, ..self }
    }

    /// Whether two documents are to be compared.
    pub(crate) fn compared(&self, a: u32, b: u32) -> bool {
        let of_one = |classes: &Vec<u32>| classes[a as usize] == classes[b as usize] && classes[a as usize] != u32::MAX;
        self.numbered.compared(Contender(a), Contender(b)) && !self.apart.as_ref().is_some_and(of_one)
    }

    /// Whether it is what a document contains of this one that counts, and not what this one contains of it.
    pub(crate) fn is_held(&self, other: u32) -> bool {
        self.pairing.references.held && other < self.references
    }

    /// The similarity to another document by a counted overlap.
    pub(crate) fn measured(&self, overlap: Overlap, other: u32) -> f64 {
        self.method.config().measure.of(if self.is_held(other) { overlap.swapped() } else { overlap })
    }

    /// Keeps of `company`, which met a document, its candidates.
    pub(crate) fn keep_candidates(&self, document: u32, company: &mut Vec<u32>, room: &mut Room) -> Result<()> {
        let met = company.len();
        self.keep_agreeing(document, company, room)?;
        self.met.fetch_add(met as u64, Ordering::Relaxed);
        self.refused.fetch_add((met - company.len()) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// The same without counting.
    pub(crate) fn keep_agreeing(&self, document: u32, company: &mut Vec<u32>, room: &mut Room) -> Result<()> {
        if company.is_empty() {
            return Ok(());
        }
        let Room { own, other, .. } = room;
        let own = self.pairing.bits(Contender(document), own)?;
        let mut kept = 0;
        for i in 0..company.len() {
            if self.method.agree(own, self.pairing.bits(Contender(company[i]), other)?) {
                company[kept] = company[i];
                kept += 1;
            }
        }
        company.truncate(kept);
        Ok(())
    }

    /// Whether two documents have the same canonical form, as far as their sketches tell. Their digests are not the same.
    pub(crate) fn same(&self, a: u32, b: u32) -> Result<bool> {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        Ok(self.method.same((0, self.pairing.bits(Contender(a), &mut of_a)?), (1, self.pairing.bits(Contender(b), &mut of_b)?)))
    }

    /// The likeness of a document, whose set is `set`, to a candidate, if it is at least `least`.
    pub(crate) fn likeness(
        &self,
        (document, set): (u32, &[u64]),
        other: u32,
        sets: &Sets,
        least: f64,
        room: &mut Room,
    ) -> Result<Option<Likeness>> {
        let measure = self.method.config().measure;
        Ok(match self.method.verify() {
            Verify::Exact => {
                let held = self.is_held(other);
                let (size, others) = (set.len() as u64, sets.len(other) as u64);
                let (a, b) = if held { (others, size) } else { (size, others) };
                if measure.needed(a, b, least).is_none() {
                    return Ok(None);
                }
                let others = sets.get(other, &mut room.set)?;
                let counted = match held {
                    false => measure.at_least(set, others, least),
                    true => measure.at_least(others, set, least).map(Overlap::swapped),
                };
                counted.map(|overlap| Likeness { similarity: self.measured(overlap, other), overlap: Some(overlap) })
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
        if self.method.lists() {
            let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
            let [a, b] = [a, b].map(|number| self.pairing.document(Contender(number)));
            return Ok(self.method.estimate_samples(self.lists.sample(a, &mut of_a)?, self.lists.sample(b, &mut of_b)?));
        }
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        Ok(self.method.estimate(self.pairing.bits(Contender(a), &mut of_a)?, self.pairing.bits(Contender(b), &mut of_b)?))
    }
}

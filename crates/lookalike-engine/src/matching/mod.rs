//! Verifies candidate pairs, using the data that the engine holds about contenders. The documents are contenders (documents that
//! have to be compared), and are given by their contender numbers.

pub(crate) mod finding;
pub(crate) mod sets;

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::{Method, Verify, lsh::NONE, verify::Overlap};
use lookalike_io::error::Result;

use self::sets::Sets;
use crate::{
    numbers::Contender,
    pairing::Pairing,
    sketching::{references::References, sampled::SampledFingerprints},
};

/// Verifies candidate pairs and counts comparisons.
pub(crate) struct Matcher<'a> {
    pub(crate) method: &'a Method,
    pub(crate) pairing: &'a Pairing,
    samples: &'a SampledFingerprints,
    /// The field whose sketches are compared.
    field: usize,
    /// The other fields in which two documents must be candidates, and similar.
    also: Vec<AlsoField<'a>>,
    /// The number of references, which are the first contenders.
    pub(crate) references: u32,
    numbered: References,
    /// The class of each contender, such as the site of a page. Contenders of the same class are not compared; [`u32::MAX`] means
    /// no class.
    apart: Option<Vec<u32>>,
    /// The number of candidate pairs.
    pub(crate) met: AtomicU64,
    /// The number of candidate pairs that were ruled out by their fixed-size sketches.
    pub(crate) refused: AtomicU64,
}

/// A field in which candidates of another field must also be candidates, and similar.
pub(crate) struct AlsoField<'a> {
    matcher: Matcher<'a>,
    sets: Sets,
    /// The bucket of each contender in each band, or [`NONE`], contender by contender.
    buckets: Vec<u32>,
    bands: usize,
}

impl<'a> AlsoField<'a> {
    pub(crate) fn new(matcher: Matcher<'a>, columns: &[Vec<u32>], sets: Sets) -> Self {
        let of_number = |number| columns.iter().map(move |column| column[number]);
        Self {
            matcher,
            sets,
            buckets: (0..columns[0].len()).flat_map(of_number).collect(),
            bands: columns.len(),
        }
    }

    /// Returns whether two contenders share a bucket.
    fn share(&self, a: u32, b: u32) -> bool {
        let of = |number| &self.buckets[number as usize * self.bands..][..self.bands];
        of(a).iter().zip(of(b)).any(|(a, b)| a == b && *a != NONE)
    }

    fn likeness(
        &self,
        document: u32,
        other: u32,
        least: f64,
        scratch: &mut Scratch,
    ) -> Result<Option<Likeness>> {
        let mut buffer = std::mem::take(&mut scratch.own_set);
        let set = self.sets.get(document, &mut buffer)?;
        let likeness = self
            .matcher
            .likeness((document, set), other, &self.sets, least, scratch);
        scratch.own_set = buffer;
        likeness
    }
}

/// How similar a matching pair is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Likeness {
    pub(crate) similarity: f64,
    /// The overlap of the two sets, if their shared elements were counted. In the overlap, `a` is the document that is being
    /// decided.
    pub(crate) overlap: Option<Overlap>,
}

impl Likeness {
    /// Returns the likeness with the two documents swapped.
    pub(crate) fn swapped(self) -> Self {
        Self {
            overlap: self.overlap.map(Overlap::swapped),
            ..self
        }
    }

    /// Returns whether more was counted than in another field with the same similarity.
    pub(crate) fn counts_more(self, other: Self) -> bool {
        let counted = |of: Self| of.overlap.map(|overlap| (overlap.shared, overlap.a));
        self.similarity == other.similarity && counted(self) > counted(other)
    }

    /// Returns the lower of the likenesses of two fields.
    fn lower(self, other: Self) -> Self {
        if self.similarity < other.similarity || self.counts_more(other) {
            self
        } else {
            other
        }
    }
}

/// Buffers for data that has to be read from files.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    own: Vec<u8>,
    other: Vec<u8>,
    set: Vec<u64>,
    own_set: Vec<u64>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(
        method: &'a Method,
        samples: &'a SampledFingerprints,
        pairing: &'a Pairing,
    ) -> Self {
        let (references, numbered) = (pairing.reference_numbers(), pairing.numbered_references());
        Self {
            method,
            pairing,
            samples,
            field: 0,
            also: Vec::new(),
            references,
            numbered,
            apart: None,
            met: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Returns this matcher for another field than the first.
    pub(crate) fn in_field(self, field: usize) -> Self {
        Self { field, ..self }
    }

    /// Returns this matcher with other fields in which documents must be candidates, and similar.
    pub(crate) fn and(self, also: Vec<AlsoField<'a>>) -> Self {
        Self { also, ..self }
    }

    /// Returns this matcher with the given classes of contenders. Two contenders of the same class are not compared; [`u32::MAX`]
    /// means no class.
    pub(crate) fn apart(self, classes: Option<Vec<u32>>) -> Self {
        Self {
            apart: classes,
            ..self
        }
    }

    /// Returns whether two documents have to be compared.
    #[inline]
    pub(crate) fn compared(&self, a: u32, b: u32) -> bool {
        let of_one = |classes: &Vec<u32>| {
            classes[a as usize] == classes[b as usize] && classes[a as usize] != u32::MAX
        };
        self.numbered.compared(Contender(a), Contender(b))
            && !self.apart.as_ref().is_some_and(of_one)
    }

    /// Returns the direction in which containment counts. If the result is true, containment is the share of `other` that the
    /// document contains; otherwise, it is the share of the document that `other` contains.
    pub(crate) fn is_held(&self, other: u32) -> bool {
        self.pairing.references.held && other < self.references
    }

    /// Returns the similarity of a document to the document `other`, given their counted overlap.
    pub(crate) fn measured(&self, overlap: Overlap, other: u32) -> f64 {
        self.method.config().measure.of(if self.is_held(other) {
            overlap.swapped()
        } else {
            overlap
        })
    }

    /// Reduces `neighbours` to the document's candidates. All neighbours share a key with the document; its candidates are the
    /// neighbours whose sketches are similar enough to the document's sketch. Counts all pairs of the document and a neighbour,
    /// and the pairs that the sketches rule out.
    pub(crate) fn keep_candidates(
        &self,
        document: u32,
        neighbours: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.keep_sharing(document, neighbours);
        let met = neighbours.len();
        self.keep_agreeing(document, neighbours, scratch)?;
        self.met.fetch_add(met as u64, Ordering::Relaxed);
        self.refused
            .fetch_add((met - neighbours.len()) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps the neighbours that also share a bucket with the document in the other fields.
    pub(crate) fn keep_sharing(&self, document: u32, neighbours: &mut Vec<u32>) {
        for field in &self.also {
            neighbours.retain(|&other| field.share(document, other));
        }
    }

    /// Keeps the neighbours whose sketches are similar enough to the document's sketches.
    pub(crate) fn keep_agreeing(
        &self,
        document: u32,
        neighbours: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if neighbours.is_empty() {
            return Ok(());
        }
        let Scratch { own, other, .. } = scratch;
        let own = self.pairing.bits(self.field, Contender(document), own)?;
        let mut kept = 0;
        for i in 0..neighbours.len() {
            let other = (self.pairing).bits(self.field, Contender(neighbours[i]), other)?;
            if self.method.agree(own, other) {
                neighbours[kept] = neighbours[i];
                kept += 1;
            }
        }
        neighbours.truncate(kept);
        self.also.iter().try_for_each(|field| {
            let matcher = &field.matcher;
            matcher.keep_agreeing(document, neighbours, scratch)
        })
    }

    /// Returns whether two documents have the same canonical form, as far as their sketches can show. This function is not used
    /// for documents with the same digest.
    pub(crate) fn same(&self, a: u32, b: u32) -> Result<bool> {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        Ok(self.method.same(
            (0, self.pairing.bits(self.field, Contender(a), &mut of_a)?),
            (1, self.pairing.bits(self.field, Contender(b), &mut of_b)?),
        ))
    }

    /// Returns the likeness of a document to a candidate, if the similarity is at least `least`. `set` is the document's set. If they
    /// must be similar in other fields too, the lowest likeness counts.
    pub(crate) fn likeness(
        &self,
        of: (u32, &[u64]),
        other: u32,
        sets: &Sets,
        least: f64,
        scratch: &mut Scratch,
    ) -> Result<Option<Likeness>> {
        let mut found = self.likeness_in_field(of, other, sets, least, scratch)?;
        for field in &self.also {
            let Some(lowest) = found else { break };
            let own = field.likeness(of.0, other, least, scratch)?;
            found = own.map(|own| own.lower(lowest));
        }
        Ok(found)
    }

    fn likeness_in_field(
        &self,
        (document, set): (u32, &[u64]),
        other: u32,
        sets: &Sets,
        least: f64,
        scratch: &mut Scratch,
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
                let others = sets.get(other, &mut scratch.set)?;
                let counted = if held {
                    measure.at_least(others, set, least).map(Overlap::swapped)
                } else {
                    measure.at_least(set, others, least)
                };
                let counted =
                    counted.filter(|&overlap| self.method.config().contains_enough(overlap));
                counted.map(|overlap| Likeness {
                    similarity: self.measured(overlap, other),
                    overlap: Some(overlap),
                })
            }
            Verify::Sketch => {
                let similarity = self.estimate(document, other)?;
                (similarity >= least).then_some(Likeness {
                    similarity,
                    overlap: None,
                })
            }
            Verify::None => Some(Likeness {
                similarity: 1.0,
                overlap: None,
            }),
        })
    }

    /// Returns the sketches' estimate of two documents' similarity.
    pub(crate) fn estimate(&self, a: u32, b: u32) -> Result<f64> {
        if self.method.keeps_samples() {
            let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
            let [a, b] = [a, b].map(|number| self.pairing.document(Contender(number)));
            return Ok(self.method.estimate_samples(
                self.samples.sample(a, &mut of_a)?,
                self.samples.sample(b, &mut of_b)?,
            ));
        }
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        Ok(self.method.estimate(
            self.pairing.bits(self.field, Contender(a), &mut of_a)?,
            self.pairing.bits(self.field, Contender(b), &mut of_b)?,
        ))
    }
}

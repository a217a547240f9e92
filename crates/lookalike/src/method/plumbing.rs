//! Functions of a method that only engines built on the core need. These functions are public only with the feature `engine`.

use super::{Method, Scratch, sketcher::Sketcher, stored::known};
use crate::{
    config::Features,
    fingerprint::Digest,
    lsh::{Sample, Sharing},
    simd::Simd,
    stored::SIZE_BYTES,
    verify::{self, Pair},
};

impl Method {
    /// Returns the rule that decides whether two documents share enough sampled shingles to be candidates. Also returns the
    /// length of super-shingles, if candidates are found by shared super-shingles. Returns none if candidates are not found by
    /// sampled shingles.
    pub fn sharing(&self) -> Option<(&Sharing, Option<usize>)> {
        self.sketcher.sharing()
    }

    /// Returns a function of the number of shingles in a pair's smaller text. For pairs at the threshold whose smaller text has
    /// this number of shingles, the function gives the minimum probability of being found. It gives 1 if only equal sets of this
    /// size reach the threshold. The function assumes that texts repeat no shingle; for SimHash, a repeated shingle has more
    /// weight.
    pub fn found_at_threshold_of_sizes<'a>(&'a self) -> Option<impl Fn(usize) -> f64 + 'a> {
        let promised = self.promised()?;
        Some(move |size| promised.found(size))
    }

    /// Returns whether the share of found pairs depends on the sizes of texts. If it does, a run should record the size of each
    /// text. The size of a text is the number of fingerprints that [`sketch`](Self::sketch) leaves in the scratch buffers.
    pub fn depends_on_size(&self) -> bool {
        matches!(
            self.sketcher,
            Sketcher::Shared { .. }
                | Sketcher::SimHash {
                    features: Features::Shingles,
                    ..
                }
        )
    }

    /// Returns the number of keys per document. Two documents with the same key in the same column may be candidates.
    pub fn columns(&self) -> usize {
        self.sketcher.columns()
    }

    /// Returns the number of different shingles of a document, which a method for stored sketches puts before the fixed-size sketch;
    /// none if it is unknown.
    pub fn shingles_of(&self, bits: &[u8]) -> Option<u64> {
        known(bits)
    }

    /// Appends the bytes of a stored sketch, from the fixed-size sketch and the sample that a method for stored sketches makes.
    pub fn put_stored(&self, bits: &[u8], sample: Sample, into: &mut Vec<u8>) {
        if let Sketcher::Stored(stored) = &self.sketcher {
            stored.put_stored(&bits[SIZE_BYTES.min(bits.len())..], sample, into);
        }
    }

    /// Returns the size of a document's fixed-size sketch in bytes.
    pub fn stride(&self) -> usize {
        self.sketcher.stride()
    }

    /// Returns the same method with the given instruction set, for tests and measurements. The answers do not depend on the
    /// instructions.
    pub fn with_simd(self, simd: Simd) -> Self {
        Self { simd, ..self }
    }

    /// Converts the fingerprints that [`sketch`](Self::sketch) left in `scratch` to the set that [`set`](Self::set) would
    /// compute, without reading the text again.
    pub fn make_set(&self, scratch: &mut Scratch) {
        scratch.make_set();
    }

    /// Returns whether two documents, each given by its digest and its fixed-size sketch, have the same canonical form.
    pub fn same(&self, a: (Digest, &[u8]), b: (Digest, &[u8])) -> bool {
        self.sketcher.same(a, b)
    }

    /// Returns whether sketches estimate how similar two documents are, and not only whether they are similar.
    pub fn estimates(&self) -> bool {
        self.sketcher.estimates()
    }

    /// Returns the similarity of two documents, estimated from their fixed-size sketches; 1 if these sketches only show whether a
    /// pair is a candidate.
    pub fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        self.sketcher.estimate(a, b)
    }

    /// Returns whether candidates are found by the sampled elements of documents (`scratch.elements`) instead of by keys.
    pub fn keeps_samples(&self) -> bool {
        self.sketcher.keeps_samples()
    }

    /// Returns whether two documents have enough sampled elements in common to be candidates, if candidates are found by sampled
    /// elements. The documents must have at least one such element in common.
    pub fn share_enough(&self, a: Sample, b: Sample) -> bool {
        self.sketcher.share_enough(a, b)
    }

    /// Returns the minimum number of elements that a document with `n` elements shares with a candidate that has `n` elements or
    /// more.
    pub fn least_shared(&self, n: usize) -> usize {
        self.sketcher.least_shared(n)
    }

    /// Returns the highest level (log₂ of the sampling modulus) that the sample of a document can have. Two samples are compared
    /// at the larger of their two levels.
    pub fn highest_level(&self) -> u32 {
        self.sketcher.highest_level()
    }

    /// Returns whether one document of a candidate pair may be a part of the other. If so, the larger document may have any
    /// number of sampled elements that the smaller one lacks.
    pub fn finds_parts(&self) -> bool {
        self.sketcher.finds_parts()
    }

    /// Returns the similarity of two documents, estimated from their sampled elements.
    pub fn estimate_samples(&self, a: Sample, b: Sample) -> f64 {
        self.sketcher.estimate_samples(self.config.measure, a, b)
    }

    /// Returns the maximum number of documents that may share a sampled element; a more common element is excluded.
    pub fn common(&self) -> u32 {
        self.config.candidates.common()
    }

    /// Returns all pairs of sets in which one set is similar to the other. With `Candidates::All`, these pairs are the candidate
    /// pairs.
    pub fn join(&self, sets: &[Vec<u64>]) -> Vec<Pair> {
        verify::similar_pairs(self.config.measure, sets, self.config.threshold)
    }
}

//! What only those who build an engine on the core ask of a method: the feature `engine`.

use super::{Method, Scratch, sketcher::Sketcher};
use crate::{
    config::Features,
    fingerprint::Digest,
    lsh::{Sample, Sharing},
    simd::Simd,
    verify::{self, Pair},
};

impl Method {
    /// The rule by which pairs that share sampled shingles are candidates, and how many make a super-shingle where those are
    /// shared; none where candidates are found otherwise.
    pub fn sharing(&self) -> Option<(&Sharing, Option<usize>)> {
        self.sketcher.sharing()
    }

    /// The share of the pairs at the threshold that are found at the least, of those whose smaller text has so many shingles. 1 where
    /// such pairs have equal sets only. Texts are taken to repeat no shingle; for SimHash a repeated one has more votes.
    pub fn found_at_threshold_of_sizes<'a>(&'a self) -> Option<impl Fn(usize) -> f64 + 'a> {
        let promised = self.promised()?;
        Some(move |size| promised.found(size))
    }

    /// Whether what is found depends on the sizes of texts, so that they are worth counting: as many as
    /// [`sketch`](Self::sketch) leaves fingerprints.
    pub fn depends_on_size(&self) -> bool {
        matches!(self.sketcher, Sketcher::Shared { .. } | Sketcher::SimHash { features: Features::Shingles, .. })
    }

    /// Keys of a document: two documents that share one at the same place may be candidates.
    pub fn columns(&self) -> usize {
        self.sketcher.columns()
    }

    /// Bytes of a document's fixed-size sketch.
    pub fn stride(&self) -> usize {
        self.sketcher.stride()
    }

    /// The same method by other instructions: for tests and for measuring, since no answer depends on them.
    pub fn with_simd(self, simd: Simd) -> Self {
        Self { simd, ..self }
    }

    /// Makes of the fingerprints that [`sketch`](Self::sketch) left the set that [`set`](Self::set) gives, without the text.
    pub fn make_set(&self, scratch: &mut Scratch) {
        scratch.make_set();
    }

    /// Whether two documents, each with its digest and its fixed-size sketch, have the same canonical form.
    pub fn same(&self, a: (Digest, &[u8]), b: (Digest, &[u8])) -> bool {
        self.sketcher.same(a, b)
    }

    /// Whether sketches say how similar two documents are, and not only whether they are.
    pub fn estimates(&self) -> bool {
        self.sketcher.estimates()
    }

    /// How similar two documents are by their fixed-size sketches; 1 where these only say candidate or not.
    pub fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        self.sketcher.estimate(a, b)
    }

    /// Whether documents meet by the elements that they list, `scratch.elements`, and not by keys.
    pub fn lists(&self) -> bool {
        self.sketcher.lists()
    }

    /// Where documents meet by what they list: whether two that share an element share enough.
    pub fn share_enough(&self, a: Sample, b: Sample) -> bool {
        self.sketcher.share_enough(a, b)
    }

    /// The fewest elements that a document with `n` shares with a candidate that has as many or more.
    pub fn least_shared(&self, n: usize) -> usize {
        self.sketcher.least_shared(n)
    }

    /// The highest level of any document's sample. Two are compared on the larger of theirs.
    pub fn highest_level(&self) -> u32 {
        self.sketcher.highest_level()
    }

    /// Whether candidates may be parts of each other: the larger one's list then has any number of elements besides.
    pub fn finds_parts(&self) -> bool {
        self.sketcher.finds_parts()
    }

    /// How similar two documents are by what they list.
    pub fn estimate_samples(&self, a: Sample, b: Sample) -> f64 {
        self.sketcher.estimate_samples(self.config.measure, a, b)
    }

    /// In how many documents an element may be before it is set aside.
    pub fn common(&self) -> u32 {
        self.config.candidates.common()
    }

    /// All pairs of sets of which one is similar to the other; the first half of *candidate* where all pairs are asked for.
    pub fn join(&self, sets: &[Vec<u64>]) -> Vec<Pair> {
        verify::similar_pairs(self.config.measure, sets, self.config.threshold)
    }
}

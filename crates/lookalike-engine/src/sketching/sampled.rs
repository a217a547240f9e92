//! Stores sampled fingerprints per document, spilled to disk (8 bytes each). They are used when candidates are found by shared
//! fingerprints.

use std::sync::Arc;

use lookalike::lsh::Sample;
use lookalike_io::{
    error::Result,
    spill::{Budget, Spill},
};

use crate::{numbers::Document, pass::parallel::Weigh};

/// One block's sampled fingerprints.
#[derive(Debug, Default)]
pub(crate) struct BlockSamples {
    pub(crate) elements: Vec<u64>,
    pub(crate) lengths: Vec<u32>,
    pub(crate) levels: Vec<u8>,
}

impl Weigh for BlockSamples {
    fn weight(&self) -> usize {
        self.elements.weight() + self.lengths.weight() + self.levels.weight()
    }
}

impl BlockSamples {
    pub(crate) fn clear(&mut self) {
        self.elements.clear();
        self.lengths.clear();
        self.levels.clear();
    }

    /// Appends the next document's sample.
    pub(crate) fn push(&mut self, elements: &[u64], level: u32) {
        self.elements.extend_from_slice(elements);
        self.lengths.push(elements.len() as u32);
        self.levels.push(level as u8);
    }

    /// Returns whether these samples are consistent with a block of `count` documents: there is one sample for each document, and
    /// no sample has a level above `highest`. All elements of a sample are multiples of 2 to the power of the sample's level.
    pub(crate) fn fit(&self, count: usize, highest: u32) -> bool {
        (self.lengths.len(), self.levels.len()) == (count, count)
            && self
                .lengths
                .iter()
                .map(|&length| u64::from(length))
                .sum::<u64>()
                == self.elements.len() as u64
            && self.levels.iter().all(|&level| u32::from(level) <= highest)
    }
}

/// All documents' sampled fingerprints. They take nine bytes of memory per document.
pub(crate) struct SampledFingerprints {
    elements: Spill<u64>,
    ends: Vec<u64>,
    levels: Vec<u8>,
}

impl SampledFingerprints {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            elements: Spill::new(budget),
            ends: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// Returns the size of the samples in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.elements.len()
    }

    /// Appends the samples of the next block.
    pub(crate) fn append(&mut self, block: &BlockSamples) -> Result<()> {
        let mut end = self.elements.len();
        self.ends.extend(block.lengths.iter().map(|&length| {
            end += u64::from(length);
            end
        }));
        self.levels.extend_from_slice(&block.levels);
        self.elements.append(&block.elements)
    }

    /// Returns the level of a document's sample.
    pub(crate) fn level(&self, document: Document) -> u32 {
        self.levels[document.0 as usize].into()
    }

    /// Returns a document's sample; `scratch` receives the sample if it has to be read from a file.
    pub(crate) fn sample<'a>(
        &'a self,
        document: Document,
        scratch: &'a mut Vec<u64>,
    ) -> Result<Sample<'a>> {
        let d = document.0 as usize;
        let start = if d == 0 { 0 } else { self.ends[d - 1] };
        Ok(Sample {
            level: self.level(document),
            elements: self.elements.get(start..self.ends[d], scratch)?,
        })
    }
}

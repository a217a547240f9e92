//! What documents list, where they meet by what they share: the elements of a sample, spilled, eight bytes each.

use std::path::PathBuf;

use lookalike::lsh::Sample;

use crate::{error::Result, spill::Spill};

/// Elements kept in memory; more of them go to a temporary file.
const ELEMENTS_IN_MEMORY: usize = 64 << 20;

/// One block's lists.
#[derive(Debug, Default)]
pub(crate) struct BlockLists {
    elements: Vec<u64>,
    lengths: Vec<u32>,
    levels: Vec<u8>,
}

impl BlockLists {
    /// Appends the next document's.
    pub(crate) fn push(&mut self, elements: &[u64], level: u32) {
        self.elements.extend_from_slice(elements);
        self.lengths.push(elements.len() as u32);
        self.levels.push(level as u8);
    }
}

/// All documents' lists.
pub(crate) struct Lists {
    spill: Spill<u64>,
    ends: Vec<u64>,
    levels: Vec<u8>,
}

impl Lists {
    pub(crate) fn new(temp_dir: PathBuf) -> Self {
        Self { spill: Spill::new(ELEMENTS_IN_MEMORY, temp_dir), ends: Vec::new(), levels: Vec::new() }
    }

    /// Appends those of the next block.
    pub(crate) fn append(&mut self, block: &BlockLists) -> Result<()> {
        let mut end = self.spill.end();
        self.ends.extend(block.lengths.iter().map(|&length| {
            end += u64::from(length);
            end
        }));
        self.levels.extend_from_slice(&block.levels);
        self.spill.append(&block.elements)
    }

    /// The level of a document's sample.
    pub(crate) fn level(&self, document: u32) -> u32 {
        self.levels[document as usize].into()
    }

    /// A document's sample; `room` holds it.
    pub(crate) fn sample<'a>(&self, document: u32, room: &'a mut Vec<u64>) -> Result<Sample<'a>> {
        let d = document as usize;
        let start = if d == 0 { 0 } else { self.ends[d - 1] };
        self.spill.read(start, (self.ends[d] - start) as usize, room)?;
        Ok(Sample { level: self.level(document), elements: room })
    }
}

//! The data that the first pass collects about each block, for the later passes.

use std::{iter, mem::size_of, ops::Range, sync::Arc};

use super::{block::Block, source::Source};
use crate::{
    error::Result,
    spill::{Budget, Spill},
};

/// The lines of a block that are not documents, because they are blank or bad. They are stored as runs of consecutive lines. A
/// run takes eight bytes, whatever its length.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// For each run, the number of documents between the run before it and this run, and the number of lines in the run.
    runs: Vec<[u32; 2]>,
    /// The number of lines up to the end of the last run.
    lines: u32,
    /// The number of lines in all runs.
    count: u32,
}

impl Skipped {
    /// Creates the value from the runs in a journal or a spill file. Returns none if the runs are not valid.
    pub fn of(runs: Vec<[u32; 2]>) -> Option<Self> {
        let (mut lines, mut count) = (0u32, 0);
        for &[documents, skipped] in &runs {
            lines = lines.checked_add(documents)?.checked_add(skipped)?;
            count += skipped;
        }
        Some(Self { runs, lines, count })
    }

    /// Adds a line by its number in the block, from 0. Lines must be added in order.
    pub fn push(&mut self, line: u32) {
        match self.runs.last_mut() {
            Some([_, skipped]) if line == self.lines => *skipped += 1,
            _ => self.runs.push([line - self.lines, 1]),
        }
        (self.lines, self.count) = (line + 1, self.count + 1);
    }

    /// Returns the number of lines that are not documents.
    pub fn len(&self) -> u64 {
        self.count.into()
    }

    /// Returns the runs of lines that are not documents. Each has the number of documents between the run before it and this run,
    /// and the number of lines in the run.
    pub fn runs(&self) -> &[[u32; 2]] {
        &self.runs
    }
}

/// The data that the first pass collects about a block.
#[derive(Debug, Default, Clone)]
pub struct BlockInfo {
    /// The part of the source that contains the block.
    pub part: usize,
    /// The number of the block's first line.
    pub first_line: u64,
    /// The number of the block's first document.
    pub first_document: u64,
    /// The number of documents in the block.
    pub count: u32,
    /// The lines of the block that are not documents.
    pub skipped: Skipped,
}

impl BlockInfo {
    /// Returns the numbers of the block's documents.
    pub fn documents(&self) -> Range<u64> {
        self.first_document..self.first_document + u64::from(self.count)
    }

    /// Returns the lines that are documents, as ranges. The lines are counted from the block's first.
    fn ranges(&self) -> impl Iterator<Item = Range<u32>> {
        let Skipped { runs, lines, count } = &self.skipped;
        let rest = (self.count + count).saturating_sub(*lines);
        let mut at = 0;
        runs.iter()
            .copied()
            .chain(iter::once([rest, 0]))
            .map(move |[documents, skipped]| {
                let start = at;
                at += documents + skipped;
                start..start + documents
            })
    }

    /// Returns the line numbers of the block's documents.
    pub fn document_lines(&self) -> impl Iterator<Item = u64> {
        self.ranges()
            .flatten()
            .map(|line| self.first_line + u64::from(line))
    }

    /// Returns the line number of a document of this block.
    pub fn line_of(&self, document: u64) -> u64 {
        let mut before = (document - self.first_document) as u32;
        for range in self.ranges() {
            let length = range.end - range.start;
            if before < length {
                return self.first_line + u64::from(range.start + before);
            }
            before -= length;
        }
        self.first_line
    }

    /// Passes each of the block's documents to `give`, with the number of its record.
    ///
    /// # Errors
    /// Fails if the block does not have the same records as in the first pass, or if `give` fails.
    pub fn each_document(
        &self,
        block: &Block,
        source: &Source,
        mut give: impl FnMut(u64, usize) -> Result<()>,
    ) -> Result<()> {
        if block.part != self.part
            || block.len() as u64 != u64::from(self.count) + self.skipped.len()
        {
            return Err(source.changed(block.part));
        }
        self.documents()
            .zip(self.ranges().flatten())
            .try_for_each(|(document, at)| give(document, at as usize))
    }
}

/// The data that the first pass collects about all blocks. It takes 32 bytes per block, and eight bytes per run of lines that are
/// not documents. Only the bytes for the runs count towards the memory budget.
#[derive(Debug)]
pub struct BlockInfos {
    blocks: Vec<Head>,
    runs: Spill<[u32; 2]>,
}

#[derive(Debug)]
struct Head {
    part: u32,
    count: u32,
    first_line: u64,
    first_document: u64,
    /// The end of the block's runs in the list of all runs.
    runs: u64,
}

impl BlockInfos {
    /// Creates an empty list.
    pub fn new(budget: &Arc<Budget>) -> Self {
        Self {
            blocks: Vec::new(),
            runs: Spill::new(budget),
        }
    }

    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Returns how many bytes of the list's memory do not count towards the budget.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<Head>()
    }

    /// Adds the next block.
    pub fn push(&mut self, info: &BlockInfo) -> Result<()> {
        let BlockInfo {
            part,
            first_line,
            first_document,
            count,
            skipped,
        } = info;
        if !skipped.runs.is_empty() {
            self.runs.append(&skipped.runs)?;
        }
        let runs = self.runs.len();
        self.blocks.push(Head {
            part: *part as u32,
            count: *count,
            first_line: *first_line,
            first_document: *first_document,
            runs,
        });
        Ok(())
    }

    /// Returns a block by its number, or none if there is no such block.
    pub fn get(&self, number: usize) -> Result<Option<BlockInfo>> {
        let Some(&Head {
            part,
            count,
            first_line,
            first_document,
            runs,
        }) = self.blocks.get(number)
        else {
            return Ok(None);
        };
        let first = number
            .checked_sub(1)
            .map_or(0, |before| self.blocks[before].runs);
        let mut skipped = Skipped::default();
        if first < runs {
            let mut scratch = Vec::new();
            skipped =
                Skipped::of(self.runs.get(first..runs, &mut scratch)?.to_vec()).unwrap_or_default();
        }
        Ok(Some(BlockInfo {
            part: part as usize,
            first_line,
            first_document,
            count,
            skipped,
        }))
    }

    /// Returns the number of the first document in a part or a later one, or of the documents in all blocks if there is none.
    pub fn first_document(&self, part: usize) -> u64 {
        let block = self
            .blocks
            .partition_point(|block| (block.part as usize) < part);
        block.checked_sub(1).map_or(0, |before| {
            self.blocks[before].first_document + u64::from(self.blocks[before].count)
        })
    }

    /// Returns the number of the block that contains a document.
    pub fn of_document(&self, document: u64) -> usize {
        self.blocks
            .partition_point(|block| block.first_document + u64::from(block.count) <= document)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn skipped_lines_are_recognised_again(blocks in prop::collection::vec(prop::collection::vec(any::<bool>(), 0..40), 0..9), flush: bool) {
            let budget = Budget::of(1 << 20, 0, &std::env::temp_dir());
            let mut known = BlockInfos::new(&budget);
            let (mut first_document, mut first_line) = (0, 1);
            for (number, is_document) in blocks.iter().enumerate() {
                let count = is_document.iter().filter(|&&is| is).count() as u32;
                let mut info = BlockInfo { part: number, first_line, first_document, count, ..BlockInfo::default() };
                (0u32..).zip(is_document).filter(|(_, is)| !**is).for_each(|(line, _)| info.skipped.push(line));
                prop_assert_eq!(info.skipped.len(), is_document.len() as u64 - u64::from(count));
                prop_assert_eq!(Skipped::of(info.skipped.runs().to_vec()), Some(info.skipped.clone()));
                known.push(&info).unwrap();
                if flush {
                    known.runs.flush().unwrap();
                }
                (first_document, first_line) = (first_document + u64::from(count), first_line + is_document.len() as u64);
            }
            prop_assert!(known.get(blocks.len()).unwrap().is_none());
            let (mut document, mut line) = (0, 1);
            for (number, is_document) in blocks.iter().enumerate() {
                let info = known.get(number).unwrap().unwrap();
                let lines: Vec<u64> = (line..).zip(is_document).filter(|(_, is)| **is).map(|(line, _)| line).collect();
                prop_assert_eq!(&info.document_lines().collect::<Vec<_>>(), &lines);
                for (document, line) in info.documents().zip(&lines) {
                    prop_assert_eq!((info.line_of(document), known.of_document(document)), (*line, number));
                }
                prop_assert_eq!(info.first_document, document);
                prop_assert_eq!((known.first_document(number), known.first_document(number + 1)), (document, document + info.documents().count() as u64));
                (document, line) = (document + lines.len() as u64, line + is_document.len() as u64);
            }
        }
    }

    #[test]
    fn any_number_of_lines_without_documents_takes_no_memory() {
        let mut skipped = Skipped::default();
        (5..1 << 20).for_each(|line| skipped.push(line));
        assert_eq!(
            (skipped.runs(), skipped.len()),
            (&[[5, (1 << 20) - 5]][..], (1 << 20) - 5)
        );
        assert_eq!(Skipped::of(vec![[u32::MAX, 1]]), None);
    }
}

//! The documents of each key: pairs of a key and a document, sorted, in blocks.
//!
//! Each block of 4,088 bytes can be read alone: the number of its pairs (2 bytes), its first key (4 bytes), and the pairs. A pair begins
//! with the difference of its key to the key before, as a variable-length number. If the difference is 0, the difference of the
//! documents follows in the same form, otherwise the document in a fixed number of bytes. The first pair has the
//! difference 0 and the document itself. So has every 64th pair, and at the end of the block, from its last bytes backwards, there are the
//! key (4 bytes) and the position in the block (2 bytes) of each of these pairs, apart from the first.
//!
//! The first keys of all blocks are in memory (4 bytes for about 800 pairs), so a search reads one block, or as many as contain its key.

use serde::{Deserialize, Serialize};

use super::blocks::{Blocks, DATA, LastRead, Section};
use crate::error::Result;

/// A key and a document that has it. Documents are numbered from the first of the segment. [`FOLLOWS`] can be added to the document.
pub(crate) type Posting = (u32, u32);

/// Added to documents that do not lead, so that of the documents of a key, the leading ones come first. In a file, it is the highest bit
/// of a document's bytes.
pub(crate) const FOLLOWS: u32 = 1 << 31;

/// The numbers of a segment's documents differ by less than this, because one bit of 32 is [`FOLLOWS`].
pub(crate) const SPAN: u64 = 1 << 31;

/// The postings of one column in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) section: Section,
    /// The place of its first block in the list of first keys of all columns.
    pub(crate) fence: u64,
    /// The bytes of a document.
    pub(crate) width: u8,
}

/// A search in a block begins at one of every 64 pairs. Without this, decoding pairs took half of the time of a search.
const RUN: usize = 64;

/// The bytes of an entry of the table of runs: a key, and a position in the block.
const ENTRY: usize = 6;

/// No pair takes more bytes.
const LONGEST: usize = 10;

/// Encodes the postings of one column, which arrive in order.
pub(crate) struct Encoder<E> {
    /// Gets the blocks, each with its first key.
    each: E,
    /// The bytes of a document.
    width: u8,
    block: Vec<u8>,
    /// The table of runs.
    runs: Vec<u8>,
    count: u16,
    first: u32,
    before: Posting,
}

impl<E: FnMut(u32, &[u8]) -> Result<()>> Encoder<E> {
    pub(crate) fn new(width: u8, each: E) -> Self {
        Self {
            each,
            width,
            block: Vec::with_capacity(DATA),
            runs: Vec::new(),
            count: 0,
            first: 0,
            before: (0, 0),
        }
    }

    /// Adds postings.
    pub(crate) fn add(&mut self, postings: &[Posting]) -> Result<()> {
        for &(key, document) in postings {
            if self.block.len() + LONGEST + self.runs.len() + ENTRY > DATA {
                self.end_block()?;
            }
            if self.block.is_empty() {
                self.block.extend([0; 2]);
                self.block.extend(key.to_le_bytes());
                (self.count, self.first, self.before) = (0, key, (key, 0));
            } else if usize::from(self.count).is_multiple_of(RUN) {
                self.runs.extend(key.to_le_bytes());
                self.runs.extend((self.block.len() as u16).to_le_bytes());
                self.before = (key, 0);
            }
            let (step, stored) = (key - self.before.0, narrowed(document, self.width));
            number(&mut self.block, step);
            match step {
                0 => number(&mut self.block, stored - self.before.1),
                _ => self
                    .block
                    .extend_from_slice(&stored.to_le_bytes()[..self.width.into()]),
            }
            self.before = (key, stored);
            self.count += 1;
        }
        Ok(())
    }

    /// Ends the last block.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.block.is_empty() {
            Ok(())
        } else {
            self.end_block()
        }
    }

    fn end_block(&mut self) -> Result<()> {
        self.block.resize(DATA, 0);
        for (at, entry) in self.runs.chunks(ENTRY).enumerate() {
            self.block[DATA - ENTRY * (at + 1)..][..ENTRY].copy_from_slice(entry);
        }
        self.runs.clear();
        self.block[..2].copy_from_slice(&self.count.to_le_bytes());
        (self.each)(self.first, &self.block)?;
        self.block.clear();
        Ok(())
    }
}

/// Moves the bit of [`FOLLOWS`] to the highest bit of the width.
fn narrowed(document: u32, width: u8) -> u32 {
    match document & FOLLOWS {
        0 => document,
        _ => document & !FOLLOWS | 1 << (8 * u32::from(width) - 1),
    }
}

/// Adds a number in groups of seven bits, the lowest first.
pub(crate) fn number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the pairs of a block.
struct Pairs<'a> {
    block: &'a [u8],
    rest: &'a [u8],
    /// The number of the next pair.
    at: usize,
    count: usize,
    width: usize,
    before: Posting,
}

impl<'a> Pairs<'a> {
    fn new(block: &'a [u8], width: u8) -> Option<Self> {
        let (count, rest) = block.split_first_chunk()?;
        let (key, rest) = rest.split_first_chunk()?;
        let before = (u32::from_le_bytes(*key), 0);
        Some(Self {
            block,
            rest,
            at: 0,
            count: u16::from_le_bytes(*count).into(),
            width: width.into(),
            before,
        })
    }

    /// Returns the key and the position of the first pair of a run, which is not the first run.
    #[inline]
    fn run(&self, run: usize) -> Option<(u32, usize)> {
        let start = self.block.len().checked_sub(ENTRY * run)?;
        let (key, rest) = self.block.get(start..)?.split_first_chunk()?;
        let position = rest.first_chunk()?;
        Some((
            u32::from_le_bytes(*key),
            u16::from_le_bytes(*position).into(),
        ))
    }

    /// Goes to a run before the first pair with a key.
    fn skip_to(&mut self, key: u32) {
        let (mut before, mut after) = (0, self.count.div_ceil(RUN));
        while after - before > 1 {
            let middle = (before + after) / 2;
            match self.run(middle) {
                Some((first, _)) if first < key => before = middle,
                _ => after = middle,
            }
        }
        if before > 0
            && let Some((_, position)) = self.run(before)
        {
            self.rest = self.block.get(position..).unwrap_or_default();
            self.at = before * RUN;
        }
    }

    #[inline]
    fn number(&mut self) -> u32 {
        let (mut number, mut shift) = (0, 0);
        while let [byte, rest @ ..] = self.rest {
            self.rest = rest;
            number |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 || shift > 28 {
                break;
            }
        }
        number
    }
}

impl Iterator for Pairs<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        if self.at == self.count {
            return None;
        }
        if self.at > 0 && self.at.is_multiple_of(RUN) {
            self.before = (self.run(self.at / RUN)?.0, 0);
        }
        self.at += 1;
        let step = self.number();
        let document = match step {
            0 => self.before.1.wrapping_add(self.number()),
            _ => {
                let (bytes, rest) = self.rest.split_at_checked(self.width)?;
                self.rest = rest;
                let mut document = [0; 4];
                document[..self.width].copy_from_slice(bytes);
                u32::from_le_bytes(document)
            }
        };
        self.before = (self.before.0.wrapping_add(step), document);
        let follows = document >> (8 * self.width - 1) & 1;
        Some((
            self.before.0,
            document & !(1 << (8 * self.width - 1)) | follows << 31,
        ))
    }
}

/// A column of postings that is open for reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Postings<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) column: Column,
    /// The first keys of the column's blocks.
    pub(crate) fences: &'a [u32],
}

impl<'a> Postings<'a> {
    fn block<'b>(&self, at: usize, last_read: &'b mut LastRead) -> Result<Pairs<'b>> {
        let bytes = self
            .blocks
            .read(self.column.section, (at * DATA) as u64, DATA, last_read)?;
        Pairs::new(bytes, self.column.width)
            .ok_or_else(|| self.blocks.damaged("a block of postings is too short"))
    }

    /// Returns the first block that can contain a key.
    fn first(&self, key: u32) -> usize {
        self.fences
            .partition_point(|&first| first < key)
            .saturating_sub(1)
    }

    /// Adds the documents that have a key, or only the leading ones. Cost: one read if there are few.
    pub(crate) fn find(
        &self,
        key: u32,
        only_leading: bool,
        last_read: &mut LastRead,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        for at in self.first(key)..self.fences.len() {
            if self.fences[at] > key {
                break;
            }
            let mut pairs = self.block(at, last_read)?;
            pairs.skip_to(key);
            for (other, document) in pairs {
                if other > key || only_leading && other == key && document & FOLLOWS != 0 {
                    return Ok(());
                }
                if other == key {
                    found.push(document & !FOLLOWS);
                }
            }
        }
        Ok(())
    }

    /// Adds the postings of some blocks, from the block `at`: all those of the keys that are in it. Returns the next block.
    pub(crate) fn whole_keys(
        &self,
        mut at: usize,
        last_read: &mut LastRead,
        all: &mut Vec<Posting>,
    ) -> Result<usize> {
        loop {
            all.extend(self.block(at, last_read)?);
            at += 1;
            match (self.fences.get(at), all.last()) {
                (Some(first), Some((last, _))) if first == last => {}
                _ => return Ok(at),
            }
        }
    }

    /// Returns a cursor for keys that are searched in increasing order.
    pub(crate) fn cursor(self) -> Cursor<'a> {
        Cursor {
            postings: self,
            block: 0,
            loaded: None,
            pairs: Vec::new(),
            pair: 0,
            last_read: LastRead::default(),
        }
    }
}

/// Searches for many keys in increasing order, and reads each block once.
pub(crate) struct Cursor<'a> {
    postings: Postings<'a>,
    /// The first block that can contain the last key.
    block: usize,
    loaded: Option<usize>,
    pairs: Vec<Posting>,
    /// A pair before which all keys are smaller than the last key.
    pair: usize,
    last_read: LastRead,
}

impl Cursor<'_> {
    /// Does the same as [`Postings::find`].
    pub(crate) fn find(
        &mut self,
        key: u32,
        only_leading: bool,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        let fences = self.postings.fences;
        // The next key is usually near the last one.
        self.block =
            (self.block + ahead(&fences[self.block..], |&first| first < key)).saturating_sub(1);
        for (at, _) in fences
            .iter()
            .enumerate()
            .skip(self.block)
            .take_while(|(_, first)| **first <= key)
        {
            if self.loaded != Some(at) {
                self.pairs.clear();
                self.pairs
                    .extend(self.postings.block(at, &mut self.last_read)?);
                (self.loaded, self.pair) = (Some(at), 0);
            }
            self.pair += ahead(&self.pairs[self.pair..], |pair| pair.0 < key);
            let wanted =
                |pair: &&Posting| pair.0 == key && !(only_leading && pair.1 & FOLLOWS != 0);
            found.extend(
                self.pairs[self.pair..]
                    .iter()
                    .take_while(wanted)
                    .map(|pair| pair.1 & !FOLLOWS),
            );
            if only_leading
                && self
                    .pairs
                    .last()
                    .is_some_and(|pair| pair.0 == key && pair.1 & FOLLOWS != 0)
            {
                break;
            }
        }
        Ok(())
    }
}

/// Returns the number of elements at the start for which `is_before` is true. Cost: the logarithm of this number.
#[inline]
fn ahead<T>(all: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while step <= all.len() && is_before(&all[step - 1]) {
        step *= 2;
    }
    let start = step / 2;
    start + all[start..all.len().min(step)].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::{super::blocks::Writer, *};

    fn keys() -> impl Strategy<Value = u32> {
        prop_oneof![3 => 0u32..40, 1 => any::<u32>(), 1 => Just(u32::MAX)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(40)))]

        #[test]
        fn postings_are_found(given in prop::collection::btree_map((keys(), 0u32..1 << 20), any::<bool>(), 0..6000), wide: bool) {
            let beyond = if wide { 0x7ff0_0000 } else { 0 };
            let posting = |((key, document), follows): (&(u32, u32), &bool)| (*key, document | beyond | if *follows { FOLLOWS } else { 0 });
            let mut postings: Vec<Posting> = given.iter().map(posting).collect();
            postings.sort_unstable();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("postings");
            let (mut writer, mut fences) = (Writer::new(Vec::new()), Vec::new());
            let width = if wide { 4 } else { 3 };
            let mut each = |first, block: &[u8]| {
                fences.push(first);
                Ok(writer.write(block)?)
            };
            let mut encoder = Encoder::new(width, &mut each);
            postings.chunks(1000).for_each(|some| encoder.add(some).unwrap());
            encoder.finish().unwrap();
            let column = Column { section: writer.end_section().unwrap(), fence: 0, width };
            fs::write(&path, writer.finish().0).unwrap();
            let blocks = Blocks::open(&path).unwrap();
            let read = Postings { blocks: &blocks, column, fences: &fences };
            let (mut all, mut at) = (Vec::new(), 0);
            while at < fences.len() {
                let before = all.last().map(|posting: &Posting| posting.0);
                let start = all.len();
                at = read.whole_keys(at, &mut LastRead::default(), &mut all).unwrap();
                prop_assert!(before < Some(all[start].0));
            }
            prop_assert_eq!(&all, &postings);
            for only_leading in [false, true] {
                let mut cursor = read.cursor();
                let (mut buffer, mut one, mut two) = (LastRead::default(), Vec::new(), Vec::new());
                for key in (0..41).chain(postings.iter().map(|posting| posting.0).filter(|&key| key > 40)).chain([u32::MAX]) {
                    one.clear();
                    two.clear();
                    read.find(key, only_leading, &mut buffer, &mut one).unwrap();
                    cursor.find(key, only_leading, &mut two).unwrap();
                    let wanted = postings.iter().filter(|posting| posting.0 == key && !(only_leading && posting.1 & FOLLOWS != 0));
                    let expected: Vec<u32> = wanted.map(|posting| posting.1 & !FOLLOWS).collect();
                    prop_assert_eq!(&one, &expected);
                    prop_assert_eq!(&two, &expected);
                }
            }
        }
    }
}

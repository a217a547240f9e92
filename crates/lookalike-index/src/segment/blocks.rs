//! Bytes in blocks of 4 KiB, each with a checksum.
//!
//! A block has 4,088 bytes of data and the XXH3-64 of these bytes, whose seed is the number of the block in the file. So a block that
//! changed, or that is at a wrong place, is detected when it is read. Data continues from one block to the next. Each section begins
//! with a new block; the rest of its last block consists of zeros.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use lookalike_io::disk::File;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::{
    error::{Error, Result},
    listed::Listed,
};

/// The size of a block in bytes.
pub(crate) const BLOCK: usize = 4096;

/// The data of a block in bytes.
pub(crate) const DATA: usize = BLOCK - size_of::<u64>();

/// A part of a file that begins at a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Section {
    /// The number of the first block.
    pub(crate) start: u64,
    /// The size of the data in bytes.
    pub(crate) length: u64,
}

/// Writes blocks to a file, from its start.
pub(crate) struct Writer<W> {
    out: W,
    block: Vec<u8>,
    number: u64,
    start: u64,
    length: u64,
    hash: Xxh3,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            block: Vec::with_capacity(BLOCK),
            number: 0,
            start: 0,
            length: 0,
            hash: Xxh3::new(),
        }
    }

    /// Adds bytes to the current section.
    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(DATA - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == DATA {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Ends the current section; the next one begins.
    pub(crate) fn end_section(&mut self) -> io::Result<Section> {
        if !self.block.is_empty() {
            self.block.resize(DATA, 0);
            self.end_block()?;
        }
        let section = Section {
            start: self.start,
            length: self.length,
        };
        (self.start, self.length) = (self.number, 0);
        Ok(section)
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.block
            .extend(xxh3_64_with_seed(&self.block, self.number).to_le_bytes());
        self.hash.update(&self.block);
        self.out.write_all(&self.block)?;
        self.block.clear();
        self.number += 1;
        Ok(())
    }

    /// Returns the hash of the blocks so far.
    pub(crate) fn hash(&self) -> u128 {
        self.hash.digest128()
    }

    /// Returns the file, and the hash of all of its bytes.
    pub(crate) fn finish(self) -> (W, u128) {
        (self.out, self.hash.digest128())
    }
}

/// What was read last. If it is one block, the next read of this block finds it here.
#[derive(Debug, Default)]
pub(crate) struct LastRead {
    bytes: Vec<u8>,
    /// The number of the file and the number of the block.
    of: Option<(u64, u64)>,
}

/// A file of blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    file: File,
    path: PathBuf,
    count: u64,
    /// Different for each file that was opened.
    number: u64,
}

/// The number of files that were opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

impl Blocks {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::File {
            path: path.into(),
            source,
        };
        let file = File::open_regular(path).map_err(failed)?;
        let length = file.length().map_err(failed)?;
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let blocks = Self {
            file,
            path: path.into(),
            count: length / BLOCK as u64,
            number,
        };
        if length % BLOCK as u64 == 0 {
            Ok(blocks)
        } else {
            Err(blocks.damaged("its size is not a number of whole blocks"))
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a number that no other open file has.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Describes the file as a manifest does.
    pub(crate) fn listed(&self, name: &str) -> Result<Listed> {
        Listed::of(name, &self.file).map_err(|source| Error::File {
            path: self.path.clone(),
            source,
        })
    }

    /// Returns an error that says what is wrong with the file.
    pub(crate) fn damaged(&self, what: &str) -> Error {
        Error::Damaged(format!(
            "{} ({what})",
            lookalike::shown::path(&self.path.display().to_string())
        ))
    }

    /// Reads a part of a section, and verifies the blocks that contain it. The result is a part of `last_read`. Cost: one read, or none
    /// if the part is in the block that is there already.
    pub(crate) fn read<'a>(
        &self,
        section: Section,
        offset: u64,
        length: usize,
        last_read: &'a mut LastRead,
    ) -> Result<&'a [u8]> {
        if offset
            .checked_add(length as u64)
            .is_none_or(|end| end > section.length)
        {
            return Err(self.damaged("a part of it is outside of its section"));
        }
        if length == 0 {
            return Ok(&[]);
        }
        let first = section.start + offset / DATA as u64;
        let skipped = (offset % DATA as u64) as usize;
        let blocks = (skipped + length).div_ceil(DATA);
        if first
            .checked_add(blocks as u64)
            .is_none_or(|end| end > self.count)
        {
            return Err(self.damaged("it is truncated"));
        }
        let of = Some((self.number, first)).filter(|_| blocks == 1);
        if of.is_some() && last_read.of == of {
            return Ok(&last_read.bytes[skipped..skipped + length]);
        }
        last_read.of = None;
        // The buffer is filled with zeros only when it grows.
        if last_read.bytes.len() < blocks * BLOCK {
            last_read.bytes.resize(blocks * BLOCK, 0);
        }
        let raw = &mut last_read.bytes[..blocks * BLOCK];
        let source = |source| Error::File {
            path: self.path.clone(),
            source,
        };
        self.file
            .read_exact_at(raw, first * BLOCK as u64)
            .map_err(source)?;
        for (at, number) in (0..blocks).zip(first..) {
            let (data, sum) = raw[at * BLOCK..][..BLOCK].split_at(DATA);
            if xxh3_64_with_seed(data, number).to_le_bytes() != sum {
                return Err(self.damaged(&format!("the checksum of block {number} is wrong")));
            }
            if at > 0 {
                raw.copy_within(at * BLOCK..at * BLOCK + DATA, at * DATA);
            }
        }
        last_read.of = of;
        Ok(&last_read.bytes[skipped..skipped + length])
    }

    /// Reads a whole section.
    pub(crate) fn read_all(&self, section: Section) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        let mut buffer = LastRead::default();
        let mut offset = 0;
        // A length that is larger than the file must not allocate memory for it.
        while offset < section.length {
            const STEP: u64 = 256 * DATA as u64;
            let length = (section.length - offset).min(STEP);
            all.extend_from_slice(self.read(section, offset, length as usize, &mut buffer)?);
            offset += length;
        }
        Ok(all)
    }

    /// Reads one number of a column.
    pub(crate) fn number_at(
        &self,
        section: Section,
        at: u64,
        last_read: &mut LastRead,
    ) -> Result<u64> {
        let bytes = self.read(section, at.saturating_mul(8), 8, last_read)?;
        Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    /// Returns the hash of all bytes, after verifying every block.
    pub(crate) fn hash(&self) -> Result<u128> {
        let mut hash = Xxh3::new();
        let mut raw = vec![0; BLOCK];
        for number in 0..self.count {
            let source = |source| Error::File {
                path: self.path.clone(),
                source,
            };
            self.file
                .read_exact_at(&mut raw, number * BLOCK as u64)
                .map_err(source)?;
            let (data, sum) = raw.split_at(DATA);
            if xxh3_64_with_seed(data, number).to_le_bytes() != sum {
                return Err(self.damaged(&format!("the checksum of block {number} is wrong")));
            }
            hash.update(&raw);
        }
        Ok(hash.digest128())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sections_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("blocks");
        let data: Vec<Vec<u8>> = [0, 1, DATA - 1, DATA, DATA + 1, 3 * DATA, 20_000]
            .map(|n| (0..n).map(|i| (i * 7 % 251) as u8).collect())
            .into();
        let mut writer = Writer::new(Vec::new());
        let sections: Vec<Section> = data
            .iter()
            .map(|bytes| {
                bytes
                    .chunks(333)
                    .for_each(|chunk| writer.write(chunk).unwrap());
                writer.end_section().unwrap()
            })
            .collect();
        let (bytes, hash) = writer.finish();
        fs::write(&path, &bytes).unwrap();
        let blocks = Blocks::open(&path).unwrap();
        assert_eq!(blocks.hash().unwrap(), hash);
        let mut buffer = LastRead::default();
        for (section, bytes) in sections.iter().zip(&data) {
            assert_eq!(&blocks.read_all(*section).unwrap(), bytes);
            // The second of two reads of one block finds it in the buffer.
            let two = |at: usize| (at.min(bytes.len()), (at + 1).min(bytes.len()));
            let parts = [
                (0, bytes.len()),
                (bytes.len() / 3, bytes.len() / 2),
                (bytes.len(), bytes.len()),
                two(0),
                two(5),
                two(DATA),
            ];
            for (start, end) in parts {
                assert_eq!(
                    blocks
                        .read(*section, start as u64, end - start, &mut buffer)
                        .unwrap(),
                    &bytes[start..end]
                );
            }
            assert!(blocks.read(*section, 1, bytes.len(), &mut buffer).is_err());
        }
    }

    proptest! {
        #[test]
        fn a_changed_bit_or_a_moved_block_is_detected(at in 0usize..3 * BLOCK, bit in 0u8..8) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("blocks");
            let mut writer = Writer::new(Vec::new());
            writer.write(&vec![5; 3 * DATA]).unwrap();
            let section = writer.end_section().unwrap();
            let (mut bytes, _) = writer.finish();
            bytes[at] ^= 1 << bit;
            fs::write(&path, &bytes).unwrap();
            prop_assert!(matches!(Blocks::open(&path).unwrap().read_all(section), Err(Error::Damaged(_))));
            bytes[at] ^= 1 << bit;
            bytes.copy_within(..BLOCK, BLOCK);
            fs::write(&path, &bytes).unwrap();
            prop_assert!(matches!(Blocks::open(&path).unwrap().read_all(section), Err(Error::Damaged(_))));
        }
    }
}

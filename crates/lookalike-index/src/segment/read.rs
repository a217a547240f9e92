//! Reads a segment.

use std::path::Path;

use zstd::dict::DecoderDictionary;

use super::{
    bits::{Bits, Ranked},
    blocks::{BLOCK, Blocks, DATA, LastRead, Section},
    parts::{Head, MAGIC, Part, Shape, VERSION},
    payloads::{self, Buffers},
    postings::Postings,
};
use crate::{
    error::{Error, Result},
    listed::Listed,
};

/// An immutable file of documents. In memory are its head, 0.6 bytes per document, and 4 bytes for about 800 postings.
///
/// A document is given by its offset: the difference of its number to that of the first document. All functions of one document read
/// one block, or a few.
pub(crate) struct Segment {
    blocks: Blocks,
    /// How a manifest lists the file.
    pub(crate) listed: Listed,
    pub(crate) head: Head,
    shape: Shape,
    present: Ranked,
    kept: Ranked,
    posted: Bits,
    leading: Bits,
    empty: Bits,
    fences: Vec<u32>,
    /// One for each part of the texts.
    dictionaries: Vec<Option<DecoderDictionary<'static>>>,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("listed", &self.listed)
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}

impl Segment {
    pub(crate) fn open(folder: &Path, name: &str, shape: Shape) -> Result<Self> {
        let blocks = Blocks::open(&folder.join(name))?;
        let mut buffer = LastRead::default();
        let whole = |block: u64| Section {
            start: block,
            length: DATA as u64,
        };
        let first = blocks.read(whole(0), 0, 12, &mut buffer)?;
        if !first.starts_with(MAGIC) {
            return Err(blocks.damaged("it is not a segment"));
        }
        let found = u32::from_le_bytes([first[8], first[9], first[10], first[11]]);
        if found != VERSION {
            return Err(Error::Version {
                of: blocks.path().display().to_string(),
                found,
                reads: VERSION,
            });
        }
        let last = whole(blocks.count() - 1);
        let head = Section {
            start: blocks.number_at(last, 0, &mut buffer)?,
            length: blocks.number_at(last, 1, &mut buffer)?,
        };
        let head: Head = serde_json::from_slice(&blocks.read_all(head)?)
            .map_err(|_| blocks.damaged("its head is invalid"))?;
        if head.columns.len() != shape.columns()
            || head.stride != shape.stride as u64
            || head.band_keys.is_some() != shape.stores_keys
        {
            return Err(blocks.damaged("it does not belong to this index"));
        }
        let bits = |section| -> Result<Bits> { Ok(Bits::from_bytes(&blocks.read_all(section)?)) };
        let (present, kept) = (
            Ranked::new(bits(head.present)?),
            Ranked::new(bits(head.kept)?),
        );
        let (posted, leading, empty) = (bits(head.posted)?, bits(head.leading)?, bits(head.empty)?);
        let fences = blocks
            .read_all(head.fences)?
            .as_chunks()
            .0
            .iter()
            .map(|fence| u32::from_le_bytes(*fence))
            .collect();
        let mut dictionaries = Vec::new();
        for texts in &head.texts {
            let dictionary = blocks.read_all(texts.dictionary)?;
            dictionaries
                .push((!dictionary.is_empty()).then(|| DecoderDictionary::copy(&dictionary)));
        }
        Ok(Self {
            listed: blocks.listed(name)?,
            blocks,
            head,
            shape,
            present,
            kept,
            posted,
            leading,
            empty,
            fences,
            dictionaries,
        })
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.count() * BLOCK as u64
    }

    /// Returns the size of the documents in bytes, which decides when the segment is merged with others.
    pub(crate) fn weight(&self) -> u64 {
        self.head
            .texts
            .iter()
            .map(|texts| texts.payloads.length)
            .sum::<u64>()
            + self.head.sketches.length
            + self.head.ids.length
    }

    /// Verifies every block, and that the name is right.
    pub(crate) fn check(&self) -> Result<()> {
        if format!("segment-{:032x}", self.blocks.hash()?) == self.listed.name {
            Ok(())
        } else {
            Err(self.blocks.damaged("its name does not fit its content"))
        }
    }

    /// Returns the documents that the segment was written with.
    pub(crate) fn present(&self) -> &Ranked {
        &self.present
    }

    pub(crate) fn kept(&self) -> &Bits {
        self.kept.bits()
    }

    pub(crate) fn posted(&self) -> &Bits {
        &self.posted
    }

    pub(crate) fn leading(&self) -> &Bits {
        &self.leading
    }

    pub(crate) fn empty(&self) -> &Bits {
        &self.empty
    }

    /// Returns the verdict that the segment was written with: the number of the representative and the similarity, or none if the
    /// document was kept.
    pub(crate) fn verdict(&self, offset: u64, buffers: &mut Buffers) -> Result<Option<(u64, f64)>> {
        if self.kept.contains(offset) {
            return Ok(None);
        }
        let at = self.present.rank(offset) - self.kept.rank(offset);
        let bytes = self
            .blocks
            .read(self.head.verdicts, 16 * at, 16, &mut buffers.blocks)?;
        let number =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        Ok(Some((number(0), f64::from_bits(number(8)))))
    }

    pub(crate) fn sketch<'a>(&self, offset: u64, buffers: &'a mut Buffers) -> Result<&'a [u8]> {
        let stride = self.shape.stride;
        self.blocks.read(
            self.head.sketches,
            self.present.rank(offset) * stride as u64,
            stride,
            &mut buffers.sketches,
        )
    }

    pub(crate) fn digest(&self, offset: u64, buffers: &mut Buffers) -> Result<u128> {
        let bytes = self.blocks.read(
            self.head.digests,
            16 * self.present.rank(offset),
            16,
            &mut buffers.blocks,
        )?;
        Ok(u128::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    pub(crate) fn has_keys(&self) -> bool {
        self.head.keys.is_some()
    }

    pub(crate) fn key(&self, offset: u64, buffers: &mut Buffers) -> Result<u64> {
        match self.head.keys {
            Some(keys) => {
                self.blocks
                    .number_at(keys, self.present.rank(offset), &mut buffers.blocks)
            }
            None => Ok(0),
        }
    }

    pub(crate) fn id<'a>(&self, offset: u64, buffers: &'a mut Buffers) -> Result<&'a [u8]> {
        let rank = self.present.rank(offset);
        let start = match rank.checked_sub(1) {
            Some(before) => self
                .blocks
                .number_at(self.head.id_ends, before, &mut buffers.ends)?,
            None => 0,
        };
        let end = self
            .blocks
            .number_at(self.head.id_ends, rank, &mut buffers.ends)?;
        let length = end
            .checked_sub(start)
            .ok_or_else(|| self.blocks.damaged("the places of its ids are invalid"))?;
        self.blocks
            .read(self.head.ids, start, length as usize, &mut buffers.ids)
    }

    /// Calls `use_payload` with the text or the set of a document.
    pub(crate) fn payload<T>(
        &self,
        offset: u64,
        buffers: &mut Buffers,
        use_payload: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        let address = self.blocks.number_at(
            self.head.addresses,
            self.present.rank(offset),
            &mut buffers.blocks,
        )?;
        let part = payloads::part(address);
        let (Some(texts), Some(dictionary)) =
            (self.head.texts.get(part), self.dictionaries.get(part))
        else {
            return Err(self.blocks.damaged("the address of a text is invalid"));
        };
        payloads::read(
            &self.blocks,
            texts.payloads,
            dictionary.as_ref(),
            address,
            buffers,
            use_payload,
        )
    }

    /// Adds the stored keys of all bands to `keys`.
    pub(crate) fn band_keys(
        &self,
        offset: u64,
        buffers: &mut Buffers,
        keys: &mut Vec<u32>,
    ) -> Result<()> {
        let Some(section) = self.head.band_keys else {
            return Ok(());
        };
        let length = 4 * self.shape.bands;
        let bytes = self.blocks.read(
            section,
            self.present.rank(offset) * length as u64,
            length,
            &mut buffers.blocks,
        )?;
        keys.extend(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|key| u32::from_le_bytes(*key)),
        );
        Ok(())
    }

    /// Returns the postings of a column.
    pub(crate) fn postings(&self, column: usize) -> Result<Postings<'_>> {
        let damaged = || self.blocks.damaged("its columns are invalid");
        let column = *self.head.columns.get(column).ok_or_else(damaged)?;
        let count = column.section.length / DATA as u64;
        let end = column.fence.checked_add(count).ok_or_else(damaged)?;
        let fences = self
            .fences
            .get(column.fence as usize..end as usize)
            .filter(|_| (1..=4).contains(&column.width))
            .ok_or_else(damaged)?;
        Ok(Postings {
            blocks: &self.blocks,
            column,
            fences,
        })
    }

    /// Calls `each` with the offset and the value of every document that `live` contains, in order. `Part::Verdict` and
    /// `Part::Payload` have functions of their own.
    pub(crate) fn each(
        &self,
        part: Part,
        live: &Bits,
        each: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (section, width) = match part {
            Part::Sketch => (self.head.sketches, self.shape.stride),
            Part::Digest => (self.head.digests, 16),
            Part::Address => (self.head.addresses, 8),
            Part::Key => match self.head.keys {
                Some(keys) => (keys, 8),
                None => return live.iter().try_for_each(|offset| each(offset, &[0; 8])),
            },
            Part::BandKeys => (
                self.head.band_keys.unwrap_or_default(),
                4 * self.shape.bands,
            ),
            Part::Id => return self.each_id(live, each),
            Part::Payload => {
                let mut buffers = Buffers::default();
                return live.iter().try_for_each(|offset| {
                    self.payload(offset, &mut buffers, |bytes| each(offset, bytes))?
                });
            }
            Part::Verdict => return Ok(()),
        };
        let mut values = Ahead::new(&self.blocks, section);
        live.iter().try_for_each(|offset| {
            each(
                offset,
                values.read(self.present.rank(offset) * width as u64, width)?,
            )
        })
    }

    /// Calls `each` with the offset and the representative's number of every document of `live` that was dropped when the segment was
    /// written, in order.
    pub(crate) fn each_verdict(
        &self,
        live: &Bits,
        each: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<()> {
        let mut values = Ahead::new(&self.blocks, self.head.verdicts);
        for offset in live.iter().filter(|&offset| !self.kept.contains(offset)) {
            let at = self.present.rank(offset) - self.kept.rank(offset);
            let representative = values.read(16 * at, 8)?;
            each(
                offset,
                u64::from_le_bytes(representative.try_into().unwrap_or_default()),
            )?;
        }
        Ok(())
    }

    /// Calls `each` with the data of a section, piece by piece.
    pub(super) fn copy(
        &self,
        section: Section,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        const STEP: u64 = 64 * DATA as u64;
        let mut buffer = LastRead::default();
        for start in (0..section.length).step_by(STEP as usize) {
            let length = STEP.min(section.length - start);
            each(
                self.blocks
                    .read(section, start, length as usize, &mut buffer)?,
            )?;
        }
        Ok(())
    }

    fn each_id(&self, live: &Bits, each: &mut dyn FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let (mut ends, mut ids) = (
            Ahead::new(&self.blocks, self.head.id_ends),
            Ahead::new(&self.blocks, self.head.ids),
        );
        let mut end_of = |rank: u64| -> Result<u64> {
            Ok(u64::from_le_bytes(
                ends.read(8 * rank, 8)?.try_into().unwrap_or_default(),
            ))
        };
        for offset in live.iter() {
            let rank = self.present.rank(offset);
            let start = rank.checked_sub(1).map_or(Ok(0), &mut end_of)?;
            let length = end_of(rank)?.checked_sub(start);
            let length =
                length.ok_or_else(|| self.blocks.damaged("the places of its ids are invalid"))?;
            each(offset, ids.read(start, length as usize)?)?;
        }
        Ok(())
    }
}

/// Reads the values of a column in order, many blocks at a time.
struct Ahead<'a> {
    blocks: &'a Blocks,
    section: Section,
    start: u64,
    data: Vec<u8>,
    last_read: LastRead,
}

impl<'a> Ahead<'a> {
    fn new(blocks: &'a Blocks, section: Section) -> Self {
        Self {
            blocks,
            section,
            start: 0,
            data: Vec::new(),
            last_read: LastRead::default(),
        }
    }

    fn read(&mut self, offset: u64, length: usize) -> Result<&[u8]> {
        const STEP: u64 = 64 * DATA as u64;
        let is_here =
            offset >= self.start && offset + length as u64 <= self.start + self.data.len() as u64;
        if !is_here {
            let wanted = STEP
                .max(length as u64)
                .min(self.section.length.saturating_sub(offset));
            self.data.clear();
            self.data.extend_from_slice(self.blocks.read(
                self.section,
                offset,
                wanted as usize,
                &mut self.last_read,
            )?);
            self.start = offset;
        }
        let from = (offset - self.start) as usize;
        self.data
            .get(from..from + length)
            .ok_or_else(|| self.blocks.damaged("a column is too short"))
    }
}

//! The texts of documents, in compressed blocks.
//!
//! A block holds several texts, 8 KiB together, or one that is longer. It consists of the sizes of its compressed and of its plain form
//! (4 bytes each) and the compressed form, a zstd frame. The plain form consists of the number of texts, their lengths (all as
//! variable-length numbers), and the texts. A text is found by its address: the position of its block times 2¹⁶, plus its number in
//! the block. The texts of a merged segment are in several parts; the highest 8 bits of an address are the number of the part.

use std::{cell::RefCell, io::Write, sync::Mutex};

use lookalike_io::{lock::lock, pool::par_map};
use zstd::{
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::{CCtx, DCtx},
};

use super::{
    blocks::{Blocks, DATA, LastRead, Section, Writer},
    postings,
};
use crate::{apart::apart, error::Result};

/// A block ends when its texts have this size in bytes. Larger blocks compress better (0.43 bytes per byte of Usenet posts with 16 KiB,
/// 0.45 with 8 KiB), but reading one text takes longer.
const BLOCK: usize = 8 << 10;

/// The largest number of texts in a block.
const MOST: usize = 4096;

const LEVEL: i32 = 1;

/// The size of the dictionary in bytes. It halves the size of documentation, and takes a twentieth from Usenet posts.
const DICTIONARY: usize = 64 << 10;

/// The dictionary is made from the beginnings of this many texts, taken at equal distances.
const SAMPLES: u64 = 2000;
const SAMPLE: usize = 1 << 10;

/// The blocks that are compressed at a time, in parallel.
const BATCH: usize = 64;

thread_local! {
    static COMPRESSOR: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static DECOMPRESSOR: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Returns the distance between two texts from which a dictionary is made.
pub(crate) fn distance(texts: u64) -> usize {
    texts.div_ceil(SAMPLES).max(1) as usize
}

/// Returns the part of a text from which a dictionary is made.
pub(crate) fn sample(text: &[u8]) -> &[u8] {
    &text[..text.len().min(SAMPLE)]
}

/// The last dictionary that was made. Texts that are added one after the other usually resemble each other, so it is used again for as
/// long as it compresses them as well as those from which it was made.
#[derive(Debug, Default)]
pub(crate) struct Trained(Mutex<Option<Dictionary>>);

#[derive(Debug)]
struct Dictionary {
    bytes: Vec<u8>,
    /// The size of samples from which it was not made, compressed with it, divided by their size without a dictionary.
    share: f64,
}

/// A dictionary is made again if texts take this much more space.
const WORSE: f64 = 1.05;

/// One in this many samples is not used to make a dictionary, so that it can be tried with them.
const APART: usize = 8;

/// So many bytes are compressed to find out how good a dictionary is.
const TRIED: usize = 256 << 10;

impl Trained {
    /// Returns a dictionary for texts that resemble the samples; empty if there are too few. Cost: a millisecond, or a tenth of a second if
    /// the last dictionary is not used again.
    pub(crate) fn dictionary<T: AsRef<[u8]>>(&self, samples: &[T]) -> Vec<u8> {
        let mut last = lock(&self.0);
        let samples: Vec<&[u8]> = samples.iter().map(AsRef::as_ref).collect();
        if let Some(last) = &*last
            && share(&samples, &last.bytes) < WORSE * last.share
        {
            return last.bytes.clone();
        }
        // A dictionary compresses the samples from which it is made better than others.
        let (tried, used): (Vec<_>, Vec<_>) = samples
            .into_iter()
            .enumerate()
            .partition(|(at, _)| at % APART == 0);
        let [tried, used] = [tried, used].map(|some| {
            some.into_iter()
                .map(|(_, sample)| sample)
                .collect::<Vec<&[u8]>>()
        });
        let bytes = dictionary(&used);
        *last = (!bytes.is_empty()).then(|| Dictionary {
            share: share(&tried, &bytes),
            bytes: bytes.clone(),
        });
        bytes
    }
}

/// Returns the size of samples that are compressed with a dictionary, divided by their size without one.
fn share(samples: &[&[u8]], dictionary: &[u8]) -> f64 {
    let dictionary = EncoderDictionary::copy(dictionary, LEVEL);
    let step = samples.len().div_ceil(TRIED / SAMPLE).max(1);
    let all: Vec<u8> = samples
        .iter()
        .step_by(step)
        .flat_map(|sample| sample.iter().copied())
        .collect();
    let size = |dictionary| {
        let blocks = all
            .chunks(BLOCK)
            .map(|block| compressed(block, dictionary).map_or(block.len(), |block| block.len()));
        blocks.sum::<usize>()
    };
    size(Some(&dictionary)) as f64 / size(None).max(1) as f64
}

/// Returns a dictionary for texts that resemble the samples; empty if there are too few. Cost: a tenth of a second.
pub(crate) fn dictionary<T: AsRef<[u8]>>(samples: &[T]) -> Vec<u8> {
    let total: usize = samples.iter().map(|sample| sample.as_ref().len()).sum();
    if samples.len() < 100 || total < 2 * DICTIONARY {
        return Vec::new();
    }
    // The library refuses samples that have too little in common.
    zstd::dict::from_samples(samples, DICTIONARY).unwrap_or_default()
}

/// Writes texts and remembers their addresses.
pub(crate) struct Payloads<'a, W> {
    out: &'a mut Writer<W>,
    dictionary: Option<EncoderDictionary<'static>>,
    position: u64,
    addresses: Vec<u64>,
    lengths: Vec<u32>,
    texts: Vec<u8>,
    /// Plain blocks with the number of their texts.
    waiting: Vec<(Vec<u8>, usize)>,
}

impl<'a, W: Write> Payloads<'a, W> {
    pub(crate) fn new(out: &'a mut Writer<W>, dictionary: &[u8]) -> Self {
        let dictionary =
            (!dictionary.is_empty()).then(|| EncoderDictionary::copy(dictionary, LEVEL));
        let (lengths, texts, waiting) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            out,
            dictionary,
            position: 0,
            addresses: Vec::new(),
            lengths,
            texts,
            waiting,
        }
    }

    pub(crate) fn add(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.lengths.push(text.len() as u32);
        self.texts.extend_from_slice(text);
        if self.texts.len() >= BLOCK || self.lengths.len() == MOST {
            self.end_block();
            if self.waiting.len() >= BATCH {
                self.compress()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) {
        if self.lengths.is_empty() {
            return;
        }
        let mut plain = Vec::with_capacity(self.texts.len() + 3 * self.lengths.len() + 2);
        postings::number(&mut plain, self.lengths.len() as u32);
        self.lengths
            .iter()
            .for_each(|&length| postings::number(&mut plain, length));
        plain.append(&mut self.texts);
        self.waiting.push((plain, self.lengths.len()));
        self.lengths.clear();
    }

    fn compress(&mut self) -> std::io::Result<()> {
        let dictionary = self.dictionary.as_ref();
        let waiting = &self.waiting;
        let one = |(plain, _): &(Vec<u8>, _)| compressed(plain, dictionary);
        let compressed: Vec<std::io::Result<Vec<u8>>> = apart(|| par_map(waiting, one));
        for (block, (plain, texts)) in compressed.into_iter().zip(self.waiting.drain(..)) {
            let block = block?;
            if self.position >= 1 << (PART - 16) {
                return Err(std::io::Error::other(
                    "a segment cannot have more than 1 TiB of compressed texts",
                ));
            }
            self.out.write(&(block.len() as u32).to_le_bytes())?;
            self.out.write(&(plain.len() as u32).to_le_bytes())?;
            self.out.write(&block)?;
            self.addresses
                .extend((0..texts as u64).map(|slot| self.position << 16 | slot));
            self.position += 8 + block.len() as u64;
        }
        Ok(())
    }

    /// Returns the section, and the address of each text.
    pub(crate) fn finish(mut self) -> std::io::Result<(Section, Vec<u64>)> {
        self.end_block();
        self.compress()?;
        Ok((self.out.end_section()?, self.addresses))
    }
}

fn compressed(plain: &[u8], dictionary: Option<&EncoderDictionary>) -> std::io::Result<Vec<u8>> {
    let failed = |code| std::io::Error::other(zstd::zstd_safe::get_error_name(code));
    COMPRESSOR.with_borrow_mut(|compressor| {
        let mut out = Vec::with_capacity(zstd::zstd_safe::compress_bound(plain.len()));
        match dictionary {
            Some(dictionary) => {
                compressor.compress_using_cdict(&mut out, plain, dictionary.as_cdict())
            }
            None => compressor.compress(&mut out, plain, LEVEL),
        }
        .map_err(failed)?;
        Ok(out)
    })
}

/// Buffers for reading texts.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) blocks: LastRead,
    /// Blocks of sketches: candidates are compared in the order of their numbers, and a block has many sketches.
    pub(super) sketches: LastRead,
    /// Blocks of the ends of ids, and of ids.
    pub(super) ends: LastRead,
    pub(super) ids: LastRead,
    /// The plain form of the last block: its file, its place, and its content.
    last: Option<(u64, u64)>,
    plain: Vec<u8>,
}

/// Calls `use_text` with the text at an address.
pub(crate) fn read<T>(
    blocks: &Blocks,
    section: Section,
    dictionary: Option<&DecoderDictionary>,
    address: u64,
    buffers: &mut Buffers,
    use_text: impl FnOnce(&[u8]) -> T,
) -> Result<T> {
    let (position, slot) = ((address & !(0xff << PART)) >> 16, address & 0xffff);
    let place = Some((
        blocks.number(),
        section
            .start
            .wrapping_mul(DATA as u64)
            .wrapping_add(position),
    ));
    if buffers.last != place {
        buffers.last = None;
        load(blocks, section, dictionary, position, buffers)?;
        buffers.last = place;
    }
    let damaged = || blocks.damaged("a block of texts is invalid");
    let mut rest = &buffers.plain[..];
    let count = take(&mut rest)
        .filter(|&count| slot < u64::from(count))
        .ok_or_else(damaged)?;
    let (mut start, mut length) = (0, 0);
    for at in 0..count {
        let next = take(&mut rest).ok_or_else(damaged)? as usize;
        match u64::from(at).cmp(&slot) {
            std::cmp::Ordering::Less => start += next,
            std::cmp::Ordering::Equal => length = next,
            std::cmp::Ordering::Greater => {}
        }
    }
    rest.get(start..start + length)
        .map(use_text)
        .ok_or_else(damaged)
}

/// Fills `buffers.plain` with the plain form of a block.
fn load(
    blocks: &Blocks,
    section: Section,
    dictionary: Option<&DecoderDictionary>,
    position: u64,
    buffers: &mut Buffers,
) -> Result<()> {
    // Most blocks have less than this, so that one read is enough.
    const USUAL: u64 = 6000;
    let damaged = || blocks.damaged("a block of texts is invalid");
    let left = section.length.checked_sub(position).ok_or_else(damaged)?;
    let read = blocks.read(
        section,
        position,
        left.min(USUAL) as usize,
        &mut buffers.blocks,
    )?;
    let (sizes, rest) = read.split_first_chunk::<8>().ok_or_else(damaged)?;
    let size = |at: usize| {
        u32::from_le_bytes([sizes[at], sizes[at + 1], sizes[at + 2], sizes[at + 3]]) as usize
    };
    let (packed, plain) = (size(0), size(4));
    let frame = match rest.get(..packed) {
        Some(frame) => frame,
        None => blocks.read(section, position + 8, packed, &mut buffers.blocks)?,
    };
    // The sizes are covered by checksums, so they are right unless the program that wrote them was wrong.
    buffers.plain.clear();
    buffers.plain.try_reserve(plain).map_err(|_| damaged())?;
    let written = DECOMPRESSOR.with_borrow_mut(|decompressor| match dictionary {
        Some(dictionary) => {
            decompressor.decompress_using_ddict(&mut buffers.plain, frame, dictionary.as_ddict())
        }
        None => decompressor.decompress(&mut buffers.plain, frame),
    });
    if written == Ok(plain) {
        Ok(())
    } else {
        Err(damaged())
    }
}

/// The place of the number of the part in an address.
const PART: u32 = 56;

/// The largest number of parts.
pub(crate) const PARTS: usize = 1 << 8;

/// Returns the number of the part that an address is in.
pub(super) fn part(address: u64) -> usize {
    (address >> PART) as usize
}

/// Returns an address after `parts` more parts were put before its own.
pub(super) fn moved(address: u64, parts: u64) -> u64 {
    address + (parts << PART)
}

/// Reads a variable-length number.
fn take(rest: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, left) = rest.split_first()?;
        *rest = left;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike::fingerprint::finish;

    use super::*;

    #[test]
    fn a_dictionary_is_used_again_for_similar_texts() {
        let texts = |subject: &str, first: u64| -> Vec<Vec<u8>> {
            let word = |at: u64| format!("{subject}{:x} ", finish(finish(at) % 700) >> 50);
            (first..first + 1000)
                .map(|text| {
                    (0..80)
                        .map(|at| word(100 * text + at))
                        .collect::<String>()
                        .into_bytes()
                })
                .collect()
        };
        let trained = Trained::default();
        let first = trained.dictionary(&texts("a", 0));
        assert!(!first.is_empty());
        assert!(trained.dictionary(&texts("a", 1000)) == first);
        let second = trained.dictionary(&texts("other words", 0));
        assert!(!second.is_empty());
        assert!(second != first);
        assert!(trained.dictionary(&texts("a", 0)[..10]).is_empty());
    }

    #[test]
    fn texts_are_read_back() {
        let text = |i: usize| match i % 100 {
            7 => String::new(),
            99 => format!("a long text {i} ").repeat(3000),
            _ => format!("text number {i} about {} and {}", i * i, i % 7).repeat(i % 20),
        };
        let texts: Vec<Vec<u8>> = (0..5000).map(|i| text(i).into_bytes()).collect();
        let trained = dictionary(&texts);
        assert!(!trained.is_empty());
        assert_eq!(trained, dictionary(&texts));
        for dictionary in [Vec::new(), trained] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("payloads");
            let mut writer = Writer::new(Vec::new());
            let mut payloads = Payloads::new(&mut writer, &dictionary);
            texts.iter().for_each(|text| payloads.add(text).unwrap());
            let (section, addresses) = payloads.finish().unwrap();
            assert_eq!(addresses.len(), texts.len());
            fs::write(&path, writer.finish().0).unwrap();
            let blocks = Blocks::open(&path).unwrap();
            let dictionary = (!dictionary.is_empty()).then(|| DecoderDictionary::copy(&dictionary));
            let mut buffers = Buffers::default();
            for (text, &address) in texts.iter().zip(&addresses) {
                read(
                    &blocks,
                    section,
                    dictionary.as_ref(),
                    address,
                    &mut buffers,
                    |read| assert_eq!(read, text),
                )
                .unwrap();
            }
            let beyond = addresses.last().unwrap() + (1 << 15);
            assert!(
                read(
                    &blocks,
                    section,
                    dictionary.as_ref(),
                    beyond,
                    &mut buffers,
                    |_| ()
                )
                .is_err()
            );
        }
    }
}

//! Writes a segment.

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use lookalike_io::{
    disk::{self, File},
    pool::par_map,
};

use super::{
    bits::Bits,
    blocks::{Section, Writer},
    parts::{Head, MAGIC, Part, Shape, Texts, VERSION},
    payloads::{self, Payloads},
    postings::{Column, Encoder},
    read::Segment,
    source::Source,
};
use crate::{
    apart::apart,
    error::{Error, Result},
};

/// The permissions of the files of an index, which contain texts: only this user can read them.
pub(crate) const PRIVATE: u32 = 0o600;

/// Columns of postings that are encoded at the same time are in memory, up to this size in bytes. A column takes 5 bytes for each document.
const ENCODED: u64 = 256 << 20;

/// A segment that is on the disk, but not under its name.
#[derive(Debug)]
pub(crate) struct Unfinished {
    path: PathBuf,
    name: String,
    shape: Shape,
}

impl Unfinished {
    /// Gives the segment its name, which depends on its content alone, so that equal segments have equal names. Opens the segment.
    pub(crate) fn finish(self, folder: &Path) -> Result<Segment> {
        disk::rename(&self.path, &folder.join(&self.name)).map_err(|source| Error::File {
            path: self.path,
            source,
        })?;
        Segment::open(folder, &self.name, self.shape)
    }
}

/// Writes a segment into a file of a folder, and syncs it.
pub(crate) fn write(
    folder: &Path,
    unfinished: &str,
    shape: Shape,
    source: &dyn Source,
) -> Result<Unfinished> {
    let path = folder.join(unfinished);
    let failed = |source| Error::File {
        path: path.clone(),
        source,
    };
    if path.symlink_metadata().is_ok() {
        disk::remove(&path).map_err(failed)?;
    }
    let file = File::create_new(&path, PRIVATE).map_err(failed)?;
    let mut writer = Writer::new(BufWriter::with_capacity(1 << 20, file));
    write_parts(&mut writer, shape, source).map_err(|error| match error {
        Error::Write(source) => failed(source),
        error => error,
    })?;
    let (file, hash) = writer.finish();
    let file = file
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    file.sync().map_err(failed)?;
    Ok(Unfinished {
        path,
        name: format!("segment-{hash:032x}"),
        shape,
    })
}

fn write_parts<W: Write>(out: &mut Writer<W>, shape: Shape, source: &dyn Source) -> Result<()> {
    out.write(MAGIC)?;
    out.write(&VERSION.to_le_bytes())?;
    out.end_section()?;
    let mut bits = |bits: &Bits| -> Result<Section> {
        out.write(&bits.to_bytes())?;
        Ok(out.end_section()?)
    };
    let documents = source.documents();
    let (present, kept) = (bits(&documents.present)?, bits(&documents.kept)?);
    let (posted, leading, empty) = (
        bits(&documents.posted)?,
        bits(&documents.leading)?,
        bits(&documents.empty)?,
    );
    let sketches = column(out, source, Part::Sketch)?;
    let digests = column(out, source, Part::Digest)?;
    let verdicts = column(out, source, Part::Verdict)?;
    let mut any_key = false;
    source.each(Part::Key, &mut |key| {
        any_key |= key != [0; 8];
        Ok(())
    })?;
    let keys = if any_key {
        Some(column(out, source, Part::Key)?)
    } else {
        None
    };
    let mut end = 0u64;
    source.each(Part::Id, &mut |id| {
        end += id.len() as u64;
        Ok(out.write(&end.to_le_bytes())?)
    })?;
    let id_ends = out.end_section()?;
    let ids = column(out, source, Part::Id)?;
    let (texts, addresses) = match source.copied() {
        Some(segments) => copied(out, segments)?,
        None => compressed(out, source)?,
    };
    let band_keys = if shape.stores_keys {
        Some(column(out, source, Part::BandKeys)?)
    } else {
        None
    };
    let last = documents.present.iter().last().unwrap_or(0);
    // One more bit is for documents that do not lead.
    let width = (u64::BITS - last.leading_zeros() + 1).div_ceil(8).max(1) as u8;
    let (mut fences, mut columns) = (Vec::new(), Vec::new());
    let at_once = ENCODED / (5 * documents.present.count()).max(1);
    if at_once < 2 {
        for column in 0..shape.columns() {
            let fence = fences.len() as u64;
            let mut encoder = Encoder::new(width, |first, block: &[u8]| {
                fences.push(first);
                Ok(out.write(block)?)
            });
            source.postings(column, &mut |postings| encoder.add(postings))?;
            encoder.finish()?;
            columns.push(Column {
                section: out.end_section()?,
                fence,
                width,
            });
        }
    } else {
        let all: Vec<usize> = (0..shape.columns()).collect();
        for some in all.chunks(rayon::current_num_threads().min(at_once as usize)) {
            let one = |&column: &usize| encoded(source, column, width);
            for encoded in apart(|| par_map(some, one)) {
                let (firsts, blocks) = encoded?;
                let fence = fences.len() as u64;
                fences.extend(firsts);
                out.write(&blocks)?;
                columns.push(Column {
                    section: out.end_section()?,
                    fence,
                    width,
                });
            }
        }
    }
    fences
        .iter()
        .try_for_each(|fence| out.write(&fence.to_le_bytes()))?;
    let fences = out.end_section()?;
    let head = Head {
        base: source.base(),
        documents: documents.present.count(),
        stride: shape.stride as u64,
        present,
        kept,
        posted,
        leading,
        empty,
        sketches,
        digests,
        verdicts,
        keys,
        id_ends,
        ids,
        addresses,
        texts,
        band_keys,
        fences,
        columns,
    };
    let head = serde_json::to_vec(&head).map_err(|error| Error::Write(error.into()))?;
    out.write(&head)?;
    let head = out.end_section()?;
    // The last block says where the head is. The manifest has its checksum, so that depends on all blocks.
    let before = out.hash().to_le_bytes();
    let place = [head.start, head.length].map(u64::to_le_bytes).concat();
    out.write(&[&place[..], &before].concat())?;
    out.end_section()?;
    Ok(())
}

/// Returns the postings of a column: the first key of each block, and the blocks.
fn encoded(source: &dyn Source, column: usize, width: u8) -> Result<(Vec<u32>, Vec<u8>)> {
    let (mut firsts, mut blocks) = (Vec::new(), Vec::new());
    let mut encoder = Encoder::new(width, |first, block: &[u8]| {
        firsts.push(first);
        blocks.extend_from_slice(block);
        Ok(())
    });
    source.postings(column, &mut |postings| encoder.add(postings))?;
    encoder.finish()?;
    Ok((firsts, blocks))
}

/// Compresses texts. Returns their section and the addresses' section.
fn compressed<W: Write>(out: &mut Writer<W>, source: &dyn Source) -> Result<(Vec<Texts>, Section)> {
    let trained = source.dictionary()?;
    let mut texts = Payloads::new(out, &trained);
    source.each(Part::Payload, &mut |text| Ok(texts.add(text)?))?;
    let (payloads, addresses) = texts.finish()?;
    addresses
        .iter()
        .try_for_each(|address| out.write(&address.to_le_bytes()))?;
    let addresses = out.end_section()?;
    out.write(&trained)?;
    Ok((
        vec![Texts {
            payloads,
            dictionary: out.end_section()?,
        }],
        addresses,
    ))
}

/// Copies compressed texts, which is ten times faster than compressing them again. Texts of removed documents are copied too.
fn copied<W: Write>(
    out: &mut Writer<W>,
    segments: Vec<(&Segment, &Bits)>,
) -> Result<(Vec<Texts>, Section)> {
    let mut texts = Vec::new();
    for (segment, live) in &segments {
        let first = texts.len() as u64;
        segment.each(Part::Address, live, &mut |_, address| {
            let address = u64::from_le_bytes(address.try_into().unwrap_or_default());
            Ok(out.write(&payloads::moved(address, first).to_le_bytes())?)
        })?;
        texts.extend(segment.head.texts.iter().copied());
    }
    let addresses = out.end_section()?;
    let mut at = 0;
    for (segment, _) in segments {
        for part in &segment.head.texts {
            segment.copy(part.payloads, &mut |bytes| Ok(out.write(bytes)?))?;
            texts[at].payloads = out.end_section()?;
            segment.copy(part.dictionary, &mut |bytes| Ok(out.write(bytes)?))?;
            texts[at].dictionary = out.end_section()?;
            at += 1;
        }
    }
    Ok((texts, addresses))
}

/// Returns the value of [`Part::Verdict`].
pub(crate) fn verdict_bytes(representative: u64, similarity: f64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&representative.to_le_bytes());
    bytes[8..].copy_from_slice(&similarity.to_bits().to_le_bytes());
    bytes
}

fn column<W: Write>(out: &mut Writer<W>, source: &dyn Source, part: Part) -> Result<Section> {
    source.each(part, &mut |value| Ok(out.write(value)?))?;
    Ok(out.end_section()?)
}

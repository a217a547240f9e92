//! Serialises an index to bytes and to a file.
//!
//! All numbers are little-endian, and all lengths take 8 bytes. The format consists of: the magic bytes; the version, 4 bytes;
//! the configuration as JSON, preceded by its length; the number of documents (8 bytes); the documents, in insertion order; and
//! the XXH3-128 of everything before. A document consists of its id (0 and a text, 1 and a number of 8 bytes, or 2 and a number as text), its keys, its
//! fixed-size sketch and its shingle set. The text, the keys, the sketch and the set are each preceded by their length.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use lookalike::Config;
use lookalike_io::disk::folder_of;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    error::{Error, Result},
    id::Id,
    lsh::LshIndex,
    sketched::Sketched,
};

const MAGIC: &[u8; 8] = b"\x89LKAIDX\n";

/// The version of the format. A release reports an error for a version that it cannot read.
const VERSION: u32 = 1;

/// The size of the checksum in bytes.
const SUM: usize = size_of::<u128>();

impl LshIndex {
    /// Returns the index as bytes, which [`decode`](Self::decode) reads.
    ///
    /// # Errors
    /// Fails if the settings cannot be written as JSON, which cannot occur in this release.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let config =
            serde_json::to_vec(self.config()).map_err(|error| Error::Damaged(error.to_string()))?;
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        stretch(&mut out, &config);
        length(&mut out, self.len());
        for (id, Sketched { keys, bits, set }) in self.documents() {
            match id {
                Id::Text(text) => {
                    out.push(0);
                    stretch(&mut out, text.as_bytes());
                }
                Id::Number(number) => {
                    out.push(1);
                    out.extend(number.to_le_bytes());
                }
                Id::Written(number) => {
                    out.push(2);
                    stretch(&mut out, number.as_bytes());
                }
            }
            length(&mut out, keys.len());
            keys.iter().for_each(|key| out.extend(key.to_le_bytes()));
            stretch(&mut out, bits);
            length(&mut out, set.len());
            set.iter()
                .for_each(|fingerprint| out.extend(fingerprint.to_le_bytes()));
        }
        let sum = xxh3_128(&out);
        out.extend(sum.to_le_bytes());
        Ok(out)
    }

    /// Returns the index that was encoded as `bytes`; `of` names their origin.
    ///
    /// # Errors
    /// Fails if the bytes are not an index, have a different version, or are damaged.
    pub fn decode(bytes: &[u8], of: &str) -> Result<Self> {
        let damaged = || Error::Damaged(of.into());
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| Error::NoIndex(of.into()))?;
        match rest
            .first_chunk()
            .map(|version| u32::from_le_bytes(*version))
        {
            Some(VERSION) => {}
            Some(found) => {
                return Err(Error::Version {
                    of: of.into(),
                    found,
                    reads: VERSION,
                });
            }
            None => return Err(damaged()),
        }
        let (body, sum) = bytes.split_last_chunk::<SUM>().ok_or_else(damaged)?;
        if xxh3_128(body) != u128::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let (config, documents) = Cursor(&body[MAGIC.len() + 4..]).all().ok_or_else(damaged)?;
        let mut index = Self::new(config)?;
        if documents
            .iter()
            .any(|(_, sketched)| !sketched.fits(index.method()))
        {
            return Err(damaged());
        }
        index.insert_all(documents).map_err(|_| damaged())?;
        Ok(index)
    }
}

fn length(out: &mut Vec<u8>, length: usize) {
    out.extend((length as u64).to_le_bytes());
}

fn stretch(out: &mut Vec<u8>, bytes: &[u8]) {
    length(out, bytes.len());
    out.extend(bytes);
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn all(&mut self) -> Option<(Config, Vec<(Id, Sketched)>)> {
        let config = serde_json::from_slice(self.stretch(1)?).ok()?;
        let mut documents = Vec::new();
        for _ in 0..self.number()? {
            let [kind] = self.take()?;
            let id = match kind {
                0 => Id::Text(String::from_utf8(self.stretch(1)?.to_vec()).ok()?),
                1 => Id::Number(i64::from_le_bytes(self.take()?)),
                2 => Id::Written(String::from_utf8(self.stretch(1)?.to_vec()).ok()?),
                _ => return None,
            };
            let keys = self
                .stretch(4)?
                .as_chunks()
                .0
                .iter()
                .map(|key| u32::from_le_bytes(*key))
                .collect();
            let bits = self.stretch(1)?.to_vec();
            let set = self
                .stretch(8)?
                .as_chunks()
                .0
                .iter()
                .map(|fingerprint| u64::from_le_bytes(*fingerprint))
                .collect();
            documents.push((id, Sketched { keys, bits, set }));
        }
        self.0.is_empty().then_some((config, documents))
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<usize> {
        u64::from_le_bytes(self.take()?).try_into().ok()
    }

    /// Reads a count, then returns the bytes of that many elements, each `width` bytes long.
    fn stretch(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.number()?.checked_mul(width)?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

/// Reads an index from a file that [`save`] wrote.
///
/// # Errors
/// Fails if the file cannot be read, is not an index, has a different version, or is damaged.
pub fn load(path: &Path) -> Result<LshIndex> {
    let bytes = fs::read(path).map_err(|source| Error::File {
        path: path.into(),
        source,
    })?;
    LshIndex::decode(&bytes, &path.display().to_string())
}

/// Writes an index to a file. The file appears only when it is complete: the index is written under another name in the same
/// directory, synced, and renamed. An existing file with this name is replaced.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn save(index: &LshIndex, path: &Path) -> Result<()> {
    write(path, &index.encode()?).map_err(|source| Error::File {
        path: path.into(),
        source,
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    fs::File::open(folder)?.sync_all()
}

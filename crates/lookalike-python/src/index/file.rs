//! An index as bytes.
//!
//! Little-endian throughout: the magic; the version, 4 bytes; the configuration as JSON, its length before it (8 bytes, as all
//! lengths); the number of documents; of each, in the order in which they came, its id (0 and a text, or 1 and 8 bytes), its
//! keys, its fixed-size sketch and its shingle set, the length of each before it; XXH3-128 of all that stands before.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use lookalike::Config;
use pyo3::PyResult;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_128;

use super::buckets::{Buckets, Id, Sketched};
use crate::error::{of_file, raise};

const MAGIC: &[u8; 8] = b"\x89LKAIDX\n";

/// A release that cannot read an older version's file says so.
const VERSION: u32 = 1;

/// Bytes of the checksum.
const SUM: usize = size_of::<u128>();

pub fn encode(config: &Config, buckets: &Buckets) -> PyResult<Vec<u8>> {
    let config = serde_json::to_vec(config).map_err(|error| raise("Error", error.to_string()))?;
    let mut out = Vec::new();
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    stretch(&mut out, &config);
    length(&mut out, buckets.len());
    for (id, Sketched { keys, bits, set }) in buckets.documents() {
        match id {
            Id::Text(text) => {
                out.push(0);
                stretch(&mut out, text.as_bytes());
            }
            Id::Number(number) => {
                out.push(1);
                out.extend(number.to_le_bytes());
            }
        }
        length(&mut out, keys.len());
        keys.iter().for_each(|key| out.extend(key.to_le_bytes()));
        stretch(&mut out, bits);
        length(&mut out, set.len());
        set.iter().for_each(|fingerprint| out.extend(fingerprint.to_le_bytes()));
    }
    let sum = xxh3_128(&out);
    out.extend(sum.to_le_bytes());
    Ok(out)
}

fn length(out: &mut Vec<u8>, length: usize) {
    out.extend((length as u64).to_le_bytes());
}

fn stretch(out: &mut Vec<u8>, bytes: &[u8]) {
    length(out, bytes.len());
    out.extend(bytes);
}

pub type Decoded = (Config, Vec<Id>, Vec<Sketched>);

/// What bytes say; `of` names where they are from.
pub fn decode(bytes: &[u8], of: &str) -> PyResult<Decoded> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(raise("FormatError", format!("{of}: no index of lookalike: give a file that LshIndex.save wrote")));
    };
    match rest.first_chunk().map(|version| u32::from_le_bytes(*version)) {
        Some(VERSION) => {}
        Some(other) => {
            let words = format!("{of}: an index of version {other}, and this release reads version {VERSION}: make it anew");
            return Err(raise("FormatError", words));
        }
        None => return Err(damaged(of)),
    }
    let (body, sum) = bytes.split_last_chunk::<SUM>().ok_or_else(|| damaged(of))?;
    if xxh3_128(body) != u128::from_le_bytes(*sum) {
        return Err(damaged(of));
    }
    Cursor(&body[MAGIC.len() + 4..]).all().ok_or_else(|| damaged(of))
}

pub fn damaged(of: &str) -> pyo3::PyErr {
    raise("FormatError", format!("{of}: damaged, or cut off: make the index anew, or take a copy that is whole"))
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn all(&mut self) -> Option<Decoded> {
        let config = serde_json::from_slice(self.stretch(1)?).ok()?;
        let (mut ids, mut sketched) = (Vec::new(), Vec::new());
        for _ in 0..self.number()? {
            let [kind] = self.take()?;
            ids.push(match kind {
                0 => Id::Text(String::from_utf8(self.stretch(1)?.to_vec()).ok()?),
                1 => Id::Number(i64::from_le_bytes(self.take()?)),
                _ => return None,
            });
            let keys = self.stretch(4)?.as_chunks().0.iter().map(|key| u32::from_le_bytes(*key)).collect();
            let bits = self.stretch(1)?.to_vec();
            let set = self.stretch(8)?.as_chunks().0.iter().map(|fingerprint| u64::from_le_bytes(*fingerprint)).collect();
            sketched.push(Sketched { keys, bits, set });
        }
        self.0.is_empty().then_some((config, ids, sketched))
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<usize> {
        u64::from_le_bytes(self.take()?).try_into().ok()
    }

    /// So many elements of `width` bytes, after their number.
    fn stretch(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.number()?.checked_mul(width)?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

pub fn read(path: &Path) -> PyResult<Vec<u8>> {
    fs::read(path).map_err(|error| of_file(path, &error))
}

/// Writes beside the file, syncs, renames, syncs the folder.
pub fn save(path: &Path, bytes: &[u8]) -> PyResult<()> {
    write(path, bytes).map_err(|error| of_file(path, &error))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    fs::File::open(folder)?.sync_all()
}

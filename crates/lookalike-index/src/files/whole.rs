//! Files that are read and written as a whole.
//!
//! Such a file consists of magic bytes (8), the version (4), the content, and the XXH3-128 of all this.

use std::{io::Write, path::Path};

use lookalike_io::disk::{self, File};
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    error::{Error, Result},
    segment::PRIVATE,
};

const VERSION: u32 = 1;
const SUM: usize = size_of::<u128>();

pub(super) fn damaged(path: &Path, what: &str) -> Error {
    Error::Damaged(format!(
        "{} ({what})",
        lookalike::shown::path(&path.display().to_string())
    ))
}

/// Returns a file with this content.
pub(super) fn seal(magic: [u8; 8], content: &[u8]) -> Vec<u8> {
    let mut bytes = [&magic[..], &VERSION.to_le_bytes(), content].concat();
    let sum = xxh3_128(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Returns the content of a file.
pub(super) fn unseal(path: &Path, magic: [u8; 8]) -> Result<Vec<u8>> {
    let mut bytes = read(path)?;
    let head = magic.len() + size_of_val(&VERSION);
    let length = bytes
        .len()
        .checked_sub(SUM)
        .filter(|&length| length >= head);
    let length = length.ok_or_else(|| damaged(path, "it is truncated"))?;
    if xxh3_128(&bytes[..length]).to_le_bytes() != bytes[length..] {
        return Err(damaged(path, "its checksum is wrong"));
    }
    let found = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    match (bytes.starts_with(&magic), found) {
        (true, VERSION) => {}
        (true, found) => {
            return Err(Error::Version {
                of: path.display().to_string(),
                found,
                reads: VERSION,
            });
        }
        (false, _) => return Err(damaged(path, "it is another kind of file")),
    }
    bytes.truncate(length);
    bytes.drain(..head);
    Ok(bytes)
}

/// Returns the bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let read = || {
        let file = File::open_regular(path)?;
        let mut bytes = vec![0; usize::try_from(file.length()?).map_err(std::io::Error::other)?];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    };
    read().map_err(|source| Error::File {
        path: path.into(),
        source,
    })
}

/// Writes a file of an index that appears only when it is complete: under another name, synced, and renamed.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let unfinished = folder.join(format!("{name}.new"));
    let failed = |source| Error::File {
        path: folder.join(name),
        source,
    };
    let write = || {
        if unfinished.symlink_metadata().is_ok() {
            disk::remove(&unfinished)?;
        }
        let mut file = File::create_new(&unfinished, PRIVATE)?;
        file.write_all(bytes)?;
        file.sync()?;
        disk::rename(&unfinished, &folder.join(name))
    };
    write().map_err(failed)
}

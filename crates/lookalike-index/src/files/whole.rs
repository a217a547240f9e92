//! Files that are read and written as a whole.
//!
//! Such a file consists of magic bytes (8), the version (4), the content, and the XXH3-128 of all this.

use std::{
    io::{self, Write},
    path::Path,
};

use lookalike_io::disk::{self, File};
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    error::{Error, Result},
    listed::Listed,
    segment::PRIVATE,
};

const VERSION: u32 = 1;
const SUM: usize = size_of::<u128>();

/// What is wrong with a file that the manifest lists with another size or checksum.
pub(crate) const UNLIKE: &str = "its size or checksum is not what the manifest says";

pub(crate) fn damaged(path: &Path, what: &str) -> Error {
    Error::Damaged(format!(
        "{} ({what})",
        lookalike::shown::path(&path.display().to_string())
    ))
}

/// Writes the names of a folder's files to the disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    disk::sync_folder(folder).map_err(|source| Error::File {
        path: folder.into(),
        source,
    })
}

/// Returns a file with this content.
pub(super) fn seal(magic: [u8; 8], content: &[u8]) -> Vec<u8> {
    let mut bytes = [&magic[..], &VERSION.to_le_bytes(), content].concat();
    let sum = xxh3_128(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Returns the content of a file that the manifest lists.
pub(super) fn unseal(path: &Path, listed: &Listed, magic: [u8; 8]) -> Result<Vec<u8>> {
    let mut bytes = read(path)?;
    if Listed::of_bytes(&listed.name, &bytes) != *listed {
        return Err(damaged(path, UNLIKE));
    }
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
        let length = file.length()?;
        read_from(&file, length)
    };
    read().map_err(|source| Error::File {
        path: path.into(),
        source,
    })
}

/// Returns the first bytes of a file.
pub(super) fn read_from(file: &File, length: u64) -> io::Result<Vec<u8>> {
    let (mut bytes, length) = (
        Vec::new(),
        usize::try_from(length).map_err(io::Error::other)?,
    );
    // The size may be wrong, and then more than there is memory.
    bytes
        .try_reserve_exact(length)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(length, 0);
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Writes a file of an index that appears only when it is complete: under another name, synced, and renamed.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<Listed> {
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
    write().map_err(failed)?;
    Ok(Listed::of_bytes(name, bytes))
}

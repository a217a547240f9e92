//! The change feed: all decisions that ever changed, numbered from 1.
//!
//! The feed is the only part of an index that depends on its history. Each file has a part of the feed, whose first number is its name.
//! The changes that are not in a file yet are in the log.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    codec::{Decoder, Encoder},
    whole,
};
use crate::{
    change::Change,
    error::{Error, Result},
};

const MAGIC: [u8; 8] = *b"\x89LKAFED\n";

const PREFIX: &str = "changes-";

/// Writes a part of the feed.
pub(crate) fn write(folder: &Path, first: u64, changes: &[Change]) -> Result<()> {
    let mut out = Encoder::default();
    changes.iter().for_each(|change| out.change(change));
    let packed = zstd::bulk::compress(&out.0, 3).map_err(Error::Write)?;
    let mut content = Encoder::default();
    content.number(changes.len() as u64);
    content.number(out.0.len() as u64);
    content.0.extend(packed);
    whole::write(
        folder,
        &format!("{PREFIX}{first:020}"),
        &whole::seal(MAGIC, &content.0),
    )
}

/// Returns the first numbers and the paths of all parts, in order.
pub(crate) fn parts(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let failed = |source| Error::File {
        path: folder.into(),
        source,
    };
    let mut parts = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.strip_prefix(PREFIX));
        if let Some(first) = name.and_then(|first| first.parse().ok()) {
            parts.push((first, path));
        }
    }
    parts.sort();
    Ok(parts)
}

/// Returns the number of changes of a part, and the changes.
pub(crate) fn read(path: &Path) -> Result<Vec<Change>> {
    let content = whole::unseal(path, MAGIC)?;
    let invalid = || whole::damaged(path, "its content is invalid");
    let mut read = Decoder(&content);
    let (count, size) = (
        read.number().ok_or_else(invalid)?,
        read.number().ok_or_else(invalid)?,
    );
    // A wrong size must not allocate memory for it.
    let bound = zstd::zstd_safe::get_frame_content_size(read.0)
        .ok()
        .flatten();
    let size = usize::try_from(size)
        .ok()
        .filter(|_| bound == Some(size))
        .ok_or_else(invalid)?;
    let plain = zstd::bulk::decompress(read.0, size).map_err(|_| invalid())?;
    let mut read = Decoder(&plain);
    let changes: Option<Vec<Change>> = (0..count).map(|_| read.change()).collect();
    changes.filter(|_| read.0.is_empty()).ok_or_else(invalid)
}

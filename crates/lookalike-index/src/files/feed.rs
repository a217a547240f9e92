//! The change feed: all decisions that ever changed, numbered from 1.
//!
//! The feed is the only part of an index that depends on its history. Each file has a part of the feed, whose first number is its name.
//! The changes that are not in a file yet are in the log.

use std::path::Path;

use super::{
    codec::{Decoder, Encoder},
    whole,
};
use crate::{
    change::Change,
    error::{Error, Result},
    listed::{Kind, Listed},
};

const MAGIC: [u8; 8] = *b"\x89LKAFED\n";

/// Writes a part of the feed.
pub(crate) fn write(folder: &Path, first: u64, changes: &[Change]) -> Result<Listed> {
    let mut out = Encoder::default();
    changes.iter().for_each(|change| out.change(change));
    let packed = zstd::bulk::compress(&out.0, 3).map_err(Error::Write)?;
    let mut content = Encoder::default();
    content.number(changes.len() as u64);
    content.number(out.0.len() as u64);
    content.0.extend(packed);
    whole::write(
        folder,
        &format!("changes-{first:020}"),
        &whole::seal(MAGIC, &content.0),
    )
}

/// Returns the number of a part's first change.
pub(crate) fn first(part: &Listed) -> u64 {
    match Kind::of(&part.name) {
        Some(Kind::Changes(first)) => first,
        _ => 0,
    }
}

/// Returns the changes of a part.
pub(crate) fn read(folder: &Path, part: &Listed) -> Result<Vec<Change>> {
    let path = &folder.join(&part.name);
    let content = whole::unseal(path, part, MAGIC)?;
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
    let mut plain = Vec::new();
    plain.try_reserve_exact(size).map_err(|_| invalid())?;
    zstd::bulk::Decompressor::new()
        .and_then(|mut unpacker| unpacker.decompress_to_buffer(read.0, &mut plain))
        .map_err(|_| invalid())?;
    let mut read = Decoder(&plain);
    let changes: Option<Vec<Change>> = (0..count).map(|_| read.change()).collect();
    changes.filter(|_| read.0.is_empty()).ok_or_else(invalid)
}

//! The names of the files of an index, and how a manifest lists them.

use std::{io, path::Path};

use lookalike_io::disk::File;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A file of an index, as the manifest lists it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// The size in bytes.
    pub(crate) size: u64,
    /// The last eight bytes, which belong to a checksum.
    pub(crate) sum: u64,
}

impl Listed {
    /// Describes a file of a folder.
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        let listed = File::open_regular(&path).and_then(|file| Self::of(name, &file));
        listed.map_err(|source| Error::File { path, source })
    }

    /// Describes an open file.
    pub(crate) fn of(name: &str, file: &File) -> io::Result<Self> {
        const SUM: usize = size_of::<u64>();
        let (size, mut sum) = (file.length()?, [0; SUM]);
        file.read_exact_at(&mut sum, size.saturating_sub(SUM as u64))?;
        Ok(Self {
            name: name.into(),
            size,
            sum: u64::from_le_bytes(sum),
        })
    }

    /// Describes a file with these bytes.
    pub(crate) fn of_bytes(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: name.into(),
            size: bytes.len() as u64,
            sum: u64::from_le_bytes(bytes.last_chunk().copied().unwrap_or_default()),
        }
    }
}

/// What a file of an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Segment,
    Changed,
    Log,
    /// A part of the change feed, with the number of its first change.
    Changes(u64),
}

impl Kind {
    /// Returns the kind of the file that has this name; none if no file of an index has it. So a name that has a kind is not a path.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (kind, digits) = name.split_once('-')?;
        let are = |count: usize, is: fn(&u8) -> bool| {
            digits.len() == count && digits.as_bytes().iter().all(is)
        };
        let are_hex = |count| are(count, |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        match kind {
            "segment" if are_hex(32) => Some(Self::Segment),
            "changed" if are_hex(32) => Some(Self::Changed),
            "log" if are_hex(16) => Some(Self::Log),
            "changes" if are(20, u8::is_ascii_digit) => digits.parse().ok().map(Self::Changes),
            _ => None,
        }
    }
}

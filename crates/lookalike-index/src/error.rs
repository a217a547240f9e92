//! What can go wrong with an index.

use std::{io, path::PathBuf};

use lookalike::shown;

use crate::id::Id;

/// The result of a function of an index.
pub type Result<T> = std::result::Result<T, Error>;

/// What was asked, why it cannot be, and what to do instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration that cannot be.
    #[error(transparent)]
    Config(#[from] lookalike::Error),
    /// A way of finding candidates that has no keys.
    #[error("an index finds candidates by keys: give bands, simhash or sentences as candidates")]
    NoKeys,
    /// An id that a document has already.
    #[error("id {} is already in the index; remove it first or use another id", shown::cut(&.0.to_string()))]
    Taken(Id),
    /// Two indexes, or an index and the settings that are asked for, that were not made the same way.
    #[error("these sketches cannot be compared: one is {left}, the other {right}; sketch both with the same settings")]
    Unlike {
        /// The one, in words.
        left: String,
        /// The other.
        right: String,
    },
    /// A file that is no index.
    #[error("{0}: no index of lookalike: give a file that LshIndex.save wrote")]
    NoIndex(String),
    /// A file of a version that this release does not read.
    #[error("{of}: an index of version {found}, and this release reads version {reads}: make it anew")]
    Version {
        /// The file.
        of: String,
        /// Its version.
        found: u32,
        /// That which is read.
        reads: u32,
    },
    /// A file that is not whole.
    #[error("{0}: damaged, or cut off: make the index anew, or take a copy that is whole")]
    Damaged(String),
    /// A file that cannot be read or written.
    #[error("{}: {source}", shown::path(&path.display().to_string()))]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

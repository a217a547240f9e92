//! Errors of an index.

use std::{io, path::PathBuf};

use lookalike::shown;

use crate::id::Id;

/// The result of an index function.
pub type Result<T> = std::result::Result<T, Error>;

/// An error that states what was requested, why it is impossible, and what to do instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid configuration.
    #[error(transparent)]
    Config(#[from] lookalike::Error),
    /// A method of finding candidates that has no keys.
    #[error("an index finds candidates by keys; use bands, simhash or sentences as candidates")]
    NoKeys,
    /// A minimum containment, which an index does not have.
    #[error("an index drops whatever is similar, so it has no minimum containment; leave it out")]
    MinContainment,
    /// A method whose answer about two documents depends on all others, so that it cannot be kept up to date.
    #[error(
        "{0} depend on all documents, so an index cannot keep their decisions up to date; use bands, simhash or sentences"
    )]
    DependsOnAll(&'static str),
    /// An id that a document already has.
    #[error("id {} is already in the index; remove it first or use another id", shown::cut(&.0.to_string()))]
    Taken(Id),
    /// A document whose text or shingle set takes 4 GiB or more.
    #[error("document {} takes 4 GiB or more, which an index cannot store; split it", shown::cut(&.0.to_string()))]
    TooLarge(Id),
    /// Two indexes whose sketches were made differently, or an index whose sketches do not fit the requested settings.
    #[error(
        "these sketches cannot be compared: one is {left}, the other {right}; sketch both with the same settings"
    )]
    Unlike {
        /// The settings of the first index, in words.
        left: String,
        /// The settings of the second index, or the requested settings, in words.
        right: String,
    },
    /// A file that is not an index.
    #[error("{0}: not an index of lookalike; give a file that LshIndex.save wrote")]
    NoIndex(String),
    /// A file of a version that this release cannot read.
    #[error(
        "{of}: an index of version {found}, but this release reads version {reads}; create it again"
    )]
    Version {
        /// The file.
        of: String,
        /// The version of the file.
        found: u32,
        /// The version that this release reads.
        reads: u32,
    },
    /// A folder that is not an index.
    #[error("{}: there is no index; create one with create, or give the folder of one", shown::path(&.0.display().to_string()))]
    NotThere(PathBuf),
    /// A folder that is an index already, or has other files.
    #[error("{}: the folder exists and is not empty; give another name for the new index", shown::path(&.0.display().to_string()))]
    Exists(PathBuf),
    /// An index that another process writes.
    #[error("{}: another process writes this index; wait until it has finished. Reading is possible", shown::path(&.0.display().to_string()))]
    Locked(PathBuf),
    /// An index that cannot be written, because it was opened for reading, or because an earlier write failed.
    #[error("{}: the index is read-only: {}", shown::path(&.0.display().to_string()), .1)]
    ReadOnly(PathBuf, String),
    /// An index that cannot be read, because an earlier write failed, and its files could not be read afterwards.
    #[error("{}: the index can no longer be read: {}. Open it again when this is mended", shown::path(&.0.display().to_string()), .1)]
    Unreadable(PathBuf, String),
    /// A compaction for which the disk has too little room.
    #[error("{}: compact needs about {:.1} MB of free space, and there are {:.1} MB; free some first", shown::path(&folder.display().to_string()), *needs as f64 / 1e6, *free as f64 / 1e6)]
    NoRoom {
        /// The index.
        folder: PathBuf,
        /// The bytes of a second copy of the documents.
        needs: u64,
        /// The bytes that are free.
        free: u64,
    },
    /// A query for similarities that the index does not find.
    #[error(
        "the threshold {asked} is below that of the index, {own}, which finds only documents that are at least so similar"
    )]
    BelowThreshold {
        /// The threshold of the query.
        asked: f64,
        /// The threshold of the index.
        own: f64,
    },
    /// An index that is to verify exactly, but stores neither texts nor sets.
    #[error(
        "an index that stores only sketches cannot compare texts exactly; set verify to sketch, or store texts or sets"
    )]
    NothingToVerify,
    /// A request for texts of an index that does not store texts.
    #[error("this index does not store texts; create one that stores texts")]
    NoTexts,
    /// An id that no document has.
    #[error("id {} is not in the index", shown::cut(&.0.to_string()))]
    Unknown(Id),
    /// A file that is damaged or truncated.
    #[error("{0}: damaged or truncated; create the index again, or use an intact copy")]
    Damaged(String),
    /// An error in writing a file whose path is added later.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A file that cannot be read or written.
    #[error("{}: {source}", shown::path(&path.display().to_string()))]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

//! The folder of an index.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use lookalike_io::disk::{self, File};

use super::{
    merges::Merges,
    waiting::{Feed, Queue, WriteLock, Writer},
};
use crate::{
    error::{Error, Result},
    files::manifest::Settings,
    state::State,
};

/// A collection of documents in a folder, with the decisions about them.
///
/// After any sequence of additions, replacements, deletions, compactions and crashes, the decisions are those that
/// [`lookalike::decide`] makes about the documents that the index holds, in the order in which they were added. Each change returns
/// every decision that it changed.
///
/// One process can write an index, and any number can read it. All functions can be called by several threads. A change is on the disk
/// when its function returns, and is lost as a whole if the machine stops before. Changes that are made at the same time share one sync.
/// A query may see a change that is not on the disk yet.
///
/// Segments are merged by a thread while the index is changed. When the index is dropped, it waits for this thread.
///
/// Memory: up to 128 MiB of documents that are not in a segment yet, and their postings, which take as much again; 64 MiB of shingle sets;
/// and less than one byte for each document in segments.
#[derive(Debug)]
pub struct Index {
    pub(super) folder: PathBuf,
    pub(super) settings: Settings,
    pub(super) state: RwLock<State>,
    /// None if the index was opened for reading.
    pub(super) writer: Option<Mutex<Writer>>,
    pub(super) queue: Queue,
    /// For an index that was opened for reading.
    pub(super) seen: Feed,
    /// Why the index can no longer be read: a write failed, and afterwards its files could not be read.
    pub(super) unreadable: OnceLock<String>,
    /// The memory that documents take before they are written as a segment, in bytes.
    pub(super) budget: usize,
    pub(super) merges: Merges,
}

/// The name of the file that the writing process locks.
pub(super) const LOCK: &str = "lock";

/// Locks an index for writing.
pub(super) fn lock(folder: &Path) -> Result<WriteLock> {
    let path = folder.join(LOCK);
    let failed = |source| Error::File {
        path: path.clone(),
        source,
    };
    let file = File::open_or_create(&path).map_err(failed)?;
    if file.try_lock().map_err(failed)? {
        Ok(WriteLock::new(file))
    } else {
        Err(Error::Locked(folder.into()))
    }
}

/// Creates the folder of an index, unless it exists. Its name is on the disk when this returns.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    disk::make_private_folder(folder)?;
    match disk::sync_folder(disk::folder_of(folder)) {
        // A folder that this user may not list cannot be synced by this user.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

impl Index {
    /// Sets how many bytes documents take in memory before they are written as a segment. Larger segments are faster to search and to
    /// write.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// Returns what the index was created with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns what can be read, or why nothing can.
    pub(super) fn readable(&self) -> Result<RwLockReadGuard<'_, State>> {
        let state = self.read();
        self.refuse_unreadable().map(|()| state)
    }

    pub(super) fn refuse_unreadable(&self) -> Result<()> {
        match self.unreadable.get() {
            Some(what) => Err(Error::Unreadable(self.folder.clone(), what.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

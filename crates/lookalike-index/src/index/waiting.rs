//! Changes that wait for the disk, and what the writing process needs for them.

use std::sync::{Arc, Mutex};

use lookalike_io::disk::File;

use crate::{
    change::Change,
    error::Result,
    files::{log::Log, manifest::Manifest},
    id::Id,
    state::Sketched,
};

/// What happens to new documents whose ids are in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// No document is added, and an error names the id.
    #[default]
    Fail,
    /// These documents are not added. If new documents have equal ids, the first one is added.
    Skip,
    /// They replace the documents in the index, in the same step: these are removed, and the new ones are added at the end.
    Replace,
}

/// What the writing process needs in addition to the documents.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) log: Log,
    pub(super) manifest: Manifest,
    /// The changes that are not in a part of the feed yet.
    pub(super) pending: Vec<Change>,
    /// The number of the next change.
    pub(super) next: u64,
    /// Why the index can no longer be written.
    pub(super) failed: Option<String>,
    pub(super) _lock: File,
}

/// The changes that wait for the disk.
#[derive(Debug, Default)]
pub(super) struct Queue(pub(super) Mutex<Vec<Arc<Request>>>);

#[derive(Debug)]
pub(super) struct Request {
    pub(super) operation: Mutex<Option<Operation>>,
    pub(super) done: Mutex<Option<Result<Vec<Change>>>>,
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) removed: Vec<Id>,
    pub(super) added: Vec<Sketched>,
    pub(super) on_conflict: OnConflict,
}

impl Operation {
    /// Returns about how much memory the new documents take.
    pub(super) fn bytes(&self) -> usize {
        self.added.iter().map(|new| new.payload.len() + new.bits.len() + 4 * new.keys.len()).sum()
    }
}

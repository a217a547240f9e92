//! A merge of segments, which a thread does while the index changes.

use std::{
    mem,
    ops::Range,
    path::{Path, PathBuf},
    process,
    sync::Arc,
    thread::{self, JoinHandle},
};

use crate::{
    error::{Error, Result},
    segment::Unfinished,
    state::Merged,
};

/// When segments are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merges {
    /// By a thread of the index, while it is changed. The result is used when documents are next written as a segment.
    #[default]
    InBackground,
    /// By the change that makes a merge necessary, before it returns. The segments then depend only on the changes, and not on time.
    AtOnce,
}

/// The name of the file that a merge writes.
pub(super) const MERGED: &str = "merged.new";

/// A merge that a thread does.
#[derive(Debug)]
pub(super) struct Merging {
    pub(super) segments: Range<usize>,
    pub(super) merged: Arc<Merged>,
    work: Work,
}

#[derive(Debug)]
enum Work {
    /// With the process that has the thread: a process that was forked does not have it.
    Runs(u32, JoinHandle<Result<Option<Unfinished>>>),
    Ended(Result<Option<Unfinished>>),
}

impl Merging {
    pub(super) fn start(
        folder: &Path,
        segments: Range<usize>,
        merged: Merged,
        merges: Merges,
    ) -> Self {
        let (merged, folder) = (Arc::new(merged), PathBuf::from(folder));
        let of_thread = merged.clone();
        let work = move || of_thread.write(&folder, MERGED);
        let work = match merges {
            Merges::AtOnce => Work::Ended(work()),
            Merges::InBackground => match thread::Builder::new().name("merge".into()).spawn(work) {
                Ok(thread) => Work::Runs(process::id(), thread),
                Err(error) => Work::Ended(Err(Error::Write(error))),
            },
        };
        Self {
            segments,
            merged,
            work,
        }
    }

    pub(super) fn is_of_this_process(&self) -> bool {
        !matches!(self.work, Work::Runs(process, _) if process != process::id())
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(&self.work, Work::Runs(_, thread) if !thread.is_finished())
    }

    /// Waits for the thread.
    pub(super) fn join(&mut self) -> Result<Option<Unfinished>> {
        match mem::replace(&mut self.work, Work::Ended(Ok(None))) {
            Work::Ended(done) => done,
            Work::Runs(process, thread) if process == process::id() => {
                thread.join().unwrap_or_else(|_| {
                    Err(Error::Write(std::io::Error::other(
                        "the thread that merged segments panicked",
                    )))
                })
            }
            Work::Runs(_, thread) => {
                mem::forget(thread);
                Err(Error::Write(std::io::Error::other(
                    "this process was forked while segments were merged",
                )))
            }
        }
    }
}

/// Without this, the thread could write while another process has the lock.
impl Drop for Merging {
    fn drop(&mut self) {
        drop(self.join());
    }
}

//! Changes that wait for the disk, and what the writing process needs for them.

use std::{
    mem, process,
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use lookalike::choices;
use lookalike_io::{disk::File, lock::lock};

use super::merges::Merging;
use crate::{
    change::Change,
    error::{Error, Result},
    files::{log::Log, manifest::Manifest},
    id::Id,
    listed::Listed,
    state::Sketched,
};

choices! {
    /// What happens to new documents whose ids are in the index.
    #[derive(Default)]
    pub enum OnConflict {
        /// the command ends with an error
        ///
        /// No document is added, and the error names the id.
        Fail = "fail" (default),
        /// the new document is not added
        ///
        /// If new documents have equal ids, the first one is added.
        Skip = "skip",
        /// the new document replaces the old one
        ///
        /// In the same step: the old documents are removed, and the new ones are added.
        Replace = "replace",
    }
}

/// The places of all changes. They are numbered from 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Feed {
    /// The files with the first changes.
    pub(super) parts: Vec<Listed>,
    /// The other changes.
    pub(super) pending: Vec<Change>,
    /// The number of the next change.
    pub(super) next: u64,
}

impl Feed {
    /// Returns the number of the first change that is not in a file.
    pub(super) fn in_memory(&self) -> u64 {
        self.next - self.pending.len() as u64
    }
}

/// What the writing process needs in addition to the documents.
#[derive(Debug)]
pub(super) struct Writer {
    /// None while the log has an old version, which is not continued.
    pub(super) log: Option<Log>,
    pub(super) manifest: Manifest,
    /// The changes that are not in a part of the feed yet.
    pub(super) pending: Vec<Change>,
    /// The number of the next change.
    pub(super) next: u64,
    /// A merge that is running, or that has ended but is not used yet.
    pub(super) merging: Option<Merging>,
    /// Why the index can no longer be written.
    pub(super) failed: Option<String>,
    pub(super) _lock: WriteLock,
}

/// The lock of the process that writes an index. It ends when this is dropped: closing the file is not enough, because a program
/// that another thread starts at that moment has the file open too, until it runs.
#[derive(Debug)]
pub(super) struct WriteLock {
    file: File,
    /// A child that was forked has the same lock, and must not end it.
    process: u32,
}

impl WriteLock {
    /// Makes the lock of a file that this process has locked.
    pub(super) fn new(file: File) -> Self {
        Self {
            file,
            process: process::id(),
        }
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        if self.process == process::id() {
            drop(self.file.unlock());
        }
    }
}

/// The changes that wait for the disk. One of the waiting threads leads: it makes the changes of all, and then lets another one lead.
#[derive(Debug, Default)]
pub(super) struct Queue(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    requests: Vec<Arc<Request>>,
    is_led: bool,
}

/// A change of one thread.
#[derive(Debug)]
pub(super) struct Request {
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Debug)]
enum Progress {
    Waits(Operation),
    Leads(Operation),
    IsMade,
    Done(Result<Vec<Change>>),
}

impl Queue {
    /// Puts a change in the queue, and waits until it is made. If this thread has to lead, calls `make` for everything that waits then.
    pub(super) fn submit(
        &self,
        operation: Operation,
        make: impl FnOnce(&[Arc<Request>]),
    ) -> Result<Vec<Change>> {
        let request = Arc::new(Request {
            progress: Mutex::new(Progress::Waits(operation)),
            changed: Condvar::new(),
        });
        let leads = {
            let mut waiting = lock(&self.0);
            waiting.requests.push(request.clone());
            !mem::replace(&mut waiting.is_led, true)
        };
        if leads || request.wait() {
            let led = Led {
                queue: self,
                requests: mem::take(&mut lock(&self.0).requests),
            };
            make(&led.requests);
        }
        match mem::replace(&mut *lock(&request.progress), Progress::IsMade) {
            Progress::Done(result) => result,
            // The thread that led answers all requests before it lets another one lead.
            _ => Err(unanswered()),
        }
    }
}

fn unanswered() -> Error {
    Error::Write(std::io::Error::other(
        "the thread that made the change stopped",
    ))
}

/// The requests of a group. When this is dropped, also after a panic, all are answered and the next thread leads.
struct Led<'a> {
    queue: &'a Queue,
    requests: Vec<Arc<Request>>,
}

impl Drop for Led<'_> {
    fn drop(&mut self) {
        for request in &self.requests {
            if !matches!(*lock(&request.progress), Progress::Done(_)) {
                request.finish(Err(unanswered()));
            }
        }
        let mut waiting = lock(&self.queue.0);
        match waiting.requests.first() {
            Some(next) => next.lead(),
            None => waiting.is_led = false,
        }
    }
}

impl Request {
    /// Waits until the change is made, or until this thread has to lead. Returns whether it has to lead.
    fn wait(&self) -> bool {
        let mut progress = lock(&self.progress);
        loop {
            match &*progress {
                Progress::Done(_) => return false,
                Progress::Leads(_) => return true,
                Progress::Waits(_) | Progress::IsMade => {
                    progress = self
                        .changed
                        .wait(progress)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn lead(&self) {
        let mut progress = lock(&self.progress);
        *progress = match mem::replace(&mut *progress, Progress::IsMade) {
            Progress::Waits(operation) => Progress::Leads(operation),
            other => other,
        };
        self.changed.notify_one();
    }

    /// Takes the change, to make it.
    pub(super) fn take(&self) -> Option<Operation> {
        match mem::replace(&mut *lock(&self.progress), Progress::IsMade) {
            Progress::Waits(operation) | Progress::Leads(operation) => Some(operation),
            Progress::IsMade | Progress::Done(_) => None,
        }
    }

    pub(super) fn finish(&self, result: Result<Vec<Change>>) {
        *lock(&self.progress) = Progress::Done(result);
        self.changed.notify_one();
    }
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
        self.added.iter().map(Sketched::bytes).sum()
    }
}

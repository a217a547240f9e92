//! Changes of an index.

use std::{
    collections::BTreeSet,
    mem,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use lookalike::Scratch;
use lookalike_io::{lock::lock, pool::par_map_init};

use super::{
    folder::Index,
    loading::{Loaded, load},
    record::Record,
    waiting::{Feed, OnConflict, Operation, Request, Writer},
};
use crate::{
    change::{Applied, Change, NewDocument},
    error::{Error, Result},
    files::log::{Log, RESERVE},
    id::Id,
    prepared::{Prepared, Preparer},
    segment,
    state::{Sketched, State},
};

/// A change of this size is written as a segment at once, not to the log first.
const LARGE: usize = 32 << 20;

/// No more bytes of a document can be stored, because the sizes of a block of payloads have 32 bits. A block can have smaller ones, too.
pub(super) const MOST: usize = u32::MAX as usize - (64 << 20);

/// For fewer documents, candidates are searched one by one.
const MANY: usize = 64;

impl Index {
    /// Adds documents at the end, and decides about them. Returns the changed decisions in keep order: those about the new documents, and
    /// others only if a new document comes before others in keep order.
    ///
    /// # Errors
    /// Fails if an id is taken or occurs twice and `on_conflict` says so; if the index cannot be written; or if it is damaged. Then
    /// nothing changes.
    pub fn add(&self, documents: &[NewDocument], on_conflict: OnConflict) -> Result<Vec<Change>> {
        let preparer = self.preparer();
        let prepare = |scratch: &mut Scratch, new: &NewDocument| preparer.prepare(new, scratch);
        let prepared = if documents.len() < MANY {
            let mut scratch = Scratch::default();
            documents
                .iter()
                .map(|new| prepare(&mut scratch, new))
                .collect()
        } else {
            par_map_init(documents, Scratch::default, prepare)
        };
        self.add_prepared(prepared, on_conflict)
    }

    /// Returns what sketches documents for this index.
    pub fn preparer(&self) -> Preparer {
        let state = self.read();
        Preparer {
            method: state.method.clone(),
            store: state.store,
        }
    }

    /// Does the same as [`add`](Self::add) with documents that this index's [`preparer`](Self::preparer) made. So other threads can sketch
    /// the next documents meanwhile.
    ///
    /// # Errors
    /// Fails for the same reasons as [`add`](Self::add).
    pub fn add_prepared(
        &self,
        documents: Vec<Prepared>,
        on_conflict: OnConflict,
    ) -> Result<Vec<Change>> {
        let added = documents
            .into_iter()
            .map(|Prepared(sketched)| sketched)
            .collect();
        self.submit(Operation {
            removed: Vec::new(),
            added,
            on_conflict,
        })
    }

    /// Removes documents. Ids that no document has are ignored. Documents that were dropped because of a removed one are decided again.
    /// Returns the changed decisions: those about removed documents, then the others in keep order.
    ///
    /// # Errors
    /// Fails if the index cannot be written, or if it is damaged. Then nothing changes.
    pub fn delete(&self, ids: &[Id]) -> Result<Vec<Change>> {
        self.submit(Operation {
            removed: ids.to_vec(),
            added: Vec::new(),
            on_conflict: OnConflict::Fail,
        })
    }

    /// Makes a change, and waits until it is on the disk. One thread does this for all threads that wait at the same time.
    fn submit(&self, operation: Operation) -> Result<Vec<Change>> {
        let writer = self.writer()?;
        self.queue.submit(operation, |waiting| {
            self.perform(&mut lock(writer), waiting)
        })
    }

    /// Returns where all changes are.
    pub(super) fn feed(&self) -> Result<Feed> {
        match &self.writer {
            Some(writer) => {
                let writer = lock(writer);
                self.refuse_unreadable()?;
                Ok(Feed {
                    parts: writer.manifest.feed.clone(),
                    pending: writer.pending.clone(),
                    next: writer.next,
                })
            }
            None => Ok(self.seen.clone()),
        }
    }

    /// Returns the number of the next change.
    pub(super) fn next_change(&self) -> Result<u64> {
        self.refuse_unreadable()?;
        Ok(self
            .writer
            .as_ref()
            .map_or(self.seen.next, |writer| lock(writer).next))
    }

    fn writer(&self) -> Result<&Mutex<Writer>> {
        self.writer
            .as_ref()
            .ok_or_else(|| self.read_only("it was opened for reading"))
    }

    /// Waits for the writer. Fails if an earlier write failed.
    pub(super) fn exclusive(&self) -> Result<MutexGuard<'_, Writer>> {
        let writer = lock(self.writer()?);
        match &writer.failed {
            Some(what) => Err(self.read_only(what)),
            None => Ok(writer),
        }
    }

    pub(super) fn read_only(&self, what: &str) -> Error {
        Error::ReadOnly(self.folder.clone(), what.into())
    }

    /// Makes changes, and answers all requests. Small ones share one sync. A large one is made alone, because it can fail if the disk is
    /// nearly full.
    fn perform(&self, writer: &mut Writer, waiting: &[Arc<Request>]) {
        let mut group = Vec::new();
        for request in waiting {
            let Some(operation) = request.take() else {
                continue;
            };
            if operation.bytes() < LARGE {
                group.push((&**request, operation));
            } else {
                self.perform_group(writer, mem::take(&mut group), false);
                self.perform_group(writer, vec![(request, operation)], true);
            }
        }
        self.perform_group(writer, group, false);
        // What follows does not change any answer. Changes that add no documents make the log longer, too.
        let log = writer.log.as_ref().map_or(0, Log::end);
        let size = self.read().memory.bytes().max(log as usize);
        if writer.failed.is_none() && size >= self.budget {
            let _ = self.guarded(writer, |writer| self.publish(writer));
        }
    }

    fn perform_group(
        &self,
        writer: &mut Writer,
        group: Vec<(&Request, Operation)>,
        is_large: bool,
    ) {
        if group.is_empty() {
            return;
        }
        let (requests, operations): (Vec<&Request>, Vec<Operation>) = group.into_iter().unzip();
        let made = match &writer.failed {
            Some(what) => Err(self.read_only(what)),
            None => self.guarded(writer, |writer| {
                self.try_perform(writer, operations, is_large)
            }),
        };
        let results = made.unwrap_or_else(|error| {
            // No change of the group is on the disk for certain, so none is made.
            let (what, mut error) = (error.to_string(), Some(error));
            requests
                .iter()
                .map(|_| Err(error.take().unwrap_or_else(|| self.read_only(&what))))
                .collect()
        });
        for (request, result) in requests.into_iter().zip(results) {
            request.finish(result);
        }
    }

    fn try_perform(
        &self,
        writer: &mut Writer,
        operations: Vec<Operation>,
        is_large: bool,
    ) -> Result<Vec<Result<Vec<Change>>>> {
        let (mut records, mut results) = (Vec::new(), Vec::new());
        let adds = operations
            .iter()
            .any(|operation| !operation.added.is_empty());
        {
            let mut state = self.write();
            for operation in operations {
                match resolve(&state, operation) {
                    Ok((removed, added)) => {
                        let record =
                            (!is_large).then(|| Record::new(state.store, &removed, &added));
                        let applied = if is_large {
                            state.apply_large(&removed, added)?
                        } else {
                            state.apply_many(&removed, added)?
                        };
                        records.extend(record.map(|record| record.finish(&applied, writer.next)));
                        writer.next += applied.changes.len() as u64;
                        writer.pending.extend(applied.changes.iter().cloned());
                        results.push(Ok(applied.changes));
                    }
                    // Nothing changed yet, so only this request fails.
                    Err(error) => results.push(Err(error)),
                }
            }
        }
        // Few ids can be those of many documents' representatives, so a record can be large though its operation is not.
        let is_large = is_large || records.iter().map(Vec::len).sum::<usize>() >= LARGE;
        match &mut writer.log {
            _ if results.iter().all(Result::is_err) => {}
            Some(log) if !is_large => log.append(&records, if adds { RESERVE } else { 0 })?,
            _ => self.publish(writer)?,
        }
        Ok(results)
    }

    /// Does something that changes the index. If this fails, or if it panics, goes back to what is on the disk, and refuses further changes.
    pub(super) fn guarded<T>(
        &self,
        writer: &mut Writer,
        work: impl FnOnce(&mut Writer) -> Result<T>,
    ) -> Result<T> {
        match panic::catch_unwind(AssertUnwindSafe(|| work(writer))) {
            Ok(done) => done.inspect_err(|error| self.stop(writer, error.to_string())),
            Err(cause) => {
                self.stop(writer, "the program panicked".into());
                panic::resume_unwind(cause)
            }
        }
    }

    /// Goes back to what is on the disk, and refuses further changes. If this is impossible, refuses to be read, too.
    fn stop(&self, writer: &mut Writer, what: String) {
        writer.failed = Some(format!(
            "a write failed: {what}. Open the index again when this is mended"
        ));
        writer.merging = None;
        // What was not acknowledged is removed from the log, if this is possible.
        if let Some(log) = &mut writer.log {
            let _ = log.clear();
        }
        let log = writer.log.as_ref().map(Log::end);
        let again = || load(&self.folder, &writer.manifest, log);
        let why = match panic::catch_unwind(AssertUnwindSafe(again)) {
            Ok(Ok(Loaded {
                state,
                pending,
                next,
                ..
            })) => {
                *self.write() = state;
                (writer.pending, writer.next) = (pending, next);
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the program panicked".into(),
        };
        let _ = self.unreadable.set(why);
        let mut state = self.write();
        *state = State::new(state.method.clone(), state.store);
    }
}

/// Refuses documents of which more than `most` bytes are to be stored.
pub(super) fn refuse_large<'a>(
    added: impl IntoIterator<Item = &'a Sketched>,
    most: usize,
) -> Result<()> {
    match added.into_iter().find(|new| new.payload.len() > most) {
        Some(new) => Err(Error::TooLarge(new.id.clone())),
        None => Ok(()),
    }
}

/// Finds the documents that a change removes, and those that it adds.
fn resolve(state: &State, operation: Operation) -> Result<(Vec<u64>, Vec<Sketched>)> {
    let Operation {
        removed,
        mut added,
        on_conflict,
    } = operation;
    refuse_large(&added, MOST)?;
    let ids: Vec<&Id> = added.iter().map(|new| &new.id).collect();
    match on_conflict {
        OnConflict::Fail => state.refuse_taken(&ids, false)?,
        OnConflict::Replace => state.refuse_taken(&ids, true)?,
        OnConflict::Skip => {
            let mut seen = BTreeSet::new();
            let numbers = state.with_ids(&ids)?;
            let is_new: Vec<bool> = ids
                .iter()
                .zip(numbers)
                .map(|(id, number)| seen.insert(*id) && number.is_none())
                .collect();
            let mut is_new = is_new.into_iter();
            added.retain(|_| is_new.next() == Some(true));
        }
    }
    let replaced = added
        .iter()
        .map(|new| &new.id)
        .filter(|_| on_conflict == OnConflict::Replace);
    let numbers = state.numbers_of(&removed.iter().chain(replaced).collect::<Vec<_>>())?;
    Ok((numbers, added))
}

impl State {
    /// Does the same as [`apply`](Self::apply), and searches the candidates of many documents at once.
    fn apply_many(&mut self, removed: &[u64], added: Vec<Sketched>) -> Result<Applied> {
        if added.len() >= MANY {
            self.memory.reserve(added.len());
            self.search_ahead(&added, removed.is_empty())?;
        }
        let applied = self.apply(removed, added);
        self.end_mates();
        self.ahead = Default::default();
        applied
    }

    /// Does the same, and meanwhile makes the dictionary for these documents, which are written next.
    fn apply_large(&mut self, removed: &[u64], added: Vec<Sketched>) -> Result<Applied> {
        let sampled = added.iter().step_by(segment::distance(added.len() as u64));
        let samples: Vec<Vec<u8>> = sampled
            .map(|new| segment::sample(&new.payload).to_vec())
            .collect();
        let trained = self.trained.clone();
        thread::scope(|scope| {
            let training =
                thread::Builder::new().spawn_scoped(scope, || trained.dictionary(&samples));
            let applied = self.apply_many(removed, added);
            // Without a thread, it is made when it is used.
            self.memory.dictionary = training.ok().and_then(|training| training.join().ok());
            applied
        })
    }
}

#[cfg(test)]
mod tests {
    use lookalike::Config;

    use super::*;
    use crate::state::Store;

    #[test]
    fn documents_that_do_not_fit_into_a_block_are_refused() {
        let method = lookalike::Method::new(Config::default()).unwrap();
        let new = |id: i64, text: &str| {
            Sketched::new(
                &method,
                Store::Texts,
                id.into(),
                0,
                text,
                &mut Scratch::default(),
            )
        };
        let added = [new(1, "short"), new(2, "longer")];
        refuse_large(&added, 6).unwrap();
        let refused = refuse_large(&added, 5).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "document 2 takes 4 GiB or more, which an index cannot store; split it"
        );
    }
}

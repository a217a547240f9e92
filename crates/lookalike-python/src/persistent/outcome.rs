//! What additions and deletions changed.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use lookalike_index::{Change, Decided, Id};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::{changes::Changes, ids::key};
use crate::collection::Columns;

/// What happened to a document that was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is not in the index: it was skipped, or another document of the same inputs replaced it.
    Absent,
    Kept,
    Dropped,
}

/// What was added. It takes about 50 bytes for each document, and those of its changes.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Added {
    outcome: Arc<Outcome>,
    changes: Arc<Changes>,
}

/// What has been added so far.
pub struct Outcome {
    fates: Vec<Fate>,
    /// The places of the documents in the inputs, by their ids.
    places: HashMap<u128, usize>,
    pub changes: Changes,
    pub skipped: u64,
    pub replaced: u64,
    /// The decisions about other documents that changed.
    changed: u64,
    pub bad_lines: u64,
    /// The errors of the first bad lines.
    pub bad_examples: Vec<String>,
    pub without_id: u64,
    pub bytes: u64,
    /// The number of the first document that was added, and the number of compactions before.
    pub since: (u64, u64),
}

impl Outcome {
    pub fn new(since: (u64, u64)) -> Self {
        Self {
            fates: Vec::new(),
            places: HashMap::new(),
            changes: Changes::new(false),
            skipped: 0,
            replaced: 0,
            changed: 0,
            bad_lines: 0,
            bad_examples: Vec::new(),
            without_id: 0,
            bytes: 0,
            since,
        }
    }

    /// Records a step: the ids of all documents of the step, and the decisions that it changed. `decided` returns the decision about a
    /// document that was replaced without changing the decision.
    pub fn step<E>(
        &mut self,
        ids: &[Id],
        skips: bool,
        changes: &[Change],
        decided: impl Fn(&Id) -> Result<Option<Decided>, E>,
    ) -> Result<(), E> {
        let mut new: HashSet<u128> = changes
            .iter()
            .filter(|change| change.before.is_none())
            .map(|change| key(&change.id))
            .collect();
        let mut changed: HashSet<u128> = HashSet::new();
        if !skips && new.len() < ids.len() {
            changed = changes.iter().map(|change| key(&change.id)).collect();
        }
        for id in ids {
            let (own, at) = (key(id), self.fates.len());
            let is_new = new.remove(&own);
            self.skipped += u64::from(skips && !is_new);
            self.replaced += u64::from(!skips && !is_new);
            self.fates.push(Fate::Absent);
            if !is_new && skips {
                continue;
            }
            if let Some(replaced) = self.places.insert(own, at) {
                self.fates[replaced] = Fate::Absent;
            }
            if !is_new
                && !changed.contains(&own)
                && let Some(decided) = decided(id)?
            {
                self.fates[at] = fate(Some(&decided));
            }
        }
        for change in changes {
            match self.places.get(&key(&change.id)) {
                Some(&at) => self.fates[at] = fate(change.after.as_ref()),
                None => self.changed += u64::from(change.before.is_some()),
            }
            self.changes.push(0, change);
        }
        Ok(())
    }

    /// Returns how many documents were added.
    pub fn added(&self) -> u64 {
        self.fates.len() as u64 - self.skipped
    }

    /// Returns whether a document with this id was added.
    pub fn has(&self, id: &Id) -> bool {
        self.places.contains_key(&key(id))
    }

    pub fn finish(mut self) -> Added {
        let changes = std::mem::replace(&mut self.changes, Changes::new(false));
        Added {
            outcome: Arc::new(self),
            changes: Arc::new(changes),
        }
    }
}

fn fate(decided: Option<&Decided>) -> Fate {
    match decided {
        None => Fate::Absent,
        Some(Decided::Kept) => Fate::Kept,
        Some(Decided::Dropped { .. }) => Fate::Dropped,
    }
}

impl Added {
    pub fn outcome(&self) -> Arc<Outcome> {
        self.outcome.clone()
    }
}

#[pymethods]
impl Added {
    /// Returns the numbers of the summary: documents, added, skipped, replaced, kept, dropped, changed, bad lines, documents without an
    /// id, and bytes.
    fn counts(&self) -> [u64; 10] {
        let Outcome {
            fates,
            skipped,
            replaced,
            changed,
            bad_lines,
            without_id,
            bytes,
            ..
        } = &*self.outcome;
        let count = |of: Fate| fates.iter().filter(|&&fate| fate == of).count() as u64;
        let (documents, added) = (fates.len() as u64, self.outcome.added());
        let (kept, dropped) = (count(Fate::Kept), count(Fate::Dropped));
        [
            documents,
            added,
            *skipped,
            *replaced,
            kept,
            dropped,
            *changed,
            *bad_lines,
            *without_id,
            *bytes,
        ]
    }

    /// Returns a mask of the documents that are kept.
    fn kept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(
            py,
            self.outcome.fates.iter().map(|&fate| fate == Fate::Kept),
        )
    }

    /// Returns the errors of the first bad lines.
    fn bad_examples(&self) -> Vec<String> {
        self.outcome.bad_examples.clone()
    }

    /// Returns the changed decisions.
    fn changes(&self) -> Columns {
        Columns::of(self.changes.clone())
    }
}

/// What was deleted.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Deleted {
    pub deleted: u64,
    pub missing: u64,
    pub changed: u64,
    pub changes: Arc<Changes>,
}

#[pymethods]
impl Deleted {
    /// Returns the numbers of documents that were deleted, of ids that no document had, and of changed decisions about other documents.
    fn counts(&self) -> [u64; 3] {
        [self.deleted, self.missing, self.changed]
    }

    /// Returns the changed decisions.
    fn changes(&self) -> Columns {
        Columns::of(self.changes.clone())
    }
}

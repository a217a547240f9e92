//! Adds the documents of a collection, as the command does.

use lookalike_engine::{DocumentsRead, Error, Observer};
use lookalike_index::{Error as IndexError, Id, Index, OnConflict, Prepared};
use lookalike_indexing::{Stopped, in_steps};

use super::{outcome::Outcome, reading::Adding};
use crate::error::Keywords;

/// Why documents could not be added.
pub enum Failed {
    /// The index failed, after this many documents had been added.
    Index(IndexError, u64),
    /// The inputs could not be read.
    Reading(Error),
}

/// Adds all documents. Those before an error are added in any case.
pub fn add(
    index: &Index,
    asked: &Adding,
    since: (u64, u64),
    observer: Observer,
) -> Result<Outcome, Failed> {
    let mut outcome = Outcome::new(since);
    let add = |documents| step(index, asked.on_conflict, documents, &mut outcome);
    let DocumentsRead {
        unread,
        without_id,
        bytes,
        ..
    } = in_steps(index, (&asked.config, asked.step), add, observer).map_err(
        |stopped| match stopped {
            Stopped::Adding(error) => Failed::Index(error, outcome.added()),
            Stopped::Reading(error) => Failed::Reading(further(error, outcome.added())),
        },
    )?;
    let bad_examples = unread
        .bad_examples
        .iter()
        .map(|error| error.rendered(&Keywords))
        .collect();
    (outcome.bad_lines, outcome.bad_examples) = (unread.bad_lines, bad_examples);
    (outcome.without_id, outcome.bytes) = (without_id, bytes);
    Ok(outcome)
}

fn step(
    index: &Index,
    on_conflict: OnConflict,
    documents: Vec<Prepared>,
    outcome: &mut Outcome,
) -> Result<(), IndexError> {
    let ids: Vec<Id> = documents
        .iter()
        .map(|document| document.id().clone())
        .collect();
    let changes = index.add_prepared(documents, on_conflict)?;
    outcome.step(&ids, on_conflict == OnConflict::Skip, &changes, |id| {
        index.get(id)
    })
}

/// Says how many documents were added before an error.
fn further(error: Error, added: u64) -> Error {
    if added == 0 {
        error
    } else {
        error.advise(before(added))
    }
}

/// Says how many documents were added before an error.
pub fn before(added: u64) -> String {
    let documents = if added == 1 {
        "1 document before it was".into()
    } else {
        format!("{added} documents before it were")
    };
    format!("{documents} added; to add the rest, use on_conflict=\"skip\"")
}

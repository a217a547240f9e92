//! Adds the documents of a collection, some at a time. They are sketched by all threads while others are added.

use lookalike::Scratch;
use lookalike_cli::asked::Asked;
use lookalike_engine::{DocumentsRead, Error, InputDocument, Observer, each_document};
use lookalike_index::{Error as IndexError, Id, Index, NewDocument, OnConflict, Prepared};

use super::outcome::Outcome;
use crate::error::Keywords;

/// Why documents could not be added.
pub enum Failed {
    /// The index failed, after this many documents had been added.
    Index(IndexError, u64),
    /// The inputs could not be read.
    Reading(Error),
}

/// Adds all documents. Those before an error are added in any case.
pub fn add(index: &Index, asked: &Asked, since: (u64, u64), observer: Observer) -> Result<Outcome, Failed> {
    let preparer = index.preparer();
    let make = |document: InputDocument, scratch: &mut Scratch| {
        preparer.prepare(&NewDocument { id: Id::Number(0), text: document.text, key: document.key }, scratch)
    };
    let mut outcome = Outcome::new(since);
    let (mut waiting, mut size, mut failed) = (Vec::new(), 0, None);
    let read = each_document(
        &asked.config,
        make,
        |documents: Vec<(String, Prepared)>| {
            for (id, document) in documents {
                let document = document.with_id(Id::from_json(&id).unwrap_or(Id::Text(id)));
                size += document.bytes();
                waiting.push(document);
            }
            if size >= asked.step {
                size = 0;
                step(index, asked.on_conflict, std::mem::take(&mut waiting), &mut outcome).map_err(|error| {
                    failed = Some(error);
                    Error::failure("the index failed")
                })?;
            }
            Ok(())
        },
        observer,
    );
    if let Some(error) = failed {
        return Err(Failed::Index(error, outcome.added()));
    }
    if !waiting.is_empty() {
        step(index, asked.on_conflict, waiting, &mut outcome).map_err(|error| Failed::Index(error, outcome.added()))?;
    }
    let DocumentsRead { bad_lines, bad_examples, without_id, bytes, .. } =
        read.map_err(|error| Failed::Reading(further(error, outcome.added())))?;
    let bad_examples = bad_examples.iter().map(|error| error.rendered(&Keywords)).collect();
    (outcome.bad_lines, outcome.bad_examples) = (bad_lines, bad_examples);
    (outcome.without_id, outcome.bytes) = (without_id, bytes);
    Ok(outcome)
}

fn step(index: &Index, on_conflict: OnConflict, documents: Vec<Prepared>, outcome: &mut Outcome) -> Result<(), IndexError> {
    let ids: Vec<Id> = documents.iter().map(|document| document.id().clone()).collect();
    let changes = index.add_prepared(documents, on_conflict)?;
    outcome.step(&ids, on_conflict == OnConflict::Skip, &changes, |id| index.get(id))
}

/// Says how many documents were added before an error.
fn further(error: Error, added: u64) -> Error {
    if added == 0 { error } else { error.advise(before(added)) }
}

/// Says how many documents were added before an error.
pub fn before(added: u64) -> String {
    let documents = if added == 1 { "1 document before it was".into() } else { format!("{added} documents before it were") };
    format!("{documents} added; to add the rest, use on_conflict=\"skip\"")
}

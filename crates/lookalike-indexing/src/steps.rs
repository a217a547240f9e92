//! Adds the documents of all inputs to an index, some at a time.

use lookalike::Scratch;
use lookalike_engine::{DocumentsRead, Error, InputDocument, Observer, RunConfig, each_document};
use lookalike_index::{Id, Index, NewDocument, Prepared};

/// Why documents were not added.
pub enum Stopped<E> {
    /// A step could not be added.
    Adding(E),
    /// The inputs could not be read.
    Reading(Error),
}

/// Returns what sketches the documents of inputs for an index. Their ids are set later.
pub fn sketching(index: &Index) -> impl Fn(InputDocument, &mut Scratch) -> Prepared + Sync + use<> {
    let preparer = index.preparer();
    move |document, scratch| {
        preparer.prepare(
            &NewDocument {
                id: Id::Number(0),
                text: document.text,
                key: document.key,
            },
            scratch,
        )
    }
}

/// Returns the id that inputs have as JSON.
pub fn id_of(json: String) -> Id {
    Id::from_json(&json).unwrap_or(Id::Text(json))
}

/// Reads all documents, and gives them to `add` in steps that take about `step` bytes. They are sketched by all threads while others are
/// added. What was read before an error is added, so that the result does not depend on the size of a step.
///
/// # Errors
/// Fails if `add` fails, or if an input cannot be read.
pub fn in_steps<E: Send>(
    index: &Index,
    (config, step): (&RunConfig, usize),
    mut add: impl FnMut(Vec<Prepared>) -> Result<(), E> + Send,
    observer: Observer,
) -> Result<DocumentsRead, Stopped<E>> {
    let make = sketching(index);
    let (mut waiting, mut size, mut failed) = (Vec::new(), 0, None);
    let read = each_document(
        config,
        make,
        |documents: Vec<(String, Prepared)>| {
            for (id, document) in documents {
                let document = document.with_id(id_of(id));
                size += document.bytes();
                waiting.push(document);
            }
            if size >= step {
                size = 0;
                add(std::mem::take(&mut waiting)).map_err(|error| {
                    failed = Some(error);
                    Error::failure("the index failed")
                })?;
            }
            Ok(())
        },
        observer,
    );
    if let Some(error) = failed {
        return Err(Stopped::Adding(error));
    }
    if !waiting.is_empty() {
        add(waiting).map_err(Stopped::Adding)?;
    }
    read.map_err(Stopped::Reading)
}

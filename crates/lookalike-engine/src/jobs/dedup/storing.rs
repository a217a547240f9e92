//! Hands out the documents with the decisions about them, for callers that store both, such as an index.

use lookalike::{Scratch, cluster::Keep};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch, Source},
};

use super::emit::Emitting;
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    jobs::documents::InputDocument,
    numbers::Document,
    pass::{
        copy::same_number,
        parallel::{Weigh, in_order},
    },
};

/// A document of the inputs, with the decision about it.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedDocument<T> {
    /// The id, as JSON.
    pub id: String,
    /// What was made of the document.
    pub made: T,
    /// The representative, if the document is dropped.
    pub represented: Option<Represented>,
}

/// The representative of a dropped document.
#[derive(Debug, Clone, PartialEq)]
pub struct Represented {
    /// The representative's number among the documents of the inputs, from 0.
    pub row: u64,
    /// The representative's id, as JSON.
    pub id: String,
    /// The document's similarity to it, exact or estimated; none if it was not measured.
    pub similarity: Option<f64>,
}

/// A worker's buffers.
#[derive(Default)]
struct Worker {
    read: ReadScratch,
    plain: String,
    scratch: Scratch,
    ids: Vec<u8>,
    other: Vec<u8>,
    records: Vec<usize>,
}

/// The documents of a block, and the size of their records in bytes.
struct Made<T>(Vec<DecidedDocument<T>>, usize);

impl<T> Weigh for Made<T> {
    fn weight(&self) -> usize {
        // A result has about the size of its text, and that of its sketch.
        2 * self.1 + self.0.weight()
    }
}

impl Emitting<'_> {
    /// Reads the inputs once more. `make` is called for every document, on all threads. `give` gets the results in input order, some at a
    /// time, and an empty list at the end.
    pub(super) fn stored<T: Send>(
        &self,
        (config, source): (&RunConfig, &Source),
        make: impl Fn(InputDocument, &mut Scratch) -> T + Sync,
        mut give: impl FnMut(Vec<DecidedDocument<T>>) -> Result<()> + Send,
        observer: Observer,
    ) -> Result<()> {
        let (has_keys, references) = (
            config.keep() != Keep::First,
            self.table.references.documents,
        );
        let mut given = 0;
        in_order(
            self.pool,
            Blocks::after_references(source).whole(true),
            |block, worker: &mut Worker| {
                let Worker {
                    read,
                    plain,
                    scratch,
                    ids,
                    other,
                    records,
                } = worker;
                let (info, reading) = (
                    self.table.info(block, source)?,
                    source.reading_of(block.part),
                );
                records.clear();
                info.each_document(block, source, |_, at| {
                    records.push(at);
                    Ok(())
                })?;
                let mut out = Made(Vec::with_capacity(records.len()), 0);
                let mut rest = info.documents().zip(records.iter());
                self.table.ids.each(info.documents(), ids, |id| {
                    let (document, at) = rest.next().ok_or_else(|| source.changed(block.part))?;
                    let record = block
                        .record(*at, reading, read)
                        .map_err(|fault| fault.of_line(*at as u64))?;
                    let record = record.ok_or_else(|| source.changed(block.part))?;
                    let key = if has_keys { record.key } else { 0 };
                    let made = make(
                        InputDocument {
                            text: record.text.decode(plain),
                            key,
                        },
                        scratch,
                    );
                    let decision = self.decision(Document(document))?;
                    let represented = match decision.representative {
                        None => None,
                        Some(other_document) => Some(Represented {
                            row: other_document.0 - references,
                            id: self.table.ids.get(other_document.0, other)?.into(),
                            similarity: self.similarity(&decision),
                        }),
                    };
                    out.1 += block.size(*at) as usize;
                    out.0.push(DecidedDocument {
                        id: id.into(),
                        made,
                        represented,
                    });
                    Ok(())
                })?;
                Ok(out)
            },
            |Made(documents, _)| {
                given += documents.len() as u64;
                give(documents)?;
                Progress::new(Stage::Writing, source.read(), source.total()).tell(observer)
            },
        )?;
        same_number(self.table.documents - references, given)?;
        give(Vec::new())
    }
}

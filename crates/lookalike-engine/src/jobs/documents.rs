//! Hands out the documents of a collection in input order, for callers that store them, such as an index.

use std::path::Path;

use lookalike::{Method, Scratch, cluster::Keep};
use lookalike_io::{
    error::{Error, Result, without_panic},
    read::{BAD_EXAMPLES, Block, Blocks, LeftOut, Reading, Scratch as ReadScratch, Source, Unread},
    write::{finish, refuse_overwriting},
};

use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::{
        open::{Opened, Sources, open},
        parallel::{Weigh, in_order_placed},
    },
};

/// A document as it was read.
#[derive(Debug, Clone, Copy)]
pub struct InputDocument<'a> {
    /// The text, without escapes; for sets, a JSON array.
    pub text: &'a str,
    /// The key of its place in keep order: the largest key comes first. It is 0 if the first of several similar documents is kept.
    pub key: u64,
}

/// What was read.
#[derive(Debug, Default)]
pub struct DocumentsRead {
    /// The documents.
    pub documents: u64,
    /// The documents without an id, whose ids are `file:line`.
    pub without_id: u64,
    /// The bytes of their records.
    pub bytes: u64,
    /// What was not read as a document.
    pub unread: Unread,
}

/// Refuses outputs that would overwrite an input or each other. An input that cannot be found is reported when it is read.
///
/// # Errors
/// Fails with the first such output.
pub fn refuse_outputs(config: &RunConfig, outputs: &[&Path]) -> Result<()> {
    let inputs = config
        .expand_with_references()
        .map_or(Vec::new(), |found| found.inputs);
    refuse_overwriting(outputs, &inputs)
}

/// Reads all inputs once. `make` is called for every document, on all threads. `give` gets what `make` returned, with the ids of the
/// documents as JSON, in input order, some documents at a time. Cost: one pass. Memory: the results that wait for those of earlier
/// documents, up to 16 blocks for each thread.
///
/// # Errors
/// Fails if an input cannot be read, if a line is not a record (unless bad lines are skipped), or with any error of `give`.
pub fn each_document<T: Send>(
    config: &RunConfig,
    make: impl Fn(InputDocument, &mut Scratch) -> T + Sync,
    mut give: impl FnMut(Vec<(String, T)>) -> Result<()> + Send,
    observer: Observer,
) -> Result<DocumentsRead> {
    // The settings are checked before an input is read.
    Method::new(config.method.clone())?;
    without_panic(|| {
        let Opened {
            sources: Sources { source, .. },
            mut bad,
            means,
            ..
        } = open::<0>(config, [], "documents")?;
        let pass = Pass {
            source: &source,
            skip_bad: bad.is_some(),
            has_keys: config.keep() != Keep::First,
            make,
        };
        let mut read = DocumentsRead::default();
        read.unread.left_out.clone_from(&source.left_out);
        in_order_placed(
            &means.pool,
            Blocks::new(&source).whole(bad.is_some()),
            |block, worker: &mut Worker| pass.block(block, worker),
            |place, made: Made<T>| {
                if let Some(bad) = &mut bad {
                    bad.write(&made.bad_lines)?;
                }
                read.documents += made.documents.len() as u64;
                read.bytes += made.bytes;
                LeftOut::add(&mut read.unread.left_out, made.left_out);
                let errors = made
                    .bad_messages
                    .into_iter()
                    .map(|(at, fault)| fault.at_place(place.of(at.into())));
                read.unread.add_bad(made.bad_count, errors);
                let mut documents = Vec::with_capacity(made.documents.len());
                for (at, id, made) in made.documents {
                    let is_named = id.is_empty();
                    read.without_id += u64::from(is_named);
                    let id = if is_named {
                        serde_json::Value::from(place.of(at.into()).to_string()).to_string()
                    } else {
                        id
                    };
                    documents.push((id, made));
                }
                give(documents)?;
                Progress::new(Stage::Sketching, source.read(), source.total()).tell(observer)
            },
        )?;
        if let Some(bad) = &mut bad {
            bad.end();
        }
        finish([bad])?;
        Ok(read)
    })
}

/// A worker's buffers.
#[derive(Default)]
struct Worker {
    read: ReadScratch,
    plain: String,
    scratch: Scratch,
}

/// What is made of a block.
struct Made<T> {
    /// The number in the block, the id as JSON, or nothing if there is none, and the result.
    documents: Vec<(u32, String, T)>,
    bytes: u64,
    bad_lines: Vec<u8>,
    bad_count: u64,
    bad_messages: Vec<(u32, Error)>,
    left_out: Option<LeftOut>,
}

impl<T> Weigh for Made<T> {
    fn weight(&self) -> usize {
        // A result has about the size of its text, and that of its sketch.
        2 * self.bytes as usize + self.bad_lines.weight() + self.documents.weight()
    }
}

struct Pass<'a, F> {
    source: &'a Source,
    skip_bad: bool,
    has_keys: bool,
    make: F,
}

impl<F> Pass<'_, F> {
    fn block<T>(&self, block: &Block, worker: &mut Worker) -> Result<Made<T>>
    where
        F: Fn(InputDocument, &mut Scratch) -> T,
    {
        let Worker {
            read,
            plain,
            scratch,
        } = worker;
        let reading: &Reading = self.source.reading_of(block.part);
        let documents = Vec::with_capacity(block.len());
        let mut out = Made {
            documents,
            bytes: 0,
            bad_lines: Vec::new(),
            bad_count: 0,
            bad_messages: Vec::new(),
            left_out: None,
        };
        for at in 0..block.len() {
            let number = at as u32;
            match block.record(at, reading, read) {
                Ok(Some(record)) => {
                    let document = InputDocument {
                        text: record.text.decode(plain),
                        key: if self.has_keys { record.key } else { 0 },
                    };
                    out.documents
                        .push((number, record.id.into(), (self.make)(document, scratch)));
                    out.bytes += block.size(at);
                }
                Ok(None) => {}
                Err(fault) if !self.skip_bad => return Err(fault.of_line(number.into())),
                Err(fault) => {
                    block.append_raw(at, &mut out.bad_lines)?;
                    out.bad_count += 1;
                    if out.bad_messages.len() < BAD_EXAMPLES {
                        out.bad_messages.push((number, fault));
                    }
                }
            }
        }
        out.left_out = read.take_left_out();
        Ok(out)
    }
}

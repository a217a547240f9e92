//! Reads the documents of a task's inputs. Every stage that reads them sees the same documents in the same order.

use std::path::Path;

use lookalike::text::Text;
use lookalike_io::{
    error::{self, Error, ErrorKind, Result},
    read::{BlockInfo, Blocks, LeftOut, Record, Scratch, Source},
    write::Output,
};
use rayon::ThreadPool;
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::parallel::{Place, Weigh, in_order_placed},
};

/// A pass over the inputs of a task, references first.
pub(super) struct Documents<'a> {
    pub(super) config: &'a RunConfig,
    pub(super) source: &'a Source,
    pub(super) pool: &'a ThreadPool,
    pub(super) observer: Observer<'a>,
    /// The stage of the pass, for the progress bar.
    pub(super) stage: Stage,
}

/// The documents of a block.
pub(super) struct Met<'a, T> {
    pub(super) info: BlockInfo,
    /// Whether the documents are references.
    pub(super) of_references: bool,
    pub(super) documents: Vec<Document<T>>,
    pub(super) bad_lines: u64,
    pub(super) left_out: Option<LeftOut>,
    place: Place<'a>,
}

/// A document of a block.
pub(super) struct Document<T> {
    /// The id, as JSON. A document without an id is named by its place.
    pub(super) id: String,
    /// A hash of all that decides about the document: if another stage sees another hash, the input has changed.
    pub(super) digest: u64,
    /// What was made of the document.
    pub(super) made: T,
}

/// Returns a hash of all that decides about a document.
fn digest_of(record: &Record) -> u64 {
    let (is_escaped, text) = match record.text {
        Text::Plain(text) => (0, text),
        Text::Escaped(text) => (1, text),
    };
    let mut digest = Xxh3::new();
    for bytes in [
        record.id.as_bytes(),
        &[0, is_escaped],
        &record.key.to_le_bytes(),
        text.as_bytes(),
    ] {
        digest.update(bytes);
    }
    digest.digest()
}

impl<T> Met<'_, T> {
    /// Returns the place of each document.
    pub(super) fn places(&self) -> impl Iterator<Item = error::Place> {
        self.info
            .document_lines()
            .map(|line| self.place.of(line - self.place.first_line))
    }
}

/// Returns the error for a task that had fewer documents than an earlier stage.
pub(super) fn changed_at_end(source: &Source, folder: &Path) -> Error {
    if let Some(last) = source.parts().len().checked_sub(1) {
        return source.changed(last);
    }
    let what = "an earlier stage had documents of this task, but the task has no input";
    Error::new(ErrorKind::Temporary, what)
        .at(folder.display().to_string())
        .advise("plan again in a new folder")
}

/// What workers make of a block.
#[derive(Default)]
struct Made<T> {
    info: BlockInfo,
    documents: Vec<Document<T>>,
    weight: usize,
    bad_lines: Vec<u8>,
    bad_count: u64,
    left_out: Option<LeftOut>,
}

impl<T> Weigh for Made<T> {
    fn weight(&self) -> usize {
        self.weight + self.bad_lines.len()
    }
}

impl Documents<'_> {
    /// Makes a value of each document, on all threads, and passes the values to `sink` block by block, in input order. Bad lines
    /// are written to `bad` if the run skips them.
    pub(super) fn each<S: Default, T: Send + Weigh>(
        &self,
        mut bad: Option<&mut Output>,
        work: impl Fn(&Record, &mut S) -> T + Sync,
        mut sink: impl FnMut(Met<T>) -> Result<()> + Send,
    ) -> Result<()> {
        let (source, mut documents) = (self.source, 0);
        let wants_bad = bad.is_some();
        in_order_placed(
            self.pool,
            Blocks::new(source).whole(wants_bad),
            |block, (scratch, state): &mut (Scratch, S)| {
                let mut made = Made {
                    info: BlockInfo::default(),
                    documents: Vec::new(),
                    weight: 0,
                    bad_lines: Vec::new(),
                    bad_count: 0,
                    left_out: None,
                };
                made.info.part = block.part;
                for at in 0..block.len() {
                    match block.record(at, source.reading_of(block.part), scratch) {
                        Ok(Some(record)) => {
                            let one = work(&record, state);
                            made.weight +=
                                size_of::<Document<T>>() + record.id.len() + one.weight();
                            made.documents.push(Document {
                                id: record.id.into(),
                                digest: digest_of(&record),
                                made: one,
                            });
                        }
                        Ok(None) => made.info.skipped.push(at as u32),
                        Err(fault) if self.config.skip_bad.is_none() => {
                            return Err(fault.of_line(at as u64));
                        }
                        Err(_) => {
                            made.bad_count += 1;
                            made.info.skipped.push(at as u32);
                            if wants_bad {
                                block.append_raw(at, &mut made.bad_lines)?;
                            }
                        }
                    }
                }
                made.info.count = made.documents.len() as u32;
                made.left_out = scratch.take_left_out();
                Ok(made)
            },
            |place,
             Made {
                 mut info,
                 documents: own,
                 bad_lines,
                 bad_count,
                 left_out,
                 ..
             }| {
                Progress::new(self.stage, source.read(), source.total()).tell(self.observer)?;
                if let Some(bad) = &mut bad {
                    bad.write(&bad_lines)?;
                }
                (info.first_line, info.first_document) = (place.first_line, documents);
                documents += u64::from(info.count);
                let of_references = info.part < source.reference_parts();
                let mut met = Met {
                    info,
                    of_references,
                    documents: own,
                    bad_lines: bad_count,
                    left_out,
                    place,
                };
                if met.documents.iter().any(|document| document.id.is_empty()) {
                    let places: Vec<_> = met.places().collect();
                    for (document, place) in met
                        .documents
                        .iter_mut()
                        .zip(places)
                        .filter(|(document, _)| document.id.is_empty())
                    {
                        document.id = Value::String(place.to_string()).to_string();
                    }
                }
                sink(met)
            },
        )
    }
}

//! Applies the decisions of an earlier run: writes the kept records that `dedup` itself would have written.
//!
//! The input is read twice. In the first pass each document is matched with its decision by id. Nothing is written until every
//! document has a decision and no decision is left over. The second pass copies the kept records. If repeated ids are allowed,
//! the decisions about an id are assigned one by one to the documents with this id, because the input and the decisions file have
//! them in the same order. A file of cuts has decisions too, and edits of texts, which the second pass applies.

pub(crate) mod options;

mod edits;

mod decided;

mod cutting;

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    memory::peak_memory,
    pool::install,
    read::{
        BAD_EXAMPLES, Block, BlockInfo, BlockInfos, Blocks, Expanded, Input, LeftOut, Reading,
        Scratch, Source, Unread, each_block, expand_decisions,
    },
    spill::{Budget, places::Places},
    store::shown_name,
    write::{Content, Kept, LEAST_AHEAD, Output, Shapes, finish, plain, refuse_overwriting},
};
use serde::Serialize;

use self::{
    cutting::Cutting,
    decided::{Decided, DecisionLine, decision},
};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::{
        columns::find_columns,
        copy::{copy_kept, same_number},
        destinations::Destinations,
        open::pool,
        parallel::{Place, Weigh, in_order_placed},
        reading::reading,
    },
    sketching::ids::hash_name,
};

/// The result of applying decisions. The number of documents always equals kept + dropped.
#[derive(Debug, Clone, Serialize)]
pub struct Applied {
    /// Documents read.
    pub documents: u64,
    /// Documents that are kept.
    pub kept: u64,
    /// Documents that are dropped.
    pub dropped: u64,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
    /// Bytes of the documents' lines, decompressed.
    pub bytes: u64,
    /// The pairs from which the decisions were made; `None` if a file of decisions was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<AppliedPairs>,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The peak memory of the process so far, in bytes, if the system reports it.
    pub peak_memory: Option<u64>,
}

/// The pairs from which decisions were made.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AppliedPairs {
    /// The least similarity of the pairs that count.
    pub threshold: f64,
    /// The pairs in the file.
    pub listed: u64,
    /// The pairs that count.
    pub used: u64,
}

/// Writes to `kept` the records that are kept according to a decisions file. The file has the form that
/// [`dedup`](crate::jobs::dedup::dedup) writes. The output has the same bytes as the kept records of a `dedup` run over the same
/// inputs with the same options for reading inputs. The options for comparing documents are ignored. The decisions may have been
/// edited by hand. The decisions may have additional fields, and may be in a different order from the documents. If they are the file
/// of cuts that [`cut`](crate::cut()) writes, the cuts are made in the texts too. Memory: 16 bytes per document, twice as much while
/// decisions are sorted, and one bit for each verdict; 8 bytes more per document for cuts, and 16 per cut. The input is read twice.
///
/// # Errors
/// Fails if the decisions file is invalid or damaged, if a document has no decision or a decision has no document, if an input
/// cannot be read, if a line is not a record (unless bad lines are skipped), or if an output cannot be written. In all these
/// cases nothing is written.
pub fn apply(
    decisions: &str,
    config: &RunConfig,
    kept: &Path,
    observer: Observer,
) -> Result<Applied> {
    without_panic(|| both_passes(decisions, config, kept, observer))
}

fn both_passes(
    decisions: &str,
    config: &RunConfig,
    path: &Path,
    observer: Observer,
) -> Result<Applied> {
    let started = Instant::now();
    let Expanded {
        inputs, left_out, ..
    } = config.expand_with_references()?;
    let written = earlier_results(
        decisions,
        "decisions",
        inputs.iter().any(|input| matches!(input, Input::Stdin)),
    )?;
    let all: Vec<Input> = inputs.iter().chain(&written).cloned().collect();
    let destinations = Destinations::new(
        config,
        [(Content::Records(config.output_format), Some(path))],
    )?;
    let others: Vec<&Path> = config
        .skip_bad
        .as_deref()
        .into_iter()
        .chain(config.summary.as_deref())
        .collect();
    refuse_overwriting(&destinations.named(&others), &all)?;
    let source = Source::new(inputs, reading(config)?, &config.temp_dir)?;
    let written = Source::new(written, Reading::decisions(decisions), &config.temp_dir);
    let decisions = &*shown_name(decisions);
    let written = written.map_err(|error| no_decisions(decisions, error))?;
    let pool = pool(config.threads)?;
    // The output is opened before the work, so that a missing folder is reported now rather than later.
    let [kept] = destinations.open(config, &source, (&others, &all))?;
    let Some(kept) = kept else {
        return Err(Error::failure("no output"));
    };
    let shapes = Shapes::new(&kept, &source)?;
    let mut kept = Kept::new(
        kept,
        shapes,
        &source,
        None,
        (pool.current_num_threads(), LEAST_AHEAD),
    )?;
    let mut bad = config
        .skip_bad
        .as_deref()
        .map(|path| Output::create(path, config.threads))
        .transpose()?;

    let mut decided = install(&pool, || Decided::read(&written, &pool, observer))?;
    let taking = Taking {
        reading: Reading {
            html: None,
            ..source.reading().clone()
        },
        decided: &decided,
        config,
    };
    let threads = pool.current_num_threads();
    let budget = config.budget(threads, &[path], |memory| source.extra(threads, memory))?;
    let mut met = Progressed::new(decided.len(), &budget);
    met.counts.unread.left_out = left_out;
    in_order_placed(
        &pool,
        Blocks::new(&source).whole(bad.is_some()),
        |block, scratch: &mut Scratch| Ok(taking.block(block, scratch)),
        |place, mut taken| {
            if let Some(output) = &mut bad {
                output.write(&taken.bad_lines)?;
            }
            Progress::new(Stage::Sketching, source.read(), source.total()).tell(observer)?;
            met.add(&mut taken, place, taking.decided, decisions)
        },
    )?;
    met.refuse_left(&decided, &written)?;
    match decided.edits {
        None => decided.forget(),
        Some(_) => kept.shapes().refuse_changed_pages(&source)?,
    }

    let info = |block: &Block| {
        met.blocks
            .get(block.number)?
            .ok_or_else(|| source.changed(block.part))
    };
    find_columns(&pool, &source, &mut kept, info, observer)?;
    let is_kept = |document| met.kept.contains(document);
    match &decided.edits {
        None => copy_kept(
            &pool,
            &source,
            info,
            is_kept,
            (&mut kept, met.counts.kept),
            observer,
        )?,
        Some(edits) => {
            let cutting = Cutting {
                source: &source,
                kept: &met.kept,
                rows: &met.rows,
                edits,
            };
            let written = cutting.write(&pool, info, &mut kept, observer)?;
            same_number(met.counts.kept, written)?;
        }
    }
    let kept = install(&pool, || kept.end(&source, met.counts.documents))?;
    bad.iter_mut().for_each(Output::end);
    finish(kept.into_iter().map(Some).chain([bad]))?;
    Ok(Applied {
        seconds: started.elapsed().as_secs_f64(),
        peak_memory: peak_memory(),
        ..met.counts
    })
}

/// Returns the error for a table that does not contain decisions. The error names the columns that decisions have, because the
/// user cannot choose which columns are read.
fn no_decisions(name: &str, error: Error) -> Error {
    let place = error.place();
    if place.field.is_none() || place.line.is_some() {
        return error;
    }
    let what = "is not a table of decisions, which has the columns \"id\" (strings or numbers) and \"verdict\" (strings)";
    let refused = Error::record(what)
        .at(name)
        .advise("name the file that dedup $decisions wrote");
    refused.because(error)
}

/// Returns the inputs that hold what an earlier run found: `what` is "decisions" or "pairs". `is_read` says whether standard input is an
/// input of this run.
pub(crate) fn earlier_results(name: &str, what: &'static str, is_read: bool) -> Result<Vec<Input>> {
    let found = expand_decisions(name)?;
    let refuse = |why: String, advice: String| {
        Err(Error::new(ErrorKind::Config, why)
            .at(shown_name(name))
            .advise(advice))
    };
    if is_read && found.iter().any(|input| matches!(input, Input::Stdin)) {
        return refuse(
            format!("standard input cannot be both the {what} and an input"),
            "name a file for one of them".into(),
        );
    }
    if found.iter().any(|input| matches!(input, Input::Files(_))) {
        refuse(
            format!("has no {what}"),
            format!("name the file or the folder with the {what} of the run"),
        )
    } else {
        Ok(found)
    }
}

/// The documents of a block, each with the first row of the decisions about its id.
#[derive(Default)]
struct Taken {
    info: BlockInfo,
    /// `None` for a document without an id. Such a document is named by its line number, which is known only after the position
    /// of the block is known.
    rows: Vec<Option<usize>>,
    /// The error at which processing of the block stopped, after these documents; `None` if the whole block was processed.
    failed: Option<Error>,
    bad_lines: Vec<u8>,
    bad_count: u64,
    /// The errors of the first bad lines.
    bad_messages: Vec<(u32, Error)>,
    left_out: Option<LeftOut>,
    bytes: u64,
}

impl Weigh for Taken {
    fn weight(&self) -> usize {
        self.rows.weight() + self.bad_lines.weight()
    }
}

struct Taking<'a> {
    reading: Reading,
    decided: &'a Decided,
    config: &'a RunConfig,
}

impl Taking<'_> {
    fn block(&self, block: &Block, scratch: &mut Scratch) -> Taken {
        let mut taken = Taken::default();
        taken.info.part = block.part;
        for at in 0..block.len() {
            let record = match block.record(at, &self.reading, scratch) {
                Ok(Some(record)) => record,
                Ok(None) => {
                    taken.info.skipped.push(at as u32);
                    continue;
                }
                Err(fault) if self.config.skip_bad.is_none() => {
                    taken.failed = Some(fault.of_line(at as u64));
                    break;
                }
                Err(fault) => {
                    taken.info.skipped.push(at as u32);
                    if let Err(error) = block.append_raw(at, &mut taken.bad_lines) {
                        taken.failed = Some(error);
                        break;
                    }
                    taken.bad_count += 1;
                    if taken.bad_messages.len() < BAD_EXAMPLES {
                        taken.bad_messages.push((at as u32, fault));
                    }
                    continue;
                }
            };
            taken.bytes += block.size(at);
            let row = self.decided.first(hash_name(record.id));
            if row.is_none() && !record.id.is_empty() {
                taken.failed = Some(without_decision(record.id, self.decided).of_line(at as u64));
                break;
            }
            taken.rows.push(row.filter(|_| !record.id.is_empty()));
        }
        taken.info.count = taken.rows.len() as u32;
        taken.left_out = scratch.take_left_out();
        taken
    }
}

fn without_decision(id: &str, decided: &Decided) -> Error {
    let other = if id.starts_with('"') {
        plain(id).into_owned()
    } else {
        format!("\"{id}\"")
    };
    let is_decided = decided.first(hash_name(&other)).is_some();
    let (id, other) = (cut(id), cut(&other));
    if is_decided {
        return Error::record(format!("there is no decision about {id}, but there is one about {other}")).advise(
            "ids must be the same in the decisions as in the input; if the decisions are a table, and its ids have several types \
             or are large numbers, keep the metadata of its column \"id\"",
        );
    }
    Error::record(format!("there is no decision about {id}")).advise("apply the decisions of a run over this input, and read it with the same options, such as $id_field")
}

/// The documents that were read so far.
struct Progressed {
    blocks: BlockInfos,
    /// The documents that are kept, by position in the input.
    kept: Places,
    /// The rows of decisions that were assigned to documents.
    taken: Places,
    /// For each document, the row of its decision, if the decisions have edits.
    rows: Vec<u32>,
    /// For ids with several decisions: the row for the next document with this id. The key is the id's first row.
    next: BTreeMap<usize, usize>,
    counts: Applied,
}

impl Progressed {
    fn new(decisions: u64, budget: &Arc<Budget>) -> Self {
        let counts = Applied {
            documents: 0,
            kept: 0,
            dropped: 0,
            unread: Unread::default(),
            bytes: 0,
            pairs: None,
            seconds: 0.0,
            peak_memory: None,
        };
        let (kept, taken) = (Places::none(decisions), Places::none(decisions));
        Self {
            blocks: BlockInfos::new(budget),
            kept,
            taken,
            rows: Vec::new(),
            next: BTreeMap::new(),
            counts,
        }
    }

    fn add(
        &mut self,
        block: &mut Taken,
        place: Place,
        decided: &Decided,
        decisions: &str,
    ) -> Result<()> {
        let Taken {
            info,
            rows,
            bad_count,
            bad_messages,
            ..
        } = block;
        (info.first_line, info.first_document) = (place.first_line, self.counts.documents);
        for (row, line) in rows.iter().zip(info.document_lines()) {
            let at = || place.of(line - place.first_line);
            let first = match *row {
                Some(first) => first,
                None => {
                    let id = serde_json::Value::String(at().to_string()).to_string();
                    decided.first(hash_name(&id)).ok_or_else(|| {
                        Error::record(format!("there is no decision about {id}")).at_place(at()).advise(
                            "a record without an id is identified by its file name and line; apply decisions to the input of \
                             the run that made them, under the same name",
                        )
                    })?
                }
            };
            let row = self.take(first, decided).ok_or_else(|| {
                Error::record(format!(
                    "there are more records with this id than decisions about it in {decisions}"
                ))
                .at_place(at())
                .advise("apply decisions to the input of the run that made them")
            })?;
            if decided.edits.is_some() {
                self.rows.push(row as u32);
            }
            if decided.is_kept(row) {
                self.kept.insert(self.counts.documents);
                self.counts.kept += 1;
            }
            self.counts.documents += 1;
        }
        block.failed.take().map_or(Ok(()), Err)?;
        self.counts.dropped = self.counts.documents - self.counts.kept;
        self.counts.bytes += block.bytes;
        let reported = |(record, fault): (u32, Error)| fault.at_place(place.of(record.into()));
        let errors = bad_messages.drain(..).map(reported);
        self.counts.unread.add_bad(*bad_count, errors);
        LeftOut::add(&mut self.counts.unread.left_out, block.left_out.take());
        self.blocks.push(info)
    }

    /// Returns the row for the next document with an id, given the id's first row. Returns `None` if all rows of the id are
    /// already assigned.
    fn take(&mut self, first: usize, decided: &Decided) -> Option<usize> {
        let hash = decided.rows[first];
        let row = if decided.is_of(first + 1, hash) {
            let next = self.next.entry(first).or_insert(first);
            std::mem::replace(next, *next + 1)
        } else {
            first
        };
        if !decided.is_of(row, hash) || self.taken.contains(row as u64) {
            return None;
        }
        self.taken.insert(row as u64);
        Some(row)
    }

    /// Returns an error if there are decisions about documents that are not in the input.
    fn refuse_left(&self, decided: &Decided, written: &Source) -> Result<()> {
        let left = decided.len() - self.counts.documents;
        if left == 0 {
            return Ok(());
        }
        // Rows are assigned in order, so the rows that are left over for an id are the id's last rows.
        let (mut seen, mut found) = (BTreeMap::new(), None);
        let mut scratch = Vec::new();
        each_block(Blocks::new(written), |block, first_line| {
            block.each_object(&mut scratch, |at, line| {
                let Ok((row, _)) = decision(line, block) else {
                    return Err(written.changed(0));
                };
                let Some(first) = decided.first(row) else {
                    return Err(written.changed(0));
                };
                let row = if decided.is_of(first + 1, row) {
                    seen.entry(first).or_insert(first)
                } else {
                    &mut { first }
                };
                if found.is_none() && !self.taken.contains(*row as u64) {
                    let line: std::result::Result<DecisionLine, _> = serde_json::from_slice(line);
                    found = line.ok().map(|line| {
                        (
                            written.place(block.tag().part, first_line + at as u64),
                            cut(line.id.get()).into_owned(),
                        )
                    });
                }
                *row += 1;
                Ok(())
            })?;
            Ok(found.is_none())
        })?;
        let (place, id) = found.ok_or_else(|| written.changed(0))?;
        let more = if left == 1 {
            String::new()
        } else {
            format!(", nor for {} more", left - 1)
        };
        let wrong = Error::record(format!(
            "the input has no document for the decision about {id}{more}"
        ))
        .at_place(place);
        Err(wrong.advise("apply decisions to the input of the run that made them, and read it with the same options"))
    }
}

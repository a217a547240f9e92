//! Decisions that were made before, read back and applied: the kept records as `dedup` would have written them at once.
//!
//! The input is read twice. The first time every document takes its decision, by its id, and nothing is written before each has
//! one and none is left over; the second time the kept records are copied. Documents that have one id, where that was let pass,
//! take its decisions in their order, which is that of the input in both.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

use lookalike::shown::cut;
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    read::{Block, BlockInfo, BlockInfos, Blocks, Input, Reading, Room, Source, each_block, expand_decisions},
    spill::{Budget, places::Places},
    store::shown_name,
    words,
    write::{Kept, Output, Shape, finish, plain, refuse_overwriting},
};
use rayon::slice::ParallelSliceMut;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::{
        copy::copy_kept,
        lines::{as_written, no_id, parse},
        open::pool,
        parallel::{Place, Weigh, in_order, in_order_placed},
        reading::reading,
    },
    sketching::{ids::hash_name, table::BAD_EXAMPLES},
};

/// What came of applying decisions. Documents in = kept + dropped, always.
#[derive(Debug, Clone, Serialize)]
pub struct Applied {
    /// Documents read.
    pub documents: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go.
    pub dropped: u64,
    /// Lines that were set aside as no records.
    pub bad_lines: u64,
    /// The first of them, told.
    pub bad_examples: Vec<Error>,
    /// Bytes of the documents' lines, decompressed.
    pub bytes: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The most memory that the process has taken so far, in bytes, where the system tells.
    pub peak_memory: Option<u64>,
}

/// Writes those records to `kept` that decisions, as [`dedup`](crate::jobs::dedup::dedup) writes them, keep: the same bytes as a run of
/// `dedup` over the same inputs with the same ways of reading them. Of the configuration only these count, and not how documents
/// are compared. Decisions may have been changed by hand, have more fields, and be about the documents in another order. 16 bytes of
/// memory a document, twice that while decisions are sorted, a bit for each verdict; the input is read twice.
///
/// # Errors
/// A file of decisions that is none or was damaged; a document without a decision, a decision without a document; an input that
/// cannot be read, a line that is no record (unless bad lines are set aside), an output that cannot be written. Nothing is
/// written then.
pub fn apply(decisions: &str, config: &RunConfig, kept: &Path, observer: Observer) -> Result<Applied> {
    without_panic(|| both_passes(decisions, config, kept, observer))
}

fn both_passes(decisions: &str, config: &RunConfig, path: &Path, observer: Observer) -> Result<Applied> {
    let started = Instant::now();
    let inputs = config.expand()?;
    let written = decisions_input(decisions, &inputs)?;
    let all: Vec<Input> = inputs.iter().chain([&written]).cloned().collect();
    let outputs = [Some(path), config.skip_bad.as_deref(), config.summary.as_deref()];
    refuse_overwriting(&outputs.into_iter().flatten().collect::<Vec<_>>(), &all)?;
    let source = Source::new(inputs, reading(config)?, &config.temp_dir)?;
    let written = Source::new(vec![written], Reading::decisions(decisions), &config.temp_dir);
    let decisions = &*shown_name(decisions);
    let written = written.map_err(|error| no_decisions(decisions, error))?;
    let pool = pool(config.threads)?;
    // Opened before the work: better to hear now that a folder is missing than later.
    let output = Output::create(path, config.threads)?;
    let mut kept = Kept::new(output, Shape::of(path, &source)?, &source, None, pool.current_num_threads())?;
    let mut bad = config.skip_bad.as_deref().map(|path| Output::create(path, config.threads)).transpose()?;

    let mut decided = pool.install(|| Decided::read(&written, &pool, observer))?;
    let taking = Taking { reading: Reading { html: None, ..source.reading().clone() }, decided: &decided, config };
    let budget = config.budget(pool.current_num_threads(), &[path], |_| 0)?;
    let mut met = Met::new(decided.len(), &budget);
    in_order_placed(
        &pool,
        Blocks::new(&source).whole(bad.is_some()),
        |block, room: &mut Room| Ok(taking.block(block, room)),
        |place, mut taken| {
            if let Some(output) = &mut bad {
                output.write(&taken.bad_lines)?;
            }
            Progress::new(Stage::Sketching, source.read(), source.total()).tell(observer)?;
            met.add(&mut taken, place, taking.decided, decisions)
        },
    )?;
    met.refuse_left(&decided, &written)?;
    decided.forget();

    let info = |block: &Block| met.blocks.get(block.number)?.ok_or_else(|| source.changed(block.part));
    let is_kept = |document| met.kept.contains(document);
    copy_kept(&pool, &source, info, is_kept, (&mut kept, met.counts.kept), observer)?;
    let kept = pool.install(|| kept.end(met.counts.documents))?;
    bad.iter_mut().for_each(Output::end);
    finish([bad, Some(kept)])?;
    Ok(Applied { seconds: started.elapsed().as_secs_f64(), peak_memory: peak_memory(), ..met.counts })
}

/// The failure of what is no table of decisions: which columns are read of one is not the user's to say.
fn no_decisions(name: &str, error: Error) -> Error {
    let place = error.place();
    if place.field.is_none() || place.line.is_some() {
        return error;
    }
    let what = "is no table of decisions, which has the columns \"id\", strings or numbers, and \"verdict\", strings";
    let refused = Error::record(what).at(name).advise(words!["name what dedup ", Setting::Decisions, " wrote"]);
    refused.because(error)
}

/// Where decisions are.
fn decisions_input(name: &str, inputs: &[Input]) -> Result<Input> {
    let mut found = expand_decisions(name)?;
    let refuse =
        |what: &'static str, advice: &'static str| Err(Error::new(ErrorKind::Config, what).at(shown_name(name)).advise(advice));
    match found.pop() {
        Some(Input::Stdin) if inputs.iter().any(|input| matches!(input, Input::Stdin)) => {
            refuse("standard input cannot be both the decisions and an input", "name a file for one of them")
        }
        Some(input) if found.is_empty() && !matches!(input, Input::Files(_)) => Ok(input),
        _ => refuse("several files", "name the one with the decisions of the run"),
    }
}

#[derive(Deserialize)]
struct DecisionLine<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    verdict: Verdict,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Kept,
    Dropped,
}

/// All decisions: the hash of each one's id, and in the lowest bit whether its document is kept. Sorted by the hash without this bit;
/// decisions about the same id stand in the order in which they were written.
struct Decided {
    rows: Vec<u128>,
}

impl Decided {
    fn read(source: &Source, pool: &rayon::ThreadPool, observer: Observer) -> Result<Self> {
        let mut rows: Vec<u128> = Vec::new();
        in_order(
            pool,
            Blocks::new(source),
            |block, room: &mut Vec<u8>| {
                let mut rows = Vec::new();
                block.each_object(room, |at, line| {
                    let row = decision(line, block);
                    rows.push(row.map_err(|wrong| wrong.of_line(at as u64))?);
                    Ok(())
                })?;
                Ok(rows)
            },
            |block| {
                Progress::new(Stage::Loading, source.read(), source.total()).tell(observer)?;
                rows.extend_from_slice(&block);
                Ok(())
            },
        )?;
        rows.par_sort_by_key(|row| row >> 1);
        rows.shrink_to_fit();
        Ok(Self { rows })
    }

    fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The first row of an id.
    fn first(&self, hash: u128) -> Option<usize> {
        let first = self.rows.partition_point(|row| row >> 1 < hash >> 1);
        self.is_of(first, hash).then_some(first)
    }

    fn is_of(&self, row: usize, hash: u128) -> bool {
        self.rows.get(row).is_some_and(|row| row >> 1 == hash >> 1)
    }

    fn is_kept(&self, row: usize) -> bool {
        self.rows[row] & 1 == 1
    }

    /// Frees the memory.
    fn forget(&mut self) {
        self.rows = Vec::new();
    }
}

/// A line of decisions as a row.
fn decision(line: &[u8], block: &Block) -> Result<u128> {
    let line: DecisionLine = match block.rows() {
        None => parse(line, "a decision that dedup wrote, of which id and verdict, kept or dropped, are read")?,
        Some(_) => serde_json::from_slice(line).map_err(|_| {
            let wrong = Error::record("a row whose id or verdict is none");
            wrong.instead("the verdict must be kept or dropped, the id a string or a number")
        })?,
    };
    let id = as_written(line.id, "id", block)?;
    if !id.get().starts_with(|c: char| matches!(c, '"' | '-' | '0'..='9')) {
        return Err(no_id(&id));
    }
    Ok(hash_name(id.get()) & !1 | u128::from(line.verdict == Verdict::Kept))
}

/// The documents of a block, with the first row of decisions about each one's id.
#[derive(Default)]
struct Taken {
    info: BlockInfo,
    /// None for a document without an id: what it is called depends on where the block stands.
    rows: Vec<Option<usize>>,
    /// What is wrong behind these documents, where the rest of the block was not looked at.
    failed: Option<Error>,
    bad_lines: Vec<u8>,
    bad_count: u64,
    /// What is wrong with the first of them.
    bad_messages: Vec<(u32, Error)>,
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
    fn block(&self, block: &Block, room: &mut Room) -> Taken {
        let mut taken = Taken::default();
        taken.info.part = block.part;
        for at in 0..block.len() {
            let record = match block.record(at, &self.reading, room) {
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
                    if let Err(error) = block.set_aside(at, &mut taken.bad_lines) {
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
        taken
    }
}

fn without_decision(id: &str, decided: &Decided) -> Error {
    let other = match id.starts_with('"') {
        true => plain(id).into_owned(),
        false => format!("\"{id}\""),
    };
    let is_decided = decided.first(hash_name(&other)).is_some();
    let (id, other) = (cut(id), cut(&other));
    if is_decided {
        return Error::record(format!("there is no decision about {id}, but one about {other}")).instead(
            "ids must stand in the decisions as in the input; of a table with ids of several types, or of large numbers, keep the \
             metadata of the column \"id\"",
        );
    }
    Error::record(format!("there is no decision about {id}")).advise(words![
        "apply the decisions of a run over this very input, and read it with the same options, such as ",
        Setting::IdField
    ])
}

/// The documents that were met so far.
struct Met {
    blocks: BlockInfos,
    /// By the document's place in the input.
    kept: Places,
    /// Rows that were taken.
    taken: Places,
    /// Of ids that several decisions are about: the row that the next document takes, by the first.
    next: BTreeMap<usize, usize>,
    counts: Applied,
}

impl Met {
    fn new(decisions: u64, budget: &Arc<Budget>) -> Self {
        let counts = Applied {
            documents: 0,
            kept: 0,
            dropped: 0,
            bad_lines: 0,
            bad_examples: Vec::new(),
            bytes: 0,
            seconds: 0.0,
            peak_memory: None,
        };
        let (kept, taken) = (Places::none(decisions), Places::none(decisions));
        Self { blocks: BlockInfos::new(budget), kept, taken, next: BTreeMap::new(), counts }
    }

    fn add(&mut self, block: &mut Taken, place: Place, decided: &Decided, decisions: &str) -> Result<()> {
        let Taken { info, rows, bad_count, bad_messages, .. } = block;
        (info.first_line, info.first_document) = (place.first_line, self.counts.documents);
        for (row, line) in rows.iter().zip(info.document_lines()) {
            let at = || place.of(line - place.first_line);
            let first = match *row {
                Some(first) => first,
                None => {
                    let id = serde_json::Value::String(at().to_string()).to_string();
                    decided.first(hash_name(&id)).ok_or_else(|| {
                        Error::record(format!("there is no decision about {id}")).at_place(at()).advise(
                            "a record without an id is called by its file's name and its line: apply decisions to the input of \
                             their run, and name it as it was named then",
                        )
                    })?
                }
            };
            let row = self.take(first, decided).ok_or_else(|| {
                Error::record(format!("more records have this id than {decisions} has decisions about"))
                    .at_place(at())
                    .advise("apply them to the input of their run")
            })?;
            if decided.is_kept(row) {
                self.kept.insert(self.counts.documents);
                self.counts.kept += 1;
            }
            self.counts.documents += 1;
        }
        block.failed.take().map_or(Ok(()), Err)?;
        self.counts.dropped = self.counts.documents - self.counts.kept;
        self.counts.bytes += block.bytes;
        self.counts.bad_lines += *bad_count;
        let told = |(record, fault): (u32, Error)| fault.at_place(place.of(record.into()));
        let room = BAD_EXAMPLES - self.counts.bad_examples.len();
        self.counts.bad_examples.extend(bad_messages.drain(..).take(room).map(told));
        self.blocks.push(info)
    }

    /// The row that the next document of an id takes, by the id's first; none when all were taken.
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

    /// Refuses decisions about documents that are not there.
    fn refuse_left(&self, decided: &Decided, written: &Source) -> Result<()> {
        let left = decided.len() - self.counts.documents;
        if left == 0 {
            return Ok(());
        }
        // Which rows of an id are left, the order of its decisions tells.
        let (mut seen, mut found) = (BTreeMap::new(), None);
        let mut room = Vec::new();
        each_block(Blocks::new(written), |block, first_line| {
            block.each_object(&mut room, |at, line| {
                let Ok(row) = decision(line, block) else { return Err(written.changed(0)) };
                let Some(first) = decided.first(row) else { return Err(written.changed(0)) };
                let row = if decided.is_of(first + 1, row) { seen.entry(first).or_insert(first) } else { &mut { first } };
                if found.is_none() && !self.taken.contains(*row as u64) {
                    let line: std::result::Result<DecisionLine, _> = serde_json::from_slice(line);
                    found = line
                        .ok()
                        .map(|line| (written.place(block.tag().part, first_line + at as u64), cut(line.id.get()).into_owned()));
                }
                *row += 1;
                Ok(())
            })?;
            Ok(found.is_none())
        })?;
        let (place, id) = found.ok_or_else(|| written.changed(0))?;
        let more = if left == 1 { String::new() } else { format!(", nor for {} more", left - 1) };
        let wrong = Error::record(format!("a decision about {id}, and no such document in the input{more}")).at_place(place);
        Err(wrong.advise("apply decisions to the input of their run, and read it with the same options"))
    }
}

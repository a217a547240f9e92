//! Runs the first pass, which computes the sketch of every text.

pub(crate) mod ids;

pub(crate) mod order;

pub(crate) mod references;

pub(crate) mod signs;

pub(crate) mod sampled;

pub(crate) mod sizes;

pub(crate) mod table;

pub(crate) mod estimate;

mod journal;

use std::{
    collections::BTreeMap,
    num::NonZeroU128,
    sync::{Arc, Mutex},
};

use lookalike::{
    Candidates, Cluster, Config, Method, Scratch,
    cluster::Keep,
    fingerprint::{self, Digest},
    shown::cut,
    text::{Text, Tokens},
};
use lookalike_io::{
    error::{Error, Result},
    lock::lock,
    read::{BAD_EXAMPLES, Block, Blocks, Fields, Scratch as ReadScratch, Source, Start},
    spill::Budget,
    write::Output,
};
use rayon::ThreadPool;

use self::{
    estimate::Estimating,
    ids::{hash_label, hash_name},
    journal::Recorded,
    references::References,
    table::{Sketched, Table},
};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::{
        lines::make_unique,
        parallel::{Weigh, in_order_placed},
    },
    state::{Resumed, State, Taken},
};

/// Something that looks at every text when it is read for the first time.
pub(crate) trait Look: Sync {
    /// What a thread keeps between texts.
    type Worker: Default;
    /// What is found in the texts of a block.
    type Found: Default + Send + Weigh;
    /// Whether texts are sketched too. Otherwise, the table has no sketches of them.
    const SKETCHES: bool;

    /// Looks at the next text of a block.
    fn look(&self, seen: Seen, worker: &mut Self::Worker, found: &mut Self::Found) -> Result<()>;

    /// Returns whether a run can continue after the blocks so far. Otherwise, no progress is saved.
    fn can_continue(&self) -> bool {
        true
    }

    /// Appends what was found in a block to the block's record of the journal.
    fn save(_found: &Self::Found, _record: &mut Vec<u8>) {}

    /// Reads what was found in a block from its record. Returns `None` if the record does not contain it.
    fn saved(_record: &mut Taken) -> Option<Self::Found> {
        Some(Self::Found::default())
    }
}

/// A text that is read for the first time.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) label: Option<NonZeroU128>,
    pub(crate) is_reference: bool,
}

/// Looks at nothing.
impl Look for () {
    type Worker = ();
    type Found = ();
    const SKETCHES: bool = true;

    fn look(&self, _: Seen, (): &mut (), (): &mut ()) -> Result<()> {
        Ok(())
    }
}

/// Looks at nothing, and makes no sketches: only ids and what is not about texts are read.
pub(crate) struct IdsOnly;

impl Look for IdsOnly {
    type Worker = ();
    type Found = ();
    const SKETCHES: bool = false;

    fn look(&self, _: Seen, (): &mut (), (): &mut ()) -> Result<()> {
        Ok(())
    }
}

/// A worker's buffers.
#[derive(Default)]
struct Worker<L> {
    read_scratch: ReadScratch,
    scratch: Scratch,
    decoded: String,
    looking: L,
}

/// What a block gives.
struct Seeing<F> {
    sketched: Sketched,
    found: F,
}

impl<F: Weigh> Weigh for Seeing<F> {
    fn weight(&self) -> usize {
        self.sketched.weight() + self.found.weight()
    }
}

/// The destinations of results that do not go into the table.
#[derive(Default)]
pub(crate) struct Beside<'a> {
    /// The output for bad lines, if they do not stop the run.
    pub(crate) bad: Option<&'a mut Output>,
    /// The run's saved progress, to which the results of each block are added. Blocks that an earlier run recorded are not read
    /// again.
    pub(crate) state: Option<&'a mut State>,
    /// For each label hash in the table, the label as it is written in a record.
    pub(crate) labels: Option<&'a mut BTreeMap<NonZeroU128, Box<str>>>,
    /// For each document without text, its number and a hash of its bytes as they are stored.
    pub(crate) textless: Option<&'a mut Vec<(u64, u128)>>,
}

/// The memory of a block's results is reused only up to this number of bytes, so that the memory for the results of a huge line
/// is freed.
const USUAL: usize = 2 << 20;

/// Returns the method of a run that finds no candidates: only the other settings count, such as those of tokens.
pub(crate) fn without_candidates(config: &Config) -> Result<Method> {
    let plain = Config {
        candidates: Candidates::Exact,
        verify: None,
        cluster: Cluster::Law,
        ..config.clone()
    };
    Ok(Method::new(plain)?)
}

/// Reads the whole source. Bad lines stop the run, or are skipped.
pub(crate) fn sketch(
    config: &RunConfig,
    method: &Method,
    source: &Source,
    budget: &Arc<Budget>,
    pool: &ThreadPool,
    beside: Beside,
    observer: Observer,
) -> Result<Table> {
    sketch_looking(
        (config, method),
        source,
        budget,
        pool,
        beside,
        (&(), |()| Ok(())),
        observer,
    )
}

/// Does the same as [`sketch`], and passes what `look` finds in each block to `sink`, in the order of the blocks.
pub(crate) fn sketch_looking<L: Look>(
    (config, method): (&RunConfig, &Method),
    source: &Source,
    budget: &Arc<Budget>,
    pool: &ThreadPool,
    beside: Beside,
    (look, mut sink): (&L, impl FnMut(L::Found) -> Result<()> + Send),
    observer: Observer,
) -> Result<Table> {
    let Beside {
        mut bad,
        mut state,
        mut labels,
        mut textless,
    } = beside;
    let fields = &source.reading().fields;
    let mut table = Table::new(method, budget);
    table.reference_parts = source.reference_parts();
    table.counts.unread.left_out = source.left_out.clone();
    table.references = References {
        only: config.against_only,
        held: config.drop_holders,
        ..References::default()
    };
    let checked = !config.allow_repeated_ids;
    let start = match &mut state {
        Some(state) => restore::<L>(
            state,
            (method, fields),
            source,
            &mut table,
            &mut bad,
            checked,
            &mut sink,
        )?,
        None => Start::default(),
    };
    let (skip_bad, named) = (config.skip_bad.is_some(), labels.is_some());
    let nothing = textless
        .as_ref()
        .map(|_| fingerprint::digest(&Tokens::new()));
    let pass = Pass {
        method,
        source,
        look,
        skip_bad,
        named,
        nothing,
        spare: Mutex::default(),
    };
    let mut estimating = Estimating::new();
    in_order_placed(
        pool,
        Blocks::after(source, start).whole(bad.is_some()),
        |block, worker: &mut Worker<L::Worker>| pass.block(block, worker),
        |place,
         Seeing {
             mut sketched,
             found,
         }| {
            sketched.place_at(place);
            if let Some(output) = &mut bad {
                output.write(&sketched.bad_lines)?;
            }
            let (done, total) = (source.read(), source.total());
            if let Some(state) = &mut state {
                let (tag, bytes) = (place.tag, sketched.line_bytes);
                state.sketches.append(|record| {
                    Recorded::put(&sketched, tag, source.digest(tag), done, record);
                    L::save(&found, record);
                })?;
                if look.can_continue() {
                    state.passed(bytes)?;
                }
            }
            if let Some(labels) = &mut labels {
                for (label, text) in sketched.label_names.drain(..) {
                    labels.entry(label).or_insert_with(|| {
                        budget.hold(text.len());
                        text
                    });
                }
            }
            if let Some(textless) = &mut textless {
                let first = table.documents;
                textless.extend(
                    sketched
                        .textless
                        .iter()
                        .map(|&(number, bytes)| (first + u64::from(number), bytes)),
                );
            }
            table.add(&mut sketched, checked)?;
            sink(found)?;
            let mut spare = lock(&pass.spare);
            if spare.len() < pool.current_num_threads() && sketched.weight() <= USUAL {
                spare.push(sketched);
            }
            drop(spare);
            // A resumed run has no timing for the part it skipped.
            let estimate = if start.is_first() {
                estimating.whole(&table, done, total)
            } else {
                None
            };
            Progress {
                estimate,
                ..Progress::new(Stage::Sketching, done, total)
            }
            .tell(observer)?;
            Ok(())
        },
    )?;
    if let Some(state) = state {
        state.commit()?;
    }
    if checked {
        refuse_repeated_ids(&mut table, source, pool)?;
    }
    if source.references() > 0 && table.references.documents == 0 {
        log::warn!("the references have no documents, so nothing matches them");
    }
    log::info!(
        "documents: {}; lines skipped: {}",
        table.documents,
        table.counts.unread.bad_lines
    );
    Ok(table)
}

/// Restores the results that an earlier run recorded. Returns the position where it stopped.
fn restore<L: Look>(
    state: &mut State,
    (method, fields): (&Method, &Fields),
    source: &Source,
    table: &mut Table,
    bad: &mut Option<&mut Output>,
    checked: bool,
    sink: &mut impl FnMut(L::Found) -> Result<()>,
) -> Result<Start> {
    let (mut start, mut done, parts) = (Start::default(), 0, source.parts().len());
    state.sketches.each(|record| {
        let mut record = Taken(record);
        let recorded = Recorded::take(&mut record)
            .filter(|recorded| recorded.fits(method, fields, parts, &start));
        let Some((recorded, found)) = recorded.zip(L::saved(&mut record)) else {
            return Ok(None);
        };
        let Recorded {
            mut sketched,
            tag,
            digest,
            read,
        } = recorded;
        if let Some(output) = bad {
            output.write(&sketched.bad_lines)?;
        }
        source.restore(tag, digest)?;
        start.pass(tag);
        done = read;
        table.add(&mut sketched, checked)?;
        sink(found).map(Some)
    })?;
    state.resumed = (state.sketches.len() > 0).then(|| {
        if start.block.0 == source.parts().len() {
            Resumed {
                stage: Stage::Pairing,
                share: None,
            }
        } else {
            let share = (source.total() > 0).then(|| done as f64 / source.total() as f64);
            Resumed {
                stage: Stage::Sketching,
                share,
            }
        }
    });
    Ok(start)
}

/// Returns an error if two documents have the same id.
pub(crate) fn refuse_repeated_ids(
    table: &mut Table,
    source: &Source,
    pool: &ThreadPool,
) -> Result<()> {
    let budget = table.budget.clone();
    let Some((first, document)) = table.ids.first_repeated(&budget, pool)? else {
        return Ok(());
    };
    Err(repeated(table, source, first, document)?)
}

/// Returns an error if a reference has the id of an earlier reference. Used by runs whose output identifies references only by
/// their ids.
pub(crate) fn refuse_repeated_references(table: &Table, source: &Source) -> Result<()> {
    let (mut rows, mut scratch) = (Vec::new(), Vec::new());
    table
        .ids
        .each(0..table.references.documents, &mut scratch, |id| {
            rows.push((hash_name(id), rows.len() as u64));
            Ok(())
        })?;
    rows.sort_unstable();
    let found = rows
        .windows(2)
        .filter(|two| two[0].0 == two[1].0)
        .map(|two| (two[1].1, two[0].1))
        .min();
    found.map_or(Ok(()), |(document, first)| {
        Err(repeated(table, source, first, document)?)
    })
}

fn repeated(table: &Table, source: &Source, first: u64, document: u64) -> Result<Error> {
    let mut id = Vec::new();
    let id = table.ids.get(document, &mut id)?;
    let (here, there) = (table.place(document, source)?, table.place(first, source)?);
    Ok(
        Error::record(format!("id {} was already used at {there}", cut(id)))
            .at_place(here)
            .advise(make_unique()),
    )
}

struct Pass<'a, L> {
    method: &'a Method,
    source: &'a Source,
    look: &'a L,
    skip_bad: bool,
    /// Whether the texts of labels are wanted, in addition to their hashes.
    named: bool,
    /// The digest of an empty text. Documents without text are recognised by it. `None` if hashes of the bytes of such documents
    /// are not wanted.
    nothing: Option<Digest>,
    /// Emptied results, which are reused because allocating memory is expensive.
    spare: Mutex<Vec<Sketched>>,
}

impl<L: Look> Pass<'_, L> {
    fn block(&self, block: &Block, worker: &mut Worker<L::Worker>) -> Result<Seeing<L::Found>> {
        let Worker {
            read_scratch,
            scratch,
            decoded,
            looking,
        } = worker;
        let is_reference = block.part < self.source.reference_parts();
        let mut found = L::Found::default();
        let (reading, fields) = (
            self.source.reading_of(block.part),
            &self.source.reading().fields,
        );
        let mut out = lock(&self.spare)
            .pop()
            .unwrap_or_else(|| Sketched::new(self.method));
        out.info.part = block.part;
        for at in 0..block.len() {
            let number = at as u32;
            let record = match block.record(at, reading, read_scratch) {
                Ok(Some(record)) => record,
                Ok(None) => {
                    out.info.skipped.push(number);
                    continue;
                }
                Err(fault) => {
                    if !self.skip_bad {
                        return Err(fault.of_line(number.into()));
                    }
                    out.info.skipped.push(number);
                    block.append_raw(at, &mut out.bad_lines)?;
                    out.bad_count += 1;
                    if out.bad_messages.len() < BAD_EXAMPLES {
                        out.bad_messages.push((number, fault));
                    }
                    continue;
                }
            };
            out.line_bytes += block.size(at);
            out.without_id += u64::from(record.id.is_empty());
            if L::SKETCHES {
                self.method.sketch(record.text, scratch);
                out.few_anchors += u64::from(scratch.few_anchors);
                out.signs.look(at, record.text, scratch, decoded);
            }
            out.digests.push(scratch.digest);
            out.bits.extend_from_slice(&scratch.bits);
            out.columns
                .iter_mut()
                .zip(&scratch.keys)
                .for_each(|(column, &key)| column.push(key));
            if self.method.keeps_samples() {
                out.samples.push(&scratch.elements, scratch.level);
            }
            if self.method.depends_on_size() {
                out.sizes
                    .push(scratch.fingerprints.len().min(u32::MAX as usize) as u32);
            }
            if fields.keep != Keep::First {
                out.keys.push(record.key);
            }
            let label = fields
                .label
                .as_ref()
                .and_then(|_| NonZeroU128::new(hash_label(record.label)))
                .filter(|_| !record.label.is_empty());
            self.look.look(
                Seen {
                    text: record.text,
                    label,
                    is_reference,
                },
                looking,
                &mut found,
            )?;
            if fields.label.is_some() {
                // Records with the same label are often consecutive.
                if let Some(label) = label.filter(|label| {
                    self.named && out.label_names.last().is_none_or(|last| last.0 != *label)
                }) {
                    out.label_names.push((label, record.label.into()));
                }
                out.labels.push(label);
            }
            out.ids.push(record.id);
            if self.nothing == Some(scratch.digest)
                && let Some(bytes) = block.page_digest(at, reading, read_scratch)
            {
                out.textless.push((out.digests.len() as u32 - 1, bytes));
            }
        }
        out.too_large = read_scratch.take_too_large();
        out.left_out = read_scratch.take_left_out();
        out.info.count = out.digests.len() as u32;
        Ok(Seeing {
            sketched: out,
            found,
        })
    }
}

//! First pass: every text to its sketch.

use std::num::NonZeroU128;

use lookalike::{Method, Scratch, cluster::Keep, fingerprint::Digest, sketch::Sketches};
use rayon::{ThreadPool, slice::ParallelSliceMut};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use super::{
    lists::{BlockLists, Lists},
    parallel::in_order,
};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    error::{Error, ErrorKind, Result},
    read::{Block, BlockInfo, Blocks, Fields, Record, Source, is_blank, push_line},
    spill::Spill,
    write::Output,
};

/// Ids kept in memory; more of them go to a temporary file.
const IDS_IN_MEMORY: usize = 16 << 20;

/// What a run keeps of every document: with 21 bands 84 bytes of keys, 128 of b-bit sketch, 16 of digest, 8 of id place.
pub(crate) struct Table {
    pub(crate) blocks: Vec<BlockInfo>,
    pub(crate) digests: Vec<Digest>,
    pub(crate) bits: Sketches,
    pub(crate) columns: Vec<Vec<u32>>,
    /// What documents list, where they meet by that.
    pub(crate) lists: Lists,
    /// Keep order's keys; empty when input order decides.
    pub(crate) keys: Vec<u64>,
    /// Each document's label, where labels are asked for; none for a document without.
    pub(crate) labels: Vec<Option<NonZeroU128>>,
    ids: Spill<u8>,
    id_ends: Vec<u64>,
    id_hashes: Vec<u128>,
    pub(crate) counts: Counts,
}

/// What was counted on the way.
#[derive(Debug, Default, Clone)]
pub(crate) struct Counts {
    pub(crate) line_bytes: u64,
    pub(crate) blank_lines: u64,
    pub(crate) bad_lines: u64,
    /// The first bad lines, told.
    pub(crate) bad_examples: Vec<String>,
    /// Documents without an id of their own.
    pub(crate) without_id: u64,
}

const BAD_EXAMPLES: usize = 5;

impl Table {
    pub(crate) fn documents(&self) -> u32 {
        self.digests.len() as u32
    }

    /// Frees what tells a document by its id: once it is known that no two are equal, a run has no use for it.
    pub(crate) fn forget_id_hashes(&mut self) {
        self.id_hashes = Vec::new();
    }

    /// The documents by their ids ([`hash_name`]), sorted.
    pub(crate) fn by_id(&self) -> Vec<(u128, u32)> {
        let mut by_id: Vec<(u128, u32)> = self.id_hashes.iter().copied().zip(0..).collect();
        by_id.sort_unstable();
        by_id
    }

    /// A document's id as it stands in its line. `room` holds it.
    pub(crate) fn id<'a>(&self, document: u32, room: &'a mut Vec<u8>) -> Result<&'a RawValue> {
        self.ids(document..document + 1, room)?.for_each(drop);
        raw_id(room)
    }

    /// The ids of consecutive documents, one after the other, with where each ends.
    pub(crate) fn ids<'a>(
        &'a self,
        documents: std::ops::Range<u32>,
        into: &mut Vec<u8>,
    ) -> Result<impl Iterator<Item = usize> + use<'a>> {
        let (first, last) = (documents.start as usize, documents.end as usize);
        let start = if first == 0 { 0 } else { self.id_ends[first - 1] };
        let end = if last == 0 { 0 } else { self.id_ends[last - 1] };
        self.ids.read_across(start, (end - start) as usize, into)?;
        Ok(self.id_ends[first..last].iter().map(move |end| (end - start) as usize))
    }

    fn add(&mut self, sketched: Sketched) -> Result<()> {
        let Sketched {
            mut info,
            digests,
            bits,
            columns,
            lists,
            keys,
            labels,
            ids,
            id_lengths,
            id_hashes,
            without_id,
            bad_messages,
            line_bytes,
            ..
        } = sketched;
        if self.digests.len() + digests.len() >= u32::MAX as usize {
            return Err(Error::new(ErrorKind::Input, "more than 4,294,967,294 documents; split the collection"));
        }
        info.first_document = self.documents();
        self.counts.line_bytes += line_bytes;
        self.counts.without_id += without_id;
        self.counts.bad_lines += bad_messages.len() as u64;
        self.counts.blank_lines += (info.skipped.len() - bad_messages.len()) as u64;
        self.counts.bad_examples.extend(bad_messages);
        self.counts.bad_examples.truncate(BAD_EXAMPLES);
        self.digests.extend(digests);
        self.bits.append(&bits);
        self.columns.iter_mut().zip(&columns).for_each(|(all, more)| all.extend_from_slice(more));
        self.keys.extend(keys);
        self.labels.extend(labels);
        self.lists.append(&lists)?;
        let mut end = self.ids.end();
        self.id_ends.extend(id_lengths.iter().map(|&length| {
            end += u64::from(length);
            end
        }));
        self.id_hashes.extend(id_hashes);
        self.blocks.push(info);
        self.ids.append(&ids)
    }
}

/// One block's part of the table.
struct Sketched {
    info: BlockInfo,
    digests: Vec<Digest>,
    bits: Sketches,
    columns: Vec<Vec<u32>>,
    lists: BlockLists,
    keys: Vec<u64>,
    labels: Vec<Option<NonZeroU128>>,
    ids: Vec<u8>,
    id_lengths: Vec<u32>,
    id_hashes: Vec<u128>,
    without_id: u64,
    /// The bad lines, and what is wrong with each.
    bad_lines: Vec<u8>,
    bad_messages: Vec<String>,
    line_bytes: u64,
}

impl Sketched {
    fn new(method: &Method) -> Self {
        Self {
            info: BlockInfo::default(),
            digests: Vec::new(),
            bits: Sketches::new(method.stride()),
            columns: vec![Vec::new(); method.columns()],
            lists: BlockLists::default(),
            keys: Vec::new(),
            labels: Vec::new(),
            ids: Vec::new(),
            id_lengths: Vec::new(),
            id_hashes: Vec::new(),
            without_id: 0,
            bad_lines: Vec::new(),
            bad_messages: Vec::new(),
            line_bytes: 0,
        }
    }
}

/// A worker's buffers.
#[derive(Default)]
struct Worker {
    record: Record,
    scratch: Scratch,
}

/// The fields that a run reads.
pub(crate) fn fields(config: &RunConfig) -> Result<Fields> {
    if config.text_field == config.id_field {
        let message =
            format!("field {:?} cannot be both the text and the id; see --text-field and --id-field", config.text_field);
        return Err(Error::new(ErrorKind::Config, message));
    }
    let keep = config.keep();
    if keep.field() == Some(&config.text_field) {
        let message = format!("--keep {keep}: the text cannot be the field that decides; name another field");
        return Err(Error::new(ErrorKind::Config, message));
    }
    if config.label_field.as_ref() == Some(&config.text_field) {
        let message = format!("--labels {}: the text cannot be the label; name another field", config.text_field);
        return Err(Error::new(ErrorKind::Config, message));
    }
    let (text, id, label) = (config.text_field.clone(), config.id_field.clone(), config.label_field.clone());
    Ok(Fields { text, id, keep, label })
}

/// Reads the whole source. Bad lines go to `bad`, or stop the run.
pub(crate) fn sketch(
    config: &RunConfig,
    method: &Method,
    source: &Source,
    pool: &ThreadPool,
    mut bad: Option<&mut Output>,
    observer: Observer,
) -> Result<Table> {
    let fields = fields(config)?;
    let mut table = Table {
        blocks: Vec::new(),
        digests: Vec::new(),
        bits: Sketches::new(method.stride()),
        columns: vec![Vec::new(); method.columns()],
        lists: Lists::new(config.temp_dir.clone()),
        keys: Vec::new(),
        labels: Vec::new(),
        ids: Spill::new(IDS_IN_MEMORY, config.temp_dir.clone()),
        id_ends: Vec::new(),
        id_hashes: Vec::new(),
        counts: Counts::default(),
    };
    let pass = Pass {
        method,
        fields: &fields,
        names: source.inputs().iter().map(|input| input.name()).collect(),
        skip_bad: config.skip_bad.is_some(),
    };
    in_order(
        pool,
        Blocks::new(source),
        |block, worker: &mut Worker| pass.block(block, worker),
        |mut sketched| {
            if let Some(output) = &mut bad {
                output.write(std::mem::take(&mut sketched.bad_lines))?;
            }
            observer(Progress { stage: Stage::Sketching, done: source.read(), total: source.total() });
            table.add(sketched)
        },
    )?;
    if table.documents() == 0 {
        let why = match (table.counts.bad_lines, table.blocks.is_empty()) {
            (0, true) => "is empty",
            (0, false) => "has only blank lines",
            _ => "has only bad lines",
        };
        let message = format!("{}: no documents: the input {why}; each line must be one JSON object", pass.names.join(", "));
        return Err(Error::new(ErrorKind::Input, message));
    }
    if !config.allow_repeated_ids {
        table.refuse_repeated_ids(&pass.names, pool)?;
    }
    Ok(table)
}

struct Pass<'a> {
    method: &'a Method,
    fields: &'a Fields,
    names: Vec<String>,
    skip_bad: bool,
}

impl Pass<'_> {
    fn block(&self, block: &Block, worker: &mut Worker) -> Result<Sketched> {
        let Worker { record, scratch } = worker;
        let mut out = Sketched::new(self.method);
        out.info.input = block.input;
        out.info.first_line = block.first_line;
        for (line, number) in block.lines().zip(0u32..) {
            if is_blank(line) {
                out.info.skipped.push(number);
                continue;
            }
            let place = || format!("{}:{}", self.names[block.input], block.first_line + u64::from(number));
            if let Err(fault) = record.read(line, self.fields) {
                let message = format!("{}: {fault}", place());
                if !self.skip_bad {
                    return Err(Error::new(ErrorKind::Record, message));
                }
                out.info.skipped.push(number);
                push_line(&mut out.bad_lines, line);
                out.bad_messages.push(message);
                continue;
            }
            out.line_bytes += line.len() as u64;
            if record.id.is_empty() {
                out.without_id += 1;
                record.id = serde_json::Value::String(place()).to_string();
            }
            self.method.sketch(&record.text, scratch);
            out.digests.push(scratch.digest);
            out.bits.push(&scratch.bits);
            out.columns.iter_mut().zip(&scratch.keys).for_each(|(column, &key)| column.push(key));
            if self.method.lists() {
                out.lists.push(&scratch.elements, scratch.level);
            }
            if self.fields.keep != Keep::First {
                out.keys.push(record.key);
            }
            if self.fields.label.is_some() {
                out.labels.push(NonZeroU128::new(hash_name(&record.label)).filter(|_| !record.label.is_empty()));
            }
            out.ids.extend_from_slice(record.id.as_bytes());
            out.id_lengths.push(record.id.len() as u32);
            out.id_hashes.push(hash_name(&record.id));
        }
        out.info.documents = out.digests.len() as u32;
        Ok(out)
    }
}

/// Equal for equal ids, or labels, of the same JSON type: "é" and "\u00e9" are one string; 1 and "1" are two ids.
pub(crate) fn hash_name(id: &str) -> u128 {
    if id.contains('\\')
        && let Ok(text) = serde_json::from_str::<String>(id)
    {
        return xxh3_128(format!("\"{text}\"").as_bytes());
    }
    xxh3_128(id.as_bytes())
}

impl Table {
    fn refuse_repeated_ids(&self, names: &[String], pool: &ThreadPool) -> Result<()> {
        let mut sorted = self.id_hashes.clone();
        pool.install(|| sorted.par_sort_unstable());
        let repeated: std::collections::BTreeSet<u128> =
            sorted.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
        if repeated.is_empty() {
            return Ok(());
        }
        let mut firsts = std::collections::BTreeMap::new();
        for (document, hash) in (0u32..).zip(&self.id_hashes).filter(|(_, hash)| repeated.contains(hash)) {
            let Some(first) = firsts.insert(hash, document) else { continue };
            let mut id = Vec::new();
            let id = self.id(document, &mut id)?;
            let (here, there) = (self.place(document, names), self.place(first, names));
            let message = format!(
                "{here}: id {id} was already used at {there}; make ids unique, or let them pass with --allow-repeated-ids"
            );
            return Err(Error::new(ErrorKind::Record, message));
        }
        Ok(())
    }

    /// Where a document stands: `file:line`.
    fn place(&self, document: u32, names: &[String]) -> String {
        let block = &self.blocks[self.blocks.partition_point(|block| block.first_document + block.documents <= document)];
        format!("{}:{}", names[block.input], block.line_of(document))
    }
}

/// An id that was spilled.
pub(crate) fn raw_id(id: &[u8]) -> Result<&RawValue> {
    let text = std::str::from_utf8(id).ok();
    let value = text.and_then(|text| serde_json::from_str(text).ok());
    value.ok_or_else(|| Error::new(ErrorKind::Temporary, "a temporary file was damaged: an id could not be read back"))
}

//! Inputs that can be read again. A run passes over its input up to three times; files are opened anew for each pass, and
//! commands run anew; what can be read only once (standard input, pipes) is spooled, compressed, while it is first read.

mod spool;

mod changed;

mod ahead;

mod tables;

mod parts;

mod open;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use lookalike::cluster::Keep;

pub(crate) use self::open::Opened;
pub use self::parts::Part;
use self::{
    ahead::Ahead,
    changed::{Seen, State},
};
#[cfg(feature = "tables")]
use super::table::TableLayout;
use super::{
    block::{Block, Room},
    buffer::{Failure, Tag},
    csv::Columns,
    format::look,
    input::Input,
    json::{Fields, Record, sets::refuse_fieldless},
    reading::Reading,
    stream::Stream,
    table::Table,
};
use crate::{
    error::{Error, ErrorKind, Place, Result},
    format::Format,
    store::shown_name,
};

/// All inputs of a run.
pub struct Source {
    /// References first.
    inputs: Vec<Input>,
    /// How many of the inputs are references.
    references: usize,
    names: Vec<String>,
    parts: Vec<Part>,
    /// What each input holds, where that is known before it is read.
    formats: Vec<Option<Format>>,
    /// The inputs that are tables.
    tables: Vec<Option<Table>>,
    reading: Reading,
    of_references: Reading,
    temp_dir: PathBuf,
    read: Arc<AtomicU64>,
    total: u64,
    /// Bytes of a block.
    span: usize,
    most_readers: AtomicUsize,
    seen: Seen,
    ahead: Ahead,
}

/// Bytes of a block: small enough to stay in a core's cache, large enough that what a block costs besides is nothing.
const SPAN: usize = 256 << 10;

/// What a thread takes that reads a table: pages of its columns, compressed and not, and a batch.
const TABLE_MEMORY: u64 = 40 << 20;

impl Source {
    /// Inputs without references.
    pub fn new(inputs: Vec<Input>, reading: Reading, temp_dir: &Path) -> Result<Self> {
        Self::with_references(inputs, 0, reading, temp_dir)
    }

    /// Inputs of which the first are references. These are all kept: no field that keep order reads is asked of them.
    pub fn with_references(inputs: Vec<Input>, references: usize, reading: Reading, temp_dir: &Path) -> Result<Self> {
        let fields = Fields { keep: Keep::First, ..reading.fields.clone() };
        let of_references = Reading { fields, ..reading.clone() };
        let seen = Seen::of(&inputs)?;
        let names: Vec<String> = inputs.iter().map(Input::name).collect();
        let format = |(input, name): (&Input, &String)| match (reading.format, input) {
            (_, Input::Table(_)) => Ok(Some(Format::Arrow)),
            (Some(format), _) => Ok(Some(format)),
            (None, Input::Files(_)) => Ok(Some(Format::Text)),
            (None, Input::File(path)) if path.is_file() => look(path, name).map(Some),
            // What another name says only reading will tell.
            (None, Input::Object(_)) => Ok(Format::of_name(name).filter(|format| format.is_table())),
            (None, _) => Ok(None),
        };
        let formats = inputs.iter().zip(&names).map(format).collect::<Result<Vec<_>>>()?;
        let is_alone = |formats: &[Option<Format>]| formats.len() == 1 || formats.iter().all(|one| *one == Some(Format::Lines));
        // Lines are cut by the bytes of their ends, and those in UTF-8 are read anyway.
        let line_encoding = reading.encoding.filter(|name| *name != "UTF-8" && !name.starts_with("UTF-16"));
        let of_references = Reading { line_encoding, ..of_references };
        let line_encoding = line_encoding.filter(|_| is_alone(&formats[references..]));
        let reading = Reading { line_encoding, ..reading };
        if reading.fields.set.is_some() {
            let refuse =
                |(name, format): (&String, &Option<Format>)| format.map_or(Ok(()), |format| refuse_fieldless(name, format));
            names.iter().zip(&formats).try_for_each(refuse)?;
        }
        let (first, others) = inputs.split_at(references);
        let mut tables = tables::open(first, &formats[..references], &of_references.fields)?;
        tables.extend(tables::open(others, &formats[references..], &reading.fields)?);
        let parts = parts::of(&inputs, &formats, &tables, &reading);
        let mut source = Self {
            inputs,
            references,
            names,
            parts,
            formats,
            tables,
            of_references,
            reading,
            temp_dir: temp_dir.into(),
            read: Arc::default(),
            total: 0,
            span: SPAN,
            most_readers: AtomicUsize::new(usize::MAX),
            seen,
            ahead: Ahead::default(),
        };
        if source.seen.are_regular() {
            source.total = (0..source.inputs.len()).map(|input| source.size_of(input)).sum();
        }
        source.log_inputs();
        Ok(source)
    }

    /// Says what was found, for `-v`.
    fn log_inputs(&self) {
        let inputs = self.inputs.len() - self.references;
        let size = if self.total > 0 { format!("; {:.1} MB to read", self.total as f64 / 1e6) } else { String::new() };
        log::info!("inputs: {inputs}, references: {}{size}", self.references);
        for (number, name) in self.names.iter().enumerate() {
            let kind = if number < self.references { "reference" } else { "input" };
            let size = match self.size_of(number) {
                0 => String::new(),
                bytes => format!(", {:.1} MB", bytes as f64 / 1e6),
            };
            log::debug!("{kind} {}{size}", shown_name(name));
        }
    }

    /// Bytes that are read of an input; 0 where nobody knows.
    fn size_of(&self, input: usize) -> u64 {
        match (&self.tables[input], &self.inputs[input], self.seen.state(input)) {
            (Some(table), ..) => table.size(),
            (_, Input::Object(object), _) => object.size(),
            (_, Input::Files(files), _) => files.size(),
            (_, _, State::Regular { size, .. }) => *size,
            _ => 0,
        }
    }

    /// All inputs, references first.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// How many of the inputs are references.
    pub fn references(&self) -> usize {
        self.references
    }

    /// How many of the parts are references'; they are the first.
    pub fn reference_parts(&self) -> usize {
        self.parts.partition_point(|part| part.input < self.references)
    }

    /// The parts that can be read by themselves, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// How inputs that are no references are read.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// How a part is read.
    pub fn reading_of(&self, part: usize) -> &Reading {
        if self.parts[part].input < self.references { &self.of_references } else { &self.reading }
    }

    /// What each input but the references holds; none where only reading it will tell.
    pub fn formats(&self) -> &[Option<Format>] {
        &self.formats[self.references..]
    }

    /// The columns of a part that is known to be CSV; none of what can be read only once, which is not looked at.
    pub fn columns(&self, part: usize) -> Result<Option<Arc<Columns>>> {
        if !self.is_regular(part) || self.formats[self.parts[part].input] != Some(Format::Delimited) {
            return Ok(None);
        }
        match self.open(part, false)? {
            Opened::Stream(Stream::Records(stream)) => Ok(stream.columns().cloned()),
            _ => Ok(None),
        }
    }

    /// Refuses CSV files of which the records cannot stand under one header. What can be read only once is not looked at.
    pub(crate) fn refuse_other_columns(&self) -> Result<()> {
        let mut first: Option<(usize, Arc<Columns>)> = None;
        for part in self.reference_parts()..self.parts.len() {
            let Some(columns) = self.columns(part)?.filter(|columns| columns.has_header()) else { continue };
            match &first {
                None => first = Some((part, columns)),
                Some((_, other)) if other.are_those_of(&columns) => {}
                Some((other, theirs)) => {
                    let what = format!(
                        "its columns are {}, those of {} are {}: records of both cannot stand in one CSV file",
                        columns.shown(),
                        self.name(*other),
                        theirs.shown()
                    );
                    return Err(Error::new(ErrorKind::Output, what).at(self.name(part)).advise("write .jsonl"));
                }
            }
        }
        Ok(())
    }

    /// Of the inputs that are tables and no references, what an output takes over from them.
    #[cfg(feature = "tables")]
    pub(crate) fn layouts(&self) -> Vec<TableLayout<'_>> {
        let named = self.names.iter().zip(&self.tables).skip(self.references);
        named.filter_map(|(name, table)| Some(table.as_ref()?.layout(name))).collect()
    }

    /// The name of a part's input.
    pub(crate) fn name(&self, part: usize) -> &str {
        &self.names[self.parts[part].input]
    }

    /// Where a record is, by its number in the input, from 1. Of a table in memory it is the row, from 0, as those count who have it.
    pub fn place(&self, part: usize, record: u64) -> Place {
        let input = &self.inputs[self.parts[part].input];
        let file = if let Input::Files(files) = input { files.path(record as usize - 1) } else { None };
        match (file, input) {
            (Some(path), _) => Place::of(path.display().to_string()),
            (None, Input::Table(_)) => Place::row(self.name(part), record - 1),
            (None, _) => Place::line(self.name(part), record),
        }
    }

    /// Bytes of the input files; 0 when one of them has no size.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of the input files read in this pass.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Whether a part is of a file or an object, that can be opened without waiting for anybody.
    pub fn is_regular(&self, part: usize) -> bool {
        part < self.parts.len() && self.seen.state(self.parts[part].input).is_regular()
    }

    pub(crate) fn span(&self) -> usize {
        self.span
    }

    #[doc(hidden)]
    pub fn with_span(self, span: usize) -> Self {
        Self { span, ..self }
    }

    /// Bytes of memory that reading takes on so many threads in a run with so much, besides blocks. Of tables with many columns fewer
    /// are read at the same time where there is little memory: each reader has a page of each column.
    pub fn besides(&self, threads: usize, memory: u64) -> u64 {
        let Some(pages) = self.tables.iter().flatten().map(Table::page_memory).max() else { return 0 };
        let reader = TABLE_MEMORY.max(pages);
        let readers = (memory / 4 / reader).clamp(1, threads as u64);
        self.most_readers.store(readers as usize, Ordering::Relaxed);
        reader * readers
    }

    /// Parts whose records may be read at the same time, with all that they have.
    pub(crate) fn most_readers(&self) -> usize {
        self.most_readers.load(Ordering::Relaxed)
    }

    /// Counts bytes of a part that were read.
    pub(crate) fn count(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts the bytes of the parts before this one as read.
    pub(crate) fn count_before(&self, part: usize) {
        let (input, number) = self.parts.get(part).map_or((self.inputs.len(), 0), |part| (part.input, part.number));
        let in_table = self.tables.get(input).and_then(Option::as_ref).map_or(0, |table| table.size_before(number));
        self.count((0..input).map(|input| self.size_of(input)).sum::<u64>() + in_table);
    }

    /// A new pass begins.
    pub(crate) fn rewind(&self) {
        self.ahead.clear();
        self.read.store(0, Ordering::Relaxed);
    }

    /// The number of the first block of each part, and behind it that of all blocks; as many as are known.
    pub(crate) fn first_blocks(&self) -> Vec<usize> {
        self.seen.first_blocks()
    }

    /// A part was read to its end, and had so many blocks. Parts end in order.
    ///
    /// # Errors
    /// When it is not what it was: another pass found other blocks, or somebody wrote to it.
    pub fn ended(&self, part: usize, blocks: u64) -> Result<()> {
        if !self.seen.has_blocks(part, blocks) {
            return Err(self.changed(part));
        }
        self.refuse_changed(part)
    }

    /// Sees that a command gives what it gave: the first pass keeps a digest of each block.
    pub(crate) fn compare(&self, block: &Block, first: bool) -> Result<()> {
        let (input, buffer) = (self.parts[block.part].input, &block.buffer);
        match self.seen.is_same(input, buffer.index as usize, buffer.whole(), first) {
            true => Ok(()),
            false => Err(self.changed(block.part)),
        }
    }

    /// The digest of a command's block that the first pass has seen.
    pub fn digest(&self, tag: Tag) -> Option<u64> {
        self.seen.digest(self.parts[tag.part].input, tag)
    }

    /// Takes what is known of the next block of the first pass from one that came as far before.
    ///
    /// # Errors
    /// When its input is not what it was, as far as that can be told now.
    pub fn restore(&self, tag: Tag, digest: Option<u64>) -> Result<()> {
        self.seen.restore(self.parts[tag.part].input, digest);
        if tag.last { self.ended(tag.part, tag.index + 1) } else { Ok(()) }
    }

    /// Refuses inputs that another run could not read again.
    pub fn refuse_unrepeatable(&self) -> Result<()> {
        self.seen.refuse_unrepeatable(&self.inputs)
    }

    /// Reads a record that an earlier pass has found usable.
    ///
    /// # Errors
    /// It is not what it was.
    #[inline]
    pub fn same_record<'a>(&self, block: &'a Block, at: usize, room: &'a mut Room) -> Result<Record<'a>> {
        block.record(at, self.reading_of(block.part), room).ok().flatten().ok_or_else(|| self.changed(block.part))
    }

    /// The failure of an input that is not what an earlier pass saw.
    pub fn changed(&self, part: usize) -> Error {
        changed::other(&self.inputs[self.parts[part].input])
    }

    /// Refuses an input that is no longer what it was when the run began.
    fn refuse_changed(&self, part: usize) -> Result<()> {
        let input = self.parts[part].input;
        self.seen.state(input).refuse_changed(&self.inputs[input])
    }

    /// The failure of a part of which a block could not be made.
    pub(crate) fn failed(&self, part: usize, failure: Failure) -> Error {
        match failure {
            Failure::Told(error) => error,
            Failure::Changed => self.changed(part),
            Failure::Read(error) => Error::reading(self.name(part), &error),
        }
    }
}

//! Inputs that can be read repeatedly. A run reads its input up to three times. For each pass, files are opened again and
//! commands run again. An input that can be read only once (standard input, pipes) is copied in compressed form to a temporary
//! file (spooled) during the first pass.

mod spool;

mod changed;

mod ahead;

mod tables;

mod parts;

mod open;

use std::{
    ops::Range,
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
    block::{Block, Scratch},
    buffer::{Failure, Tag},
    csv::Columns,
    documents::Files,
    format::look,
    input::Input,
    json::{Fields, Record, sets::refuse_fieldless},
    left_out::LeftOut,
    reading::Reading,
    stream::Stream,
    table::Table,
};
use crate::{
    disk::text_of,
    error::{Error, ErrorKind, Place, Result, Setting, Words},
    format::Format,
    store::shown_name,
    words,
};

/// All inputs of a run.
pub struct Source {
    /// The inputs, with references first.
    inputs: Vec<Input>,
    /// The number of inputs that are references.
    references: usize,
    names: Vec<String>,
    parts: Vec<Part>,
    /// The format of each input, if it is known before the input is read.
    formats: Vec<Option<Format>>,
    /// The inputs that are tables.
    tables: Vec<Option<Table>>,
    reading: Reading,
    of_references: Reading,
    of_stored: Reading,
    temp_dir: PathBuf,
    read: Arc<AtomicU64>,
    total: u64,
    /// The number of bytes in a block.
    span: usize,
    most_readers: AtomicUsize,
    seen: Seen,
    ahead: Ahead,
    /// What was left out when the names of the inputs were expanded.
    pub left_out: Option<LeftOut>,
}

/// Returns an error about references with the setting that names the field of their texts.
fn named_for_references(error: Error, reading: &Reading) -> Error {
    let Some(_) = &reading.text_of_references else {
        return error;
    };
    let own = Setting("against_text_field");
    error
        .naming(Setting("text_field"), own)
        .naming(Setting("set_field"), own)
}

/// The number of bytes in a block: small enough to fit in a core's cache, and large enough to amortise the overhead per block.
const SPAN: usize = 256 << 10;

/// The number of bytes that a thread needs to read a table: for pages of its columns, compressed and decompressed, and for a
/// batch.
const TABLE_MEMORY: u64 = 40 << 20;

impl Source {
    /// Creates a source of inputs without references.
    pub fn new(inputs: Vec<Input>, reading: Reading, temp_dir: &Path) -> Result<Self> {
        Self::with_references(inputs, 0, reading, temp_dir)
    }

    /// Creates a source whose first inputs are references. All references are kept, so they need not have the field that decides
    /// which document is kept.
    pub fn with_references(
        inputs: Vec<Input>,
        references: usize,
        reading: Reading,
        temp_dir: &Path,
    ) -> Result<Self> {
        let fields = Fields {
            keep: Keep::First,
            ..reading.fields.clone()
        };
        // Stored records have fields of any name.
        let of_stored = fields.clone();
        let fields = reading
            .text_of_references
            .as_ref()
            .map_or(fields.clone(), |text| fields.with_text(text));
        let of_references = Reading {
            fields,
            ..reading.clone()
        };
        let seen = Seen::of(&inputs)?;
        let names: Vec<String> = inputs.iter().map(Input::name).collect();
        let format = |(input, name): (&Input, &String)| match (reading.format, input) {
            (_, Input::Table(_)) => Ok(Some(Format::Arrow)),
            (_, Input::Stored(_)) => Ok(Some(Format::Lines)),
            (Some(format), _) => Ok(Some(format)),
            (None, Input::Files(_)) => Ok(Some(Format::Text)),
            (None, Input::File(path)) if path.is_file() => look(path, name).map(Some),
            // Before an object in a store is read, its format is known only if its name has the file extension of a table.
            (None, Input::Object(_)) => {
                Ok(Format::of_name(name).filter(|format| format.is_table()))
            }
            (None, _) => Ok(None),
        };
        let formats = inputs
            .iter()
            .zip(&names)
            .map(format)
            .collect::<Result<Vec<_>>>()?;
        let is_alone = |formats: &[Option<Format>]| {
            formats.len() == 1 || formats.iter().all(|one| *one == Some(Format::Lines))
        };
        // `line_encoding` is never UTF-16, because lines are split at single newline bytes. It is not set for UTF-8 either,
        // because lines that are valid UTF-8 are always read as UTF-8.
        let line_encoding = reading
            .encoding
            .filter(|name| *name != "UTF-8" && !name.starts_with("UTF-16"));
        // Stored texts were taken from pages and decoded before they were stored.
        let of_stored = Reading {
            fields: of_stored,
            html: None,
            encoding: None,
            line_encoding: None,
            ..of_references.clone()
        };
        let of_references = Reading {
            line_encoding,
            ..of_references
        };
        let line_encoding = line_encoding.filter(|_| is_alone(&formats[references..]));
        let reading = Reading {
            line_encoding,
            ..reading
        };
        if reading.fields.set.is_some() {
            let refuse = |(name, format): (&String, &Option<Format>)| {
                format.map_or(Ok(()), |format| refuse_fieldless(name, format))
            };
            names.iter().zip(&formats).try_for_each(refuse)?;
        }
        let (first, others) = inputs.split_at(references);
        let mut tables = tables::open(first, &formats[..references], &of_references.fields)
            .map_err(|error| named_for_references(error, &of_references))?;
        tables.extend(tables::open(
            others,
            &formats[references..],
            &reading.fields,
        )?);
        let parts = parts::of(&inputs, &formats, &tables, &reading);
        let mut source = Self {
            inputs,
            references,
            names,
            parts,
            formats,
            tables,
            of_references,
            of_stored,
            reading,
            temp_dir: temp_dir.into(),
            read: Arc::default(),
            total: 0,
            span: SPAN,
            most_readers: AtomicUsize::new(usize::MAX),
            seen,
            ahead: Ahead::default(),
            left_out: None,
        };
        if source.seen.are_regular() {
            source.total = (0..source.inputs.len())
                .map(|input| source.size_of(input))
                .sum();
        }
        source.log_inputs();
        Ok(source)
    }

    /// Logs the inputs, for `-v`.
    fn log_inputs(&self) {
        let inputs = self.inputs.len() - self.references;
        let size = if self.total > 0 {
            format!("; {:.1} MB to read", self.total as f64 / 1e6)
        } else {
            String::new()
        };
        log::info!("inputs: {inputs}, references: {}{size}", self.references);
        for (number, name) in self.names.iter().enumerate() {
            let kind = if number < self.references {
                "reference"
            } else {
                "input"
            };
            let size = match self.size_of(number) {
                0 => String::new(),
                bytes => format!(", {:.1} MB", bytes as f64 / 1e6),
            };
            log::debug!("{kind} {}{size}", shown_name(name));
        }
    }

    /// Returns the number of bytes to read from an input, or 0 if the number is unknown.
    fn size_of(&self, input: usize) -> u64 {
        match (
            &self.tables[input],
            &self.inputs[input],
            self.seen.state(input),
        ) {
            (Some(table), ..) => table.size(),
            (_, Input::Object(object), _) => object.size(),
            (_, Input::Files(files), _) => files.size(),
            (_, Input::Stored(records), _) => records.bytes(),
            (_, _, State::Regular { size, .. }) => *size,
            _ => 0,
        }
    }

    /// Returns all inputs, with references first.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns the number of inputs that are references.
    pub fn references(&self) -> usize {
        self.references
    }

    /// Returns the number of parts that belong to references; these parts come first.
    pub fn reference_parts(&self) -> usize {
        self.parts
            .partition_point(|part| part.input < self.references)
    }

    /// Returns the independently readable parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the settings for reading inputs that are not references.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Returns the settings for reading a part.
    pub fn reading_of(&self, part: usize) -> &Reading {
        let input = self.parts[part].input;
        match &self.inputs[input] {
            Input::Stored(_) => &self.of_stored,
            _ if input < self.references => &self.of_references,
            _ => &self.reading,
        }
    }

    /// Returns an error about a part with the setting that names the field of its texts.
    pub fn named(&self, part: usize, error: Error) -> Error {
        if self.parts[part].input < self.references {
            named_for_references(error, &self.of_references)
        } else {
            error
        }
    }

    /// Returns the format of each input except the references. For an input whose format is known only after the input is read,
    /// the entry is `None`.
    pub fn formats(&self) -> &[Option<Format>] {
        &self.formats[self.references..]
    }

    /// Returns the format of an input, which is numbered from 0, references first, if it is known.
    pub(crate) fn format(&self, input: usize) -> Option<Format> {
        self.formats[input]
    }

    /// Returns whether an input, which is numbered from 0, references first, has columns that are known before its records are read.
    pub(crate) fn has_header(&self, input: usize) -> bool {
        let is_json = |format| matches!(format, Format::Lines | Format::Array);
        self.formats[input].is_some_and(|format| !is_json(format))
    }

    /// Returns the columns of a part that is known to be CSV. Returns none for an input that can be read only once, because such
    /// inputs are not examined.
    pub fn columns(&self, part: usize) -> Result<Option<Arc<Columns>>> {
        if !self.is_regular(part) || self.formats[self.parts[part].input] != Some(Format::Delimited)
        {
            return Ok(None);
        }
        match self.open(part, false)? {
            Opened::Stream(Stream::Records(stream)) => Ok(stream.columns().cloned()),
            _ => Ok(None),
        }
    }

    /// Returns an error if some inputs are CSV files whose records cannot be written under one header. Inputs that can be read only
    /// once are not examined.
    pub(crate) fn refuse_other_columns(&self, inputs: Range<usize>) -> Result<()> {
        let mut first: Option<(usize, Arc<Columns>)> = None;
        for part in (0..self.parts.len()).filter(|&part| inputs.contains(&self.parts[part].input)) {
            let Some(columns) = self.columns(part)?.filter(|columns| columns.has_header()) else {
                continue;
            };
            match &first {
                None => first = Some((part, columns)),
                Some((_, other)) if other.are_those_of(&columns) => {}
                Some((other, theirs)) => {
                    let what = format!(
                        "its columns are {}, but those of {} are {}, so one CSV file cannot hold the records of both",
                        columns.shown(),
                        self.name(*other),
                        theirs.shown()
                    );
                    return Err(Error::new(ErrorKind::Output, what)
                        .at(self.name(part))
                        .advise("write .jsonl"));
                }
            }
        }
        Ok(())
    }

    /// Returns the layout that an output inherits from each input that is a table and not a reference.
    #[cfg(feature = "tables")]
    pub(crate) fn layouts(&self) -> Vec<TableLayout<'_>> {
        self.layouts_of(self.references..self.inputs.len())
    }

    /// Does the same for some inputs, which are numbered from 0, references first.
    #[cfg(feature = "tables")]
    pub(crate) fn layouts_of(&self, inputs: Range<usize>) -> Vec<TableLayout<'_>> {
        let named = self.names[inputs.clone()].iter().zip(&self.tables[inputs]);
        named
            .filter_map(|(name, table)| Some(table.as_ref()?.layout(name)))
            .collect()
    }

    /// Returns the name of a part's input.
    pub(crate) fn name(&self, part: usize) -> &str {
        &self.names[self.parts[part].input]
    }

    /// Returns the location of a record: the name of its input and the record's number, from 1. For a table in memory, the number
    /// is that of the row, from 0, as in the user's own numbering. For a file that is one document, the location is only the
    /// file's path.
    pub fn place(&self, part: usize, record: u64) -> Place {
        let input = &self.inputs[self.parts[part].input];
        let file = if let Input::Files(files) = input {
            files.path(record as usize - 1)
        } else {
            None
        };
        match (file, input) {
            (Some(path), _) => Place::of(text_of(path)),
            (None, Input::Table(_)) => Place::row(self.name(part), record - 1),
            (None, _) => Place::line(self.name(part), record),
        }
    }

    /// Returns the total size of the input files in bytes, or 0 if one of them has no size.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of bytes of the input files read in this pass.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns whether a part belongs to a file or an object, which can be opened without waiting for another process.
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

    /// Returns the memory in bytes that reading takes in addition to blocks, for a number of threads and a memory limit: the list of
    /// the inputs, and what is needed to read tables. Each reader of a table has one page of each column in memory. Therefore, if
    /// memory is low and the tables have many columns, fewer tables are read in parallel.
    pub fn extra(&self, threads: usize, memory: u64) -> u64 {
        // An input has its name, its path and the address by which it is read.
        let names = self.names.iter().map(|name| 3 * name.len());
        let files = self.inputs.iter().filter_map(Input::documents);
        let list = names.chain(files.map(Files::memory)).sum::<usize>() as u64;
        let Some(pages) = self.tables.iter().flatten().map(Table::page_memory).max() else {
            return list;
        };
        let reader = TABLE_MEMORY.max(pages);
        let readers = (memory / 4 / reader).clamp(1, threads as u64);
        self.most_readers.store(readers as usize, Ordering::Relaxed);
        list + reader * readers
    }

    /// Returns how many parts may be read in parallel with all their columns.
    pub(crate) fn most_readers(&self) -> usize {
        self.most_readers.load(Ordering::Relaxed)
    }

    /// Adds bytes of a part to the number of bytes read.
    pub(crate) fn count(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds the bytes of the parts before this one to the number of bytes read.
    pub(crate) fn count_before(&self, part: usize) {
        let (input, number) = self
            .parts
            .get(part)
            .map_or((self.inputs.len(), 0), |part| (part.input, part.number));
        let in_table = self
            .tables
            .get(input)
            .and_then(Option::as_ref)
            .map_or(0, |table| table.size_before(number));
        self.count((0..input).map(|input| self.size_of(input)).sum::<u64>() + in_table);
    }

    /// Begins a new pass.
    pub(crate) fn rewind(&self) {
        self.ahead.clear();
        self.read.store(0, Ordering::Relaxed);
    }

    /// Returns the index of the first block of each part that has been read to its end, followed by the total number of blocks in
    /// these parts.
    pub(crate) fn first_blocks(&self) -> Vec<usize> {
        self.seen.first_blocks()
    }

    /// Records that a part has been read to its end, and that it has this number of blocks. Must be called for the parts in their
    /// order.
    ///
    /// # Errors
    /// Fails if the part has changed: an earlier pass found a different number of blocks, or the file was written to.
    pub fn ended(&self, part: usize, blocks: u64) -> Result<()> {
        if !self.seen.has_blocks(part, blocks) {
            return Err(self.changed(part));
        }
        self.refuse_changed(part)
    }

    /// Checks that a command's output is the same in each pass: the first pass keeps a digest of each block.
    pub(crate) fn compare(&self, block: &Block, first: bool) -> Result<()> {
        let (input, buffer) = (self.parts[block.part].input, &block.buffer);
        if self
            .seen
            .is_same(input, buffer.index as usize, buffer.whole(), first)
        {
            Ok(())
        } else {
            Err(self.changed(block.part))
        }
    }

    /// Returns the digest of a command's block in the first pass.
    pub fn digest(&self, tag: Tag) -> Option<u64> {
        self.seen.digest(self.parts[tag.part].input, tag)
    }

    /// Restores the data about the next block of the first pass. The data comes from an earlier run that has read the block.
    ///
    /// # Errors
    /// Fails if the input of the block has changed, as far as this can be detected now.
    pub fn restore(&self, tag: Tag, digest: Option<u64>) -> Result<()> {
        self.seen.restore(self.parts[tag.part].input, digest);
        if tag.last {
            self.ended(tag.part, tag.index + 1)
        } else {
            Ok(())
        }
    }

    /// Returns an error if there is an input that another run cannot read again.
    pub fn refuse_unrepeatable(&self) -> Result<()> {
        self.seen.refuse_unrepeatable(&self.inputs)
    }

    /// Returns an error if an input can be read only once. `why` says why that is not enough.
    pub fn refuse_read_once(&self, why: impl FnOnce() -> Words) -> Result<()> {
        let input = self.seen.read_once(&self.inputs);
        input.map_or(Ok(()), |input| {
            let refused = Error::new(
                ErrorKind::Input,
                words!["can be read only once, but ", why()],
            )
            .at(input.name());
            Err(refused.advise(
                "save it to a file, or name the command that prints it with $input_command",
            ))
        })
    }

    /// Reads a record that an earlier pass has found usable.
    ///
    /// # Errors
    /// Fails if the record has changed.
    #[inline]
    pub fn same_record<'a>(
        &self,
        block: &'a Block,
        at: usize,
        scratch: &'a mut Scratch,
    ) -> Result<Record<'a>> {
        block
            .record(at, self.reading_of(block.part), scratch)
            .ok()
            .flatten()
            .ok_or_else(|| self.changed(block.part))
    }

    /// Returns the error for an input that has changed since an earlier pass.
    pub fn changed(&self, part: usize) -> Error {
        changed::other(&self.inputs[self.parts[part].input])
    }

    /// Returns an error if an input has changed since the run began.
    fn refuse_changed(&self, part: usize) -> Result<()> {
        let input = self.parts[part].input;
        self.seen.state(input).refuse_changed(&self.inputs[input])
    }

    /// Returns the error for a part if one of its blocks could not be read.
    pub(crate) fn failed(&self, part: usize, failure: Failure) -> Error {
        match failure {
            Failure::Reported(error) => error,
            Failure::Changed => self.changed(part),
            Failure::Read(error) => Error::reading(self.name(part), &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::input::{Inputs, expand};

    #[test]
    fn the_list_of_inputs_counts_as_memory() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..30 {
            let name = format!("{number:0200}.txt");
            std::fs::write(folder.path().join(name), "text").unwrap();
        }
        let memory = |name: String| {
            let inputs = expand(Inputs {
                names: &[name],
                commands: &[],
                tables: &[],
                against: &[],
                against_tables: &[],
                against_stored: &[],
                format: None,
                gitignore: false,
                all_splits: false,
            });
            let source = Source::new(inputs.unwrap(), Reading::lines(), folder.path()).unwrap();
            source.extra(1, 1 << 30)
        };
        // Each document has a path and an id.
        let of_folder = memory(folder.path().display().to_string());
        assert!(
            (30 * 2 * 204..30 * 2 * 400).contains(&of_folder),
            "{of_folder}"
        );
    }
}

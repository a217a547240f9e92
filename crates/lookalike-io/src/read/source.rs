//! Inputs that can be read again. A run passes over its input up to three times; files are opened anew for each pass, and
//! commands run anew; what can be read only once (standard input, pipes) is spooled, compressed, while it is first read.

use std::{
    collections::BTreeMap,
    fs::Metadata,
    io::{self, Cursor, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use lookalike::cluster::Keep;
use xxhash_rust::xxh3::xxh3_64;

#[cfg(feature = "warc")]
use super::crawl::CrawlStream;
#[cfg(feature = "tables")]
use super::tables::TableLayout;
use super::{
    Block, Input, Tag,
    cells::Columns,
    command::{Running, program, widen},
    cut::{LineStream, Stream},
    delimited::separator,
    files::FileBlocks,
    foreign,
    format::LOOK,
    open::{Counted, Reader, decompress},
    packing::{Packing, START},
    reading::Reading,
    record::Fields,
    records::RecordStream,
    sets::refuse_fieldless,
    tables::{self, Table, TablePart},
    utf16::Utf16,
};
use crate::{
    disk::File,
    error::{Error, ErrorKind, Result},
    format::Format,
    lock::lock,
    store::{Object, ObjectStream},
};

/// All inputs of a run.
pub struct Source {
    /// References first.
    inputs: Vec<Input>,
    /// How many of the inputs are references.
    references: usize,
    names: Vec<String>,
    parts: Vec<Part>,
    states: Vec<State>,
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
    /// Blocks of each input that was read to its end.
    blocks: Mutex<Vec<u64>>,
    /// Small objects that are on their way before their turn: one after the other they would take as many round trips.
    ahead: Mutex<BTreeMap<usize, ObjectStream>>,
}

/// What is read by itself: an input, or a piece of one that can be read without the rest.
#[derive(Debug)]
pub struct Part {
    /// The number of the input.
    pub(super) input: usize,
    /// Records of the input before it.
    pub(super) before: u64,
    /// Of a table, its number there.
    number: usize,
}

/// Small objects that may be on their way before their turn.
const OBJECTS_AHEAD: usize = 8;

/// Bytes of a block: small enough to stay in a core's cache, large enough that what a block costs besides is nothing.
const SPAN: usize = 256 << 10;

/// What a thread takes that reads a table: pages of its columns, compressed and not, and a batch.
const TABLE_MEMORY: u64 = 40 << 20;

/// An input, opened for a pass.
pub(super) enum Opened {
    /// A plain file of so many bytes, that can be read anywhere.
    Plain(File, u64),
    /// Files that are documents.
    Files(FileBlocks),
    /// Something that can be read on.
    Stream(Stream),
}

enum State {
    /// A file as it was when first seen: another size or time later means that it changed under the run.
    Regular { size: u64, modified: Option<SystemTime> },
    /// An object, files or a table in memory, which see for themselves that they stay what they were.
    Object,
    /// Can be read once; the spool fills while it is.
    Once(Arc<Mutex<Option<File>>>),
    /// Is run again; the digest of each block that the first pass saw.
    Command(Mutex<Vec<u64>>),
}

impl State {
    fn of(input: &Input) -> Result<Self> {
        Ok(match input {
            Input::Stdin => Self::Once(Arc::default()),
            Input::Command(..) => Self::Command(Mutex::default()),
            Input::Object(_) | Input::Files(_) | Input::Table(_) => Self::Object,
            Input::File(path) => {
                let metadata = path.metadata().map_err(|error| Error::reading(&input.name(), &error))?;
                match metadata.is_file() {
                    true => Self::Regular { size: metadata.len(), modified: modified(&metadata) },
                    false => Self::Once(Arc::default()),
                }
            }
        })
    }

    /// Whether it can be opened without waiting for anybody.
    fn is_regular(&self) -> bool {
        matches!(self, Self::Regular { .. } | Self::Object)
    }
}

impl Source {
    /// Inputs without references.
    pub fn new(inputs: Vec<Input>, reading: Reading, temp_dir: &Path) -> Result<Self> {
        Self::with_references(inputs, 0, reading, temp_dir)
    }

    /// Inputs of which the first are references. These are all kept: no field that keep order reads is asked of them.
    pub fn with_references(inputs: Vec<Input>, references: usize, reading: Reading, temp_dir: &Path) -> Result<Self> {
        let fields = Fields { keep: Keep::First, ..reading.fields.clone() };
        let of_references = Reading { fields, ..reading.clone() };
        let states = inputs.iter().map(State::of).collect::<Result<Vec<_>>>()?;
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
        // A header is a line too: where no record has several, records have the numbers of their lines.
        let before = |input: usize, format: &Option<Format>| match format {
            Some(Format::Delimited) => 1 + u64::from(says_delimiter(&inputs[input], &reading)),
            _ => 0,
        };
        let (first, others) = inputs.split_at(references);
        let mut tables = tables::open(first, &formats[..references], &of_references.fields)?;
        tables.extend(tables::open(others, &formats[references..], &reading.fields)?);
        let mut parts = Vec::new();
        for (input, format) in formats.iter().enumerate() {
            match &tables[input] {
                None => parts.push(Part { input, before: before(input, format), number: 0 }),
                Some(table) => {
                    parts.extend(table.parts().map(|TablePart { number, before }| Part { input, before, number }));
                }
            }
        }
        let mut source = Self {
            inputs,
            references,
            names,
            parts,
            states,
            formats,
            tables,
            of_references,
            reading,
            temp_dir: temp_dir.into(),
            read: Arc::default(),
            total: 0,
            span: SPAN,
            most_readers: AtomicUsize::new(usize::MAX),
            blocks: Mutex::default(),
            ahead: Mutex::default(),
        };
        if source.states.iter().all(State::is_regular) {
            source.total = (0..source.inputs.len()).map(|input| source.size_of(input)).sum();
        }
        Ok(source)
    }

    /// Bytes that are read of an input; 0 where nobody knows.
    fn size_of(&self, input: usize) -> u64 {
        match (&self.tables[input], &self.inputs[input], &self.states[input]) {
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
                    let message = format!(
                        "{}: its columns are {}, those of {} are {}: records of both cannot stand in one CSV file; write .jsonl",
                        self.name(part),
                        columns.shown(),
                        self.name(*other),
                        theirs.shown()
                    );
                    return Err(Error::new(ErrorKind::Output, message));
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
    pub fn place(&self, part: usize, record: u64) -> String {
        let input = &self.inputs[self.parts[part].input];
        let file = if let Input::Files(files) = input { files.path(record as usize - 1) } else { None };
        match (file, input) {
            (Some(path), _) => path.display().to_string(),
            (None, Input::Table(_)) => format!("{} row {}", self.name(part), record - 1),
            (None, _) => format!("{}:{record}", self.name(part)),
        }
    }

    fn state(&self, part: usize) -> &State {
        &self.states[self.parts[part].input]
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
        part < self.parts.len() && self.state(part).is_regular()
    }

    pub(super) fn span(&self) -> usize {
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
    pub(super) fn most_readers(&self) -> usize {
        self.most_readers.load(Ordering::Relaxed)
    }

    /// Counts bytes of a part that were read.
    pub(super) fn count(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The number of the first block of each part, and behind it that of all blocks; as many as are known.
    pub(super) fn first_blocks(&self) -> Vec<usize> {
        let mut first = vec![0];
        first.extend(lock(&self.blocks).iter().scan(0, |sum, &blocks| {
            *sum += blocks as usize;
            Some(*sum)
        }));
        first
    }

    /// A part was read to its end, and had so many blocks. Parts end in order.
    ///
    /// # Errors
    /// When it is not what it was: another pass found other blocks, or somebody wrote to it.
    pub fn ended(&self, part: usize, blocks: u64) -> Result<()> {
        let mut known = lock(&self.blocks);
        match known.get(part) {
            Some(&before) if before != blocks => return Err(self.changed(part)),
            Some(_) => {}
            None => known.push(blocks),
        }
        self.refuse_changed(part)
    }

    /// Sees that a command gives what it gave: the first pass keeps a digest of each block.
    pub(super) fn compare(&self, block: &Block, first: bool) -> Result<()> {
        let State::Command(digests) = self.state(block.part) else { return Ok(()) };
        let (digest, at) = (xxh3_64(block.whole()), block.index as usize);
        let mut digests = lock(digests);
        if first {
            let length = digests.len().max(at + 1);
            digests.resize(length, 0);
            digests[at] = digest;
        }
        if digests.get(at) == Some(&digest) { Ok(()) } else { Err(self.changed(block.part)) }
    }

    /// The digest of a command's block that the first pass has seen.
    pub fn digest(&self, tag: Tag) -> Option<u64> {
        let State::Command(digests) = self.state(tag.part) else { return None };
        lock(digests).get(tag.index as usize).copied()
    }

    /// Takes what is known of the next block of the first pass from one that came as far before.
    ///
    /// # Errors
    /// When its input is not what it was, as far as that can be told now.
    pub fn restore(&self, tag: Tag, digest: Option<u64>) -> Result<()> {
        if let State::Command(digests) = self.state(tag.part) {
            lock(digests).extend(digest);
        }
        if tag.last { self.ended(tag.part, tag.index + 1) } else { Ok(()) }
    }

    /// Refuses inputs that another run could not read again.
    pub fn refuse_unrepeatable(&self) -> Result<()> {
        let is_once = |(input, state): &(&Input, &State)| matches!(state, State::Once(_)) || matches!(input, Input::Table(_));
        let once = self.inputs.iter().zip(&self.states).find(is_once);
        let Some((input, _)) = once else { return Ok(()) };
        let message = format!(
            "{}: can be read only once, so --resume could not go on with it; write it to a file first, or name what \
             prints it with --input-command",
            input.name()
        );
        Err(Error::new(ErrorKind::Input, message))
    }

    /// Counts the bytes of the parts before this one as read.
    pub(super) fn count_before(&self, part: usize) {
        let (input, number) = self.parts.get(part).map_or((self.inputs.len(), 0), |part| (part.input, part.number));
        let in_table = self.tables.get(input).and_then(Option::as_ref).map_or(0, |table| table.size_before(number));
        self.count((0..input).map(|input| self.size_of(input)).sum::<u64>() + in_table);
    }

    /// A new pass begins.
    pub(crate) fn rewind(&self) {
        lock(&self.ahead).clear();
        self.read.store(0, Ordering::Relaxed);
    }

    /// The failure of an input that is not what an earlier pass saw.
    pub fn changed(&self, part: usize) -> Error {
        let (name, input) = (self.name(part), &self.inputs[self.parts[part].input]);
        if let Input::Command(line, _) = input {
            let program = program(line);
            let message = format!("{name} ({program}): gave other data when it was run again; it must give the same each time");
            return Error::new(ErrorKind::Input, message);
        }
        changed(name)
    }

    /// Refuses an input that is no longer what it was when the run began.
    fn refuse_changed(&self, part: usize) -> Result<()> {
        match (self.state(part), &self.inputs[self.parts[part].input]) {
            (State::Regular { size, modified: then }, Input::File(path)) => match path.metadata() {
                Ok(now) if (now.len(), modified(&now)) == (*size, *then) => Ok(()),
                _ => Err(self.changed(part)),
            },
            (State::Object, Input::Object(object)) => object.refuse_changed(),
            _ => Ok(()),
        }
    }

    /// Opens a part for one pass; of a table all columns where they are `whole`, else those that are looked at.
    pub(super) fn open(&self, part: usize, whole: bool) -> Result<Opened> {
        let Part { input: at, number, .. } = self.parts[part];
        let input = &self.inputs[at];
        if let Some(table) = &self.tables[at] {
            self.refuse_changed(part)?;
            return table.stream(number, whole, self.read.clone()).map(Stream::Rows).map(Opened::Stream);
        }
        let name = input.name();
        let reading = |error| Error::reading(&name, &error);
        let reader = match self.state(part) {
            State::Regular { size, .. } => {
                let file = match input {
                    Input::File(path) => File::open(path).map_err(reading)?,
                    _ => return Err(Error::reading(&name, &io::ErrorKind::Unsupported.into())),
                };
                self.refuse_changed(part)?;
                let (mut start, mut filled) = ([0; START], 0);
                while filled < START {
                    match file.read_at(&mut start[filled..], filled as u64).map_err(reading)? {
                        0 => break,
                        n => filled += n,
                    }
                }
                let is_lines = self.formats[at] == Some(Format::Lines);
                if Packing::of(&start[..filled], &name)? == Packing::Plain && is_lines {
                    return Ok(Opened::Plain(file, *size));
                }
                decompress(Counted { packed: file, count: self.read.clone() }, &name)
            }
            State::Object => match input {
                Input::Object(object) => decompress(Counted { packed: self.object(at, object), count: self.read.clone() }, &name),
                Input::Files(files) => return Ok(Opened::Files(FileBlocks::new(files.clone(), self.span))),
                _ => Err(Error::reading(&name, &io::ErrorKind::Unsupported.into())),
            },
            State::Once(spool) => self.once(input, spool),
            State::Command(_) => match input {
                Input::Command(line, _) => decompress(Running::start(line, &name)?, &name),
                _ => Err(Error::reading(&name, &io::ErrorKind::Unsupported.into())),
            },
        };
        self.stream(part, reader?).map(Opened::Stream)
    }

    /// What cuts a part's bytes into records.
    fn stream(&self, part: usize, mut reader: Reader) -> Result<Stream> {
        let name = self.name(part);
        let format = match self.formats[self.parts[part].input] {
            Some(format) => format,
            None => {
                let mut start = Vec::new();
                (&mut reader).take(LOOK as u64).read_to_end(&mut start).map_err(|error| Error::reading(name, &error))?;
                let format = known(name, &start)?;
                reader = Box::new(Cursor::new(start).chain(reader));
                format
            }
        };
        Ok(match format {
            Format::Array => Stream::Records(RecordStream::elements(reader, name)),
            Format::Delimited => {
                let stream = RecordStream::cells(reader, name, self.reading_of(part));
                Stream::Records(stream.map_err(|failure| failure.told(self, part).placed(|line| self.place(part, line + 1)))?)
            }
            #[cfg(feature = "warc")]
            Format::Warc => Stream::Crawl(CrawlStream::new(reader, name)),
            #[cfg(not(feature = "warc"))]
            Format::Warc => {
                let message = format!("{name}: a crawl, and this lookalike was built without (the cargo feature `warc`)");
                return Err(Error::new(ErrorKind::Input, message));
            }
            Format::Text | Format::Html => {
                let message = format!("{name}: a document can only be read from a file; give its records as JSON Lines");
                return Err(Error::new(ErrorKind::Input, message));
            }
            Format::Parquet | Format::Arrow => return Err(tables::unseekable(name)),
            Format::Lines => Stream::Lines(LineStream::new(reader)),
        })
    }

    /// The bytes of an object, and those of the next ones on their way.
    fn object(&self, number: usize, object: &Arc<Object>) -> ObjectStream {
        let mut ahead = lock(&self.ahead);
        let stream = ahead.remove(&number).unwrap_or_else(|| object.stream());
        let nexts = self.inputs.iter().enumerate().skip(number + 1).take(OBJECTS_AHEAD);
        for (next, input) in nexts {
            let Input::Object(object) = input else { break };
            if self.tables[next].is_some() {
                break;
            }
            if ahead.contains_key(&next) {
                continue;
            }
            let Some(stream) = object.stream_ahead() else { break };
            ahead.insert(next, stream);
        }
        stream
    }

    /// Opens what can be read only once, or what was kept of it.
    fn once(&self, input: &Input, spool: &Arc<Mutex<Option<File>>>) -> Result<Reader> {
        let spooled = lock(spool).take();
        if let Some(file) = spooled {
            let mut again = file.try_clone().map_err(|error| Error::temporary(&self.temp_dir, &error))?;
            again.rewind().map_err(|error| Error::temporary(&self.temp_dir, &error))?;
            *lock(spool) = Some(file);
            return decompress(Spooled { file: again, temp_dir: self.temp_dir.clone() }, "the spool of standard input");
        }
        let name = input.name();
        let reader = match input {
            Input::File(path) => {
                let file = File::open(path).map_err(|error| Error::reading(&name, &error))?;
                widen(&file);
                decompress(file, &name)?
            }
            _ => {
                widen(io::stdin());
                decompress(File::stdin().map_err(|error| Error::reading(&name, &error))?, &name)?
            }
        };
        Ok(Box::new(Spooling::new(reader, spool.clone(), &self.temp_dir)?))
    }
}

/// The failure of a file that somebody wrote to.
pub(super) fn changed(name: &str) -> Error {
    Error::new(ErrorKind::Input, format!("{name}: changed while it was being read; run again when nothing writes to it"))
}

/// What a file holds, by its name and its first bytes.
pub(super) fn look(path: &Path, name: &str) -> Result<Format> {
    let reading = |error| Error::reading(name, &error);
    let (mut packed, mut start) = (Vec::new(), Vec::new());
    let open = || File::open(path).map_err(reading);
    open()?.take(START.max(8) as u64).read_to_end(&mut packed).map_err(reading)?;
    if let Some(format) = Format::of_table(&packed) {
        return Ok(format);
    }
    // Some packings give nothing before a block of megabytes is read. Of what is damaged or cut off that is told when it is read.
    let cut = decompress(open()?, name)?.take(LOOK as u64).read_to_end(&mut start);
    if let Err(error) = cut
        && error.raw_os_error().is_some()
    {
        return Err(reading(error));
    }
    known(name, &start)
}

/// Whether a CSV file has a line before its header that says the delimiter. What cannot be read now is told when it is read.
fn says_delimiter(input: &Input, reading: &Reading) -> bool {
    let Input::File(path) = input else { return false };
    let mut start = Vec::new();
    let cut = |reader: &mut dyn Read, start: &mut Vec<u8>| reader.take(START.max(64) as u64).read_to_end(start).is_ok();
    let read = path.is_file()
        && File::open(path).is_ok_and(|file| decompress(file, "").is_ok_and(|mut reader| cut(&mut reader, &mut start)));
    if let Some(order) = Utf16::of(&start, reading.encoding) {
        start.truncate(start.len() / 2 * 2);
        let mut text = Vec::new();
        // The piece may end between two halves of a character.
        _ = order.reader(&*start, "").read_to_end(&mut text);
        start = text;
    }
    read && separator(&start).is_some()
}

/// What begins so and has this name.
///
/// # Errors
/// A file that no reader reads.
fn known(name: &str, start: &[u8]) -> Result<Format> {
    let format = Format::of(name, start);
    let of_records = matches!(format, Format::Lines | Format::Array | Format::Delimited);
    match foreign::told(start, name).filter(|_| of_records) {
        Some(told) => Err(Error::new(ErrorKind::Input, format!("{name}: {told}"))),
        None => Ok(format),
    }
}

fn modified(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// How hard the spool is compressed: it is written once and read twice. Of a GB of text level 1 took 3.7 s of a core to write
/// and 1.2 s to read, for 0.43 GB; this 2.8 s and 0.9 s, for 0.56 GB; lz4 writes 0.57 GB in 2.9 s.
const SPOOL_LEVEL: i32 = -3;

/// Reads, and keeps what it read for later passes.
struct Spooling {
    reader: Reader,
    encoder: Option<zstd::Encoder<'static, File>>,
    spool: Arc<Mutex<Option<File>>>,
    temp_dir: PathBuf,
}

impl Spooling {
    fn new(reader: Reader, spool: Arc<Mutex<Option<File>>>, temp_dir: &Path) -> Result<Self> {
        let encoder = File::temporary(temp_dir).and_then(|file| zstd::Encoder::new(file, SPOOL_LEVEL));
        let encoder = encoder.map_err(|error| Error::temporary(temp_dir, &error))?;
        Ok(Self { reader, encoder: Some(encoder), spool, temp_dir: temp_dir.into() })
    }

    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(encoder) = &mut self.encoder {
            encoder.write_all(bytes)?;
        }
        if bytes.is_empty()
            && let Some(encoder) = self.encoder.take()
        {
            *lock(&self.spool) = Some(encoder.finish()?);
        }
        Ok(())
    }
}

impl Read for Spooling {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        if !buffer.is_empty() {
            self.keep(&buffer[..n]).map_err(|error| of_spool(&self.temp_dir, &error))?;
        }
        Ok(n)
    }
}

/// What was spooled, read again.
struct Spooled {
    file: File,
    temp_dir: PathBuf,
}

impl Read for Spooled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer).map_err(|error| of_spool(&self.temp_dir, &error))
    }
}

/// A failure of our own, so that the message speaks of the spool and not of damaged input.
fn of_spool(temp_dir: &Path, error: &io::Error) -> io::Error {
    io::Error::other(Error::temporary(temp_dir, error))
}

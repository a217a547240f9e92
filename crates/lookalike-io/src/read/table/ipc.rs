//! Arrow IPC files and streams (the Arrow columnar format, "Serialization and Interprocess Communication"): a part is a record
//! batch. A stream is walked through once, from head to head, and then read as a file is.

use std::{
    collections::HashMap,
    iter::once,
    ops::Range,
    sync::{Arc, Mutex},
};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{
    Block, Message, MessageHeader,
    reader::{RecordBatchDecoder, read_dictionary, read_footer_length},
    root_as_footer, root_as_message,
};
use arrow_schema::{DataType, SchemaRef};
use bytes::Bytes;

use super::{
    Columns, Ranges,
    layout::{Format, Layout, Part, Wanted, damaged, parts},
    stored,
};
use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
};

/// An Arrow IPC file or stream, its messages found. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Ipc(Arc<Inner>);

struct Inner {
    ranges: Ranges,
    schema: SchemaRef,
    metadata: Vec<(String, Option<String>)>,
    dictionaries: Vec<Block>,
    batches: Vec<Batch>,
    /// The dictionaries last read, and how many of them.
    known: Mutex<(usize, Dictionaries)>,
}

/// The values of dictionaries, by the dictionaries' numbers.
type Dictionaries = Arc<HashMap<i64, ArrayRef>>;

struct Batch {
    block: Block,
    rows: u64,
    /// Dictionaries that are to be read before it.
    dictionaries: usize,
}

/// A batch to be read.
pub(crate) struct IpcPart {
    ipc: Ipc,
    number: usize,
}

/// A message is behind this, and the length of its head.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Heads beyond this are no heads.
const MOST_HEAD: u64 = 256 << 20;

impl Ipc {
    /// Whether a file that begins so is a stream: a head behind its length, with the mark of today's streams.
    pub(crate) fn is_stream(start: &[u8]) -> bool {
        start.len() == 8 && start[..4] == CONTINUATION && start[4..] != CONTINUATION && start[4..] != [0; 4]
    }

    pub(crate) fn open(ranges: Ranges, format: Format) -> Result<Self> {
        let inner = if format == Format::ArrowFile { of_file(ranges)? } else { of_stream(ranges)? };
        Ok(Self(Arc::new(inner)))
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        let size = |batch: &Batch| (batch.rows, batch.block.bodyLength() as u64 + batch.block.metaDataLength() as u64);
        parts(self.0.batches.iter().map(size))
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout {
            schema: self.0.schema.clone(),
            metadata: self.0.metadata.clone(),
            group_rows: None,
            types: None,
            dictionaries: Vec::new(),
        }
    }

    pub(crate) fn part(&self, number: usize) -> IpcPart {
        IpcPart { ipc: self.clone(), number }
    }
}

/// What the footer says of a file.
fn of_file(ranges: Ranges) -> Result<Inner> {
    const TRAILER: u64 = 10;
    let (name, size) = (ranges.name().to_owned(), ranges.size());
    let truncated = || {
        let failure = Error::new(ErrorKind::Input, "begins as an Arrow file, but has no footer: it is truncated").at(&*name);
        failure.advise("copy or download it again")
    };
    let trailer = ranges.read(size.saturating_sub(TRAILER)..size)?;
    let trailer: [u8; 10] = trailer[..].try_into().map_err(|_| truncated())?;
    let length = read_footer_length(trailer).map_err(|_| truncated())? as u64;
    let footer = ranges.read((size - TRAILER).checked_sub(length).ok_or_else(truncated)?..size - TRAILER)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(&name, format_args!("its footer: {error}")))?;
    let missing = |what: &str| damaged(&name, format_args!("its footer has no {what}"));
    let schema = footer.schema().ok_or_else(|| missing("schema"))?;
    let schema: SchemaRef = Arc::new(schema_of(&name, schema)?);
    let pairs = footer.custom_metadata().into_iter().flatten();
    let metadata = pairs.filter_map(|pair| Some((pair.key()?.to_owned(), pair.value().map(str::to_owned)))).collect();
    let dictionaries: Vec<Block> = footer.dictionaries().into_iter().flatten().copied().collect();
    let mut batches = Vec::new();
    for block in footer.recordBatches().into_iter().flatten() {
        let (header, rows) = head(&ranges, block)?;
        if header != MessageHeader::RecordBatch {
            return Err(missing("record batch where there should be one"));
        }
        batches.push(Batch { block: *block, rows, dictionaries: dictionaries.len() });
    }
    Ok(Inner { ranges, schema, metadata, dictionaries, batches, known: Mutex::default() })
}

/// What the heads say of a stream.
fn of_stream(ranges: Ranges) -> Result<Inner> {
    let name = ranges.name().to_owned();
    let (mut at, size) = (0, ranges.size());
    let (mut schema, mut dictionaries, mut batches) = (None, Vec::new(), Vec::new());
    while at < size {
        let mark = ranges.read(at..size.min(at + 8))?;
        let length = match mark.get(..8).map(|mark| (&mark[..4], &mark[4..])) {
            Some((first, length)) if first == CONTINUATION => {
                u64::from(u32::from_le_bytes(length.try_into().unwrap_or_default()))
            }
            _ => return Err(damaged(&name, format_args!("no message at byte {at}"))),
        };
        if length == 0 {
            break;
        }
        let block = Block::new(at as i64, (length + 8).min(MOST_HEAD) as i32, 0);
        let bytes = message_head(&ranges, &block)?;
        let message = parsed(&name, &bytes)?;
        let body = message.bodyLength();
        let block = Block::new(at as i64, block.metaDataLength(), body);
        inside(&ranges, &block)?;
        match message.header_type() {
            MessageHeader::Schema if schema.is_none() => {
                let own = message.header_as_schema().ok_or_else(|| damaged(&name, "a schema that is none"))?;
                schema = Some(Arc::new(schema_of(&name, own)?));
            }
            MessageHeader::DictionaryBatch => dictionaries.push(block),
            MessageHeader::RecordBatch => {
                let rows = rows_of(&name, &message)?;
                batches.push(Batch { block, rows, dictionaries: dictionaries.len() });
            }
            _ => return Err(damaged(&name, format_args!("a message of an unknown kind at byte {at}"))),
        }
        at += 8 + length + body as u64;
    }
    let schema = schema.ok_or_else(|| damaged(&name, "it has no schema"))?;
    Ok(Inner { ranges, schema, metadata: Vec::new(), dictionaries, batches, known: Mutex::default() })
}

fn schema_of(name: &str, schema: arrow_ipc::Schema) -> Result<arrow_schema::Schema> {
    if schema.endianness() == arrow_ipc::Endianness::Big && cfg!(target_endian = "little") {
        let refused = Error::new(ErrorKind::Input, "has its numbers with the high byte first").at(name);
        return Err(refused.advise("write it again on a machine of today"));
    }
    stored::schema(name, schema)
}

/// Refuses a message that is not all in the file.
fn inside(ranges: &Ranges, block: &Block) -> Result<Range<u64>> {
    let (start, head, body) = (block.offset(), i64::from(block.metaDataLength()), block.bodyLength());
    let end = head.checked_add(body).and_then(|length| start.checked_add(length));
    match end {
        Some(end) if start >= 0 && head >= 8 && body >= 0 && end as u64 <= ranges.size() => Ok(start as u64..end as u64),
        _ => {
            let name = ranges.name();
            let what = format!("ends in the middle of a message at byte {start}: the file is truncated");
            Err(Error::new(ErrorKind::Input, what).at(name).advise("copy or download it again"))
        }
    }
}

/// The head of a message: its bytes with the mark before them.
fn message_head(ranges: &Ranges, block: &Block) -> Result<Bytes> {
    inside(ranges, &Block::new(block.offset(), block.metaDataLength(), 0))?;
    let start = block.offset() as u64;
    ranges.read(start..start + block.metaDataLength() as u64)
}

fn parsed<'a>(name: &str, bytes: &'a [u8]) -> Result<Message<'a>> {
    let from = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
    root_as_message(bytes.get(from..).unwrap_or_default())
        .map_err(|error| damaged(name, format_args!("the head of a message: {error}")))
}

fn rows_of(name: &str, message: &Message) -> Result<u64> {
    let batch = message.header_as_record_batch().ok_or_else(|| damaged(name, "a record batch that is none"))?;
    u64::try_from(batch.length()).map_err(|_| damaged(name, "a record batch with fewer than no rows"))
}

/// What a message is, and the rows of a record batch.
fn head(ranges: &Ranges, block: &Block) -> Result<(MessageHeader, u64)> {
    inside(ranges, block)?;
    let bytes = message_head(ranges, block)?;
    let message = parsed(ranges.name(), &bytes)?;
    let rows = if message.header_type() == MessageHeader::RecordBatch { rows_of(ranges.name(), &message)? } else { 0 };
    Ok((message.header_type(), rows))
}

impl IpcPart {
    /// Reads and decodes the batch; only the columns that were chosen, if these are wanted.
    pub(crate) fn read(self, columns: &Columns, wanted: Wanted) -> Result<RecordBatch> {
        let Inner { ranges, schema, .. } = &*self.ipc.0;
        let Batch { block, dictionaries, .. } = &self.ipc.0.batches[self.number];
        let told = |what: String| damaged(ranges.name(), format_args!("record batch {}: {what}", self.number));
        let dictionaries = self.ipc.dictionaries(*dictionaries)?;
        let roots = (wanted == Wanted::Chosen).then(|| columns.roots(schema));
        let bytes = message_head(ranges, block)?;
        let message = parsed(ranges.name(), &bytes)?;
        let batch = message.header_as_record_batch().ok_or_else(|| told("there is none".into()))?;
        let (start, length) = (block.offset() as u64 + block.metaDataLength() as u64, block.bodyLength() as u64);
        let needed = roots.as_ref().and_then(|roots| needed(schema, batch, roots, length));
        let needed: Vec<_> = match needed {
            Some(places) => places.into_iter().map(|place| start + place.start..start + place.end).collect(),
            None => once(start..start + length).collect(),
        };
        // What is not read stays zero, and is memory that nothing has touched.
        let mut body = MutableBuffer::from_len_zeroed(length as usize);
        ranges.read_into(&mut body, start, &needed)?;
        plausible(batch, &body).map_err(|what| told(what.into()))?;
        let (body, version) = (Buffer::from(body), message.version());
        let decoder = RecordBatchDecoder::try_new(&body, batch, schema.clone(), &dictionaries, &version);
        let read = decoder.and_then(|decoder| decoder.with_projection(roots.as_deref()).read_record_batch());
        read.map_err(|error| told(error.to_string()))
    }
}

impl Ipc {
    /// The dictionaries as they are behind the first so many of their messages.
    fn dictionaries(&self, messages: usize) -> Result<Dictionaries> {
        let Inner { ranges, schema, .. } = &*self.0;
        let (mut read, mut known) = lock(&self.0.known).clone();
        if read > messages {
            (read, known) = Default::default();
        }
        if read == messages {
            return Ok(known);
        }
        let mut values = HashMap::clone(&known);
        for block in &self.0.dictionaries[read..messages] {
            let told = |what: String| damaged(ranges.name(), format_args!("a dictionary: {what}"));
            let place = inside(ranges, block)?;
            let bytes = ranges.read(place)?;
            let message = parsed(ranges.name(), &bytes)?;
            let dictionary = message.header_as_dictionary_batch().ok_or_else(|| told("there is none".into()))?;
            let body = bytes.slice(block.metaDataLength() as usize..);
            if let Some(batch) = dictionary.data() {
                plausible(batch, &body).map_err(|what| told(what.into()))?;
            }
            let body = Buffer::from(body);
            read_dictionary(&body, dictionary, schema, &mut values, &message.version())
                .map_err(|error| told(error.to_string()))?;
        }
        let values = Arc::new(values);
        *lock(&self.0.known) = (messages, values.clone());
        Ok(values)
    }
}

/// Refuses what says of itself that it is larger than it can be: the decoder believes it, and asks for the memory.
fn plausible(batch: arrow_ipc::RecordBatch, body: &[u8]) -> std::result::Result<(), &'static str> {
    /// What a byte becomes at most: a Zstandard block of four bytes is 128 KiB.
    const RATIO: i64 = 32 << 10;
    let buffers = batch.buffers().ok_or("no buffers")?;
    let mut views = batch.variadicBufferCounts().into_iter().flatten();
    let mut left = buffers.len() as i64;
    if !views.all(|count| {
        left -= count.max(0);
        count >= 0 && left >= 0
    }) {
        return Err("more buffers of views than there are");
    }
    let compressed = batch.compression().is_some();
    for buffer in buffers {
        let end = buffer.offset().checked_add(buffer.length()).filter(|&end| end <= body.len() as i64);
        let Some(_) = end.filter(|_| buffer.offset() >= 0 && buffer.length() >= 0) else {
            return Err("a buffer outside of its body");
        };
        let bytes = &body[buffer.offset() as usize..][..buffer.length() as usize];
        let size = bytes.first_chunk().map_or(0, |size| i64::from_le_bytes(*size));
        if compressed && size > RATIO.saturating_mul(buffer.length()) {
            return Err("a buffer larger than it can be");
        }
    }
    Ok(())
}

/// Where in a body the buffers of some columns lie; none where that cannot be told, and all has to be read.
fn needed(schema: &SchemaRef, batch: arrow_ipc::RecordBatch, roots: &[usize], length: u64) -> Option<Vec<Range<u64>>> {
    let buffers = batch.buffers()?;
    let mut variadic = batch.variadicBufferCounts().into_iter().flatten();
    let (mut next, mut places) = (0usize, Vec::new());
    for (at, field) in schema.fields().iter().enumerate() {
        let count = buffers_of(field.data_type(), &mut variadic)?;
        let own = next..next.checked_add(count).filter(|&end| end <= buffers.len())?;
        next = own.end;
        if roots.contains(&at) {
            for buffer in own.map(|number| buffers.get(number)) {
                let start = u64::try_from(buffer.offset()).ok()?;
                places.push(start..start.checked_add(u64::try_from(buffer.length()).ok()?).filter(|&end| end <= length)?);
            }
        }
    }
    (next == buffers.len()).then_some(places)
}

/// How many buffers an array of a type has; none of a union, which had another number in older versions.
fn buffers_of(own: &DataType, variadic: &mut impl Iterator<Item = i64>) -> Option<usize> {
    Some(match own {
        DataType::Null => 0,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => 3,
        DataType::Utf8View | DataType::BinaryView => 2 + usize::try_from(variadic.next()?).ok()?,
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => 2 + buffers_of(item.data_type(), variadic)?,
        DataType::ListView(item) | DataType::LargeListView(item) => 3 + buffers_of(item.data_type(), variadic)?,
        DataType::FixedSizeList(item, _) => 1 + buffers_of(item.data_type(), variadic)?,
        DataType::Struct(fields) => {
            let mut count = 1usize;
            for field in fields {
                count = count.checked_add(buffers_of(field.data_type(), variadic)?)?;
            }
            count
        }
        DataType::RunEndEncoded(ends, values) => {
            buffers_of(ends.data_type(), variadic)? + buffers_of(values.data_type(), variadic)?
        }
        DataType::Union(..) => return None,
        _ => 2,
    })
}

//! Arrow IPC files and streams (the Arrow columnar format, "Serialization and Interprocess Communication"). Each part of such a
//! table is a record batch. A stream is first scanned once, from message header to message header, and then read like a file.

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

/// An Arrow IPC file or stream whose messages have been located. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Ipc(Arc<Inner>);

struct Inner {
    ranges: Ranges,
    schema: SchemaRef,
    metadata: Vec<(String, Option<String>)>,
    dictionaries: Vec<Block>,
    batches: Vec<Batch>,
    /// The dictionaries that were read last, and the number of dictionary messages that were read to obtain them.
    known: Mutex<(usize, Dictionaries)>,
}

/// The values of dictionaries, by the numbers of the dictionaries.
type Dictionaries = Arc<HashMap<i64, ArrayRef>>;

struct Batch {
    block: Block,
    rows: u64,
    /// The number of dictionary messages that must be read before this batch.
    dictionaries: usize,
}

/// A batch to read.
pub(crate) struct IpcPart {
    ipc: Ipc,
    number: usize,
}

/// The four bytes that mark the start of a message. The length of the message's header follows them.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The maximum length of a message header. A longer header is invalid.
const MOST_HEAD: u64 = 256 << 20;

impl Ipc {
    /// Returns whether a file with this beginning is a stream. A stream in the current format begins with the mark
    /// `CONTINUATION`, followed by the length of a header.
    pub(crate) fn is_stream(start: &[u8]) -> bool {
        start.len() == 8
            && start[..4] == CONTINUATION
            && start[4..] != CONTINUATION
            && start[4..] != [0; 4]
    }

    pub(crate) fn open(ranges: Ranges, format: Format) -> Result<Self> {
        let inner = if format == Format::ArrowFile {
            of_file(ranges)?
        } else {
            of_stream(ranges)?
        };
        Ok(Self(Arc::new(inner)))
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        let size = |batch: &Batch| {
            (
                batch.rows,
                batch.block.bodyLength() as u64 + batch.block.metaDataLength() as u64,
            )
        };
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
        IpcPart {
            ipc: self.clone(),
            number,
        }
    }
}

/// Locates the messages of a file by its footer.
fn of_file(ranges: Ranges) -> Result<Inner> {
    const TRAILER: u64 = 10;
    let (name, size) = (ranges.name().to_owned(), ranges.size());
    let truncated = || {
        let failure = Error::new(
            ErrorKind::Input,
            "begins like an Arrow file, but has no footer: it is truncated",
        )
        .at(&*name);
        failure.advise("copy or download it again")
    };
    let trailer = ranges.read(size.saturating_sub(TRAILER)..size)?;
    let trailer: [u8; 10] = trailer[..].try_into().map_err(|_| truncated())?;
    let length = read_footer_length(trailer).map_err(|_| truncated())? as u64;
    let footer =
        ranges.read((size - TRAILER).checked_sub(length).ok_or_else(truncated)?..size - TRAILER)?;
    let footer = root_as_footer(&footer)
        .map_err(|error| damaged(&name, format_args!("its footer: {error}")))?;
    let missing = |what: &str| damaged(&name, format_args!("its footer has no {what}"));
    let schema = footer.schema().ok_or_else(|| missing("schema"))?;
    let schema: SchemaRef = Arc::new(schema_of(&name, schema)?);
    let pairs = footer.custom_metadata().into_iter().flatten();
    let metadata = pairs
        .filter_map(|pair| Some((pair.key()?.to_owned(), pair.value().map(str::to_owned))))
        .collect();
    let dictionaries: Vec<Block> = footer
        .dictionaries()
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let mut batches = Vec::new();
    for block in footer.recordBatches().into_iter().flatten() {
        let (header, rows) = head(&ranges, block)?;
        if header != MessageHeader::RecordBatch {
            return Err(missing("record batch where it should have one"));
        }
        batches.push(Batch {
            block: *block,
            rows,
            dictionaries: dictionaries.len(),
        });
    }
    Ok(Inner {
        ranges,
        schema,
        metadata,
        dictionaries,
        batches,
        known: Mutex::default(),
    })
}

/// Locates the messages of a stream by their headers.
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
                let own = message
                    .header_as_schema()
                    .ok_or_else(|| damaged(&name, "an invalid schema"))?;
                schema = Some(Arc::new(schema_of(&name, own)?));
            }
            MessageHeader::DictionaryBatch => dictionaries.push(block),
            MessageHeader::RecordBatch => {
                let rows = rows_of(&name, &message)?;
                batches.push(Batch {
                    block,
                    rows,
                    dictionaries: dictionaries.len(),
                });
            }
            _ => {
                return Err(damaged(
                    &name,
                    format_args!("a message of an unknown kind at byte {at}"),
                ));
            }
        }
        at += 8 + length + body as u64;
    }
    let schema = schema.ok_or_else(|| damaged(&name, "it has no schema"))?;
    Ok(Inner {
        ranges,
        schema,
        metadata: Vec::new(),
        dictionaries,
        batches,
        known: Mutex::default(),
    })
}

fn schema_of(name: &str, schema: arrow_ipc::Schema) -> Result<arrow_schema::Schema> {
    if schema.endianness() == arrow_ipc::Endianness::Big && cfg!(target_endian = "little") {
        let refused = Error::new(
            ErrorKind::Input,
            "stores its numbers with the high byte first (big-endian)",
        )
        .at(name);
        return Err(refused.advise("write it again on a little-endian machine"));
    }
    stored::schema(name, schema)
}

/// Returns the range of a message. Returns an error if the message is not completely in the file.
fn inside(ranges: &Ranges, block: &Block) -> Result<Range<u64>> {
    let (start, head, body) = (
        block.offset(),
        i64::from(block.metaDataLength()),
        block.bodyLength(),
    );
    let end = head
        .checked_add(body)
        .and_then(|length| start.checked_add(length));
    match end {
        Some(end) if start >= 0 && head >= 8 && body >= 0 && end as u64 <= ranges.size() => {
            Ok(start as u64..end as u64)
        }
        _ => {
            let name = ranges.name();
            let what =
                format!("ends in the middle of a message at byte {start}: the file is truncated");
            Err(Error::new(ErrorKind::Input, what)
                .at(name)
                .advise("copy or download it again"))
        }
    }
}

/// Reads the header of a message, including the mark before it.
fn message_head(ranges: &Ranges, block: &Block) -> Result<Bytes> {
    inside(
        ranges,
        &Block::new(block.offset(), block.metaDataLength(), 0),
    )?;
    let start = block.offset() as u64;
    ranges.read(start..start + block.metaDataLength() as u64)
}

fn parsed<'a>(name: &str, bytes: &'a [u8]) -> Result<Message<'a>> {
    let from = if bytes.starts_with(&CONTINUATION) {
        8
    } else {
        4
    };
    root_as_message(bytes.get(from..).unwrap_or_default())
        .map_err(|error| damaged(name, format_args!("the head of a message: {error}")))
}

fn rows_of(name: &str, message: &Message) -> Result<u64> {
    let batch = message
        .header_as_record_batch()
        .ok_or_else(|| damaged(name, "an invalid record batch"))?;
    u64::try_from(batch.length())
        .map_err(|_| damaged(name, "a record batch with a negative number of rows"))
}

/// Returns the kind of a message, and the number of rows if it is a record batch.
fn head(ranges: &Ranges, block: &Block) -> Result<(MessageHeader, u64)> {
    inside(ranges, block)?;
    let bytes = message_head(ranges, block)?;
    let message = parsed(ranges.name(), &bytes)?;
    let rows = if message.header_type() == MessageHeader::RecordBatch {
        rows_of(ranges.name(), &message)?
    } else {
        0
    };
    Ok((message.header_type(), rows))
}

impl IpcPart {
    /// Reads and decodes the batch. `wanted` says whether to read all columns, or only the chosen ones.
    pub(crate) fn read(self, columns: &Columns, wanted: Wanted) -> Result<RecordBatch> {
        let Inner { ranges, schema, .. } = &*self.ipc.0;
        let Batch {
            block,
            dictionaries,
            ..
        } = &self.ipc.0.batches[self.number];
        let reported = |what: String| {
            damaged(
                ranges.name(),
                format_args!("record batch {}: {what}", self.number),
            )
        };
        let dictionaries = self.ipc.dictionaries(*dictionaries)?;
        let roots = (wanted == Wanted::Chosen).then(|| columns.roots(schema));
        let bytes = message_head(ranges, block)?;
        let message = parsed(ranges.name(), &bytes)?;
        let batch = message
            .header_as_record_batch()
            .ok_or_else(|| reported("it is missing".into()))?;
        let (start, length) = (
            block.offset() as u64 + block.metaDataLength() as u64,
            block.bodyLength() as u64,
        );
        let needed = roots
            .as_ref()
            .and_then(|roots| needed(schema, batch, roots, length));
        let needed: Vec<_> = match needed {
            Some(places) => places
                .into_iter()
                .map(|place| start + place.start..start + place.end)
                .collect(),
            None => once(start..start + length).collect(),
        };
        // Bytes that are not read stay zero, and the memory for them is never touched.
        let mut body = MutableBuffer::from_len_zeroed(length as usize);
        ranges.read_into(&mut body, start, &needed)?;
        plausible(batch, &body).map_err(|what| reported(what.into()))?;
        let (body, version) = (Buffer::from(body), message.version());
        let decoder =
            RecordBatchDecoder::try_new(&body, batch, schema.clone(), &dictionaries, &version);
        let read = decoder.and_then(|decoder| {
            decoder
                .with_projection(roots.as_deref())
                .read_record_batch()
        });
        read.map_err(|error| reported(error.to_string()))
    }
}

impl Ipc {
    /// Returns the dictionaries as they are after the first `messages` dictionary messages.
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
            let reported =
                |what: String| damaged(ranges.name(), format_args!("a dictionary: {what}"));
            let place = inside(ranges, block)?;
            let bytes = ranges.read(place)?;
            let message = parsed(ranges.name(), &bytes)?;
            let dictionary = message
                .header_as_dictionary_batch()
                .ok_or_else(|| reported("it is missing".into()))?;
            let body = bytes.slice(block.metaDataLength() as usize..);
            if let Some(batch) = dictionary.data() {
                plausible(batch, &body).map_err(|what| reported(what.into()))?;
            }
            let body = Buffer::from(body);
            read_dictionary(&body, dictionary, schema, &mut values, &message.version())
                .map_err(|error| reported(error.to_string()))?;
        }
        let values = Arc::new(values);
        *lock(&self.0.known) = (messages, values.clone());
        Ok(values)
    }
}

/// Returns an error if a batch declares impossible sizes. The decoder trusts the declared sizes, and allocates memory for them.
fn plausible(batch: arrow_ipc::RecordBatch, body: &[u8]) -> std::result::Result<(), &'static str> {
    /// The maximum number of bytes that one compressed byte can become: a Zstandard block of four bytes can become 128 KiB.
    const RATIO: i64 = 32 << 10;
    let buffers = batch.buffers().ok_or("no buffers")?;
    let mut views = batch.variadicBufferCounts().into_iter().flatten();
    let mut left = buffers.len() as i64;
    if !views.all(|count| {
        left -= count.max(0);
        count >= 0 && left >= 0
    }) {
        return Err("more buffers of views than buffers");
    }
    let compressed = batch.compression().is_some();
    for buffer in buffers {
        let end = buffer
            .offset()
            .checked_add(buffer.length())
            .filter(|&end| end <= body.len() as i64);
        let Some(_) = end.filter(|_| buffer.offset() >= 0 && buffer.length() >= 0) else {
            return Err("a buffer outside its body");
        };
        let bytes = &body[buffer.offset() as usize..][..buffer.length() as usize];
        let size = bytes
            .first_chunk()
            .map_or(0, |size| i64::from_le_bytes(*size));
        if compressed && size > RATIO.saturating_mul(buffer.length()) {
            return Err("a buffer larger than possible");
        }
    }
    Ok(())
}

/// Returns the ranges of the buffers of some columns, as positions in the body of the message. Returns none if the ranges are
/// unknown; everything must then be read.
fn needed(
    schema: &SchemaRef,
    batch: arrow_ipc::RecordBatch,
    roots: &[usize],
    length: u64,
) -> Option<Vec<Range<u64>>> {
    let buffers = batch.buffers()?;
    let mut variadic = batch.variadicBufferCounts().into_iter().flatten();
    let (mut next, mut places) = (0usize, Vec::new());
    for (at, field) in schema.fields().iter().enumerate() {
        let count = buffers_of(field.data_type(), &mut variadic)?;
        let own = next..next
            .checked_add(count)
            .filter(|&end| end <= buffers.len())?;
        next = own.end;
        if roots.contains(&at) {
            for buffer in own.map(|number| buffers.get(number)) {
                let start = u64::try_from(buffer.offset()).ok()?;
                places.push(
                    start
                        ..start
                            .checked_add(u64::try_from(buffer.length()).ok()?)
                            .filter(|&end| end <= length)?,
                );
            }
        }
    }
    (next == buffers.len()).then_some(places)
}

/// Returns the number of buffers of an array of a type. Returns none for a union, because unions had a different number of
/// buffers in older versions.
fn buffers_of(own: &DataType, variadic: &mut impl Iterator<Item = i64>) -> Option<usize> {
    Some(match own {
        DataType::Null => 0,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => 3,
        DataType::Utf8View | DataType::BinaryView => 2 + usize::try_from(variadic.next()?).ok()?,
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            2 + buffers_of(item.data_type(), variadic)?
        }
        DataType::ListView(item) | DataType::LargeListView(item) => {
            3 + buffers_of(item.data_type(), variadic)?
        }
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

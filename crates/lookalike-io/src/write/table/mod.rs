//! Rows → a Parquet file, an Arrow IPC file or stream, with all columns, types and metadata as they came.
//!
//! Row groups of a Parquet file are encoded side by side on the pool's threads and appended in order. What is in which depends on
//! what was pushed alone, so the bytes are the same for any number of threads.

mod distinct;

mod dictionaries;

mod recast;

mod native;

mod schemas;

mod types;

use std::{
    collections::VecDeque,
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use arrow_array::{Array, RecordBatch};
use arrow_ipc::{
    CompressionType,
    writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter},
};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::{
    arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions, compute_leaves},
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::{WriterProperties, WriterVersion},
        writer::SerializedFileWriter,
    },
    schema::types::ColumnPath,
};

use self::{dictionaries::Dictionaries, types::types_of};
pub use self::{native::refuse_others, schemas::one_schema};
use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
    read::table::{Format, Layout, retyped},
};

/// The format that a name's ending asks for: Parquet where it says nothing.
pub(crate) fn format(name: &str) -> Format {
    let name = name.to_ascii_lowercase();
    match () {
        () if name.ends_with(".arrows") => Format::ArrowStream,
        () if [".arrow", ".feather", ".ipc"].iter().any(|ending| name.ends_with(ending)) => Format::ArrowFile,
        () => Format::Parquet,
    }
}

/// A table in the making.
pub struct TableOutput<W: Write + Send> {
    name: String,
    /// Of what comes, and of what is written.
    schema: SchemaRef,
    written: SchemaRef,
    /// What is to come into the next row group or record batch.
    pending: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    /// When they are enough.
    most_rows: usize,
    most_bytes: usize,
    kind: Kind<W>,
}

enum Kind<W: Write + Send> {
    Parquet(Box<ParquetOutput<W>>),
    File(Box<FileWriter<W>>, Dictionaries),
    Stream(Box<StreamWriter<W>>),
}

/// Of a row group, before it is encoded.
const GROUP_BYTES: usize = 64 << 20;
/// Of a record batch, before it is compressed.
const BATCH_BYTES: usize = 8 << 20;
/// Zstandard's level: on the bench collection see `bench/speed/NOTES.md`.
const LEVEL: i32 = 1;

impl<W: Write + Send> TableOutput<W> {
    /// Starts a table in a format, with what its input had. `long` is the path of a column with long texts, which has a dictionary
    /// only where it had one. Up to `ahead` row groups of 64 MiB or so are in memory at once; one a thread is enough.
    ///
    /// # Errors
    /// A type that the format cannot have; the writer's.
    pub fn new(writer: W, name: &str, format: Format, layout: &Layout, long: &[String], ahead: usize) -> Result<Self> {
        let schema = layout.schema.clone();
        // What came out of a Parquet file goes as it came.
        let written = if format == Format::Parquet && layout.types.is_none() { native::native(&schema) } else { schema.clone() };
        let kind = match format {
            Format::Parquet => {
                let layout = &Layout { schema: written.clone(), ..layout.clone() };
                ParquetOutput::new(writer, name, layout, long, ahead).map(|output| Kind::Parquet(Box::new(output)))?
            }
            Format::ArrowStream => {
                let started = ipc_options(false).and_then(|options| StreamWriter::try_new_with_options(writer, &schema, options));
                Kind::Stream(Box::new(started.map_err(|error| of_arrow(name, error))?))
            }
            Format::ArrowFile => {
                let started = ipc_options(true).and_then(|options| FileWriter::try_new_with_options(writer, &schema, options));
                let mut file = started.map_err(|error| of_arrow(name, error))?;
                for (key, value) in layout.metadata.iter().filter(|(key, _)| !schema.metadata().contains_key(key)) {
                    file.write_metadata(key, value.as_deref().unwrap_or_default());
                }
                Kind::File(Box::new(file), Dictionaries::default())
            }
        };
        let is_parquet = format == Format::Parquet;
        // Parts of other formats are no row groups.
        let groups = layout.group_rows.filter(|_| is_parquet && !layout.dictionaries.is_empty());
        let most_rows = groups.map_or(usize::MAX, |rows| rows.max(1));
        let most_bytes = if is_parquet { GROUP_BYTES } else { BATCH_BYTES };
        Ok(Self { name: name.into(), schema, written, pending: Vec::new(), rows: 0, bytes: 0, most_rows, most_bytes, kind })
    }

    /// Appends rows. A batch may be of a schema that is the same but for nullability and metadata.
    ///
    /// # Errors
    /// What cannot be encoded or written; a failure may be that of earlier rows.
    pub fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let mut batch = if batch.schema_ref() == &self.schema { batch } else { retyped(&batch, &self.schema)? };
        if self.written != self.schema {
            batch = native::cast(&batch, &self.written)?;
        }
        while batch.num_rows() > 0 {
            let room = self.most_rows - self.rows;
            let rest = (batch.num_rows() > room).then(|| batch.slice(room, batch.num_rows() - room));
            let taken = if rest.is_some() { batch.slice(0, room) } else { batch };
            self.rows += taken.num_rows();
            self.bytes += size(&taken);
            self.pending.push(taken);
            if self.rows >= self.most_rows || self.bytes >= self.most_bytes {
                self.close_group()?;
            }
            match rest {
                Some(rest) => batch = rest,
                None => break,
            }
        }
        Ok(())
    }

    fn close_group(&mut self) -> Result<()> {
        (self.rows, self.bytes) = (0, 0);
        let batches = std::mem::take(&mut self.pending);
        if batches.is_empty() {
            return Ok(());
        }
        let name = &self.name;
        let one = |batches: &[RecordBatch]| match batches {
            [one] => Ok(one.clone()),
            some => arrow_select::concat::concat_batches(&self.written, some),
        };
        match &mut self.kind {
            Kind::Parquet(output) => output.push(name, batches),
            Kind::File(file, dictionaries) => {
                let batch = one(&batches).and_then(|batch| dictionaries.unite(&batch));
                batch.and_then(|batch| file.write(&batch)).map_err(|error| of_arrow(name, error))
            }
            Kind::Stream(stream) => {
                let batch = one(&batches).and_then(|batch| dictionaries::compacted(&batch));
                batch.and_then(|batch| stream.write(&batch)).map_err(|error| of_arrow(name, error))
            }
        }
    }

    /// Writes what is left, and the footer; gives the writer back.
    ///
    /// # Errors
    /// What cannot be encoded or written.
    pub fn finish(mut self) -> Result<W> {
        self.close_group()?;
        let name = &self.name;
        match self.kind {
            Kind::Parquet(output) => output.finish(name),
            Kind::File(mut file, _) => file.finish().and_then(|()| file.into_inner()).map_err(|error| of_arrow(name, error)),
            Kind::Stream(mut stream) => stream.finish().and_then(|()| stream.into_inner()).map_err(|error| of_arrow(name, error)),
        }
    }
}

fn ipc_options(grows: bool) -> std::result::Result<IpcWriteOptions, ArrowError> {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
    Ok(options.with_dictionary_handling(if grows { DictionaryHandling::Delta } else { DictionaryHandling::Resend }))
}

/// Bytes of a batch's rows, about: views count for what they show.
fn size(batch: &RecordBatch) -> usize {
    let column = |array: &arrow_array::ArrayRef| match array.data_type() {
        DataType::Utf8View | DataType::BinaryView => {
            let data = array.to_data();
            let views: &[u128] = data.buffers().first().map_or(&[], |views| views.typed_data());
            views.iter().skip(data.offset()).take(data.len()).map(|&view| 16 + (view as u32) as usize).sum()
        }
        _ => array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size()),
    };
    batch.columns().iter().map(column).sum()
}

fn of_arrow(name: &str, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => Error::writing(name, &error),
        ArrowError::ExternalError(error) => match error.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => refused(name, &other.to_string()),
        },
        other => refused(name, &other.to_string()),
    }
}

fn of_parquet(name: &str, error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => Error::writing(name, &error),
            Err(other) => refused(name, &other.to_string()),
        },
        ParquetError::General(what) | ParquetError::NYI(what) | ParquetError::ArrowError(what) => refused(name, &what),
        other => refused(name, &other.to_string()),
    }
}

fn refused(name: &str, what: &str) -> Error {
    let failure = Error::new(ErrorKind::Output, format!("cannot be written: {what}")).at(name);
    failure.advise("convert that column first, or write another format")
}

/// A Parquet file in the making.
struct ParquetOutput<W: Write + Send> {
    file: SerializedFileWriter<W>,
    factory: Arc<ArrowRowGroupWriterFactory>,
    schema: SchemaRef,
    /// Row groups that are being encoded, in order.
    started: VecDeque<Arc<Group>>,
    groups: usize,
    ahead: usize,
}

/// A row group: who comes first encodes it, a thread of the pool or the one that needs it. So whoever waits, waits for one who
/// works; nobody waits for a thread that is not there.
struct Group {
    work: Mutex<Option<Vec<RecordBatch>>>,
    done: Mutex<Option<Result<Vec<ArrowColumnChunk>>>>,
    told: Condvar,
}

impl<W: Write + Send> ParquetOutput<W> {
    fn new(writer: W, name: &str, layout: &Layout, long: &[String], ahead: usize) -> Result<Self> {
        let level = ZstdLevel::try_new(LEVEL).map_err(|error| of_parquet(name, error))?;
        let mut pairs: Vec<_> = layout.metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
        // Other readers look for the schema's metadata among the file's.
        let mut others: Vec<_> =
            layout.schema.metadata().iter().filter(|(key, _)| pairs.iter().all(|pair| pair.key != **key)).collect();
        others.sort_unstable();
        pairs.extend(others.into_iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_writer_version(WriterVersion::PARQUET_1_0)
            .set_created_by(concat!("lookalike ", env!("CARGO_PKG_VERSION")).into())
            .set_max_row_group_row_count(None)
            .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
            .set_column_dictionary_enabled(ColumnPath::new(long.to_vec()), false);
        for (path, has) in &layout.dictionaries {
            properties = properties.set_column_dictionary_enabled(ColumnPath::new(path.clone()), *has);
        }
        let mut options = ArrowWriterOptions::new().with_properties(properties.build());
        if let Some(input) = &layout.types {
            options = options.with_parquet_schema(types_of(&layout.schema, input).map_err(|error| of_parquet(name, error))?);
        }
        let started = ArrowWriter::try_new_with_options(writer, layout.schema.clone(), options)
            .and_then(ArrowWriter::into_serialized_writer);
        let (file, factory) = started.map_err(|error| of_parquet(name, error))?;
        Ok(Self {
            file,
            factory: Arc::new(factory),
            schema: layout.schema.clone(),
            started: VecDeque::new(),
            groups: 0,
            ahead: ahead.max(1),
        })
    }

    fn push(&mut self, name: &str, batches: Vec<RecordBatch>) -> Result<()> {
        while self.started.len() >= self.ahead {
            self.append(name)?;
        }
        let group = Arc::new(Group { work: Mutex::new(Some(batches)), done: Mutex::default(), told: Condvar::new() });
        self.started.push_back(group.clone());
        let (factory, schema, name, number) = (self.factory.clone(), self.schema.clone(), name.to_owned(), self.groups);
        self.groups += 1;
        rayon::spawn(move || group.work(&factory, number, &schema, &name));
        Ok(())
    }

    /// Appends the first row group that was started.
    fn append(&mut self, name: &str) -> Result<()> {
        let Some(group) = self.started.pop_front() else { return Ok(()) };
        group.work(&self.factory, self.groups - self.started.len() - 1, &self.schema, name);
        let chunks = group.wait()?;
        let append = || {
            let mut group = self.file.next_row_group()?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group)?;
            }
            group.close().map(drop)
        };
        append().map_err(|error| of_parquet(name, error))
    }

    fn finish(mut self, name: &str) -> Result<W> {
        while !self.started.is_empty() {
            self.append(name)?;
        }
        self.file.into_inner().map_err(|error| of_parquet(name, error))
    }
}

impl Group {
    /// Encodes it, if nobody has begun to.
    fn work(&self, factory: &ArrowRowGroupWriterFactory, number: usize, schema: &SchemaRef, name: &str) {
        let Some(batches) = lock(&self.work).take() else { return };
        let encode = || encode(factory, number, schema, &batches).map_err(|error| of_parquet(name, error));
        let encoded = catch_unwind(AssertUnwindSafe(encode));
        let encoded = encoded.unwrap_or_else(|panic| Err(Error::of_panic(&*panic)));
        *lock(&self.done) = Some(encoded);
        self.told.notify_all();
    }

    fn wait(&self) -> Result<Vec<ArrowColumnChunk>> {
        let mut done = lock(&self.done);
        loop {
            if let Some(encoded) = done.take() {
                return encoded;
            }
            done = self.told.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Encodes the columns of a row group.
fn encode(
    factory: &ArrowRowGroupWriterFactory,
    number: usize,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> parquet::errors::Result<Vec<ArrowColumnChunk>> {
    let mut writers = factory.create_column_writers(number)?;
    for batch in batches {
        let mut next = writers.iter_mut();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            for (leaf, writer) in compute_leaves(field, column)?.iter().zip(&mut next) {
                writer.write(leaf)?;
            }
        }
    }
    writers.into_iter().map(|writer| writer.close()).collect()
}

#[cfg(test)]
mod tests;

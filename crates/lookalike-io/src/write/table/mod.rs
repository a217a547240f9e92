//! Writes rows to a Parquet file, an Arrow IPC file or an Arrow IPC stream. All columns, types and metadata are unchanged.
//!
//! Row groups of a Parquet file are encoded in parallel on the pool's threads and appended in order. Their contents depend only
//! on what was pushed, so the bytes are the same for any number of threads.

mod distinct;

mod dictionaries;

mod native;

mod schemas;

mod types;

use std::{
    collections::VecDeque,
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use arrow_array::{RecordBatch, UInt64Array};
use arrow_ipc::{
    CompressionType,
    writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter},
};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::take::take_record_batch;
use parquet::{
    arrow::arrow_writer::{
        ArrowColumnChunk, ArrowRowGroupWriterFactory, ArrowWriter, ArrowWriterOptions,
        compute_leaves,
    },
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
    read::table::{Format, Layout, retyped, size, viewed_bytes},
};

/// Returns the format for a file extension; Parquet by default.
pub(crate) fn format(name: &str) -> Format {
    let name = name.to_ascii_lowercase();
    match () {
        () if name.ends_with(".arrows") => Format::ArrowStream,
        () if [".arrow", ".feather", ".ipc"]
            .iter()
            .any(|ending| name.ends_with(ending)) =>
        {
            Format::ArrowFile
        }
        () => Format::Parquet,
    }
}

/// A table that is being written.
pub struct TableOutput<W: Write + Send> {
    name: String,
    /// The schema of the input; `written` is the schema of the output.
    schema: SchemaRef,
    written: SchemaRef,
    /// The data of the next row group or record batch.
    pending: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    /// The numbers of rows and bytes that complete a row group or record batch.
    most_rows: usize,
    most_bytes: usize,
    kind: Kind<W>,
}

enum Kind<W: Write + Send> {
    Parquet(Box<ParquetOutput<W>>),
    File(Box<FileWriter<W>>, Dictionaries),
    Stream(Box<StreamWriter<W>>),
}

/// The number of bytes in a row group, before it is encoded.
const GROUP_BYTES: usize = 64 << 20;
/// The number of bytes in a record batch, before it is compressed.
const BATCH_BYTES: usize = 8 << 20;
/// Zstandard's level; see `bench/speed/NOTES.md` for its results on the bench collection.
const LEVEL: i32 = 1;

impl<W: Write + Send> TableOutput<W> {
    /// Starts a table in a format, with the properties of its input. `long` is the path of a column with long texts, which gets a
    /// dictionary only if it had one in the input. Up to `ahead` row groups of about 64 MiB are in memory; one per thread is
    /// enough to keep all threads busy.
    ///
    /// # Errors
    /// Fails if the format does not support a type, or if the writer fails.
    pub fn new(
        writer: W,
        name: &str,
        format: Format,
        layout: &Layout,
        long: &[String],
        ahead: usize,
    ) -> Result<Self> {
        let schema = layout.schema.clone();
        // Data from a Parquet file is written with its original types.
        let written = if format == Format::Parquet && layout.types.is_none() {
            native::native(&schema)
        } else {
            schema.clone()
        };
        let kind = match format {
            Format::Parquet => {
                let layout = &Layout {
                    schema: written.clone(),
                    ..layout.clone()
                };
                ParquetOutput::new(writer, name, layout, long, ahead)
                    .map(|output| Kind::Parquet(Box::new(output)))?
            }
            Format::ArrowStream => {
                let started = ipc_options(false).and_then(|options| {
                    StreamWriter::try_new_with_options(writer, &schema, options)
                });
                Kind::Stream(Box::new(started.map_err(|error| of_arrow(name, error))?))
            }
            Format::ArrowFile => {
                let started = ipc_options(true)
                    .and_then(|options| FileWriter::try_new_with_options(writer, &schema, options));
                let mut file = started.map_err(|error| of_arrow(name, error))?;
                for (key, value) in layout
                    .metadata
                    .iter()
                    .filter(|(key, _)| !schema.metadata().contains_key(key))
                {
                    file.write_metadata(key, value.as_deref().unwrap_or_default());
                }
                Kind::File(Box::new(file), Dictionaries::default())
            }
        };
        let is_parquet = format == Format::Parquet;
        // The number of rows in the input's row groups is used only if input and output are Parquet. Other formats also have
        // parts, but these are not row groups.
        let groups = layout
            .group_rows
            .filter(|_| is_parquet && !layout.dictionaries.is_empty());
        let most_rows = groups.map_or(usize::MAX, |rows| rows.max(1));
        let most_bytes = if is_parquet { GROUP_BYTES } else { BATCH_BYTES };
        Ok(Self {
            name: name.into(),
            schema,
            written,
            pending: Vec::new(),
            rows: 0,
            bytes: 0,
            most_rows,
            most_bytes,
            kind,
        })
    }

    /// Appends rows. The schema of a batch may differ in nullability and metadata, and strings may be views.
    ///
    /// # Errors
    /// Fails if rows cannot be encoded or written. An error may be due to earlier rows.
    pub fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let mut batch = if batch.schema_ref() == &self.schema {
            batch
        } else {
            let rows = batch.num_rows() as u64;
            if rows > 1 && viewed_bytes(&batch) > self.most_bytes {
                // Each half is a batch of its own, in which only the views are copied.
                for half in [0..rows / 2, rows / 2..rows] {
                    let half = take_record_batch(&batch, &UInt64Array::from_iter_values(half));
                    self.push(half.map_err(|error| of_arrow(&self.name, error))?)?;
                }
                return Ok(());
            }
            retyped(&batch, &self.schema)?
        };
        if self.written != self.schema {
            batch = native::cast(&batch, &self.written)?;
        }
        while batch.num_rows() > 0 {
            let left = self.most_rows - self.rows;
            let rest =
                (batch.num_rows() > left).then(|| batch.slice(left, batch.num_rows() - left));
            let taken = if rest.is_some() {
                batch.slice(0, left)
            } else {
                batch
            };
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
                batch
                    .and_then(|batch| file.write(&batch))
                    .map_err(|error| of_arrow(name, error))
            }
            Kind::Stream(stream) => {
                let batch = one(&batches).and_then(|batch| dictionaries::compacted(&batch));
                batch
                    .and_then(|batch| stream.write(&batch))
                    .map_err(|error| of_arrow(name, error))
            }
        }
    }

    /// Writes the remaining rows and the footer; returns the writer.
    ///
    /// # Errors
    /// Fails if rows cannot be encoded or written.
    pub fn finish(mut self) -> Result<W> {
        self.close_group()?;
        let name = &self.name;
        match self.kind {
            Kind::Parquet(output) => output.finish(name),
            Kind::File(mut file, _) => file
                .finish()
                .and_then(|()| file.into_inner())
                .map_err(|error| of_arrow(name, error)),
            Kind::Stream(mut stream) => stream
                .finish()
                .and_then(|()| stream.into_inner())
                .map_err(|error| of_arrow(name, error)),
        }
    }
}

fn ipc_options(grows: bool) -> std::result::Result<IpcWriteOptions, ArrowError> {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
    Ok(options.with_dictionary_handling(if grows {
        DictionaryHandling::Delta
    } else {
        DictionaryHandling::Resend
    }))
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
        ParquetError::General(what) | ParquetError::NYI(what) | ParquetError::ArrowError(what) => {
            refused(name, &what)
        }
        other => refused(name, &other.to_string()),
    }
}

fn refused(name: &str, what: &str) -> Error {
    let failure = Error::new(ErrorKind::Output, format!("cannot be written: {what}")).at(name);
    failure.advise("convert that column first, or write another format")
}

/// A Parquet file that is being written.
struct ParquetOutput<W: Write + Send> {
    file: SerializedFileWriter<W>,
    factory: Arc<ArrowRowGroupWriterFactory>,
    schema: SchemaRef,
    /// Row groups that are being encoded, in order.
    started: VecDeque<Arc<Group>>,
    groups: usize,
    ahead: usize,
}

/// A row group. It is encoded by a thread of the pool or by the thread that needs it, whichever is first. So if a thread waits
/// for a row group, another thread is already encoding the group. No thread ever waits for work that has not started.
struct Group {
    work: Mutex<Option<Vec<RecordBatch>>>,
    done: Mutex<Option<Result<Vec<ArrowColumnChunk>>>>,
    ready: Condvar,
}

impl<W: Write + Send> ParquetOutput<W> {
    fn new(writer: W, name: &str, layout: &Layout, long: &[String], ahead: usize) -> Result<Self> {
        let level = ZstdLevel::try_new(LEVEL).map_err(|error| of_parquet(name, error))?;
        let mut pairs: Vec<_> = layout
            .metadata
            .iter()
            .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
            .collect();
        // Other programs that read the file look for the schema's metadata in the file's metadata.
        let mut others: Vec<_> = layout
            .schema
            .metadata()
            .iter()
            .filter(|(key, _)| pairs.iter().all(|pair| pair.key != **key))
            .collect();
        others.sort_unstable();
        pairs.extend(
            others
                .into_iter()
                .map(|(key, value)| KeyValue::new(key.clone(), value.clone())),
        );
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_writer_version(WriterVersion::PARQUET_1_0)
            .set_created_by(concat!("lookalike ", env!("CARGO_PKG_VERSION")).into())
            .set_max_row_group_row_count(None)
            .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
            .set_column_dictionary_enabled(ColumnPath::new(long.to_vec()), false);
        for (path, has) in &layout.dictionaries {
            properties =
                properties.set_column_dictionary_enabled(ColumnPath::new(path.clone()), *has);
        }
        let mut options = ArrowWriterOptions::new().with_properties(properties.build());
        if let Some(input) = &layout.types {
            options = options.with_parquet_schema(
                types_of(&layout.schema, input).map_err(|error| of_parquet(name, error))?,
            );
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
        let group = Arc::new(Group {
            work: Mutex::new(Some(batches)),
            done: Mutex::default(),
            ready: Condvar::new(),
        });
        self.started.push_back(group.clone());
        let (factory, schema, name, number) = (
            self.factory.clone(),
            self.schema.clone(),
            name.to_owned(),
            self.groups,
        );
        self.groups += 1;
        rayon::spawn(move || group.work(&factory, number, &schema, &name));
        Ok(())
    }

    /// Appends the row group that was started first.
    fn append(&mut self, name: &str) -> Result<()> {
        let Some(group) = self.started.pop_front() else {
            return Ok(());
        };
        group.work(
            &self.factory,
            self.groups - self.started.len() - 1,
            &self.schema,
            name,
        );
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
        self.file
            .into_inner()
            .map_err(|error| of_parquet(name, error))
    }
}

impl Group {
    /// Encodes the row group, unless another thread has already begun to encode it.
    fn work(
        &self,
        factory: &ArrowRowGroupWriterFactory,
        number: usize,
        schema: &SchemaRef,
        name: &str,
    ) {
        let Some(batches) = lock(&self.work).take() else {
            return;
        };
        let encode =
            || encode(factory, number, schema, &batches).map_err(|error| of_parquet(name, error));
        let encoded = catch_unwind(AssertUnwindSafe(encode));
        let encoded = encoded.unwrap_or_else(|panic| Err(Error::of_panic(&*panic)));
        *lock(&self.done) = Some(encoded);
        self.ready.notify_all();
    }

    fn wait(&self) -> Result<Vec<ArrowColumnChunk>> {
        let mut done = lock(&self.done);
        loop {
            if let Some(encoded) = done.take() {
                return encoded;
            }
            done = self
                .ready
                .wait(done)
                .unwrap_or_else(PoisonError::into_inner);
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

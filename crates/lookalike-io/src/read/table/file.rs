//! A table file: its schema, its parts, and how to read each part.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::{
    Columns, Ranges,
    ipc::Ipc,
    layout::{Batches, Format, Layout, Part, Wanted, batch_rows, guarded, parts},
    parquet::Parquet,
    rows::text_bytes,
};
use crate::{
    error::{Error, ErrorKind, Result},
    input_table::InputTable,
    read::format::{LOOK, foreign},
};

/// An open table. Several threads can read it in parallel at low cost.
pub struct TableFile {
    pub(crate) name: Arc<str>,
    parts: Vec<Part>,
    layout: Layout,
    source: Source,
}

enum Source {
    Parquet(Parquet),
    Ipc(Ipc),
    Batches(InputTable),
}

impl TableFile {
    /// Opens a table and reads its metadata: the footer, or for an Arrow stream the header of each message.
    ///
    /// # Errors
    /// Fails if the file is not a table, or is truncated, damaged or encrypted.
    pub fn open(ranges: Ranges) -> Result<Self> {
        let name: Arc<str> = ranges.name().into();
        let start = ranges.read(0..ranges.size().min(LOOK as u64))?;
        let of_name = name.clone();
        guarded(&name, move || {
            if start.starts_with(b"PAR1") || start.starts_with(b"PARE") {
                let parquet = Parquet::open(ranges)?;
                return Ok(Self::of(
                    of_name,
                    parquet.parts(),
                    parquet.layout(),
                    Source::Parquet(parquet),
                ));
            }
            if start.starts_with(b"ARROW1") || Ipc::is_stream(&start[..start.len().min(8)]) {
                let format = if start.starts_with(b"ARROW1") {
                    Format::ArrowFile
                } else {
                    Format::ArrowStream
                };
                let ipc = Ipc::open(ranges, format)?;
                return Ok(Self::of(
                    of_name,
                    ipc.parts(),
                    ipc.layout(),
                    Source::Ipc(ipc),
                ));
            }
            let neither = || {
                let refused = Error::new(
                    ErrorKind::Input,
                    "is neither a Parquet file nor an Arrow IPC file or stream",
                );
                refused.advise("name its format with $format")
            };
            Err(foreign::reported(&start, &of_name)
                .unwrap_or_else(neither)
                .at(&*of_name))
        })
    }

    /// Creates a table from batches in memory.
    pub fn in_memory(table: &InputTable) -> Self {
        let sizes = table.batches().iter().map(|batch| {
            (
                batch.num_rows() as u64,
                batch.get_array_memory_size() as u64,
            )
        });
        let parts = parts(sizes);
        let layout = Layout {
            schema: table.schema().clone(),
            metadata: Vec::new(),
            group_rows: None,
            types: None,
            dictionaries: Vec::new(),
        };
        Self::of(
            table.name().into(),
            parts,
            layout,
            Source::Batches(table.clone()),
        )
    }

    fn of(name: Arc<str>, parts: Vec<Part>, mut layout: Layout, source: Source) -> Self {
        layout.group_rows = parts.iter().map(|part| part.rows as usize).max();
        Self {
            name,
            parts,
            layout,
            source,
        }
    }

    /// Divides parts into smaller parts if the format allows it. Each smaller part has about `bytes` bytes of text.
    pub fn split(&mut self, columns: &Columns, bytes: u64) {
        if let Source::Parquet(parquet) = &mut self.source {
            parquet.split(columns, bytes);
            self.parts = parquet.parts();
        }
    }

    /// Returns the table's name in messages.
    #[cfg(test)]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all columns, with metadata.
    pub fn schema(&self) -> &SchemaRef {
        &self.layout.schema
    }

    /// Returns the layout that an output inherits.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the table's parts, in order. A part may have no rows.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the approximate number of bytes that are decoded at once if all columns are read.
    pub fn page_memory(&self) -> u64 {
        match &self.source {
            Source::Parquet(parquet) => parquet.page_memory(),
            Source::Ipc(_) => self.parts.iter().map(|part| part.bytes).max().unwrap_or(0),
            Source::Batches(_) => 0,
        }
    }

    /// Returns the number of rows in all parts.
    #[cfg(test)]
    pub fn rows(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.before + part.rows)
    }

    /// Returns the range of a column in a row group of a Parquet file.
    #[cfg(test)]
    pub(crate) fn chunk_place(
        &self,
        number: usize,
        path: &[String],
    ) -> Option<std::ops::Range<usize>> {
        match &self.source {
            Source::Parquet(parquet) => parquet.chunk_place(number, path),
            _ => None,
        }
    }

    /// Begins reading a part.
    ///
    /// # Errors
    /// Fails if the part does not exist or cannot be read.
    pub fn part(&self, number: usize, columns: &Columns, wanted: Wanted) -> Result<RowStream> {
        let Some(part) = self.parts.get(number) else {
            return Err(
                Error::new(ErrorKind::Internal, format!("has no part {number}")).at(&*self.name),
            );
        };
        let batches = guarded(&self.name, || match &self.source {
            Source::Parquet(parquet) => parquet.read(number, columns, wanted),
            Source::Ipc(ipc) => {
                let (ipc, columns) = (ipc.part(number), columns.clone());
                Ok(lazily(columns.clone(), part.bytes, move || {
                    ipc.read(&columns, wanted)
                }))
            }
            Source::Batches(table) => {
                let batch = table.batches()[number].clone();
                let batch = if wanted == Wanted::Chosen {
                    columns.project(&batch)?
                } else {
                    batch
                };
                Ok(lazily(columns.clone(), part.bytes, move || Ok(batch)))
            }
        })?;
        Ok(RowStream {
            name: self.name.clone(),
            part: number,
            rows: part.rows,
            read: 0,
            batches: Some(batches),
        })
    }
}

/// Returns a batch in smaller pieces. The batch is decoded only when the first piece is requested.
fn lazily(
    columns: Columns,
    all: u64,
    decode: impl FnOnce() -> Result<RecordBatch> + Send + 'static,
) -> Batches {
    let (mut decode, mut left) = (Some(decode), None::<(RecordBatch, usize)>);
    Box::new(std::iter::from_fn(move || {
        if let Some(decode) = decode.take() {
            let batch = match decode() {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            };
            let bytes = match text_bytes(&batch, &columns) {
                Ok(bytes) => bytes,
                Err(error) => return Some(Err(error)),
            };
            let rows = batch_rows(batch.num_rows() as u64, bytes, all);
            left = Some((batch, rows));
        }
        let (batch, rows) = left.take()?;
        if batch.num_rows() <= rows {
            return (batch.num_rows() > 0).then_some(Ok(batch));
        }
        left = Some((batch.slice(rows, batch.num_rows() - rows), rows));
        Some(Ok(batch.slice(0, rows)))
    }))
}

/// The rows of a part, in batches.
pub struct RowStream {
    name: Arc<str>,
    part: usize,
    rows: u64,
    read: u64,
    /// None after the end or a failure.
    batches: Option<Batches>,
}

impl RowStream {
    /// Returns the number of rows that are left.
    pub fn left(&self) -> u64 {
        self.rows.saturating_sub(self.read)
    }

    /// Returns the next batch, or none at the end.
    ///
    /// # Errors
    /// Fails if data is damaged; the error has the file, the part and, if possible, the column.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let Some(batches) = &mut self.batches else {
            return Ok(None);
        };
        let next = guarded(&self.name, || batches.next().transpose());
        match &next {
            Ok(Some(batch)) => {
                self.read += batch.num_rows() as u64;
                if self.read > self.rows {
                    return Err(self.of_other_length());
                }
            }
            Ok(None) => {
                self.batches = None;
                if self.read != self.rows {
                    return Err(self.of_other_length());
                }
            }
            Err(_) => self.batches = None,
        }
        next
    }

    fn of_other_length(&mut self) -> Error {
        self.batches = None;
        let Self {
            name,
            part,
            rows,
            read,
            ..
        } = self;
        let what =
            format!("part {part} should have {rows} rows and has {read}: the file is damaged");
        Error::new(ErrorKind::Input, what)
            .at(&**name)
            .advise("write it again")
    }
}

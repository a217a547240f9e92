//! Parquet files (the parquet-format specification, 2.12). Each part of such a table is a row group, or some pages of a large row
//! group.

mod head;

mod chunks;

mod pages;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    ops::Range,
    sync::{Arc, Mutex},
};

use arrow_schema::{DataType, Schema, SchemaRef};
use lookalike::shown::quoted;
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
            RowSelector,
        },
    },
    basic::Type,
    errors::ParquetError,
    file::metadata::{
        ColumnChunkMetaData, FileMetaData, OffsetIndexBuilder, PageIndexPolicy, ParquetMetaData,
        ParquetMetaDataBuilder, RowGroupMetaData,
    },
    schema::types::SchemaDescriptor,
};

use self::{
    chunks::{Chunks, chunk_start},
    pages::Pages,
};
use super::{
    Columns, Ranges,
    layout::{Batches, Layout, Part, WHOLE, Wanted, batch_rows, damaged, guarded, parts},
    retype::mapped_fields,
    stored::{self, ARROW_SCHEMA},
};
use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
};

/// A Parquet file whose footer has been read.
#[derive(Clone)]
pub(crate) struct Parquet {
    ranges: Arc<Ranges>,
    metadata: ArrowReaderMetadata,
    stretches: Arc<[Stretch]>,
    /// Whether strings may take far more bytes than the file stores for them.
    is_wide: bool,
    /// The positions of the pages of large row groups, by row group and leaf column.
    pages: Arc<Mutex<BTreeMap<(usize, usize), Pages>>>,
}

/// Rows that are read independently: all rows of a row group, or the rows of some of its pages.
#[derive(Clone, Copy)]
struct Stretch {
    group: usize,
    /// The number of rows that precede these rows in the group.
    start: u64,
    rows: u64,
}

/// The assumed maximum size of a decoded page in bytes. Most writers aim at this size or at a smaller one.
const PAGE: u64 = 1 << 20;

/// The minimum ratio between the bytes of a part and the bytes of the pages that are decoded twice. Some pages of columns other
/// than the text are decoded for a part and again for the next part.
const DECODED_TWICE: u64 = 4;

/// The number of row groups whose page positions are cached.
const REMEMBERED: usize = 8;

/// The number of bytes at the end of the file: the length of the footer, and the magic.
const TAIL: u64 = 8;

impl Parquet {
    pub(crate) fn open(ranges: Ranges) -> Result<Self> {
        let (name, size) = (ranges.name().to_owned(), ranges.size());
        let truncated = || {
            let failure = Error::new(
                ErrorKind::Input,
                "begins like a Parquet file, but has no footer: it is truncated",
            );
            failure.at(&*name).advise("copy or download it again")
        };
        if size < 12 {
            return Err(truncated());
        }
        let tail = ranges.read(size - TAIL..size)?;
        match &tail[4..] {
            b"PAR1" => {}
            b"PARE" => return Err(encrypted(&name)),
            _ => return Err(truncated()),
        }
        let ranges = Arc::new(ranges);
        let chunks = Chunks::plain(&ranges);
        let options = || ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip);
        let plain = || options().with_skip_arrow_metadata(true);
        let loaded = ArrowReaderMetadata::load(&chunks, plain()).map_err(|error| {
            match chunks.failure() {
                Some(failure) => failure,
                None if error.to_string().contains("ncrypt") => encrypted(&name),
                None => damaged(&name, format_args!("its footer: {}", words(&error))),
            }
        })?;
        let metadata = match arrow_schema(&name, &loaded)? {
            // The Arrow schema that another program stored may not match the file. The file's own schema always matches.
            Some(stored) => of_schema(&loaded, options(), &stored).unwrap_or(loaded),
            None => loaded,
        };
        for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
            for chunk in group.columns() {
                let (start, length) = (chunk_start(chunk), chunk.compressed_size());
                if start < 0
                    || length < 0
                    || start
                        .checked_add(length)
                        .is_none_or(|end| end as u64 > size)
                    || group.num_rows() < 0
                {
                    let column = quoted(&chunk.column_path().string());
                    return Err(damaged(
                        &name,
                        format_args!("row group {number}, column {column}: it is outside the file"),
                    ));
                }
            }
        }
        let rows = metadata
            .metadata()
            .row_groups()
            .iter()
            .map(|group| group.num_rows() as u64);
        let stretches = rows
            .enumerate()
            .map(|(group, rows)| Stretch {
                group,
                start: 0,
                rows,
            })
            .collect();
        let mut chunks = metadata
            .metadata()
            .row_groups()
            .iter()
            .flat_map(|group| group.columns());
        let is_wide = chunks.any(is_wide);
        Ok(Self {
            ranges,
            metadata,
            stretches,
            is_wide,
            pages: Arc::default(),
        })
    }

    /// Divides row groups into parts, so that several threads can read a group. Each part has about `bytes` bytes of text, or of
    /// the largest column if records with fields are read. The parts end where pages of this column end. Pages of other columns may
    /// cross the boundary between two parts; such pages are decoded for both parts. Parts are therefore larger if there are many columns. The groups of an object in a store are
    /// not divided, because each page would take a separate request. Groups with lists are not divided either, because the pages
    /// of lists do not say how many rows they have.
    pub(crate) fn split(&mut self, columns: &Columns, bytes: u64) {
        #[cfg(feature = "cloud")]
        if self.ranges.as_object().is_some() {
            return;
        }
        let Some(text) = self.widest(columns) else {
            return;
        };
        if self
            .columns()
            .columns()
            .iter()
            .any(|column| column.max_rep_level() > 0)
        {
            return;
        }
        let cut = |(group, metadata): (usize, &RowGroupMetaData)| {
            let chunk = metadata.column(text);
            let (rows, size) = (metadata.num_rows() as u64, plain_size(chunk));
            let others = metadata
                .columns()
                .iter()
                .enumerate()
                .filter(|&(leaf, _)| leaf != text);
            let twice: u64 = others.map(|(_, other)| page_size(other)).sum();
            let bytes = bytes.max(DECODED_TWICE.saturating_mul(twice));
            let pages = (size / 2 >= bytes)
                .then(|| Pages::locate(&self.ranges, chunk, rows))
                .flatten();
            let (mut starts, mut taken) = (vec![0], 0u128);
            for page in pages.iter().flat_map(|pages| pages.places.page_locations()) {
                if taken >= bytes.into() && page.first_row_index as u64 > 0 {
                    starts.push(page.first_row_index as u64);
                    taken = 0;
                }
                taken += page.compressed_page_size as u128 * u128::from(size)
                    / (chunk.compressed_size() as u128).max(1);
            }
            let stretch = |(at, &start): (usize, &u64)| {
                let end = starts.get(at + 1).copied().unwrap_or(rows);
                Stretch {
                    group,
                    start,
                    rows: end - start,
                }
            };
            starts.iter().enumerate().map(stretch).collect::<Vec<_>>()
        };
        self.stretches = self.groups().iter().enumerate().flat_map(cut).collect();
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    fn columns(&self) -> &SchemaDescriptor {
        self.metadata.parquet_schema()
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        let sizes = self
            .stretches
            .iter()
            .map(|&Stretch { group, start, rows }| {
                let group = &self.groups()[group];
                let up_to = |row: u64| {
                    (u128::from(row) * group.compressed_size() as u128
                        / (group.num_rows() as u128).max(1)) as u64
                };
                let bytes = if rows == group.num_rows() as u64 {
                    group.compressed_size() as u64
                } else {
                    up_to(start + rows) - up_to(start)
                };
                (rows, bytes)
            });
        parts(sizes)
    }

    pub(crate) fn layout(&self) -> Layout {
        let file: &FileMetaData = self.metadata.metadata().file_metadata();
        let pairs = file.key_value_metadata().into_iter().flatten();
        let metadata = pairs
            .filter(|pair| pair.key != ARROW_SCHEMA)
            .map(|pair| (pair.key.clone(), pair.value.clone()))
            .collect();
        let groups = self.groups();
        let dictionaries = self
            .columns()
            .columns()
            .iter()
            .enumerate()
            .map(|(leaf, column)| {
                (
                    column.path().parts().to_vec(),
                    !groups.is_empty()
                        && groups.iter().all(|group| is_dictionary(group.column(leaf))),
                )
            });
        let dictionaries = dictionaries.collect();
        let types = Some(file.schema_descr_ptr());
        Layout {
            schema: self.metadata.schema().clone(),
            metadata,
            group_rows: None,
            types,
            dictionaries,
        }
    }

    /// Returns the approximate number of decoded bytes in one page of each column. This is the maximum of all row groups.
    pub(crate) fn page_memory(&self) -> u64 {
        self.groups()
            .iter()
            .map(|group| group.columns().iter().map(page_size).sum())
            .max()
            .unwrap_or(0)
    }

    /// Returns the leaf columns for a path through structs. For a list, this is the column of its items; for a struct, these are
    /// the columns of all its fields.
    fn leaves(&self, path: &[String]) -> impl Iterator<Item = usize> {
        let columns = self.columns().columns().iter().enumerate();
        columns
            .filter(move |(_, column)| column.path().parts().starts_with(path))
            .map(|(leaf, _)| leaf)
    }

    /// Returns the leaf column that decides which rows are read together: the column of the texts or, if records with fields are
    /// read, the largest column that is read.
    fn widest(&self, columns: &Columns) -> Option<usize> {
        if let Some(text) = columns.text_path() {
            return self.leaves(text).next();
        }
        let size = |&leaf: &usize| {
            self.groups()
                .iter()
                .map(|group| plain_size(group.column(leaf)))
                .sum::<u64>()
        };
        columns
            .paths()
            .into_iter()
            .flat_map(|path| self.leaves(path))
            .max_by_key(size)
    }

    #[cfg(test)]
    pub(crate) fn chunk_place(
        &self,
        number: usize,
        path: &[String],
    ) -> Option<std::ops::Range<usize>> {
        let chunk = self.groups()[number].column(self.leaves(path).next()?);
        let start = chunk_start(chunk) as usize;
        Some(start..start + chunk.compressed_size() as usize)
    }

    pub(crate) fn read(&self, part: usize, columns: &Columns, wanted: Wanted) -> Result<Batches> {
        let Stretch {
            group: number,
            start,
            rows,
        } = self.stretches[part];
        let group = &self.groups()[number];
        let leaves: Vec<Vec<usize>> = columns
            .paths()
            .into_iter()
            .map(|path| self.leaves(path).collect())
            .collect();
        let are_known = leaves.iter().all(|leaves| !leaves.is_empty());
        let leaves: Vec<usize> = match wanted {
            Wanted::Chosen if are_known => leaves
                .into_iter()
                .flatten()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            _ => (0..self.columns().num_columns()).collect(),
        };
        let plain = group.columns().iter().map(plain_size);
        let all = plain.fold(0, u64::saturating_add);
        let texts = match columns.text_path() {
            Some(path) => self
                .leaves(path)
                .next()
                .map_or(all, |leaf| plain_size(group.column(leaf))),
            None => leaves
                .iter()
                .map(|&leaf| plain_size(group.column(leaf)))
                .sum(),
        };
        let batch = batch_rows(group.num_rows() as u64, texts, all);
        let has_views = self.is_wide || wanted == Wanted::Chosen;
        let schema = has_views.then(|| with_views(self.metadata.schema()));
        let is_whole = rows == group.num_rows() as u64;
        let alone = if is_whole {
            None
        } else {
            self.with_pages(number, &leaves, &(start..start + rows))
        };
        let (metadata, place) = self.reading(alone, schema, number);
        let chunks = Chunks::of(&self.ranges, leaves.iter().map(|&leaf| group.column(leaf)))?;
        let mask = ProjectionMask::leaves(self.columns(), leaves.iter().copied());
        let reported = Reporting {
            file: self.clone(),
            number,
            leaves,
        };
        let reader = builder(chunks.clone(), metadata, place, mask, batch);
        let reader = if is_whole {
            reader
        } else {
            reader.with_row_selection(selection(start, rows))
        };
        let mut reader = reader
            .build()
            .map_err(|error| reported.failure(&chunks, &words(&error)))?;
        Ok(Box::new(std::iter::from_fn(move || {
            let next = guarded(reported.file.ranges.name(), || Ok(reader.next()));
            match next {
                Ok(next) => {
                    Some(next?.map_err(|error| reported.failure(&chunks, &error.to_string())))
                }
                // The message of a panic says little, but it may be possible to find the column.
                Err(error) => Some(Err(reported.failure(&chunks, &error.to_string()))),
            }
        })))
    }

    /// Returns metadata for reading some rows of a row group. It has only this row group, and the positions of the pages of
    /// `leaves`. Returns none if the positions are unknown.
    fn with_pages(
        &self,
        number: usize,
        leaves: &[usize],
        rows: &Range<u64>,
    ) -> Option<Arc<ParquetMetaData>> {
        let group = &self.groups()[number];
        let mut known = lock(&self.pages);
        known.retain(|&(other, _), _| other.abs_diff(number) < REMEMBERED);
        let mut places: Vec<_> = (0..group.num_columns())
            .map(|_| OffsetIndexBuilder::new().build())
            .collect();
        let mut columns = group.columns().to_vec();
        for &leaf in leaves {
            let pages = match known.entry((number, leaf)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(scratch) => scratch.insert(Pages::locate(
                    &self.ranges,
                    group.column(leaf),
                    group.num_rows() as u64,
                )?),
            };
            places[leaf] = pages.places.clone();
            columns[leaf] = pages.chunk_of(group.column(leaf), rows);
        }
        let group = group
            .clone()
            .into_builder()
            .set_column_metadata(columns)
            .build()
            .ok()?;
        let file = self.metadata.metadata().file_metadata().clone();
        let alone = ParquetMetaDataBuilder::new(file)
            .add_row_group(group)
            .set_offset_index(Some(vec![places]));
        Some(Arc::new(alone.build()))
    }

    /// Returns the metadata for reading a row group, and the group's number in that metadata. `alone` is the metadata of only
    /// this group. If `alone` or `schema` is missing or does not fit, the file's own metadata or schema is used instead.
    fn reading(
        &self,
        alone: Option<Arc<ParquetMetaData>>,
        schema: Option<SchemaRef>,
        number: usize,
    ) -> (ArrowReaderMetadata, usize) {
        if alone.is_none() && schema.is_none() {
            return (self.metadata.clone(), number);
        }
        let options = |schema: &SchemaRef| {
            ArrowReaderOptions::new()
                .with_page_index_policy(PageIndexPolicy::Skip)
                .with_schema(schema.clone())
        };
        let own = self.metadata.schema();
        for (metadata, place) in alone
            .iter()
            .map(|alone| (alone, 0))
            .chain([(self.metadata.metadata(), number)])
        {
            for schema in schema.iter().chain([own]) {
                if let Ok(made) = ArrowReaderMetadata::try_new(metadata.clone(), options(schema)) {
                    return (made, place);
                }
            }
        }
        (self.metadata.clone(), number)
    }
}

/// Selects some rows of a group.
fn selection(start: u64, rows: u64) -> RowSelection {
    vec![
        RowSelector::skip(start as usize),
        RowSelector::select(rows as usize),
    ]
    .into()
}

/// Returns the Arrow schema of a file, if it can be read.
fn arrow_schema(name: &str, loaded: &ArrowReaderMetadata) -> Result<Option<Schema>> {
    let pairs = loaded.metadata().file_metadata().key_value_metadata();
    let value = pairs
        .into_iter()
        .flatten()
        .find(|pair| pair.key == ARROW_SCHEMA)
        .and_then(|pair| pair.value.as_deref());
    value
        .and_then(|value| stored::in_parquet(name, value))
        .transpose()
}

/// Returns the file's metadata with the types of its Arrow schema, which is part of the file's key-value metadata.
fn of_schema(
    loaded: &ArrowReaderMetadata,
    options: ArrowReaderOptions,
    stored: &Schema,
) -> Option<ArrowReaderMetadata> {
    let hinted = ArrowReaderMetadata::try_new(loaded.metadata().clone(), options.clone()).ok()?;
    let schema = hinted.schema();
    let fields = stored::with_zones(schema.fields(), stored.fields());
    if fields == *schema.fields() {
        return Some(hinted);
    }
    let schema: SchemaRef = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    ArrowReaderMetadata::try_new(loaded.metadata().clone(), options.with_schema(schema))
        .ok()
        .or(Some(hinted))
}

/// Returns a schema with all strings as views, except those in dictionaries, which are not repeated. Views point into the decompressed
/// pages, so nothing is copied.
fn with_views(schema: &Schema) -> SchemaRef {
    let view = |kind: &DataType| match kind {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        DataType::Dictionary(..) => Some(kind.clone()),
        _ => None,
    };
    let fields = mapped_fields(schema.fields(), &view);
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns whether the strings of a chunk may have more bytes than a batch should have.
///
/// A dictionary may repeat a large value in every row, so the number of rows says little: 8,192 rows of a stored megabyte are 8 GB, more
/// than a column of strings can have (arrow-rs issue 7973). Such strings stay views until they are written, a part at a time.
fn is_wide(chunk: &ColumnChunkMetaData) -> bool {
    let [stored, values] = [chunk.uncompressed_size(), chunk.num_values()];
    let most = match chunk.unencoded_byte_array_data_bytes() {
        Some(bytes) => bytes,
        None => stored.saturating_mul(values),
    };
    chunk.column_type() == Type::BYTE_ARRAY && most > WHOLE as i64
}

fn builder(
    chunks: Chunks,
    metadata: ArrowReaderMetadata,
    number: usize,
    mask: ProjectionMask,
    rows: usize,
) -> ParquetRecordBatchReaderBuilder<Chunks> {
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata);
    builder
        .with_row_groups(vec![number])
        .with_projection(mask)
        .with_batch_size(rows)
}

/// The data needed to report where an error occurred.
struct Reporting {
    file: Parquet,
    number: usize,
    leaves: Vec<usize>,
}

impl Reporting {
    /// Returns the error to report if reading a row group failed. If the store or the disk caused the failure, its error is
    /// returned unchanged. Otherwise, the error names the column that cannot be read, if that column can be found.
    fn failure(&self, chunks: &Chunks, what: &str) -> Error {
        if let Some(failure) = chunks.failure() {
            return failure;
        }
        let (name, number) = (self.file.ranges.name(), self.number);
        let group = &self.file.groups()[number];
        let Some((leaf, what)) = self
            .leaves
            .iter()
            .find_map(|&leaf| Some((leaf, self.fails(leaf)?)))
        else {
            return damaged(name, format_args!("row group {number}: {what}"));
        };
        let (column, codec) = (
            quoted(&group.column(leaf).column_path().string()),
            group.column(leaf).compression(),
        );
        if what.contains("Disabled feature")
            || what.contains("nknown compression")
            || what.contains("not supported")
        {
            let what = format!(
                "row group {number}, column {column}: cannot be read ({what}; compressed with {codec})"
            );
            return Error::new(ErrorKind::Input, what)
                .at(name)
                .advise("write the file again with zstd");
        }
        damaged(
            name,
            format_args!("row group {number}, column {column}: {what}"),
        )
    }

    /// Reads one column by itself, or together with the other columns of the same map or struct. Returns what is wrong, if the
    /// error is in this column.
    fn fails(&self, leaf: usize) -> Option<String> {
        let group = &self.file.groups()[self.number];
        let mask = ProjectionMask::roots(
            self.file.columns(),
            [self.file.columns().get_column_root_idx(leaf)],
        );
        let tried = guarded("", || {
            let size = plain_size(group.column(leaf));
            let rows = batch_rows(group.num_rows() as u64, size, size);
            let reader = builder(
                Chunks::plain(&self.file.ranges),
                self.file.metadata.clone(),
                self.number,
                mask,
                rows,
            );
            let mut reader = match reader.build() {
                Ok(reader) => reader,
                Err(error) => return Ok(Some(words(&error))),
            };
            Ok(reader.find_map(|batch| batch.err().map(|error| error.to_string())))
        });
        tried.unwrap_or_else(|_| Some("a page that cannot be decoded".into()))
    }
}

fn encrypted(name: &str) -> Error {
    let advice = "decrypt it first, for instance with pyarrow: read the file with its keys, and write it again";
    Error::new(ErrorKind::Input, "is encrypted")
        .at(name)
        .advise(advice)
}

fn words(error: &ParquetError) -> String {
    match error {
        ParquetError::General(what) | ParquetError::NYI(what) | ParquetError::EOF(what) => {
            what.clone()
        }
        other => other.to_string(),
    }
}

/// Returns the approximate number of decoded bytes in a page of a chunk.
fn page_size(chunk: &ColumnChunkMetaData) -> u64 {
    (chunk.uncompressed_size().max(0) as u64).min(PAGE)
}

/// Returns the number of decoded bytes of a column's values, as far as the file shows it.
fn plain_size(chunk: &ColumnChunkMetaData) -> u64 {
    let reported = chunk.unencoded_byte_array_data_bytes().unwrap_or(0);
    reported.max(chunk.uncompressed_size()).max(0) as u64
}

/// Returns whether all values of a column are in a dictionary: no data page has another encoding.
fn is_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    use parquet::basic::Encoding;
    if chunk.dictionary_page_offset().is_none() {
        return false;
    }
    match chunk.page_encoding_stats_mask() {
        Some(pages) => {
            pages.is_only(Encoding::RLE_DICTIONARY) || pages.is_only(Encoding::PLAIN_DICTIONARY)
        }
        // If the file has no statistics about the pages of the chunk, the answer depends on the size of the chunk. A chunk of 2
        // MiB or more is larger than any dictionary, so some of its values are assumed to be stored in another encoding.
        None => chunk.uncompressed_size() < 2 << 20,
    }
}

#[cfg(test)]
mod tests;

//! Parquet files (the parquet-format specification, 2.12): a part is a row group.

use std::sync::{Arc, Mutex};

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
    },
    errors::ParquetError,
    file::metadata::{ColumnChunkMetaData, FileMetaData, PageIndexPolicy, RowGroupMetaData},
    schema::types::SchemaDescriptor,
};

use self::chunks::Chunks;
use super::{
    Columns, Ranges, Wanted,
    file::{Batches, Layout, Part, batch_rows, damaged, guarded, parts},
    stored::{self, ARROW_SCHEMA},
};
use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
};

mod chunks;

/// A Parquet file, its footer read.
pub(super) struct Parquet {
    ranges: Arc<Ranges>,
    metadata: ArrowReaderMetadata,
}

/// The bytes behind all else: the footer's length and the magic.
const TAIL: u64 = 8;

impl Parquet {
    pub(super) fn open(ranges: Ranges) -> Result<Self> {
        let (name, size) = (ranges.name().to_owned(), ranges.size());
        let refuse = |what: String| Error::new(ErrorKind::Input, format!("{name}: {what}"));
        let truncated =
            || refuse("begins as a Parquet file, but has no footer: it is truncated; copy or download it again".into());
        if size < 12 {
            return Err(truncated());
        }
        let tail = ranges.read(size - TAIL..size)?;
        match &tail[4..] {
            b"PAR1" => {}
            b"PARE" => return Err(refuse(ENCRYPTED.into())),
            _ => return Err(truncated()),
        }
        let ranges = Arc::new(ranges);
        let chunks = Chunks::plain(&ranges);
        let options = || ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip);
        let plain = || options().with_skip_arrow_metadata(true);
        let loaded = ArrowReaderMetadata::load(&chunks, plain()).map_err(|error| match chunks.failure() {
            Some(failure) => failure,
            None if error.to_string().contains("ncrypt") => refuse(ENCRYPTED.into()),
            None => damaged(&name, format_args!("its footer: {}", words(&error))),
        })?;
        let metadata = match arrow_schema(&name, &loaded)? {
            // What somebody else has put there as the Arrow schema may not fit; the file's own does.
            Some(stored) => of_schema(&loaded, options(), &stored).unwrap_or(loaded),
            None => loaded,
        };
        for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
            for chunk in group.columns() {
                let (start, length) = (chunk_start(chunk), chunk.compressed_size());
                if start < 0
                    || length < 0
                    || start.checked_add(length).is_none_or(|end| end as u64 > size)
                    || group.num_rows() < 0
                {
                    let column = chunk.column_path().string();
                    return Err(damaged(&name, format_args!("row group {number}, column {column:?}: lies outside of the file")));
                }
            }
        }
        Ok(Self { ranges, metadata })
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    fn columns(&self) -> &SchemaDescriptor {
        self.metadata.parquet_schema()
    }

    pub(super) fn parts(&self) -> Vec<Part> {
        parts(self.groups().iter().map(|group| (group.num_rows() as u64, group.compressed_size() as u64)))
    }

    pub(super) fn layout(&self) -> Layout {
        let file: &FileMetaData = self.metadata.metadata().file_metadata();
        let pairs = file.key_value_metadata().into_iter().flatten();
        let metadata = pairs.filter(|pair| pair.key != ARROW_SCHEMA).map(|pair| (pair.key.clone(), pair.value.clone())).collect();
        let groups = self.groups();
        let dictionaries = self.columns().columns().iter().enumerate().map(|(leaf, column)| {
            (column.path().parts().to_vec(), !groups.is_empty() && groups.iter().all(|group| is_dictionary(group.column(leaf))))
        });
        let dictionaries = dictionaries.collect();
        let types = Some(file.schema_descr_ptr());
        Layout { schema: self.metadata.schema().clone(), metadata, group_rows: None, types, dictionaries }
    }

    /// The leaf of a path through structs.
    fn leaf(&self, path: &[String]) -> Option<usize> {
        self.columns().columns().iter().position(|column| column.path().parts() == path)
    }

    #[cfg(test)]
    pub(super) fn chunk_place(&self, number: usize, path: &[String]) -> Option<std::ops::Range<usize>> {
        let chunk = self.groups()[number].column(self.leaf(path)?);
        let start = chunk_start(chunk) as usize;
        Some(start..start + chunk.compressed_size() as usize)
    }

    pub(super) fn read(&self, number: usize, columns: &Columns, wanted: Wanted) -> Result<Batches> {
        let group = &self.groups()[number];
        let leaves: Option<Vec<usize>> = columns.paths().map(|path| self.leaf(path)).collect();
        let leaves = match (leaves, wanted) {
            (Some(leaves), Wanted::Chosen) => leaves,
            _ => (0..self.columns().num_columns()).collect(),
        };
        let rows = match self.leaf(columns.text_path()) {
            Some(leaf) => batch_rows(group.num_rows() as u64, plain_size(group.column(leaf))),
            None => batch_rows(group.num_rows() as u64, group.total_byte_size() as u64),
        };
        let metadata = match wanted {
            Wanted::Chosen => self.with_views(columns),
            Wanted::All => self.metadata.clone(),
        };
        let chunks = Chunks::of(&self.ranges, leaves.iter().map(|&leaf| group.column(leaf)))?;
        let mask = ProjectionMask::leaves(self.columns(), leaves.iter().copied());
        let told = Told { file: Self { ranges: self.ranges.clone(), metadata: self.metadata.clone() }, number, leaves };
        let reader = reader(chunks.clone(), metadata, number, mask, rows).map_err(|error| told.failure(&chunks, &words(&error)));
        let mut reader = reader?;
        Ok(Box::new(std::iter::from_fn(move || {
            let next = guarded(told.file.ranges.name(), || Ok(reader.next()));
            match next {
                Ok(next) => Some(next?.map_err(|error| told.failure(&chunks, &error.to_string()))),
                // A panic says little; what it was about may be told.
                Err(error) => Some(Err(told.failure(&chunks, &error.to_string()))),
            }
        })))
    }

    /// The schema with texts as views: they then lie in the pages as they were decompressed, and nothing is copied.
    fn with_views(&self, columns: &Columns) -> ArrowReaderMetadata {
        let schema = self.metadata.schema();
        let Some(fields) = viewed(schema.fields(), columns.text_path()) else { return self.metadata.clone() };
        let schema: SchemaRef = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip).with_schema(schema);
        ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options).unwrap_or_else(|_| self.metadata.clone())
    }
}

/// The Arrow schema that a file has, if it can be read.
fn arrow_schema(name: &str, loaded: &ArrowReaderMetadata) -> Result<Option<Schema>> {
    let pairs = loaded.metadata().file_metadata().key_value_metadata();
    let value = pairs.into_iter().flatten().find(|pair| pair.key == ARROW_SCHEMA).and_then(|pair| pair.value.as_deref());
    value.and_then(|value| stored::in_parquet(name, value)).transpose()
}

/// The file with the types of its Arrow schema, which is one of the file's own metadata.
fn of_schema(loaded: &ArrowReaderMetadata, options: ArrowReaderOptions, stored: &Schema) -> Option<ArrowReaderMetadata> {
    let hinted = ArrowReaderMetadata::try_new(loaded.metadata().clone(), options.clone()).ok()?;
    let schema = hinted.schema();
    let fields = stored::with_zones(schema.fields(), stored.fields());
    if fields == *schema.fields() {
        return Some(hinted);
    }
    let schema: SchemaRef = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    ArrowReaderMetadata::try_new(loaded.metadata().clone(), options.with_schema(schema)).ok().or(Some(hinted))
}

/// Fields where the text of a path is a view; none where it has a type that cannot be.
fn viewed(fields: &Fields, path: &[String]) -> Option<Fields> {
    let (first, rest) = path.split_first()?;
    let at = fields.iter().position(|field| field.name() == first)?;
    let own = &fields[at];
    let view = match own.data_type() {
        DataType::Struct(inner) if !rest.is_empty() => DataType::Struct(viewed(inner, rest)?),
        DataType::Utf8 | DataType::LargeUtf8 if rest.is_empty() => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary if rest.is_empty() => DataType::BinaryView,
        _ => return None,
    };
    let mut all: Vec<FieldRef> = fields.iter().cloned().collect();
    all[at] = Arc::new(Field::clone(own).with_data_type(view));
    Some(all.into())
}

fn reader(
    chunks: Chunks,
    metadata: ArrowReaderMetadata,
    number: usize,
    mask: ProjectionMask,
    rows: usize,
) -> parquet::errors::Result<ParquetRecordBatchReader> {
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata);
    builder.with_row_groups(vec![number]).with_projection(mask).with_batch_size(rows).build()
}

/// What is needed to tell where something went wrong.
struct Told {
    file: Parquet,
    number: usize,
    leaves: Vec<usize>,
}

impl Told {
    /// The failure of reading a row group: of the store or the disk as that is; else with the column that it comes from.
    fn failure(&self, chunks: &Chunks, what: &str) -> Error {
        if let Some(failure) = chunks.failure() {
            return failure;
        }
        let (name, number) = (self.file.ranges.name(), self.number);
        let group = &self.file.groups()[number];
        let Some((leaf, what)) = self.leaves.iter().find_map(|&leaf| Some((leaf, self.fails(leaf)?))) else {
            return damaged(name, format_args!("row group {number}: {what}"));
        };
        let (column, codec) = (group.column(leaf).column_path().string(), group.column(leaf).compression());
        if what.contains("Disabled feature") || what.contains("nknown compression") || what.contains("not supported") {
            let message = format!(
                "{name}: row group {number}, column {column:?}: cannot be read ({what}; compressed with {codec}); write the file again with zstd"
            );
            return Error::new(ErrorKind::Input, message);
        }
        damaged(name, format_args!("row group {number}, column {column:?}: {what}"))
    }

    /// Reads a column by itself, with those of the same map or struct: what is wrong with it, if it is this one.
    fn fails(&self, leaf: usize) -> Option<String> {
        let group = &self.file.groups()[self.number];
        let mask = ProjectionMask::roots(self.file.columns(), [self.file.columns().get_column_root_idx(leaf)]);
        let tried = guarded("", || {
            let rows = batch_rows(group.num_rows() as u64, plain_size(group.column(leaf)));
            let reader = reader(Chunks::plain(&self.file.ranges), self.file.metadata.clone(), self.number, mask, rows);
            let mut reader = match reader {
                Ok(reader) => reader,
                Err(error) => return Ok(Some(words(&error))),
            };
            Ok(reader.find_map(|batch| batch.err().map(|error| error.to_string())))
        });
        tried.unwrap_or_else(|_| Some("a page that cannot be decoded".into()))
    }
}

const ENCRYPTED: &str =
    "is encrypted; decrypt it first, for instance by reading it with pyarrow and its keys and writing it again";

fn words(error: &ParquetError) -> String {
    match error {
        ParquetError::General(what) | ParquetError::NYI(what) | ParquetError::EOF(what) => what.clone(),
        other => other.to_string(),
    }
}

fn chunk_start(chunk: &ColumnChunkMetaData) -> i64 {
    chunk.dictionary_page_offset().filter(|&at| at > 0).map_or(chunk.data_page_offset(), |at| at.min(chunk.data_page_offset()))
}

/// Bytes of a column's values, decoded, as far as the file tells.
fn plain_size(chunk: &ColumnChunkMetaData) -> u64 {
    let told = chunk.unencoded_byte_array_data_bytes().unwrap_or(0);
    told.max(chunk.uncompressed_size()).max(0) as u64
}

/// Whether a column has a dictionary for all its values: no data page is encoded otherwise.
fn is_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    use parquet::basic::Encoding;
    if chunk.dictionary_page_offset().is_none() {
        return false;
    }
    match chunk.page_encoding_stats_mask() {
        Some(pages) => pages.is_only(Encoding::RLE_DICTIONARY) || pages.is_only(Encoding::PLAIN_DICTIONARY),
        // A file that does not tell of its pages: a chunk that fell back is one whose values are larger than any dictionary.
        None => chunk.uncompressed_size() < 2 << 20,
    }
}

/// Keeps the first failure of reading bytes as it is, whatever the decoders make of it.
pub(super) type Failure = Arc<Mutex<Option<Error>>>;

fn take(failure: &Failure) -> Option<Error> {
    lock(failure).take()
}

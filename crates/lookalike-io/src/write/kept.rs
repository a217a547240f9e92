//! The kept records: as they came where the output is to have their input's format, else as JSON Lines.

use std::{ops::Range, path::Path, sync::Arc};

use super::{
    labels::LabelNames,
    output::Output,
    rows::{KeptRows, RowLabels, refuse_other_schemas, rows_size},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{Block, BlockInfo, Columns, Input, Packing, RecordBatch, Room, Source, Utf16},
    store::shown_path,
};

/// What records are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A JSON object on each line: a line as it came, and one that is made of anything else.
    Lines,
    /// A JSON array, its elements as they came.
    Array,
    /// CSV, its records as they came, behind the header of the first file.
    Delimited,
    /// A table, its rows with all columns and their types.
    Table,
}

/// The kept records of a block, made to be written.
#[derive(Default)]
pub struct Piece {
    /// Lines.
    pub bytes: Vec<u8>,
    /// Of a table that is written as one.
    pub rows: Option<RecordBatch>,
    /// Of a CSV file's block.
    pub columns: Option<Arc<Columns>>,
    /// How many records it has.
    pub records: u64,
}

/// Refuses a name that says an output of lines is something else.
///
/// # Errors
/// An ending of tables or CSV.
pub fn refuse_other_than_lines(path: &Path, what: &str) -> Result<()> {
    let (given, name) = (path.display().to_string(), shown_path(path));
    match Format::of_name(&given) {
        Some(Format::Parquet | Format::Arrow | Format::Delimited) => {
            let message = format!("{name}: {what} are JSON Lines; give a name that ends with .jsonl");
            Err(Error::new(ErrorKind::Output, message))
        }
        _ => Ok(()),
    }
}

/// Whether decisions under a name are a table.
///
/// # Errors
/// A name that says they are something else, or a table that is compressed as a whole.
pub fn are_rows(path: &Path) -> Result<bool> {
    let (given, name) = (path.display().to_string(), shown_path(path));
    let refuse = |what: &str| Err(Error::new(ErrorKind::Output, format!("{name}: {what}")));
    match Format::of_name(&given) {
        Some(Format::Parquet | Format::Arrow) if Packing::of_name(&given) != Packing::Plain => refuse(PACKED_TABLE),
        Some(Format::Parquet | Format::Arrow) if !cfg!(feature = "tables") => {
            refuse("this lookalike was built without tables (the cargo feature `tables`)")
        }
        Some(Format::Parquet | Format::Arrow) => Ok(true),
        Some(Format::Delimited) => {
            refuse("decisions are JSON Lines or a table; give a name that ends with .jsonl, .parquet or .arrow")
        }
        _ => Ok(false),
    }
}

const PACKED_TABLE: &str = "a table is compressed inside, column by column; give a name that ends with .parquet or .arrow";

/// What a row group takes that is filled or encoded.
const TABLE_MEMORY: u64 = 96 << 20;

impl Piece {
    /// In bytes, about.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.rows.as_ref().map_or(0, rows_size)
    }

    /// Leaves only room.
    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.rows, self.columns, self.records) = (None, None, 0);
    }
}

impl Shape {
    /// The shape that an output's ending asks for; where it asks for none, that of the inputs, if they all have the same.
    ///
    /// # Errors
    /// The inputs cannot be written so.
    pub fn of(path: &Path, source: &Source) -> Result<Self> {
        let (given, name) = (path.display().to_string(), shown_path(path));
        let refuse = |what: &str| Error::new(ErrorKind::Output, format!("{name}: {what}"));
        let all = |format| source.formats().iter().all(|one| *one == Some(format));
        let all_tables = source.formats().iter().all(|one| one.is_some_and(Format::is_table));
        let asked = Format::of_name(&given);
        // What comes from a pipe is known when it is read, and the output is named before.
        let known = |fits: fn(Format) -> bool| source.formats().iter().flatten().all(|&one| fits(one));
        let unknown = source.inputs()[source.references()..].iter().zip(source.formats()).find(|(_, format)| format.is_none());
        let unknown = unknown.map(|(input, _)| input);
        let shape = match asked {
            Some(Format::Lines) if !Format::may_be_array(&given) => Self::Lines,
            Some(Format::Delimited) if !all(Format::Delimited) => {
                let what = match unknown {
                    Some(input) if known(|one| one == Format::Delimited) => &format!(
                        "{} is only known to be CSV when it is read: say it before with --format csv, or give a name that ends with .jsonl",
                        input.name()
                    ),
                    _ => "CSV is written only where all inputs are CSV; give a name that ends with .jsonl",
                };
                return Err(refuse(what));
            }
            Some(Format::Parquet | Format::Arrow) if !all_tables => {
                if let Some(input) = unknown.filter(|input| known(Format::is_table) && !matches!(input, Input::Object(_))) {
                    return Err(refuse(&format!(
                        "a table is written only where all inputs are tables, and {} is no file, and a table is read here and there: \
                         write it to a file first, such as in.parquet, in.arrow or, of a stream, in.arrows, and name that file",
                        input.name()
                    )));
                }
                let what =
                    "a table is written only where all inputs are tables (Parquet or Arrow); give a name that ends with .jsonl";
                return Err(refuse(what));
            }
            Some(Format::Parquet | Format::Arrow) if Packing::of_name(&given) != Packing::Plain => {
                return Err(refuse(PACKED_TABLE));
            }
            Some(Format::Parquet | Format::Arrow) => Self::Table,
            Some(Format::Html | Format::Warc) => {
                return Err(refuse("pages and crawls are not written; give a name that ends with .jsonl"));
            }
            Some(Format::Lines) | None if all(Format::Array) => Self::Array,
            Some(Format::Delimited) | None if all(Format::Delimited) => Self::Delimited,
            // What goes to a pipe can be looked at.
            None if all_tables && name != "-" && Packing::of_name(&given) == Packing::Plain => Self::Table,
            _ => Self::Lines,
        };
        match shape {
            Self::Delimited => source.refuse_other_columns()?,
            Self::Table => refuse_other_schemas(&name, source)?,
            Self::Lines | Self::Array => {}
        }
        Ok(shape)
    }

    /// Bytes of memory that writing takes on so many threads, besides blocks.
    pub fn besides(self, threads: usize) -> u64 {
        if self == Self::Table { TABLE_MEMORY * (threads as u64 + 1) } else { 0 }
    }

    /// Whether a block's kept records have to be [made](Self::make): they are no slices of it.
    pub fn makes(self, block: &Block) -> bool {
        match self {
            Self::Lines => !block.is_lines(),
            Self::Delimited => false,
            Self::Array | Self::Table => true,
        }
    }

    /// Makes a block's kept records into a piece, which is empty but for room.
    pub fn make(
        self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        is_kept: impl Fn(u64) -> bool,
        room: &mut Room,
        piece: &mut Piece,
    ) -> Result<()> {
        let Piece { bytes, rows, columns, records } = piece;
        *columns = block.columns().cloned();
        if !self.makes(block) {
            *records = self.slices(block, info, source, is_kept, |slice| {
                bytes.extend_from_slice(slice);
                Ok(())
            })?;
            return Ok(());
        }
        if let Some(table) = block.rows() {
            let mut mask = vec![false; block.len()];
            info.each_document(block, source, |document, at| {
                mask[at] = is_kept(document);
                *records += u64::from(mask[at]);
                Ok(())
            })?;
            if self == Self::Table {
                *rows = Some(table.masked(&mask)?);
                return Ok(());
            }
            let placed = |error: Error| error.placed(|row| source.place(block.part, info.first_line + row));
            return if *records > 0 { table.masked_lines(&mask, bytes).map_err(placed) } else { Ok(()) };
        }
        info.each_document(block, source, |document, at| {
            if !is_kept(document) {
                return Ok(());
            }
            *records += 1;
            if self == Self::Array {
                bytes.extend_from_slice(b",\n");
                bytes.extend_from_slice(block.raw(at));
                return Ok(());
            }
            block.json_line(at, source.reading(), room, bytes)
        })
    }

    /// Gives a block's kept records as they stand in it; tells their number. Those that follow each other come in one slice.
    fn slices(
        self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        is_kept: impl Fn(u64) -> bool,
        mut give: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<u64> {
        let (mut run, mut records) = (Range::default(), 0);
        let bytes = block.bytes();
        info.each_document(block, source, |document, at| {
            if is_kept(document) {
                records += 1;
                let place = block.place(at);
                if run.end != place.start {
                    give(&bytes[std::mem::replace(&mut run, place.clone())])?;
                }
                run.end = place.end;
            }
            Ok(())
        })?;
        give(&bytes[run.clone()])?;
        // One that ends with its input gets a line end. A carriage return is one in CSV alone.
        let ended = |last: u8| last == b'\n' || last == b'\r' && self == Self::Delimited;
        if !run.is_empty() && !ended(bytes[run.end - 1]) {
            give(block.columns().filter(|_| self == Self::Delimited).map_or(b"\n", |columns| columns.line_end()))?;
        }
        Ok(records)
    }
}

/// The kept records in the making.
pub struct Kept {
    shape: Shape,
    output: Target,
    /// Of the fields that records get, and the encoding of the file where they get them.
    labels: Option<(LabelNames, Option<&'static str>)>,
}

enum Target {
    /// And what was written of.
    Bytes(Output, Begun),
    Rows(Box<KeptRows>),
}

/// What an output of bytes has begun with.
#[derive(Default)]
struct Begun {
    /// Whether it has.
    begun: bool,
    /// Of CSV in UTF-16, what it is.
    utf16: Option<Utf16>,
    /// Of CSV, where no file had a header yet, the first that is not empty.
    without_header: Option<Arc<Columns>>,
    room: Vec<u8>,
}

/// Writes bytes, of CSV in UTF-16 as they stood in the input.
fn write_as(output: &mut Output, utf16: Option<Utf16>, bytes: &[u8], room: &mut Vec<u8>) -> Result<()> {
    let Some(order) = utf16 else { return output.write(bytes) };
    room.clear();
    order.put(bytes, room);
    output.write(room)
}

impl Kept {
    /// Begins an output of this shape, of records that get the fields of these names. Of a table up to `ahead` row groups are in
    /// memory.
    pub fn new(output: Output, shape: Shape, source: &Source, labels: Option<&LabelNames>, ahead: usize) -> Result<Self> {
        let output = match shape {
            Shape::Table => Target::Rows(Box::new(KeptRows::new(output, source, labels, ahead)?)),
            Shape::Lines | Shape::Array | Shape::Delimited => Target::Bytes(output, Begun::default()),
        };
        let labels = labels.map(|names| (names.clone(), source.reading().encoding));
        Ok(Self { shape, output, labels })
    }

    /// What its pieces are made of.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Writes what was [made](Shape::make) of a block. To be called on the pool, which helps.
    pub fn write(&mut self, piece: &mut Piece) -> Result<()> {
        match (&mut self.output, piece.rows.take()) {
            (Target::Rows(output), Some(rows)) => output.push(rows),
            _ => self.write_bytes(&piece.bytes, piece.columns.as_ref()),
        }
    }

    /// Writes a block's kept records as they stand in it; tells their number.
    pub fn write_slices(
        &mut self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        is_kept: impl Fn(u64) -> bool,
    ) -> Result<u64> {
        self.shape.slices(block, info, source, is_kept, |slice| self.write_bytes(slice, block.columns()))
    }

    fn write_bytes(&mut self, mut bytes: &[u8], columns: Option<&Arc<Columns>>) -> Result<()> {
        let Self { shape, output: Target::Bytes(output, so_far), labels, .. } = self else { return Ok(()) };
        if let Some(columns) = columns.filter(|columns| !columns.has_header()) {
            so_far.without_header.get_or_insert_with(|| columns.clone());
            return Ok(());
        }
        let Begun { begun, utf16, room, .. } = so_far;
        // A header is there also where no record is.
        let has_header = *shape == Shape::Delimited && columns.is_some();
        if bytes.is_empty() && (*begun || !has_header) {
            return Ok(());
        }
        let own = columns.filter(|_| *shape == Shape::Delimited).and_then(|columns| columns.utf16());
        if !*begun {
            (*begun, *utf16) = (true, own);
            match (*shape, columns) {
                (Shape::Array, _) => {
                    output.write(b"[")?;
                    bytes = &bytes[1..];
                }
                (Shape::Delimited, Some(columns)) => match labels {
                    Some((names, encoding)) => {
                        let mut header = Vec::new();
                        names.onto_header(columns, *encoding, &mut header);
                        write_as(output, own, &header, room)?;
                    }
                    None => write_as(output, own, columns.header(), room)?,
                },
                _ => {}
            }
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if own != *utf16 {
            let message = "CSV files of several encodings cannot stand in one CSV file; give a name that ends with .jsonl";
            return Err(Error::new(ErrorKind::Output, message));
        }
        write_as(output, own, bytes, room)
    }

    /// What puts labels onto rows that are written as a table.
    pub fn row_labels(&self) -> Option<RowLabels> {
        if let Target::Rows(rows) = &self.output { rows.labels() } else { None }
    }

    /// Nothing more is to come of so many documents that were read. To be called on the pool, which helps.
    pub fn end(self, documents: u64) -> Result<Output> {
        let mut output = match self.output {
            Target::Rows(output) => output.end()?,
            Target::Bytes(mut output, mut so_far) => {
                match (self.shape, so_far.begun) {
                    (Shape::Array, true) => output.write(b"\n]\n")?,
                    (Shape::Array, false) => output.write(b"[]\n")?,
                    // JSON Lines may be named .json, but an empty .json file would not be JSON.
                    (Shape::Lines, false) if documents == 0 && Format::may_be_array(output.name()) => output.write(b"[]\n")?,
                    (Shape::Delimited, false) => {
                        if let Some(columns) = so_far.without_header {
                            write_as(&mut output, columns.utf16(), columns.header(), &mut so_far.room)?;
                        }
                    }
                    _ => {}
                }
                output
            }
        };
        output.end();
        Ok(output)
    }
}

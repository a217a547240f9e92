//! The shape (format) in which kept records are written: as slices of a block's bytes, or as pieces that are built from the
//! block's records.

use std::{ops::Range, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};

use super::rows::{refuse_other_schemas, rows_size};
use crate::{
    error::{Error, ErrorKind, Result, Setting, Words},
    format::Format,
    read::{Block, BlockInfo, Columns, Input, Packing, Reading, RecordBatch, Scratch, Source},
    store::shown_path,
    words,
    write::names::packed_table,
};

/// The format in which records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// JSON Lines: one JSON object on each line. Records from JSON Lines inputs are unchanged; other records are converted.
    Lines,
    /// A JSON array with unchanged elements.
    Array,
    /// CSV with unchanged records, after the header of the first file.
    Delimited,
    /// A table of rows, with all columns and their types.
    Table,
}

/// The kept records of a block, ready to be written.
#[derive(Default)]
pub struct Piece {
    /// The records as bytes, unless the output is a table.
    pub bytes: Vec<u8>,
    /// The rows, if the output is a table.
    pub rows: Option<RecordBatch>,
    /// The columns, for a block of a CSV file.
    pub columns: Option<Arc<Columns>>,
    /// The number of records.
    pub records: u64,
    /// The number of the part that the records are from.
    pub part: usize,
    /// The end of each record in the bytes, if the piece may be divided between outputs.
    pub ends: Option<Vec<usize>>,
}

/// The memory of a row group that is being filled or encoded.
const TABLE_MEMORY: u64 = 96 << 20;

impl Piece {
    /// Creates an empty piece. `is_divided` states whether it may be divided between outputs.
    pub fn new(is_divided: bool) -> Self {
        Self { ends: is_divided.then(Vec::new), ..Self::default() }
    }

    /// Returns the piece's approximate size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.rows.as_ref().map_or(0, rows_size)
    }

    /// Empties the piece and keeps its buffers.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.iter_mut().for_each(Vec::clear);
        (self.rows, self.columns, self.records) = (None, None, 0);
    }
}

impl Shape {
    /// Returns the shape for an output's file extension. If the extension implies no shape, the result is the shape of the
    /// inputs, provided that all inputs have the same shape.
    ///
    /// # Errors
    /// Fails if the inputs cannot be written in this shape.
    pub fn of(path: &Path, source: &Source) -> Result<Self> {
        Self::of_inputs(path, source, source.references()..source.inputs().len())
    }

    /// Does the same as [`of`](Self::of) for some inputs, which are numbered from 0, references first.
    pub(super) fn of_inputs(path: &Path, source: &Source, inputs: Range<usize>) -> Result<Self> {
        let formats: Vec<Option<Format>> = inputs.clone().map(|input| source.format(input)).collect();
        let (given, name) = (path.display().to_string(), shown_path(path));
        let refuse = |what: Words| Error::new(ErrorKind::Output, what).at(&*name);
        let as_lines = |what: &'static str| refuse(what.into()).advise("give a name that ends with .jsonl");
        let all = |format| formats.iter().all(|one| *one == Some(format));
        let all_tables = formats.iter().all(|one| one.is_some_and(Format::is_table));
        let asked = Format::of_name(&given);
        // The format of a pipe is known only when it is read, and the output is opened before that.
        let known = |fits: fn(Format) -> bool| formats.iter().flatten().all(|&one| fits(one));
        let unknown = source.inputs()[inputs.clone()].iter().zip(&formats).find(|(_, format)| format.is_none());
        let unknown = unknown.map(|(input, _)| input);
        let shape = match asked {
            Some(Format::Lines) if !Format::may_be_array(&given) => Self::Lines,
            Some(Format::Delimited) if !all(Format::Delimited) => {
                return Err(match unknown {
                    Some(input) if known(|one| one == Format::Delimited) => {
                        let csv = (Setting::Format, "csv");
                        let what = format!("whether {} is CSV is known only when it is read", input.name());
                        let advice = words!["declare it with ", csv, ", or give a name that ends with .jsonl"];
                        refuse(what.into()).advise(advice)
                    }
                    _ => as_lines("CSV is written only if all inputs are CSV"),
                });
            }
            Some(Format::Parquet | Format::Arrow) if !all_tables => {
                if let Some(input) = unknown.filter(|input| known(Format::is_table) && !matches!(input, Input::Object(_))) {
                    let what = format!(
                        "a table is written only if all inputs are tables, and a table needs random access, but {} is not a file",
                        input.name()
                    );
                    return Err(refuse(what.into()).advise(
                        "save it to a file first, such as in.parquet, in.arrow or, for a stream, in.arrows, and name that file",
                    ));
                }
                return Err(as_lines("a table is written only if all inputs are tables (Parquet or Arrow)"));
            }
            Some(Format::Parquet | Format::Arrow) if Packing::of_name(&given) != Packing::Plain => {
                return Err(packed_table(&name));
            }
            Some(Format::Parquet | Format::Arrow) => Self::Table,
            Some(Format::Html | Format::Warc) => {
                return Err(as_lines("HTML and WARC files cannot be written"));
            }
            Some(Format::Lines) | None if all(Format::Array) => Self::Array,
            Some(Format::Delimited) | None if all(Format::Delimited) => Self::Delimited,
            // Standard output gets JSON Lines, which people can read, even if all inputs are tables.
            None if all_tables && name != "-" && Packing::of_name(&given) == Packing::Plain => Self::Table,
            _ => Self::Lines,
        };
        match shape {
            Self::Delimited => source.refuse_other_columns(inputs)?,
            Self::Table => refuse_other_schemas(&name, source, inputs)?,
            Self::Lines | Self::Array => {}
        }
        Ok(shape)
    }

    /// Returns a record as a JSON object, as it is read or converted into `line`, with its line end, if it has one; `self` is not
    /// [`Delimited`](Self::Delimited) if the record is a row of CSV.
    ///
    /// # Errors
    /// Fails if JSON cannot represent a value.
    pub(super) fn object<'a>(
        self,
        (block, at): (&'a Block, usize),
        reading: &Reading,
        scratch: &mut Scratch,
        line: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        if block.object(at).is_some() && (self == Self::Array || block.is_lines()) {
            return Ok(block.raw(at));
        }
        line.clear();
        block.json_line(at, reading, scratch, line)?;
        Ok(line)
    }

    /// Appends what comes before a record: a comma in an array.
    pub(super) fn begin(self, into: &mut Vec<u8>) {
        if self == Self::Array {
            into.extend_from_slice(b",\n");
        }
    }

    /// Appends the line end of a record, which has none in an array. `end` is its own line end, if it has one.
    pub(super) fn finish(self, end: &[u8], into: &mut Vec<u8>) {
        if self != Self::Array {
            into.extend_from_slice(end);
            if !end.ends_with(b"\n") {
                into.push(b'\n');
            }
        }
    }

    /// Returns the number of bytes of memory that writing takes on `threads` threads, in addition to blocks.
    pub fn extra(self, threads: usize) -> u64 {
        if self == Self::Table { TABLE_MEMORY * (threads as u64 + 1) } else { 0 }
    }

    /// Returns whether a block's kept records have to be [built](Self::make), because they are not slices of the block.
    pub fn makes(self, block: &Block) -> bool {
        match self {
            Self::Lines => !block.is_lines(),
            Self::Delimited => false,
            Self::Array | Self::Table => true,
        }
    }

    /// Builds a piece from a block's kept records. The piece must be empty, apart from its scratch buffers.
    pub fn make(
        self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        is_kept: impl Fn(u64) -> bool,
        scratch: &mut Scratch,
        piece: &mut Piece,
    ) -> Result<()> {
        let Piece { bytes, rows, columns, records, part, ends } = piece;
        (*columns, *part) = (block.columns().cloned(), block.part);
        if self == Self::Delimited
            && let Some(ends) = ends
        {
            return info.each_document(block, source, |document, at| {
                if is_kept(document) {
                    *records += 1;
                    let row = &block.bytes()[block.place(at)];
                    bytes.extend_from_slice(row);
                    bytes.extend_from_slice(self.missing_end(block, row));
                    ends.push(bytes.len());
                }
                Ok(())
            });
        }
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
                self.begin(bytes);
                bytes.extend_from_slice(block.raw(at));
                ends.iter_mut().for_each(|ends| ends.push(bytes.len()));
                return Ok(());
            }
            block.json_line(at, source.reading(), scratch, bytes)
        })
    }

    /// Passes a block's kept records to `give` unchanged, and returns their number. Consecutive records are passed as one slice.
    pub(super) fn slices(
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
        give(self.missing_end(block, &bytes[run]))?;
        Ok(records)
    }

    /// Returns the line end that is added if the last record of an input has none. A carriage return counts as a line end only in CSV.
    fn missing_end(self, block: &Block, records: &[u8]) -> &'static [u8] {
        match records.last() {
            None | Some(b'\n') => b"",
            Some(b'\r') if self == Self::Delimited => b"",
            _ => block.columns().filter(|_| self == Self::Delimited).map_or(b"\n", |columns| columns.line_end()),
        }
    }
}

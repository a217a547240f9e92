//! What kept records are written as: slices of their blocks, or pieces that are made of them.

use std::{ops::Range, path::Path, sync::Arc};

use super::rows::{refuse_other_schemas, rows_size};
use crate::{
    error::{Error, ErrorKind, Result, Setting, Words},
    format::Format,
    read::{Block, BlockInfo, Columns, Input, Packing, RecordBatch, Room, Source},
    store::shown_path,
    words,
    write::names::packed_table,
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
        let refuse = |what: Words| Error::new(ErrorKind::Output, what).at(&*name);
        let as_lines = |what: &'static str| refuse(what.into()).advise("give a name that ends with .jsonl");
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
                return Err(match unknown {
                    Some(input) if known(|one| one == Format::Delimited) => {
                        let csv = (Setting::Format, "csv");
                        let what = format!("{} is only known to be CSV when it is read", input.name());
                        let advice = words!["say it before with ", csv, ", or give a name that ends with .jsonl"];
                        refuse(what.into()).instead(advice)
                    }
                    _ => as_lines("CSV is written only where all inputs are CSV"),
                });
            }
            Some(Format::Parquet | Format::Arrow) if !all_tables => {
                if let Some(input) = unknown.filter(|input| known(Format::is_table) && !matches!(input, Input::Object(_))) {
                    let what = format!(
                        "a table is written only where all inputs are tables, and {} is no file, and a table is read here and there",
                        input.name()
                    );
                    return Err(refuse(what.into()).instead(
                        "write it to a file first, such as in.parquet, in.arrow or, of a stream, in.arrows, and name that file",
                    ));
                }
                return Err(as_lines("a table is written only where all inputs are tables (Parquet or Arrow)"));
            }
            Some(Format::Parquet | Format::Arrow) if Packing::of_name(&given) != Packing::Plain => {
                return Err(packed_table(&name));
            }
            Some(Format::Parquet | Format::Arrow) => Self::Table,
            Some(Format::Html | Format::Warc) => {
                return Err(as_lines("pages and crawls are not written"));
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

    /// Makes a piece of a block's kept records. The piece is empty, apart from its scratch buffers.
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
        // One that ends with its input gets a line end. A carriage return is one in CSV alone.
        let ended = |last: u8| last == b'\n' || last == b'\r' && self == Self::Delimited;
        if !run.is_empty() && !ended(bytes[run.end - 1]) {
            give(block.columns().filter(|_| self == Self::Delimited).map_or(b"\n", |columns| columns.line_end()))?;
        }
        Ok(records)
    }
}

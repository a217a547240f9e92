//! The shape (format) in which kept records are written: as slices of a block's bytes, or as pieces that are built from the
//! block's records.

use std::{ops::Range, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};

use super::rows::{refuse_other_schemas, rows_size};
use crate::{
    error::{Error, ErrorKind, Result, Words},
    format::{Format, OutputFormat},
    read::{
        Block, BlockInfo, Columns, Packing, Reading, RecordBatch, Scratch, Source, without_packing,
    },
    store::shown_path,
    words,
    write::names::{packed_table, refuse_not_written, without_tables},
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
    /// A file for each document.
    Documents,
}

/// How the records of an output are made and written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// The shape that records are made in. If it is not the one in which they are written, it is JSON Lines, which are converted.
    pub(super) made: Shape,
    /// The shape in which they are written.
    pub(super) written: Shape,
    /// The format of a table, if it does not follow from the name.
    pub(super) format: Option<OutputFormat>,
    /// The delimiter of CSV, if records are converted.
    pub(super) delimiter: u8,
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
    /// For copies of documents, the number of each file in its input.
    pub(super) files: Vec<usize>,
}

/// The memory of a row group that is being filled or encoded.
const TABLE_MEMORY: u64 = 96 << 20;

const AS_LINES: &str = "give a name that ends with .jsonl";

impl Piece {
    /// Creates an empty piece. `is_divided` states whether it may be divided between outputs.
    pub fn new(is_divided: bool) -> Self {
        Self {
            ends: is_divided.then(Vec::new),
            ..Self::default()
        }
    }

    /// Returns the piece's approximate size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.rows.as_ref().map_or(0, rows_size)
    }

    /// Appends the bytes of a document, or another text instead of them.
    pub(super) fn push_document(&mut self, (block, at): (&Block, usize), text: Option<&str>) {
        self.records += 1;
        self.bytes
            .extend_from_slice(text.map_or(block.raw(at), str::as_bytes));
        self.ends.get_or_insert_default().push(self.bytes.len());
        self.files.extend(block.file(at));
    }

    /// Empties the piece and keeps its buffers.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.iter_mut().for_each(Vec::clear);
        self.files.clear();
        (self.rows, self.columns, self.records) = (None, None, 0);
    }
}

impl Plan {
    /// Returns how documents are copied.
    pub(super) fn copied() -> Self {
        Self {
            made: Shape::Documents,
            written: Shape::Documents,
            format: None,
            delimiter: b',',
        }
    }

    /// Returns how records of some inputs, which are numbered from 0, references first, are written to an output. Its format is the one
    /// that is asked for, or follows from its name. If neither says anything, it is that of the inputs, provided that all of them have
    /// the same format.
    ///
    /// # Errors
    /// Fails if the inputs cannot be written in this format.
    pub(super) fn new(
        (path, asked): (&Path, Option<OutputFormat>),
        source: &Source,
        inputs: Range<usize>,
    ) -> Result<Self> {
        let formats: Vec<Option<Format>> =
            inputs.clone().map(|input| source.format(input)).collect();
        let (given, name) = (path.display().to_string(), shown_path(path));
        let refuse = |what: Words| Error::new(ErrorKind::Output, what).at(&*name);
        refuse_not_written(&name)?;
        let all = |format| formats.iter().all(|one| *one == Some(format));
        let all_tables = formats.iter().all(|one| one.is_some_and(Format::is_table));
        let named = Format::of_name(&given);
        if let Some(asked) = asked {
            refuse_other_name((&given, named), asked, refuse)?;
        }
        let wanted = match (asked, named) {
            (Some(asked), _) => Some(asked),
            (None, Some(Format::Lines)) if !Format::may_be_array(&given) => {
                Some(OutputFormat::Lines)
            }
            (None, Some(Format::Delimited)) => Some(OutputFormat::Delimited),
            (None, Some(Format::Parquet)) => Some(OutputFormat::Parquet),
            (None, Some(Format::Arrow)) => Some(OutputFormat::Arrow),
            (None, Some(Format::Html | Format::Warc)) => {
                return Err(refuse("HTML and WARC files cannot be written".into()).advise(AS_LINES));
            }
            (None, Some(Format::Text))
                if source.inputs()[inputs.clone()]
                    .iter()
                    .any(|input| input.documents().is_some()) =>
            {
                let advice = "give a name that ends with .jsonl, or a new folder such as kept/, which gets copies of the documents";
                return Err(refuse(
                    "one output with several documents cannot be a text file".into(),
                )
                .advise(advice));
            }
            (None, _) => None,
        };
        let is_packed = Packing::of_name(&given) != Packing::Plain;
        if wanted.is_some_and(OutputFormat::is_table) && is_packed {
            return Err(packed_table(&name));
        }
        let (made, written) = match wanted {
            Some(OutputFormat::Lines) => (Shape::Lines, Shape::Lines),
            Some(OutputFormat::Array) if all(Format::Array) => (Shape::Array, Shape::Array),
            Some(OutputFormat::Delimited) if all(Format::Delimited) => {
                (Shape::Delimited, Shape::Delimited)
            }
            Some(format @ (OutputFormat::Array | OutputFormat::Delimited)) => {
                // The format of a pipe is known only when it is read. If it is the one of the output, records are copied unchanged.
                let unknown = source.inputs()[inputs.clone()]
                    .iter()
                    .zip(&formats)
                    .find(|(_, format)| format.is_none());
                if let Some((input, _)) = unknown {
                    let what = format!(
                        "whether {} is {} is known only when it is read",
                        input.name(),
                        format.called()
                    );
                    let advice = words!["declare its format, such as $format=csv, or ", AS_LINES];
                    return Err(refuse(what.into()).advise(advice));
                }
                (
                    Shape::Lines,
                    if format == OutputFormat::Array {
                        Shape::Array
                    } else {
                        Shape::Delimited
                    },
                )
            }
            Some(OutputFormat::Parquet | OutputFormat::Arrow) if all_tables => {
                (Shape::Table, Shape::Table)
            }
            Some(OutputFormat::Parquet | OutputFormat::Arrow) if !cfg!(feature = "tables") => {
                return Err(without_tables(&name));
            }
            Some(OutputFormat::Parquet | OutputFormat::Arrow) => {
                if formats.iter().flatten().any(|one| one.is_table()) {
                    let what = "a table has the records of tables (Parquet or Arrow), or of other formats, but not of both";
                    let advice = "write each input to an output of its own (-o kept/), or give a name that ends with .jsonl";
                    return Err(refuse(what.into()).advise(advice));
                }
                (Shape::Lines, Shape::Table)
            }
            // Standard output gets JSON Lines, which people can read, even if all inputs are tables.
            None if all_tables && named.is_none() && name != "-" && !is_packed => {
                (Shape::Table, Shape::Table)
            }
            None if all(Format::Array) && matches!(named, None | Some(Format::Lines)) => {
                (Shape::Array, Shape::Array)
            }
            None if all(Format::Delimited) && named.is_none() => {
                (Shape::Delimited, Shape::Delimited)
            }
            None => (Shape::Lines, Shape::Lines),
        };
        match made {
            Shape::Delimited => source.refuse_other_columns(inputs)?,
            Shape::Table => refuse_other_schemas(&name, asked, source, inputs)?,
            Shape::Lines | Shape::Array | Shape::Documents => {}
        }
        let lower = given.to_ascii_lowercase();
        let delimiter = if [".tsv", ".tab"]
            .iter()
            .any(|tabs| without_packing(&lower).ends_with(tabs))
        {
            b'\t'
        } else {
            b','
        };
        Ok(Self {
            made,
            written,
            format: asked,
            delimiter,
        })
    }
}

/// Fails if the file extension of an output is that of another format than the one that is asked for.
fn refuse_other_name(
    (given, named): (&str, Option<Format>),
    asked: OutputFormat,
    refuse: impl Fn(Words) -> Error,
) -> Result<()> {
    let fits = match named {
        None | Some(Format::Text) => true,
        Some(Format::Lines) if Format::may_be_array(given) => {
            matches!(asked, OutputFormat::Lines | OutputFormat::Array)
        }
        Some(named) => named == asked.as_input(),
    };
    if fits {
        return Ok(());
    }
    let what = words![
        "$output_format",
        format!(
            " asks for {}, but its name says another format",
            asked.called()
        )
    ];
    Err(refuse(what).advise(format!("give a name that ends with {}", asked.ending())))
}

impl Shape {
    /// Returns the shape for an output's file extension. If the extension implies no shape, the result is the shape of the
    /// inputs, provided that all inputs have the same shape.
    ///
    /// # Errors
    /// Fails if the inputs have another shape, or cannot be written in this one.
    pub fn of(path: &Path, source: &Source) -> Result<Self> {
        let Plan { made, written, .. } = Plan::new(
            (path, None),
            source,
            source.references()..source.inputs().len(),
        )?;
        if made == written {
            return Ok(written);
        }
        let format = written.name();
        let all = if written == Self::Table {
            "tables (Parquet or Arrow)"
        } else {
            format
        };
        let what = format!("a job array writes {format} only if all inputs are {all}");
        Err(Error::new(ErrorKind::Output, what)
            .at(shown_path(path))
            .advise(AS_LINES))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Lines => "JSON Lines",
            Self::Array => "a JSON array",
            Self::Delimited => "CSV",
            Self::Table => "a table",
            Self::Documents => "copies of documents",
        }
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
        if self == Self::Table {
            TABLE_MEMORY * (threads as u64 + 1)
        } else {
            0
        }
    }

    /// Returns whether a block's kept records have to be [built](Self::make), because they are not slices of the block.
    pub fn makes(self, block: &Block) -> bool {
        match self {
            Self::Lines => !block.is_lines(),
            Self::Delimited => false,
            Self::Array | Self::Table | Self::Documents => true,
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
        if self == Self::Documents {
            piece.part = block.part;
            return info.each_document(block, source, |document, at| {
                if is_kept(document) {
                    piece.push_document((block, at), None);
                }
                Ok(())
            });
        }
        let Piece {
            bytes,
            rows,
            columns,
            records,
            part,
            ends,
            ..
        } = piece;
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
            let placed =
                |error: Error| error.placed(|row| source.place(block.part, info.first_line + row));
            return if *records > 0 {
                table.masked_lines(&mask, bytes).map_err(placed)
            } else {
                Ok(())
            };
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
            _ => block
                .columns()
                .filter(|_| self == Self::Delimited)
                .map_or(b"\n", |columns| columns.line_end()),
        }
    }
}

//! The kept records: as they came where the output is to have their input's format, else as JSON Lines.

use std::{path::Path, sync::Arc};

use super::{labels::LabelNames, output::Output};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{Block, BlockInfo, Columns, Room, Source},
};

/// What records are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A JSON object on each line: a line as it came, and one that is made of anything else.
    Lines,
    /// A JSON array, its elements as they came.
    Array,
    /// CSV, its records as they came, behind the header of the first file.
    Delimited,
}

impl Shape {
    /// The shape that an output's ending asks for; where it asks for none, that of the inputs, if they all have the same.
    ///
    /// # Errors
    /// The inputs cannot be written so.
    pub(crate) fn of(path: &Path, source: &Source) -> Result<Self> {
        let name = path.display().to_string();
        let refuse = |what: &str| Error::new(ErrorKind::Output, format!("{name}: {what}"));
        let all = |format| source.formats().iter().all(|one| *one == Some(format));
        let asked = Format::of_name(&name);
        let shape = match asked {
            Some(Format::Lines) if !Format::may_be_array(&name) => Self::Lines,
            Some(Format::Delimited) if !all(Format::Delimited) => {
                return Err(refuse("CSV is written only where all inputs are CSV; give a name that ends with .jsonl"));
            }
            Some(Format::Html | Format::Warc) => {
                return Err(refuse("pages and crawls are not written; give a name that ends with .jsonl"));
            }
            Some(Format::Lines) | None if all(Format::Array) => Self::Array,
            Some(Format::Delimited) | None if all(Format::Delimited) => Self::Delimited,
            _ => Self::Lines,
        };
        if shape == Self::Delimited {
            source.refuse_other_columns()?;
        }
        Ok(shape)
    }

    /// Appends a block's kept records; gives their number. Lines that follow each other go in one piece.
    pub(crate) fn piece(
        self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        is_kept: impl Fn(u64) -> bool,
        room: &mut Room,
        mut give: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<u64> {
        let (mut run, mut records, mut made) = (0..0, 0, Vec::new());
        let bytes = block.bytes();
        info.each_document(block, source, |document, at| {
            if !is_kept(document) {
                return Ok(());
            }
            records += 1;
            if self == Self::Lines && !block.is_lines() {
                block.json_line(at, source.reading(), room, &mut made);
                return Ok(());
            }
            if self == Self::Array {
                made.extend_from_slice(b",\n");
                made.extend_from_slice(block.raw(at));
                return Ok(());
            }
            let place = block.place(at);
            if run.end != place.start {
                give(&bytes[std::mem::replace(&mut run, place.clone())])?;
            }
            run.end = place.end;
            Ok(())
        })?;
        give(&bytes[run.clone()])?;
        give(&made)?;
        // One that ends with its input gets a line end. A carriage return is one in CSV alone.
        let ended = |last: u8| last == b'\n' || last == b'\r' && self == Self::Delimited;
        if !run.is_empty() && !ended(bytes[run.end - 1]) {
            give(b"\n")?;
        }
        Ok(records)
    }
}

/// The kept records in the making.
pub(crate) struct Kept {
    output: Output,
    shape: Shape,
    /// Of the fields that records get, and the encoding of the file where they get them.
    labels: Option<(LabelNames, Option<&'static str>)>,
    begun: bool,
}

impl Kept {
    pub(crate) fn new(output: Output, shape: Shape) -> Self {
        Self { output, shape, labels: None, begun: false }
    }

    /// The same, of records with labels.
    pub(crate) fn labelled(self, names: LabelNames, source: &Source) -> Self {
        Self { labels: Some((names, source.reading().encoding)), ..self }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Writes a [piece](Shape::piece) of a block of these columns, if it is of CSV.
    pub(crate) fn write(&mut self, mut piece: &[u8], columns: Option<&Arc<Columns>>) -> Result<()> {
        if !self.begun && !piece.is_empty() {
            self.begun = true;
            match self.shape {
                Shape::Lines => {}
                Shape::Array => {
                    self.output.write(b"[")?;
                    piece = &piece[1..];
                }
                Shape::Delimited => self.header(columns)?,
            }
        }
        self.output.write(piece)
    }

    fn header(&mut self, columns: Option<&Arc<Columns>>) -> Result<()> {
        let Some(columns) = columns else { return Ok(()) };
        let Some((names, encoding)) = &self.labels else { return self.output.write(columns.header()) };
        let mut header = Vec::new();
        names.onto_header(columns, *encoding, &mut header);
        self.output.write(&header)
    }

    /// Nothing more is to come.
    pub(crate) fn end(mut self) -> Result<Output> {
        if self.shape == Shape::Array {
            self.output.write(if self.begun { b"\n]\n" } else { b"[]\n" })?;
        }
        self.output.end();
        Ok(self.output)
    }
}

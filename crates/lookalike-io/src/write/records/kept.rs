//! The kept records: as they came where the output is to have their input's format, else as JSON Lines.

use std::sync::Arc;

use super::{
    labels::LabelNames,
    rows::{KeptRows, RowLabels},
    shape::{Piece, Shape},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{Block, BlockInfo, Columns, Source, Utf16},
    write::output::Output,
};

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
            let what = "CSV files of several encodings cannot stand in one CSV file";
            return Err(Error::new(ErrorKind::Output, what).advise("give a name that ends with .jsonl"));
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

//! Writes the kept records: unchanged if the output has the format of its input, otherwise as JSON Lines.

use std::sync::Arc;

use super::{
    added::AddedNames,
    rows::{KeptRows, RowLabels, RowMarks},
    shape::{Piece, Shape},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{Block, BlockInfo, Columns, Source, Utf16},
    write::output::Output,
};

/// The output of the kept records.
pub struct Kept {
    shape: Shape,
    output: Target,
    /// The names of the fields that are added to records, and the encoding of the file that the records are from.
    added: Option<(AddedNames, Option<&'static str>)>,
}

enum Target {
    /// The output, and what was written to it so far.
    Bytes(Output, Begun),
    Rows(Box<KeptRows>),
}

/// The state of an output that is written as bytes, and not as rows of a table.
#[derive(Default)]
struct Begun {
    /// Whether anything was written.
    begun: bool,
    /// For CSV in UTF-16, its byte order.
    utf16: Option<Utf16>,
    /// For CSV, the columns of the first file that has no header, but has a byte order mark or a line that declares the
    /// delimiter. They are used if no file has a header.
    without_header: Option<Arc<Columns>>,
    scratch: Vec<u8>,
}

/// Writes bytes; CSV in UTF-16 is written as in the input.
fn write_as(output: &mut Output, utf16: Option<Utf16>, bytes: &[u8], scratch: &mut Vec<u8>) -> Result<()> {
    let Some(order) = utf16 else { return output.write(bytes) };
    scratch.clear();
    order.put(bytes, scratch);
    output.write(scratch)
}

impl Kept {
    /// Begins an output of this shape; `added` has the names of the fields that are added to records. For a table, up to `ahead`
    /// row groups are in memory.
    pub fn new(output: Output, shape: Shape, source: &Source, added: Option<&AddedNames>, ahead: usize) -> Result<Self> {
        let output = match shape {
            Shape::Table => Target::Rows(Box::new(KeptRows::new(output, source, added, ahead)?)),
            Shape::Lines | Shape::Array | Shape::Delimited => Target::Bytes(output, Begun::default()),
        };
        let added = added.map(|names| (names.clone(), source.reading().encoding));
        Ok(Self { shape, output, added })
    }

    /// Returns the shape in which the records are written.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Writes the header of the inputs, for an output that gets no block.
    ///
    /// # Errors
    /// Fails if an input cannot be read.
    pub fn begin(&mut self, source: &Source) -> Result<()> {
        for part in source.reference_parts()..source.parts().len() {
            if let Some(columns) = source.columns(part)? {
                self.write_bytes(&[], Some(&columns))?;
            }
        }
        Ok(())
    }

    /// Writes a piece: the kept records of a block, as built by [`Shape::make`]. Call this method on the thread pool, which
    /// shares the work.
    pub fn write(&mut self, piece: &mut Piece) -> Result<()> {
        match (&mut self.output, piece.rows.take()) {
            (Target::Rows(output), Some(rows)) => output.push(rows),
            _ => self.write_bytes(&piece.bytes, piece.columns.as_ref()),
        }
    }

    /// Writes a block's kept records unchanged, and returns their number.
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
        let Self { shape, output: Target::Bytes(output, so_far), added, .. } = self else { return Ok(()) };
        if let Some(columns) = columns.filter(|columns| !columns.has_header()) {
            so_far.without_header.get_or_insert_with(|| columns.clone());
            return Ok(());
        }
        let Begun { begun, utf16, scratch, .. } = so_far;
        // A header is written even if there are no records.
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
                (Shape::Delimited, Some(columns)) => match added {
                    Some((names, encoding)) => {
                        let mut header = Vec::new();
                        names.onto_header(columns, *encoding, &mut header);
                        write_as(output, own, &header, scratch)?;
                    }
                    None => write_as(output, own, columns.header(), scratch)?,
                },
                _ => {}
            }
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if own != *utf16 {
            let what = "one CSV file cannot hold records from CSV files in several encodings";
            return Err(Error::new(ErrorKind::Output, what).advise("give a name that ends with .jsonl"));
        }
        write_as(output, own, bytes, scratch)
    }

    /// Returns empty labels for rows, if the output is a table and labels were requested.
    pub fn row_labels(&self) -> Option<RowLabels> {
        if let Target::Rows(rows) = &self.output { rows.labels() } else { None }
    }

    /// Returns empty marks for rows, if the output is a table and marks were requested.
    pub fn row_marks(&self) -> Option<RowMarks> {
        if let Target::Rows(rows) = &self.output { rows.marks() } else { None }
    }

    /// Ends the output. `documents` is the number of documents that were read. Call this method on the thread pool, which shares
    /// the work.
    pub fn end(self, documents: u64) -> Result<Output> {
        let mut output = match self.output {
            Target::Rows(output) => output.end()?,
            Target::Bytes(mut output, mut so_far) => {
                match (self.shape, so_far.begun) {
                    (Shape::Array, true) => output.write(b"\n]\n")?,
                    (Shape::Array, false) => output.write(b"[]\n")?,
                    // An output of JSON Lines may have the extension .json, but an empty file is not valid JSON. So if no
                    // documents were read, an empty array is written.
                    (Shape::Lines, false) if documents == 0 && Format::may_be_array(output.name()) => output.write(b"[]\n")?,
                    (Shape::Delimited, false) => {
                        if let Some(columns) = so_far.without_header {
                            write_as(&mut output, columns.utf16(), columns.header(), &mut so_far.scratch)?;
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

//! Writes kept records to one output.

use std::{ops::Range, sync::Arc};

use super::{
    added::AddedNames,
    converted::{Heading, begin, push_header},
    rows::KeptRows,
    shape::{Plan, Shape},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{Columns, RecordBatch, Source, Utf16},
    write::output::Output,
};

/// An output of kept records.
pub(super) struct KeptFile {
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
fn write_as(
    output: &mut Output,
    utf16: Option<Utf16>,
    bytes: &[u8],
    scratch: &mut Vec<u8>,
) -> Result<()> {
    let Some(order) = utf16 else {
        return output.write(bytes);
    };
    scratch.clear();
    order.put(bytes, scratch);
    output.write(scratch)
}

impl KeptFile {
    /// Begins an output for the records of some inputs; `added` has the names of the fields that are added to records. If records are
    /// converted, there is a heading. For a table, up to `ahead` row groups are in memory.
    pub(super) fn new(
        mut output: Output,
        (
            Plan {
                written: shape,
                format,
                delimiter,
                ..
            },
            heading,
        ): (Plan, Option<&Heading>),
        (source, inputs): (&Source, Range<usize>),
        added: Option<&AddedNames>,
        ahead: usize,
    ) -> Result<Self> {
        let output = match shape {
            Shape::Table => Target::Rows(Box::new(match heading {
                Some(heading) => begin(output, format, heading, source, ahead)?,
                None => KeptRows::new(output, format, (source, inputs), added, ahead)?,
            })),
            Shape::Delimited if let Some(heading) = heading => {
                let mut header = Vec::new();
                push_header(heading, delimiter, &mut header);
                output.write(&header)?;
                Target::Bytes(
                    output,
                    Begun {
                        begun: true,
                        ..Begun::default()
                    },
                )
            }
            Shape::Lines | Shape::Array | Shape::Delimited | Shape::Documents => {
                Target::Bytes(output, Begun::default())
            }
        };
        let added = added.map(|names| (names.clone(), source.reading().encoding));
        Ok(Self {
            shape,
            output,
            added,
        })
    }

    /// Writes the header of some inputs, for an output that gets no block.
    ///
    /// # Errors
    /// Fails if an input cannot be read.
    pub(super) fn begin(&mut self, source: &Source, inputs: Range<usize>) -> Result<()> {
        for (part, at) in source.parts().iter().enumerate() {
            if inputs.contains(&at.input())
                && let Some(columns) = source.columns(part)?
            {
                self.write_bytes(&[], Some(&columns))?;
            }
        }
        Ok(())
    }

    /// Writes rows. Call this method on the thread pool, which shares the work.
    pub(super) fn write_rows(&mut self, rows: RecordBatch) -> Result<()> {
        if let Target::Rows(output) = &mut self.output {
            output.push(rows)
        } else {
            Ok(())
        }
    }

    /// Writes some of a batch's rows. Call this method on the thread pool, which shares the work.
    pub(super) fn write_some_rows(
        &mut self,
        rows: &RecordBatch,
        range: Range<usize>,
    ) -> Result<()> {
        if let Target::Rows(output) = &mut self.output {
            output.push_some(rows, range)
        } else {
            Ok(())
        }
    }

    /// Writes records of a file with these columns. In an array, a comma and a line break come before each record.
    pub(super) fn write_bytes(
        &mut self,
        mut bytes: &[u8],
        columns: Option<&Arc<Columns>>,
    ) -> Result<()> {
        let Self {
            shape,
            output: Target::Bytes(output, so_far),
            added,
            ..
        } = self
        else {
            return Ok(());
        };
        if let Some(columns) = columns.filter(|columns| !columns.has_header()) {
            so_far.without_header.get_or_insert_with(|| columns.clone());
            return Ok(());
        }
        let Begun {
            begun,
            utf16,
            scratch,
            ..
        } = so_far;
        // A header is written even if there are no records.
        let has_header = *shape == Shape::Delimited && columns.is_some();
        if bytes.is_empty() && (*begun || !has_header) {
            return Ok(());
        }
        let own = columns
            .filter(|_| *shape == Shape::Delimited)
            .and_then(|columns| columns.utf16());
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
            return Err(
                Error::new(ErrorKind::Output, what).advise("give a name that ends with .jsonl")
            );
        }
        write_as(output, own, bytes, scratch)
    }

    /// Ends the output. `is_json` states whether an output without records must be valid JSON if its name is one of JSON. Call this method on the thread pool, which shares the work.
    pub(super) fn end(self, is_json: bool) -> Result<Output> {
        let mut output = match self.output {
            Target::Rows(output) => output.end()?,
            Target::Bytes(mut output, mut so_far) => {
                match (self.shape, so_far.begun) {
                    (Shape::Array, true) => output.write(b"\n]\n")?,
                    (Shape::Array, false) => output.write(b"[]\n")?,
                    // An output of JSON Lines may have the extension .json, but an empty file is not valid JSON. So if no
                    // documents were read, an empty array is written.
                    (Shape::Lines, false) if is_json && Format::may_be_array(output.name()) => {
                        output.write(b"[]\n")?
                    }
                    (Shape::Delimited, false) => {
                        if let Some(columns) = so_far.without_header {
                            write_as(
                                &mut output,
                                columns.utf16(),
                                columns.header(),
                                &mut so_far.scratch,
                            )?;
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

//! Writes files of sketches: JSON Lines or a table, with a row for each document and a header with the sketches' parameters.

use lookalike::fingerprint::Digest;

#[cfg(feature = "tables")]
use super::decisions::IdColumn;
use super::{decisions::IdKind, output::Output};
#[cfg(not(feature = "tables"))]
use crate::error::Error;
use crate::{error::Result, read::SKETCHES};

/// A row of a file of sketches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SketchRow<'a> {
    /// The document's id, as JSON.
    pub id: &'a str,
    /// The number of different shingles, if it is known.
    pub shingles: Option<u64>,
    /// The document's digest, if it is known.
    pub digest: Option<Digest>,
    /// The sketch.
    pub sketch: &'a [u8],
}

/// A file of sketches that is being written.
pub enum SketchOutput {
    /// JSON Lines.
    Lines(Output, Vec<u8>),
    /// A table.
    #[cfg(feature = "tables")]
    Rows(Box<rows::SketchRows>),
}

/// The number of bytes of lines that are passed on at once.
const PIECE: usize = 1 << 18;

impl SketchOutput {
    /// Starts a file with a header, which is JSON. If it is a table, `kind` is the type of its ids, and up to `ahead` row groups are in
    /// memory.
    ///
    /// # Errors
    /// Fails if the output cannot be written, or if this build cannot write tables.
    pub fn new(output: Output, header: &str, table: Option<IdKind>, ahead: usize) -> Result<Self> {
        let Some(kind) = table else {
            return Ok(Self::Lines(
                output,
                format!("{{\"{SKETCHES}\":{header}}}\n").into_bytes(),
            ));
        };
        #[cfg(feature = "tables")]
        return rows::SketchRows::new(output, header, kind, ahead)
            .map(|rows| Self::Rows(Box::new(rows)));
        #[cfg(not(feature = "tables"))]
        {
            _ = (kind, ahead);
            let error: Error = super::without_tables(output.name());
            Err(error)
        }
    }

    /// Appends a row. Call this method on the thread pool, which shares the work of encoding tables.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn push(&mut self, row: &SketchRow) -> Result<()> {
        match self {
            Self::Lines(output, lines) => {
                put_line(row, lines);
                if lines.len() > PIECE {
                    output.write(lines)?;
                    lines.clear();
                }
                Ok(())
            }
            #[cfg(feature = "tables")]
            Self::Rows(rows) => rows.push(row),
        }
    }

    /// Writes the remaining rows, and returns the output. Call this method on the thread pool.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn end(self) -> Result<Output> {
        match self {
            Self::Lines(mut output, lines) => {
                output.write(&lines)?;
                output.end();
                Ok(output)
            }
            #[cfg(feature = "tables")]
            Self::Rows(rows) => rows.end(),
        }
    }
}

fn put_line(row: &SketchRow, into: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    into.extend_from_slice(b"{\"id\":");
    into.extend_from_slice(row.id.as_bytes());
    let shingles = row
        .shingles
        .map_or("null".into(), |shingles| shingles.to_string());
    let digest = row
        .digest
        .map_or("null".into(), |digest| format!("\"{digest:032x}\""));
    into.extend_from_slice(
        format!(",\"shingles\":{shingles},\"digest\":{digest},\"sketch\":\"").as_bytes(),
    );
    into.extend(row.sketch.iter().flat_map(|byte| {
        [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]
    }));
    into.extend_from_slice(b"\"}\n");
}

#[cfg(feature = "tables")]
mod rows {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, RecordBatch,
        builder::{BinaryBuilder, FixedSizeBinaryBuilder, UInt64Builder},
    };
    use arrow_schema::{DataType, Field, Schema, SchemaRef};
    use lookalike::fingerprint::Digest;

    use super::{IdColumn, IdKind, Output, SKETCHES, SketchRow};
    use crate::{
        error::{Error, Result},
        read::Layout,
        write::{
            decisions::id_field,
            table::{TableOutput, format},
        },
    };

    /// The number of rows in a batch, and in a row group.
    const BATCH_ROWS: usize = 1 << 12;
    const GROUP_ROWS: usize = 1 << 15;

    /// The bytes of a digest.
    const DIGEST: i32 = size_of::<Digest>() as i32;

    /// A table of sketches that is being written.
    pub struct SketchRows {
        output: TableOutput<Output>,
        schema: SchemaRef,
        rows: usize,
        ids: IdColumn,
        shingles: UInt64Builder,
        digests: FixedSizeBinaryBuilder,
        sketches: BinaryBuilder,
    }

    impl SketchRows {
        pub(super) fn new(
            output: Output,
            header: &str,
            kind: IdKind,
            ahead: usize,
        ) -> Result<Self> {
            let fields = vec![
                id_field("id", kind, false),
                Field::new("shingles", DataType::UInt64, true),
                Field::new("digest", DataType::FixedSizeBinary(DIGEST), true),
                Field::new("sketch", DataType::Binary, false),
            ];
            // Nearly all values of these columns are different, so none gets a dictionary.
            let dictionaries = fields
                .iter()
                .map(|field| (vec![field.name().clone()], false))
                .collect();
            let metadata = [(SKETCHES.to_owned(), header.to_owned())].into();
            let (name, schema) = (
                output.name().to_owned(),
                Arc::new(Schema::new_with_metadata(fields, metadata)),
            );
            let layout = Layout {
                schema: schema.clone(),
                metadata: Vec::new(),
                group_rows: Some(GROUP_ROWS),
                types: None,
                dictionaries,
            };
            let output = TableOutput::new(output, &name, format(&name), &layout, &[], ahead)?;
            let ids = IdColumn::new(kind);
            let (shingles, sketches) = (UInt64Builder::new(), BinaryBuilder::new());
            Ok(Self {
                output,
                schema,
                rows: 0,
                ids,
                shingles,
                digests: FixedSizeBinaryBuilder::new(DIGEST),
                sketches,
            })
        }

        pub(super) fn push(&mut self, row: &SketchRow) -> Result<()> {
            self.ids.push(Some(row.id))?;
            self.shingles.append_option(row.shingles);
            match row.digest {
                Some(digest) => self
                    .digests
                    .append_value(digest.to_be_bytes())
                    .map_err(failure)?,
                None => self.digests.append_null(),
            }
            self.sketches.append_value(row.sketch);
            self.rows += 1;
            if self.rows == BATCH_ROWS {
                self.flush()
            } else {
                Ok(())
            }
        }

        fn flush(&mut self) -> Result<()> {
            if std::mem::take(&mut self.rows) == 0 {
                return Ok(());
            }
            let columns: Vec<ArrayRef> = vec![
                self.ids.finish(),
                Arc::new(self.shingles.finish()),
                Arc::new(self.digests.finish()),
                Arc::new(self.sketches.finish()),
            ];
            self.output
                .push(RecordBatch::try_new(self.schema.clone(), columns).map_err(failure)?)
        }

        pub(super) fn end(mut self) -> Result<Output> {
            self.flush()?;
            let mut output = self.output.finish()?;
            output.end();
            Ok(output)
        }
    }

    fn failure(error: arrow_schema::ArrowError) -> Error {
        Error::failure(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::header_of_line;

    #[test]
    fn a_line_has_the_sketch_in_hexadecimal_digits() {
        let mut line = Vec::new();
        put_line(
            &SketchRow {
                id: "\"é\"",
                shingles: Some(7),
                digest: Some(0xab),
                sketch: &[0, 0x1f, 0xff],
            },
            &mut line,
        );
        put_line(
            &SketchRow {
                id: "2.50",
                shingles: None,
                digest: None,
                sketch: &[],
            },
            &mut line,
        );
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "{\"id\":\"é\",\"shingles\":7,\"digest\":\"000000000000000000000000000000ab\",\"sketch\":\"001fff\"}\n\
             {\"id\":2.50,\"shingles\":null,\"digest\":null,\"sketch\":\"\"}\n"
        );
    }

    #[test]
    fn a_header_is_recognised_only_as_the_first_field() {
        assert_eq!(
            header_of_line(b"{\"lookalike:sketches\":{\"format\": 1}}\r\n"),
            Some("{\"format\": 1}".into())
        );
        for other in [
            "",
            "{",
            "{\"id\":1}",
            "{\"id\":\"lookalike:sketches\"}",
            "{\"lookalike:sketches\":",
        ] {
            assert_eq!(header_of_line(other.as_bytes()), None, "{other}");
        }
    }
}

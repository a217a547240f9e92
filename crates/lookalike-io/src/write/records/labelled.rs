//! Writes a record together with its label, in the format of the output.

use std::borrow::Cow;

use super::{
    labels::{Label, LabelNames, push_cell, push_number, without_end},
    shape::Shape,
};
use crate::{
    error::Error,
    read::{Block, Columns, Reading, Scratch},
    write::decisions::plain,
};

impl Shape {
    /// Appends a record together with its label; `self` is the format in which they are written. What precedes the first record
    /// and follows the last one, such as the brackets of an array, is written by [`Kept`](crate::write::Kept).
    ///
    /// # Errors
    /// Fails if the record already has a field with the name of a label's field.
    pub fn labelled(
        self,
        (block, at): (&Block, usize),
        reading: &Reading,
        names: &LabelNames,
        label: &Label,
        scratch: &mut Labelling,
        into: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Labelling { scratch, line, decoded } = scratch;
        if let (Self::Delimited, Some(columns)) = (self, block.columns()) {
            names.refuse_columns(columns)?;
            onto_row(block.raw(at), columns, columns.encoding(reading.encoding), label, into);
            return Ok(());
        }
        let raw = self.object((block, at), reading, scratch, line)?;
        let object = raw.trim_ascii_end();
        let is_encoded = block.is_encoded(at, reading);
        match is_encoded {
            true => {
                let fields = block.fields(at, reading, scratch, decoded)?;
                names.refuse_object(fields.unwrap_or_default())?;
            }
            false => names.refuse_object(object)?,
        }
        self.begin(into);
        names.onto_object(object, is_encoded, label, into);
        self.finish(&raw[object.len()..], into);
        Ok(())
    }
}

/// Buffers for records that are built.
#[derive(Debug, Default)]
pub struct Labelling {
    pub(super) scratch: Scratch,
    pub(super) line: Vec<u8>,
    pub(super) decoded: Vec<u8>,
}

/// Appends a record of CSV, followed by a label's fields.
fn onto_row(row: &[u8], columns: &Columns, encoding: Option<&str>, label: &Label, into: &mut Vec<u8>) {
    let (row, end) = without_end(row);
    let delimiter = columns.delimiter();
    into.extend_from_slice(row);
    push_cell(&plain(label.cluster), delimiter, encoding, into);
    push_cell(label.verdict(), delimiter, encoding, into);
    push_cell(&label.representative.map_or(Cow::Borrowed(""), plain), delimiter, encoding, into);
    into.push(delimiter);
    push_number(label.similarity, b"", into);
    // If the last record of a file has no line end, a line end is added.
    into.extend_from_slice(if end.is_empty() { columns.line_end() } else { end });
}

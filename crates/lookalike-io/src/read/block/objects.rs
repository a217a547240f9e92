//! Converts a block's records to JSON objects.

use super::{Block, Records, Scratch};
use crate::{
    error::Result,
    read::{
        buffer::{is_blank, push_line},
        csv,
        json::Fault,
        reading::Reading,
    },
};

impl Block {
    /// Appends an invalid record as stored, for inspection in a separate file.
    pub fn append_raw(&self, at: usize, into: &mut Vec<u8>) -> Result<()> {
        match &self.records {
            Records::Rows(rows) => rows.json_line(at, into),
            Records::Objects(objects) => {
                push_line(into, objects.object(at)?);
                Ok(())
            }
            _ => {
                push_line(into, self.raw(at));
                Ok(())
            }
        }
    }

    /// Returns the JSON object of a record as stored, without the line end, or none if the records are not JSON.
    pub fn object(&self, at: usize) -> Option<&[u8]> {
        matches!(self.records, Records::Lines | Records::Elements)
            .then(|| self.raw(at).trim_ascii_end())
    }

    /// Returns the JSON object of a record that has fields, or none for a blank line. The object is written to `into` if the
    /// record is CSV, or a line in an encoding other than UTF-8. This function does not check whether a line is valid JSON.
    ///
    /// # Errors
    /// Fails if a CSV record does not match its header, if JSON cannot represent a row of a table, or if the records have no
    /// fields.
    pub fn fields<'a>(
        &'a self,
        at: usize,
        reading: &Reading,
        scratch: &mut Scratch,
        into: &'a mut Vec<u8>,
    ) -> std::result::Result<Option<&'a [u8]>, Fault> {
        self.begin(at);
        let raw = self.raw(at);
        match &self.records {
            Records::Lines if is_blank(raw) => Ok(None),
            Records::Lines if self.is_encoded(at, reading) => {
                let line = self.line(raw, reading, &mut scratch.line)?;
                into.clear();
                into.extend_from_slice(line.trim_ascii_end());
                Ok(Some(into))
            }
            Records::Lines | Records::Elements => Ok(Some(raw.trim_ascii_end())),
            Records::Cells(_) if csv::is_blank(raw) => Ok(None),
            Records::Cells(columns) => {
                columns.check(raw, reading.encoding, &mut scratch.cells)?;
                into.clear();
                columns.json(raw, reading.encoding, &mut scratch.cells, into);
                Ok(Some(into))
            }
            Records::Objects(objects) => objects.object(at).map(Some),
            _ => Err(Fault::record("is not a record with fields")
                .advise("give JSON Lines, JSON arrays, CSV, Parquet or Arrow")),
        }
    }

    /// Appends a record as a JSON object, followed by a newline.
    ///
    /// # Errors
    /// Fails if a row has a type that JSON cannot represent.
    pub(crate) fn json_line(
        &self,
        at: usize,
        reading: &Reading,
        scratch: &mut Scratch,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        match &self.records {
            Records::Lines => {
                push_line(into, self.raw(at));
                return Ok(());
            }
            Records::Rows(rows) => return rows.json_line(at, into),
            Records::Objects(objects) => into.extend_from_slice(objects.object(at)?),
            Records::Elements => push_compact(into, self.raw(at)),
            Records::Cells(columns) => {
                columns.json(self.raw(at), reading.encoding, &mut scratch.cells, into)
            }
            Records::Files(..) => self.document_json(at, reading, scratch, into),
            #[cfg(feature = "warc")]
            Records::Crawl => self.document_json(at, reading, scratch, into),
        }
        into.push(b'\n');
        Ok(())
    }

    /// Appends a JSON object with the id and the text of a document that has no fields. For a document of a crawl, the object
    /// also has the date.
    fn document_json(
        &self,
        at: usize,
        reading: &Reading,
        scratch: &mut Scratch,
        into: &mut Vec<u8>,
    ) {
        let mut plain = String::new();
        let Ok(Some(record)) = self.record(at, reading, scratch) else {
            return;
        };
        let text = serde_json::Value::from(record.text.decode(&mut plain)).to_string();
        into.push(b'{');
        // A record of a crawl may have neither a URL nor an id of its own.
        if !record.id.is_empty() {
            into.extend_from_slice(b"\"id\":");
            into.extend_from_slice(record.id.as_bytes());
            into.push(b',');
        }
        into.extend_from_slice(b"\"text\":");
        into.extend_from_slice(text.as_bytes());
        #[cfg(feature = "warc")]
        if matches!(self.records, Records::Crawl) && !scratch.values[1].is_empty() {
            into.extend_from_slice(b",\"date\":");
            into.extend_from_slice(scratch.values[1].as_bytes());
        }
        into.push(b'}');
    }

    /// Passes every record that is not blank to `give`, with its number, as a JSON object on one line. Stops when a call fails.
    ///
    /// # Errors
    /// Fails if `give` fails, or if a row has a type that JSON cannot represent.
    pub fn each_object(
        &self,
        scratch: &mut Vec<u8>,
        mut give: impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let Some(rows) = self.rows() else {
            return (0..self.len())
                .filter(|&at| !is_blank(self.raw(at)))
                .try_for_each(|at| give(at, self.raw(at)));
        };
        scratch.clear();
        rows.masked_lines(&vec![true; rows.len()], scratch)?;
        scratch
            .split_inclusive(|&byte| byte == b'\n')
            .enumerate()
            .try_for_each(|(at, line)| give(at, line))
    }
}

/// Copies a JSON value, leaving out its line ends. Line ends between the parts of a value have no meaning, and strings contain
/// none.
fn push_compact(into: &mut Vec<u8>, value: &[u8]) {
    for piece in value.split(|byte| matches!(byte, b'\n' | b'\r')) {
        // White space at the beginning of a line is only indentation.
        let shift = if into.ends_with(b"\n") || piece.len() == value.len() {
            0
        } else {
            indent(piece)
        };
        into.extend_from_slice(&piece[shift..]);
    }
}

fn indent(line: &[u8]) -> usize {
    line.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

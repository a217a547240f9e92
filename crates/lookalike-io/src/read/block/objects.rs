//! A block's records → JSON objects.

use super::{Block, Records, Room};
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
    /// Appends a record that is none, as it stands, for those who look at it by themselves.
    pub fn set_aside(&self, at: usize, into: &mut Vec<u8>) -> Result<()> {
        match &self.records {
            Records::Rows(rows) => rows.json_line(at, into),
            _ => {
                push_line(into, self.raw(at));
                Ok(())
            }
        }
    }

    /// The JSON object that a record is as it stands, without a line's end; none of what is no JSON.
    pub fn object(&self, at: usize) -> Option<&[u8]> {
        matches!(self.records, Records::Lines | Records::Elements).then(|| self.raw(at).trim_ascii_end())
    }

    /// A record with fields as a JSON object, of CSV made in `into`; none where a line is blank. Whether lines are JSON is not looked at.
    ///
    /// # Errors
    /// A record of CSV that does not go with its header; what has no fields.
    pub fn fields<'a>(
        &'a self,
        at: usize,
        reading: &Reading,
        room: &mut Room,
        into: &'a mut Vec<u8>,
    ) -> std::result::Result<Option<&'a [u8]>, Fault> {
        self.begin(at);
        let raw = self.raw(at);
        match &self.records {
            Records::Lines if is_blank(raw) => Ok(None),
            Records::Lines if self.is_encoded(at, reading) => {
                let line = self.line(raw, reading, &mut room.line)?;
                into.clear();
                into.extend_from_slice(line.trim_ascii_end());
                Ok(Some(into))
            }
            Records::Lines | Records::Elements => Ok(Some(raw.trim_ascii_end())),
            Records::Cells(_) if csv::is_blank(raw) => Ok(None),
            Records::Cells(columns) => {
                columns.check(raw, reading.encoding, &mut room.cells)?;
                into.clear();
                columns.json(raw, reading.encoding, &mut room.cells, into);
                Ok(Some(into))
            }
            _ => Err(Fault::record("is no record with fields").instead("give JSON Lines, JSON arrays or CSV")),
        }
    }

    /// Appends a record as a JSON object on a line of its own.
    ///
    /// # Errors
    /// A row of a type that JSON cannot have.
    pub(crate) fn json_line(&self, at: usize, reading: &Reading, room: &mut Room, into: &mut Vec<u8>) -> Result<()> {
        match &self.records {
            Records::Lines => {
                push_line(into, self.raw(at));
                return Ok(());
            }
            Records::Rows(rows) => return rows.json_line(at, into),
            Records::Elements => push_compact(into, self.raw(at)),
            Records::Cells(columns) => columns.json(self.raw(at), reading.encoding, &mut room.cells, into),
            Records::Files(..) => self.document_json(at, reading, room, into),
            #[cfg(feature = "warc")]
            Records::Crawl => self.document_json(at, reading, room, into),
        }
        into.push(b'\n');
        Ok(())
    }

    /// A document that has no fields: its id and its text; of a crawl its date too.
    fn document_json(&self, at: usize, reading: &Reading, room: &mut Room, into: &mut Vec<u8>) {
        let mut plain = String::new();
        let Ok(Some(record)) = self.record(at, reading, room) else { return };
        let text = serde_json::Value::from(record.text.decode(&mut plain)).to_string();
        for (name, value) in [("{\"id\":", record.id), (",\"text\":", &text)] {
            into.extend_from_slice(name.as_bytes());
            into.extend_from_slice(value.as_bytes());
        }
        #[cfg(feature = "warc")]
        if matches!(self.records, Records::Crawl) && !room.values[1].is_empty() {
            into.extend_from_slice(b",\"date\":");
            into.extend_from_slice(room.values[1].as_bytes());
        }
        into.push(b'}');
    }

    /// Gives every record that is not blank by its number, as a JSON object on a line, until one fails.
    ///
    /// # Errors
    /// What `give` gives, or a row of a type that JSON cannot have.
    pub fn each_object(&self, room: &mut Vec<u8>, mut give: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        let Some(rows) = self.rows() else {
            return (0..self.len()).filter(|&at| !is_blank(self.raw(at))).try_for_each(|at| give(at, self.raw(at)));
        };
        room.clear();
        rows.masked_lines(&vec![true; rows.len()], room)?;
        room.split_inclusive(|&byte| byte == b'\n').enumerate().try_for_each(|(at, line)| give(at, line))
    }
}

/// Copies a JSON value, and leaves line ends out: between its parts they mean nothing, and in strings there are none.
fn push_compact(into: &mut Vec<u8>, value: &[u8]) {
    for piece in value.split(|byte| matches!(byte, b'\n' | b'\r')) {
        // What stood before a part on its line only shifted it.
        let shift = if into.ends_with(b"\n") || piece.len() == value.len() { 0 } else { indent(piece) };
        into.extend_from_slice(&piece[shift..]);
    }
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

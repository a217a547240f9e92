//! A record of a CSV file → the fields that matter.

use std::fmt::Write;

use lookalike::{shown::cut, text::Text};

use super::{
    cells::Cells,
    header::Header,
    utf16::{self, Utf16},
};
#[cfg(feature = "encodings")]
use crate::read::bytes::encoding;
use crate::{
    error::{Result, Setting},
    read::json::{Fault, Fields, Found, sets},
    words,
};

/// What a record's fields are undone into; used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    text: String,
    bytes: Vec<u8>,
    cells: Cells,
    /// Id, keep order's field, label.
    values: [String; 3],
}

/// The columns of a file, and which of them are read.
#[derive(Debug)]
pub struct Columns {
    /// The header, with its line end, and before it the line that says the delimiter, if there is one.
    line: Vec<u8>,
    delimiter: u8,
    /// Of a file that is UTF-16, what it is: header and records are then UTF-8, as they are read.
    utf16: Option<Utf16>,
    /// The names as JSON strings.
    names: Vec<String>,
    text: usize,
    id: Option<usize>,
    keep: Option<usize>,
    label: Option<usize>,
}

impl Columns {
    /// The first record of a file, and how many bytes precede it.
    ///
    /// # Errors
    /// There is none, or no column for the text or for what keep order reads.
    pub(crate) fn of(line: &[u8], before: usize, (delimiter, utf16): (u8, Option<Utf16>), fields: &Fields) -> Result<Self> {
        let header = Header::read(&line[before..], delimiter)?;
        let optional = |name: &str, option: Setting| match header.names().iter().any(|column| column == name) {
            true => header.index_of(name, option).map(Some),
            false => Ok(None),
        };
        // Where no text is read, any column will do: those who look at all of them look by themselves.
        let text = if fields.text.is_empty() { 0 } else { header.index_of(&fields.text, sets::option(fields.set))? };
        let id = optional(&fields.id, Setting::IdField)?;
        let keep = fields.keep.field().map(|name| header.index_of(name, Setting::Keep)).transpose()?;
        let label = fields.label.as_deref().map(|name| optional(name, Setting::LabelField)).transpose()?.flatten();
        let names = header.names().iter().map(|name| serde_json::Value::from(name.as_str()).to_string()).collect();
        let mut line = line.to_vec();
        if !line.ends_with(b"\n") && !line.ends_with(b"\r") {
            line.push(b'\n');
        }
        Ok(Self { line, delimiter, utf16, names, text, id, keep, label })
    }

    /// The columns of a file without a header, and thus without records: only of a byte order mark or the line that says the delimiter.
    pub(crate) fn without_header(line: &[u8], delimiter: u8, utf16: Option<Utf16>) -> Self {
        Self { line: line.into(), delimiter, utf16, names: Vec::new(), text: 0, id: None, keep: None, label: None }
    }

    /// Whether there is a header.
    pub(crate) fn has_header(&self) -> bool {
        !self.names.is_empty()
    }

    /// The header, with a line end.
    pub(crate) fn header(&self) -> &[u8] {
        &self.line
    }

    /// What stands between fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// What ends a record, as it ends the header.
    pub(crate) fn line_end(&self) -> &'static [u8] {
        match &*self.line {
            [.., b'\r', b'\n'] => b"\r\n",
            [.., b'\r'] => b"\r",
            _ => b"\n",
        }
    }

    /// What the file's bytes are, where header and records are not as they stand in it.
    pub(crate) fn utf16(&self) -> Option<Utf16> {
        self.utf16
    }

    /// The encoding of its records, of which an encoding was named for what does not say it.
    pub(crate) fn encoding(&self, named: Option<&'static str>) -> Option<&'static str> {
        named.filter(|_| self.utf16.is_none())
    }

    /// Whether there is a column of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = serde_json::Value::from(name).to_string();
        self.names.contains(&name)
    }

    /// Whether records of the other can stand under this one's header.
    pub(crate) fn are_those_of(&self, other: &Self) -> bool {
        (self.delimiter, self.utf16, &self.names) == (other.delimiter, other.utf16, &other.names)
    }

    /// The names and what stands between them, for messages.
    pub(crate) fn shown(&self) -> String {
        let encoding = self.utf16.map_or(String::new(), |order| format!(", {}", order.name()));
        format!("{} (delimiter {:?}{encoding})", cut(&self.names.join(", ")), char::from(self.delimiter))
    }

    /// Finds a record's fields.
    pub(crate) fn found<'a>(
        &self,
        record: &'a [u8],
        encoding: Option<&str>,
        scratch: &'a mut Scratch,
    ) -> std::result::Result<Found<'a>, Fault> {
        let Scratch { text, cells, bytes, values } = scratch;
        self.find(record, cells)?;
        for (column, value) in [self.id, self.keep, self.label].into_iter().zip(values.iter_mut()) {
            value.clear();
            if let Some(column) = column {
                self.value(column, record, encoding, cells, (bytes, text), value)?;
            }
        }
        let raw = cells.get(self.text, record, bytes).unwrap_or_default();
        let text = self.decoded(raw, encoding, text).map_err(|at| self.not_utf8(self.text, at))?;
        let [id, keep, label] = values.each_ref().map(|value| Some(value.as_str()).filter(|value| !value.is_empty()));
        // A number is one where numbers are meant; ids and labels are strings, whatever they look like.
        let keep = keep.map(|keep| number(keep).unwrap_or(keep));
        Ok(Found { text: Text::Plain(text), surplus: 0, id, keep, label })
    }

    fn find(&self, record: &[u8], cells: &mut Cells) -> std::result::Result<(), Fault> {
        cells.find(record, self.delimiter);
        match (cells.len(), self.names.len()) {
            (fields, columns) if fields == columns => Ok(()),
            (fields, columns) => {
                let s = if fields == 1 { "" } else { "s" };
                let wrong = Fault::record(format!("a row of {fields} field{s} under a header of {columns}"));
                Err(wrong.instead(words![
                    "put fields that hold a delimiter or a line end in quotes, or name the right delimiter with ",
                    Setting::Delimiter
                ]))
            }
        }
    }

    /// Writes a field as a JSON string; nothing for an empty one.
    fn value(
        &self,
        column: usize,
        record: &[u8],
        encoding: Option<&str>,
        cells: &Cells,
        (bytes, room): (&mut Vec<u8>, &mut String),
        into: &mut String,
    ) -> std::result::Result<(), Fault> {
        let raw = cells.get(column, record, bytes).unwrap_or_default();
        let text = self.decoded(raw, encoding, room).map_err(|at| self.not_utf8(column, at))?;
        if !text.is_empty() {
            // A string takes any text.
            let _ = write!(into, "{}", serde_json::Value::from(text));
        }
        Ok(())
    }

    /// A field's text; where it is not UTF-8 and no encoding was named, the first wrong byte.
    fn decoded<'a>(&self, raw: &'a [u8], encoding: Option<&str>, room: &'a mut String) -> std::result::Result<&'a str, usize> {
        match self.utf16 {
            Some(_) => Ok(utf16::text(raw, room)),
            None => decoded(raw, encoding, room),
        }
    }

    fn not_utf8(&self, column: usize, at: usize) -> Fault {
        let name = &self.names[column];
        let wrong = Fault::record(format!("field {name} is not UTF-8 at its byte {}", at + 1));
        let wrong = wrong.in_field(serde_json::from_str::<String>(name).unwrap_or_default()).at_byte(at as u64 + 1);
        let advice = words!["name the file's encoding with ", Setting::Encoding, ", such as windows-1252 or gbk"];
        wrong.advise(advice)
    }

    /// Whether a record has a field for each column, all of which can be read.
    pub(crate) fn check(&self, record: &[u8], encoding: Option<&str>, scratch: &mut Scratch) -> std::result::Result<(), Fault> {
        let Scratch { text, cells, bytes, .. } = scratch;
        self.find(record, cells)?;
        (0..self.names.len()).try_for_each(|column| {
            let raw = cells.get(column, record, bytes).unwrap_or_default();
            self.decoded(raw, encoding, text).map(drop).map_err(|at| self.not_utf8(column, at))
        })
    }

    /// Writes a record as a JSON object of strings.
    pub(crate) fn json(&self, record: &[u8], encoding: Option<&str>, scratch: &mut Scratch, into: &mut Vec<u8>) {
        let Scratch { text, cells, bytes, .. } = scratch;
        cells.find(record, self.delimiter);
        into.push(b'{');
        for (column, name) in self.names.iter().enumerate() {
            if column > 0 {
                into.push(b',');
            }
            into.extend_from_slice(name.as_bytes());
            into.push(b':');
            let raw = cells.get(column, record, bytes).unwrap_or_default();
            let value = match self.decoded(raw, encoding, text) {
                Ok(value) => value,
                // Of a field that nobody read.
                Err(_) => &String::from_utf8_lossy(raw),
            };
            into.extend_from_slice(serde_json::Value::from(value).to_string().as_bytes());
        }
        into.push(b'}');
    }
}

/// What a JSON string holds, where that is a JSON number.
fn number(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?.trim();
    inner.parse::<serde_json::Number>().is_ok().then_some(inner)
}

/// A field's text; where it is not UTF-8 and no encoding was named, the first wrong byte.
fn decoded<'a>(raw: &'a [u8], encoding: Option<&str>, room: &'a mut String) -> std::result::Result<&'a str, usize> {
    match encoding {
        None => simdutf8::compat::from_utf8(raw).map_err(|error| error.valid_up_to()),
        #[cfg(feature = "encodings")]
        Some(_) => Ok(encoding::decode(raw, encoding, room).text),
        #[cfg(not(feature = "encodings"))]
        Some(_) => {
            _ = room;
            simdutf8::compat::from_utf8(raw).map_err(|error| error.valid_up_to())
        }
    }
}

//! Extracts the required fields from a record of a CSV file.

use std::{fmt::Write, ops::Range};

use lookalike::{shown::cut, text::Text};

use super::{
    cells::Cells,
    header::{Header, decoded},
    utf16::{self, Utf16},
};
use crate::{
    error::{Result, Setting},
    read::json::{Fault, Fields, Found, push, sets},
};

/// The buffers for unquoted and decoded fields, reused for the next record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    text: String,
    bytes: Vec<u8>,
    cells: Cells,
    /// A text that is put together from several columns.
    joined: String,
    /// The id, the field that decides which document is kept (the field of the keep order), and the label.
    values: [String; 3],
}

/// The columns of a file, and which of them are read.
#[derive(Debug)]
pub struct Columns {
    /// The header with its line end. If a line before the header declares the delimiter, that line is included.
    line: Vec<u8>,
    delimiter: u8,
    /// The byte order of a UTF-16 file. Its header and records are UTF-8 here, because the reader converts them.
    utf16: Option<Utf16>,
    /// The names of the columns, as JSON strings.
    names: Vec<String>,
    text: usize,
    /// The columns of the text's other parts, if it is put together from several.
    more: Vec<usize>,
    id: Option<usize>,
    keep: Option<usize>,
    label: Option<usize>,
}

impl Columns {
    /// Creates the columns from the beginning of a file, in which the header starts after `before` bytes. `named` is the encoding
    /// that the user named. It applies only if the file is not recognised as UTF-16.
    ///
    /// # Errors
    /// Fails if there is no header, or if the header has no column for the text or for the field of the keep order.
    pub(crate) fn of(
        line: &[u8],
        before: usize,
        (delimiter, utf16): (u8, Option<Utf16>),
        fields: &Fields,
        named: Option<&'static str>,
    ) -> Result<Self> {
        let header = Header::read(&line[before..], delimiter, encoding_of(utf16, named))?;
        let optional = |name: &str, option: Setting| {
            if header.names().iter().any(|column| column == name) {
                header.index_of(name, option).map(Some)
            } else {
                Ok(None)
            }
        };
        // If the run reads no text, 0 is only a placeholder for the index of the text column. In such a run, code that needs the
        // columns reads all of them itself.
        let option = sets::option(fields.set);
        let joined = fields
            .joined
            .as_deref()
            .filter(|_| !header.names().contains(&fields.text));
        let mut texts = match joined {
            Some(joined) => joined
                .parts
                .iter()
                .map(|part| header.index_of(&part.name, option))
                .collect::<Result<Vec<_>>>()?,
            None if fields.text.is_empty() => vec![0],
            None => vec![header.index_of(&fields.text, option)?],
        };
        let (text, more) = (texts[0], texts.split_off(1));
        let id = optional(&fields.id, Setting("id_field"))?;
        let keep = fields
            .keep
            .field()
            .map(|name| header.index_of(name, Setting("keep")))
            .transpose()?;
        let label = fields
            .label
            .as_deref()
            .map(|name| optional(name, Setting("label_field")))
            .transpose()?
            .flatten();
        let names = header
            .names()
            .iter()
            .map(|name| serde_json::Value::from(name.as_str()).to_string())
            .collect();
        let mut line = line.to_vec();
        if !line.ends_with(b"\n") && !line.ends_with(b"\r") {
            line.push(b'\n');
        }
        Ok(Self {
            line,
            delimiter,
            utf16,
            names,
            text,
            more,
            id,
            keep,
            label,
        })
    }

    /// Creates the columns of a file without a header, and so without records: it has only a byte order mark or the line that
    /// declares the delimiter.
    pub(crate) fn without_header(line: &[u8], delimiter: u8, utf16: Option<Utf16>) -> Self {
        Self {
            line: line.into(),
            delimiter,
            utf16,
            names: Vec::new(),
            text: 0,
            more: Vec::new(),
            id: None,
            keep: None,
            label: None,
        }
    }

    /// Returns whether there is a header.
    pub(crate) fn has_header(&self) -> bool {
        !self.names.is_empty()
    }

    /// Returns the header, with a line end.
    pub(crate) fn header(&self) -> &[u8] {
        &self.line
    }

    /// Returns the delimiter between fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Returns the line end of the records, which is the same as the header's line end.
    pub(crate) fn line_end(&self) -> &'static [u8] {
        match &*self.line {
            [.., b'\r', b'\n'] => b"\r\n",
            [.., b'\r'] => b"\r",
            _ => b"\n",
        }
    }

    /// Returns the byte order of a UTF-16 file. The header and the records are UTF-8 here, because the reader converts them.
    pub(crate) fn utf16(&self) -> Option<Utf16> {
        self.utf16
    }

    /// Returns the encoding of the file's records. `named` is the encoding that the user named. It applies only if the file is
    /// not recognised as UTF-16.
    pub(crate) fn encoding(&self, named: Option<&'static str>) -> Option<&'static str> {
        encoding_of(self.utf16, named)
    }

    /// Returns the names of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        // The names are JSON strings, which can always be parsed.
        self.names
            .iter()
            .map(|name| serde_json::from_str(name).unwrap_or_default())
    }

    /// Returns whether there is a column of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = serde_json::Value::from(name).to_string();
        self.names.contains(&name)
    }

    /// Returns whether records of a file with the columns `other` can be written under the header of this file.
    pub(crate) fn are_those_of(&self, other: &Self) -> bool {
        (self.delimiter, self.utf16, &self.names) == (other.delimiter, other.utf16, &other.names)
    }

    /// Returns the names and the delimiter, for messages.
    pub(crate) fn shown(&self) -> String {
        let encoding = self
            .utf16
            .map_or(String::new(), |order| format!(", {}", order.name()));
        format!(
            "{} (delimiter {:?}{encoding})",
            cut(&self.names.join(", ")),
            char::from(self.delimiter)
        )
    }

    /// Finds those fields of a record that are read in this run.
    pub(crate) fn found<'a>(
        &self,
        record: &'a [u8],
        encoding: Option<&str>,
        scratch: &'a mut Scratch,
    ) -> std::result::Result<Found<'a>, Fault> {
        let Scratch {
            text,
            cells,
            bytes,
            values,
            joined,
        } = scratch;
        self.find(record, cells)?;
        for (column, value) in [self.id, self.keep, self.label]
            .into_iter()
            .zip(values.iter_mut())
        {
            value.clear();
            if let Some(column) = column {
                self.value(column, record, encoding, cells, (bytes, text), value)?;
            }
        }
        let text = if self.more.is_empty() {
            self.cell(self.text, record, encoding, cells, (bytes, text))?
        } else {
            joined.clear();
            for &column in [&self.text].into_iter().chain(&self.more) {
                push(
                    self.cell(column, record, encoding, cells, (bytes, text))?,
                    joined,
                );
            }
            joined.as_str()
        };
        let [id, keep, label] = values
            .each_ref()
            .map(|value| Some(value.as_str()).filter(|value| !value.is_empty()));
        // The value of the field for the keep order may be a number. Ids and labels are strings, even if they look like numbers.
        let keep = keep.map(|keep| number(keep).unwrap_or(keep));
        Ok(Found {
            text: Text::Plain(text),
            surplus: 0,
            id,
            keep,
            label,
        })
    }

    fn find(&self, record: &[u8], cells: &mut Cells) -> std::result::Result<(), Fault> {
        cells.find(record, self.delimiter);
        match (cells.len(), self.names.len()) {
            (fields, columns) if fields == columns => Ok(()),
            (fields, columns) => {
                let s = if fields == 1 { "" } else { "s" };
                let wrong = Fault::record(format!(
                    "the row has {fields} field{s}, but the header has {columns}"
                ));
                Err(wrong.advise("quote fields that contain a delimiter or a line end, or name the right delimiter with $delimiter"))
            }
        }
    }

    /// Returns a field's text.
    fn cell<'a>(
        &self,
        column: usize,
        record: &'a [u8],
        encoding: Option<&str>,
        cells: &Cells,
        (bytes, buffer): (&'a mut Vec<u8>, &'a mut String),
    ) -> std::result::Result<&'a str, Fault> {
        let raw = cells.get(column, record, bytes).unwrap_or_default();
        self.decoded(raw, encoding, buffer)
            .map_err(|at| self.not_utf8(column, at))
    }

    /// Writes a field as a JSON string, or nothing if it is empty.
    fn value(
        &self,
        column: usize,
        record: &[u8],
        encoding: Option<&str>,
        cells: &Cells,
        buffers: (&mut Vec<u8>, &mut String),
        into: &mut String,
    ) -> std::result::Result<(), Fault> {
        let text = self.cell(column, record, encoding, cells, buffers)?;
        if !text.is_empty() {
            // Writing to a `String` cannot fail.
            let _ = write!(into, "{}", serde_json::Value::from(text));
        }
        Ok(())
    }

    /// Returns a field's text. If the field is not UTF-8 and no encoding was named, the error is the position of the field's
    /// first invalid byte.
    fn decoded<'a>(
        &self,
        raw: &'a [u8],
        encoding: Option<&str>,
        buffer: &'a mut String,
    ) -> std::result::Result<&'a str, usize> {
        match self.utf16 {
            Some(_) => Ok(utf16::text(raw, buffer)),
            None => decoded(raw, encoding, buffer),
        }
    }

    fn not_utf8(&self, column: usize, at: usize) -> Fault {
        let name = &self.names[column];
        let wrong = Fault::record(format!("field {name} is not UTF-8 at byte {}", at + 1));
        let wrong = wrong
            .in_field(serde_json::from_str::<String>(name).unwrap_or_default())
            .at_byte(at as u64 + 1);
        let advice = "name the file's encoding with $encoding, such as windows-1252 or gbk";
        wrong.advise(advice)
    }

    /// Checks that a record has a field for each column, and that all of them can be decoded.
    pub(crate) fn check(
        &self,
        record: &[u8],
        encoding: Option<&str>,
        scratch: &mut Scratch,
    ) -> std::result::Result<(), Fault> {
        let Scratch {
            text, cells, bytes, ..
        } = scratch;
        self.find(record, cells)?;
        (0..self.names.len()).try_for_each(|column| {
            self.cell(column, record, encoding, cells, (&mut *bytes, &mut *text))
                .map(drop)
        })
    }

    /// Returns the place of the text in a record, with the quotes around it.
    pub(crate) fn text_place(&self, record: &[u8]) -> Range<usize> {
        let mut cells = Cells::default();
        cells.find(record, self.delimiter);
        cells.place(self.text, record).unwrap_or_default()
    }

    /// Writes a record as a JSON object of strings.
    pub(crate) fn json(
        &self,
        record: &[u8],
        encoding: Option<&str>,
        scratch: &mut Scratch,
        into: &mut Vec<u8>,
    ) {
        let Scratch {
            text, cells, bytes, ..
        } = scratch;
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
                // This field is not one that the run has read, so its bytes have not been checked.
                Err(_) => &String::from_utf8_lossy(raw),
            };
            into.extend_from_slice(serde_json::Value::from(value).to_string().as_bytes());
        }
        into.push(b'}');
    }
}

/// Returns the encoding of a file: UTF-16 is converted when it is read, so the encoding that the user named does not apply to it.
fn encoding_of(utf16: Option<Utf16>, named: Option<&'static str>) -> Option<&'static str> {
    named.filter(|_| utf16.is_none())
}

/// Returns the number that a JSON string contains, without white space around it, or `None` if the content of the string is not a
/// JSON number.
fn number(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?.trim();
    inner.parse::<serde_json::Number>().is_ok().then_some(inner)
}

//! Writes records with other texts, and with all their other fields unchanged.

use std::ops::Range;

use super::{
    labelled::Labelling,
    labels::{escape, push_value, without_end},
    shape::{Piece, Shape},
};
use crate::{
    error::{Error, Result},
    read::{Block, BlockInfo, Paths, Reading, Source, is_encodable},
};

/// What happens to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is written unchanged.
    None,
    /// It is not written.
    Dropped,
    /// It is written with this text.
    Text(String),
}

impl Shape {
    /// Builds a piece from a block's records, of which some are changed; `self` is the format in which they are written. The piece must
    /// be empty, apart from its scratch buffers.
    ///
    /// # Errors
    /// Fails if `change` fails, if a new text cannot be stored in the column of a table, or if JSON cannot represent a value.
    pub fn changed(
        self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        mut change: impl FnMut(u64, usize) -> Result<Change>,
        scratch: &mut Labelling,
        piece: &mut Piece,
    ) -> Result<()> {
        let Piece { bytes, rows, columns, records } = piece;
        *columns = block.columns().cloned();
        let mut mask = vec![false; if block.rows().is_some() { block.len() } else { 0 }];
        let mut texts = vec![None; mask.len()];
        info.each_document(block, source, |document, at| {
            let text = match change(document, at)? {
                Change::Dropped => return Ok(()),
                Change::None => None,
                Change::Text(text) => Some(text),
            };
            *records += 1;
            if !mask.is_empty() {
                (mask[at], texts[at]) = (true, text);
                return Ok(());
            }
            let written = self.record((block, at), source.reading(), text.as_deref(), scratch, bytes);
            written.map_err(|error| error.at_place(source.place(block.part, info.first_line + at as u64)))
        })?;
        let Some(table) = block.rows().filter(|_| *records > 0) else { return Ok(()) };
        let placed = |error: Error| error.placed(|row| source.place(block.part, info.first_line + row));
        match self {
            Self::Table => {
                let written = table.with_texts(&texts, &mask);
                let lines = "write JSON Lines: give a name that ends with .jsonl";
                *rows = Some(written.map_err(|error| placed(error.advise(lines)))?);
            }
            _ => table.lines_with_texts(&texts, &mask, bytes).map_err(placed)?,
        }
        Ok(())
    }

    /// Appends a record that is not a row of a table, with `text` instead of its text, if there is one.
    fn record(
        self,
        (block, at): (&Block, usize),
        reading: &Reading,
        text: Option<&str>,
        scratch: &mut Labelling,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        let Labelling { scratch, line, decoded } = scratch;
        if let (Self::Delimited, Some(columns)) = (self, block.columns()) {
            let (row, end) = without_end(block.raw(at));
            match text {
                None => into.extend_from_slice(row),
                Some(text) => {
                    let place = columns.text_place(row);
                    // A row that is UTF-8 is read as such, whatever encoding was named.
                    let is_utf8 = simdutf8::basic::from_utf8(row).is_ok();
                    let encoding = columns.encoding(reading.encoding).filter(|_| !is_utf8);
                    if !is_encodable(text, encoding) {
                        let what = format!("the remaining text cannot be written as {}", encoding.unwrap_or("UTF-8"));
                        return Err(Error::record(what).advise("write JSON Lines: give a name that ends with .jsonl"));
                    }
                    into.extend_from_slice(&row[..place.start]);
                    match text.is_empty() && place.len() == row.len() {
                        // An empty line would not be read as a record.
                        true => into.extend_from_slice(b"\"\""),
                        false => push_value(text, columns.delimiter(), encoding, into),
                    }
                    into.extend_from_slice(&row[place.end..]);
                }
            }
            into.extend_from_slice(if end.is_empty() { columns.line_end() } else { end });
            return Ok(());
        }
        let is_encoded = text.is_some() && block.is_encoded(at, reading);
        let raw = match is_encoded {
            true => block.fields(at, reading, scratch, decoded)?.unwrap_or_default(),
            false => self.object((block, at), reading, scratch, line)?,
        };
        let object = raw.trim_ascii_end();
        self.begin(into);
        match text {
            None => into.extend_from_slice(object),
            Some(text) => {
                // Documents without fields get a field of this name.
                let has_fields = block.object(at).is_some() || block.is_delimited();
                let name = if has_fields { &reading.fields.text } else { "text" };
                let (place, start) = (place_of(object, name)?, into.len());
                into.extend_from_slice(&object[..place.start]);
                // Writing to a vector cannot fail.
                let _ = serde_json::to_writer(&mut *into, text);
                into.extend_from_slice(&object[place.end..]);
                if is_encoded {
                    // The escapes are the same in all encodings.
                    escape(into, start);
                }
            }
        }
        self.finish(&raw[object.len()..], into);
        Ok(())
    }
}

/// Returns the place of a field's value in an object.
fn place_of(object: &[u8], name: &str) -> Result<Range<usize>> {
    let values = Paths::new([name.to_owned()]).find(object)?;
    let Some(value) = values[0] else { return Err(Error::record("the record has no text")) };
    let value = value.get();
    // The value is a slice of the object.
    let start = value.as_ptr() as usize - object.as_ptr() as usize;
    Ok(start..start + value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_are() {
        for (object, name, value) in [
            (r#"{"id":1,"text":"a\nb","x":{"text":2}}"#, "text", r#""a\nb""#),
            (r#" { "te\u0078t" : "é" }"#, "text", r#""é""#),
            (r#"{"a":{"text":"x"},"b":1}"#, "a.text", r#""x""#),
            (r#"{"a":{"text":"x"},"a.text":"y"}"#, "a.text", r#""y""#),
        ] {
            let place = place_of(object.as_bytes(), name).unwrap();
            assert_eq!(&object[place], value, "{object}");
        }
        assert!(place_of(b"{}", "text").is_err());
    }
}

//! Writes a record with another text, or with more fields. All its other fields are unchanged.

use std::ops::Range;

use super::{
    added::{Added, AddedNames, escape},
    cells::{push_value, without_end},
    labels::Label,
    shape::Shape,
};
use crate::{
    error::{Error, Result},
    read::{Block, Paths, Reading, Scratch, is_encodable, text_place},
};

/// Buffers for records that are built.
#[derive(Debug, Default)]
pub struct Labelling {
    scratch: Scratch,
    line: Vec<u8>,
    decoded: Vec<u8>,
}

/// The names and the values of fields that are added.
pub(super) type Addition<'a> = (&'a AddedNames, &'a dyn Added);

impl Shape {
    /// Appends a record together with its label; `self` is the format in which they are written. What precedes the first record
    /// and follows the last one, such as the brackets of an array, is written by [`Kept`](crate::write::Kept).
    ///
    /// # Errors
    /// Fails if the record already has a field with the name of a label's field.
    pub fn labelled(
        self,
        record: (&Block, usize),
        reading: &Reading,
        names: &AddedNames,
        label: &Label,
        scratch: &mut Labelling,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        self.record(record, reading, (None, Some((names, label))), scratch, into)
    }

    /// Appends a record, with `text` instead of its text, and with the added fields, if there are any. The output is not a table.
    pub(super) fn record(
        self,
        (block, at): (&Block, usize),
        reading: &Reading,
        (text, added): (Option<&str>, Option<Addition>),
        scratch: &mut Labelling,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        if self == Self::Delimited && block.is_delimited() {
            return row((block, at), reading, (text, added), into);
        }
        let Labelling {
            scratch,
            line,
            decoded,
        } = scratch;
        let is_encoded = (text.is_some() || added.is_some()) && block.is_encoded(at, reading);
        let fields = if is_encoded {
            block
                .fields(at, reading, scratch, decoded)?
                .unwrap_or_default()
        } else {
            &[]
        };
        let raw = if is_encoded && text.is_some() {
            fields
        } else {
            self.object((block, at), reading, scratch, line)?
        };
        let object = raw.trim_ascii_end();
        if let Some((names, _)) = added {
            names.refuse_object(if is_encoded { fields } else { object })?;
        }
        self.begin(into);
        let start = into.len();
        match text {
            None => into.extend_from_slice(object),
            Some(text) => {
                // Documents without fields get a field of this name.
                let has_fields =
                    block.object(at).is_some() || block.is_delimited() || block.rows().is_some();
                let name = if has_fields {
                    &reading.fields.text
                } else {
                    "text"
                };
                let plain = if has_fields {
                    text_place(object, &reading.fields)
                } else {
                    None
                };
                let place = plain.map_or_else(|| place_of(object, name), Ok)?;
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
        if let Some((names, added)) = added {
            names.onto_object(start, is_encoded, added, into);
        }
        self.finish(&raw[object.len()..], into);
        Ok(())
    }
}

/// Appends a record of CSV.
fn row(
    (block, at): (&Block, usize),
    reading: &Reading,
    (text, added): (Option<&str>, Option<Addition>),
    into: &mut Vec<u8>,
) -> Result<()> {
    let Some(columns) = block.columns() else {
        return Ok(());
    };
    if let Some((names, _)) = added {
        names.refuse_columns(columns)?;
    }
    let (row, end) = without_end(block.raw(at));
    match text {
        None => into.extend_from_slice(row),
        Some(text) => {
            let place = columns.text_place(row);
            // A row that is UTF-8 is read as such, whatever encoding was named.
            let is_utf8 = simdutf8::basic::from_utf8(row).is_ok();
            let encoding = columns.encoding(reading.encoding).filter(|_| !is_utf8);
            if !is_encodable(text, encoding) {
                let what = format!(
                    "the remaining text cannot be written as {}",
                    encoding.unwrap_or("UTF-8")
                );
                return Err(Error::record(what)
                    .advise("write JSON Lines: give a name that ends with .jsonl"));
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
    if let Some((names, added)) = added {
        names.onto_row(columns, reading.encoding, added, into);
    }
    // If the last record of a file has no line end, a line end is added.
    into.extend_from_slice(if end.is_empty() {
        columns.line_end()
    } else {
        end
    });
    Ok(())
}

/// Returns the place of a field's value in an object.
fn place_of(object: &[u8], name: &str) -> Result<Range<usize>> {
    let values = Paths::new([name.to_owned()]).find(object)?;
    let Some(value) = values[0] else {
        return Err(Error::record("the record has no text"));
    };
    let value = value.get();
    // The value is a slice of the object.
    let start = value.as_ptr() as usize - object.as_ptr() as usize;
    Ok(start..start + value.len())
}

#[cfg(test)]
mod tests {
    use lookalike::cluster::Keep;

    use super::*;
    use crate::read::Fields;

    #[test]
    fn values_are_found_where_they_are() {
        for (object, name, value, is_plain) in [
            (
                r#"{"id":1,"text":"a\nb","x":{"text":2}}"#,
                "text",
                r#""a\nb""#,
                true,
            ),
            (r#" { "te\u0078t" : "é" }"#, "text", r#""é""#, false),
            (r#"{"a":{"text":"x"},"b":1}"#, "a.text", r#""x""#, false),
            (
                r#"{"a":{"text":"x"},"a.text":"y"}"#,
                "a.text",
                r#""y""#,
                true,
            ),
        ] {
            let place = place_of(object.as_bytes(), name).unwrap();
            assert_eq!(&object[place.clone()], value, "{object}");
            let fields = Fields::new(name.into(), None, "id".into(), Keep::First, None);
            assert_eq!(
                text_place(object.as_bytes(), &fields),
                is_plain.then_some(place),
                "{object}"
            );
        }
        assert!(place_of(b"{}", "text").is_err());
    }
}

//! Reads the rows of a file of sketches.

use std::borrow::Cow;

use lookalike::{fingerprint::Digest, stored::StoredSketch};
use lookalike_io::{
    error::{Error, Result},
    read::{Block, Source, header_of_line},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::pass::lines::{as_written, each_line_of, is_id, not_an_id, parse};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    shingles: Option<u64>,
    #[serde(borrow)]
    digest: Option<Cow<'a, str>>,
    #[serde(borrow)]
    sketch: Cow<'a, str>,
}

/// A row: the id as JSON, and the sketch.
pub(super) struct Row<'a> {
    pub(super) id: Cow<'a, RawValue>,
    pub(super) sketch: StoredSketch,
}

/// Parses a row of a file of sketches; returns `None` for the header of JSON Lines. `first` is whether the line is the first of its
/// file, where alone a header may be.
///
/// # Errors
/// Fails if the line is not a row. Whether the bytes are a sketch is not checked.
pub(super) fn row<'a>(line: &'a [u8], block: &Block, first: bool) -> Result<Option<Row<'a>>> {
    if header_of_line(line).is_some() {
        let joined = || {
            Error::record("a header is not the first line")
                .advise("merge files with `lookalike sketch --merge`")
        };
        return if first { Ok(None) } else { Err(joined()) };
    }
    let line: Line = parse(line, "a sketch that `lookalike sketch` wrote")?;
    let id = as_written(line.id, "id", block)?;
    if !is_id(id.get()) {
        return Err(not_an_id(id.get()));
    }
    let wrong = |field: &str| {
        Error::record(format!(
            "\"{field}\" is not hexadecimal digits of whole bytes"
        ))
        .in_field(field)
    };
    let digest = |digits: Cow<str>| {
        let bytes = bytes_of(&digits).filter(|bytes| bytes.len() == size_of::<Digest>());
        bytes.map(|bytes| {
            bytes
                .iter()
                .fold(0, |digest: Digest, &byte| digest << 8 | Digest::from(byte))
        })
    };
    let digest = line
        .digest
        .map(|digits| digest(digits).ok_or_else(|| wrong("digest")))
        .transpose()?;
    let bytes = bytes_of(&line.sketch).ok_or_else(|| wrong("sketch"))?;
    Ok(Some(Row {
        id,
        sketch: StoredSketch {
            shingles: line.shingles,
            digest,
            bytes,
        },
    }))
}

/// Passes each row of all files to `give`, with its number among all rows, in order.
pub(super) fn each_row(
    source: &Source,
    mut give: impl FnMut(u64, Row) -> Result<()>,
) -> Result<()> {
    let mut number = 0;
    each_line_of(source, |line, block, at| {
        if let Some(row) = row(line, block, at == 1)? {
            give(number, row)?;
            number += 1;
        }
        Ok(())
    })
}

/// Decodes hexadecimal digits; returns `None` if there are other characters, or an odd number of digits.
fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect();
    if rest.is_empty() { bytes } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_a_table() {
        assert_eq!(bytes_of("001fFf"), Some(vec![0, 0x1f, 0xff]));
        assert_eq!(bytes_of(""), Some(Vec::new()));
        assert_eq!(
            [bytes_of("0"), bytes_of("0g"), bytes_of("é")],
            [None, None, None]
        );
    }
}

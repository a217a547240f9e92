//! Fields of CSV.

use crate::read::encode;

/// Splits a CSV record into its content and its line end.
pub(super) fn without_end(row: &[u8]) -> (&[u8], &[u8]) {
    let length = if row.ends_with(b"\r\n") {
        2
    } else {
        usize::from(row.ends_with(b"\n") || row.ends_with(b"\r"))
    };
    row.split_at(row.len() - length)
}

/// Appends a field of CSV after a delimiter, in quotes if it needs them (RFC 4180).
pub(super) fn push_cell(text: &str, delimiter: u8, encoding: Option<&str>, into: &mut Vec<u8>) {
    into.push(delimiter);
    push_value(text, delimiter, encoding, into);
}

/// Appends a field of CSV, in quotes if it needs them.
pub(super) fn push_value(text: &str, delimiter: u8, encoding: Option<&str>, into: &mut Vec<u8>) {
    let needs_quotes = |byte: u8| matches!(byte, b'"' | b'\n' | b'\r') || byte == delimiter;
    if text.bytes().any(needs_quotes) {
        let quoted = format!("\"{}\"", text.replace('"', "\"\""));
        into.extend_from_slice(&encode(&quoted, encoding));
    } else {
        into.extend_from_slice(&encode(text, encoding));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Checks what a reader of CSV sees.
        #[test]
        fn a_cell_can_contain_any_text(text: String, delimiter in prop::sample::select(vec![b',', b';', b'\t', b'|'])) {
            let mut row = b"first".to_vec();
            push_cell(&text, delimiter, None, &mut row);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(&*row);
            let record = reader.records().next().unwrap().unwrap();
            prop_assert_eq!((record.len(), &record[1]), (2, &*text));
        }
    }
}

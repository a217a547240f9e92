//! Writes records as CSV: UTF-8, with quotes where they are needed (RFC 4180).

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{super::cells::push_value, heading::Heading};
use crate::read::{Shape, fields_of, string_of};

/// Appends the header. Without records in JSON there are no columns, and no header.
pub(in super::super) fn push_header(heading: &Heading, delimiter: u8, into: &mut Vec<u8>) {
    if heading.columns.is_empty() {
        return;
    }
    let names = heading
        .columns
        .iter()
        .map(|(name, _)| Cow::Borrowed(name.as_str()));
    push_row(names, delimiter, into);
}

/// Appends records, which are JSON Lines, and where each of them ends. A field that is null or missing is empty. A string is its
/// text, and other values are as in JSON.
///
/// Returns none if a record is not what the columns were found in.
pub(in super::super) fn push_records<'l>(
    heading: &Heading,
    delimiter: u8,
    lines: impl Iterator<Item = &'l [u8]>,
    into: &mut Vec<u8>,
    mut ends: Option<&mut Vec<usize>>,
) -> Option<()> {
    let mut cells: Vec<Option<&RawValue>> = Vec::new();
    for line in lines {
        cells.clear();
        cells.resize(heading.columns.len(), None);
        let mut next = 0;
        for (name, value) in fields_of(line).ok()? {
            let is_named = |at: &usize| {
                heading
                    .columns
                    .get(*at)
                    .is_some_and(|(column, _)| *column == name)
            };
            // Most records have the same fields in the same order.
            let at = Some(next)
                .filter(is_named)
                .or_else(|| heading.places.get(&*name).copied())?;
            (cells[at], next) = (Some(value), at + 1);
        }
        let texts = cells
            .iter()
            .map(|cell| cell.map_or(Some("".into()), text))
            .collect::<Option<Vec<_>>>()?;
        push_row(texts.into_iter(), delimiter, into);
        ends.iter_mut().for_each(|ends| ends.push(into.len()));
    }
    Some(())
}

fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    match Shape::of(value.get()) {
        Shape::Text => string_of(value.get()).ok(),
        Shape::Null => Some("".into()),
        _ => Some(value.get().into()),
    }
}

fn push_row<'t>(texts: impl Iterator<Item = Cow<'t, str>>, delimiter: u8, into: &mut Vec<u8>) {
    let start = into.len();
    for (at, text) in texts.enumerate() {
        if at > 0 {
            into.push(delimiter);
        }
        push_value(&text, delimiter, None, into);
    }
    if into.len() == start {
        // An empty line would not be read as a record.
        into.extend_from_slice(b"\"\"");
    }
    into.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::{super::types::Type, *};

    #[test]
    fn records_in_a_table() {
        let heading = |names: &[&str]| {
            Heading::of(
                names
                    .iter()
                    .map(|name| ((*name).into(), Type::Text))
                    .collect(),
            )
        };
        for (names, lines, expected) in [
            (
                &["a", "b"][..],
                r#"{"b":"x,\"y\"\n","a":1.50}"#,
                Some("a,b\n1.50,\"x,\"\"y\"\"\n\"\n"),
            ),
            (&["a", "b"], r#"{"a":null}"#, Some("a,b\n,\n")),
            (&["a"], r#"{"a":""}"#, Some("a\n\"\"\n")),
            (
                &["a", "b"],
                r#"{"a":true,"b":[{"c":1}]}"#,
                Some("a,b\ntrue,\"[{\"\"c\"\":1}]\"\n"),
            ),
            (&["a"], r#"{"b":1}"#, None),
            (&["a"], "{\"a\":1", None),
        ] {
            let (mut written, mut ends) = (Vec::new(), Vec::new());
            push_header(&heading(names), b',', &mut written);
            let made = push_records(
                &heading(names),
                b',',
                [lines.as_bytes()].into_iter(),
                &mut written,
                Some(&mut ends),
            );
            assert_eq!(
                made.map(|()| String::from_utf8(written).unwrap())
                    .as_deref(),
                expected,
                "{lines}"
            );
            assert_eq!(ends, expected.map(str::len).into_iter().collect::<Vec<_>>());
        }
    }
}

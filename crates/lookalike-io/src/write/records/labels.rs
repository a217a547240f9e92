//! Adds the decision about a record to the record, as four fields after the record's own fields, which do not change.

use lookalike::shown::quoted;
use serde_json::Value;

use crate::{
    error::{Error, Setting},
    read::{Columns, encode, field_of},
    words,
    write::decisions::verdict,
};

/// The decision about a record. The verdict is the same word as in the decisions file. Ids are JSON, as in the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label<'a> {
    /// The id of the document's representative, or the document's own id if the document is kept.
    pub cluster: &'a str,
    /// The id of the document because of which this document was dropped; `None` if this document is kept.
    pub representative: Option<&'a str>,
    /// The similarity of the document to its representative by the run's measure; `None` if it was not measured, or if the
    /// document is kept.
    pub similarity: Option<f64>,
}

impl Label<'_> {
    pub(crate) fn verdict(&self) -> &'static str {
        verdict(self.representative)
    }
}

/// The names of the fields: cluster, verdict, representative and similarity, each after a prefix.
#[derive(Debug, Clone)]
pub struct LabelNames {
    names: [String; 4],
    /// The names as they are written in an object, such as `,"verdict":`. The first name has no comma before it.
    keys: [String; 4],
}

impl LabelNames {
    /// Returns the names with a prefix.
    pub fn new(prefix: &str) -> Self {
        let names = ["cluster", "verdict", "representative", "similarity"].map(|name| format!("{prefix}{name}"));
        let mut comma = "";
        let keys = names.each_ref().map(|name| format!("{}{}:", std::mem::replace(&mut comma, ","), Value::from(&**name)));
        Self { names, keys }
    }

    /// Returns the four names.
    #[cfg(feature = "tables")]
    pub(crate) fn all(&self) -> &[String; 4] {
        &self.names
    }

    /// Rejects columns that already have one of the names.
    pub fn refuse_columns(&self, columns: &Columns) -> Result<(), Error> {
        self.names.iter().find(|name| columns.has(name)).map_or(Ok(()), |name| Err(taken("column", name)))
    }

    /// Rejects an object that already has a field with one of the names.
    pub fn refuse_object(&self, object: &[u8]) -> Result<(), Error> {
        field_of(object, &self.names).map_or(Ok(()), |name| Err(taken("field", name)))
    }

    /// Appends an object, with a label's fields after the fields of the object. If the object is not encoded in UTF-8, characters
    /// outside ASCII are escaped. The escapes are the same in all encodings.
    pub(super) fn onto_object(&self, object: &[u8], is_encoded: bool, label: &Label, into: &mut Vec<u8>) {
        let inside = object.strip_suffix(b"}").unwrap_or(object).trim_ascii_end();
        into.extend_from_slice(inside);
        if !inside.ends_with(b"{") {
            into.push(b',');
        }
        let start = into.len();
        let Label { cluster, representative, similarity } = *label;
        let [first, verdict, third, fourth] = self.keys.each_ref().map(|key| key.as_bytes());
        for piece in [first, cluster.as_bytes(), verdict, b"\"", label.verdict().as_bytes(), b"\"", third] {
            into.extend_from_slice(piece);
        }
        into.extend_from_slice(representative.unwrap_or("null").as_bytes());
        into.extend_from_slice(fourth);
        push_number(similarity, b"null", into);
        if is_encoded {
            escape(into, start);
        }
        into.extend_from_slice(&object[inside.len()..]);
    }

    /// Appends a header of CSV, followed by the names.
    pub(crate) fn onto_header(&self, columns: &Columns, encoding: Option<&'static str>, into: &mut Vec<u8>) {
        let (header, end) = without_end(columns.header());
        let encoding = columns.encoding(encoding);
        into.extend_from_slice(header);
        self.names.iter().for_each(|name| push_cell(name, columns.delimiter(), encoding, into));
        into.extend_from_slice(end);
    }
}

/// Escapes the characters outside ASCII in JSON, from a position on.
pub(super) fn escape(json: &mut Vec<u8>, start: usize) {
    let piece = json.split_off(start);
    for character in String::from_utf8_lossy(&piece).chars() {
        if character.is_ascii() {
            json.push(character as u8);
        } else {
            character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| json.extend_from_slice(format!("\\u{unit:04x}").as_bytes()));
        }
    }
}

/// Splits a CSV record into its content and its line end.
pub(super) fn without_end(row: &[u8]) -> (&[u8], &[u8]) {
    let length = if row.ends_with(b"\r\n") { 2 } else { usize::from(row.ends_with(b"\n") || row.ends_with(b"\r")) };
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

/// Appends a number as in the decisions file.
pub(super) fn push_number(number: Option<f64>, none: &[u8], into: &mut Vec<u8>) {
    match number {
        // Writing to a vector cannot fail.
        Some(number) => _ = serde_json::to_writer(into, &number),
        None => into.extend_from_slice(none),
    }
}

pub(crate) fn taken(what: &str, name: &str) -> Error {
    let wrong = Error::record(format!("there is already a {what} {}", quoted(name))).in_field(name);
    let prefix = (Setting::LabelPrefix, "dup_");
    let advice = words!["rename the fields of ", Setting::Label, ", for example with ", prefix];
    wrong.advise(advice).about(Setting::LabelPrefix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEPT: Label = Label { cluster: "7", representative: None, similarity: None };
    const DROPPED: Label = Label { cluster: "\"a,\\\"b\"", representative: Some("\"a,\\\"b\""), similarity: Some(0.825) };

    #[test]
    fn objects_in_a_table() {
        let kept = r#""cluster":7,"verdict":"kept","representative":null,"similarity":null"#;
        for (object, before, after) in [
            ("{}", "{", "}"),
            ("{ }", "{", " }"),
            (r#"{"a":1}"#, r#"{"a":1,"#, "}"),
            (r#"{"a":{"b":{}} }"#, r#"{"a":{"b":{}},"#, " }"),
            (r#"{"a":"}{"}"#, r#"{"a":"}{","#, "}"),
            ("{\r\n  \"a\": [1]\r\n}", "{\r\n  \"a\": [1],", "\r\n}"),
        ] {
            let mut into = Vec::new();
            LabelNames::new("").onto_object(object.as_bytes(), false, &KEPT, &mut into);
            assert_eq!(String::from_utf8(into).unwrap(), format!("{before}{kept}{after}"));
        }
        let mut into = Vec::new();
        LabelNames::new("é\"").onto_object(b"{}", false, &DROPPED, &mut into);
        let expected = r#"{"é\"cluster":"a,\"b","é\"verdict":"dropped","é\"representative":"a,\"b","é\"similarity":0.825}"#;
        assert_eq!(String::from_utf8(into).unwrap(), expected);
    }

    proptest! {
        /// Checks what a reader of JSON sees: the record's original fields, and the fields of the label.
        #[test]
        fn an_object_gains_four_fields_and_loses_nothing(
            fields in prop::collection::btree_map("[a-z{}\" ]{0,5}", prop_oneof![
                any::<String>().prop_map(Value::from), any::<i64>().prop_map(Value::from), Just(serde_json::json!({"}": [{}]})),
            ], 0..4),
            pretty: bool,
            similarity in prop::option::of(0f64..=1.0),
        ) {
            let object = serde_json::to_value(&fields).unwrap();
            let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) }.unwrap();
            let label = Label { similarity, ..DROPPED };
            let mut into = Vec::new();
            LabelNames::new("dup ").onto_object(text.as_bytes(), false, &label, &mut into);
            let mut seen: serde_json::Map<String, Value> = serde_json::from_slice(&into).unwrap();
            prop_assert_eq!(seen.remove("dup similarity"), Some(Value::from(similarity)));
            prop_assert_eq!(seen.remove("dup cluster"), Some("a,\"b".into()));
            prop_assert_eq!(seen.remove("dup representative"), Some("a,\"b".into()));
            prop_assert_eq!(seen.remove("dup verdict"), Some("dropped".into()));
            prop_assert_eq!(Value::Object(seen), object);
        }

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

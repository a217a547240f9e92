//! Reads the fields of a line in the naive way: every field is parsed and held.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A usable record: the id exactly as it is in the line, and the text.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    pub id: Option<String>,
    pub text: String,
}

/// Reads a line; returns `None` if it is not a usable record.
pub fn read(line: &[u8]) -> Option<Record> {
    let line = std::str::from_utf8(line).ok()?.trim_ascii_end();
    let mut json = serde_json::Deserializer::from_str(line);
    let fields = json.deserialize_map(Fields).ok()?;
    json.end().ok()?;
    let the_only = |name: &str| {
        let mut values = fields
            .iter()
            .filter(|field| field.0 == name)
            .map(|field| field.1);
        (values.next(), values.next())
    };
    let ((text, None), (id, None)) = (the_only("text"), the_only("id")) else {
        return None;
    };
    let id = id.map(RawValue::get);
    if id.is_some_and(|id| {
        !id.starts_with(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    }) {
        return None;
    }
    Some(Record {
        id: id.map(String::from),
        text: serde_json::from_str(text?.get()).ok()?,
    })
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

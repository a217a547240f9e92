//! The full parser: the reference for the content of a line, and the source of error messages. Plain lines never reach it.

use std::fmt;

use lookalike::{
    Occurrences,
    shown::{cut, quoted},
    text::Text,
};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    fields::{Fault, Fields, Found, Shape, Unit},
    paths::Paths,
    sets,
};
use crate::words;

/// Parses a line, or an element of an array. `scratch` receives its text.
pub(crate) fn parse<'a>(
    line: &'a str,
    unit: Unit,
    fields: &Fields,
    scratch: &'a mut String,
) -> Result<Found<'a>, Fault> {
    scratch.clear();
    let mut json = serde_json::Deserializer::from_str(line);
    let parsed = json.deserialize_map(Object {
        fields,
        text: scratch,
    });
    let seen = parsed
        .and_then(|seen| json.end().map(|()| seen))
        .map_err(|error| not_an_object(&error, unit))?;
    if let Some(field) = seen.twice {
        return Err(Fault::record(format!("duplicate field {}", quoted(field)))
            .in_field(field)
            .advise("remove one of the two"));
    }
    let Seen {
        id, keep, label, ..
    } = seen;
    match seen.text {
        None => Err(no_text(line, fields)),
        Some(Shape::Array) if let Some(array) = seen.set => Ok(Found {
            text: Text::Plain(array),
            surplus: 0,
            id,
            keep,
            label,
        }),
        Some(Shape::Text) if fields.set.is_none() => Ok(Found {
            text: Text::Plain(scratch),
            surplus: 0,
            id,
            keep,
            label,
        }),
        Some(other) => Err(no_such(other, fields.set, fields)),
    }
}

/// Returns the error for a value of the text field that has the wrong type: it is not a text or, if documents are sets, not a
/// set.
pub(crate) fn no_such(value: Shape, set: Option<Occurrences>, fields: &Fields) -> Fault {
    let (field, what) = (quoted(&fields.text), value.name());
    let (meant, give) = match set {
        Some(_) => ("set", "an array of strings and numbers"),
        None => ("text", "a string"),
    };
    let wrong =
        Fault::record(format!("field {field} is {what}, not a {meant}")).in_field(&*fields.text);
    wrong.advise(words![
        format!("give {give}, or name another field with "),
        sets::option(set)
    ])
}

/// Returns what is wrong with a line or an element that is not a JSON object. Returns `None` if it is a JSON object.
pub(crate) fn not_json(line: &str, unit: Unit) -> Option<Fault> {
    serde_json::from_str::<Names>(line)
        .err()
        .map(|error| not_an_object(&error, unit))
}

fn not_an_object(error: &serde_json::Error, unit: Unit) -> Fault {
    let (line, column) = (error.line(), error.column());
    let words = error.to_string();
    let words = words
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&words);
    let half = [
        "unexpected end of hex escape",
        "lone leading surrogate in hex escape",
    ]
    .contains(&words);
    // An element can span several lines.
    let (at, each) = match unit {
        Unit::Line => (format!("byte {column} of the line"), "line"),
        Unit::Element if line > 1 => (
            format!("byte {column} of line {line} of the element"),
            "element of the array",
        ),
        Unit::Element => (
            format!("byte {column} of the element"),
            "element of the array",
        ),
    };
    let wrong = if half {
        let half = format!(
            "half of a character (a lone surrogate such as \\ud83d) at {at}, which is not valid text"
        );
        Fault::record(half).advise("fix the record")
    } else if error.is_data() {
        let advice =
            format!("each {each} must be one object such as {{\"id\": 1, \"text\": \"…\"}}");
        return Fault::record(format!("not a JSON object ({})", cut(words))).advise(advice);
    } else {
        let wrong = Fault::record(format!("not JSON: {words} at {at}"));
        let wrong = wrong.advise(format!("each {each} must be one whole JSON object"));
        if unit == Unit::Line && error.is_eof() {
            wrong.advise(
                "put an object that spans several lines on one line, for example with jq -c . FILE",
            )
        } else {
            wrong
        }
    };
    // If the error is not on the first line of an element, the returned error has no byte position: the parser counts bytes from
    // the start of the line with the error, and not from the start of the element.
    if unit == Unit::Line || line == 1 {
        wrong.at_byte(column as u64)
    } else {
        wrong
    }
}

/// Returns the error for a record without the text field. It lists the fields that the record has, because the user nearly always
/// means one of them.
pub(crate) fn no_text(line: &str, fields: &Fields) -> Fault {
    const SHOWN: usize = 12;
    // A name with a dot may mean a field inside an object.
    let names = if fields.text.contains('.') {
        Paths::names_in(line.as_bytes())
    } else {
        names(line)
    };
    let mut shown = names
        .iter()
        .take(SHOWN)
        .map(|name| quoted(name))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        shown += &format!(" and {} more", names.len() - SHOWN);
    }
    let has = if names.is_empty() {
        "no fields".into()
    } else {
        format!("the fields {shown}")
    };
    let (field, what, option) = (
        quoted(&fields.text),
        if fields.set.is_some() { "set" } else { "text" },
        sets::option(fields.set),
    );
    let wrong =
        Fault::record(format!("no field {field}; the record has {has}")).in_field(&*fields.text);
    wrong.advise(words![
        format!("name the field with the {what} with "),
        option
    ])
}

/// Returns the names of an object's fields, in their order. The list is empty if `object` is not a JSON object.
pub(crate) fn names(object: &str) -> Vec<String> {
    serde_json::from_str::<Names>(object)
        .map(|names| names.0)
        .unwrap_or_default()
}

/// The result of one pass over a record.
#[derive(Default)]
struct Seen<'a, 'de> {
    text: Option<Shape>,
    /// The raw value of the text field, if it must be a set.
    set: Option<&'de str>,
    id: Option<&'de str>,
    keep: Option<&'de str>,
    label: Option<&'de str>,
    /// The name of a field that occurs twice, if there is one.
    twice: Option<&'a str>,
}

struct Object<'a> {
    fields: &'a Fields,
    text: &'a mut String,
}

impl<'a, 'de> Visitor<'de> for Object<'a> {
    type Value = Seen<'a, 'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Seen<'a, 'de>, M::Error> {
        let mut found = Seen::default();
        while let Some(field) = map.next_key_seed(FieldName(self.fields))? {
            match field {
                Field::Text if found.text.is_none() && self.fields.set.is_some() => {
                    let value = map.next_value::<&RawValue>()?.get();
                    (found.text, found.set) = (Some(Shape::of(value)), Some(value));
                }
                Field::Text if found.text.is_none() => {
                    found.text = Some(map.next_value_seed(Copied(self.text))?)
                }
                Field::Text => {
                    map.next_value::<IgnoredAny>()?;
                    found.twice = Some(&self.fields.text);
                }
                Field::Raw {
                    name,
                    id,
                    keep,
                    label,
                } => {
                    let again = id && found.id.is_some()
                        || keep && found.keep.is_some()
                        || label && found.label.is_some();
                    found.twice = found.twice.or(again.then_some(name));
                    let value = Some(map.next_value::<&RawValue>()?.get());
                    found.id = value.filter(|_| id).or(found.id);
                    found.keep = value.filter(|_| keep).or(found.keep);
                    found.label = value.filter(|_| label).or(found.label);
                }
                Field::Other => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(found)
    }
}

enum Field<'a> {
    Text,
    /// A field whose raw value is used, possibly for several purposes.
    Raw {
        name: &'a str,
        id: bool,
        keep: bool,
        label: bool,
    },
    Other,
}

/// Identifies a field by its name, without keeping the name.
struct FieldName<'a>(&'a Fields);

impl<'a, 'de> DeserializeSeed<'de> for FieldName<'a> {
    type Value = Field<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field<'a>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for FieldName<'a> {
    type Value = Field<'a>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Field<'a>, E> {
        let fields = self.0;
        if name == fields.text {
            return Ok(Field::Text);
        }
        let named = |field: Option<&'a str>| field.filter(|field| *field == name);
        let (id, keep, label) = (
            named(Some(&fields.id)),
            named(fields.keep.field()),
            named(fields.label.as_deref()),
        );
        Ok(match id.or(keep).or(label) {
            Some(name) => Field::Raw {
                name,
                id: id.is_some(),
                keep: keep.is_some(),
                label: label.is_some(),
            },
            None => Field::Other,
        })
    }
}

/// Copies a string into a buffer, and returns the kind of the value. A value that is not a string is not copied.
struct Copied<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Copied<'_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Copied<'_> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Shape, E> {
        self.0.push_str(text);
        Ok(Shape::Text)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Bool)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut array: A) -> Result<Shape, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Shape::Array)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Shape, M::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shape::Object)
    }
}

/// The names of a record's fields.
struct Names(Vec<String>);

impl<'de> serde::Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Names, M::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = map.next_entry()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

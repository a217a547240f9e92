//! A line → the fields that matter. The rest of the line is checked for being JSON and otherwise left alone.

use std::fmt;

use lookalike::cluster::{Keep, number_key, time_key};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The names of the fields that are read.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) text: String,
    pub(crate) id: String,
    /// What keep order reads in each record.
    pub(crate) keep: Keep,
    /// The field with the label, where one is asked for.
    pub(crate) label: Option<String>,
}

/// What was found in a line. A buffer, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) text: String,
    /// The id as it stands in the line, a JSON string or number; empty when there is none.
    pub(crate) id: String,
    /// Largest first in keep order.
    pub(crate) key: u64,
    /// The label as it stands in the line, a JSON string or number; empty when there is none, or null.
    pub(crate) label: String,
}

/// Why a line is no usable record: what is wrong and what to do, for behind `path:line: `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Record {
    /// Reads a line. Cost: one pass of the JSON parser and one copy of the text.
    pub(crate) fn read(&mut self, line: &[u8], fields: &Fields) -> Result<(), Fault> {
        self.text.clear();
        self.id.clear();
        self.label.clear();
        self.key = 0;
        let line = simdutf8::compat::from_utf8(line).map_err(|error| {
            let at = error.valid_up_to() + 1;
            Fault(format!("invalid UTF-8 at byte {at} of the line; convert the file to UTF-8, for instance with iconv"))
        })?;
        let line = line.trim_ascii_end();
        let mut json = serde_json::Deserializer::from_str(line);
        let parsed = json.deserialize_map(Object { fields, text: &mut self.text });
        let found = parsed.and_then(|found| json.end().map(|()| found)).map_err(|error| not_an_object(&error))?;
        if let Some(field) = found.twice {
            return Err(Fault(format!("field {field:?} stands twice; keep one of the two")));
        }
        match found.text {
            None => return Err(no_text(line, &fields.text)),
            Some(Shape::Text) => {}
            Some(other) => {
                let (field, what) = (&fields.text, other.name());
                return Err(Fault(format!(
                    "field {field:?} is {what}, not a text; give a string, or name another field with --text-field"
                )));
            }
        }
        match found.id {
            None => {}
            Some(id) if Shape::of(id).is_name() => self.id.push_str(id),
            Some(id) => {
                let (field, what) = (&fields.id, Shape::of(id).name());
                return Err(Fault(format!(
                    "field {field:?} is {what}; an id must be a string or a number: leave it out, or name another field with --id-field"
                )));
            }
        }
        match found.label {
            None | Some("null") => {}
            Some(label) if Shape::of(label).is_name() => self.label.push_str(label),
            Some(label) => {
                let (field, what) = (fields.label.as_deref().unwrap_or_default(), Shape::of(label).name());
                return Err(Fault(format!(
                    "field {field:?} is {what}; a label must be a string or a number: leave it out, or name another field with --labels"
                )));
            }
        }
        self.key = match &fields.keep {
            Keep::First => 0,
            Keep::Longest => self.text.chars().count() as u64,
            Keep::Newest(field) => time(found.keep, field)?,
            Keep::Max(field) => number_key(number(found.keep, field, "max")?),
            Keep::Min(field) => number_key(-number(found.keep, field, "min")?),
        };
        Ok(())
    }
}

fn not_an_object(error: &serde_json::Error) -> Fault {
    let words = error.to_string();
    let words = words.split(" at line 1 column ").next().unwrap_or_default();
    Fault(if error.is_data() {
        format!("not a JSON object ({words}); each line must be one object such as {{\"id\": 1, \"text\": \"…\"}}")
    } else {
        format!("not JSON: {words} at byte {} of the line; each line must be one whole JSON object", error.column())
    })
}

/// Names the fields that the record does have: nearly always one of them was meant.
fn no_text(line: &str, field: &str) -> Fault {
    const SHOWN: usize = 12;
    let names = serde_json::from_str::<Names>(line).map(|names| names.0).unwrap_or_default();
    let mut shown = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        shown += &format!(" and {} more", names.len() - SHOWN);
    }
    let has = if names.is_empty() { "no fields".into() } else { format!("the fields {shown}") };
    Fault(format!("no field {field:?}; the record has {has}: name the one with the text with --text-field"))
}

fn number(value: Option<&str>, field: &str, keep: &str) -> Result<f64, Fault> {
    let wanted = |what: &str| Fault(format!("field {field:?} {what}; --keep {keep}:{field} needs a number in each record"));
    let value = value.ok_or_else(|| wanted("is missing"))?;
    let number: f64 = value.parse().map_err(|_| wanted(&format!("is {}", Shape::of(value).name())))?;
    // Whole numbers are exact up to 2⁵³; of others, people do not expect more than the digits that a float has.
    let exact = number.is_finite() && (number.fract() != 0.0 || number.abs() <= MOST_EXACT);
    if exact { Ok(number) } else { Err(wanted(&format!("is {value}, more than can be compared exactly"))) }
}

/// The largest number up to which all whole numbers have a float of their own.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A time: a number of seconds (or milli-, micro-, nanoseconds, by its size) since 1970, or a date or time as in RFC 3339,
/// ISO 8601 or RFC 2822; without an offset, UTC.
fn time(value: Option<&str>, field: &str) -> Result<u64, Fault> {
    let wanted = |what: &str| {
        Fault(format!(
            "field {field:?} {what}; --keep newest:{field} needs a date (2024-01-31, 2024-01-31T12:00:00Z) or seconds since 1970"
        ))
    };
    let value = value.ok_or_else(|| wanted("is missing"))?;
    let stamp = match (value.parse::<i128>(), value.parse::<f64>()) {
        (Ok(whole), _) => whole.checked_mul(unit(whole as f64)),
        (_, Ok(number)) => Some((number * unit(number) as f64) as i128),
        _ => {
            let text = serde_json::from_str::<String>(value).map_err(|_| wanted(&format!("is {}", Shape::of(value).name())))?;
            moment(text.trim())
        }
    };
    stamp
        .and_then(|stamp| i64::try_from(stamp).ok())
        .map(time_key)
        .ok_or_else(|| wanted(&format!("is {value}, no time that is understood")))
}

/// Nanoseconds in the unit of a number: seconds up to the year 5138, beyond that what makes it a date of our times.
fn unit(number: f64) -> i128 {
    match number.abs() {
        size if size < 1e11 => 1_000_000_000,
        size if size < 1e14 => 1_000_000,
        size if size < 1e17 => 1_000,
        _ => 1,
    }
}

fn moment(text: &str) -> Option<i128> {
    use jiff::{Timestamp, civil::DateTime, fmt::rfc2822, tz::TimeZone};
    let stamp = text.parse::<Timestamp>().ok();
    let civil = || {
        let whole = match text.len() {
            4 => format!("{text}-01-01"),
            7 => format!("{text}-01"),
            _ => text.into(),
        };
        whole.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    };
    let letter = || rfc2822::parse(text).ok().map(|zoned| zoned.timestamp());
    stamp.or_else(civil).or_else(letter).map(|stamp| stamp.as_nanosecond())
}

/// What a value is, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Number,
    Bool,
    Null,
    Array,
    Object,
}

impl Shape {
    fn of(value: &str) -> Self {
        match value.as_bytes().first() {
            Some(b'"') => Self::Text,
            Some(b't' | b'f') => Self::Bool,
            Some(b'n') => Self::Null,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            _ => Self::Number,
        }
    }

    /// Whether something can be called so.
    fn is_name(self) -> bool {
        matches!(self, Self::Text | Self::Number)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Bool => "true or false",
            Self::Null => "null",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// What one pass over a record finds.
#[derive(Default)]
struct Found<'a, 'de> {
    text: Option<Shape>,
    id: Option<&'de str>,
    keep: Option<&'de str>,
    label: Option<&'de str>,
    /// A field of these that stands there again.
    twice: Option<&'a str>,
}

struct Object<'a> {
    fields: &'a Fields,
    text: &'a mut String,
}

impl<'a, 'de> Visitor<'de> for Object<'a> {
    type Value = Found<'a, 'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Found<'a, 'de>, M::Error> {
        let mut found = Found::default();
        while let Some(field) = map.next_key_seed(FieldName(self.fields))? {
            match field {
                Field::Text if found.text.is_none() => found.text = Some(map.next_value_seed(Text(self.text))?),
                Field::Text => {
                    map.next_value::<IgnoredAny>()?;
                    found.twice = Some(&self.fields.text);
                }
                Field::Raw { name, id, keep, label } => {
                    let again = id && found.id.is_some() || keep && found.keep.is_some() || label && found.label.is_some();
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
    /// One that is looked at as it stands; it may serve several ends.
    Raw {
        name: &'a str,
        id: bool,
        keep: bool,
        label: bool,
    },
    Other,
}

/// Tells a field by its name, without keeping the name.
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
        let (id, keep, label) = (named(Some(&fields.id)), named(fields.keep.field()), named(fields.label.as_deref()));
        Ok(match id.or(keep).or(label) {
            Some(name) => Field::Raw { name, id: id.is_some(), keep: keep.is_some(), label: label.is_some() },
            None => Field::Other,
        })
    }
}

/// Copies a string into a buffer; of anything else, tells what it is.
struct Text<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(keep: &str) -> Fields {
        Fields { text: "text".into(), id: "id".into(), keep: keep.parse().unwrap(), label: None }
    }

    fn fault(line: &[u8], keep: &str) -> String {
        Record::default().read(line, &fields(keep)).unwrap_err().to_string()
    }

    #[test]
    fn records_in_a_table() {
        for (line, text, id) in [
            (r#"{"id":"a","text":"x y"}"#, "x y", r#""a""#),
            (r#" { "text" : "a\nb\u00e9\ud83d\ude00\"" , "other" : {"text":[1,{}]}, "id" : -12.50 } "#, "a\nbé😀\"", "-12.50"),
            (r#"{"te\u0078t":"escaped name"}"#, "escaped name", ""),
            (r#"{"text":""}"#, "", ""),
        ] {
            let mut record = Record::default();
            record.read(line.as_bytes(), &fields("first")).unwrap();
            assert_eq!((record.text.as_str(), record.id.as_str()), (text, id));
        }
    }

    #[test]
    fn faults_in_a_table() {
        for (line, part) in [
            (&b"hello"[..], "not JSON"),
            (br#"{"text":"a""#, "not JSON"),
            (br#"{"text":"a"} x"#, "not JSON: trailing characters at byte 14"),
            (b"{\"text\":\"a\tb\"}", "not JSON: control character"),
            (br#"{"text":"\ud800"}"#, "not JSON"),
            (b"[1]", "not a JSON object"),
            (b"null", "not a JSON object"),
            (br#"{"id":1,"body":"x"}"#, "the record has the fields \"id\", \"body\""),
            (b"{}", "the record has no fields"),
            (br#"{"text":7}"#, "is a number, not a text"),
            (br#"{"text":null}"#, "is null, not a text"),
            (br#"{"text":["a"]}"#, "is an array, not a text"),
            (br#"{"text":{"a":1}}"#, "is an object, not a text"),
            (br#"{"text":"a","text":"b"}"#, "stands twice"),
            (br#"{"id":null,"text":"a"}"#, "\"id\" is null"),
            (br#"{"id":[1],"text":"a"}"#, "\"id\" is an array"),
            (br#"{"id":1,"text":"a","id":2}"#, "\"id\" stands twice"),
            (b"{\n", "not JSON: EOF while parsing an object at byte 1"),
            (b"{\"text\":\"\xff\"}", "invalid UTF-8 at byte 10"),
        ] {
            let found = fault(line, "first");
            assert!(found.contains(part), "{found}");
        }
    }

    #[test]
    fn keep_keys_order_times_and_numbers() {
        let key = |value: &str, keep: &str| {
            let mut record = Record::default();
            record.read(format!(r#"{{"text":"a","d":{value}}}"#).as_bytes(), &fields(keep)).unwrap();
            record.key
        };
        let times = [
            r#""1969""#,
            "0",
            r#""1970-01-02""#,
            r#""1997-11-21T09:55:06+00:00""#,
            r#""Fri, 21 Nov 1997 09:55:07 +0000""#,
            r#""1997-12""#,
            "1.7e9",
            r#""2024-01-31 12:00:00""#,
            r#""2024-01-31T12:00:00.5Z""#,
            "1800000000",
            "1800000000001",
            "1800000000001001",
            "1800000000001002000",
            "1800000000001002001",
        ];
        let keys: Vec<u64> = times.iter().map(|time| key(time, "newest:d")).collect();
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!(key("-3", "max:d") < key("2.5", "max:d") && key("-3", "min:d") > key("2.5", "min:d"));
        assert!(fault(br#"{"text":"a","d":1850000000000000001}"#, "max:d").contains("compared exactly"));
        assert!(fault(br#"{"text":"a","d":9007199254740994.0}"#, "max:d").contains("compared exactly"));
        assert!(fault(br#"{"text":"a","d":1,"d":2}"#, "max:d").contains("stands twice"));
        assert!(fault(br#"{"text":"a","d":1e999}"#, "max:d").contains("compared exactly"));
        assert!(fault(br#"{"text":"a","d":1e19}"#, "newest:d").contains("no time"));
        assert!(fault(br#"{"text":"a"}"#, "max:d").contains("\"d\" is missing"));
        assert!(fault(br#"{"text":"a","d":"x"}"#, "max:d").contains("\"d\" is a string"));
        assert!(fault(br#"{"text":"a","d":"yesterday"}"#, "newest:d").contains("yesterday"));
        let mut record = Record::default();
        record.read("{\"text\":\"héé\"}".as_bytes(), &fields("longest")).unwrap();
        assert_eq!(record.key, 3);
    }

    #[test]
    fn labels_in_a_table() {
        let labelled = |label: &str| Fields { label: Some(label.into()), ..fields("max:n") };
        for (line, field, label) in [
            (r#"{"text":"a","n":1,"page":"p\u00e9"}"#, "page", r#""p\u00e9""#),
            (r#"{"page":7.5,"n":1,"text":"a"}"#, "page", "7.5"),
            (r#"{"text":"a","n":1,"page":null}"#, "page", ""),
            (r#"{"text":"a","n":1}"#, "page", ""),
            (r#"{"text":"a","n":1}"#, "n", "1"),
            (r#"{"text":"a","n":1,"id":"x"}"#, "id", r#""x""#),
        ] {
            let mut record = Record::default();
            record.read(line.as_bytes(), &labelled(field)).unwrap();
            assert_eq!(record.label, label, "{line}");
        }
        let fault = |line: &str| Record::default().read(line.as_bytes(), &labelled("page")).unwrap_err().to_string();
        assert!(fault(r#"{"text":"a","n":1,"page":[1]}"#).contains("\"page\" is an array; a label must be"));
        assert!(fault(r#"{"text":"a","n":1,"page":1,"page":1}"#).contains("\"page\" stands twice"));
    }
}

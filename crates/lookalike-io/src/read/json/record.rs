//! Extracts the required fields from a line. The rest of the line is only checked for being valid JSON.

use lookalike::{shown::quoted, text::Text};

use super::{
    fields::{Fault, Fields, Found, Shape, Unit},
    inside,
    keys::key,
    lazy::find,
    parse::parse,
    sets,
};
use crate::{error::Words, words};

/// The values read from a line. They borrow from the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// The text, or the JSON array of a set.
    pub text: Text<'a>,
    /// The id as stored in the line: a JSON string or number, or empty if there is no id.
    pub id: &'a str,
    /// The key of the keep order, in which the largest key comes first.
    pub key: u64,
    /// The label as stored in the line: a JSON string or number, or empty if the label is missing or null.
    pub label: &'a str,
}

impl<'a> Record<'a> {
    /// Reads a line or an element. It examines each byte three times, at about 5 GB/s. An unusual line, such as one with an
    /// escape in a field's name, goes through the parser at 1 GB/s. The parser copies the text of the record into `scratch`.
    pub(crate) fn read(
        line: &'a [u8],
        unit: Unit,
        fields: &Fields,
        scratch: &'a mut String,
    ) -> Result<Self, Fault> {
        let line = checked(line)?;
        if let Some(inside) = &fields.inside {
            return Self::of(inside::find(inside, line, unit, fields, scratch)?, fields);
        }
        match find(line, fields) {
            Some(found) => Self::of(found, fields),
            None => Self::of(
                parse(line, unit, fields, scratch)
                    .map_err(|fault| of_utf16(line.as_bytes()).unwrap_or(fault))?,
                fields,
            ),
        }
    }

    pub(crate) fn of(found: Found<'a>, fields: &Fields) -> Result<Self, Fault> {
        let id = match found.id {
            None => "",
            Some(id) if Shape::of(id).is_name() => id,
            Some(id) => {
                let (field, what) = (quoted(&fields.id), Shape::of(id).name());
                let wrong = Fault::record(format!("field {field} is {what}")).in_field(&*fields.id);
                return Err(wrong.advise(no_id()));
            }
        };
        let label = match found.label {
            None | Some("null") => "",
            Some(label) if Shape::of(label).is_name() => label,
            Some(label) => {
                let (field, what) = (
                    quoted(fields.label.as_deref().unwrap_or_default()),
                    Shape::of(label).name(),
                );
                let wrong = Fault::record(format!("field {field} is {what}"));
                return Err(wrong
                    .in_field(fields.label.as_deref().unwrap_or_default())
                    .advise(no_label()));
            }
        };
        if let (Some(_), Text::Plain(array)) = (fields.set, found.text) {
            sets::check(array, fields)?;
        }
        Ok(Self {
            text: found.text,
            id,
            key: key((&fields.keep, fields.set), &found)?,
            label,
        })
    }
}

/// Returns the advice for an invalid id.
pub(crate) fn no_id() -> Words {
    words!["an id must be a string or a number; leave it out, or name another field with $id_field"]
}

/// Returns the advice for an invalid label.
pub(crate) fn no_label() -> Words {
    words![
        "a label must be a string or a number; write one, or name another field with $label_field"
    ]
}

/// Returns a line as text, without its end, after checking that it is UTF-8.
pub(crate) fn checked(line: &[u8]) -> Result<&str, Fault> {
    let line = simdutf8::compat::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to() + 1;
        let fault = || {
            let wrong =
                Fault::record(format!("invalid UTF-8 at byte {at} of the line")).at_byte(at as u64);
            wrong.advise("convert the file to UTF-8, for instance with iconv")
        };
        of_utf16(line).unwrap_or_else(fault)
    })?;
    Ok(line.trim_ascii_end())
}

/// Returns the error for a line in UTF-16 or UTF-32. The `>` of some shells writes such lines.
pub(crate) fn of_utf16(line: &[u8]) -> Option<Fault> {
    // If the line has no byte order mark, the encoding name that the message suggests for iconv must include the byte order.
    let name = match line {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
        [b'{' | b'[', 0, 0, 0, ..] => "UTF-32LE",
        [0, 0, 0, b'{' | b'[', ..] => "UTF-32BE",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        [b'{' | b'[', 0, ..] => "UTF-16LE",
        [0, b'{' | b'[', ..] => "UTF-16BE",
        _ => return None,
    };
    let wrong = Fault::record(format!("the file is {name}, but JSON must be UTF-8"));
    Some(wrong.advise(format!(
        "convert it, for instance with iconv -f {name} -t UTF-8"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(keep: &str) -> Fields {
        Fields::new(
            "text".into(),
            None,
            "id".into(),
            keep.parse().unwrap(),
            None,
        )
    }

    fn fault(line: &[u8], keep: &str) -> String {
        Record::read(line, Unit::Line, &fields(keep), &mut String::new())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn records_in_a_table() {
        for (line, text, id) in [
            (r#"{"id":"a","text":"x y"}"#, "x y", r#""a""#),
            (
                r#" { "text" : "a\nb\u00e9\ud83d\ude00\"" , "other" : {"text":[1,{}]}, "id" : -12.50 } "#,
                "a\nbé😀\"",
                "-12.50",
            ),
            (r#"{"te\u0078t":"escaped name"}"#, "escaped name", ""),
            (r#"{"text":""}"#, "", ""),
        ] {
            let (mut scratch, mut plain) = (String::new(), String::new());
            let record =
                Record::read(line.as_bytes(), Unit::Line, &fields("first"), &mut scratch).unwrap();
            assert_eq!((record.text.decode(&mut plain), record.id), (text, id));
        }
    }

    #[test]
    fn faults_in_a_table() {
        for (line, part) in [
            (&b"hello"[..], "not JSON"),
            (br#"{"text":"a""#, "not JSON"),
            (
                br#"{"text":"a"} x"#,
                "not JSON: trailing characters at byte 14",
            ),
            (b"{\"text\":\"a\tb\"}", "not JSON: control character"),
            (
                br#"{"text":"\ud800"}"#,
                "half of a character (a lone surrogate",
            ),
            (b"[1]", "not a JSON object"),
            (b"null", "not a JSON object"),
            (
                br#"{"id":1,"body":"x"}"#,
                "the record has the fields \"id\", \"body\"",
            ),
            (b"{}", "the record has no fields"),
            (br#"{"text":7}"#, "is a number, not a text"),
            (br#"{"text":null}"#, "is null, not a text"),
            (br#"{"text":["a"]}"#, "is an array, not a text"),
            (br#"{"text":{"a":1}}"#, "is an object, not a text"),
            (br#"{"text":"a","text":"b"}"#, "duplicate field"),
            (br#"{"id":null,"text":"a"}"#, "\"id\" is null"),
            (br#"{"id":[1],"text":"a"}"#, "\"id\" is an array"),
            (br#"{"id":1,"text":"a","id":2}"#, "duplicate field \"id\""),
            (b"{\n", "not JSON: EOF while parsing an object at byte 1"),
            (b"{\"text\":\"\xff\"}", "invalid UTF-8 at byte 10"),
            (
                b"\xff\xfe{\0\"\0",
                "the file is UTF-16, but JSON must be UTF-8; convert it",
            ),
            (b"\xfe\xff\0{\0\"\0", "iconv -f UTF-16 -t UTF-8"),
            (b"{\0\"\0t\0e\0", "iconv -f UTF-16LE -t UTF-8"),
            (
                b"\xff\xfe\0\0{\0\0\0",
                "the file is UTF-32, but JSON must be UTF-8; convert it",
            ),
            (b"\0\0\0{\0\0\0\"", "iconv -f UTF-32BE -t UTF-8"),
            (
                b"\0[\0{\0\"",
                "the file is UTF-16BE, but JSON must be UTF-8; convert it, for instance with iconv -f UTF-16BE -t UTF-8",
            ),
        ] {
            let found = fault(line, "first");
            assert!(found.contains(part), "{found}");
        }
    }

    #[test]
    fn keep_keys_order_times_and_numbers() {
        let key = |value: &str, keep: &str| {
            let line = format!(r#"{{"text":"a","d":{value}}}"#);
            Record::read(
                line.as_bytes(),
                Unit::Line,
                &fields(keep),
                &mut String::new(),
            )
            .unwrap()
            .key
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
        assert!(
            key("-3", "max:d") < key("2.5", "max:d") && key("-3", "min:d") > key("2.5", "min:d")
        );
        assert!(
            fault(br#"{"text":"a","d":1850000000000000001}"#, "max:d").contains("compare exactly")
        );
        assert!(
            fault(br#"{"text":"a","d":9007199254740994.0}"#, "max:d").contains("compare exactly")
        );
        assert!(fault(br#"{"text":"a","d":1,"d":2}"#, "max:d").contains("duplicate field"));
        assert!(fault(br#"{"text":"a","d":1e999}"#, "max:d").contains("compare exactly"));
        assert!(fault(br#"{"text":"a","d":1e19}"#, "newest:d").contains("not a time"));
        assert!(fault(br#"{"text":"a"}"#, "max:d").contains("\"d\" is missing"));
        assert!(fault(br#"{"text":"a","d":"x"}"#, "max:d").contains("\"d\" is a string"));
        assert!(fault(br#"{"text":"a","d":"yesterday"}"#, "newest:d").contains("yesterday"));
        let longest = |line: &str| {
            Record::read(
                line.as_bytes(),
                Unit::Line,
                &fields("longest"),
                &mut String::new(),
            )
            .unwrap()
            .key
        };
        assert_eq!(longest(r#"{"text":"héé"}"#), 3);
        assert_eq!(
            longest(r#"{"text":"h\u00e9é\\\n\ud83d\uDE00\uD83D\ude00!"}"#),
            8
        );
    }

    #[test]
    fn labels_in_a_table() {
        let labelled = |label: &str| Fields {
            label: Some(label.into()),
            ..fields("max:n")
        };
        for (line, field, label) in [
            (
                r#"{"text":"a","n":1,"page":"p\u00e9"}"#,
                "page",
                r#""p\u00e9""#,
            ),
            (r#"{"page":7.5,"n":1,"text":"a"}"#, "page", "7.5"),
            (r#"{"text":"a","n":1,"page":null}"#, "page", ""),
            (r#"{"text":"a","n":1}"#, "page", ""),
            (r#"{"text":"a","n":1}"#, "n", "1"),
            (r#"{"text":"a","n":1,"id":"x"}"#, "id", r#""x""#),
        ] {
            let mut scratch = String::new();
            assert_eq!(
                Record::read(line.as_bytes(), Unit::Line, &labelled(field), &mut scratch)
                    .unwrap()
                    .label,
                label,
                "{line}"
            );
        }
        let fault = |line: &str| {
            Record::read(
                line.as_bytes(),
                Unit::Line,
                &labelled("page"),
                &mut String::new(),
            )
            .unwrap_err()
            .to_string()
        };
        assert!(
            fault(r#"{"text":"a","n":1,"page":[1]}"#)
                .contains("\"page\" is an array; a label must be")
        );
        assert!(
            fault(r#"{"text":"a","n":1,"page":1,"page":1}"#).contains("duplicate field \"page\"")
        );
    }
}

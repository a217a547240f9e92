//! Reads the fields of a line without a parser: finds them, checks them, and leaves them in place. Everything unusual is left to
//! the full parser: an escape in a name, a repeated field, a text that is not a string, and invalid JSON.

use std::ops::Range;

use lookalike::text::Text;

use super::{
    fields::{Fields, Found},
    grammar::{End, Escapes, name_end, skip_space, string_end, value_end},
};

/// Returns the fields of a plain line, or none for a line that needs the parser.
pub(crate) fn find<'a>(line: &'a str, fields: &Fields) -> Option<Found<'a>> {
    let bytes = line.as_bytes();
    let (mut text, mut id, mut keep, mut label) = (None, None, None, None);
    let mut at = skip_space(bytes, 0);
    if *bytes.get(at)? != b'{' {
        return None;
    }
    loop {
        at = skip_space(bytes, at + 1);
        if *bytes.get(at)? != b'"' {
            return None;
        }
        let end = name_end(bytes, at + 1)?;
        let name = &bytes[at + 1..end];
        at = skip_space(bytes, end + 1);
        if *bytes.get(at)? != b':' {
            return None;
        }
        at = skip_space(bytes, at + 1);
        if name == fields.text.as_bytes() {
            let (found, end) = match (*bytes.get(at)?, fields.set) {
                (b'"', None) => {
                    let End { quote, surplus } = string_end(bytes, at + 1, Escapes::Characters)?;
                    (
                        (Text::Escaped(line.get(at + 1..quote)?), surplus),
                        quote + 1,
                    )
                }
                (b'[', Some(_)) => {
                    let end = value_end(bytes, at)?;
                    ((Text::Plain(line.get(at..end)?), 0), end)
                }
                _ => return None,
            };
            if text.replace(found).is_some() {
                return None;
            }
            at = end;
        } else {
            let start = at;
            at = value_end(bytes, start)?;
            let is = |field: Option<&str>| field.is_some_and(|field| field.as_bytes() == name);
            let ends = [
                (&mut id, Some(&*fields.id)),
                (&mut keep, fields.keep.field()),
                (&mut label, fields.label.as_deref()),
            ];
            for (slot, _) in ends.into_iter().filter(|(_, field)| is(*field)) {
                if slot.replace(line.get(start..at)?).is_some() {
                    return None;
                }
            }
        }
        at = skip_space(bytes, at);
        match bytes.get(at)? {
            b',' => {}
            b'}' if at + 1 == bytes.len() => {
                return text.map(|(text, surplus)| Found {
                    text,
                    surplus,
                    id,
                    keep,
                    label,
                });
            }
            _ => return None,
        }
    }
}

/// Returns the place of the text's value in a plain line, or none for a line that needs the parser.
pub(crate) fn text_place(line: &[u8], fields: &Fields) -> Option<Range<usize>> {
    let line = simdutf8::basic::from_utf8(line).ok()?;
    let Text::Escaped(text) = find(line, fields)?.text else {
        return None;
    };
    // The text is a slice of the line, between quotes.
    let start = text.as_ptr() as usize - line.as_ptr() as usize;
    Some(start - 1..start + text.len() + 1)
}

#[cfg(test)]
mod tests {
    use lookalike::{Occurrences, text::Text};
    use proptest::prelude::*;

    use super::{super::parse::parse, *};
    use crate::read::json::{
        fields::{Fault, Unit},
        record::{Record, checked},
    };

    /// The content of a line: the decoded text, the id, the key and the label.
    type Said = (String, String, u64, String);

    fn said(record: Record) -> Said {
        let text = record.text.decode(&mut String::new()).to_owned();
        (text, record.id.into(), record.key, record.label.into())
    }

    fn judged(line: &[u8], fields: &Fields) -> Result<Said, Fault> {
        let mut scratch = String::new();
        Record::of(
            parse(checked(line)?, Unit::Line, fields, &mut scratch)?,
            fields,
        )
        .map(said)
    }

    fn read(line: &[u8], fields: &Fields) -> Result<Said, Fault> {
        Record::read(line, Unit::Line, fields, &mut String::new()).map(said)
    }

    fn fields() -> impl Strategy<Value = Fields> {
        let keep = prop_oneof![
            Just("first"),
            Just("longest"),
            Just("newest:d"),
            Just("max:d"),
            Just("min:id")
        ];
        let label = prop_oneof![
            Just(None),
            Just(Some("page")),
            Just(Some("id")),
            Just(Some("d"))
        ];
        let set = prop_oneof![
            Just(None),
            Just(Some(Occurrences::Once)),
            Just(Some(Occurrences::Labelled))
        ];
        (keep, label, set).prop_map(|(keep, label, set)| {
            Fields::new(
                "text".into(),
                set,
                "id".into(),
                keep.parse().unwrap(),
                label.map(String::from),
            )
        })
    }

    /// Generates a string with its quotes, usually a valid one.
    fn string() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            12 => "[ -!#-\\[\\]-~]{0,40}",
            4 => r#"\\[nrtbf"\\/]"#,
            2 => "[é世😀\u{7f}\u{2028}]{1,9}",
            1 => r"\\u[0-9a-fA-F]{4}",
            1 => r"\\ud83d\\ude[0-9a-f]{2}",
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
    }

    fn value() -> impl Strategy<Value = String> {
        let number = "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?";
        let word = prop_oneof![
            Just("true"),
            Just("false"),
            Just("null"),
            Just("[]"),
            Just("{}"),
            Just("\"2024-01-31\"")
        ];
        let leaf = prop_oneof![3 => string(), 2 => number, 1 => word.prop_map(String::from)];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let array = proptest::collection::vec((space(), inner.clone(), space()), 1..4)
                .prop_map(|values| {
                    format!(
                        "[{}]",
                        values
                            .iter()
                            .map(|(a, v, b)| format!("{a}{v}{b}"))
                            .collect::<Vec<_>>()
                            .join(",")
                    )
                });
            prop_oneof![array, members(inner.boxed(), 4)]
        })
    }

    fn space() -> impl Strategy<Value = &'static str> {
        prop_oneof![20 => Just(""), 10 => Just(" "), 1 => Just("\t"), 1 => Just("\r"), 1 => Just("  ")]
    }

    fn members(value: BoxedStrategy<String>, most: usize) -> impl Strategy<Value = String> {
        let name = prop_oneof![
            8 => Just("\"text\"".to_owned()),
            8 => Just("\"id\"".to_owned()),
            3 => Just("\"d\"".to_owned()),
            3 => Just("\"page\"".to_owned()),
            1 => Just(r#""te\u0078t""#.to_owned()),
            6 => string(),
        ];
        proptest::collection::vec((space(), name, space(), space(), value, space()), 0..most)
            .prop_map(|members| {
                let members = members
                    .iter()
                    .map(|(a, name, b, c, value, d)| format!("{a}{name}{b}:{c}{value}{d}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            })
    }

    fn line() -> impl Strategy<Value = String> {
        let usual = (value(), string(), value())
            .prop_map(|(id, text, d)| format!("{{\"id\":{id},\"text\":{text},\"d\":{d}}}"));
        let items = proptest::collection::vec(
            prop_oneof![3 => string(), 3 => "-?[0-9]{1,3}", 1 => value()],
            0..5,
        );
        let sets = (value(), items)
            .prop_map(|(id, items)| format!("{{\"id\":{id},\"text\":[{}]}}", items.join(" ,")));
        (
            prop_oneof![usual, sets, members(value().boxed(), 6)],
            prop_oneof![Just(""), Just("\n"), Just("\r\n"), Just(" \t\n")],
        )
            .prop_map(|(object, end)| format!("{object}{end}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(4000)))]

        #[test]
        fn lazy_reading_agrees_with_the_parser(line in line(), fields in fields()) {
            prop_assert_eq!(read(line.as_bytes(), &fields), judged(line.as_bytes(), &fields), "{}", line);
        }

        /// A dot in one name changes how all names are searched for, but it does not change what is found for names without a
        /// dot.
        #[test]
        fn names_with_dots_do_not_affect_other_names(line in line(), fields in fields()) {
            let label = fields.label.clone().or(Some("no.such".into()));
            let inside = Fields::new(fields.text.clone(), fields.set, fields.id.clone(), fields.keep.clone(), label);
            prop_assert_eq!(read(line.as_bytes(), &inside).ok(), judged(line.as_bytes(), &fields).ok(), "{}", line);
        }

        #[test]
        fn damaged_lines_give_the_same_messages(
            line in line(),
            fields in fields(),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..4, any::<prop::sample::Index>()), 1..4),
        ) {
            const BYTES: &[u8] = b"\"\\{}[]:,0-.eEtnu \x01\t\xc3\xff";
            let mut line = line.into_bytes();
            for (at, how, byte) in changes {
                let (at, byte) = (at.index(line.len().max(1)), BYTES[byte.index(BYTES.len())]);
                match how {
                    _ if line.is_empty() => line.push(byte),
                    0 => line[at] = byte,
                    1 => line.insert(at, byte),
                    2 => _ = line.remove(at),
                    _ => line.truncate(at),
                }
            }
            prop_assert_eq!(read(&line, &fields), judged(&line, &fields), "{}", String::from_utf8_lossy(&line));
        }
    }

    #[test]
    fn plain_lines_are_read_without_the_parser() {
        let fields = Fields::new(
            "text".into(),
            None,
            "id".into(),
            "newest:d".parse().unwrap(),
            None,
        );
        for (line, is_plain) in [
            (
                r#"{"id":"a","d":1,"text":"x\ny","more":{"a":[1,{"b":null}],"text":2}}"#,
                true,
            ),
            (
                "\t{ \"text\" : \"\\u00e9\" ,\"d\": -1.5e3, \"id\": 7 }",
                true,
            ),
            (r#"{"text":"a","te\u0078t":1}"#, false),
            (r#"{"text":"a","text":"b"}"#, false),
            (r#"{"text":"a","id":1,"id":1}"#, false),
            (r#"{"text":7}"#, false),
            (r#"{"id":7}"#, false),
            (r#"{"text":"a",}"#, false),
            (r#"{"text":"a"} {}"#, false),
        ] {
            let found = find(line, &fields);
            assert_eq!(found.is_some(), is_plain, "{line}");
            assert!(found.is_none_or(|found| matches!(found.text, Text::Escaped(_))));
        }
        let fields = Fields {
            set: Some(Occurrences::Once),
            ..fields
        };
        for (line, array) in [
            (
                r#"{"id":1, "text": [ "a\u00e9", 1e0 ] ,"d":1}"#,
                Some(r#"[ "a\u00e9", 1e0 ]"#),
            ),
            (r#"{"text":[1,[null]]}"#, Some("[1,[null]]")),
            (r#"{"text":"[1]"}"#, None),
            (r#"{"text":[1],"text":[1]}"#, None),
            (r#"{"text":[1,]}"#, None),
        ] {
            assert_eq!(
                find(line, &fields).map(|found| found.text),
                array.map(Text::Plain),
                "{line}"
            );
        }
    }
}

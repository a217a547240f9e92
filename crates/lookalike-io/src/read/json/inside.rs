//! Finds the fields of a line, if at least one of the requested names contains a dot. Such a name means a field with exactly that
//! name, or else a field inside objects. The choice is made for each record separately.

use lookalike::{shown::quoted, text::Text};

use super::{
    fields::{Fault, Fields, Found, Inside, Shape, Unit},
    grammar::{End, Escapes, string_end},
    parse,
};

/// Reads the fields of a line.
pub(crate) fn find<'a>(
    inside: &Inside,
    line: &'a str,
    unit: Unit,
    fields: &Fields,
    scratch: &'a mut String,
) -> Result<Found<'a>, Fault> {
    let values = match inside.paths.find(line.as_bytes()) {
        Ok(values) => values,
        Err(what) => return Err(parse::not_json(line, unit).unwrap_or(what)),
    };
    let value = |number: Option<usize>| {
        number
            .and_then(|number| values[number])
            .map(|value| value.get())
    };
    let (text, surplus) = match (value(Some(0)), &fields.joined) {
        (Some(raw), _) => text(raw, fields)?,
        (None, Some(joined)) => {
            let parts = || {
                joined
                    .parts
                    .iter()
                    .zip(&values[inside.parts..])
                    .filter_map(|(part, value)| Some((part, (*value)?)))
            };
            scratch.clear();
            match (
                parts().next(),
                parts().all(|(_, value)| Shape::of(value.get()) == Shape::Null),
            ) {
                (None, _) => return Err(parse::no_text(line, fields)),
                (Some(_), true) => return Err(parse::no_such(Shape::Null, fields.set, fields)),
                (Some(_), false) => {
                    parts().try_for_each(|(part, value)| part.append(value.get(), scratch))?
                }
            }
            (Text::Plain(scratch), 0)
        }
        (None, None) => return Err(parse::no_text(line, fields)),
    };
    let keep = value(inside.keep).filter(|_| fields.keep.field().is_some());
    Ok(Found {
        text,
        surplus,
        id: value(Some(1)),
        keep,
        label: value(inside.label),
    })
}

/// Returns the text, or the set, in a value.
fn text<'a>(raw: &'a str, fields: &Fields) -> Result<(Text<'a>, usize), Fault> {
    match (Shape::of(raw), fields.set) {
        (Shape::Array, Some(_)) => Ok((Text::Plain(raw), 0)),
        (Shape::Text, None) => match string_end(raw.as_bytes(), 1, Escapes::Characters) {
            Some(End { quote, surplus }) => Ok((Text::Escaped(&raw[1..quote]), surplus)),
            None => {
                let half = "has half of a character (a lone surrogate such as \\ud83d), which is not valid text";
                let wrong = Fault::record(format!("field {} {half}", quoted(&fields.text)))
                    .in_field(&*fields.text);
                Err(wrong.advise("fix the record"))
            }
        },
        (other, set) => Err(parse::no_such(other, set, fields)),
    }
}

#[cfg(test)]
mod tests {
    use lookalike::Occurrences;

    use super::*;
    use crate::read::json::Record;

    fn fields(set: Option<Occurrences>) -> Fields {
        Fields::new(
            "a.text".into(),
            set,
            "meta.id".into(),
            "max:meta.n".parse().unwrap(),
            Some("b.c.d".into()),
        )
    }

    #[test]
    fn records_in_a_table() {
        for (line, expected) in [
            (
                r#"{"a":{"text":"x\ny"},"meta":{"id":7,"n":1},"b":{"c":{"d":"l"}}}"#,
                ("x\ny", "7", "\"l\""),
            ),
            // A field with exactly this name takes precedence.
            (
                r#"{"a":{"text":"x"},"a.text":"own","meta":{"n":2},"meta.id":"i"}"#,
                ("own", "\"i\"", ""),
            ),
            // If the names of fields contain dots themselves, the shortest name that leads to a value is used.
            (
                r#"{"b.c":{"d":2},"b":{"c.d":1},"a":{"text":"\u00e9"},"meta":{"n":1}}"#,
                ("é", "", "1"),
            ),
            (
                r#"{"b":{"c":[]},"b.c":{"d":2},"a":{"text":""},"meta":{"n":1}}"#,
                ("", "", "2"),
            ),
        ] {
            let (mut scratch, mut plain) = (String::new(), String::new());
            let record =
                Record::read(line.as_bytes(), Unit::Line, &fields(None), &mut scratch).unwrap();
            assert_eq!(
                (record.text.decode(&mut plain), record.id, record.label),
                expected,
                "{line}"
            );
        }
        let line = r#"{"a":{"text":["x",1]},"meta":{"id":7,"n":1}}"#;
        let (fields, mut scratch) = (fields(Some(Occurrences::Once)), String::new());
        assert_eq!(
            Record::read(line.as_bytes(), Unit::Line, &fields, &mut scratch)
                .unwrap()
                .text,
            Text::Plain("[\"x\",1]")
        );
    }

    #[test]
    fn faults_in_a_table() {
        for (line, part) in [
            (r#"{"a":{"text":"x"}"#, "not JSON: EOF"),
            ("[]", "not a JSON object"),
            (
                r#"{"a":{"text":null},"meta":{"n":1}}"#,
                "field \"a.text\" is null, not a text",
            ),
            (
                r#"{"a":{"text":"\ud800"},"meta":{"n":1}}"#,
                "half of a character",
            ),
            (
                r#"{"a":{"text":"x","text":"y"},"meta":{"n":1}}"#,
                "duplicate field \"a.text\"",
            ),
            (
                r#"{"a":{"b":"x"},"id":1}"#,
                "no field \"a.text\"; the record has the fields \"a.b\", \"id\"",
            ),
            (
                r#"{"a":{"text":"x"},"meta":{"n":1,"id":[]}}"#,
                "field \"meta.id\" is an array",
            ),
            (
                r#"{"a":{"text":"x"},"meta":{}}"#,
                "field \"meta.n\" is missing",
            ),
        ] {
            let reported = Record::read(
                line.as_bytes(),
                Unit::Line,
                &fields(None),
                &mut String::new(),
            )
            .unwrap_err()
            .to_string();
            assert!(reported.contains(part), "{reported}");
        }
    }
}

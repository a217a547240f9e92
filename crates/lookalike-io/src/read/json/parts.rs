//! Reads the parts of a text.

use lookalike::shown::quoted;
use serde_json::value::RawValue;

use super::{
    fields::{Fault, Shape},
    joined::{Part, push},
    paths::Paths,
};
use crate::words;

impl Part {
    /// Appends the texts of a value, which is that of the first path. Null has no text.
    pub(super) fn append(&self, value: &str, into: &mut String) -> Result<(), Fault> {
        self.inside(value, &self.paths[1..], into)
    }

    fn inside(&self, value: &str, paths: &[String], into: &mut String) -> Result<(), Fault> {
        let shape = Shape::of(value);
        match (paths.split_first(), shape) {
            (_, Shape::Null) => Ok(()),
            (None, Shape::Text) => {
                let text = serde_json::from_str::<String>(value).map_err(|error| {
                    let wrong = Fault::record(format!(
                        "field {} is not valid text: {error}",
                        quoted(&self.name)
                    ));
                    wrong
                        .in_field(&*self.name)
                        .advise("fix the record")
                        .because(error)
                })?;
                push(&text, into);
                Ok(())
            }
            (Some((path, rest)), Shape::Array) => {
                let elements: Vec<&RawValue> =
                    serde_json::from_str(value).map_err(|error| self.broken(&error))?;
                elements
                    .into_iter()
                    .try_for_each(|element| self.element(element.get(), path, rest, into))
            }
            (wanted, _) => {
                let meant = if wanted.is_some() {
                    "an array"
                } else {
                    "a text"
                };
                let wrong = Fault::record(format!(
                    "field {} is {}, not {meant}",
                    quoted(&self.name),
                    shape.name()
                ));
                let give = if wanted.is_some() {
                    "give an array"
                } else {
                    "give a string"
                };
                let advice = words![give, ", or name other fields with $text_field"];
                Err(wrong.in_field(&*self.name).advise(advice))
            }
        }
    }

    /// Appends the texts of an element of an array. An element without the field has no text.
    fn element(
        &self,
        element: &str,
        path: &str,
        rest: &[String],
        into: &mut String,
    ) -> Result<(), Fault> {
        match (path, Shape::of(element)) {
            ("", _) => self.inside(element, rest, into),
            (_, Shape::Null) => Ok(()),
            (_, Shape::Object) => {
                match Paths::new([path.to_owned()]).find(element.as_bytes())?[0] {
                    Some(value) => self.inside(value.get(), rest, into),
                    None => Ok(()),
                }
            }
            (_, other) => {
                let wrong = Fault::record(format!(
                    "field {}: an element is {}, not an object",
                    quoted(&self.name),
                    other.name()
                ));
                Err(wrong
                    .in_field(&*self.name)
                    .advise("name other fields with $text_field"))
            }
        }
    }

    fn broken(&self, error: &serde_json::Error) -> Fault {
        Fault::record(format!(
            "field {} cannot be parsed: {error}",
            quoted(&self.name)
        ))
        .in_field(&*self.name)
        .advise("fix the record")
    }
}

#[cfg(test)]
mod tests {
    use lookalike::cluster::Keep;

    use crate::read::json::{Fields, Record, Unit};

    #[test]
    fn parts_in_a_table() {
        let read = |line: &str, name: &str| {
            let fields = Fields::new(name.into(), None, "id".into(), Keep::First, None);
            let (mut scratch, mut plain) = (String::new(), String::new());
            let record = Record::read(line.as_bytes(), Unit::Line, &fields, &mut scratch);
            record
                .map(|record| {
                    (
                        record.text.decode(&mut plain).to_owned(),
                        record.id.to_owned(),
                    )
                })
                .map_err(|error| error.to_string())
        };
        let chat = r#"{"id":7,"messages":[{"role":"user","content":"Hi \u00e9"},{"content":null},{"role":"x"},{"content":"Bye"}]}"#;
        for (line, name, text) in [
            (
                r#"{"title":"A","id":7,"body":"b\nc"}"#,
                "title,body",
                "A\n\nb\nc",
            ),
            (
                r#"{"title":"A","id":7,"body":"b"}"#,
                "body, title",
                "b\n\nA",
            ),
            (r#"{"title":null,"id":7,"body":"b"}"#, "title,body", "b"),
            (r#"{"id":7,"body":""}"#, "title,body", ""),
            (
                r#"{"title,body":"own","id":7,"title":"A"}"#,
                "title,body",
                "own",
            ),
            (r#"{"id":7,"meta":{"t":"A"},"b":"B"}"#, "meta.t,b", "A\n\nB"),
            (chat, "messages[].content", "Hi é\n\nBye"),
            (r#"{"id":7,"messages":[]}"#, "messages[].content", ""),
            (
                r#"{"id":7,"a":[{"b":[{"c":"1"},{"c":"2"}]},{"b":[]},{"b":[{"c":"3"}]}],"d":["4",null,"5"]}"#,
                "a[].b[].c,d[]",
                "1\n\n2\n\n3\n\n4\n\n5",
            ),
        ] {
            assert_eq!(
                read(line, name),
                Ok((text.into(), "7".into())),
                "{line} {name}"
            );
        }
        for (line, name, part) in [
            (
                r#"{"id":7,"title":null,"body":null}"#,
                "title,body",
                "field \"title,body\" is null, not a text",
            ),
            (
                r#"{"id":7,"x":"a"}"#,
                "title,body",
                "no field \"title,body\"; the record has the fields \"id\", \"x\"",
            ),
            (
                r#"{"id":7,"title":1,"body":"a"}"#,
                "title,body",
                "field \"title\" is a number, not a text",
            ),
            (
                r#"{"id":7,"messages":"a"}"#,
                "messages[].content",
                "field \"messages[].content\" is a string, not an array",
            ),
            (
                r#"{"id":7,"messages":["a"]}"#,
                "messages[].content",
                "an element is a string, not an object",
            ),
            (
                r#"{"id":7,"messages":[{"content":[]}]}"#,
                "messages[].content",
                "field \"messages[].content\" is an array, not a text",
            ),
            (
                r#"{"id":7,"messages":[{"content":"\ud800"}]}"#,
                "messages[].content",
                "is not valid text",
            ),
            (
                r#"{"id":7,"messages":[{"content":"#,
                "messages[].content",
                "not JSON: EOF",
            ),
        ] {
            let reported = read(line, name).unwrap_err();
            assert!(reported.contains(part), "{reported}");
        }
    }
}

//! The decision about a record, which is added to the record as four fields.

use std::borrow::Cow;

use super::added::Added;
use crate::write::decisions::{plain, verdict};

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
    /// Whether the verdict is the opposite of the law's, as in the decisions file.
    pub overruled: bool,
}

impl Label<'_> {
    /// Returns the verdict as in the decisions file.
    pub(super) fn verdict(&self) -> &'static str {
        verdict(self.representative.is_some() != self.overruled)
    }

    /// Returns the similarity as in the decisions file.
    fn number(&self) -> Option<String> {
        // A number can always be written.
        self.similarity
            .map(|number| serde_json::to_string(&number).unwrap_or_default())
    }
}

impl Added for Label<'_> {
    fn json(&self, field: usize, into: &mut Vec<u8>) {
        let mut push = |text: &str| into.extend_from_slice(text.as_bytes());
        match field {
            0 => push(self.cluster),
            1 => ["\"", self.verdict(), "\""].into_iter().for_each(push),
            2 => push(self.representative.unwrap_or("null")),
            _ => push(self.number().as_deref().unwrap_or("null")),
        }
    }

    fn cell(&self, field: usize) -> Cow<'_, str> {
        match field {
            0 => plain(self.cluster),
            1 => self.verdict().into(),
            2 => self.representative.map_or("".into(), plain),
            _ => self.number().unwrap_or_default().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{super::added::AddedNames, *};

    const KEPT: Label = Label {
        cluster: "7",
        representative: None,
        similarity: None,
        overruled: false,
    };
    const DROPPED: Label = Label {
        representative: Some("\"a,\\\"b\""),
        similarity: Some(0.825),
        ..KEPT_AS
    };
    const KEPT_AS: Label = Label {
        cluster: "\"a,\\\"b\"",
        ..KEPT
    };

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
            let mut into = [b",\n", object.as_bytes()].concat();
            AddedNames::labels("").onto_object(2, false, &KEPT, &mut into);
            assert_eq!(
                String::from_utf8(into).unwrap(),
                format!(",\n{before}{kept}{after}")
            );
        }
        let mut into = b"{}".to_vec();
        AddedNames::labels("é\"").onto_object(0, false, &DROPPED, &mut into);
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
            let mut into = text.into_bytes();
            AddedNames::labels("dup ").onto_object(0, false, &label, &mut into);
            let mut seen: serde_json::Map<String, Value> = serde_json::from_slice(&into).unwrap();
            prop_assert_eq!(seen.remove("dup similarity"), Some(Value::from(similarity)));
            prop_assert_eq!(seen.remove("dup cluster"), Some("a,\"b".into()));
            prop_assert_eq!(seen.remove("dup representative"), Some("a,\"b".into()));
            prop_assert_eq!(seen.remove("dup verdict"), Some("dropped".into()));
            prop_assert_eq!(Value::Object(seen), object);
        }
    }
}

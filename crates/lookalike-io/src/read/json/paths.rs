//! Finds the values of some fields of a JSON object, including fields inside other objects.

use std::{borrow::Cow, fmt};

use lookalike::shown::quoted;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::error::Error;

/// Finds fields by name. A name is first compared exactly, and then read as a dotted path into objects. An object is read once,
/// however many of its fields are wanted.
#[derive(Debug, Clone)]
pub struct Paths {
    names: Vec<String>,
}

/// The number of a wanted name, and the part of that name that is still to be found inside an object.
type Wanted<'n> = (usize, &'n str);

/// The fields of an object, in their order.
pub struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Paths {
    /// Creates the search for fields with these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self {
            names: names.into_iter().collect(),
        }
    }

    /// Returns the raw value of each wanted name in a line, in the order of the names. A field with exactly the wanted name takes
    /// precedence over a path into objects. Because the names of fields may contain dots too, the names of several fields of an
    /// object may match the beginning of the path. Of these fields, the one with the shortest name that leads to a value is used.
    ///
    /// # Errors
    /// Fails if the line is not a JSON object, or has a wanted field twice.
    pub fn find<'a>(&self, line: &'a [u8]) -> Result<Vec<Option<&'a RawValue>>, Error> {
        let mut found = vec![None; self.names.len()];
        if !line.trim_ascii_start().starts_with(b"{") {
            let wrong = Error::record("not a JSON object");
            return Err(wrong.advise("each record must be one: {\"id\": 1, \"name\": \"Ann Lee\"}"));
        }
        let wanted: Vec<Wanted> = self.names.iter().map(String::as_str).enumerate().collect();
        Self::walk(&wanted, object(line)?, "", &mut found)?;
        Ok(found)
    }

    fn walk<'a>(
        wanted: &[Wanted],
        fields: Fields<'a>,
        before: &str,
        found: &mut [Option<&'a RawValue>],
    ) -> Result<(), Error> {
        let (mut seen, mut inside) = (Vec::<&str>::new(), Vec::new());
        for (name, value) in &fields.0 {
            let mut is_wanted = false;
            for &(number, rest) in wanted {
                match rest.strip_prefix(&**name) {
                    Some("") => (is_wanted, found[number]) = (true, Some(*value)),
                    Some(more) => is_wanted |= more.starts_with('.'),
                    None => {}
                }
            }
            if !is_wanted {
                continue;
            }
            if seen.contains(&&**name) {
                let field = format!("{before}{name}");
                let wrong = Error::record(format!("duplicate field {}", quoted(&field)));
                return Err(wrong.in_field(field).advise("remove one of the two"));
            }
            seen.push(name);
            if value.get().starts_with('{') {
                inside.push((&**name, *value));
            }
        }
        inside.sort_by_key(|(name, _)| name.len());
        for (name, value) in inside {
            let left = wanted.iter().filter(|(number, _)| found[*number].is_none());
            let deeper: Vec<Wanted> = left
                .filter_map(|(number, rest)| {
                    Some((*number, rest.strip_prefix(name)?.strip_prefix('.')?))
                })
                .collect();
            if !deeper.is_empty() {
                Self::walk(
                    &deeper,
                    object(value.get().as_bytes())?,
                    &format!("{before}{name}."),
                    found,
                )?;
            }
        }
        Ok(())
    }

    /// Returns the names of a line's fields, including paths into objects, for messages. It returns the first `MOST_NAMES`, and
    /// does not enter objects that are more than `DEEPEST` deep.
    pub fn names_in(line: &[u8]) -> Vec<String> {
        let mut names = Vec::new();
        list(line, "", 1, &mut names);
        names
    }
}

/// These limits keep messages short and the stack small.
const MOST_NAMES: usize = 50;
const DEEPEST: usize = 8;

fn list(object_text: &[u8], before: &str, depth: usize, names: &mut Vec<String>) {
    let Ok(Fields(fields)) = object(object_text) else {
        return;
    };
    for (name, value) in fields {
        if names.len() == MOST_NAMES {
            return;
        }
        let name = format!("{before}{name}");
        if value.get().starts_with('{') && depth < DEEPEST {
            list(
                value.get().as_bytes(),
                &format!("{name}."),
                depth + 1,
                names,
            )
        } else {
            names.push(name)
        }
    }
}

/// Returns the fields of a JSON object, in their order.
///
/// # Errors
/// Fails if the text is not a JSON object.
pub(crate) fn fields_of(object_text: &[u8]) -> Result<Vec<(Cow<'_, str>, &RawValue)>, Error> {
    object(object_text).map(|Fields(fields)| fields)
}

/// Returns the content of a JSON string.
///
/// # Errors
/// Fails if the text is not a JSON string, or if an escape in it is half of a surrogate pair.
pub(crate) fn string_of(text: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    serde_json::from_str(text).map(|Name(content)| content)
}

fn object(text: &[u8]) -> Result<Fields<'_>, Error> {
    serde_json::from_slice(text).map_err(|error| {
        let words = error.to_string();
        let words = words.split(" at line 1 column ").next().unwrap_or_default();
        Error::record(format!("cannot be parsed: {words}"))
            .advise("each record must be one JSON object")
            .because(error)
    })
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_and_nested_fields_in_a_table() {
        let paths = Paths::new(["id", "a.b", "a.c.d", "a", "e.f"].map(String::from));
        for (line, expected) in [
            (
                r#"{"id":1,"a":{"b":"x","c":{"d":null}}}"#,
                [Some("1"), Some("\"x\""), Some("null"), Some("{…"), None],
            ),
            (
                r#"{"a.b":2,"a":{"b":1,"c.d":3}}"#,
                [None, Some("2"), Some("3"), Some("{…"), None],
            ),
            (
                r#"{"a":[1],"e":"f","\u0069d":7}"#,
                [Some("7"), None, None, Some("[1]"), None],
            ),
            ("{}", [None; 5]),
        ] {
            let found = paths.find(line.as_bytes()).unwrap();
            let shown = |value: &RawValue| {
                if value.get().starts_with('{') {
                    "{…".into()
                } else {
                    value.get().to_string()
                }
            };
            let found: Vec<Option<String>> =
                found.into_iter().map(|value| value.map(shown)).collect();
            assert_eq!(
                found,
                expected.map(|value| value.map(String::from)),
                "{line}"
            );
        }
        assert_eq!(
            Paths::names_in(br#"{"id":1,"a":{"b":2,"c":{"d":[]}}}"#),
            ["id", "a.b", "a.c.d"]
        );
    }

    /// Finds a value by the same rule as [`Paths`], with short code that works on a parsed record.
    fn naive(value: &serde_json::Value, name: &str) -> Option<serde_json::Value> {
        let object = value.as_object()?;
        let inside = |(at, _): (usize, &str)| naive(object.get(&name[..at])?, &name[at + 1..]);
        object
            .get(name)
            .cloned()
            .or_else(|| name.match_indices('.').find_map(inside))
    }

    /// Generates nested objects with few different names, some of which contain dots.
    fn record() -> impl Strategy<Value = serde_json::Value> {
        let leaf = (0..9).prop_map(serde_json::Value::from);
        leaf.prop_recursive(4, 30, 4, |inner| {
            prop::collection::btree_map("[ab](\\.[ab]){0,2}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect())
        })
    }

    proptest! {
        #[test]
        fn values_match_the_definition(record in record(), names in prop::collection::vec("[ab](\\.[ab]){0,3}", 1..4)) {
            prop_assume!(record.is_object());
            let line = record.to_string();
            let found = Paths::new(names.clone()).find(line.as_bytes()).unwrap();
            for (name, found) in names.iter().zip(found) {
                let found = found.map(|value| serde_json::from_str(value.get()).unwrap());
                prop_assert_eq!(found, naive(&record, name), "{} in {}", name, line);
            }
        }
    }

    #[test]
    fn names_of_deep_and_wide_objects_are_few() {
        let deep = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
        assert_eq!(Paths::names_in(deep.as_bytes()), ["a.a.a.a.a.a.a.a"]);
        let wide: Vec<String> = (0..1000).map(|at| format!("\"f{at}\":1")).collect();
        assert_eq!(
            Paths::names_in(format!("{{{}}}", wide.join(",")).as_bytes()).len(),
            MOST_NAMES
        );
    }

    #[test]
    fn bad_objects_in_a_table() {
        let paths = Paths::new(["id", "a.b"].map(String::from));
        for (line, part) in [
            ("[1]", "not a JSON object"),
            ("{\"id\":1", "cannot be parsed: EOF"),
            ("{\"id\":1,\"id\":2}", "duplicate field \"id\""),
            ("{\"a\":{\"b\":1,\"b\":2}}", "duplicate field \"a.b\""),
            ("{\"id\":\"\u{1}\"}", "cannot be parsed: control character"),
        ] {
            let found = paths.find(line.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(part), "{found}");
        }
    }
}

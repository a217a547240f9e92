//! A JSON object → the values of some of its fields, those inside of others too.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// Fields by name, first as it stands, then as a dotted path into objects. An object is read once, whatever number of its
/// fields is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    /// How many names there are.
    names: usize,
    root: Vec<Branch>,
}

/// A name in an object, and what is asked of its value.
#[derive(Debug, Clone)]
struct Branch {
    name: String,
    /// Which of the names end here.
    ends: Vec<usize>,
    inside: Vec<Branch>,
}

/// The fields of an object, in their order.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Paths {
    /// Of fields with these names.
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let (mut count, mut root) = (0, Vec::new());
        for name in names {
            add(&mut root, &name, count);
            count += 1;
        }
        Self { names: count, root }
    }

    /// Finds the values in a line: as they stand there, by the names' numbers. What is there as it was named goes before what is
    /// inside.
    ///
    /// # Errors
    /// What is no JSON object, or has a field twice that is asked for.
    pub(crate) fn find<'a>(&self, line: &'a [u8]) -> Result<Vec<Option<&'a RawValue>>, String> {
        let mut found = vec![None; self.names];
        if !line.trim_ascii_start().starts_with(b"{") {
            return Err("not a JSON object; each record must be one: {\"id\": 1, \"name\": \"Ann Lee\"}".into());
        }
        Self::walk(&self.root, object(line)?, "", &mut found)?;
        Ok(found)
    }

    fn walk<'a>(branches: &[Branch], fields: Fields<'a>, before: &str, found: &mut [Option<&'a RawValue>]) -> Result<(), String> {
        let mut seen = vec![false; branches.len()];
        let mut inside = Vec::new();
        for (name, value) in fields.0 {
            let Some(at) = branches.iter().position(|branch| branch.name == name) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                return Err(format!("field {:?} stands twice; leave one out", format!("{before}{name}")));
            }
            for &number in &branches[at].ends {
                found[number] = Some(value);
            }
            if !branches[at].inside.is_empty() && value.get().starts_with('{') {
                inside.push((at, value));
            }
        }
        // What stands outside was found by now, and goes first.
        for (at, value) in inside {
            let branch = &branches[at];
            let mut deeper = vec![None; found.len()];
            let before = format!("{before}{}.", branch.name);
            Self::walk(&branch.inside, object(value.get().as_bytes())?, &before, &mut deeper)?;
            for (found, deeper) in found.iter_mut().zip(deeper) {
                *found = found.or(deeper);
            }
        }
        Ok(())
    }

    /// The names of a line's fields, those inside of objects as paths, for messages: the first [`MOST_NAMES`], and of objects that are
    /// more than [`DEEPEST`] deep only their own.
    pub(crate) fn names_in(line: &[u8]) -> Vec<String> {
        let mut names = Vec::new();
        list(line, "", 1, &mut names);
        names
    }
}

fn add(branches: &mut Vec<Branch>, name: &str, number: usize) {
    let of = |branches: &mut Vec<Branch>, name: &str| match branches.iter().position(|branch| branch.name == name) {
        Some(at) => at,
        None => {
            branches.push(Branch { name: name.into(), ends: Vec::new(), inside: Vec::new() });
            branches.len() - 1
        }
    };
    let at = of(branches, name);
    branches[at].ends.push(number);
    if let Some((first, rest)) = name.split_once('.') {
        let at = of(branches, first);
        add(&mut branches[at].inside, rest, number);
    }
}

/// What a message can show, and a stack bear.
const MOST_NAMES: usize = 50;
const DEEPEST: usize = 8;

fn list(object_text: &[u8], before: &str, depth: usize, names: &mut Vec<String>) {
    let Ok(Fields(fields)) = object(object_text) else { return };
    for (name, value) in fields {
        if names.len() == MOST_NAMES {
            return;
        }
        let name = format!("{before}{name}");
        match value.get().starts_with('{') && depth < DEEPEST {
            true => list(value.get().as_bytes(), &format!("{name}."), depth + 1, names),
            false => names.push(name),
        }
    }
}

fn object(text: &[u8]) -> Result<Fields<'_>, String> {
    serde_json::from_slice(text).map_err(|error| {
        let words = error.to_string();
        let words = words.split(" at line 1 column ").next().unwrap_or_default();
        format!("not understood: {words}; each record must be one JSON object")
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
    use super::*;

    #[test]
    fn fields_and_those_inside_in_a_table() {
        let paths = Paths::new(["id", "a.b", "a.c.d", "a", "e.f"].map(String::from));
        for (line, expected) in [
            (r#"{"id":1,"a":{"b":"x","c":{"d":null}}}"#, [Some("1"), Some("\"x\""), Some("null"), Some("{…"), None]),
            (r#"{"a.b":2,"a":{"b":1,"c.d":3}}"#, [None, Some("2"), Some("3"), Some("{…"), None]),
            (r#"{"a":[1],"e":"f","\u0069d":7}"#, [Some("7"), None, None, Some("[1]"), None]),
            ("{}", [None; 5]),
        ] {
            let found = paths.find(line.as_bytes()).unwrap();
            let shown = |value: &RawValue| if value.get().starts_with('{') { "{…".into() } else { value.get().to_string() };
            let found: Vec<Option<String>> = found.into_iter().map(|value| value.map(shown)).collect();
            assert_eq!(found, expected.map(|value| value.map(String::from)), "{line}");
        }
        assert_eq!(Paths::names_in(br#"{"id":1,"a":{"b":2,"c":{"d":[]}}}"#), ["id", "a.b", "a.c.d"]);
    }

    #[test]
    fn names_of_deep_and_wide_objects_are_few() {
        let deep = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
        assert_eq!(Paths::names_in(deep.as_bytes()), ["a.a.a.a.a.a.a.a"]);
        let wide: Vec<String> = (0..1000).map(|at| format!("\"f{at}\":1")).collect();
        assert_eq!(Paths::names_in(format!("{{{}}}", wide.join(",")).as_bytes()).len(), MOST_NAMES);
    }

    #[test]
    fn bad_objects_in_a_table() {
        let paths = Paths::new(["id", "a.b"].map(String::from));
        for (line, part) in [
            ("[1]", "not a JSON object"),
            ("{\"id\":1", "not understood: EOF"),
            ("{\"id\":1,\"id\":2}", "field \"id\" stands twice"),
            ("{\"a\":{\"b\":1,\"b\":2}}", "field \"a.b\" stands twice"),
            ("{\"id\":\"\u{1}\"}", "not understood: control character"),
        ] {
            let found = paths.find(line.as_bytes()).unwrap_err();
            assert!(found.contains(part), "{found}");
        }
    }
}

//! Finds which types the values of fields have.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::value::RawValue;

use super::{
    numbers::Numbers,
    refused::{At, Refused, Result, Why, nested, twice, unparsed},
    types::Type,
};
use crate::read::{Shape, fields_of, string_of};

/// The largest number of fields, those inside other fields included. If names of fields are data, they are not columns.
const MOST_FIELDS: usize = 10_000;
/// The largest depth of fields inside other fields. It bounds the stack.
const DEEPEST: usize = 100;
/// The number of fields of a small object.
const FEW: usize = 32;

const HALF_PAIR: &str = "write the whole character, or write JSON Lines";
/// The fields of objects.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// In the order in which they were first seen.
    names: Vec<String>,
    values: Vec<Values>,
    places: BTreeMap<String, usize>,
}

/// The values of a field.
#[derive(Debug, Default)]
struct Values {
    kind: Kind,
    /// The record with the first value that is not null.
    first: At,
    /// The number of values that are not null.
    count: u64,
}

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Null,
    Bool,
    Number(Numbers),
    Text,
    List(Box<Values>),
    Object(Fields),
}

impl Fields {
    /// Adds the fields of a JSON object.
    ///
    /// # Errors
    /// Fails if the values of a field have several types, or cannot be stored in a column.
    pub(crate) fn add(&mut self, object: &[u8], at: At, left: &mut Left) -> Result<()> {
        self.add_inside(object, at, left, 1)
    }

    fn add_inside(&mut self, object: &[u8], at: At, left: &mut Left, depth: usize) -> Result<()> {
        for (name, value) in entries(object, at)? {
            let values = self.entry(&name, at, left)?;
            values
                .add(value, at, left, depth)
                .map_err(|refused| refused.inside(&name))?;
        }
        Ok(())
    }

    /// Adds only the names of a JSON object's fields, whose values are neither objects nor lists.
    ///
    /// # Errors
    /// Fails with the first field that is an object or a list.
    pub(crate) fn add_names(&mut self, object: &[u8], at: At, left: &mut Left) -> Result<()> {
        for (name, value) in entries(object, at)? {
            let shape = Shape::of(value.get());
            if matches!(shape, Shape::Array | Shape::Object) {
                return Err(nested(shape.name(), at).inside(&name));
            }
            if shape == Shape::Text {
                refuse_half_pair(value.get(), at).map_err(|refused| refused.inside(&name))?;
            }
            self.entry(&name, at, left)?;
        }
        Ok(())
    }

    /// Adds fields with texts.
    ///
    /// # Errors
    /// Fails if two of them have the same name, or if there are other values of this name.
    pub(crate) fn add_texts<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n str>,
        at: At,
        left: &mut Left,
    ) -> Result<()> {
        let mut others = Self::default();
        for name in names {
            if others.places.contains_key(name) {
                return Err(twice(at).inside(name));
            }
            *others.entry(name, at, &mut Left::default())? = Values {
                kind: Kind::Text,
                first: at,
                count: 1,
            };
        }
        self.merge(others, left)
    }

    /// Adds fields that were found in later records.
    ///
    /// # Errors
    /// Fails if the values of a field have several types.
    pub(crate) fn merge(&mut self, later: Self, left: &mut Left) -> Result<()> {
        for (name, values) in later.names.into_iter().zip(later.values) {
            let first = values.first;
            self.entry(&name, first, left)?
                .merge(values, left)
                .map_err(|refused| refused.inside(&name))?;
        }
        Ok(())
    }

    /// Returns the values of a field, which is added if it is new.
    fn entry(&mut self, name: &str, at: At, left: &mut Left) -> Result<&mut Values> {
        let place = match self.places.get(name) {
            Some(&place) => place,
            None => {
                left.0 = left.0.checked_sub(1).ok_or_else(|| {
                    let what = format!("is one of more than {MOST_FIELDS} different fields, which cannot all be columns");
                    Refused::new(at, Why::Value(what, "write JSON Lines (.jsonl), or make a list of names and values"))
                        .inside(name)
                })?;
                self.places.insert(name.into(), self.names.len());
                self.names.push(name.into());
                self.values.push(Values::default());
                self.names.len() - 1
            }
        };
        Ok(&mut self.values[place])
    }

    /// Returns the type of the whole numbers that are the values of a field, which may be inside other fields (`a.b`), and how many
    /// objects have one. Returns none if a value is anything else, or if no type has all of them.
    pub(crate) fn whole_numbers(&self, path: &str) -> Option<(Type, u64)> {
        if let Some(&place) = self.places.get(path) {
            let Values { kind, count, .. } = &self.values[place];
            let Kind::Number(numbers) = kind else {
                return None;
            };
            let kind = numbers.kind().ok()?;
            return (kind != Type::Float).then_some((kind, *count));
        }
        let inside = |(at, _): (usize, &str)| {
            let Kind::Object(fields) = &self.values[*self.places.get(&path[..at])?].kind else {
                return None;
            };
            fields.whole_numbers(&path[at + 1..])
        };
        path.match_indices('.').find_map(inside)
    }

    /// Returns the names, in order.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the names and types of the fields.
    ///
    /// # Errors
    /// Fails if no type has all numbers of a field.
    pub(crate) fn types(&self) -> Result<Vec<(String, Type)>> {
        let each = self.names.iter().zip(&self.values);
        each.map(|(name, values)| match values.kind() {
            Ok(kind) => Ok((name.clone(), kind)),
            Err(refused) => Err(refused.inside(name)),
        })
        .collect()
    }
}

/// The number of fields that may still be added.
#[derive(Debug)]
pub(crate) struct Left(usize);

impl Default for Left {
    fn default() -> Self {
        Self(MOST_FIELDS)
    }
}

impl Values {
    fn add(&mut self, value: &RawValue, at: At, left: &mut Left, depth: usize) -> Result<()> {
        let text = value.get();
        let shape = Shape::of(text);
        if shape == Shape::Null {
            return Ok(());
        }
        if depth > DEEPEST {
            let what = format!("is inside more than {DEEPEST} other fields");
            return Err(Refused::new(
                at,
                Why::Value(what, "write JSON Lines (.jsonl)"),
            ));
        }
        if self.count == 0 {
            self.first = at;
            self.kind = match shape {
                Shape::Text => Kind::Text,
                Shape::Number => Kind::Number(Numbers::default()),
                Shape::Bool => Kind::Bool,
                Shape::Null => Kind::Null,
                Shape::Array => Kind::List(Box::default()),
                Shape::Object => Kind::Object(Fields::default()),
            };
        }
        match (&mut self.kind, shape) {
            (Kind::Bool, Shape::Bool) => {}
            (Kind::Text, Shape::Text) => refuse_half_pair(text, at)?,
            (Kind::Number(numbers), Shape::Number) => numbers.add(text, at)?,
            (Kind::List(items), Shape::Array) => {
                let all: Vec<&RawValue> =
                    serde_json::from_str(text).map_err(|error| unparsed(at, error))?;
                for item in all {
                    items
                        .add(item, at, left, depth + 1)
                        .map_err(|refused| refused.inside("[]"))?;
                }
            }
            (Kind::Object(fields), Shape::Object) => {
                fields.add_inside(text.as_bytes(), at, left, depth + 1)?
            }
            (kind, shape) => {
                let differs = Why::Differs([shape.name().into(), kind.name().into()], self.first);
                return Err(Refused::new(at, differs));
            }
        }
        self.count += 1;
        Ok(())
    }

    fn merge(&mut self, later: Self, left: &mut Left) -> Result<()> {
        if later.count == 0 {
            return Ok(());
        }
        if self.count == 0 {
            (self.first, self.kind) = (later.first, later.kind.emptied());
        }
        self.count += later.count;
        match (&mut self.kind, later.kind) {
            (Kind::Bool, Kind::Bool) | (Kind::Text, Kind::Text) => Ok(()),
            (Kind::Number(own), Kind::Number(later)) => {
                own.merge(&later);
                Ok(())
            }
            (Kind::List(own), Kind::List(later)) => own
                .merge(*later, left)
                .map_err(|refused| refused.inside("[]")),
            (Kind::Object(own), Kind::Object(later)) => own.merge(later, left),
            (own, other) => {
                let differs = Why::Differs([other.name().into(), own.name().into()], self.first);
                Err(Refused::new(later.first, differs))
            }
        }
    }

    fn kind(&self) -> Result<Type> {
        Ok(match &self.kind {
            Kind::Null => Type::Null,
            Kind::Bool => Type::Bool,
            Kind::Text => Type::Text,
            Kind::Number(numbers) => numbers.kind()?,
            Kind::List(items) => Type::List(Box::new(
                items.kind().map_err(|refused| refused.inside("[]"))?,
            )),
            Kind::Object(fields) => Type::Object(fields.types()?),
        })
    }
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Null => Shape::Null.name(),
            Self::Bool => Shape::Bool.name(),
            Self::Number(_) => Shape::Number.name(),
            Self::Text => Shape::Text.name(),
            Self::List(_) => Shape::Array.name(),
            Self::Object(_) => Shape::Object.name(),
        }
    }

    /// Returns the same kind without values.
    fn emptied(&self) -> Self {
        match self {
            Self::Null => Self::Null,
            Self::Bool => Self::Bool,
            Self::Number(_) => Self::Number(Numbers::default()),
            Self::Text => Self::Text,
            Self::List(_) => Self::List(Box::default()),
            Self::Object(_) => Self::Object(Fields::default()),
        }
    }
}

/// Returns the fields of an object, each of which has another name.
fn entries(object: &[u8], at: At) -> Result<Vec<(Cow<'_, str>, &RawValue)>> {
    let fields = fields_of(object).map_err(|error| Refused::new(at, Why::Unparsed(error)))?;
    let again = if fields.len() <= FEW {
        // This is quicker than to sort the names.
        (1..fields.len())
            .find(|&later| {
                fields[..later]
                    .iter()
                    .any(|(name, _)| *name == fields[later].0)
            })
            .map(|at| &fields[at].0)
    } else {
        let mut names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names
            .windows(2)
            .find(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
    };
    match again {
        Some(name) => Err(twice(at).inside(name)),
        None => Ok(fields),
    }
}

/// Fails if a JSON string has an escape that is half of a surrogate pair. The parser has accepted all other strings.
fn refuse_half_pair(text: &str, at: At) -> Result<()> {
    if text.contains("\\u") && string_of(text).is_err() {
        let what =
            "has an escape that is half of a surrogate pair, which is not a character".into();
        return Err(Refused::new(at, Why::Value(what, HALF_PAIR)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(record: u64) -> At {
        At { part: 0, record }
    }

    fn found(lines: &[&str]) -> Result<Vec<(String, Type)>> {
        let (mut fields, mut left) = (Fields::default(), Left::default());
        for (line, record) in lines.iter().zip(1..) {
            fields.add(line.as_bytes(), at(record), &mut left)?;
        }
        fields.types()
    }

    #[test]
    fn types_in_a_table() {
        let object = |fields: &[(&str, Type)]| {
            fields
                .iter()
                .map(|(name, kind)| ((*name).to_string(), kind.clone()))
                .collect()
        };
        let list = |kind| Type::List(Box::new(kind));
        for (lines, expected) in [
            (
                &[r#"{"a":1}"#, r#"{"b":"x","a":null}"#, "{}"][..],
                object(&[("a", Type::Signed), ("b", Type::Text)]),
            ),
            (
                &[r#"{"a":1}"#, r#"{"a":1.5}"#],
                object(&[("a", Type::Float)]),
            ),
            (
                &[r#"{"a":1e2}"#, r#"{"a":-9007199254740992}"#],
                object(&[("a", Type::Float)]),
            ),
            (
                &[r#"{"a":18446744073709551615}"#, r#"{"a":0}"#],
                object(&[("a", Type::Unsigned)]),
            ),
            (
                &[
                    r#"{"a":9223372036854775807}"#,
                    r#"{"a":-9223372036854775808}"#,
                ],
                object(&[("a", Type::Signed)]),
            ),
            (
                &[r#"{"a":[]}"#, r#"{"a":[null,[true]]}"#],
                object(&[("a", list(list(Type::Bool)))]),
            ),
            (
                &[r#"{"a":[{"b":1}]}"#, r#"{"a":[{"c":null},null,{"b":2.0}]}"#],
                object(&[(
                    "a",
                    list(Type::Object(object(&[
                        ("b", Type::Float),
                        ("c", Type::Null),
                    ]))),
                )]),
            ),
            (
                &[r#"{"é\n":{}}"#],
                object(&[("é\n", Type::Object(Vec::new()))]),
            ),
        ] {
            assert_eq!(found(lines).unwrap(), expected, "{lines:?}");
        }
    }

    #[test]
    fn refused_values_in_a_table() {
        for (lines, path, record) in [
            (&[r#"{"a":1}"#, r#"{"a":"x"}"#][..], "a", 2),
            (
                &[
                    r#"{"a":null}"#,
                    r#"{"a":{"b":[1]}}"#,
                    r#"{"a":{"b":[2,[3]]}}"#,
                ],
                "a.b[]",
                3,
            ),
            (
                &[r#"{"a":[{"b":true}]}"#, r#"{"a":[{},{"b":0}]}"#],
                "a[].b",
                2,
            ),
            (
                &[r#"{"a":0.5}"#, r#"{"a":1}"#, r#"{"a":9007199254740993}"#],
                "a",
                3,
            ),
            (&[r#"{"a":-1}"#, r#"{"a":9223372036854775808}"#], "a", 2),
            (&[r#"{"a":18446744073709551616}"#], "a", 1),
            (&[r#"{"a":1e999}"#], "a", 1),
            (&[r#"{"a":"\ud800"}"#], "a", 1),
            (&[r#"{"a":{"b":1,"b":2}}"#], "a.b", 1),
            (&["{\"a\":"], "", 1),
        ] {
            let refused = found(lines).unwrap_err();
            assert_eq!(
                (&*refused.path, refused.at.record),
                (path, record),
                "{lines:?}"
            );
        }
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100));
        assert!(
            found(&[&deep]).is_err()
                && found(&[&deep.replacen('[', "", 1).replacen(']', "", 1)]).is_ok()
        );
        let wide = |fields| {
            format!(
                "{{{}}}",
                (0..fields)
                    .map(|at| format!("\"f{at}\":1"))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        };
        assert!(
            found(&[&wide(MOST_FIELDS)]).is_ok()
                && found(&[&wide(MOST_FIELDS), r#"{"other":1}"#]).is_err()
        );
    }

    /// Generates values of few types, so that many fit each other.
    fn value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            (-3i64..9).prop_map(serde_json::Value::from),
            Just(serde_json::json!(0.5)),
            Just(serde_json::json!("x")),
        ];
        leaf.prop_recursive(2, 9, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(serde_json::Value::from),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// Blocks of records are looked at in parallel, and what was found is merged in their order.
        #[test]
        fn records_in_blocks_have_the_types_of_all_records(
            records in prop::collection::vec(prop::collection::btree_map("[abc]", value(), 0..3), 0..6),
            end in 0usize..6,
        ) {
            let lines: Vec<String> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
            let expected = found(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            let both = || {
                let (mut all, mut left) = (Fields::default(), Left::default());
                for block in lines.iter().zip(1..).collect::<Vec<_>>().chunks(end + 1) {
                    let mut own = Fields::default();
                    for (line, record) in block {
                        own.add(line.as_bytes(), at(*record), &mut Left::default())?;
                    }
                    all.merge(own, &mut left)?;
                }
                all.types()
            };
            match (both(), expected) {
                (Ok(found), Ok(expected)) => prop_assert_eq!(found, expected),
                (Err(_), Err(_)) => {}
                (found, expected) => prop_assert!(false, "{:?} {:?}", found, expected),
            }
        }
    }
}

//! Whether each record is in at most one pair.

use std::fmt;

use lookalike::Choice;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, Visitor},
};

/// Whether each record is in at most one pair: written as `"auto"`, `true` or `false`, or `"yes"` or `"no"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OneToOne {
    /// If there are two collections, and neither seems to contain duplicates.
    #[default]
    Auto,
    /// Always.
    Yes,
    /// Never.
    No,
}

impl Choice for OneToOne {
    const ALL: &'static [Self] = &[Self::Auto, Self::Yes, Self::No];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Yes => "yes",
            Self::No => "no",
        }
    }

    fn lines(self) -> &'static [&'static str] {
        &[]
    }
}

impl Serialize for OneToOne {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Yes => serializer.serialize_bool(true),
            Self::No => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for OneToOne {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = OneToOne;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("\"auto\", true or false")
            }

            fn visit_bool<E: de::Error>(self, is: bool) -> Result<OneToOne, E> {
                Ok(if is { OneToOne::Yes } else { OneToOne::No })
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<OneToOne, E> {
                OneToOne::named(value)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

//! The rules that find candidates.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use super::fields::Take;

/// A rule for candidates: what two records must share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockConfig {
    /// The parts that must all be equal.
    #[serde(
        default,
        deserialize_with = "parts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub equal: Vec<Part>,
    /// Alternatively, the field whose character n-grams must be similar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar: Option<String>,
    /// The number of characters in an n-gram; 3 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ngrams: Option<usize>,
    /// The resemblance of the n-gram sets at which `recall` is promised; 0.6 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The share of pairs at the threshold that are found; 0.95 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// If more records than this have the same value, the value is skipped, because it is too common to be evidence. With
    /// `similar`, the limit applies to each bucket of a band. The skipped pairs are counted and reported. `None` means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

impl BlockConfig {
    /// Returns a rule for records with equal values in all of these fields.
    pub fn equal(fields: &[&str]) -> Self {
        let part = |field: &&str| Part {
            field: (*field).into(),
            take: Take::Whole,
            prefix: None,
            suffix: None,
        };
        Self {
            equal: fields.iter().map(part).collect(),
            similar: None,
            ngrams: None,
            threshold: None,
            recall: None,
            at_most: None,
        }
    }

    /// Returns a rule for records with similar values of a field.
    pub fn similar(field: &str, threshold: f64) -> Self {
        Self {
            similar: Some(field.into()),
            threshold: Some(threshold),
            ..Self::equal(&[])
        }
    }
}

/// The part of a field that must be equal: the whole value if only the name is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The name of the field.
    pub field: String,
    /// The part of the field's value.
    pub take: Take,
    /// The number of characters to use from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<usize>,
    /// The number of characters to use from the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<usize>,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            field: String,
            #[serde(default)]
            take: Take,
            prefix: Option<usize>,
            suffix: Option<usize>,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Part;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a field's name, or a table such as { field = \"surname\", prefix = 4 }",
                )
            }

            fn visit_str<E: de::Error>(self, field: &str) -> Result<Part, E> {
                Ok(Part {
                    field: field.into(),
                    take: Take::Whole,
                    prefix: None,
                    suffix: None,
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
                let Given {
                    field,
                    take,
                    prefix,
                    suffix,
                } = Given::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Part {
                    field,
                    take,
                    prefix,
                    suffix,
                })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Reads a single part or a list of parts.
fn parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Part>, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = Vec<Part>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("the name of a field, or a list of names and of tables such as { field = \"surname\", prefix = 4 }")
        }

        fn visit_str<E: de::Error>(self, field: &str) -> Result<Self::Value, E> {
            Ok(vec![Part {
                field: field.into(),
                take: Take::Whole,
                prefix: None,
                suffix: None,
            }])
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Ok(vec![Part::deserialize(MapAccessDeserializer::new(map))?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(part) = parts.next_element()? {
                all.push(part);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_any(Either)
}

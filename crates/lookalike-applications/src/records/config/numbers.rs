//! Settings that are a number or a text.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

/// How a field counts if one or both of the two records lack it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Missing {
    /// The field is excluded, so that only the other fields decide: neither the points nor the weight of the excluded field
    /// count.
    #[default]
    Skip,
    /// The field gets this share of its weight as points, and its weight counts as for any other field.
    Share(f64),
}

impl Serialize for Missing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Skip => serializer.serialize_str("skip"),
            Self::Share(share) => serializer.serialize_f64(*share),
        }
    }
}

impl<'de> Deserialize<'de> for Missing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected =
            "\"skip\", or the share of its weight that a missing field is worth, from 0 to 1";
        number_or_text(deserializer, expected, Self::Share, |value| {
            (value == "skip").then_some(Self::Skip)
        })
    }
}

/// The difference at which two numbers are not similar at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within {
    /// A number; for quantities in base units, such as grams.
    Apart(f64),
    /// A share of the larger number, written in percent: `"10%"` is 0.1.
    Share(f64),
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Apart(apart) => write!(f, "{apart}"),
            // 100 times a share is not exact.
            Self::Share(share) => write!(f, "{}%", (1e11 * share).round() / 1e9),
        }
    }
}

impl Serialize for Within {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Apart(apart) => serializer.serialize_f64(*apart),
            Self::Share(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Within {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_text = |value: &str| {
            let percent: f64 = value.trim().strip_suffix('%')?.trim().parse().ok()?;
            Some(Self::Share(percent / 100.0))
        };
        number_or_text(
            deserializer,
            "a number, or a share of the larger number such as \"10%\"",
            Self::Apart,
            of_text,
        )
    }
}

/// Reads a number, or a text that is another form of the setting. `expected` says what the setting can be.
fn number_or_text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &'static str,
    of_number: fn(f64) -> T,
    of_text: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    struct Either<T> {
        expected: &'static str,
        of_number: fn(f64) -> T,
        of_text: fn(&str) -> Option<T>,
    }
    impl<T> Visitor<'_> for Either<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str(self.expected)
        }

        fn visit_str<E: de::Error>(self, value: &str) -> Result<T, E> {
            (self.of_text)(value).ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
            Ok((self.of_number)(value))
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
            Ok((self.of_number)(value as f64))
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
            Ok((self.of_number)(value as f64))
        }
    }
    deserializer.deserialize_any(Either {
        expected,
        of_number,
        of_text,
    })
}

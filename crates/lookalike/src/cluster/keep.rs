//! Keep order: the order in which documents are processed, so that the first of several similar ones is kept.

use std::{fmt, str::FromStr};

use crate::{shown::quoted, verify::Measure};

/// The rule that chooses which of several similar documents is kept. Ties are always broken by input order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub enum Keep {
    /// The first in input order.
    #[default]
    First,
    /// The one with the most characters in its original text; for sets, with the most items.
    Longest,
    /// The one with the latest time in a field.
    Newest(String),
    /// The one with the largest number in a field.
    Max(String),
    /// The one with the smallest number in a field.
    Min(String),
}

impl Keep {
    /// Returns the default for a measure. For resemblance, the first document is kept. For containment, the longest is kept, so
    /// that excerpts are dropped and whole texts are kept.
    pub fn usual(measure: Measure) -> Self {
        match measure {
            Measure::Resemblance => Self::First,
            Measure::Containment => Self::Longest,
        }
    }

    /// Returns the field whose values determine keep order; none if the rule uses no field.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::First | Self::Longest => None,
            Self::Newest(field) | Self::Max(field) | Self::Min(field) => Some(field),
        }
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, field) = text
            .split_once(':')
            .map_or((text, None), |(kind, field)| (kind, Some(field)));
        match (kind, field) {
            ("first", None) => Ok(Self::First),
            ("longest", None) => Ok(Self::Longest),
            ("newest" | "max" | "min", None | Some("")) => Err(format!(
                "{kind} needs a field; write {kind}:FIELD, such as {kind}:date"
            )),
            ("newest", Some(field)) => Ok(Self::Newest(field.into())),
            ("max", Some(field)) => Ok(Self::Max(field.into())),
            ("min", Some(field)) => Ok(Self::Min(field.into())),
            _ => Err(format!(
                "{} is not a keep order; use first, longest, newest:FIELD, max:FIELD or min:FIELD",
                quoted(text)
            )),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Longest => f.write_str("longest"),
            Self::Newest(field) => write!(f, "newest:{field}"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
        }
    }
}

/// Converts a number to a key that sorts in the same order: larger numbers have larger keys, and −0 and 0 have the same key.
pub fn number_key(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// Converts a time to a key that sorts in the same order. The time is in nanoseconds since 1970, so it is between 1677 and 2262.
pub fn time_key(nanoseconds: i64) -> u64 {
    nanoseconds as u64 ^ 1 << 63
}

/// Returns the number that has this [key](number_key); 0 for the key of −0 and 0.
pub fn number_of_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 {
        key & !(1 << 63)
    } else {
        !key
    })
}

/// Returns the time that has this [key](time_key), in nanoseconds since 1970.
pub fn time_of_key(key: u64) -> i64 {
    (key ^ 1 << 63) as i64
}

/// Returns the documents in keep order: the largest key first, with ties in input order.
pub fn keep_order(keys: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&d| std::cmp::Reverse(keys[d as usize]));
    order
}

/// Returns the place of each document in an order.
pub fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    order
        .iter()
        .zip(0..)
        .for_each(|(&d, rank)| ranks[d as usize] = rank);
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_order_like_numbers(a in -1e300f64..1e300, b in -1e300f64..1e300, s: i64, t: i64) {
            prop_assert_eq!(number_key(a).cmp(&number_key(b)), a.partial_cmp(&b).unwrap());
            prop_assert_eq!(time_key(s).cmp(&time_key(t)), s.cmp(&t));
        }
    }

    #[test]
    fn zeros_are_equal_and_ties_keep_input_order() {
        assert_eq!(number_key(0.0), number_key(-0.0));
        assert_eq!(keep_order(&[1, 3, 3, 2]), [1, 2, 3, 0]);
    }

    #[test]
    fn keep_orders_round_trip() {
        for text in ["first", "longest", "newest:date", "max:score", "min:a:b"] {
            assert_eq!(text.parse::<Keep>().unwrap().to_string(), text);
        }
        assert!(
            "newest"
                .parse::<Keep>()
                .unwrap_err()
                .contains("newest:FIELD")
        );
        assert!("best".parse::<Keep>().unwrap_err().contains("longest"));
        assert!("first:x".parse::<Keep>().is_err());
    }
}

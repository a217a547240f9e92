//! Values of options that are written in their own way.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, de};

/// A value that is parsed from text, such as a keep order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<T>(pub T);

impl<T: FromStr> FromStr for Parsed<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "give a text or a number")]
        enum Written {
            Text(String),
            Number(serde_json::Number),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Text(text) => text,
            Written::Number(number) => number.to_string(),
        };
        text.parse().map_err(de::Error::custom)
    }
}

/// A number of bytes of at least `LEAST`: a number, or a text such as "8G".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size<const LEAST: u64>(pub u64);

/// The lowest memory limit that a run can respect.
pub const LEAST_MEMORY: u64 = 64_000_000;

impl<const LEAST: u64> FromStr for Size<LEAST> {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse().map(|size: bytesize::ByteSize| size.as_u64()) {
            Ok(bytes) if bytes >= LEAST => Ok(Self(bytes)),
            Ok(_) if LEAST == LEAST_MEMORY => Err("give 64M or more"),
            _ if LEAST == LEAST_MEMORY => Err("give a size such as 512M or 8G"),
            _ => Err("give a size such as 500MB or 2GB"),
        }
    }
}

impl<'de, const LEAST: u64> Deserialize<'de> for Size<LEAST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Parsed::deserialize(deserializer).map(|Parsed(size)| size)
    }
}

/// The character between the fields of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(pub u8);

impl FromStr for Delimiter {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            b"\\t" => Ok(Self(b'\t')),
            &[one]
                if one != b'"' && one.is_ascii() && (one == b'\t' || !one.is_ascii_control()) =>
            {
                Ok(Self(one))
            }
            _ => Err("give one ASCII character other than a quote, or \\t for a tab"),
        }
    }
}

impl<'de> Deserialize<'de> for Delimiter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Parsed::deserialize(deserializer).map(|Parsed(delimiter)| delimiter)
    }
}

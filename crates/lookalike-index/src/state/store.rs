//! What an index stores of each text.

use std::{fmt, str::FromStr};

use lookalike::shown::quoted;
use serde::{Deserialize, Serialize};

/// What an index stores of each text, in addition to its sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// The text, compressed.
    #[default]
    Texts,
    /// The set of its shingles, as hashes: answers are exact, but shared passages cannot be shown. A set is often larger than the
    /// compressed text.
    Sets,
    /// Nothing. Similarities are estimated from the sketches.
    Sketches,
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "texts" => Ok(Self::Texts),
            "sets" => Ok(Self::Sets),
            "sketches" => Ok(Self::Sketches),
            _ => Err(format!(
                "{} cannot be stored; use texts, sets or sketches",
                quoted(text)
            )),
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Texts => "texts",
            Self::Sets => "sets",
            Self::Sketches => "sketches",
        })
    }
}

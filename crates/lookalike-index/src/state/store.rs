//! What an index stores of each text.

use std::str::FromStr;

use lookalike::{Choice, choices, shown::quoted};

choices! {
    /// What an index stores of each text, in addition to its sketch.
    #[derive(Default)]
    pub enum Store {
        /// the text, compressed
        Texts = "texts" (default),
        /// the shingles as hashes: answers are exact, but texts and passages cannot be shown
        ///
        /// A set is often larger than the compressed text.
        Sets = "sets",
        /// only sketches, which take the least space; requires --verify sketch
        Sketches = "sketches",
    }
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).ok_or_else(|| {
            format!(
                "{} cannot be stored; use texts, sets or sketches",
                quoted(text)
            )
        })
    }
}

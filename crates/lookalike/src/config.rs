//! What a user may ask for: one structure, whatever front it is asked by.

use serde::{Deserialize, Serialize};

use crate::{text::TokensBy, verify::Measure};

/// How documents are compared; its default is the project's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What a token is.
    pub tokens: TokensBy,
    /// k, tokens in a shingle.
    pub shingle: usize,
    /// Whether a shingle that stands in a text several times counts once.
    pub occurrences: Occurrences,
    /// How a shingle becomes a number.
    pub fingerprint: FingerprintBy,
    /// What is measured of a pair.
    pub measure: Measure,
    /// t, the similarity from which two documents are roughly the same.
    pub threshold: f64,
    /// How candidates are found.
    pub candidates: Candidates,
    /// The share of pairs *at* the threshold that must be found; pairs above it are found more often.
    pub recall: f64,
    /// Seed of all that is drawn at random.
    pub seed: u64,
    /// What *similar* means; left to the way candidates are found, [`Candidates::verify`].
    pub verify: Option<Verify>,
    /// What a group is.
    pub cluster: Cluster,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tokens: TokensBy::Auto,
            shingle: 5,
            occurrences: Occurrences::Once,
            fingerprint: FingerprintBy::Rolling,
            measure: Measure::Resemblance,
            threshold: 0.8,
            candidates: Candidates::default(),
            recall: 0.99,
            seed: 1,
            verify: None,
            cluster: Cluster::Law,
        }
    }
}

/// What a document's set has of a shingle that occurs several times (Broder 1997, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Occurrences {
    /// Option B: one member, however often it occurs.
    #[default]
    Once,
    /// Option A: a member for each occurrence, labelled with its number.
    Labelled,
}

/// How a shingle becomes a number of up to 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FingerprintBy {
    /// The rolling hash of token hashes.
    #[default]
    Rolling,
    /// Rabin's fingerprint of words padded to eight bytes, by a polynomial drawn from the seed (Broder 1997, section 4).
    Rabin {
        /// l, the bits of a fingerprint: 16 to 64. Few bits let unlike shingles collide.
        degree: u32,
    },
}

/// How candidates are found, and so what a sketch is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Candidates {
    /// Documents that share a band of their MinHash signatures.
    Bands(Bands),
    /// Documents with the same canonical form, and no others.
    Exact,
    /// All pairs, by an exact join of the sets: no sketch, nothing missed.
    All,
}

impl Default for Candidates {
    fn default() -> Self {
        Self::Bands(Bands::default())
    }
}

impl Candidates {
    /// What *similar* means unless it is asked otherwise.
    pub fn verify(&self) -> Verify {
        Verify::Exact
    }
}

/// The bands of a MinHash signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bands {
    /// b; given together with `rows` or left to the threshold and the recall.
    pub bands: Option<usize>,
    /// r; given together with `bands`.
    pub rows: Option<usize>,
}

/// What *similar* means for a candidate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// The exact measure of the two shingle sets.
    Exact,
    /// What the sketches say: of MinHash the estimated resemblance, ± 0.07 nineteen times in twenty near 0.8.
    Sketch,
    /// Every candidate counts as a match. Fast, and wrong for most candidates of most collections.
    None,
}

/// What a group of documents is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cluster {
    /// A kept document and those that were dropped for their similarity to it.
    #[default]
    Law,
    /// Connected components of all matches: chains join what is not alike.
    Components,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_refused() {
        assert!(serde_json::from_str::<Config>(r#"{"threshold": 0.7}"#).is_ok());
        assert!(serde_json::from_str::<Config>(r#"{"treshold": 0.7}"#).unwrap_err().to_string().contains("treshold"));
        let bands = r#"{"candidates": {"kind": "bands", "bands": 9, "rows": 13}}"#;
        let expected = Candidates::Bands(Bands { bands: Some(9), rows: Some(13) });
        assert_eq!(serde_json::from_str::<Config>(bands).unwrap().candidates, expected);
        assert!(serde_json::from_str::<Config>(&bands.replace("rows", "lines")).is_err());
    }

    #[test]
    fn a_configuration_is_read_as_it_is_written() {
        for candidates in [Candidates::default(), Candidates::Exact, Candidates::All] {
            let config = Config { candidates, ..Config::default() };
            assert_eq!(serde_json::from_str::<Config>(&serde_json::to_string(&config).unwrap()).unwrap(), config);
        }
    }
}

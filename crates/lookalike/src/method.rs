//! What a user asks for, checked once, and turned into the functions that a run is made of.

use serde::{Deserialize, Serialize};

use crate::{
    error::{ErrorKind, Result},
    fingerprint::{self, Digest},
    lsh::{self, Curve, DEFAULT_SLOTS, Shape},
    shingle::Shingling,
    sketch::{self, BITS_SLOTS, Bits, MinHash},
    text::{Tokens, TokensBy, canonicalise},
};

/// How documents are compared; its default is the project's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What a token is.
    pub tokens: TokensBy,
    /// k, tokens in a shingle.
    pub shingle: usize,
    /// t, the similarity from which two documents are roughly the same.
    pub threshold: f64,
    /// The share of pairs *at* the threshold that must be found; pairs above it are found more often.
    pub recall: f64,
    /// b; given together with `rows` or left to the threshold and the recall.
    pub bands: Option<usize>,
    /// r; given together with `bands`.
    pub rows: Option<usize>,
    /// Seed of the permutations.
    pub seed: u64,
    /// What *similar* means.
    pub verify: Verify,
    /// What a group is.
    pub cluster: Cluster,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tokens: TokensBy::Auto,
            shingle: 5,
            threshold: 0.8,
            recall: 0.99,
            bands: None,
            rows: None,
            seed: 1,
            verify: Verify::Exact,
            cluster: Cluster::Law,
        }
    }
}

/// What *similar* means for a candidate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// The exact resemblance of the two shingle sets.
    #[default]
    Exact,
    /// The sketch's estimate of it, ± 0.07 nineteen times in twenty near 0.8.
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

/// A checked configuration: the functions from a text to its sketch, and from two sketches to *candidate or not*.
#[derive(Debug, Clone)]
pub struct Method {
    config: Config,
    shingling: Shingling,
    shape: Shape,
    minhash: MinHash,
    floor: u32,
}

impl Method {
    /// Checks a configuration.
    ///
    /// # Errors
    /// Whatever in it cannot be, with the way out in the message.
    pub fn new(config: Config) -> Result<Self> {
        let shingling = Shingling::new(config.shingle)?;
        let shape = match (config.bands, config.rows) {
            (None, None) => Shape::choose(config.threshold, config.recall)?,
            (Some(bands), Some(rows)) => Shape::given(bands, rows, config.threshold, config.recall)?,
            _ => return Err(ErrorKind::HalfShape.into()),
        };
        let Curve { bands, rows } = shape.curve();
        let minhash = MinHash::new((bands * rows).max(DEFAULT_SLOTS).max(BITS_SLOTS), config.seed);
        let floor = sketch::agreement_floor(config.threshold);
        Ok(Self { config, shingling, shape, minhash, floor })
    }

    /// What was asked for.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The shingles' length.
    pub fn shingling(&self) -> Shingling {
        self.shingling
    }

    /// Bands, rows and the promise they keep.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The permutations.
    pub fn minhash(&self) -> &MinHash {
        &self.minhash
    }

    /// Fills `scratch` with all that a run keeps of a text. Nothing is allocated once the buffers have grown.
    pub fn sketch(&self, text: &str, scratch: &mut Scratch) {
        self.fingerprint(text, scratch);
        scratch.digest = fingerprint::digest(&scratch.tokens);
        self.minhash.minima(&scratch.fingerprints, &mut scratch.slots);
        scratch.bits = sketch::bits(&scratch.slots);
    }

    /// Fills `scratch.fingerprints` with the text's shingle *set*, sorted, for exact verification.
    pub fn set(&self, text: &str, scratch: &mut Scratch) {
        self.fingerprint(text, scratch);
        fingerprint::sort_distinct(&mut scratch.fingerprints);
    }

    fn fingerprint(&self, text: &str, scratch: &mut Scratch) {
        canonicalise(text, self.config.tokens, &mut scratch.tokens);
        fingerprint::token_hashes(&scratch.tokens, &mut scratch.token_hashes);
        fingerprint::fingerprints(&scratch.token_hashes, self.shingling, &mut scratch.fingerprints);
    }

    /// The band keys of the text last sketched.
    pub fn keys<'a>(&self, scratch: &'a Scratch) -> impl Iterator<Item = u32> + use<'a> {
        lsh::band_keys(&scratch.slots, self.shape.curve())
    }

    /// The second half of *candidate*: two documents that share a band must also agree in enough slots. A pair at the
    /// threshold fails this once in 10⁹.
    #[inline]
    pub fn agree(&self, a: &Bits, b: &Bits) -> bool {
        sketch::agreement(a, b) >= self.floor
    }
}

/// One text's sketch, and the buffers it was made in.
#[derive(Debug)]
pub struct Scratch {
    /// The canonical form.
    pub tokens: Tokens,
    /// The shingles' fingerprints: in text order with repeats after `sketch`, a sorted set after `set`.
    pub fingerprints: Vec<u64>,
    /// The canonical form's digest.
    pub digest: Digest,
    /// The b-bit sketch.
    pub bits: Bits,
    token_hashes: Vec<u64>,
    slots: Vec<u32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            tokens: Tokens::new(),
            fingerprints: Vec::new(),
            digest: 0,
            bits: [0; BITS_SLOTS],
            token_hashes: Vec::new(),
            slots: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_a_method() {
        let method = Method::new(Config::default()).unwrap();
        assert_eq!(method.shape().curve(), Curve { bands: 21, rows: 6 });
        assert!(method.shape().curve().found(0.8) > 0.998);
    }

    #[test]
    fn half_a_shape_is_refused() {
        let error = Method::new(Config { bands: Some(20), ..Config::default() }).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::HalfShape);
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(serde_json::from_str::<Config>(r#"{"threshold": 0.7}"#).is_ok());
        assert!(serde_json::from_str::<Config>(r#"{"treshold": 0.7}"#).unwrap_err().to_string().contains("treshold"));
    }
}

//! What a user may ask for: one structure, whatever front it is asked by.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    cluster::Representative,
    fingerprint::DigestBy,
    lsh::COMMON,
    sketch::{Modulus, Width},
    text::{Folds, Language, TokensBy},
    verify::Measure,
};

/// How documents are compared; its default is the project's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The preset that the settings began with. It is here for reports: its settings are in the other fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// What a token is.
    pub tokens: TokensBy,
    /// What is made alike before tokens are compared.
    pub folds: Folds,
    /// k, tokens in a shingle; none for what is usual, [`k`](Self::k).
    pub shingle: Option<usize>,
    /// Languages whose stop words shingles begin with; none for all shingles. A text with few of these words has all its shingles
    /// ([`Anchors`](crate::fingerprint::Anchors)).
    pub anchors: Vec<Language>,
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
            preset: None,
            tokens: TokensBy::Auto,
            folds: Folds::default(),
            shingle: None,
            anchors: Vec::new(),
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

impl Config {
    /// Tokens in a shingle: as many as were asked for, or five; two lines; where shingles begin with a stop word, it and the next two;
    /// of a set each item by itself.
    pub fn k(&self) -> usize {
        self.shingle.unwrap_or(match self.tokens {
            TokensBy::Items => 1,
            // A line is as telling as some words; two keep their order.
            TokensBy::Lines => 2,
            _ if self.anchors.is_empty() => 5,
            _ => 3,
        })
    }
}

/// Settings for a kind of texts for which the defaults are wrong, chosen by measuring. What is asked for beside a preset comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Texts of one or two sentences: quotations, verses, titles, queries. Two tokens in a shingle and a threshold of 0.5, so that one
    /// or two changed words or characters leave two texts similar.
    ///
    /// Measured by `make bench-quotations` on 10,000 Chinese quotations and 31,102 English verses with variants. By default 16 % of the
    /// variants with one changed word or character are found; so all. A threshold of 0.4 finds more of those with two changes, and takes
    /// verses of one pattern for variants; shingles of characters do that at any threshold.
    Quotations,
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quotations => f.write_str("quotations"),
        }
    }
}

impl Preset {
    /// What it sets, the rest as by default.
    pub fn config(self) -> Config {
        let preset = Some(self);
        match self {
            Self::Quotations => Config { preset, shingle: Some(2), threshold: 0.5, ..Config::default() },
        }
    }
}

/// What a document's set has of a shingle that occurs several times (Broder 1997, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
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
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
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
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Candidates {
    /// Documents that share a band of their MinHash signatures.
    Bands(Bands),
    /// Documents that share sampled fingerprints, counted by sort and merge.
    Shared(Shared),
    /// Documents whose SimHashes differ in few bits.
    SimHash(SimHashBy),
    /// Documents whose longest sentences are the same.
    Sentences(SentencesBy),
    /// Documents with the same canonical form, and no others.
    Exact,
    /// All pairs, by an exact join of the sets: no sketch, nothing missed.
    All,
}

impl Default for Candidates {
    fn default() -> Self {
        Self::usual(Measure::default())
    }
}

impl From<Bands> for Candidates {
    fn from(bands: Bands) -> Self {
        Self::Bands(bands)
    }
}

impl From<Shared> for Candidates {
    fn from(shared: Shared) -> Self {
        Self::Shared(shared)
    }
}

impl From<SimHashBy> for Candidates {
    fn from(simhash: SimHashBy) -> Self {
        Self::SimHash(simhash)
    }
}

impl From<SentencesBy> for Candidates {
    fn from(sentences: SentencesBy) -> Self {
        Self::Sentences(sentences)
    }
}

impl Candidates {
    /// How candidates are found by default: by bands; for containment, which bands cannot find, by shared fingerprints.
    ///
    /// The command and the Python package ask here too, so that they cannot differ.
    pub fn usual(measure: Measure) -> Self {
        match measure {
            Measure::Resemblance => Self::Bands(Bands::default()),
            Measure::Containment => Self::Shared(Shared::default()),
        }
    }

    /// In how many documents an element may be before it is set aside.
    pub(crate) fn common(&self) -> u32 {
        match self {
            Self::Shared(Shared { common, .. }) => *common,
            _ => u32::MAX,
        }
    }

    /// What *similar* means unless it is asked otherwise.
    pub fn verify(&self) -> Verify {
        match self {
            // What SimHash finds similar is what differs in few bits: the exact measure of its candidates would find few more
            // than half of what reaches the threshold.
            Self::SimHash(_) => Verify::Sketch,
            _ => Verify::Exact,
        }
    }
}

/// The bands of a MinHash signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct Bands {
    /// b; given together with `rows` or left to the threshold and the recall.
    pub bands: Option<usize>,
    /// r; given together with `bands`.
    pub rows: Option<usize>,
    /// How many permutations make a signature.
    pub permutations: Permutations,
}

/// How many random permutations make a MinHash signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permutations {
    /// One for each slot.
    Many,
    /// One for all: several times faster on long texts, as exact on all.
    #[default]
    One,
}

/// Sampled fingerprints, and how many documents may share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct Shared {
    /// Which fingerprints are sampled; left to the measure, the threshold and the recall.
    pub modulus: Option<Modulus>,
    /// Fingerprints in more documents than this are set aside and reported.
    pub common: u32,
    /// Whether runs of sampled fingerprints are shared, and a single one suffices.
    pub super_shingles: bool,
    /// Fingerprints in a run; left to the threshold and the recall.
    pub run: Option<usize>,
}

impl Default for Shared {
    fn default() -> Self {
        Self { modulus: None, common: COMMON, super_shingles: false, run: None }
    }
}

/// What a SimHash is made of, and how far apart candidates may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct SimHashBy {
    /// Bits of a hash.
    pub bits: Width,
    /// What votes for the bits, as often as it occurs.
    pub features: Features,
    /// k, the bits that may differ; left to the threshold where shingles vote.
    pub distance: Option<u32>,
    /// Blocks that a hash is cut into, more than k; k + 1 unless given.
    pub blocks: Option<u32>,
}

/// What votes for the bits of a SimHash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum Features {
    /// Shingles: their order counts, and the distance follows from the resemblance.
    #[default]
    Shingles,
    /// Tokens: a bag of words, whose cosine is greater than that of shingles.
    Tokens,
}

/// Which sentences are digested, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct SentencesBy {
    /// k, the longest sentences that are digested.
    pub longest: usize,
    /// The hash function.
    pub digest: DigestBy,
}

impl Default for SentencesBy {
    fn default() -> Self {
        Self { longest: 3, digest: DigestBy::Xxh3 }
    }
}

/// What *similar* means for a candidate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// The exact measure of the two shingle sets.
    Exact,
    /// What the sketches say: of MinHash the estimated resemblance, ± 0.07 nineteen times in twenty near 0.8; of sampled
    /// fingerprints the estimated resemblance or containment; of SimHash that few bits differ, of sentences that they are the
    /// same.
    Sketch,
    /// Every candidate counts as a match. Fast, and wrong for most candidates of most collections.
    None,
}

/// What a group of documents is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum Cluster {
    /// A kept document and those that were dropped for their similarity to it.
    #[default]
    Law,
    /// Connected components of all matches: chains join what is not alike.
    Components,
    /// Broder's greedy clusters of the sampled fingerprints (1997, section 4.4): one pass, estimates decide, and each joins the
    /// cluster whose representative it resembles most.
    Greedy(GreedyBy),
}

/// What greedy clusters are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct GreedyBy {
    /// What stands for a cluster.
    pub representative: Representative,
    /// s, the fingerprints of a sketch.
    pub sample: usize,
}

impl Default for GreedyBy {
    /// 200, more than enough as the paper has it (section 4.2).
    fn default() -> Self {
        Self { representative: Representative::FirstMember, sample: 200 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_refused() {
        assert!(serde_json::from_str::<Config>(r#"{"threshold": 0.7}"#).is_ok());
        assert!(serde_json::from_str::<Config>(r#"{"treshold": 0.7}"#).unwrap_err().to_string().contains("treshold"));
        let bands = r#"{"candidates": {"kind": "bands", "bands": 9, "rows": 13}}"#;
        let expected = Candidates::Bands(Bands { bands: Some(9), rows: Some(13), permutations: Permutations::One });
        assert_eq!(serde_json::from_str::<Config>(bands).unwrap().candidates, expected);
        assert!(serde_json::from_str::<Config>(&bands.replace("rows", "lines")).is_err());
    }

    #[test]
    fn a_preset_is_a_method() {
        let method = crate::Method::new(Preset::Quotations.config()).unwrap();
        assert_eq!(method.config().preset, Some(Preset::Quotations));
        assert!(method.promise().unwrap().found >= 0.99);
    }

    #[test]
    fn a_configuration_is_read_as_it_is_written() {
        for candidates in [
            Candidates::default(),
            Candidates::Shared(Shared { modulus: Some(Modulus::Fixed { level: 3 }), ..Shared::default() }),
            Candidates::SimHash(SimHashBy { bits: Width::W128, distance: Some(3), ..SimHashBy::default() }),
            Candidates::Sentences(SentencesBy { longest: 5, digest: DigestBy::Md5 }),
            Candidates::Exact,
            Candidates::All,
        ] {
            let config = Config { candidates, ..Preset::Quotations.config() };
            assert_eq!(serde_json::from_str::<Config>(&serde_json::to_string(&config).unwrap()).unwrap(), config);
        }
    }
}

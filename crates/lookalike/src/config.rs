//! The user's settings: one structure for the library, the command and the Python package.

use serde::{Deserialize, Serialize};

use crate::{
    choices,
    cluster::Representative,
    fingerprint::DigestBy,
    lsh::COMMON,
    sketch::{Modulus, Width},
    text::{Folds, Language, TokensBy},
    verify::{Measure, Overlap},
};

/// The configuration of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The preset that the settings started from. This field is only for reports: the settings of the preset are in the other
    /// fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The kind of tokens.
    pub tokens: TokensBy,
    /// The differences that are removed before tokens are compared.
    pub folds: Folds,
    /// k, the tokens per shingle; none for the default, see [`k`](Self::k).
    pub shingle: Option<usize>,
    /// Languages: only shingles that begin with one of their stop words are used. If empty, all shingles are used. A text with
    /// few stop words uses all its shingles ([`Anchors`](crate::fingerprint::Anchors)).
    pub anchors: Vec<Language>,
    /// Whether a shingle that occurs several times in a text counts once or each time.
    pub occurrences: Occurrences,
    /// The function that converts a shingle to a number.
    pub fingerprint: FingerprintBy,
    /// The similarity measure for a pair.
    pub measure: Measure,
    /// t, the minimum similarity of near-duplicates.
    pub threshold: f64,
    /// With resemblance: the minimum containment, |A ∩ B| / |A|, of a dropped document A in the document B that it duplicates. A document
    /// that has much of its own is then kept, however similar it is. None for no such condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_containment: Option<f64>,
    /// The method that finds candidates.
    pub candidates: Candidates,
    /// The share of pairs *at* the threshold that must be found. Pairs above the threshold are found more often.
    pub recall: f64,
    /// The seed of all random choices.
    pub seed: u64,
    /// The meaning of *similar*; by default it depends on the candidates, see [`Candidates::verify`].
    pub verify: Option<Verify>,
    /// The kind of groups.
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
            min_containment: None,
            candidates: Candidates::default(),
            recall: 0.99,
            seed: 1,
            verify: None,
            cluster: Cluster::Law,
        }
    }
}

impl Config {
    /// Returns the tokens per shingle: the configured number or, if there is none, the default. The default is five in general,
    /// two for lines, and three for shingles that begin with a stop word (that word and the next two). For sets, the default is
    /// one, so each item counts separately.
    pub fn k(&self) -> usize {
        self.shingle.unwrap_or(match self.tokens {
            TokensBy::Items => 1,
            // One line distinguishes texts as well as several words do. A shingle of two lines also records their order.
            TokensBy::Lines => 2,
            _ if self.anchors.is_empty() => 5,
            _ => 3,
        })
    }

    /// Returns whether a document is contained enough in another one to be its duplicate, given their overlap.
    pub fn contains_enough(&self, overlap: Overlap) -> bool {
        self.min_containment
            .is_none_or(|least| overlap.containment() >= least)
    }
}

choices! {
    /// Settings, chosen by measurement, for a kind of texts for which the defaults are unsuitable. Settings given in addition to a
    /// preset override it.
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Preset {
        /// texts of one or two sentences, such as quotations, verses and titles: --shingle 2 --threshold 0.5
        ///
        /// Two texts remain similar if one or two words or characters change. Measured by `make bench-quotations` on 10,000 Chinese
        /// quotations and 31,102 English verses with variants. The defaults find 16 % of the variants with one changed word or
        /// character; this preset finds all of them. A threshold of 0.4 finds more of the variants with two changes, but it also
        /// matches different verses with the same pattern. Shingles of characters match such verses at any threshold.
        Quotations = "quotations",
    }
}

impl Preset {
    /// Returns the settings of this preset, with defaults for the rest.
    pub fn config(self) -> Config {
        let preset = Some(self);
        match self {
            Self::Quotations => Config {
                preset,
                shingle: Some(2),
                threshold: 0.5,
                ..Config::default()
            },
        }
    }
}

choices! {
    /// How many members a document's set has for a shingle that occurs several times in the document (Broder 1997, section 2).
    #[derive(Default)]
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Occurrences {
        /// once (Broder's option B)
        Once = "once" (default),
        /// each occurrence as a separate shingle (Broder's option A)
        Labelled = "labelled",
    }
}

/// The function that converts a shingle to a number of up to 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FingerprintBy {
    /// A rolling hash of the tokens' hashes.
    #[default]
    Rolling,
    /// Rabin's fingerprint of words padded to eight bytes, with a polynomial drawn from the seed (Broder 1997, section 4).
    Rabin {
        /// l, the bits of a fingerprint: 16 to 64. With few bits, different shingles may have the same fingerprint.
        degree: u32,
    },
}

/// The method that finds candidates, which also determines the sketch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Candidates {
    /// Documents that share a band of their MinHash signatures.
    Bands(Bands),
    /// Documents that share a minimum number of sampled fingerprints (hashes of shingles), or a super-shingle (a run of such
    /// fingerprints). Shared elements are counted by sorting and merging.
    Shared(Shared),
    /// Documents whose SimHashes differ in few bits.
    SimHash(SimHashBy),
    /// Documents whose longest sentences are the same.
    Sentences(SentencesBy),
    /// Only documents with the same canonical form.
    Exact,
    /// All pairs that reach the threshold. The sets themselves are compared (an exact join), so no sketch is needed and no pair
    /// is missed.
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
    /// Returns the default: bands for resemblance, and shared fingerprints for containment, because bands cannot find contained
    /// texts.
    ///
    /// The command and the Python package also call this function, so that all interfaces have the same default.
    pub fn usual(measure: Measure) -> Self {
        match measure {
            Measure::Resemblance => Self::Bands(Bands::default()),
            Measure::Containment => Self::Shared(Shared::default()),
        }
    }

    /// Returns the maximum number of documents that may share a sampled element; a more common element is excluded.
    pub(crate) fn common(&self) -> u32 {
        match self {
            Self::Shared(Shared { common, .. }) => *common,
            _ => u32::MAX,
        }
    }

    /// Returns the default meaning of *similar* for these candidates.
    pub fn verify(&self) -> Verify {
        match self {
            // For SimHash, *similar* means that few bits differ. Verifying its candidates by the exact measure would find little
            // more than half of the pairs that reach the threshold.
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
    /// b, the number of bands, to be given together with `rows`. By default, both follow from the threshold and the recall.
    pub bands: Option<usize>,
    /// r, the number of rows per band, to be given together with `bands`.
    pub rows: Option<usize>,
    /// The number of permutations per signature.
    pub permutations: Permutations,
}

choices! {
    /// The number of random permutations per MinHash signature.
    #[derive(Default)]
    pub enum Permutations {
        /// a separate permutation for each of the signature's numbers (slots)
        Many = "many",
        /// one permutation for all slots: several times faster
        ///
        /// Faster on long texts, and equally accurate on all texts.
        One = "one" (default),
    }
}

/// The sampled fingerprints, and how many documents may share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct Shared {
    /// Which fingerprints are sampled; by default it follows from the measure, the threshold and the recall.
    pub modulus: Option<Modulus>,
    /// The maximum number of documents that may share a fingerprint. More common fingerprints are excluded and reported.
    pub common: u32,
    /// Whether candidates must share a run of sampled fingerprints (a super-shingle). If so, two documents that share one run are
    /// candidates.
    pub super_shingles: bool,
    /// The number of fingerprints per super-shingle; by default it follows from the threshold and the recall.
    pub run: Option<usize>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            modulus: None,
            common: COMMON,
            super_shingles: false,
            run: None,
        }
    }
}

/// The features of a SimHash, and the maximum distance of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct SimHashBy {
    /// The number of bits in a hash.
    pub bits: Width,
    /// The features that are hashed, weighted by frequency.
    pub features: Features,
    /// k, the number of bits that may differ. For shingles, the default follows from the threshold.
    pub distance: Option<u32>,
    /// The number of blocks that a hash is divided into. It must be greater than k, the number of bits that may differ. The
    /// default is k + 1 blocks.
    pub blocks: Option<u32>,
}

choices! {
    /// The features of a SimHash.
    #[derive(Default)]
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Features {
        /// shingles: the order of the words matters
        ///
        /// The expected distance follows from the resemblance.
        Shingles = "shingles" (default),
        /// tokens: a bag of words, without their order
        ///
        /// Two texts have a greater cosine by tokens than by shingles.
        Tokens = "tokens",
    }
}

/// Which sentences are digested, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct SentencesBy {
    /// k, the number of longest sentences that are digested.
    pub longest: usize,
    /// The hash function.
    pub digest: DigestBy,
}

impl Default for SentencesBy {
    fn default() -> Self {
        Self {
            longest: 3,
            digest: DigestBy::Xxh3,
        }
    }
}

choices! {
    /// The meaning of *similar* for a candidate pair.
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Verify {
        /// compute the exact similarity of the two shingle sets
        Exact = "exact",
        /// estimate the similarity from sketches, to within a few hundredths. With simhash, a pair is accepted if at most --distance
        /// bits differ; with sentences, it is accepted if the longest sentences are identical
        ///
        /// For MinHash, the resemblance is estimated; near 0.8, the estimate is within 0.07 of the exact resemblance in 19 of 20
        /// cases. For sampled fingerprints, the resemblance or the containment is estimated.
        Sketch = "sketch",
        /// accept every candidate: fast, but mostly wrong
        None = "none",
    }
}

/// The kind of groups of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum Cluster {
    /// A kept document and the documents that were dropped as similar to it.
    #[default]
    Law,
    /// Connected components of all matches. A chain of matches can join documents that are not similar.
    Components,
    /// Broder's greedy clusters of the sampled fingerprints (1997, section 4.4). One pass decides by estimates: each document
    /// joins the cluster whose representative it resembles most.
    Greedy(GreedyBy),
}

/// The settings of greedy clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct GreedyBy {
    /// The representative of a cluster.
    pub representative: Representative,
    /// s, the number of fingerprints per sketch.
    pub sample: usize,
}

impl Default for GreedyBy {
    /// Returns a sample of 200 fingerprints, which Broder (1997, section 4.2) considers more than enough for a good estimate.
    fn default() -> Self {
        Self {
            representative: Representative::FirstMember,
            sample: 200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_refused() {
        assert!(serde_json::from_str::<Config>(r#"{"threshold": 0.7}"#).is_ok());
        assert!(
            serde_json::from_str::<Config>(r#"{"treshold": 0.7}"#)
                .unwrap_err()
                .to_string()
                .contains("treshold")
        );
        let bands = r#"{"candidates": {"kind": "bands", "bands": 9, "rows": 13}}"#;
        let expected = Candidates::Bands(Bands {
            bands: Some(9),
            rows: Some(13),
            permutations: Permutations::One,
        });
        assert_eq!(
            serde_json::from_str::<Config>(bands).unwrap().candidates,
            expected
        );
        assert!(serde_json::from_str::<Config>(&bands.replace("rows", "lines")).is_err());
    }

    #[test]
    fn a_preset_is_a_method() {
        let method = crate::Method::new(Preset::Quotations.config()).unwrap();
        assert_eq!(method.config().preset, Some(Preset::Quotations));
        assert!(method.promise().unwrap().found >= 0.99);
    }

    #[test]
    fn a_configuration_round_trips() {
        for candidates in [
            Candidates::default(),
            Candidates::Shared(Shared {
                modulus: Some(Modulus::Fixed { level: 3 }),
                ..Shared::default()
            }),
            Candidates::SimHash(SimHashBy {
                bits: Width::W128,
                distance: Some(3),
                ..SimHashBy::default()
            }),
            Candidates::Sentences(SentencesBy {
                longest: 5,
                digest: DigestBy::Md5,
            }),
            Candidates::Exact,
            Candidates::All,
        ] {
            let config = Config {
                candidates,
                ..Preset::Quotations.config()
            };
            assert_eq!(
                serde_json::from_str::<Config>(&serde_json::to_string(&config).unwrap()).unwrap(),
                config
            );
        }
    }
}

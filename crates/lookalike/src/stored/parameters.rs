//! The parameters that determine the bytes of a sketch, and a description of how two sets of parameters differ.

use serde::{Deserialize, Serialize};

use crate::{
    config::{Config, Features, FingerprintBy, Occurrences, Permutations},
    error::{ErrorKind, Result},
    fingerprint::DigestBy,
    lsh::{DEFAULT_SLOTS, MAX_SLOTS},
    sketch::{Modulus, Width},
    text::{Folds, Language, TokensBy},
};

/// The kind of a stored sketch, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum SketchBy {
    /// A MinHash signature, from which bands are computed when pairs are searched for.
    MinHash {
        /// The number of slots.
        slots: usize,
        /// b, the bits that are stored of each slot: 8, 16 or 32. At the same size, a signature of more slots with fewer bits
        /// estimates more accurately (Li, König 2010), but only whole slots of 32 bits can be united.
        bits: u32,
        /// The number of random permutations per signature.
        permutations: Permutations,
    },
    /// MIN_s: the smallest elements of the permuted set.
    Bottom {
        /// s, the largest number of elements.
        size: usize,
    },
    /// MOD_m: the elements of the permuted set that are divisible by a modulus.
    Modulo {
        /// The rule that chooses the modulus.
        modulus: Modulus,
    },
    /// A SimHash.
    SimHash {
        /// The number of bits.
        bits: Width,
        /// The features that are hashed.
        features: Features,
    },
    /// A digest of the longest sentences.
    Sentences {
        /// k, the number of sentences that are digested.
        longest: usize,
        /// The hash function.
        digest: DigestBy,
    },
}

impl Default for SketchBy {
    /// Returns a signature of 128 whole slots: 528 bytes, within the 300 to 800 bytes of Broder (1997, section 4.2). It estimates
    /// the resemblance, bands can be computed from it for any threshold, and it can be united with others.
    fn default() -> Self {
        Self::MinHash {
            slots: DEFAULT_SLOTS,
            bits: 32,
            permutations: Permutations::One,
        }
    }
}

/// Everything that determines the bytes of a document's sketch. Only sketches with equal parameters can be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields)]
pub struct SketchParameters {
    /// The kind of tokens.
    pub tokens: TokensBy,
    /// The differences that are removed before tokens are compared.
    pub folds: Folds,
    /// k, the tokens per shingle.
    pub shingle: usize,
    /// Languages: only shingles that begin with one of their stop words are used. If empty, all shingles are used.
    pub anchors: Vec<Language>,
    /// Whether a shingle that occurs several times in a text counts once or each time.
    pub occurrences: Occurrences,
    /// The function that converts a shingle to a number.
    pub fingerprint: FingerprintBy,
    /// The seed of all random choices.
    pub seed: u64,
    /// The kind and the size of the sketch.
    pub sketch: SketchBy,
}

impl SketchParameters {
    /// Returns the parameters of sketches of this kind, for texts that are read as a configuration says.
    ///
    /// # Errors
    /// Fails if the sketch has no slot, or more slots than a signature can have, or an unsupported number of bits.
    pub fn new(config: &Config, sketch: SketchBy) -> Result<Self> {
        let parameters = Self {
            tokens: config.tokens,
            folds: config.folds,
            shingle: config.k(),
            anchors: config.anchors.clone(),
            occurrences: config.occurrences,
            fingerprint: config.fingerprint,
            seed: config.seed,
            sketch,
        };
        parameters.check()?;
        Ok(parameters)
    }

    pub(super) fn check(&self) -> Result<()> {
        match self.sketch {
            SketchBy::MinHash { slots, .. } if !(1..=MAX_SLOTS).contains(&slots) => {
                Err(ErrorKind::Slots {
                    slots,
                    max: MAX_SLOTS,
                }
                .into())
            }
            SketchBy::MinHash { bits, .. } if ![8, 16, 32].contains(&bits) => {
                Err(ErrorKind::SlotBits(bits).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns a configuration that reads texts as the sketched texts were read; its other settings are those of `config`.
    pub fn config(&self, config: Config) -> Config {
        Config {
            preset: None,
            tokens: self.tokens,
            folds: self.folds,
            shingle: Some(self.shingle),
            anchors: self.anchors.clone(),
            occurrences: self.occurrences,
            fingerprint: self.fingerprint,
            seed: self.seed,
            ..config
        }
    }

    /// Checks that sketches with these parameters can be compared with sketches that have the `other` parameters.
    ///
    /// # Errors
    /// Fails if the parameters differ. The message names every parameter that differs, with both values.
    pub fn check_like(&self, other: &Self) -> Result<()> {
        if self == other {
            return Ok(());
        }
        let [mut left, mut right] = [Vec::new(), Vec::new()];
        for (own, theirs) in self.described().into_iter().zip(other.described()) {
            if own != theirs {
                left.push(own);
                right.push(theirs);
            }
        }
        Err(ErrorKind::UnlikeSketches {
            left: left.join(", "),
            right: right.join(", "),
        }
        .into())
    }

    /// Describes the kind and the size of the sketches, for example "MinHash of 128 slots of 32 bits, one permutation".
    pub fn kind(&self) -> String {
        match self.sketch {
            SketchBy::MinHash {
                slots,
                bits,
                permutations,
            } => {
                let permutations = match permutations {
                    Permutations::One => "one permutation",
                    Permutations::Many => "one permutation per slot",
                };
                format!("MinHash of {slots} slots of {bits} bits, {permutations}")
            }
            SketchBy::Bottom { size } => format!("the {size} smallest elements"),
            SketchBy::Modulo {
                modulus: Modulus::Fixed { level },
            } => format!("one element in {}", 1u64 << level.min(63)),
            SketchBy::Modulo {
                modulus: Modulus::Growing { least },
            } => {
                format!("{least} to {} elements", least.saturating_mul(2))
            }
            SketchBy::Modulo {
                modulus: Modulus::Capped { least, level },
            } => {
                format!(
                    "{least} elements or more, at least one element in {}",
                    1u64 << level.min(63)
                )
            }
            SketchBy::SimHash { bits, features } => {
                let features = match features {
                    Features::Shingles => "shingles",
                    Features::Tokens => "tokens",
                };
                format!("SimHash of {} bits of {features}", bits.bits())
            }
            SketchBy::Sentences { longest, digest } => {
                let digest = match digest {
                    DigestBy::Xxh3 => "XXH3",
                    DigestBy::Md5 => "MD5",
                };
                format!("{digest} of the {longest} longest sentences")
            }
        }
    }

    /// Describes each parameter, always in the same order.
    pub fn described(&self) -> [String; 8] {
        let tokens = match self.tokens {
            TokensBy::Auto => "words by script",
            TokensBy::Words => "words",
            TokensBy::Chars => "characters",
            TokensBy::Jieba => "words by jieba",
            TokensBy::Lines => "lines",
            TokensBy::Items => "items of sets",
        };
        let Folds {
            simplified,
            accents,
            marks,
            digits,
        } = self.folds;
        let folds = [
            (simplified, "simplified"),
            (accents, "accents"),
            (marks, "marks"),
            (digits, "digits"),
        ];
        let folds: Vec<&str> = folds
            .into_iter()
            .filter(|(is_on, _)| *is_on)
            .map(|(_, name)| name)
            .collect();
        let anchors: Vec<String> = self.anchors.iter().map(ToString::to_string).collect();
        let or_none = |list: String| {
            if list.is_empty() {
                "none".to_string()
            } else {
                list
            }
        };
        [
            self.kind(),
            format!("seed {}", self.seed),
            format!("shingles of {} tokens", self.shingle),
            format!("tokens: {tokens}"),
            format!("folds: {}", or_none(folds.join(" "))),
            format!("stop words: {}", or_none(anchors.join(" "))),
            match self.occurrences {
                Occurrences::Once => "repeated shingles count once".into(),
                Occurrences::Labelled => "repeated shingles count each time".into(),
            },
            match self.fingerprint {
                FingerprintBy::Rolling => "rolling fingerprints".into(),
                FingerprintBy::Rabin { degree } => format!("Rabin's fingerprints of {degree} bits"),
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(sketch: SketchBy) -> SketchParameters {
        SketchParameters::new(&Config::default(), sketch).unwrap()
    }

    #[test]
    fn parameters_round_trip_and_unknown_ones_are_refused() {
        for sketch in [
            SketchBy::default(),
            SketchBy::Bottom { size: 64 },
            SketchBy::Modulo {
                modulus: Modulus::Growing { least: 50 },
            },
            SketchBy::SimHash {
                bits: Width::W128,
                features: Features::Tokens,
            },
            SketchBy::Sentences {
                longest: 3,
                digest: DigestBy::Md5,
            },
        ] {
            let written = serde_json::to_string(&parameters(sketch)).unwrap();
            assert_eq!(
                serde_json::from_str::<SketchParameters>(&written).unwrap(),
                parameters(sketch)
            );
            assert!(
                serde_json::from_str::<SketchParameters>(&written.replace("seed", "sead")).is_err()
            );
        }
    }

    #[test]
    fn all_parameters_that_differ_are_named_with_both_values() {
        let (own, mut other) = (
            parameters(SketchBy::default()),
            parameters(SketchBy::Bottom { size: 64 }),
        );
        (other.seed, other.shingle) = (2, 3);
        assert_eq!(
            own.check_like(&other).unwrap_err().to_string(),
            "these sketches cannot be compared: one is MinHash of 128 slots of 32 bits, one permutation, seed 1, shingles of 5 \
             tokens, the other the 64 smallest elements, seed 2, shingles of 3 tokens; sketch both with the same settings"
        );
        assert!(own.check_like(&own.clone()).is_ok());
    }

    #[test]
    fn no_two_parameters_have_the_same_description() {
        let own = parameters(SketchBy::default());
        for other in [
            SketchParameters {
                tokens: TokensBy::Chars,
                ..own.clone()
            },
            SketchParameters {
                folds: Folds {
                    digits: true,
                    ..Folds::default()
                },
                ..own.clone()
            },
            SketchParameters {
                occurrences: Occurrences::Labelled,
                ..own.clone()
            },
            SketchParameters {
                fingerprint: FingerprintBy::Rabin { degree: 64 },
                ..own.clone()
            },
        ] {
            assert_ne!(own.described(), other.described());
        }
    }

    #[test]
    fn impossible_signatures_are_refused() {
        let refused = |slots, bits| {
            let sketch = SketchBy::MinHash {
                slots,
                bits,
                permutations: Permutations::One,
            };
            SketchParameters::new(&Config::default(), sketch)
                .unwrap_err()
                .to_string()
        };
        assert!(refused(0, 32).contains("from 1 to 4096 slots, got 0"));
        assert!(refused(5000, 32).contains("got 5000"));
        assert!(refused(128, 4).contains("8, 16 or 32 bits can be stored, got 4"));
    }
}

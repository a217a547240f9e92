//! Stored sketches: their bytes, what two of them estimate, and their union.

use serde::Serialize;

use super::{
    parameters::{SketchBy, SketchParameters},
    slots::Slots,
};
use crate::{
    config::Features,
    error::{ErrorKind, Result},
    fingerprint::Digest,
    sketch::{
        Bottom, BottomSketch, Estimate, KSentence, MAX_LEVEL, Modulo, ModuloSketch, Modulus,
        SimHash, Width,
    },
};

/// The number of bytes before a sketch of fixed size in a table of sketches. They hold the number of shingles.
pub(crate) const SIZE_BYTES: usize = 4;

/// The number of shingles if it is not known.
pub(crate) const UNKNOWN_SIZE: u32 = u32::MAX;

/// The bytes of an element of a sample.
const ELEMENT: usize = size_of::<u64>();

/// The sketch of a document, without the parameters that it was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSketch {
    /// The number of different shingles; 0 for a text without tokens, and none for a union if it is not known.
    pub shingles: Option<u64>,
    /// The digest of the document, which is the same for exact duplicates; none for the union of different documents.
    pub digest: Option<Digest>,
    /// The sketch. All numbers are little-endian.
    ///
    /// - MinHash: the slots and, for whole slots of one permutation, a bit for each slot whose bin has an element;
    /// - bottom: the elements, in ascending order, eight bytes each;
    /// - modulo: a byte with the level i, where the modulus is 2ⁱ, and the elements, in ascending order, eight bytes each;
    /// - SimHash: the bits of the hash;
    /// - sentences: the digest of the longest sentences, and the digest of the canonical form.
    pub bytes: Vec<u8>,
}

impl StoredSketch {
    /// Returns whether the text has no tokens, so that it resembles nothing.
    pub fn is_empty(&self) -> bool {
        self.shingles == Some(0)
    }
}

/// What two sketches estimate. Each estimate is none if the sketches do not show it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct Comparison {
    /// Whether the two documents are exact duplicates, after normalisation. It is none if the digest of a document is unknown.
    pub same: Option<bool>,
    /// The resemblance.
    pub resemblance: Option<Estimate>,
    /// The share of the first set that is also in the second.
    pub containment_ab: Option<Estimate>,
    /// The share of the second set that is also in the first.
    pub containment_ba: Option<Estimate>,
    /// Whether the longest sentences are the same, if the sketches are digests of longest sentences.
    pub same_sentences: Option<bool>,
}

impl Comparison {
    fn exact(same: Option<bool>, value: f64) -> Self {
        let value = Some(Estimate::exact(value));
        Self {
            same,
            resemblance: value,
            containment_ab: value,
            containment_ba: value,
            same_sentences: None,
        }
    }
}

/// The checked form of [`SketchBy`].
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    MinHash(Slots),
    Bottom(Bottom),
    Modulo(Modulo, Modulus),
    SimHash(SimHash, Features),
    Sentences(KSentence),
}

impl Kind {
    pub(crate) fn new(parameters: &SketchParameters) -> Result<Self> {
        parameters.check()?;
        let seed = parameters.seed;
        Ok(match parameters.sketch {
            SketchBy::MinHash {
                slots,
                bits,
                permutations,
            } => Self::MinHash(Slots::new(slots, bits, permutations, seed)),
            SketchBy::Bottom { size } => Self::Bottom(Bottom::new(size, seed)?),
            SketchBy::Modulo { modulus } => Self::Modulo(Modulo::new(modulus, seed)?, modulus),
            SketchBy::SimHash { bits, features } => {
                Self::SimHash(SimHash::new(bits, seed), features)
            }
            SketchBy::Sentences { longest, digest } => {
                Self::Sentences(KSentence::new(longest, digest)?.folded(parameters.folds))
            }
        })
    }

    /// Returns the number of bytes of each sketch, or none if sketches are samples, whose size depends on the text.
    pub(crate) fn bytes(&self) -> Option<usize> {
        match self {
            Self::MinHash(slots) => Some(slots.bytes()),
            Self::SimHash(simhash, _) => Some(simhash.width().bits() as usize / 8),
            Self::Sentences(_) => Some(2 * size_of::<Digest>()),
            Self::Bottom(_) | Self::Modulo(..) => None,
        }
    }

    /// Checks that bytes are a sketch of this kind.
    pub(crate) fn check(&self, bytes: &[u8]) -> Result<()> {
        let wrong = |what: String| Err(ErrorKind::NotASketch(what).into());
        if let Some(expected) = self.bytes() {
            return if bytes.len() == expected {
                Ok(())
            } else {
                wrong(format!(
                    "{expected} bytes are expected, got {}",
                    bytes.len()
                ))
            };
        }
        let level = level_of(self, bytes);
        let (Some(level), true) = (level, self.sample(bytes).len().is_multiple_of(ELEMENT)) else {
            return wrong(format!("{} bytes are not whole elements", bytes.len()));
        };
        let elements = elements_of(self, bytes);
        let most = if let Self::Bottom(bottom) = self {
            bottom.s()
        } else {
            usize::MAX
        };
        match () {
            () if level > MAX_LEVEL => wrong(format!("the level is {level}")),
            () if elements.len() > most => wrong(format!(
                "at most {most} elements are expected, got {}",
                elements.len()
            )),
            () if !elements.is_sorted_by(|a, b| a < b) => {
                wrong("the elements are not in ascending order".into())
            }
            () if elements
                .iter()
                .any(|element| element.trailing_zeros() < level) =>
            {
                wrong(format!("an element is not divisible by 2^{level}"))
            }
            () => Ok(()),
        }
    }

    /// Returns the bytes of the elements of a sample.
    fn sample<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        if let Self::Modulo(..) = self {
            bytes.get(1..).unwrap_or_default()
        } else {
            bytes
        }
    }
}

/// Returns the level of a stored sample: 0 for a bottom sketch; none if the level is missing.
fn level_of(kind: &Kind, bytes: &[u8]) -> Option<u32> {
    if let Kind::Modulo(..) = kind {
        bytes.first().map(|&level| level.into())
    } else {
        Some(0)
    }
}

/// Returns the elements of a stored sample.
pub(crate) fn elements_of(kind: &Kind, bytes: &[u8]) -> Vec<u64> {
    kind.sample(bytes)
        .as_chunks()
        .0
        .iter()
        .map(|&element| u64::from_le_bytes(element))
        .collect()
}

/// Appends a sample: the level, if the sketch has one, and the elements.
pub(crate) fn put_sample(level: Option<u32>, elements: &[u64], into: &mut Vec<u8>) {
    into.extend(level.map(|level| level as u8));
    into.extend(elements.iter().flat_map(|element| element.to_le_bytes()));
}

/// Returns a SimHash or a digest of at most 16 bytes.
fn number(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u128::from(byte))
}

/// Compares and unites stored sketches that have the same parameters. [`Method::sketching`](crate::Method::sketching) makes them.
#[derive(Debug, Clone)]
pub struct Sketching {
    parameters: SketchParameters,
    kind: Kind,
}

impl Sketching {
    /// Creates the functions for sketches with these parameters.
    ///
    /// # Errors
    /// Fails if the size of the sketch is impossible.
    pub fn new(parameters: &SketchParameters) -> Result<Self> {
        Ok(Self {
            parameters: parameters.clone(),
            kind: Kind::new(parameters)?,
        })
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &SketchParameters {
        &self.parameters
    }

    /// Returns the number of bytes of each sketch, or none if the size depends on the text.
    pub fn bytes(&self) -> Option<usize> {
        self.kind.bytes()
    }

    /// Checks that a sketch can have been made with these parameters.
    ///
    /// # Errors
    /// Fails if the number of bytes is wrong, or if the elements of a sample are not in ascending order or not divisible by its
    /// modulus.
    pub fn check(&self, sketch: &StoredSketch) -> Result<()> {
        self.kind.check(&sketch.bytes)
    }

    /// Estimates how similar two documents are. The resemblance is estimated as by the sketches in [`sketch`](crate::sketch). With
    /// MOD_m sketches, the containments are estimated from the sketches too; with other sketches, they follow from the resemblance
    /// and the numbers of shingles, if these are known. The result is exact for exact duplicates, for texts without tokens, and for
    /// samples that are known to be whole sets. Cost: O(size of the sketches).
    ///
    /// # Errors
    /// Fails if a sketch was not made with these parameters, as far as its bytes show.
    pub fn compare(&self, a: &StoredSketch, b: &StoredSketch) -> Result<Comparison> {
        self.check(a)?;
        self.check(b)?;
        let same = a.digest.zip(b.digest).map(|(a, b)| a == b);
        if a.is_empty() || b.is_empty() {
            return Ok(Comparison {
                same_sentences: self.is_of_sentences().then_some(false),
                ..Comparison::exact(same, 0.0)
            });
        }
        if same == Some(true) {
            return Ok(Comparison {
                same_sentences: self.is_of_sentences().then_some(true),
                ..Comparison::exact(same, 1.0)
            });
        }
        let mut comparison = Comparison {
            same,
            resemblance: None,
            containment_ab: None,
            containment_ba: None,
            same_sentences: None,
        };
        let (of_a, of_b) = (&a.bytes[..], &b.bytes[..]);
        match &self.kind {
            Kind::MinHash(slots) => comparison.resemblance = Some(slots.estimate(of_a, of_b)),
            Kind::Bottom(bottom) => {
                let [a, b] = [of_a, of_b].map(|bytes| self.bottom(*bottom, bytes));
                comparison.resemblance = Some(a.resemblance(&b)?);
            }
            Kind::Modulo(modulo, _) => {
                let [a, b] = [of_a, of_b].map(|bytes| self.modulo(modulo, bytes));
                comparison.resemblance = Some(a.resemblance(&b)?);
                comparison.containment_ab = Some(a.containment(&b)?);
                comparison.containment_ba = Some(b.containment(&a)?);
            }
            Kind::SimHash(simhash, _) => {
                let [a, b] = [of_a, of_b].map(|bytes| simhash.of_bits(number(bytes)));
                comparison.resemblance = Some(a.resemblance(&b)?);
            }
            Kind::Sentences(_) => {
                comparison.same_sentences =
                    Some(of_a[..16] == of_b[..16] || of_a[16..] == of_b[16..]);
            }
        }
        if let (Some(resemblance), Some(size_a), Some(size_b), None) = (
            comparison.resemblance,
            a.shingles,
            b.shingles,
            comparison.containment_ab,
        ) {
            // |A ∩ B| = r / (1 + r) · (|A| + |B|), so containment grows with r.
            let both = (size_a + size_b) as f64;
            let of = |size: u64| {
                Some(resemblance.map(|r| (r / (1.0 + r) * both / size.max(1) as f64).min(1.0)))
            };
            (comparison.containment_ab, comparison.containment_ba) = (of(size_a), of(size_b));
        }
        Ok(comparison)
    }

    fn is_of_sentences(&self) -> bool {
        matches!(self.kind, Kind::Sentences(_))
    }

    fn bottom(&self, bottom: Bottom, bytes: &[u8]) -> BottomSketch {
        BottomSketch::of_sample(bottom, elements_of(&self.kind, bytes))
    }

    fn modulo(&self, modulo: &Modulo, bytes: &[u8]) -> ModuloSketch {
        ModuloSketch::of_elements(
            modulo,
            level_of(&self.kind, bytes).unwrap_or(0),
            elements_of(&self.kind, bytes),
        )
    }

    /// Returns the sketch of the union of two documents' sets. It equals the sketch that would be made of the union itself, with one
    /// exception: for MOD_m sketches whose modulus grows with the set, the union keeps the larger of the two moduli, and the rule
    /// may choose a larger one for the union. Two exact duplicates give the sketch of one of them.
    ///
    /// # Errors
    /// Fails if the sketch of a union does not follow from the sketches: for SimHashes, digests of sentences, and signatures of which
    /// only some bits of each slot are stored. Also fails if a sketch was not made with these parameters, as far as its bytes show.
    pub fn union(&self, a: &StoredSketch, b: &StoredSketch) -> Result<StoredSketch> {
        self.can_unite()?;
        self.check(a)?;
        self.check(b)?;
        if b.is_empty() || a.digest.is_some() && a.digest == b.digest {
            return Ok(a.clone());
        }
        if a.is_empty() {
            return Ok(b.clone());
        }
        let mut union = StoredSketch {
            shingles: None,
            digest: None,
            bytes: Vec::new(),
        };
        match &self.kind {
            Kind::MinHash(slots) => union.bytes = slots.union(&a.bytes, &b.bytes)?,
            Kind::Bottom(bottom) => {
                let both = self
                    .bottom(*bottom, &a.bytes)
                    .merge(&self.bottom(*bottom, &b.bytes))?;
                put_sample(None, both.sample(), &mut union.bytes);
                union.shingles = both.is_whole().then_some(both.sample().len() as u64);
            }
            Kind::Modulo(modulo, _) => {
                let both = self
                    .modulo(modulo, &a.bytes)
                    .merge(&self.modulo(modulo, &b.bytes))?;
                put_sample(Some(both.level()), both.elements(), &mut union.bytes);
                union.shingles = (both.level() == 0).then_some(both.elements().len() as u64);
            }
            Kind::SimHash(..) | Kind::Sentences(_) => {}
        }
        Ok(union)
    }

    /// Checks that sketches with these parameters can be united.
    ///
    /// # Errors
    /// Fails if they cannot; the message has the reason.
    pub fn can_unite(&self) -> Result<()> {
        let why = match &self.kind {
            Kind::MinHash(slots) => return slots.can_unite(),
            Kind::Bottom(_) | Kind::Modulo(..) => return Ok(()),
            Kind::SimHash(..) => "a SimHash has the sign of each sum of votes, not the sum",
            Kind::Sentences(_) => {
                "a digest of sentences has neither the sentences nor their lengths"
            }
        };
        Err(ErrorKind::NoUnion(why.into()).into())
    }

    /// Returns the width, if the sketches are SimHashes.
    pub(super) fn simhash_width(&self) -> Option<Width> {
        if let Kind::SimHash(simhash, _) = &self.kind {
            Some(simhash.width())
        } else {
            None
        }
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }
}

//! The sketcher of stored sketches: makes them from texts, and compares them when pairs are searched for in a file of sketches.
//!
//! In the table of a run, a sketch of fixed size follows the number of shingles, [`SIZE_BYTES`] long. A sample is in the elements, and
//! its fixed part is only the number of shingles.
//!
//! A pair is a candidate if its estimate reaches the threshold and, for signatures, if it shares a band. So a pair of samples is a
//! candidate whenever its estimate reaches the threshold: if a pair of n elements or more must share t · n of them, it shares one of
//! the n − t · n + 1 rarest.

use super::Scratch;
use crate::{
    config::{Bands, Candidates, Config, Features, SimHashBy},
    error::{ErrorKind, Result},
    lsh::{self, Blocks, Curve, Sample, Shape},
    sketch::{self, Modulus, shared_of_least},
    stored::{
        Kind, SIZE_BYTES, SketchParameters, StoredSketch, UNKNOWN_SIZE, elements_of, put_sample,
    },
    text::Text,
    verify::{Measure, Overlap},
};

#[derive(Debug, Clone)]
pub(crate) struct Stored {
    kind: Kind,
    /// How pairs are found; none if sketches are only made.
    finding: Option<Finding>,
}

#[derive(Debug, Clone)]
struct Finding {
    threshold: f64,
    measure: Measure,
    /// The bands of signatures.
    shape: Option<Shape>,
    /// The blocks of SimHashes.
    blocks: Option<Blocks>,
}

impl Stored {
    /// Creates the sketcher that makes sketches.
    pub(super) fn making(parameters: &SketchParameters) -> Result<Self> {
        Ok(Self {
            kind: Kind::new(parameters)?,
            finding: None,
        })
    }

    /// Creates the sketcher that finds pairs of stored sketches, with the threshold and the recall of a configuration.
    pub(super) fn finding(parameters: &SketchParameters, config: &Config) -> Result<Self> {
        let kind = Kind::new(parameters)?;
        let Config {
            threshold,
            recall,
            measure,
            ..
        } = *config;
        Shape::check(threshold, recall)?;
        let refused = match &kind {
            Kind::MinHash(_) => Some("MinHash signatures"),
            Kind::SimHash(..) => Some("SimHashes"),
            Kind::Bottom(_) => Some("samples of the smallest elements"),
            Kind::Modulo(_, Modulus::Growing { .. }) => {
                Some("samples whose modulus grows with the text")
            }
            Kind::Sentences(_) => Some("digests of the longest sentences"),
            Kind::Modulo(..) => None,
        };
        if let (Measure::Containment, Some(kind)) = (measure, refused) {
            return Err(ErrorKind::SketchContainment(kind).into());
        }
        let shape = match (&kind, &config.candidates) {
            (
                Kind::MinHash(slots),
                Candidates::Bands(Bands {
                    bands: Some(bands),
                    rows: Some(rows),
                    ..
                }),
            ) => {
                if bands.saturating_mul(*rows) > slots.slots() {
                    let (bands, rows, slots) = (*bands, *rows, slots.slots());
                    return Err(ErrorKind::ShortSignatures { bands, rows, slots }.into());
                }
                Some(Shape::given(*bands, *rows, threshold, recall)?)
            }
            (_, Candidates::Bands(Bands { bands, rows, .. }))
                if bands.is_some() != rows.is_some() =>
            {
                return Err(ErrorKind::HalfShape.into());
            }
            (Kind::MinHash(slots), _) => Some(Shape::within(slots.slots(), threshold, recall)?),
            _ => None,
        };
        let blocks = match (&kind, &config.candidates) {
            (Kind::SimHash(simhash, features), candidates) => {
                let asked = match candidates {
                    Candidates::SimHash(SimHashBy {
                        distance, blocks, ..
                    }) => (*distance, *blocks),
                    _ => (None, None),
                };
                if asked.0.is_none() && *features == Features::Tokens {
                    return Err(ErrorKind::TokensDistance.into());
                }
                let distance = asked
                    .0
                    .unwrap_or_else(|| sketch::distance_at(threshold, simhash.width()));
                Some(Blocks::new(
                    simhash.width(),
                    distance,
                    asked.1.unwrap_or(distance + 1),
                )?)
            }
            _ => None,
        };
        Ok(Self {
            kind,
            finding: Some(Finding {
                threshold,
                measure,
                shape,
                blocks,
            }),
        })
    }

    /// Returns the kind of candidates that sketches of this kind have.
    pub(super) fn candidates(&self, config: &Config) -> Candidates {
        let given = config.candidates.clone();
        match (&self.kind, &given) {
            (Kind::MinHash(_), Candidates::Bands(_))
            | (Kind::Bottom(_) | Kind::Modulo(..), Candidates::Shared(_)) => given,
            (Kind::MinHash(_), _) => Bands::default().into(),
            (Kind::Bottom(_) | Kind::Modulo(..), _) => Candidates::Shared(Default::default()),
            (Kind::SimHash(simhash, features), Candidates::SimHash(by)) => SimHashBy {
                bits: simhash.width(),
                features: *features,
                ..*by
            }
            .into(),
            (Kind::SimHash(simhash, features), _) => SimHashBy {
                bits: simhash.width(),
                features: *features,
                ..SimHashBy::default()
            }
            .into(),
            (Kind::Sentences(_), _) => Candidates::Sentences(Default::default()),
        }
    }

    pub(super) fn shape(&self) -> Option<Shape> {
        self.finding.as_ref()?.shape
    }

    fn blocks(&self) -> Option<&Blocks> {
        self.finding.as_ref()?.blocks.as_ref()
    }

    /// Returns the number of bits, and the number of bits that may differ, if the sketches are SimHashes of shingles.
    pub(super) fn simhash(&self) -> Option<(sketch::Width, u32)> {
        match &self.kind {
            Kind::SimHash(simhash, Features::Shingles) => {
                Some((simhash.width(), self.blocks()?.distance()))
            }
            _ => None,
        }
    }

    pub(super) fn found_by(&self) -> String {
        match &self.kind {
            Kind::MinHash(_) => self.shape().map_or(String::new(), |shape| {
                let Curve { bands, rows } = shape.curve();
                format!("{bands} bands of {rows} rows of the stored signatures")
            }),
            Kind::Bottom(_) | Kind::Modulo(..) => "shared elements of the stored samples".into(),
            Kind::SimHash(..) => self.blocks().map_or(String::new(), |blocks| {
                let (distance, bits, tables) =
                    (blocks.distance(), blocks.width().bits(), blocks.tables());
                format!(
                    "stored SimHashes that may differ in {distance} of {bits} bits, {tables} tables"
                )
            }),
            Kind::Sentences(sentences) => format!(
                "stored digests of the {} longest sentences",
                sentences.sentences()
            ),
        }
    }

    pub(super) fn columns(&self) -> usize {
        match (&self.finding, &self.kind) {
            (
                Some(Finding {
                    shape: Some(shape), ..
                }),
                _,
            ) => shape.curve().bands,
            (
                Some(Finding {
                    blocks: Some(blocks),
                    ..
                }),
                _,
            ) => blocks.tables(),
            (Some(_), Kind::Sentences(_)) => 2,
            _ => 0,
        }
    }

    pub(super) fn stride(&self) -> usize {
        SIZE_BYTES + self.kind.bytes().unwrap_or(0)
    }

    /// Makes the sketch of the text whose fingerprints are in `scratch`.
    pub(super) fn sketch(&self, text: Text, scratch: &mut Scratch) {
        scratch.bits.extend([0; SIZE_BYTES]);
        // The votes of a SimHash depend on how often a shingle occurs, so they are counted before the fingerprints become a set.
        if let Kind::SimHash(simhash, features) = &self.kind {
            let hash = simhash.hash(match features {
                Features::Shingles => &scratch.fingerprints,
                Features::Tokens => &scratch.token_hashes,
            });
            scratch
                .bits
                .extend_from_slice(&hash.to_le_bytes()[..simhash.width().bits() as usize / 8]);
        }
        scratch.make_set();
        match &self.kind {
            Kind::MinHash(slots) => {
                let mut bits = std::mem::take(&mut scratch.bits);
                slots.put(&scratch.fingerprints, &mut scratch.slots, &mut bits);
                scratch.bits = bits;
            }
            Kind::Bottom(bottom) => scratch
                .elements
                .extend_from_slice(bottom.sketch(&scratch.fingerprints).sample()),
            Kind::Modulo(modulo, _) => {
                scratch.level = modulo.sample(&scratch.fingerprints, &mut scratch.elements)
            }
            Kind::SimHash(..) => {}
            Kind::Sentences(sentences) => {
                let (whole, empty) = (scratch.digest, scratch.token_hashes.is_empty());
                let text = text.decode(&mut scratch.plain);
                let longest = sentences.digest(text, &mut scratch.tokens).unwrap_or(whole);
                for digest in [longest, whole] {
                    scratch.bits.extend(digest.to_le_bytes());
                }
                if !empty {
                    scratch.digest =
                        crate::fingerprint::DigestBy::Xxh3.digest(&scratch.bits[SIZE_BYTES..]);
                }
            }
        }
        let size = (scratch.fingerprints.len() as u64).min(u64::from(UNKNOWN_SIZE) - 1) as u32;
        scratch.bits[..SIZE_BYTES].copy_from_slice(&size.to_le_bytes());
        self.put_keys(scratch);
    }

    /// Returns the sketch that [`sketch`](Self::sketch) left in `scratch`.
    pub(super) fn stored(&self, scratch: &Scratch) -> StoredSketch {
        let mut sketch = StoredSketch {
            shingles: None,
            digest: Some(scratch.digest),
            bytes: Vec::new(),
        };
        let (size, fixed) = scratch.bits.split_at(SIZE_BYTES);
        sketch.shingles = known(size);
        self.put_stored(
            fixed,
            Sample {
                level: scratch.level,
                elements: &scratch.elements,
            },
            &mut sketch.bytes,
        );
        sketch
    }

    /// Appends the bytes of a stored sketch, from its fixed-size part without the number of shingles, and its sample.
    pub(super) fn put_stored(&self, fixed: &[u8], sample: Sample, into: &mut Vec<u8>) {
        into.extend_from_slice(fixed);
        match &self.kind {
            Kind::Bottom(_) => put_sample(None, sample.elements, into),
            Kind::Modulo(..) => put_sample(Some(sample.level), sample.elements, into),
            _ => {}
        }
    }

    /// Checks that the bytes of a sketch are of this kind.
    pub(super) fn check(&self, sketch: &StoredSketch) -> Result<()> {
        self.kind.check(&sketch.bytes)
    }

    /// Fills `scratch` as [`sketch`](Self::sketch) would, from a stored sketch whose bytes were checked. The digest is left as it is.
    pub(super) fn restore(&self, sketch: &StoredSketch, scratch: &mut Scratch) {
        scratch.keys.clear();
        scratch.bits.clear();
        scratch.elements.clear();
        scratch.level = 0;
        let size = sketch.shingles.map_or(UNKNOWN_SIZE, |size| {
            size.min(u64::from(UNKNOWN_SIZE) - 1) as u32
        });
        scratch.bits.extend(size.to_le_bytes());
        match &self.kind {
            Kind::Bottom(_) => scratch.elements = elements_of(&self.kind, &sketch.bytes),
            Kind::Modulo(..) => {
                scratch.level = sketch.bytes.first().map_or(0, |&level| level.into());
                scratch.elements = elements_of(&self.kind, &sketch.bytes);
            }
            Kind::MinHash(_) | Kind::SimHash(..) | Kind::Sentences(_) => {
                scratch.bits.extend_from_slice(&sketch.bytes)
            }
        }
        self.put_keys(scratch);
    }

    /// Computes the keys of the sketch in `scratch.bits`.
    fn put_keys(&self, scratch: &mut Scratch) {
        let Some(finding) = &self.finding else { return };
        let fixed = &scratch.bits[SIZE_BYTES..];
        match &self.kind {
            Kind::MinHash(slots) => {
                slots.numbers(fixed, &mut scratch.slots);
                scratch.keys.extend(
                    finding
                        .shape
                        .iter()
                        .flat_map(|shape| lsh::band_keys(&scratch.slots, shape.curve())),
                );
            }
            Kind::SimHash(..) => {
                let hash = hash(fixed);
                scratch
                    .keys
                    .extend(finding.blocks.iter().flat_map(|blocks| blocks.keys(hash)));
            }
            Kind::Sentences(_) => {
                let key =
                    |digest: &[u8]| (crate::fingerprint::finish(hash(digest) as u64) >> 32) as u32;
                scratch.keys.extend(fixed.chunks(16).map(key));
            }
            Kind::Bottom(_) | Kind::Modulo(..) => {}
        }
    }

    #[inline]
    pub(super) fn agree(&self, a: &[u8], b: &[u8]) -> bool {
        let (a, b) = (&a[SIZE_BYTES..], &b[SIZE_BYTES..]);
        match (&self.kind, &self.finding) {
            (Kind::MinHash(slots), Some(finding)) => slots.resemblance(a, b) >= finding.threshold,
            (
                Kind::SimHash(..),
                Some(Finding {
                    blocks: Some(blocks),
                    ..
                }),
            ) => distance(a, b) <= blocks.distance(),
            (Kind::Sentences(_), _) => a[..16] == b[..16] || a[16..] == b[16..],
            _ => true,
        }
    }

    pub(super) fn same(&self, a: &[u8], b: &[u8]) -> Option<bool> {
        matches!(self.kind, Kind::Sentences(_))
            .then(|| a[SIZE_BYTES + 16..] == b[SIZE_BYTES + 16..])
    }

    pub(super) fn estimates(&self) -> bool {
        !matches!(self.kind, Kind::Sentences(_))
    }

    pub(super) fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        let (a, b) = (&a[SIZE_BYTES..], &b[SIZE_BYTES..]);
        match &self.kind {
            Kind::MinHash(slots) => slots.resemblance(a, b),
            Kind::SimHash(simhash, _) => sketch::resemblance_at(distance(a, b), simhash.width()),
            _ => 1.0,
        }
    }

    pub(super) fn keeps_samples(&self) -> bool {
        matches!(self.kind, Kind::Bottom(_) | Kind::Modulo(..))
    }

    pub(super) fn estimate_samples(&self, measure: Measure, a: Sample, b: Sample) -> f64 {
        if let Kind::Bottom(bottom) = &self.kind {
            // Samples with fewer than s elements are whole sets, see `BottomSketch::of_sample`.
            let whole = a.elements.len() < bottom.s() && b.elements.len() < bottom.s();
            let (shared, union) = shared_of_least(
                a.elements,
                b.elements,
                if whole { usize::MAX } else { bottom.s() },
            );
            return shared as f64 / union.max(1) as f64;
        }
        let level = a.level.max(b.level);
        measure.of(Overlap {
            shared: a.shared(b),
            a: a.count(level) as u64,
            b: b.count(level) as u64,
        })
    }

    pub(super) fn share_enough(&self, a: Sample, b: Sample) -> bool {
        let Some(Finding {
            threshold, measure, ..
        }) = self.finding
        else {
            return true;
        };
        let reaches = |a, b| self.estimate_samples(measure, a, b) >= threshold;
        reaches(a, b) || measure == Measure::Containment && reaches(b, a)
    }

    pub(super) fn least_shared(&self, n: usize) -> usize {
        let threshold = self
            .finding
            .as_ref()
            .map_or(0.0, |finding| finding.threshold);
        // An estimate that is computed as exactly the threshold reaches it, so the product is not rounded up by its own error.
        ((threshold * n as f64 - 1e-9).ceil() as usize).clamp(1, n.max(1))
    }

    pub(super) fn highest_level(&self) -> u32 {
        if let Kind::Modulo(_, modulus) = &self.kind {
            modulus.highest()
        } else {
            0
        }
    }

    pub(super) fn finds_parts(&self) -> bool {
        self.keeps_samples()
            && self
                .finding
                .as_ref()
                .is_some_and(|finding| finding.measure == Measure::Containment)
    }

    /// Returns whether the estimate decides whether a pair is similar, and not only the test of candidates.
    pub(super) fn decides_by_estimate(&self) -> bool {
        !matches!(self.kind, Kind::SimHash(..) | Kind::Sentences(_))
    }
}

/// Returns a number of shingles, if it is known.
pub(super) fn known(size: &[u8]) -> Option<u64> {
    let size = size
        .first_chunk()
        .map_or(UNKNOWN_SIZE, |&size| u32::from_le_bytes(size));
    (size != UNKNOWN_SIZE).then_some(size.into())
}

/// Returns a hash of at most 16 bytes.
#[inline]
fn hash(bytes: &[u8]) -> u128 {
    let mut whole = [0; 16];
    whole[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(whole)
}

#[inline]
fn distance(a: &[u8], b: &[u8]) -> u32 {
    (hash(a) ^ hash(b)).count_ones()
}

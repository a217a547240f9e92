//! The sketch of a document and the comparison of two sketches, for each kind of candidates.

use super::{Scratch, stored::Stored};
use crate::{
    config::{Bands, Candidates, Cluster, Config, Features, Permutations, Shared, SimHashBy},
    error::{ErrorKind, Result},
    fingerprint::{Digest, DigestBy, finish, sort_distinct},
    lsh::{self, Against, Blocks, Curve, DEFAULT_SLOTS, Sample, Shape, Sharing},
    simd::Simd,
    sketch::{
        self, BITS_SLOTS, Bits, Bottom, KSentence, MinHash, Modulo, Modulus, OnePermutation,
        SimHash,
    },
    text::Text,
    verify::{Measure, Overlap},
};

/// The checked form of [`Candidates`].
#[derive(Debug, Clone)]
pub(crate) enum Sketcher {
    Bands {
        shape: Shape,
        minhash: Family,
        /// The minimum number of slots that are equal in the b-bit sketches of two candidates.
        floor: u32,
    },
    Shared {
        sharing: Sharing,
        modulo: Modulo,
        /// The number of elements per super-shingle, if candidates are pairs that share super-shingles.
        run: Option<usize>,
    },
    SimHash {
        simhash: SimHash,
        features: Features,
        blocks: Blocks,
    },
    Sentences(KSentence),
    /// The s least fingerprints, for greedy clusters.
    Bottom(Bottom),
    /// Sketches that are stored without the texts.
    Stored(Stored),
    /// No sketch: only digests or whole sets are compared.
    Nothing,
}

/// The family of hash functions for MinHash signatures.
#[derive(Debug, Clone)]
pub(crate) enum Family {
    Many(MinHash),
    One(OnePermutation),
}

/// A lower bound of the average number of elements in the union of the samples of two similar large texts. The length of
/// super-shingles is chosen for this number.
const SAMPLED: usize = 50;

impl Sketcher {
    pub(crate) fn new(config: &Config) -> Result<Self> {
        if let Cluster::Greedy(by) = config.cluster {
            return if config.candidates == Candidates::default() {
                Ok(Self::Bottom(Bottom::new(by.sample, config.seed)?))
            } else {
                Err(ErrorKind::GreedyFinds.into())
            };
        }
        Ok(match &config.candidates {
            Candidates::Bands(asked) => {
                let shape = shape(asked, config)?;
                let Curve { bands, rows } = shape.curve();
                let slots = (bands * rows).max(DEFAULT_SLOTS).max(BITS_SLOTS);
                let minhash = match asked.permutations {
                    Permutations::Many => Family::Many(MinHash::new(slots, config.seed)),
                    Permutations::One => Family::One(OnePermutation::new(slots, config.seed)),
                };
                Self::Bands {
                    shape,
                    minhash,
                    floor: sketch::agreement_floor(config.threshold),
                }
            }
            Candidates::Shared(asked) => shared(asked, config)?,
            Candidates::SimHash(SimHashBy {
                bits,
                features,
                distance,
                blocks,
            }) => {
                if distance.is_none() && *features == Features::Tokens {
                    return Err(ErrorKind::TokensDistance.into());
                }
                let distance =
                    distance.unwrap_or_else(|| sketch::distance_at(config.threshold, *bits));
                let blocks = Blocks::new(*bits, distance, blocks.unwrap_or(distance + 1))?;
                Self::SimHash {
                    simhash: SimHash::new(*bits, config.seed),
                    features: *features,
                    blocks,
                }
            }
            Candidates::Sentences(asked) => {
                Self::Sentences(KSentence::new(asked.longest, asked.digest)?.folded(config.folds))
            }
            Candidates::Exact | Candidates::All => Self::Nothing,
        })
    }

    pub(crate) fn shape(&self) -> Option<Shape> {
        match self {
            Self::Stored(stored) => stored.shape(),
            Self::Bands { shape, .. } => Some(*shape),
            _ => None,
        }
    }

    pub(crate) fn sharing(&self) -> Option<(&Sharing, Option<usize>)> {
        match self {
            Self::Shared { sharing, run, .. } => Some((sharing, *run)),
            _ => None,
        }
    }

    pub(crate) fn found_by(&self) -> String {
        let sampled = |sharing: &Sharing| match sharing.modulus() {
            Modulus::Fixed { level } => format!("one shingle in {} sampled", 1u64 << level),
            Modulus::Capped { level, .. } => {
                format!("one shingle in {} sampled in long texts", 1u64 << level)
            }
            Modulus::Growing { least } => {
                format!("{least} to {} shingles sampled in a long text", 2 * least)
            }
        };
        match self {
            Self::Stored(stored) => stored.found_by(),
            Self::Bands { shape, .. } => {
                let Curve { bands, rows } = shape.curve();
                format!("{bands} bands of {rows} rows")
            }
            Self::Shared {
                sharing,
                run: Some(run),
                ..
            } => format!("super-shingles of {run}; {}", sampled(sharing)),
            Self::Shared {
                sharing, run: None, ..
            } => sampled(sharing),
            Self::SimHash { blocks, .. } => {
                format!(
                    "SimHashes that may differ in {} of {} bits, {} tables",
                    blocks.distance(),
                    blocks.width().bits(),
                    blocks.tables()
                )
            }
            Self::Sentences(sentences) => {
                format!("the {} longest sentences", sentences.sentences())
            }
            Self::Bottom(_) | Self::Nothing => String::new(),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::Stored(stored) => stored.columns(),
            Self::Bands { shape, .. } => shape.curve().bands,
            Self::SimHash { blocks, .. } => blocks.tables(),
            Self::Sentences(_) => 2,
            Self::Shared { .. } | Self::Bottom(_) | Self::Nothing => 0,
        }
    }

    pub(crate) fn stride(&self) -> usize {
        match self {
            Self::Stored(stored) => stored.stride(),
            Self::Bands { .. } => BITS_SLOTS,
            Self::SimHash { .. } => size_of::<u128>(),
            Self::Sentences(_) => 2 * size_of::<Digest>(),
            Self::Shared { .. } | Self::Bottom(_) | Self::Nothing => 0,
        }
    }

    pub(crate) fn sketch(&self, simd: Simd, text: Text, scratch: &mut Scratch) {
        scratch.keys.clear();
        scratch.bits.clear();
        scratch.elements.clear();
        scratch.level = 0;
        match self {
            Self::Stored(stored) => stored.sketch(text, scratch),
            Self::Bands { shape, minhash, .. } => {
                match minhash {
                    Family::Many(minhash) => {
                        minhash.minima(&scratch.fingerprints, &mut scratch.slots)
                    }
                    Family::One(minhash) => {
                        minhash.minima(&scratch.fingerprints, &mut scratch.slots)
                    }
                }
                scratch
                    .keys
                    .extend(lsh::band_keys(&scratch.slots, shape.curve()));
                scratch
                    .bits
                    .extend_from_slice(&sketch::bits_by(simd, &scratch.slots));
            }
            Self::Shared { modulo, run, .. } => {
                sort_distinct(&mut scratch.fingerprints);
                scratch.level = modulo.sample(&scratch.fingerprints, &mut scratch.elements);
                if let Some(run) = run {
                    let sample = std::mem::take(&mut scratch.elements);
                    lsh::super_shingles(
                        Sample {
                            level: scratch.level,
                            elements: &sample,
                        },
                        *run,
                        &mut scratch.elements,
                    );
                    scratch.level = 0;
                }
            }
            Self::SimHash {
                simhash,
                features,
                blocks,
            } => {
                let hash = simhash.hash(match features {
                    Features::Shingles => &scratch.fingerprints,
                    Features::Tokens => &scratch.token_hashes,
                });
                scratch.keys.extend(blocks.keys(hash));
                scratch.bits.extend(hash.to_le_bytes());
            }
            Self::Sentences(sentences) => {
                let (whole, empty) = (scratch.digest, scratch.token_hashes.is_empty());
                let text = text.decode(&mut scratch.plain);
                let longest = sentences.digest(text, &mut scratch.tokens).unwrap_or(whole);
                for digest in [longest, whole] {
                    scratch.keys.push((finish(digest as u64) >> 32) as u32);
                    scratch.bits.extend(digest.to_le_bytes());
                }
                // Texts with equal canonical forms may be divided into different sentences. So two documents are copies only if
                // both digests are equal: the digest of the canonical form and the digest of the longest sentences.
                if !empty {
                    scratch.digest = DigestBy::Xxh3.digest(&scratch.bits);
                }
            }
            Self::Bottom(bottom) => {
                scratch
                    .elements
                    .extend_from_slice(bottom.sketch(&scratch.fingerprints).sample());
            }
            Self::Nothing => {}
        }
    }

    #[inline]
    pub(crate) fn agree(&self, a: &[u8], b: &[u8]) -> bool {
        match self {
            Self::Stored(stored) => stored.agree(a, b),
            // A pair at the threshold fails this test with a probability of at most 10⁻⁹.
            Self::Bands { floor, .. } => sketch::agreement(slots(a), slots(b)) >= *floor,
            Self::SimHash { blocks, .. } => distance(a, b) <= blocks.distance(),
            Self::Sentences(_) => {
                number(&a[..16]) == number(&b[..16]) || number(&a[16..]) == number(&b[16..])
            }
            Self::Shared { .. } | Self::Bottom(_) | Self::Nothing => true,
        }
    }

    /// Returns whether two documents with these digests and sketches have the same canonical form.
    pub(crate) fn same(&self, a: (Digest, &[u8]), b: (Digest, &[u8])) -> bool {
        match self {
            Self::Stored(stored) => stored.same(a.1, b.1).unwrap_or(a.0 == b.0),
            Self::Sentences(_) => number(&a.1[16..]) == number(&b.1[16..]),
            _ => a.0 == b.0,
        }
    }

    /// Returns whether sketches estimate how similar two documents are, and not only whether they are similar.
    pub(crate) fn estimates(&self) -> bool {
        match self {
            Self::Stored(stored) => stored.estimates(),
            _ => !matches!(self, Self::Sentences(_)),
        }
    }

    pub(crate) fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        match self {
            Self::Stored(stored) => stored.estimate(a, b),
            Self::Bands { .. } => {
                sketch::agreement_resemblance(sketch::agreement(slots(a), slots(b)))
            }
            Self::SimHash { simhash, .. } => {
                sketch::resemblance_at(distance(a, b), simhash.width())
            }
            Self::Shared { .. } | Self::Sentences(_) | Self::Bottom(_) | Self::Nothing => 1.0,
        }
    }

    /// Returns whether candidates are pairs that share sampled elements.
    pub(crate) fn keeps_samples(&self) -> bool {
        match self {
            Self::Stored(stored) => stored.keeps_samples(),
            _ => matches!(self, Self::Shared { .. } | Self::Bottom(_)),
        }
    }

    /// Returns Broder's estimate from two samples (section 3 of the 1997 paper): the share of shared elements. For bottom-s
    /// samples, the share is counted among the s least elements of their union; for MOD_m samples, it is counted among the
    /// elements that the larger modulus divides.
    pub(crate) fn estimate_samples(&self, measure: Measure, a: Sample, b: Sample) -> f64 {
        if let Self::Stored(stored) = self {
            return stored.estimate_samples(measure, a, b);
        }
        if let Self::Bottom(bottom) = self {
            let (shared, union) = sketch::shared_of_least(a.elements, b.elements, bottom.s());
            return shared as f64 / union.max(1) as f64;
        }
        let level = a.level.max(b.level);
        measure.of(Overlap {
            shared: a.shared(b),
            a: a.count(level) as u64,
            b: b.count(level) as u64,
        })
    }

    pub(crate) fn share_enough(&self, a: Sample, b: Sample) -> bool {
        match self {
            Self::Stored(stored) => stored.share_enough(a, b),
            Self::Shared {
                sharing, run: None, ..
            } => sharing.is_candidate(a, b),
            _ => true,
        }
    }

    pub(crate) fn least_shared(&self, n: usize) -> usize {
        match self {
            Self::Stored(stored) => stored.least_shared(n),
            Self::Shared {
                sharing, run: None, ..
            } => sharing.least(n),
            _ => 1,
        }
    }

    pub(crate) fn highest_level(&self) -> u32 {
        match self {
            Self::Stored(stored) => stored.highest_level(),
            Self::Shared {
                sharing, run: None, ..
            } => sharing.modulus().highest(),
            _ => 0,
        }
    }

    /// Returns whether a candidate pair may consist of a document and a part of it. Nearly all elements of the part are then in
    /// the other document, which may have any number of elements.
    pub(crate) fn finds_parts(&self) -> bool {
        match self {
            Self::Stored(stored) => stored.finds_parts(),
            _ => {
                matches!(self, Self::Shared { sharing, .. } if sharing.against() == Against::Smaller)
            }
        }
    }
}

/// Returns a stored b-bit sketch.
#[inline]
#[expect(
    clippy::expect_used,
    reason = "a stored sketch has the method's stride"
)]
fn slots(bits: &[u8]) -> &Bits {
    bits.first_chunk().expect("a b-bit sketch of 128 slots")
}

/// Returns a stored hash of 128 bits.
#[inline]
#[expect(
    clippy::expect_used,
    reason = "a stored sketch has the method's stride"
)]
fn number(bits: &[u8]) -> u128 {
    u128::from_le_bytes(*bits.first_chunk().expect("a hash of 16 bytes"))
}

#[inline]
fn distance(a: &[u8], b: &[u8]) -> u32 {
    (number(a) ^ number(b)).count_ones()
}

fn shape(asked: &Bands, config: &Config) -> Result<Shape> {
    match (asked.bands, asked.rows) {
        (None, None) => Shape::choose(config.threshold, config.recall),
        (Some(bands), Some(rows)) => Shape::given(bands, rows, config.threshold, config.recall),
        _ => Err(ErrorKind::HalfShape.into()),
    }
}

fn shared(asked: &Shared, config: &Config) -> Result<Sketcher> {
    let Config {
        measure,
        threshold,
        recall,
        seed,
        ..
    } = *config;
    let against = match measure {
        Measure::Resemblance => Against::Union,
        Measure::Containment => Against::Smaller,
    };
    if asked.common == 0 {
        return Err(ErrorKind::Common.into());
    }
    if asked.super_shingles && threshold < 0.5 {
        return Err(ErrorKind::SuperThreshold(threshold).into());
    }
    // If one shared super-shingle makes a pair a candidate, there is no minimum number of shared elements, so a given modulus is
    // not checked against the recall.
    let of_elements = if asked.super_shingles && asked.modulus.is_some() {
        f64::MIN_POSITIVE
    } else {
        recall
    };
    let sharing = Sharing::new(against, threshold, of_elements, asked.modulus)?;
    let modulo = Modulo::new(sharing.modulus(), seed)?;
    let most = || lsh::longest_run(SAMPLED, threshold, recall);
    let run = match (asked.super_shingles, asked.run) {
        (true, Some(run)) => {
            let found = if run == 0 {
                0.0
            } else {
                lsh::shares_run_of_mean(SAMPLED, threshold, run)
            };
            if found < recall {
                return Err(ErrorKind::Run {
                    run,
                    found,
                    recall,
                    threshold,
                    most: most(),
                }
                .into());
            }
            Some(run)
        }
        (true, None) => Some(most()),
        (false, _) => None,
    };
    Ok(Sketcher::Shared {
        sharing,
        modulo,
        run,
    })
}

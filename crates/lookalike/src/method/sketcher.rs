//! What each way of finding candidates keeps of a document, and what it says of two.

use super::Scratch;
use crate::{
    config::{Bands, Candidates, Config},
    error::{ErrorKind, Result},
    lsh::{self, Curve, DEFAULT_SLOTS, Shape},
    sketch::{self, BITS_SLOTS, Bits, MinHash},
};

/// The checked form of [`Candidates`].
#[derive(Debug, Clone)]
pub(super) enum Sketcher {
    Bands {
        shape: Shape,
        minhash: MinHash,
        /// Slots of the b-bit sketch in which candidates agree at least.
        floor: u32,
    },
    /// Digests alone, or whole sets: no sketch.
    Nothing,
}

impl Sketcher {
    pub(super) fn new(config: &Config) -> Result<Self> {
        Ok(match &config.candidates {
            Candidates::Bands(asked) => {
                let shape = shape(asked, config)?;
                let Curve { bands, rows } = shape.curve();
                let minhash = MinHash::new((bands * rows).max(DEFAULT_SLOTS).max(BITS_SLOTS), config.seed);
                Self::Bands { shape, minhash, floor: sketch::agreement_floor(config.threshold) }
            }
            Candidates::Exact | Candidates::All => Self::Nothing,
        })
    }

    pub(super) fn shape(&self) -> Option<Shape> {
        match self {
            Self::Bands { shape, .. } => Some(*shape),
            Self::Nothing => None,
        }
    }

    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Bands { shape, .. } => shape.curve().bands,
            Self::Nothing => 0,
        }
    }

    pub(super) fn stride(&self) -> usize {
        match self {
            Self::Bands { .. } => BITS_SLOTS,
            Self::Nothing => 0,
        }
    }

    pub(super) fn sketch(&self, scratch: &mut Scratch) {
        scratch.keys.clear();
        scratch.bits.clear();
        match self {
            Self::Bands { shape, minhash, .. } => {
                minhash.minima(&scratch.fingerprints, &mut scratch.slots);
                scratch.keys.extend(lsh::band_keys(&scratch.slots, shape.curve()));
                scratch.bits.extend(sketch::bits(&scratch.slots));
            }
            Self::Nothing => {}
        }
    }

    #[inline]
    pub(super) fn agree(&self, a: &[u8], b: &[u8]) -> bool {
        match self {
            // A pair at the threshold fails this once in 10⁹.
            Self::Bands { floor, .. } => sketch::agreement(slots(a), slots(b)) >= *floor,
            Self::Nothing => true,
        }
    }

    pub(super) fn estimate(&self, a: &[u8], b: &[u8]) -> f64 {
        match self {
            Self::Bands { .. } => sketch::agreement_resemblance(sketch::agreement(slots(a), slots(b))),
            Self::Nothing => 1.0,
        }
    }
}

/// A stored b-bit sketch.
#[inline]
fn slots(bits: &[u8]) -> &Bits {
    bits.first_chunk().expect("a b-bit sketch of 128 slots")
}

fn shape(asked: &Bands, config: &Config) -> Result<Shape> {
    match (asked.bands, asked.rows) {
        (None, None) => Shape::choose(config.threshold, config.recall),
        (Some(bands), Some(rows)) => Shape::given(bands, rows, config.threshold, config.recall),
        _ => Err(ErrorKind::HalfShape.into()),
    }
}

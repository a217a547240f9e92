//! Small summaries of sets. A sketch holds its parameters and seed, and comparing sketches with different parameters or seeds is
//! an error. A sketch does not know what the elements of the sets are (tokens, shingles).

#[cfg(feature = "engine")]
pub mod binomial;
#[cfg(not(feature = "engine"))]
pub(crate) mod binomial;

mod angle;

mod estimate;

mod bbit;

mod matrix;

mod sentences;

mod signature;

mod minhash;

mod oneperm;

mod simhash;

pub mod size;

mod sketches;

mod sorted;

mod modulo;

mod bottom;

pub use angle::{
    Width, cosine_of_resemblance, differing_share, distance_at, resemblance_at,
    resemblance_of_cosine, within_distance,
};
pub(crate) use bbit::bits_by;
pub use bbit::{BITS_SLOTS, Bits, agreement, agreement_estimate, bits};
pub use bottom::{Bottom, BottomSampler, BottomSketch};
pub use estimate::Estimate;
pub use minhash::MinHash;
pub use modulo::{MAX_LEVEL, Modulo, ModuloSketch, Modulus};
pub use oneperm::OnePermutation;
pub use sentences::{KSentence, KSentenceSketch};
pub use signature::Signature;
pub use simhash::{SimHash, SimHashSketch};
for_engine!(pub use self::{
    angle::{differing_share_of, within_distance_of},
    bbit::{agreement_floor, agreement_resemblance},
    matrix::{SignatureMatrix, linear_hash},
    sketches::Sketches,
    sorted::shared_of_least,
});

#[cfg(test)]
mod trials;

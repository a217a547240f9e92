//! Set → small summary. A signature carries its length and seed; unlike ones refuse each other. What the sets were made of
//! (tokens, shingles) a signature does not know.

mod bbit;
mod estimate;
mod minhash;
mod sketches;

pub use bbit::{BITS_SLOTS, Bits, agreement, agreement_floor, agreement_resemblance, bits};
pub use estimate::Estimate;
pub use minhash::{MinHash, Signature};
pub use sketches::Sketches;

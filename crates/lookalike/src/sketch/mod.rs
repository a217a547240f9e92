//! Set → small summary. A sketch carries its parameters and seed; unlike sketches refuse each other.

mod bbit;
mod estimate;
mod minhash;

pub use bbit::{BITS_SLOTS, Bits, agreement, agreement_floor, agreement_resemblance, bits};
pub use estimate::Estimate;
pub use minhash::{MinHash, Signature};

//! The core's sketches. A factory holds the settings of texts and sketches; a sketch holds what a comparison needs.

mod estimate;

mod bottom;

mod minhash;

mod modulo;

mod simhash;

pub use bottom::{Bottom, BottomSketch};
pub use estimate::Estimate;
pub use minhash::{MinHash, Signature};
pub use modulo::{Modulo, ModuloSketch};
pub use simhash::{SimHash, SimHashSketch};

/// Returns whether the numbers are strictly ascending.
fn ascends(numbers: &[u64]) -> bool {
    numbers.is_sorted_by(|a, b| a < b)
}

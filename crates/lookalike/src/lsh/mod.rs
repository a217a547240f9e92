//! Summaries → candidates: banding and its S-curve (*Mining of Massive Datasets*, section 3.4), blocks for Hamming distance,
//! shared fingerprints counted.

mod bands;
mod curve;
mod hamming;
mod promise;
mod shape;
mod shared;
mod sharing;
mod super_shingles;
mod table;

pub use bands::band_keys;
pub use curve::{Curve, MAX_SLOTS};
pub use hamming::{Blocks, MAX_TABLES};
pub use promise::{PairSizes, Promise, pairs_at, sizes};
pub use shape::{DEFAULT_SLOTS, Shape};
pub use shared::{COMMON, Common, shared_counts};
pub use sharing::{Against, FEWEST_SHINGLES, Sample, Sharing};
pub use super_shingles::{SharedSuperShingles, longest_run, shares_run, shares_run_of_mean, super_shingles};
pub use table::{NONE, buckets, document, label_buckets, share_earlier_band, sorted_rows};

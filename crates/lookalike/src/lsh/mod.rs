//! From sketches to candidate pairs: bands and their S-curve (*Mining of Massive Datasets*, section 3.4), blocks for Hamming
//! distance, and counts of shared fingerprints.

mod curve;

mod bands;

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
pub use promise::Promise;
pub use shape::{DEFAULT_SLOTS, Shape};
pub use shared::COMMON;
pub use sharing::{Against, FEWEST_SHINGLES, Sample, Sharing};
pub use super_shingles::{SharedSuperShingles, super_shingles};
for_engine!(pub use self::{
    promise::{PairSizes, pairs_at, sizes},
    shared::{Common, shared_counts},
    super_shingles::{longest_run, shares_run, shares_run_of_mean},
    table::{NONE, buckets, document, label_buckets, share_earlier_band, sorted_rows},
});

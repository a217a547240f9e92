//! Summaries → candidates: banding and its S-curve (*Mining of Massive Datasets*, section 3.4), blocks for Hamming distance.

mod bands;
mod curve;
mod hamming;
mod shape;
mod table;

pub use bands::band_keys;
pub use curve::{Curve, MAX_SLOTS};
pub use hamming::{Blocks, MAX_TABLES};
pub use shape::{DEFAULT_SLOTS, Shape};
pub use table::{NONE, buckets, document, label_buckets, share_earlier_band, sorted_rows};

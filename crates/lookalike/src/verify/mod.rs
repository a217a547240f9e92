//! Candidate → match: exact set similarity.

mod join;
mod overlap;

pub use join::{Pair, similarity_join};
pub use overlap::{Overlap, intersection, intersection_at_least};

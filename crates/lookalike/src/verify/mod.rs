//! Candidate → match: exact set similarity.

mod join;
mod overlap;
mod why;

pub use join::{Pair, similarity_join};
pub use overlap::{Figures, Overlap, intersection, intersection_at_least};
pub use why::{Passage, passages};

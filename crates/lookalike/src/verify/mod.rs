//! Candidate → match: exact set similarity.

mod containment;
mod join;
mod measure;
mod overlap;
mod why;

pub use containment::containment_join;
pub use join::{Pair, similarity_join};
pub use measure::Measure;
pub use overlap::{Figures, Overlap, intersection, intersection_at_least};
pub use why::Passage;
pub(crate) use why::passages;

//! From candidate pairs to matches: the exact similarity of two sets.

mod overlap;

mod measure;

mod join;

mod containment;

mod pairs;

mod why;

pub use containment::containment_join;
pub use join::{Pair, similarity_join};
pub use measure::Measure;
pub use overlap::{Figures, Overlap, intersection};
for_engine!(pub use self::overlap::intersection_at_least);
pub(crate) use pairs::similar_pairs;
pub use why::Passage;
pub(crate) use why::passages;

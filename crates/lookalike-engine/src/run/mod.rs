//! The passes of a run, in their order.

mod components;
mod counting;
mod deciding;
mod dedup;
mod emitting;
mod enrolling;
mod finding;
mod greedy;
mod lists;
mod loading;
mod lookup;
mod matching;
mod meeting;
mod pairing;
mod pairs;
mod parallel;
mod retrieving;
mod sampling;
mod sketching;
mod summary;

pub use dedup::{Outputs, dedup};
pub use enrolling::{Roll, enrol};
pub use finding::Finding;
pub use lookup::find_texts;
pub use pairs::{Pair, PairFigures, PairsSummary, pairs};
pub use retrieving::{read_decisions, read_pairs};
pub use sampling::{SampleTruth, SimilarPair, sample_truth};
pub use summary::Summary;

//! The passes of a run, in their order.

mod banding;
mod components;
mod counting;
mod deciding;
mod dedup;
mod emitting;
mod enrolling;
mod finding;
mod greedy;
mod grouping;
mod ids;
mod lists;
mod loading;
mod lookup;
mod matching;
mod meeting;
mod order;
mod pairing;
mod pairs;
mod parallel;
mod retrieving;
mod rounds;
mod sampling;
mod settling;
mod sketching;
mod summary;
mod table;
mod verdicts;

pub use dedup::{Outputs, dedup};
pub use enrolling::{Roll, enrol};
pub use finding::Finding;
pub use lookup::find_texts;
pub use pairs::{Pair, PairFigures, PairsSummary, pairs};
pub use retrieving::{read_decisions, read_pairs};
pub use sampling::{SampleTruth, SimilarPair, sample_truth};
pub use summary::Summary;

//! The passes of a run, in their order.

mod components;
mod counting;
mod deciding;
mod dedup;
mod emitting;
mod greedy;
mod lists;
mod loading;
mod lookup;
mod matching;
mod meeting;
mod pairing;
mod pairs;
mod parallel;
mod sketching;
mod summary;

pub use dedup::{Outputs, dedup};
pub use lookup::find_texts;
pub use pairs::{Pair, PairsSummary, pairs};
pub use summary::Summary;

//! Finds all similar pairs, by resemblance or by containment.

use super::{
    containment::containment_join,
    join::{Pair, similarity_join},
    measure::Measure,
};

/// Returns all pairs of sets in which one set is similar to the other by the given measure: resemblance or containment.
pub fn similar_pairs(measure: Measure, sets: &[Vec<u64>], threshold: f64) -> Vec<Pair> {
    match measure {
        Measure::Resemblance => similarity_join(sets, threshold),
        Measure::Containment => containment_join(sets, threshold),
    }
}

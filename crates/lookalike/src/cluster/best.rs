//! The representative's rule: the most similar of the kept candidates, ties by keep order.

/// The best kept candidate of a document so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// The kept document.
    pub document: u32,
    /// Its place in keep order.
    pub rank: u32,
    /// Its similarity to the document at hand.
    pub similarity: f64,
}

impl Best {
    /// Whether `self` is to be preferred to `other`.
    pub fn beats(self, other: Option<Self>) -> bool {
        other.is_none_or(|other| {
            self.similarity > other.similarity || self.similarity == other.similarity && self.rank < other.rank
        })
    }

    /// Takes `found` if it is better than what `best` has.
    pub fn improve(best: &mut Option<Self>, found: Self) {
        if found.beats(*best) {
            *best = Some(found);
        }
    }
}

//! The rule for the representative: the most similar of the kept candidates, with ties broken by keep order (the order in which
//! documents are considered).

/// The best kept candidate found so far for a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// The kept document.
    pub document: u32,
    /// Its place in keep order.
    pub rank: u32,
    /// Its similarity to the current document.
    pub similarity: f64,
}

impl Best {
    /// Returns whether `self` is preferred to `other`.
    pub fn beats(self, other: Option<Self>) -> bool {
        other.is_none_or(|other| {
            self.similarity > other.similarity
                || self.similarity == other.similarity && self.rank < other.rank
        })
    }

    /// Replaces `best` with `found` if `found` is better.
    pub fn improve(best: &mut Option<Self>, found: Self) {
        if found.beats(*best) {
            *best = Some(found);
        }
    }
}

//! Types for what is known about a document while it is being decided.

use lookalike::cluster::Best;

use crate::{matching::Likeness, numbers::Rank, pairing::verdicts::Verdict};

/// The best representative so far, and how similar it is.
pub(super) type Found = Option<(Best, Likeness)>;

/// Replaces the representative if the new one is better. If a document is equally similar in two fields, that in which more was counted
/// counts.
pub(super) fn improve(found: &mut Found, best: Best, likeness: Likeness) {
    let in_field = |(before, of): (Best, _)| before == best && likeness.counts_more(of);
    if best.beats(found.map(|(best, _)| best)) || found.is_some_and(in_field) {
        *found = Some((best, likeness));
    }
}

/// The decisions about the documents that are identical to one earlier document. The first element has the verdict about each of
/// these copies, with the copy's rank (its position in keep order, the order in which documents are considered). The second
/// element has the data from which the search for a representative of later copies continues: the best representative found so
/// far, and the number of the first contender that the search has not yet examined.
pub(super) type CopiesOf = (Vec<(Rank, Verdict)>, (Found, u32));

//! Types for what is known about a document while it is being decided.

use lookalike::cluster::Best;

use crate::{matching::Likeness, numbers::Rank, pairing::verdicts::Verdict};

/// The best representative so far, and how similar it is.
pub(super) type Found = Option<(Best, Likeness)>;

/// Replaces the representative if the new one is better.
pub(super) fn improve(found: &mut Found, best: Best, likeness: Likeness) {
    if best.beats(found.map(|(best, _)| best)) {
        *found = Some((best, likeness));
    }
}

/// The verdicts about copies, each with the copy's rank (its position in keep order, the order in which documents are
/// considered). The second element of the tuple has the best representative found so far, and the contender number up to which a
/// representative was looked for.
pub(super) type CopiesOf = (Vec<(Rank, Verdict)>, (Found, u32));

//! What is known of a document while it is decided about.

use lookalike::cluster::Best;

use crate::{matching::Likeness, numbers::Rank, pairing::verdicts::Verdict};

/// The best representative so far, and how alike it is.
pub(super) type Found = Option<(Best, Likeness)>;

/// Takes a representative where it beats the one before.
pub(super) fn improve(found: &mut Found, best: Best, likeness: Likeness) {
    if best.beats(found.map(|(best, _)| best)) {
        *found = Some((best, likeness));
    }
}

/// Verdicts about copies by rank; the best so far, and up to which number it was sought.
pub(super) type CopiesOf = (Vec<(Rank, Verdict)>, (Found, u32));

//! Pairs in the form in which they are sorted and spilled.

use lookalike_applications::records::{Linker, Scored};

/// A pair in the form in which it is sorted and spilled: two records, and the rank of the score.
pub(in crate::jobs::link) type Row = [u32; 3];

/// Restores a pair. Its score is the same to the last bit as before sorting, because the linker also makes a score from a whole
/// number.
pub(in crate::jobs::link) fn scored(linker: &Linker, [a, b, rank]: Row) -> Scored {
    Scored {
        a,
        b,
        score: linker.score_of(rank),
    }
}

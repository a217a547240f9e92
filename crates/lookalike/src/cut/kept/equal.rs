//! Compares units of a text with stored ones.

use crate::cut::anchors::{BETWEEN, other_than_between};

fn is_equal((own, kept): &(&u64, &u64)) -> bool {
    other_than_between(**own) == **kept
}

/// The number of units that are compared at once.
const AT_ONCE: usize = 8;

/// Returns how many units of a text are equal to stored ones, from the first on.
pub(super) fn equal_at_start(own: &[u64], kept: &[u64]) -> usize {
    let (own_parts, kept_parts) = (own.as_chunks::<AT_ONCE>().0, kept.as_chunks::<AT_ONCE>().0);
    let at_once = AT_ONCE
        * own_parts
            .iter()
            .zip(kept_parts)
            .take_while(|(own, kept)| own == kept)
            .count();
    let all = own.iter().zip(kept);
    // The texts have units instead of the border between them.
    let equal = if own[..at_once].contains(&BETWEEN) {
        0
    } else {
        at_once
    };
    equal + all.skip(equal).take_while(is_equal).count()
}

/// Returns how many units of a text are equal to stored ones, from the last on.
pub(super) fn equal_at_end(own: &[u64], kept: &[u64]) -> usize {
    let (own_parts, kept_parts) = (
        own.as_rchunks::<AT_ONCE>().1,
        kept.as_rchunks::<AT_ONCE>().1,
    );
    let parts = own_parts.iter().rev().zip(kept_parts.iter().rev());
    let at_once = AT_ONCE * parts.take_while(|(own, kept)| own == kept).count();
    let all = own.iter().rev().zip(kept.iter().rev());
    let equal = if own[own.len() - at_once..].contains(&BETWEEN) {
        0
    } else {
        at_once
    };
    equal + all.skip(equal).take_while(is_equal).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::K0;

    proptest! {
        #[test]
        fn units_are_compared_in_parts_as_one_by_one(
            own in prop::collection::vec(prop_oneof![30 => Just(7u64), 1 => Just(BETWEEN), 1 => Just(K0)], 0..60),
            kept in prop::collection::vec(prop_oneof![30 => Just(7u64), 1 => Just(BETWEEN), 1 => Just(K0)], 0..60),
        ) {
            prop_assert_eq!(equal_at_start(&own, &kept), own.iter().zip(&kept).take_while(is_equal).count());
            prop_assert_eq!(equal_at_end(&own, &kept), own.iter().rev().zip(kept.iter().rev()).take_while(is_equal).count());
        }
    }
}

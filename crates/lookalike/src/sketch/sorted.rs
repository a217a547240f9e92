//! Operations on two sorted lists of distinct elements (Broder 1997, section 4.4: sketches are kept sorted, and merged in O(s)).

/// Returns how many of the `limit` smallest elements of a ∪ b are in both lists, and how many elements were considered (fewer
/// than `limit` if the union is smaller). Cost: one step per element.
///
/// A branch that depends on which list has the smaller element would often be mispredicted, because the elements are random. So
/// the results of the comparisons are added to the positions, without a branch.
pub fn shared_of_least(a: &[u64], b: &[u64], limit: usize) -> (u64, u64) {
    let (mut i, mut j, mut shared, mut seen) = (0, 0, 0, 0);
    while i < a.len() && j < b.len() && seen < limit {
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        shared += u64::from(x == y);
        seen += 1;
    }
    let rest = a.len() - i + b.len() - j;
    (shared, (seen + rest).min(limit) as u64)
}

/// Returns the `limit` smallest elements of a ∪ b, sorted. Cost: one step per element.
pub fn least_of_union(a: &[u64], b: &[u64], limit: usize) -> Vec<u64> {
    let mut union = Vec::with_capacity((a.len() + b.len()).min(limit));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() && union.len() < limit {
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        union.push(x.min(y));
    }
    let left = limit - union.len();
    union.extend(a[i..].iter().chain(&b[j..]).take(left));
    union
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_merge_is_the_least_of_the_union(
            a in prop::collection::btree_set(0u64..60, 0..30),
            b in prop::collection::btree_set(0u64..60, 0..30),
            limit in 0usize..70,
        ) {
            let least: BTreeSet<u64> = a.union(&b).copied().take(limit).collect();
            let shared = least.iter().filter(|x| a.contains(x) && b.contains(x)).count();
            let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            prop_assert_eq!(shared_of_least(&a, &b, limit), (shared as u64, least.len() as u64));
            prop_assert_eq!(least_of_union(&a, &b, limit), least.into_iter().collect::<Vec<_>>());
        }
    }
}

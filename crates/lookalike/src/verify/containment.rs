//! Finds all pairs in which one set is contained in the other to a given degree, and misses none. The method is the prefix join
//! of Chaudhuri, Ganti and Kaushik (2006), but without a condition on the size of the larger set.

use super::{Measure, Overlap, Pair, join::by_rarity};

/// Returns every pair of sets in which the smaller is contained in the larger by at least `threshold`, sorted by (a, b). The
/// containment in the other direction is never greater. Empty sets are not contained in any set.
///
/// A set shares at least one of its few rarest elements (its prefix) with each set that contains enough of it. The larger sets
/// are indexed in full, and are processed first. Memory in addition to the sets: twelve bytes for each element of each set, and
/// about sixty for each distinct element.
///
/// # Panics
/// Panics if there are 2³² distinct elements or more.
pub fn containment_join(sets: &[Vec<u64>], threshold: f64) -> Vec<Pair> {
    let ranked = by_rarity(sets);
    let mut order: Vec<u32> = (0..sets.len() as u32)
        .filter(|&d| !ranked[d as usize].is_empty())
        .collect();
    order.sort_by_key(|&d| (std::cmp::Reverse(ranked[d as usize].len()), d));
    let elements = ranked
        .iter()
        .filter_map(|set| set.last())
        .max()
        .map_or(0, |&last| last as usize + 1);
    let mut index: Vec<Vec<u32>> = vec![Vec::new(); elements];
    let mut met = vec![false; sets.len()];
    let (mut candidates, mut pairs) = (Vec::new(), Vec::new());
    for &d in &order {
        let (set, smaller) = (&ranked[d as usize], &sets[d as usize]);
        let size = set.len() as u64;
        let needed = Measure::Containment
            .needed(size, size, threshold)
            .unwrap_or(size)
            .max(1);
        for &element in &set[..(size - needed + 1) as usize] {
            for &other in &index[element as usize] {
                if !std::mem::replace(&mut met[other as usize], true) {
                    candidates.push(other);
                }
            }
        }
        for other in candidates.drain(..) {
            met[other as usize] = false;
            let overlap = Measure::Containment.at_least(smaller, &sets[other as usize], threshold);
            pairs.extend(overlap.map(|overlap| {
                if d < other {
                    Pair {
                        a: d,
                        b: other,
                        overlap,
                    }
                } else {
                    Pair {
                        a: other,
                        b: d,
                        overlap: Overlap::swapped(overlap),
                    }
                }
            }));
        }
        set.iter()
            .for_each(|&element| index[element as usize].push(d));
    }
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_join_is_all_pairs(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..40, 0..25), 0..40),
            threshold in prop::sample::select(vec![0.05, 0.2, 0.5, 2.0 / 3.0, 0.75, 0.8, 0.9, 1.0]),
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            let mut expected = Vec::new();
            for (a, x) in (0..).zip(&sets) {
                for (b, y) in (0..).zip(&sets).filter(|(b, _)| *b > a) {
                    let overlap = Overlap::of(x, y);
                    if overlap.containment() >= threshold || overlap.swapped().containment() >= threshold {
                        expected.push(Pair { a, b, overlap });
                    }
                }
            }
            prop_assert_eq!(containment_join(&sets, threshold), expected);
        }
    }
}

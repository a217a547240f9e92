//! All pairs, exactly: a set-similarity join with prefix, size and positional filters (Chaudhuri, Ganti, Kaushik 2006;
//! Xiao et al. 2008, *Efficient similarity joins for near duplicate detection*). No sketches, nothing missed: the ground
//! truth for all else.

use super::{Measure, Overlap};

/// A pair of documents, by their places in the list, and their overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The document that comes first.
    pub a: u32,
    /// The document that comes second.
    pub b: u32,
    /// How their sets overlap; `overlap.a` is the size of document `a`'s set.
    pub overlap: Overlap,
}

/// Every pair of sets whose resemblance is at least `threshold`, sorted by (a, b). Empty sets resemble nothing.
///
/// Two sets that share enough must share an element among the rarest few of each (the prefix), so only prefixes go into the
/// inverted index, sets in order of size, rare elements first. Memory besides the sets: at most twelve bytes for each element
/// of each set, and some sixty for each distinct one.
///
/// # Panics
/// When there are 2³² distinct elements or more: their sets alone would take 32 GiB.
pub fn similarity_join(sets: &[Vec<u64>], threshold: f64) -> Vec<Pair> {
    let ranked = by_rarity(sets);
    let mut order: Vec<u32> = (0..sets.len() as u32).filter(|&d| !ranked[d as usize].is_empty()).collect();
    order.sort_by_key(|&d| (ranked[d as usize].len(), d));
    let elements = ranked.iter().filter_map(|set| set.last()).max().map_or(0, |&last| last as usize + 1);
    let mut index: Vec<Vec<(u32, u32)>> = vec![Vec::new(); elements];
    // How often the set at hand met each earlier one in their prefixes.
    let mut met = vec![0u32; sets.len()];
    let (mut candidates, mut pairs) = (Vec::new(), Vec::new());
    for &d in &order {
        let set = &ranked[d as usize];
        let size = set.len() as u64;
        for (i, &element) in set[..prefix(size, least_partner(size, threshold), threshold)].iter().enumerate() {
            let list = &mut index[element as usize];
            // Sizes grow along a list, so sets that are too small for this one are too small for all that follow.
            let small =
                list.iter().take_while(|(other, _)| !sizes_fit(ranked[*other as usize].len() as u64, size, threshold)).count();
            list.drain(..small);
            for &(other, j) in list.iter() {
                let other_set = &ranked[other as usize];
                let Some(needed) = Measure::Resemblance.needed(other_set.len() as u64, size, threshold) else { continue };
                let still = (set.len() - i).min(other_set.len() - j as usize) as u64;
                if met[other as usize] == 0 {
                    candidates.push(other);
                }
                // Positional filter: what was met and all that is left would not do.
                if met[other as usize] != u32::MAX {
                    met[other as usize] =
                        if u64::from(met[other as usize]) + still < needed { u32::MAX } else { met[other as usize] + 1 };
                }
            }
        }
        for other in candidates.drain(..) {
            if std::mem::take(&mut met[other as usize]) == u32::MAX {
                continue;
            }
            let (a, b) = (d.min(other), d.max(other));
            let overlap = Measure::Resemblance.at_least(&sets[a as usize], &sets[b as usize], threshold);
            pairs.extend(overlap.map(|overlap| Pair { a, b, overlap }));
        }
        for (i, &element) in set[..prefix(size, size, threshold)].iter().enumerate() {
            index[element as usize].push((d, i as u32));
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    pairs
}

/// Each set's elements by rank, the rarest first.
pub(super) fn by_rarity(sets: &[Vec<u64>]) -> Vec<Vec<u32>> {
    let mut all: Vec<u64> = sets.iter().flatten().copied().collect();
    all.sort_unstable();
    let mut counted: Vec<(u32, u64)> = all.chunk_by(|a, b| a == b).map(|same| (same.len() as u32, same[0])).collect();
    drop(all);
    assert!(u32::try_from(counted.len()).is_ok(), "fewer than 2³² distinct elements");
    counted.sort_unstable();
    let mut ranks: Vec<(u64, u32)> = counted.iter().enumerate().map(|(rank, &(_, element))| (element, rank as u32)).collect();
    ranks.sort_unstable();
    let rank = |element: &u64| ranks[ranks.partition_point(|(e, _)| e < element)].1;
    sets.iter()
        .map(|set| {
            let mut ranked: Vec<u32> = set.iter().map(rank).collect();
            ranked.sort_unstable();
            ranked
        })
        .collect()
}

fn sizes_fit(a: u64, b: u64, threshold: f64) -> bool {
    Overlap { shared: a.min(b), a, b }.resemblance() >= threshold
}

/// The size of the smallest set that could resemble one of `size`.
fn least_partner(size: u64, threshold: f64) -> u64 {
    let mut least = (threshold * size as f64).floor() as u64;
    while least < size && !sizes_fit(least, size, threshold) {
        least += 1;
    }
    least.max(1)
}

/// How many of the rarest elements must be looked at, to share one with any set of at least `partner` elements that fits.
fn prefix(size: u64, partner: u64, threshold: f64) -> usize {
    let needed = Measure::Resemblance.needed(size, partner, threshold).unwrap_or(1).max(1);
    (size - needed.min(size) + 1) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all_pairs(sets: &[Vec<u64>], threshold: f64) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (a, x) in sets.iter().enumerate() {
            for (b, y) in sets.iter().enumerate().skip(a + 1) {
                let overlap = Overlap::of(x, y);
                if overlap.resemblance() >= threshold {
                    pairs.push(Pair { a: a as u32, b: b as u32, overlap });
                }
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn the_join_is_all_pairs(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..40, 0..25), 0..40),
            threshold in prop::sample::select(vec![0.05, 0.2, 0.5, 2.0 / 3.0, 0.75, 0.8, 0.9, 1.0]),
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            prop_assert_eq!(similarity_join(&sets, threshold), all_pairs(&sets, threshold));
        }
    }
}

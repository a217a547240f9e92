//! Finds all similar pairs exactly, with a set-similarity join that uses prefix, size and positional filters (Chaudhuri, Ganti,
//! Kaushik 2006; Xiao et al. 2008, *Efficient similarity joins for near duplicate detection*). It uses no sketches and misses
//! nothing, so it is the ground truth for all other methods.

use super::{Measure, Overlap};

/// A pair of documents, by their positions in the list, and their overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The first document.
    pub a: u32,
    /// The second document.
    pub b: u32,
    /// The overlap of their sets; `overlap.a` is the size of document `a`'s set.
    pub overlap: Overlap,
}

/// Returns every pair of sets whose resemblance is at least `threshold`, sorted by (a, b). Empty sets resemble nothing.
///
/// Two sets that share enough elements must share at least one element that is among the few rarest of each set (the set's
/// prefix). So only prefixes are in the inverted index. Sets are added to the index in order of size, and the elements of each
/// set are in order of rarity, the rarest first. In addition to the sets, this takes at most twelve bytes of memory for each
/// element of each set, and about sixty bytes for each distinct element.
///
/// # Panics
/// Panics if there are 2³² distinct elements or more: sets with so many elements would take 32 GiB by themselves.
pub fn similarity_join(sets: &[Vec<u64>], threshold: f64) -> Vec<Pair> {
    let ranked = by_rarity(sets);
    let mut order: Vec<u32> = (0..sets.len() as u32)
        .filter(|&d| !ranked[d as usize].is_empty())
        .collect();
    order.sort_by_key(|&d| (ranked[d as usize].len(), d));
    let elements = ranked
        .iter()
        .filter_map(|set| set.last())
        .max()
        .map_or(0, |&last| last as usize + 1);
    let mut index: Vec<Vec<(u32, u32)>> = vec![Vec::new(); elements];
    // The number of elements that the prefixes of the current set and each earlier set share.
    let mut met = vec![0u32; sets.len()];
    let (mut candidates, mut pairs) = (Vec::new(), Vec::new());
    for &d in &order {
        let set = &ranked[d as usize];
        let size = set.len() as u64;
        for (i, &element) in set[..prefix(size, least_partner(size, threshold), threshold)]
            .iter()
            .enumerate()
        {
            let list = &mut index[element as usize];
            // The sets of a posting list are in order of size, the smallest first. So sets that are too small for the current set
            // are also too small for all later ones.
            let small = list
                .iter()
                .take_while(|(other, _)| {
                    !sizes_fit(ranked[*other as usize].len() as u64, size, threshold)
                })
                .count();
            list.drain(..small);
            for &(other, j) in list.iter() {
                let other_set = &ranked[other as usize];
                let Some(needed) =
                    Measure::Resemblance.needed(other_set.len() as u64, size, threshold)
                else {
                    continue;
                };
                let still = (set.len() - i).min(other_set.len() - j as usize) as u64;
                if met[other as usize] == 0 {
                    candidates.push(other);
                }
                // Positional filter: even if all remaining elements were shared, the two sets would share too few elements.
                if met[other as usize] != u32::MAX {
                    met[other as usize] = if u64::from(met[other as usize]) + still < needed {
                        u32::MAX
                    } else {
                        met[other as usize] + 1
                    };
                }
            }
        }
        for other in candidates.drain(..) {
            if std::mem::take(&mut met[other as usize]) == u32::MAX {
                continue;
            }
            let (a, b) = (d.min(other), d.max(other));
            let overlap =
                Measure::Resemblance.at_least(&sets[a as usize], &sets[b as usize], threshold);
            pairs.extend(overlap.map(|overlap| Pair { a, b, overlap }));
        }
        for (i, &element) in set[..prefix(size, size, threshold)].iter().enumerate() {
            index[element as usize].push((d, i as u32));
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    pairs
}

/// Returns the elements of each set as ranks, the rarest first.
pub(super) fn by_rarity(sets: &[Vec<u64>]) -> Vec<Vec<u32>> {
    let mut all: Vec<u64> = sets.iter().flatten().copied().collect();
    all.sort_unstable();
    let mut counted: Vec<(u32, u64)> = all
        .chunk_by(|a, b| a == b)
        .map(|same| (same.len() as u32, same[0]))
        .collect();
    drop(all);
    assert!(
        u32::try_from(counted.len()).is_ok(),
        "there must be fewer than 2³² distinct elements"
    );
    counted.sort_unstable();
    let mut ranks: Vec<(u64, u32)> = counted
        .iter()
        .enumerate()
        .map(|(rank, &(_, element))| (element, rank as u32))
        .collect();
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
    Overlap {
        shared: a.min(b),
        a,
        b,
    }
    .resemblance()
        >= threshold
}

/// Returns the size of the smallest set that can resemble a set of `size` elements.
fn least_partner(size: u64, threshold: f64) -> u64 {
    let mut least = (threshold * size as f64).floor() as u64;
    while least < size && !sizes_fit(least, size, threshold) {
        least += 1;
    }
    least.max(1)
}

/// Returns how many of the rarest elements must be examined, so that at least one of them is in any similar set of at least
/// `partner` elements.
fn prefix(size: u64, partner: u64, threshold: f64) -> usize {
    let needed = Measure::Resemblance
        .needed(size, partner, threshold)
        .unwrap_or(1)
        .max(1);
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
                    pairs.push(Pair {
                        a: a as u32,
                        b: b as u32,
                        overlap,
                    });
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

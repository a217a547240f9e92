//! Joins parts that lie side by side in both texts, in any order, such as the sentences of a passage that were put into another
//! order.

use std::{cmp::Reverse, ops::Range};

use super::bags::{Bags, Common, Parts};

/// The number of times that parts are divided before they stay apart. This bounds the cost for texts in which they lie like stairs.
const DEPTH: usize = 64;

/// Returns regions with what their two parts have in common. Parts are one region if, in both texts, there are at most `gap` tokens
/// between each of them and the next one in this text, and if together they have at least the given density. The order of the parts
/// may differ. Parts with a lower density are divided at half the gap, and so on. Cost: sorting the parts and counting their tokens,
/// for each division.
pub(super) fn merged(
    bags: &mut Bags,
    parts: Vec<(Parts, Common)>,
    gap: usize,
    density: f64,
) -> Vec<(Parts, Common)> {
    let mut regions = Vec::new();
    let mut groups = vec![(parts, gap, 0)];
    while let Some((group, gap, depth)) = groups.pop() {
        if group.len() < 2 || depth == DEPTH {
            regions.extend(group);
            continue;
        }
        let mut chains: Vec<_> = chains(group, 0, gap)
            .into_iter()
            .flat_map(|on_one_side| self::chains(on_one_side, 1, gap))
            .collect();
        if chains.len() > 1 {
            groups.extend(chains.into_iter().map(|chain| (chain, gap, depth + 1)));
            continue;
        }
        let Some(chain) = chains.pop() else { continue };
        let both: Parts = [0, 1].map(|side| {
            let (mut start, mut end) = (usize::MAX, 0);
            for (parts, _) in &chain {
                (start, end) = (start.min(parts[side].start), end.max(parts[side].end));
            }
            start..end
        });
        let common = bags.common(&both);
        if common.density() >= density {
            regions.push((both, common));
        } else if gap > 0 {
            groups.push((chain, gap / 2, depth + 1));
        } else {
            regions.extend(chain);
        }
    }
    regions.sort_unstable_by_key(|([a, b], _)| (a.start, b.start, Reverse((a.end, b.end))));
    regions
}

/// Divides parts where more than `gap` tokens lie between one and the next in one of the texts.
fn chains(mut parts: Vec<(Parts, Common)>, side: usize, gap: usize) -> Vec<Vec<(Parts, Common)>> {
    let range = |(parts, _): &(Parts, Common)| -> Range<usize> { parts[side].clone() };
    parts.sort_by_key(|part| (range(part).start, range(part).end));
    let (mut chains, mut end) = (Vec::<Vec<_>>::new(), 0);
    for part in parts {
        let own = range(&part);
        match chains.last_mut() {
            Some(chain) if own.start <= end + gap => {
                end = end.max(own.end);
                chain.push(part);
            }
            _ => {
                end = own.end;
                chains.push(vec![part]);
            }
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::{super::rarity::Numbered, *};

    /// Merges parts of texts of a hundred tokens, which have the same tokens in another order, and returns the parts.
    fn merge(parts: &[[Range<usize>; 2]], gap: usize, density: f64) -> Vec<Parts> {
        let [a, b]: [Vec<u64>; 2] = [(0..100).collect(), (0..50).rev().chain(50..100).collect()];
        let numbered = Numbered::new([&a, &b]);
        let mut bags = Bags::new(&numbered);
        let parts = parts
            .iter()
            .map(|parts| (parts.clone(), bags.common(parts)))
            .collect();
        merged(&mut bags, parts, gap, density)
            .into_iter()
            .map(|(parts, _)| parts)
            .collect()
    }

    #[test]
    fn parts_in_another_order_are_one_region() {
        assert_eq!(
            merge(&[[0..20, 30..50], [25..50, 0..25]], 5, 0.5),
            [[0..50, 0..50]]
        );
        // The gap is too large in one of the texts.
        assert_eq!(merge(&[[0..20, 30..50], [25..50, 0..25]], 4, 0.5).len(), 2);
        assert_eq!(merge(&[[0..10, 40..50], [12..22, 80..90]], 5, 0.0).len(), 2);
    }

    #[test]
    fn parts_with_little_in_common_stay_apart() {
        let parts = [[0..10, 40..50], [20..30, 52..62]];
        assert_eq!(merge(&parts, 10, 0.2), [[0..30, 40..62]]);
        assert_eq!(merge(&parts, 10, 0.8), parts);
    }
}

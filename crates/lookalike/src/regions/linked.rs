//! Groups seeds that are close to each other in both texts.

use std::collections::BTreeMap;

use super::seeds::Seed;

/// Returns the groups of seeds. Two seeds are linked if their positions differ by at most `gap` in both texts, in either direction;
/// a group has all seeds that are linked directly or through others (single linkage). The seeds must be sorted. The groups are in
/// the order of their first seeds, and so are the seeds of a group. Cost: a search per seed, however dense the seeds are.
pub(super) fn linked(seeds: &[Seed], gap: u32) -> Vec<Vec<Seed>> {
    let mut groups = Groups((0..seeds.len()).collect());
    // The last seed at each position of the second text. A seed is removed when it is too far back in the first text.
    let mut near: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
    let mut far = Vec::new();
    for (number, &(a, b)) in seeds.iter().enumerate() {
        // All seeds here are within the gap of each other in the first text. Those before `b` and within the gap of it are so in the
        // second text too, so they are already linked with each other, and a link to the nearest one is enough. The same holds for
        // those after it.
        let before = near.range(b.saturating_sub(gap)..=b).rev();
        let after = near.range(b..=b.saturating_add(gap));
        for links in [
            &mut { before } as &mut dyn Iterator<Item = (&u32, &(u32, usize))>,
            &mut { after },
        ] {
            for (&place, &(of_a, other)) in links {
                if of_a.saturating_add(gap) >= a {
                    groups.unite(other, number);
                    break;
                }
                far.push(place);
            }
        }
        for place in far.drain(..) {
            near.remove(&place);
        }
        near.insert(b, (a, number));
    }
    let mut numbers = vec![usize::MAX; seeds.len()];
    let mut found: Vec<Vec<Seed>> = Vec::new();
    for (number, &seed) in seeds.iter().enumerate() {
        let root = groups.root(number);
        if numbers[root] == usize::MAX {
            numbers[root] = found.len();
            found.push(Vec::new());
        }
        found[numbers[root]].push(seed);
    }
    found
}

/// Disjoint sets of seeds: each seed points to an earlier one of its set, or to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&mut self, mut seed: usize) -> usize {
        while self.0[seed] != seed {
            self.0[seed] = self.0[self.0[seed]];
            seed = self.0[seed];
        }
        seed
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Groups by comparing all seeds with each other.
    fn naive(seeds: &[Seed], gap: u32) -> Vec<Vec<Seed>> {
        let mut groups: Vec<Vec<Seed>> = Vec::new();
        for &seed in seeds {
            let is_near =
                |other: &Seed| seed.0.abs_diff(other.0) <= gap && seed.1.abs_diff(other.1) <= gap;
            let (near, mut rest): (Vec<_>, Vec<_>) = groups
                .into_iter()
                .partition(|group| group.iter().any(is_near));
            rest.push(near.into_iter().flatten().chain([seed]).collect());
            groups = rest;
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        groups
    }

    #[test]
    fn order_does_not_matter_but_distance_in_both_texts_does() {
        assert_eq!(
            linked(&[(0, 5), (3, 2), (6, 9)], 4),
            [vec![(0, 5), (3, 2)], vec![(6, 9)]]
        );
        assert_eq!(linked(&[(0, 5), (3, 2), (6, 9)], 7).len(), 1);
        assert_eq!(linked(&[], 3).len(), 0);
    }

    #[test]
    fn dense_seeds_are_linked_in_near_linear_time() {
        let seeds: Vec<Seed> = (0..1000)
            .flat_map(|a| (0..1000).map(move |b| (a, b)))
            .collect();
        assert_eq!(linked(&seeds, 1000).len(), 1);
    }

    proptest! {
        #[test]
        fn groups_are_those_of_the_definition(
            seeds in prop::collection::btree_set((0u32..60, 0u32..60), 0..60),
            gap in 0u32..12,
        ) {
            let seeds: Vec<Seed> = seeds.into_iter().collect();
            prop_assert_eq!(linked(&seeds, gap), naive(&seeds, gap));
        }
    }
}

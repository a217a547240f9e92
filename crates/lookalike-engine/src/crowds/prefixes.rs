//! Chooses which elements of a set are sufficient to find every set that resembles it. These are the set's few rarest elements
//! (prefix filter: Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma, Srikant 2007).
//!
//! Take two sets x and y that share at least c elements, and any order of elements that is the same for both. At least c − 1
//! shared elements follow the first shared element. So the first shared element is among the first |x| − c + 1 elements of x, and
//! among the first |y| − c + 1 of y.

use lookalike::verify::Measure;

/// How many of a set's first elements are sufficient to find every set that resembles it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lengths {
    /// The length of the short prefix. The short prefix shares an element with the [`long`](Self::long) prefix of every
    /// resembling set that is at least as large.
    pub(super) short: usize,
    /// The length of the long prefix, which is never less than `short`. The long prefix shares an element with the
    /// [`short`](Self::short) prefix of every resembling set that is at most as large.
    pub(super) long: usize,
}

impl Lengths {
    /// Returns the lengths for a set of `size` elements and a resemblance of at least `threshold` t, which is greater than 0.
    ///
    /// Let r(s, |x|, |y|) be the resemblance of two sets x and y with s shared elements, computed with the same rounded division
    /// as in the law (the rule for what is dropped). It grows with s, and falls as |x| or |y| grows:
    ///
    /// - short: let x be the set and y a set that is at least as large. They share at least as many elements as
    ///   [`Measure::needed`] requires of two sets that are both of x's size, because r(s, |x|, |y|) ≥ t implies r(s, |x|, |x|) ≥
    ///   t.
    /// - long: let y be the set and x a set that is at most as large, so that they share s ≤ |x| elements. Then |x ∪ y| = |x| +
    ///   |y| − s ≥ |y|, and r(s, |x|, |y|) ≥ t implies s / |y| ≥ t. So s is at least the number that the containment of y in x
    ///   requires.
    ///
    /// Both lengths follow from exact bounds for the rounded division, so no pair is missed. The long prefix is never shorter
    /// than the short prefix, because s / |y| ≥ t requires no more shared elements than s / (2 |y| − s) ≥ t.
    pub(super) fn of(size: usize, threshold: f64) -> Self {
        let size = size as u64;
        let prefix = |measure: Measure| {
            let needed = measure.needed(size, size, threshold).unwrap_or(size + 1);
            (size + 1 - needed.clamp(1, size + 1)) as usize
        };
        Self {
            short: prefix(Measure::Resemblance),
            long: prefix(Measure::Containment),
        }
    }
}

/// An order of elements, rare ones first: elements are ordered by the number of sampled sets that contain them, and then by
/// value. Elements that occur in fewer than two sets are all equally rare.
#[derive(Debug)]
pub(super) struct Rarity {
    /// A hash table of the elements that occur in two or more sets, with their counts. The table is at most a quarter full; a
    /// free slot has count 0.
    counts: Vec<(u64, u32)>,
    shift: u32,
}

impl Default for Rarity {
    /// Returns the order by value alone.
    fn default() -> Self {
        Self::of(&mut [])
    }
}

/// A scratch buffer for [`Rarity::prefix`].
pub(super) type Common = Vec<(u32, u64)>;

impl Rarity {
    /// Derives the order from a sample of sets, concatenated in `elements`, which is overwritten.
    pub(super) fn of(elements: &mut [u64]) -> Self {
        elements.sort_unstable();
        let repeated = || {
            elements
                .chunk_by(|a, b| a == b)
                .filter(|same| same.len() > 1)
        };
        let bits = (4 * repeated().count()).next_power_of_two().max(4).ilog2();
        let mut rarity = Self {
            counts: vec![(0, 0); 1 << bits],
            shift: 64 - bits,
        };
        for same in repeated() {
            let at = rarity.at(same[0]);
            rarity.counts[at] = (same[0], same.len() as u32);
        }
        rarity
    }

    /// Returns the position of an element in the table, or the position where it would be.
    #[inline]
    fn at(&self, element: u64) -> usize {
        let mut at = (spread(element) >> self.shift) as usize;
        while self.counts[at].1 != 0 && self.counts[at].0 != element {
            at = (at + 1) & (self.counts.len() - 1);
        }
        at
    }

    /// Appends the tags of the elements in a sorted set's long prefix. The short prefix is the first part of the long one.
    pub(super) fn prefix(
        &self,
        set: &[u64],
        lengths: Lengths,
        common: &mut Common,
        tags: &mut Vec<u32>,
    ) {
        let end = tags.len() + lengths.long;
        common.clear();
        for &element in set {
            if tags.len() == end {
                return;
            }
            match self.counts[self.at(element)].1 {
                0 => tags.push(tag(element)),
                count => common.push((count, element)),
            }
        }
        let more = end - tags.len();
        if more < common.len() {
            common.select_nth_unstable(more);
            common.truncate(more);
        }
        common.sort_unstable();
        tags.extend(common.iter().map(|&(_, element)| tag(element)));
    }

    pub(super) fn bytes(&self) -> usize {
        self.counts.capacity() * size_of::<(u64, u32)>()
    }
}

/// Returns an element's tag, which is the upper half of the element after `spread`. Two different elements rarely have the same
/// tag, and if they do, the only cost is an additional comparison.
fn tag(element: u64) -> u32 {
    (spread(element) >> 32) as u32
}

/// Multiplies by an odd number, so that the upper bits are evenly distributed for elements of any kind.
fn spread(element: u64) -> u64 {
    element.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use lookalike::verify::Overlap;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(300)))]

        /// Two similar sets share an element of their prefixes. This must hold for any sample of sets that the order of elements is
        /// based on.
        #[test]
        fn every_sufficiently_similar_pair_shares_a_prefix_element(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..60, 1..50), 2..12),
            sampled in 0usize..12,
            threshold in prop::sample::select(vec![0.05, 0.3, 0.5, 2.0 / 3.0, 0.7, 0.8, 0.9, 0.95, 1.0]),
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let rarity = Rarity::of(&mut sets[..sampled.min(sets.len())].concat());
            let prefix = |set: &[u64]| {
                let (lengths, mut tags) = (Lengths::of(set.len(), threshold), Vec::new());
                rarity.prefix(set, lengths, &mut Vec::new(), &mut tags);
                (tags, lengths.short)
            };
            for x in &sets {
                let (long, short) = prefix(x);
                prop_assert!(short <= long.len() && long.len() <= x.len());
                for y in sets.iter().filter(|y| y.len() >= x.len() && Overlap::of(x, y).resemblance() >= threshold) {
                    let (of_y, _) = prefix(y);
                    prop_assert!(long[..short].iter().any(|tag| of_y.contains(tag)), "{x:?} {y:?}");
                }
            }
        }

        /// If the prefixes were one element shorter, a pair could be missed: for every set size, the lengths are minimal.
        #[test]
        fn prefix_lengths_are_minimal(size in 1u64..3000, percent in 1u32..=100) {
            let threshold = f64::from(percent) / 100.0;
            let Lengths { short, long } = Lengths::of(size as usize, threshold);
            let (most, least) = (size - short as u64 + 1, size - long as u64 + 1);
            let resemble = |shared, a, b| Overlap { shared, a, b }.resemblance() >= threshold;
            prop_assert!(resemble(most, size, size) && !resemble(most - 1, size, size));
            prop_assert!(resemble(least, least, size) && !resemble(least - 1, least - 1, size));
        }
    }

    #[test]
    fn rare_elements_come_first() {
        let rarity = Rarity::of(&mut [1, 2, 3, 4, 1, 2, 3, 1, 2, 1]);
        let mut tags = Vec::new();
        rarity.prefix(
            &[1, 2, 3, 4, 5],
            Lengths { short: 1, long: 4 },
            &mut Vec::new(),
            &mut tags,
        );
        assert_eq!(tags, [4, 5, 3, 2].map(tag));
    }
}

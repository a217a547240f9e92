//! Which elements of a set are enough to find every set that resembles it: its rarest few (prefix filter: Chaudhuri, Ganti,
//! Kaushik 2006; Bayardo, Ma, Srikant 2007).
//!
//! Of two sets that share c elements or more, the first that they share, in any order that is fixed for both, has c − 1 shared
//! ones behind it: it is among the first |x| − c + 1 of x, and among the first |y| − c + 1 of y.

use lookalike::verify::Measure;

/// How many of a set's first elements are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lengths {
    /// To share one with the [`long`](Self::long) prefix of every set of at least its size that resembles it enough.
    pub(super) short: usize,
    /// To share one with the [`short`](Self::short) prefix of every set of at most its size that resembles it enough. Never
    /// less than that.
    pub(super) long: usize,
}

impl Lengths {
    /// Of a set of `size` elements, for a resemblance of at least `threshold`, which is more than 0.
    ///
    /// With r the law's own rounded division, which grows with what is shared and falls with a set's size:
    ///
    /// - short: x shares with a y that is not smaller no less than [`Measure::needed`] asks of two sets of x's size, since
    ///   r(s, |x|, |y|) ≥ t gives r(s, |x|, |x|) ≥ t.
    /// - long: y shares with an x that is not larger s ≤ |x|, so |x ∪ y| = |x| + |y| − s ≥ |y|, and r(s, |x|, |y|) ≥ t gives
    ///   s / |y| ≥ t: no less than is needed of y's containment in x.
    ///
    /// Both are the exact edges of the rounded figures, so nothing is missed. The long one is no shorter because s / |y| ≥ t
    /// asks for no more than s / (2 |y| − s) ≥ t.
    pub(super) fn of(size: usize, threshold: f64) -> Self {
        let size = size as u64;
        let prefix = |measure: Measure| {
            let needed = measure.needed(size, size, threshold).unwrap_or(size + 1);
            (size + 1 - needed.clamp(1, size + 1)) as usize
        };
        Self { short: prefix(Measure::Resemblance), long: prefix(Measure::Containment) }
    }
}

/// An order of elements, rare ones first: by how many sets of a sample have them, those that no two have being all alike, and
/// then by value.
#[derive(Debug)]
pub(super) struct Rarity {
    /// Elements and their counts where that is two or more; a table that is at most a quarter full, 0 for a free place.
    counts: Vec<(u64, u32)>,
    shift: u32,
}

impl Default for Rarity {
    /// By value alone.
    fn default() -> Self {
        Self::of(&mut [])
    }
}

/// Room for [`Rarity::prefix`].
pub(super) type Common = Vec<(u32, u64)>;

impl Rarity {
    /// By a sample of sets, one after the other in `elements`, which is room afterwards.
    pub(super) fn of(elements: &mut [u64]) -> Self {
        elements.sort_unstable();
        let repeated = || elements.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
        let bits = (4 * repeated().count()).next_power_of_two().max(4).ilog2();
        let mut rarity = Self { counts: vec![(0, 0); 1 << bits], shift: 64 - bits };
        for same in repeated() {
            let at = rarity.at(same[0]);
            rarity.counts[at] = (same[0], same.len() as u32);
        }
        rarity
    }

    /// Where an element stands, or would.
    fn at(&self, element: u64) -> usize {
        let mut at = (spread(element) >> self.shift) as usize;
        while self.counts[at].1 != 0 && self.counts[at].0 != element {
            at = (at + 1) & (self.counts.len() - 1);
        }
        at
    }

    /// Appends the tags of a sorted set's first elements, as many as the long prefix has; the short one is the first of them.
    pub(super) fn prefix(&self, set: &[u64], lengths: Lengths, common: &mut Common, tags: &mut Vec<u32>) {
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

/// Half of a spread element: enough that two that differ are seldom taken for one, which costs a comparison.
fn tag(element: u64) -> u32 {
    (spread(element) >> 32) as u32
}

/// Multiplied by an odd number, so that the upper bits are even for elements of any kind.
fn spread(element: u64) -> u64 {
    element.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use lookalike::verify::Overlap;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Whatever the sample that the order is made by.
        #[test]
        fn every_pair_that_resembles_enough_shares_of_its_prefixes(
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

        /// One shared element less, and a pair is missed: the lengths are the least for their sizes.
        #[test]
        fn lengths_are_the_edge(size in 1u64..3000, percent in 1u32..=100) {
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
        rarity.prefix(&[1, 2, 3, 4, 5], Lengths { short: 1, long: 4 }, &mut Vec::new(), &mut tags);
        assert_eq!(tags, [4, 5, 3, 2].map(tag));
    }
}

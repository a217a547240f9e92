//! The levels of all fields of a pair.

use std::collections::BTreeMap;

/// The levels of a pair's fields, four bits each, the first field in the lowest bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Pattern(u128);

const BITS: usize = 4;

/// The smallest number of pairs with other levels than the most frequent one by which a field can be compared with another.
const VARIED: u64 = 20;

impl Pattern {
    /// The largest number of fields.
    pub const FIELDS: usize = u128::BITS as usize / BITS;

    /// Packs levels, one for each field.
    pub fn new(levels: impl IntoIterator<Item = u8>) -> Self {
        levels
            .into_iter()
            .enumerate()
            .fold(Self::default(), |pattern, (field, level)| {
                pattern.with(field, level)
            })
    }

    /// Adds the level of a field that has none yet.
    #[must_use]
    pub fn with(self, field: usize, level: u8) -> Self {
        Self(self.0 | u128::from(level) << (field * BITS))
    }

    /// Adds pairs with this pattern to the counts of all fields' levels.
    pub(super) fn count(self, counts: &mut [Vec<f64>], pairs: f64) {
        counts
            .iter_mut()
            .enumerate()
            .for_each(|(field, counts)| counts[self.level(field)] += pairs);
    }

    /// Returns the level of a field.
    pub fn level(self, field: usize) -> usize {
        (self.0 >> (field * BITS)) as usize & 0xf
    }
}

/// How many pairs have each pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    counts: BTreeMap<Pattern, u64>,
}

impl Patterns {
    /// Counts a pair.
    pub fn add(&mut self, pattern: Pattern) {
        *self.counts.entry(pattern).or_default() += 1;
    }

    /// Counts other pairs, too.
    pub fn append(&mut self, others: &Self) {
        for (&pattern, count) in &others.counts {
            *self.counts.entry(pattern).or_default() += count;
        }
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns two fields that have the same level in all these pairs and in the other ones, such as two columns with the same values.
    /// Fields that have one level in nearly all pairs, such as constants, do not count.
    pub fn copies(&self, others: &Self, fields: usize) -> Option<(usize, usize)> {
        let patterns = || self.counts.iter().chain(&others.counts);
        let varies = |field: usize| {
            let mut levels = [0; 1 << BITS];
            patterns().for_each(|(pattern, count)| levels[pattern.level(field)] += count);
            levels.iter().sum::<u64>() - levels.iter().max().copied().unwrap_or(0) >= VARIED
        };
        let varied: Vec<usize> = (0..fields).filter(|&field| varies(field)).collect();
        let are_equal = |a, b| patterns().all(|(pattern, _)| pattern.level(a) == pattern.level(b));
        let mut pairs = varied
            .iter()
            .enumerate()
            .flat_map(|(at, &a)| varied[at + 1..].iter().map(move |&b| (a, b)));
        pairs.find(|&(a, b)| are_equal(a, b))
    }

    /// Returns each pattern with its number of pairs, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (Pattern, f64)> {
        self.counts
            .iter()
            .map(|(&pattern, &count)| (pattern, count as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_packed_and_unpacked() {
        let levels: Vec<u8> = (0..Pattern::FIELDS as u8).map(|field| field % 16).collect();
        let pattern = Pattern::new(levels.clone());
        assert_eq!(
            (0..Pattern::FIELDS)
                .map(|field| pattern.level(field) as u8)
                .collect::<Vec<_>>(),
            levels
        );
    }

    #[test]
    fn fields_with_the_same_levels_are_found() {
        let of = |levels: &[[u8; 4]]| {
            let mut patterns = Patterns::default();
            (0..VARIED).for_each(|_| {
                levels
                    .iter()
                    .for_each(|levels| patterns.add(Pattern::new(*levels)))
            });
            patterns
        };
        // The first and the third field never differ in level, and the second is a constant like the fourth.
        let candidates = of(&[[1, 3, 1, 3], [2, 3, 2, 3]]);
        assert_eq!(candidates.copies(&of(&[[0, 3, 0, 3]]), 4), Some((0, 2)));
        assert_eq!(candidates.copies(&of(&[[0, 3, 1, 3]]), 4), None);
        assert_eq!(of(&[]).copies(&of(&[]), 4), None);
    }

    #[test]
    fn pairs_are_counted_by_their_pattern() {
        let (mut all, mut others) = (Patterns::default(), Patterns::default());
        all.add(Pattern::new([1, 3]));
        others.add(Pattern::new([1, 3]));
        others.add(Pattern::new([2, 3]));
        all.append(&others);
        let counts: Vec<(usize, f64)> = all
            .iter()
            .map(|(pattern, count)| (pattern.level(0), count))
            .collect();
        assert_eq!((counts, all.pairs()), (vec![(1, 2.0), (2, 1.0)], 3));
    }
}

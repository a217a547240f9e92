//! Pairs that exclude each other, because each record is in at most one pair.

use std::collections::BTreeMap;

use super::patterns::Pattern;

/// Candidates of a one-to-one linkage. Memory: 12 bytes for each pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rivals {
    /// The different patterns, in order.
    patterns: Vec<Pattern>,
    /// For each pair, the numbers of its first record, of its second record, and of its pattern.
    pairs: Vec<[u32; 3]>,
    /// The number of first and of second records.
    records: [usize; 2],
}

/// What is expected of the pairs with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct OfPattern {
    /// The number of pairs.
    pub(super) pairs: f64,
    /// The expected number of matches.
    pub(super) matches: f64,
    /// The expected number of wrong decisions.
    pub(super) wrong: f64,
}

impl Rivals {
    /// Takes pairs of records with their patterns.
    pub fn new(pairs: &[([u32; 2], Pattern)]) -> Self {
        let side = |at: usize| {
            let mut records: Vec<u32> = pairs.iter().map(|(pair, _)| pair[at]).collect();
            records.sort_unstable();
            records.dedup();
            records
        };
        let (first, second) = (side(0), side(1));
        let mut patterns: Vec<Pattern> = pairs.iter().map(|(_, pattern)| *pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        let number = |([a, b], pattern): &([u32; 2], Pattern)| {
            let of = |records: &[u32], record: u32| {
                records.partition_point(|&other| other < record) as u32
            };
            [
                of(&first, *a),
                of(&second, *b),
                patterns.partition_point(|other| other < pattern) as u32,
            ]
        };
        Self {
            pairs: pairs.iter().map(number).collect(),
            records: [first.len(), second.len()],
            patterns,
        }
    }

    /// Returns what is expected of the pairs with each pattern. `odds` returns the odds of a pair without its rivals. A record matches at
    /// most one of its candidates, so a pair with odds o has the probability o / (1 + o + the odds of its rivals). The pairs may be those
    /// of a sample of first records, each with all of its candidates; each of these records represents `each` first records. Cost: the
    /// number of pairs.
    pub(super) fn expected(
        &self,
        odds: impl Fn(Pattern) -> f64,
        each: f64,
    ) -> BTreeMap<Pattern, OfPattern> {
        let odds: Vec<f64> = self.patterns.iter().map(|&pattern| odds(pattern)).collect();
        let mut sums = self.records.map(|records| vec![0.0; records]);
        for &[a, b, pattern] in &self.pairs {
            sums[0][a as usize] += odds[pattern as usize];
            sums[1][b as usize] += odds[pattern as usize];
        }
        let mut expected = vec![OfPattern::default(); self.patterns.len()];
        for &[a, b, pattern] in &self.pairs {
            let own = odds[pattern as usize];
            let rivals = (sums[0][a as usize] - own) + each * (sums[1][b as usize] - own);
            let probability = own / (1.0 + own + rivals.max(0.0));
            let of = &mut expected[pattern as usize];
            of.pairs += each;
            of.matches += each * probability;
            of.wrong += each * probability.min(1.0 - probability);
        }
        self.patterns.iter().copied().zip(expected).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_with_a_common_record_share_the_probability() {
        let [good, bad] = [Pattern::new([3]), Pattern::new([1])];
        let pairs = [
            ([7, 20], good),
            ([7, 21], good),
            ([8, 22], good),
            ([9, 22], bad),
        ];
        let odds = |pattern| if pattern == good { 9.0 } else { 1.0 };
        let expected = Rivals::new(&pairs).expected(odds, 1.0);
        // 9 / 19 twice, and 9 / 11 beside a rival with odds of 1.
        assert!(
            (expected[&good].matches - (18.0 / 19.0 + 9.0 / 11.0)).abs() < 1e-12,
            "{expected:?}"
        );
        assert!((expected[&bad].matches - 1.0 / 11.0).abs() < 1e-12);
        assert_eq!((expected[&good].pairs, expected[&bad].pairs), (3.0, 1.0));
        // If one first record in two is here, twice as many rivals are expected for a second record, but not for a first one.
        let halved = Rivals::new(&pairs).expected(odds, 2.0);
        assert!(
            (halved[&good].matches - 2.0 * (18.0 / 19.0 + 9.0 / 12.0)).abs() < 1e-12,
            "{halved:?}"
        );
    }
}

//! A ranking of pairs, best first. The memory that it takes depends on the number of wanted pairs, not on the number of added
//! pairs.

/// Two prints and their score. The prints are given by their numbers, the earlier print first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The earlier print.
    pub a: u32,
    /// The later print.
    pub b: u32,
    /// The score; higher is more similar.
    pub score: f64,
}

impl Ranked {
    fn before(&self, other: &Self) -> std::cmp::Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| (self.a, self.b).cmp(&(other.a, other.b)))
    }
}

/// The best of all pairs that are added; among equal scores, the pairs of the earliest prints. Stores up to twice as many pairs
/// as are wanted, and takes 16 bytes for each.
#[derive(Debug)]
pub struct Ranking {
    most: usize,
    pairs: Vec<Ranked>,
}

impl Ranking {
    /// Creates a ranking of at most `most` pairs.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            pairs: Vec::new(),
        }
    }

    /// Adds a pair, which later pairs may displace.
    pub fn push(&mut self, pair: Ranked) {
        self.pairs.push(pair);
        if self.pairs.len() / 2 > self.most {
            self.pairs.select_nth_unstable_by(self.most, Ranked::before);
            self.pairs.truncate(self.most);
        }
    }

    /// Returns the remaining pairs, best first.
    pub fn into_pairs(mut self) -> Vec<Ranked> {
        self.pairs.sort_unstable_by(Ranked::before);
        self.pairs.truncate(self.most);
        self.pairs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_short_ranking_is_the_start_of_the_full_one(scores in prop::collection::vec(0u32..9, 0..60), most in 0usize..20) {
            let all = scores.iter().zip(0u32..).map(|(&score, i)| Ranked { a: i / 7, b: i % 7 + 9, score: f64::from(score) });
            let (mut few, mut every) = (Ranking::new(most), Ranking::new(usize::MAX));
            all.for_each(|pair| { few.push(pair); every.push(pair) });
            let every = every.into_pairs();
            prop_assert!(every.is_sorted_by(|p, q| p.score > q.score || p.score == q.score && (p.a, p.b) < (q.a, q.b)));
            prop_assert_eq!(few.into_pairs(), &every[..every.len().min(most)]);
        }
    }
}

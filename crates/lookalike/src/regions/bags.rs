//! Counts the tokens that two parts of texts have in common, whatever their order.

use std::ops::Range;

use super::rarity::{Numbered, ONE};

/// A part of each text, as ranges of tokens.
pub(super) type Parts = [Range<usize>; 2];

/// What two parts have in common. A token that occurs several times counts as often as it occurs in both parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Common {
    /// The number of tokens.
    pub(super) tokens: usize,
    /// Their weight, in units of 1 / [`ONE`].
    pub(super) weight: u64,
    /// The weight of all tokens of a part, of the part where it is larger.
    pub(super) all: u64,
}

impl Common {
    pub(super) fn score(&self) -> f64 {
        self.weight as f64 / ONE as f64
    }

    pub(super) fn density(&self) -> f64 {
        if self.all == 0 {
            0.0
        } else {
            self.weight as f64 / self.all as f64
        }
    }
}

/// Scratch buffers for counting. Between two uses, all counts are 0.
pub(super) struct Bags<'a> {
    pub(super) numbered: &'a Numbered,
    counts: Vec<[u32; 2]>,
}

impl<'a> Bags<'a> {
    pub(super) fn new(numbered: &'a Numbered) -> Self {
        Self {
            numbered,
            counts: vec![[0; 2]; numbered.weights.len()],
        }
    }

    /// Returns what two parts have in common. Cost: a few nanoseconds per token of the parts.
    pub(super) fn common(&mut self, [a, b]: &Parts) -> Common {
        let Numbered { texts, weights, .. } = self.numbered;
        let (of_a, of_b) = (&texts[0][a.clone()], &texts[1][b.clone()]);
        of_a.iter()
            .for_each(|&number| self.counts[number as usize][0] += 1);
        let mut common = Common {
            tokens: 0,
            weight: 0,
            all: 0,
        };
        for &number in of_b {
            let left = &mut self.counts[number as usize][0];
            if *left > 0 {
                *left -= 1;
                common.tokens += 1;
                common.weight += weights[number as usize];
            }
        }
        of_a.iter()
            .for_each(|&number| self.counts[number as usize][0] = 0);
        let weight = |part: &[u32]| {
            part.iter()
                .map(|&number| weights[number as usize])
                .sum::<u64>()
        };
        common.all = weight(of_a).max(weight(of_b));
        common
    }

    /// Calls `look` with the weights of all tokens, and with how often each occurs in the two parts.
    pub(super) fn with<T>(
        &mut self,
        parts: &Parts,
        look: impl FnOnce(&Numbered, &[[u32; 2]]) -> T,
    ) -> T {
        let of = |side: usize| &self.numbered.texts[side][parts[side].clone()];
        (0..2).for_each(|side| {
            of(side)
                .iter()
                .for_each(|&number| self.counts[number as usize][side] += 1)
        });
        let found = look(self.numbered, &self.counts);
        (0..2).for_each(|side| {
            of(side)
                .iter()
                .for_each(|&number| self.counts[number as usize] = [0; 2])
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_common_as_often_as_both_parts_have_them() {
        // `other` fills up the texts, so that the tokens of the parts are rare.
        let other = 100..200u64;
        let [a, b] = [[1, 1, 2, 3, 4], [5, 1, 3, 1, 1]]
            .map(|part| part.into_iter().chain(other.clone()).collect::<Vec<u64>>());
        let numbered = Numbered::new([&a, &b]);
        let weight = |token: u64| {
            numbered.weights
                [numbered.texts[0][a.iter().position(|&other| other == token).unwrap()] as usize]
        };
        let mut bags = Bags::new(&numbered);
        for _ in 0..2 {
            let common = bags.common(&[0..5, 0..5]);
            assert_eq!(
                (common.tokens, common.weight),
                (3, 2 * weight(1) + weight(3))
            );
            assert!(0.0 < common.density() && common.density() < 1.0);
            assert_eq!(bags.common(&[0..0, 0..5]).tokens, 0);
            assert_eq!(bags.with(&[0..2, 0..5], |_, counts| counts[0]), [2, 3]);
        }
    }
}

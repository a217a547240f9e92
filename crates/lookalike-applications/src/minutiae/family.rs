//! Finds candidate pairs by random sets of squares (*Mining of Massive Datasets*, section 3.8.4). Two prints are candidates when
//! both have minutiae in all squares of a set.

use lookalike::fingerprint::{SplitMix64, finish};

use super::grid::Squares;
use crate::error::{Error, Result};

/// The largest number of squares in a set; the next constant is the largest number of sets.
const MAX_MEMBERS: u32 = 64;
const MAX_SETS: u32 = 1 << 20;

/// Random sets of squares. Unlike the permutations of MinHash, a set requires that each of its squares has minutiae in both
/// prints. Most squares of most prints are empty, so a square that is empty in both prints is no evidence that the prints match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    members: usize,
    /// The squares of all sets, one set after the other.
    squares: Vec<u32>,
}

impl Family {
    /// Draws `sets` sets from a seed, each with `members` distinct squares out of `squares` squares. The book has 1024 sets of
    /// three squares.
    ///
    /// # Errors
    /// Fails if there are no sets or more than 2²⁰ sets. Also fails if a set has no squares, more than 64 squares, or more
    /// squares than exist.
    pub fn new(sets: u32, members: u32, squares: u32, seed: u64) -> Result<Self> {
        check(sets, members, squares)?;
        let mut random = SplitMix64::new(seed);
        let mut drawn: Vec<u32> = Vec::with_capacity((sets * members) as usize);
        for set in 0..sets as usize {
            let first = set * members as usize;
            while drawn.len() < first + members as usize {
                let square = below(random.next_u64(), squares);
                if !drawn[first..].contains(&square) {
                    drawn.push(square);
                }
            }
        }
        Ok(Self {
            members: members as usize,
            squares: drawn,
        })
    }

    /// Returns the numbers, in ascending order, of the sets in which every square has minutiae of the print. Cost: about 1.25
    /// lookups per set if 20 % of the squares have minutiae.
    pub fn keys(&self, print: &Squares) -> Vec<u32> {
        let sets = self.squares.chunks_exact(self.members).zip(0..);
        sets.filter(|(set, _)| set.iter().all(|&square| print.has(square)))
            .map(|(_, number)| number)
            .collect()
    }
}

fn check(sets: u32, members: u32, squares: u32) -> Result<()> {
    let possible =
        (1..=MAX_SETS).contains(&sets) && (1..=MAX_MEMBERS.min(squares)).contains(&members);
    if possible {
        Ok(())
    } else {
        Err(Error::Family {
            sets,
            members,
            squares,
            most: MAX_MEMBERS.min(squares),
        })
    }
}

/// Maps a random number to a number below `n`.
fn below(random: u64, n: u32) -> u32 {
    ((u128::from(random) * u128::from(n)) >> 64) as u32
}

/// A model of how likely random sets are to find a pair of prints. It assumes that each square of a print has minutiae
/// independently of the other squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// The probability that a square has minutiae; the guess in *Mining of Massive Datasets* is 0.2.
    pub share: f64,
    /// The probability that a square with minutiae in one print also has minutiae in another print of the same finger; the book's
    /// guess is 0.8.
    pub agreement: f64,
    /// The number of sets.
    pub sets: u32,
    /// The number of squares in a set.
    pub members: u32,
}

/// The shares of simulated pairs that became candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulated {
    /// The share for two prints of one finger.
    pub same: f64,
    /// The share for prints of two different fingers.
    pub other: f64,
}

impl Default for Model {
    /// Returns the book's model.
    fn default() -> Self {
        Self {
            share: 0.2,
            agreement: 0.8,
            sets: 1024,
            members: 3,
        }
    }
}

impl Model {
    /// Returns the probability that two prints of one finger are candidates: 1 − (1 − (share · agreement)^members)^sets.
    pub fn same(&self) -> f64 {
        self.some(self.share * self.agreement)
    }

    /// Returns the probability that prints of two different fingers are candidates: 1 − (1 − (share²)^members)^sets.
    pub fn other(&self) -> f64 {
        self.some(self.share * self.share)
    }

    /// Returns the probability that both prints have minutiae in all squares of at least one set. `both` is the probability that
    /// both prints have minutiae in a given square.
    fn some(&self, both: f64) -> f64 {
        let all = both.powi(self.members as i32);
        -f64::exp_m1(f64::from(self.sets) * f64::ln_1p(-all))
    }

    /// Estimates by simulation the probabilities that [`same`](Self::same) and [`other`](Self::other) compute. Each of `trials`
    /// trials draws a family and two pairs of prints on a field of `squares` squares, and checks them as [`Family::keys`] does.
    /// If the field is large compared with the sets, the result agrees with the formulas. On a small field, sets have squares in
    /// common. A print that contains all squares of one set then often contains all squares of another set too, and fewer pairs
    /// become candidates.
    ///
    /// # Errors
    /// Fails in the same cases as [`Family::new`], and also if a share is not between 0 and 1.
    pub fn simulate(&self, squares: u32, trials: u32, seed: u64) -> Result<Simulated> {
        check(self.sets, self.members, squares)?;
        for share in [self.share, self.agreement] {
            if !(0.0..=1.0).contains(&share) {
                return Err(
                    lookalike::Error::from(lookalike::ErrorKind::Resemblance(share)).into(),
                );
            }
        }
        let mut random = SplitMix64::new(seed);
        let (mut same, mut other) = (0u32, 0u32);
        for _ in 0..trials {
            let family = Family::new(self.sets, self.members, squares, random.next_u64())?;
            // Whether a print has minutiae in a square is computed from the print's random number and the square, so only the
            // squares that are looked up are drawn.
            let [first, second, third] = [(); 3].map(|()| random.next_u64());
            let drawn = |print: u64, square: u32, share: f64| {
                unit(finish(print ^ u64::from(square))) < share
            };
            let has = |square: u32| drawn(first, square, self.share);
            let found = |and: &dyn Fn(u32) -> bool| {
                let mut sets = family.squares.chunks_exact(family.members);
                u32::from(sets.any(|set| set.iter().all(|&square| has(square) && and(square))))
            };
            same += found(&|square| drawn(second, square, self.agreement));
            other += found(&|square| drawn(third, square, self.share));
        }
        let [same, other] = [same, other].map(|found| f64::from(found) / f64::from(trials.max(1)));
        Ok(Simulated { same, other })
    }
}

/// Maps a random number to a number from 0 (inclusive) to 1 (exclusive).
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minutiae::{Grid, Minutia};

    #[test]
    fn the_sources_two_probabilities() {
        let model = Model::default();
        assert_eq!(
            [model.same(), model.other()].map(|p| (p * 1000.0).round()),
            [985.0, 63.0]
        );
        let direct = |p: f64| 1.0 - (1.0 - p).powi(1024);
        assert!(
            (model.same() - direct(0.004096)).abs() < 1e-12
                && (model.other() - direct(0.000064)).abs() < 1e-12
        );
    }

    #[test]
    fn larger_sets_lower_both() {
        let figures = [3, 4, 5].map(|members| {
            let model = Model {
                members,
                ..Model::default()
            };
            [model.same(), model.other()].map(|p| (p * 1e5).round() / 1e5)
        });
        assert_eq!(
            figures,
            [[0.98505, 0.06344], [0.48896, 0.00262], [0.10182, 0.00010]]
        );
    }

    #[test]
    fn simulations_agree_with_the_formulas_within_four_standard_errors() {
        let trials = 4_000;
        for (sets, members, share, agreement) in [
            (1024, 3, 0.2, 0.8),
            (1024, 4, 0.2, 0.8),
            (1024, 5, 0.2, 0.8),
            (64, 2, 0.1, 0.5),
            (10, 1, 0.2, 0.9),
        ] {
            let model = Model {
                share,
                agreement,
                sets,
                members,
            };
            let found = model.simulate(1 << 24, trials, 7).unwrap();
            for (found, formula) in [(found.same, model.same()), (found.other, model.other())] {
                let error = (formula * (1.0 - formula) / f64::from(trials)).sqrt();
                assert!(
                    (found - formula).abs() <= 4.0 * error,
                    "{found} for {formula}: {model:?}"
                );
            }
        }
    }

    #[test]
    fn fewer_pairs_become_candidates_on_a_small_field() {
        let found = Model::default().simulate(300, 4_000, 7).unwrap();
        assert!(found.same < 0.98 && found.other < 0.06, "{found:?}");
    }

    #[test]
    fn keys_are_frozen_and_name_the_sets_of_a_print() {
        let grid = Grid::new(16, 3, 320, 400).unwrap();
        let minutiae: Vec<Minutia> = (0..60)
            .map(|i| Minutia {
                x: i * 37 % 320,
                y: i * 53 % 400,
                angle: (i * 11) as u8,
            })
            .collect();
        let print = grid.print(&minutiae);
        let family = Family::new(1024, 3, grid.squares(), 1).unwrap();
        let keys = family.keys(&print);
        let naive = |set: usize| {
            family.squares[3 * set..3 * set + 3]
                .iter()
                .filter(|square| print.has(**square))
                .count()
                == 3
        };
        assert_eq!(
            keys,
            (0..1024)
                .filter(|&set| naive(set as usize))
                .collect::<Vec<u32>>()
        );
        assert_eq!(
            (grid.squares(), print.count(), keys),
            (500, 124, FROZEN.to_vec())
        );
        assert_eq!(&family.squares[..6], FROZEN_SETS);
        assert_ne!(Family::new(1024, 3, 500, 2).unwrap(), family);
    }

    const FROZEN: [u32; 20] = [
        17, 69, 200, 239, 282, 306, 345, 356, 364, 450, 466, 660, 740, 747, 756, 781, 803, 825,
        878, 883,
    ];
    const FROZEN_SETS: [u32; 6] = [283, 372, 485, 222, 381, 438];

    #[test]
    fn a_set_has_no_square_twice() {
        let family = Family::new(500, 5, 5, 3).unwrap();
        for set in family.squares.chunks_exact(5) {
            let mut set = set.to_vec();
            set.sort_unstable();
            assert_eq!(set, [0, 1, 2, 3, 4]);
        }
        for (sets, members, squares) in [
            (0, 3, 9),
            (9, 0, 9),
            (9, 4, 3),
            (9, 65, 99),
            (1 << 21, 3, 99),
        ] {
            assert!(
                Family::new(sets, members, squares, 1)
                    .unwrap_err()
                    .to_string()
                    .contains("sets of")
            );
        }
    }
}

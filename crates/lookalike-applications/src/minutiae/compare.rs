//! Turns prints into scored pairs, by one of three methods.

use super::{
    align::{FEWEST_ALIGNED, MAX_TURN, align},
    family::Family,
    grid::{Grid, Squares},
    index::Index,
    near::{Near, NearScratch, Neighbours},
    ranking::Ranked,
    turn::Minutia,
};
use crate::error::Result;

/// The method by which prints are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum By {
    /// By the squares of a grid, without aligning the prints.
    Grid(Field),
    /// By the squares of a grid, after one print of the pair has been aligned with the other print. A print with fewer than three
    /// minutiae is in no candidate pair.
    Aligned(Field),
    /// By triangles of neighbouring minutiae, which do not depend on the position of the prints.
    Neighbours(Neighbours),
}

/// The squares into which prints are divided, and the sets of squares that candidates share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The side of a square, in pixels.
    pub square: u32,
    /// Minutiae within this number of pixels of a border between two squares count in both squares.
    pub margin: u32,
    /// The number of random sets of squares; 0 makes all pairs candidates.
    pub sets: u32,
    /// The number of squares in a set.
    pub members: u32,
    /// The seed from which the sets are drawn.
    pub seed: u64,
}

impl Default for Field {
    fn default() -> Self {
        Self {
            square: 12,
            margin: 4,
            sets: 1024,
            members: 3,
            seed: 1,
        }
    }
}

/// Prints that are prepared for comparison with each other.
#[derive(Debug)]
pub struct Prints<'a> {
    prints: &'a [Vec<Minutia>],
    way: Way,
}

#[derive(Debug)]
enum Way {
    Grid {
        squares: Vec<Squares>,
        keys: Option<Index>,
    },
    Aligned {
        ground: Ground,
        squares: Vec<Squares>,
        keys: Option<Vec<Vec<u64>>>,
    },
    Neighbours(Near),
}

/// A grid over the area that contains the prints, and sets of its squares.
#[derive(Debug)]
struct Ground {
    grid: Grid,
    /// The x coordinate of the grid's corner; `y` is its y coordinate.
    x: i32,
    y: i32,
    family: Option<Family>,
}

impl Ground {
    /// Creates a grid over all prints. The borders of squares are at multiples of their side, independently of the prints.
    fn new(prints: &[Vec<Minutia>], field: Field) -> Result<Self> {
        let side = i64::from(field.square.max(1));
        let span = |of: fn(&Minutia) -> i32| {
            let all = || {
                prints
                    .iter()
                    .flatten()
                    .map(|minutia| i64::from(of(minutia)))
            };
            let first = all().min().unwrap_or(0).div_euclid(side) * side;
            (first, all().max().unwrap_or(0) - first + 1)
        };
        let ((x, width), (y, height)) = (span(|minutia| minutia.x), span(|minutia| minutia.y));
        let pixels = |along: i64| u32::try_from(along).unwrap_or(u32::MAX);
        let grid = Grid::new(field.square, field.margin, pixels(width), pixels(height))?;
        let family = match field.sets {
            0 => None,
            sets => Some(Family::new(
                sets,
                field.members,
                grid.squares(),
                field.seed,
            )?),
        };
        Ok(Self {
            grid,
            x: x as i32,
            y: y as i32,
            family,
        })
    }

    fn squares(&self, print: &[Minutia]) -> Squares {
        let moved = |minutia: &Minutia| Minutia {
            x: minutia.x.saturating_sub(self.x),
            y: minutia.y.saturating_sub(self.y),
            ..*minutia
        };
        self.grid
            .print(&print.iter().map(moved).collect::<Vec<_>>())
    }

    /// Returns the keys of all prints, if candidates are the pairs that share a key.
    fn keys(&self, squares: &[Squares]) -> Option<Vec<Vec<u64>>> {
        let family = self.family.as_ref()?;
        Some(
            squares
                .iter()
                .map(|squares| family.keys(squares).into_iter().map(u64::from).collect())
                .collect(),
        )
    }
}

impl<'a> Prints<'a> {
    /// Computes the squares, keys or triangles of all prints. Coordinates must be below 2³⁰.
    ///
    /// # Errors
    /// Fails if the grid or the family is impossible.
    pub fn new(prints: &'a [Vec<Minutia>], by: &By) -> Result<Self> {
        let way = match by {
            By::Grid(field) | By::Aligned(field) => {
                let ground = Ground::new(prints, *field)?;
                let squares: Vec<Squares> =
                    prints.iter().map(|print| ground.squares(print)).collect();
                let keys = ground.keys(&squares);
                if matches!(by, By::Aligned(_)) {
                    Way::Aligned {
                        ground,
                        squares,
                        keys,
                    }
                } else {
                    Way::Grid {
                        squares,
                        keys: keys.map(Index::new),
                    }
                }
            }
            By::Neighbours(neighbours) => Way::Neighbours(Near::new(prints, neighbours)),
        };
        Ok(Self { prints, way })
    }

    /// Returns the earlier prints that are candidates for a print, with their scores. If prints are compared by squares, the
    /// score is the resemblance of both sets of squares. If they are compared by triangles, it is that of [`Near::before`].
    pub fn before(&self, b: u32, scratch: &mut NearScratch) -> Vec<Ranked> {
        let at = b as usize;
        match &self.way {
            Way::Grid { squares, keys } => {
                let candidates: Vec<u32> = match keys {
                    None => (0..b).collect(),
                    Some(index) => {
                        let mut found: Vec<u32> = index
                            .having(b)
                            .flat_map(|having| having.iter().take_while(|&&a| a < b))
                            .copied()
                            .collect();
                        found.sort_unstable();
                        found.dedup();
                        found
                    }
                };
                let ranked = |a| Ranked {
                    a,
                    b,
                    score: squares[a as usize].resemblance(&squares[at]),
                };
                candidates.into_iter().map(ranked).collect()
            }
            Way::Aligned { .. } => (0..b).filter_map(|a| self.aligned(a, b)).collect(),
            Way::Neighbours(near) => near.before(b, scratch),
        }
    }

    /// Aligns print a with print b, and returns the pair with the score of [`before`](Self::before). Returns `None` if the pair is no
    /// candidate, or if prints are not compared by aligning.
    pub fn aligned(&self, a: u32, b: u32) -> Option<Ranked> {
        let Way::Aligned {
            ground,
            squares,
            keys,
        } = &self.way
        else {
            return None;
        };
        let [print, onto] = [a, b].map(|number| &self.prints[number as usize]);
        if print.len().min(onto.len()) < FEWEST_ALIGNED {
            return None;
        }
        let laid = ground.squares(&align(print, onto, MAX_TURN)?.lay(print));
        if let (Some(family), Some(keys)) = (&ground.family, keys) {
            let shares = |key: &u32| keys[b as usize].binary_search(&u64::from(*key)).is_ok();
            family.keys(&laid).iter().find(|key| shares(key))?;
        }
        Some(Ranked {
            a,
            b,
            score: laid.resemblance(&squares[b as usize]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::fingerprint::SplitMix64;

    /// Returns several prints of each finger, each placed a little differently, with minutiae moved, lost and added.
    fn cards(fingers: u64, impressions: u64) -> Vec<Vec<Minutia>> {
        let mut all = Vec::new();
        for finger in 0..fingers {
            for impression in 0..impressions {
                let (mut of_finger, mut of_print) = (
                    SplitMix64::new(finger),
                    SplitMix64::new(1000 * finger + impression),
                );
                let mut below = |n: u64| (of_print.next_u64() % n) as i32;
                let placement = super::super::align::Placement {
                    turn: below(33) as u8,
                    dx: f64::from(below(60)),
                    dy: f64::from(below(60)),
                    votes: 0,
                };
                let mut print = Vec::new();
                for _ in 0..40 {
                    let random = of_finger.next_u64();
                    let (x, y) = (
                        (random % 300) as i32 + below(5),
                        (random >> 20) as i32 % 300 + below(5),
                    );
                    let angle = ((random >> 50) as u8).wrapping_add(below(9) as u8);
                    if below(6) > 0 {
                        print.push(Minutia {
                            x,
                            y: y.abs(),
                            angle,
                        });
                    } else {
                        print.push(Minutia {
                            x: below(300),
                            y: below(300),
                            angle: below(256) as u8,
                        });
                    }
                }
                all.push(placement.lay(&print));
            }
        }
        all
    }

    fn best(prints: &[Vec<Minutia>], by: By, most: usize) -> Vec<(u32, u32)> {
        let ready = Prints::new(prints, &by).unwrap();
        let (mut ranking, mut scratch) = (super::super::Ranking::new(most), NearScratch::default());
        (0..prints.len() as u32)
            .flat_map(|b| ready.before(b, &mut scratch))
            .for_each(|pair| ranking.push(pair));
        ranking
            .into_pairs()
            .iter()
            .map(|pair| (pair.a, pair.b))
            .collect()
    }

    #[test]
    fn displaced_prints_are_found_by_alignment_and_by_neighbours() {
        let prints = cards(12, 3);
        let all = Field {
            sets: 0,
            ..Field::default()
        };
        let genuine = |by| {
            best(&prints, by, 36)
                .iter()
                .filter(|(a, b)| a / 3 == b / 3)
                .count()
        };
        let figures = [
            By::Grid(all),
            By::Aligned(all),
            By::Neighbours(Neighbours::default()),
        ]
        .map(genuine);
        assert!(
            figures[0] < 12 && figures[1] >= 34 && figures[2] >= 34,
            "{figures:?}"
        );
    }

    #[test]
    fn candidates_of_a_family_are_the_pairs_that_share_a_key() {
        let prints = cards(6, 2);
        let field = Field {
            square: 30,
            margin: 8,
            sets: 200,
            ..Field::default()
        };
        let ground = Ground::new(&prints, field).unwrap();
        let keys: Vec<Vec<u32>> = prints
            .iter()
            .map(|print| ground.family.as_ref().unwrap().keys(&ground.squares(print)))
            .collect();
        let share = |a: u32, b: u32| {
            keys[a as usize]
                .iter()
                .any(|key| keys[b as usize].contains(key))
        };
        let mut expected: Vec<(u32, u32)> = (0..12)
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .filter(|&(a, b)| share(a, b))
            .collect();
        let mut found = best(&prints, By::Grid(field), usize::MAX);
        expected.sort_unstable();
        found.sort_unstable();
        assert!(
            !expected.is_empty() && expected.len() < 66,
            "{}",
            expected.len()
        );
        assert_eq!(found, expected);
        assert_eq!(
            best(&prints, By::Grid(Field { sets: 0, ..field }), usize::MAX).len(),
            66
        );
        assert!(best(&prints, By::Aligned(field), usize::MAX).len() < 66);
    }

    #[test]
    fn prints_without_minutiae_match_no_print() {
        let mut prints = cards(2, 1);
        prints.extend([Vec::new(), Vec::new()]);
        for by in [
            By::Grid(Field::default()),
            By::Aligned(Field::default()),
            By::Neighbours(Neighbours::default()),
        ] {
            assert!(
                best(&prints, by, 9).iter().all(|&pair| pair == (0, 1)),
                "{by:?}"
            );
        }
    }
}

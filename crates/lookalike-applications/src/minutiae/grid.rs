//! Turns minutiae into squares of a grid.

use super::turn::Minutia;
use crate::error::{Error, Result};

/// A grid that divides aligned prints into squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    square: i32,
    margin: i32,
    columns: i32,
    rows: i32,
}

impl Grid {
    /// Creates squares of `square` pixels over a field of `width` by `height`; the last squares may extend beyond the field. A
    /// minutia within `margin` pixels of a border also counts in the adjacent square, and at a corner in all adjacent squares. So
    /// prints of one finger still share squares if their positions differ slightly: two minutiae share a square if they are at
    /// most twice the margin apart in both directions.
    ///
    /// # Errors
    /// Fails if a square has no pixels, or if the margin is half a square or more (then every minutia would count in several
    /// squares). Also fails if the field has no squares or more than 2²⁴ squares.
    pub fn new(square: u32, margin: u32, width: u32, height: u32) -> Result<Self> {
        let squares =
            u64::from(width.div_ceil(square.max(1))) * u64::from(height.div_ceil(square.max(1)));
        if square == 0
            || margin * 2 >= square
            || square > 1 << 16
            || squares == 0
            || squares > 1 << 24
        {
            return Err(Error::Grid {
                square,
                margin,
                width,
                height,
            });
        }
        let along = |pixels: u32| pixels.div_ceil(square) as i32;
        Ok(Self {
            square: square as i32,
            margin: margin as i32,
            columns: along(width),
            rows: along(height),
        })
    }

    /// Returns the number of squares.
    pub fn squares(&self) -> u32 {
        (self.columns * self.rows) as u32
    }

    /// Returns the squares in which a print has minutiae. Minutiae outside the field are ignored.
    pub fn print(&self, minutiae: &[Minutia]) -> Squares {
        let mut squares = Squares {
            bits: vec![0; self.squares().div_ceil(64) as usize],
        };
        for minutia in minutiae {
            let along = |at: i32, all: i32| {
                let of = |at: i32| at.div_euclid(self.square);
                of(at.saturating_sub(self.margin)).max(0)
                    ..=of(at.saturating_add(self.margin)).min(all - 1)
            };
            for row in along(minutia.y, self.rows) {
                along(minutia.x, self.columns)
                    .for_each(|column| squares.set((row * self.columns + column) as u32));
            }
        }
        squares
    }
}

/// A set of squares, with one bit per square.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Squares {
    bits: Vec<u64>,
}

impl Squares {
    fn set(&mut self, square: u32) {
        self.bits[square as usize / 64] |= 1 << (square % 64);
    }

    /// Returns whether the set contains a square.
    pub fn has(&self, square: u32) -> bool {
        self.bits
            .get(square as usize / 64)
            .is_some_and(|word| word >> (square % 64) & 1 == 1)
    }

    /// Returns the number of squares in the set.
    pub fn count(&self) -> u32 {
        self.bits.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the number of squares that both sets contain.
    pub fn shared(&self, other: &Self) -> u32 {
        self.bits
            .iter()
            .zip(&other.bits)
            .map(|(a, b)| (a & b).count_ones())
            .sum()
    }

    /// Returns |A ∩ B| / |A ∪ B|; 0 if both are empty. Cost: a nanosecond for each 64 squares of the grid.
    pub fn resemblance(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.count() + other.count() - shared;
        if all == 0 {
            0.0
        } else {
            f64::from(shared) / f64::from(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(x: i32, y: i32) -> Minutia {
        Minutia { x, y, angle: 0 }
    }

    fn of(grid: Grid, x: i32, y: i32) -> Vec<u32> {
        let squares = grid.print(&[at(x, y)]);
        (0..grid.squares())
            .filter(|&square| squares.has(square))
            .collect()
    }

    #[test]
    fn a_minutia_near_a_border_is_in_both_squares_and_at_a_corner_in_four() {
        // The squares of the grid: 0 1 2 3 / 4 5 6 7 / 8 9 10 11
        let grid = Grid::new(10, 2, 40, 25).unwrap();
        for (x, y, squares) in [
            (15, 15, &[5][..]),
            (12, 15, &[5]),
            (11, 15, &[4, 5]),
            (18, 15, &[5, 6]),
            (17, 15, &[5]),
            (15, 19, &[5, 9]),
            (11, 11, &[0, 1, 4, 5]),
            (0, 0, &[0]),
            (39, 24, &[11]),
            (41, 15, &[7]),
            (42, 15, &[]),
            (-3, 15, &[]),
            (i32::MAX, i32::MIN, &[]),
        ] {
            assert_eq!(of(grid, x, y), squares, "{x} {y}");
        }
    }

    #[test]
    fn invalid_grids_are_refused() {
        for (square, margin, width, height) in [
            (0, 0, 9, 9),
            (8, 4, 9, 9),
            (8, 2, 0, 9),
            (1, 0, 1 << 20, 1 << 20),
        ] {
            let words = Grid::new(square, margin, width, height)
                .unwrap_err()
                .to_string();
            assert!(words.contains("margin"), "{words}");
        }
        assert!(Grid::new(2, 0, 1, 1).is_ok());
    }

    proptest! {
        #[test]
        fn minutiae_within_twice_the_margin_share_a_square(
            x in 0i32..300, y in 0i32..300, dx in -6i32..=6, dy in -6i32..=6, square in 7u32..40
        ) {
            let grid = Grid::new(square, 3, 300, 300).unwrap();
            let (other_x, other_y) = ((x + dx).clamp(0, 299), (y + dy).clamp(0, 299));
            let shared = grid.print(&[at(x, y)]).shared(&grid.print(&[at(other_x, other_y)]));
            prop_assert!(shared > 0);
        }

        #[test]
        fn a_print_is_the_union_of_its_minutiae(points in prop::collection::vec((0i32..100, 0i32..100), 0..20)) {
            let grid = Grid::new(9, 3, 100, 100).unwrap();
            let whole = grid.print(&points.iter().map(|&(x, y)| at(x, y)).collect::<Vec<_>>());
            for square in 0..grid.squares() {
                prop_assert_eq!(whole.has(square), points.iter().any(|&(x, y)| grid.print(&[at(x, y)]).has(square)));
            }
            prop_assert_eq!(whole.count() as usize, (0..grid.squares()).filter(|&square| whole.has(square)).count());
        }
    }
}

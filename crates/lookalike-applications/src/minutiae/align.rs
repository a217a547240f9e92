//! Aligns prints that are in different positions, by the turn and shift that most pairs of minutiae agree on. This is a
//! generalised Hough transform (Ratha, Karu, Chen, Jain, *A real-time matching system for large fingerprint databases*, 1996).

use std::borrow::Cow;

use super::turn::{Minutia, apart, direction, turned};

/// The largest turn between two prints that is tried, in 256ths of a turn. 45° is more than a finger is turned in practice.
pub const MAX_TURN: u8 = 32;

/// Turns are tried in steps of `STEP` 256ths. A pair of minutiae votes for a turn if its angles agree within `AGREE` 256ths.
const STEP: usize = 4;
const AGREE: u8 = 10;

/// The largest number of minutiae of a print that are used for aligning: the most that an ISO/IEC 19794-2 fingerprint card can
/// have. The work grows with the product of both prints' numbers of minutiae.
pub const MOST_ALIGNED: usize = 255;

/// The smallest number of minutiae that a print must have to be aligned. One minutia can always be aligned with another one, and
/// two minutiae can nearly always be aligned with two others, so such alignments are no evidence. Three is also the number of
/// squares in the sets of *Mining of Massive Datasets*, and the number of corners of a triangle.
pub const FEWEST_ALIGNED: usize = 3;

/// The distance between neighbouring cells of votes, in pixels. Each cell is twice as wide as this distance, so that votes that
/// belong together share a cell even if they are near a border.
const CELL: f64 = 10.0;

/// The placement of a print: a turn about the origin, then a shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// The turn, in 256ths of a full turn.
    pub turn: u8,
    /// The horizontal shift, in pixels.
    pub dx: f64,
    /// The vertical shift, in pixels.
    pub dy: f64,
    /// The number of pairs of minutiae that agree on this placement. Divided by the geometric mean of both prints' numbers of
    /// minutiae, it ranks the pairs of the FVC databases better than the grid squares of the aligned prints do. The best tenth of
    /// the pairs then contains 914 genuine pairs instead of 859.
    pub votes: u32,
}

impl Placement {
    /// Returns the placement that turns by `turn` and then shifts so that `from` moves to `to`.
    fn bringing(from: (f64, f64), to: (f64, f64), turn: u8, votes: u32) -> Self {
        let (x, y) = turned(from.0, from.1, turn);
        Self {
            turn,
            dx: to.0 - x,
            dy: to.1 - y,
            votes,
        }
    }

    /// Returns the placed print, rounded to whole pixels.
    pub fn lay(&self, print: &[Minutia]) -> Vec<Minutia> {
        let laid = |minutia: &Minutia| {
            let (x, y) = turned(f64::from(minutia.x), f64::from(minutia.y), self.turn);
            let [x, y] = [x + self.dx, y + self.dy].map(|at| (at + 0.5).floor() as i32);
            Minutia {
                x,
                y,
                angle: minutia.angle.wrapping_add(self.turn),
            }
        };
        print.iter().map(laid).collect()
    }
}

/// Returns the placement that aligns one print with another, if any two of their minutiae can be aligned. The turn is at most
/// `max_turn`, and as many pairs of minutiae as possible agree within about 20 pixels and 14°. Among equally good placements, the
/// first turn wins, counting up from −`max_turn`; for the same turn, the cell of shifts with the lowest number wins. If a print
/// has more than 255 minutiae, only those nearest to its middle vote. Cost: about 0.1 ms for prints of 40 minutiae. The cost
/// grows with the product of both numbers of minutiae, up to about 10 ms for prints of 255 minutiae that all have the same angle.
pub fn align(print: &[Minutia], onto: &[Minutia], max_turn: u8) -> Option<Placement> {
    let (print, onto) = (&*voters(print), &*voters(onto));
    let (most, centre) = (max_turn.min(127) as i32, centre(print)?);
    let mut best: Option<(u32, u8, u64)> = None;
    let (pairs, mut counts, mut corners) = (
        Pairs::new(print, onto, centre),
        Counts::default(),
        Vec::new(),
    );
    for turn in (-most..=most).step_by(STEP).map(|turn| turn as u8) {
        pairs.corners_at(turn, &mut corners);
        if let Some((votes, cell)) = counts.most(&corners)
            && best.is_none_or(|(most, ..)| votes > most)
        {
            best = Some((votes, turn, cell));
        }
    }
    let (votes, turn, cell) = best?;
    let mut shifts = shifts_at(print, onto, centre, turn);
    shifts.retain(|&(_, _, dx, dy)| cells_of(dx, dy).contains(&cell));
    let pairs: Vec<(Minutia, Minutia)> = shifts
        .iter()
        .map(|&(a, b, ..)| (print[a], onto[b]))
        .collect();
    Some(fitted(&pairs, turn, votes))
}

/// Returns those minutiae of a print that vote for placements.
fn voters(print: &[Minutia]) -> Cow<'_, [Minutia]> {
    if print.len() <= MOST_ALIGNED {
        return print.into();
    }
    let (x, y) = centre(print).unwrap_or_default();
    let from_middle =
        |minutia: &Minutia| (f64::from(minutia.x) - x).powi(2) + (f64::from(minutia.y) - y).powi(2);
    let mut nearest: Vec<(f64, usize)> = print.iter().map(from_middle).zip(0..).collect();
    nearest.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    nearest.truncate(MOST_ALIGNED);
    nearest
        .iter()
        .map(|&(_, at)| print[at])
        .collect::<Vec<_>>()
        .into()
}

/// All pairs of minutiae of two prints, by the differences between their angles. A pair votes for few turns, so it is faster to find
/// the pairs of a turn here than to look at all pairs for each turn.
struct Pairs<'a> {
    print: &'a [Minutia],
    onto: &'a [Minutia],
    centre: (f64, f64),
    /// The indices of both minutiae, sorted by the difference.
    pairs: Vec<(u8, u8)>,
    /// For each difference, the position of its first pair; then the number of pairs.
    starts: [usize; 257],
}

impl<'a> Pairs<'a> {
    /// Sorts the pairs of at most [`MOST_ALIGNED`] minutiae by counting.
    fn new(print: &'a [Minutia], onto: &'a [Minutia], centre: (f64, f64)) -> Self {
        let difference = |a: &Minutia, b: &Minutia| usize::from(b.angle.wrapping_sub(a.angle));
        let mut starts = [0; 257];
        for a in print {
            onto.iter().for_each(|b| starts[difference(a, b) + 1] += 1);
        }
        (0..256).for_each(|at| starts[at + 1] += starts[at]);
        let (mut ends, mut pairs) = (starts, vec![(0, 0); print.len() * onto.len()]);
        for (a, i) in print.iter().zip(0..) {
            for (b, j) in onto.iter().zip(0..) {
                let end = &mut ends[difference(a, b)];
                pairs[*end] = (i, j);
                *end += 1;
            }
        }
        Self {
            print,
            onto,
            centre,
            pairs,
            starts,
        }
    }

    /// Collects the first cell of each shift of [`shifts_at`], in another order.
    fn corners_at(&self, turn: u8, into: &mut Vec<(i64, i64)>) {
        let place = |a: &Minutia| {
            turned(
                f64::from(a.x) - self.centre.0,
                f64::from(a.y) - self.centre.1,
                turn,
            )
        };
        let places: Vec<(f64, f64)> = self.print.iter().map(place).collect();
        into.clear();
        for off in 0..=2 * AGREE {
            let difference = usize::from(turn.wrapping_sub(AGREE).wrapping_add(off));
            for &(i, j) in &self.pairs[self.starts[difference]..self.starts[difference + 1]] {
                let ((x, y), b) = (places[usize::from(i)], &self.onto[usize::from(j)]);
                into.push(corner(f64::from(b.x) - x, f64::from(b.y) - y));
            }
        }
    }
}

/// Counts of shifts per cell.
#[derive(Default)]
struct Counts {
    /// The count of each cell. All counts are 0 before and after a call of `most`.
    field: Vec<u32>,
}

impl Counts {
    /// Returns the cell that contains the most shifts (the first such cell if there are several), and the number of these shifts.
    /// The shifts are given by their first cells.
    fn most(&mut self, corners: &[(i64, i64)]) -> Option<(u32, u64)> {
        if corners.is_empty() {
            return None;
        }
        let (mut low, mut high) = ((i64::MAX, i64::MAX), (i64::MIN, i64::MIN));
        for &(x, y) in corners {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let (width, height) = ((high.0 - low.0 + 2) as usize, (high.1 - low.1 + 2) as usize);
        if width.saturating_mul(height) > LARGEST_FIELD {
            return most_by_sorting(corners);
        }
        self.field.resize((width * height).max(self.field.len()), 0);
        let four = |(x, y): (i64, i64)| {
            let at = (x - low.0) as usize * height + (y - low.1) as usize;
            [
                (at, x, y),
                (at + 1, x, y + 1),
                (at + height, x + 1, y),
                (at + height + 1, x + 1, y + 1),
            ]
        };
        let mut best: Option<(u32, u64)> = None;
        for (at, x, y) in corners.iter().flat_map(|&corner| four(corner)) {
            let votes = &mut self.field[at];
            *votes += 1;
            // Each cell with the maximum count reaches it exactly once, so the lowest of these cells wins.
            if best
                .is_none_or(|(most, first)| *votes > most || *votes == most && number(x, y) < first)
            {
                best = Some((*votes, number(x, y)));
            }
        }
        corners
            .iter()
            .flat_map(|&corner| four(corner))
            .for_each(|(at, ..)| self.field[at] = 0);
        best
    }
}

/// Counts as [`Counts::most`] does, for shifts that are far apart.
fn most_by_sorting(corners: &[(i64, i64)]) -> Option<(u32, u64)> {
    let mut cells: Vec<u64> = corners
        .iter()
        .flat_map(|&corner| cells_at(corner))
        .collect();
    cells.sort_unstable();
    let mut best: Option<(u32, u64)> = None;
    for cell in cells.chunk_by(|a, b| a == b) {
        let votes = cell.len() as u32;
        if best.is_none_or(|(most, _)| votes > most) {
            best = Some((votes, cell[0]));
        }
    }
    best
}

/// The largest number of cells for which shifts are counted in an array with one number per cell.
const LARGEST_FIELD: usize = 1 << 18;

/// Two minutiae by their indices, and the shift that brings the first onto the second.
type Shift = (usize, usize, f64, f64);

/// Collects the pairs of minutiae whose angles agree after `print` is turned by `turn` about `centre`. Each pair comes with the
/// shift that then moves the first minutia onto the second.
fn shifts_at(print: &[Minutia], onto: &[Minutia], centre: (f64, f64), turn: u8) -> Vec<Shift> {
    let mut shifts = Vec::new();
    for (i, a) in print.iter().enumerate() {
        let (x, y) = turned(f64::from(a.x) - centre.0, f64::from(a.y) - centre.1, turn);
        let angle = a.angle.wrapping_add(turn);
        let agreeing = onto
            .iter()
            .enumerate()
            .filter(|(_, b)| apart(b.angle, angle) <= AGREE);
        shifts.extend(agreeing.map(|(j, b)| (i, j, f64::from(b.x) - x, f64::from(b.y) - y)));
    }
    shifts
}

/// Returns the numbers of the four cells that a shift (dx, dy) is in. Cells overlap.
fn cells_of(dx: f64, dy: f64) -> [u64; 4] {
    cells_at(corner(dx, dy))
}

/// Returns the numbers of the cells of a shift by the first of them.
fn cells_at((x, y): (i64, i64)) -> [u64; 4] {
    [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| number(x, y))
}

/// Returns the first of the four cells that a shift is in.
fn corner(dx: f64, dy: f64) -> (i64, i64) {
    [dx, dy].map(|along| floor(along / CELL)).into()
}

/// Rounds down as `f64::floor` does, which is a function call on processors without an instruction for it.
fn floor(number: f64) -> i64 {
    let towards_zero = number as i64;
    towards_zero - i64::from(number < towards_zero as f64)
}

fn number(x: i64, y: i64) -> u64 {
    (x as u32 as u64) << 32 | u64::from(y as u32)
}

/// Returns the placement that brings the first of each pair nearest to the second, by least squares.
fn fitted(pairs: &[(Minutia, Minutia)], near: u8, votes: u32) -> Placement {
    let firsts: Vec<Minutia> = pairs.iter().map(|pair| pair.0).collect();
    let seconds: Vec<Minutia> = pairs.iter().map(|pair| pair.1).collect();
    let (Some(from), Some(to)) = (centre(&firsts), centre(&seconds)) else {
        return Placement {
            turn: near,
            dx: 0.0,
            dy: 0.0,
            votes,
        };
    };
    let (mut along, mut across) = (0.0, 0.0);
    for (a, b) in pairs {
        let (ax, ay) = turned(f64::from(a.x) - from.0, f64::from(a.y) - from.1, near);
        let (bx, by) = (f64::from(b.x) - to.0, f64::from(b.y) - to.1);
        along += ax * bx + ay * by;
        across += ax * by - ay * bx;
    }
    // A few pairs that are close together say little about the turn, so a correction by more than one step is ignored.
    let more = direction(along, across);
    let turn = if apart(more, 0) <= STEP as u8 {
        near.wrapping_add(more)
    } else {
        near
    };
    Placement::bringing(from, to, turn, votes)
}

fn centre(print: &[Minutia]) -> Option<(f64, f64)> {
    let n = print.len() as f64;
    let sum = |of: fn(&Minutia) -> i32| {
        print
            .iter()
            .map(|minutia| f64::from(of(minutia)))
            .sum::<f64>()
    };
    (!print.is_empty()).then(|| (sum(|minutia| minutia.x) / n, sum(|minutia| minutia.y) / n))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn print() -> impl Strategy<Value = Vec<Minutia>> {
        let minutia =
            (0i32..300, 0i32..300, any::<u8>()).prop_map(|(x, y, angle)| Minutia { x, y, angle });
        prop::collection::vec(minutia, 12..40)
    }

    proptest! {
        #[test]
        fn a_moved_print_is_aligned_with_the_original(print in print(), turn in -32i8..=32, dx in -90i32..90, dy in -90i32..90) {
            let moved = Placement { turn: turn as u8, dx: dx.into(), dy: dy.into(), votes: 0 }.lay(&print);
            let found = align(&moved, &print, MAX_TURN).unwrap();
            prop_assert!(2 * found.votes as usize >= print.len(), "{:?}", found);
            let laid = found.lay(&moved);
            let near = |(a, b): &(&Minutia, &Minutia)| (a.x - b.x).abs() <= 8 && (a.y - b.y).abs() <= 8 && apart(a.angle, b.angle) <= 3;
            let near = laid.iter().zip(&print).filter(near).count();
            prop_assert!(near * 10 >= print.len() * 9, "{} of {}: {:?}", near, print.len(), found);
        }

        #[test]
        fn larger_rotations_are_not_tried(print in print()) {
            let turned = Placement { turn: 100, dx: 0.0, dy: 0.0, votes: 0 }.lay(&print);
            prop_assert!(align(&turned, &print, MAX_TURN).is_none_or(|found| apart(found.turn, 0) <= MAX_TURN + STEP as u8));
        }
    }

    proptest! {
        #[test]
        fn a_grid_of_cells_counts_as_sorting_does(
            shifts in prop::collection::vec((-900f64..900.0, -900f64..900.0), 1..300), wide in 1f64..60.0,
        ) {
            let corners: Vec<(i64, i64)> = shifts.iter().map(|(dx, dy)| corner(dx / wide, dy / wide)).collect();
            for (&(dx, dy), &(x, y)) in shifts.iter().zip(&corners) {
                prop_assert_eq!((x as f64, y as f64), ((dx / wide / CELL).floor(), (dy / wide / CELL).floor()));
            }
            let mut counts = Counts::default();
            for some in [&corners[..], &corners[1..]] {
                prop_assert_eq!(counts.most(some), most_by_sorting(some));
            }
        }

        #[test]
        fn pairs_by_differences_are_all_pairs_that_agree(print in print(), onto in print(), turn: u8) {
            let centre = centre(&print).unwrap();
            let mut found = Vec::new();
            Pairs::new(&print, &onto, centre).corners_at(turn, &mut found);
            let mut expected: Vec<(i64, i64)> =
                shifts_at(&print, &onto, centre, turn).iter().map(|&(_, _, dx, dy)| corner(dx, dy)).collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    /// Checks prints of thousands of minutiae, which no real print has, and prints of identical minutiae.
    #[test]
    fn only_central_minutiae_vote_if_there_are_very_many() {
        let mut random = lookalike::fingerprint::SplitMix64::new(1);
        let mut below = || (random.next_u64() % 1000) as i32;
        let many: Vec<Minutia> = (0..1000)
            .map(|_| Minutia {
                x: below(),
                y: below(),
                angle: 64,
            })
            .collect();
        let moved = Placement {
            turn: 0,
            dx: 30.0,
            dy: -20.0,
            votes: 0,
        }
        .lay(&many);
        let found = align(&moved, &many, MAX_TURN).unwrap();
        assert!(
            (found.dx + 30.0).abs() < 8.0 && (found.dy - 20.0).abs() < 8.0,
            "{found:?}"
        );
        assert_eq!(voters(&many).len(), MOST_ALIGNED);
        let same = vec![
            Minutia {
                x: 100,
                y: 100,
                angle: 64
            };
            5_000
        ];
        assert_eq!(
            align(&same, &same, MAX_TURN).map(|found| found.votes),
            Some((MOST_ALIGNED * MOST_ALIGNED) as u32)
        );
    }

    #[test]
    fn empty_or_opposite_prints_are_not_aligned() {
        let one = [Minutia {
            x: 1,
            y: 2,
            angle: 3,
        }];
        assert_eq!(align(&[], &one, MAX_TURN), None);
        assert_eq!(align(&one, &[], MAX_TURN), None);
        let far = [Minutia {
            x: 900,
            y: -70,
            angle: 9,
        }];
        assert_eq!(
            align(&one, &far, MAX_TURN)
                .map(|found| found.lay(&one)[0])
                .map(|laid| (laid.x, laid.y)),
            Some((900, -70))
        );
        assert_eq!(
            align(
                &one,
                &[Minutia {
                    angle: 128,
                    ..one[0]
                }],
                MAX_TURN
            ),
            None
        );
    }
}

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
        Self { turn, dx: to.0 - x, dy: to.1 - y, votes }
    }

    /// Returns the placed print, rounded to whole pixels.
    pub fn lay(&self, print: &[Minutia]) -> Vec<Minutia> {
        let laid = |minutia: &Minutia| {
            let (x, y) = turned(f64::from(minutia.x), f64::from(minutia.y), self.turn);
            let [x, y] = [x + self.dx, y + self.dy].map(|at| (at + 0.5).floor() as i32);
            Minutia { x, y, angle: minutia.angle.wrapping_add(self.turn) }
        };
        print.iter().map(laid).collect()
    }
}

/// Returns the placement that aligns one print with another, if any two of their minutiae can be aligned. The turn is at most
/// `max_turn`, and as many pairs of minutiae as possible agree within about 20 pixels and 14°. Among equally good placements, the
/// first turn wins, counting up from −`max_turn`; for the same turn, the cell of shifts with the lowest number wins. If a print
/// has more than 255 minutiae, only those nearest to its middle vote. Cost: about 0.2 ms for prints of 40 minutiae. The cost
/// grows with the product of both numbers of minutiae, up to about 10 ms for prints of 255 minutiae that all have the same angle.
pub fn align(print: &[Minutia], onto: &[Minutia], max_turn: u8) -> Option<Placement> {
    let (print, onto) = (&*voters(print), &*voters(onto));
    let (most, centre) = (max_turn.min(127) as i32, centre(print)?);
    let mut best: Option<(u32, u8, u64)> = None;
    let (mut counts, mut shifts) = (Counts::default(), Vec::new());
    for turn in (-most..=most).step_by(STEP).map(|turn| turn as u8) {
        shifts_at(print, onto, centre, turn, &mut shifts);
        if let Some((votes, cell)) = counts.most(&shifts)
            && best.is_none_or(|(most, ..)| votes > most)
        {
            best = Some((votes, turn, cell));
        }
    }
    let (votes, turn, cell) = best?;
    shifts_at(print, onto, centre, turn, &mut shifts);
    shifts.retain(|&(_, _, dx, dy)| cells_of(dx, dy).contains(&cell));
    let pairs: Vec<(Minutia, Minutia)> = shifts.iter().map(|&(a, b, ..)| (print[a], onto[b])).collect();
    Some(fitted(&pairs, turn, votes))
}

/// Returns those minutiae of a print that vote for placements.
fn voters(print: &[Minutia]) -> Cow<'_, [Minutia]> {
    if print.len() <= MOST_ALIGNED {
        return print.into();
    }
    let (x, y) = centre(print).unwrap_or_default();
    let from_middle = |minutia: &Minutia| (f64::from(minutia.x) - x).powi(2) + (f64::from(minutia.y) - y).powi(2);
    let mut nearest: Vec<(f64, usize)> = print.iter().map(from_middle).zip(0..).collect();
    nearest.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    nearest.truncate(MOST_ALIGNED);
    nearest.iter().map(|&(_, at)| print[at]).collect::<Vec<_>>().into()
}

/// Counts of shifts per cell.
#[derive(Default)]
struct Counts {
    cells: Vec<u64>,
    /// The count of each cell. All counts are 0 before and after a call of `most`.
    field: Vec<u32>,
}

impl Counts {
    /// Returns the cell that contains the most shifts (the first such cell if there are several), and the number of these shifts.
    fn most(&mut self, shifts: &[Shift]) -> Option<(u32, u64)> {
        if shifts.len() < WORTH_A_FIELD {
            return self.most_by_sorting(shifts);
        }
        let corners = shifts.iter().map(|&(_, _, dx, dy)| corner(dx, dy));
        let (mut low, mut high) = ((i64::MAX, i64::MAX), (i64::MIN, i64::MIN));
        corners.clone().for_each(|(x, y)| {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        });
        let (width, height) = ((high.0 - low.0 + 2) as usize, (high.1 - low.1 + 2) as usize);
        if width.saturating_mul(height) > LARGEST_FIELD {
            return self.most_by_sorting(shifts);
        }
        self.field.resize((width * height).max(self.field.len()), 0);
        for (x, y) in corners {
            let at = (x - low.0) as usize * height + (y - low.1) as usize;
            [at, at + 1, at + height, at + height + 1].into_iter().for_each(|at| self.field[at] += 1);
        }
        let mut best: Option<(u32, u64)> = None;
        for (votes, at) in self.field[..width * height].iter_mut().zip(0i64..) {
            let votes = std::mem::take(votes);
            let cell = || number(low.0 + at / height as i64, low.1 + at % height as i64);
            if votes > 0 && best.is_none_or(|(most, first)| votes > most || votes == most && cell() < first) {
                best = Some((votes, cell()));
            }
        }
        best
    }

    fn most_by_sorting(&mut self, shifts: &[Shift]) -> Option<(u32, u64)> {
        let Self { cells, .. } = self;
        cells.clear();
        cells.extend(shifts.iter().flat_map(|&(_, _, dx, dy)| cells_of(dx, dy)));
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
}

/// With at least this number of shifts, counting them in an array with one number per cell is faster than sorting them. The
/// second constant is the largest number of cells that such an array may have.
const WORTH_A_FIELD: usize = 1024;
const LARGEST_FIELD: usize = 1 << 18;

/// Two minutiae by their indices, and the shift that brings the first onto the second.
type Shift = (usize, usize, f64, f64);

/// Collects the pairs of minutiae whose angles agree after `print` is turned by `turn` about `centre`. Each pair comes with the
/// shift that then moves the first minutia onto the second.
fn shifts_at(print: &[Minutia], onto: &[Minutia], centre: (f64, f64), turn: u8, into: &mut Vec<Shift>) {
    into.clear();
    for (i, a) in print.iter().enumerate() {
        let (x, y) = turned(f64::from(a.x) - centre.0, f64::from(a.y) - centre.1, turn);
        let angle = a.angle.wrapping_add(turn);
        let agreeing = onto.iter().enumerate().filter(|(_, b)| apart(b.angle, angle) <= AGREE);
        into.extend(agreeing.map(|(j, b)| (i, j, f64::from(b.x) - x, f64::from(b.y) - y)));
    }
}

/// Returns the numbers of the four cells that a shift (dx, dy) is in. Cells overlap.
fn cells_of(dx: f64, dy: f64) -> [u64; 4] {
    let (x, y) = corner(dx, dy);
    [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| number(x, y))
}

/// Returns the first of the four cells that a shift is in.
fn corner(dx: f64, dy: f64) -> (i64, i64) {
    ((dx / CELL).floor() as i64, (dy / CELL).floor() as i64)
}

fn number(x: i64, y: i64) -> u64 {
    (x as u32 as u64) << 32 | u64::from(y as u32)
}

/// Returns the placement that brings the first of each pair nearest to the second, by least squares.
fn fitted(pairs: &[(Minutia, Minutia)], near: u8, votes: u32) -> Placement {
    let firsts: Vec<Minutia> = pairs.iter().map(|pair| pair.0).collect();
    let seconds: Vec<Minutia> = pairs.iter().map(|pair| pair.1).collect();
    let (Some(from), Some(to)) = (centre(&firsts), centre(&seconds)) else {
        return Placement { turn: near, dx: 0.0, dy: 0.0, votes };
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
    let turn = if apart(more, 0) <= STEP as u8 { near.wrapping_add(more) } else { near };
    Placement::bringing(from, to, turn, votes)
}

fn centre(print: &[Minutia]) -> Option<(f64, f64)> {
    let n = print.len() as f64;
    let sum = |of: fn(&Minutia) -> i32| print.iter().map(|minutia| f64::from(of(minutia))).sum::<f64>();
    (!print.is_empty()).then(|| (sum(|minutia| minutia.x) / n, sum(|minutia| minutia.y) / n))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn print() -> impl Strategy<Value = Vec<Minutia>> {
        let minutia = (0i32..300, 0i32..300, any::<u8>()).prop_map(|(x, y, angle)| Minutia { x, y, angle });
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
            shifts in prop::collection::vec((-900f64..900.0, -900f64..900.0), WORTH_A_FIELD..2 * WORTH_A_FIELD),
            wide in 1f64..60.0,
        ) {
            let shifts: Vec<Shift> = shifts.into_iter().map(|(dx, dy)| (0, 0, dx / wide, dy / wide)).collect();
            let mut counts = Counts::default();
            for some in [&shifts[..], &shifts[1..]] {
                prop_assert_eq!(counts.most(some), counts.most_by_sorting(some));
            }
        }
    }

    /// Checks prints of thousands of minutiae, which no real print has, and prints of identical minutiae.
    #[test]
    fn only_central_minutiae_vote_if_there_are_very_many() {
        let mut random = lookalike::fingerprint::SplitMix64::new(1);
        let mut below = || (random.next_u64() % 1000) as i32;
        let many: Vec<Minutia> = (0..1000).map(|_| Minutia { x: below(), y: below(), angle: 64 }).collect();
        let moved = Placement { turn: 0, dx: 30.0, dy: -20.0, votes: 0 }.lay(&many);
        let found = align(&moved, &many, MAX_TURN).unwrap();
        assert!((found.dx + 30.0).abs() < 8.0 && (found.dy - 20.0).abs() < 8.0, "{found:?}");
        assert_eq!(voters(&many).len(), MOST_ALIGNED);
        let same = vec![Minutia { x: 100, y: 100, angle: 64 }; 5_000];
        assert_eq!(align(&same, &same, MAX_TURN).map(|found| found.votes), Some((MOST_ALIGNED * MOST_ALIGNED) as u32));
    }

    #[test]
    fn empty_or_opposite_prints_are_not_aligned() {
        let one = [Minutia { x: 1, y: 2, angle: 3 }];
        assert_eq!(align(&[], &one, MAX_TURN), None);
        assert_eq!(align(&one, &[], MAX_TURN), None);
        let far = [Minutia { x: 900, y: -70, angle: 9 }];
        assert_eq!(align(&one, &far, MAX_TURN).map(|found| found.lay(&one)[0]).map(|laid| (laid.x, laid.y)), Some((900, -70)));
        assert_eq!(align(&one, &[Minutia { angle: 128, ..one[0] }], MAX_TURN), None);
    }
}

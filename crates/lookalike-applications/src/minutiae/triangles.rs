//! Turns minutiae into sets that do not change when a finger is shifted or turned. An element is a minutia with two of its
//! nearest neighbours, described by the lengths and angles between them. For triplets of minutiae see Germain, Califano, Colville
//! 1997; for the use of nearest neighbours only see the local structures of Jiang, Yau 2000.

use lookalike::fingerprint::finish;

use super::turn::{Minutia, direction};

/// The parameters by which triangles are converted to numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangles {
    /// The number of nearest neighbours; each minutia forms triangles with any two of them.
    pub neighbours: usize,
    /// The step in which lengths are measured, in pixels.
    pub length: f64,
    /// The step in which angles are measured, in 256ths of a turn; it divides 256.
    pub angle: f64,
    /// A value belongs to two neighbouring steps if its distance from the border between them is less than this share of a step.
    /// So two values agree if they differ by up to twice this share.
    pub soft: f64,
}

impl Default for Triangles {
    /// Returns values from the range that was best on FVC prints: four to eight neighbours, length steps of 10 to 24 pixels,
    /// angle steps of 8 to 16 (in 256ths of a turn), and soft shares of 0.25 to 0.45 of a step. The number of genuine pairs that
    /// are found is nearly the same throughout this range. With angle steps of 32, the best tenth of the ranking contains a
    /// seventh fewer genuine pairs.
    fn default() -> Self {
        Self {
            neighbours: 6,
            length: 16.0,
            angle: 16.0,
            soft: 0.25,
        }
    }
}

/// The number of measures of a triangle: two lengths and four angles.
const MEASURES: usize = 6;

impl Triangles {
    /// Returns the sorted set of a print. Shifting the print does not change the set. Turning it changes the set a little,
    /// because pixels are coarse. A print of 40 minutiae gives about 5,000 numbers.
    pub fn set(&self, print: &[Minutia]) -> Vec<u64> {
        let mut set = Vec::new();
        let mut near: Vec<(i64, usize)> = Vec::new();
        for (i, a) in print.iter().enumerate() {
            near.clear();
            near.extend(
                print
                    .iter()
                    .enumerate()
                    .filter(|&(j, _)| j != i)
                    .map(|(j, b)| {
                        let [dx, dy] = [
                            i64::from(b.x) - i64::from(a.x),
                            i64::from(b.y) - i64::from(a.y),
                        ];
                        (dx * dx + dy * dy, j)
                    }),
            );
            if near.len() > self.neighbours {
                near.select_nth_unstable(self.neighbours);
                near.truncate(self.neighbours);
            }
            for (at, &(_, j)) in near.iter().enumerate() {
                for &(_, k) in &near[..at] {
                    self.add(*a, print[j], print[k], &mut set);
                }
            }
        }
        set.sort_unstable();
        set.dedup();
        set
    }

    fn add(&self, a: Minutia, b: Minutia, c: Minutia, set: &mut Vec<u64>) {
        let line = |to: Minutia| {
            let [x, y] = [
                f64::from(to.x) - f64::from(a.x),
                f64::from(to.y) - f64::from(a.y),
            ];
            ((x * x + y * y).sqrt(), direction(x, y))
        };
        let (mut first, mut second) = ((b, line(b)), (c, line(c)));
        // The neighbours are swapped if necessary: the second direction must be less than half a turn counter-clockwise from the
        // first.
        if second.1.1.wrapping_sub(first.1.1) > 128 {
            std::mem::swap(&mut first, &mut second);
        }
        let ((b, (ab, to_b)), (c, (ac, to_c))) = (first, second);
        let angles = [
            a.angle.wrapping_sub(to_b),
            to_c.wrapping_sub(to_b),
            b.angle.wrapping_sub(to_b),
            c.angle.wrapping_sub(to_c),
        ];
        let steps = [ab, ac].map(|length| (length / self.length, None));
        let turns = angles.map(|angle| {
            (
                f64::from(angle) / self.angle,
                Some((256.0 / self.angle) as i64),
            )
        });
        let measures: [(f64, Option<i64>); MEASURES] =
            [steps[0], steps[1], turns[0], turns[1], turns[2], turns[3]];
        self.cross(&measures, 0, set);
    }

    /// Adds one number for each combination of the measures' steps. A measure near the border between two steps counts in both.
    fn cross(&self, measures: &[(f64, Option<i64>)], number: u64, set: &mut Vec<u64>) {
        let Some((&(value, all), rest)) = measures.split_first() else {
            set.push(number);
            return;
        };
        let [low, high] = [value - self.soft, value + self.soft].map(|value| value.floor() as i64);
        for step in low..=high {
            let step = all.map_or(step, |all| step.rem_euclid(all));
            self.cross(
                rest,
                finish(number.wrapping_add(1) ^ (step as u64) << 32),
                set,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::minutiae::Placement;
    use lookalike::verify::Overlap;

    fn print() -> impl Strategy<Value = Vec<Minutia>> {
        let minutia =
            (0i32..300, 0i32..300, any::<u8>()).prop_map(|(x, y, angle)| Minutia { x, y, angle });
        prop::collection::vec(minutia, 0..40)
    }

    fn laid(print: &[Minutia], turn: u8, dx: i32, dy: i32) -> Vec<u64> {
        Triangles::default().set(
            &Placement {
                turn,
                dx: dx.into(),
                dy: dy.into(),
                votes: 0,
            }
            .lay(print),
        )
    }

    proptest! {
        #[test]
        fn a_shift_changes_nothing(print in print(), dx in -900i32..900, dy in -900i32..900) {
            let set = Triangles::default().set(&print);
            prop_assert!(set.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(&laid(&print, 0, dx, dy), &set);
        }

        #[test]
        fn a_turn_changes_little_and_quarter_turns_nothing(
            points in prop::collection::vec((0i32..35, 0i32..35, any::<u8>()), 36), turn: u8
        ) {
            // The minutiae are at least 15 pixels apart, as real ones are.
            let apart = |((x, y, angle), at): (&(i32, i32, u8), i32)| Minutia { x: x + at % 6 * 50, y: y + at / 6 * 50, angle: *angle };
            let print: Vec<Minutia> = points.iter().zip(0..).map(apart).collect();
            let set = Triangles::default().set(&print);
            let turned = Overlap::of(&laid(&print, turn, 0, 0), &set).resemblance();
            prop_assert!(turned > 0.6, "{}", turned);
            let quarter = Overlap::of(&laid(&print, turn / 64 * 64, 3, 4), &set).resemblance();
            // Among neighbours at equal distance, the earlier ones are used, whatever the turn. So a quarter turn does not change
            // the set.
            prop_assert_eq!(quarter, 1.0);
        }
    }

    #[test]
    fn prints_of_few_minutiae() {
        let at = |x, y| Minutia { x, y, angle: 0 };
        assert!(
            [&[][..], &[at(1, 1)], &[at(1, 1), at(9, 9)]]
                .iter()
                .all(|print| Triangles::default().set(print).is_empty())
        );
        // Each of the three corners serves once as the minutia, with the other two as its neighbours.
        assert!(
            !Triangles::default()
                .set(&[at(0, 0), at(40, 7), at(9, 55)])
                .is_empty()
        );
        assert!(!Triangles::default().set(&[at(5, 5); 3]).is_empty());
    }
}

//! Points with a direction, and how they change when a print is turned. Angles are 256ths of a turn, as on ISO/IEC 19794-2 cards,
//! and wrap as bytes do. Only + − × are used, so every machine computes the same bits.

/// A point at which a ridge ends or forks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minutia {
    /// The x coordinate, in pixels.
    pub x: i32,
    /// The y coordinate, in pixels. Angles grow from the x axis towards the y axis, so the y axis points upwards if angles grow
    /// counter-clockwise.
    pub y: i32,
    /// The direction of the ridge in 256ths of a turn, from the x axis towards the y axis.
    pub angle: u8,
}

/// The cosine and sine of every angle.
const DIRECTIONS: [(f64, f64); 256] = directions();

const fn directions() -> [(f64, f64); 256] {
    // These are the cosine and sine of 2π/256.
    let (cos, sin) = (0.999_698_818_696_204_2, 0.024_541_228_522_912_288);
    let mut all = [(1.0, 0.0); 256];
    let mut i = 0;
    while i < 256 {
        let before: (f64, f64) = if i == 0 { (1.0, 0.0) } else { all[i - 1] };
        all[i] = if i == 0 {
            (1.0, 0.0)
        } else if i < 64 {
            (
                before.0 * cos - before.1 * sin,
                before.0 * sin + before.1 * cos,
            )
        } else {
            // Quarter turns are exact.
            (-all[i - 64].1, all[i - 64].0)
        };
        i += 1;
    }
    all
}

/// Returns a point turned about the origin.
pub(super) fn turned(x: f64, y: f64, angle: u8) -> (f64, f64) {
    let (cos, sin) = DIRECTIONS[usize::from(angle)];
    (x * cos - y * sin, x * sin + y * cos)
}

/// Returns the angle of a vector, rounded to the nearest 256th of a turn; 0 for the zero vector.
pub fn direction(x: f64, y: f64) -> u8 {
    if x == 0.0 && y == 0.0 {
        return 0;
    }
    let (x, y, quarters) = match (x > 0.0, y > 0.0) {
        (true, _) if y >= 0.0 => (x, y, 0u8),
        (_, true) => (y, -x, 64),
        (false, _) if x < 0.0 => (-x, -y, 128),
        _ => (-y, x, 192),
    };
    // `reached` is the largest angle of the first quarter turn that is not greater than the angle of the vector (x, y).
    let reached = DIRECTIONS[..64]
        .partition_point(|(cos, sin)| cos * y >= sin * x)
        .saturating_sub(1);
    let along = |at: usize| DIRECTIONS[at].0 * x + DIRECTIONS[at].1 * y;
    let nearest = if along(reached) >= along(reached + 1) {
        reached
    } else {
        reached + 1
    };
    quarters.wrapping_add(nearest as u8)
}

/// Returns the difference between two angles, at most half a turn.
pub(super) fn apart(a: u8, b: u8) -> u8 {
    let difference = a.wrapping_sub(b);
    difference.min(difference.wrapping_neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_the_nearest() {
        for angle in 0..=255u8 {
            let exact = f64::from(angle) * std::f64::consts::TAU / 256.0;
            let (cos, sin) = DIRECTIONS[usize::from(angle)];
            assert!((cos - exact.cos()).abs() < 1e-13 && (sin - exact.sin()).abs() < 1e-13);
            for off in [-0.49, 0.0, 0.49] {
                let near = exact + off * std::f64::consts::TAU / 256.0;
                assert_eq!(
                    direction(300.0 * near.cos(), 300.0 * near.sin()),
                    angle,
                    "{off}"
                );
            }
        }
        assert_eq!(
            [(1.0, 0.0), (0.0, 2.0), (-3.0, 0.0), (0.0, -1.0)].map(|(x, y)| direction(x, y)),
            [0, 64, 128, 192]
        );
        assert_eq!(
            [apart(250, 5), apart(5, 250), apart(0, 128), apart(7, 7)],
            [11, 11, 128, 0]
        );
    }
}

//! The S-curve: the probability that a pair is found, as a function of its similarity.

use crate::error::{ErrorKind, Result};

/// The curve 1 − (1 − sʳ)ᵇ of b bands with r rows each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curve {
    /// b, the number of bands.
    pub bands: usize,
    /// r, the rows per band.
    pub rows: usize,
}

/// The maximum length of a signature.
pub const MAX_SLOTS: usize = 4096;

impl Curve {
    /// Creates a curve. It must have at least one band and one row, and at most [`MAX_SLOTS`] slots.
    pub fn new(bands: usize, rows: usize) -> Result<Self> {
        if bands == 0
            || rows == 0
            || bands
                .checked_mul(rows)
                .is_none_or(|slots| slots > MAX_SLOTS)
        {
            return Err(ErrorKind::Shape {
                bands,
                rows,
                max: MAX_SLOTS,
            }
            .into());
        }
        Ok(Self { bands, rows })
    }

    /// Returns P(found): the probability that a pair of similarity `s` shares at least one band.
    pub fn found(self, s: f64) -> f64 {
        // Computing 1 − (1 − x)ᵇ with logarithms keeps precision if x is tiny or nearly one.
        let x = s.clamp(0.0, 1.0).powi(self.rows as i32);
        if x >= 1.0 {
            1.0
        } else {
            -(self.bands as f64 * (-x).ln_1p()).exp_m1()
        }
    }

    /// Returns (1/b)^(1/r): approximately where the curve is steepest.
    pub fn midpoint(self) -> f64 {
        (1.0 / self.bands as f64).powf(1.0 / self.rows as f64)
    }

    /// Returns the area above the curve, to the right of `t`: the missed pairs, if all similarities were equally frequent.
    pub fn false_negative_area(self, t: f64) -> f64 {
        integrate(|s| 1.0 - self.found(s), t, 1.0)
    }

    /// Returns the area under the curve, to the left of `t`: the candidates that do not match, if all similarities were equally
    /// frequent.
    pub fn false_positive_area(self, t: f64) -> f64 {
        integrate(|s| self.found(s), 0.0, t)
    }
}

/// Integrates with Simpson's rule in 2,000 steps. The curves are smooth, so the error is far below the six digits that are
/// printed.
fn integrate(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const STEPS: usize = 2000;
    let h = (to - from) / STEPS as f64;
    let inner: f64 = (1..STEPS)
        .map(|i| f(from + i as f64 * h) * if i % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    h / 3.0 * (f(from) + inner + f(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked examples of the papers and books.
    #[test]
    fn the_sources_worked_examples() {
        let found = |s, bands, rows| Curve { bands, rows }.found(s);
        assert!((found(0.4, 100, 3) - 0.9986585).abs() < 1e-7);
        assert!((1.0 - found(0.8, 20, 5) - 0.00035).abs() < 1e-5);
        assert!((found(0.3, 20, 5) - 0.0474).abs() < 1e-4);
        // One band of five rows, at .8 and at .4.
        assert!((found(0.8, 1, 5) - 0.328).abs() < 1e-3);
        assert!((found(0.4, 1, 5) - 0.01).abs() < 1e-3);
        // The book's example of matching human fingerprints, with 1024 triples of grid squares: each triple is a band of three
        // rows. It agrees with probability (.2 · .8)³ for two prints of the same finger, and (.2 · .2)³ for prints of different
        // fingers.
        assert!((found(0.2 * 0.8, 1024, 3) - 0.985).abs() < 1e-3);
        assert!((found(0.2 * 0.2, 1024, 3) - 0.063).abs() < 1e-3);
        assert!((Curve { bands: 20, rows: 5 }.midpoint() - 0.549).abs() < 1e-3);
    }

    #[test]
    fn areas_of_one_band_of_one_row_are_triangles() {
        let line = Curve { bands: 1, rows: 1 };
        assert!((line.false_positive_area(0.8) - 0.32).abs() < 1e-9);
        assert!((line.false_negative_area(0.8) - 0.02).abs() < 1e-9);
    }

    #[test]
    fn the_curve_rises_from_zero_to_one() {
        let curve = Curve { bands: 21, rows: 6 };
        assert_eq!((curve.found(0.0), curve.found(1.0)), (0.0, 1.0));
        assert!(
            (0..1000)
                .all(|i| curve.found(f64::from(i) / 1000.0)
                    <= curve.found(f64::from(i + 1) / 1000.0))
        );
    }
}

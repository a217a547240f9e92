//! Estimates, which always include an interval.

use serde::Serialize;

/// A share (or a count, if a function says so) estimated from a sample, with an interval that contains the truth 95 times in 100.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct Estimate {
    /// The estimate. A share is between 0 and 1.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The standard normal's 97.5 % point.
pub(super) const Z: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// Returns the estimate of a quantity that was counted in full, with an interval of width zero.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// Returns the estimate `hits` / `trials` of a share, with Wilson's score interval (Wilson 1927). Unlike the textbook ±, the
    /// interval stays inside [0, 1], and it contains the truth at the stated rate even if the share is near 0 or 1. Without
    /// trials the interval is all of [0, 1].
    pub fn of_share(hits: u64, trials: u64) -> Self {
        if trials == 0 {
            return Self {
                value: 0.0,
                low: 0.0,
                high: 1.0,
            };
        }
        Self::of_trials(hits as f64 / trials as f64, trials as f64, Z)
    }

    /// Returns the estimate of a share that was `p` in `n` trials, with Wilson's interval for `z`, a deviate of the standard
    /// normal or of Student's distribution.
    pub(crate) fn of_trials(p: f64, n: f64, z: f64) -> Self {
        let z2 = z * z;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        Self {
            value: p,
            low: (centre - half).clamp(0.0, p),
            high: (centre + half).clamp(p, 1.0),
        }
    }

    /// Returns the estimate after applying an increasing function, for example to convert a resemblance to a containment.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self {
            value: f(self.value),
            low: f(self.low),
            high: f(self.high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::SplitMix64;

    #[test]
    fn wilson_in_a_table() {
        // Newcombe 1998, table I, method 3.
        for (hits, n, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let e = Estimate::of_share(hits, n);
            assert!(
                (e.low - low).abs() < 5e-5 && (e.high - high).abs() < 5e-5,
                "{e:?}"
            );
        }
    }

    #[test]
    fn the_interval_contains_the_truth_at_its_rate() {
        let mut random = SplitMix64::new(7);
        for p in [0.05, 0.5, 0.8, 0.95] {
            let held = (0..10_000)
                .filter(|_| {
                    let hits = (0..128)
                        .filter(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 <= p)
                        .count();
                    let e = Estimate::of_share(hits as u64, 128);
                    e.low <= p && p <= e.high
                })
                .count();
            assert!((9_350..=9_750).contains(&held), "{held} of 10,000 at {p}");
        }
    }
}

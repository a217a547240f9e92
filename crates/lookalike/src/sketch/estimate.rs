//! An estimate is never given without its interval.

use serde::Serialize;

/// A share (or a count, where a function says so) estimated from a sample, with the interval that holds the truth 95 times in 100.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct Estimate {
    /// The estimate; a share is 0 to 1.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// The standard normal's 97.5 % point.
pub(super) const Z: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// What was counted in full: an interval of no width.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// `hits` out of `trials`, with Wilson's score interval (Wilson 1927): unlike the textbook ± it stays inside [0, 1]
    /// and keeps its promise near both ends. No trials tell nothing: the interval is all of [0, 1].
    pub fn of_share(hits: u64, trials: u64) -> Self {
        if trials == 0 {
            return Self { value: 0.0, low: 0.0, high: 1.0 };
        }
        Self::of_trials(hits as f64 / trials as f64, trials as f64, Z)
    }

    /// A share `p` of `n` trials, with Wilson's interval for a standard normal or a Student's deviate `z`.
    pub(crate) fn of_trials(p: f64, n: f64, z: f64) -> Self {
        let z2 = z * z;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        Self { value: p, low: (centre - half).clamp(0.0, p), high: (centre + half).clamp(p, 1.0) }
    }

    /// The same estimate through an increasing function, such as containment from resemblance.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::SplitMix64;

    #[test]
    fn wilson_in_a_table() {
        // Newcombe 1998, table I, method 3.
        for (hits, n, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let e = Estimate::of_share(hits, n);
            assert!((e.low - low).abs() < 5e-5 && (e.high - high).abs() < 5e-5, "{e:?}");
        }
    }

    #[test]
    fn the_interval_holds_the_truth_at_its_rate() {
        let mut random = SplitMix64::new(7);
        for p in [0.05, 0.5, 0.8, 0.95] {
            let held = (0..10_000)
                .filter(|_| {
                    let hits = (0..128).filter(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 <= p).count();
                    let e = Estimate::of_share(hits as u64, 128);
                    e.low <= p && p <= e.high
                })
                .count();
            assert!((9_350..=9_750).contains(&held), "{held} of 10,000 at {p}");
        }
    }
}

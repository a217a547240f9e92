//! Probabilities, odds in bits, and shares.

/// Returns the probability that has these odds, in bits.
pub fn probability(bits: f64) -> f64 {
    1.0 / (1.0 + (-bits).exp2())
}

/// Returns the odds of a probability, in bits.
pub(in crate::records) fn bits(probability: f64) -> f64 {
    (probability / (1.0 - probability)).log2()
}

/// Divides counts by their sum.
pub(super) fn shares(counts: Vec<f64>) -> Vec<f64> {
    let all: f64 = counts.iter().sum();
    counts.into_iter().map(|count| count / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_and_odds_are_inverse() {
        for (odds, expected) in [
            (0.0, 0.5),
            (1.0, 2.0 / 3.0),
            (-1.0, 1.0 / 3.0),
            (-2000.0, 0.0),
            (2000.0, 1.0),
        ] {
            assert!((probability(odds) - expected).abs() < 1e-12, "{odds}");
        }
        assert!((bits(probability(3.25)) - 3.25).abs() < 1e-9);
        assert_eq!(bits(1.0), f64::INFINITY);
        assert_eq!(shares(vec![1.0, 3.0]), [0.25, 0.75]);
    }
}

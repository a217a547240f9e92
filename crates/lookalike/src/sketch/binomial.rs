//! Sums of the binomial distribution: how many of n sampled elements are shared, if each of them is shared with probability p.

use std::ops::RangeInclusive;

/// The largest share of a sum that may be omitted from it: less than the sum's last bit.
const NEGLIGIBLE: f64 = 1e-18;

/// Returns P(X ∈ `hits`), where X is the number of hits in `n` trials of probability `p`. Cost: one step for each number of hits
/// within a range of about 20 standard deviations. If all of `hits` is outside this range, the steps continue to the nearer end
/// of `hits`.
///
/// The mass at the mode is set to 1, and every other mass is computed from its neighbour by a ratio. Then the sum over `hits` is
/// divided by the sum over all masses. No logarithm is taken and no binomial coefficient is computed, so tails keep their digits
/// down to 10⁻³⁰⁰. Only + − × ÷ are used, so every machine gives the same bits. This matters because the probabilities decide
/// which pairs are candidates.
pub fn probability(n: usize, p: f64, hits: RangeInclusive<usize>) -> f64 {
    let (lo, hi) = hits.into_inner();
    if p <= 0.0 || p >= 1.0 {
        return f64::from(u8::from((lo..=hi).contains(&if p <= 0.0 { 0 } else { n })));
    }
    let (odds, mode) = (p / (1.0 - p), (((n + 1) as f64 * p) as usize).min(n));
    let (mut all, mut inside) = (0.0, 0.0);
    let mut is_last = |k: usize, mass: f64, passed: bool| {
        all += mass;
        if (lo..=hi).contains(&k) {
            inside += mass;
        }
        mass <= NEGLIGIBLE * inside || passed && mass <= NEGLIGIBLE * all
    };
    let mut mass = 1.0;
    for k in mode..=n {
        if is_last(k, mass, k >= hi) {
            break;
        }
        mass *= (n - k) as f64 / (k + 1) as f64 * odds;
    }
    mass = 1.0;
    for k in (0..mode).rev() {
        mass *= (k + 1) as f64 / ((n - k) as f64 * odds);
        if is_last(k, mass, k <= lo) {
            break;
        }
    }
    inside / all
}

/// Returns the distribution of the number of hits in `n` trials of probability `p`: the first number of hits whose probability is
/// not negligible, and the probabilities of this number and the following ones. The omitted probabilities sum to less than 10⁻¹⁵.
/// Cost: one step for each number of hits within a range of about 20 standard deviations.
pub fn masses(n: usize, p: f64) -> (usize, Vec<f64>) {
    if p <= 0.0 || p >= 1.0 {
        return (if p <= 0.0 { 0 } else { n }, vec![1.0]);
    }
    let (odds, mode) = (p / (1.0 - p), (((n + 1) as f64 * p) as usize).min(n));
    let mut below = Vec::new();
    let mut mass = 1.0;
    for k in (0..mode).rev() {
        mass *= (k + 1) as f64 / ((n - k) as f64 * odds);
        if mass < NEGLIGIBLE {
            break;
        }
        below.push(mass);
    }
    let first = mode - below.len();
    let mut masses: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
    mass = 1.0;
    for k in mode..n {
        mass *= (n - k) as f64 / (k + 1) as f64 * odds;
        if mass < NEGLIGIBLE {
            break;
        }
        masses.push(mass);
    }
    let all: f64 = masses.iter().sum();
    masses.iter_mut().for_each(|mass| *mass /= all);
    (first, masses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_in_a_table_of_exact_rationals() {
        for (n, p, hits, exact) in [
            (1, 0.25, 0..=0, 0.75),
            (20, 0.5, 18..=20, 211.0 / 1_048_576.0),
            (100, 0.5, 90..=100, 1.5316450877189926e-17),
            (100, 0.5, 0..=10, 1.5316450877189926e-17),
            (400, 0.1, 360..=400, 2.948622039844442e-307),
            (128, 0.5, 96..=128, 6.420881933046558e-9),
            (200, 0.8, 150..=170, 0.9372266501513783),
            (50, 0.5, 0..=50, 1.0),
            (50, 0.5, 51..=60, 0.0),
            (50, 0.5, RangeInclusive::new(30, 20), 0.0),
        ] {
            let found = probability(n, p, hits.clone());
            assert!(
                (found - exact).abs() <= 1e-13 * exact,
                "{found:e} for {exact:e}: {n} {p} {hits:?}"
            );
        }
        assert_eq!(
            [(0.0, 0), (0.0, 1), (1.0, 5), (1.0, 4)].map(|(p, k)| probability(5, p, k..=k)),
            [1.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn every_sum_is_the_sum_of_the_definitions_terms() {
        for n in 0..40usize {
            for p in [1e-6, 0.03, 0.3, 0.5, 0.77, 0.999] {
                let choose =
                    |k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
                let mass = |k: usize| {
                    choose(k) * f64::powi(p, k as i32) * f64::powi(1.0 - p, (n - k) as i32)
                };
                for lo in 0..=n {
                    for hi in lo..=n {
                        let (found, sum) =
                            (probability(n, p, lo..=hi), (lo..=hi).map(mass).sum::<f64>());
                        assert!(
                            (found - sum).abs() <= 1e-12 * sum,
                            "{found:e} for {sum:e}: {n} {p} {lo}..={hi}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn masses_are_the_probabilities_of_single_numbers() {
        for (n, p) in [
            (0, 0.3),
            (1, 0.5),
            (9, 0.0),
            (9, 1.0),
            (40, 0.125),
            (300, 0.5),
            (1000, 0.8),
            (100_000, 1e-4),
        ] {
            let (first, masses) = masses(n, p);
            for (k, mass) in (first..).zip(&masses) {
                assert!(
                    (mass - probability(n, p, k..=k)).abs() < 1e-13,
                    "{n} {p} {k}"
                );
            }
            assert!((masses.iter().sum::<f64>() - 1.0).abs() < 1e-12 && masses.len() < 2000);
        }
    }
}

//! The number of elements that a sample needs (Broder 1997, section 4.2).
//!
//! If s elements are sampled from A ∪ B, the number k of shared ones is hypergeometric, and nearly binomial if the union is much
//! larger than the sample. A smaller union makes the spread narrower, so the binomial probabilities below are cautious. k / s
//! estimates the resemblance r. The table shows the probability that the estimate is within ε of r:
//!
//! | s | r = .5, ε = .1 | r = .5, ε = .05 | r = .8, ε = .1 | r = .8, ε = .05 | r = .9, ε = .05 | r = .95, ε = .05 |
//! |---|---|---|---|---|---|---|
//! | 50 | .881 | .520 | .951 | .624 | .766 | .962 |
//! | 100 | .965 | .729 | .992 | .832 | .936 | .989 |
//! | 200 | .9964 | .863 | .9997 | .937 | .987 | .9988 |
//! | 400 | .99995 | .960 | 1.0000 | .990 | .9993 | 1.0000 |
//!
//! This confirms the paper: 100 elements are reasonable, and 200 are more than enough to be within .1. But 200 elements are not
//! enough to be within .05 of a resemblance of about .8.
//!
//! The paper's last claim is about all pairs of a collection. Even on the whole Web it is improbable (less than 0.1 %) that any
//! pair with a resemblance of less than half is estimated at more than .9. The paper's Web had 30 million documents, which are
//! 4.5 · 10¹⁴ pairs. A sample of 100 elements estimates one such pair at more than .9 with a probability of at most 1.7 · 10⁻¹⁸.
//! So the sum over all pairs is 7.5 · 10⁻⁴ ([`overestimated_anywhere`]), as the paper says. For a single pair, a sample of 20
//! elements would keep this probability below 0.1 %.

use super::binomial::probability;
use crate::error::{ErrorKind, Result};

/// The largest sample size that is searched.
pub const MAX_SAMPLE: usize = 1 << 17;

/// k / s counts as within ε of r even if it is outside by up to a billionth. Otherwise 70 of 100 would not be within .1 of .8,
/// because the computed .8 − .1 is not exactly .7.
const TOLERANCE: f64 = 1e-9;

/// Returns p(s, r, ε): the probability that `s` sampled elements estimate a resemblance `r` to within `eps`, bounds included. It
/// is the sum of C(s, k) rᵏ (1 − r)ˢ⁻ᵏ over s(r − ε) ≤ k ≤ s(r + ε) (Broder 1997, section 4.2). Bounds are compared with a
/// tolerance of a billionth. Without elements the result is 0. Cost: O(√s).
pub fn within(s: usize, r: f64, eps: f64) -> f64 {
    if s == 0 {
        return 0.0;
    }
    let lo = (s as f64 * (r - eps - TOLERANCE)).ceil().max(0.0);
    probability(s, r, lo as usize..=highest(s, r, eps))
}

fn highest(s: usize, r: f64, eps: f64) -> usize {
    ((s as f64 * (r + eps + TOLERANCE)).floor() as usize).min(s)
}

/// Returns the greatest lower bound of p(s, r, ε) over every r from 0 to 1, for use if the resemblance is not known in advance.
/// Cost: a few times that of [`within`].
///
/// While r moves and no k / s crosses a bound, p(s, r, ε) rises and then falls, because its derivative s · (P(Bin(s−1, r) = lo−1)
/// − P(Bin(s−1, r) = hi)) changes sign once. So the minimum is at a point where some k is just excluded: just above r = k/s + ε
/// or, as its mirror image, just below k/s − ε. Chen 2007, *Exact computation of minimum sample size for estimation of binomial
/// parameters*, also arrives at these points. From one such point to the next, p falls towards the middle, where r(1 − r) is
/// greatest, and rises beyond the middle. So the search starts in the middle and goes downhill; the tests try all points.
pub fn within_at_worst(s: usize, eps: f64) -> f64 {
    let above = |k: usize| {
        let r = k as f64 / s as f64 + eps;
        probability(s, r, k + 1..=highest(s, r, eps))
    };
    if s == 0 {
        return 0.0;
    }
    let last = ((s as f64 * (1.0 - eps)).ceil() as usize).saturating_sub(1);
    let mut k = ((s as f64 * (0.5 - eps)).max(0.0) as usize).min(last);
    let mut least = above(k);
    for step in [1, -1] {
        while let Some(next) = k.checked_add_signed(step).filter(|&next| next <= last) {
            let there = above(next);
            if there >= least {
                break;
            }
            (k, least) = (next, there);
        }
    }
    least
}

/// Returns the smallest reliable sample size: the smallest s such that s elements *and every greater number of them* estimate the
/// resemblance `r` to within `eps` with probability at least `confidence`. A resemblance of `None` means any.
///
/// p(s, r, ε) does not rise steadily with s: it drops wherever one of the bounds s(r ± ε) passes a whole number k. So the first s
/// that reaches the confidence may be followed by larger ones that do not reach it. By Hoeffding's inequality (1963), every s of
/// at least ln(2 / (1 − confidence)) / 2ε² reaches the confidence for every r. Below this bound, p is computed for each s, from
/// the top down to the first s that fails. Cost, for any resemblance at confidence .95: 1 ms for a margin of .05, 10 ms for .02,
/// 0.1 s for .01; about a second at most.
///
/// # Errors
/// Fails if `r` is not in [0, 1], if `eps` or `confidence` is not strictly between 0 and 1, or if Hoeffding's bound is above
/// [`MAX_SAMPLE`].
pub fn smallest_sample(r: Option<f64>, eps: f64, confidence: f64) -> Result<usize> {
    check(r, eps)?;
    if !is_inside(confidence) {
        return Err(ErrorKind::Confidence(confidence).into());
    }
    let enough = ((2.0 / (1.0 - confidence)).ln() / (2.0 * eps * eps)).ceil();
    if enough > MAX_SAMPLE as f64 {
        return Err(ErrorKind::NoSample {
            margin: eps,
            confidence,
            max: MAX_SAMPLE,
        }
        .into());
    }
    let fails =
        |s: &usize| r.map_or_else(|| within_at_worst(*s, eps), |r| within(*s, r, eps)) < confidence;
    Ok((1..=enough as usize).rev().find(fails).map_or(1, |s| s + 1))
}

/// Checks that a resemblance (`None` means any) and a margin are valid. [`within`] does not check its arguments.
///
/// # Errors
/// Fails if `r` is not in [0, 1], or if `eps` is not strictly between 0 and 1.
pub fn check(r: Option<f64>, eps: f64) -> Result<()> {
    match r {
        Some(r) if !(0.0..=1.0).contains(&r) => Err(ErrorKind::Resemblance(r).into()),
        _ if !is_inside(eps) => Err(ErrorKind::Margin(eps).into()),
        _ => Ok(()),
    }
}

/// Returns whether x is between 0 and 1; false for NaN.
fn is_inside(x: f64) -> bool {
    x > 0.0 && x < 1.0
}

/// Returns the probability that `s` sampled elements of sets of resemblance `r` give an estimate of `at_least` or more: P(Bin(s,
/// r) ≥ s · at_least). The product is compared with a tolerance of a billionth of s. The result keeps its relative precision down
/// to 10⁻³⁰⁰. It is smaller for a smaller resemblance.
pub fn overestimated(s: usize, r: f64, at_least: f64) -> f64 {
    let lo = (s as f64 * (at_least - TOLERANCE)).ceil().max(0.0);
    probability(s, r, lo as usize..=s)
}

/// Returns the probability that `s` sampled elements of sets of resemblance `r` give an estimate of more than `above`: P(Bin(s,
/// r) > s · above). The product is compared with a tolerance of a billionth of s.
pub fn overestimated_above(s: usize, r: f64, above: f64) -> f64 {
    let last = (s as f64 * (above + TOLERANCE)).floor().max(0.0);
    probability(s, r, last as usize + 1..=s)
}

/// Returns the number of pairs of `documents` documents.
pub fn pairs(documents: u64) -> f64 {
    let n = documents as f64;
    n * (n - 1.0).max(0.0) / 2.0
}

/// Returns an upper bound on the probability that, anywhere in a collection, `s` sampled elements estimate a pair at more than
/// `above` although its resemblance is at most `r`. The bound is the sum over all pairs (the union bound), or 1 if the sum is
/// larger. Pairs are not independent, because a document's sample is used for every pair of the document; the bound is valid all
/// the same.
pub fn overestimated_anywhere(s: usize, r: f64, above: f64, documents: u64) -> f64 {
    (pairs(documents) * overestimated_above(s, r, above)).min(1.0)
}

/// Returns the smallest sample size for a collection: the smallest s such that s elements and every greater number of them keep
/// [`overestimated_anywhere`] at `miss` or below. `above` must be greater than `r`.
///
/// # Errors
/// Fails if `miss` is not strictly between 0 and 1, or if Hoeffding's bound is above [`MAX_SAMPLE`].
pub fn smallest_for_collection(r: f64, above: f64, documents: u64, miss: f64) -> Result<usize> {
    if !is_inside(miss) {
        return Err(ErrorKind::Confidence(1.0 - miss).into());
    }
    // Hoeffding's bound: this number and every greater one are enough.
    let enough =
        ((pairs(documents).max(1.0) / miss).ln() / (2.0 * (above - r) * (above - r))).ceil();
    if enough > MAX_SAMPLE as f64 {
        return Err(ErrorKind::NoSample {
            margin: above - r,
            confidence: 1.0 - miss,
            max: MAX_SAMPLE,
        }
        .into());
    }
    let fails = |s: &usize| overestimated_anywhere(*s, r, above, documents) > miss;
    Ok((1..=enough as usize).rev().find(fails).map_or(1, |s| s + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p(s, r, ε), computed with exact rational numbers from the decimal values of r and ε.
    const TABLE: [(usize, [f64; 6]); 4] = [
        (
            50,
            [
                0.881079547441,
                0.520112338302,
                0.950700562158,
                0.623533194955,
                0.766126160052,
                0.962223827010,
            ],
        ),
        (
            100,
            [
                0.964799799782,
                0.728746975926,
                0.991607103533,
                0.832080894218,
                0.936398390225,
                0.988527589933,
            ],
        ),
        (
            200,
            [
                0.996365052047,
                0.862633349131,
                0.999677058425,
                0.937226650151,
                0.986963122510,
                0.998840091749,
            ],
        ),
        (
            400,
            [
                0.999951593869,
                0.959769260319,
                0.999999241300,
                0.989695450077,
                0.999270398473,
                0.999985830315,
            ],
        ),
    ];
    const PAIRS: [(f64, f64); 6] = [
        (0.5, 0.1),
        (0.5, 0.05),
        (0.8, 0.1),
        (0.8, 0.05),
        (0.9, 0.05),
        (0.95, 0.05),
    ];

    /// Computes the sum by its definition: it adds the terms for which `is_hit(k / s)` is true, each computed from its own
    /// factors.
    fn naive(s: usize, r: f64, is_hit: impl Fn(f64) -> bool) -> f64 {
        let mut choose = 1.0;
        let mut sum = 0.0;
        for k in 0..=s {
            if is_hit(k as f64 / s as f64) {
                sum += choose * r.powi(k as i32) * (1.0 - r).powi((s - k) as i32);
            }
            choose *= (s - k) as f64 / (k + 1) as f64;
        }
        sum
    }

    fn naive_at_worst(s: usize, eps: f64) -> f64 {
        let ks = (0..=s).map(|k| k as f64 / s as f64);
        let above = ks
            .clone()
            .map(|x| x + eps)
            .filter(|&r| r < 1.0 - 1e-12)
            .map(|r| naive(s, r, |x| x > r - eps + 1e-9 && x < r + eps + 1e-9));
        let below = ks
            .map(|x| x - eps)
            .filter(|&r| r > 1e-12)
            .map(|r| naive(s, r, |x| x > r - eps - 1e-9 && x < r + eps - 1e-9));
        above.chain(below).fold(1.0, f64::min)
    }

    #[test]
    fn the_tables_figures_are_the_exact_ones() {
        for (s, row) in TABLE {
            for ((r, eps), exact) in PAIRS.into_iter().zip(row) {
                assert!((within(s, r, eps) - exact).abs() < 1e-12, "{s} {r} {eps}");
            }
        }
        assert_eq!(
            (
                within(0, 0.5, 0.1),
                within(7, 0.0, 0.1),
                within(7, 1.0, 0.1)
            ),
            (0.0, 1.0, 1.0)
        );
    }

    #[test]
    fn bounds_that_binary_fractions_miss_are_included() {
        let ends = |s: usize, r: f64, eps: f64| {
            within(s, r, eps) - naive(s, r, |x| (x - r).abs() < eps - 1e-6)
        };
        for (s, r, eps) in [
            (100, 0.8, 0.1),
            (10, 0.3, 0.2),
            (1000, 0.7, 0.1),
            (20, 0.15, 0.15),
        ] {
            let both = naive(s, r, |x| ((x - r).abs() - eps).abs() < 1e-6);
            assert!(
                both > 0.0 && (ends(s, r, eps) - both).abs() < 1e-12,
                "{s} {r} {eps}"
            );
        }
    }

    #[test]
    fn a_resemblance_of_one_half_is_not_estimated_as_nine_tenths() {
        for (s, r, at_least, exact) in [
            (100, 0.5, 0.9, 1.5316450877189926e-17),
            (100, 0.5, 0.91, 1.6610244897268264e-18),
            (200, 0.5, 0.9, 1.1279302864594616e-33),
            (50, 0.5, 0.9, 2.104926011270436e-9),
            (20, 0.5, 0.9, 211.0 / 1_048_576.0),
            (100, 0.7, 0.8, 0.016462853241869475),
            (100, 0.8, 0.9, 0.005696380955793505),
            (100, 0.3, 0.0, 1.0),
            (100, 0.3, 1.01, 0.0),
        ] {
            let found = overestimated(s, r, at_least);
            assert!(
                (found - exact).abs() <= 1e-12 * exact,
                "{found:e} for {exact:e}"
            );
        }
        assert!(
            (1..50)
                .all(|i| overestimated(100, f64::from(i) / 100.0, 0.9)
                    < overestimated(100, 0.5, 0.9))
        );
    }

    #[test]
    fn the_papers_claim_is_over_all_pairs_of_the_web() {
        const WEB: u64 = 30_000_000;
        assert!((pairs(WEB) / 4.5e14 - 1.0).abs() < 1e-6);
        assert!((overestimated_above(100, 0.5, 0.9) / 1.6610244897268264e-18 - 1.0).abs() < 1e-12);
        let anywhere = overestimated_anywhere(100, 0.5, 0.9, WEB);
        assert!(
            (anywhere / 7.4746e-4 - 1.0).abs() < 1e-3 && anywhere < 0.001,
            "{anywhere:e}"
        );
        assert!(overestimated_anywhere(90, 0.5, 0.9, WEB) > 0.001);
        assert_eq!(
            (
                overestimated_anywhere(20, 0.5, 0.9, WEB),
                pairs(0),
                pairs(1),
                pairs(3)
            ),
            (1.0, 0.0, 0.0, 3.0)
        );
        let smallest = smallest_for_collection(0.5, 0.9, WEB, 0.001).unwrap();
        let holds = |s| overestimated_anywhere(s, 0.5, 0.9, WEB) <= 0.001;
        assert!(
            (smallest..400).all(holds) && !holds(smallest - 1) && (91..=105).contains(&smallest),
            "{smallest}"
        );
        assert!(
            smallest_for_collection(0.5, 0.9, WEB, 0.0).is_err()
                && smallest_for_collection(0.5, 0.501, WEB, 0.001).is_err()
        );
    }

    #[test]
    fn the_worst_resemblance_is_found_among_all() {
        for s in (1..60).chain([97, 100, 128, 150]) {
            for eps in [0.02, 0.05, 0.0777, 0.1, 0.15, 0.25, 0.4, 0.5, 0.7, 0.99] {
                let (found, least) = (within_at_worst(s, eps), naive_at_worst(s, eps));
                assert!(
                    (found - least).abs() < 1e-10,
                    "{found} for {least}: {s} {eps}"
                );
            }
        }
        // No resemblance on a fine grid has a lower probability than the minimum that `within_at_worst` returns.
        for (s, eps) in [(37, 0.1), (100, 0.1), (123, 0.031), (400, 0.05)] {
            let least = within_at_worst(s, eps);
            let grid = (0..=20_000)
                .map(|i| within(s, f64::from(i) / 20_000.0, eps))
                .fold(1.0, f64::min);
            assert!(least <= grid && grid < least + 0.02, "{least} {grid}");
        }
    }

    #[test]
    fn the_smallest_sample_is_the_first_after_the_last_that_fails() {
        for (r, eps, confidence, smallest) in [
            (0.5, 0.1, 0.95, 99),
            (0.8, 0.1, 0.95, 64),
            (0.9, 0.05, 0.95, 147),
            (0.8, 0.1, 0.99, 107),
            (0.95, 0.05, 0.9, 40),
        ] {
            assert_eq!(
                smallest_sample(Some(r), eps, confidence),
                Ok(smallest),
                "{r} {eps} {confidence}"
            );
            // Hoeffding's bound guarantees that no larger size fails. The test tries all sizes up to twice this bound.
            let far = 2 * ((2.0 / (1.0 - confidence)).ln() / (2.0 * eps * eps)) as usize;
            assert!(
                (smallest..far).all(|s| within(s, r, eps) >= confidence)
                    && within(smallest - 1, r, eps) < confidence
            );
            assert!(
                (1..smallest).any(|s| within(s, r, eps) >= confidence),
                "the saw's teeth below are real"
            );
        }
        for (eps, confidence) in [(0.1, 0.9), (0.15, 0.95), (0.2, 0.99), (0.3, 0.5)] {
            let smallest = smallest_sample(None, eps, confidence).unwrap();
            assert!(
                (smallest..smallest + 100).all(|s| naive_at_worst(s, eps) >= confidence - 1e-12)
            );
            assert!(naive_at_worst(smallest - 1, eps) < confidence);
        }
        assert_eq!(
            [0.1, 0.05, 0.02].map(|eps| smallest_sample(None, eps, 0.95).unwrap()),
            [100, 400, 2425]
        );
        assert_eq!(smallest_sample(Some(1.0), 0.01, 0.99), Ok(1));
    }

    #[test]
    fn invalid_questions_are_refused() {
        for (r, eps, confidence, word) in [
            (Some(1.5), 0.1, 0.9, "1.5"),
            (Some(f64::NAN), 0.1, 0.9, "NaN"),
            (None, 0.0, 0.9, "margin must be above 0 and below 1, got 0;"),
            (None, 1.0, 0.9, "margin must be above 0 and below 1, got 1;"),
            (None, 0.1, 1.0, "got 1"),
            (None, 0.1, f64::NAN, "NaN"),
            (None, 1e-4, 0.9, "131072"),
        ] {
            let words = smallest_sample(r, eps, confidence).unwrap_err().to_string();
            assert!(words.contains(word), "{words}");
        }
        assert!(
            check(Some(0.5), 0.1).is_ok()
                && check(None, 0.0).is_err()
                && check(Some(-0.1), 0.1).is_err()
        );
    }
}

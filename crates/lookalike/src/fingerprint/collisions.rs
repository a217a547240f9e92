//! Computes the effect of ids that have only l bits (Broder 1997, section 4.1): how many shingles share an id, and how that
//! changes a resemblance.
//!
//! A document's sample is drawn from f(S), the ids of its shingles. If f is random and there are far fewer shingles than 2ˡ,
//! three or more shingles hardly ever share one id, so only the ids that two shingles share matter. At l = 64 the effect is not
//! visible at all.

/// Returns E|f(S)| = 2ˡ(1 − (1 − 2⁻ˡ)ⁿ): the expected number of different ids if a random function f maps each of `n` shingles to
/// an id of l = `bits` bits. The result is exact to the last places of an f64 for all n and l.
pub fn expected_distinct(n: u64, bits: u32) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let ids = ids(bits);
    -ids * (n as f64 * (-1.0 / ids).ln_1p()).exp_m1()
}

/// Returns n − C(n, 2)/2ˡ, which approximates [`expected_distinct`] if l is much larger than log₂ n, so that no three shingles
/// share an id. The approximation is too small by less than C(n, 3)/2²ˡ.
pub fn expected_distinct_approx(n: u64, bits: u32) -> f64 {
    let n = n as f64;
    n - n * (n - 1.0).max(0.0) / 2.0 / ids(bits)
}

/// Returns max(|s₁|, |s₂|)/2ˡ⁻¹, at most 1: an upper bound on the probability that two different strings have the same
/// [`Rabin`](super::Rabin) fingerprint of l = `degree` bits. The lengths are in bits. The bound holds for any two strings, even
/// an adversary's, if they were chosen before the seed.
///
/// The difference of the strings has at most max(|s₁|, |s₂|)/l factors of degree l, and P is drawn from at least 2ˡ⁻¹/l
/// polynomials.
pub fn collision_bound(bits1: u64, bits2: u64, degree: u32) -> f64 {
    (2.0 * bits1.max(bits2) as f64 / ids(degree)).min(1.0)
}

/// Returns, to a close approximation, E r_f(A, B): the expected resemblance if each shingle is replaced by an id of `bits` bits.
/// The sets have `a` and `b` shingles and share `shared` of them (limited to the size of the smaller set). The resemblance of two
/// empty sets is 0.
///
/// Let D = [`expected_distinct`] and u = |A ∪ B|. The union has D(u) ids. The intersection has D(a) + D(b) − D(u) ids, including
/// false matches, because |f(A) ∩ f(B)| = |f(A)| + |f(B)| − |f(A ∪ B)|. This function returns the ratio of these two
/// expectations; the expectation of the ratio is within about 2⁻ˡ of it.
pub fn expected_resemblance(a: u64, b: u64, shared: u64, bits: u32) -> f64 {
    let shared = shared.min(a).min(b);
    let distinct = |n| expected_distinct(n, bits);
    let union = distinct((a - shared).saturating_add(b));
    if union == 0.0 {
        return 0.0;
    }
    // D(a) + D(b) − D(u) without cancellation: 1 − D(n)/2ˡ is (1 − 2⁻ˡ)ⁿ, so a sum of set sizes in the exponent becomes a
    // product.
    let both = distinct(a) * distinct(b) / ids(bits) + distinct(shared) * (1.0 - union / ids(bits));
    both / union
}

/// Returns (a′b′ + c(a′ + b′)/2) / (u·2ˡ): the bias E r_f − r of [`expected_resemblance`] to first order, for u far below 2ˡ.
/// Here a′ and b′ are the numbers of shingles in only one set, c is the number of shared ones, and u is the size of the union.
/// The bias is never negative: shared ids make sets look more similar.
///
/// A pair of shingles, one only in the first set and one only in the second, can add a common id that does not represent a common
/// shingle; there are a′b′ such pairs. Each of the C(c,2) pairs of common shingles can remove an id from the intersection, and
/// each of the C(u,2) pairs of shingles in the union can remove an id from the union. The net effect of these removals is the
/// same as that of c(a′+b′)/2 more pairs that add a common id.
pub fn resemblance_bias_approx(a: u64, b: u64, shared: u64, bits: u32) -> f64 {
    let shared = shared.min(a).min(b);
    let [a, b, c] = [a - shared, b - shared, shared].map(|n| n as f64);
    let union = a + b + c;
    if union == 0.0 {
        0.0
    } else {
        (a * b + c * (a + b) / 2.0) / (union * ids(bits))
    }
}

/// Returns 2ˡ, the number of possible ids.
fn ids(bits: u32) -> f64 {
    f64::from(bits).exp2()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::fingerprint::{Nulls, Permutation, Polynomial, Rabin, SplitMix64, finish};

    /// Counts the distinct ids of a list. Each call of `distinct` counts one list and is one round. For each id, `last` is the
    /// last round in which it was seen.
    struct Seen {
        round: u32,
        last: Vec<u32>,
    }

    impl Seen {
        fn new(bits: u32) -> Self {
            Self {
                round: 0,
                last: vec![0; 1 << bits],
            }
        }

        fn distinct(&mut self, ids: impl Iterator<Item = u64>) -> u64 {
            self.round += 1;
            ids.filter(|&id| {
                std::mem::replace(&mut self.last[id as usize], self.round) != self.round
            })
            .count() as u64
        }

        /// Returns r_f of two sets given as ranges of shingles.
        fn resemblance(&mut self, a: Range<u64>, b: Range<u64>, f: impl Fn(u64) -> u64) -> f64 {
            let [each_a, each_b, union] = [a.start..a.end, b.start..b.end, a.start..b.end]
                .map(|set| self.distinct(set.map(&f)));
            (each_a + each_b - union) as f64 / union as f64
        }
    }

    #[test]
    fn distinct_ids_in_a_table() {
        // The expected values were computed by hand, or by evaluating the sum in exact rationals.
        for (n, bits, distinct) in [
            (0, 16, 0.0),
            (1, 16, 1.0),
            (2, 1, 1.5),
            (3, 2, 37.0 / 16.0),
            (600, 64, 600.0),
            (1 << 16, 16, 41_426.836_884_278_41),
        ] {
            assert!(
                (expected_distinct(n, bits) - distinct).abs() < 1e-7,
                "{n} of {bits} bits: {}",
                expected_distinct(n, bits)
            );
        }
        // The textbook form would give 0 here: 1 − 2⁻⁶⁴ is 1 in an f64.
        assert!((expected_distinct(1 << 40, 64) / 2f64.powi(40) - 1.0).abs() < 1e-7);
    }

    #[test]
    fn the_approximation_omits_the_documented_terms() {
        for (n, bits) in [
            (0, 20),
            (1, 20),
            (600, 20),
            (600, 16),
            (3000, 16),
            (100_000, 32),
        ] {
            let missing = expected_distinct(n, bits) - expected_distinct_approx(n, bits);
            let nf = n as f64;
            let triples = nf * (nf - 1.0) * (nf - 2.0) / 6.0 / ids(bits).powi(2);
            assert!(
                missing > -1e-9 && missing <= triples.max(0.0) + 1e-9,
                "{n} of {bits} bits: {missing}, {triples}"
            );
        }
    }

    #[test]
    fn random_functions_give_the_expected_number_of_ids() {
        for (n, bits) in [(600, 16), (3000, 16), (600, 20)] {
            let mut seen = Seen::new(bits);
            let trials = 10_000;
            let lost: u64 = (0..trials)
                .map(|seed| {
                    let f = Permutation::new(seed);
                    n - seen.distinct((0..n).map(|x| f.apply(x) >> (64 - bits)))
                })
                .sum();
            let expected = n as f64 - expected_distinct(n, bits);
            // In each trial, the number of ids that are missing because shingles share an id is nearly a Poisson variable.
            let error = (expected / trials as f64).sqrt();
            assert!(
                (lost as f64 / trials as f64 - expected).abs() < 4.0 * error,
                "{n} of {bits} bits: {lost} lost"
            );
        }
    }

    /// Shapes of pairs of sets: number of shingles only in A, in both, and only in B.
    const PAIRS: [(u64, u64, u64); 5] = [
        (300, 300, 300),
        (600, 0, 600),
        (10, 900, 10),
        (0, 100, 900),
        (5, 5, 5),
    ];

    #[test]
    fn resemblance_by_ids_is_as_expected_for_random_functions() {
        let (bits, trials) = (16, 10_000);
        let mut seen = Seen::new(bits);
        for (a, c, b) in PAIRS {
            let (mut sum, mut squares) = (0.0, 0.0);
            for seed in 0..trials {
                let f = Permutation::new(seed);
                let r = seen.resemblance(0..a + c, a..a + c + b, |x| f.apply(x) >> (64 - bits));
                sum += r;
                squares += r * r;
            }
            check((a, c, b), bits, sum, squares, trials as f64);
        }
    }

    fn check((a, c, b): (u64, u64, u64), bits: u32, sum: f64, squares: f64, trials: f64) {
        let mean = sum / trials;
        let error = ((squares / trials - mean * mean) / trials).max(0.0).sqrt();
        let expected = expected_resemblance(a + c, b + c, c, bits);
        // Four standard errors, plus the error of the ratio of expectations.
        assert!(
            (mean - expected).abs() < 4.0 * error + 1.0 / ids(bits),
            "{a} {c} {b} at {bits}: {mean}, {expected}, {error}"
        );
        let truth = c as f64 / (a + b + c) as f64;
        let bias = expected - truth;
        assert!(
            (bias - resemblance_bias_approx(a + c, b + c, c, bits)).abs() <= 0.05 * bias + 1e-12,
            "{a} {c} {b}: {bias}"
        );
    }

    #[test]
    #[ignore = "slow: `make test-all` runs it"]
    fn resemblance_by_ids_is_as_expected_for_rabins_fingerprints() {
        for bits in [16, 20] {
            let mut seen = Seen::new(bits);
            for (a, c, b) in [(300, 300, 300), (10, 900, 10)] {
                let (mut sum, mut squares, trials) = (0.0, 0.0, 3000);
                for seed in 0..trials {
                    let rabin = Rabin::new(bits, seed).unwrap();
                    // A shingle of 40 bytes, different for each number.
                    let shingle = |x: u64| {
                        std::array::from_fn::<_, 5, _>(|i| finish(5 * x + i as u64).to_le_bytes())
                    };
                    let r = seen.resemblance(0..a + c, a..a + c + b, |x| {
                        rabin.fingerprint(shingle(x).as_flattened())
                    });
                    sum += r;
                    squares += r * r;
                }
                check((a, c, b), bits, sum, squares, trials as f64);
            }
        }
    }

    #[test]
    fn resemblances_at_the_ends() {
        assert_eq!(expected_resemblance(0, 0, 0, 16), 0.0);
        assert_eq!(expected_resemblance(0, 5, 0, 16), 0.0);
        assert!((expected_resemblance(500, 500, 500, 16) - 1.0).abs() < 1e-12);
        // There are many more shingles than ids, so nearly every id is in both sets.
        assert!(expected_resemblance(1 << 24, 1 << 24, 0, 16) > 0.999);
        // At 64 bits the resemblance is right to the last place of an f64, and the bias can still be computed.
        assert_eq!(expected_resemblance(600, 600, 300, 64), 1.0 / 3.0);
        let bias = expected_resemblance(600, 600, 0, 64) / resemblance_bias_approx(600, 600, 0, 64);
        assert!((bias - 1.0).abs() < 1e-12);
    }

    /// An adversary that knows the degree but not the seed chooses two strings whose difference is the product of 100 of the 4080
    /// irreducible polynomials of degree 16.
    #[test]
    fn an_adversarys_strings_collide_as_often_as_they_have_factors_and_within_the_bound() {
        let mut factors: Vec<u128> = (0..300)
            .map(|seed| {
                Polynomial::irreducible(16, 1 << 32 | seed)
                    .unwrap()
                    .coefficients()
            })
            .collect();
        factors.sort_unstable();
        factors.dedup();
        factors.truncate(100);
        // One coefficient per element, the highest first; eight of them are packed into a byte below.
        let product = factors.iter().fold(vec![1u8], |product, factor| {
            let mut next = vec![0; product.len() + 16];
            for (i, &coefficient) in product.iter().enumerate() {
                for j in 0..=16 {
                    next[i + j] ^= coefficient & (factor >> (16 - j) & 1) as u8;
                }
            }
            next
        });
        // 1601 coefficients fill 201 bytes, with zeros at the front.
        let mut bits = vec![0; 1608 - product.len()];
        bits.extend(product);
        let difference: Vec<u8> = bits
            .chunks(8)
            .map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit))
            .collect();
        let mut random = SplitMix64::new(5);
        let one: Vec<u8> = difference.iter().map(|_| random.next_u64() as u8).collect();
        let other: Vec<u8> = one.iter().zip(&difference).map(|(a, b)| a ^ b).collect();
        for nulls in [Nulls::Appended, Nulls::None] {
            let hits = (0..10_000)
                .filter(|&seed| {
                    let rabin = Rabin::new(16, seed).unwrap().with(nulls);
                    rabin.fingerprint(&one) == rabin.fingerprint(&other)
                })
                .count() as f64;
            let expected = 10_000.0 * 100.0 / 4080.0;
            assert!((hits - expected).abs() < 4.0 * expected.sqrt(), "{hits}");
            assert!(hits / 10_000.0 < collision_bound(1608, 1608, 16));
        }
        assert_eq!(collision_bound(400, 320, 64), 400.0 / 2f64.powi(63));
        assert_eq!(collision_bound(1 << 20, 8, 16), 1.0);
    }
}

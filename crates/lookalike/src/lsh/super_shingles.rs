//! Super-shingles (Broder, Glassman, Manasse, Zweig 1997, *Syntactic clustering of the Web*, section 5): shingles of the
//! shingles. A text's sampled fingerprints, sorted, are themselves cut into runs of w; texts that share a single run share w
//! consecutive elements of the sample, and hardly do so by chance. Fewer rows to count, nothing to count them for; short texts
//! with small samples, and pairs of unlike sizes, are found less well.

use super::sharing::Sample;
use crate::fingerprint::finish;

/// Fills `features` with a text's super-shingles of `length` elements, sorted, each once; of a smaller sample the whole is
/// the only one.
///
/// Those of the next level's sample are given too: of two similar texts the larger may just have reached the next modulus.
pub fn super_shingles(sample: Sample, length: usize, features: &mut Vec<u64>) {
    features.clear();
    for level in [sample.level, sample.level + 1] {
        let divisible: Vec<u64> = sample.elements.iter().copied().filter(|element| element.trailing_zeros() >= level).collect();
        let windows = divisible.windows(length.min(divisible.len()).max(1));
        features.extend(windows.map(|window| window.iter().fold(u64::from(level), |hash, &element| finish(hash ^ element))));
    }
    features.sort_unstable();
    features.dedup();
}

/// P(n elements of a sorted union, each shared with probability p, have `length` shared ones in a row): how likely a pair of
/// resemblance p shares a super-shingle when their samples have n elements together.
pub fn shares_run(n: usize, p: f64, length: usize) -> f64 {
    // without[i] = P(no such run among the first i): the last i elements are a run's rest behind an unshared one.
    let mut without = vec![1.0f64; n + 1];
    let run = p.powi(length as i32);
    for i in length..=n {
        without[i] = if i == length { 1.0 - run } else { without[i - 1] - (1.0 - p) * run * without[i - length - 1] };
    }
    1.0 - without[n]
}

/// How likely a pair of resemblance p shares a super-shingle of `length` elements when its samples, on one level, have 0 to
/// `most` elements together: one number for each. What [`shares_run`] leaves out is counted: samples of fewer than `length` are
/// one super-shingle, the whole, and the next level's sample, about every other element, has super-shingles too.
///
/// Goes through the union in sorted order with the shared elements in a row on both levels. Cost: `length`² · `most` steps.
pub fn shares_super_shingle(most: usize, p: f64, length: usize) -> Vec<f64> {
    // Runs longer than all there is are never complete.
    let longest = length.min(most + 1);
    // apart[next][run]: nothing shared yet; `next` and `run` shared in a row on the two levels; whether the next level has all
    // of its elements shared.
    let mut apart = vec![vec![[0.0f64; 2]; longest]; longest];
    let mut then = apart.clone();
    apart[0][0][1] = 1.0;
    // No longer row than this is worth looking at.
    let mut reach = 0;
    let mut found = vec![0.0];
    for n in 1..=most {
        let further = (reach + 2).min(longest);
        then[..further].iter_mut().for_each(|runs| runs[..further].fill([0.0; 2]));
        let mut longest_seen = 0;
        for (next, runs) in apart[..=reach].iter().enumerate() {
            for (run, states) in runs[..=reach].iter().enumerate() {
                for (whole, mass) in states.iter().enumerate().filter(|(_, mass)| **mass > NEGLIGIBLE) {
                    longest_seen = longest_seen.max(run).max(next);
                    let [shared, unshared] = [p * mass / 2.0, (1.0 - p) * mass / 2.0];
                    if run + 1 < longest {
                        then[next][run + 1][whole] += shared;
                        if next + 1 < longest {
                            then[next + 1][run + 1][whole] += shared;
                        }
                    }
                    then[next][0][whole] += unshared;
                    then[0][0][0] += unshared;
                }
            }
        }
        std::mem::swap(&mut apart, &mut then);
        reach = (longest_seen + 1).min(longest - 1);
        let mut missed = 0.0;
        for (next, runs) in apart[..=reach].iter().enumerate() {
            for (run, [broken, whole]) in runs[..=reach].iter().enumerate() {
                // A level on which all is shared, and too little for a run, is one super-shingle.
                missed += broken + if next > 0 || run == n { 0.0 } else { *whole };
            }
        }
        found.push(1.0 - missed);
    }
    found
}

/// Less than what can be seen of a probability, however many are left out.
const NEGLIGIBLE: f64 = 1e-30;

/// The longest run that pairs at the threshold share with probability `recall` when their samples have n elements.
pub fn longest_run(n: usize, threshold: f64, recall: f64) -> usize {
    (1..=n).rev().find(|&length| shares_run(n, threshold, length) >= recall).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::SplitMix64;

    #[test]
    fn runs_are_counted_as_by_trying_all() {
        for n in 1..12usize {
            for length in 1..=n {
                for p in [0.3, 0.8] {
                    let has_run = |bits: u32| (0..=n - length).any(|at| (at..at + length).all(|i| bits >> i & 1 == 1));
                    let mass = |bits: u32| {
                        f64::powi(p, bits.count_ones() as i32) * f64::powi(1.0 - p, n as i32 - bits.count_ones() as i32)
                    };
                    let sum: f64 = (0..1 << n).filter(|&bits| has_run(bits)).map(mass).sum();
                    assert!((shares_run(n, p, length) - sum).abs() < 1e-12, "{n} {length} {p}");
                }
            }
        }
        assert_eq!((longest_run(50, 0.8, 0.99), longest_run(50, 0.9, 0.99)), (6, 9));
    }

    #[test]
    fn super_shingles_of_both_levels_are_counted_as_by_trying_all() {
        // Numbers of the union in order: bit i of `shared` says whether both have element i, bit i of `next` whether it is odd or
        // not. What one has alone is dealt in turns.
        for (n, length) in [(0, 2), (1, 2), (2, 1), (3, 3), (4, 2), (5, 9), (6, 3), (7, 2), (7, 4), (7, 7)] {
            for p in [0.3f64, 0.8] {
                let mut sum = 0.0;
                for (shared, next) in (0..1u32 << n).flat_map(|shared| (0..1u32 << n).map(move |next| (shared, next))) {
                    let element = |i: u64| (i + 1) << 8 | if next >> i & 1 == 1 { 2 } else { 1 };
                    let set =
                        |own: u64| -> Vec<u64> { (0..n).filter(|i| shared >> i & 1 == 1 || i % 2 == own).map(element).collect() };
                    let features = [0, 1].map(|own| {
                        let mut features = Vec::new();
                        super_shingles(Sample { level: 0, elements: &set(own) }, length, &mut features);
                        features
                    });
                    if features[0].iter().any(|feature| features[1].contains(feature)) {
                        let both = shared.count_ones() as i32;
                        sum += p.powi(both) * (1.0 - p).powi(n as i32 - both) / f64::from(1u32 << n);
                    }
                }
                let said = shares_super_shingle(n as usize, p, length)[n as usize];
                assert!((said - sum).abs() < 1e-12, "{n} {length} {p}: {said} for {sum}");
            }
        }
    }

    #[test]
    fn similar_samples_share_one_as_often_as_is_said() {
        let mut random = SplitMix64::new(11);
        let (mut shared, trials) = (0, 2000);
        for _ in 0..trials {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for _ in 0..60 {
                // Odd, so that the next level's sample is empty.
                let element = random.next_u64() | 1;
                match random.next_u64() % 10 {
                    0 => a.push(element),
                    1 => b.push(element),
                    _ => {
                        a.push(element);
                        b.push(element);
                    }
                }
            }
            let features = [a, b].map(|mut elements| {
                elements.sort_unstable();
                let mut features = Vec::new();
                super_shingles(Sample { level: 0, elements: &elements }, 6, &mut features);
                features
            });
            shared += usize::from(features[0].iter().any(|feature| features[1].contains(feature)));
        }
        let expected = shares_run(60, 0.8, 6);
        let found = f64::from(shared as u32) / f64::from(trials);
        assert!((found - expected).abs() < 0.012, "{found} for {expected}");
    }

    #[test]
    fn a_small_sample_is_one_super_shingle() {
        let mut features = Vec::new();
        super_shingles(Sample { level: 0, elements: &[3, 5] }, 4, &mut features);
        assert_eq!(features.len(), 1);
        super_shingles(Sample { level: 0, elements: &[] }, 4, &mut features);
        assert!(features.is_empty());
    }
}

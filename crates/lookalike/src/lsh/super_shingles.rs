//! Super-shingles (section 5 of Broder, Glassman, Manasse, Zweig 1997, *Syntactic clustering of the Web*): shingles of the
//! shingles. The sorted sampled fingerprints of a text are cut into overlapping runs of w fingerprints. If two texts share even
//! one run, they share w consecutive elements of the sample, which hardly happens by chance. Compared with single fingerprints,
//! there are fewer rows to sort, and shared elements need not be counted. But short texts, which have small samples, are found
//! less reliably, and so are pairs of texts that differ in size.

use super::{PairSizes, Sharing, sharing::Sample};
use crate::{fingerprint::finish, sketch::binomial::masses};

/// Fills `features` with the super-shingles of a text, sorted, without repeats. A super-shingle has `length` elements; a sample
/// with fewer elements has only one super-shingle, the whole sample.
///
/// The super-shingles of the sample on the next level (with twice the modulus) are included too, because the larger of two
/// similar texts may just have reached the next modulus.
pub fn super_shingles(sample: Sample, length: usize, features: &mut Vec<u64>) {
    features.clear();
    for level in [sample.level, sample.level + 1] {
        let divisible: Vec<u64> = sample
            .elements
            .iter()
            .copied()
            .filter(|element| element.trailing_zeros() >= level)
            .collect();
        let windows = divisible.windows(length.min(divisible.len()).max(1));
        features.extend(windows.map(|window| {
            window
                .iter()
                .fold(u64::from(level), |hash, &element| finish(hash ^ element))
        }));
    }
    features.sort_unstable();
    features.dedup();
}

/// Returns the probability that n elements of a sorted union include `length` shared ones in a row, if each is shared with
/// probability p. This is also the probability that two sets of resemblance p share a super-shingle if the union of their samples
/// has n elements.
pub fn shares_run(n: usize, p: f64, length: usize) -> f64 {
    // `without[i]` is the probability that the first i elements include no run of `length` shared elements. If the first such run
    // ends at i, the element just before this run is unshared, and no run ends before that element.
    let mut without = vec![1.0f64; n + 1];
    let length = length.max(1);
    let run = p.powi(length as i32);
    for i in length..=n {
        without[i] = if i == length {
            1.0 - run
        } else {
            without[i - 1] - (1.0 - p) * run * without[i - length - 1]
        };
    }
    1.0 - without[n]
}

/// The probability that two sets share a super-shingle, for given numbers of shared and other sampled elements.
///
/// `shares_run` assumes that every element is shared with the same probability. Small sets need three refinements. A small sample
/// has only one super-shingle, the whole sample. The number of shared elements is exact, not random. And the sample of the next
/// level, which has about half of the elements, also has super-shingles.
#[derive(Debug, Clone)]
pub struct SharedSuperShingles {
    most: [usize; 2],
    /// P(found) for k shared elements and m others, at index `k * (most[1] + 1) + m`. The first list is for one level alone; the
    /// second list includes the next level.
    found: [Vec<f64>; 2],
}

impl SharedSuperShingles {
    /// Computes the probabilities for super-shingles of `length` elements, with up to `shared` sampled elements that are in both
    /// sets and up to `alone` that are in only one.
    ///
    /// All orders of the elements are equally likely. The computation processes the elements from first to last, and tracks how
    /// many shared ones are in a row so far, on this level and on the next. Cost: `length`² · `shared` · `alone` steps.
    pub fn new(length: usize, [shared, alone]: [usize; 2]) -> Self {
        let found = [false, true].map(|next| table(length.max(1), [shared, alone], next));
        Self {
            most: [shared, alone],
            found,
        }
    }

    /// Returns P(found) of two sets that are sampled as `sharing` specifies. If the sets have more elements than the numbers
    /// given to `new`, the value for the largest computed numbers is used.
    pub fn found(&self, sharing: &Sharing, pair: PairSizes) -> f64 {
        let levels = sharing.levels(pair);
        // Sets on different levels have only the larger level in common.
        let table = &self.found[usize::from(levels[0] == levels[1])];
        let share = 0.5f64.powi(sharing.common_level(pair) as i32);
        let ((k, shared), (m, alone)) =
            (masses(pair.shared, share), masses(pair.a + pair.b, share));
        let mut found = 0.0;
        for (k, p) in (k..).zip(&shared) {
            let row = k.min(self.most[0]) * (self.most[1] + 1);
            found += p
                * (m..)
                    .zip(&alone)
                    .map(|(m, p)| p * table[row + m.min(self.most[1])])
                    .sum::<f64>();
        }
        found
    }
}

/// The probability of each state. A state has three parts: how many shared elements are in a row on the next level, how many are
/// in a row on this level, and whether all elements of the next level so far are shared.
type States = Vec<[f64; 2]>;

/// Returns P(found) for all numbers of shared elements and of others, up to the given ones, as in [`SharedSuperShingles`].
fn table(length: usize, [shared, alone]: [usize; 2], next: bool) -> Vec<f64> {
    // A run longer than the number of shared elements is never complete.
    let rows = length.min(shared + 1);
    let at = |next_row: usize, row: usize| next_row * rows + row;
    let fresh = || vec![[0.0f64; 2]; if next { rows * rows } else { rows }];
    let mut found = Vec::with_capacity((shared + 1) * (alone + 1));
    let mut above: Vec<States> = Vec::new();
    for k in 0..=shared {
        let mut these: Vec<States> = Vec::new();
        for m in 0..=alone {
            let mut states = fresh();
            if k + m == 0 {
                states[0] = [0.0, 1.0];
            }
            // The last of k + m elements in random order is a shared one with probability k / (k + m).
            if k > 0 {
                let last = k as f64 / (k + m) as f64;
                for next_row in 0..if next { rows } else { 1 } {
                    for row in 0..rows.saturating_sub(1) {
                        let [broken, whole] = above[m][at(next_row, row)].map(|mass| mass * last);
                        let stays = if next { 0.5 } else { 1.0 };
                        let state = &mut states[at(next_row, row + 1)];
                        *state = [state[0] + stays * broken, state[1] + stays * whole];
                        if next && next_row + 1 < rows {
                            let state = &mut states[at(next_row + 1, row + 1)];
                            *state = [state[0] + 0.5 * broken, state[1] + 0.5 * whole];
                        }
                    }
                }
            }
            if m > 0 {
                let last = m as f64 / (k + m) as f64;
                for next_row in 0..if next { rows } else { 1 } {
                    for row in 0..rows {
                        let [broken, whole] =
                            these[m - 1][at(next_row, row)].map(|mass| mass * last);
                        let off = if next { 0.5 } else { 1.0 };
                        let state = &mut states[at(next_row, 0)];
                        *state = [state[0] + off * broken, state[1] + off * whole];
                        if next {
                            states[0][0] += 0.5 * (broken + whole);
                        }
                    }
                }
            }
            // If only shared elements were sampled, the whole samples are equal.
            let missed = match (k, m) {
                (0, _) => 1.0,
                (_, 0) => 0.0,
                _ => {
                    let first_row = states
                        .iter()
                        .take(rows)
                        .map(|[broken, whole]| broken + whole)
                        .sum::<f64>();
                    let others = states
                        .iter()
                        .skip(rows)
                        .map(|[broken, _]| broken)
                        .sum::<f64>();
                    first_row + others
                }
            };
            found.push(1.0 - missed);
            these.push(states);
        }
        above = these;
    }
    found
}

/// Returns the same probability as `shares_run`, for large sets of which n elements are sampled on average. The result is the
/// minimum over all sets whose samples are on one level. The number of sampled elements varies around n. If there are d elements
/// fewer than n, the probability is lower; if there are d elements more, it is higher, but by a smaller amount.
pub fn shares_run_of_mean(n: usize, p: f64, length: usize) -> f64 {
    // The union is modelled as n · 2²⁰ elements, each of which is sampled with probability 2⁻²⁰.
    let (first, masses) = masses(n << 20, 0.5f64.powi(20));
    (first..)
        .zip(masses)
        .map(|(n, mass)| mass * shares_run(n, p, length))
        .sum()
}

/// Returns the longest run that pairs at the threshold share with probability `recall`, if n elements of large sets are sampled
/// on average.
pub fn longest_run(n: usize, threshold: f64, recall: f64) -> usize {
    (1..=n)
        .rev()
        .find(|&length| shares_run_of_mean(n, threshold, length) >= recall)
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::SplitMix64;

    #[test]
    fn run_counts_match_brute_force() {
        for n in 1..12usize {
            for length in 1..=n {
                for p in [0.3, 0.8] {
                    let has_run = |bits: u32| {
                        (0..=n - length).any(|at| (at..at + length).all(|i| bits >> i & 1 == 1))
                    };
                    let mass = |bits: u32| {
                        f64::powi(p, bits.count_ones() as i32)
                            * f64::powi(1.0 - p, n as i32 - bits.count_ones() as i32)
                    };
                    let sum: f64 = (0..1 << n).filter(|&bits| has_run(bits)).map(mass).sum();
                    assert!(
                        (shares_run(n, p, length) - sum).abs() < 1e-12,
                        "{n} {length} {p}"
                    );
                }
            }
        }
        assert_eq!(
            (longest_run(50, 0.8, 0.99), longest_run(50, 0.9, 0.99)),
            (5, 8)
        );
    }

    #[test]
    fn super_shingle_counts_of_both_levels_match_brute_force() {
        // The elements of the union are numbered in order. Bit i of `shared` says whether both sets have element i, and bit i of
        // `next` says whether element i is on the next level. Elements that are in only one set are assigned to the two sets
        // alternately.
        for (n, length) in [
            (0, 2),
            (1, 2),
            (2, 1),
            (3, 3),
            (4, 2),
            (5, 9),
            (6, 3),
            (7, 2),
            (7, 4),
            (7, 7),
        ] {
            let table = SharedSuperShingles::new(length, [n as usize; 2]);
            let mut tried = vec![[0.0, 0.0, 0.0]; n as usize + 1];
            for (shared, next) in
                (0..1u32 << n).flat_map(|shared| (0..1u32 << n).map(move |next| (shared, next)))
            {
                let element = |i: u64| (i + 1) << 8 | if next >> i & 1 == 1 { 2 } else { 1 };
                let set = |own: u64| -> Vec<u64> {
                    (0..n)
                        .filter(|i| shared >> i & 1 == 1 || i % 2 == own)
                        .map(element)
                        .collect()
                };
                let features = [0, 1].map(|own| {
                    let mut features = Vec::new();
                    super_shingles(
                        Sample {
                            level: 0,
                            elements: &set(own),
                        },
                        length,
                        &mut features,
                    );
                    features
                });
                let share = features[0]
                    .iter()
                    .any(|feature| features[1].contains(feature));
                let sums = &mut tried[shared.count_ones() as usize];
                *sums = [sums[0] + 1.0, sums[1] + f64::from(u8::from(share)), 0.0];
            }
            for (k, [all, shared, _]) in tried.into_iter().enumerate() {
                let m = n as usize - k;
                let said = table.found[1][k * (n as usize + 1) + m];
                assert!(
                    (said - shared / all).abs() < 1e-12,
                    "{n} {length} {k}: {said} for {}",
                    shared / all
                );
            }
        }
    }

    #[test]
    fn run_counts_on_one_level_match_brute_force() {
        for (n, length) in [(3usize, 3), (6, 2), (9, 4), (11, 5)] {
            let table = SharedSuperShingles::new(length, [n; 2]);
            for k in 1..n {
                let of_k = |bits: &u32| bits.count_ones() as usize == k;
                let has_run = |bits: u32| {
                    (0..=n - length).any(|at| (at..at + length).all(|i| bits >> i & 1 == 1))
                };
                let all = (0..1 << n).filter(of_k).count() as f64;
                let with = (0..1 << n)
                    .filter(of_k)
                    .filter(|&bits| has_run(bits))
                    .count() as f64;
                assert!(
                    (table.found[0][k * (n + 1) + n - k] - with / all).abs() < 1e-12,
                    "{n} {length} {k}"
                );
            }
        }
    }

    #[test]
    fn similar_samples_share_a_super_shingle_at_the_stated_rate() {
        let mut random = SplitMix64::new(11);
        let (mut shared, trials) = (0, 2000);
        for _ in 0..trials {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for _ in 0..60 {
                // All elements are odd, so that the sample of the next level is empty.
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
                super_shingles(
                    Sample {
                        level: 0,
                        elements: &elements,
                    },
                    6,
                    &mut features,
                );
                features
            });
            shared += usize::from(
                features[0]
                    .iter()
                    .any(|feature| features[1].contains(feature)),
            );
        }
        let expected = shares_run(60, 0.8, 6);
        let found = f64::from(shared as u32) / f64::from(trials);
        assert!((found - expected).abs() < 0.012, "{found} for {expected}");
    }

    #[test]
    fn a_small_sample_is_one_super_shingle() {
        let mut features = Vec::new();
        super_shingles(
            Sample {
                level: 0,
                elements: &[3, 5],
            },
            4,
            &mut features,
        );
        assert_eq!(features.len(), 1);
        super_shingles(
            Sample {
                level: 0,
                elements: &[],
            },
            4,
            &mut features,
        );
        assert!(features.is_empty());
    }
}

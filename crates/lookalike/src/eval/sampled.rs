//! The share of hits among the pairs of a sample, with an interval that accounts for the dependence between the pairs of one
//! document.
//!
//! Documents are drawn, not pairs. All pairs of a drawn document are in the sample, and the pairs of one group are found or
//! missed together. So Wilson's interval over pairs is too narrow, at worst by a factor as large as the size of the groups. The
//! share is therefore treated as the ratio of two sums over the drawn documents, hits and pairs, and two intervals are computed
//! for it:
//!
//! - Fieller's interval (1954) for a ratio of sums: all shares r for which the absolute value of the sum of (hits − r · pairs) is
//!   at most Student's t times the standard error of this sum (Cochran 1977, section 6.6). This interval accounts for the spread
//!   between documents, and has no width if no document has a miss.
//! - Wilson's interval for the number of independent pairs that would have the same variance (see Kish 1965, section 8.2, and
//!   Korn, Graubard 1998). Unlike Fieller's interval, if the share is at or near 0 or 1, it keeps its width. If there is no miss,
//!   or no hit, the spread is unknown. Each document then counts as one trial, as if all its pairs had the same outcome. A
//!   document with x pairs has the weight x, so all documents together are equivalent to (Σx)² / Σx² trials.
//!
//! The returned interval covers both of these intervals. It cannot account for a group that has no document in the sample. If few
//! documents have most of the pairs, the interval contains the truth less often than it should (the tests give the rates on two
//! collections).

use crate::sketch::Estimate;

/// Returns the share of hits among the pairs with a sampled document, with its 95 % interval; none if there is no pair. A pair of
/// two sampled documents counts once: half for each of the two. If all documents are sampled, nothing is uncertain, and the
/// interval has no width.
///
/// `pairs` must yield, exactly once, every pair that has at least one sampled document, and say whether the pair is a hit.
/// `sample` is sorted, and was drawn from `documents` documents. Cost: a search in the sample for each document of each pair.
pub fn sampled_share(
    pairs: impl IntoIterator<Item = ((u32, u32), bool)>,
    sample: &[u32],
    documents: u32,
) -> Option<Estimate> {
    let mut rows = vec![[0.0f64; 2]; sample.len()];
    let (mut count, mut hits) = (0u64, 0u64);
    for ((a, b), hit) in pairs {
        let sampled = [a, b].map(|document| sample.binary_search(&document).ok());
        let weight = if sampled.iter().all(Option::is_some) {
            0.5
        } else {
            1.0
        };
        for at in sampled.into_iter().flatten() {
            rows[at][0] += weight;
            rows[at][1] += if hit { weight } else { 0.0 };
        }
        count += 1;
        hits += u64::from(hit);
    }
    if count == 0 {
        return None;
    }
    let value = hits as f64 / count as f64;
    if sample.len() >= documents as usize {
        return Some(Estimate::exact(value));
    }
    let [low, high] = Sums::of(&rows, documents).interval(count as f64);
    Some(Estimate {
        value,
        low: low.clamp(0.0, value),
        high: high.clamp(value, 1.0),
    })
}

/// Sums over the drawn documents. For each document, x is its number of pairs and y its number of hits.
struct Sums {
    /// The number of drawn documents.
    drawn: f64,
    /// The number of drawn documents with a pair.
    with_pairs: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
    /// The share of all documents that was not drawn. The smaller this share, the less uncertain the result.
    rest: f64,
}

impl Sums {
    fn of(rows: &[[f64; 2]], documents: u32) -> Self {
        let sum = |of: fn(&[f64; 2]) -> f64| rows.iter().map(of).sum::<f64>();
        Self {
            drawn: rows.len() as f64,
            with_pairs: rows.iter().filter(|row| row[0] > 0.0).count() as f64,
            x: sum(|row| row[0]),
            y: sum(|row| row[1]),
            xx: sum(|row| row[0] * row[0]),
            xy: sum(|row| row[0] * row[1]),
            yy: sum(|row| row[1] * row[1]),
            rest: 1.0 - rows.len() as f64 / f64::from(documents),
        }
    }

    fn interval(&self, pairs: f64) -> [f64; 2] {
        let t = student(self.with_pairs - 1.0);
        let [fieller, wilson] = [self.fieller(t), self.wilson(t, pairs)];
        [fieller[0].min(wilson[0]), fieller[1].max(wilson[1])]
    }

    /// Returns n / (n − 1), multiplied by the correction for sampling without replacement; n is the number of drawn documents.
    fn factor(&self) -> f64 {
        self.drawn / (self.drawn - 1.0).max(1.0) * self.rest
    }

    /// Returns the smallest and the largest r with (y − r·x)² ≤ t² · the variance of y − r·x. This inequality is quadratic in r.
    fn fieller(&self, t: f64) -> [f64; 2] {
        let Self {
            drawn,
            x,
            y,
            xx,
            xy,
            yy,
            ..
        } = *self;
        let c = t * t * self.factor();
        let a = x * x - c * (xx - x * x / drawn);
        let b = x * y - c * (xy - x * y / drawn);
        let rest = y * y - c * (yy - y * y / drawn);
        // The numbers of pairs per document vary so much that any share is possible.
        if a <= 0.0 {
            return [0.0, 1.0];
        }
        let root = (b * b - a * rest).max(0.0).sqrt();
        [(b - root) / a, (b + root) / a]
    }

    fn wilson(&self, t: f64, pairs: f64) -> [f64; 2] {
        let Self {
            x, y, xx, xy, yy, ..
        } = *self;
        let share = y / x;
        let variance = self.factor() * (yy - 2.0 * share * xy + share * share * xx) / (x * x);
        let trials = if share > 0.0 && share < 1.0 && variance > 0.0 {
            (share * (1.0 - share) / variance).min(pairs)
        } else {
            x * x / xx
        };
        let Estimate { low, high, .. } = Estimate::of_trials(share, trials, t);
        [low, high]
    }
}

/// Returns the value that Student's t exceeds with a probability of 2.5 % (Hill 1970, algorithm 396; correct to 10⁻⁵). `degrees`
/// is the number of degrees of freedom; a number below 1 counts as 1.
fn student(degrees: f64) -> f64 {
    const TAIL: f64 = 0.05;
    const X: f64 = -1.959_963_984_540_054;
    let n = degrees.max(1.0);
    if n < 2.0 {
        return 1.0 / (std::f64::consts::FRAC_PI_2 * TAIL).tan();
    }
    if n < 3.0 {
        return (2.0 / (TAIL * (2.0 - TAIL)) - 2.0).sqrt();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * std::f64::consts::FRAC_PI_2).sqrt() * n;
    let mut y = (d * TAIL).powf(2.0 / n);
    if y > 0.05 + a {
        y = X * X;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (X + 0.6);
        }
        c += (((0.05 * d * X - 5.0) * X - 7.0) * X - 2.0) * X + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * X;
        y = (a * y * y).exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0)
            + 0.5 / (n + 4.0))
            * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval::choose_sample, fingerprint::SplitMix64};

    #[test]
    fn students_quantiles_in_a_table() {
        for (degrees, t) in [
            (0.0, 12.7062),
            (1.0, 12.7062),
            (2.0, 4.3027),
            (3.0, 3.1824),
            (4.0, 2.7764),
            (5.0, 2.5706),
            (10.0, 2.2281),
            (30.0, 2.0423),
            (100.0, 1.9840),
            (1e6, 1.9600),
        ] {
            assert!(
                (student(degrees) - t).abs() < 1e-3,
                "{degrees}: {}",
                student(degrees)
            );
        }
    }

    #[test]
    fn the_value_is_the_share_of_the_pairs_and_all_documents_are_certain() {
        let pairs = [((0, 1), true), ((0, 2), false), ((1, 3), true)];
        let all = sampled_share(pairs, &[0, 1, 2, 3], 4).unwrap();
        assert_eq!(all, Estimate::exact(2.0 / 3.0));
        let some = sampled_share(pairs, &[0, 1], 10).unwrap();
        assert!(
            some.value == all.value && some.low < 0.3 && some.high > 0.9,
            "{some:?}"
        );
        assert_eq!(sampled_share([], &[0, 1], 10), None);
    }

    #[test]
    fn neither_all_nor_nothing_is_certain() {
        for hit in [true, false] {
            // 20 documents with one pair each, and one document with 20 pairs.
            let many = sampled_share(
                (0..20).map(|d| ((d, d + 500), hit)),
                &(0..50).collect::<Vec<_>>(),
                1000,
            )
            .unwrap();
            let one = sampled_share(
                (0..20).map(|d| ((0, d + 500), hit)),
                &(0..50).collect::<Vec<_>>(),
                1000,
            )
            .unwrap();
            let width = |e: Estimate| e.high - e.low;
            assert!(
                width(many) > 0.1 && width(many) < 0.3 && width(one) > 0.9,
                "{many:?} {one:?}"
            );
        }
    }

    #[test]
    fn groups_that_are_found_or_missed_as_one_are_covered() {
        // 3,000 documents in groups of 2 to 9, or without a group. For four fifths of the groups, all pairs are found.
        let mut random = SplitMix64::new(3);
        let (mut pairs, mut next) = (Vec::new(), 0);
        while next < 1500u32 {
            let (size, hit) = (
                2 + (random.next_u64() % 8) as u32,
                random.next_u64() % 10 > 1,
            );
            pairs.extend(
                (next..next + size).flat_map(|a| (a + 1..next + size).map(move |b| ((a, b), hit))),
            );
            next += size;
        }
        let truth = pairs.iter().filter(|pair| pair.1).count() as f64 / pairs.len() as f64;
        let (mut held, mut by_wilson) = (0, 0);
        for seed in 0..300 {
            let sample = choose_sample(3000, 200, seed);
            let judged = |(a, b): (u32, u32)| {
                [a, b]
                    .iter()
                    .any(|document| sample.binary_search(document).is_ok())
            };
            let seen: Vec<_> = pairs
                .iter()
                .copied()
                .filter(|pair| judged(pair.0))
                .collect();
            let share = sampled_share(seen.iter().copied(), &sample, 3000).unwrap();
            held += u32::from(share.low <= truth && truth <= share.high);
            let wilson = Estimate::of_share(
                seen.iter().filter(|pair| pair.1).count() as u64,
                seen.len() as u64,
            );
            by_wilson += u32::from(wilson.low <= truth && truth <= wilson.high);
        }
        assert!(
            held >= 280 && by_wilson < 230,
            "{held} and {by_wilson} of 300"
        );
    }
}

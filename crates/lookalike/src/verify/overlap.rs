//! How two sets overlap, counted (Broder 1997, section 2: resemblance and containment are set intersection problems).

use serde::Serialize;

/// The sizes of two sets and of what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// |A ∩ B|
    pub shared: u64,
    /// |A|
    pub a: u64,
    /// |B|
    pub b: u64,
}

/// An overlap in the figures that people are shown of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// |A ∩ B| / |A ∪ B|
    pub resemblance: f64,
    /// |A ∩ B| / |A|
    pub containment_ab: f64,
    /// |A ∩ B| / |B|
    pub containment_ba: f64,
    /// |A ∩ B|
    pub intersection: u64,
    /// |A|
    pub size_a: u64,
    /// |B|
    pub size_b: u64,
}

impl From<Overlap> for Figures {
    fn from(overlap: Overlap) -> Self {
        Self {
            resemblance: overlap.resemblance(),
            containment_ab: overlap.containment(),
            containment_ba: overlap.swapped().containment(),
            intersection: overlap.shared,
            size_a: overlap.a,
            size_b: overlap.b,
        }
    }
}

impl Overlap {
    /// Counts the overlap of two sorted sets. Cost: |A| + |B| steps.
    pub fn of(a: &[u64], b: &[u64]) -> Self {
        Self { shared: intersection(a, b), a: a.len() as u64, b: b.len() as u64 }
    }

    /// The overlap of two sorted sets if their resemblance is at least `threshold`; gives up as soon as it cannot be.
    pub fn at_least(a: &[u64], b: &[u64], threshold: f64) -> Option<Self> {
        let (na, nb) = (a.len() as u64, b.len() as u64);
        let needed = Self::needed(na, nb, threshold)?;
        let shared = intersection_at_least(a, b, needed)?;
        Some(Self { shared, a: na, b: nb })
    }

    /// r(A, B) = |A ∩ B| / |A ∪ B|; two empty sets resemble nothing. The division is correctly rounded, so 4 / 5 *is* the
    /// threshold 0.8.
    pub fn resemblance(self) -> f64 {
        ratio(self.shared, self.a + self.b - self.shared)
    }

    /// c(A, B) = |A ∩ B| / |A|: the share of A found in B.
    pub fn containment(self) -> f64 {
        ratio(self.shared, self.a)
    }

    /// The same pair seen from B.
    pub fn swapped(self) -> Self {
        Self { a: self.b, b: self.a, ..self }
    }

    /// The least |A ∩ B| that makes sets of these sizes at least `threshold` resembling; none when their sizes forbid it.
    pub fn needed(a: u64, b: u64, threshold: f64) -> Option<u64> {
        let reaches = |shared| Self { shared, a, b }.resemblance() >= threshold;
        if !reaches(a.min(b)) {
            return None;
        }
        // i / (a + b − i) ≥ t  ⇔  i ≥ t (a + b) / (1 + t), but for rounding: step to the exact edge.
        let mut shared = ((threshold / (1.0 + threshold)) * (a + b) as f64).floor().min(a.min(b) as f64) as u64;
        while shared > 0 && reaches(shared - 1) {
            shared -= 1;
        }
        while !reaches(shared) {
            shared += 1;
        }
        Some(shared)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// |A ∩ B| of two sorted sets. A merge without a branch on the comparison: fingerprints are random, a branch is wrong half
/// the time.
pub fn intersection(a: &[u64], b: &[u64]) -> u64 {
    merge(a, b, usize::MAX, |_, _, _| true).unwrap_or(0)
}

/// |A ∩ B| if it is at least `needed`; looks every 16 steps whether that can still be.
pub fn intersection_at_least(a: &[u64], b: &[u64], needed: u64) -> Option<u64> {
    let possible = |shared: u64, i: usize, j: usize| shared + (a.len() - i).min(b.len() - j) as u64 >= needed;
    merge(a, b, 16, possible).filter(|&shared| shared >= needed)
}

#[inline]
fn merge(a: &[u64], b: &[u64], stretch: usize, go_on: impl Fn(u64, usize, usize) -> bool) -> Option<u64> {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let mut left = stretch;
        while left > 0 && i < a.len() && j < b.len() {
            let (x, y) = (a[i], b[j]);
            shared += u64::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
            left -= 1;
        }
        if !go_on(shared, i, j) {
            return None;
        }
    }
    Some(shared)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::btree_set(0u64..300, 0..200).prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        #[test]
        fn counting_is_set_intersection(a in set(), b in set(), threshold in 0.01f64..=1.0) {
            let (x, y): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
            let (both, either) = (x.intersection(&y).count(), x.union(&y).count());
            let overlap = Overlap::of(&a, &b);
            prop_assert_eq!(overlap.shared, both as u64);
            let resemblance = if either == 0 { 0.0 } else { both as f64 / either as f64 };
            prop_assert_eq!(overlap.resemblance(), resemblance);
            prop_assert_eq!(Overlap::at_least(&a, &b, threshold), (resemblance >= threshold).then_some(overlap));
        }

        #[test]
        fn the_needed_overlap_is_the_least_that_reaches(a in 0u64..500, b in 0u64..500, percent in 1u32..=100) {
            let threshold = f64::from(percent) / 100.0;
            let reaches = |shared: &u64| Overlap { shared: *shared, a, b }.resemblance() >= threshold;
            prop_assert_eq!(Overlap::needed(a, b, threshold), (0..=a.min(b)).find(reaches));
        }
    }

    #[test]
    fn four_fifths_reach_the_threshold_of_0_8() {
        assert_eq!(Overlap::needed(4, 5, 0.8), Some(4));
        assert!(Overlap { shared: 4, a: 4, b: 5 }.resemblance() >= 0.8);
    }
}

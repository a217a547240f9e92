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
    use super::*;

    #[test]
    fn figures_of_a_pair() {
        let figures = Figures::from(Overlap::of(&[1, 2, 3, 4], &[3, 4, 5, 6, 7, 8]));
        assert_eq!((figures.intersection, figures.size_a, figures.size_b), (2, 4, 6));
        assert_eq!((figures.resemblance, figures.containment_ab, figures.containment_ba), (0.25, 0.5, 1.0 / 3.0));
        assert_eq!(Overlap::of(&[], &[]).resemblance(), 0.0);
    }
}

//! The measure of similarity: resemblance or containment.

use super::Overlap;
use crate::choices;

choices! {
    /// The choice between Broder's two measures (1997, section 2).
    #[derive(Default)]
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum Measure {
        /// shared shingles divided by all shingles of both texts: high if the texts are roughly the same
        ///
        /// r(A, B) = |A ∩ B| / |A ∪ B|.
        Resemblance = "resemblance" (default),
        /// shared shingles divided by the shingles of one text: high if the other text contains roughly all of this text. dedup
        /// drops the contained text
        ///
        /// c(A, B) = |A ∩ B| / |A|. This measure is not symmetric.
        Containment = "containment",
    }
}

impl Measure {
    /// Returns the similarity for an overlap; for containment, the containment of the first set in the second.
    pub fn of(self, overlap: Overlap) -> f64 {
        match self {
            Self::Resemblance => overlap.resemblance(),
            Self::Containment => overlap.containment(),
        }
    }

    /// Returns the similarity in the direction in which it is higher. Resemblance has only one.
    pub fn of_either(self, overlap: Overlap) -> f64 {
        self.of(overlap).max(self.of(overlap.swapped()))
    }

    /// Returns the least |A ∩ B| with which sets of `a` and `b` members reach `threshold`; none if their sizes make it
    /// impossible.
    pub fn needed(self, a: u64, b: u64, threshold: f64) -> Option<u64> {
        let reaches = |shared| self.of(Overlap { shared, a, b }) >= threshold;
        if !reaches(a.min(b)) {
            return None;
        }
        // i / (a + b − i) ≥ t ⇔ i ≥ t (a + b) / (1 + t), and i / a ≥ t ⇔ i ≥ t a. The right sides are rounded when they are
        // computed, so the loops below step from there to the exact boundary.
        let about = match self {
            Self::Resemblance => threshold / (1.0 + threshold) * (a + b) as f64,
            Self::Containment => threshold * a as f64,
        };
        let mut shared = about.floor().min(a.min(b) as f64) as u64;
        while shared > 0 && reaches(shared - 1) {
            shared -= 1;
        }
        while !reaches(shared) {
            shared += 1;
        }
        Some(shared)
    }

    /// Returns the overlap of two sorted sets, if the measure from `a` to `b` reaches `threshold`. Stops counting as soon as the
    /// threshold cannot be reached.
    pub fn at_least(self, a: &[u64], b: &[u64], threshold: f64) -> Option<Overlap> {
        let (na, nb) = (a.len() as u64, b.len() as u64);
        let needed = self.needed(na, nb, threshold)?;
        let shared = super::intersection_at_least(a, b, needed)?;
        Some(Overlap {
            shared,
            a: na,
            b: nb,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::btree_set(0u64..300, 0..200).prop_map(|set| set.into_iter().collect())
    }

    const BOTH: [Measure; 2] = [Measure::Resemblance, Measure::Containment];

    proptest! {
        #[test]
        fn reaching_agrees_with_set_intersection(a in set(), b in set(), threshold in 0.01f64..=1.0) {
            let (x, y): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
            let both = x.intersection(&y).count();
            for (measure, whole) in [(Measure::Resemblance, x.union(&y).count()), (Measure::Containment, x.len())] {
                let value = if whole == 0 { 0.0 } else { both as f64 / whole as f64 };
                let overlap = Overlap::of(&a, &b);
                prop_assert_eq!(measure.of(overlap), value);
                prop_assert_eq!(measure.at_least(&a, &b, threshold), (value >= threshold).then_some(overlap));
            }
        }

        #[test]
        fn the_needed_overlap_is_the_least_that_reaches(a in 0u64..500, b in 0u64..500, percent in 1u32..=100) {
            let threshold = f64::from(percent) / 100.0;
            for measure in BOTH {
                let reaches = |shared: &u64| measure.of(Overlap { shared: *shared, a, b }) >= threshold;
                prop_assert_eq!(measure.needed(a, b, threshold), (0..=a.min(b)).find(reaches));
            }
        }

        /// Tests that 1 − r is a metric (Broder 1997, section 2).
        #[test]
        fn resemblance_distance_obeys_the_triangle_inequality(a in set(), b in set(), c in set()) {
            prop_assume!(!a.is_empty() && !b.is_empty() && !c.is_empty());
            let distance = |x: &[u64], y: &[u64]| 1.0 - Overlap::of(x, y).resemblance();
            prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c) + 1e-12);
        }
    }

    #[test]
    fn four_fifths_reach_the_threshold_of_0_8() {
        assert_eq!(Measure::Resemblance.needed(4, 5, 0.8), Some(4));
        assert_eq!(Measure::Containment.needed(5, 400, 0.8), Some(4));
        assert_eq!(Measure::Containment.needed(400, 5, 0.8), None);
        assert!(
            Overlap {
                shared: 4,
                a: 4,
                b: 5
            }
            .resemblance()
                >= 0.8
        );
    }
}

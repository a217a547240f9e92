//! Which share of the pairs was found at which similarity: the S-curve, measured.

use serde::Serialize;

/// Steps from similarity 0 to 1.
const STEPS: usize = 20;

/// Pairs of about the same similarity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// Their least similarity; the next step's is 0.05 more, and the last step has the pairs of similarity 1 alone.
    pub from: f64,
    /// How many there are.
    pub pairs: u64,
    /// Of those, how many were found.
    pub found: u64,
}

impl Step {
    /// Sorts pairs, given as similarity and whether found, into steps of 0.05, from the one that holds `lowest`; pairs below it
    /// are left out. Similarities are taken up to one part in 10⁹, so that 0.85 is in the step from 0.85.
    pub fn count(lowest: f64, pairs: impl IntoIterator<Item = (f64, bool)>) -> Vec<Self> {
        let step = |similarity: f64| (similarity * STEPS as f64 + 1e-9).clamp(0.0, STEPS as f64) as usize;
        let first = step(lowest);
        let mut steps: Vec<Self> = (first..=STEPS).map(|i| Self { from: i as f64 / STEPS as f64, pairs: 0, found: 0 }).collect();
        for (similarity, found) in pairs {
            if let Some(step) = step(similarity).checked_sub(first) {
                steps[step].pairs += 1;
                steps[step].found += u64::from(found);
            }
        }
        steps
    }

    /// The share that was found; none where there is nothing to find.
    pub fn share(self) -> Option<f64> {
        (self.pairs > 0).then(|| self.found as f64 / self.pairs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_similarity_has_its_step() {
        let all = (0..=1000).map(|i| (f64::from(i) / 1000.0, i % 2 == 0));
        let steps = Step::count(0.8, all);
        let step = |from, pairs, found| Step { from, pairs, found };
        let expected = [step(0.8, 50, 25), step(0.85, 50, 25), step(0.9, 50, 25), step(0.95, 50, 25), step(1.0, 1, 1)];
        assert_eq!(steps, expected);
        assert_eq!((steps[0].share(), Step::count(0.99, [])[0].share()), (Some(0.5), None));
        assert_eq!(Step::count(0.0, [(0.0, true)]).len(), 21);
    }
}

//! The share of pairs that was found at each similarity: the measured S-curve.

use serde::Serialize;

/// The number of steps from similarity 0 to 1.
const STEPS: usize = 20;

/// The pairs of about the same similarity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// The least similarity of these pairs. The next step starts 0.05 higher. The last step has only pairs with similarity 1.
    pub from: f64,
    /// The number of these pairs.
    pub pairs: u64,
    /// The number of these pairs that were found.
    pub found: u64,
}

impl Step {
    /// Groups pairs into steps of 0.05. A pair is given as its similarity and whether it was found. The first step is the one
    /// that contains `lowest`; pairs below that step are skipped. Similarities are rounded up by one part in 10⁹, so that 0.85 is
    /// in the step that starts at 0.85.
    pub fn count(lowest: f64, pairs: impl IntoIterator<Item = (f64, bool)>) -> Vec<Self> {
        let step =
            |similarity: f64| (similarity * STEPS as f64 + 1e-9).clamp(0.0, STEPS as f64) as usize;
        let first = step(lowest);
        let mut steps: Vec<Self> = (first..=STEPS)
            .map(|i| Self {
                from: i as f64 / STEPS as f64,
                pairs: 0,
                found: 0,
            })
            .collect();
        for (similarity, found) in pairs {
            if let Some(step) = step(similarity).checked_sub(first) {
                steps[step].pairs += 1;
                steps[step].found += u64::from(found);
            }
        }
        steps
    }

    /// Returns the share that was found; none if there are no pairs.
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
        let expected = [
            step(0.8, 50, 25),
            step(0.85, 50, 25),
            step(0.9, 50, 25),
            step(0.95, 50, 25),
            step(1.0, 1, 1),
        ];
        assert_eq!(steps, expected);
        assert_eq!(
            (steps[0].share(), Step::count(0.99, [])[0].share()),
            (Some(0.5), None)
        );
        assert_eq!(Step::count(0.0, [(0.0, true)]).len(), 21);
    }
}

//! Histograms of similarities.

use serde::Serialize;

/// The number of steps from similarity 0 to 1, as in [`Step`](lookalike::eval::Step).
const STEPS: usize = 20;

/// The cases of about the same similarity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimilarityBar {
    /// The least similarity of these cases. The next bar starts 0.05 higher. The last bar has only cases with similarity 1.
    pub from: f64,
    /// The number of these cases.
    pub count: u64,
}

/// The number of cases in each step.
#[derive(Debug, Clone, Default)]
pub(super) struct Bars([u64; STEPS + 1]);

impl Bars {
    /// Counts a case. Similarities are rounded up by one part in 10⁹, so that 0.85 is in the step that starts at 0.85.
    pub(super) fn add(&mut self, similarity: f64) {
        self.0[step(similarity)] += 1;
    }

    /// Returns the steps from the one that contains `lowest`.
    pub(super) fn from(&self, lowest: f64) -> Vec<SimilarityBar> {
        (step(lowest)..=STEPS)
            .map(|i| SimilarityBar {
                from: i as f64 / STEPS as f64,
                count: self.0[i],
            })
            .collect()
    }
}

fn step(similarity: f64) -> usize {
    (similarity * STEPS as f64 + 1e-9).clamp(0.0, STEPS as f64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_similarity_has_its_bar() {
        let mut bars = Bars::default();
        (0..=1000).for_each(|i| bars.add(f64::from(i) / 1000.0));
        let counts: Vec<u64> = bars.from(0.0).iter().map(|bar| bar.count).collect();
        assert_eq!((&counts[..20], counts[20]), (&[50; 20][..], 1));
        assert_eq!(
            bars.from(0.97),
            [
                SimilarityBar {
                    from: 0.95,
                    count: 50
                },
                SimilarityBar {
                    from: 1.0,
                    count: 1
                }
            ]
        );
    }
}

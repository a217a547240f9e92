//! Computes P(found), the probability that a pair at the threshold is found, for each kind of candidates. P(found) may depend on
//! the size of the sets.

use super::sketcher::Sketcher;
use crate::{
    config::Features,
    lsh::{self, PairSizes, Promise, SharedSuperShingles, Sharing},
    sketch::{self, Modulus, Width},
    verify::Measure,
};

/// The values from which P(found) is computed for any size of the sets. These values themselves are computed only once.
#[derive(Debug, Clone)]
pub(super) struct Promised<'a> {
    threshold: f64,
    by: By<'a>,
}

#[derive(Debug, Clone)]
enum By<'a> {
    /// P(found) is the same for all sizes.
    Same(f64),
    Sharing(&'a Sharing, Measure),
    SuperShingles(&'a Sharing, SharedSuperShingles),
    SimHash {
        width: Width,
        distance: u32,
    },
}

/// If texts have more sampled elements than this, nearly every pair of them is found.
const PLENTY: usize = 400;

/// How many doublings of the modulus are examined. From each doubling to the next, the sizes of samples cover the same range.
const DOUBLINGS: u32 = 6;

/// The minimum number of shingles with which SimHash finds pairs as often as the angle predicts.
const ANGLE: usize = 1024;

impl<'a> Promised<'a> {
    /// Returns the values from which P(found) is computed for this sketcher, or `None` if P(found) is not known for it.
    pub(super) fn new(sketcher: &'a Sketcher, measure: Measure, threshold: f64) -> Option<Self> {
        let by = match sketcher {
            // Slots of two sets agree with a probability equal to their resemblance, whatever the sizes of the sets.
            Sketcher::Bands { shape, .. } => By::Same(shape.curve().found(threshold)),
            Sketcher::Shared {
                sharing, run: None, ..
            } => By::Sharing(sharing, measure),
            Sketcher::Shared {
                sharing,
                run: Some(run),
                ..
            } => {
                let elements = match sharing.modulus() {
                    Modulus::Growing { least } | Modulus::Capped { least, .. } => 2 * least,
                    Modulus::Fixed { .. } => PLENTY,
                };
                // `union` is the number of sampled elements that the union of two sets is assumed to have. `most(share)` is
                // `share` times this number, plus a margin for chance.
                let union = elements as f64 / threshold;
                let most = |share: f64| (union * share + 8.0 * (union * share).sqrt()) as usize + 8;
                By::SuperShingles(
                    sharing,
                    SharedSuperShingles::new(
                        *run,
                        [most(1.0), most(2.0 * (1.0 - threshold) / (1.0 + threshold))],
                    ),
                )
            }
            Sketcher::SimHash {
                blocks,
                features: Features::Shingles,
                ..
            } => By::SimHash {
                width: blocks.width(),
                distance: blocks.distance(),
            },
            Sketcher::Stored(stored) => match (stored.shape(), stored.simhash()) {
                (Some(shape), _) => By::Same(shape.curve().found(threshold)),
                (None, Some((width, distance))) => By::SimHash { width, distance },
                // Every pair whose estimate reaches the threshold is found.
                (None, None) if stored.keeps_samples() => By::Same(1.0),
                (None, None) => return None,
            },
            Sketcher::SimHash { .. }
            | Sketcher::Sentences(_)
            | Sketcher::Bottom(_)
            | Sketcher::Nothing => return None,
        };
        Some(Self { threshold, by })
    }

    /// Returns the minimum of P(found) for pairs at the threshold whose smaller set has `size` elements; 1 if only equal sets
    /// form such a pair.
    pub(super) fn found(&self, size: usize) -> f64 {
        match &self.by {
            By::Same(found) => *found,
            By::Sharing(sharing, Measure::Containment) => {
                let size = size.min(self.last());
                let shared = ((self.threshold * size as f64 - 1e-9).ceil() as usize).clamp(1, size);
                sharing.found_of_pair(PairSizes {
                    shared,
                    a: size - shared,
                    b: 0,
                })
            }
            By::Sharing(sharing, Measure::Resemblance) => {
                self.least(sharing, size, |pair| sharing.found_of_pair(pair))
            }
            By::SuperShingles(sharing, table) => {
                self.least(sharing, size, |pair| table.found(sharing, pair))
            }
            By::SimHash { width, distance } => {
                let within = |PairSizes { shared, a, b }| {
                    sketch::within_distance_of(shared, a, b, *width, *distance)
                };
                if size < ANGLE {
                    lsh::pairs_at(size, self.threshold, &[], true)
                        .into_iter()
                        .map(within)
                        .fold(1.0, f64::min)
                } else {
                    sketch::within_distance(self.threshold, *width, *distance)
                }
            }
        }
    }

    /// Returns the minimum of P(found) for pairs at the threshold whose smaller set has `size` elements.
    fn least(&self, sharing: &Sharing, size: usize, found: impl Fn(PairSizes) -> f64) -> f64 {
        let size = match sharing.modulus() {
            Modulus::Fixed { .. } => size.min(self.last()),
            Modulus::Growing { .. } | Modulus::Capped { .. } => size,
        };
        let edges = sharing.edges(size, (size as f64 / self.threshold) as usize);
        lsh::pairs_at(size, self.threshold, &edges, false)
            .into_iter()
            .map(found)
            .fold(1.0, f64::min)
    }

    /// Returns the promise, with the minimum size for which it is valid.
    pub(super) fn promise(&self, recall: f64) -> Promise {
        let edges = match &self.by {
            By::Same(found) => return Promise::of_all(*found),
            By::Sharing(sharing, _) | By::SuperShingles(sharing, _) => {
                sharing.edges(0, self.last())
            }
            By::SimHash { .. } => Vec::new(),
        };
        // For each size at which the modulus doubles, three more sizes are examined: this size itself, the size just below it,
        // and the least size that the smaller set of a pair at the threshold can have if the larger set has this size.
        let near = edges.into_iter().flat_map(|edge| {
            [
                edge - 1,
                edge,
                (self.threshold * edge as f64).ceil() as usize,
            ]
        });
        let found: Vec<(usize, f64)> = lsh::sizes(self.last(), near)
            .into_iter()
            .map(|size| (size, self.found(size)))
            .collect();
        Promise::of(recall, &found)
    }

    /// Returns the largest size that is examined. Larger pairs are found at least as often.
    fn last(&self) -> usize {
        match &self.by {
            By::Same(_) => 1,
            By::SimHash { .. } => ANGLE,
            By::Sharing(sharing, _) | By::SuperShingles(sharing, _) => match sharing.modulus() {
                Modulus::Growing { least } => least << DOUBLINGS,
                Modulus::Fixed { level } | Modulus::Capped { level, .. } => PLENTY << level.min(12),
            },
        }
    }
}
